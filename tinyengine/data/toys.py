"""Small data sets that need no download."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def line_points(
    w: float = 5.0, b: float = 2.0, noise: float = 5.0, n: int = 100, seed: int = 20200325
) -> tuple[Array, Array]:
    """The points of the documented line fit: x from −10 to 10, y = w·x + b with noise.

    Returns:
        x and y, each of shape (n,).

    """
    draw = np.random.RandomState(seed)  # the generator of the documented numbers
    x = np.zeros(n)
    y = np.zeros(n)
    for i in range(n):
        x[i] = draw.uniform(-10, 10)
        y[i] = w * x[i] + b + draw.uniform(-noise, noise)
    return x, y


def two_spirals(n: int = 200, noise: float = 0.1, seed: int = 0) -> tuple[Array, Array]:
    """Two spirals wound into one another, `n` points each, which no straight line separates.

    Returns:
        points (2n, 2) in float32, and the spiral of each, 0 or 1, (2n,) in int32.

    >>> points, spiral = two_spirals(50)
    >>> points.shape, sorted(set(spiral.tolist()))
    ((100, 2), [0, 1])
    """
    draw = np.random.default_rng(seed)
    turn = np.sqrt(draw.uniform(0.02, 1, n)) * 3 * np.pi
    arm = np.stack([turn * np.cos(turn), turn * np.sin(turn)], 1) / (3 * np.pi)
    points = np.concatenate([arm, -arm]) + draw.normal(0, noise / 5, (2 * n, 2))
    return points.astype(np.float32), np.repeat([0, 1], n).astype(np.int32)
