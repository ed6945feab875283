"""What must hold of any call of any op. Each check raises AssertionError where it does not."""

from __future__ import annotations

import doctest
import re
import sys
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

import tinyengine as te
from tinyengine.autodiff import GradManager
from tinyengine.formula import gradient
from tinyengine.functional.math.decompositions import _singular_back
from tinyengine.op import TABLE, Op
from tinyengine.symbol import Symbol
from tinyengine.tensor import Tensor

from .op_calls import NUMPY, Call


def run(this: Op, call: Call, tensors: list[Tensor]) -> Any:
    """The op as a learner calls it."""
    return function_of(this)(*tensors, **call.attributes)


def function_of(this: Op) -> Any:
    return CUSTOM.get(this.name) or FUNCTIONS[this.name]


def _functions() -> dict[str, Any]:
    modules = [m for name, m in sys.modules.items() if name.startswith("tinyengine.functional")]
    values = [value for module in modules for value in vars(module).values()]
    return {value.op.name: value for value in values if isinstance(getattr(value, "op", None), Op)}


FUNCTIONS = _functions()
CUSTOM: dict[str, Any] = {}
"""The functions of ops that a test defines."""


def operands_of(this: Op, call: Call) -> list[np.ndarray[Any, Any]]:
    return call.operands(this.domain)


def tensors_of(this: Op, call: Call, dtype: str = "float64", device: str = "cpux") -> list[Tensor]:
    return [as_tensor(x, dtype, device) for x in operands_of(this, call)]


def check_forward(this: Op, call: Call) -> None:
    reference = NUMPY.get(this.name) or getattr(np, this.name, None) or this.forward
    attributes = {**this.attributes, **call.attributes}
    operands = operands_of(this, call)
    wanted = (
        reference(*operands, **attributes)
        if this.family
        else reference(*operands, *attributes.values())
    )
    out = run(this, call, tensors_of(this, call))
    assert out.shape == np.shape(wanted)
    np.testing.assert_allclose(out.numpy(), wanted, rtol=1e-12)


def vjps(this: Op, call: Call, arrays: list[Any], v: Any) -> list[Any]:
    """The gradients of v · op(arrays), in float64; zeros where none arrives."""
    tensors = [as_tensor(x) for x in arrays]
    gm = GradManager().attach(floats(tensors))
    with gm:
        y = run(this, call, tensors)
        gm.backward(y, te.tensor(v, dtype="float64", device=y.device))
    return [np.zeros(t.shape) if t.grad is None else t.grad.numpy() for t in tensors]


def as_tensor(array: Any, dtype: str = "float64", device: str = "cpux") -> Tensor:
    """A tensor of this dtype; booleans and integers stay what they are."""
    return te.tensor(array, dtype=dtype if array.dtype.kind == "f" else None, device=device)


def floats(tensors: list[Tensor]) -> list[Tensor]:
    return [t for t in tensors if t.dtype.kind == "f"]


def directions(arrays: list[Any], seed: int) -> list[Any]:
    random = np.random.default_rng(seed)
    return [random.standard_normal(np.shape(x)) for x in arrays]


def dot(xs: list[Any], ys: list[Any]) -> float:
    return float(sum(np.sum(x * y) for x, y in zip(xs, ys, strict=True)))


def moved(arrays: list[Any], by: list[Any], step: float) -> list[Any]:
    pairs = zip(arrays, by, strict=True)
    return [x + step * u if x.dtype.kind == "f" else x for x, u in pairs]


STEP = 1e-5


def check_gradient(this: Op, call: Call) -> None:
    """The gradient along random directions is the slope of the op."""
    this = this.of(len(call.shapes))
    arrays = operands_of(this, call)
    forward = lambda xs: run(this, call, [as_tensor(x) for x in xs]).numpy()  # noqa: E731
    v = directions([forward(arrays)], 1)[0]
    for operand, name in enumerate(this.operands):
        u = [d if i == operand else 0 * d for i, d in enumerate(directions(arrays, 2))]
        got = dot(vjps(this, call, arrays, v), u)
        after, before = (forward(moved(arrays, u, step)) for step in (STEP, -STEP))
        wanted = np.sum(v * (after - before)) / (2 * STEP) if this.rules[name] else 0.0
        assert got == pytest.approx(wanted, rel=1e-7, abs=1e-8), name


def check_second_order(this: Op, call: Call) -> None:
    """The gradient of the gradient is the slope of the gradient: nested managers."""
    arrays = operands_of(this, call)
    v = directions([run(this, call, tensors_of(this, call)).numpy()], 1)[0]
    u, w = directions(arrays, 2), directions(arrays, 3)
    tensors = [as_tensor(x) for x in arrays]
    outer, inner = (GradManager().attach(floats(tensors)) for _ in range(2))
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
    this = this.of(len(call.shapes))
    tensors = tensors_of(this, call, dtype, "cpu1")
    gm = GradManager().attach(floats(tensors))
    with gm:
        y = run(this, call, tensors)
        gm.backward(y)
    if this.differentiable or y.dtype.kind == "f":
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
    names = {"tensor": te.tensor, "__name__": "__main__", this.forward.__name__: function_of(this)}
    test = doctest.DocTestParser().get_doctest(doc, names, this.name, None, 0)
    assert test.examples, f"{this.name} has no example"
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=report.append)
    assert not runner.failures, "".join(report)


def check_formula(this: Op, call: Call) -> None:
    """What a rule writes, read as Python, is what it computes."""
    this = this.of(len(call.shapes))
    arrays = [np.asarray(x) for x in operands_of(this, call)]
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
            np.testing.assert_allclose(
                got, grads[i], rtol=1e-5
            )  # constants are written with six digits


def _by_position(this: Op) -> Any:
    """The forward function for a formula, which writes required attributes by position."""
    if not this.family:
        return this.forward
    return lambda *args, **named: this.forward(
        *(a for a in args if not isinstance(a, str)),
        **{name: a for a in args if isinstance(a, str) for name in this.attributes},
        **named,
    )


def read(text: str, values: dict[str, Any]) -> Any:
    """The value of a formula's text."""
    python = text.replace("−", "-").replace("·", "*").replace("ᵀ", ".swapaxes(-1, -2)")
    python = re.sub(r"\w+\.device", "None", python)  # an array has no device of ours
    python = re.sub(r"\[(\w+) > (\w+)\]", r"share(\1, \2)", python).replace("²", "**2")
    python = python.replace("^", "**").replace("ln(", "log(")
    python = re.sub(r"Σ (\w+)", r"sum(\1)", python).replace("…", "...")
    python = re.sub(r"(\w+), \[(.*)\], \(", r"\1, index[\2], (", python)
    ops = {name: _by_position(this) for name, this in TABLE.items() if name not in values}
    ops["svd_gradient"] = _singular_back  # the one rule that is named instead of written
    words = {word: word for word in ("float64", "average")}  # text is written without quotes
    return eval(python, {**words, "index": np.s_, **ops, **values})
