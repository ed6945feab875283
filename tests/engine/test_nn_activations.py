"""Activations where they bend, far from zero, and under an outer manager."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F
from tinyengine.autodiff import GradManager

T = te.tensor
ALL = [
    "relu",
    "leaky_relu",
    "relu6",
    "hsigmoid",
    "hswish",
    "softplus",
    "logsigmoid",
    "silu",
    "gelu",
    "sigmoid",
    "tanh",
]


@pytest.mark.parametrize(
    ("name", "at", "slopes"),
    [
        ("relu", [-1, 0, 2], [0, 0, 1]),
        ("leaky_relu", [-1, 0, 2], [0.01, 1, 1]),
        ("relu6", [-1, 0, 2, 6, 7], [0, 0, 1, 0, 0]),
        ("hsigmoid", [-4, -3, 0, 3, 4], [0, 0, 1 / 6, 0, 0]),
        ("hswish", [-4, -3, -1, 0, 3, 6], [0, -0.5, 1 / 6, 0.5, 1.5, 1]),
        ("softplus", [-3, 0, 3], [0.04742587, 0.5, 0.95257413]),
        ("logsigmoid", [-3, 0, 6], [0.95257413, 0.5, 0.00247262]),
        ("sigmoid", [-3, 0, 6], [0.04517666, 0.25, 0.00246651]),
        ("silu", [-3, 0, 6], [-0.0881041, 0.5, 1.0123262]),
        ("gelu", [-3, 0, 6], [-0.01194565, 0.5, 1.0]),
    ],
)
def test_derivatives_where_they_bend(name: str, at: Any, slopes: Any, grads: Any) -> None:
    (got,) = grads(getattr(F, name), T(np.array(at, "float32")))
    assert got == pytest.approx(slopes, rel=1e-4)


def test_prelu_learns_its_slope(grads: Any) -> None:
    x, slope = T([-2.0, 0.0, 3.0]), T([0.25])
    assert F.prelu(x, slope).tolist() == [-0.5, 0.0, 3.0]
    by_x, by_slope = grads(F.prelu, x, slope)
    assert by_x.tolist() == [0.25, 1.0, 1.0]
    assert by_slope.tolist() == [-2.0]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ALL)
def test_far_from_zero_there_is_neither_nan_nor_warning(name: str, dtype: str) -> None:
    x = T([-1e4, -1e3, -100.0, -20.0, 0.0, 20.0, 100.0, 1e3, 1e4], dtype=dtype)
    outer, inner = GradManager().attach(x), GradManager().attach(x)
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        with outer:
            with inner:
                y = getattr(F, name)(x)
                inner.backward(y)
            first, x.grad = x.grad, None
            outer.backward(first)
    assert first is not None
    assert np.isfinite(y.numpy()).all()
    assert np.isfinite(first.numpy()).all()
    assert x.grad is None or np.isfinite(x.grad.numpy()).all()


def test_small_tails_keep_their_digits() -> None:
    x = T([-30.0, -80.0])
    assert F.sigmoid(x).numpy() == pytest.approx([9.357623e-14, 1.804851e-35], rel=1e-5)
    assert F.softplus(x).numpy() == pytest.approx([9.357623e-14, 1.804851e-35], rel=1e-5)
    assert F.logsigmoid(T([-1e4, 30.0])).numpy() == pytest.approx([-1e4, -9.357623e-14], rel=1e-5)


def test_integers_become_floats_where_fractions_come_out() -> None:
    x = T([-1, 0, 2])
    assert (F.relu(x).tolist(), F.relu(x).dtype) == ([0, 0, 2], "int32")
    for name in ("sigmoid", "softplus", "silu", "gelu", "hsigmoid", "logsigmoid"):
        assert getattr(F, name)(x).dtype == "float32"


def test_they_are_in_both_namespaces() -> None:
    for name in ALL[:-1]:
        assert getattr(F.nn, name) is getattr(F, name)
    assert F.math.__name__ == "tinyengine.functional.math"
