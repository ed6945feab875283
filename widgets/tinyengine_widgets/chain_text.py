"""The chain rule of one contribution, with names and then with numbers, from the op's own rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinyengine.formula import (
    Symbol,
    derivative,
    equation,
    gradient,
    local_derivative,
    number,
    summed,
    symbol,
)
from tinyengine.op import TABLE, Op
from tinyengine.trace import Step, Trace, TraceNode

from .values import value_symbol

_LONGEST_TITLE = 60
_LONGEST_LABEL = 16


def name_symbol(node: TraceNode) -> Symbol:
    """The node's name; a constant's number."""
    if node["kind"] == "constant" and not node["value"]["shape"]:
        return number(node["name"])
    return Symbol(node["name"], tuple(node["value"]["shape"]))


def number_symbol(node: TraceNode) -> Symbol:
    """The node's value if it is short, else its name."""
    return value_symbol(node["value"], node["name"])


def forward_rule(trace: Trace, step: Step) -> Symbol:
    """``p = w · x = 2 · 3 = 6`` for a forward step."""
    out = trace.nodes[step["output"]]
    sides = [name_symbol(out)]
    op = TABLE.get(step["op"])
    if op is not None:
        attributes = revive(step["attributes"])
        for write in (name_symbol, number_symbol):
            operands = [write(trace.nodes[i]) for i in step["inputs"]]
            sides.append(operands[0].apply_op(op, operands, attributes))
    return equation(*sides, number_symbol(out))


def contribution_rule(trace: Trace, step: Step, root: str, *, whole: bool) -> Symbol:
    """``∂y/∂w = ∂y/∂p · ∂p/∂w = 1 · x = 1 · 3 = 3`` for a contribution.

    Args:
        trace: where the step is from.
        step: the contribution.
        root: the name of what is differentiated.
        whole: whether this is all of the gradient at its node (else the left side is left out).
    """
    forward = trace.steps[step["at"]]
    out, target = trace.nodes[forward["output"]], trace.nodes[step["node"]]
    sides = [derivative(root, target["name"])] if whole else []
    op = TABLE.get(forward["op"])
    dout = value_symbol(step["dout"], f"∂{root}/∂{out['name']}")
    at_root = out["name"] == root
    named = dout if at_root else derivative(root, out["name"], dout.shape)
    if op is not None:
        sides += (
            _elementwise(trace, step, op, named, dout)
            if op.elementwise
            else [
                _written(trace, step, op, named, name_symbol),
                _written(trace, step, op, dout, number_symbol),
            ]
        )
    return equation(*sides, value_symbol(step["gradient"], f"∂{root}/∂{target['name']}"))


def local_label(trace: Trace, step: Step, root: str) -> str:
    """What the edge of a contribution says, if it is short: the local derivative, or the rule."""
    forward = trace.steps[step["at"]]
    op = TABLE.get(forward["op"])
    if op is None:
        return ""
    out, target = trace.nodes[forward["output"]], trace.nodes[step["node"]]
    if op.elementwise:
        local = _local(trace, step, op, name_symbol)
        text = equation(derivative(out["name"], target["name"]), local).text
    else:
        text = _written(trace, step, op, derivative(root, out["name"]), name_symbol).text
    return text if len(text) <= _LONGEST_LABEL else ""


def title(trace: Trace, outputs: Sequence[int]) -> str:
    """``y = w · x + b`` for each of the outputs, written out as far as it stays short."""
    written = {node["id"]: name_symbol(node) for node in trace.nodes}
    lines = {}
    for step in trace.steps:
        op = TABLE.get(step.get("op", ""))
        if step["kind"] != "forward" or op is None:
            continue
        attributes = revive(step["attributes"])
        whole = _apply(op, [written[i] for i in step["inputs"]], attributes)
        if len(whole.text) > _LONGEST_TITLE:
            names = [name_symbol(trace.nodes[i]) for i in step["inputs"]]
            whole = _apply(op, names, attributes)
        name = trace.nodes[step["output"]]["name"]
        lines[step["output"]] = f"{name} = {whole.text}"
        if len(whole.text) <= _LONGEST_TITLE:
            written[step["output"]] = whole
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


def _apply(op: Op, operands: Sequence[Symbol], attributes: dict[str, Any]) -> Symbol:
    return operands[0].apply_op(op, operands, attributes)


def _elementwise(trace: Trace, step: Step, op: Op, named: Symbol, dout: Symbol) -> list[Symbol]:
    forward = trace.steps[step["at"]]
    out, target = trace.nodes[forward["output"]], trace.nodes[step["node"]]
    by_name = _local(trace, step, op, name_symbol)
    by_number = _local(trace, step, op, number_symbol)
    stretched = step["gradient"]["shape"] != step["dout"]["shape"]
    sides = [named * derivative(out["name"], target["name"])]
    if forward["inputs"].count(step["node"]) > 1 or named is dout:
        sides = []  # there would be two different ∂out/∂target, or nothing new in it
    sides += [dout * by_name, dout * by_number]
    if by_name.text == "1":
        sides = sides[:-2] or [dout]
    return [summed(side) for side in sides] if stretched else sides


def _local(trace: Trace, step: Step, op: Op, write: Any) -> Symbol:
    forward = trace.steps[step["at"]]
    operands = [write(trace.nodes[i]) for i in forward["inputs"]]
    out = write(trace.nodes[forward["output"]])
    attributes = revive(forward["attributes"])
    return symbol(local_derivative(op, operands, out, step["operand"], attributes))


def _written(trace: Trace, step: Step, op: Op, dout: Symbol, write: Any) -> Symbol:
    forward = trace.steps[step["at"]]
    operands = [write(trace.nodes[i]) for i in forward["inputs"]]
    out = write(trace.nodes[forward["output"]])
    attributes = revive(forward["attributes"])
    return gradient(op, operands, out, dout, step["operand"], attributes)
