"""The gradients of tensors that are changed in place: of the values that were used."""

from __future__ import annotations

from typing import Any

import numpy as np

import tinyengine as te
from tinyengine.autodiff import GradManager

T = te.tensor


def test_of_the_values_that_were_used() -> None:
    x = T([3.0])
    gm = GradManager().attach(x)
    with gm:
        y = x * x
        x += 1.0
        x[0] = 100.0
        gm.backward(y)
    assert x.grad is not None
    assert x.grad.tolist() == [6.0]
    assert x.tolist() == [100.0]


def test_through_the_change(grads: Any) -> None:
    def f(w: te.Tensor) -> te.Tensor:
        w += 1.0
        y = w * w
        y *= w
        return y

    assert grads(f, T([1.0, 2.0]))[0].tolist() == [12.0, 27.0]  # 3 (w + 1)²


def test_a_value_that_was_overwritten_gets_none(grads: Any) -> None:
    def f(x: te.Tensor, v: te.Tensor) -> te.Tensor:
        y = x * 2.0
        y[0] = 0.0
        y[1:3] = v * 3.0
        y[2] = v[0]
        return y * T([1.0, 10.0, 100.0, 1000.0])

    gx, gv = grads(f, T([1.0, 2.0, 3.0, 4.0]), T([5.0, 6.0]))
    assert gx.tolist() == [0.0, 0.0, 0.0, 2000.0]
    assert gv.tolist() == [130.0, 0.0]


def test_the_last_of_repeated_places_counts(grads: Any) -> None:
    def f(v: te.Tensor) -> te.Tensor:
        y = T([0.0, 0.0, 0.0]) * v.sum()
        y[[0, 1, 0]] = v
        return y * T([1.0, 10.0, 100.0])

    assert grads(f, T([5.0, 6.0, 7.0]))[0].tolist() == [0.0, 10.0, 1.0]


def test_a_stretched_value_adds_up(grads: Any) -> None:
    def f(v: te.Tensor, w: te.Tensor) -> te.Tensor:
        y = T(np.zeros((2, 3)))
        y[...] = v
        y[:, :2] = w
        return y

    gv, gw = grads(f, T(2.0), T([[[3.0], [4.0]]]))
    assert (gv.tolist(), gw.tolist()) == (2.0, [[[2.0], [2.0]]])


def test_a_nan_that_was_overwritten_leaves_no_trace(grads: Any) -> None:
    def f(x: te.Tensor) -> te.Tensor:
        y = 1.0 / x
        y[x == 0.0] = 0.0
        return y * y

    (g,) = grads(f, T([1.0, 2.0]))
    assert g.tolist() == [-2.0, -0.25]


def test_into_an_integer_tensor_there_is_no_gradient(grads: Any) -> None:
    def f(v: te.Tensor) -> te.Tensor:
        n = T([1, 2])
        n[0] = v
        return n * 1.0

    assert grads(f, T(1.5)) == [None]


def test_an_index_that_changes_later(grads: Any) -> None:
    def f(x: te.Tensor) -> te.Tensor:
        at, places = T([0, 2]), [1]
        y = x[at] * 1.0
        z = x[at[0] : 2] * 10.0
        x[places] = y[0]
        at += 1
        at[0] = 0
        places[0] = 0
        return y.sum() + z.sum() + x.sum() * 100.0

    assert grads(f, T([1.0, 1.0, 1.0]))[0].tolist() == [211.0, 10.0, 101.0]


def test_set_value_lets_the_gradient_through(grads: Any) -> None:
    def f(w: te.Tensor, v: te.Tensor) -> te.Tensor:
        w.set_value(v * 2.0)
        return w * w

    gw, gv = grads(f, T([1.0, 2.0]), T([3.0, 4.0]))
    assert (gw, gv.tolist()) == (None, [24.0, 32.0])


def test_what_is_set_to_a_number_is_a_constant(grads: Any) -> None:
    def f(w: te.Tensor) -> te.Tensor:
        y = w * 3.0
        w.set_value([5.0])
        y += w * w
        w.reset_zero()
        return y + w

    assert grads(f, T([1.0]))[0].tolist() == [3.0]


def test_a_step_of_training_inside_the_block() -> None:
    w = te.Parameter([1.0])
    gm = GradManager().attach(w)
    for _ in range(3):
        with gm:
            gm.backward(w * w)
            assert w.grad is not None
            w -= 0.25 * w.grad
            w.grad = None
    assert w.tolist() == [0.125]
    assert type(w) is te.Parameter


def test_of_second_order() -> None:
    x, v = T([2.0, 3.0]), T(5.0)
    outer, inner = GradManager().attach([x, v]), GradManager().attach(x)
    with outer:
        with inner:
            y = x * x * x * v
            y[0] = v * v
            y *= 2.0
            inner.backward(y)
        first, x.grad = x.grad, None
        outer.backward(first)
    assert first is not None
    assert x.grad is not None
    assert v.grad is not None
    assert first.tolist() == [0.0, 270.0]
    assert (x.grad.tolist(), v.grad.tolist()) == ([0.0, 180.0], 54.0)


def test_a_change_of_a_gradient_that_was_used() -> None:
    x = T([2.0])
    outer, inner = GradManager().attach(x), GradManager().attach(x)
    with outer:
        with inner:
            inner.backward(x * x * x)
        g, x.grad = x.grad, None
        assert g is not None
        y = g * g
        g *= 0.0
        outer.backward(y)
    assert x.grad is not None
    assert x.grad.tolist() == [288.0]  # 2 · 3x² · 6x
