"""The scene: everything that is drawn, with its place, and the timeline, as plain JSON.

Made here once; the browser animates it, and the static picture draws its last state.
"""

from __future__ import annotations

import unicodedata
from typing import Any, TypeAlias

from tinyengine.trace import Trace, TraceNode

from . import chain_text
from .catalogue import Words
from .curves import curves
from .frames import Frame, frames
from .graph import Graph, data_id, edge_id, graph, op_id, results
from .layout import layout
from .values import shape_text, shortened

Scene: TypeAlias = dict[str, Any]

DATA_RADIUS = 26.0
OP_RADIUS = 20.0
_MARGIN = 18.0
_RANK_GAP = 52.0
_BESIDE = 30.0  # free space beside an arrow's label
_LABEL = 7  # characters of a name that fit into a circle
_LINE = 17.0
_CHARACTER = 7.0  # average width at 12 px


def scene(trace: Trace, lang: str) -> Scene:
    """What a player of `trace` shows, in this language.

    Raises:
        ValueError: the language is unknown.
    """
    words = Words(lang)
    drawn = graph(trace)
    told = frames(trace, drawn, words)
    room = _widest(told, "value", "grad")
    before = _before_ops(trace, drawn, _widest(told, "edge"))
    nodes = [_data_node(trace.nodes[n], n, role, words) for n, role in drawn.data.items()]
    nodes += [_op_node(trace, number) for number in drawn.ops]
    links = _links(trace, drawn)
    ends = [(source, target) for _, source, target in links]
    sizes = {}
    for node in nodes:
        width, height = _size(node, room.get(node["id"], 0.0))
        sizes[node["id"]] = width + before.get(node["id"], 0.0), height
    placed = layout(sizes, ends, rank_gap=_RANK_GAP, node_gap=6)
    for node in nodes:
        x, y = placed.positions[node["id"]]
        node["x"] = round(x + _MARGIN + before.get(node["id"], 0.0) / 2, 1)
        node["y"] = round(y + _MARGIN, 1)
    at = {node["id"]: (node["x"], node["y"], node["r"]) for node in nodes}
    routes = [
        [at[source][:2], *((x + _MARGIN, y + _MARGIN) for x, y in route[1:-1]), at[target][:2]]
        for (source, target), route in zip(ends, placed.routes, strict=True)
    ]
    drawn_edges = curves([(at[source], at[target]) for source, target in ends], routes)
    edges = [
        {"id": name, "from": source, "to": target, **curve}
        for (name, source, target), curve in zip(links, drawn_edges, strict=True)
    ]
    title = _title(trace, drawn, words)
    return {
        "version": 1,
        "title": title,
        "alt": words("alt", title=title, total=len(told) - 1, last=told[-1].sentence),
        "width": round(placed.width + 2 * _MARGIN),
        "height": round(placed.height + 2 * _MARGIN),
        "nodes": nodes,
        "edges": edges,
        "frames": [frame.to_dict() for frame in told],
        "ui": words.interface(),
    }


def _title(trace: Trace, drawn: Graph, words: Words) -> str:
    title = chain_text.title(trace, drawn.ops, drawn.outputs)
    if not drawn.hidden:
        return title
    total = len(drawn.ops) + drawn.hidden
    return words("title.hidden", title=title, shown=len(drawn.ops), total=total)


def _data_node(node: TraceNode, number: int, role: str, words: Words) -> dict[str, Any]:
    note = node["kind"] if node["kind"] != "result" else ""
    if node["attached"]:
        note = "parameter" if note == "parameter" else "attached"
    shape, dtype = shape_text(node["value"]["shape"]), node["value"]["dtype"]
    device = f", {node['device']}" if node["device"] else ""
    return {
        "id": data_id(number),
        "kind": "data",
        "role": role,
        "label": shortened(node["name"], _LABEL),
        "title": f"{node['name']}: {shape} {dtype}{device}",
        "r": DATA_RADIUS,
        "note": words(f"note.{note}") if note else "",
    }


def _op_node(trace: Trace, number: int) -> dict[str, Any]:
    step = trace.steps[number]
    return {
        "id": op_id(number),
        "kind": "op",
        "role": "op",
        "label": shortened(step["symbol"], _LABEL),
        "title": step["op"],
        "r": OP_RADIUS if len(step["symbol"]) < 4 else DATA_RADIUS,
        "note": "",
    }


def _links(trace: Trace, drawn: Graph) -> list[tuple[str, str, str]]:
    """The arrows: id, from, to."""
    links = []
    for number in drawn.ops:
        step = trace.steps[number]
        for operand, node in enumerate(step["inputs"]):
            links.append((edge_id(number, operand), data_id(node), op_id(number)))
        for i, node in enumerate(results(step)):
            links.append((edge_id(number, f"out{i or ''}"), op_id(number), data_id(node)))
    return links


def _size(node: dict[str, Any], text_width: float) -> tuple[float, float]:
    """Width and height of a node with the texts above and below it."""
    if node["kind"] == "op":
        return 2 * node["r"], 2 * node["r"] + 8
    lines = 2 if node["note"] else 1
    below = 6 + lines * _LINE
    return max(2 * node["r"], text_width, _text_width(node["note"])), 2 * (node["r"] + below)


def _widest(told: list[Frame], *places: str) -> dict[str, float]:
    """For each node or arrow the width of the longest text that ever stands there."""
    widest: dict[str, float] = {}
    for frame in told:
        for place in places:
            for name, text in getattr(frame, place).items():
                widest[name] = max(widest.get(name, 0.0), _text_width(text))
    return widest


def _before_ops(trace: Trace, drawn: Graph, labels: dict[str, float]) -> dict[str, float]:
    """The space that each op needs on its left for the labels of its arrows."""
    space = {}
    for number in drawn.ops:
        arrows = (edge_id(number, i) for i in range(len(trace.steps[number]["inputs"])))
        widest = max((labels.get(arrow, 0.0) for arrow in arrows), default=0.0)
        space[op_id(number)] = max(0.0, widest + _BESIDE - _RANK_GAP)
    return space


def _text_width(text: str) -> float:
    """A cautious guess in pixels at 12 px: East Asian letters are twice as wide."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return _CHARACTER * (len(text) + wide)
