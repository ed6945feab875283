"""Names of tensors: variables of the calling code that hold them, or their paths in a module."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

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


class Paths:
    """The dotted paths of tensors in the outermost module that was called: fc1.weight."""

    def __init__(self) -> None:
        self._paths: dict[int, str] = {}
        self._modules: dict[int, Any] = {}  # holding them keeps every id() from being given again

    def add(self, module: Any) -> None:
        """`module` was called; what it calls in turn has its paths already."""
        if id(module) in self._modules:
            return
        self._modules.update((id(inner), inner) for inner in module.modules())
        for path, tensor in module.named_tensors(module.name):
            self._paths.setdefault(id(tensor), path)

    def of(self, tensor: Tensor) -> str | None:
        """The path of `tensor`, if a module has it."""
        return self._paths.get(id(tensor))

    def clear(self) -> None:
        """Forget the modules."""
        self._paths.clear()
        self._modules.clear()


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
