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


def numbered(name: str, taken: set[str]) -> str:
    """`name`, or with a subscript where that is taken: x, x₁, x₂ for one variable's values.

    >>> numbered("x", {"x", "x₁"})
    'x₂'
    """
    number, candidate = 0, name
    while candidate in taken:
        number += 1
        candidate = name + str(number).translate(_SUBSCRIPTS)
    return candidate


_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
