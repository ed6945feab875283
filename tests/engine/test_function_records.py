"""autodiff.Function: what is recorded of a call, and derivatives of its derivative."""

from __future__ import annotations

import copy
import gc
import pickle
from typing import Any

import numpy as np
import pytest

import tinyengine as te
from tinyengine import chain_rule
from tinyengine.autodiff import Function, GradManager

from .functions import Exp, ProductAndSum, Square

T = te.tensor


def test_nothing_inside_is_recorded() -> None:
    w = T([3.0])

    class Scale(Function):
        def forward(self, x: te.Tensor) -> te.Tensor:
            return x * w

        def backward(self, dy: te.Tensor) -> te.Tensor:
            return dy * w

    x = T([2.0])
    gm = GradManager().attach([x, w])
    with gm:
        before = len(chain_rule.tape)
        y = Scale()(x)
        assert len(chain_rule.tape) == before + 1
        gm.backward(y)
    assert x.grad is not None
    assert x.grad.tolist() == [3.0]
    assert w.grad is None  # it is no input


def test_without_a_manager_nothing_is_recorded() -> None:
    f = Square()
    f(T([3.0]))
    assert f.x.tolist() == [3.0]
    assert chain_rule.tape == []


def test_an_instance_may_be_called_again(grads: Any) -> None:
    square = Square()
    (g,) = grads(lambda x: square(x) + square(x * 3.0), T([1.0, 2.0]))
    assert g.tolist() == [20.0, 40.0]
    assert grads(lambda x: square(square(square(x))), T(2.0))[0].item() == 8 * 2.0**7


def test_a_change_after_the_call_does_not_reach_what_was_kept(grads: Any) -> None:
    def f(x: te.Tensor) -> Any:
        y, e = Square()(x), Exp()(x)
        x += 100.0
        out = y + e
        e *= 0.0
        return out

    assert grads(f, T([0.0, 1.0]))[0].tolist() == pytest.approx([1.0, 2.0 + np.e])


def test_forward_may_change_its_input_in_place() -> None:
    class Bump(Function):
        def forward(self, x: te.Tensor) -> te.Tensor:
            x += 1.0
            self.x = x
            return x * x

        def backward(self, dy: te.Tensor) -> te.Tensor:
            return dy * 2.0 * self.x

    w = T([1.0, 2.0])
    gm = GradManager().attach(w)
    with gm:
        y = Bump()(w) + w
        gm.backward(y)
    assert w.tolist() == [2.0, 3.0]
    assert y.tolist() == [6.0, 12.0]
    assert w.grad is not None
    assert w.grad.tolist() == [4.0, 6.0]  # w itself is a constant afterwards


def second(f: Any, x: te.Tensor) -> Any:
    """The first three derivatives."""
    managers = [GradManager().attach(x) for _ in range(3)]
    found = []
    with managers[0], managers[1]:
        with managers[2]:
            managers[2].backward(f(x))
        for manager in (managers[1], managers[0]):
            gradient, x.grad = x.grad, None
            assert gradient is not None
            found.append(gradient.item())
            manager.backward(gradient)
    found.append(None if x.grad is None else x.grad.item())
    return tuple(found)


def test_higher_order_through_a_kept_input() -> None:
    assert second(Square(), T(3.0)) == (6.0, 2.0, None)
    assert second(lambda x: Square()(x) * x, T(3.0)) == (27.0, 18.0, 6.0)


def test_higher_order_through_a_kept_result() -> None:
    e = float(np.exp(np.float32(0.5)))
    assert second(Exp(), T(0.5)) == pytest.approx((e, e, e))


def test_higher_order_through_two_results() -> None:
    a, b = T(2.0), T(3.0)
    outer, inner = (GradManager().attach([a, b]) for _ in range(2))
    with outer:
        with inner:
            p, s = ProductAndSum()(a, b)
            inner.backward(p * s)
        da, a.grad, b.grad = a.grad, None, None
        outer.backward(da)
    assert da is not None
    assert a.grad is not None
    assert b.grad is not None
    assert (da.item(), a.grad.item(), b.grad.item()) == (21.0, 6.0, 10.0)  # 2ab + b²


def test_a_manager_may_work_inside() -> None:
    class Derivative(Function):
        def forward(self, x: te.Tensor) -> te.Tensor:
            gm = GradManager().attach(x)
            with gm:
                gm.backward(x * x * x)
            assert x.grad is not None
            self.x = x
            return x.grad

        def backward(self, dy: te.Tensor) -> te.Tensor:
            return dy * 6.0 * self.x

    x = T(2.0)
    gm = GradManager().attach(x)
    with gm:
        y = Derivative()(x)
        gm.backward(y)
    assert x.grad is not None
    assert (y.item(), x.grad.item()) == (12.0, 12.0)


def test_two_managers_share_one_call() -> None:
    x, w = T(3.0), T(2.0)
    g1, g2 = GradManager().attach(x), GradManager().attach(w)
    with g1, g2:
        p, _ = ProductAndSum()(x, w)
        g1.backward(p)
        g2.backward(p)
    assert x.grad is not None
    assert w.grad is not None
    assert (x.grad.item(), w.grad.item()) == (2.0, 3.0)


def test_a_step_leaves_no_cycle() -> None:
    def step() -> None:
        second(Exp(), T(0.5))
        x = T(2.0)
        gm = GradManager().attach(x)
        with gm:
            gm.backward(ProductAndSum()(Exp()(x), x))

    step()
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            step()
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f))])
def test_a_function_can_be_copied(how: Any, grads: Any) -> None:
    square = Square()
    square(T([5.0]))
    other = how(square)
    assert other.x.tolist() == [5.0]
    assert grads(other, T([3.0]))[0].tolist() == [6.0]
