"""autodiff.Function: operations that state their own derivative."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import re
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F
from tinyengine import chain_rule
from tinyengine.autodiff import Function, GradManager
from tinyengine.trace import Trace

T = te.tensor


class Square(Function):
    """Keeps its input."""

    def forward(self, x: te.Tensor) -> te.Tensor:
        self.x = x
        return x * x

    def backward(self, dy: te.Tensor) -> te.Tensor:
        return dy * 2.0 * self.x


class Exp(Function):
    """Keeps its result."""

    def forward(self, x: te.Tensor) -> Any:
        self.y: te.Tensor = F.exp(x)
        return self.y

    def backward(self, dy: te.Tensor) -> te.Tensor:
        return dy * self.y


class ProductAndSum(Function):
    """Has two results, and remembers what arrived at them."""

    def forward(self, a: te.Tensor, b: te.Tensor) -> Any:
        self.a, self.b = a, b
        return a * b, a + b

    def backward(self, *dys: Any) -> Any:
        self.dys = dys
        product, total = (0.0 if dy is None else dy for dy in dys)
        return product * self.b + total, product * self.a + total


class Returns(Function):
    """Returns what it was made with, whatever comes."""

    def __init__(self, out: Any = None, gradients: Any = None) -> None:
        self.out, self.gradients = out, gradients

    def forward(self, *inputs: te.Tensor) -> Any:
        return inputs[0] * 1.0 if self.out is None else self.out

    def backward(self, *dys: Any) -> Any:
        return self.gradients(*dys) if callable(self.gradients) else self.gradients


def test_the_derivative_is_its_own(grads: Any) -> None:
    assert grads(Square(), T([3.0, 4.0]))[0].tolist() == [6.0, 8.0]
    wrong = Returns(gradients=lambda dy: dy * 100.0)
    assert grads(wrong, T([3.0, 4.0]))[0].tolist() == [100.0, 100.0]
    assert grads(lambda x: Square()(x * 2.0) * 10.0, T(3.0))[0].tolist() == 240.0


def test_the_result_is_a_tensor_like_any_other() -> None:
    w = te.Parameter([3.0])
    y = Square()(w)
    assert repr(y) == "Tensor([9.], device=xpux:0)".replace("xpux", str(w.device)[:-2])
    assert y.grad is None


# results and gradients


def test_a_result_that_is_not_used_passes_none(grads: Any) -> None:
    f = ProductAndSum()
    a, b = grads(lambda a, b: f(a, b)[0], T([1.0, 2.0]), T([3.0, 4.0]))
    assert f.dys[0].tolist() == [1.0, 1.0]
    assert f.dys[1] is None
    assert (a.tolist(), b.tolist()) == ([3.0, 4.0], [1.0, 2.0])
    a, b = grads(lambda a, b: f(a, b)[1] * 5.0, T(1.0), T(3.0))
    assert f.dys[0] is None
    assert (a.item(), b.item()) == (5.0, 5.0)


def test_all_results_are_used_and_one_of_them_twice(grads: Any) -> None:
    def f(a: te.Tensor, b: te.Tensor) -> te.Tensor:
        p, s = ProductAndSum()(a, b)
        out: te.Tensor = p * s + s
        return out

    a, b = grads(f, T(2.0), T(3.0))  # ab(a+b) + a + b
    assert (a.item(), b.item()) == (2 * 6 + 9 + 1, 4 + 2 * 6 + 1)


def test_backward_runs_once_for_all_inputs(grads: Any) -> None:
    calls = []

    def gradients(dy: te.Tensor) -> Any:
        calls.append(dy.tolist())
        return dy, dy * 2.0, dy * 3.0

    found = grads(Returns(gradients=gradients), T(1.0), T(1.0), T(1.0))
    assert [g.item() for g in found] == [1.0, 2.0, 3.0]
    assert calls == [1.0]


def test_a_gradient_that_is_none_goes_no_further(grads: Any) -> None:
    a, b = grads(Returns(gradients=lambda dy: (None, dy)), T(1.0), T(1.0))
    assert (a, b.item()) == (None, 1.0)
    f = lambda a, b: Returns(gradients=lambda dy: (None, dy))(a, b) + a * 4.0  # noqa: E731
    a, b = grads(f, T(1.0), T(1.0))
    assert (a.item(), b.item()) == (4.0, 1.0)
    assert grads(Returns(gradients=None), T(1.0)) == [None]


def test_missing_gradients_are_none(grads: Any) -> None:
    a, b, c = grads(Returns(gradients=lambda dy: dy), T(1.0), T(1.0), T(1.0))
    assert (a.item(), b, c) == (1.0, None, None)


def test_a_tuple_of_one_result(grads: Any) -> None:
    x = T([2.0])
    out = Returns(out=(T([5.0]),))(x)
    assert type(out) is tuple
    assert out[0].tolist() == [5.0]
    f = lambda x: Returns(out=(T([5.0]),), gradients=lambda dy: (dy * 7.0,))(x)[0]  # noqa: E731
    assert grads(f, x)[0].tolist() == [7.0]


def test_an_input_may_be_the_result(grads: Any) -> None:
    class Reverse(Function):
        def forward(self, x: te.Tensor) -> te.Tensor:
            self.x = x
            return x

        def backward(self, dy: te.Tensor) -> te.Tensor:
            return -dy * self.x

    x = T([2.0])
    assert Reverse()(x) is not x
    assert grads(Reverse(), x)[0].tolist() == [-2.0]


def test_integers_have_no_gradient() -> None:
    class Pick(Function):
        def forward(self, x: te.Tensor, i: te.Tensor) -> Any:
            self.i = i
            return x[i], i + 1

        def backward(self, dy: Any, di: Any) -> Any:
            assert di is None
            return F.stack([dy, dy * 10.0])

    x, i = T([3.0, 4.0]), T(1)
    gm = GradManager().attach(x)
    with gm:
        y, n = Pick()(x, i)
        gm.backward([y, n])
    assert (y.item(), n.item()) == (4.0, 2)
    assert x.grad is not None
    assert x.grad.tolist() == [1.0, 10.0]


def test_a_gradient_has_the_dtype_of_its_input(grads: Any) -> None:
    (g,) = grads(Returns(gradients=lambda dy: T([2.0])), T([1.0], "float16"))
    assert (str(g.dtype), g.tolist()) == ("float16", [2.0])


# what is recorded


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


# errors

ERRORS: list[tuple[Any, type[Exception], str]] = [
    (
        lambda x: Square()(2),  # type: ignore[arg-type]
        TypeError,
        "Square(): argument 0 is int 2, and not a Tensor; make it one with tensor(...), or give it"
        " to Square.__init__",
    ),
    (
        lambda x: ProductAndSum()(x, np.ones(2)),  # type: ignore[arg-type]
        TypeError,
        "ProductAndSum(): argument 1 is ndarray array([1., 1.]), and not a Tensor",
    ),
    (lambda x: Square()(x, x), TypeError, "forward() takes 2 positional arguments but 3 were"),
    (lambda x: Square()(x=x), TypeError, "unexpected keyword argument 'x'"),  # type: ignore[call-arg]
    (
        lambda x: Function()(x),
        NotImplementedError,
        "Function: define forward(self, *inputs), which returns a Tensor or a tuple of Tensors",
    ),
    (
        lambda x: Returns(out=1.5)(x),
        TypeError,
        "Returns.forward() must return a Tensor or a tuple of Tensors, not float 1.5",
    ),
    (lambda x: Returns(out=())(x), TypeError, "a tuple of Tensors, not tuple ()"),
    (lambda x: Returns(out=(x, 1))(x), TypeError, "a tuple of Tensors, not tuple (Tensor("),
    (
        lambda x: Returns(gradients=1.5)(x),
        TypeError,
        "Returns.backward(): the gradient of input 0 is float 1.5; return a Tensor, or None to stop"
        " there",
    ),
    (
        lambda x: Returns(gradients=lambda dy: (dy, dy.sum()))(x, x),
        ValueError,
        "Returns.backward(): the gradient of input 1 has shape (), and the input has (2,)",
    ),
    (
        lambda x: Returns(gradients=lambda dy: (dy, dy, dy))(x, x),
        ValueError,
        "Returns.backward() returned 3 gradients for 2 inputs",
    ),
    (
        lambda x: Returns(gradients=lambda dy: dy.to("cpu1"))(x),
        RuntimeError,
        "Returns.backward(): the gradient of input 0 is on cpu1:0, and the input on cpux:0",
    ),
]


@pytest.mark.parametrize(("wrong", "kind", "message"), ERRORS)
@pytest.mark.parametrize("nested", [False, True])
def test_message(wrong: Any, kind: type[Exception], message: str, nested: bool) -> None:
    x = T([1.0, 2.0], device="cpux")
    outer, gm = GradManager().attach(x), GradManager().attach(x)
    with pytest.raises(kind, match=re.escape(message)), outer if nested else nullcontext(), gm:
        gm.backward(wrong(x))
    assert x.grad is None


def test_backward_that_is_missing() -> None:
    class Half(Function):
        def forward(self, x: te.Tensor) -> te.Tensor:
            return x / 2.0

    x = T([1.0])
    gm = GradManager().attach(x)
    with pytest.raises(NotImplementedError, match=r"Half: define backward\(self, \*dys\)"), gm:
        gm.backward(Half()(x))


# traces


def test_a_trace_shows_one_operation_of_the_name_of_the_class() -> None:
    x = T(3.0)
    gm = GradManager().attach(x)
    with Trace() as trace, gm:
        y = Square()(x)
        gm.backward(y)
    forward, _, contribution = trace.steps[1:4]
    assert (forward["op"], forward["symbol"], forward["inputs"]) == ("Square", "Square", [0])
    assert [s["kind"] for s in trace.steps] == [
        "attach",
        "forward",
        "seed",
        "contribution",
        "gradient",
    ]
    assert (contribution["at"], contribution["node"]) == (1, 0)
    assert contribution["gradient"]["data"] == 6.0
    assert [n["name"] for n in trace.nodes] == ["x", "y"]


def test_a_trace_shows_several_results() -> None:
    a, b = T(2.0), T(3.0)
    gm = GradManager().attach([a, b])
    with Trace() as trace, gm:
        p, s = ProductAndSum()(a, b)
        y = p * 1.0
        gm.backward(y)
    assert s.item() == 5.0
    forward = trace.steps[2]
    assert (forward["inputs"], forward["outputs"], forward["output"]) == ([0, 1], [2, 3], 2)
    assert [n["name"] for n in trace.nodes] == ["a", "b", "p", "s", "1", "y"]
    contributions = [s for s in trace.steps if s["kind"] == "contribution"]
    assert [(s["at"], s["operand"], s["node"]) for s in contributions] == [
        (3, 0, 2),
        (2, 0, 0),
        (2, 1, 1),
    ]
    assert [s["gradient"]["data"] for s in contributions] == [1.0, 3.0, 2.0]
    one, none = contributions[1]["dout"]
    assert (one["data"], none) == (1.0, None)
    assert Trace.from_dict(json.loads(json.dumps(trace.to_dict()))).to_dict() == trace.to_dict()


def test_a_call_that_fails_is_a_step() -> None:
    class Fails(Function):
        def forward(self, x: te.Tensor) -> te.Tensor:
            return x + T([1.0, 2.0, 3.0])

    x = T([1.0, 2.0])
    with pytest.raises(ValueError, match="add"), Trace() as trace:
        Fails()(x)
    (step,) = trace.steps
    assert (step["kind"], step["op"], step["inputs"]) == ("failed", "Fails", [0])
    assert step["message"].startswith("Fails(): add(): x of shape (2,)")


def test_an_input_changed_in_place_is_a_step() -> None:
    class Bump(Function):
        def forward(self, x: te.Tensor) -> te.Tensor:
            x += 1.0
            return x * 2.0

    x = T([1.0])
    with Trace() as trace:
        y = Bump()(x)
        z = x + y
    assert z.tolist() == [6.0]
    assert [s["kind"] for s in trace.steps] == ["forward", "rebind", "forward"]
    assert [n["name"] for n in trace.nodes] == ["x", "y", "x₁", "z"]
