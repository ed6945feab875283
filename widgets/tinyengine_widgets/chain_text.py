"""The chain rule of one contribution, with names and then with numbers, from the op's own rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from tinyengine.formula import (
    derivative,
    equation,
    gradient,
    local_derivative,
    needs,
    summed,
)
from tinyengine.op import TABLE, Op
from tinyengine.symbol import Symbol, number
from tinyengine.trace import Step, Trace, TraceNode

from .graph import results
from .values import shortened, value_symbol

Writer: TypeAlias = Callable[[TraceNode], Symbol | None]

_LONGEST_TITLE = 60
_LONGEST_LABEL = 16


def name_symbol(node: TraceNode) -> Symbol:
    """The node's name; a constant's number."""
    if node["kind"] == "constant" and not node["value"]["shape"]:
        return number(node["name"])
    return Symbol(shortened(node["name"]), tuple(node["value"]["shape"]))


def number_symbol(node: TraceNode) -> Symbol | None:
    """The node's value, if it is short."""
    return value_symbol(node["value"])


def forward_rule(trace: Trace, step: Step) -> Symbol:
    """``p = w · x = 2 · 3 = 6`` for a forward step; without numbers where they are many."""
    made = [trace.nodes[node] for node in results(step)]
    sides = [_several([name_symbol(out) for out in made])]
    attributes = revive(step["attributes"])
    sides.append(_apply(step["op"], _operands(trace, step, name_symbol), attributes))
    values = _operands(trace, step, number_symbol)
    if None not in values:
        sides.append(_apply(step["op"], values, attributes))
    return _equation(*sides, _several([number_symbol(out) for out in made]))


def contribution_rule(trace: Trace, step: Step, root: str, *, whole: bool) -> Symbol:
    """``∂y/∂w = ∂y/∂p · ∂p/∂w = 1 · x = 1 · 3 = 3`` for a contribution.

    Args:
        trace: where the step is from.
        step: the contribution.
        root: the name of what is differentiated.
        whole: whether this is all of the gradient at its node (else the left side is left out).
    """
    forward = trace.steps[step["at"]]
    out, target = name_symbol(trace.nodes[forward["output"]]), trace.nodes[step["node"]]
    sides: list[Symbol | None] = []
    if whole:
        sides = [derivative(root, shortened(target["name"]))]
    op = _op_of(forward)
    if op is not None:
        dout = derivative(root, out.text, tuple(step["dout"]["shape"]))
        sides += (_elementwise if op.elementwise else _product)(trace, step, op, dout, root)
    return _equation(*sides, value_symbol(step["gradient"]))


def local_label(trace: Trace, step: Step, root: str) -> str:
    """What the edge of a contribution says, if it is short: the local derivative, or the rule."""
    forward = trace.steps[step["at"]]
    op = _op_of(forward)
    if op is None:
        return ""
    out, target = trace.nodes[forward["output"]], trace.nodes[step["node"]]
    if op.elementwise:
        local = _rule(local_derivative, trace, step, op, name_symbol)
        text = equation(derivative(out["name"], target["name"]), local).text
    else:
        dout = derivative(root, out["name"], tuple(step["dout"]["shape"]))
        text = _rule(gradient, trace, step, op, name_symbol, dout).text
    return text if len(text) <= _LONGEST_LABEL else ""


def title(trace: Trace, ops: Sequence[int], outputs: Sequence[int]) -> str:
    """``y = w · x + b`` for each of the outputs, written out as far as it stays short."""
    written: dict[int, Symbol] = {}
    lines = {}
    for step in (trace.steps[i] for i in ops):
        if step["kind"] != "forward":
            continue
        attributes = revive(step["attributes"])
        names = _operands(trace, step, name_symbol)
        known = [written.get(i, name) for i, name in zip(step["inputs"], names, strict=True)]
        whole = _apply(step["op"], known, attributes)
        if len(whole.text) > _LONGEST_TITLE:
            whole = _apply(step["op"], names, attributes)
        elif len(results(step)) == 1:
            written[step["output"]] = whole
        made = _several([name_symbol(trace.nodes[node]) for node in results(step)])
        lines[step["output"]] = _equation(made, whole).text
    return ",  ".join(lines[node] for node in outputs[:2] if node in lines)


