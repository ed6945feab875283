"""Dropout: how many stay, that the mean stays, and that a seed repeats it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F
from tinyengine.random import seed

ONES = te.tensor(np.ones(10_000), device="cpux")


def test_as_many_stay_as_should() -> None:
    seed(7)
    values = F.dropout(ONES, 0.2).numpy()
    assert set(values.tolist()) == {0, 1.25}
    assert (values == 0).mean() == pytest.approx(0.2, abs=0.02)
    assert values.mean() == pytest.approx(1, abs=0.02)


def test_a_seed_repeats_it_and_each_call_differs() -> None:
    seed(7)
    first, second = F.dropout(ONES, 0.5).numpy(), F.dropout(ONES, 0.5).numpy()
    seed(7)
    assert (F.dropout(ONES, 0.5).numpy() == first).all()
    assert (first != second).any()


def test_the_gradient_goes_where_the_numbers_went(grads: Any) -> None:
    seed(3)
    want = F.dropout(ONES, 0.5).numpy()
    seed(3)
    (got,) = grads(lambda x: F.dropout(x, 0.5), ONES)
    assert (got == want).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_dtype_is_kept(dtype: str) -> None:
    assert F.dropout(te.tensor([1.0, 2.0], dtype=dtype), 0.5).dtype == dtype
    assert F.dropout(np.ones(2, dtype), 0.5).dtype == dtype


def test_outside_training_it_does_nothing() -> None:
    assert F.dropout(ONES, 0.5, training=False) is ONES
    assert F.dropout(ONES, 0.0) is ONES


@pytest.mark.parametrize("share", [1.0, -0.1, 2])
def test_it_must_leave_something(share: float) -> None:
    with pytest.raises(ValueError, match=f"drop_prob={share} must be at least 0 and less than 1"):
        F.dropout(ONES, share)
