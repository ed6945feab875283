"""What functions made of several ops say when an argument is not a tensor."""

from __future__ import annotations

from typing import Any


def _check_tensors(name: str, **given: Any) -> None:
    """Refuse what is neither a tensor nor an array; None is left to the caller.

    Raises:
        TypeError: an argument of the function `name` is something else.
    """
    for key, value in given.items():
        if value is not None and not hasattr(value, "dtype"):
            raise TypeError(
                f"{name}(): {key} is {type(value).__name__} {value!r:.60}, not a tensor; make it"
                " one with tensor(...)"
            )
