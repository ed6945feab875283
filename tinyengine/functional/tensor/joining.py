"""Ops that put tensors together, take them apart, repeat and turn them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...backend import Array, Device, array_module
from ...op import op
from ...promotion import common_dtype
from ...tensor import Tensor
from ..arguments import _check_tensors, _counted
from .conversion import copy
from .indexing import getitem, put
from .shape import broadcast_to, expand_dims, reshape


@op("concat", promotes=False)
def _concat(*inps: Array, axis: int = 0) -> Array:
    """See concat.

    >>> _concat(tensor([1.]), tensor([2.]))
    Tensor([1. 2.], device=cpux:0)
    """
    dtype = common_dtype({inp.dtype for inp in inps})
    return array_module(*inps).concatenate([inp.astype(dtype) for inp in inps], axis)


def _part_of_concat(dout: Any, which: int, inps_shape: Any, axis: int) -> Any:
    axis %= len(inps_shape[0])
    begin = sum(shape[axis] for shape in inps_shape[:which])
    part = slice(begin, begin + inps_shape[which][axis])
    return getitem(dout, (*[slice(None)] * axis, part))


_concat.vjp(inps=_part_of_concat)


def concat(inps: Sequence[Tensor], axis: int = 0, device: str | Device | None = None) -> Any:
    """The tensors one behind the other along `axis`.

    Raises:
        ValueError: there are none, or another axis differs in length.

    >>> concat([tensor([1.]), tensor([2., 3.])])
    Tensor([1. 2. 3.], device=cpux:0)
    """
    inps = _several("concat", inps)
    joined = _concat(*inps, axis=axis)
    return joined if device is None else copy(joined, device)


def stack(inps: Sequence[Tensor], axis: int = 0, device: str | Device | None = None) -> Any:
    """The tensors, of one shape, side by side along a new axis.

    Raises:
        ValueError: there are none, or their shapes differ.

    >>> stack([tensor([1., 2.]), tensor([3., 4.])])
    Tensor([[1. 2.]
     [3. 4.]], device=cpux:0)
    """
    inps = _several("stack", inps)
    shapes = {inp.shape for inp in inps}
    if len(shapes) > 1:
        raise ValueError(f"stack(): the shapes must be equal, not {sorted(shapes)}")
    return concat([expand_dims(inp, axis) for inp in inps], axis, device)


def _several(name: str, inps: Any) -> list[Tensor]:
    given: list[Any] = list(inps)
    if not given:
        raise ValueError(f"{name}(): no tensors are given; it needs at least one")
    for inp in given:
        if not isinstance(inp, Tensor):
            raise TypeError(f"{name}(): {type(inp).__name__} {inp!r:.60} is not a tensor")
    return given


def split(inp: Tensor, nsplits_or_sections: int | Sequence[int], axis: int = 0) -> list[Any]:
    """`inp` in so many parts along `axis`, the longer ones first, or cut at the places given.

    >>> split(tensor([1., 2., 3.]), 2)
    [Tensor([1. 2.], device=cpux:0), Tensor([3.], device=cpux:0)]
    """
    _check_tensors("split", inp=inp)
    axis = _counted("split", axis, inp.ndim)
    length = inp.shape[axis]
    if isinstance(nsplits_or_sections, int):
        count = nsplits_or_sections
        if count < 1:
            raise ValueError(f"split(): the number of parts must be at least 1, not {count}")
        sizes = [length // count + (i < length % count) for i in range(count)]
        cuts = list(np.cumsum(sizes)[:-1])
    else:
        cuts = list(nsplits_or_sections)
    bounds = [0, *(int(cut) for cut in cuts), length]
    before = (slice(None),) * axis
    return [getitem(inp, (*before, slice(begin, end))) for begin, end in pairwise(bounds)]


def tile(inp: Tensor, reps: int | Sequence[int]) -> Any:
    """`inp` laid out `reps` times along each axis.

    >>> tile(tensor([1., 2.]), 2)
    Tensor([1. 2. 1. 2.], device=cpux:0)
    """
    _check_tensors("tile", inp=inp)
    reps = (reps,) if isinstance(reps, int) else tuple(reps)
    if any(times < 0 for times in reps):
        raise ValueError(f"tile(): reps must be 0 or more, not {reps}")
    rank = max(len(reps), inp.ndim)
    shape = (1,) * (rank - inp.ndim) + inp.shape
    reps = (1,) * (rank - len(reps)) + reps
    apart = reshape(inp, [n for length in shape for n in (1, length)])
    spread = [n for pair in zip(reps, shape, strict=True) for n in pair]
    return reshape(broadcast_to(apart, spread), [r * n for r, n in zip(reps, shape, strict=True)])


def repeat(inp: Tensor, repeats: int, axis: int | None = None) -> Any:
    """Each element of `inp` `repeats` times in a row along `axis`; flattened without one.

    >>> repeat(tensor([1., 2.]), 2)
    Tensor([1. 1. 2. 2.], device=cpux:0)
    """
    _check_tensors("repeat", inp=inp)
    if repeats < 0:
        raise ValueError(f"repeat(): repeats must be 0 or more, not {repeats}")
    if axis is None:
        inp, axis = reshape(inp, (-1,)), 0
    axis = _counted("repeat", axis, inp.ndim)
    shape = inp.shape
    apart = expand_dims(inp, axis + 1)
    spread = broadcast_to(apart, (*shape[: axis + 1], repeats, *shape[axis + 1 :]))
    return reshape(spread, (*shape[:axis], shape[axis] * repeats, *shape[axis + 1 :]))


@op("roll")
def roll(inp: Array, shift: int | Sequence[int], axis: int | Sequence[int] | None = None) -> Array:
    """`inp` moved on by `shift` places along `axis`, around the end; flattened without an axis.

    >>> roll(tensor([1., 2., 3.]), 1)
    Tensor([3. 1. 2.], device=cpux:0)
    """
    return array_module(inp).roll(inp, shift, axis)


def _rolled_back(dout: Any, shift: Any, axis: Any) -> Any:
    back = -shift if isinstance(shift, int) else tuple(-n for n in shift)
    return roll(dout, back, axis)


roll.vjp(inp=_rolled_back)


@op("flip")
def flip(inp: Array, axis: int | Sequence[int] | None = None) -> Array:
    """`inp` back to front along `axis`; along all axes without one.

    >>> flip(tensor([1., 2., 3.]))
    Tensor([3. 2. 1.], device=cpux:0)
    """
    return array_module(inp).flip(inp, axis)


flip.vjp(inp=lambda dout, axis: flip(dout, axis))


@op("diag")
def _diagonal(inp: Array, k: int = 0) -> Array:
    """The `k`-th diagonal of a matrix.

    >>> _diagonal(tensor([[1., 2.], [3., 4.]]))
    Tensor([1. 4.], device=cpux:0)
    """
    return array_module(inp).diagonal(inp, k).copy()


def _diagonal_back(dout: Any, inp_shape: Any, k: int) -> Any:
    count = dout.shape[0]
    rows, columns = np.arange(count) + max(-k, 0), np.arange(count) + max(k, 0)
    return put(dout, (rows, columns), inp_shape)


_diagonal.vjp(inp=_diagonal_back)


def diag(inp: Tensor, k: int = 0) -> Any:
    """The `k`-th diagonal of a matrix; of a vector the matrix that has it as that diagonal.

    >>> diag(tensor([1., 2.]))
    Tensor([[1. 0.]
     [0. 2.]], device=cpux:0)
    """
    _check_tensors("diag", inp=inp)
    if inp.ndim == 1:
        length = inp.shape[0] + abs(k)
        return _diagonal_back(inp, (length, length), k)
    if inp.ndim == 2:
        return _diagonal(inp, k)
    raise ValueError(f"diag(): inp must be a vector or a matrix, not of shape {inp.shape}")


def meshgrid(*inputs: Tensor, indexing: str = "xy") -> list[Any]:
    """Coordinates of a grid, from one vector of coordinates for each axis.

    >>> [grid.shape for grid in meshgrid(tensor([1., 2., 3.]), tensor([4., 5.]))]
    [(2, 3), (2, 3)]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid(): indexing must be 'xy' or 'ij', not {indexing!r}")
    order = list(range(len(inputs)))
    if indexing == "xy" and len(inputs) > 1:
        order[:2] = [1, 0]
    shape = [0] * len(inputs)
    for axis, inp in zip(order, inputs, strict=True):
        shape[axis] = inp.shape[0]
    grids = []
    for axis, inp in zip(order, inputs, strict=True):
        along = [1] * len(inputs)
        along[axis] = inp.shape[0]
        grids.append(broadcast_to(reshape(inp, along), shape))
    return grids
