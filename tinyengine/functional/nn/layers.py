"""Convolution layers: MegEngine's conv1d … conv_transpose3d."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...tensor import Tensor
from ..arguments import _check_tensors
from ..tensor.joining import flip
from ..tensor.shape import broadcast_to, reshape
from .convolution import _conv, _conv_bias, _conv_transpose
from .windows import Lengths, _each, _Windows

_AXES = {1: "width", 2: "height, width", 3: "depth, height, width"}


def _checked_weight(
    name: str, inp: Any, weight: Any, groups: int, rank: int, conv_mode: str, transposed: bool
) -> Any:
    """`weight` with the groups one behind the other, if everything fits."""
    _check_tensors(name, inp=inp, weight=weight)
    first, second = ("in", "out") if transposed else ("out", "in")
    layout = f"({first}, {second}, {_AXES[rank]})"
    if groups != 1:
        layout = f"(groups, {first} / groups, {second} / groups, {_AXES[rank]})"
    if conv_mode not in ("cross_correlation", "convolution"):
        raise ValueError(
            f"{name}(): {conv_mode!r} is not a valid value for conv_mode: use 'cross_correlation'"
            " or 'convolution'"
        )
    if np.ndim(inp) != rank + 2:
        raise ValueError(
            f"{name}(): inp must have {rank + 2} axes (n, channels, {_AXES[rank]}), not the shape"
            f" {np.shape(inp)}"
        )
    shape = weight.shape
    if len(shape) != rank + 2 + (groups != 1) or (groups != 1 and shape[0] != groups):
        raise ValueError(
            f"{name}(): with groups={groups} weight must be {layout}, not of the shape {shape}"
        )
    channels = groups * shape[-rank - 2 if transposed else -rank - 1]
    if inp.shape[1] != channels:
        raise ValueError(
            f"{name}(): inp of shape {inp.shape} has {inp.shape[1]} channels, but weight of shape"
            f" {shape} with groups={groups} takes {channels}"
        )
    if groups != 1:
        weight = reshape(weight, (groups * shape[1], *shape[2:]))
    return weight if conv_mode == "cross_correlation" else flip(weight, tuple(range(-rank, 0)))


def _checked_bias(name: str, bias: Any, channels: int, rank: int) -> Any:
    """`bias` as (1, out, 1, …)."""
    _check_tensors(name, bias=bias)
    shape = (1, channels) + (1,) * rank
    if math.prod(bias.shape) not in (1, channels) or max(bias.shape, default=1) not in (
        1,
        channels,
    ):
        raise ValueError(
            f"{name}(): bias must have the shape {shape}, one number for each output channel, not"
            f" {bias.shape}"
        )
    if math.prod(bias.shape) == channels:
        return bias if bias.shape == shape else reshape(bias, shape)
    return broadcast_to(reshape(bias, (1,) * (rank + 2)), shape)


def _convolved(
    name: str,
    inp: Any,
    weight: Any,
    bias: Any,
    stride: Lengths,
    padding: Lengths,
    dilation: Lengths,
    groups: int,
    conv_mode: str,
    rank: int,
) -> Any:
    weight = _checked_weight(name, inp, weight, groups, rank, conv_mode, False)
    if bias is None:
        return _conv(inp, weight, stride, padding, dilation, groups)
    bias = _checked_bias(name, bias, weight.shape[0], rank)
    return _conv_bias(inp, weight, bias, stride, padding, dilation, groups)


def conv2d(
    inp: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Lengths = 1,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    groups: int = 1,
    conv_mode: str = "cross_correlation",
    compute_mode: str = "default",
) -> Any:
    """For each window of the images `inp` the sum of its products with `weight`, plus `bias`.

    Args:
        inp: images (n, in, height, width).
        weight: (out, in, kernel height, kernel width); with groups
            (groups, out / groups, in / groups, kernel height, kernel width).
        bias: (1, out, 1, 1), or None.
        stride: the steps from one window to the next; one number, or one for each axis.
        padding: how many zeros are added on either side of the images.
        dilation: the steps between the elements of a window.
        groups: into how many groups the channels fall that do not see one another.
        conv_mode: "cross_correlation", or "convolution" to turn `weight` round.
        compute_mode: there for MegEngine's sake; it changes nothing.

    Returns:
        (n, out, height', width'), where height' is how many windows fit one below the other.

    Raises:
        ValueError: the shapes do not fit, or a window is larger than the padded images.

    >>> conv2d(tensor([[[[1., 2.], [3., 4.]]]]), tensor([[[[1., 0.], [0., 1.]]]]))
    Tensor([[[[5.]]]], device=cpux:0)
    """
    del compute_mode
    return _convolved("conv2d", inp, weight, bias, stride, padding, dilation, groups, conv_mode, 2)


def conv1d(
    inp: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Lengths = 1,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    groups: int = 1,
    conv_mode: str = "cross_correlation",
    compute_mode: str = "default",
) -> Any:
    """conv2d with one axis instead of two: `inp` (n, in, width), `weight` (out, in, kernel width).

    >>> conv1d(tensor([[[1., 3., 2.]]]), tensor([[[1., -1.]]]))
    Tensor([[[-2.  1.]]], device=cpux:0)
    """
    del compute_mode
    return _convolved("conv1d", inp, weight, bias, stride, padding, dilation, groups, conv_mode, 1)


def conv3d(
    inp: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Lengths = 1,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    groups: int = 1,
    conv_mode: str = "cross_correlation",
) -> Any:
    """conv2d with three axes instead of two: `inp` (n, in, depth, height, width).

    >>> conv3d(tensor([[[[[1., 2.]]]]]), tensor([[[[[3.]]]]]))
    Tensor([[[[[3. 6.]]]]], device=cpux:0)
    """
    return _convolved("conv3d", inp, weight, bias, stride, padding, dilation, groups, conv_mode, 3)


def _spread_out(
    name: str,
    inp: Any,
    weight: Any,
    bias: Any,
    stride: Lengths,
    padding: Lengths,
    output_padding: Lengths,
    dilation: Lengths,
    groups: int,
    conv_mode: str,
    rank: int,
) -> Any:
    weight = _checked_weight(name, inp, weight, groups, rank, conv_mode, True)
    try:
        windows = _Windows(weight.shape[2:], stride, padding, dilation, rank)
        more = _each("output_padding", output_padding, rank, 0)
    except ValueError as error:
        raise ValueError(f"{name}(): {error}") from None
    if any(m >= max(s, d) for m, s, d in zip(more, windows.stride, windows.dilation, strict=True)):
        raise ValueError(
            f"{name}(): output_padding={output_padding} must be smaller than the stride or the"
            " dilation: no window begins there"
        )
    size = windows.size(inp.shape[2:], more)
    if min(size) < 1:
        raise ValueError(f"{name}(): padding={padding} leaves nothing of inp of shape {inp.shape}")
    out = _conv_transpose(inp, weight, size, stride, padding, dilation, groups)
    return out if bias is None else out + _checked_bias(name, bias, out.shape[1], rank)


def conv_transpose2d(
    inp: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Lengths = 1,
    padding: Lengths = 0,
    output_padding: Lengths = 0,
    dilation: Lengths = 1,
    groups: int = 1,
    conv_mode: str = "cross_correlation",
    compute_mode: str = "default",
) -> Any:
    """`weight` laid out at every window with the factor that `inp` has there, and added up.

    It is how a gradient goes back through conv2d with the same arguments.

    Args:
        inp: factors (n, in, height, width).
        weight: (in, out, kernel height, kernel width); with groups
            (groups, in / groups, out / groups, kernel height, kernel width).
        bias: (1, out, 1, 1), or None.
        stride: the steps from one window to the next; one number, or one for each axis.
        padding: how much is cut off on either side of the result.
        output_padding: how much is added to the lower and right side of the result.
        dilation: the steps between the elements of a window.
        groups: into how many groups the channels fall that do not see one another.
        conv_mode: "cross_correlation", or "convolution" to turn `weight` round.
        compute_mode: there for MegEngine's sake; it changes nothing.

    Returns:
        (n, out, height', width') with height' = (height − 1) · stride − 2 · padding
        + dilation · (kernel height − 1) + 1 + output_padding.

    Raises:
        ValueError: the shapes do not fit.

    >>> conv_transpose2d(tensor([[[[1., 2.]]]]), tensor([[[[1., 1.]]]]))
    Tensor([[[[1. 3. 2.]]]], device=cpux:0)
    """
    del compute_mode
    return _spread_out(
        "conv_transpose2d",
        inp,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        dilation,
        groups,
        conv_mode,
        2,
    )


def conv_transpose3d(
    inp: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Lengths = 1,
    padding: Lengths = 0,
    output_padding: Lengths = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Any:
    """conv_transpose2d with three axes instead of two: `inp` (n, in, depth, height, width).

    >>> conv_transpose3d(tensor([[[[[1., 2.]]]]]), tensor([[[[[1., 1.]]]]]))
    Tensor([[[[[1. 3. 2.]]]]], device=cpux:0)
    """
    return _spread_out(
        "conv_transpose3d",
        inp,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        dilation,
        groups,
        "cross_correlation",
        3,
    )
