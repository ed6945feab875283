"""NumPy's functions on tensors: ``np.exp(t)`` and ``array * t`` run the op of the same meaning."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...dispatch import general_call
from ...op import OPERATORS, TABLE, Op, method
from ...tensor import Tensor
from .conversion import copy

_OUR_NAMES = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "bitwise_xor": "logical_xor",
    "divide": "div",
    "floor_divide": "floor_div",
    "invert": "logical_not",
    "multiply": "mul",
    "negative": "neg",
    "positive": "copy",
    "power": "pow",
    "remainder": "mod",
    "subtract": "sub",
}
"""Where NumPy's name is another than ours."""


@method("__array_ufunc__")
def _(self: Tensor, ufunc: Any, how: str, *inputs: Any, **options: Any) -> Any:  # noqa: ARG001
    """What NumPy calls for a function of its own on tensors, and for ``array + tensor``.

    With an array to write to, as in ``array += tensor``, NumPy computes with the values alone.

    Raises:
        TypeError: there is no op of this meaning.

    >>> import numpy as np
    >>> np.exp(tensor([0.])) * np.float32(2)
    Tensor([2.], device=cpux:0)
    """
    places = options.get("out", ())
    if places and not any(isinstance(place, Tensor) for place in places):
        arrays = [x.numpy() if isinstance(x, Tensor) else x for x in inputs]
        return getattr(ufunc, how)(*arrays, **options)
    name = ufunc.__name__
    ours = _OUR_NAMES.get(name, name)
    this = OPERATORS.get(ours) or TABLE.get(ours)
    if this is not None and how == "__call__" and not options:
        return _function(this)(*inputs)
    asked = f"np.{name}" if how == "__call__" else f"np.{name}.{how}"
    why = f"does not take {'= and '.join(options)}= for tensors" if options else "takes no tensors"
    raise TypeError(f"{asked}() {why}: give it x.numpy(), or use a function of functional")


@functools.cache
def _function(this: Op) -> Callable[..., Any]:
    return general_call(this)


@method("__pos__")
def _(self: Tensor) -> Any:
    """``+t``: a copy."""
    return copy(self)
