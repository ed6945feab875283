"""Pooling: the largest element or the mean of each window of an image."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend import Array, array_module
from ...op import op
from ...tensor import Tensor
from ..arguments import _check_tensors
from .precision import _narrow, _wide
from .windows import Lengths, _batch_first, _batch_last, _each, _Windows

_MODES = ("average_count_exclude_padding", "average")


def _windows(
    inp: Array, kernel_size: Lengths, stride: Lengths | None, padding: Lengths
) -> _Windows:
    """The windows over images.

    Raises:
        ValueError: `inp` are no images, or a window could lie in the padding alone.
    """
    if inp.ndim != 4:
        raise ValueError("inp must have 4 axes (n, channels, height, width)")
    windows = _Windows(kernel_size, kernel_size if stride is None else stride, padding, 1, 2)
    if any(p >= k for p, k in zip(windows.padding, windows.kernel, strict=True)):
        raise ValueError(f"padding={padding} must be smaller than kernel_size={kernel_size}")
    return windows


def _lowest(inp: Array) -> Any:
    return -math.inf if inp.dtype.kind == "f" else np.iinfo(inp.dtype).min


def _padded(inp: Array, windows: _Windows) -> Array:
    """`inp` with its batch last, and with less than any number added at its edges."""
    return array_module(inp).ascontiguousarray(windows.padded(inp, _lowest(inp)))


@op("max pool")
def max_pool2d(
    inp: Array, kernel_size: Lengths, stride: Lengths | None = None, padding: Lengths = 0
) -> Array:
    """The largest element of each window of the images `inp`.

    Of equal elements the first one gets the gradient.

    Args:
        inp: images (n, channels, height, width).
        kernel_size: the height and width of a window; one number for both, or two.
        stride: the steps from one window to the next; by default windows lie side by side.
        padding: how far windows reach over the edges; what is there counts for nothing.

    Raises:
        ValueError: `inp` are no images, or a window is larger than they are with their padding.

    >>> max_pool2d(tensor([[[[1., 2., 5.], [4., 3., 6.]]]]), 2)
    Tensor([[[[4.]]]], device=cpux:0)
    """
    windows = _windows(inp, kernel_size, stride, padding)
    count, source, xp = windows.count(inp.shape[2:]), _padded(inp, windows), array_module(inp)
    out: Array = None
    for _, where in windows.taps(count):
        part = source[(slice(None), *where)]
        out = part.copy() if out is None else xp.maximum(out, part, out=out)
    return _batch_first(out)


@op("unpool")
def _unpool(
    factor: Array,
    inp: Array,
    largest: Array,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
) -> Array:
    """Each `factor` put where its window of `inp` has its `largest` element, and added up.

    >>> image = tensor([[[[1., 2., 3., 3.]]]])
    >>> _unpool(tensor([[[[5., 7.]]]]), image, tensor([[[[2., 3.]]]]), (1, 2))
    Tensor([[[[0. 5. 7. 0.]]]], device=cpux:0)
    """
    windows = _windows(inp, kernel_size, stride, padding)
    source, top, left = _padded(inp, windows), _last(largest), _last(factor).copy()
    xp = array_module(inp)
    out = xp.zeros(source.shape, factor.dtype)
    apart = all(s >= k for s, k in zip(windows.stride, windows.kernel, strict=True))
    for _, where in windows.taps(top.shape[1:-1]):
        spot = (slice(None), *where)
        if apart:
            left -= xp.multiply(left, source[spot] == top, out=out[spot])
        else:
            share = left * (source[spot] == top)
            out[spot] += share
            left -= share
    return _batch_first(out[(slice(None), *windows.inside(inp.shape[2:]))])


def _last(inp: Array) -> Array:
    return array_module(inp).ascontiguousarray(_batch_last(inp))


@op("pick")
def _pick(
    values: Array,
    inp: Array,
    largest: Array,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
) -> Array:
    """From each window of `values` the element where `inp` has the `largest` of that window.

    >>> image, largest = tensor([[[[1., 2., 3., 3.]]]]), tensor([[[[2., 3.]]]])
    >>> _pick(tensor([[[[5., 6., 7., 8.]]]]), image, largest, (1, 2))
    Tensor([[[[6. 7.]]]], device=cpux:0)
    """
    windows = _windows(inp, kernel_size, stride, padding)
    source, top = _padded(inp, windows), _last(largest)
    moved = windows.padded(values)
    out = array_module(inp).zeros(top.shape, values.dtype)
    free = top == top
    for _, where in windows.taps(top.shape[1:-1]):
        hit = free & (source[(slice(None), *where)] == top)
        out += moved[(slice(None), *where)] * hit
        free &= ~hit
    return _batch_first(out)


max_pool2d.vjp(
    inp=lambda dout, inp, out, kernel_size, stride, padding: _unpool(
        dout, inp, out, kernel_size, stride, padding
    )
)
_unpool.vjp(
    factor=lambda dout, inp, largest, kernel_size, stride, padding: _pick(
        dout, inp, largest, kernel_size, stride, padding
    )
)
_pick.vjp(
    values=lambda dout, inp, largest, kernel_size, stride, padding: _unpool(
        dout, inp, largest, kernel_size, stride, padding
    )
)


def _sizes(windows: _Windows, size: Sequence[int], mode: str, beside: Array) -> Array:
    """How many elements each window has, as a factor for arrays with the batch last."""
    if mode not in _MODES:
        raise ValueError(f"{mode!r} is not a valid value for mode: use {_MODES[0]!r} or 'average'")
    if mode == "average":
        return math.prod(windows.kernel)
    counts = []
    how = zip(windows.count(size), windows.kernel, windows.stride, windows.padding, strict=True)
    for n, (count, kernel, stride, padding) in zip(size, how, strict=True):
        begin = np.arange(count) * stride - padding
        counts.append(np.minimum(begin + kernel, n) - np.maximum(begin, 0))
    return array_module(beside).asarray(np.multiply.outer(*counts)[..., None].astype(beside.dtype))


@op("mean pool")
def avg_pool2d(
    inp: Array,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    mode: str = "average_count_exclude_padding",
) -> Array:
    """The mean of each window of the images `inp`.

    Args:
        inp: images (n, channels, height, width).
        kernel_size: the height and width of a window; one number for both, or two.
        stride: the steps from one window to the next; by default windows lie side by side.
        padding: how far windows reach over the edges.
        mode: "average_count_exclude_padding", or "average" to count what lies over the edges as 0.

    Raises:
        ValueError: `inp` are no images, a window is larger than they are with their padding, or
            there is no such mode.

    >>> avg_pool2d(tensor([[[[1., 2., 5.], [4., 3., 6.]]]]), 2)
    Tensor([[[[2.5]]]], device=cpux:0)
    """
    windows = _windows(inp, kernel_size, stride, padding)
    source = windows.padded(_wide(inp))
    out: Array = None
    for _, where in windows.taps(windows.count(inp.shape[2:])):
        part = source[(slice(None), *where)]
        out = part.copy() if out is None else out + part
    return _narrow(_batch_first(out / _sizes(windows, inp.shape[2:], mode, out)), inp)


@op("mean unpool")
def _avg_unpool(
    factor: Array,
    size: Sequence[int],
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    mode: str = "average_count_exclude_padding",
) -> Array:
    """Each `factor` shared by the elements of its window of an image of `size`, and added up.

    >>> _avg_unpool(tensor([[[[4., 6.]]]]), (1, 4), (1, 2))
    Tensor([[[[2. 2. 3. 3.]]]], device=cpux:0)
    """
    windows = _windows(factor, kernel_size, stride, padding)
    shares = _batch_last(_wide(factor))
    shares = shares / _sizes(windows, size, mode, shares)
    padded = [n + 2 * p for n, p in zip(size, windows.padding, strict=True)]
    out = array_module(factor).zeros((shares.shape[0], *padded, shares.shape[-1]), shares.dtype)
    for _, where in windows.taps(shares.shape[1:-1]):
        out[(slice(None), *where)] += shares
    return _narrow(_batch_first(out[(slice(None), *windows.inside(size))]), factor)


avg_pool2d.vjp(
    inp=lambda dout, inp_shape, kernel_size, stride, padding, mode: _avg_unpool(
        dout, inp_shape[2:], kernel_size, stride, padding, mode
    )
)
_avg_unpool.vjp(
    factor=lambda dout, kernel_size, stride, padding, mode: avg_pool2d(
        dout, kernel_size, stride, padding, mode
    )
)


def _adapted(name: str, inp: Any, oshp: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Kernel and stride with which pooling gives the shape `oshp`."""
    _check_tensors(name, inp=inp)
    wanted = _each(
        "oshp", tuple(oshp.tolist()) if isinstance(oshp, Tensor) and oshp.ndim else oshp, 2
    )
    if np.ndim(inp) != 4 or any(w > n for w, n in zip(wanted, inp.shape[2:], strict=True)):
        raise ValueError(
            f"{name}(): inp must have the shape (n, channels, height, width) with at least"
            f" {wanted} for height and width, not {np.shape(inp)}"
        )
    stride = tuple(n // w for w, n in zip(wanted, inp.shape[2:], strict=True))
    rest = zip(inp.shape[2:], wanted, stride, strict=True)
    return tuple(n - (w - 1) * s for n, w, s in rest), stride


def adaptive_max_pool2d(inp: Tensor, oshp: Lengths | Tensor) -> Any:
    """max_pool2d with windows and strides that give images of the height and width `oshp`.

    Raises:
        ValueError: the images are smaller than that.

    >>> adaptive_max_pool2d(tensor([[[[1., 2., 3.]]]]), (1, 2))
    Tensor([[[[2. 3.]]]], device=cpux:0)
    """
    kernel, stride = _adapted("adaptive_max_pool2d", inp, oshp)
    return max_pool2d(inp, kernel, stride)


def adaptive_avg_pool2d(inp: Tensor, oshp: Lengths | Tensor) -> Any:
    """avg_pool2d with windows and strides that give images of the height and width `oshp`.

    Raises:
        ValueError: the images are smaller than that.

    >>> adaptive_avg_pool2d(tensor([[[[1., 2., 3.]]]]), (1, 2))
    Tensor([[[[1.5 2.5]]]], device=cpux:0)
    """
    kernel, stride = _adapted("adaptive_avg_pool2d", inp, oshp)
    return avg_pool2d(inp, kernel, stride)
