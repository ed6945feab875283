"""The timeline: what lights up, flows and is said at each step of a trace."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from tinyengine.formula import derivative, equation
from tinyengine.symbol import Symbol
from tinyengine.trace import Step, Trace

from .catalogue import Words
from .chain_text import contribution_rule, forward_rule, local_label
from .graph import Graph, data_id, edge_id, op_id, results
from .values import labelled, shortened, value_symbol, value_text

Phase = Literal["start", "forward", "backward", "end"]


@dataclass
class Frame:
    """One step of the player: what changes in the picture, and the words for it."""

    phase: Phase
    sentence: str
    rule: str = ""
    rule_text: str = ""
    lit: list[str] = field(default_factory=list)
    flow: list[str] = field(default_factory=list)
    value: dict[str, str] = field(default_factory=dict)
    grad: dict[str, str] = field(default_factory=dict)
    edge: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The frame as JSON can hold it."""
        return asdict(self)


def frames(trace: Trace, graph: Graph, words: Words) -> list[Frame]:
    """The frames of `trace`, of which `graph` is drawn: the start, then the steps in order."""
    return _Story(trace, graph, words).told()


class _Story:
    """Tells a trace step by step; it remembers where backward began and what was delivered."""

    def __init__(self, trace: Trace, graph: Graph, words: Words) -> None:
        self.trace = trace
        self.graph = graph
        self.words = words
        self.root = ""
        self.parts: dict[int, list[dict[str, Any]]] = {}
        self.ending: list[Step] = []
        self.continued = _continued(trace)

    def told(self) -> list[Frame]:
        told = [self._start()]
        tellers = {
            "forward": self._forward,
            "failed": self._failed,
            "seed": self._seed,
            "contribution": self._contribution,
        }
        for number, step in enumerate(self.trace.steps):
            if step["kind"] in ("gradient", "unreached"):
                self.ending.append(step)
                continue
            told += self._end()
            if step["kind"] == "seed":
                self._begin(number, step)
            teller = tellers.get(step["kind"])
            if teller is not None and self.graph.draws(number, step):
                told += teller(number, step)
        return told + self._end()

    def _start(self) -> Frame:
        given = [n for n in self.graph.data if self.trace.nodes[n]["kind"] != "result"]
        values = {
            data_id(n): text
            for n in given
            if (text := value_text(self.trace.nodes[n]["value"])) != self._name(n)  # a constant
        }
        names = [self._name(n) for n in given if self.trace.nodes[n]["kind"] != "constant"]
        if not names:
            return Frame("start", self.words("empty") if not given else "", value=values)
        key = "start" if len(names) > 1 else "start.one"
        sentence = self.words(key, names=self.words.listed(names))
        return Frame("start", sentence, lit=[data_id(n) for n in given], value=values)

    def _forward(self, number: int, step: Step) -> list[Frame]:
        made = results(step)
        values = [value_text(self.trace.nodes[out]["value"]) for out in made]
        sentence = self.words(
            "made",
            op=step["symbol"],
            inputs=self.words.listed([self._name(n) for n in dict.fromkeys(step["inputs"])]),
            result=self.words.listed(
                [labelled(self._name(out), self.trace.nodes[out]["value"]) for out in made]
            ),
        )
        flow = [edge_id(number, i) for i in range(len(step["inputs"]))]
        flow += [edge_id(number, f"out{i or ''}") for i in range(len(made))]
        names = [data_id(out) for out in made]
        frame = Frame("forward", sentence, lit=[op_id(number), *names], flow=flow)
        frame.value = dict(zip(names, values, strict=True))
        return [_ruled(frame, forward_rule(self.trace, step))]

    def _failed(self, number: int, step: Step) -> list[Frame]:
        names = [self._name(n) for n in dict.fromkeys(step["inputs"])]
        sentence = self.words(
            "failed",
            op=step["symbol"],
            inputs=self.words.listed(names),
            message=step["message"],
        )
        flow = [edge_id(number, i) for i in range(len(step["inputs"]))]
        return [Frame("forward", sentence, lit=[op_id(number)], flow=flow)]

    def _begin(self, number: int, step: Step) -> None:
        """Backward begins at one more output: what the gradients are of, drawn or not."""
        if not self.root or (number and self.trace.steps[number - 1]["kind"] != "seed"):
            self.root, self.parts = "", {}
        name = self._name(step["node"])
        self.root = f"{self.root} + {name}" if self.root else name

    def _seed(self, _: int, step: Step) -> list[Frame]:
        node = step["node"]
        name = self._name(node)
        value = step["gradient"]
        ones = _is_ones(value)
        d = derivative(name, name).text if ones else "dy"
        key = "seed" if ones else "seed.dy"
        sentence = self.words(key, name=name, result=labelled(d, value))
        frame = Frame("backward", sentence, lit=[data_id(node)])
        frame.grad = {data_id(node): labelled(d, value)}
        if ones:
            _ruled(frame, _sides(derivative(name, name), value_symbol(value)))
        return [frame]

    def _contribution(self, number: int, step: Step) -> list[Frame]:
        node, forward = step["node"], self.trace.steps[step["at"]]
        name, d = self._name(node), derivative(self._of(), self._name(node)).text
        parts = self.parts.setdefault(node, [])
        parts.append(step["gradient"])
        whole = step["first"] and number not in self.continued
        key = "reached" if whole else "first part" if step["first"] else "another part"
        result = labelled(d if whole else "", step["gradient"])
        sentence = self.words(key, op=forward["symbol"], name=name, result=result)
        edge = edge_id(step["at"], step["operand"])
        frame = Frame("backward", sentence, lit=[op_id(step["at"]), data_id(node)])
        frame.flow = [edge_id(step["at"], "out"), edge]
        label = local_label(self.trace, step, self._of())
        frame.edge = {edge: label} if label else {}
        if step["first"]:
            frame.grad = {data_id(node): labelled(d if whole else "", step["total"])}
        _ruled(frame, contribution_rule(self.trace, step, self._of(), whole=whole))
        return [frame] if step["first"] else [frame, self._sum(node, step)]

    def _sum(self, node: int, step: Step) -> Frame:
        """The frame after a further part has arrived: what the parts add up to."""
        name = self._name(node)
        d = derivative(self._of(), name)
        total = step["total"]
        sentence = self.words("sum", name=name, result=labelled(d.text, total))
        parts = [value_symbol(part) or Symbol("…") for part in self.parts[node]]
        added = parts[0]
        for part in parts[1:]:
            added = added + part
        frame = Frame("backward", sentence, lit=[data_id(node)])
        frame.grad = {data_id(node): labelled(d.text, total)}
        return _ruled(frame, _sides(d, added, value_symbol(total)))

    def _end(self) -> list[Frame]:
        """The frame after backward: which tensors got which gradient, and which none."""
        steps, self.ending = self.ending, []
        steps = [step for step in steps if step["node"] in self.graph.data]
        if not steps:
            return []
        sentences, frame = [], Frame("end", "")
        reached = [step for step in steps if step["kind"] == "gradient"]
        if reached:
            sentences.append(self.words("end", grads=self.words.listed(self._delivered(reached))))
        for step in steps:
            node = step["node"]
            frame.lit.append(data_id(node))
            if step["kind"] == "unreached":
                key = "detached" if self._detached(node) else "unreached"
                stays = value_text(step["grad"]) if step["grad"] else "None"
                sentences.append(self.words(key, name=self._name(node), grad=stays))
                frame.grad[data_id(node)] = self.words("none")
        frame.sentence = " ".join(sentences)
        return [frame]

    def _delivered(self, reached: list[Step]) -> list[str]:
        """``w.grad = 3``, or how much was added where there was a gradient before."""
        lines = []
        for step in reached:
            line = labelled(f"{self._name(step['node'])}.grad", step["grad"])
            if step["grad"] != step["gradient"]:
                line += self.words("grown", gradient=value_text(step["gradient"]))
            lines.append(line)
        return lines

    def _of(self) -> str:
        return f"({self.root})" if " + " in self.root else self.root

    def _name(self, node: int) -> str:
        return shortened(self.trace.nodes[node]["name"])

    def _detached(self, node: int) -> bool:
        uses = [s["op"] for s in self.trace.steps if node in s.get("inputs", ())]
        return bool(uses) and set(uses) == {"detach"}


def _continued(trace: Trace) -> set[int]:
    """The contributions that are followed, in the same backward, by another to the same node."""
    continued, later = set(), set[int]()
    for number in range(len(trace.steps) - 1, -1, -1):
        step = trace.steps[number]
        if step["kind"] == "contribution":
            if step["node"] in later:
                continued.add(number)
            later.add(step["node"])
        elif step["kind"] not in ("gradient", "unreached"):
            later.clear()
    return continued


def _is_ones(value: dict[str, Any]) -> bool:
    def ones(data: Any) -> bool:
        return all(map(ones, data)) if isinstance(data, list) else data == 1

    return ones(value["data"]) if "data" in value else value["min"] == value["max"] == 1


def _sides(*sides: Symbol | None) -> Symbol:
    return equation(*(side for side in sides if side is not None))


def _ruled(frame: Frame, rule: Symbol) -> Frame:
    frame.rule = f'<math display="inline">{rule.mathml}</math>'
    frame.rule_text = rule.text
    return frame
