"""Trace: the steps of what the engine did, the names of its values, and its bounded size."""

from __future__ import annotations

import contextlib
import json
import weakref
from typing import Any

import pytest

import tinyengine as te
import tinyengine.functional as F
from tinyengine.autodiff import GradManager
from tinyengine.trace import Step, Trace

T = te.tensor


def names(trace: Trace) -> list[str]:
    return [node["name"] for node in trace.nodes]


def kinds(trace: Trace) -> list[str]:
    return [step["kind"] for step in trace.steps]


def read_back(trace: Trace) -> dict[str, Any]:
    """The trace after a journey through strict JSON."""
    text = json.dumps(trace.to_dict(), allow_nan=False)
    return Trace.from_dict(json.loads(text)).to_dict()


def test_every_step_of_the_introduction() -> None:
    x, w, b = T([[1.0, 3.0, 5.0]]), te.Parameter([[2.0], [4.0], [6.0]]), T(-1.0)
    gm = GradManager().attach([w, b])
    with Trace() as trace, gm:
        p = F.matmul(x, w)
        y = p + b
        gm.backward(y)
    assert names(trace) == ["w", "b", "x", "p", "y"]
    assert [n["kind"] for n in trace.nodes] == ["parameter", "input", "input", "result", "result"]
    assert [n["attached"] for n in trace.nodes] == [True, True, False, False, False]
    assert [n["id"] for n in trace.nodes] == [0, 1, 2, 3, 4]
    assert {n["device"] for n in trace.nodes} == {"cpux:0"}
    assert trace.nodes[3]["value"] == {"shape": [1, 1], "dtype": "float32", "data": [[44.0]]}
    one = {"shape": [1, 1], "dtype": "float32", "data": [[1.0]]}
    scalar = {"shape": [], "dtype": "float32", "data": 1.0}
    of_w = {"shape": [3, 1], "dtype": "float32", "data": [[1.0], [3.0], [5.0]]}
    plain = {"transpose_a": False, "transpose_b": False}
    contribution = {"kind": "contribution", "dout": one, "first": True}
    wanted: list[Step] = [
        {"kind": "attach", "node": 0},
        {"kind": "attach", "node": 1},
        {
            "kind": "forward",
            "op": "matmul",
            "symbol": "@",
            "attributes": plain,
            "inputs": [2, 0],
            "output": 3,
        },
        {
            "kind": "forward",
            "op": "add",
            "symbol": "+",
            "attributes": {},
            "inputs": [3, 1],
            "output": 4,
        },
        {"kind": "seed", "node": 4, "gradient": one},
        {**contribution, "at": 3, "operand": 0, "node": 3, "gradient": one, "total": one},
        {**contribution, "at": 3, "operand": 1, "node": 1, "gradient": scalar, "total": scalar},
        {**contribution, "at": 2, "operand": 1, "node": 0, "gradient": of_w, "total": of_w},
        {"kind": "gradient", "node": 0, "gradient": of_w, "grad": of_w},
        {"kind": "gradient", "node": 1, "gradient": scalar, "grad": scalar},
    ]
    assert trace.steps == wanted
    assert read_back(trace) == trace.to_dict()


def test_a_fan_out_shows_two_arrivals_and_one_sum() -> None:
    a = T([3.0])
    gm = GradManager().attach(a)
    with Trace() as trace, gm:
        b = a * a
        c = b + b
        gm.backward(c)
    assert names(trace) == ["a", "b", "c"]
    arrivals = [
        (s["node"], s["operand"], s["gradient"]["data"], s["first"], s["total"]["data"])
        for s in trace.steps
        if s["kind"] == "contribution"
    ]
    assert arrivals == [
        (1, 0, [1.0], True, [1.0]),
        (1, 1, [1.0], False, [2.0]),
        (0, 0, [6.0], True, [6.0]),
        (0, 1, [6.0], False, [12.0]),
    ]
    total = trace.steps[-2]["total"]
    assert trace.steps[-1] == {"kind": "gradient", "node": 0, "gradient": total, "grad": total}


def test_what_no_gradient_reached_is_said_so() -> None:
    w, b = T([1.0]), T([2.0])
    gm = GradManager().attach([w, b])
    with Trace() as trace, gm:
        y = w * b.detach()
        gm.backward(y)
    assert kinds(trace)[-2:] == ["gradient", "unreached"]
    assert trace.steps[-1] == {"kind": "unreached", "node": 1, "grad": None}
    assert names(trace) == ["w", "b", "v1", "y"]
    assert [s["op"] for s in trace.steps if s["kind"] == "forward"] == ["detach", "mul"]


def test_a_stretched_operand_shows_what_arrives_in_its_own_shape() -> None:
    x, row = T([[1.0], [2.0]]), T([1.0, 2.0, 3.0])
    gm = GradManager().attach(x)
    with Trace() as trace, gm:
        gm.backward(x * row)
    (step,) = [s for s in trace.steps if s["kind"] == "contribution"]
    assert step["dout"]["shape"] == [2, 3]
    assert step["gradient"]["data"] == [[6.0], [6.0]]


