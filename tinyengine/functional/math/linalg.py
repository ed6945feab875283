"""Products, inverses and lengths of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend import Array, array_module
from ...op import op, quiet
from ...tensor import Tensor
from ..arguments import _check_tensors
from ..elemwise.arithmetic import abs, clip
from ..elemwise.logic import not_equal
from ..tensor.indexing import getitem
from ..tensor.joining import roll
from ..tensor.shape import broadcast_to, expand_dims, reshape, swapaxes
from .reductions import _ratio, _spread, max, min, sum


@op("@", operator="matmul", broadcasts=True)
def matmul(inp1: Array, inp2: Array, transpose_a: bool = False, transpose_b: bool = False) -> Array:
    """Matrix product of `inp1` (…, n, k) and `inp2` (…, k, m): (…, n, m).

    A vector stands for a row on the left and for a column on the right; leading axes stretch to a
    common shape. With `transpose_a` or `transpose_b` the last two axes of that operand are swapped.

    Raises:
        ValueError: the inner lengths differ, or an operand has no axes.

    >>> matmul(tensor([[1., 3., 5.]]), tensor([[2.], [4.], [6.]]))
    Tensor([[44.]], device=cpux:0)
    """
    if not np.ndim(inp1) or not np.ndim(inp2):
        raise ValueError("an operand is a single number")
    a = swapaxes(inp1) if transpose_a and inp1.ndim > 1 else inp1
    b = swapaxes(inp2) if transpose_b and inp2.ndim > 1 else inp2
    return a.dot(b) if a.ndim <= 2 >= b.ndim else a @ b  # dot costs half of @ when small


def _to_inp1(dout: Any, inp1_shape: Any, inp2: Any, transpose_a: bool, transpose_b: bool) -> Any:
    if inp2.ndim == 1:  # a column
        dout, inp2 = expand_dims(dout, -1), expand_dims(inp2, -1)
    elif transpose_b:
        inp2 = swapaxes(inp2)
    if len(inp1_shape) == 1:  # a row
        return matmul(expand_dims(dout, -2), swapaxes(inp2))
    grad = matmul(dout, swapaxes(inp2))
    return swapaxes(grad) if transpose_a else grad


def _to_inp2(dout: Any, inp1: Any, inp2_shape: Any, transpose_a: bool, transpose_b: bool) -> Any:
    column = len(inp2_shape) == 1
    if column:
        dout = expand_dims(dout, -1)
    if inp1.ndim == 1:  # a row
        dout, inp1 = expand_dims(dout, -2), expand_dims(inp1, 0)
    elif transpose_a:
        inp1 = swapaxes(inp1)
    grad = matmul(swapaxes(inp1), dout)
    if column:
        return getitem(grad, (..., 0))
    return swapaxes(grad) if transpose_b else grad


matmul.vjp(inp1=_to_inp1, inp2=_to_inp2)


@matmul.explain
def _(inp1: Any, inp2: Any, transpose_a: bool, transpose_b: bool) -> str:
    a, b = np.shape(inp1), np.shape(inp2)
    if not a or not b:
        return "both operands need at least one axis; multiply by a single number with *"
    rows = a[-2 if transpose_a and len(a) > 1 else -1]
    columns = b[-1 if transpose_b or len(b) == 1 else -2]
    if rows != columns:
        return f"each row of inp1 has {rows} elements but each column of inp2 has {columns}"
    return f"the leading axes {a[:-2]} and {b[:-2]} do not stretch to a common shape"


def dot(inp1: Tensor, inp2: Tensor) -> Any:
    """Sum of the products of two vectors of one length.

    Raises:
        ValueError: an operand is not a vector, or the lengths differ.

    >>> dot(tensor([1., 2.]), tensor([3., 4.]))
    Tensor(11.0, device=cpux:0)
    """
    if np.ndim(inp1) != 1 or np.ndim(inp2) != 1:
        raise ValueError(
            f"dot(): both operands must be vectors, not of shapes {np.shape(inp1)} and"
            f" {np.shape(inp2)}; use matmul() for matrices"
        )
    return matmul(inp1, inp2)


@op("⁻¹")
def matinv(inp: Array) -> Array:
    """Inverse of each square matrix of `inp` (…, n, n).

    Raises:
        ValueError: a matrix is not square, or has no inverse.

    >>> matinv(tensor([[2., 0.], [0., 4.]]))
    Tensor([[0.5  0.  ]
     [0.   0.25]], device=cpux:0)
    """
    xp = array_module(inp)
    if inp.ndim < 2 or inp.shape[-1] != inp.shape[-2]:
        raise ValueError("the last two axes must have equal lengths")
    wide = inp if inp.dtype == np.float64 else inp.astype(np.float32)
    try:
        return xp.linalg.inv(wide).astype(inp.dtype if inp.dtype.kind == "f" else np.float32)
    except np.linalg.LinAlgError:
        raise ValueError("a matrix is singular: it has no inverse") from None


matinv.vjp(inp=lambda dout, out: -matmul(swapaxes(out), matmul(dout, swapaxes(out))))


def norm(
    inp: Tensor, ord: float | None = None, axis: int | None = None, keepdims: bool = False
) -> Any:
    """Length of the vectors of `inp` along `axis`: (Σ |x|^ord)^(1/ord).

    Args:
        inp: a vector, or more axes of which `axis` is the one of the vectors.
        ord: 2 by default; inf and -inf mean the largest and the smallest |x|, 0 counts non-zeros.
        axis: the axis of the vectors; not needed for one vector.
        keepdims: keep that axis, with length 1.

    Raises:
        TypeError: there is more than one axis, and none is given.

    >>> norm(tensor([3., 4.]))
    Tensor(5.0, device=cpux:0)
    """
    _check_tensors("norm", inp=inp)
    if axis is None and inp.ndim != 1:
        raise TypeError(
            f"norm(): axis is required unless inp is a vector; its shape is {inp.shape}"
        )
    if ord is None or ord == 2:
        return _length(inp, axis, keepdims)
    if ord == 0:
        return sum(not_equal(inp, 0).astype(inp.dtype), axis, keepdims)
    if ord in (np.inf, -np.inf):
        return (max if ord > 0 else min)(abs(inp), axis, keepdims)
    if ord == 1:
        return sum(abs(inp), axis, keepdims)
    return sum(abs(inp) ** ord, axis, keepdims) ** (1 / ord)


@op("‖x‖")
@quiet
def _length(inp: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Root of the sum of squares; at 0 its gradient is 0.

    >>> _length(tensor([3., 4.]))
    Tensor(5.0, device=cpux:0)
    """
    return array_module(inp).sqrt((inp * inp).sum(axis=axis, keepdims=keepdims))


