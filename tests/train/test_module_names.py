"""In a trace, parameters are called by their paths in the module."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import tinyengine as te
import tinyengine.functional as F
import tinyengine.module as M
from tinyengine.autodiff import GradManager


class Block(M.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = M.Linear(2, 2)

    def forward(self, x: Any) -> Any:
        return F.relu(self.fc(x))


class Net(M.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = [Block(), Block()]
        self.fc1 = M.Linear(2, 1)

    def forward(self, x: Any) -> Any:
        for block in self.blocks:
            x = block(x)
        return self.fc1(x)


def traced(model: M.Module, *, attach: bool = False) -> list[str]:
    gm = GradManager()
    if attach:
        gm.attach(model.parameters())
    with te.Trace() as trace, gm:
        loss = model(te.tensor([[1.0, 2.0]], name="input")).sum()
        if attach:
            gm.backward(loss)
    return [node["name"] for node in trace.nodes]


def test_parameters_have_their_paths() -> None:
    found = traced(Net())
    assert [name for name in found if "fc" in name] == [
        "blocks.0.fc.weight",
        "blocks.0.fc.bias",
        "blocks.1.fc.weight",
        "blocks.1.fc.bias",
        "fc1.weight",
        "fc1.bias",
    ]
    assert found[0] == "input"
    assert "v1" in found
    assert len(set(found)) == len(found)
    assert found == traced(Net())
    assert set(traced(Net(), attach=True)) == set(found)


def test_an_explicit_name_and_a_variable_win() -> None:
    net = Net()
    net.fc1.weight.name = "last"
    w = net.blocks[0].fc.weight
    with te.Trace() as trace:
        net(te.tensor([[1.0, 2.0]]))
    found = [node["name"] for node in trace.nodes]
    assert "last" in found
    assert "w" in found
    assert "fc1.weight" not in found
    assert "blocks.0.fc.weight" not in found
    assert w is net.blocks[0].fc.weight


def test_two_models_keep_their_names_apart() -> None:
    one, two = Net(), Net()
    with te.Trace() as trace:
        two(one(te.tensor([[1.0, 2.0]])) * te.tensor([[1.0, 1.0]]))
    found = [node["name"] for node in trace.nodes]
    assert {"fc1.weight", "fc1.weight₁"} <= set(found)
    assert len(set(found)) == len(found)


def test_a_named_model_begins_the_paths() -> None:
    assert "encoder.weight" in traced(M.Linear(2, 1, name="encoder"))


def test_a_loop_over_one_variable_numbers_its_values() -> None:
    x = te.tensor([1.0], name="x")
    with te.Trace() as trace:
        for _ in range(3):
            x = x + 1
    tensors = [node["name"] for node in trace.nodes if node["kind"] != "constant"]
    assert tensors[0] == "x"
    assert len(set(tensors)) == 4


def test_the_trace_lets_the_model_go() -> None:
    trace = te.Trace()

    def use() -> weakref.ref[M.Module]:
        net = Net()
        with trace:
            net(te.tensor([[1.0, 2.0]]))
        return weakref.ref(net)

    alive = use()
    gc.collect()
    assert trace.steps
    assert alive() is None