@pytest.mark.parametrize("outer", ["trace", "manager"])
def test_the_order_of_trace_and_manager_does_not_matter(outer: str) -> None:
    x = T([3.0])
    gm, trace = GradManager().attach(x), Trace()
    with contextlib.ExitStack() as stack:
        for each in (trace, gm) if outer == "trace" else (gm, trace):
            stack.enter_context(each)  # type: ignore[arg-type]
        gm.backward(x * x)
    assert kinds(trace) == ["attach", "forward", "seed", "contribution", "contribution", "gradient"]


def test_a_trace_that_begins_late_tells_what_it_saw() -> None:
    x = T([3.0])
    gm = GradManager().attach(x)
    with gm:
        early = x * x
        with Trace() as trace:
            y = early * 2
            gm.backward(y)
    assert names(trace) == ["x", "early", "2", "y"]
    assert kinds(trace) == ["attach", "forward", "seed", "contribution", "gradient"]


def test_attaching_inside_is_a_step_once() -> None:
    x = T([3.0])
    with Trace() as trace:
        gm = GradManager().attach(x)
        for factor in (2, 3):
            with gm:
                h = x * factor
                gm.attach(h)
                gm.backward(h)
    assert kinds(trace).count("attach") == 3  # x and each h
    assert x.grad is not None
    assert x.grad.tolist() == [5.0]


def test_traces_nest() -> None:
    a = T([3.0])
    with Trace() as outer:
        b = a * 2
        with Trace() as inner:
            c = b * 3
        d = c * 4
    assert d.tolist() == [72.0]
    assert names(inner) == ["b", "3", "c"]
    assert names(outer) == ["a", "2", "b", "3", "c", "4", "d"]


def test_rules_run_by_backward_are_no_forward_steps() -> None:
    x = T(3.0)
    outer, inner = GradManager().attach(x), GradManager().attach(x)
    with Trace() as trace, outer:
        with inner:
            y = x * x * x
            inner.backward(y)
        d1, x.grad = x.grad, None
        outer.backward(d1)
    assert kinds(trace).count("forward") == 2
    assert x.grad is not None
    assert x.grad.item() == 18.0
    assert names(trace) == ["x", "v1", "y", "d1"]


def test_a_refused_call_is_a_step() -> None:
    x, y = T([1.0, 2.0]), T([1.0, 2.0, 3.0])
    trace = Trace()
    with pytest.raises(ValueError, match="add") as error, trace:
        x + y
    (step,) = trace.steps
    assert (step["kind"], step["op"], step["inputs"]) == ("failed", "add", [0, 1])
    assert step["message"] == str(error.value)
    assert names(trace) == ["x", "y"]
    assert read_back(trace) == trace.to_dict()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x: x["<b>"],
        lambda x: x[object()],
        lambda x: F.sum(x, axis=object()),
        lambda x: F.matmul(x, 2.0),
        lambda x: x.reshape(7),
        lambda x: x * x.to("cpu0"),
        lambda x: x.astype("int32") + 2**40,
        lambda x: x.astype("bool").astype("int8") + x.astype("uint8"),
    ],
)
def test_any_refused_call_leaves_a_trace_that_can_be_saved(wrong: Any) -> None:
    x = T([1.0, 2.0])
    with Trace() as trace:
        with pytest.raises(
            (ValueError, TypeError, IndexError, RuntimeError, OverflowError)
        ) as error:
            wrong(x)
        x * 2.0
    assert kinds(trace)[-2:] == ["failed", "forward"]
    assert trace.steps[-2]["message"] == str(error.value)
    assert read_back(trace) == trace.to_dict()


def test_what_is_no_operand_at_all_is_no_step() -> None:
    x = T([1.0, 2.0])
    with Trace() as trace:
        for wrong in (None, "text", object(), [[1], [2, 3]]):
            with pytest.raises((TypeError, ValueError), match=r"add\(\): "):
                x + wrong
        x * 2.0
    assert kinds(trace) == ["forward"]


def gradient_in(context: Any) -> list[float]:
    x = T([1.0, 2.0, 0.1])
    gm = GradManager().attach(x)
    with context, gm:
        y = (x * x / 3.0).sum()
        gm.backward(y)
    assert x.grad is not None
    values: list[float] = x.grad.tolist()
    return values


def test_watching_changes_no_gradient() -> None:
    assert gradient_in(Trace()) == gradient_in(contextlib.nullcontext())


def test_a_trace_keeps_no_tensor_alive() -> None:
    def traced() -> tuple[Trace, list[Any]]:
        x = T([1.0])
        with Trace() as trace:
            y = x * 2
        return trace, [weakref.ref(x), weakref.ref(y)]

    trace, alive = traced()
    assert [ref() for ref in alive] == [None, None]
    assert names(trace) == ["x", "2", "y"]


def test_reading_a_trace_changes_nothing() -> None:
    x = T([1.0, 2.0])
    gm = GradManager().attach(x)
    with Trace() as trace, gm:
        y = (x * x).sum()
        before = list(trace.steps)
        json.dumps(trace.to_dict())
        assert x.grad is None
        assert "gradient" not in kinds(trace)
        gm.backward(y)
        json.dumps(trace.to_dict())
    assert trace.steps[: len(before)] == before
    assert trace.to_dict() == trace.to_dict()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("data", [{}, {"version": 2, "nodes": [], "steps": []}, {"version": 1}])
def test_only_a_trace_is_read_back(data: Any) -> None:
    with pytest.raises(ValueError, match="not a trace of version 1"):
        Trace.from_dict(data)
