"""``t[key] = value``, with NumPy's rules; on other devices; and what is refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import tinyengine as te
from tinyengine.autodiff import GradManager

from . import strict_device

T = te.tensor

KEYS: list[Any] = [
    0,
    -1,
    np.int64(1),
    slice(None),
    slice(None, None, -2),
    slice(5, 9),
    ...,
    (),
    None,
    (0, 1),
    (slice(None), 2),
    (..., slice(1, 3)),
    (None, 1),
    [0, 2],
    [[0, 1]],
    ([0, 1], [3, 2]),
    (slice(1, None), [0, 0]),
    np.array([2, 0]),
    np.array([True, False, True]),
    np.arange(12).reshape(3, 4) % 2 == 0,
    True,
    False,
    np.arange(12).reshape(3, 4) > 99,
]


@pytest.mark.parametrize("kind", ["float32", "int32", "bool"])
@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_assignment_is_numpys(key: Any, kind: str) -> None:
    array = np.arange(12).reshape(3, 4).astype(kind)
    shape = np.shape(array[key])
    for value in (5.7, np.float32(5.7), np.full((1,) * len(shape), 5.7), np.full(shape, 5.7)):
        wanted, x = array.copy(), T(array)
        alias = x
        wanted[key] = value
        x[tensors_in(key)] = value if isinstance(value, float) else T(value)
        np.testing.assert_array_equal(alias.numpy(), wanted)
        x = T(array)
        x[key] = value
        np.testing.assert_array_equal(x.numpy(), wanted)
        assert x.dtype == kind


def tensors_in(key: Any) -> Any:
    """The key with its arrays and lists as tensors."""
    if isinstance(key, tuple):
        return tuple(tensors_in(part) for part in key)
    return T(key) if isinstance(key, (np.ndarray, list)) else key


def test_a_value_may_have_more_leading_axes_of_length_one() -> None:
    x = T([1.0, 2.0, 3.0])
    x[1:] = [[[8.0, 9.0]]]
    x[0] = T([[7.0]])
    assert x.tolist() == [7.0, 8.0, 9.0]
    zero = T(1.0)
    zero[...] = 5.0
    assert (zero.shape, zero.item()) == ((), 5.0)
    zero[()] = T([6.0])
    assert (zero.shape, zero.item()) == ((), 6.0)


WRONG: list[tuple[Any, Any, type[Exception], str]] = [
    (3, 1.0, IndexError, "index 3 is out of bounds for axis 0 with size 3"),
    ((0, 0), 1.0, IndexError, "too many indices"),
    ("a", 1.0, IndexError, "only integers, slices"),
    (1.0, 1.0, IndexError, "only integers, slices"),
    ([5], 1.0, IndexError, "index 5 is out of bounds"),
    (T([True, False], device="cpux"), 1.0, IndexError, "boolean index did not match"),
    (T([1.0], device="cpux"), 1.0, IndexError, "must be of integer"),
    (slice(0, 2, 0), 1.0, ValueError, "slice step cannot be zero"),
    (
        slice(0, 2),
        [1.0, 2.0, 3.0],
        ValueError,
        "setitem(): inp of shape (3,), value of shape (3,), key=slice(0, 2, None): the value's"
        " shape (3,) does not stretch to (2,), the shape of what it replaces",
    ),
    (..., [1.0, 2.0], ValueError, "shape (2,) does not stretch to (3,)"),
    (0, [1.0, 2.0], ValueError, "shape (2,) does not stretch to ()"),
    (slice(0, 1), [[1.0], [2.0]], ValueError, "shape (2, 1) does not stretch to (1,)"),
    (
        T([True, True, False], device="cpux"),
        [1.0, 2.0, 3.0],
        ValueError,
        "shape (3,) does not stretch to (2,)",
    ),
    (0, None, TypeError, "an operand is None"),
    (0, "a", TypeError, "a tensor cannot hold <U1 data"),
    (0, T(1.0, device="cpu1"), RuntimeError, "inp is on cpux:0, value is on cpu1:0"),
]


@pytest.mark.parametrize(("key", "value", "kind", "message"), WRONG)
def test_what_cannot_be_assigned(key: Any, value: Any, kind: type[Exception], message: str) -> None:
    x = T([1.0, 2.0, 3.0])
    with pytest.raises(kind, match=re.escape(message)):
        x[key] = value
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_an_integer_tensor_holds_no_nan() -> None:
    x = T([1, 2])
    with pytest.raises(ValueError, match="the value is no int32"):
        x[0] = float("nan")
    with pytest.raises(OverflowError, match="out of bounds for int32"):
        x[0] = 2**40


def test_on_a_device_that_refuses_numpys_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    strict_device.install(monkeypatch)
    x, v = (T(values, device="gpu0") for values in ([1.0, 2.0, 3.0], [5.0, 6.0]))
    gm = GradManager().attach([x, v])
    with gm:
        y = x * 2.0
        y += np.array([1.0, 1.0, 1.0])
        y[[0, 1]] = v
        y[T([2], device="gpu0")] = [7.0]
        y[0] = 1
        gm.backward(y)
    assert y.tolist() == [1.0, 6.0, 7.0]
    assert x.grad is not None
    assert v.grad is not None
    assert (x.grad.tolist(), v.grad.tolist()) == ([0.0, 0.0, 0.0], [0.0, 1.0])
    assert 6 in y
    assert T(8.0, device="gpu0") not in y
    y.set_value([4.0])
    assert repr(y) == "Tensor([4.], device=gpu0:0)"
    y.set_value(T([5.0]))
    assert repr(y) == "Tensor([5.], device=gpu0:0)"
    y.reset_zero()
    assert repr(y) == "Tensor([0.], device=gpu0:0)"


@given(st.data())
def test_any_assignment_agrees_with_numpy_and_its_gradient(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple))
    key = tuple(
        data.draw(
            st.one_of(
                st.integers(-n, n - 1),
                st.slices(n),
                st.lists(st.integers(0, n - 1), min_size=1, max_size=1),
            )
        )
        for n in shape
    )
    array = np.arange(1.0, 1.0 + np.prod(shape), dtype="float32").reshape(shape)
    value = np.full_like(array[key], 0.5)
    x, v = T(array), T(value)
    gm = GradManager().attach([x, v])
    with gm:
        y = x * 2.0
        y[key] = v
        gm.backward(y)
    wanted, free = array * 2.0, np.full(shape, 2.0)
    wanted[key], free[key] = value, 0.0
    np.testing.assert_array_equal(y.numpy(), wanted)
    assert x.grad is not None
    assert v.grad is not None
    np.testing.assert_array_equal(x.grad.numpy(), free)
    np.testing.assert_array_equal(v.grad.numpy(), np.ones_like(value))
