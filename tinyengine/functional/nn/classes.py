"""Classes and words: numbers that pick one of several, as ones in a row or as rows of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend import Array, array_module
from ...op import op
from ...tensor import Tensor
from ..arguments import _check_tensors
from ..tensor.indexing import gather, getitem
from ..tensor.shape import expand_dims, squeeze


def _check_classes(labels: Array, count: int) -> None:
    """Refuse labels that are no integers from 0 to `count` − 1.

    Raises:
        TypeError: they are not integers.
        IndexError: one is out of range.
    """
    if labels.dtype.kind not in "iu":
        raise TypeError(
            f"the labels must be integers, not {labels.dtype}; use label.astype('int32')"
        )
    if labels.size and not (labels.min() >= 0 and labels.max() < count):
        wrong = labels[(labels < 0) | (labels >= count)]
        raise IndexError(
            f"label {wrong[0].item()} is out of range: with {count} classes labels go from 0 to"
            f" {count - 1}"
        )


@op("one-hot", promotes=False)
def one_hot(inp: Array, num_classes: int) -> Array:
    """For each label a row of `num_classes` elements: 1 at the label, else 0; int32.

    Raises:
        IndexError: a label is not from 0 to `num_classes` − 1.
        TypeError: the labels are not integers.

    >>> one_hot(tensor([0, 2]), 3)
    Tensor([[1 0 0]
     [0 0 1]], dtype=int32, device=cpux:0)
    """
    labels = array_module(inp).asarray(inp)
    _check_classes(labels, num_classes)
    return (labels[..., None] == array_module(inp).arange(num_classes)).astype("int32")


def indexing_one_hot(src: Tensor, index: Tensor, axis: int = 1, keepdims: bool = False) -> Any:
    """The element of `src` along `axis` that `index` picks at each of the other places.

    Args:
        src: the elements.
        index: integers, of the shape of `src` without `axis`.
        axis: along which to pick.
        keepdims: keep that axis, with length 1.

    Raises:
        IndexError: an index is out of range.
        ValueError: the shapes do not fit.

    >>> indexing_one_hot(tensor([[1., 2.], [3., 4.]]), tensor([0, 1]))
    Tensor([1. 4.], device=cpux:0)
    """
    places = _places("indexing_one_hot", src, index, axis)
    picked = gather(src, axis, expand_dims(places, axis))
    return picked if keepdims else squeeze(picked, axis)


def _places(name: str, src: Any, index: Any, axis: int) -> Any:
    """`index` as integers that are known to fit `src` without `axis`."""
    _check_tensors(name, src=src)
    index = index if hasattr(index, "dtype") else np.asarray(index)
    if not -src.ndim <= axis < src.ndim:
        raise ValueError(f"{name}(): a tensor of shape {src.shape} has no axis {axis}")
    shape = src.shape[: axis % src.ndim] + src.shape[axis % src.ndim + 1 :]
    if tuple(index.shape) != shape:
        raise ValueError(
            f"{name}(): the labels have shape {tuple(index.shape)}, but {src.shape} without axis"
            f" {axis} is {shape}"
        )
    try:
        _check_classes(getattr(index, "_data", index), src.shape[axis])
    except (TypeError, IndexError) as error:
        raise type(error)(f"{name}(): {error}") from None
    return index


def embedding(
    inp: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float | None = None,
) -> Any:
    """The rows of `weight` with the numbers in `inp`.

    Args:
        inp: integers of any shape.
        weight: one row for each number.
        padding_idx: not supported, as in MegEngine; must be None.
        max_norm: not supported; must be None.
        norm_type: not supported; must be None.

    Raises:
        IndexError: there is no such row.
        TypeError: the numbers are not integers.
        ValueError: one of the last three arguments is given.

    >>> embedding(tensor([1, 1]), tensor([[1., 2.], [3., 4.]]))
    Tensor([[3. 4.]
     [3. 4.]], device=cpux:0)
    """
    if (padding_idx, max_norm, norm_type) != (None, None, None):
        raise ValueError("embedding(): padding_idx, max_norm and norm_type must be None")
    _check_tensors("embedding", weight=weight)
    inp = inp if isinstance(inp, Tensor) else Tensor(inp, device=weight.device)
    rows = weight.shape[0]
    if inp.dtype.kind not in "iu":
        raise TypeError(f"embedding(): inp must be integers, not {inp.dtype}: use astype('int32')")
    if inp.size and not (inp._data.min() >= 0 and inp._data.max() < rows):
        raise IndexError(
            f"embedding(): inp goes from {inp._data.min().item()} to {inp._data.max().item()}, but"
            f" weight of shape {weight.shape} has rows 0 to {rows - 1}"
        )
    return getitem(weight, inp)
