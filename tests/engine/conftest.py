from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tinyengine as te
from tinyengine import chain_rule
from tinyengine.autodiff import GradManager

Grads = Callable[..., list[Any]]


@pytest.fixture(autouse=True)
def _default_device() -> Iterator[None]:
    """Every test begins on the CPU and must leave no manager, observer or record behind."""
    te.set_default_device("cpux")
    yield
    te.set_default_device("cpux")
    leftovers = [*chain_rule.managers, *chain_rule.observers, *chain_rule.tape]
    for left in (chain_rule.managers, chain_rule.observers, chain_rule.tape):
        left.clear()
    assert not leftovers, f"the test left {leftovers}"


@pytest.fixture(scope="session")
def grads() -> Grads:
    """A function: the gradients of `f(*tensors)` at each tensor, as arrays, or None."""

    def of(f: Callable[..., Any], *tensors: te.Tensor, dy: Any = None) -> list[Any]:
        for tensor in tensors:
            tensor.grad = None
        gm = GradManager().attach(tensors)
        with gm:
            gm.backward(f(*tensors), dy)
        return [None if t.grad is None else t.grad.numpy() for t in tensors]

    return of
