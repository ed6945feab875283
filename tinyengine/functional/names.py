"""What a module of this package offers: its functions, not what it imports to make them."""

from __future__ import annotations

from typing import Any


def _functions(namespace: dict[str, Any]) -> list[str]:
    """The names of the public functions in a module's namespace."""
    return [
        name
        for name, value in namespace.items()
        if getattr(value, "__module__", "").startswith("tinyengine.functional.") and name[0] != "_"
    ]
