"""Arithmetic. Each op states its local derivatives beside what it computes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend import Array, array_module
from ...op import op, quiet


@op("+", operator="add")
def add(x: Array, y: Array) -> Array:
    """Element-wise sum of `x` and `y`, stretched to a common shape.

    >>> add(tensor([1., 2.]), 10.)
    Tensor([11. 12.], device=cpux:0)
    """
    return x + y


add.partials(x=lambda: 1, y=lambda: 1)


@op("−", operator="sub")
def sub(x: Array, y: Array) -> Array:
    """Element-wise difference `x` − `y`, stretched to a common shape.

    >>> sub(tensor([1., 2.]), tensor([[1.], [2.]]))
    Tensor([[ 0.  1.]
     [-1.  0.]], device=cpux:0)
    """
    return x - y


sub.partials(x=lambda: 1, y=lambda: -1)


@op("×", operator="mul")
def mul(x: Array, y: Array) -> Array:
    """Element-wise product of `x` and `y`, stretched to a common shape.

    >>> mul(tensor([2., 3.]), 4.)
    Tensor([ 8. 12.], device=cpux:0)
    """
    return x * y


mul.partials(x=lambda y: y, y=lambda x: x)


@op("÷", operator="truediv")
@quiet
def div(x: Array, y: Array) -> Array:
    """Element-wise quotient `x` / `y`, stretched to a common shape. Integers divide to float32.

    >>> div(tensor([1, 2]), 4)
    Tensor([0.25 0.5 ], device=cpux:0)
    """
    return x / y


div.partials(x=lambda y: 1 / y, y=lambda out, y: -out / y)


@op("−", operator="neg")
def neg(x: Array) -> Array:
    """Element-wise −`x`.

    >>> neg(tensor([1., -2.]))
    Tensor([-1.  2.], device=cpux:0)
    """
    return -x


neg.partials(x=lambda: -1)
neg.writes(lambda x: x.prefixed("−", "-"))


@op("xʸ", operator="pow")
@quiet
def pow(x: Array, y: Array) -> Array:
    """Element-wise power `x` to the `y`, stretched to a common shape. Integers give float32.

    The derivative of ``x ** 0`` is 0 everywhere, also at 0.

    >>> pow(tensor([1., 2., 3.]), 2)
    Tensor([1. 4. 9.], device=cpux:0)
    """
    if not (_is_float(x) or _is_float(y)):
        x = x * np.float32(1)
    return x**y


def _is_float(value: Any) -> bool:
    return isinstance(value, float) or getattr(value, "dtype", np.dtype(int)).kind == "f"


@op("lowered")
def _lowered(y: Array) -> Array:
    """The exponent of the derivative: one less; 1 where that is −1, for 0·x to be 0 at 0.

    >>> _lowered(tensor([2., 0.]))
    Tensor([1. 1.], device=cpux:0)
    """
    if isinstance(y, (int, float)):
        return y - 1 if y else 1
    return y - 1 + 2 * (y == 0).astype(y.dtype)


_lowered.partials(y=lambda: 1)
_lowered.writes(lambda y: y - 1)


@op("ln")
@quiet
def _log_of_base(x: Array) -> Array:
    """The natural logarithm, with 0 at 0: there a power has no slope in its exponent.

    >>> _log_of_base(tensor([1., 0.]))
    Tensor([0. 0.], device=cpux:0)
    """
    return array_module(x).log(x + (x == 0))


_log_of_base.partials(x=lambda x: 1 / (x + (x == 0)))
_log_of_base.writes(lambda x: x.called("ln"))
pow.partials(x=lambda x, y: y * x ** _lowered(y), y=lambda out, x: out * _log_of_base(x))


@op("⌊÷⌋", operator="floordiv")
@quiet
def floor_div(x: Array, y: Array) -> Array:
    """Element-wise quotient rounded down. It has no derivative.

    >>> floor_div(tensor([7., -7.]), 2.)
    Tensor([ 3. -4.], device=cpux:0)
    """
    return x // y


@op("mod", operator="mod")
@quiet
def mod(x: Array, y: Array) -> Array:
    """Element-wise remainder: of floats with the sign of `x`, of integers with that of `y`.

    >>> mod(tensor([-5.]), 3.), mod(tensor([-5]), 3)
    (Tensor([-2.], device=cpux:0), Tensor([1], dtype=int32, device=cpux:0))
    """
    return array_module(x, y).fmod(x, y) if _is_float(x) or _is_float(y) else x % y


@op("trunc")
@quiet
def _whole_times(x: Array, y: Array) -> Array:
    """How many whole times `y` goes into `x`, towards zero.

    >>> _whole_times(tensor([7., -7.]), 2.)
    Tensor([ 3. -3.], device=cpux:0)
    """
    return array_module(x, y).trunc(x / y)


mod.partials(x=lambda: 1, y=lambda x, y: -_whole_times(x, y))


@op("|x|", operator="abs")
def abs(x: Array) -> Array:
    """Element-wise absolute value; its derivative at 0 is 0.

    >>> abs(tensor([-2., 3.]))
    Tensor([2. 3.], device=cpux:0)
    """
    return array_module(x).abs(x)


@op("sign")
def sign(x: Array) -> Array:
    """Element-wise −1, 0 or 1, as `x` is negative, zero or positive; 0 of NaN. No derivative.

    >>> sign(tensor([-2., 0., 3.]))
    Tensor([-1.  0.  1.], device=cpux:0)
    """
    return (x > 0) * x.dtype.type(1) - (x < 0) * x.dtype.type(1)


abs.partials(x=lambda x: sign(x))


@op("max")
def maximum(x: Array, y: Array) -> Array:
    """Element-wise larger of the two; where they are equal, each gets half of the gradient.

    >>> maximum(tensor([1., 5.]), 3.)
    Tensor([3. 5.], device=cpux:0)
    """
    return array_module(x, y).maximum(x, y)


@op("min")
def minimum(x: Array, y: Array) -> Array:
    """Element-wise smaller of the two; where they are equal, each gets half of the gradient.

    >>> minimum(tensor([1., 5.]), 3.)
    Tensor([1. 3.], device=cpux:0)
    """
    return array_module(x, y).minimum(x, y)


@op("share")
def _share(x: Array, y: Array) -> Array:
    """1 where `x` is larger, ½ where they are equal, 0 where `y` is larger.

    >>> _share(tensor([1., 2., 3.]), 2.)
    Tensor([0.  0.5 1. ], device=cpux:0)
    """
    xp = array_module(x, y)
    return ((x >= y) * 0.5 + (x > y) * 0.5).astype(xp.result_type(x, y))


_share.writes(lambda x, y: x.compared(">", y))
maximum.partials(x=lambda x, y: _share(x, y), y=lambda x, y: _share(y, x))
minimum.partials(x=lambda x, y: _share(y, x), y=lambda x, y: _share(x, y))


@op("clip")
def clip(x: Array, lower: Any = None, upper: Any = None) -> Array:
    """`x` with what is below `lower` or above `upper` moved to that bound.

    At the bounds the derivative is 1.

    >>> clip(tensor([-2., 0.5, 2.]), -1., 1.)
    Tensor([-1.   0.5  1. ], device=cpux:0)
    """
    if lower is None and upper is None:
        raise ValueError("at least one of lower and upper must be given")
    if lower is not None and upper is not None and lower > upper:
        raise ValueError(f"lower ({lower}) must not exceed upper ({upper})")
    return array_module(x).clip(x, lower, upper)


@op("within")
def _within(x: Array, lower: Any, upper: Any) -> Array:
    """1 where `x` is not beyond its bounds, else 0.

    >>> _within(tensor([-2., 0.5]), -1., None)
    Tensor([0. 1.], device=cpux:0)
    """
    inside = x == x
    if lower is not None:
        inside = inside & (x >= lower)
    if upper is not None:
        inside = inside & (x <= upper)
    return inside.astype(x.dtype)


clip.partials(x=lambda x, lower, upper: _within(x, lower, upper))
