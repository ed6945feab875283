"""grad_check: it passes what is right, and names what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F
from tinyengine.autodiff import Function, grad_check
from tinyengine.backend import Array
from tinyengine.op import OPERATORS, TABLE, op

T = te.tensor


class Scaled(Function):
    """a · b, with the gradient of `b` multiplied by `wrong` at its first element."""

    def __init__(self, wrong: float = 1.0, second: float = 1.0) -> None:
        self.wrong, self.second = wrong, second

    def forward(self, a: te.Tensor, b: te.Tensor) -> te.Tensor:
        self.a, self.b = a, b
        return a * b

    def backward(self, dy: te.Tensor) -> Any:
        error = np.ones(self.b.shape)
        error.flat[0] = self.wrong
        once = self.b.detach() * (1.0 - self.second) + self.b * self.second
        return dy * once, dy * self.a * error


RIGHT: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "tanh": (F.tanh, (T([0.5, -1.0]),)),
    "numbers": (lambda a, b: a * b + a / b, (0.5, 2.0)),
    "lists": (lambda a: a * a, ([1.0, 2.0],)),
    "0-d": (F.exp, (T(0.5),)),
    "empty": (F.exp, (T([]),)),
    "matmul": (F.matmul, (T(np.ones((2, 3))), T(np.eye(3, 2)))),
    "an index": (lambda x, i: x[i] * x[i], (T([1.0, 2.0]), T([0, 0, 1]))),
    "a constant": (lambda x: x.detach() * 0.0 + 1.0, (T([1.0]),)),
    "one that is not used": (lambda x, _: x * x, (T([1.0]), T([1.0]))),
    "several results": (lambda x: (x * x, [1, 2] * x), (T([1.0, 2.0]),)),
    "in place": (lambda x: _changed(x), (T([1.0, 2.0, 3.0]),)),
    "a Function": (Scaled(), (T([1.0, 2.0]), T([3.0, 4.0]))),
    "a Parameter of float16": (F.sin, (te.Parameter([1.0], "float16"),)),
    "another device": (F.sin, (T([1.0], device="cpu1"),)),
}


def _changed(x: te.Tensor) -> te.Tensor:
    y = x * x
    y[1:] = y[:-1] * x[0]
    y *= x
    return y


@pytest.mark.parametrize("name", RIGHT)
def test_right_derivatives_pass(name: str) -> None:
    f, inputs = RIGHT[name]
    assert grad_check(f, *inputs) is True


def test_the_inputs_stay_as_they_are() -> None:
    x = te.Parameter([1.0, 2.0])
    x.grad = T([7.0, 7.0])
    grad_check(_changed, x)
    assert repr(x.grad) == repr(T([7.0, 7.0]))
    assert x.dtype == "float32"
    assert x.tolist() == [1.0, 2.0]


WRONG: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
    (
        Scaled(wrong=2.0),
        (T([1.0, 2.0]), T([3.0, 4.0])),
        "grad_check of Scaled: at input 1, index (0,), the gradient is 2, the slope 1",
    ),
    (
        Scaled(wrong=0.5),
        (T(4.0), T(3.0)),
        "grad_check of Scaled: at input 1 the gradient is 2, the slope 4",
    ),
    (
        Scaled(second=0.0),
        (T([3.0]), T([2.0])),
        "grad_check of Scaled: at input 1, index (0,), the second derivative is 0, the slope 1",
    ),
    (
        lambda x, y: (x * y.detach()).sum(axis=0),
        (T(np.ones((2, 3))), T(5.0)),
        "grad_check of <lambda>: at input 1 the gradient is 0, the slope 6",
    ),
    (
        lambda x: x * x * float("nan"),
        (T([1.0]),),
        "at input 0, index (0,), the gradient is nan, the slope nan",
    ),
    (
        lambda x: (x.astype("float32") * 3.0).astype("float16"),
        (T([0.1]),),
        "f computes in float16, not float64",
    ),
]


@pytest.mark.parametrize(("f", "inputs", "message"), WRONG)
def test_wrong_derivatives_are_named(
    f: Callable[..., Any], inputs: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(AssertionError, match=re.escape(message)):
        grad_check(f, *inputs)


def test_the_second_order_can_be_left_out() -> None:
    f, inputs, _ = WRONG[2]
    assert grad_check(f, *inputs, order=1) is True


def test_a_wrong_op_is_found() -> None:
    @op("wrong")
    def wrong(x: Array, y: Array) -> Array:
        return x * x * y

    wrong.partials(x=lambda x, y: 2.001 * x * y, y=lambda x: x * x)
    del TABLE["wrong"]
    x, y = T([[1.0, 2.0]]), T([[1.0], [3.0]])
    with pytest.raises(
        AssertionError,
        match=re.escape("of wrong: at input 0, index (0, 1), the gradient is 16.008, the slope 16"),
    ):
        grad_check(wrong, x, y)
    assert "wrong" not in TABLE.keys() | OPERATORS.keys()


def test_only_some_elements_are_wrong_and_their_sum_is_right() -> None:
    class Swapped(Function):
        def forward(self, x: te.Tensor) -> te.Tensor:
            return x * np.array([1.0, 2.0])

        def backward(self, dy: te.Tensor) -> te.Tensor:
            return dy * np.array([2.0, 1.0])

    with pytest.raises(AssertionError, match=r"Swapped: at input 0, index \(\d,\), the gradient"):
        grad_check(Swapped(), T([1.0, 1.0]))


@pytest.mark.parametrize(
    ("f", "inputs", "kind", "message"),
    [
        (F.exp, (T([1]),), ValueError, "grad_check of exp: none of the inputs holds floats"),
        (F.exp, (), ValueError, "none of the inputs holds floats"),
        (F.argmax, (T([1.0]),), ValueError, "of argmax: none of the results holds floats"),
        (lambda x: 1.5, (T([1.0]),), TypeError, "<lambda> must return tensors, not float 1.5"),
        (F.exp, ("a",), TypeError, "a tensor cannot hold"),
    ],
)
def test_what_cannot_be_checked(
    f: Callable[..., Any], inputs: tuple[Any, ...], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        grad_check(f, *inputs)
