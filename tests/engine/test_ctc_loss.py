"""CTC against a count of all paths."""

from __future__ import annotations

import math
from itertools import groupby, product
from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F

Array = np.ndarray[Any, Any]


def T(data: Any, dtype: str | None = None) -> te.Tensor:  # noqa: N802
    return te.tensor(data, dtype=dtype, device="cpux")


def guesses(times: int, count: int, classes: int) -> Array:
    raised = np.exp(np.random.default_rng(times).standard_normal((times, count, classes)))
    return raised / raised.sum(2, keepdims=True)


def by_counting(pred: Array, text: list[int], blank: int) -> float:
    """−log of the sum over every path that reads as `text`."""
    total = 0.0
    for path in product(range(pred.shape[1]), repeat=len(pred)):
        if [c for c, _ in groupby(path) if c != blank] == text:
            total += math.prod(pred[time, c] for time, c in enumerate(path))
    return -math.log(total)


@pytest.mark.parametrize("blank", [0, 2])
def test_it_sums_over_all_paths(blank: int) -> None:
    pred, ends = guesses(5, 4, 3), [5, 5, 4, 3]
    characters = [c for c in range(3) if c != blank]
    first, second = characters
    texts = [[first, second], [first, first], [second], []]
    want = [
        by_counting(pred[:e, i], t, blank) for i, (e, t) in enumerate(zip(ends, texts, strict=True))
    ]
    padded = [[*t, first, first][:2] for t in texts]
    lengths = [len(t) for t in texts]
    p = T(pred, "float64")
    got = F.nn.ctc_loss(p, T(ends), T(padded), T(lengths), blank, "none")
    assert got.numpy() == pytest.approx(want, rel=1e-9)
    flat = [c for t in texts for c in t]
    mean = F.nn.ctc_loss(p, T(ends), T(flat), T(lengths), blank)
    assert mean.item() == pytest.approx(np.mean(np.array(want) / [2, 2, 1, 1]))
    assert F.nn.ctc_loss(p, ends, flat, lengths, blank, "sum").item() == pytest.approx(sum(want))


def test_the_documented_number() -> None:
    pred = T([[[0.0614, 0.9386], [0.8812, 0.1188]], [[0.699, 0.301], [0.2572, 0.7428]]])
    got = F.nn.ctc_loss(pred, T([2, 2]), T([1, 1]), T([1, 1]))
    assert got.item() == pytest.approx(0.1504417, rel=1e-5)


def test_its_gradient_is_its_slope(grads: Any) -> None:
    pred = guesses(6, 2, 3)
    loss = lambda p: F.nn.ctc_loss(p, [6, 4], [[1, 2], [2, 2]], [2, 2])  # noqa: E731
    (got,) = grads(loss, T(pred, "float64"))
    step = np.random.default_rng(1).standard_normal(pred.shape) * 1e-6
    after, before = (loss(T(pred + sign * step, "float64")).item() for sign in (1, -1))
    assert (got * step).sum() == pytest.approx((after - before) / 2, rel=1e-6)
    assert (got[4:, 1] == 0).all()


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_long_sequences_and_certain_guesses(dtype: str, grads: Any) -> None:
    pred = np.full((300, 1, 3), [[0.5, 0.25, 0.25]])
    loss = lambda p: F.nn.ctc_loss(p, [300], [[1, 2]], [2])  # noqa: E731
    assert np.isfinite(loss(T(pred, dtype)).item())
    assert loss(T(pred, dtype)).dtype == dtype
    sure = T(np.eye(3)[[0, 1, 0, 2]][:, None], dtype)
    assert F.nn.ctc_loss(sure, [4], [[1, 2]], [2]).item() == pytest.approx(0, abs=1e-6)
    (got,) = grads(lambda p: F.nn.ctc_loss(p, [4], [[1, 2]], [2]), sure)
    assert np.isfinite(got).all()


PRED = T(guesses(4, 2, 3))


@pytest.mark.parametrize(
    ("args", "kind", "message"),
    [
        (([4, 4], [[1], [3]], [1, 1]), IndexError, "label 3 is out of range: .* other than the bl"),
        (([4, 4], [[1], [0]], [1, 1]), IndexError, "other than the blank 0"),
        (([5, 4], [[1], [1]], [1, 1]), ValueError, "pred_lengths must be from 1 to 4"),
        (([4], [[1], [1]], [1, 1]), ValueError, r"must have the shape \(2,\)"),
        (([4, 4], [1, 2, 1], [1, 1]), ValueError, "one text behind the other with 2 characters"),
        (([4, 4], [[1], [2]], [1, 2]), ValueError, r"label must have the shape \(2, 2\)"),
    ],
)
def test_wrong_calls_are_told_what_to_do(args: Any, kind: Any, message: str) -> None:
    with pytest.raises(kind, match=message):
        F.nn.ctc_loss(PRED, *args)
