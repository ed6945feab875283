"""Activations: the non-linear functions between the layers of a network."""

from __future__ import annotations

import math
from typing import Any

from ...backend import Array, array_module
from ...op import op, quiet
from ..elemwise.arithmetic import _within
from ..elemwise.transcendental import erf, exp, sigmoid as sigmoid


@op("relu")
def relu(x: Array) -> Array:
    """Element-wise `x` where it is positive, else 0; its derivative at 0 is 0.

    >>> relu(tensor([-1., 0., 2.]))
    Tensor([0. 0. 2.], device=cpux:0)
    """
    return array_module(x).maximum(x, 0)


@op("> 0")
def _step(x: Array) -> Array:
    """1 where `x` is positive, else 0.

    >>> _step(tensor([-1., 0., 2.]))
    Tensor([0. 0. 1.], device=cpux:0)
    """
    return (x > 0).astype(x.dtype)


_step.writes(lambda x: x.compared(">", 0))
relu.partials(x=lambda out: _step(out))


@op("leaky relu")
def leaky_relu(inp: Array, negative_slope: float = 0.01) -> Array:
    """Element-wise `inp`, its negative part times `negative_slope`; its derivative at 0 is 1.

    >>> leaky_relu(tensor([-1., 2.]))
    Tensor([-0.01  2.  ], device=cpux:0)
    """
    return array_module(inp).where(inp >= 0, inp, inp * negative_slope)


@op("slope")
def _leaky_slope(inp: Array, negative_slope: float) -> Array:
    """`negative_slope` where `inp` is negative, else 1.

    >>> _leaky_slope(tensor([-1., 2.]), 0.25)
    Tensor([0.25 1.  ], device=cpux:0)
    """
    below = (inp < 0).astype(inp.dtype)
    return below * negative_slope + (1 - below)


leaky_relu.partials(inp=lambda inp, negative_slope: _leaky_slope(inp, negative_slope))


@op("prelu")
def prelu(x: Array, y: Array) -> Array:
    """Element-wise `x`, its negative part times `y`, which stretches to the shape of `x`.

    >>> prelu(tensor([-1., 2.]), tensor([0.25]))
    Tensor([-0.25  2.  ], device=cpux:0)
    """
    return array_module(x, y).where(x >= 0, x, x * y)


@op("< 0")
def _below_zero(x: Array) -> Array:
    """1 where `x` is negative, else 0.

    >>> _below_zero(tensor([-1., 0., 2.]))
    Tensor([1. 0. 0.], device=cpux:0)
    """
    return (x < 0).astype(x.dtype)


prelu.partials(x=lambda x, y: 1 + _below_zero(x) * (y - 1), y=lambda x: x * _below_zero(x))


@op("relu6")
def relu6(x: Array) -> Array:
    """Element-wise `x` between 0 and 6, moved to the nearer bound where it is outside.

    At the bounds its derivative is 0.

    >>> relu6(tensor([-1., 2., 7.]))
    Tensor([0. 2. 6.], device=cpux:0)
    """
    return array_module(x).clip(x, 0, 6)


@op("between")
def _between(x: Array, lower: float, upper: float) -> Array:
    """1 where `x` is between the bounds and on neither, else 0.

    >>> _between(tensor([0., 2., 7.]), 0, 6)
    Tensor([0. 1. 0.], device=cpux:0)
    """
    return ((x > lower) & (x < upper)).astype(x.dtype)


relu6.partials(x=lambda x: _between(x, 0, 6))


@op("hsigmoid")
def hsigmoid(x: Array) -> Array:
    """Element-wise relu6(`x` + 3) / 6, three straight lines close to sigmoid.

    >>> hsigmoid(tensor([-4., 0., 1.5]))
    Tensor([0.   0.5  0.75], device=cpux:0)
    """
    return array_module(x).clip(x + 3, 0, 6) / 6


hsigmoid.partials(x=lambda x: _between(x, -3, 3) / 6)


@op("hswish")
def hswish(x: Array) -> Array:
    """Element-wise `x` · relu6(`x` + 3) / 6, close to silu; its slopes at −3 and 3 are −½, 1½.

    >>> hswish(tensor([-4., 0., 1.5]))
    Tensor([-0.     0.     1.125], device=cpux:0)
    """
    return x * (array_module(x).clip(x + 3, 0, 6) / 6)


hswish.partials(x=lambda x: relu6(x + 3) / 6 + x * _within(x, -3, 3) / 6)


@op("softplus")
@quiet
def softplus(inp: Array) -> Array:
    """Element-wise log(1 + exp(`inp`)), which does not overflow; its derivative is sigmoid.

    >>> softplus(tensor([0., 1000.]))
    Tensor([6.9315e-01 1.0000e+03], device=cpux:0)
    """
    xp = array_module(inp)
    return xp.maximum(inp, 0) + xp.log1p(xp.exp(-abs(inp)))


softplus.partials(inp=lambda inp: sigmoid(inp))


@op("logsigmoid")
def logsigmoid(inp: Array) -> Array:
    """Element-wise log(sigmoid(`inp`)), exact also where sigmoid is nearly 0.

    >>> logsigmoid(tensor([0., -1000.]))
    Tensor([-6.9315e-01 -1.0000e+03], device=cpux:0)
    """
    return -softplus(-inp)


logsigmoid.partials(inp=lambda inp: sigmoid(-inp))


@op("silu")
@quiet
def silu(x: Array) -> Array:
    """Element-wise `x` · sigmoid(`x`), also called swish.

    >>> silu(tensor([0., 1.]))
    Tensor([0.     0.7311], device=cpux:0)
    """
    return x * sigmoid(x)


def _silu_slope(x: Any) -> Any:
    share = sigmoid(x)
    return share + x * (share * (1 - share))


silu.partials(x=_silu_slope)


@op("gelu")
@quiet
def gelu(x: Array) -> Array:
    """Element-wise `x` · Φ(`x`), where Φ is the share of a normal distribution below `x`.

    >>> gelu(tensor([0., 1.]))
    Tensor([0.     0.8413], device=cpux:0)
    """
    return x * _normal_share(x)


def _normal_share(x: Any) -> Any:
    return (erf(x * math.sqrt(0.5)) + 1) * 0.5


gelu.partials(x=lambda x: _normal_share(x) + x * exp(x * x / -2) / math.sqrt(2 * math.pi))
