"""Roots, exponentials, logarithms and the functions of the circle and the hyperbola."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...backend import Array, array_module, to_numpy
from ...op import op, quiet


@op("√")
@quiet
def sqrt(x: Array) -> Array:
    """Element-wise square root; NaN of negative numbers.

    >>> sqrt(tensor([4., 9.]))
    Tensor([2. 3.], device=cpux:0)
    """
    return array_module(x).sqrt(x)


sqrt.partials(x=lambda out: 0.5 / out)


@op("x²")
def square(x: Array) -> Array:
    """Element-wise `x` · `x`.

    >>> square(tensor([2., -3.]))
    Tensor([4. 9.], device=cpux:0)
    """
    return x * x


square.partials(x=lambda x: 2 * x)
square.writes(lambda x: x**2)


@op("exp")
@quiet
def exp(x: Array) -> Array:
    """Element-wise e to the `x`.

    >>> exp(tensor([0., 1.]))
    Tensor([1.     2.7183], device=cpux:0)
    """
    return array_module(x).exp(x)


exp.partials(x=lambda out: out)


@op("expm1")
@quiet
def expm1(x: Array) -> Array:
    """Element-wise exp(`x`) − 1, exact also for small `x`.

    >>> expm1(tensor([1e-7]))
    Tensor([1.e-07], device=cpux:0)
    """
    return array_module(x).expm1(x)


expm1.partials(x=lambda out: out + 1)


@op("ln")
@quiet
def log(x: Array) -> Array:
    """Element-wise natural logarithm; −inf at 0, NaN of negative numbers.

    >>> log(tensor([1., 0.]))
    Tensor([  0. -inf], device=cpux:0)
    """
    return array_module(x).log(x)


log.partials(x=lambda x: 1 / x)
log.writes(lambda x: x.called("ln"))


@op("log1p")
@quiet
def log1p(x: Array) -> Array:
    """Element-wise log(1 + `x`), exact also for small `x`.

    >>> log1p(tensor([1e-7]))
    Tensor([1.e-07], device=cpux:0)
    """
    return array_module(x).log1p(x)


log1p.partials(x=lambda x: 1 / (1 + x))


@op("sigmoid")
@quiet
def sigmoid(x: Array) -> Array:
    """Element-wise 1 / (1 + exp(−`x`)), between 0 and 1.

    >>> sigmoid(tensor([0., -1000.]))
    Tensor([0.5 0. ], device=cpux:0)
    """
    return 1 / (1 + array_module(x).exp(-x))  # where exp overflows, the result is 0


sigmoid.partials(x=lambda out: out * (1 - out))


@op("logaddexp")
@quiet
def logaddexp(x: Array, y: Array) -> Array:
    """Element-wise log(exp(`x`) + exp(`y`)), which does not overflow.

    >>> logaddexp(tensor([0., 100.]), tensor([0., 0.]))
    Tensor([  0.6931 100.    ], device=cpux:0)
    """
    return array_module(x, y).logaddexp(x, y)


logaddexp.partials(x=lambda x, y: sigmoid(x - y), y=lambda x, y: sigmoid(y - x))


@op("erf")
def erf(x: Array) -> Array:
    """Element-wise error function, 2/√π ∫₀ˣ exp(−t²) dt.

    >>> erf(tensor([0., 1.]))
    Tensor([0.     0.8427], device=cpux:0)
    """
    xp = array_module(x)
    values = np.asarray(to_numpy(x))
    exact = np.array([math.erf(v) for v in values.ravel().tolist()], np.float64)
    return xp.asarray(exact.reshape(values.shape).astype(_floating(values.dtype)))


def _floating(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype if dtype.kind == "f" else np.dtype("float32")


erf.partials(x=lambda x: 2 / math.sqrt(math.pi) * exp(-x * x))


@op("sin")
@quiet
def sin(x: Array) -> Array:
    """Element-wise sine of `x` in radians.

    >>> sin(tensor([0., 1.5708]))
    Tensor([0. 1.], device=cpux:0)
    """
    return array_module(x).sin(x)


@op("cos")
@quiet
def cos(x: Array) -> Array:
    """Element-wise cosine of `x` in radians.

    >>> cos(tensor([0., 3.1416]))
    Tensor([ 1. -1.], device=cpux:0)
    """
    return array_module(x).cos(x)


sin.partials(x=lambda x: cos(x))
cos.partials(x=lambda x: -sin(x))


@op("tan")
@quiet
def tan(x: Array) -> Array:
    """Element-wise tangent of `x` in radians.

    >>> tan(tensor([0., 0.7854]))
    Tensor([0. 1.], device=cpux:0)
    """
    return array_module(x).tan(x)


tan.partials(x=lambda out: 1 + out * out)


@op("asin", domain=(-1, 1))
@quiet
def asin(x: Array) -> Array:
    """Element-wise angle in radians whose sine is `x`; NaN outside −1 … 1.

    >>> asin(tensor([0., 1.]))
    Tensor([0.     1.5708], device=cpux:0)
    """
    return array_module(x).arcsin(x)


asin.partials(x=lambda x: 1 / sqrt(1 - x * x))


@op("acos", domain=(-1, 1))
@quiet
def acos(x: Array) -> Array:
    """Element-wise angle in radians whose cosine is `x`; NaN outside −1 … 1.

    >>> acos(tensor([1., 0.]))
    Tensor([0.     1.5708], device=cpux:0)
    """
    return array_module(x).arccos(x)


acos.partials(x=lambda x: -1 / sqrt(1 - x * x))


@op("atan")
def atan(x: Array) -> Array:
    """Element-wise angle in radians, between −π/2 and π/2, whose tangent is `x`.

    >>> atan(tensor([0., 1.]))
    Tensor([0.     0.7854], device=cpux:0)
    """
    return array_module(x).arctan(x)


atan.partials(x=lambda x: 1 / (1 + x * x))


@op("atan2")
@quiet
def atan2(y: Array, x: Array) -> Array:
    """Element-wise angle in radians of the point (`x`, `y`), between −π and π.

    >>> atan2(tensor([1., 0.]), tensor([0., -1.]))
    Tensor([1.5708 3.1416], device=cpux:0)
    """
    return array_module(x, y).arctan2(y, x)


atan2.partials(y=lambda y, x: x / (x * x + y * y), x=lambda y, x: -y / (x * x + y * y))


@op("sinh")
@quiet
def sinh(x: Array) -> Array:
    """Element-wise hyperbolic sine.

    >>> sinh(tensor([0., 1.]))
    Tensor([0.     1.1752], device=cpux:0)
    """
    return array_module(x).sinh(x)


@op("cosh")
@quiet
def cosh(x: Array) -> Array:
    """Element-wise hyperbolic cosine.

    >>> cosh(tensor([0., 1.]))
    Tensor([1.     1.5431], device=cpux:0)
    """
    return array_module(x).cosh(x)


sinh.partials(x=lambda x: cosh(x))
cosh.partials(x=lambda x: sinh(x))


@op("tanh")
def tanh(x: Array) -> Array:
    """Element-wise hyperbolic tangent.

    >>> tanh(tensor([0., 1.]))
    Tensor([0.     0.7616], device=cpux:0)
    """
    return array_module(x).tanh(x)


tanh.partials(x=lambda out: 1 - out * out)


@op("asinh")
def asinh(x: Array) -> Array:
    """Element-wise inverse of sinh.

    >>> asinh(tensor([0., 1.1752]))
    Tensor([0. 1.], device=cpux:0)
    """
    return array_module(x).arcsinh(x)


asinh.partials(x=lambda x: 1 / sqrt(x * x + 1))


@op("acosh", domain=(1, None))
@quiet
def acosh(x: Array) -> Array:
    """Element-wise inverse of cosh; NaN below 1.

    >>> acosh(tensor([1., 1.5431]))
    Tensor([0. 1.], device=cpux:0)
    """
    return array_module(x).arccosh(x)


acosh.partials(x=lambda x: 1 / sqrt(x * x - 1))


@op("atanh", domain=(-1, 1))
@quiet
def atanh(x: Array) -> Array:
    """Element-wise inverse of tanh; NaN outside −1 … 1.

    >>> atanh(tensor([0., 0.7616]))
    Tensor([0. 1.], device=cpux:0)
    """
    return array_module(x).arctanh(x)


atanh.partials(x=lambda x: 1 / (1 - x * x))
