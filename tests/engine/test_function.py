"""autodiff.Function: operations that state their own derivative."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F
from tinyengine.autodiff import Function, GradManager
from tinyengine.trace import Trace

from .functions import ProductAndSum, Returns, Square

T = te.tensor


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
