"""First values: spreads that the formulas of Glorot and He ask for, written in place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tinyengine as te
from tinyengine.module import init

FAN_IN, FAN_OUT = 200, 300


def weight() -> te.Parameter:
    return te.Parameter(np.zeros((FAN_OUT, FAN_IN)))


SPREADS: list[tuple[str, Callable[[Any], None], float]] = [
    ("uniform_", lambda w: init.uniform_(w, -1, 3), 4 / math.sqrt(12)),
    ("normal_", lambda w: init.normal_(w, 1, 0.5), 0.5),
    ("xavier_uniform_", init.xavier_uniform_, math.sqrt(2 / (FAN_IN + FAN_OUT))),
    ("xavier_normal_", init.xavier_normal_, math.sqrt(2 / (FAN_IN + FAN_OUT))),
    ("xavier gain", lambda w: init.xavier_normal_(w, 2), 2 * math.sqrt(2 / (FAN_IN + FAN_OUT))),
    ("msra_uniform_", init.msra_uniform_, math.sqrt(2 / FAN_IN)),
    ("msra_normal_", init.msra_normal_, math.sqrt(2 / FAN_IN)),
    ("fan_out", lambda w: init.msra_normal_(w, mode="fan_out"), math.sqrt(2 / FAN_OUT)),
    ("slope", lambda w: init.msra_normal_(w, a=1), math.sqrt(1 / FAN_IN)),
    (
        "tanh",
        lambda w: init.msra_uniform_(w, nonlinearity="tanh"),
        5 / 3 / math.sqrt(FAN_IN),
    ),
]


@pytest.mark.parametrize(("fill", "std"), [case[1:] for case in SPREADS], ids=lambda v: f"{v!s:.9}")
def test_spreads(fill: Callable[[Any], None], std: float) -> None:
    w = weight()
    assert fill(w) is None
    assert w.dtype == "float32"
    assert w.shape == (FAN_OUT, FAN_IN)
    assert w.numpy().std() == pytest.approx(std, rel=0.02)


def test_uniform_ones_stay_inside_their_bounds() -> None:
    w = weight()
    init.msra_uniform_(w)
    assert abs(w.numpy()).max() <= math.sqrt(6 / FAN_IN)
    init.uniform_(w)
    assert 0 <= w.numpy().min() < w.numpy().max() < 1


def test_constants_keep_identity_dtype_and_device() -> None:
    w = te.tensor([1, 2], device="cpu0")
    init.fill_(w, 7)
    assert repr(w) == "Tensor([7 7], dtype=int32, device=cpu0:0)"
    init.ones_(w)
    assert w.tolist() == [1, 1]
    init.zeros_(w)
    assert w.tolist() == [0, 0]
    half = te.tensor([1.0], dtype="float16", device="cpu1")
    init.normal_(half)
    assert half.dtype == "float16"
    assert half.device == "cpu1"
    number = te.Parameter(1.0)
    init.zeros_(number)
    assert repr(number) == "Parameter(0.0, device=cpux:0)"


def test_gains_and_fans() -> None:
    gains = {"linear": 1, "conv2d": 1, "sigmoid": 1, "tanh": 5 / 3, "relu": math.sqrt(2)}
    assert {name: init.calculate_gain(name) for name in gains} == gains
    assert init.calculate_gain("leaky_relu") == pytest.approx(math.sqrt(2 / 1.0001))
    assert init.calculate_gain("leaky_relu", 1) == 1
    shapes = {(4, 3): (3, 4), (4, 3, 2, 2): (12, 16), (5, 4, 3, 2, 2): (12, 16)}
    for shape, fans in shapes.items():
        assert init.calculate_fan_in_and_fan_out(te.tensor(np.ones(shape))) == fans