def revive(attributes: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a traced op as the op itself takes them."""
    return {name: _revived(value) for name, value in attributes.items()}


def _revived(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_revived(item) for item in value)
    if isinstance(value, dict):
        if "slice" in value:
            return slice(*value["slice"])
        return ... if "ellipsis" in value else value.get("data")
    return value


def _op_of(step: Step) -> Op | None:
    """The op of a forward step; None for one that is in no table, such as a learner's Function."""
    op = TABLE.get(step["op"])
    return op and op.of(len(step["inputs"]))


def _apply(name: str, operands: Sequence[Any], attributes: dict[str, Any]) -> Symbol:
    """The op of this name, or an autodiff.Function, of `operands`."""
    op = TABLE.get(name)
    if not operands:
        return Symbol(f"{name}()")
    whole: Symbol = (
        operands[0].called(name, *operands[1:])
        if op is None
        else operands[0].apply_op(op, operands, attributes)
    )
    return whole


def _several(symbols: Sequence[Symbol | None]) -> Symbol | None:
    """``p, q``; None where one of them is."""
    known = [symbol for symbol in symbols if symbol is not None]
    if len(known) < len(symbols):
        return None
    if len(known) == 1:
        return known[0]
    return Symbol(
        ", ".join(symbol.text for symbol in known),
        latex=", ".join(symbol.latex for symbol in known),
        mathml="<mo>,</mo>".join(symbol.mathml for symbol in known),
    )


def _operands(trace: Trace, step: Step, write: Writer) -> list[Any]:
    return [write(trace.nodes[i]) for i in step["inputs"]]


def _equation(*sides: Symbol | None) -> Symbol:
    return equation(*(side for side in sides if side is not None))


def _elementwise(trace: Trace, step: Step, op: Op, dout: Symbol, root: str) -> list[Symbol | None]:
    """``∂y/∂p · ∂p/∂w``, ``1 · x`` and ``1 · 3``."""
    forward = trace.steps[step["at"]]
    out, target = trace.nodes[forward["output"]], trace.nodes[step["node"]]
    by_name = _rule(local_derivative, trace, step, op, name_symbol)
    by_number = _rule(local_derivative, trace, step, op, number_symbol)
    arrived = value_symbol(step["dout"])
    at_root = out["name"] == root
    sides: list[Symbol | None] = []
    if forward["inputs"].count(step["node"]) > 1:  # there are two different ∂out/∂target
        sides = [dout * by_name]
    elif not at_root:
        sides = [dout * derivative(shortened(out["name"]), shortened(target["name"]))]
    elif arrived is None:
        sides = [dout if by_name.text == "1" else dout * by_name]
    if arrived is not None and by_name.text != "1":
        sides += [arrived * by_name, by_number and arrived * by_number]
    elif arrived is not None and at_root:
        sides += [arrived]
    stretched = step["gradient"]["shape"] != step["dout"]["shape"]
    return [side and summed(side) for side in sides] if stretched else sides


def _product(trace: Trace, step: Step, op: Op, dout: Symbol, root: str) -> list[Symbol | None]:
    """``xᵀ @ ∂y/∂p``, and the same with numbers."""
    arrived = value_symbol(step["dout"])
    by_name = dout
    if trace.nodes[trace.steps[step["at"]]["output"]]["name"] == root and arrived is not None:
        by_name = arrived
    sides: list[Symbol | None] = [_rule(gradient, trace, step, op, name_symbol, by_name)]
    if arrived is not None:
        sides.append(_rule(gradient, trace, step, op, number_symbol, arrived))
    return sides


def _rule(
    text: Callable[..., Symbol], trace: Trace, step: Step, op: Op, write: Writer, *dout: Symbol
) -> Any:
    """The op's own rule written down; None where one of the numbers that it needs is too long."""
    forward = trace.steps[step["at"]]
    operands = _operands(trace, forward, write)
    out = write(trace.nodes[forward["output"]])
    values = dict(zip([*op.operands, "out"], [*operands, out], strict=True))
    if any(values[name] is None for name in needs(op, step["operand"]) & values.keys()):
        return None
    named = _operands(trace, forward, name_symbol)
    operands = [name if x is None else x for x, name in zip(operands, named, strict=True)]
    attributes = revive(forward["attributes"])
    return text(op, operands, out, *dout, step["operand"], attributes)
