"""Images taken apart and put together: sliding windows, and channels made into pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...backend import Array
from ...op import op
from ...tensor import Tensor
from ..arguments import _check_tensors
from ..tensor.shape import reshape, transpose
from .windows import Lengths, _Windows


def _checked(inp: Array, axes: Sequence[str]) -> None:
    if inp.ndim != len(axes):
        raise ValueError(f"inp must have {len(axes)} axes ({', '.join(axes)})")


@op("windows")
def sliding_window(
    inp: Array,
    kernel_size: Lengths,
    padding: Lengths = 0,
    stride: Lengths = 1,
    dilation: Lengths = 1,
) -> Array:
    """All windows of the images `inp`: (n, channels, rows, columns, kernel height, kernel width).

    Args:
        inp: images (n, channels, height, width).
        kernel_size: the height and width of a window; one number for both, or two.
        padding: how many zeros are added on either side of the images.
        stride: the steps from one window to the next.
        dilation: the steps between the elements of a window.

    Raises:
        ValueError: `inp` are no images, or a window is larger than they are with their padding.

    >>> sliding_window(tensor([[[[1., 2., 3.]]]]), (1, 2)).reshape(2, 2)
    Tensor([[1. 2.]
     [2. 3.]], device=cpux:0)
    """
    _checked(inp, ("n", "channels", "height", "width"))
    windows = _Windows(kernel_size, stride, padding, dilation, 2).unfold(inp)
    return windows.transpose(5, 0, 3, 4, 1, 2)


@op("windowsᵀ")
def sliding_window_transpose(
    inp: Array,
    output_size: Lengths,
    kernel_size: Lengths,
    padding: Lengths = 0,
    stride: Lengths = 1,
    dilation: Lengths = 1,
) -> Array:
    """Images of the height and width `output_size`: the windows `inp` in their places, added up.

    It is how a gradient goes back through sliding_window with the same arguments.

    Args:
        inp: windows (n, channels, rows, columns, kernel height, kernel width).
        output_size: the height and width of the images.
        kernel_size: the height and width of a window.
        padding: how far windows reach over the edges.
        stride: the steps from one window to the next.
        dilation: the steps between the elements of a window.

    Raises:
        ValueError: `inp` is not what sliding_window makes of such images.

    >>> sliding_window_transpose(tensor([[[[[[1., 2.]], [[3., 4.]]]]]]), (1, 3), (1, 2))
    Tensor([[[[1. 5. 4.]]]], device=cpux:0)
    """
    _checked(inp, ("n", "channels", "rows", "columns", "kernel height", "kernel width"))
    windows = _Windows(kernel_size, stride, padding, dilation, 2)
    size = _Windows(output_size, 1, 0, 1, 2).kernel  # one number means both
    expected = (*windows.count(size), *windows.kernel)
    if inp.shape[2:] != expected:
        raise ValueError(f"the last four axes of inp must have the lengths {expected}")
    return windows.fold(inp.transpose(1, 4, 5, 2, 3, 0), size)


sliding_window.vjp(
    inp=lambda dout, inp_shape, kernel_size, padding, stride, dilation: sliding_window_transpose(
        dout, inp_shape[2:], kernel_size, padding, stride, dilation
    )
)
sliding_window_transpose.vjp(
    inp=lambda dout, kernel_size, padding, stride, dilation: sliding_window(
        dout, kernel_size, padding, stride, dilation
    )
)


def pixel_shuffle(inp: Tensor, upscale_factor: int) -> Any:
    """Images `upscale_factor` times as high and wide, their new pixels out of the channels.

    Args:
        inp: images (…, channels · upscale_factor², height, width).
        upscale_factor: how many pixels, each way, one becomes.

    Raises:
        ValueError: `inp` are no images, or their channels no multiple of upscale_factor².

    >>> pixel_shuffle(tensor([[[[1.]], [[2.]], [[3.]], [[4.]]]]), 2)
    Tensor([[[[1. 2.]
       [3. 4.]]]], device=cpux:0)
    """
    _check_tensors("pixel_shuffle", inp=inp)
    r = upscale_factor
    if inp.ndim < 3 or r < 1 or inp.shape[-3] % (r * r):
        raise ValueError(
            f"pixel_shuffle(): inp of shape {inp.shape} must be (…, channels, height, width), its"
            f" channels a multiple of upscale_factor² = {r * r}"
        )
    *lead, channels, height, width = inp.shape
    apart = reshape(inp, (-1, channels // (r * r), r, r, height, width))
    mixed = transpose(apart, (0, 1, 4, 2, 5, 3))
    return reshape(mixed, (*lead, channels // (r * r), height * r, width * r))
