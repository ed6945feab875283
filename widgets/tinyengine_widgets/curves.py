"""Arrows: smooth curves from rim to rim of circles, and beside each the way back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Point = tuple[float, float]
Circle = tuple[float, float, float]
"""x, y and radius."""

_APART = 11.0  # of the way there and the way back, along the rim
_PARALLEL = 18.0  # of two arrows between the same circles
_TIP = 2.0  # between an arrow's tip and the circle
_STEEPEST = math.radians(55)
_LEVEL = 12.0  # an arrow that rises or falls by less counts as level


def curves(
    ends: Sequence[tuple[Circle, Circle]], routes: Sequence[Sequence[Point]]
) -> list[dict[str, Any]]:
    """For each arrow its path, the path back beside it, and where its label stands.

    `routes` are polylines from centre to centre, left to right.
    """
    seen: dict[tuple[Circle, Circle], int] = {}
    drawn = []
    for (source, target), route in zip(ends, routes, strict=True):
        twin = seen[source, target] = seen.get((source, target), -1) + 1
        aside = _PARALLEL * ((twin + 1) // 2) * (1 if twin % 2 else -1)
        there = _between(source, target, route, aside, _TIP)
        back = _between(source, target, route, aside + _APART, 0.0, _TIP)[::-1]
        drawn.append({"path": _path(there), "back": _path(back), "label": _label(back)})
    return drawn


def _between(
    source: Circle,
    target: Circle,
    route: Sequence[Point],
    aside: float,
    target_gap: float,
    source_gap: float = 0.0,
) -> list[Point]:
    """The way points from rim to rim, all moved down by `aside`."""
    leaving, arriving = _slope(route[0], route[1]), _slope(route[-2], route[-1])
    x, y, r = source
    angle = _limited(leaving / 2 + aside / r)
    start = x + (r + source_gap) * math.cos(angle), y + (r + source_gap) * math.sin(angle)
    x, y, r = target
    angle = _limited(arriving - aside / r)
    end = x - (r + target_gap) * math.cos(angle), y - (r + target_gap) * math.sin(angle)
    return [start, *((x, y + aside) for x, y in route[1:-1]), end]


def _slope(a: Point, b: Point) -> float:
    return math.atan2(b[1] - a[1], b[0] - a[0])


def _limited(angle: float) -> float:
    return max(-_STEEPEST, min(_STEEPEST, angle))


def _path(points: Sequence[Point]) -> str:
    """A curve through the points that is level at each of them."""
    (x0, y0), parts = points[0], [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for x, y in points[1:]:
        bend = (x - x0) / 2
        parts.append(f"C{x0 + bend:.1f} {y0:.1f} {x - bend:.1f} {y:.1f} {x:.1f} {y:.1f}")
        x0, y0 = x, y
    return " ".join(parts)


def _label(back: Sequence[Point]) -> dict[str, Any]:
    """Beside the middle of the first stretch of the way back, on the side away from the values."""
    (x0, y0), (x1, y1) = back[0], back[1]
    x, y, rise = (x0 + x1) / 2, (y0 + y1) / 2, y1 - y0
    if abs(rise) < _LEVEL:
        return {"x": round(x, 1), "y": round(y + 16, 1), "anchor": "middle"}
    above = rise < 0  # the operand is higher than the op
    return {"x": round(x + 14, 1), "y": round(y + (-10 if above else 14), 1), "anchor": "start"}
