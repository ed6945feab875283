"""What functions made of several ops say when an argument is of the wrong kind."""

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


def _counted(name: str, axis: int, ndim: int) -> int:
    """`axis` counted from the front.

    Raises:
        ValueError: a tensor of `ndim` axes has no such axis.
    """
    if not -ndim <= axis < ndim:
        raise ValueError(f"{name}(): axis {axis} is out of bounds for a tensor of {ndim} axes")
    return axis % ndim
