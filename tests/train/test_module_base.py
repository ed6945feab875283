"""Module: what it finds in its attributes, hooks, modes, state and repr."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.module as M
from tinyengine.autodiff import GradManager


class Net(M.Module):
    """Every place where a part may be."""

    def __init__(self) -> None:
        super().__init__()
        self.z = te.Parameter([1.0])
        self.fc = M.Linear(3, 2)
        self.lst = [M.Linear(2, 2), te.Parameter([2.0])]
        self.d = {"z": M.Linear(1, 1), "a": te.tensor([3.0])}
        self.tup = (te.Parameter([4.0]), 5)
        self.again = self.z
        self.running = te.tensor([0.0])
        self.size = 7

    def forward(self, x: Any) -> Any:
        return self.fc(x) * self.z


PARAMETERS = [
    "again",
    "d.z.bias",
    "d.z.weight",
    "fc.bias",
    "fc.weight",
    "lst.0.bias",
    "lst.0.weight",
    "lst.1",
    "tup.0",
]


def names(pairs: Any) -> list[str]:
    return [name for name, _ in pairs]


def test_parts_are_found_by_alphabetical_names() -> None:
    net = Net()
    assert names(net.named_parameters()) == PARAMETERS
    assert names(net.named_buffers()) == ["d.a", "running"]
    assert names(net.named_children()) == ["d.z", "fc", "lst.0"]
    assert names(net.named_modules()) == ["", "d.z", "fc", "lst.0"]
    assert names(net.named_parameters(prefix="net"))[0] == "net.again"
    assert names(net.named_parameters(recursive=False)) == ["again", "lst.1", "tup.0"]
    assert list(net.parameters()) == [p for _, p in net.named_parameters()]
    assert list(net.tensors()) == [p for _, p in net.named_tensors()]
    assert [b.item() for b in net.buffers()] == [3, 0]
    assert next(net.modules()) is net
    assert list(net.children()) == [net.d["z"], net.fc, net.lst[0]]


def test_a_shared_parameter_appears_once_by_its_first_name() -> None:
    net = M.Sequential(M.Linear(2, 2), M.Linear(2, 2))
    net[1].weight = net[0].weight
    assert names(net.named_parameters()) == ["0.bias", "0.weight", "1.bias"]
    assert names(net.state_dict().items()) == ["0.bias", "0.weight", "1.bias", "1.weight"]


def test_a_module_that_knows_its_parent_is_walked_once() -> None:
    net = M.Sequential(M.Linear(1, 1))
    net[0].parent = net
    assert names(net.named_modules()) == ["", "0"]


def test_attributes_may_change() -> None:
    layer = M.Linear(2, 1)
    layer.bias = te.tensor([1.0])
    assert names(layer.named_parameters()) == ["weight"]
    assert names(layer.named_buffers()) == ["bias"]
    del layer.weight
    assert list(layer.parameters()) == []


def test_a_dict_of_parts_needs_strings_as_keys() -> None:
    net = Net()
    net.d = {1: te.tensor([1.0])}  # type: ignore[dict-item]
    with pytest.raises(TypeError, match=r"d: a dict that holds tensors .* strings as keys, not 1"):
        list(net.parameters())
    net.d = {1: "no part", "b": net.fc}  # type: ignore[dict-item]
    assert "d.b.bias" in names(net.named_parameters())


def test_a_module_must_say_what_it_computes() -> None:
    class Empty(M.Module):
        pass

    with pytest.raises(TypeError, match=r"abstract class Empty .*forward"):
        Empty()


def test_forgetting_init_is_told() -> None:
    class Forgot(M.Module):
        def __init__(self) -> None:
            self.fc = M.Linear(1, 1)

        def forward(self, x: Any) -> Any:
            return x

    class Bare(Forgot):
        def __init__(self) -> None:
            pass

    with pytest.raises(AttributeError, match=r"Forgot: call super\(\).__init__\(\) first"):
        Forgot()
    with pytest.raises(AttributeError, match=r"Bare: call super\(\).__init__\(\) first"):
        Bare()(1)
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'wait'"):
        M.Linear(1, 1).wait  # noqa: B018


def test_hooks_see_and_replace_what_goes_in_and_out() -> None:
    layer, seen = M.Identity(), []

    def look(module: M.Module, inputs: Any) -> None:
        seen.append((module, inputs))

    handlers = [
        layer.register_forward_pre_hook(look),
        layer.register_forward_pre_hook(lambda module, inputs: inputs[0] + 1),
        layer.register_forward_hook(lambda module, inputs, out: out * 10 + inputs[0]),
        layer.register_forward_hook(lambda module, inputs, out: None),
    ]
    assert layer(1) == 22
    assert seen == [(layer, (1,))]
    for handler in handlers:
        handler.remove()
        handler.remove()
    assert layer(1) == 1


def test_modes_reach_every_module() -> None:
    net = Net()
    assert net.training
    assert net.eval() is None
    assert not any(module.training for module in net.modules())
    net.train(recursive=False)
    assert [module.training for module in net.modules()] == [True, False, False, False]
    assert net.train() is None
    assert all(module.training for module in net.modules())


def test_apply_visits_this_module_and_all_below() -> None:
    seen: list[M.Module] = []
    net = Net()
    assert net.apply(seen.append) is None
    assert seen == list(net.modules())


def test_zero_grad_fills_with_zeros() -> None:
    net = M.Linear(2, 1)
    gm = GradManager().attach(net.weight)
    with gm:
        gm.backward(net(te.tensor([[1.0, 2.0]])))
    held = net.weight.grad
    net.zero_grad()
    assert net.weight.grad is held
    assert held is not None
    assert held.tolist() == [[0, 0]]
    assert net.bias is not None
    assert net.bias.grad is None


def test_state_goes_out_as_copies_and_back_in() -> None:
    one, two = Net(), Net()
    state = one.state_dict()
    assert list(state) == [
        "again",
        "d.a",
        "lst.1",
        "running",
        "tup.0",
        *(name for name in PARAMETERS if name.count(".") == 2 or name.startswith("fc")),
    ]
    assert all(type(array) is np.ndarray for array in state.values())
    kept = two.fc.weight
    assert two.load_state_dict(state) is None
    assert two.fc.weight is kept
    np.testing.assert_array_equal(kept.numpy(), one.fc.weight.numpy())
    state["fc.weight"][:] = 0
    assert one.fc.weight.numpy().any()
    assert kept.numpy().any()


def test_what_does_not_fit_is_refused_and_nothing_changes() -> None:
    layer = M.Linear(2, 3)
    before, state = layer.weight.numpy(), layer.state_dict()
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        (
            {"weight": np.ones((3, 2))},
            KeyError,
            "Missing params violate `strict=True`, missing={'bias'}",
        ),
        (
            state | {"x": 1, "a": 2},
            KeyError,
            "Unused params violate `strict=True`, unused={'a', 'x'}",
        ),
        (
            {"weight": np.ones((3, 2)), "bias": np.ones((3, 3))},
            ValueError,
            "param `bias` shape mismatch, should be (3,), get (3, 3)",
        ),
    ]
    for given, kind, message in wrong:
        with pytest.raises(kind) as caught:
            layer.load_state_dict(given)
        assert caught.value.args[0] == message
    with pytest.raises(TypeError, match=r"give a dict of arrays, .* not list"):
        layer.load_state_dict([])  # type: ignore[arg-type]
    np.testing.assert_array_equal(layer.weight.numpy(), before)


def test_not_strict_takes_what_fits() -> None:
    layer = M.Linear(2, 1)
    layer.load_state_dict({"weight": np.ones((1, 2)), "other": 1}, strict=False)
    assert layer.weight.tolist() == [[1, 1]]
    assert layer.weight.dtype == "float32"
    layer.load_state_dict({"weight": None}, strict=False)
    with pytest.raises(KeyError, match="Missing"):
        layer.load_state_dict({"weight": None, "bias": np.ones(1)})


def test_a_function_may_give_the_state() -> None:
    layer = M.Linear(2, 1)
    layer.load_state_dict(lambda name, tensor: np.full(tensor.shape, len(name)))
    assert layer.weight.tolist() == [[6, 6]]
    layer.load_state_dict(
        lambda name, _: te.tensor([9.0]) if name == "bias" else None, strict=False
    )
    assert layer.weight.tolist() == [[6, 6]]
    assert layer.bias is not None
    assert layer.bias.tolist() == [9]


def test_repr_shows_children_in_order_of_assignment() -> None:
    assert repr(M.Linear(2, 3)) == "Linear(in_features=2, out_features=3, bias=True)"
    assert repr(M.Dropout(0.5)) == "Dropout(drop_prob=0.5)"
    assert repr(M.Sequential(M.Sequential(M.ReLU()), M.ReLU())) == (
        "Sequential(\n  (0): Sequential(\n    (0): ReLU()\n  )\n  (1): ReLU()\n)"
    )
    assert repr(Net()) == (
        "Net(\n"
        "  (fc): Linear(in_features=3, out_features=2, bias=True)\n"
        "  (lst.0): Linear(in_features=2, out_features=2, bias=True)\n"
        "  (d.z): Linear(in_features=1, out_features=1, bias=True)\n"
        ")"
    )


@pytest.mark.parametrize("again", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_a_copy_has_parameters_of_its_own(again: Any) -> None:
    net = M.Sequential(M.Linear(2, 2), M.ReLU())
    other = again(net)
    np.testing.assert_array_equal(other[0].weight.numpy(), net[0].weight.numpy())
    M.init.zeros_(other[0].weight)
    assert net[0].weight.numpy().any()
    assert other(te.tensor([[1.0, 1.0]])).shape == (1, 2)
