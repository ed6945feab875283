"""Comparisons, logic, bits and rounding: ops without a derivative."""

from __future__ import annotations

from typing import Any

from ...backend import Array, array_module
from ...op import op, quiet


@op("=", operator="eq", broadcasts=True)
def equal(x: Array, y: Array) -> Array:
    """Element-wise whether `x` equals `y`.

    >>> equal(tensor([1., 2.]), 2.)
    Tensor([False  True], dtype=bool, device=cpux:0)
    """
    return x == y


@op("≠", operator="ne", broadcasts=True)
def not_equal(x: Array, y: Array) -> Array:
    """Element-wise whether `x` differs from `y`.

    >>> not_equal(tensor([1., 2.]), 2.)
    Tensor([ True False], dtype=bool, device=cpux:0)
    """
    return x != y


@op("<", operator="lt", broadcasts=True)
def less(x: Array, y: Array) -> Array:
    """Element-wise whether `x` is less than `y`.

    >>> less(tensor([1., 2.]), 2.)
    Tensor([ True False], dtype=bool, device=cpux:0)
    """
    return x < y


@op("≤", operator="le", broadcasts=True)
def less_equal(x: Array, y: Array) -> Array:
    """Element-wise whether `x` is at most `y`.

    >>> less_equal(tensor([1., 3.]), 2.)
    Tensor([ True False], dtype=bool, device=cpux:0)
    """
    return x <= y


@op(">", operator="gt", broadcasts=True)
def greater(x: Array, y: Array) -> Array:
    """Element-wise whether `x` is greater than `y`.

    >>> greater(tensor([1., 3.]), 2.)
    Tensor([False  True], dtype=bool, device=cpux:0)
    """
    return x > y


@op("≥", operator="ge", broadcasts=True)
def greater_equal(x: Array, y: Array) -> Array:
    """Element-wise whether `x` is at least `y`.

    >>> greater_equal(tensor([1., 2.]), 2.)
    Tensor([False  True], dtype=bool, device=cpux:0)
    """
    return x >= y


def _booleans(name: str, *values: Any) -> None:
    for value in values:
        kind = str(getattr(value, "dtype", type(value).__name__))
        if kind != "bool":
            raise TypeError(f"{name} needs booleans, not {kind}; compare first, as in x > 0")


@op("and", operator="and", broadcasts=True, promotes=False)
def logical_and(x: Array, y: Array) -> Array:
    """Element-wise whether both hold; of booleans.

    >>> logical_and(tensor([True, True]), tensor([True, False]))
    Tensor([ True False], dtype=bool, device=cpux:0)
    """
    _booleans("logical and (&)", x, y)
    return x & y


@op("or", operator="or", broadcasts=True, promotes=False)
def logical_or(x: Array, y: Array) -> Array:
    """Element-wise whether at least one holds; of booleans.

    >>> logical_or(tensor([True, False]), tensor([False, False]))
    Tensor([ True False], dtype=bool, device=cpux:0)
    """
    _booleans("logical or (|)", x, y)
    return x | y


@op("xor", operator="xor", broadcasts=True, promotes=False)
def logical_xor(x: Array, y: Array) -> Array:
    """Element-wise whether exactly one holds; of booleans.

    >>> logical_xor(tensor([True, True]), tensor([True, False]))
    Tensor([False  True], dtype=bool, device=cpux:0)
    """
    _booleans("logical xor (^)", x, y)
    return x ^ y


@op("not", operator="invert", promotes=False)
def logical_not(x: Array) -> Array:
    """Element-wise whether it does not hold; of booleans.

    >>> logical_not(tensor([True, False]))
    Tensor([False  True], dtype=bool, device=cpux:0)
    """
    _booleans("logical not (~)", x)
    return ~x


@op("<<", operator="lshift", broadcasts=True)
def left_shift(x: Array, y: Array) -> Array:
    """Element-wise `x` with its bits moved `y` places up; of integers.

    >>> left_shift(tensor([1, 3]), 2)
    Tensor([ 4 12], dtype=int32, device=cpux:0)
    """
    return x << y


@op(">>", operator="rshift", broadcasts=True)
def right_shift(x: Array, y: Array) -> Array:
    """Element-wise `x` with its bits moved `y` places down; of integers.

    >>> right_shift(tensor([4, 12]), 2)
    Tensor([1 3], dtype=int32, device=cpux:0)
    """
    return x >> y


@op("⌊x⌋", operator="floor")
def floor(x: Array) -> Array:
    """Element-wise largest whole number that is not above `x`.

    >>> floor(tensor([1.5, -1.5]))
    Tensor([ 1. -2.], device=cpux:0)
    """
    return array_module(x).floor(x)


@op("⌈x⌉", operator="ceil")
def ceil(x: Array) -> Array:
    """Element-wise smallest whole number that is not below `x`.

    >>> ceil(tensor([1.5, -1.5]))
    Tensor([ 2. -1.], device=cpux:0)
    """
    return array_module(x).ceil(x)


@op("round", operator="round")
@quiet
def round(x: Array) -> Array:
    """Element-wise nearest whole number; halves go away from zero.

    >>> round(tensor([0.5, 2.5, -0.5]))
    Tensor([ 1.  3. -1.], device=cpux:0)
    """
    xp = array_module(x)
    whole = xp.trunc(x)
    return whole + xp.copysign(1, x) * (xp.abs(x - whole) >= 0.5)


@op("nan?")
def isnan(inp: Array) -> Array:
    """Element-wise whether it is NaN.

    >>> isnan(tensor([1., float("nan")]))
    Tensor([False  True], dtype=bool, device=cpux:0)
    """
    return array_module(inp).isnan(inp)


@op("inf?")
def isinf(inp: Array) -> Array:
    """Element-wise whether it is infinite.

    >>> isinf(tensor([1., -float("inf")]))
    Tensor([False  True], dtype=bool, device=cpux:0)
    """
    return array_module(inp).isinf(inp)
