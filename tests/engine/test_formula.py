"""Symbols: what an expression writes, read again, has the value of the expression."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tinyengine.functional as F
from tinyengine.formula import array, derivative, equation, gradient, local_derivative
from tinyengine.op import OPERATORS, TABLE
from tinyengine.symbol import Symbol, number

RANDOM = np.random.default_rng(0)
MATRICES = {name: RANDOM.uniform(0.5, 2, (2, 2)) for name in "abc"}

Pair = tuple[Symbol, Any]
LEAVES = st.one_of(
    st.sampled_from([(Symbol(name, (2, 2)), value) for name, value in MATRICES.items()]),
    st.sampled_from([(number("2"), 2.0), (number("-3"), -3.0), (number("0.5"), 0.5)]),
)


def binary(draw: tuple[str, Pair, Pair]) -> Pair:
    name, (x, a), (y, b) = draw
    this = OPERATORS["mul" if name == "matmul" and not (np.ndim(a) and np.ndim(b)) else name]
    with np.errstate(all="ignore"):
        return x.apply_op(this, [x, y], this.attributes), this.forward(a, b)


EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["add", "sub", "mul", "truediv", "matmul"]), inner, inner).map(
            binary
        ),
        inner.map(lambda pair: (-pair[0], -pair[1])),
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(pair=EXPRESSIONS)
def test_the_text_has_the_value_of_the_expression(pair: Pair) -> None:
    written, value = pair
    python = written.text.replace("−", "-").replace("·", "*")
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(eval(python, dict(MATRICES)), value, rtol=1e-6, atol=1e-6)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(pair=EXPRESSIONS)
def test_mathml_and_latex_say_the_same_as_the_text(pair: Pair) -> None:
    written, _ = pair
    compact = written.text.replace(" ", "")
    assert "".join(ET.fromstring(f"<math>{written.mathml}</math>").itertext()) == compact
    latex = re.sub(r"\\left|\\right|\\,| ", "", written.latex)
    assert latex.replace(r"\cdot", "·").replace("-", "−") == compact


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (lambda a, b: a * b + a, "a · b + a"),
        (lambda a, b: a * (b + a), "a · (b + a)"),
        (lambda a, b: (a - b) - (a - b), "a − b − (a − b)"),
        (lambda a, b: a / b / a, "a/b/a"),
        (lambda a, b: a / (b * a), "a/(b · a)"),
        (lambda a, b: a * -b, "a · (−b)"),
        (lambda a, b: -(a * b), "−a · b"),
        (lambda a, b: a * (a @ b), "a · (a @ b)"),
        (lambda a, b: a @ (a * b), "a @ (a · b)"),
        (lambda a, b: 2 * a + 1.5, "2 · a + 1.5"),
    ],
)
def test_brackets_only_where_they_are_needed(expression: Any, text: str) -> None:
    assert expression(Symbol("a"), Symbol("b")).text == text


def test_the_chain_rule_of_a_quotient() -> None:
    x, y, out = Symbol("x"), Symbol("y"), Symbol("z")
    assert local_derivative(F.div.op, [x, y], out, 0).text == "1/y"
    by_y = gradient(F.div.op, [x, y], out, derivative("L", "z"), 1)
    assert by_y.text == "∂L/∂z · (−z)/y"


def test_a_cast_is_undone_to_the_dtype_of_its_operand() -> None:
    x, out, dout = Symbol("x"), Symbol("y"), derivative("L", "y")
    by_x = gradient(TABLE["astype"], [x], out, dout, 0, {"dtype": "float16"})
    assert by_x.text == "astype(∂L/∂y, x.dtype)"
    by_x = gradient(TABLE["copy"], [x], out, dout, 0, {"device": "cpu0"})
    assert by_x.text == "copy(∂L/∂y)"


def test_an_index_is_written_as_it_was() -> None:
    x = Symbol("x", (3, 4))
    for key, text in [
        (1, "x[1]"),
        ((slice(None), 0), "x[:, 0]"),
        ((slice(1, None, 2), ...), "x[1::2, …]"),
        (np.array([0, 2]), "x[[0, 2]]"),
        (([0, 1], [2, 3]), "x[[0, 1], [2, 3]]"),
    ]:
        assert x.apply_op(OPERATORS["getitem"], [x], {"key": key}).text == text


def test_names_of_any_characters() -> None:
    for name in ("<b>w</b>", 'a "q" b', "权重 α²", "back\\slash", "a_b^c~{d}$%#&", "new\nline"):
        written = Symbol(name) * derivative(name, name)
        ET.fromstring(f"<math>{written.mathml}</math>")
        assert "<b>" not in written.mathml
        plain = re.sub(r"\\[#$%&_{}^~]", "", written.latex)
        assert plain.count("{") == plain.count("}")
        assert not set("#$%&~^_") & set(plain)


def test_numbers_and_arrays() -> None:
    assert (number("-1.5").text, number("-1.5").latex) == ("−1.5", "-1.5")
    assert (Symbol("x") * number("-1.5")).text == "x · (−1.5)"
    assert (Symbol("x") - number("nan")).text == "x − nan"
    matrix = array("[[1 -2]]", [["1", "-2"]], (1, 2))
    assert matrix.latex == r"\begin{bmatrix} 1 & -2 \end{bmatrix}"
    ET.fromstring(f"<math>{matrix.mathml}</math>")


def test_a_side_that_only_repeats_is_left_out() -> None:
    x = Symbol("x")
    assert equation(derivative("y", "x"), x, x, number("3")).text == "∂y/∂x = x = 3"


def test_what_has_no_rule_has_no_formula() -> None:
    with pytest.raises(ValueError, match="detach has no derivative with respect to inp"):
        gradient(TABLE["detach"], [Symbol("x")], Symbol("y"), Symbol("d"), 0)
