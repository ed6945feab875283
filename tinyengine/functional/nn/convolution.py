"""Convolution and its two derivatives: three ops, each the derivative of the others.

The sum of ``inp · weight · dout`` over all windows is linear in each of the three, so that the
gradient at one is an op of the other two. Here weights are (out, in / groups, *kernel); the
functions in `layers` bring them to this shape.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...backend import Array, array_module
from ...op import op
from ..math.reductions import sum
from .precision import _narrow, _wide
from .windows import Lengths, _batch_first, _batch_last, _Windows

_MOST = 1 << 24
"""How many elements of windows are made at a time: 64 MiB of float32."""


def _flat(inp: Array, groups: int) -> Array:
    """(n, channels, …) as (groups, channels / groups, places), the places with the batch last."""
    moved = array_module(inp).ascontiguousarray(_batch_last(_wide(inp)))
    return moved.reshape(groups, inp.shape[1] // groups, -1)


def _columns(inp: Array, windows: _Windows, groups: int) -> Array:
    """The windows of `inp` as (groups, elements of a window, places)."""
    unfolded = windows.unfold(_wide(inp))
    elements = inp.shape[1] // groups
    for length in windows.kernel:
        elements *= length
    return unfolded.reshape(groups, elements, -1)


def _matrix(weight: Array, groups: int) -> Array:
    """The weights as (groups, out / groups, elements of a window)."""
    return _wide(weight).reshape(groups, weight.shape[0] // groups, -1)


def _parts(of: Array, windows: _Windows, inp: Array | None = None) -> list[Array]:
    """The batch `of` in parts, so that the windows of `inp` (by default `of`) are not too many."""
    inp = of if inp is None else inp
    each = math.prod((inp.shape[1], *windows.kernel, *windows.count(inp.shape[2:])))
    step = max(_MOST // max(each, 1), 1)
    return [of[i : i + step] for i in range(0, max(of.shape[0], 1), step)]


@op("∗")
def _conv(
    inp: Array,
    weight: Array,
    stride: Lengths = 1,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Array:
    """For each window of `inp` (n, in, …) the sum of its products with `weight`: (n, out, …).

    >>> _conv(tensor([[[1., 3., 2.]]]), tensor([[[1., -1.]]]))
    Tensor([[[-2.  1.]]], device=cpux:0)
    """
    windows = _Windows(weight.shape[2:], stride, padding, dilation, inp.ndim - 2)
    shape, matrix = (weight.shape[0], *windows.count(inp.shape[2:]), -1), _matrix(weight, groups)
    done = [
        (matrix @ _columns(part, windows, groups)).reshape(shape) for part in _parts(inp, windows)
    ]
    out = done[0] if len(done) == 1 else array_module(inp).concatenate(done, -1)
    return _narrow(_batch_first(out), inp)


@op("∗+b")
def _conv_bias(
    inp: Array,
    weight: Array,
    bias: Array,
    stride: Lengths = 1,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Array:
    """The same plus `bias` (1, out, 1, …).

    >>> _conv_bias(tensor([[[1., 3., 2.]]]), tensor([[[1., -1.]]]), tensor([[[5.]]]))
    Tensor([[[3. 6.]]], device=cpux:0)
    """
    out = _conv(inp, weight, stride, padding, dilation, groups)
    out += bias.astype(out.dtype, copy=False)
    return out


@op("∗ᵀ")
def _conv_transpose(
    factor: Array,
    weight: Array,
    size: Sequence[int],
    stride: Lengths = 1,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Array:
    """`weight` laid out at every window with the factor `factor` (n, out, …), and added up.

    The result is (n, in, *size): the gradient at the input of a convolution.

    >>> _conv_transpose(tensor([[[1., 2.]]]), tensor([[[1., -1.]]]), (3,))
    Tensor([[[ 1.  1. -2.]]], device=cpux:0)
    """
    windows = _Windows(weight.shape[2:], stride, padding, dilation, factor.ndim - 2)
    columns = _matrix(weight, groups).swapaxes(1, 2) @ _flat(factor, groups)
    shape = (weight.shape[1] * groups, *windows.kernel, *factor.shape[2:], factor.shape[0])
    return _narrow(windows.fold(columns.reshape(shape), size), factor)


@op("∗ᵂ")
def _conv_weight(
    inp: Array,
    factor: Array,
    kernel: Sequence[int],
    stride: Lengths = 1,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Array:
    """The windows of `inp` added up, each with the factor `factor` (n, out, …).

    The result is (out, in / groups, *kernel): the gradient at the weight of a convolution.

    >>> _conv_weight(tensor([[[1., 3., 2.]]]), tensor([[[1., 2.]]]), (2,))
    Tensor([[[7. 7.]]], device=cpux:0)
    """
    windows = _Windows(kernel, stride, padding, dilation, inp.ndim - 2)
    grad: Array = 0
    for part, factors in zip(_parts(inp, windows), _parts(factor, windows, inp), strict=True):
        # This order is the faster one: the longer matrix is not transposed.
        grad = grad + _columns(part, windows, groups) @ _flat(factors, groups).swapaxes(1, 2)
    shape = (factor.shape[1], inp.shape[1] // groups, *windows.kernel)
    return _narrow(grad.swapaxes(1, 2).reshape(shape), inp)


def _to_inp(
    dout: Any, weight: Any, inp_shape: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    return _conv_transpose(dout, weight, inp_shape[2:], stride, padding, dilation, groups)


def _to_weight(
    dout: Any, inp: Any, weight_shape: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    return _conv_weight(inp, dout, weight_shape[2:], stride, padding, dilation, groups)


def _to_bias(dout: Any, inp_shape: Any) -> Any:
    return sum(dout, (0, *range(2, len(inp_shape))), True)


_conv.vjp(inp=_to_inp, weight=_to_weight)
_conv_bias.vjp(inp=_to_inp, weight=_to_weight, bias=_to_bias)
_conv_transpose.vjp(
    factor=lambda dout, weight, stride, padding, dilation, groups: _conv(
        dout, weight, stride, padding, dilation, groups
    ),
    weight=lambda dout, factor, weight_shape, stride, padding, dilation, groups: _conv_weight(
        dout, factor, weight_shape[2:], stride, padding, dilation, groups
    ),
)
_conv_weight.vjp(
    inp=lambda dout, factor, inp_shape, stride, padding, dilation, groups: _conv_transpose(
        factor, dout, inp_shape[2:], stride, padding, dilation, groups
    ),
    factor=lambda dout, inp, stride, padding, dilation, groups: _conv(
        inp, dout, stride, padding, dilation, groups
    ),
)
