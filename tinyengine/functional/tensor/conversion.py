"""Ops that keep the values and change what holds them: dtype, device, history."""

from __future__ import annotations

from typing import Any

from ...backend import Array, Device, device as find_device
from ...op import method, op
from ...tensor import Tensor, checked_dtype


@op("astype", promotes=False)
def astype(inp: Array, dtype: Any) -> Array:
    """A copy of `inp` with another element type; towards integers, fractions are cut off.

    >>> astype(tensor([1.7, -1.7]), "int32")
    Tensor([ 1 -1], dtype=int32, device=cpux:0)
    """
    return inp.astype(checked_dtype(dtype))


astype.vjp(inp=lambda dout, inp_dtype: astype(dout, inp_dtype))


@op("copy", promotes=False)
def copy(inp: Array, device: str | Device | None = None) -> Array:
    """A copy of `inp`, on another device if one is given; the gradient comes back to the first one.

    >>> copy(tensor([1., 2.]), "cpu0").device
    CompNode("cpu0:0" from "cpu0:0")
    """
    return inp if device is None else find_device(device).put(inp)


copy.vjp(inp=lambda dout, inp_device: copy(dout, inp_device))
copy.writes(lambda inp, device: inp.called("copy"))


@op("detach", promotes=False)
def detach(inp: Array) -> Array:
    """`inp` as a constant: no gradient goes back through it.

    >>> detach(tensor([1., 2.]))
    Tensor([1. 2.], device=cpux:0)
    """
    return inp


method("detach")(detach)


@method("astype")
def _(self: Tensor, dtype: Any) -> Any:
    """`self` with another element type; `self` itself where it has that type already."""
    return self if self.dtype == checked_dtype(dtype) else astype(self, dtype)


@method("to")
def _(self: Tensor, device: str | Device) -> Any:
    """A copy of `self` on `device`."""
    return copy(self, find_device(device))
