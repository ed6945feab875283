"""Softmax and the logarithms around it; all subtract the largest element before exp."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...backend import Array, array_module
from ...op import op, quiet
from ..elemwise.transcendental import exp
from ..math.reductions import _axes, _spread, sum
from .precision import _narrow, _wide

_BLOCK = 1 << 16
"""So many elements at a time stay in the processor's cache."""


@op("logΣexp")
@quiet
def logsumexp(inp: Array, axis: int | Sequence[int] | None, keepdims: bool = False) -> Array:
    """Logarithm of the sum of exp(`inp`) over `axis` (all axes when None), without overflow.

    >>> logsumexp(tensor([[1000., 1000.], [0., -1000.]]), 1)
    Tensor([1000.6932    0.    ], device=cpux:0)
    """
    x, axis, xp = _wide(inp), _axes(axis), array_module(inp)
    largest = x.max(axis=axis, keepdims=True)
    largest = xp.where(abs(largest) == math.inf, x.dtype.type(0), largest)
    out = xp.log(xp.exp(x - largest).sum(axis=axis, keepdims=True)) + largest
    return _narrow(out if keepdims else out.squeeze(axis), inp)


logsumexp.vjp(
    inp=lambda dout, inp, out, inp_shape, axis, keepdims: (
        _spread(dout, inp_shape, axis, keepdims)
        * exp(inp - _spread(out, inp_shape, axis, keepdims))
    )
)


def _softmax_axis(axis: Any, rank: int) -> Any:
    """The axis of softmax when none is given: 0 of 0, 1 or 3 axes, else 1."""
    return int(rank not in (0, 1, 3)) if axis is None else axis


@op("softmax")
@quiet
def softmax(inp: Array, axis: int | None = None) -> Array:
    """exp(`inp`) divided by its sum along `axis`: positive numbers that sum to 1.

    Without an axis, it is axis 0 of a tensor with 0, 1 or 3 axes, else axis 1.

    >>> softmax(tensor([[1000., 1000., -1000.]]), axis=1)
    Tensor([[0.5 0.5 0. ]], device=cpux:0)
    """
    return _narrow(_by_rows(_shares, _softmax_axis(axis, inp.ndim), _wide(inp)), inp)


def _by_rows(kernel: Any, axis: Any, *inps: Array) -> Array:
    """What `kernel` writes; a block of rows at a time if they are many and it works within them."""
    x = inps[0]
    out = array_module(x).empty(x.shape, x.dtype)
    rows = _BLOCK // (x.shape[-1] or 1) if x.ndim else 0
    if not rows or x.size <= _BLOCK or axis not in (-1, x.ndim - 1):
        kernel(axis, out, *inps)
        return out
    flat = [part.reshape(-1, x.shape[-1]) for part in (out, *inps)]
    for begin in range(0, len(flat[0]), rows):
        kernel(1, *[part[begin : begin + rows] for part in flat])
    return out


def _summed(x: Array, axis: Any) -> Array:
    if x.ndim != 2 or axis not in (1, -1):
        return x.sum(axis=axis, keepdims=True)
    xp = array_module(x)
    return xp.expand_dims(x.dot(xp.ones(x.shape[1], x.dtype)), 1)  # thrice as fast as sum


def _shares(axis: Any, out: Array, x: Array) -> None:
    xp = array_module(x)
    xp.subtract(x, x.max(axis=axis, keepdims=True), out=out)
    xp.exp(out, out=out)
    xp.divide(out, _summed(out, axis), out=out)


@op("softmax'")
@quiet
def _softmax_back(factor: Array, shares: Array, axis: int | None) -> Array:
    """`factor` less its mean weighted with `shares`, times `shares`: the gradient of a softmax.

    >>> _softmax_back(tensor([1., 3.]), tensor([0.5, 0.5]), 0)
    Tensor([-0.5  0.5], device=cpux:0)
    """
    axis = _softmax_axis(axis, shares.ndim)
    return _narrow(_by_rows(_weighted, axis, _wide(factor), _wide(shares)), shares)


def _weighted(axis: Any, out: Array, factor: Array, shares: Array) -> None:
    xp = array_module(factor)
    xp.multiply(factor, shares, out=out)
    xp.subtract(factor, _summed(out, axis), out=out)
    xp.multiply(out, shares, out=out)


def _to_shares(dout: Any, factor: Any, shares: Any, axis: Any) -> Any:
    axis = _softmax_axis(axis, shares.ndim)
    return dout * (factor - sum(factor * shares, axis, True)) - factor * sum(
        dout * shares, axis, True
    )


softmax.vjp(inp=lambda dout, out, axis: _softmax_back(dout, out, axis))
_softmax_back.vjp(
    factor=lambda dout, shares, axis: _softmax_back(dout, shares, axis), shares=_to_shares
)


@op("log softmax")
@quiet
def logsoftmax(inp: Array, axis: int | Sequence[int]) -> Array:
    """log(softmax(`inp`)) along `axis`, exact also where softmax is nearly 0.

    >>> logsoftmax(tensor([[0., 1000.]]), axis=1)
    Tensor([[-1000.     0.]], device=cpux:0)
    """
    x, axis, xp = _wide(inp), _axes(axis), array_module(inp)
    below = x - x.max(axis=axis, keepdims=True)
    return _narrow(below - xp.log(xp.exp(below).sum(axis=axis, keepdims=True)), inp)


logsoftmax.vjp(inp=lambda dout, out, axis: dout - exp(out) * sum(dout, axis, True))
