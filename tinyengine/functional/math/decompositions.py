"""Singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend import Array, array_module
from ...op import op
from ...tensor import Tensor
from ..arguments import _check_tensors
from ..tensor.indexing import getitem
from ..tensor.shape import expand_dims, reshape, swapaxes
from .linalg import matmul


@op("svd")
def _singular(inp: Array) -> Array:
    """U, S and V of `inp` (…, m, n), flattened one behind the other along the last axis.

    >>> _singular(tensor([[3., 0.], [0., 2.]])).shape
    (10,)
    """
    xp = array_module(inp)
    wide = inp if inp.dtype == np.float64 else inp.astype(np.float32)
    parts = xp.linalg.svd(wide, full_matrices=False)
    batch = inp.shape[:-2]
    return xp.concatenate([part.reshape((*batch, -1)) for part in parts], -1).astype(inp.dtype)


def _parts(packed: Any, shape: Any) -> tuple[Any, Any, Any]:
    """U (…, m, k), S (…, k) and V (…, k, n) again."""
    *batch, m, n = shape
    k = min(m, n)
    cuts = [0, m * k, m * k + k, m * k + k + k * n]
    u, s, v = (getitem(packed, (..., slice(cuts[i], cuts[i + 1]))) for i in range(3))
    return reshape(u, (*batch, m, k)), s, reshape(v, (*batch, k, n))


def _singular_back(dout: Any, out: Any, inp_shape: Any) -> Any:
    """The gradient through a thin SVD, as in Townsend, "Differentiating the SVD" (2016)."""
    if hasattr(dout, "called"):  # too long to be written down
        return dout.called("svd_gradient", out, str(inp_shape))
    (u, s, v), (du, ds, dv) = _parts(out, inp_shape), _parts(dout, inp_shape)
    xp = array_module(getattr(out, "_data", out))
    eye = xp.eye(s.shape[-1], dtype=out.dtype)
    row, column = expand_dims(s, -2), expand_dims(s, -1)
    gaps = (1 - eye) / (row * row - column * column + eye)

    def turned(a: Any, da: Any) -> Any:
        product = matmul(swapaxes(a), da)
        return gaps * (product - swapaxes(product))

    v, dv = swapaxes(v), swapaxes(dv)
    core = turned(u, du) * row + column * turned(v, dv) + eye * expand_dims(ds, -2)
    grad = matmul(matmul(u, core), swapaxes(v))
    if u.shape[-2] > u.shape[-1]:
        rest = du - matmul(u, matmul(swapaxes(u), du))
        grad = grad + matmul(rest / row, swapaxes(v))
    if v.shape[-2] > v.shape[-1]:
        rest = dv - matmul(v, matmul(swapaxes(v), dv))
        grad = grad + matmul(u, swapaxes(rest / row))
    return grad


_singular.vjp(inp=_singular_back)


def svd(inp: Tensor, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """The singular value decomposition ``inp = U @ diag(S) @ V`` of each matrix of `inp` (…, m, n).

    Args:
        inp: matrices.
        full_matrices: make U (…, m, m) and V (…, n, n) square; these have no gradient.
        compute_uv: return U, S and V, else only S.

    Raises:
        ValueError: `inp` has fewer than two axes.

    >>> svd(tensor([[3., 0.], [0., 2.]]), compute_uv=False)
    Tensor([3. 2.], device=cpux:0)
    """
    _check_tensors("svd", inp=inp)
    if inp.ndim < 2:
        raise ValueError(f"svd(): inp must hold matrices, and its shape is {inp.shape}")
    if full_matrices and compute_uv:
        xp = inp.device.xp
        parts = xp.linalg.svd(inp._data, full_matrices=True)
        return tuple(Tensor(part, dtype=inp.dtype, device=inp.device) for part in parts)
    u, s, v = _parts(_singular(inp), inp.shape)
    return (u, s, v) if compute_uv else s
