"""What must hold of any call of any op. Each check raises AssertionError where it does not."""

from __future__ import annotations

import doctest
import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

import tinyengine as te
from tinyengine.autodiff import GradManager
from tinyengine.formula import Symbol, gradient
from tinyengine.op import TABLE, Op
from tinyengine.tensor import Tensor

from .op_calls import NUMPY, Call


def run(this: Op, call: Call, tensors: list[Tensor]) -> Any:
    """The op as a learner calls it."""
    return function_of(this)(*tensors, **call.attributes)


def function_of(this: Op) -> Any:
    for module in (te.functional.elemwise, te.functional.math, te.functional.tensor):
        for value in vars(module).values():
            if getattr(value, "op", None) is this:
                return value
    return CUSTOM[this.name]


CUSTOM: dict[str, Any] = {}
"""The functions of ops that a test defines."""


def tensors_of(call: Call, dtype: str = "float64", device: str = "cpux") -> list[Tensor]:
    return [te.tensor(x, dtype=dtype, device=device) for x in call.operands()]


def check_forward(this: Op, call: Call) -> None:
    reference = NUMPY.get(this.name) or getattr(np, this.name, None) or this.forward
    attributes = {**this.attributes, **call.attributes}
    wanted = reference(*call.operands(), *attributes.values())
    out = run(this, call, tensors_of(call))
    assert out.shape == np.shape(wanted)
    np.testing.assert_allclose(out.numpy(), wanted, rtol=1e-12)


def vjps(this: Op, call: Call, arrays: list[Any], v: Any) -> list[Any]:
    """The gradients of v · op(arrays), in float64; zeros where none arrives."""
    tensors = [te.tensor(x, dtype="float64") for x in arrays]
    gm = GradManager().attach(tensors)
    with gm:
        y = run(this, call, tensors)
        gm.backward(y, te.tensor(v, dtype="float64", device=y.device))
    return [np.zeros(t.shape) if t.grad is None else t.grad.numpy() for t in tensors]


def directions(arrays: list[Any], seed: int) -> list[Any]:
    random = np.random.default_rng(seed)
    return [random.standard_normal(np.shape(x)) for x in arrays]


def dot(xs: list[Any], ys: list[Any]) -> float:
    return float(sum(np.sum(x * y) for x, y in zip(xs, ys, strict=True)))


def moved(arrays: list[Any], by: list[Any], step: float) -> list[Any]:
    return [x + step * u for x, u in zip(arrays, by, strict=True)]


STEP = 1e-5


def check_gradient(this: Op, call: Call) -> None:
    """The gradient along random directions is the slope of the op."""
    arrays = call.operands()
    forward = lambda xs: run(this, call, [te.tensor(x, dtype="float64") for x in xs]).numpy()  # noqa: E731
    v = directions([forward(arrays)], 1)[0]
    for operand, name in enumerate(this.operands):
        u = [d if i == operand else 0 * d for i, d in enumerate(directions(arrays, 2))]
        got = dot(vjps(this, call, arrays, v), u)
        after, before = (forward(moved(arrays, u, step)) for step in (STEP, -STEP))
        wanted = np.sum(v * (after - before)) / (2 * STEP) if this.rules[name] else 0.0
        assert got == pytest.approx(wanted, rel=1e-7, abs=1e-8), name


def check_second_order(this: Op, call: Call) -> None:
    """The gradient of the gradient is the slope of the gradient: nested managers."""
    arrays = call.operands()
    v = directions([run(this, call, tensors_of(call)).numpy()], 1)[0]
    u, w = directions(arrays, 2), directions(arrays, 3)
    tensors = [te.tensor(x, dtype="float64") for x in arrays]
    outer, inner = (GradManager().attach(tensors) for _ in range(2))
    with outer:
        with inner:
            y = run(this, call, tensors)
            inner.backward(y, te.tensor(v, dtype="float64", device=y.device))
        firsts = [(t.grad, d) for t, d in zip(tensors, u, strict=True) if t.grad is not None]
        for t in tensors:
            t.grad = None
        outer.backward([g for g, _ in firsts], [te.tensor(d, dtype="float64") for _, d in firsts])
    got = dot(
        [0 * x if t.grad is None else t.grad.numpy() for x, t in zip(arrays, tensors, strict=True)],
        w,
    )
    after, before = (dot(vjps(this, call, moved(arrays, w, step), v), u) for step in (STEP, -STEP))
    assert got == pytest.approx((after - before) / (2 * STEP), rel=1e-6, abs=1e-7)


def check_kinds(this: Op, call: Call, dtype: str) -> None:
    """Floats keep their dtype; a gradient has dtype, shape and device of its tensor."""
    tensors = tensors_of(call, dtype, "cpu1")
    gm = GradManager().attach(tensors)
    with gm:
        y = run(this, call, tensors)
        gm.backward(y)
    assert y.dtype == call.attributes.get("dtype", dtype)
    assert y.device == call.attributes.get("device", "cpu1")
    for t, rule in zip(tensors, this.rules.values(), strict=True):
        assert (t.grad is None) == (rule is None)
        if t.grad is not None:
            assert (t.grad.dtype, t.grad.shape, t.grad.device) == (t.dtype, t.shape, t.device)
            assert type(t.grad) is Tensor
            assert t.grad is not t


def check_docstring(this: Op) -> None:
    doc = this.forward.__doc__ or ""
    names = {"tensor": te.tensor, "__name__": "__main__", this.name: function_of(this)}
    test = doctest.DocTestParser().get_doctest(doc, names, this.name, None, 0)
    assert test.examples, f"{this.name} has no example"
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=report.append)
    assert not runner.failures, "".join(report)


def check_formula(this: Op, call: Call) -> None:
    """What a rule writes, read as Python, is what it computes."""
    arrays = [np.asarray(x) for x in call.operands()]
    attributes = {**this.attributes, **call.attributes}
    out = np.asarray(this.forward(*arrays, **attributes))
    dout = directions([out], 4)[0]
    symbols = [Symbol(n, x.shape) for n, x in zip(this.operands, arrays, strict=True)]
    values = dict(zip(this.operands, arrays, strict=True)) | {"out": out, "dout": dout}
    grads = vjps(this, call, [*arrays], dout)
    for i, name in enumerate(this.operands):
        if this.rules[name] is None:
            continue
        written = gradient(
            this, symbols, Symbol("out", out.shape), Symbol("dout", out.shape), i, attributes
        )
        ET.fromstring(f"<math>{written.mathml}</math>")
        assert written.latex.count("{") == written.latex.count("}")
        got = read(written.text, values)
        if np.shape(got) == grads[i].shape:  # else the chain rule undoes a broadcast
            np.testing.assert_allclose(got, grads[i], rtol=1e-12)


def read(text: str, values: dict[str, Any]) -> Any:
    """The value of a formula's text."""
    python = text.replace("−", "-").replace("·", "*").replace("ᵀ", ".swapaxes(-1, -2)")
    python = re.sub(r"\w+\.device", "None", python)  # an array has no device of ours
    python = re.sub(r"Σ (\w+)", r"sum(\1)", python).replace("…", "...")
    python = re.sub(r"(\w+), \[(.*)\], \(", r"\1, index[\2], (", python)
    ops = {name: this.forward for name, this in TABLE.items() if name not in values}
    return eval(python, {"float64": "float64", "index": np.s_, **ops, **values})
