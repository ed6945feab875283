"""Order: where the extremes are, sorting, the k largest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...backend import Array, array_module
from ...op import op
from ...tensor import Tensor
from ..arguments import _check_tensors
from ..tensor.indexing import gather, getitem


@op("argmax", promotes=False)
def argmax(inp: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Place of the largest element along `axis`, the first of several; flat without an axis.

    Raises:
        ValueError: there are no elements.

    >>> argmax(tensor([[1., 5.], [7., 4.]]), axis=1)
    Tensor([1 0], dtype=int32, device=cpux:0)
    """
    return inp.argmax(_one_axis(axis), keepdims=keepdims).astype("int32")


@op("argmin", promotes=False)
def argmin(inp: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Place of the smallest element along `axis`, the first of several; flat without an axis.

    Raises:
        ValueError: there are no elements.

    >>> argmin(tensor([[1., 5.], [7., 4.]]), axis=1)
    Tensor([0 1], dtype=int32, device=cpux:0)
    """
    return inp.argmin(_one_axis(axis), keepdims=keepdims).astype("int32")


def _one_axis(axis: Any) -> int | None:
    if isinstance(axis, Sequence):
        if len(axis) != 1:
            raise ValueError(f"axis must be one axis or None, not {axis}")
        return int(axis[0])
    return axis  # type: ignore[no-any-return]


@op("argsort", promotes=False)
def argsort(inp: Array, descending: bool = False) -> Array:
    """Places that put the last axis in order; equal elements keep theirs.

    >>> argsort(tensor([3., 1., 2.]))
    Tensor([1 2 0], dtype=int32, device=cpux:0)
    """
    if not inp.ndim:
        raise ValueError("a single number has no order; inp needs at least one axis")
    xp = array_module(inp)
    if not descending:
        return xp.argsort(inp, axis=-1, kind="stable").astype("int32")
    last = xp.argsort(inp[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    return (inp.shape[-1] - 1 - last).astype("int32")


def sort(inp: Tensor, descending: bool = False) -> tuple[Any, Any]:
    """`inp` with its last axis in order, and the places where the elements were.

    >>> sort(tensor([3., 1., 2.]))
    (Tensor([1. 2. 3.], device=cpux:0), Tensor([1 2 0], dtype=int32, device=cpux:0))
    """
    places = argsort(inp, descending)
    return gather(inp, inp.ndim - 1, places), places


def topk(
    inp: Tensor, k: int, descending: bool = True, kth_only: bool = False, no_sort: bool = False
) -> tuple[Any, Any]:
    """The `k` largest (or, with `descending` false, smallest) of the last axis, and their places.

    Args:
        inp: at least one axis.
        k: how many, at least 1 and at most the length of the last axis.
        descending: the largest, falling; else the smallest, rising.
        kth_only: only the `k`-th, without the last axis.
        no_sort: any order will do; they come sorted all the same.

    Raises:
        ValueError: `k` is out of range.

    >>> topk(tensor([3., 1., 2.]), 2)
    (Tensor([3. 2.], device=cpux:0), Tensor([0 2], dtype=int32, device=cpux:0))
    """
    del no_sort
    _check_tensors("topk", inp=inp)
    if not inp.ndim or not 1 <= k <= inp.shape[-1]:
        raise ValueError(
            f"topk(): k must lie between 1 and the length of the last axis of {inp.shape}, not {k}"
        )
    values, places = sort(inp, descending)
    key = (..., k - 1) if kth_only else (..., slice(k))
    return getitem(values, key), getitem(places, key)
