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

_BLOCK = 1 << 17
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
    x, axis = _wide(inp), _softmax_axis(axis, inp.ndim)
    rows = _BLOCK // (x.shape[-1] or 1) if x.ndim else 0
    if rows and x.size > _BLOCK and axis in (-1, x.ndim - 1):
        flat = x.reshape(-1, x.shape[-1])
        out = array_module(x).empty(flat.shape, x.dtype)
        for begin in range(0, len(flat), rows):
            block = slice(begin, begin + rows)
            out[block] = _shares(flat[block], 1)
        return _narrow(out.reshape(x.shape), inp)
    return _narrow(_shares(x, axis), inp)


def _shares(x: Array, axis: Any) -> Array:
    raised = array_module(x).exp(x - x.max(axis=axis, keepdims=True))
    raised /= raised.sum(axis=axis, keepdims=True)
    return raised


def _softmax_back(dout: Any, out: Any, axis: Any) -> Any:
    axis = _softmax_axis(axis, out.ndim)
    return out * (dout - sum(dout * out, axis, True))


softmax.vjp(inp=_softmax_back)


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
