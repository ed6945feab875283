"""A connected graph in layers: ranks, dummy nodes for long edges, columns and heights."""

from collections.abc import Sequence
from itertools import pairwise

from .coordinates import assign_heights
from .order import order_layers
from .ranks import assign_ranks
from .routes import Point, Span, route_edges

Link = tuple[int, int]
Lists = list[list[int]]


def neighbours(count: int, links: Sequence[Link]) -> tuple[Lists, Lists]:
    """Return the predecessors and the successors of each node, in the order of the links."""
    preds: Lists = [[] for _ in range(count)]
    succs: Lists = [[] for _ in range(count)]
    for source, target in links:
        preds[target].append(source)
        succs[source].append(target)
    return preds, succs


def place(
    boxes: Sequence[tuple[float, float]], links: Sequence[Link], rank_gap: float, node_gap: float
) -> tuple[list[Point], list[list[Point]], float, float]:
    """Return the centres, the routes, the width and the height of a connected graph's drawing."""
    count = len(boxes)
    ranks = assign_ranks(*neighbours(count, links))
    chains = _cut_long_edges(links, ranks)
    pairs = dict.fromkeys(pair for chain in chains for pair in pairwise(chain))
    preds, succs = neighbours(len(ranks), list(pairs))
    layers = order_layers(ranks, preds, succs)

    lanes = len(ranks) - count
    heights = [height for _, height in boxes] + [node_gap / 3] * lanes
    is_dummy = [False] * count + [True] * lanes
    y = assign_heights(layers, heights, node_gap, preds, succs, is_dummy)
    spans = [
        (middle - tall / 2, middle + tall / 2) for middle, tall in zip(y, heights, strict=True)
    ]

    columns = _columns(layers, boxes, rank_gap)
    centres = [
        (round((columns[rank][0] + columns[rank][1]) / 2, 3), round(middle, 3))
        for rank, middle in zip(ranks, y, strict=True)
    ]
    node_columns = [columns[rank] for rank in ranks]
    routes = route_edges(chains, centres, node_columns, _clear_spans(layers, spans, count))
    return centres[:count], routes, columns[-1][1], max(bottom for _, bottom in spans)


def _cut_long_edges(links: Sequence[Link], ranks: list[int]) -> Lists:
    """Return the nodes along each edge, with a dummy node, added to `ranks`, at each rank between.

    Long edges from one source share their dummies until they part: a weight used at every step of
    a recurrent network takes one lane of the picture, not one for each step.
    """
    dummies: dict[tuple[int, int], int] = {}
    chains: Lists = []
    for source, target in links:
        chain = [source]
        for rank in range(ranks[source] + 1, ranks[target]):
            if (source, rank) not in dummies:
                dummies[source, rank] = len(ranks)
                ranks.append(rank)
            chain.append(dummies[source, rank])
        chains.append([*chain, target])
    return chains


def _columns(layers: Lists, boxes: Sequence[tuple[float, float]], rank_gap: float) -> list[Span]:
    """Return the left and right end of each column, as wide as its widest box."""
    columns: list[Span] = []
    left = 0.0
    for layer in layers:
        right = left + max(boxes[node][0] for node in layer if node < len(boxes))
        columns.append((left, right))
        left = right + rank_gap
    return columns


def _clear_spans(layers: Lists, spans: Sequence[Span], count: int) -> list[Span]:
    """Return the room each node has between the boxes (nodes under `count`) next to it."""
    clear = [(0.0, 0.0)] * len(spans)
    for layer in layers:
        real = [node for node in layer if node < count]
        above = [float("-inf"), *(spans[node][1] for node in real[:-1])]
        below = [*(spans[node][0] for node in real[1:]), float("inf")]
        for node, room in zip(real, zip(above, below, strict=True), strict=True):
            clear[node] = room
    return clear
