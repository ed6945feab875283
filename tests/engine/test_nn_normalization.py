"""Normalisation against its definition, running values, and what wrong calls are told."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F

Array = np.ndarray[Any, Any]


def T(data: Any, dtype: str | None = None) -> te.Tensor:  # noqa: N802
    return te.tensor(data, dtype=dtype, device="cpux")


X = np.random.default_rng(0).standard_normal((3, 4, 5, 2))


def slow_norm(x: Array, groups: list[Any]) -> Array:
    """Each group of places, told by a key, gets mean 0 and variance 1."""
    out = np.empty(x.shape)
    for mask in groups:
        values = x[mask]
        mean = sum(values) / len(values)
        variance = sum((v - mean) ** 2 for v in values) / len(values)
        out[mask] = (values - mean) / (variance + 1e-5) ** 0.5
    return out


def groups_of(x: Array, key: Any) -> list[Any]:
    """A mask for all places with the same key."""
    found: dict[Any, Any] = {}
    for place in np.ndindex(x.shape):
        found.setdefault(key(place), np.zeros(x.shape, bool))[place] = True
    return list(found.values())


@pytest.mark.parametrize(
    ("run", "key"),
    [
        (lambda x: F.batch_norm(x, training=True), lambda at: at[1]),
        (lambda x: F.layer_norm(x, (5, 2), False), lambda at: at[:2]),
        (lambda x: F.layer_norm(x, 2, False), lambda at: at[:3]),
        (lambda x: F.group_norm(x, 2, False), lambda at: (at[0], at[1] // 2)),
        (lambda x: F.instance_norm(x, False), lambda at: at[:2]),
        (lambda x: F.general_norm(x, (0, -1)), lambda at: at[1:3]),
    ],
)
def test_each_group_has_mean_0_and_variance_1(run: Any, key: Any) -> None:
    want = slow_norm(X, groups_of(X, key))
    np.testing.assert_allclose(run(T(X, "float64")).numpy(), want, rtol=1e-9, atol=1e-12)


def test_weights_and_biases() -> None:
    w, b = np.arange(1.0, 5), np.arange(4.0)
    x, channel = T(X, "float64"), (4, 1, 1)
    for run, plain in (
        (F.batch_norm(x, None, None, T(w), T(b), training=True), F.batch_norm(x, training=True)),
        (F.group_norm(x, 2, True, T(w), T(b)), F.group_norm(x, 2, False)),
        (F.instance_norm(x, True, T(w), T(b)), F.instance_norm(x, False)),
        (F.general_norm(x, 1, True, T(w), T(b)), F.general_norm(x, 1)),
    ):
        want = plain.numpy() * w.reshape(channel) + b.reshape(channel)
        np.testing.assert_allclose(run.numpy(), want, rtol=1e-6, atol=1e-6)
    w, b = np.arange(1.0, 11).reshape(5, 2), np.arange(10.0).reshape(5, 2)
    want = F.layer_norm(x, (5, 2), False).numpy() * w + b
    got = F.layer_norm(x, (5, 2), True, T(w), T(b))
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-6, atol=1e-6)
    grid = T(np.arange(8.0).reshape(2, 2, 2))
    got = F.general_norm(grid, (0, 2), True, T([[1.0, 2.0], [3.0, 4.0]]), T(np.zeros((2, 2))))
    want = [[[-1.2127, -1.4552]] * 2, [[2.1828, 4.8507]] * 2]
    np.testing.assert_allclose(got.numpy(), want, atol=1e-4)


def test_running_values() -> None:
    x = T(np.arange(8.0).reshape(2, 2, 2, 1))
    mean, var = F.zeros((1, 2, 1, 1), device="cpux"), F.ones((1, 2, 1, 1), device="cpux")
    _, new_mean, new_var = F.batch_norm(x, mean, var, training=True, inplace=False)
    assert mean.tolist() == [[[[0]], [[0]]]]
    assert new_mean.numpy().ravel() == pytest.approx([0.25, 0.45])
    assert new_var.numpy().ravel() == pytest.approx([1.4666667, 1.4666667])
    out = F.batch_norm(x, mean, var, training=True)
    assert (mean.tolist(), var.tolist()) == (new_mean.tolist(), new_var.tolist())
    assert out.numpy().ravel()[:2] == pytest.approx([-1.2127, -0.7276], abs=1e-4)
    still = F.batch_norm(x, mean, var)
    want = (x.numpy() - mean.numpy()) / np.sqrt(var.numpy() + 1e-5)
    np.testing.assert_allclose(still.numpy(), want, rtol=1e-6)


def test_running_values_are_no_part_of_the_graph(grads: Any) -> None:
    mean, var = T([0.0, 0.0]), T([1.0, 1.0])
    x = T([[1.0, 2.0], [3.0, 5.0]])
    (by_x,) = grads(lambda x: F.batch_norm(x, mean, var, training=True) ** 2, x)
    assert np.abs(by_x).max() < 1e-4
    assert mean.numpy() == pytest.approx([0.2, 0.35])
    with te.Trace() as trace:
        F.batch_norm(x, mean, var, training=True)
    assert [step["op"] for step in trace.steps] == ["standardized"]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_equal_and_huge_numbers(dtype: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        same = F.layer_norm(T([[7.0, 7.0, 7.0]], dtype), 3, False)
        assert same.tolist() == [[0, 0, 0]]
        huge = F.layer_norm(T([[1e4, -1e4]], dtype), 2, False)
        assert huge.dtype == dtype
        assert huge.numpy().ravel() == pytest.approx([1, -1], rel=1e-3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: F.batch_norm(T(X)), "running_mean and running_var are needed, or training=True"),
        (lambda: F.batch_norm(T([1.0, 2.0]), training=True), r"inp must be \(n, channels"),
        (lambda: F.batch_norm(T([[1.0, 2.0]]), training=True), "use larger batches"),
        (
            lambda: F.batch_norm(T(X), T([1.0]), T([1.0])),
            r"running_mean must have the shape \(1, 4",
        ),
        (lambda: F.batch_norm(T(X), None, None, T([1.0]), training=True), "weight must have 4"),
        (lambda: F.layer_norm(T(X), (4, 2), False), r"must have the lengths \(4, 2\)"),
        (lambda: F.layer_norm(T(X), 2, True, T([1.0])), "weight must have 2 elements"),
        (lambda: F.group_norm(T(X), 3, False), "its channels a multiple of 3"),
        (lambda: F.general_norm(T(X), 4), "has no axis 4"),
    ],
)
def test_wrong_calls_are_told_what_to_do(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
