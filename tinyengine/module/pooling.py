"""Pooling: one number for each window of an image."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from ..tensor import Tensor
from .conv import Lengths
from .module import Module


class MaxPool2d(Module):
    """The largest element of each window of images (n, channels, height, width).

    Args:
        kernel_size: of a window; one number, or two.
        stride: how far it is from one window to the next; by default windows do not overlap.
        padding: how far windows reach over the edge of an image.
        name: what traces call the module.

    >>> MaxPool2d(2)(tensor([[[[1., 2.], [3., 4.]]]]))
    Tensor([[[[4.]]]], device=cpux:0)
    """

    def __init__(
        self,
        kernel_size: Lengths,
        stride: Lengths | None = None,
        padding: Lengths = 0,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride

    def forward(self, inp: Tensor) -> Any:
        """The largest element of each window of `inp`."""
        return F.max_pool2d(inp, self.kernel_size, self.stride, self.padding)

    def _module_info_string(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(Module):
    """The mean of each window of images (n, channels, height, width).

    Args:
        kernel_size: of a window; one number, or two.
        stride: how far it is from one window to the next; by default windows do not overlap.
        padding: how far windows reach over the edge of an image.
        mode: "average_count_exclude_padding", or "average", to which what lies over the edge is 0.
        name: what traces call the module.

    >>> AvgPool2d(2)(tensor([[[[1., 2.], [3., 4.]]]]))
    Tensor([[[[2.5]]]], device=cpux:0)
    """

    def __init__(
        self,
        kernel_size: Lengths,
        stride: Lengths | None = None,
        padding: Lengths = 0,
        mode: str = "average_count_exclude_padding",
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self.kernel_size, self.padding, self.mode = kernel_size, padding, mode
        self.stride = kernel_size if stride is None else stride

    def forward(self, inp: Tensor) -> Any:
        """The mean of each window of `inp`."""
        return F.avg_pool2d(inp, self.kernel_size, self.stride, self.padding, self.mode)

    def _module_info_string(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding},"
            f" mode={self.mode}"
        )


class AdaptiveMaxPool2d(Module):
    """The largest element of each of as many windows as give images of the size `oshp`.

    >>> AdaptiveMaxPool2d(1)(tensor([[[[1., 2.], [3., 4.]]]]))
    Tensor([[[[4.]]]], device=cpux:0)
    """

    def __init__(self, oshp: Lengths, name: str | None = None) -> None:
        super().__init__(name)
        self.oshp = oshp

    def forward(self, inp: Tensor) -> Any:
        """The largest element of each window of `inp`."""
        return F.adaptive_max_pool2d(inp, self.oshp)

    def _module_info_string(self) -> str:
        return f"oshp={self.oshp}"


class AdaptiveAvgPool2d(Module):
    """The mean of each of as many windows as give images of the size `oshp`.

    >>> AdaptiveAvgPool2d(1)(tensor([[[[1., 2.], [3., 4.]]]]))
    Tensor([[[[2.5]]]], device=cpux:0)
    """

    def __init__(self, oshp: Lengths, name: str | None = None) -> None:
        super().__init__(name)
        self.oshp = oshp

    def forward(self, inp: Tensor) -> Any:
        """The mean of each window of `inp`."""
        return F.adaptive_avg_pool2d(inp, self.oshp)

    def _module_info_string(self) -> str:
        return f"oshp={self.oshp}"
