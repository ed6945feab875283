"""GradManager: what is attached, what is recorded, what backward leaves behind."""

from __future__ import annotations

from collections.abc import Callable
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


# attach


def test_attach_takes_one_or_several_and_returns_the_manager() -> None:
    gm = GradManager()
    a, b, c, d = T(1.0), te.Parameter([2.0]), T([[3.0]]), T([4.0, 5.0])
    assert gm.attach(a) is gm
    gm.attach([b, c]).attach(t for t in (d, a))
    attached = gm.attached_tensors()
    assert [id(t) for t in attached] == [id(t) for t in (a, b, c, d)]


def test_attached_tensors_are_held_weakly() -> None:
    a, b = T(1.0), T(2.0)
    gm = GradManager().attach([a, b])
    del a
    assert gm.attached_tensors() == [b]


def test_a_tensor_may_die_while_it_is_followed() -> None:
    a, b = T(2.0), T(3.0)
    gm = GradManager().attach([a, b])
    with gm:
        y = a * b
        del a
        gm.backward(y)
    assert grad(b) == 2.0


def test_attaching_again_only_adds_callbacks(x: te.Tensor) -> None:
    double: Callable[..., Any] = lambda _, g: g * 2  # noqa: E731
    gm = GradManager().attach(x).attach([x, x], callbacks=[double])
    assert len(gm.attached_tensors()) == 1
    with gm:
        gm.backward(x * 1)
    assert grad(x) == [4.0, 4.0]  # once for each time it stood in the list


def test_one_bad_tensor_and_none_is_attached(x: te.Tensor) -> None:
    gm = GradManager()
    with pytest.raises(TypeError):
        gm.attach([x, 2.0])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        gm.attach([x, T(1)])
    assert gm.attached_tensors() == []


# callbacks


def test_callbacks_run_in_order_once_with_the_whole_gradient(x: te.Tensor) -> None:
    seen: list[Any] = []

    def times(factor: float) -> Callable[[te.Tensor, te.Tensor], te.Tensor]:
        def callback(tensor: te.Tensor, gradient: te.Tensor) -> te.Tensor:
            seen.append((tensor is x, gradient.tolist()))
            return gradient * factor

        return callback

    gm = GradManager().attach(x, callbacks=[times(10), times(2)])
    with gm:
        gm.backward((x * x + x).sum())
    assert seen == [(True, [3.0, 7.0]), (True, [30.0, 70.0])]
    assert grad(x) == [60.0, 140.0]


def test_a_callback_is_not_called_where_no_gradient_arrives(x: te.Tensor) -> None:
    gm = GradManager().attach(x, lambda *_: pytest.fail("called"))
    with gm:
        gm.backward(x.detach() * 2)
    assert x.grad is None


def test_a_callback_that_returns_none_leaves_the_gradient(x: te.Tensor) -> None:
    gm = GradManager().attach(x, lambda *_: None)  # type: ignore[arg-type,return-value]
    with gm:
        gm.backward(x * 2)
    assert x.grad is None


def test_a_callback_must_return_a_tensor(x: te.Tensor) -> None:
    gm = GradManager().attach(x, lambda *_: 3.0)  # type: ignore[arg-type,return-value]
    with (
        pytest.raises(TypeError, match=r"callback .* must return the gradient .* not float 3\.0"),
        gm,
    ):
        gm.backward(x * 2)


# record and release


def test_with_is_record_and_release(x: te.Tensor) -> None:
    gm = GradManager().attach(x)
    with gm as entered:
        assert entered is gm
        gm.backward(x * 2)
    gm.record()
    gm.backward(x * 2)
    gm.release()
    gm.release()
    assert grad(x) == [4.0, 4.0]


def test_recording_twice_is_an_error(x: te.Tensor) -> None:
    gm = GradManager().attach(x)
    with gm:
        with pytest.raises(RuntimeError, match="already recording"):
            gm.record()
        with pytest.raises(RuntimeError, match="already recording"), gm:
            pass
        gm.release()
        gm.record()
        gm.backward(x * 5)
    assert grad(x) == [5.0, 5.0]


def test_an_error_in_the_block_releases(x: te.Tensor) -> None:
    gm = GradManager().attach(x)
    with pytest.raises(KeyError), gm:
        raise KeyError
    with gm:
        gm.backward(x * 2)
    assert grad(x) == [2.0, 2.0]


def test_an_error_in_backward_releases(x: te.Tensor) -> None:
    gm = GradManager().attach(x)
    with gm:
        with pytest.raises(TypeError):
            gm.backward(3.0)  # type: ignore[arg-type]
        gm.record()
        gm.backward(x * 2)
    assert grad(x) == [2.0, 2.0]


def test_record_again_after_backward_in_the_block(x: te.Tensor) -> None:
    gm = GradManager().attach(x)
    with gm:
        gm.backward(x * 2)
        gm.record()
        gm.backward(x * 3)
    assert grad(x) == [5.0, 5.0]


@pytest.mark.parametrize("when", ["outside", "second", "released"])
def test_backward_needs_a_record(when: str, x: te.Tensor) -> None:
    gm = GradManager().attach(x)
    y = x * 2
    if when == "second":
        gm.record()
        y = x * x
        gm.backward(y)
    elif when == "released":
        gm.record()
        gm.release()
    before = grad(x)
    with pytest.raises(RuntimeError, match=r"no computation history. Did you forget record\(\)"):
        gm.backward(y)
    assert grad(x) == before


# what backward delivers


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
