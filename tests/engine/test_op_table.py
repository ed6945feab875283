"""Every op of the table, against NumPy, central differences and its own text.

A new op is picked up from the table, see op_calls.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import tinyengine as te
from tinyengine.autodiff import GradManager
from tinyengine.backend import Array
from tinyengine.formula import local_derivative
from tinyengine.op import OPERATORS, TABLE, Op, OpFunction, op
from tinyengine.symbol import Symbol
from tinyengine.tensor import Tensor

from .op_calls import Call, calls_of
from .op_checks import (
    CUSTOM,
    check_docstring,
    check_formula,
    check_forward,
    check_gradient,
    check_kinds,
    check_second_order,
)

EVERY = [
    pytest.param(this, call, id=f"{this.name}-{i}")
    for this in TABLE.values()
    for i, call in enumerate(calls_of(this))
]
every_call = pytest.mark.parametrize(("this", "call"), EVERY)
every_op = pytest.mark.parametrize("this", TABLE.values(), ids=TABLE)


@every_call
def test_forward_is_numpys(this: Op, call: Call) -> None:
    check_forward(this, call)


@every_call
def test_gradient_is_the_slope(this: Op, call: Call) -> None:
    check_gradient(this, call)


@every_call
def test_second_gradient_is_the_slope_of_the_first(this: Op, call: Call) -> None:
    check_second_order(this, call)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@every_call
def test_dtype_shape_and_device_are_kept(this: Op, call: Call, dtype: str) -> None:
    check_kinds(this, call, dtype)


@every_op
def test_the_docstring_has_an_example_that_runs(this: Op) -> None:
    check_docstring(this)


@every_call
def test_the_written_rule_agrees_with_the_numbers(this: Op, call: Call) -> None:
    check_formula(this, call)


@pytest.fixture
def table() -> Iterator[None]:
    """The table of ops, put back afterwards."""
    ops, operators, methods = dict(TABLE), dict(OPERATORS), dict(vars(Tensor))
    yield
    for now, before in ((TABLE, ops), (OPERATORS, operators)):
        now.clear()
        now.update(before)
    CUSTOM.clear()
    for name in set(vars(Tensor)) - set(methods):
        delattr(Tensor, name)
    for name in ("__matmul__", "__rmatmul__"):
        setattr(Tensor, name, methods[name])


def define_squares(slope: float = 2) -> OpFunction:
    """One definition, as in CONTRIBUTING: x² + y², which is no operator of Python, under @."""

    @op("²+²", operator="matmul")
    def squares(x: Array, y: Array) -> Array:
        """Sum of the squares.

        >>> squares(tensor([3., 1.]), 4.)
        Tensor([25. 17.], device=cpux:0)
        """
        return x * x + y * y

    squares.partials(x=lambda x: slope * x, y=lambda y: 2 * y)
    CUSTOM["squares"] = squares
    return squares


@pytest.mark.usefixtures("table")
def test_a_new_op_is_one_definition() -> None:
    squares = define_squares()
    this = TABLE["squares"]
    calls = calls_of(this)
    assert len(calls) > 10  # broadcast pairs among them
    for call in calls:
        check_forward(this, call)
        check_gradient(this, call)
        check_second_order(this, call)
        check_formula(this, call)
        check_kinds(this, call, "float16")
    check_docstring(this)
    x, y = te.tensor([3.0]), te.tensor([4.0])
    assert (
        (x @ y).tolist() == (2.0 @ x + 12.0).tolist() == (np.array([5.0]) @ te.tensor(0.0)).tolist()
    )
    rule = local_derivative(this, [Symbol("a"), Symbol("b")], Symbol("c"), 0)
    assert (rule.text, rule.latex) == ("2 · a", r"2 \cdot a")
    gm = GradManager().attach(x)
    with te.Trace() as trace, gm:
        z = squares(x, y)
        gm.backward(z)
    assert trace.steps[1]["symbol"] == "²+²"
    assert x.grad is not None
    assert x.grad.item() == 6.0


@pytest.mark.usefixtures("table")
def test_a_wrong_derivative_is_found() -> None:
    define_squares(slope=2.001)
    with pytest.raises(AssertionError):
        check_gradient(TABLE["squares"], Call(((2, 3), (2, 3))))


@pytest.mark.usefixtures("table")
def test_a_rule_for_no_operand_is_refused() -> None:
    with pytest.raises(TypeError, match="squares has no operand 'z', only \\['x', 'y'\\]"):
        define_squares().partials(z=lambda: 1)


def test_the_table_knows_every_function_by_name() -> None:
    assert {name for name, this in TABLE.items() if this.name != name} == set()
    assert OPERATORS["add"] is TABLE["add"]
    assert repr(TABLE["add"]) == "<op add>"
