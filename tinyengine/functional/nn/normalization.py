"""Normalisation: numbers moved and scaled to mean 0 and variance 1 over some axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...backend import Array, array_module
from ...dispatch import result
from ...op import op, quiet
from ...tensor import Tensor
from ..arguments import _check_tensors
from ..elemwise.transcendental import sqrt
from ..math.reductions import mean, var
from ..tensor.shape import reshape
from .precision import _narrow, _wide


@op("(x−μ)/σ")
@quiet
def _standardized(inp: Array, axis: Sequence[int], eps: float) -> Array:
    """`inp` less its mean over `axis`, divided by √(its variance + `eps`).

    >>> _standardized(tensor([1., 3.]), (0,), 0.)
    Tensor([-1.  1.], device=cpux:0)
    """
    x = _wide(inp)
    away = x - mean(x, axis, True)
    return _narrow(away / array_module(x).sqrt(mean(away * away, axis, True) + eps), inp)


def _standardized_back(dout: Any, inp: Any, out: Any, axis: Any, eps: float) -> Any:
    """What changes neither the mean nor the variance goes through."""
    free = dout - mean(dout, axis, True) - out * mean(dout * out, axis, True)
    return free / sqrt(var(inp, axis, True) + eps)


_standardized.vjp(inp=_standardized_back)


def _scaled(name: str, out: Any, weight: Any, bias: Any, shape: tuple[int, ...]) -> Any:
    """`out` · `weight` + `bias`, where these are given; both as `shape`."""
    for kind, given in (("weight", weight), ("bias", bias)):
        if given is not None and given.size != _size(shape):
            lengths = tuple(n for n in shape if n > 1) or (1,)
            raise ValueError(
                f"{name}(): {kind} must have {_size(shape)} elements, such as the shape {lengths},"
                f" not the shape {given.shape}"
            )
    if weight is not None:
        out = out * (weight if weight.shape == shape else reshape(weight, shape))
    if bias is not None:
        out = out + (bias if bias.shape == shape else reshape(bias, shape))
    return out


def _size(shape: Sequence[int]) -> int:
    return math.prod(shape)


def general_norm(
    inp: Tensor,
    normalized_axis: int | Sequence[int],
    affine: bool = True,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Any:
    """`inp` with mean 0 and variance 1 over some axes, then scaled and moved along them.

    Args:
        inp: any numbers.
        normalized_axis: the axis or axes.
        affine: whether `weight` and `bias` count.
        weight: factors, of the lengths of these axes; or None.
        bias: summands, of the lengths of these axes; or None.
        eps: is added to the variance, so that nothing is divided by 0.

    Raises:
        ValueError: the shapes do not fit, or there is no such axis.

    >>> general_norm(tensor([[1., 3.], [2., 6.]]), 1, eps=0.)
    Tensor([[-1.  1.]
     [-1.  1.]], device=cpux:0)
    """
    _check_tensors("general_norm", inp=inp, weight=weight, bias=bias)
    given = [normalized_axis] if isinstance(normalized_axis, int) else list(normalized_axis)
    if not all(-inp.ndim <= axis < inp.ndim for axis in given):
        raise ValueError(f"general_norm(): inp of shape {inp.shape} has no axis {normalized_axis}")
    axes = tuple(sorted(axis % inp.ndim for axis in given))
    shape = tuple(n if i in axes else 1 for i, n in enumerate(inp.shape))
    out = _standardized(inp, axes, eps)
    return _scaled("general_norm", out, weight, bias, shape) if affine else out


def layer_norm(
    inp: Tensor,
    normalized_shape: int | Sequence[int],
    affine: bool,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Any:
    """`inp` with mean 0 and variance 1 over its last axes, whose lengths are `normalized_shape`.

    With `affine` it is then multiplied by `weight` and added to `bias`, both of that shape.

    Raises:
        ValueError: the last axes do not have these lengths, or weight or bias does not fit.

    >>> layer_norm(tensor([[1., 3.], [2., 6.]]), 2, False, eps=0.)
    Tensor([[-1.  1.]
     [-1.  1.]], device=cpux:0)
    """
    _check_tensors("layer_norm", inp=inp, weight=weight, bias=bias)
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if not shape or tuple(inp.shape[-len(shape) :]) != shape:
        raise ValueError(
            f"layer_norm(): the last axes of inp of shape {inp.shape} must have the lengths"
            f" {shape} of normalized_shape"
        )
    out = _standardized(inp, tuple(range(-len(shape), 0)), eps)
    return _scaled("layer_norm", out, weight, bias, shape) if affine else out


def group_norm(
    inp: Tensor,
    num_groups: int,
    affine: bool,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Any:
    """`inp` (n, channels, …) with mean 0 and variance 1 over each group of channels.

    With `affine` it is then multiplied by `weight` and added to `bias`, one number a channel.

    Raises:
        ValueError: the channels do not make `num_groups` equal groups; weight or bias does not fit.

    >>> group_norm(tensor([[[1.], [3.], [2.], [6.]]]), 2, False, eps=0.).reshape(4)
    Tensor([-1.  1. -1.  1.], device=cpux:0)
    """
    return _by_groups("group_norm", inp, num_groups, affine, weight, bias, eps)


def instance_norm(
    inp: Tensor,
    affine: bool,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Any:
    """`inp` (n, channels, …) with mean 0 and variance 1 over each channel of each sample.

    With `affine` it is then multiplied by `weight` and added to `bias`, one number a channel.

    Raises:
        ValueError: weight or bias does not fit.

    >>> instance_norm(tensor([[[1., 3.], [2., 6.]]]), False, eps=0.)
    Tensor([[[-1.  1.]
      [-1.  1.]]], device=cpux:0)
    """
    _check_tensors("instance_norm", inp=inp)
    channels = inp.shape[1] if inp.ndim > 1 else 1
    return _by_groups("instance_norm", inp, channels, affine, weight, bias, eps)


def _by_groups(
    name: str, inp: Any, groups: int, affine: bool, weight: Any, bias: Any, eps: float
) -> Any:
    _check_tensors(name, inp=inp, weight=weight, bias=bias)
    if inp.ndim < 2 or groups < 1 or inp.shape[1] % groups:
        raise ValueError(
            f"{name}(): inp of shape {inp.shape} must be (n, channels, …), its channels a multiple"
            f" of {groups}"
        )
    n, channels, *rest = inp.shape
    grouped = reshape(inp, (n, groups, channels // groups, *rest))
    out = reshape(_standardized(grouped, tuple(range(2, grouped.ndim)), eps), inp.shape)
    shape = (channels,) + (1,) * len(rest)
    return _scaled(name, out, weight, bias, shape) if affine else out


def batch_norm(
    inp: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    training: bool = False,
    momentum: float = 0.9,
    eps: float = 1e-5,
    inplace: bool = True,
) -> Any:
    """`inp` (n, channels, …) with mean 0 and variance 1 over each channel of the whole batch.

    Args:
        inp: a batch.
        running_mean: the mean of each channel so far: (1, channels, 1, …).
        running_var: the variance of each channel so far, in the same shape.
        weight: a factor for each channel, or None.
        bias: a summand for each channel, or None.
        training: use the batch's own mean and variance, and move the running ones towards them;
            else use the running ones.
        momentum: how much of the running values stays in each step.
        eps: is added to the variance, so that nothing is divided by 0.
        inplace: change the running values themselves.

    Returns:
        The batch; in training without `inplace`, the batch and the new running values.

    Raises:
        ValueError: the shapes do not fit, running values are missing, or there is but one number
            for each channel to learn from.

    >>> batch_norm(tensor([[1.], [3.]]), training=True, eps=0.)
    Tensor([[-1.]
     [ 1.]], device=cpux:0)
    """
    _check_tensors("batch_norm", inp=inp, weight=weight, bias=bias)
    _check_tensors("batch_norm", running_mean=running_mean, running_var=running_var)
    if inp.ndim < 2:
        raise ValueError(f"batch_norm(): inp must be (n, channels, …), not of shape {inp.shape}")
    axes = (0, *range(2, inp.ndim))
    shape = (1, inp.shape[1]) + (1,) * (inp.ndim - 2)
    running = [(k, v) for k, v in (("mean", running_mean), ("var", running_var)) if v is not None]
    for kind, value in running:
        if value.size != shape[1]:
            raise ValueError(
                f"batch_norm(): running_{kind} must have the shape {shape}, one number for each"
                f" channel of inp of shape {inp.shape}, not {value.shape}"
            )
    if not training:
        if len(running) < 2:
            raise ValueError(
                "batch_norm(): running_mean and running_var are needed, or training=True"
            )
        spread = sqrt(reshape(running_var, shape) + eps)
        out = (inp - reshape(running_mean, shape)) / spread
        return _scaled("batch_norm", out, weight, bias, shape)
    count = inp.size // shape[1]
    if count < 2:
        raise ValueError(
            f"batch_norm(): inp of shape {inp.shape} has one number for each channel, of which"
            " there is no variance; use larger batches for training"
        )
    out = _scaled("batch_norm", _standardized(inp, axes, eps), weight, bias, shape)
    if not running:
        return out
    # On arrays, not tensors: no part of the graph, nor of a trace.
    batch = getattr(inp, "_data", inp)
    news = {
        "mean": mean(batch, axes, True),
        "var": var(batch, axes, True) * (count / (count - 1)),  # as of a sample
    }
    moved = [
        momentum * value._data + (1 - momentum) * news[kind].reshape(value.shape)
        for kind, value in running
    ]
    if not inplace:
        return out, *(result(new, v.device) for (_, v), new in zip(running, moved, strict=True))
    for (_, value), new in zip(running, moved, strict=True):
        value._data = new
    return out
