"""Random tensors: shapes, dtypes, distributions, one seed for all, and errors that explain."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tinyengine as te
from tinyengine import random

DRAWS: dict[str, Callable[..., te.Tensor]] = {
    "uniform": lambda size: random.uniform(size=size),
    "normal": lambda size: random.normal(size=size),
    "gamma": lambda size: random.gamma(2.0, 1.5, size=size),
    "beta": lambda size: random.beta(2.0, 1.0, size=size),
    "poisson": lambda size: random.poisson(4.0, size=size),
    "exponential": lambda size: random.exponential(0.5, size=size),
}
MEAN_AND_STD = {
    "uniform": (1 / 2, np.sqrt(1 / 12)),
    "normal": (0, 1),
    "gamma": (3, np.sqrt(2) * 1.5),
    "beta": (2 / 3, np.sqrt(1 / 18)),
    "poisson": (4, 2),
    "exponential": (0.5, 0.5),
}


@pytest.mark.parametrize("name", DRAWS)
def test_size_is_the_shape_and_by_default_one_number(name: str) -> None:
    for size, shape in (((2, 3), (2, 3)), ([4], (4,)), (None, (1,)), ((), ()), ((0,), (0,))):
        drawn = DRAWS[name](size)
        assert drawn.shape == shape
        assert drawn.dtype == "float32"
    with pytest.raises(
        TypeError, match=rf"{name}\(\): size must be a tuple or list such as \(3,\)"
    ):
        DRAWS[name](3)


@pytest.mark.parametrize("name", DRAWS)
def test_mean_and_spread(name: str) -> None:
    random.seed(7)
    drawn = DRAWS[name]((20000,)).numpy()
    mean, std = MEAN_AND_STD[name]
    assert drawn.mean() == pytest.approx(mean, abs=0.05)
    assert drawn.std() == pytest.approx(std, abs=0.05)


def test_normal_and_uniform_take_their_range() -> None:
    random.seed(1)
    assert random.normal(5.0, 0.1, size=(1000,)).numpy().mean() == pytest.approx(5.0, abs=0.02)
    drawn = random.uniform(2, 2.0001, size=(1000,)).numpy()
    assert (drawn >= 2).all()
    assert (drawn < np.float32(2.0001)).all()


def test_levels_may_be_tensors() -> None:
    lam = te.tensor([1.0, 100.0])
    assert random.poisson(lam).shape == (2,)
    counts = random.poisson(lam, size=(500,)).numpy()
    assert counts.shape == (500, 2)
    np.testing.assert_allclose(counts.mean(0), [1, 100], rtol=0.2)


@pytest.mark.parametrize("name", DRAWS)
def test_a_seed_repeats_the_numbers(name: str) -> None:
    random.seed(3)
    first, second = DRAWS[name]((5,)).numpy(), DRAWS[name]((5,)).numpy()
    random.seed(3)
    np.testing.assert_array_equal(DRAWS[name]((5,)).numpy(), first)
    assert (first != second).any()


def test_processes_with_the_same_seed_draw_the_same() -> None:
    code = (
        "from tinyengine import random as r; r.seed(5);"
        "print(r.normal(size=(3,)).tolist(), r.permutation(9).tolist())"
    )
    texts = {subprocess.check_output([sys.executable, "-c", code], text=True) for _ in range(2)}
    random.seed(5)
    here = f"{random.normal(size=(3,)).tolist()} {random.permutation(9).tolist()}\n"
    assert texts == {here}


def test_each_device_has_a_generator_of_its_own() -> None:
    random.seed(1)
    first = random.uniform(size=(2,)).tolist()
    random.seed(1)
    te.set_default_device("cpu1")
    random.uniform(size=(7,))
    te.set_default_device("cpux")
    assert random.uniform(size=(2,)).tolist() == first
    assert random.uniform(size=(1,)).device == "cpux"


def test_an_rng_has_its_own_seed_and_device() -> None:
    random.seed(1)
    one = random.normal(size=(2,)).tolist()
    random.seed(1)
    rng = random.RNG(9, device="cpu1")
    assert rng.normal(size=(2,)).device == "cpu1"
    assert random.normal(size=(2,)).tolist() == one
    assert random.RNG(9).uniform(size=(2,)).tolist() == random.RNG(9).uniform(size=(2,)).tolist()


def test_permutation_and_shuffle_keep_what_they_reorder() -> None:
    random.seed(2)
    order = random.permutation(100)
    assert order.dtype == "int32"
    assert sorted(order.tolist()) == list(range(100)) != order.tolist()
    assert random.permutation(0).shape == (0,)
    rows = te.tensor(np.arange(20.0).reshape(10, 2))
    mixed = random.permutation(rows)
    assert mixed.tolist() != rows.tolist()
    assert sorted(mixed.tolist()) == rows.tolist()
    before, alias = rows.tolist(), rows
    assert random.shuffle(rows) is None
    assert alias.tolist() != before
    assert sorted(alias.tolist()) == before


def test_multinomial_draws_by_weight() -> None:
    random.seed(4)
    weights = te.tensor([[1.0, 3.0, 0.0], [0.0, 0.0, 2.0]])
    drawn = random.multinomial(weights, 2000, replacement=True)
    assert drawn.shape == (2, 2000)
    assert drawn.dtype == "int32"
    assert (drawn.numpy()[0] == 1).mean() == pytest.approx(0.75, abs=0.05)
    assert (drawn.numpy()[1] == 2).all()
    assert sorted(random.multinomial(te.tensor([1.0, 1.0, 1.0]), 3).tolist()) == [0, 1, 2]


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: random.uniform(2, 1), ValueError, "low=2 must be below high=1"),
    (lambda: random.normal(0, -1), ValueError, "std must not be negative; got -1"),
    (lambda: random.gamma(0), ValueError, "shape must be above 0"),
    (lambda: random.gamma(1, -1), ValueError, "scale must be above 0"),
    (lambda: random.beta(1, 0), ValueError, "beta must be above 0"),
    (lambda: random.poisson(te.tensor([1.0, -1.0])), ValueError, r"lam must be above 0; got \[1"),
    (lambda: random.permutation(-1), ValueError, "n=-1 must not be negative"),
    (lambda: random.permutation(3.5), TypeError, "n must be an int or a Tensor, not 3.5"),
    (lambda: random.shuffle([1, 2]), TypeError, "inp must be a Tensor, not list"),
    (lambda: random.seed("a"), TypeError, "a seed is an integer such as 42, not 'a'"),
    (lambda: random.seed(None), TypeError, "a seed is an integer such as 42, not None"),
    (lambda: random.seed(-1), ValueError, "a seed is 0 or more, not -1"),
    (lambda: random.RNG(1, device="foo"), ValueError, "unknown device 'foo'"),
    (lambda: random.multinomial(te.tensor([-1.0]), 1), ValueError, "not negative"),
    (lambda: random.multinomial(te.tensor([1.0, 0.0]), 2), ValueError, "as many weights above 0"),
]


@pytest.mark.parametrize(("call", "kind", "message"), WRONG, ids=[m for *_, m in WRONG])
def test_messages(call: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call()
