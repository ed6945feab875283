"""Pooling against loops that spell it out, with its ties and its edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tinyengine as te
import tinyengine.functional as F
from tinyengine.autodiff import GradManager

Array = np.ndarray[Any, Any]
few = settings(max_examples=40, deadline=None, derandomize=True)


def T(data: Any, dtype: str | None = None) -> te.Tensor:  # noqa: N802
    return te.tensor(data, dtype=dtype, device="cpux")


def slow_pool(x: Array, kernel: Any, stride: Any, padding: Any, mode: str) -> tuple[Array, Array]:
    """The pooled images, and the gradient at x when 1, 2, 3, … arrive at them."""
    (kh, kw), (sh, sw), (ph, pw) = kernel, stride, padding
    height, width = x.shape[2:]
    rows, columns = (height + 2 * ph - kh) // sh + 1, (width + 2 * pw - kw) // sw + 1
    y = np.zeros((*x.shape[:2], rows, columns))
    grad = np.zeros(x.shape)
    dy = np.arange(1.0, y.size + 1).reshape(y.shape)
    for at in np.ndindex(y.shape):
        n, c, i, j = at
        top, left = i * sh - ph, j * sw - pw
        spots = [
            (n, c, r, s)
            for r in range(max(top, 0), min(top + kh, height))
            for s in range(max(left, 0), min(left + kw, width))
        ]
        values = [x[spot] for spot in spots]
        if mode == "max":
            y[at] = max(values)
            grad[spots[values.index(max(values))]] += dy[at]
        else:
            count = kh * kw if mode == "average" else len(spots)
            y[at] = sum(values) / count
            for spot in spots:
                grad[spot] += dy[at] / count
    return y, grad


@few
@given(data=st.data(), mode=st.sampled_from(["max", "average", "average_count_exclude_padding"]))
def test_pooling(data: st.DataObject, mode: str, grads: Any) -> None:
    pair = lambda low, high: st.tuples(st.integers(low, high), st.integers(low, high))  # noqa: E731
    kernel, stride = data.draw(pair(1, 3)), data.draw(pair(1, 4))
    padding = tuple(data.draw(st.integers(0, k - 1)) for k in kernel)
    size = tuple(k + extra for k, extra in zip(kernel, data.draw(pair(0, 4)), strict=True))
    # a few numbers only, so that windows have ties
    x = np.random.default_rng(sum(size)).integers(-4, 0, (2, 2, *size)).astype(float)
    want, gradient = slow_pool(x, kernel, stride, padding, mode)
    run = lambda x: (  # noqa: E731
        F.max_pool2d(x, kernel, stride, padding)
        if mode == "max"
        else F.avg_pool2d(x, kernel, stride, padding, mode)
    )
    tensor = T(x, "float64")
    np.testing.assert_allclose(run(tensor).numpy(), want, atol=1e-12)
    dy = np.arange(1.0, want.size + 1).reshape(want.shape)
    (got,) = grads(run, tensor, dy=T(dy, "float64"))
    np.testing.assert_allclose(got, gradient, atol=1e-12)


def test_the_gradient_of_the_gradient_comes_from_the_largest() -> None:
    x = T([[[[1.0, 4.0], [4.0, 3.0]]]], "float64")
    outer, inner = GradManager().attach(x), GradManager().attach(x)
    with outer:
        with inner:
            inner.backward(F.max_pool2d(x, 2) ** 3)
        first, x.grad = x.grad, None
        outer.backward(first)
    assert first is not None
    assert x.grad is not None
    assert first.tolist() == [[[[0, 48], [0, 0]]]]
    assert x.grad.tolist() == [[[[0, 24], [0, 0]]]]


def test_negative_images_with_padding(grads: Any) -> None:
    x = T([[[[-5.0, -3.0, -1.0, -7.0]]]])
    how: Any = {"stride": (1, 3), "padding": (0, 1)}
    assert F.max_pool2d(x, (1, 3), **how).tolist() == [[[[-3, -1]]]]
    assert F.avg_pool2d(x, (1, 3), **how).tolist() == [[[[-4, -4]]]]
    mean = F.avg_pool2d(x, (1, 3), mode="average", **how)
    assert mean.numpy().ravel() == pytest.approx([-8 / 3, -8 / 3])
    (got,) = grads(lambda x: F.max_pool2d(x, (1, 3), **how), x)
    assert got.ravel().tolist() == [0, 1, 1, 0]


def test_integers_can_be_pooled() -> None:
    x = T(-np.arange(9).reshape(1, 1, 3, 3))
    assert F.max_pool2d(x, 2, 2, 1).dtype == "int32"
    assert F.max_pool2d(x, 2, 2, 1).tolist() == [[[[0, -1], [-3, -4]]]]
    assert F.avg_pool2d(x, 3).dtype == "float32"


def test_adaptive_pooling_has_equal_windows() -> None:
    x = T(np.arange(25.0).reshape(1, 1, 5, 5))
    assert F.adaptive_avg_pool2d(x, 2).tolist() == [[[[6, 8], [16, 18]]]]
    columns = np.array([0.5, 1.5, 2.5, 3.5])
    want = np.array([5, 10, 15])[:, None] + columns
    assert F.adaptive_avg_pool2d(x, (3, 4)).tolist() == [[want.tolist()]]
    want = np.array([10, 15, 20])[:, None] + np.array([1, 2, 3, 4])
    assert F.adaptive_max_pool2d(x, T([3, 4])).tolist() == [[want.tolist()]]


def test_arrays_are_taken_like_tensors() -> None:
    x = np.arange(4, dtype="float32").reshape(1, 1, 2, 2)
    assert F.max_pool2d(x, 2).tolist() == [[[[3]]]]
    assert F.avg_pool2d(x, 2).tolist() == [[[[1.5]]]]


IMAGE = T(np.ones((1, 1, 4, 4)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: F.max_pool2d(T(np.ones((4, 4))), 2), r"inp must have 4 axes \(n, channels"),
        (lambda: F.max_pool2d(IMAGE, 5), r"a window spans \(5, 5\), more than the input"),
        (lambda: F.max_pool2d(IMAGE, 2, padding=2), "padding=2 must be smaller than kernel_size=2"),
        (lambda: F.avg_pool2d(IMAGE, 2, mode="mean"), "'mean' is not a valid value for mode"),
        (lambda: F.avg_pool2d(IMAGE, 0), "kernel_size=0 must be a number, or 2 numbers, from 1"),
        (lambda: F.adaptive_avg_pool2d(IMAGE, 5), r"with at least \(5, 5\) for height and width"),
    ],
)
def test_wrong_calls_are_told_what_to_do(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
