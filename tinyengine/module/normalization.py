"""Normalisation: mean 0 and variance 1, over the batch or within each example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from .. import functional as F
from ..tensor import Parameter, Tensor
from .module import Module


class _BatchNorm(Module):
    """Batch normalisation of inputs with as many axes as `_ranks` allows."""

    _flat_state = True
    _ranks: ClassVar[tuple[int, ...]]
    _shape: ClassVar[str]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        track_running_stats: bool = True,
        freeze: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.freeze = freeze
        shape = (1, num_features, 1, 1)
        self.weight = Parameter(np.ones(shape)) if affine else None
        self.bias = Parameter(np.zeros(shape)) if affine else None
        self.running_mean = Tensor(np.zeros(shape)) if track_running_stats else None
        self.running_var = Tensor(np.ones(shape)) if track_running_stats else None

    def forward(self, inp: Tensor) -> Any:
        """`inp` with mean 0 and variance 1 for each channel, then times weight, plus bias."""
        if len(inp.shape) not in self._ranks or inp.shape[1] != self.num_features:
            raise ValueError(
                f"{type(self).__name__}: inp must have the shape {self._shape} with"
                f" {self.num_features} channels, not {inp.shape}"
            )
        # Scale and statistics have four axes in each of these modules.
        images = F.reshape(inp, (*inp.shape, 1, 1)[:4])
        weight, bias = self.weight, self.bias
        if self.freeze and weight is not None and bias is not None:
            weight, bias = F.detach(weight), F.detach(bias)
        out = F.batch_norm(
            images,
            self.running_mean,
            self.running_var,
            weight,
            bias,
            training=(self.training and not self.freeze) or not self.track_running_stats,
            momentum=self.momentum,
            eps=self.eps,
        )
        return out if len(inp.shape) == 4 else F.reshape(out, inp.shape)

    def _module_info_string(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine},"
            f" track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of inputs (n, channels) or (n, channels, length).

    In training each channel gets mean 0 and variance 1 over the batch, and the running statistics
    become momentum · old + (1 - momentum) · new, with the unbiased variance; in evaluation the
    running statistics are used. ``weight``, ``bias``, ``running_mean`` and ``running_var`` have the
    shape (1, channels, 1, 1).

    Args:
        num_features: how many channels there are.
        eps: is added to the variance.
        momentum: the share of the old in the running statistics.
        affine: whether there are ``weight`` and ``bias``, which are learned.
        track_running_stats: whether there are running statistics; without them evaluation uses
            the statistics of the batch.
        freeze: whether the module never learns, as in fine-tuning.
        name: what traces call the module.

    Raises:
        ValueError: the input has another shape.

    >>> BatchNorm1d(1)(tensor([[1.], [3.]])).numpy().round(3)
    array([[-1.],
           [ 1.]], dtype=float32)
    """

    _ranks = (2, 3)
    _shape = "(n, channels) or (n, channels, length)"


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of images (n, channels, height, width); see BatchNorm1d.

    >>> BatchNorm2d(3)
    BatchNorm2d(3, eps=1e-05, momentum=0.9, affine=True, track_running_stats=True)
    """

    _ranks = (4,)
    _shape = "(n, channels, height, width)"


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last axes of each example, whose shape is `normalized_shape`.

    >>> LayerNorm(2)(tensor([[1., 3.]])).numpy().round(3)
    array([[-1.,  1.]], dtype=float32)
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        affine: bool = True,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        shape = normalized_shape
        self.normalized_shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.eps, self.affine = eps, affine
        self.weight = Parameter(np.ones(self.normalized_shape)) if affine else None
        self.bias = Parameter(np.zeros(self.normalized_shape)) if affine else None

    def forward(self, inp: Tensor) -> Any:
        """Layer normalisation of `inp`."""
        return F.layer_norm(
            inp, self.normalized_shape, self.affine, self.weight, self.bias, self.eps
        )

    def _module_info_string(self) -> str:
        return f"normalized_shape={self.normalized_shape}, eps={self.eps}, affine={self.affine}"


class GroupNorm(Module):
    """Mean 0 and variance 1 over each of `num_groups` groups of the channels of each example.

    Raises:
        ValueError: the channels do not fall into the groups.

    >>> GroupNorm(2, 4)
    GroupNorm(groups=2, channels=4, eps=1e-05, affine=True)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        if num_groups < 1 or num_channels % num_groups:
            raise ValueError(
                f"GroupNorm: num_channels={num_channels} must be a multiple of"
                f" num_groups={num_groups}"
            )
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        self.weight = Parameter(np.ones(num_channels)) if affine else None
        self.bias = Parameter(np.zeros(num_channels)) if affine else None

    def forward(self, inp: Tensor) -> Any:
        """Group normalisation of `inp`."""
        return F.group_norm(inp, self.num_groups, self.affine, self.weight, self.bias, self.eps)

    def _module_info_string(self) -> str:
        return (
            f"groups={self.num_groups}, channels={self.num_channels}, eps={self.eps},"
            f" affine={self.affine}"
        )


class InstanceNorm(Module):
    """Mean 0 and variance 1 over each channel of each example.

    >>> InstanceNorm(4)
    InstanceNorm(channels=4, eps=1e-05, affine=True)
    """

    def __init__(
        self, num_channels: int, eps: float = 1e-5, affine: bool = True, name: str | None = None
    ) -> None:
        super().__init__(name)
        self.num_channels, self.eps, self.affine = num_channels, eps, affine
        self.weight = Parameter(np.ones(num_channels)) if affine else None
        self.bias = Parameter(np.zeros(num_channels)) if affine else None

    def forward(self, inp: Tensor) -> Any:
        """Instance normalisation of `inp`."""
        return F.instance_norm(inp, self.affine, self.weight, self.bias, self.eps)

    def _module_info_string(self) -> str:
        return f"channels={self.num_channels}, eps={self.eps}, affine={self.affine}"
