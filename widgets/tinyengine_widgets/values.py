"""Values of a trace as short texts for the picture and as Symbols for the chain rule."""

from __future__ import annotations

from typing import Any

from tinyengine.formula import array
from tinyengine.symbol import Symbol, number

NAME = 24
"""Longer names are shortened in sentences and formulas; the tooltip has them whole."""
SHORT = 18
"""A text with more characters than this gives way to the shape."""
_ROWS = 6
_COLUMNS = 6


def shortened(name: str, most: int = NAME) -> str:
    """A name in one line of at most `most` characters.

    >>> shortened("a_rather_long_name", 7)
    'a_rath…'
    """
    name = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return name if len(name) <= most else name[: most - 1] + "…"


def number_text(value: Any) -> str:
    """A number with four digits, as the picture shows it.

    >>> number_text(-0.123456), number_text(2.0), number_text("nan"), number_text(True)
    ('−0.1235', '2', 'nan', 'True')
    """
    text = value if isinstance(value, str) else str(value)
    if isinstance(value, float):
        text = f"{value:.4g}"
    return text.replace("-", "−")


def value_text(value: dict[str, Any], limit: int = SHORT) -> str:
    """A snapshot in one line: its numbers if they fit, else its shape.

    >>> value_text({"shape": [2], "data": [1.0, 2.5]})
    '[1 2.5]'
    >>> value_text({"shape": [100, 100], "min": 0.0, "max": 1.0, "mean": 0.5})
    '(100, 100)'
    """
    if "data" in value:
        text = _nested(value["data"])
        if len(text) <= limit:
            return text
    return shape_text(value["shape"])


def labelled(name: str, value: dict[str, Any]) -> str:
    """``name = value``, or a colon and the shape where the value is long.

    >>> labelled("w", {"shape": [], "data": 3.0})
    'w = 3'
    >>> labelled("w", {"shape": [100, 100], "min": 0.0, "max": 1.0, "mean": 0.5})
    'w: (100, 100)'
    """
    text = value_text(value)
    if not name:
        return text
    long = value["shape"] and text == shape_text(value["shape"])
    return f"{name}: {text}" if long else f"{name} = {text}"


def shape_text(shape: list[int]) -> str:
    """A shape as Python writes it."""
    return str(tuple(shape))


def value_symbol(value: dict[str, Any]) -> Symbol | None:
    """A snapshot as a Symbol: a number or a small matrix; None for what would be too large."""
    shape = tuple(value["shape"])
    if "data" not in value or len(shape) > 2 or 0 in shape:
        return None
    if not shape:
        return number(number_text(value["data"]))
    rows = value["data"] if len(shape) == 2 else [value["data"]]
    if len(rows) > _ROWS or len(rows[0]) > _COLUMNS:
        return None
    cells = [[number_text(cell) for cell in row] for row in rows]
    return array(_nested(value["data"]), cells, shape)


def _nested(data: Any) -> str:
    if not isinstance(data, list):
        return number_text(data)
    return "[" + " ".join(_nested(item) for item in data) + "]"
