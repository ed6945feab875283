"""Arrows: smooth curves from rim to rim of circles, and beside each the way back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

Point = tuple[float, float]
Circle = tuple[float, float, float]
"""x, y and radius."""

_APART = 11.0  # of the way there and the way back, between the circles
_SPREAD = math.radians(28)  # between neighbouring arrows on a rim
_WIDEST = math.radians(110)  # for all arrows on one side of a circle
_TIP = 2.0  # between an arrow's tip and the circle
_LEVEL = 16.0  # an arrow that rises or falls by less counts as level


class Port(NamedTuple):
    """Where an arrow and its way back touch a circle: angles below the horizontal."""

    there: float
    back: float
    upper: bool  # in the upper half of several
    only: bool


def curves(
    ends: Sequence[tuple[Circle, Circle]], routes: Sequence[Sequence[Point]]
) -> list[dict[str, Any]]:
    """For each arrow its path, the path back beside it, and where its label stands.

    `routes` are polylines from circle to circle, left to right.
    """
    leaving = _ports([source for source, _ in ends], [route[1] for route in routes])
    arriving = _ports([target for _, target in ends], [route[-2] for route in routes])
    drawn = []
    for number, ((source, target), route) in enumerate(zip(ends, routes, strict=True)):
        start, end, inner = leaving[number], arriving[number], route[1:-1]
        there = [_rim(source, start.there, 1), *inner, _rim(target, end.there, -1, _TIP)]
        lower = [(x, y + _APART) for x, y in inner]
        back = [_rim(source, start.back, 1, _TIP), *lower, _rim(target, end.back, -1)]
        label = _label(there, back, end)
        drawn.append({"path": _path(there), "back": _path(back[::-1]), "label": label})
    return drawn


def _ports(circles: Sequence[Circle], towards: Sequence[Point]) -> list[Port]:
    """For each arrow its place on the rim; those that share a circle are spread, top to bottom."""
    together: dict[Circle, list[int]] = {}
    for number, circle in enumerate(circles):
        together.setdefault(circle, []).append(number)
    ports = [Port(0.0, _SPREAD, False, True)] * len(circles)
    for numbers in together.values():
        count = len(numbers)
        if count == 1:
            continue
        numbers.sort(key=lambda number: towards[number][1])
        step = min(_SPREAD, _WIDEST / (2 * count - 1))
        for i, number in enumerate(numbers):
            there = step * (2 * i - count + 0.5)
            ports[number] = Port(there, there + step, 2 * i + 1 < count, False)
    return ports


def _rim(circle: Circle, angle: float, side: int, gap: float = 0.0) -> Point:
    """The point of a circle at this angle below the horizontal, on its right (1) or left (-1)."""
    x, y, r = circle
    return x + side * (r + gap) * math.cos(angle), y + (r + gap) * math.sin(angle)


def _path(points: Sequence[Point]) -> str:
    """A curve through the points that is level at each of them."""
    (x0, y0), parts = points[0], [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for x, y in points[1:]:
        bend = (x - x0) / 2
        parts.append(f"C{x0 + bend:.1f} {y0:.1f} {x - bend:.1f} {y:.1f} {x:.1f} {y:.1f}")
        x0, y0 = x, y
    return " ".join(parts)


def _label(there: Sequence[Point], back: Sequence[Point], end: Port) -> dict[str, Any]:
    """Beside the last stretch before the op: above the upper arrows, below the others."""
    (x0, y0), (x1, y1) = (there if end.upper else back)[-2:]
    x, y, falls = (x0 + x1) / 2, (y0 + y1) / 2, y1 > y0
    if abs(y1 - y0) >= _LEVEL and falls == end.upper:  # free space on the outer side
        return {"x": round(x + 14, 1), "y": round(y + (-6 if falls else 14), 1), "anchor": "start"}
    y = min(y0, y1) - 8 if end.upper else max(y0, y1) + 16
    return {"x": round(x, 1), "y": round(y, 1), "anchor": "middle"}
