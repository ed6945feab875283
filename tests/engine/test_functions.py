"""Functions that are made of ops, and the awkward points of those that are one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as arrays

import tinyengine as te
import tinyengine.functional as F

inf, nan = math.inf, math.nan


def T(data: Any, dtype: str | None = None) -> te.Tensor:  # noqa: N802
    return te.tensor(data, dtype=dtype, device="cpux")


def same(got: Any, wanted: Any, tolerance: float = 1e-6) -> None:
    got = got.numpy()
    assert got.shape == np.shape(wanted)
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


def test_powers_at_the_awkward_points(grads: Any) -> None:
    with np.errstate(all="raise"):
        assert grads(lambda x: (x**0).sum(), T([0.0, 1.0, -2.0]))[0].tolist() == [0, 0, 0]
        assert grads(lambda x: (x**1.5).sum(), T([0.0, 4.0]))[0].tolist() == [0, 3]
        assert grads(lambda x: (x**1).sum(), T([0.0, 4.0]))[0].tolist() == [1, 1]
        assert grads(lambda x: (2**x).sum(), T([3.0]))[0] == pytest.approx(8 * math.log(2))
    base = T([0.0, 3.0])
    by_exponent = grads(lambda b: (base**b).sum(), T([1.0, 2.0]))[0]
    assert by_exponent == pytest.approx([0, 9 * math.log(3)])


def test_ties_share_the_gradient(grads: Any) -> None:
    assert grads(lambda x: F.maximum(x, 0).sum(), T([-1.0, 0.0, 2.0]))[0].tolist() == [0, 0.5, 1]
    assert grads(lambda x: F.minimum(0, x).sum(), T([-1.0, 0.0, 2.0]))[0].tolist() == [1, 0.5, 0]
    assert grads(lambda x: F.max(x), T([1.0, 3.0, 3.0]))[0].tolist() == [0, 0.5, 0.5]
    assert grads(lambda x: F.min(x, axis=1).sum(), T([[1.0, 1.0], [0.0, 2.0]]))[0].tolist() == [
        [0.5, 0.5],
        [1, 0],
    ]
    assert grads(lambda x: F.abs(x).sum(), T([-1.0, 0.0, 2.0]))[0].tolist() == [-1, 0, 1]
    assert grads(lambda x: F.clip(x, 0, 1).sum(), T([-1.0, 0.0, 0.5, 1.0, 2.0]))[0].tolist() == [
        0,
        1,
        1,
        1,
        0,
    ]


def test_where_lets_nothing_through_from_the_branch_not_taken(grads: Any) -> None:
    mask, other = T([True, False]), T([nan, 5.0])
    assert grads(lambda x: F.where(mask, x, other).sum(), T([1.0, 2.0]))[0].tolist() == [1, 0]
    same(F.where(T([True, True]), T([1.0, 2.0]), T([nan, inf])), [1, 2])
    assert grads(lambda x: F.where(T([False]), x, T([1.0])), T([1.0]))[0].tolist() == [0]


def test_products_with_zeros(grads: Any) -> None:
    assert grads(F.prod, T([2.0, 0.0, 3.0]))[0].tolist() == [0, 6, 0]
    assert grads(F.prod, T([0.0, 0.0, 3.0]))[0].tolist() == [0, 0, 0]
    by_rows = grads(lambda x: F.prod(x, axis=1).sum(), T([[2.0, 0.0], [3.0, 4.0]]))[0]
    assert by_rows.tolist() == [[0, 2], [4, 3]]


def test_second_order_of_a_product_with_zeros() -> None:
    x = T([2.0, 0.0, 3.0])
    outer, inner = (te.autodiff.GradManager().attach(x) for _ in range(2))
    with outer:
        with inner:
            inner.backward(F.prod(x))
        first, x.grad = x.grad, None
        outer.backward(first[1])
    assert x.grad.tolist() == [3, 0, 2]


def test_lengths_and_spreads_of_zero_have_gradient_zero(grads: Any) -> None:
    assert grads(F.norm, T([0.0, 0.0]))[0].tolist() == [0, 0]
    assert grads(F.std, T([1.0, 1.0]))[0].tolist() == [0, 0]
    assert grads(F.norm, T([3.0, 4.0]))[0] == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize("order", [None, 0, 1, 2, 3, inf, -inf])
def test_norms(order: float | None) -> None:
    x = np.array([[3.0, -4.0, 0.0], [1.0, 2.0, -2.0]])
    for axis in (0, 1):
        wanted = np.linalg.norm(x, 2 if order is None else order, axis, keepdims=True)
        same(F.norm(T(x), order, axis, keepdims=True), wanted)
    with pytest.raises(TypeError, match=r"norm\(\): axis is required unless inp is a vector"):
        F.norm(T(x))


def test_normalize_divides_by_eps_at_least() -> None:
    same(F.normalize(T([3.0, 4.0])), [0.6, 0.8])
    same(F.normalize(T([[3.0, 4.0], [0.0, 0.0]]), axis=1), [[0.6, 0.8], [0, 0]])


def test_means_of_float16_add_up_in_float32() -> None:
    x = T(np.full(10000, 30.0), "float16")
    assert F.mean(x).item() == 30.0
    assert F.mean(x).dtype == "float16"
    assert F.mean(T([1, 2])).dtype == "float32"


def test_rounding_goes_away_from_zero() -> None:
    halves = [0.5, 1.5, 2.5, -0.5, -2.5, 0.49999997, nan, inf]
    same(F.round(T(halves)), [1, 2, 3, -1, -3, 0, nan, inf])
    assert F.sign(T([nan])).item() == 0.0


def test_remainders() -> None:
    same(T([-5.0, 5.0]) % 3, [-2, 2])
    same(T([-5, 5]) % 3, [1, 2])
    same(T([-5.0]) // 2, [-3])
    assert (T([-5]) // 2).dtype == "int32"


def test_powers_of_integers_are_floats() -> None:
    assert repr(T([1, 2]) ** 2) == "Tensor([1. 4.], device=cpux:0)"
    same(T([2]) ** -1, [0.5])


def test_nothing_warns() -> None:
    with np.errstate(all="raise"):
        F.log(T([0.0, -1.0])), F.sqrt(T([-1.0])), F.exp(T([1e4])), T([1.0]) / 0, F.tan(T([inf]))
        F.atanh(T([1.0])), F.expm1(T([1e4])), T([0.0]) ** -1, F.logaddexp(T([1e4]), T([-1e4]))


def test_sorting_and_its_places(grads: Any) -> None:
    values, places = F.sort(T([[3.0, 1.0, 2.0]]), descending=True)
    same(values, [[3, 2, 1]])
    assert (places.tolist(), places.dtype) == ([[0, 2, 1]], np.int32)
    values, places = F.topk(T([3.0, 1.0, 2.0]), 2, descending=False)
    assert (values.tolist(), places.tolist()) == ([1, 2], [1, 2])
    assert F.topk(T([3.0, 1.0, 2.0]), 2, kth_only=True)[0].item() == 2.0
    weights = T([1.0, 10.0, 100.0])
    by = grads(lambda x: (F.sort(x)[0] * weights).sum(), T([3.0, 1.0, 2.0]))[0]
    assert by.tolist() == [100, 1, 10]
    assert F.argsort(T([1.0, 1.0, 0.0]), descending=True).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ij,kj", [(2, 3), (4, 3)]),
        ("bi,bj->bij", [(2, 3), (2, 4)]),
    ],
)
def test_einsum(equation: str, shapes: list[tuple[int, ...]]) -> None:
    operands = [np.random.default_rng(0).normal(size=shape) for shape in shapes]
    same(F.einsum(equation, *map(T, operands)), np.einsum(equation, *operands), 1e-5)


def test_scatter_and_gather(grads: Any) -> None:
    index = T([[0, 0], [1, 2]])
    same(F.gather(T([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), 0, index), [[1, 2], [3, 6]])
    source = T([[1.0, 2.0, 3.0]])
    twice = T([[0, 1, 0]])
    same(F.scatter(T([[9.0, 9.0]]), 1, twice, source), [[3, 2]])
    by_inp, by_source = grads(lambda a, s: F.scatter(a, 1, twice, s), T([[9.0, 9.0]]), source)
    assert (by_inp.tolist(), by_source.tolist()) == ([[0, 0]], [[0, 1, 1]])


def test_picking_by_condition(grads: Any) -> None:
    x = T([[1.0, -2.0], [3.0, -4.0]])
    values, places = F.cond_take(x > 0, x)
    assert (values.tolist(), places.tolist()) == ([1, 3], [0, 2])
    assert grads(lambda x: F.cond_take(x > 0, x)[0].sum(), x)[0].tolist() == [[1, 0], [1, 0]]
    assert F.non_zero(T([0.0, 5.0]), as_tuple=True)[0].tolist() == [1]


def test_splitting_is_as_in_numpy() -> None:
    x = np.arange(7.0)
    for parts in (1, 3, 7, 9):
        got = [part.tolist() for part in F.split(T(x), parts)]
        assert got == [part.tolist() for part in np.array_split(x, parts)]
    got = [part.tolist() for part in F.split(T(x), [2, 5])]
    assert got == [part.tolist() for part in np.split(x, [2, 5])]


def test_creation() -> None:
    assert repr(F.arange(3)) == "Tensor([0. 1. 2.], device=cpux:0)"
    same(F.linspace(0, 1, 5), np.linspace(0, 1, 5))
    assert F.full((2,), True).dtype == bool
    assert F.full(2, 1.5).dtype == np.float32
    assert F.zeros((2, 0)).shape == (2, 0)
    assert F.eye(2, 3, dtype="int32").tolist() == [[1, 0, 0], [0, 1, 0]]
    assert F.ones_like(T([1], "uint8")).dtype == "uint8"


@given(
    x=arrays.arrays(
        np.float32, arrays.array_shapes(max_dims=3, max_side=4), elements=st.floats(-9, 9, width=16)
    ),
    data=st.data(),
)
@settings(deadline=None, max_examples=60)
def test_moving_elements_is_as_in_numpy(x: np.ndarray[Any, Any], data: st.DataObject) -> None:
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    shift = data.draw(st.integers(-5, 5))
    reps = tuple(data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=3)))
    t = T(x)
    same(F.roll(t, shift, axis), np.roll(x, shift, axis))
    same(F.tile(t, reps), np.tile(x, reps))
    same(F.repeat(t, 2, axis), np.repeat(x, 2, axis))
    same(F.repeat(t, 2), np.repeat(x, 2))
    same(F.cumsum(t, axis), np.cumsum(x, axis))
    same(F.stack([t, t], axis), np.stack([x, x], axis))
    same(F.concat([t, t], axis), np.concatenate([x, x], axis))
    same(F.flatten(t), x.ravel())
    for got, wanted in zip(
        F.meshgrid(*[T(x.ravel()[:3])] * 2), np.meshgrid(*[x.ravel()[:3]] * 2), strict=True
    ):
        same(got, wanted)


def test_diagonals() -> None:
    for k in (-1, 0, 2):
        same(F.diag(T([1.0, 2.0]), k), np.diag([1.0, 2.0], k))
        same(F.diag(T(np.arange(12.0).reshape(3, 4)), k), np.diag(np.arange(12.0).reshape(3, 4), k))
    same(F.cross(T([1.0, 2.0, 3.0]), T([4.0, 5.0, 6.0])), np.cross([1, 2, 3], [4, 5, 6]))


def test_singular_values(grads: Any) -> None:
    x = np.random.default_rng(0).normal(size=(3, 2))
    u, s, v = F.svd(T(x))
    same(u @ F.diag(s) @ v, x, 1e-5)
    same(F.svd(T(x), compute_uv=False), np.linalg.svd(x, compute_uv=False), 1e-5)
    assert [part.shape for part in F.svd(T(x), full_matrices=True)] == [(3, 3), (2,), (2, 2)]
    wanted = u.numpy() @ v.numpy()  # the gradient of the sum of singular values
    assert grads(lambda a: F.svd(a, compute_uv=False).sum(), T(x))[0] == pytest.approx(
        wanted, abs=1e-5
    )


MISTAKES = [
    (lambda: F.concat([]), ValueError, "concat(): no tensors are given; it needs at least one"),
    (lambda: F.concat([T([1.0]), 2.0]), TypeError, "concat(): float 2.0 is not a tensor"),
    (lambda: F.stack([T([1.0]), T([1.0, 2.0])]), ValueError, "stack(): the shapes must be equal"),
    (
        lambda: F.where(T([1.0]), T([1.0]), T([1.0])),
        TypeError,
        "the mask must be boolean, not float32",
    ),
    (lambda: T([1.0]) & T([True]), TypeError, "logical and (&) needs booleans, not float32"),
    (lambda: F.topk(T([1.0]), 2), ValueError, "topk(): k must lie between 1 and the length"),
    (lambda: F.dot(T([[1.0]]), T([1.0])), ValueError, "dot(): both operands must be vectors"),
    (lambda: F.matinv(T([[1.0, 1.0], [1.0, 1.0]])), ValueError, "singular: it has no inverse"),
    (lambda: F.matinv(T([[1.0, 1.0]])), ValueError, "the last two axes must have equal lengths"),
    (lambda: F.clip(T([1.0])), ValueError, "at least one of lower and upper must be given"),
    (lambda: F.einsum("ij->i", T([1.0])), ValueError, "the term 'ij' must name each axis"),
    (lambda: F.einsum("i,i", T([1.0])), ValueError, "has 2 terms, but 1 operands are given"),
    (lambda: F.gather(T([[1.0]]), 0, T([0])), ValueError, "index has 1 axes, and inp 2"),
    (lambda: F.max(T([])), ValueError, "max(): inp of shape (0,)"),
    (lambda: F.transpose(T([[1.0]]), (0, 0)), ValueError, "must name each of the 2 axes once"),
    (lambda: F.cross(T([1.0]), T([1.0])), ValueError, "axis -1 must have length 3"),
    (lambda: F.diag(T(1.0)), ValueError, "inp must be a vector or a matrix"),
    (lambda: F.arange(1, 2, 0), ValueError, "arange(): step must not be 0"),
    (lambda: F.split(T([1.0]), 0), ValueError, "the number of parts must be at least 1"),
    (lambda: F.split(T([1.0]), 2, axis=3), ValueError, "split(): axis 3 is out of bounds"),
    (lambda: F.repeat(T([1.0]), 2, -2), ValueError, "repeat(): axis -2 is out of bounds"),
    (lambda: F.repeat(T([1.0]), -1), ValueError, "repeat(): repeats must be 0 or more, not -1"),
    (lambda: F.tile(T([1.0]), (2, -1)), ValueError, "tile(): reps must be 0 or more, not (2, -1)"),
    (lambda: F.flatten(T([1.0]), 5), ValueError, "flatten(): axis 5 is out of bounds"),
    (lambda: F.diag("a"), TypeError, "diag(): inp is str 'a', not a tensor"),
    (lambda: F.svd([[1.0]]), TypeError, "svd(): inp is list [[1.0]], not a tensor"),
    (lambda: F.norm([1.0]), TypeError, "norm(): inp is list [1.0], not a tensor"),
    (lambda: F.topk([1.0], 1), TypeError, "topk(): inp is list [1.0], not a tensor"),
    (lambda: F.linspace(0, 1, -2), ValueError, "linspace(): "),
    (lambda: F.eye(-1), ValueError, "eye(): "),
    (lambda: F.zeros("ab"), TypeError, "zeros(): "),
    (lambda: F.cond_take(T([True]), T([[1.0]])), ValueError, "mask has shape (1,) and x (1, 1)"),
]


@pytest.mark.parametrize(("call", "kind", "words"), MISTAKES)
def test_mistakes_are_explained(call: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert words in str(caught.value)
