"""NumPy's functions on tensors."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tinyengine as te
from tinyengine.autodiff import GradManager

T = te.tensor

UFUNCS = [
    "exp",
    "exp2",
    "log",
    "log1p",
    "expm1",
    "sqrt",
    "square",
    "sin",
    "cos",
    "tan",
    "arcsin",
    "arccos",
    "arctan",
    "sinh",
    "cosh",
    "tanh",
    "arcsinh",
    "arctanh",
    "absolute",
    "negative",
    "positive",
    "floor",
    "ceil",
    "sign",
    "isnan",
    "isinf",
]


@pytest.mark.parametrize("name", UFUNCS)
def test_a_function_of_numpys_is_our_op(name: str) -> None:
    x = np.array([0.25, 0.5], "float32")
    out = getattr(np, name)(T(x)) if name != "exp2" else np.power(2.0, T(x))
    assert type(out) is te.Tensor
    np.testing.assert_allclose(out.numpy(), getattr(np, name)(x), rtol=1e-6)


@pytest.mark.parametrize(
    "name",
    [
        "add",
        "subtract",
        "multiply",
        "divide",
        "floor_divide",
        "power",
        "maximum",
        "minimum",
        "arctan2",
        "logaddexp",
        "equal",
        "not_equal",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
    ],
)
def test_a_function_of_numpys_with_two_operands(name: str) -> None:
    a, b = np.array([1.0, 4.0], "float32"), np.array([2.0, 2.0], "float32")
    for left, right in ((T(a), b), (a, T(b)), (T(a), T(b)), (T(a), 2.0)):
        out = getattr(np, name)(left, right)
        assert type(out) is te.Tensor
        np.testing.assert_allclose(out.numpy(), getattr(np, name)(a, b), rtol=1e-6)


def test_a_function_of_numpys_has_a_gradient() -> None:
    x = T([0.0, 1.0])
    gm = GradManager().attach(x)
    with te.Trace() as trace, gm:
        y: Any = np.exp(x)
        gm.backward(y)
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), np.exp([0.0, 1.0]), rtol=1e-6)
    assert trace.steps[1]["op"] == "exp"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (np.cbrt, "np.cbrt() takes no tensors: give it x.numpy(), or use a function of functional"),
        (np.add.reduce, "np.add.reduce() takes no tensors: give it x.numpy()"),
        (lambda x: np.exp(x, dtype="float64"), "np.exp() does not take dtype= for tensors: give"),
        (lambda x: np.add(x, x, out=x), "np.add() does not take out= for tensors"),
        (
            np.sum,
            "sum(): got an unexpected keyword argument 'out'; a function of NumPy's needs x.n",
        ),
        (np.mean, "mean(): got an unexpected keyword argument"),
        (np.max, "a function of NumPy's needs x.numpy()"),
    ],
)
def test_what_numpy_cannot_do_with_tensors(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        call(T([1.0, 2.0]))


def test_an_array_that_is_written_to_stays_an_array() -> None:
    array = same = np.ones(2)
    array += T([1.0, 2.0])
    assert array is same
    assert array.tolist() == [2.0, 3.0]
    assert np.multiply(T([3.0, 4.0]), 2.0, out=array).tolist() == same.tolist() == [6.0, 8.0]
