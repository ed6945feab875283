"""Ops that move elements about: shape, indexing, dtype and device."""

from __future__ import annotations

import contextlib
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..backend import Array, Device, array_module, device as find_device
from ..op import method, op
from ..tensor import Tensor, checked_dtype


@op("reshape")
def reshape(inp: Array, target_shape: Sequence[int]) -> Array:
    """The elements of `inp` in `target_shape`; one length may be -1, meaning whatever is left.

    Raises:
        ValueError: the elements do not fill the shape, or more than one length is -1.

    >>> reshape(tensor([1., 2., 3., 4.]), (2, -1))
    Tensor([[1. 2.]
     [3. 4.]], device=cpux:0)
    """
    shape = _lengths(target_shape)
    if any(length < -1 for length in shape):
        raise ValueError("a length is negative")  # NumPy would take it for -1
    return inp.reshape(shape)


reshape.vjp(inp=lambda dout, inp_shape: reshape(dout, inp_shape))


@reshape.explain
def _(inp: Any, target_shape: Sequence[int]) -> str:
    shape = _lengths(target_shape)
    if shape.count(-1) > 1:
        return f"only one length of the target shape {shape} may be -1"
    return f"{math.prod(np.shape(inp))} elements do not fill the target shape {shape}"


def _lengths(shape: Any) -> tuple[int, ...]:
    """A shape, given as one length or as several, as a tuple."""
    if not isinstance(shape, (tuple, list)):
        with contextlib.suppress(TypeError):
            return (operator.index(shape),)
    return tuple([operator.index(length) for length in shape])


@op("broadcast", broadcasts=True)
def broadcast_to(inp: Array, shape: Sequence[int]) -> Array:
    """`inp` stretched to `shape` along new leading axes and along axes of length 1.

    >>> broadcast_to(tensor([1., 2.]), (2, 2))
    Tensor([[1. 2.]
     [1. 2.]], device=cpux:0)
    """
    return array_module(inp).broadcast_to(inp, shape)


broadcast_to.vjp(inp=lambda dout: dout)  # the chain rule sums over what was stretched


@op("expand")
def expand_dims(inp: Array, axis: int | Sequence[int]) -> Array:
    """`inp` with a new axis of length 1 at `axis` of the result, or at each of several.

    Raises:
        ValueError: the result has no such axis.

    >>> expand_dims(tensor([1., 2.]), -1).shape
    (2, 1)
    """
    return array_module(inp).expand_dims(inp, axis)


expand_dims.vjp(inp=lambda dout, inp_shape: reshape(dout, inp_shape))


@op("ᵀ")
def swapaxes(inp: Array, axis1: int = -1, axis2: int = -2) -> Array:
    """`inp` with two axes exchanged; by default the last two, the transpose of a matrix.

    >>> swapaxes(tensor([[1., 2.]]))
    Tensor([[1.]
     [2.]], device=cpux:0)
    """
    return inp.swapaxes(axis1, axis2)


swapaxes.vjp(inp=lambda dout, axis1, axis2: swapaxes(dout, axis1, axis2))
swapaxes.writes(
    lambda inp, axis1, axis2: (
        inp.transposed()
        if {axis1, axis2} == {-1, -2}
        else inp.called("swapaxes", f"{axis1}, {axis2}")
    )
)


@op("[ ]", operator="getitem")
def getitem(inp: Array, key: Any) -> Array:
    """``inp[key]``, with NumPy's rules.

    Raises:
        IndexError: the key points outside.

    >>> getitem(tensor([[1., 2.], [3., 4.]]), (1, slice(None)))
    Tensor([3. 4.], device=cpux:0)
    """
    return inp[_plain_key(key)]


@op("put")
def put(src: Array, key: Any, shape: Sequence[int]) -> Array:
    """Zeros of `shape` with `src` added at `key`: how a gradient goes back through indexing.

    >>> put(tensor([1., 2.]), ([0, 0],), (3,))
    Tensor([3. 0. 0.], device=cpux:0)
    """
    xp, key = array_module(src), _plain_key(key)
    out = xp.zeros(shape, src.dtype)
    parts = key if isinstance(key, tuple) else (key,)
    if all(part is None or part is ... or isinstance(part, (int, slice)) for part in parts):
        out[key] = src
    else:
        xp.add.at(out, key, src)  # an index may come twice
    return out


getitem.writes(lambda inp, key: inp.indexed(key))
getitem.vjp(inp=lambda dout, key, inp_shape: put(dout, key, inp_shape))
put.vjp(src=lambda dout, key: getitem(dout, key))


def _plain_key(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(_plain_key(part) for part in key)
    if isinstance(key, slice):
        return slice(*(_plain_key(bound) for bound in (key.start, key.stop, key.step)))
    return key._data if isinstance(key, Tensor) else key


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


@op("detach", promotes=False)
def detach(inp: Array) -> Array:
    """`inp` as a constant: no gradient goes back through it.

    >>> detach(tensor([1., 2.]))
    Tensor([1. 2.], device=cpux:0)
    """
    return inp


method("detach")(detach)


@method("reshape")
def _(self: Tensor, *shape: Any) -> Any:
    """`self` in another shape, given as lengths or as one tuple: ``t.reshape(2, -1)``."""
    return reshape(self, shape[0] if len(shape) == 1 else shape)


@method("astype")
def _(self: Tensor, dtype: Any) -> Any:
    """`self` with another element type; `self` itself where it has that type already."""
    return self if self.dtype == checked_dtype(dtype) else astype(self, dtype)


@method("to")
def _(self: Tensor, device: str | Device) -> Any:
    """A copy of `self` on `device`."""
    return copy(self, find_device(device))
