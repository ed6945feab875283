"""Changing a tensor in place: who sees it, its shape and dtype, its gradient and its trace."""

from __future__ import annotations

import copy
import operator
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import tinyengine as te
from tinyengine import backend
from tinyengine.autodiff import GradManager
from tinyengine.trace import Trace

from . import strict_device

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


# t[key] = value

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


# gradients


def test_of_the_values_that_were_used() -> None:
    x = T([3.0])
    gm = GradManager().attach(x)
    with gm:
        y = x * x
        x += 1.0
        x[0] = 100.0
        gm.backward(y)
    assert x.grad is not None
    assert x.grad.tolist() == [6.0]
    assert x.tolist() == [100.0]


def test_through_the_change(grads: Any) -> None:
    def f(w: te.Tensor) -> te.Tensor:
        w += 1.0
        y = w * w
        y *= w
        return y

    assert grads(f, T([1.0, 2.0]))[0].tolist() == [12.0, 27.0]  # 3 (w + 1)²


def test_a_value_that_was_overwritten_gets_none(grads: Any) -> None:
    def f(x: te.Tensor, v: te.Tensor) -> te.Tensor:
        y = x * 2.0
        y[0] = 0.0
        y[1:3] = v * 3.0
        y[2] = v[0]
        return y * T([1.0, 10.0, 100.0, 1000.0])

    gx, gv = grads(f, T([1.0, 2.0, 3.0, 4.0]), T([5.0, 6.0]))
    assert gx.tolist() == [0.0, 0.0, 0.0, 2000.0]
    assert gv.tolist() == [130.0, 0.0]


def test_the_last_of_repeated_places_counts(grads: Any) -> None:
    def f(v: te.Tensor) -> te.Tensor:
        y = T([0.0, 0.0, 0.0]) * v.sum()
        y[[0, 1, 0]] = v
        return y * T([1.0, 10.0, 100.0])

    assert grads(f, T([5.0, 6.0, 7.0]))[0].tolist() == [0.0, 10.0, 1.0]


def test_a_stretched_value_adds_up(grads: Any) -> None:
    def f(v: te.Tensor, w: te.Tensor) -> te.Tensor:
        y = T(np.zeros((2, 3)))
        y[...] = v
        y[:, :2] = w
        return y

    gv, gw = grads(f, T(2.0), T([[[3.0], [4.0]]]))
    assert (gv.tolist(), gw.tolist()) == (2.0, [[[2.0], [2.0]]])


def test_a_nan_that_was_overwritten_leaves_no_trace(grads: Any) -> None:
    def f(x: te.Tensor) -> te.Tensor:
        y = 1.0 / x
        y[x == 0.0] = 0.0
        return y * y

    (g,) = grads(f, T([1.0, 2.0]))
    assert g.tolist() == [-2.0, -0.25]


def test_into_an_integer_tensor_there_is_no_gradient(grads: Any) -> None:
    def f(v: te.Tensor) -> te.Tensor:
        n = T([1, 2])
        n[0] = v
        return n * 1.0

    assert grads(f, T(1.5)) == [None]


def test_an_index_that_changes_later(grads: Any) -> None:
    def f(x: te.Tensor) -> te.Tensor:
        at, places = T([0, 2]), [1]
        y = x[at] * 1.0
        z = x[at[0] : 2] * 10.0
        x[places] = y[0]
        at += 1
        at[0] = 0
        places[0] = 0
        return y.sum() + z.sum() + x.sum() * 100.0

    assert grads(f, T([1.0, 1.0, 1.0]))[0].tolist() == [211.0, 10.0, 101.0]


def test_set_value_lets_the_gradient_through(grads: Any) -> None:
    def f(w: te.Tensor, v: te.Tensor) -> te.Tensor:
        w.set_value(v * 2.0)
        return w * w

    gw, gv = grads(f, T([1.0, 2.0]), T([3.0, 4.0]))
    assert (gw, gv.tolist()) == (None, [24.0, 32.0])


def test_what_is_set_to_a_number_is_a_constant(grads: Any) -> None:
    def f(w: te.Tensor) -> te.Tensor:
        y = w * 3.0
        w.set_value([5.0])
        y += w * w
        w.reset_zero()
        return y + w

    assert grads(f, T([1.0]))[0].tolist() == [3.0]


def test_a_step_of_training_inside_the_block() -> None:
    w = te.Parameter([1.0])
    gm = GradManager().attach(w)
    for _ in range(3):
        with gm:
            gm.backward(w * w)
            assert w.grad is not None
            w -= 0.25 * w.grad
            w.grad = None
    assert w.tolist() == [0.125]
    assert type(w) is te.Parameter


def test_of_second_order() -> None:
    x, v = T([2.0, 3.0]), T(5.0)
    outer, inner = GradManager().attach([x, v]), GradManager().attach(x)
    with outer:
        with inner:
            y = x * x * x * v
            y[0] = v * v
            y *= 2.0
            inner.backward(y)
        first, x.grad = x.grad, None
        outer.backward(first)
    assert first is not None
    assert x.grad is not None
    assert v.grad is not None
    assert first.tolist() == [0.0, 270.0]
    assert (x.grad.tolist(), v.grad.tolist()) == ([0.0, 180.0], 54.0)


def test_a_change_of_a_gradient_that_was_used() -> None:
    x = T([2.0])
    outer, inner = GradManager().attach(x), GradManager().attach(x)
    with outer:
        with inner:
            inner.backward(x * x * x)
        g, x.grad = x.grad, None
        assert g is not None
        y = g * g
        g *= 0.0
        outer.backward(y)
    assert x.grad is not None
    assert x.grad.tolist() == [288.0]  # 2 · 3x² · 6x


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


# devices


@pytest.fixture
def _strict(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    strict_device.install(monkeypatch)
    yield
    backend._by_name.cache_clear()


@pytest.mark.usefixtures("_strict")
def test_on_a_device_that_refuses_numpys_arrays() -> None:
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
