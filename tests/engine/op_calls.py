"""With what to call each op of the table, and what NumPy makes of the same.

An ordinary op, which needs no more than arrays of one shape, gets random ones; only an op that
cannot do with that has a line in CALLS.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tinyengine.op import Op

Shape = tuple[int, ...]


@dataclass
class Call:
    """One call of an op: the shapes of its operands, and its attributes."""

    shapes: tuple[Shape, ...]
    attributes: dict[str, Any] = field(default_factory=dict)

    def operands(self, dtype: str = "float64", seed: int = 0) -> list[np.ndarray[Any, Any]]:
        """Positive numbers, away from zero and from one another: every op takes them."""
        random = np.random.default_rng(seed)
        return [random.uniform(0.5, 1.5, shape).astype(dtype) for shape in self.shapes]


MATRICES = ((2, 3), (3, 4))
CALLS = {
    "matmul": [
        Call(MATRICES),
        Call(((3,), (3,))),
        Call(((2, 3), (3,))),
        Call(((3,), (3, 4))),
        Call(((2, 2, 3), (3, 4))),
        Call(((2, 3), (5, 3, 4))),
        Call(((2, 1, 2, 3), (5, 3, 4))),
        Call(((2, 2, 3), (3,))),
        Call(((3,), (2, 3, 4))),
        Call(((0, 3), (3, 2))),
        Call(((2, 0), (0, 3))),
        Call(((3, 2), (3, 4)), {"transpose_a": True}),
        Call(((2, 3), (4, 3)), {"transpose_b": True}),
        Call(((5, 3, 2), (4, 3)), {"transpose_a": True, "transpose_b": True}),
        Call(((3,), (4, 3)), {"transpose_a": True, "transpose_b": True}),
        Call(((3, 2), (3,)), {"transpose_a": True, "transpose_b": True}),
    ],
    "sum": [
        Call(((2, 3),), {"axis": axis, "keepdims": keepdims})
        for axis in (None, 0, -1, (0, 1), [-2], (), np.int64(1))
        for keepdims in (False, True)
    ]
    + [Call(((),)), Call(((0, 2),), {"axis": 0}), Call(((2, 3, 4),), {"axis": (-1, 0)})],
    "reshape": [
        Call(((2, 3),), {"target_shape": shape})
        for shape in ((3, 2), (-1,), [6, 1], -1, (1, -1, 2))
    ]
    + [Call(((1,),), {"target_shape": ()}), Call(((0, 2),), {"target_shape": (2, 0)})],
    "broadcast_to": [
        Call((small,), {"shape": shape})
        for small, shape in (((3,), (2, 3)), ((2, 1), (2, 3)), ((), (2,)), ((1, 1), (0, 4)))
    ],
    "expand_dims": [Call(((2, 3),), {"axis": axis}) for axis in (0, 1, -1, (0, 3))],
    "swapaxes": [Call(((2, 3),)), Call(((2, 3, 4),), {"axis1": 0, "axis2": -1})],
    "getitem": [
        Call(((3, 4),), {"key": key})
        for key in (
            1,
            (slice(None), 2),
            (slice(None, None, -2), slice(3, 0, -1)),
            (..., None, 1),
            ([0, 0, 2],),
            [2, 2, 2],
            ([0, 1], [3, 3]),
            (slice(1, 3), [0, 0]),
            np.array([[0, 1], [2, 2]]),
            np.arange(3) > 0,
            slice(0, 0),
        )
    ],
    "put": [
        Call(((2,),), {"key": 1, "shape": (3, 2)}),
        Call(((2, 2),), {"key": (slice(None, None, 2),), "shape": (3, 2)}),
        Call(((3,),), {"key": ([0, 0, 1], [1, 1, 0]), "shape": (2, 2)}),
    ],
    "astype": [Call(((2, 3),), {"dtype": "float64"})],
    "copy": [Call(((2, 3),)), Call(((2, 3),), {"device": "cpu0"})],
}
BROADCAST = [
    ((), (2, 3)),
    ((1,), (2, 3)),
    ((1, 1), (2, 3)),
    ((3,), (2, 3)),
    ((2, 1), (1, 3)),
    ((), ()),
    ((1,), ()),
    ((0,), (1,)),
    ((2, 0), ()),
    ((1, 3), (2, 2, 3)),
]

# What NumPy calls it, or does, where the name is not the same.
NUMPY: dict[str, Callable[..., Any]] = {
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "matmul": lambda a, b, transpose_a, transpose_b: (
        (
            (a.T if a.ndim == 2 else np.moveaxis(a, -1, -2) if a.ndim > 1 else a)
            if transpose_a
            else a
        )
        @ ((np.moveaxis(b, -1, -2) if b.ndim > 1 else b) if transpose_b else b)
    ),
    "sum": lambda x, axis, keepdims: np.sum(
        x, tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdims
    ),
    "swapaxes": lambda x, axis1, axis2: np.swapaxes(x, axis1, axis2),
    "getitem": lambda x, key: x[key],
    "put": lambda x, key, shape: _scattered(x, key, shape),
    "astype": lambda x, dtype: x.astype(dtype),
    "copy": lambda x, device: x.copy(),
    "detach": lambda x: x,
}


def _scattered(x: np.ndarray[Any, Any], key: Any, shape: Shape) -> np.ndarray[Any, Any]:
    numbers = np.arange(np.prod(shape)).reshape(shape)[key]
    return np.bincount(numbers.ravel(), x.ravel(), int(np.prod(shape))).reshape(shape)


def calls_of(this: Op) -> list[Call]:
    """The calls with which to try an op: those of CALLS, else operands of one shape."""
    if this.name in CALLS:
        return CALLS[this.name]
    required = [a for a, default in this.attributes.items() if default is inspect.Parameter.empty]
    assert not required, f"{this.name} needs a line in CALLS, which gives {required}"
    count = len(this.operands)
    calls = [Call(((2, 3),) * count), Call(((),) * count), Call(((0, 2),) * count)]
    if count == 2 and this.broadcasts:
        calls += [Call(pair) for shapes in BROADCAST for pair in (shapes, shapes[::-1])]
    return calls
