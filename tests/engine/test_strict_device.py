"""Every op on a device whose arrays refuse to be taken for NumPy's; and on a GPU, if any."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F
from tinyengine.autodiff import GradManager
from tinyengine.op import TABLE, Op

from . import strict_device
from .op_calls import Call, calls_of
from .op_checks import floats, run, tensors_of

EVERY = [
    pytest.param(this, call, id=f"{this.name}-{i}")
    for this in TABLE.values()
    for i, call in enumerate(calls_of(this))
]


@pytest.fixture
def _strict(monkeypatch: pytest.MonkeyPatch) -> None:
    strict_device.install(monkeypatch)


def outcome(this: Op, call: Call, device: str) -> list[Any]:
    """The result of an op on a device and its gradients, brought home."""
    tensors = tensors_of(this, call, "float32", device)
    gm = GradManager().attach(floats(tensors))
    with gm:
        y = run(this, call, tensors)
        gm.backward(y)
    assert "device" in call.attributes or str(y.device) == f"{device}:0"
    return [y.numpy(), *(None if t.grad is None else t.grad.numpy() for t in tensors)]


def check_device(this: Op, call: Call, device: str) -> None:
    wanted, got = outcome(this, call, "cpu0"), outcome(this, call, device)
    for here, there in zip(wanted, got, strict=True):
        assert (here is None) == (there is None)
        if here is not None:
            np.testing.assert_allclose(there, here, rtol=1e-5, atol=1e-6)


@pytest.mark.usefixtures("_strict")
@pytest.mark.parametrize(("this", "call"), EVERY)
def test_every_op_stays_on_the_device(this: Op, call: Call) -> None:
    check_device(this, call, "gpu0")


@pytest.mark.gpu
@pytest.mark.parametrize(("this", "call"), EVERY)
def test_every_op_on_a_gpu(this: Op, call: Call) -> None:
    check_device(this, call, "gpu0")


@pytest.mark.usefixtures("_strict")
def test_the_strict_device_is_strict() -> None:
    x = te.tensor([1.0, 2.0], device="gpu0")
    with pytest.raises(TypeError, match="implicit conversion"):
        np.sin(np.asarray(x._data))
    with pytest.raises(TypeError, match="does not go into a computation"):
        x._data + np.ones(2)
    assert x.numpy().tolist() == [1, 2]


@pytest.mark.usefixtures("_strict")
def test_gradients_go_back_and_forth_between_devices() -> None:
    w = te.tensor([2.0, 3.0], device="cpu0")
    gm = GradManager().attach(w)
    with gm:
        there = w.to("gpu0") * te.tensor([5.0, 7.0], device="gpu0")
        gm.backward(F.copy(there, "cpu1").sum())
    assert repr(w.grad) == "Tensor([5. 7.], device=cpu0:0)"


@pytest.mark.usefixtures("_strict")
def test_second_order_and_traces_on_the_device() -> None:
    x = te.tensor(3.0, device="gpu0")
    outer, inner = (GradManager().attach(x) for _ in range(2))
    with te.Trace() as trace, outer:
        with inner:
            y = x * x * x
            inner.backward(y)
        first, x.grad = x.grad, None
        outer.backward(first)
    assert (first.item(), x.grad.item()) == (27.0, 18.0)
    assert trace.nodes[0]["value"]["data"] == 3.0
    assert repr(x) == "Tensor(3.0, device=gpu0:0)"
