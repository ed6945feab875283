"""Changing a tensor in place: who sees it, its shape and dtype, and its trace."""

from __future__ import annotations

import copy
import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tinyengine as te
from tinyengine.autodiff import GradManager
from tinyengine.trace import Trace

T = te.tensor

SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
}


@pytest.mark.parametrize("sign", SIGNS)
def test_an_operator_changes_the_tensor_itself(sign: str) -> None:
    w = te.Parameter([7.0, 9.0], name="w")
    alias, before = w, id(w)
    array = np.array([7.0, 9.0])
    w = SIGNS[sign](w, [2.0, 2.0])
    assert id(w) == before
    assert w is alias
    assert type(w) is te.Parameter
    assert w.name == "w"
    assert alias.tolist() == SIGNS[sign](array, 2.0).tolist()


def test_operators_of_integers_booleans_and_matrices() -> None:
    n, b, m = T([4, 8]), T([True, False]), T([[1.0, 2.0], [3.0, 4.0]])
    n <<= 1
    assert n.tolist() == [8, 16]
    n >>= 2
    assert n.tolist() == [2, 4]
    b &= T([True, True])
    b |= T([False, True])
    b ^= T([True, False])
    assert b.tolist() == [False, True]
    m @= T([[0.0, 1.0], [1.0, 0.0]])
    assert m.tolist() == [[2.0, 1.0], [4.0, 3.0]]


@pytest.mark.parametrize(
    ("kind", "other", "want"),
    [
        ("int32", 1, "int32"),
        ("int32", 1.5, "float32"),
        ("int8", T([1], device="cpux"), "int32"),
        ("float16", 1.5, "float16"),
        ("float16", T([1.0], device="cpux"), "float32"),
        ("float32", np.array([1.0]), "float32"),
        ("float64", 1, "float64"),
    ],
)
def test_the_dtype_is_that_of_the_result(kind: str, other: Any, want: str) -> None:
    x = T([2], kind)
    x += other
    assert x.dtype == want
    assert x.item() == 2 + float(other if isinstance(other, (int, float)) else other[0])


@pytest.mark.parametrize("other", [[[1.0], [2.0]], [[1.0, 2.0, 3.0]]])
def test_the_shape_stays(other: Any) -> None:
    x = T([1.0, 2.0, 3.0])
    shape = np.broadcast_shapes((3,), np.shape(other))
    message = (
        f"a += b: the result has shape {shape}, but a tensor keeps its shape (3,) when it is"
        " changed in place; write a = a + b for a new tensor"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        x += T(other)
    assert x.tolist() == [1.0, 2.0, 3.0]
    y = T(0.0)
    with pytest.raises(ValueError, match=r"a \*= b: the result has shape \(3,\)"):
        y *= x


def test_a_refused_change_changes_nothing() -> None:
    x = T([1.0, 2.0])
    for wrong in (lambda: x.__iadd__(T([1.0, 2.0, 3.0])), lambda: x.__setitem__(0, [1.0, 2.0])):
        with pytest.raises(ValueError, match="shape"):
            wrong()
    assert x.tolist() == [1.0, 2.0]


def test_an_array_taken_before_is_a_snapshot() -> None:
    x = T([1.0, 2.0])
    array = x.numpy()
    x[0] = 9.0
    x *= 2.0
    assert array.tolist() == [1.0, 2.0]


# set_value, reset_zero


def test_set_value_replaces_values_and_shape() -> None:
    w = te.Parameter([1.0, 2.0], device="cpu1")
    alias = w
    for value in ([[7]], T([[7]]), np.array([[7.0]]), T([[7.0]], device="cpu0")):
        w.set_value([0.0])
        assert w.set_value(value) is None  # type: ignore[func-returns-value]
        assert repr(alias) == "Parameter([[7.]], device=cpu1:0)"


def test_set_value_shares_nothing() -> None:
    x, y, array = T([1.0]), T([2.0]), np.array([3.0], "float32")
    x.set_value(y)
    y[0] = 9.0
    assert x.tolist() == [2.0]
    x.set_value(array)
    array[0] = 9.0
    assert x.tolist() == [3.0]


def test_reset_zero() -> None:
    x, n, s = T([1.0, float("nan")]), T([1, 2]), T(3.0)
    for t in (x, n, s):
        assert t.reset_zero() is None  # type: ignore[func-returns-value]
    assert (x.tolist(), n.tolist(), s.tolist()) == ([0.0, 0.0], [0, 0], 0.0)
    assert [str(t.dtype) for t in (x, n, s)] == ["float32", "int32", "float32"]
    assert s.shape == ()


# traces


def steps(trace: Trace, *names: str) -> list[list[Any]]:
    return [[step[name] for name in names] for step in trace.steps if set(names) <= step.keys()]


def test_a_change_is_a_step_and_a_new_value_of_the_same_name() -> None:
    x = T([1.0, 2.0])
    gm = GradManager().attach(x)
    with Trace() as trace, gm:
        x += 1.0
        y = x * x
        y[0] = 0.0
        gm.backward(y)
    assert [node["name"] for node in trace.nodes] == ["x", "1", "x₁", "y", "0", "y₁"]
    assert [s["kind"] for s in trace.steps][:6] == [
        "attach",
        "forward",
        "rebind",
        "forward",
        "forward",
        "rebind",
    ]
    assert steps(trace, "op", "inputs", "output") == [
        ["add", [0, 1], 2],
        ["mul", [2, 2], 3],
        ["setitem", [3, 4], 5],
    ]
    assert [s for s in trace.steps if s["kind"] == "rebind"] == [
        {"kind": "rebind", "node": 0, "output": 2},
        {"kind": "rebind", "node": 3, "output": 5},
    ]
    delivered = trace.steps[-1]
    assert (delivered["kind"], delivered["node"]) == ("gradient", 0)  # of x as it was
    assert delivered["gradient"]["data"] == [0.0, 6.0]
    assert Trace.from_dict(copy.deepcopy(trace.to_dict())).to_dict() == trace.to_dict()


def test_what_is_set_is_a_new_value_of_the_same_name() -> None:
    w = te.Parameter([1.0])
    with Trace() as trace:
        w.set_value([5.0])
        y = w * 2.0
        w.reset_zero()
        z = w + y
    assert z.tolist() == [10.0]
    assert [n["name"] for n in trace.nodes] == ["w", "w₁", "2", "y", "w₂", "z"]
    assert [n["value"]["data"] for n in trace.nodes] == [[1.0], [5.0], 2.0, [10.0], [0.0], [10.0]]


def test_a_gradient_that_grew_is_another_value() -> None:
    x = T([3.0])
    gm = GradManager().attach(x)
    with Trace() as trace:
        for _ in range(2):
            with gm:
                gm.backward(x * x)
            assert x.grad is not None
            x.grad * 1.0
    used = [s["inputs"][0] for s in trace.steps if s["kind"] == "forward" and s["op"] == "mul"]
    values = [trace.nodes[n]["value"]["data"] for n in used]
    assert values == [[3.0], [6.0], [3.0], [12.0]]


CHANGES: list[Callable[[te.Tensor], Any]] = [
    lambda x: x.__iadd__(1.0),
    lambda x: x.__setitem__(0, 1.0),
    lambda x: x.set_value([1.0]),
    lambda x: x.reset_zero(),
]


@pytest.mark.parametrize("change", CHANGES)
def test_watching_changes_nothing(change: Callable[[te.Tensor], Any]) -> None:
    x, y = T([3.0, 4.0]), T([3.0, 4.0])
    change(x)
    with Trace():
        change(y)
    assert x.tolist() == y.tolist()
