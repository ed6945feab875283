"""Linear algebra and reductions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..backend import Array
from ..op import method, op
from .tensor import broadcast_to, expand_dims, getitem, reshape, swapaxes


@op("@", operator="matmul", broadcasts=True)
def matmul(inp1: Array, inp2: Array, transpose_a: bool = False, transpose_b: bool = False) -> Array:
    """Matrix product of `inp1` (…, n, k) and `inp2` (…, k, m): (…, n, m).

    A vector stands for a row on the left and for a column on the right; leading axes stretch to a
    common shape. With `transpose_a` or `transpose_b` the last two axes of that operand are swapped.

    Raises:
        ValueError: the inner lengths differ, or an operand has no axes.

    >>> matmul(tensor([[1., 3., 5.]]), tensor([[2.], [4.], [6.]]))
    Tensor([[44.]], device=cpux:0)
    """
    if not np.ndim(inp1) or not np.ndim(inp2):
        raise ValueError("an operand is a single number")
    a = swapaxes(inp1) if transpose_a and inp1.ndim > 1 else inp1
    b = swapaxes(inp2) if transpose_b and inp2.ndim > 1 else inp2
    return a.dot(b) if a.ndim <= 2 >= b.ndim else a @ b  # dot costs half of @ when small


def _to_inp1(dout: Any, inp1_shape: Any, inp2: Any, transpose_a: bool, transpose_b: bool) -> Any:
    if inp2.ndim == 1:  # a column
        dout, inp2 = expand_dims(dout, -1), expand_dims(inp2, -1)
    elif transpose_b:
        inp2 = swapaxes(inp2)
    if len(inp1_shape) == 1:  # a row
        return matmul(expand_dims(dout, -2), swapaxes(inp2))
    grad = matmul(dout, swapaxes(inp2))
    return swapaxes(grad) if transpose_a else grad


def _to_inp2(dout: Any, inp1: Any, inp2_shape: Any, transpose_a: bool, transpose_b: bool) -> Any:
    column = len(inp2_shape) == 1
    if column:
        dout = expand_dims(dout, -1)
    if inp1.ndim == 1:  # a row
        dout, inp1 = expand_dims(dout, -2), expand_dims(inp1, 0)
    elif transpose_a:
        inp1 = swapaxes(inp1)
    grad = matmul(swapaxes(inp1), dout)
    if column:
        return getitem(grad, (..., 0))
    return swapaxes(grad) if transpose_b else grad


matmul.vjp(inp1=_to_inp1, inp2=_to_inp2)


@matmul.explain
def _(inp1: Any, inp2: Any, transpose_a: bool, transpose_b: bool) -> str:
    a, b = np.shape(inp1), np.shape(inp2)
    if not a or not b:
        return "both operands need at least one axis; multiply by a single number with *"
    rows = a[-2 if transpose_a and len(a) > 1 else -1]
    columns = b[-1 if transpose_b or len(b) == 1 else -2]
    if rows != columns:
        return f"each row of inp1 has {rows} elements but each column of inp2 has {columns}"
    return f"the leading axes {a[:-2]} and {b[:-2]} do not stretch to a common shape"


@op("Σ")
def sum(inp: Array, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Array:
    """Sum of the elements of `inp`, over all axes or over those given, in the dtype of `inp`.

    Args:
        inp: the summands.
        axis: the axis or axes to sum over; all when None.
        keepdims: keep the summed axes, with length 1.

    >>> sum(tensor([[1., 2.], [3., 4.]]), axis=0)
    Tensor([4. 6.], device=cpux:0)
    """
    axis = tuple(axis) if isinstance(axis, list) else axis
    return inp.sum(axis=axis, dtype=None if inp.dtype == bool else inp.dtype, keepdims=keepdims)


def _spread(dout: Any, inp_shape: Any, axis: Any, keepdims: bool) -> Any:
    """`dout` for every summand."""
    if axis is not None and inp_shape and not keepdims:
        axes = {int(a) % len(inp_shape) for a in (axis if isinstance(axis, Sequence) else [axis])}
        dout = reshape(dout, tuple(1 if i in axes else n for i, n in enumerate(inp_shape)))
    return broadcast_to(dout, inp_shape)


sum.vjp(inp=_spread)
sum.writes(lambda inp, axis, keepdims: inp.prefixed("Σ", r"\sum"))
method("sum")(sum)
