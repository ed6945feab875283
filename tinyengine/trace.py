"""Trace: what the engine did, as a plain list of steps.

>>> from tinyengine.autodiff import GradManager
>>> x = tensor(3.0, name="x")
>>> gm = GradManager().attach(x)
>>> with Trace() as trace, gm:
...     y = x * x
...     gm.backward(y)
>>> [step["kind"] for step in trace.steps]
['attach', 'forward', 'seed', 'contribution', 'contribution', 'gradient']
>>> trace.steps[4]["total"]["data"]
6.0
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from types import FrameType, TracebackType
from typing import Any, TypeAlias

import numpy as np

from .backend import Device
from .chain_rule import Node, managers, observers
from .op import Op
from .scope import Names, Paths, calling_frame, variable_of
from .snapshot import snapshot
from .tensor import Parameter, Tensor

TraceNode: TypeAlias = dict[str, Any]
"""A value: id, name, kind (input, parameter, constant or result), attached, device, value."""

Step: TypeAlias = dict[str, Any]
"""One thing that happened; ``kind`` tells which, see :class:`Trace`."""


class Trace:
    """Watches the engine inside a ``with`` block and keeps what it saw.

    ``nodes`` are the values, numbered in the order in which they were met. ``steps`` are dicts of
    what JSON can hold, of these kinds:

    ============  ==================================================================
    attach        a manager began to follow ``node``
    forward       ``op`` (``symbol``, ``attributes``) made ``output`` from ``inputs``; an
                  autodiff.Function with several results has a list of ``outputs`` as well
    rebind        a tensor was changed in place: it was ``node`` and is ``output`` from here on
    failed        ``op`` refused ``inputs``: ``message``
    seed          backward began at ``node`` with ``gradient``
    contribution  ``dout`` (one for each of several results) arrived at forward step ``at``,
                  whose rule for operand number ``operand`` sent ``gradient`` to ``node``,
                  where ``total`` is now; ``first`` tells whether it was the first there
    gradient      backward ended, and ``node`` got ``gradient``, which makes its ``grad``
    unreached     backward ended, and no gradient had reached ``node``, whose ``grad`` stays
    ============  ==================================================================

    A value is called by its tensor's ``name=``, else by the variable that holds it, else by its
    path in the module that was called, such as fc1.weight, else v1, v2, …
    """

    def __init__(self) -> None:
        self.nodes: list[TraceNode] = []
        self.steps: list[Step] = []
        self._watched: dict[int, tuple[Tensor, int]] = {}
        self._leaves: dict[int, int] = {}  # attached tensors as they were when recording began
        self._steps_of: dict[Node, int] = {}
        self._names = Names()
        self._paths = Paths()
        self._frame: FrameType | None = None

    def to_dict(self) -> dict[str, Any]:
        """The trace as JSON can hold it; :meth:`from_dict` reads it back."""
        return {"version": 1, "nodes": self.nodes, "steps": self.steps}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Trace:
        """A trace that :meth:`to_dict` wrote.

        Raises:
            ValueError: `data` is something else.
        """
        if data.get("version") != 1 or not {"nodes", "steps"} <= data.keys():
            raise ValueError("from_dict(): not a trace of version 1, as to_dict() writes it")
        trace = cls()
        trace.nodes, trace.steps = list(data["nodes"]), list(data["steps"])
        return trace

    @property
    def watching(self) -> bool:
        """Whether the block that the trace watches has not ended yet."""
        return self in observers

    def __enter__(self) -> Trace:
        if self.watching:
            raise RuntimeError(
                "this trace (or the player it belongs to) watches already; leave its `with` block,"
                " or use a new one"
            )
        self._frame = calling_frame()
        for manager in managers:
            for tensor in manager.attached_tensors():
                self.attached(tensor)
        observers.append(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with contextlib.suppress(ValueError):  # taken aside by a backward() in another thread
            observers.remove(self)
        for tensor, number in self._watched.values():
            self._name(number, tensor, self._frame)
        for tensor, number in self._watched.values():
            if not self.nodes[number]["name"] and (path := self._paths.of(tensor)):
                self.nodes[number]["name"] = self._names.unused(path)
        unnamed = (node for node in self.nodes if not node["name"])
        for number, node in enumerate(unnamed, 1):
            node["name"] = self._names.unused(f"v{number}")
        self._watched.clear()
        self._leaves.clear()
        self._steps_of.clear()
        self._paths.clear()
        self._frame = None

    # What the engine tells, see chain_rule.Observer.

    def attached(self, tensor: Tensor) -> None:
        """A manager began to follow `tensor`."""
        node = self._leaves[id(tensor)] = self._node(tensor)
        if not self.nodes[node]["attached"]:
            self.nodes[node]["attached"] = True
            self.steps.append({"kind": "attach", "node": node})

    def forward(
        self,
        op: Op,
        operands: Sequence[Any],
        attributes: Mapping[str, Any],
        out: Tensor | tuple[Tensor, ...],
    ) -> None:
        """`op` made `out` from `operands`."""
        step: Step = self._call("forward", op, operands, attributes)
        if isinstance(out, Tensor):
            step["output"] = self._add(out, "result")
            nodes = {out._node}
        else:
            step["outputs"] = [self._add(one, "result") for one in out]
            step["output"] = step["outputs"][0]
            nodes = {parent for one in out if one._node for parent in one._node.parents}
        self._steps_of |= {node: len(self.steps) for node in nodes if node is not None}
        self.steps.append(step)

    def rebound(self, tensor: Tensor, value: Tensor) -> None:
        """`tensor` was changed in place: it is about to hold what `value` holds."""
        before, frame = self._node(tensor), calling_frame()
        self._name(before, tensor, frame)
        after = self._node(value)
        name = tensor.name or variable_of(tensor, frame)
        if name and not self.nodes[after]["name"]:
            self.nodes[after]["name"] = self._names.unused(name)
        self._watched[id(tensor)] = tensor, after
        self.steps.append({"kind": "rebind", "node": before, "output": after})

    def failed(
        self, op: Op, operands: Sequence[Any], attributes: Mapping[str, Any], message: str
    ) -> None:
        """`op` refused `operands`."""
        self.steps.append(self._call("failed", op, operands, attributes) | {"message": message})

    def called(self, module: Any) -> None:
        """`module` is about to compute."""
        self._paths.add(module)

    def seeded(self, tensor: Tensor, gradient: Tensor) -> None:
        """Backward began at `tensor` with `gradient`."""
        node = self._node(tensor)
        self._name(node, tensor, calling_frame())
        self.steps.append({"kind": "seed", "node": node, "gradient": _values(gradient)})

    def contributed(
        self, node: Node, operand: int, dout: Any, contribution: Any, total: Any
    ) -> None:
        """`dout` arrived at `node`, whose rule sent `contribution` on."""
        at = self._steps_of.get(node)
        if at is None:  # a leaf that passes on, or an op that ran before this trace
            return
        self.steps.append(
            {
                "kind": "contribution",
                "at": at,
                "operand": operand,
                "node": self.steps[at]["inputs"][operand],
                "dout": _values(dout) if hasattr(dout, "dtype") else _parts(dout),
                "gradient": _values(contribution),
                "total": _values(total),
                "first": contribution is total,
            }
        )

    def delivered(self, tensor: Tensor, gradient: Tensor | None) -> None:
        """Backward ended: `tensor` got `gradient`, or none."""
        node = self._leaves.get(id(tensor), -1)
        step: Step = {"kind": "unreached", "node": self._node(tensor) if node < 0 else node}
        if gradient is not None:
            step |= {"kind": "gradient", "gradient": _values(gradient)}
            self._watched.pop(id(tensor.grad), None)  # it grew in place, and is another value now
        step["grad"] = _values(tensor.grad) if isinstance(tensor.grad, Tensor) else None
        self.steps.append(step)

    # Values and their names.

    def _call(
        self, kind: str, op: Op, operands: Sequence[Any], attributes: Mapping[str, Any]
    ) -> Step:
        frame = calling_frame()
        inputs = [self._node(operand) for operand in operands]
        for node, operand in zip(inputs, operands, strict=True):
            if isinstance(operand, Tensor):
                self._name(node, operand, frame)
        plain = {name: _plain(value) for name, value in attributes.items()}
        return {
            "kind": kind,
            "op": op.name,
            "symbol": op.symbol,
            "attributes": plain,
            "inputs": inputs,
        }

    def _node(self, value: Any) -> int:
        """The number of the node that stands for `value`; a new one for a value not met before."""
        if not isinstance(value, Tensor):
            return self._add(value, "constant")
        known = self._watched.get(id(value))
        if known is not None:
            return known[1]
        return self._add(value, "parameter" if isinstance(value, Parameter) else "input")

    def _add(self, value: Any, kind: str) -> int:
        node = len(self.nodes)
        tensor = value if isinstance(value, Tensor) else None
        name = self._names.unused(tensor.name) if tensor is not None and tensor.name else ""
        if np.ndim(value) == 0 and tensor is None:
            name = f"{value:g}"
        self.nodes.append(
            {
                "id": node,
                "name": name,
                "kind": kind,
                "attached": False,
                "device": None if tensor is None else str(tensor.device),
                "value": _values(value),
            }
        )
        if tensor is not None:
            # Holding the tensor keeps its id() from being given to another one.
            self._watched[id(tensor)] = tensor, node
        return node

    def _name(self, node: int, tensor: Tensor, frame: FrameType | None) -> None:
        if not self.nodes[node]["name"]:
            variable = variable_of(tensor, frame)
            if variable is not None:
                self.nodes[node]["name"] = self._names.unused(variable)


def _values(value: Any) -> dict[str, Any]:
    return snapshot(value._data if isinstance(value, Tensor) else value)


def _parts(dout: Any) -> list[dict[str, Any] | None]:
    """What arrived at each result of a Function."""
    return [None if part is None else _values(part) for part in dout.parts]


def _plain(value: Any) -> Any:
    """An attribute of an op as JSON can hold it."""
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    if isinstance(value, slice):
        return {"slice": [_plain(part) for part in (value.start, value.stop, value.step)]}
    if isinstance(value, (tuple, list)):
        return [_plain(part) for part in value]
    if value is ...:
        return {"ellipsis": True}
    if isinstance(value, (Tensor, np.ndarray, np.generic)):
        return _values(value)
    if isinstance(value, type):
        return value.__name__
    return str(value) if isinstance(value, (Device, np.dtype)) else f"{value!r:.60}"
