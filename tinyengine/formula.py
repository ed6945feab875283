"""Formulas: an op's derivative as text, with names or with numbers.

An op's own rules, run on Symbols, give the text of the chain rule, so the text cannot drift from
the code.

>>> import tinyengine.functional as F
>>> x, w = Symbol("x", (1, 3)), Symbol("w", (3, 1))
>>> F.matmul(x, w).text
'x @ w'
>>> gradient(F.matmul.op, [x, w], Symbol("p"), derivative("y", "p"), 1).text
'xᵀ @ ∂y/∂p'
>>> local_derivative(F.mul.op, [Symbol("a"), Symbol("b")], Symbol("c"), 0).latex
'b'
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .op import Op
from .symbol import Symbol, escaped, latex_name, symbol


def array(text: str, rows: Sequence[Sequence[str]], shape: tuple[int, ...]) -> Symbol:
    """An array of one or two axes, its elements already written, row by row."""
    cells = [[cell.replace("-", "−") for cell in row] for row in rows]
    latex = r" \\ ".join(" & ".join(row) for row in cells).replace("−", "-")
    table = "".join(
        "<mtr>" + "".join(f"<mtd><mn>{escaped(c)}</mn></mtd>" for c in row) + "</mtr>"
        for row in cells
    )
    return Symbol(
        text.replace("-", "−"),
        shape,
        latex=rf"\begin{{bmatrix}} {latex} \end{{bmatrix}}",
        mathml=f"<mrow><mo>[</mo><mtable>{table}</mtable><mo>]</mo></mrow>",
    )


def derivative(of: str, by: str, shape: tuple[int, ...] = ()) -> Symbol:
    """∂`of`/∂`by`, where `by` has this shape."""
    over, under = latex_name(of), latex_name(by)
    d = "<mo>∂</mo>"
    return Symbol(
        f"∂{of}/∂{by}",
        shape,
        latex=rf"\frac{{\partial {over}}}{{\partial {under}}}",
        mathml=f"<mfrac><mrow>{d}<mi>{escaped(of)}</mi></mrow>"
        f"<mrow>{d}<mi>{escaped(by)}</mi></mrow></mfrac>",
    )


def equation(*sides: Symbol) -> Symbol:
    """The sides, joined by equals signs; a side that only repeats the one before is left out."""
    kept = [s for i, s in enumerate(sides) if i == 0 or s.text != sides[i - 1].text]
    return Symbol(
        " = ".join(side.text for side in kept),
        latex=" = ".join(side.latex for side in kept),
        mathml="<mo>=</mo>".join(side.mathml for side in kept),
        level=0,
    )


def local_derivative(
    op: Op,
    operands: Sequence[Symbol],
    out: Symbol,
    operand: int,
    attributes: Mapping[str, Any] | None = None,
) -> Symbol:
    """∂out/∂operand of an element-wise op, from its own rule."""
    rule = _rule(op, operand)
    return symbol(rule(*_needed(rule, op, operands, out, None, operand, attributes)))


def gradient(
    op: Op,
    operands: Sequence[Symbol],
    out: Symbol,
    dout: Symbol,
    operand: int,
    attributes: Mapping[str, Any] | None = None,
) -> Symbol:
    """What reaches an operand when `dout` arrives at the result: the rule, written down."""
    op = op.of(len(operands))
    rule = _rule(op, operand)
    written = symbol(rule(*_needed(rule, op, operands, out, dout, operand, attributes)))
    return dout * written if op.elementwise else written


def summed(part: Symbol) -> Symbol:
    """The sum over the axes along which an operand was stretched."""
    return part.prefixed("Σ", r"\sum")


def needs(op: Op, operand: int) -> set[str]:
    """What the rule for this operand names."""
    return set(inspect.signature(_rule(op, operand)).parameters)


def _rule(op: Op, operand: int) -> Callable[..., Any]:
    rule = op.rules[op.operands[operand]]
    if rule is None:
        raise ValueError(f"{op.name} has no derivative with respect to {op.operands[operand]}")
    return rule


def _needed(
    rule: Callable[..., Any],
    op: Op,
    operands: Sequence[Symbol],
    out: Symbol,
    dout: Symbol | None,
    operand: int,
    attributes: Mapping[str, Any] | None,
) -> list[Any]:
    known: dict[str, Any] = {**op.attributes, **(attributes or {}), "out": out, "dout": dout}
    for name, value in zip(op.operands, operands, strict=True):
        known |= {name: value, f"{name}_shape": value.shape}
        known |= {f"{name}_{fact}": f"{value.text}.{fact}" for fact in ("dtype", "device")}
    if op.family:
        shapes = [value.shape for value in operands]
        known |= {op.family: operands, f"{op.family}_shape": shapes, "which": operand}
    return [known.get(name) for name in inspect.signature(rule).parameters]
