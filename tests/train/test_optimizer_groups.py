"""Groups, state, schedules, bounds on gradients, and what optimizers refuse."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.module as M
import tinyengine.optimizer as optim
from tinyengine.autodiff import GradManager


def one() -> te.Parameter:
    return te.Parameter([1.0])


def test_groups_have_options_of_their_own() -> None:
    a, b, c = one(), one(), one()
    opt = optim.SGD([{"params": [a], "lr": 1.0}, {"params": b}], lr=0.1)
    opt.add_param_group({"params": [c], "lr": 0.01})
    for parameter in (a, b, c):
        parameter.grad = te.tensor([1.0])
    opt.step()
    assert [p.item() for p in (a, b, c)] == pytest.approx([0, 0.9, 0.99])
    opt.param_groups[0]["lr"] = 2.0
    opt.step()
    assert a.item() == -2


def test_params_may_be_given_in_many_ways() -> None:
    p = one()
    layer = M.Linear(2, 1)
    forms: list[Any] = [p, [p], (p,), iter([p]), {"params": p}, [{"params": iter([p])}]]
    for params in forms:
        assert optim.SGD(params, 0.1).param_groups[0]["params"] == [p]
    assert len(optim.SGD(layer.parameters(), 0.1).param_groups[0]["params"]) == 2


def test_the_form_of_the_state() -> None:
    p, q = one(), one()
    opt = optim.Adam([{"params": [p], "lr": 1.0}, {"params": [q]}], 0.1)
    q.grad = te.tensor([1.0])
    opt.step()
    state = opt.state_dict()
    options = {"betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.0}
    assert state["param_groups"] == [
        {"lr": 1.0, **options, "params": [0]},
        {"lr": 0.1, **options, "params": [1]},
    ]
    assert list(state["state"]) == [1]
    assert {name: array.shape for name, array in state["state"][1].items()} == {
        "exp_avg": (1,),
        "exp_avg_sq": (1,),
        "step": (),
    }
    assert all(type(array) is np.ndarray for array in state["state"][1].values())
    assert optim.SGD(p, 1.0).state_dict()["state"] == {}


def test_a_copy_remembers_too() -> None:
    p = one()
    opt = optim.SGD(p, 0.5, momentum=0.5)
    p.grad = te.tensor([1.0])
    opt.step()
    other = copy.deepcopy(opt)
    q = other.param_groups[0]["params"][0]
    assert q is not p
    q.grad = te.tensor([1.0])
    other.step()
    opt.step()
    assert q.tolist() == p.tolist() == [-0.25]


def test_parameters_of_a_module_are_walked_through_once() -> None:
    parameters = M.Linear(2, 1).parameters()
    GradManager().attach(parameters)
    with pytest.raises(ValueError, match="can be walked through only once: call it again"):
        optim.SGD(parameters, 0.1)


def test_loading_restores_options() -> None:
    opt, other = optim.SGD(one(), 0.5, momentum=0.9), optim.SGD(one(), 1.0)
    other.load_state_dict(opt.state_dict())
    assert other.param_groups[0]["lr"] == 0.5
    assert other.param_groups[0]["momentum"] == 0.9
    with pytest.raises(KeyError, match="param_groups"):
        other.load_state_dict({})
    with pytest.raises(ValueError, match=r"different number of parameter groups: 0, .* has 1"):
        other.load_state_dict({"param_groups": [], "state": {}})
    with pytest.raises(ValueError, match=r"doesn't match the size .*: 2 and 1 parameters"):
        other.load_state_dict(optim.SGD([one(), one()], 1.0).state_dict())


def _twice() -> optim.Optimizer:
    p = one()
    return optim.SGD([{"params": [p]}, {"params": [p]}], 0.1)


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: optim.SGD([te.tensor(1.0)], 0.1),
        TypeError,
        "optimizer can only optimize Parameters, but one of the params is"
        " <class 'tinyengine.tensor.Tensor'>",
    ),
    (lambda: optim.SGD(te.tensor(1.0), 0.1), TypeError, "one of the params is <class"),  # type: ignore[arg-type]
    (lambda: optim.SGD([1], 0.1), TypeError, "one of the params is <class 'int'>"),  # type: ignore[list-item]
    (lambda: optim.SGD(3, 0.1), TypeError, "or Iterable of them, not int"),  # type: ignore[arg-type]
    (lambda: optim.SGD(M.ReLU(), 0.1), TypeError, "give module.parameters()"),  # type: ignore[arg-type]
    (lambda: optim.SGD({one()}, 0.1), TypeError, "give a list, not a set"),
    (lambda: optim.SGD([{"params": {one()}}], 0.1), TypeError, "give a list, not a set"),
    (lambda: optim.SGD(te.Parameter(1), 0.1), TypeError, "int32: make it of floats"),
    (lambda: optim.SGD([], 0.1), ValueError, "optimizer got an empty parameter list"),
    (lambda: optim.SGD({"params": []}, 0.1), ValueError, "optimizer got an empty parameter"),
    (lambda: optim.SGD({"p": []}, 0.1), TypeError, "a dict with the key 'params'"),
    (lambda: optim.SGD({"params": one(), "rl": 1}, 0.1), ValueError, "unknown option 'rl'; this"),
    (_twice, ValueError, "some parameters appear in more than one parameter group"),
    (lambda: optim.SGD(one(), -1), ValueError, "Invalid learning rate: -1; it must be at least"),
    (lambda: optim.SGD(one(), float("nan")), ValueError, "Invalid learning rate: nan"),
    (
        lambda: optim.Adam(one(), "fast"),
        TypeError,
        "Invalid learning rate: 'fast'; it must be a number",
    ),
    (lambda: optim.SGD(one(), 0.1, momentum=-1), ValueError, "Invalid momentum value: -1"),
    (lambda: optim.SGD(one(), 0.1, nesterov=True), ValueError, "Nesterov momentum requires"),
    (lambda: optim.SGD(one(), 0.1, weight_decay=-1), ValueError, "Invalid weight_decay value: -1"),
    (lambda: optim.Adam(one(), 0.1, betas=(0.9, 1)), ValueError, "beta parameter at index 1: 1"),
    (lambda: optim.Adam(one(), 0.1, eps=-1), ValueError, "Invalid epsilon value: -1"),
    (lambda: optim.Adagrad(one(), lr_decay=-1), ValueError, "Invalid lr_decay: -1"),
    (lambda: optim.Adadelta(one(), rho=2), ValueError, "Invalid rho value: 2"),
    (lambda: optim.MultiStepLR(3, [1]), TypeError, "should be Optimizer, not int"),  # type: ignore[arg-type]
    (
        lambda: optim.MultiStepLR(optim.SGD(one(), 1.0), [4, 2]),
        ValueError,
        "Milestones should be a list of increasing integers. Got [4, 2]",
    ),
    (lambda: optim.clip_grad_norm(one(), -1), ValueError, "max_norm=-1 must not be negative"),
    (lambda: optim.clip_grad_norm(one(), 1, ord=0), ValueError, "ord=0 be above 0"),
    (lambda: optim.clip_grad_value(one(), 1, 0), ValueError, "lower=1 must not be above upper=0"),
]


@pytest.mark.parametrize(("call", "kind", "message"), WRONG, ids=[m for *_, m in WRONG])
def test_messages(call: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)


def test_the_learning_rate_falls_at_milestones() -> None:
    opt = optim.SGD([{"params": one(), "lr": 2.0}, {"params": one()}], 1.0)
    scheduler = optim.MultiStepLR(opt, [2, 4])
    seen = []
    for _ in range(5):
        seen.append([group["lr"] for group in opt.param_groups])
        scheduler.step()
    expected = [[2, 1], [2, 1], [0.2, 0.1], [0.2, 0.1], [0.02, 0.01]]
    np.testing.assert_allclose(seen, expected)
    assert scheduler.state_dict() == {"milestones": [2, 4], "gamma": 0.1, "current_epoch": 5}


def test_a_schedule_goes_on_where_it_stopped() -> None:
    opt = optim.SGD(one(), 1.0)
    optim.MultiStepLR(opt, [2]).step(epoch=1)
    again = optim.SGD(one(), 1.0)
    again.load_state_dict(opt.state_dict())
    scheduler = optim.MultiStepLR(again, [2], current_epoch=1)
    assert again.param_groups[0]["lr"] == 0.1
    scheduler.load_state_dict({"current_epoch": 0})
    scheduler.step()
    assert again.param_groups[0]["lr"] == 1.0


def test_a_schedule_must_say_its_rates() -> None:
    with pytest.raises(TypeError, match="abstract class LRScheduler"):
        optim.LRScheduler(optim.SGD(one(), 1.0))  # type: ignore[abstract]
    with pytest.raises(TypeError, match="abstract class Optimizer"):
        optim.Optimizer([one()], {})  # type: ignore[abstract]


def test_gradients_are_bounded_together() -> None:
    w, b = te.Parameter([[3.0, 4.0]]), te.Parameter([0.0])
    gm, opt = GradManager().attach([w, b]), optim.SGD([w, b], lr=1.0)
    with gm:
        gm.backward((w * te.tensor([[3.0, 4.0]])).sum() + (b * 12.0).sum())
    held = w.grad
    norm = optim.clip_grad_norm([w, b, one()], 1.3)
    assert repr(norm) == "Tensor(13.0, device=cpux:0)"
    assert w.grad is held
    assert held is not None
    np.testing.assert_allclose(held.numpy(), [[0.3, 0.4]], rtol=1e-6)
    opt.step().clear_grad()
    np.testing.assert_allclose(w.numpy(), [[2.7, 3.6]], rtol=1e-6)
    np.testing.assert_allclose(b.numpy(), [-1.2], rtol=1e-6)


def test_norms_of_other_orders_and_of_nothing() -> None:
    p = one()
    assert optim.clip_grad_norm([p], 1.0).item() == 0
    assert optim.clip_grad_norm([], 1.0).item() == 0
    p.grad = te.tensor([-3.0, 2.0])
    assert optim.clip_grad_norm(p, 10.0).item() == pytest.approx(13**0.5)
    assert p.grad.tolist() == [-3, 2]
    assert optim.clip_grad_norm(p, 10.0, ord=1).item() == 5
    assert optim.clip_grad_norm(p, 1.5, ord=float("inf")).item() == 3
    assert p.grad.tolist() == [-1.5, 1]
    p.grad = te.tensor([3e30])
    assert optim.clip_grad_norm(p, 1.0).item() == pytest.approx(3e30)
    assert p.grad.tolist() == pytest.approx([1])


def test_elements_are_bounded() -> None:
    p = one()
    p.grad = te.tensor([-3.0, 0.25])
    assert optim.clip_grad_value([p, one()], -0.5, 0.5) is None
    assert p.grad.tolist() == [-0.5, 0.25]
