"""Tensors from nothing: filled, counted, identity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...backend import Device, device as find_device
from ...dispatch import result
from ...tensor import Tensor, checked_dtype
from .shape import _lengths

Place = str | Device | None


def _made(
    name: str, make: Callable[[Any], Any], dtype: Any = "float32", device: Place = None
) -> Tensor:
    """What `make` makes with an array module, as a tensor of this dtype on this device."""
    place, dtype = find_device(device), checked_dtype(dtype)
    try:
        return result(place.put(make(place.xp), dtype), place)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}(): {error}") from None


def zeros(shape: int | Sequence[int], *, dtype: Any = "float32", device: Place = None) -> Tensor:
    """Zeros of `shape`.

    >>> zeros(2, device="cpux")
    Tensor([0. 0.], device=cpux:0)
    """
    return _made("zeros", lambda xp: xp.zeros(_lengths(shape)), dtype, device)


def ones(shape: int | Sequence[int], *, dtype: Any = "float32", device: Place = None) -> Tensor:
    """Ones of `shape`.

    >>> ones((1, 2), device="cpux")
    Tensor([[1. 1.]], device=cpux:0)
    """
    return _made("ones", lambda xp: xp.ones(_lengths(shape)), dtype, device)


def full(
    shape: int | Sequence[int],
    value: float,
    *,
    dtype: Any = None,
    device: Place = None,
) -> Tensor:
    """`value` in every place of `shape`; by default of the dtype that ``tensor(value)`` has.

    >>> full((2,), 7, device="cpux")
    Tensor([7 7], dtype=int32, device=cpux:0)
    """
    dtype = Tensor(value).dtype if dtype is None else dtype
    return _made("full", lambda xp: xp.full(_lengths(shape), value), dtype, device)


def zeros_like(inp: Tensor) -> Tensor:
    """Zeros of the shape, dtype and device of `inp`.

    >>> zeros_like(tensor([1., 2.]))
    Tensor([0. 0.], device=cpux:0)
    """
    return zeros(inp.shape, dtype=inp.dtype, device=inp.device)


def ones_like(inp: Tensor) -> Tensor:
    """Ones of the shape, dtype and device of `inp`.

    >>> ones_like(tensor([3, 4]))
    Tensor([1 1], dtype=int32, device=cpux:0)
    """
    return ones(inp.shape, dtype=inp.dtype, device=inp.device)


def full_like(inp: Tensor, value: float) -> Tensor:
    """`value` in every place of the shape, dtype and device of `inp`.

    >>> full_like(tensor([1., 2.]), 7)
    Tensor([7. 7.], device=cpux:0)
    """
    return full(inp.shape, value, dtype=inp.dtype, device=inp.device)


def arange(
    start: float = 0,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: Any = "float32",
    device: Place = None,
) -> Tensor:
    """The numbers from `start` up to, not including, `stop`, `step` apart.

    With one argument it is `stop`, and `start` is 0.

    Raises:
        ValueError: `step` is 0.

    >>> arange(3, device="cpux"), arange(1, 2, 0.5, device="cpux")
    (Tensor([0. 1. 2.], device=cpux:0), Tensor([1.  1.5], device=cpux:0))
    """
    if step == 0:
        raise ValueError("arange(): step must not be 0")
    bounds = (0, start) if stop is None else (start, stop)
    return _made("arange", lambda xp: xp.arange(*bounds, step), dtype, device)


def linspace(
    start: float, stop: float, num: int, *, dtype: Any = "float32", device: Place = None
) -> Tensor:
    """`num` numbers from `start` to `stop`, both included, evenly spaced.

    >>> linspace(0, 1, 3, device="cpux")
    Tensor([0.  0.5 1. ], device=cpux:0)
    """
    return _made("linspace", lambda xp: xp.linspace(start, stop, num), dtype, device)


def eye(N: int, M: int | None = None, *, dtype: Any = "float32", device: Place = None) -> Tensor:  # noqa: N803
    """`N` rows and `M` columns (by default `N`) with ones on the diagonal, else zeros.

    >>> eye(2, device="cpux")
    Tensor([[1. 0.]
     [0. 1.]], device=cpux:0)
    """
    return _made("eye", lambda xp: xp.eye(N, M), dtype, device)
