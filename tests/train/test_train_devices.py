"""Models on a stand-in for a GPU, whose arrays refuse to be taken for NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from engine import strict_device

import tinyengine as te
import tinyengine.functional as F
import tinyengine.module as M
import tinyengine.optimizer as optim
from tinyengine import backend
from tinyengine.autodiff import GradManager


@pytest.fixture(autouse=True)
def _strict(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    strict_device.install(monkeypatch)
    te.set_default_device("cpux")
    yield
    backend._by_name.cache_clear()
    te.set_default_device("cpux")


def images() -> M.Module:
    return M.Sequential(
        M.Conv2d(1, 2, 3, padding=1),
        M.BatchNorm2d(2),
        M.PReLU(2),
        M.MaxPool2d(2),
        M.Dropout(0.25),
        M.GroupNorm(1, 2),
    )


OPTIMIZERS: dict[str, Callable[[Any], optim.Optimizer]] = {
    "SGD": lambda p: optim.SGD(p, 0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
    "Adam": lambda p: optim.Adam(p, 0.1, weight_decay=0.1),
    "AdamW": lambda p: optim.AdamW(p, 0.1),
    "LAMB": lambda p: optim.LAMB(p, 0.1, always_adapt=True),
    "Adagrad": lambda p: optim.Adagrad(p, 0.1),
    "Adadelta": lambda p: optim.Adadelta(p),
}


def trained(device: str, make: Callable[[Any], optim.Optimizer]) -> dict[str, Any]:
    """The state after three steps on a device, saved and loaded once on the way."""
    te.set_default_device(device)
    te.random.seed(7)
    model, slope = images(), te.Parameter(0.5)
    parameters = [*model.parameters(), slope]
    gm, optimizer = GradManager().attach(parameters), make(parameters)
    for _ in range(3):
        with gm:
            out = model(te.random.normal(size=(2, 1, 4, 4))) * slope
            gm.backward((out * out + out).sum())
        optim.clip_grad_norm(parameters, 2.0)
        optim.clip_grad_value(parameters, -1.0, 1.0)
        optimizer.step().clear_grad()
        model.load_state_dict(model.state_dict())
        optimizer.load_state_dict(optimizer.state_dict())
    assert all(str(tensor.device) == f"{device}:0" for tensor in model.tensors())
    return {**model.state_dict(), "slope": slope.numpy()}


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_training_gives_the_same_on_every_device(make: Any) -> None:
    here, there = trained("cpu0", make), trained("gpu0", make)
    for name, expected in here.items():
        np.testing.assert_allclose(there[name], expected, rtol=1e-4, atol=1e-5, err_msg=name)


def test_sequences_attention_and_embeddings() -> None:
    def outputs(device: str) -> Any:
        te.set_default_device(device)
        te.random.seed(7)
        rows = M.Embedding(5, 4)(te.tensor([[0, 1, 4], [2, 2, 3]]))
        states, _ = M.LSTM(4, 4, num_layers=2, bidirectional=True, batch_first=True)(rows)
        normal = M.LayerNorm(8)(states)
        mixed, _ = M.MultiHeadAttention(8, 2)(normal, normal, normal, is_causal=True)
        return F.softmax(mixed, axis=2).numpy()

    np.testing.assert_allclose(outputs("gpu0"), outputs("cpu0"), rtol=1e-5)


def test_random_tensors() -> None:
    te.set_default_device("gpu0")
    x = te.tensor(np.arange(10.0))
    te.random.shuffle(x)
    assert sorted(x.tolist()) == list(range(10))
    assert te.random.poisson(te.tensor([1.0, 2.0]), size=(3,)).device == "gpu0"
    assert te.random.multinomial(te.tensor([0.0, 1.0]), 2, replacement=True).tolist() == [1, 1]
