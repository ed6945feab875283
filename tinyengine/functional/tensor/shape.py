"""Ops that change the shape and keep the elements."""

from __future__ import annotations

import contextlib
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend import Array, array_module
from ...op import method, op
from ...tensor import Tensor
from ..arguments import _check_tensors, _counted


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


@op("T")
def transpose(inp: Array, pattern: Sequence[int | str]) -> Array:
    """`inp` with its axes in the order of `pattern`; "x" in it makes a new axis of length 1.

    Raises:
        ValueError: `pattern` does not name every axis once.

    >>> transpose(tensor([[1., 2., 3.]]), (1, 0)).shape
    (3, 1)
    """
    axes = [axis for axis in pattern if axis != "x"]
    if sorted(axes) != list(range(inp.ndim)):
        raise ValueError(f"the pattern {tuple(pattern)} must name each of the {inp.ndim} axes once")
    new = [i for i, axis in enumerate(pattern) if axis == "x"]
    return array_module(inp).expand_dims(inp.transpose(axes), tuple(new))


def _transposed_back(dout: Any, inp_shape: Any, pattern: Any) -> Any:
    axes = [axis for axis in pattern if axis != "x"]
    if len(axes) < len(pattern):
        dout = reshape(dout, tuple(inp_shape[axis] for axis in axes))
    return transpose(dout, tuple(axes.index(i) for i in range(len(axes))))


transpose.vjp(inp=_transposed_back)


@op("squeeze")
def squeeze(inp: Array, axis: int | Sequence[int] | None = None) -> Array:
    """`inp` without the axes given, which must have length 1; by default without all such axes.

    Raises:
        ValueError: an axis is longer than 1.

    >>> squeeze(tensor([[[1.], [2.]]])).shape
    (2,)
    """
    return inp.squeeze(tuple(axis) if isinstance(axis, list) else axis)


squeeze.vjp(inp=lambda dout, inp_shape: reshape(dout, inp_shape))


def flatten(inp: Tensor, start_axis: int = 0, end_axis: int = -1) -> Any:
    """`inp` with the axes from `start_axis` to `end_axis` made into one.

    >>> flatten(tensor([[1., 2.], [3., 4.]]))
    Tensor([1. 2. 3. 4.], device=cpux:0)
    """
    _check_tensors("flatten", inp=inp)
    if not inp.shape:
        return reshape(inp, (1,))
    shape = inp.shape
    start = _counted("flatten", start_axis, len(shape))
    end = _counted("flatten", end_axis, len(shape)) + 1
    return reshape(inp, (*shape[:start], math.prod(shape[start:end]), *shape[end:]))


@method("reshape")
def _(self: Tensor, *shape: Any) -> Any:
    """`self` in another shape, given as lengths or as one tuple: ``t.reshape(2, -1)``."""
    return reshape(self, shape[0] if len(shape) == 1 else shape)


@method("transpose")
def _(self: Tensor, *pattern: Any) -> Any:
    """`self` with its axes reversed, or in the order given: ``t.transpose(1, 0, 2)``."""
    if len(pattern) == 1 and not isinstance(pattern[0], (int, str)):
        pattern = tuple(pattern[0])
    return transpose(self, pattern or tuple(reversed(range(self.ndim))))


@method("flatten")
def _(self: Tensor) -> Any:
    """`self` with all its axes made into one."""
    return flatten(self)


Tensor.T = property(lambda self: self.transpose(), doc="The tensor with its axes reversed.")
