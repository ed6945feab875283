"""What backward delivers: which gradients arrive, of what, and how they add up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F
from tinyengine.autodiff import GradManager

T = te.tensor


@pytest.fixture
def x() -> te.Tensor:
    return T([1.0, 3.0])


def grad(tensor: te.Tensor) -> Any:
    return None if tensor.grad is None else tensor.grad.tolist()


def test_gradients_add_up_in_place(x: te.Tensor) -> None:
    gm = GradManager().attach(x)
    with gm:
        gm.backward(x * x)
    first = x.grad
    with gm:
        gm.backward(x * x)
    assert x.grad is first
    assert grad(x) == [4.0, 12.0]


def test_what_backward_starts_from_is_not_the_gradient_it_leaves(x: te.Tensor) -> None:
    z, dy = T([0.0, 0.0]), T([1.0, 2.0])
    gm = GradManager().attach([x, z])
    for _ in range(2):
        with gm:
            gm.backward(x + z, dy)
    assert grad(x) == grad(z) == [2.0, 4.0]
    assert dy.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("cleared", [None, 0, 0.0, np.zeros(2)])
def test_however_a_gradient_was_cleared(cleared: Any, x: te.Tensor) -> None:
    x.grad = cleared
    gm = GradManager().attach(x)
    with gm:
        gm.backward(x * x)
    assert grad(x) == [2.0, 6.0]


def test_several_outputs_add_up(x: te.Tensor, grads: Any) -> None:
    assert grads(lambda x: [x * 2, (x * x).sum()], x)[0].tolist() == [4.0, 8.0]
    h: Any = lambda x: (x * 2, x)  # noqa: E731
    assert grads(h, x, dy=[T([1.0, 0.0]), T([0.0, 10.0])])[0].tolist() == [2.0, 10.0]


@pytest.mark.parametrize("nothing", [None, [], ()])
def test_nothing_to_differentiate(nothing: Any, x: te.Tensor) -> None:
    gm = GradManager().attach(x)
    with gm:
        gm.backward(nothing)
    assert x.grad is None


@pytest.mark.parametrize(
    ("dy", "want"),
    [
        (T([3.0, 4.0]), [6.0, 8.0]),
        (T(3.0), [6.0, 6.0]),
        (T([5.0]), [10.0, 10.0]),
        (T([1, 2]), [2.0, 4.0]),
    ],
)
def test_dy_stretches_to_y(dy: te.Tensor, want: list[float], x: te.Tensor, grads: Any) -> None:
    got = grads(lambda x: x * 2, x, dy=dy.to("cpux"))[0]
    assert got.tolist() == want
    assert got.dtype == "float32"


def test_any_shape_starts_from_ones(grads: Any) -> None:
    a = T([[1.0, 2.0], [3.0, 4.0]])
    assert grads(lambda a: a * a, a)[0].tolist() == [[2.0, 4.0], [6.0, 8.0]]
    empty = T(np.zeros((0, 2)))
    assert grads(lambda e: e * 2, empty)[0].shape == (0, 2)


def test_no_gradient_is_none_and_never_zeros(x: te.Tensor, grads: Any) -> None:
    outside = x * 2
    assert grads(lambda x: outside * 3, x) == [None]
    assert grads(lambda x: x.detach() * 3, x) == [None]
    assert grads(lambda x: T(x.numpy()) * 3, x) == [None]
    assert grads(lambda x: (x * 2).astype("int32"), x) == [None]
    assert grads(lambda x: T(1.0), x) == [None]
    assert grads(lambda x, z: x * 2, x, T(1.0))[1] is None


def test_detach_stops_only_its_own_path(grads: Any) -> None:
    x = T([3.0])
    assert grads(lambda x: x.detach() * x, x)[0].tolist() == [3.0]
    assert grads(lambda x: x * x + (x * x).detach(), x)[0].tolist() == [6.0]


def test_the_gradient_of_a_tensor_by_itself_is_one(x: te.Tensor, grads: Any) -> None:
    assert grads(lambda x: x, x)[0].tolist() == [1.0, 1.0]
    assert grads(lambda x: [x, x * 2], x)[0].tolist() == [3.0, 3.0]
    assert grads(lambda x: x.detach() + x, x)[0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_a_stretched_operand_keeps_its_shape(shape: Any, grads: Any) -> None:
    w = T(np.arange(15.0).reshape(3, 5))
    by_a, by_w = grads(lambda a, w: (a * w).sum(), T(np.full(shape, 2.0)), w)
    assert by_a.shape == shape
    assert by_a.item() == 105.0
    assert by_w.tolist() == np.full((3, 5), 2.0).tolist()


def test_an_index_may_change_after_it_was_used(x: te.Tensor) -> None:
    for key in ([0, 0], np.array([0, 0]), (np.array([0, 0]),)):
        x.grad = None
        gm = GradManager().attach(x)
        with gm:
            y = x[key]
            (key[0] if isinstance(key, tuple) else key)[:] = [1, 1]
            gm.backward(y)
        assert grad(x) == [2.0, 0.0]


def test_an_array_may_change_after_it_was_used() -> None:
    a = np.array([2.0, 3.0], "float32")
    x = T(a)
    gm = GradManager().attach(x)
    with gm:
        y = x * x * a
        a[:] = 50.0
        gm.backward(y)
    assert x.tolist() == [2.0, 3.0]
    assert grad(x) == [8.0, 18.0]


# what is recorded


def test_what_was_computed_before_attaching_is_a_constant(x: te.Tensor) -> None:
    gm = GradManager()
    with gm:
        before = x * 5
        gm.attach(x)
        gm.backward(before + x * 2)
    assert grad(x) == [2.0, 2.0]


def test_an_attached_intermediate_gets_its_gradient_and_passes_it_on() -> None:
    x = T([3.0])
    gm = GradManager().attach(x)
    with gm:
        h = x * 2
        early = h * h
        gm.attach(h)
        gm.backward(h * h + early)
    assert grad(h) == [12.0]  # of what was computed after it was attached
    assert grad(x) == [48.0]


def test_a_value_from_before_the_record_is_a_leaf(x: te.Tensor) -> None:
    h = x * 2
    gm = GradManager().attach([x, h])
    with gm:
        gm.backward(h * h)
    assert x.grad is None
    assert grad(h) == [4.0, 12.0]


def test_a_value_of_an_earlier_block_is_a_constant(x: te.Tensor) -> None:
    gm = GradManager().attach(x)
    with gm:
        y = x * x
    with gm:
        gm.backward(y + x)
    assert grad(x) == [1.0, 1.0]


def test_the_gradient_comes_back_to_the_device_of_its_tensor(grads: Any) -> None:
    for there in (lambda x: x.to("cpu0"), lambda x: F.copy(x, "cpu0"), lambda x: F.copy(x)):
        x = T([2.0])
        assert grads(lambda x, there=there: there(x) * 3, x)[0].tolist() == [3.0]
        assert x.grad is not None
        assert x.grad.device == "cpux"


def test_matrices_and_vectors(grads: Any) -> None:
    a, v = T([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), T([1.0, -1.0, 2.0])
    by_a, by_v = grads(lambda a, v: F.matmul(a, v) * T([1.0, 10.0]), a, v)
    assert by_a.tolist() == [[1, -1, 2], [10, -10, 20]]
    assert by_v.tolist() == [41, 52, 63]
    by_u, by_a = grads(lambda u, a: u @ a * T([1.0, 0.0, 2.0]), T([1.0, 2.0]), a)
    assert by_u.tolist() == [7, 16]
    assert by_a.tolist() == [[1, 0, 2], [2, 0, 4]]
    by_p, by_q = grads(lambda p, q: p @ q, T([1.0, 2.0]), T([3.0, 4.0]))
    assert by_p.tolist() == [3, 4]
    assert by_q.tolist() == [1, 2]


# graphs that go wrong when a node passes its gradient on too early, or keeps an old one


def test_a_value_that_is_used_several_times(grads: Any) -> None:
    x = T([2.0, -1.0])
    assert grads(lambda x: x * x * x + 5 * x, x)[0].tolist() == [17.0, 8.0]
    by_a, by_b = grads(lambda a, b: a * b + a * a, T([3.0]), T([4.0]))
    assert (by_a.tolist(), by_b.tolist()) == ([10.0], [3.0])


def test_diamonds(grads: Any) -> None:
    def quadratic(a: te.Tensor) -> te.Tensor:
        b = a + a
        c = b + b
        return c + b * a  # 4 a + 2 a²

    def square(x: te.Tensor) -> te.Tensor:
        u = x * 2.0
        return x * u * 3.0 + u * u  # 10 x²

    assert grads(quadratic, T([1.0]))[0].tolist() == [8.0]
    assert grads(square, T([1.0]))[0].tolist() == [20.0]


def test_operators_from_the_right(grads: Any) -> None:
    assert grads(lambda x: 1 / x, T([4.0]))[0].tolist() == [-0.0625]
    assert grads(lambda x: 1 - x, T([4.0]))[0].tolist() == [-1.0]
    by_a, by_b = grads(lambda a, b: a / b - b, T([6.0]), T([2.0]))
    assert (by_a.tolist(), by_b.tolist()) == ([0.5], [-2.5])
    matrix = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert grads(lambda t: matrix * t, T(np.ones((2, 2))))[0].tolist() == matrix.tolist()


def test_the_sum_of_differences_from_the_mean_does_not_change(grads: Any) -> None:
    x, w = T([2.0, 0.0, -1.0, 5.0]), T([1.0, 0.0, 0.0, 3.0])
    assert grads(lambda x: (x - x.sum() / 4).sum(), x)[0].tolist() == [0.0] * 4
    assert grads(lambda x: (w * (x - x.sum() / 4)).sum(), x)[0].tolist() == [0.0, -1.0, -1.0, 2.0]


def test_the_sum_over_no_axis_of_a_number(grads: Any) -> None:
    assert grads(lambda x: x.sum(axis=0), T(2.0))[0].tolist() == 1.0
    assert grads(lambda x: x.sum(axis=()), T(2.0))[0].tolist() == 1.0


def test_slices_with_a_step(grads: Any) -> None:
    rows = T(np.zeros((3, 2)))
    (got,) = grads(lambda z: (z[0::3] * 7).sum() + (z[1::2] * 50).sum(), rows)
    assert got.tolist() == [[7, 7], [50, 50], [0, 0]]
    four = T([0.0, 0.0, 0.0, 0.0])
    assert grads(lambda z: z[-1] * 5 + z[1:-1].sum(), four)[0].tolist() == [0, 1, 1, 5]


def test_repeated_indices_add_up(grads: Any) -> None:
    index = T([2, 0, 2, 2])
    (got,) = grads(lambda x: x[index] * T([0.25, 1.0, 0.5, 4.0]), T([5.0, 6.0, 7.0]))
    assert got.tolist() == [1.0, 0.0, 4.75]
    table, rows = T(np.zeros((4, 2))), T([[0, 1], [3, 3]])
    assert table[rows].shape == (2, 2, 2)
    assert grads(lambda t: t[rows], table)[0].tolist() == [[1, 1], [1, 1], [0, 0], [2, 2]]
    mask = T([False, True, True])
    assert grads(lambda x: x[mask] * 4, T([1.0, 2.0, 3.0]))[0].tolist() == [0, 4, 4]


def test_an_empty_axis(grads: Any) -> None:
    empty = T(np.zeros((3, 0)))
    (got,) = grads(lambda b: (empty * b.reshape(3, 1)).sum(), T([1.0, 2.0, 3.0]))
    assert got.tolist() == [0.0, 0.0, 0.0]


def test_backward_twice_does_not_add_twice() -> None:
    x = T([2.0])
    gm = GradManager().attach(x)
    gm.record()
    h = x * x
    y = h * h
    gm.backward(y)
    with pytest.raises(RuntimeError):
        gm.backward(y)
    assert grad(x) == [32.0]
