"""Convolutions: the same weights at every place of a signal, an image or a volume."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from .. import functional as F, random
from ..tensor import Parameter, Tensor
from .module import Module

Lengths = int | Sequence[int]


class _Conv(Module):
    """What convolutions over `_axes` axes have in common."""

    _axes: ClassVar[int]
    _transposed: ClassVar[bool] = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Lengths,
        stride: Lengths = 1,
        padding: Lengths = 0,
        dilation: Lengths = 1,
        groups: int = 1,
        bias: bool = True,
        conv_mode: str = "cross_correlation",
        compute_mode: str = "default",
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        del compute_mode  # there for MegEngine's sake; it changes nothing
        kind = type(self).__name__
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise ValueError(
                f"{kind}: in_channels={in_channels} and out_channels={out_channels} must both be"
                f" multiples of groups={groups}"
            )
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = _each(kind, "kernel_size", kernel_size, self._axes)
        self.stride = _each(kind, "stride", stride, self._axes)
        self.padding = _each(kind, "padding", padding, self._axes)
        self.dilation = _each(kind, "dilation", dilation, self._axes)
        self.conv_mode = conv_mode
        # A weight holds (outputs, inputs), and backwards where the convolution is transposed.
        channels = (in_channels, out_channels) if self._transposed else (out_channels, in_channels)
        first, second = channels[0] // groups, channels[1] // groups
        shape = (first, second, *self.kernel_size)
        std = 1 / math.sqrt(second * math.prod(self.kernel_size))
        self.weight = Parameter(
            random.normal(0, std, size=shape if groups == 1 else (groups, *shape))
        )
        ones = (1,) * self._axes
        self.bias = Parameter(np.zeros((1, out_channels, *ones))) if bias else None

    def _where(self) -> dict[str, Any]:
        """Where the windows are."""
        names = ("stride", "padding", "dilation", "groups", "conv_mode")
        return {name: getattr(self, name) for name in names}

    def _module_info_string(self) -> str:
        info = f"{self.in_channels}, {self.out_channels}, kernel_size={self._shown('kernel_size')}"
        for name, usual in (("stride", 1), ("padding", 0), ("dilation", 1)):
            if any(length != usual for length in getattr(self, name)):
                info += f", {name}={self._shown(name)}"
        if self.groups != 1:
            info += f", groups={self.groups}"
        return info if self.bias is not None else f"{info}, bias=False"

    def _shown(self, name: str) -> Any:
        lengths = getattr(self, name)
        return lengths if self._axes > 1 else lengths[0]


class Conv1d(_Conv):
    """Convolution over signals (n, channels, length); the arguments are those of Conv2d.

    >>> Conv1d(2, 4, kernel_size=3)(tensor([[[1., 2., 3.], [4., 5., 6.]]])).shape
    (1, 4, 1)
    """

    _axes = 1

    def forward(self, inp: Tensor) -> Any:
        """The convolution of `inp`."""
        return F.conv1d(inp, self.weight, self.bias, **self._where())


class Conv2d(_Conv):
    """Convolution over images (n, channels, height, width).

    ``weight`` has the shape (out, in, kernel height, kernel width), with groups (groups,
    out/groups, in/groups, …), and begins as normal numbers with the standard deviation 1/√fan_in;
    ``bias`` has the shape (1, out, 1, 1), and begins as zeros.

    Args:
        in_channels: of the images.
        out_channels: of the result.
        kernel_size: of a window; one number, or one for each axis.
        stride: how far it is from one window to the next.
        padding: how many zeros are around an image.
        dilation: how far it is from one element of a window to the next.
        groups: into how many parts the channels fall, each with weights of its own.
        bias: whether there is a bias.
        conv_mode: "cross_correlation", or "convolution", which turns the weights round.
        compute_mode: changes nothing.
        name: what traces call the module.

    Raises:
        ValueError: the channels do not fall into the groups, or a size is not positive.

    >>> layer = Conv2d(3, 10, kernel_size=3, padding=1)
    >>> layer
    Conv2d(3, 10, kernel_size=(3, 3), padding=(1, 1))
    >>> layer.weight.shape, layer.bias.shape
    ((10, 3, 3, 3), (1, 10, 1, 1))
    """

    _axes = 2

    def forward(self, inp: Tensor) -> Any:
        """The convolution of `inp`."""
        return F.conv2d(inp, self.weight, self.bias, **self._where())


class Conv3d(_Conv):
    """Convolution over volumes (n, channels, depth, height, width); arguments as of Conv2d.

    >>> Conv3d(1, 2, kernel_size=2)
    Conv3d(1, 2, kernel_size=(2, 2, 2))
    """

    _axes = 3

    def forward(self, inp: Tensor) -> Any:
        """The convolution of `inp`."""
        return F.conv3d(inp, self.weight, self.bias, **self._where())


class _ConvTranspose(_Conv):
    """What transposed convolutions have in common."""

    _transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Lengths,
        stride: Lengths = 1,
        padding: Lengths = 0,
        output_padding: Lengths = 0,
        dilation: Lengths = 1,
        groups: int = 1,
        bias: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            **options,
        )
        self.output_padding = output_padding

    def _where(self) -> dict[str, Any]:
        return {"output_padding": self.output_padding, **super()._where()}


class ConvTranspose2d(_ConvTranspose):
    """What takes the shape of a Conv2d's output back to that of its input.

    ``weight`` has the shape (in, out, kernel height, kernel width). The arguments are those of
    Conv2d and, between padding and dilation, `output_padding`: how much longer the result is.

    >>> from tinyengine.functional import ones
    >>> ConvTranspose2d(3, 4, kernel_size=2, stride=2)(ones((1, 3, 5, 5))).shape
    (1, 4, 10, 10)
    """

    _axes = 2

    def forward(self, inp: Tensor) -> Any:
        """The transposed convolution of `inp`."""
        return F.conv_transpose2d(inp, self.weight, self.bias, **self._where())


class ConvTranspose3d(_ConvTranspose):
    """ConvTranspose2d over volumes (n, channels, depth, height, width).

    >>> from tinyengine.functional import ones
    >>> ConvTranspose3d(1, 2, kernel_size=2, stride=2)(ones((1, 1, 2, 3, 4))).shape
    (1, 2, 4, 6, 8)
    """

    _axes = 3

    def forward(self, inp: Tensor) -> Any:
        """The transposed convolution of `inp`."""
        where = self._where()
        if where.pop("conv_mode") != "cross_correlation":
            raise ValueError("ConvTranspose3d: conv_mode can only be 'cross_correlation'")
        return F.conv_transpose3d(inp, self.weight, self.bias, **where)


def _each(kind: str, name: str, lengths: Lengths, axes: int) -> tuple[int, ...]:
    """One length for each axis."""
    each = (lengths,) * axes if isinstance(lengths, int) else tuple(lengths)
    least = 0 if name == "padding" else 1
    if len(each) != axes or min(each) < least:
        raise ValueError(
            f"{kind}: {name}={lengths} must be one number or {axes}, each at least {least}"
        )
    return each
