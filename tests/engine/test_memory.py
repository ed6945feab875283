"""What stays alive, for how long, and that depth costs nothing."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import tinyengine as te
from tinyengine import chain_rule
from tinyengine.autodiff import GradManager

T = te.tensor


def step(x: te.Tensor) -> None:
    gm = GradManager().attach(x)
    with gm:
        gm.backward((x * x / 2.0 + x).sum())


def second_order(x: te.Tensor) -> None:
    outer, inner = GradManager().attach(x), GradManager().attach(x)
    with outer:
        with inner:
            inner.backward((x * x / (x + 1.0)).sum())
        gradient, x.grad = x.grad, None
        outer.backward(gradient)


def traced(x: te.Tensor) -> None:
    with te.Trace():
        step(x)


def failed(x: te.Tensor) -> None:
    gm = GradManager().attach(x)
    with pytest.raises(ValueError, match="add"), te.Trace(), gm:
        x * x + T([1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize("work", [step, second_order, traced])
def test_a_step_leaves_no_cycle_for_the_garbage_collector(work: object) -> None:
    x = T([1.0, 2.0, 3.0])
    work(x)  # type: ignore[operator]
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            work(x)  # type: ignore[operator]
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.parametrize("work", [step, second_order, traced, failed])
def test_nothing_is_recorded_any_more(work: object) -> None:
    work(T([1.0, 2.0, 3.0]))  # type: ignore[operator]
    assert chain_rule.tape == chain_rule.managers == chain_rule.observers == []


def test_temporaries_die_while_recording() -> None:
    x = T(np.ones((8, 8)))
    gm = GradManager().attach(x)
    with gm:
        middle = x + 1.0
        array, tensor = weakref.ref(middle._data), weakref.ref(middle)
        y = (middle + 1.0).sum()
        del middle
        assert tensor() is None
        assert array() is None  # no rule of a sum needs its operands
        gm.backward(y)


def test_only_what_a_rule_needs_is_kept() -> None:
    x, k = T(np.ones((8, 8))), T(np.ones((8, 8)))
    gm = GradManager().attach(x)
    with gm:
        product = x * k
        needed, result = weakref.ref(k._data), weakref.ref(product._data)
        y = product.sum()
        del product, k
        assert needed() is not None
        assert result() is None
        gm.backward(y)
        assert needed() is None


def test_release_frees_what_was_kept() -> None:
    x, k = T(np.ones((8, 8))), T(np.ones((8, 8)))
    gm = GradManager().attach(x)
    with gm:
        y = x * k
        kept = weakref.ref(k._data)
        del k
        assert kept() is not None
    assert kept() is None  # although y is alive
    assert y.shape == (8, 8)


def test_a_hundred_thousand_ops_need_no_recursion() -> None:
    x = T(1.0)
    gm = GradManager().attach(x)
    with gm:
        y = x
        for _ in range(100_000):
            y = y + 0.0
        gm.backward(y)
    del y
    assert x.grad is not None
    assert x.grad.item() == 1.0


def test_a_long_trace_costs_no_more_for_each_step() -> None:
    def lines(steps: int) -> float:
        """How many lines of Python run for each step."""
        count = 0

        def tracer(*_: Any) -> Any:
            nonlocal count
            count += 1
            return tracer

        x = T(1.0)
        before = sys.gettrace()
        with te.Trace():
            sys.settrace(tracer)
            try:
                for _ in range(steps):
                    x = x + 0.0
            finally:
                sys.settrace(before)
        return count / steps

    assert lines(2000) < 1.1 * lines(200)


def test_a_copy_made_while_recording_has_no_graph() -> None:
    import copy
    import pickle

    x = T([2.0])
    gm = GradManager().attach(x)
    with gm:
        y = x * x
        copies = [copy.copy(y), copy.deepcopy(y), pickle.loads(pickle.dumps(y))]
        gm.backward(copies)
    assert x.grad is None
    assert [c.tolist() for c in copies] == [[4.0]] * 3
