"""The dtype of a result: tensors of several dtypes, Python numbers, NumPy arrays and scalars."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tinyengine as te

T = te.tensor
Binary = Callable[[Any, Any], Any]

KINDS = ["bool", "uint8", "int8", "int16", "int32", "float16", "float32", "float64"]
TABLE = """
        bool  uint8 int8  int16 int32 float16 float32 float64
bool    f32   f32   f32   f32   f32   f32     f32     f64
uint8   f32   uint8 -     -     -     f32     f32     f64
int8    f32   -     int8  int16 int32 f32     f32     f64
int16   f32   -     int16 int16 int32 f32     f32     f64
int32   f32   -     int32 int32 int32 f32     f32     f64
float16 f32   f32   f32   f32   f32   float16 f32     f64
float32 f32   f32   f32   f32   f32   f32     f32     f64
float64 f64   f64   f64   f64   f64   f64     f64     f64
"""
"""Of two operands; "-" is refused. Beyond MegEngine go float64, and bool with bool."""

SHORT = {"f32": "float32", "f64": "float64"}
PAIRS = [
    (row.split()[0], column, SHORT.get(cell, cell))
    for row in TABLE.strip().splitlines()[1:]
    for column, cell in zip(KINDS, row.split()[1:], strict=True)
]
SHAPES: list[Any] = [1, [1], [[1, 1]]]


@pytest.mark.parametrize("data", SHAPES)
@pytest.mark.parametrize(("left", "right", "want"), PAIRS)
def test_two_tensors(left: str, right: str, want: str, data: Any) -> None:
    x, y = T(data, left), T(1, right)
    for operate in (operator.add, operator.sub, operator.mul):
        if want == "-":
            with pytest.raises(TypeError, match="one is signed, the other not; use astype"):
                operate(x, y)
        elif left == right == "bool" and operate is operator.sub:
            with pytest.raises(TypeError, match="boolean subtract"):
                operate(x, y)
        else:
            assert operate(x, y).dtype == want
            assert operate(y, x).dtype == want
    if want != "-":
        assert (x / y).dtype == (want if want.startswith("float") else "float32")


@pytest.mark.parametrize(("left", "right", "want"), [p for p in PAIRS if p[2] != "-"])
def test_matrices(left: str, right: str, want: str) -> None:
    assert (T([[1, 1]], left) @ T([[1], [1]], right)).dtype == want
    assert (T([1, 1], left) @ T([1, 1], right)).item() == 2


SCALARS = [
    ("int32", 1, "int32"),
    ("int32", True, "int32"),
    ("int32", 1.0, "float32"),
    ("int8", 1, "int8"),
    ("uint8", 1, "uint8"),
    ("int16", 1.5, "float32"),
    ("float16", 1, "float16"),
    ("float16", 1.0, "float16"),
    ("float32", 1e-3, "float32"),
    ("float64", 1, "float64"),
    ("bool", 1, "float32"),
    ("bool", 1.0, "float32"),
]


@pytest.mark.parametrize("data", SHAPES)
@pytest.mark.parametrize(("kind", "number", "want"), SCALARS)
def test_a_python_number_takes_the_dtype_of_the_tensor(
    kind: str, number: Any, want: str, data: Any
) -> None:
    x = T(data, kind)
    for result in (x + number, number + x, x * number, number - x):
        assert result.dtype == want
        assert result.shape == x.shape
    assert (x / number).dtype == (want if want.startswith("float") else "float32")


NUMPY = [
    np.float64(2),
    np.float32(2),
    np.array(2.0),
    np.array([2.0, 2.0]),
    np.full((2, 1), 2.0, "float32"),
    np.int64(2),
    np.array([2, 2]),
    np.array(2, "int32"),
]


@pytest.mark.parametrize("kind", ["float32", "int32"])
@pytest.mark.parametrize("other", NUMPY, ids=repr)
def test_numpy_on_either_side(other: Any, kind: str) -> None:
    x = T([1, 4], kind)
    floating = kind == "float32" or other.dtype.kind == "f"
    for operate in (operator.add, operator.sub, operator.mul, operator.truediv):
        for left, right in ((x, other), (other, x)):
            result = operate(left, right)
            assert type(result) is te.Tensor
            whole = not floating and operate is not operator.truediv
            assert result.dtype == ("int32" if whole else "float32")
            wanted = operate(*(np.asarray(v, "float64") for v in (left, right)))
            np.testing.assert_array_equal(result.numpy(), wanted)


def test_a_matrix_on_the_left() -> None:
    x = T([[1.0, 2.0], [3.0, 4.0]])
    for left in (np.eye(2), np.eye(2, dtype="float32"), np.eye(2, dtype="int64")):
        assert (left @ x).tolist() == x.tolist()
        assert (left @ x).dtype == "float32"


def test_float64_stays_with_numpys_float64() -> None:
    x = T([0.1], dtype="float64")
    assert (x + np.array([0.2])).tolist() == (np.array([0.2]) + x).tolist() == [0.1 + 0.2]
    assert (x * np.float64(0.1)).tolist() == [0.1 * 0.1]


def test_a_list_is_an_array_of_its_own_dtype() -> None:
    x, halves, ones = T([1, 2]), [0.5, 0.5], [1, 1]
    assert (x + halves).tolist() == (halves + x).tolist() == [1.5, 2.5]
    assert (x + ones).dtype == "int32"
    assert (x * (2, 3)).tolist() == [2, 6]
    assert ([[T(1.0), T(2.0)]] * T([1.0, 2.0])).tolist() == [[1.0, 4.0]]


def test_the_gradient_has_the_dtype_of_its_tensor(grads: Any) -> None:
    half, single, double = T([2.0], "float16"), T([3.0]), T([5.0], "float64")
    results = grads(lambda a, b, c: a * b * c * T([7]) * T([True]), half, single, double)
    assert [str(g.dtype) for g in results] == ["float16", "float32", "float64"]
    assert [g.tolist() for g in results] == [[105.0], [70.0], [42.0]]
    (by_half,) = grads(lambda h: (h.astype("float32") * 2.0).astype("float64"), half)
    assert (str(by_half.dtype), by_half.tolist()) == ("float16", [2.0])
    assert grads(lambda x: T([1, 2]) / x, T([1.0, 2.0]))[0].tolist() == [-1.0, -0.5]


SUMS = [("bool", "int32"), *((k, k) for k in KINDS[1:])]


@pytest.mark.parametrize("data", [[100, 100], [[100], [100]], 100])
@pytest.mark.parametrize(("kind", "want"), SUMS)
def test_a_sum_keeps_the_dtype(kind: str, want: str, data: Any) -> None:
    x = T(data, kind)
    assert x.sum().dtype == x.sum(axis=0).dtype == want
    assert x.sum().item() == np.asarray(np.array(data, kind).sum()).astype(want)


def test_minus_keeps_the_dtype() -> None:
    assert [str((-T([1], kind)).dtype) for kind in KINDS[1:]] == KINDS[1:]
