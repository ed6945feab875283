"""Ops that pick elements out, or put them in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...backend import Array, array_module
from ...dispatch import result
from ...op import op
from ...promotion import common_dtype
from ...tensor import Tensor
from .shape import reshape


@op("[ ]", operator="getitem")
def getitem(inp: Array, key: Any) -> Array:
    """``inp[key]``, with NumPy's rules.

    Raises:
        IndexError: the key points outside.

    >>> getitem(tensor([[1., 2.], [3., 4.]]), (1, slice(None)))
    Tensor([3. 4.], device=cpux:0)
    """
    return inp[_plain_key(key, inp)]


@op("put")
def put(src: Array, key: Any, shape: Sequence[int]) -> Array:
    """Zeros of `shape` with `src` added at `key`: how a gradient goes back through indexing.

    >>> put(tensor([1., 2.]), ([0, 0],), (3,))
    Tensor([3. 0. 0.], device=cpux:0)
    """
    xp, key = array_module(src), _plain_key(key, src)
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


def _plain_key(key: Any, beside: Array) -> Any:
    """`key` with its tensors and arrays as arrays on the device of `beside`."""
    if isinstance(key, tuple):
        return tuple(_plain_key(part, beside) for part in key)
    if isinstance(key, slice):
        bounds = (key.start, key.stop, key.step)
        return slice(*(_plain_key(bound, beside) for bound in bounds))
    key = key._data if isinstance(key, Tensor) else key
    return array_module(beside).asarray(key) if hasattr(key, "dtype") else key


@op("where", broadcasts=True, promotes=False)
def where(mask: Array, x: Array, y: Array) -> Array:
    """`x` where `mask` holds, else `y`; what is not chosen gets no gradient, not even from NaN.

    >>> where(tensor([True, False]), tensor([1., 2.]), tensor([3., 4.]))
    Tensor([1. 4.], device=cpux:0)
    """
    if array_module(mask).asarray(mask).dtype != bool:
        raise TypeError(f"the mask must be boolean, not {mask.dtype}; compare first, as in x > 0")
    xp = array_module(mask, x, y)
    chosen = xp.where(mask, x, y)
    kinds = {value.dtype for value in (x, y) if hasattr(value, "dtype")}
    return chosen.astype(common_dtype(kinds)) if len(kinds) > 1 else chosen


where.vjp(x=lambda dout, mask: where(mask, dout, 0.0), y=lambda dout, mask: where(mask, 0.0, dout))


@op("gather")
def gather(inp: Array, axis: int, index: Any) -> Array:
    """Elements of `inp` along `axis`, at the places of `index`, which has as many axes as `inp`.

    Raises:
        IndexError: an index points outside.

    >>> gather(tensor([[1., 2.], [3., 4.]]), 1, tensor([[0], [1]]))
    Tensor([[1.]
     [4.]], device=cpux:0)
    """
    return inp[_along(inp, inp.shape, axis, index)]


@op("scatter+")
def _gathered_back(src: Array, axis: int, index: Any, shape: Sequence[int]) -> Array:
    """Zeros of `shape` with `src` added along `axis` at the places of `index`.

    >>> _gathered_back(tensor([[1., 2.]]), 0, tensor([[0, 1]]), (2, 2))
    Tensor([[1. 0.]
     [0. 2.]], device=cpux:0)
    """
    xp = array_module(src)
    out = xp.zeros(shape, src.dtype)
    xp.add.at(out, _along(src, shape, axis, index), src)
    return out


def _along(beside: Array, shape: Sequence[int], axis: int, index: Any) -> tuple[Any, ...]:
    """The full index of places along one axis, the other axes counting through."""
    xp = array_module(beside)
    index = xp.asarray(_plain_key(index, beside))
    if index.ndim != len(shape):
        raise ValueError(f"index has {index.ndim} axes, and inp {len(shape)}: they must be equal")
    places = list(xp.ogrid[tuple(slice(length) for length in index.shape)])
    places[axis] = index
    return tuple(places)


gather.vjp(inp=lambda dout, axis, index, inp_shape: _gathered_back(dout, axis, index, inp_shape))
_gathered_back.vjp(src=lambda dout, axis, index: gather(dout, axis, index))


@op("scatter")
def _scattered(inp: Array, source: Array, axis: int, index: Any) -> Array:
    """See scatter.

    >>> _scattered(tensor([[0., 0.]]), tensor([[5.]]), 1, tensor([[1]]))
    Tensor([[0. 5.]], device=cpux:0)
    """
    out = inp.copy()
    out[_along(inp, inp.shape, axis, index)] = source
    return out


@op("free")
def _overwritten(dout: Array, axis: int, index: Any) -> Array:
    """`dout` with zeros at the places of `index`.

    >>> _overwritten(tensor([[1., 2.]]), 1, tensor([[1]]))
    Tensor([[1. 0.]], device=cpux:0)
    """
    out = dout.copy()
    out[_along(dout, dout.shape, axis, index)] = 0
    return out


@op("last")
def _last_written(dout: Array, axis: int, index: Any, shape: Sequence[int]) -> Array:
    """`dout` where its element was the last to be written to its place, else 0.

    >>> _last_written(tensor([[1., 2.]]), 1, tensor([[0, 0]]), (1, 1))
    Tensor([[0. 2.]], device=cpux:0)
    """
    xp = array_module(dout)
    places = _along(dout, shape, axis, index)
    order = xp.arange(dout.size).reshape(dout.shape)
    last = xp.zeros(shape, order.dtype)
    last[places] = order
    return dout * (last[places] == order)


_overwritten.vjp(dout=lambda dout, axis, index: _overwritten(dout, axis, index))
_last_written.vjp(dout=lambda dout, axis, index, shape: _last_written(dout, axis, index, shape))
_scattered.vjp(
    inp=lambda dout, axis, index: _overwritten(dout, axis, index),
    source=lambda dout, axis, index, inp_shape: _last_written(
        gather(dout, axis, index), axis, index, inp_shape
    ),
)


def scatter(inp: Tensor, axis: int, index: Tensor, source: Tensor) -> Any:
    """`inp` with the elements of `source` written along `axis` at the places of `index`.

    Where a place comes twice, the last element stays, and it alone gets a gradient.

    >>> scatter(tensor([[0., 0.]]), 1, tensor([[1]]), tensor([[5.]]))
    Tensor([[0. 5.]], device=cpux:0)
    """
    return _scattered(inp, source, axis, index)


def cond_take(mask: Tensor, x: Tensor) -> tuple[Any, Any]:
    """The elements of `x` where `mask` holds, and their places in the flattened `x`.

    Raises:
        ValueError: `mask` and `x` have different shapes.

    >>> cond_take(tensor([True, False, True]), tensor([1., 2., 3.]))
    (Tensor([1. 3.], device=cpux:0), Tensor([0 2], dtype=int32, device=cpux:0))
    """
    if mask.shape != x.shape:
        raise ValueError(f"cond_take(): mask has shape {mask.shape} and x {x.shape}: not equal")
    flat = mask._data.reshape(-1).nonzero()[0].astype("int32")
    return reshape(x, (-1,))[result(flat, x.device)], result(flat, x.device)


def non_zero(inp: Tensor, as_tuple: bool = False) -> Any:
    """The places of `inp` that are not zero: one row each, or with `as_tuple` one tensor an axis.

    >>> non_zero(tensor([[0., 5.], [7., 0.]]))
    Tensor([[0 1]
     [1 0]], dtype=int32, device=cpux:0)
    """
    places = [result(axis.astype("int32"), inp.device) for axis in inp._data.nonzero()]
    if as_tuple:
        return tuple(places)
    xp = array_module(inp._data)
    return result(xp.stack([place._data for place in places], -1), inp.device)
