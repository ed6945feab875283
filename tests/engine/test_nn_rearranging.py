"""Padding, windows, pixels out of channels, and response normalisation over them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F


def T(data: Any, dtype: str | None = None) -> te.Tensor:  # noqa: N802
    return te.tensor(data, dtype=dtype, device="cpux")


ROW = T([[1.0, 2.0, 3.0]])


@pytest.mark.parametrize(
    ("mode", "numpys"), [("constant", "constant"), ("reflect", "reflect"), ("replicate", "edge")]
)
def test_padding_is_numpys_and_its_gradient_adds_up_copies(
    mode: str, numpys: Any, grads: Any
) -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    widths = ((1, 1), (0, 2), (3, 1))
    want = np.pad(x, widths, mode=numpys)
    assert F.pad(T(x), widths, mode).tolist() == want.tolist()
    (got,) = grads(lambda x: F.pad(x, widths, mode), T(x))
    where = np.pad(np.arange(24).reshape(x.shape), widths, mode=numpys)
    if mode == "constant":
        assert (got == 1).all()
    else:
        assert got.ravel().tolist() == np.bincount(where.ravel()).tolist()


def test_padding_of_some_axes_with_another_number() -> None:
    assert F.pad(ROW, ((1, 0),), constant_value=5).tolist() == [[5, 5, 5], [1, 2, 3]]
    assert F.pad(ROW, ((0, 0), (1, 2)), "edge").tolist() == [[1, 1, 2, 3, 3, 3]]


def test_windows_by_loops() -> None:
    x = np.arange(60.0).reshape(1, 2, 6, 5)
    got = F.sliding_window(T(x), (3, 2), padding=(1, 0), stride=(2, 1), dilation=(1, 2)).numpy()
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (0, 0)))
    assert got.shape == (1, 2, 3, 3, 3, 2)
    for c, i, j, a, b in np.ndindex(got.shape[1:]):
        assert got[0, c, i, j, a, b] == padded[0, c, 2 * i + a, j + 2 * b]


def test_windows_put_back_add_up() -> None:
    x = T(np.ones((1, 1, 3, 3)))
    back = F.sliding_window_transpose(F.sliding_window(x, 2), 3, 2)
    assert back.tolist() == [[[[1, 2, 1], [2, 4, 2], [1, 2, 1]]]]


def test_pixels_out_of_channels(grads: Any) -> None:
    x = T(np.arange(16.0).reshape(1, 4, 2, 2))
    want = [[0, 4, 1, 5], [8, 12, 9, 13], [2, 6, 3, 7], [10, 14, 11, 15]]
    assert F.pixel_shuffle(x, 2).tolist() == [[want]]
    (got,) = grads(lambda x: F.pixel_shuffle(x, 2), x, dy=T([[want]]))
    assert got.tolist() == x.tolist()


def test_response_normalisation() -> None:
    x = np.arange(8.0)
    sums = np.array([sum(x[max(i - 2, 0) : i + 3] ** 2) for i in range(8)])
    want = x / (1 + 0.1 * sums) ** 0.75
    got = F.local_response_norm(T(x.reshape(1, 8, 1, 1)), 5, 1.0, 0.1, 0.75)
    assert got.numpy().ravel() == pytest.approx(want, rel=1e-5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: F.pad(ROW, ((1, 1),), "mirror"), "'mirror' is not a valid value for mode"),
        (lambda: F.pad(ROW, ((1, 1),) * 3), "for at most the 2 axes of src"),
        (lambda: F.pad(ROW, ((1, -1),)), "must be a pair"),
        (lambda: F.pad(ROW, ((0, 0), (3, 0)), "reflect"), "axis 1 of src has 3 elements: too few"),
        (lambda: F.sliding_window(ROW, 2), r"inp must have 4 axes \(n, channels"),
        (
            lambda: F.sliding_window_transpose(T(np.ones((1, 1, 2, 2, 2, 2))), 4, 2),
            r"the last four axes of inp must have the lengths \(3, 3, 2, 2\)",
        ),
        (lambda: F.pixel_shuffle(T(np.ones((1, 3, 2, 2))), 2), "a multiple of upscale_factor² = 4"),
        (lambda: F.local_response_norm(ROW, 4), "kernel_size=4 odd"),
    ],
)
def test_wrong_calls_are_told_what_to_do(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