def _to_length(dout: Any, inp: Any, out: Any, axis: Any, keepdims: bool) -> Any:
    return _spread(_ratio(dout, out), inp.shape, axis, keepdims) * inp


_length.vjp(inp=_to_length)


def normalize(
    inp: Tensor, ord: float | None = None, axis: int | None = None, eps: float = 1e-12
) -> Any:
    """`inp` divided by its norm along `axis`, or by `eps` where the norm is smaller.

    >>> normalize(tensor([3., 4.]))
    Tensor([0.6 0.8], device=cpux:0)
    """
    if axis is None:
        return inp / clip(norm(inp, ord, axis), eps)
    return inp / clip(norm(inp, ord, axis, keepdims=True), eps)


def cross(inp1: Tensor, inp2: Tensor, axis: int = -1) -> Any:
    """Vector product of three-dimensional vectors that lie along `axis`.

    Raises:
        ValueError: that axis does not have length 3.

    >>> cross(tensor([1., 0., 0.]), tensor([0., 1., 0.]))
    Tensor([0. 0. 1.], device=cpux:0)
    """
    if inp1.shape[axis] != 3 or inp2.shape[axis] != 3:
        raise ValueError(
            f"cross(): axis {axis} must have length 3 in both, not {inp1.shape} and {inp2.shape}"
        )
    turned = [roll(inp, shift, axis) for inp in (inp1, inp2) for shift in (-1, -2)]
    return turned[0] * turned[3] - turned[1] * turned[2]


@op("Σ")
def _einsum(*inps: Array, equation: str) -> Array:
    """See einsum.

    >>> _einsum(tensor([1., 2.]), tensor([3., 4.]), equation="i,i->")
    Tensor(11.0, device=cpux:0)
    """
    return array_module(*inps).einsum(equation, *inps)


def _to_einsum(dout: Any, which: int, inps: Any, inps_shape: Any, equation: str) -> Any:
    """The same sum over all other factors and dout; then spread over what only this one had."""
    sources, target = equation.split("->")
    terms = sources.split(",")
    mine = terms[which]
    others = [term for i, term in enumerate(terms) if i != which]
    known = set(target).union(*others)
    reachable = "".join(letter for letter in mine if letter in known)
    rest = [inp for i, inp in enumerate(inps) if i != which]
    grad = _einsum(dout, *rest, equation=f"{','.join([target, *others])}->{reachable}")
    shape = inps_shape[which]
    lengths = [n if letter in known else 1 for letter, n in zip(mine, shape, strict=True)]
    return broadcast_to(reshape(grad, lengths), shape)


_einsum.vjp(inps=_to_einsum)
_einsum.writes(lambda *inps, equation: inps[0].called("einsum", *inps[1:], repr(equation)))


def einsum(equation: str, *operands: Tensor) -> Any:
    """Sum of products over the letters that the result does not have, as in ``"ij,jk->ik"``.

    Raises:
        ValueError: the letters do not fit the operands, or one comes twice in a term.

    >>> einsum("ij,j->i", tensor([[1., 2.], [3., 4.]]), tensor([1., 1.]))
    Tensor([3. 7.], device=cpux:0)
    """
    sources, arrow, target = equation.replace(" ", "").partition("->")
    if not arrow:
        letters = sources.replace(",", "")
        target = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    terms = sources.split(",")
    if not sources.replace(",", "").isalpha() or not (target or "a").isalpha():
        raise ValueError(f"einsum(): {equation!r} may hold only letters, commas and ->")
    if len(terms) != len(operands):
        raise ValueError(
            f"einsum(): {equation!r} has {len(terms)} terms, but {len(operands)} operands are given"
        )
    for term, operand in zip(terms, operands, strict=True):
        if len(term) != np.ndim(operand) or len(set(term)) != len(term):
            raise ValueError(
                f"einsum(): the term {term!r} must name each axis of an operand of shape"
                f" {np.shape(operand)} once"
            )
    return _einsum(*operands, equation=f"{sources}->{target}")
