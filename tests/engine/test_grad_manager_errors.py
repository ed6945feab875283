"""What GradManager says to what it cannot take, and that it leaves nothing behind."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tinyengine as te
from tinyengine.autodiff import GradManager

T = te.tensor
X = T([1.0, 2.0], device="cpux")
M = T([[1.0, 2.0]], device="cpux")

ATTACH = [
    (
        T(1),
        "only floating-point tensors have gradients, and this one of shape () is int32; use asty",
    ),
    (T([True]), "only floating-point tensors have gradients, and this one of shape (1,) is bool"),
    (1.0, "expected a Tensor or several, got float 1.0"),
    (None, "expected a Tensor or several, got NoneType None"),
    ("ab", "expected a Tensor or several, got str 'ab'"),
    ([X, 2], "expected a Tensor or several, got int 2"),
    (np.ones(2), "expected a Tensor or several, got ndarray "),
]


@pytest.mark.parametrize(("what", "message"), ATTACH, ids=[f"{i}" for i in range(len(ATTACH))])
def test_attach(what: Any, message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(f"attach(): {message}")):
        GradManager().attach(what)


BACKWARD: list[tuple[Any, Any, type[Exception], str]] = [
    (3.0, None, TypeError, "y must be a Tensor or a list of Tensors, got float 3.0"),
    (np.ones(2), None, TypeError, "y must be a Tensor or a list of Tensors, got ndarray"),
    ([X, None], None, TypeError, "y must be a Tensor or a list of Tensors, got NoneType None"),
    (X, 3.0, TypeError, "dy must be a Tensor or a list of Tensors, got float 3.0"),
    (X, np.ones(2), TypeError, "dy must be a Tensor or a list of Tensors, got ndarray"),
    ([X, X], [X], ValueError, "2 y but 1 dy; give one dy for each y"),
    (
        X,
        T([1.0, 2.0, 3.0], device="cpux"),
        ValueError,
        "dy of shape (3,) does not stretch to y of shape (2,)",
    ),
    (X, M, ValueError, "dy of shape (1, 2) does not stretch to y of shape (2,)"),
    (X, X.to("cpu0"), RuntimeError, "y is on cpux:0 and dy on cpu0:0; use dy.to(y.device)"),
]


@pytest.mark.parametrize(
    ("y", "dy", "kind", "message"), BACKWARD, ids=[f"{i}" for i in range(len(BACKWARD))]
)
def test_backward(y: Any, dy: Any, kind: type[Exception], message: str) -> None:
    w = T([1.0, 2.0])
    gm = GradManager().attach(w)
    with gm:
        w * 2
        with pytest.raises(kind, match=re.escape(f"backward(): {message}")):
            gm.backward(y, dy)
    assert w.grad is None


def test_an_error_leaves_the_rest_of_the_session_as_it_was() -> None:
    w = T([1.0, 2.0])
    gm = GradManager().attach(w)
    with gm:
        y = w * 3
        with pytest.raises(ValueError, match="add"):
            y + T([1.0, 2.0, 3.0])
        gm.backward(y)
    assert w.grad is not None
    assert w.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("given", "named"), [(np.ones(3), "ndarray"), ({"w": 1}, "dict"), ("w", "str"), (2.0, "float")]
)
def test_what_is_attached_is_named_as_it_was_given(given: Any, named: str) -> None:
    with pytest.raises(TypeError, match=rf"expected a Tensor or several, got {named} "):
        GradManager().attach(given)


def test_the_text_form_holds_no_address() -> None:
    x = te.tensor([1.0])
    assert repr(GradManager()) == "GradManager(0 tensors attached)"
    assert repr(GradManager().attach(x)) == "GradManager(1 tensor attached)"
