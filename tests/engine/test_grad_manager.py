"""GradManager: what is attached, what is recorded, what backward leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tinyengine as te
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


def test_a_tensor_is_not_taken_for_one_that_died_where_it_lies() -> None:
    gm = GradManager()
    for number in range(20):
        tensor = T(float(number))
        gm.attach(tensor)
        assert gm.attached_tensors() == [tensor]
        del tensor


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
