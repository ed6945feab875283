"""Edges: what is added around a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend import Array, array_module
from ...op import op
from ...tensor import Tensor
from ..arguments import _check_tensors
from ..tensor.indexing import getitem

_NUMPY_MODES = {"reflect": "reflect", "replicate": "edge", "edge": "edge"}


@op("pad")
def _constant_pad(src: Array, widths: Sequence[tuple[int, int]], value: float) -> Array:
    """`src` with `value` before and after it along each axis.

    >>> _constant_pad(tensor([1., 2.]), ((1, 2),), 0.)
    Tensor([0. 1. 2. 0. 0.], device=cpux:0)
    """
    return array_module(src).pad(src, widths, constant_values=value)


def _inner(dout: Any, src_shape: Any, widths: Any) -> Any:
    pairs = zip(widths, src_shape, strict=True)
    return getitem(dout, tuple(slice(before, before + n) for (before, _), n in pairs))


_constant_pad.vjp(src=_inner)


def pad(
    src: Tensor,
    pad_width: Sequence[tuple[int, int]],
    mode: str = "constant",
    constant_value: float = 0.0,
) -> Any:
    """`src` with elements added before and after it, along each axis.

    Args:
        src: at least as many axes as `pad_width` has pairs.
        pad_width: how many before and how many after, for the first axis, the second, …
        mode: "constant"; "replicate" (or "edge") to repeat the element at the edge; "reflect" for
            the elements inside, mirrored at the edge.
        constant_value: what mode "constant" adds.

    Raises:
        ValueError: the widths do not fit, or there is no such mode.

    >>> pad(tensor([1., 2., 3.]), ((1, 2),), "reflect")
    Tensor([2. 1. 2. 3. 2. 1.], device=cpux:0)
    """
    _check_tensors("pad", src=src)
    if mode != "constant" and mode not in _NUMPY_MODES:
        raise ValueError(
            f"pad(): {mode!r} is not a valid value for mode: use 'constant', 'replicate', 'reflect'"
        )
    widths = [tuple(pair) for pair in pad_width]
    if len(widths) > src.ndim or any(len(pair) != 2 or min(pair) < 0 for pair in widths):
        raise ValueError(
            f"pad(): pad_width={pad_width} must be a pair (before, after) for at most the"
            f" {src.ndim} axes of src"
        )
    widths += [(0, 0)] * (src.ndim - len(widths))
    if mode == "constant":
        return _constant_pad(src, tuple(widths), constant_value)
    for axis, pair in enumerate(widths):
        length = src.shape[axis]
        fits = max(pair) < length if mode == "reflect" else length > 0
        if max(pair) and not fits:
            raise ValueError(
                f"pad(): axis {axis} of src has {length} elements: too few for mode={mode!r} to add"
                f" {max(pair)}"
            )
        if max(pair):
            places = np.pad(np.arange(length), pair, mode=_NUMPY_MODES[mode])  # type: ignore[call-overload]
            src = getitem(src, (*[slice(None)] * axis, places))
    return src
