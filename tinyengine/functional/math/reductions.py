"""Reductions: sums, means, extremes, products and running sums over axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend import Array, array_module
from ...op import method, op, quiet
from ...promotion import FLOAT32
from ..elemwise.transcendental import sqrt
from ..tensor.indexing import where
from ..tensor.joining import flip
from ..tensor.shape import broadcast_to, reshape, transpose


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
sum.writes(
    lambda inp, axis, keepdims: (
        inp.called("sum", f"{axis}, {keepdims}") if keepdims else inp.prefixed("Σ", r"\sum")
    )
)
method("sum")(sum)


@op("mean")
@quiet
def mean(inp: Array, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Array:
    """Mean of the elements, over all axes or those given; they add up in float64.

    >>> mean(tensor([[1., 2.], [3., 4.]]))
    Tensor(2.5, device=cpux:0)
    """
    dtype = inp.dtype if inp.dtype.kind == "f" else FLOAT32
    total = inp.sum(axis=_axes(axis), dtype=np.float64, keepdims=keepdims)
    if dtype == FLOAT32:  # rounded before it is divided, as MegEngine's printed digits are
        total = total.astype(FLOAT32)
    return (total / total.dtype.type(_count(inp.shape, axis))).astype(dtype)


def _axes(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def _count(shape: Sequence[int], axis: Any) -> int:
    """How many elements meet in each element of the result."""
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, Sequence) else [axis]
    return math.prod([shape[a] for a in axes])


mean.vjp(
    inp=lambda dout, inp_shape, axis, keepdims: (
        _spread(dout, inp_shape, axis, keepdims) / _count(inp_shape, axis)
    )
)
method("mean")(mean)


@op("var")
@quiet
def var(inp: Array, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Array:
    """Mean square distance from the mean, over all axes or those given (population variance).

    >>> var(tensor([1., 2., 3., 4.]))
    Tensor(1.25, device=cpux:0)
    """
    away = inp - mean(inp, axis, keepdims=True)
    return mean(away * away, axis, keepdims)


def _var_back(dout: Any, inp: Any, axis: Any, keepdims: bool) -> Any:
    away = inp - mean(inp, axis, True)
    return _spread(dout, inp.shape, axis, keepdims) * away * (2 / (_count(inp.shape, axis) or 1))


var.vjp(inp=_var_back)


@op("÷")
@quiet
def _ratio(x: Array, y: Array) -> Array:
    """`x` / `y`, with 0 where `y` is 0.

    >>> _ratio(tensor([1., 1.]), tensor([2., 0.]))
    Tensor([0.5 0. ], device=cpux:0)
    """
    zero = y == 0
    return x / (y + zero) * (1 - zero * x.dtype.type(1))


_ratio.partials(x=lambda y: _ratio(y * 0 + 1, y), y=lambda out, y: -_ratio(out, y))
_ratio.writes(lambda x, y: x / y)


@op("std")
@quiet
def std(inp: Array, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Array:
    """Root mean square distance from the mean; where that is 0, so is the gradient.

    >>> std(tensor([1., 1., 3., 3.]))
    Tensor(1.0, device=cpux:0)
    """
    return sqrt(var(inp, axis, keepdims))


def _std_back(dout: Any, inp: Any, out: Any, axis: Any, keepdims: bool) -> Any:
    return _var_back(_ratio(dout, out) / 2, inp, axis, keepdims)


std.vjp(inp=_std_back)


@op("max")
def max(inp: Array, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Array:
    """Largest of the elements, over all axes or those given; ties share the gradient equally.

    Raises:
        ValueError: there are no elements.

    >>> max(tensor([[1., 5.], [3., 4.]]), axis=1)
    Tensor([5. 4.], device=cpux:0)
    """
    return inp.max(axis=_axes(axis), keepdims=keepdims)


@op("min")
def min(inp: Array, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Array:
    """Smallest of the elements, over all axes or those given; ties share the gradient equally.

    Raises:
        ValueError: there are no elements.

    >>> min(tensor([[1., 5.], [3., 4.]]), axis=1)
    Tensor([1. 3.], device=cpux:0)
    """
    return inp.min(axis=_axes(axis), keepdims=keepdims)


@op("ties")
@quiet
def _ties(inp: Array, axis: Any, largest: bool) -> Array:
    """The share of each element in the largest (or smallest): 1 / the number of those equal to it.

    >>> _ties(tensor([1., 3., 3.]), None, True)
    Tensor([0.  0.5 0.5], device=cpux:0)
    """
    extreme = (inp.max if largest else inp.min)(axis=_axes(axis), keepdims=True)
    equal = (inp == extreme).astype(inp.dtype)
    return equal / equal.sum(axis=_axes(axis), keepdims=True)


def _to_extreme(largest: bool) -> Any:
    def back(dout: Any, inp: Any, axis: Any, keepdims: bool) -> Any:
        return _spread(dout, inp.shape, axis, keepdims) * _ties(inp, axis, largest)

    return back


max.vjp(inp=_to_extreme(True))
min.vjp(inp=_to_extreme(False))
method("max")(max)
method("min")(min)


@op("Π")
def prod(inp: Array, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Array:
    """Product of the elements, over all axes or those given; the gradient is right with zeros.

    >>> prod(tensor([[1., 2.], [3., 4.]]), axis=0)
    Tensor([3. 8.], device=cpux:0)
    """
    dtype = None if inp.dtype == bool else inp.dtype
    return inp.prod(axis=_axes(axis), dtype=dtype, keepdims=keepdims)


def _prod_back(dout: Any, inp: Any, out: Any, axis: Any, keepdims: bool) -> Any:
    all_dout = _spread(dout, inp.shape, axis, keepdims)
    values = getattr(inp, "_data", inp)
    if hasattr(values, "all") and not values.all():
        return all_dout * _product_of_others(inp, axis)
    return all_dout * (_spread(out, inp.shape, axis, keepdims) / inp)


def _product_of_others(inp: Any, axis: Any) -> Any:
    """For each element the product of the others, without dividing by it."""
    rank = len(inp.shape)
    given = range(rank) if axis is None else axis if isinstance(axis, Sequence) else [axis]
    axes = [a % rank for a in given]
    order = [a for a in range(rank) if a not in axes] + axes
    moved = transpose(inp, tuple(order))
    kept = moved.shape[: rank - len(axes)]
    count = _count(inp.shape, axis)
    rows = reshape(moved, (*kept, 1, count))
    own = array_module(getattr(inp, "_data", inp)).eye(count, dtype=bool)
    others = prod(where(own, rows * 0 + 1, broadcast_to(rows, (*kept, count, count))), -1)
    return transpose(reshape(others, moved.shape), tuple(np.argsort(order).tolist()))


prod.vjp(inp=_prod_back)
method("prod")(prod)


@op("Σ…")
def cumsum(inp: Array, axis: int) -> Array:
    """Running sum along `axis`, in the dtype of `inp`.

    >>> cumsum(tensor([1., 2., 3.]), 0)
    Tensor([1. 3. 6.], device=cpux:0)
    """
    return inp.cumsum(axis, dtype=None if inp.dtype == bool else inp.dtype)


cumsum.vjp(inp=lambda dout, axis: flip(cumsum(flip(dout, axis), axis), axis))
