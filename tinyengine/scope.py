"""Names of tensors: the variables that hold them in the code that called the engine."""

from __future__ import annotations

import sys
from types import FrameType

from .tensor import Tensor

_OURS = {"tinyengine", "tinyengine_widgets", "contextlib"}


def calling_frame() -> FrameType | None:
    """The innermost frame that is not the engine's own."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        frame = frame.f_back
    return frame


def variable_of(tensor: Tensor, frame: FrameType | None) -> str | None:
    """The first variable that holds `tensor` and does not begin with an underscore.

    Local variables of the frame come before global ones.
    """
    if frame is None:
        return None
    for variables in (frame.f_locals, frame.f_globals):
        for name, value in variables.items():
            if value is tensor and not name.startswith("_"):
                return name
    return None


class Names:
    """Gives every value a name of its own: x, x₁, x₂ for those that one variable held.

    >>> names = Names()
    >>> [names.unused(name) for name in ("x", "x", "y", "x")]
    ['x', 'x₁', 'y', 'x₂']
    """

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def unused(self, name: str) -> str:
        """`name`, with a subscript where it is taken."""
        candidate = name
        while candidate in self._next:
            candidate = name + str(self._next[name]).translate(_SUBSCRIPTS)
            self._next[name] += 1
        self._next[candidate] = 1
        return candidate


_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
