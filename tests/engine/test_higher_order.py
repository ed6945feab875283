"""Managers inside managers: derivatives of derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tinyengine as te
from tinyengine.autodiff import GradManager

T = te.tensor


def cube(x: te.Tensor) -> te.Tensor:
    return x * x * x


def taken(x: te.Tensor) -> Any:
    """The gradient, which is cleared."""
    gradient, x.grad = x.grad, None
    return gradient


def test_three_derivatives_of_a_cube() -> None:
    x = T(3.0)
    first, second, third = (GradManager().attach(x) for _ in range(3))
    with first:
        with second:
            with third:
                third.backward(cube(x))
            d1 = taken(x)
            second.backward(d1)
        d2 = taken(x)
        first.backward(d2)
    assert (d1.item(), d2.item(), taken(x).item()) == (27.0, 18.0, 6.0)


def test_a_manager_inside_does_not_see_the_backward_of_one_outside() -> None:
    x = T(3.0)
    inner, outer = GradManager().attach(x), GradManager().attach(x)
    with outer, inner:
        outer.backward(cube(x))
        d1 = taken(x)
        inner.backward(d1)
    assert d1.item() == 27.0
    assert x.grad is None


def test_both_add_up_where_the_gradient_is_not_cleared() -> None:
    x = T(2.0)
    outer, inner = GradManager().attach(x), GradManager().attach(x)
    with outer:
        with inner:
            inner.backward(cube(x))
        assert x.grad is not None
        assert x.grad.item() == 12.0
        outer.backward(x.grad)
    assert x.grad.item() == 24.0


def test_the_outer_manager_still_has_the_forward_graph() -> None:
    x, w = T(3.0), T(2.0)
    outer, inner = GradManager().attach(x), GradManager().attach(w)
    with outer:
        y = x * w
        with inner:
            z = y * w
            inner.backward(z)
        outer.backward(z)
    assert x.grad is not None
    assert w.grad is not None
    assert (x.grad.item(), w.grad.item()) == (4.0, 6.0)


@pytest.mark.parametrize("first", ["outer", "inner"])
def test_two_managers_share_one_record(first: str) -> None:
    x, w = T(3.0), T(2.0)
    outer, inner = GradManager().attach(x), GradManager().attach(w)
    with outer, inner:
        y = x * w
        for manager in (outer, inner) if first == "outer" else (inner, outer):
            manager.backward(y)
    assert x.grad is not None
    assert w.grad is not None
    assert (x.grad.item(), w.grad.item()) == (2.0, 3.0)


def test_a_gradient_inside_a_loss() -> None:
    w, x = T([3.0]), T([2.0])
    outer, inner = GradManager().attach(w), GradManager().attach(x)
    with outer:
        with inner:
            inner.backward(w * x * x)
        dx = taken(x)
        outer.backward((dx - 1.0) * (dx - 1.0))
    assert dx.tolist() == [12.0]
    assert taken(w).tolist() == [88.0]


def test_at_zero() -> None:
    x = T([0.0])
    outer, inner = GradManager().attach(x), GradManager().attach(x)
    with outer:
        with inner:
            inner.backward(1.0 / (1.0 + x * x))
        d1 = taken(x)
        outer.backward(d1)
    assert d1.tolist() == [0.0]
    assert taken(x).tolist() == [-2.0]


@pytest.mark.parametrize(("dy", "want"), [([1.0, 1.0], [2.0, 40.0]), (1.0, 42.0)])
def test_forward_mode_by_two_reverses(dy: Any, want: Any) -> None:
    x, seed = T([1.0, 2.0]), T(dy)
    outer, inner = GradManager(), GradManager().attach(x)
    with outer:
        outer.attach(seed)
        with inner:
            inner.backward(x * x, seed)
        outer.backward(taken(x), T([1.0, 10.0]))
    assert taken(seed).tolist() == want


def test_a_constant_derivative_has_none() -> None:
    x = T(3.0)
    outer, inner = GradManager().attach(x), GradManager().attach(x)
    with outer:
        with inner:
            inner.backward(x + 1.0)
        d1 = taken(x)
        outer.backward(d1)
    assert d1.item() == 1.0
    assert x.grad is None


def test_a_gradient_that_was_used_and_then_added_to() -> None:
    # The rules need g as it was, and .grad grows in place.
    x = T([2.0])
    outer, middle, inner = GradManager().attach(x), GradManager().attach(x), GradManager().attach(x)
    with outer, middle:
        with inner:
            inner.backward(x * x.detach() * x.detach())
        g = x.grad
        assert g is not None
        y = g * x * x  # 4 · x²
        with inner:
            inner.backward(x * 12.0)
        assert g.tolist() == [16.0]
        x.grad = None
        middle.backward(y)
    assert taken(x).tolist() == [16.0]


def test_the_inner_manager_may_stay_after_the_outer_one_stopped() -> None:
    x = T([3.0])
    outer, inner = GradManager().attach(x), GradManager().attach(x)
    outer.record()
    inner.record()
    y = cube(x)
    outer.release()
    inner.backward(y)
    assert taken(x).tolist() == [27.0]


def test_every_gradient_has_the_dtype_of_its_tensor() -> None:
    x, w = T([2.0], "float16"), T([3.0])
    outer, inner = GradManager().attach([x, w]), GradManager().attach([x, w])
    with outer:
        with inner:
            inner.backward(x * x * w)
        gradients = [taken(x), taken(w)]
        outer.backward(gradients)
    gradients += [taken(x), taken(w)]
    assert [str(g.dtype) for g in gradients] == ["float16", "float32"] * 2
    assert [g.item() for g in gradients] == [12.0, 4.0, 6.0 + 4.0, 4.0]


def nested(f: Callable[[te.Tensor], te.Tensor], x: te.Tensor) -> list[float]:
    outer, inner = GradManager().attach(x), GradManager().attach(x)
    with outer:
        with inner:
            inner.backward(f(x))
        outer.backward(taken(x))
    values: list[float] = taken(x).tolist()
    return values


def test_through_shapes_and_indices() -> None:
    x = T([1.0, 2.0])
    # of each the sums of the rows of its second derivatives
    assert nested(lambda x: (x.reshape(2, 1) * x).sum(), x) == [4.0, 4.0]
    assert nested(lambda x: cube(x[[0, 0, 1]]).sum(), x) == [12.0, 12.0]
    assert nested(lambda x: cube(x[::-1]), x) == [6.0, 12.0]
    assert nested(lambda x: (x @ x) * x.sum(), x) == [16.0, 20.0]


def test_managers_side_by_side_add_up() -> None:
    x = T(2.0)
    g1, g2 = GradManager().attach(x), GradManager().attach(x)
    with g1 | g2:
        y = cube(x)
        g1.backward(y)
        g2.backward(y)
    assert taken(x).item() == 24.0


@pytest.mark.parametrize("first", [0, 1, 2])
def test_managers_side_by_side_do_not_see_one_another(first: int) -> None:
    x = T(2.0)
    managers = [GradManager().attach(x) for _ in range(3)]
    with managers[0] | managers[1] | managers[2]:
        managers.pop(first).backward(cube(x))
        d1 = taken(x)
        for other in managers:
            other.backward(d1)
    assert d1.item() == 12.0
    assert x.grad is None


def test_a_group_is_seen_from_outside() -> None:
    x = T(2.0)
    outer, g1, g2 = (GradManager().attach(x) for _ in range(3))
    with outer:
        with g1 | g2:
            g1.backward(cube(x))
        outer.backward(taken(x))
    assert taken(x).item() == 12.0


def test_a_group_sees_what_is_inside() -> None:
    x = T(2.0)
    g1, g2, inner = (GradManager().attach(x) for _ in range(3))
    with (g1 | g2) | inner:
        pass
    with g1 | g2:
        with inner:
            inner.backward(cube(x))
        d1 = taken(x)
        g1.backward(d1)
        g2.backward(d1)
    assert taken(x).item() == 24.0


def test_a_manager_that_records_cannot_join_a_group() -> None:
    x = T(2.0)
    g1, g2 = GradManager().attach(x), GradManager().attach(x)
    with g1:
        with pytest.raises(RuntimeError, match="already recording"), g2 | g1:
            pass
        g2.record()  # it was let go
        g2.release()
        g1.backward(cube(x))
    assert taken(x).item() == 12.0
    with pytest.raises(TypeError, match="unsupported operand"):
        g1 | 3


def test_levels_after_the_outermost_has_stopped() -> None:
    x = T(2.0)
    first, outer, inner = (GradManager().attach(x) for _ in range(3))
    first.record()
    outer.record()
    first.release()
    inner.record()
    inner.backward(cube(x))
    d1 = taken(x)
    outer.backward(d1)
    assert (d1.item(), taken(x).item()) == (12.0, 12.0)
