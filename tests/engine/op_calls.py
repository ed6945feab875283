"""With what to call each op of the table, and what NumPy makes of the same.

An ordinary op, which needs no more than arrays of one shape, gets random ones; only an op that
cannot do with that has a line in CALLS.
"""

from __future__ import annotations

import inspect
import math
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

    kinds: tuple[str, ...] = ()  # of the operands, where they are no floats: "bool" or "int"

    def operands(self, domain: Any = (None, None)) -> list[np.ndarray[Any, Any]]:
        """Numbers away from zero and from one another, within the domain if the op has one."""
        random = np.random.default_rng(0)
        low = 0.5 if domain[0] is None else domain[0] + 0.2
        high = low + 1.0 if domain[1] is None else domain[1] - 0.2
        arrays = [random.uniform(low, high, shape) for shape in self.shapes]
        for i, kind in enumerate(self.kinds):
            if kind == "bool":
                arrays[i] = arrays[i] > 1
            if kind == "int":
                arrays[i] = (arrays[i] * 4).astype("int32")
        return arrays


MATRICES = ((2, 3), (3, 4))
POOLS = [
    Call(((2, 2, 4, 4),), {"kernel_size": 2}),
    Call(((1, 2, 5, 4),), {"kernel_size": (3, 2), "stride": (2, 1), "padding": 1}),
]
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
    "setitem": [
        Call(shapes, {"key": key})
        for shapes, key in (
            (((3,), ()), 1),
            (((2, 3), (1, 1, 2)), (slice(None), slice(None, None, 2))),
            (((2, 3), (3,)), ...),
            (((4,), (3,)), [2, 0, 2]),
            (((3, 4), (4,)), np.arange(3) > 0),
            (((3, 4), (2, 1)), (np.array([[0], [1]]), [3, 3])),
            (((), (1,)), ()),
        )
    ],
    "erased": [Call(((2, 3),), {"key": (..., slice(0, 2)), "shape": (2, 3)})],
    "read": [
        Call(((2, 3),), {"key": key, "shape": (2, 3)}) for key in (1, [0, 0], (slice(None), [1, 1]))
    ],
    "written": [
        Call(((2, 3),), {"key": [1, 1], "shape": (2, 3)}),
        Call(((2,),), {"key": (slice(None), 1), "shape": (2, 3)}),
    ],
    "astype": [Call(((2, 3),), {"dtype": "float64"})],
    "copy": [Call(((2, 3),)), Call(((2, 3),), {"device": "cpu0"})],
    "within": [Call(((2, 3),), {"lower": 0.8, "upper": None})],
    "clip": [
        Call(((2, 3),), bounds)
        for bounds in ({"lower": 0.8}, {"upper": 1.2}, {"lower": 0.8, "upper": 1.2})
    ],
    **{
        name: [Call(shapes, kinds=("bool", "bool")) for shapes in (((2, 3), (3,)), ((), (2,)))]
        for name in ("logical_and", "logical_or", "logical_xor")
    },
    "logical_not": [Call(((2, 3),), kinds=("bool",))],
    **{
        name: [Call(((2, 3), (3,)), kinds=("int", "int"))] for name in ("left_shift", "right_shift")
    },
    "transpose": [
        Call(((2, 3, 4),), {"pattern": pattern})
        for pattern in ((2, 0, 1), [0, 2, 1], (1, "x", 0, 2), ("x", 2, "x", 1, 0))
    ],
    "squeeze": [Call(((1, 3, 1),), {"axis": axis}) for axis in (None, 0, -1, (0, 2), [2])],
    "where": [
        Call(shapes, kinds=("bool",))
        for shapes in (
            ((2, 3),) * 3,
            ((3,), (2, 1), (2, 3)),
            ((), (2,), ()),
            ((2, 3), (), (0, 1, 1)),
        )
    ],
    "gather": [
        Call(((3, 2),), {"axis": 0, "index": np.array([[0, 1], [0, 0]])}),
        Call(((3, 2),), {"axis": -1, "index": np.array([[0], [1], [1]])}),
        Call(((3,),), {"axis": 0, "index": np.array([2, 2, 0, 1])}),
    ],
    "gathered_back": [
        Call(((2, 2),), {"axis": 0, "index": np.array([[0, 1], [0, 2]]), "shape": (3, 2)})
    ],
    "scattered": [
        Call(((3, 2), (2, 2)), {"axis": 0, "index": np.array([[0, 1], [0, 2]])}),
        Call(((2, 3), (2, 1)), {"axis": 1, "index": np.array([[2], [0]])}),
    ],
    "overwritten": [Call(((3, 2),), {"axis": 0, "index": np.array([[0, 1]])})],
    "last_written": [
        Call(((2, 2),), {"axis": 0, "index": np.array([[0, 1], [0, 2]]), "shape": (3, 2)})
    ],
    "concat": [
        Call(((2, 3), (1, 3)), {"axis": 0}),
        Call(((2, 1), (2, 3), (2, 0)), {"axis": -1}),
        Call(((2,),)),
    ],
    "roll": [
        Call(((3, 4),), attributes)
        for attributes in (
            {"shift": 1},
            {"shift": -2, "axis": 1},
            {"shift": (1, 2), "axis": (0, 1)},
            {"shift": [5], "axis": [0]},
        )
    ],
    "flip": [Call(((2, 3),), {"axis": axis}) for axis in (None, 0, -1, (0, 1))],
    "diagonal": [Call(((3, 4),), {"k": k}) for k in (0, 1, -2)],
    **{
        name: [
            Call(((2, 3, 4),), {"axis": axis, "keepdims": keepdims})
            for axis in (None, 0, -1, (0, 2), [-2])
            for keepdims in (False, True)
        ]
        + [Call(((),)), Call(((1,),))]
        for name in ("mean", "max", "min", "prod")
    },
    **{
        name: [
            Call(((2, 3, 4),), {"axis": axis, "keepdims": keepdims})
            for axis in (None, 0, -1, (0, 2), [-2])
            for keepdims in (False, True)
        ]
        for name in ("var", "std")
    },
    "ties": [Call(((2, 3),), {"axis": 1, "largest": largest}) for largest in (True, False)],
    "cumsum": [Call(((2, 3),), {"axis": axis}) for axis in (0, -1)],
    "length": [
        Call(((2, 3),), {"axis": axis, "keepdims": k}) for axis in (0, 1) for k in (False, True)
    ],
    "matinv": [Call(((1, 1),)), Call(((2, 2),)), Call(((1, 2, 2),))],
    "singular": [Call(((2, 2),)), Call(((3, 2),)), Call(((2, 2, 3),))],
    "einsum": [
        Call(((2, 3), (3, 4)), {"equation": "ij,jk->ik"}),
        Call(((2, 3), (3,), (2,)), {"equation": "ij,j,i->"}),
        Call(((2, 3),), {"equation": "ij->j"}),
        Call(((2, 3, 4),), {"equation": "bij->bji"}),
    ],
    **{
        name: [
            Call(((2, 3),), {"axis": axis, "keepdims": k})
            for axis in (0, -1)
            for k in (False, True)
        ]
        + [Call(((2, 3),))]
        for name in ("argmax", "argmin")
    },
    "argsort": [Call(((2, 3),), {"descending": descending}) for descending in (False, True)],
    "logsumexp": [
        Call(((2, 3, 4),), {"axis": axis, "keepdims": k})
        for axis in (None, 1, -1, (0, 2), [-2])
        for k in (False, True)
    ],
    "softmax": [Call(((2, 3),), {"axis": axis}) for axis in (None, 0, 1, -1)]
    + [Call(((3,),)), Call(((2, 3, 4),)), Call(((2, 3, 1, 2),))],
    "softmax_back": [Call(((2, 3), (2, 3)), {"axis": axis}) for axis in (None, 0, -1)],
    "logsoftmax": [Call(((2, 3),), {"axis": axis}) for axis in (0, -1, (0, 1))],
    "affine": [
        Call(shapes)
        for shapes in (
            ((2, 3), (4, 3), (4,)),
            ((5, 2, 3), (4, 3), (4,)),
            ((3,), (4, 3), (4,)),
            ((2, 3), (4, 3), (1, 4)),
            ((0, 3), (4, 3), (4,)),
        )
    ],
    "one_hot": [Call(((2, 3),), {"num_classes": 6}, ("int",))],
    **{
        name: [
            Call(((2, 6), (2,)), {"axis": 1}, ("float", "int")),
            Call(((2, 6, 3), (2, 3)), {"axis": -2}, ("float", "int")),
        ]
        for name in ("cross_entropy", "residual")
    },
    "conv": [
        Call(((2, 2, 5), (3, 2, 2))),
        Call(((2, 2, 5, 4), (3, 2, 3, 2)), {"padding": (1, 0), "stride": 2}),
        Call(((1, 4, 6, 5), (2, 2, 2, 2)), {"dilation": (2, 1), "groups": 2}),
        Call(((1, 2, 3, 3, 3), (2, 2, 2, 2, 1)), {"stride": (1, 2, 3)}),
    ],
    "conv_bias": [
        Call(((2, 2, 5), (3, 2, 2), (1, 3, 1))),
        Call(((2, 2, 5, 4), (2, 1, 3, 2), (1, 2, 1, 1)), {"padding": 1, "groups": 2}),
    ],
    "conv_transpose": [
        Call(((2, 3, 2), (3, 2, 2)), {"size": (4,), "stride": 2}),
        Call(((1, 2, 2, 2), (2, 2, 3, 2)), {"size": (4, 5), "stride": (2, 2), "padding": (1, 0)}),
        Call(((1, 2, 2, 2), (2, 1, 2, 2)), {"size": (4, 3), "dilation": (2, 1), "groups": 2}),
    ],
    "conv_weight": [
        Call(((2, 2, 4), (2, 3, 2)), {"kernel": (2,), "stride": 2}),
        Call(((1, 2, 4, 5), (1, 2, 2, 2)), {"kernel": (3, 2), "stride": 2, "padding": (1, 0)}),
        Call(((1, 2, 4, 3), (1, 2, 2, 2)), {"kernel": (2, 2), "dilation": (2, 1), "groups": 2}),
    ],
    "max_pool2d": POOLS,
    "avg_pool2d": [
        *POOLS,
        Call(((1, 1, 5, 6),), {"kernel_size": 3, "stride": 2, "padding": 1, "mode": "average"}),
    ],
    **{
        name: [Call((first, (1, 2, 4, 4), (1, 2, 2, 3)), {"kernel_size": 2, "stride": (2, 1)})]
        for name, first in (("unpool", (1, 2, 2, 3)), ("pick", (1, 2, 4, 4)))
    },
    "avg_unpool": [
        Call(((1, 2, 3, 3),), {"size": (5, 4), "kernel_size": (3, 2), "stride": 2, "padding": 1}),
    ],
    "standardized": [
        Call(((2, 3, 4),), {"axis": axis, "eps": eps})
        for axis, eps in (((0, 2), 1e-5), ((1,), 0.1), ((-2, -1), 1e-5))
    ],
    "constant_pad": [
        Call(((2, 3),), {"widths": ((1, 0), (2, 1)), "value": 0.5}),
        Call(((3,),), {"widths": ((0, 0),), "value": 0.0}),
    ],
    "sliding_window": [
        Call(((2, 2, 4, 5),), {"kernel_size": 2, "stride": (2, 1)}),
        Call(((1, 1, 5, 4),), {"kernel_size": (3, 2), "padding": 1, "dilation": (1, 2)}),
    ],
    "sliding_window_transpose": [
        Call(((2, 1, 2, 4, 2, 2),), {"output_size": (4, 5), "kernel_size": 2, "stride": (2, 1)}),
        Call(((1, 2, 3, 3, 2, 2),), {"output_size": 2, "kernel_size": 2, "padding": 1}),
    ],
    "leaky_slope": [Call(((2, 3),), {"negative_slope": 0.25})],
    "between": [Call(((2, 3),), {"lower": 0.8, "upper": 1.2})],
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


