"""Activations as modules, for Sequential; in ``forward`` their functions do as well."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import functional as F
from ..tensor import Parameter, Tensor
from .module import Module


class ReLU(Module):
    """max(x, 0).

    >>> ReLU()(tensor([-1., 2.]))
    Tensor([0. 2.], device=cpux:0)
    """

    def forward(self, x: Tensor) -> Any:
        """max(x, 0)."""
        return F.relu(x)


class LeakyReLU(Module):
    """x above 0, `negative_slope` times x below.

    >>> LeakyReLU(0.5)(tensor([-1., 2.]))
    Tensor([-0.5  2. ], device=cpux:0)
    """

    def __init__(self, negative_slope: float = 0.01, name: str | None = None) -> None:
        super().__init__(name)
        self.negative_slope = negative_slope

    def forward(self, inputs: Tensor) -> Any:
        """Leaky ReLU of `inputs`."""
        return F.leaky_relu(inputs, self.negative_slope)

    def _module_info_string(self) -> str:
        return f"negative_slope={self.negative_slope}"


class PReLU(Module):
    """Leaky ReLU whose slope ``weight`` is learned: one for all, or one for each channel (axis 1).

    Args:
        num_parameters: 1, or the number of channels.
        init: the slope to begin with.
        name: what traces call the module.

    >>> PReLU()(tensor([-1., 2.]))
    Tensor([-0.25  2.  ], device=cpux:0)
    """

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, name: str | None = None
    ) -> None:
        super().__init__(name)
        self.num_parameters = num_parameters
        self.weight = Parameter(np.full(num_parameters, init, "float32"))

    def forward(self, inputs: Tensor) -> Any:
        """PReLU of `inputs`."""
        slope: Any = self.weight
        if self.num_parameters > 1:
            slope = slope.reshape((1, self.num_parameters) + (1,) * (inputs.ndim - 2))
        return F.prelu(inputs, slope)

    def _module_info_string(self) -> str:
        return f"num_parameters={self.num_parameters}"


class Sigmoid(Module):
    """1 / (1 + exp(-x)).

    >>> Sigmoid()(tensor([0.]))
    Tensor([0.5], device=cpux:0)
    """

    def forward(self, inputs: Tensor) -> Any:
        """Sigmoid of `inputs`."""
        return F.sigmoid(inputs)


class SiLU(Module):
    """x · sigmoid(x).

    >>> SiLU()(tensor([0.]))
    Tensor([0.], device=cpux:0)
    """

    def forward(self, inputs: Tensor) -> Any:
        """SiLU of `inputs`."""
        return F.silu(inputs)


class GELU(Module):
    """x times the share of the normal distribution below x.

    >>> GELU()(tensor([0.]))
    Tensor([0.], device=cpux:0)
    """

    def forward(self, inputs: Tensor) -> Any:
        """GELU of `inputs`."""
        return F.gelu(inputs)


class Softmax(Module):
    """Shares that add up to 1 along `axis`; without one, along axis 1, or 0 for 0, 1 or 3 axes.

    >>> Softmax()(tensor([0., 0.]))
    Tensor([0.5 0.5], device=cpux:0)
    """

    def __init__(self, axis: int | None = None, name: str | None = None) -> None:
        super().__init__(name)
        self.axis = axis

    def forward(self, inputs: Tensor) -> Any:
        """Softmax of `inputs`."""
        return F.softmax(inputs, self.axis)

    def _module_info_string(self) -> str:
        return f"axis={self.axis}"
