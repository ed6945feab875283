"""The affine map of a layer."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend import Array
from ...op import op
from ...tensor import Tensor
from ..math.linalg import matmul
from ..tensor.shape import reshape, swapaxes


@op("xWᵀ+b", broadcasts=True)
def _affine(inp: Array, weight: Array, bias: Array) -> Array:
    """See linear.

    >>> _affine(tensor([[1., 2.]]), tensor([[3., 4.]]), tensor([5.]))
    Tensor([[16.]], device=cpux:0)
    """
    if weight.ndim != 2 or not inp.ndim:
        raise ValueError("weight is not a matrix")
    out = inp.dot(weight.T)
    if out.dtype != bias.dtype:
        return out + bias
    out += bias
    return out


def _to_weight(dout: Any, inp: Any) -> Any:
    """The sum of the products of dout and inp over all rows."""
    if inp.ndim != 2:
        rows = int(np.prod(inp.shape[:-1]))
        inp, dout = reshape(inp, (rows, inp.shape[-1])), reshape(dout, (rows, dout.shape[-1]))
    return matmul(swapaxes(dout), inp)


_affine.vjp(
    inp=lambda dout, weight: matmul(dout, weight),
    weight=_to_weight,
    bias=lambda dout: dout,  # the chain rule sums over the rows
)


@_affine.explain
def _(inp: Any, weight: Any, *_: Any) -> str:
    row, shape = np.shape(inp)[-1:], np.shape(weight)
    if len(shape) != 2 or not row:
        return "inp needs at least one axis, and weight two: (outputs, inputs)"
    if row[0] != shape[1]:
        return f"a row of inp has {row[0]} elements, but weight (outputs, inputs) takes {shape[1]}"
    return f"bias must have the shape ({shape[0]},), one number for each output"


def linear(
    inp: Tensor, weight: Tensor, bias: Tensor | None = None, compute_mode: str = "default"
) -> Any:
    """`inp` · `weight`ᵀ + `bias`, for each row of `inp`.

    Args:
        inp: (…, inputs).
        weight: (outputs, inputs).
        bias: (outputs,), or None.
        compute_mode: there for MegEngine's sake; it changes nothing.

    Raises:
        ValueError: the shapes do not fit.

    >>> linear(tensor([[1., 2.]]), tensor([[3., 4.]]), tensor([5.]))
    Tensor([[16.]], device=cpux:0)
    """
    del compute_mode
    if bias is None:
        return matmul(inp, weight, transpose_b=True)
    return _affine(inp, weight, bias)
