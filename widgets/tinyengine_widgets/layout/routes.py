"""Routes: the way points of every edge, clear of all boxes.

Edges bend only in the gaps between columns: through a column they run level, in the slot that their
dummy node holds.
"""

from collections import Counter
from collections.abc import Sequence

Point = tuple[float, float]
Span = tuple[float, float]

PARALLEL = 16.0  # distance between two edges that join the same two nodes


def route_edges(
    chains: Sequence[Sequence[int]],
    centres: Sequence[Point],
    columns: Sequence[Span],
    clear: Sequence[Span],
) -> list[list[Point]]:
    """Return the polyline of each edge from the centre of its source to that of its target.

    `chains` holds the nodes along each edge, dummy nodes between its ends; `columns` the left and
    right end of each node's column; `clear` the room between the boxes above and below each node.
    """
    twins = Counter((chain[0], chain[-1]) for chain in chains)
    drawn: Counter[tuple[int, int]] = Counter()
    routes = []
    for chain in chains:
        source, target = chain[0], chain[-1]
        middle = [(x, centres[node][1]) for node in chain[1:-1] for x in columns[node]]
        points = [centres[source], *middle, centres[target]]
        if twins[source, target] > 1:
            gap = (columns[chain[-2]][1] + columns[target][0]) / 2
            x, y = gap, _height_at(gap, points[-2], points[-1])
            y += PARALLEL * (drawn[source, target] - (twins[source, target] - 1) / 2)
            drawn[source, target] += 1
            points.insert(-1, (x, y))
        for _ in range(2):  # a bend at one end makes the line to the other end steeper
            _keep_clear(points, 0, 1, columns[source][1], clear[source])
            _keep_clear(points, -1, -2, columns[target][0], clear[target])
        routes.append(_without_level_runs(points))
    return routes


def _height_at(x: float, start: Point, end: Point) -> float:
    return start[1] + (end[1] - start[1]) * (x - start[0]) / (end[0] - start[0])


def _keep_clear(points: list[Point], end: int, near: int, edge: float, clear: Span) -> None:
    """Let a steep line run level to the edge of its column first, past the boxes beside it."""
    if not clear[0] <= _height_at(edge, points[end], points[near]) <= clear[1]:
        points.insert(1 if end == 0 else -1, (edge, points[end][1]))


def _without_level_runs(points: list[Point]) -> list[Point]:
    """Drop the points in the middle of a level run."""
    inner = zip(points, points[1:], points[2:], strict=False)
    kept = [here for before, here, after in inner if not before[1] == here[1] == after[1]]
    return [points[0], *kept, points[-1]]
