"""First values of parameters: each function fills a tensor in place.

>>> w = tensor([[1., 2.], [3., 4.]])
>>> ones_(w)
>>> w
Tensor([[1. 1.]
 [1. 1.]], device=cpux:0)
"""

from __future__ import annotations

import math

from .. import random
from ..tensor import Tensor

__all__ = [
    "calculate_correct_fan",
    "calculate_fan_in_and_fan_out",
    "calculate_gain",
    "fill_",
    "msra_normal_",
    "msra_uniform_",
    "normal_",
    "ones_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

_GAINS = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5 / 3, "relu": math.sqrt(2)} | {
    f"{kind}{axes}d": 1.0 for kind in ("conv", "conv_transpose") for axes in (1, 2, 3)
}


def fill_(tensor: Tensor, val: float) -> None:
    """Write `val` into every element."""
    tensor._data = tensor.device.put(tensor.device.xp.full(tensor.shape, val), tensor.dtype)


def zeros_(tensor: Tensor) -> None:
    """Write zeros."""
    fill_(tensor, 0)


def ones_(tensor: Tensor) -> None:
    """Write ones."""
    fill_(tensor, 1)


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> None:
    """Write random numbers from `a` up to `b`, all equally likely."""
    _write(tensor, random.uniform(a, b, size=tensor.shape))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> None:
    """Write random numbers around `mean` with the standard deviation `std`, in a bell curve."""
    _write(tensor, random.normal(mean, std, size=tensor.shape))


def _write(tensor: Tensor, numbers: Tensor) -> None:
    tensor._data = tensor.device.put(numbers._data, tensor.dtype)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By how much weights before this activation should be larger, to keep the spread of values.

    Args:
        nonlinearity: "linear", "conv2d" and its kin, "sigmoid", "tanh", "relu" or "leaky_relu".
        param: the slope of leaky_relu below 0; by default 0.01.

    Raises:
        ValueError: there is no gain for this activation, or the slope is not a number.

    >>> calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"calculate_gain(): the slope must be a number, not {param!r:.60}")
        return math.sqrt(2 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        names = ", ".join([*_GAINS, "leaky_relu"])
        raise ValueError(f"calculate_gain(): unknown {nonlinearity!r:.60}; allowed are {names}")
    return _GAINS[nonlinearity]


def calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many inputs each output of a layer with this weight has, and the reverse.

    The weight of a convolution is (outputs, inputs, height, width), with an axis of groups before
    them in a grouped one.

    Raises:
        ValueError: the tensor has fewer than two axes.

    >>> calculate_fan_in_and_fan_out(tensor([[1., 2., 3.]]))
    (3, 1)
    """
    shape = tensor.shape
    if len(shape) < 2:
        raise ValueError(
            "calculate_fan_in_and_fan_out(): a weight has at least two axes, (outputs, inputs), and"
            f" this tensor has the shape {shape}"
        )
    if len(shape) >= 5:
        shape = shape[1:]
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


def calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    """The first of calculate_fan_in_and_fan_out() for "fan_in", the second for "fan_out".

    Raises:
        ValueError: `mode` is something else.

    >>> calculate_correct_fan(tensor([[1., 2., 3.]]), "fan_out")
    1
    """
    modes = ("fan_in", "fan_out")
    if mode not in modes:
        raise ValueError(f"calculate_correct_fan(): mode must be one of {modes}, not {mode!r:.60}")
    return calculate_fan_in_and_fan_out(tensor)[modes.index(mode)]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> None:
    """Write uniform numbers whose spread suits layers between tanh or sigmoid (Glorot)."""
    bound = math.sqrt(3) * _xavier_std(tensor, gain)
    uniform_(tensor, -bound, bound)


def xavier_normal_(tensor: Tensor, gain: float = 1.0) -> None:
    """Write normal numbers whose spread suits layers between tanh or sigmoid (Glorot)."""
    normal_(tensor, 0.0, _xavier_std(tensor, gain))


def msra_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> None:
    """Write uniform numbers whose spread suits layers between ReLUs (He).

    Args:
        tensor: the weight of a layer.
        a: the slope of leaky_relu below 0.
        mode: "fan_in" keeps the spread of values forward, "fan_out" that of gradients backward.
        nonlinearity: the activation, see calculate_gain().
    """
    bound = math.sqrt(3) * _msra_std(tensor, a, mode, nonlinearity)
    uniform_(tensor, -bound, bound)


def msra_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> None:
    """Write normal numbers whose spread suits layers between ReLUs (He); see msra_uniform_()."""
    normal_(tensor, 0.0, _msra_std(tensor, a, mode, nonlinearity))


def _xavier_std(tensor: Tensor, gain: float) -> float:
    return gain * math.sqrt(2.0 / sum(calculate_fan_in_and_fan_out(tensor)))


def _msra_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    return calculate_gain(nonlinearity, a) / math.sqrt(calculate_correct_fan(tensor, mode))
