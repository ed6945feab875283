"""Tensor: how it is printed, made, copied and read."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import tinyengine as te

T = te.tensor

PRINTED = [
    (1.0, "Tensor(1.0, device=cpux:0)"),
    (1 / 3, "Tensor(0.33333334, device=cpux:0)"),
    (1e-07, "Tensor(1e-07, device=cpux:0)"),
    (1e10, "Tensor(10000000000.0, device=cpux:0)"),
    (1.5e20, "Tensor(1.5e+20, device=cpux:0)"),
    (123456789.0, "Tensor(123456790.0, device=cpux:0)"),
    (-0.00012345, "Tensor(-0.00012345, device=cpux:0)"),
    (np.nan, "Tensor(nan, device=cpux:0)"),
    (-np.inf, "Tensor(-inf, device=cpux:0)"),
    (-0.0, "Tensor(-0.0, device=cpux:0)"),
    (1, "Tensor(1, dtype=int32, device=cpux:0)"),
    (True, "Tensor(True, dtype=bool, device=cpux:0)"),
    ([3.0], "Tensor([3.], device=cpux:0)"),
    ([[1, 2, 3], [4, 5, 6]], "Tensor([[1 2 3]\n [4 5 6]], dtype=int32, device=cpux:0)"),
    ([1 / 3, 2 / 3], "Tensor([0.3333 0.6667], device=cpux:0)"),
    ([1e-08, 1.0], "Tensor([1.e-08 1.e+00], device=cpux:0)"),
    ([1.123456, -2.0], "Tensor([ 1.1235 -2.    ], device=cpux:0)"),
    ([True, False], "Tensor([ True False], dtype=bool, device=cpux:0)"),
    ([np.nan, np.inf, -np.inf, 1.0], "Tensor([ nan  inf -inf   1.], device=cpux:0)"),
    ([], "Tensor([], device=cpux:0)"),
    (np.zeros((2, 0, 3)), "Tensor([], device=cpux:0)"),
    (
        np.arange(8.0).reshape(2, 2, 2),
        "Tensor([[[0. 1.]\n  [2. 3.]]\n\n [[4. 5.]\n  [6. 7.]]], device=cpux:0)",
    ),
]


@pytest.mark.parametrize(("data", "text"), PRINTED)
def test_printing(data: Any, text: str) -> None:
    x = T(data)
    assert repr(x) == str(x) == f"{x}" == text
    with np.printoptions(precision=2, threshold=1, suppress=True):
        assert repr(x) == text


@pytest.mark.parametrize("dtype", ["float16", "float64", "int16", "int8", "uint8", "uint16"])
def test_every_dtype_but_float32_is_printed(dtype: str) -> None:
    assert repr(T([1], dtype)) == f"Tensor({np.ones(1, dtype)}, dtype={dtype}, device=cpux:0)"


def test_a_large_tensor_is_printed_in_short() -> None:
    text = repr(T(np.zeros((2000, 2000))))
    assert len(text) < 300
    assert text.count("...") == 7
    assert "..." not in repr(T(np.zeros(1000)))
    assert "..." in repr(T(np.zeros(1001)))


def test_a_parameter_says_so_and_what_is_computed_from_it_does_not() -> None:
    w = te.Parameter([3.0], name="w")
    assert repr(w) == "Parameter([3.], device=cpux:0)"
    assert repr(te.Parameter(3.0)) == "Parameter(3.0, device=cpux:0)"
    assert [type(y) for y in (w + 1, w[0], w.reshape(1), w.detach())] == [te.Tensor] * 4
    assert w.name == "w"


# construction

IMPLICIT = [
    (1, "int32"),
    ([1], "int32"),
    (range(3), "int32"),
    (np.int64(1), "int32"),
    (np.arange(3), "int32"),
    (1.0, "float32"),
    ([1, 2.5], "float32"),
    (np.float64(1), "float32"),
    (np.ones(2), "float32"),
    (np.longdouble(1), "float32"),
    (np.ones(2, ">f4"), "float32"),
    (True, "bool"),
    ([True], "bool"),
    ([], "float32"),
    (np.ones(2, "float16"), "float16"),
    (np.ones(2, "int8"), "int8"),
    (np.ones(2, "uint8"), "uint8"),
    (np.ones(2, "int16"), "int16"),
    (np.ones(2, "uint16"), "uint16"),
    ([T(1.0), T(2.0)], "float32"),
    ([T(1), T(2)], "int32"),
    ([[T(1.0), 2], [T(3), T(4.0)]], "float32"),
]


@pytest.mark.parametrize(("data", "dtype"), IMPLICIT)
def test_the_dtype_that_is_not_asked_for(data: Any, dtype: str) -> None:
    x = T(data)
    assert x.dtype == dtype
    assert x.dtype is np.dtype(dtype)
    numbers = np.asarray([np.asarray(item) for item in data]) if isinstance(data, list) else data
    assert x.shape == np.shape(numbers)


@pytest.mark.parametrize(
    ("data", "dtype", "want"),
    [
        (1.7, "int32", 1),
        (-1.7, "int32", -1),
        (300, "uint8", 44),
        (-1, "uint8", 255),
        (2, bool, True),
    ],
)
def test_an_explicit_dtype_casts(data: Any, dtype: Any, want: Any) -> None:
    assert T(data, dtype=dtype).item() == want
    assert T(T(data), dtype=dtype).item() == want


def test_float64_is_there_when_asked_for() -> None:
    x = T([0.1, 0.2], dtype="float64")
    assert x.tolist() == [0.1, 0.2]
    assert (x * 3.0 + np.array([0.1, 0.1])).tolist() == [0.1 * 3 + 0.1, 0.2 * 3 + 0.1]
    assert (x.dtype, x.astype("float32").dtype) == ("float64", "float32")


@pytest.mark.parametrize("integer", [2**31, [-(2**31) - 1], np.array([2**40]), np.int64(2**35)])
def test_an_integer_that_does_not_fit_is_no_silent_other_number(integer: Any) -> None:
    with pytest.raises(ValueError, match=r"integers become int32, and .* does not fit"):
        T(integer)
    assert T(integer, dtype="float32").numpy().max() == np.float32(np.max(integer))
    assert T(2**31 - 1).item() == 2**31 - 1


# copies


def test_a_tensor_shares_memory_with_nothing() -> None:
    array = np.array([1.0, 2.0], "float32")
    x = T(array)
    y, p, d = T(x), te.Parameter(x), x.detach()
    array[:] = 9.0
    assert [t.tolist() for t in (x, y, p, d)] == [[1.0, 2.0]] * 4
    assert type(p) is te.Parameter
    np.asarray(np.array(x))[:] = 9.0
    np.array(x)[:] = 9.0
    assert x.tolist() == [1.0, 2.0]


def test_numpy_is_read_only_and_a_snapshot() -> None:
    x = T([1.0, 2.0])
    array = x.numpy()
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 9.0
    assert x.numpy() is not array
    x.grad = T([1.0, 1.0])
    held = x.grad.numpy()
    gm = te.autodiff.GradManager().attach(x)
    with gm:
        gm.backward(x * 2)
    assert held.tolist() == [1.0, 1.0]


def test_what_is_new_and_what_is_the_same() -> None:
    x = T([1.0, 2.0])
    assert x.astype("float32") is x
    for other in (x.to("cpux"), x.reshape(2), x.detach(), x[:], x.astype("float16")):
        assert other is not x


COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
}


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_keeps_what_makes_a_tensor_and_drops_its_gradient(how: str) -> None:
    w: Any = te.Parameter([[1.0, 2.0]], dtype="float16", device="cpu1", name="w")
    w.grad, w.note = T([1.0]), "mine"
    other = COPIES[how](w)
    assert repr(other) == repr(w)
    assert (other.name, other.grad, hasattr(other, "note")) == ("w", None, False)
    assert other.device is w.device
    scalar = COPIES[how](T(3))
    assert repr(scalar) == "Tensor(3, dtype=int32, device=cpux:0)"


def test_a_copy_of_a_list_keeps_who_is_who() -> None:
    x = T([1.0])
    a, b = copy.deepcopy([x, x])
    assert a is b


# reading


def test_facts() -> None:
    x = T(np.zeros((2, 3)))
    assert (x.shape, x.ndim, x.size, len(x)) == ((2, 3), 2, 6, 2)
    assert (T(1.0).shape, T(1.0).ndim, T(1.0).size) == ((), 0, 1)
    for fact in ("shape", "dtype", "ndim", "size"):
        with pytest.raises(AttributeError):
            setattr(x, fact, 1)


def test_one_element_is_a_number() -> None:
    assert T([[2.5]]).item() == float(T([2.5])) == 2.5
    assert [type(T(v).item()) for v in (1, 1.0, True)] == [int, float, bool]
    assert T([[1, 2], [3, 4]]).item(1, 0) == T([[1, 2], [3, 4]]).item(2) == 3
    assert int(T(2.7)) == 2
    assert list(range(T(3))) == [0, 1, 2]
    assert "abc"[T([1])] == "b"
    assert [bool(t) for t in (T(1.0), T([0.0]), T(False))] == [True, False, False]


def test_iteration_and_unpacking() -> None:
    rows = list(T([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    assert [row.tolist() for row in rows] == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    a, b = T([1.0, 2.0])
    assert (a.shape, b.item()) == ((), 2.0)
    assert list(T(np.zeros((0, 2)))) == []


def test_a_hash_is_of_the_object() -> None:
    a, b = T(1.0), T(1.0)
    assert len({a, b, a}) == 2
    assert {a: "a"}[a] == "a"


def test_conversion_to_numpy() -> None:
    x = T([1.0, 2.0])
    assert np.array(x).dtype == "float32"
    assert np.asarray(x, dtype="float64").dtype == "float64"
    assert np.array_equal(np.stack([x, x]), [[1.0, 2.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="copy"):
        np.array(x, dtype="float64", copy=False)
