"""Modules without parameters that move the elements of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import functional as F
from ..tensor import Tensor
from .conv import Lengths
from .module import Module


class Pad(Module):
    """Makes axes longer at their ends.

    Args:
        pad_width: for each axis how much is added before and after it.
        mode: "constant", "reflect" or "replicate".
        constant_val: what is added in mode "constant".
        name: what traces call the module.

    >>> Pad(((1, 0),))(tensor([5.]))
    Tensor([0. 5.], device=cpux:0)
    """

    def __init__(
        self,
        pad_width: Sequence[tuple[int, int]],
        mode: str = "constant",
        constant_val: float = 0.0,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self.pad_width, self.mode, self.constant_val = tuple(pad_width), mode, constant_val

    def forward(self, src: Tensor) -> Any:
        """`src` with longer axes."""
        return F.pad(src, self.pad_width, self.mode, self.constant_val)

    def _module_info_string(self) -> str:
        return f"pad_width={self.pad_width}, mode={self.mode}, constant_val={self.constant_val}"


class PixelShuffle(Module):
    """Makes images `upscale_factor` times higher and wider out of that many squared channels.

    >>> PixelShuffle(2)(tensor([[[[1.]], [[2.]], [[3.]], [[4.]]]])).tolist()
    [[[[1.0, 2.0], [3.0, 4.0]]]]
    """

    def __init__(self, upscale_factor: int, name: str | None = None) -> None:
        super().__init__(name)
        self.upscale_factor = upscale_factor

    def forward(self, x: Tensor) -> Any:
        """The larger images."""
        return F.pixel_shuffle(x, self.upscale_factor)

    def _module_info_string(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class SlidingWindow(Module):
    """All windows of images: (n, channels, rows, columns, kernel height, kernel width).

    >>> SlidingWindow(2)(tensor([[[[1., 2.], [3., 4.]]]])).shape
    (1, 1, 1, 1, 2, 2)
    """

    def __init__(
        self,
        kernel_size: Lengths,
        padding: Lengths = 0,
        stride: Lengths = 1,
        dilation: Lengths = 1,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self.kernel_size, self.padding = kernel_size, padding
        self.stride, self.dilation = stride, dilation

    def forward(self, inp: Tensor) -> Any:
        """The windows of `inp`."""
        return F.sliding_window(inp, self.kernel_size, self.padding, self.stride, self.dilation)

    def _module_info_string(self) -> str:
        names = ("kernel_size", "padding", "stride", "dilation")
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)
