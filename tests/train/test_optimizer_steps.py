"""The steps of each optimizer, against numbers that MegEngine 1.13 computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.optimizer as optim
from tinyengine.autodiff import GradManager

Make = Callable[[list[te.Parameter]], optim.Optimizer]

STEPS: list[tuple[str, Make, list[float]]] = [
    ("sgd", lambda p: optim.SGD(p, 0.1), [0.4, 1.4]),
    ("momentum", lambda p: optim.SGD(p, 0.1, momentum=0.9), [0.0489999, 0.8779999]),
    (
        "nesterov",
        lambda p: optim.SGD(p, 0.1, momentum=0.9, nesterov=True),
        [-0.4559000, 0.3902000],
    ),
    ("decay", lambda p: optim.SGD(p, 0.1, weight_decay=0.5), [0.2771250, 1.1442500]),
    ("adam", lambda p: optim.Adam(p, 0.1), [0.7076817, 1.7000000]),
    ("adam decay", lambda p: optim.Adam(p, 0.1, weight_decay=0.5), [0.7036500, 1.7001745]),
    ("adamw", lambda p: optim.AdamW(p, 0.1), [0.7049810, 1.6943058]),
    ("adagrad", lambda p: optim.Adagrad(p, 0.1), [0.7303788, 1.7715542]),
    (
        "adagrad decay",
        lambda p: optim.Adagrad(p, 0.1, lr_decay=0.5, weight_decay=0.1),
        [0.8013085, 1.8241847],
    ),
    ("adadelta", lambda p: optim.Adadelta(p), [0.9879279, 1.9902925]),
    ("adadelta decay", lambda p: optim.Adadelta(p, weight_decay=0.1), [0.9880240, 1.9902932]),
]
NAMES = [name for name, *_ in STEPS]


def three_steps(make: Make) -> tuple[te.Parameter, optim.Optimizer]:
    p = te.Parameter([1.0, 2.0])
    optimizer = make([p])
    for number in (1, 2, 3):
        p.grad = te.tensor([1.0 * number, 2.0])
        optimizer.step()
    return p, optimizer


@pytest.mark.parametrize(("make", "expected"), [case[1:] for case in STEPS], ids=NAMES)
def test_three_steps(make: Make, expected: list[float]) -> None:
    p, _ = three_steps(make)
    assert p.dtype == "float32"
    np.testing.assert_allclose(p.numpy(), expected, rtol=2e-6, atol=2e-6)


def test_lamb_moves_by_a_share_of_the_norm() -> None:
    def moved(**options: Any) -> float:
        p = te.Parameter([3.0, 4.0])
        p.grad = te.tensor([0.1, -7.0])
        optim.LAMB([p], 0.1, **options).step()
        return float(np.linalg.norm(p.numpy() - [3, 4]))

    assert moved(always_adapt=True) == pytest.approx(0.5, rel=1e-5)
    assert moved(weight_decay=0.3) == pytest.approx(0.5, rel=1e-5)
    assert moved() == pytest.approx(0.1 * np.sqrt(2), rel=1e-5)  # as Adam does
    first_mean_over_root = np.sqrt(2) * 0.1 / np.sqrt(0.001)
    assert moved(bias_correction=False) == pytest.approx(0.1 * first_mean_over_root, rel=1e-3)


def test_lamb_moves_a_parameter_of_zeros() -> None:
    p = te.Parameter([0.0])
    p.grad = te.tensor([2.0])
    optim.LAMB([p], 0.1, always_adapt=True).step()
    assert p.item() == pytest.approx(-0.1)


@pytest.mark.parametrize("make", [case[1] for case in STEPS], ids=NAMES)
def test_a_number_learns_as_a_vector_does(make: Make) -> None:
    p = te.Parameter(1.0)
    q = te.Parameter([1.0])
    for parameter in (p, q):
        optimizer = make([parameter])
        for _ in range(2):
            parameter.grad = te.tensor(np.full(parameter.shape, 0.5))
            optimizer.step()
    assert p.shape == ()
    assert p.dtype == "float32"
    assert p.item() == pytest.approx(q.item(), rel=1e-6)


@pytest.mark.parametrize("make", [case[1] for case in STEPS], ids=NAMES)
def test_stopping_and_going_on_gives_the_same_bits(make: Make) -> None:
    p, optimizer = three_steps(make)
    q = te.Parameter(p)
    other = make([q])
    other.load_state_dict(optimizer.state_dict())
    for number in (1.0, -2.0):
        for parameter, stepping in ((p, optimizer), (q, other)):
            parameter.grad = te.tensor([number, 0.3])
            stepping.step()
    np.testing.assert_array_equal(p.numpy(), q.numpy())


@pytest.mark.parametrize("make", [case[1] for case in STEPS], ids=NAMES)
def test_a_step_leaves_earlier_arrays_alone(make: Make) -> None:
    p, optimizer = three_steps(make)
    gradient = te.tensor([1.0, 1.0])
    p.grad = gradient
    before, state = p.numpy(), optimizer.state_dict()
    kept = before.copy(), {k: v.copy() for k, v in state["state"].get(0, {}).items()}
    optimizer.step()
    optimizer.step()
    np.testing.assert_array_equal(before, kept[0])
    assert gradient.tolist() == [1, 1]
    for name, array in kept[1].items():
        np.testing.assert_array_equal(state["state"][0][name], array)


def test_parameters_keep_identity_and_class() -> None:
    w = te.Parameter([3.0])
    alias, opt = w, optim.SGD([w], lr=0.01)
    w.grad = te.tensor([2.0])
    assert opt.step() is opt
    assert opt.clear_grad() is None
    assert alias is w
    assert repr(w) == "Parameter([2.98], device=cpux:0)"
    assert w.grad is None


def test_what_has_no_gradient_stays() -> None:
    w, b = te.Parameter([1.0]), te.Parameter([1.0])
    w.grad = te.tensor([1.0])
    optim.SGD([w, b], 0.5, momentum=0.5).step()
    assert w.tolist() == [0.5]
    assert b.tolist() == [1.0]


def test_a_parameter_listed_twice_is_stepped_twice() -> None:
    w = te.Parameter([1.0])
    w.grad = te.tensor([1.0])
    optim.SGD([w, w], 0.25).step()
    assert w.tolist() == [0.5]


def test_step_inside_the_block() -> None:
    w = te.Parameter([3.0])
    gm, opt = GradManager().attach(w), optim.SGD(w, lr=0.1)
    for _ in range(2):
        with gm:
            y = (w * w).sum()
            gm.backward(y)
            opt.step().clear_grad()
    assert w.item() == pytest.approx(3 * 0.8 * 0.8)


def test_a_step_is_no_step_of_the_trace() -> None:
    w = te.Parameter([3.0])
    gm, opt = GradManager().attach(w), optim.Adam(w, lr=0.1)
    with te.Trace() as trace, gm:
        y = (w * w).sum()
        gm.backward(y)
        opt.step().clear_grad()
    ops = [step["op"] for step in trace.steps if step["kind"] == "forward"]
    assert ops == ["mul", "sum"]
    assert w.item() == pytest.approx(2.9)


def test_gradients_add_up_until_they_are_cleared() -> None:
    x = te.Parameter([2.0])
    gm, opt = GradManager().attach(x), optim.SGD([x], lr=0.1)
    for _ in range(3):
        with gm:
            gm.backward((x * x).sum())
    assert x.grad is not None
    assert x.grad.tolist() == [12]
    opt.zero_grad()
    assert x.grad.tolist() == [0]
    opt.clear_grad()
    assert x.grad is None


def test_a_step_that_diverges_gives_no_numpy_warning() -> None:
    w = te.Parameter([3e38])
    w.grad = te.tensor([-3e38])
    with np.errstate(all="raise"):
        optim.SGD(w, lr=10.0).step()
    assert np.isinf(w.item())
