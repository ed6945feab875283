"""Layered drawing of a computation graph, from left to right, in pure Python.

The three steps of Gansner, Koutsofios, North and Vo, "A Technique for Drawing Directed Graphs"
(1993): a rank for every node (`ranks`), an order within each rank (`order`) and a height for every
node (`coordinates`), then the way points of the edges (`routes`). Nothing is random or recurses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .layered import Lists, neighbours, place
from .ranks import find_cycle
from .routes import Point

__all__ = ["Placed", "layout"]


@dataclass(frozen=True)
class Placed:
    """A drawing: node centres, one polyline per edge from centre to centre, and the whole size."""

    positions: dict[str, Point]
    routes: list[list[Point]]
    width: float
    height: float


def layout(
    sizes: Mapping[str, tuple[float, float]],
    edges: Sequence[tuple[str, str]],
    *,
    rank_gap: float = 60,
    node_gap: float = 24,
) -> Placed:
    """Place the nodes, given as id -> (width, height), and route the edges.

    Every edge goes to the right; no boxes overlap and no edge passes behind a box. The order of
    `sizes` and of `edges` is kept where the picture allows it: the first operand of a node is the
    upper one. Parts that are not connected are stacked.
    """
    names = list(sizes)
    index = {name: number for number, name in enumerate(names)}
    unknown = {name for edge in edges for name in edge} - set(index)
    if unknown:
        raise ValueError(f"edges to nodes without a size: {', '.join(sorted(unknown))}")
    links = [(index[source], index[target]) for source, target in edges]
    preds, succs = neighbours(len(names), links)
    cycle = find_cycle(preds, succs)
    if cycle:
        path = " -> ".join(names[node] for node in [*cycle, cycle[0]])
        raise ValueError(f"the graph has a cycle: {path}")

    part_of, parts = _parts(preds, succs)
    part_edges: Lists = [[] for _ in parts]
    for number, (source, _) in enumerate(links):
        part_edges[part_of[source]].append(number)

    positions: dict[str, Point] = dict.fromkeys(names, (0.0, 0.0))
    routes: list[list[Point]] = [[] for _ in links]
    width = height = 0.0
    for nodes, numbers in zip(parts, part_edges, strict=True):
        local = {node: place for place, node in enumerate(nodes)}
        part_links = [(local[links[n][0]], local[links[n][1]]) for n in numbers]
        boxes = [sizes[names[node]] for node in nodes]
        centres, lines, wide, tall = place(boxes, part_links, rank_gap, node_gap)
        top = height + node_gap if height else 0.0
        for node, (x, y) in zip(nodes, centres, strict=True):
            positions[names[node]] = (x, round(y + top, 3))
        for number, line in zip(numbers, lines, strict=True):
            routes[number] = [(x, round(y + top, 3)) for x, y in line]
        width, height = max(width, wide), top + tall
    return Placed(positions, routes, round(width, 3), round(height, 3))


def _parts(preds: Lists, succs: Lists) -> tuple[list[int], Lists]:
    """Return the part of each node, and the nodes of each connected part in order."""
    part_of = [-1] * len(preds)
    count = 0
    for root in range(len(preds)):
        if part_of[root] < 0:
            part_of[root] = count
            reached = [root]
            for node in reached:  # grows while it is read
                for near in (*preds[node], *succs[node]):
                    if part_of[near] < 0:
                        part_of[near] = count
                        reached.append(near)
            count += 1
    parts: Lists = [[] for _ in range(count)]
    for node, part in enumerate(part_of):
        parts[part].append(node)
    return part_of, parts
