"""Traces that the tests of the widgets share."""

from __future__ import annotations

import tinyengine as te
import tinyengine.functional as F
from tinyengine import Trace
from tinyengine.autodiff import GradManager


def scalar_line() -> Trace:
    """y = w·x + b for numbers, forward and backward."""
    w, x, b = te.tensor(2.0), te.tensor(3.0), te.tensor(-1.0)
    with Trace() as trace, GradManager().attach([w, b]) as gm:
        p = w * x
        y = p + b
        gm.backward(y)
    return trace


def article(*, detach: bool = False) -> Trace:
    """The documented example: y = x @ w + b, with b detached or not."""
    x = te.tensor([1.0, 3.0, 5.0]).reshape(1, 3)
    w = te.tensor([2.0, 4.0, 6.0]).reshape(3, 1)
    b = te.tensor(-1.0)
    with Trace() as trace, GradManager().attach([w, b]) as gm:
        p = F.matmul(x, w)
        y = p + (b.detach() if detach else b)
        gm.backward(y)
    return trace


def diamond() -> Trace:
    """c = b + b with b = a·a: two arrivals and a sum at both."""
    a = te.tensor(3.0)
    with Trace() as trace, GradManager().attach(a) as gm:
        b = a * a
        c = b + b
        gm.backward(c)
    return trace


def failed() -> Trace:
    """A product, then a sum of shapes that do not fit."""
    a, b = te.tensor([1.0, 2.0]), te.tensor([1.0, 2.0, 3.0])
    trace = Trace()
    try:
        with trace:
            c = a * 2
            c + b
    except ValueError:
        return trace
    raise AssertionError("the shapes should not have fitted")


HOSTILE = [
    "<b>w</b>",
    'a "q" b',
    "it's {x|y}",
    "line1\nline2",
    "权重 α²",
    "</script><img src=x onerror=alert(1)>",
    "back\\slash\\",
    "]]>",
    "&amp;",
    "\u202ertl\u0007",
    "𝛁 😀",
    "{0} {names}",
    "a" * 200,
]


def hostile() -> Trace:
    """A sum of tensors with names that break careless pictures."""
    tensors = [te.tensor(1.0 + i, name=name) for i, name in enumerate(HOSTILE)]
    with Trace() as trace, GradManager().attach(tensors) as gm:
        y = tensors[0]
        for tensor in tensors[1:]:
            y = y + tensor
        gm.backward(y)
    return trace


def network() -> Trace:
    """A layer with a square, then a loss: matrices, broadcasting and fan-out."""
    inputs, weight = te.tensor([[0.5, -1.0], [2.0, 0.25]]), te.tensor([[1.0, 2.0], [3.0, 4.0]])
    bias, target = te.tensor([0.1, -0.1]), te.tensor([[1.0, 0.0], [0.0, 1.0]])
    with Trace() as trace, GradManager().attach([weight, bias]) as gm:
        hidden = F.matmul(inputs, weight) + bias
        error = hidden * hidden - target
        loss = (error * error).sum()
        gm.backward(loss)
    return trace


ALL = [scalar_line, article, diamond, failed, hostile, network]
