"""What a module of this package offers: its functions, not what it imports to make them."""

from __future__ import annotations

from typing import Any


def _functions(namespace: dict[str, Any]) -> list[str]:
    """The names of the public functions of a package (or module) with this namespace."""
    return [
        name
        for name, value in namespace.items()
        if getattr(value, "__module__", "").startswith(namespace["__name__"]) and name[0] != "_"
    ]


def _offer_functions(namespace: dict[str, Any]) -> None:
    """Make these names the ones that ``import *`` takes; type checkers see them all."""
    namespace["__all__"] = _functions(namespace)