def _reduction(of: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, axis, keepdims: of(
        x, axis=tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdims
    )


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
    "pow": np.power,
    "lowered": lambda y: y - 1,
    "log_of_base": np.log,
    "floor_div": np.floor_divide,
    "mod": np.fmod,
    "round": lambda x: np.floor(x + 0.5),
    "logaddexp": np.logaddexp,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "clip": lambda x, lower, upper: np.clip(x, lower, upper),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "gather": lambda x, axis, index: (
        np.take_along_axis(x, index, axis)
        if index.shape[1:] == x.shape[1:] or axis == -1
        else x[index]
    ),
    "transpose": lambda x, pattern: np.expand_dims(
        np.transpose(x, [a for a in pattern if a != "x"]),
        tuple(i for i, a in enumerate(pattern) if a == "x"),
    ),
    "squeeze": lambda x, axis: np.squeeze(x, tuple(axis) if isinstance(axis, list) else axis),
    "concat": lambda *xs, axis: np.concatenate(xs, axis),
    "roll": np.roll,
    "flip": np.flip,
    "diagonal": lambda x, k: np.diagonal(x, k),
    **{
        name: _reduction(getattr(np, name)) for name in ("mean", "max", "min", "prod", "var", "std")
    },
    "length": lambda x, axis, keepdims: np.linalg.norm(x, axis=axis, keepdims=keepdims),
    "matinv": np.linalg.inv,
    "ratio": np.divide,
    "einsum": lambda *xs, equation: np.einsum(equation, *xs),
    "argmax": lambda x, axis, keepdims: np.argmax(x, axis, keepdims=keepdims),
    "argmin": lambda x, axis, keepdims: np.argmin(x, axis, keepdims=keepdims),
    "logsumexp": lambda x, axis, keepdims: np.log(
        np.sum(np.exp(x), tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdims)
    ),
    "softmax": lambda x, axis: _shares(x, axis),
    "softmax_back": lambda d, p, axis: (
        p * (d - (d * p).sum(1 if axis is None else axis, keepdims=True))
    ),
    "logsoftmax": lambda x, axis: np.log(np.exp(x) / np.exp(x).sum(axis, keepdims=True)),
    "affine": lambda x, w, b: np.einsum("...i,oi->...o", x, w) + b,
    "one_hot": lambda x, count: np.eye(count)[x],
    "cross_entropy": lambda x, label, axis: -np.log(_picked(_shares(x, axis), label, axis)),
    "residual": lambda x, label, axis: (
        _shares(x, axis) - np.moveaxis(np.eye(x.shape[axis])[label], -1, axis)
    ),
    "times_log": lambda y, x: y * np.log(x),
    "part": np.divide,
    "standardized": lambda x, axis, eps: (
        (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + eps)
    ),
    "constant_pad": lambda x, widths, value: np.pad(x, widths, constant_values=value),
    "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x, slope: np.maximum(x, 0) + slope * np.minimum(x, 0),
    "prelu": lambda x, y: np.maximum(x, 0) + y * np.minimum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "hsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "softplus": lambda x: np.log(1 + np.exp(x)),
    "logsigmoid": lambda x: -np.log(1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu": lambda x: x * (1 + np.vectorize(math.erf, "d")(x / 2**0.5)) / 2,
    "argsort": lambda x, descending: np.argsort(-x if descending else x, axis=-1),
}


def _scattered(x: np.ndarray[Any, Any], key: Any, shape: Shape) -> np.ndarray[Any, Any]:
    numbers = np.arange(np.prod(shape)).reshape(shape)[key]
    return np.bincount(numbers.ravel(), x.ravel(), int(np.prod(shape))).reshape(shape)


def _shares(x: np.ndarray[Any, Any], axis: Any) -> np.ndarray[Any, Any]:
    if axis is None:
        axis = 0 if x.ndim in (0, 1, 3) else 1
    raised = np.exp(x)
    return raised / raised.sum(axis, keepdims=True)


def _picked(x: np.ndarray[Any, Any], label: Any, axis: int) -> np.ndarray[Any, Any]:
    return np.take_along_axis(x, np.expand_dims(label, axis), axis).squeeze(axis)


def calls_of(this: Op) -> list[Call]:
    """The calls with which to try an op: those of CALLS, else operands of one shape."""
    if this.name in CALLS:
        return CALLS[this.name]
    required = [a for a, default in this.attributes.items() if default is inspect.Parameter.empty]
    assert not required, f"{this.name} needs a line in CALLS, which gives {required}"
    count = 1 if this.family else len(this.operands)
    calls = [Call(((2, 3),) * count), Call(((),) * count), Call(((0, 2),) * count)]
    if count == 2 and this.broadcasts:
        calls += [Call(pair) for shapes in BROADCAST for pair in (shapes, shapes[::-1])]
    return calls
