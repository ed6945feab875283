"""Names and values in a trace."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F
from tinyengine.trace import Trace

T = te.tensor
MODULE_LEVEL = T([1.0])


def names(trace: Trace) -> list[str]:
    return [node["name"] for node in trace.nodes]


def value_of(array: Any, dtype: Any = None) -> dict[str, Any]:
    x = T(array, dtype)
    with Trace() as trace:
        x.detach()
    json.dumps(trace.to_dict(), allow_nan=False)
    found: dict[str, Any] = trace.nodes[0]["value"]
    return found


# names


def test_a_variable_of_the_module_names_its_value() -> None:
    with Trace() as trace:
        y = MODULE_LEVEL * 2
        MODULE_LEVEL * y
    assert names(trace) == ["MODULE_LEVEL", "2", "y", "v1"]


def test_a_cell_of_a_notebook() -> None:
    cell: dict[str, Any] = {"te": te}
    exec(
        "x = te.tensor(3.)\nw = te.tensor(2.)\nwith te.Trace() as t:\n    p = x * w\n    y = p + 1",
        cell,
    )
    assert names(cell["t"]) == ["x", "w", "p", "1", "y"]


def test_the_variables_of_a_function_name_its_values() -> None:
    def linear(a: te.Tensor, c: te.Tensor) -> te.Tensor:
        product = a * c
        return product + 1

    x, w = T([1.0]), T([2.0])
    with Trace() as trace:
        y = linear(x, w)
    assert y.tolist() == [3.0]
    assert names(trace) == ["a", "c", "product", "1", "y"]


def test_a_variable_that_is_used_again_gives_numbered_names() -> None:
    x = T([1.0])
    with Trace() as trace:
        for _ in range(3):
            x = x + 1
    assert names(trace) == ["x", "1", "x₁", "1", "x₂", "1", "x₃"]


def test_many_of_a_name_count_on() -> None:
    x = T([1.0])
    with Trace() as trace:
        for _ in range(12):
            x = -x
    assert names(trace)[-3:] == ["x₁₀", "x₁₁", "x₁₂"]


def test_an_explicit_name_wins_and_a_clash_is_numbered() -> None:
    x, y, z = T([1.0], name="weight"), T([1.0], name="weight"), T([1.0], name="")
    with Trace() as trace:
        weight = x + y
        weight + z
    assert names(trace) == ["weight", "weight₁", "weight₂", "z", "v1"]


def test_what_has_no_variable_is_numbered() -> None:
    held = [T([1.0]), T([2.0])]
    _hidden = T([3.0])
    with Trace() as trace:
        out = held[0] * held[1] + _hidden
    assert out.tolist() == [5.0]
    assert names(trace) == ["v1", "v2", "v3", "v4", "out"]


def test_a_generated_name_avoids_those_taken() -> None:
    held, v1 = [T([1.0])], T([2.0])
    with Trace() as trace:
        y = held[0] * v1
    assert y.tolist() == [2.0]
    assert names(trace) == ["v1₁", "v1", "y"]


def test_constants_are_called_by_their_digits() -> None:
    x = T(2.0)
    with Trace() as trace:
        for number in (2, 0.5, True, -1.5, 1e-30, np.float64(3), np.array(4.0), float("nan")):
            x * number
        x * np.array([1.0, 2.0])
        [3.0] * x
    constants = [n for n in trace.nodes if n["kind"] == "constant"]
    digits = ["2", "0.5", "1", "-1.5", "1e-30", "3", "4", "nan"]
    assert [n["name"] for n in constants[:8]] == digits
    assert [n["value"]["shape"] for n in constants[8:]] == [[2], [1]]
    assert {n["device"] for n in constants} == {None}


def test_any_name_can_be_saved() -> None:
    strange = [
        "<b>w</b>",
        'a "q" b',
        "line1\nline2",
        "权重 α²",
        "</script>",
        "back\\slash\\",
        "&amp;",
    ]
    held = [T([1.0], name=name) for name in strange]
    with Trace() as trace:
        total = held[0]
        for tensor in held[1:]:
            total = total + tensor
    assert set(strange) <= set(names(trace))
    assert json.loads(json.dumps(trace.to_dict(), allow_nan=False)) == trace.to_dict()


# values


def test_small_values_are_there_in_full() -> None:
    assert value_of([[1.0, 0.1]])["data"] == [[1.0, 0.1]]  # the digits that are printed
    assert value_of(np.arange(64))["data"] == list(range(64))
    assert value_of(3.5) == {"shape": [], "dtype": "float32", "data": 3.5}
    assert value_of(True)["data"] is True
    assert value_of(np.zeros((0, 3))) == {"shape": [0, 3], "dtype": "float32", "data": []}
    assert value_of(1 / 3, "float16")["data"] == 0.3333
    assert value_of(1 / 3, "float64")["data"] == 1 / 3


def test_what_json_has_no_number_for_is_text() -> None:
    assert value_of([np.nan, np.inf, -np.inf, 1.0])["data"] == ["nan", "inf", "-inf", 1.0]
    assert value_of(np.nan)["data"] == "nan"
    large = value_of(np.full(100, np.nan))
    assert (large["min"], large["mean"], large["thumbnail"][0][0]) == ("nan", "nan", "nan")


@pytest.mark.parametrize(
    "array",
    [
        np.arange(1_000_000.0).reshape(1000, 1000),
        np.arange(1024.0).reshape(4, 4, 4, 4, 4),
        np.arange(100),
        np.arange(100) > 50,
        np.arange(200.0).reshape(100, 2),
    ],
)
def test_large_values_travel_as_a_summary(array: np.ndarray[Any, Any]) -> None:
    value = value_of(array)
    assert "data" not in value
    assert value["shape"] == list(array.shape)
    assert (value["min"], value["max"]) == (array.min(), array.max())
    assert value["mean"] == pytest.approx(array.mean(), rel=1e-4)
    rows = value["thumbnail"]
    assert len(rows) <= 8
    assert len(rows[0]) == min(8, array.shape[-1])
    assert len(json.dumps(value)) < 2000


def test_a_large_axis_of_length_zero() -> None:
    assert value_of(np.zeros((1000, 0)))["shape"] == [1000, 0]


def test_attributes_are_plain() -> None:
    x = T(np.ones((4, 4)))
    keys = [
        (0, {"key": 0}),
        ((..., None, 1), {"key": [{"ellipsis": True}, None, 1]}),
        (slice(1, None, -2), {"key": {"slice": [1, None, -2]}}),
        ([0, 1], {"key": [0, 1]}),
        (np.array([0, 1]), {"key": {"shape": [2], "dtype": "int64", "data": [0, 1]}}),
        (T([0, 1]), {"key": {"shape": [2], "dtype": "int32", "data": [0, 1]}}),
        (np.int64(1), {"key": {"shape": [], "dtype": "int64", "data": 1}}),
    ]
    with Trace() as trace:
        for key, _ in keys:
            x[key]
        x.astype(np.float16)
        x.astype(np.dtype("float16"))
        x.to("cpu0")
        F.sum(x, axis=(0, -1))
    attributes = [step["attributes"] for step in trace.steps]
    assert attributes[: len(keys)] == [wanted for _, wanted in keys]
    assert attributes[len(keys) :] == [
        {"dtype": "float16"},
        {"dtype": "float16"},
        {"device": "cpu0:0"},
        {"axis": [0, -1], "keepdims": False},
    ]
    json.dumps(trace.to_dict(), allow_nan=False)
