"""Which values and operations of a trace are drawn, and what each of them is to the reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tinyengine.trace import Step, Trace

MOST_NODES = 300
Role = Literal["input", "parameter", "constant", "value", "output"]


def data_id(node: int) -> str:
    """The id of a value's circle."""
    return f"d{node}"


def op_id(step: int) -> str:
    """The id of the circle of the op that ran at this step."""
    return f"o{step}"


def edge_id(step: int, end: int | str) -> str:
    """The id of the arrow between an op and its operand number `end`, or a result ("out")."""
    return f"e{step}-{end}"


def results(step: Step) -> list[int]:
    """The nodes that a step made: one, several of an autodiff.Function, none if it failed."""
    made: list[int] = step.get("outputs") or [step["output"]] if "output" in step else []
    return made


@dataclass(frozen=True)
class Graph:
    """The drawn part of a trace.

    Attributes:
        data: numbers of the trace's nodes that are drawn, operands before what uses them.
        ops: numbers of the steps whose ops are drawn.
        hidden: how many further ops there are.
        outputs: the results that nothing uses; the last result if there is none such.
    """

    data: dict[int, Role]
    ops: list[int]
    hidden: int
    outputs: list[int]

    def draws(self, number: int, step: Step) -> bool:
        """Whether everything that this step of the trace shows is in the picture."""
        if step["kind"] == "contribution":
            return step["at"] in self._drawn and step["node"] in self.data
        return step["node"] in self.data if "node" in step else number in self._drawn

    @property
    def _drawn(self) -> set[int]:
        return set(self.ops)


def graph(trace: Trace) -> Graph:
    """The drawn part of `trace`: all of it, or its beginning where it is long."""
    runs = [i for i, step in enumerate(trace.steps) if step["kind"] in ("forward", "failed")]
    ops: list[int] = []
    met: dict[int, None] = {}
    for number in runs:
        step = trace.steps[number]
        new = [n for n in [*step["inputs"], *results(step)] if n not in met]
        if len(met) + len(ops) + len(new) + 1 > MOST_NODES:
            break
        met.update(dict.fromkeys(new))
        ops.append(number)
    if len(ops) == len(runs):  # attached tensors that nothing used belong to the picture as well
        met.update(dict.fromkeys(s["node"] for s in trace.steps if s["kind"] in ("attach", "seed")))
    used = {n for number in ops for n in trace.steps[number]["inputs"]}
    made = {n for number in ops for n in results(trace.steps[number])}
    outputs = [n for n in met if n in made and n not in used]
    if not outputs:  # the op that uses the last result has failed
        outputs = [n for n in met if n in made][-1:]
    roles = {n: _role(trace, n, n in outputs) for n in met}
    return Graph(roles, ops, len(runs) - len(ops), outputs)


def _role(trace: Trace, number: int, is_output: bool) -> Role:
    node = trace.nodes[number]
    if node["attached"] or node["kind"] == "parameter":
        return "parameter"
    if node["kind"] == "result":
        return "output" if is_output else "value"
    return "constant" if node["kind"] == "constant" else "input"
