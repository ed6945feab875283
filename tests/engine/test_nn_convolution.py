"""Convolutions against loops that spell them out, for made-up strides, paddings and groups."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tinyengine as te
import tinyengine.functional as F
from tinyengine.functional.nn import convolution

Array = np.ndarray[Any, Any]
Numbers = tuple[int, ...]


def T(data: Any, dtype: str | None = None) -> te.Tensor:  # noqa: N802
    return te.tensor(data, dtype=dtype, device="cpux")


few = settings(max_examples=40, deadline=None, derandomize=True)


def places(
    kernel: Numbers, count: Numbers, stride: Numbers, padding: Numbers, dilation: Numbers
) -> Any:
    """Each window, each of its elements, and where in the input that lies."""
    for window in product(*map(range, count)):
        for tap in product(*map(range, kernel)):
            spots = zip(window, tap, stride, padding, dilation, strict=True)
            yield window, tap, tuple(w * s + t * d - p for w, t, s, p, d in spots)


def slow_conv(x: Array, w: Array, groups: int, **how: Numbers) -> Array:
    """x (n, in, …), w (out, in / groups, …): sums of products, one by one."""
    size, kernel = x.shape[2:], w.shape[2:]
    count = tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(
            size, kernel, how["stride"], how["padding"], how["dilation"], strict=True
        )
    )
    y = np.zeros((len(x), len(w), *count))
    inputs, outputs = w.shape[1], len(w) // groups
    for window, tap, spot in places(kernel, count, **how):
        if all(0 <= i < n for i, n in zip(spot, size, strict=True)):
            for o in range(len(w)):
                for i in range(inputs):
                    channel = o // outputs * inputs + i
                    y[(slice(None), o, *window)] += (
                        x[(slice(None), channel, *spot)] * w[(o, i, *tap)]
                    )
    return y


def slow_transpose(x: Array, w: Array, groups: int, more: Numbers, **how: Numbers) -> Array:
    """x (n, in, …), w (in, out / groups, …): each factor lays out the weights, one by one."""
    count, kernel = x.shape[2:], w.shape[2:]
    size = tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + 1 + m
        for n, k, s, p, d, m in zip(
            count, kernel, how["stride"], how["padding"], how["dilation"], more, strict=True
        )
    )
    y = np.zeros((len(x), w.shape[1] * groups, *size))
    inputs, outputs = len(w) // groups, w.shape[1]
    for window, tap, spot in places(kernel, count, **how):
        if all(0 <= i < n for i, n in zip(spot, size, strict=True)):
            for i in range(len(w)):
                for o in range(outputs):
                    channel = i // inputs * outputs + o
                    y[(slice(None), channel, *spot)] += (
                        x[(slice(None), i, *window)] * w[(i, o, *tap)]
                    )
    return y


def drawn(data: st.DataObject, rank: int) -> tuple[int, Numbers, dict[str, Numbers]]:
    """Groups, a kernel and how it slides."""
    each = lambda low, high: st.tuples(*[st.integers(low, high)] * rank)  # noqa: E731
    how = {"stride": each(1, 3), "padding": each(0, 2), "dilation": each(1, 2)}
    return (
        data.draw(st.sampled_from([1, 1, 2])),
        data.draw(each(1, 3)),
        {name: data.draw(numbers) for name, numbers in how.items()},
    )


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape)


def grouped(w: Array, groups: int) -> te.Tensor:
    return te.tensor(
        w if groups == 1 else w.reshape(groups, len(w) // groups, *w.shape[1:]), dtype="float64"
    )


@few
@given(data=st.data(), rank=st.sampled_from([1, 2, 2, 3]))
def test_convolution(data: st.DataObject, rank: int, grads: Any) -> None:
    groups, kernel, how = drawn(data, rank)
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, how["dilation"], strict=True)]
    size = tuple(data.draw(st.integers(s, s + 3)) for s in spans)
    x, w = random(2, 2 * groups, *size), random(3 * groups, 2, *kernel)
    bias = random(3 * groups).reshape(1, -1, *[1] * rank)
    conv = [F.conv1d, F.conv2d, F.conv3d][rank - 1]
    options = {
        k: v if data.draw(st.booleans()) or len(set(v)) > 1 else v[0] for k, v in how.items()
    }
    run = lambda *args: conv(*args, groups=groups, **options)  # noqa: E731
    tensors = te.tensor(x, "float64"), grouped(w, groups), te.tensor(bias, "float64")
    want = slow_conv(x, w, groups, **how)
    np.testing.assert_allclose(run(*tensors).numpy(), want + bias, atol=1e-12)
    np.testing.assert_allclose(run(*tensors[:2]).numpy(), want, atol=1e-12)
    # it is linear in x and in w: a gradient, times what it is the gradient of, is y · dy
    dy = random(*want.shape)
    by_x, by_w, by_b = grads(run, *tensors, dy=te.tensor(dy, "float64"))
    assert (by_x * x).sum() == pytest.approx((want * dy).sum(), abs=1e-9)
    assert (by_w.reshape(w.shape) * w).sum() == pytest.approx((want * dy).sum(), abs=1e-9)
    np.testing.assert_allclose(by_b.ravel(), dy.sum((0, *range(2, rank + 2))), atol=1e-9)
    # and the gradient at x is a transposed convolution
    more = tuple(
        n - ((c - 1) * s - 2 * p + span)
        for n, c, s, p, span in zip(
            size, want.shape[2:], how["stride"], how["padding"], spans, strict=True
        )
    )
    np.testing.assert_allclose(by_x, slow_transpose(dy, w, groups, more, **how), atol=1e-12)


@few
@given(data=st.data(), rank=st.sampled_from([2, 2, 3]))
def test_transposed_convolution(data: st.DataObject, rank: int) -> None:
    groups, kernel, how = drawn(data, rank)
    how["padding"] = tuple(min(p, k - 1) for p, k in zip(how["padding"], kernel, strict=True))
    size = data.draw(st.tuples(*[st.integers(2, 4)] * rank))
    more = tuple(data.draw(st.integers(0, s - 1)) for s in how["stride"])
    x, w = random(2, 2 * groups, *size), random(2 * groups, 3, *kernel)
    bias = random(3 * groups).reshape(1, -1, *[1] * rank)
    run = F.conv_transpose2d if rank == 2 else F.conv_transpose3d
    got = run(
        te.tensor(x, "float64"),
        grouped(w, groups),
        te.tensor(bias, "float64"),
        groups=groups,
        output_padding=more,
        **how,
    )
    np.testing.assert_allclose(
        got.numpy(), slow_transpose(x, w, groups, more, **how) + bias, atol=1e-12
    )


def test_rows_that_no_window_reaches_get_no_gradient(grads: Any) -> None:
    x, w = T(np.ones((1, 1, 8, 8))), T(np.arange(1, 10.0).reshape(1, 1, 3, 3))
    by_x, by_w = grads(lambda x, w: F.conv2d(x, w, stride=3), x, w)
    want = np.zeros((8, 8))
    want[:6, :6] = np.tile(w.numpy()[0, 0], (2, 2))
    assert by_x[0, 0].tolist() == want.tolist()
    assert (by_w == 4).all()


def test_padding_by_hand() -> None:
    y = F.conv2d(T(np.ones((1, 1, 16, 16))), T(np.ones((1, 1, 7, 7))), stride=3, padding=2)
    sums = [5, 7, 7, 7, 6]
    assert y.numpy()[0, 0].tolist() == np.outer(sums, sums).tolist()


def test_true_convolution_turns_the_weight_round() -> None:
    x, w = random(1, 1, 6), random(1, 1, 3)
    got = F.conv1d(te.tensor(x, "float64"), te.tensor(w, "float64"), conv_mode="convolution")
    np.testing.assert_allclose(got.numpy()[0, 0], np.convolve(x[0, 0], w[0, 0], "valid"))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_dtype_is_kept_and_float16_adds_up_in_float32(dtype: str) -> None:
    x = T(np.full((1, 1, 64, 64), 0.1), dtype=dtype)
    y = F.conv2d(x, T(np.full((1, 1, 64, 64), 0.1), dtype=dtype))
    assert y.dtype == dtype
    assert y.item() == pytest.approx(40.96, rel=1e-3)


@pytest.mark.parametrize("most", [1, 100, 300])
def test_large_batches_are_done_in_parts(
    most: int, monkeypatch: pytest.MonkeyPatch, grads: Any
) -> None:
    x, w = T(random(7, 2, 5, 4)), T(random(4, 1, 2, 2))
    run = lambda x, w: F.conv2d(x, w.reshape(2, 2, 1, 2, 2), groups=2)  # noqa: E731
    whole, gradients = run(x, w), grads(run, x, w)
    monkeypatch.setattr(convolution, "_MOST", most)
    np.testing.assert_allclose(run(x, w).numpy(), whole.numpy(), rtol=1e-5)
    for got, want in zip(grads(run, x, w), gradients, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5)


def test_no_images_give_no_images(grads: Any) -> None:
    x, w = T(np.zeros((0, 2, 5, 4))), T(random(3, 2, 2, 2))
    assert F.conv2d(x, w).shape == (0, 3, 4, 3)
    by_x, by_w = grads(F.conv2d, x, w)
    assert by_x.shape == x.shape
    assert (by_w == 0).all()
    assert F.max_pool2d(x, 2).shape == (0, 2, 2, 2)


def test_arrays_are_taken_like_tensors() -> None:
    x, w = np.ones((1, 1, 3, 3), "float32"), np.ones((1, 1, 2, 2), "float32")
    assert F.conv2d(x, T(w)).tolist() == F.conv2d(T(x), w).tolist() == [[[[4, 4], [4, 4]]]]


IMAGES, KERNELS = T(np.ones((2, 4, 5, 5))), T(np.ones((6, 4, 3, 3)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: F.conv2d(T(np.ones((4, 5, 5))), KERNELS), r"inp must have 4 axes \(n, channels"),
        (
            lambda: F.conv2d(IMAGES, T(np.ones((6, 3, 3, 3)))),
            "has 4 channels, but weight .* takes 3",
        ),
        (
            lambda: F.conv2d(IMAGES, T(np.ones((6, 3, 3)))),
            r"weight must be \(out, in, height, width",
        ),
        (
            lambda: F.conv2d(IMAGES, KERNELS, groups=2),
            r"groups=2 weight must be \(groups, out / gr",
        ),
        (
            lambda: F.conv2d(IMAGES, KERNELS, T([1.0, 2.0])),
            r"bias must have the shape \(1, 6, 1, 1",
        ),
        (lambda: F.conv2d(IMAGES, T(np.ones((6, 4, 6, 6)))), r"a window spans \(6, 6\), more than"),
        (lambda: F.conv2d(IMAGES, KERNELS, stride=0), "stride=0 must be a number, or 2 numbers"),
        (lambda: F.conv2d(IMAGES, KERNELS, padding=(1, 1, 1)), "padding=.* must be a number, or 2"),
        (
            lambda: F.conv2d(IMAGES, KERNELS, conv_mode="x"),
            "'x' is not a valid value for conv_mode",
        ),
        (
            lambda: F.conv_transpose2d(IMAGES, KERNELS),
            r"conv_transpose2d\(\): inp of shape \(2, 4, 5, 5\) has 4 channels, but .* takes 6",
        ),
        (
            lambda: F.conv_transpose2d(IMAGES, T(np.ones((4, 1, 3, 3))), output_padding=1),
            "output_padding=1 must be smaller than the stride",
        ),
        (
            lambda: F.conv_transpose2d(IMAGES, T(np.ones((4, 1, 1, 1))), padding=3),
            "padding=3 leaves nothing",
        ),
    ],
)
def test_wrong_calls_are_told_what_to_do(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
