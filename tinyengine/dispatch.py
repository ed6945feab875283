"""Running an op: operands to arrays, the forward line, its record, and errors that explain."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .backend import Array, device as find_device
from .chain_rule import Node, alive, managers, observers, tape
from .promotion import FLOAT32, promote
from .tensor import Tensor, as_array

if TYPE_CHECKING:
    from .op import Op

_new = object.__new__
_float32 = np.float32
_PLAIN = (np.ndarray, np.generic, float, int)


def result(data: Array, device: Any) -> Tensor:
    """A tensor around an array that nobody else will write to."""
    out: Tensor = _new(Tensor)
    out._data, out.device, out._node, out.grad = data, device, None, None
    return out


def binary_call(this: Op) -> Callable[[Any, Any], Any]:
    """The call of an op with two operands and no attributes: the path on which speed counts."""
    forward = this.forward

    def call(x: Any, y: Any) -> Any:
        if isinstance(x, Tensor):
            a, p, device = x._data, x._node, x.device
            if isinstance(y, Tensor):
                b, q = y._data, y._node
                if y.device is not device:
                    _refuse_devices(this, (x, y))
            else:
                b, q = _value(this, y, x), None
        elif isinstance(y, Tensor):
            a, p = _value(this, x, y), None
            b, q, device = y._data, y._node, y.device
        else:
            return _without_tensors(this, [x, y], {})
        try:
            data = forward(a, b)
            if data.__class__ is not _float32 and data.dtype is not FLOAT32 and this.promotes:
                data, (a, b) = promote(forward, (a, b), data)
        except (ValueError, TypeError, OverflowError) as error:
            _refuse(this, (x, y), {}, error)
        out: Tensor = _new(Tensor)
        out._data, out.device, out._node, out.grad = data, device, None, None
        if p is not None and p.op is None:
            p = None
        if q is not None and q.op is None:
            q = None
        if p is not None or q is not None:
            if data.__class__ is _float32 and this.light and len(managers) == 1:
                # a single number: nothing was stretched, and arrays are enough
                node: Node = _new(Node)
                node.op, node.parents, node.kept = this, (p, q), this.pick((a, b, data))
                node.kept_tensors = node.shapes = None
                out._node = node
                tape.append(node)
            else:
                _record(this, out, (x, y), (a, b), (p, q), {})
        if observers:
            for observer in observers:
                observer.forward(this, (x, y), {}, out)
        return out

    return call


def unary_call(this: Op) -> Callable[[Any], Any]:
    """The call of an op with one operand and no attributes."""
    forward = this.forward

    def call(x: Any) -> Any:
        if not isinstance(x, Tensor):
            return _without_tensors(this, [x], {})
        a, p = x._data, x._node
        try:
            data = forward(a)
            if data.__class__ is not _float32:
                if data.dtype is not FLOAT32 and this.promotes:
                    data, (a,) = promote(forward, (a,), data)
                data = data if data.shape else data[()]
        except (ValueError, TypeError, OverflowError) as error:
            _refuse(this, (x,), {}, error)
        out = result(data, x.device)
        if p is not None and p.op is not None:
            _record(this, out, (x,), (a,), (p,), {})
        if observers:
            for observer in observers:
                observer.forward(this, (x,), {}, out)
        return out

    return call


def general_call(this: Op) -> Callable[..., Any]:
    """The call of any op."""
    forward = this.forward
    family = this
    count = 0 if family.family else len(family.operands)

    def call(*args: Any, **kwargs: Any) -> Any:
        if 0 < count <= len(args) and _plain(args[:count]):  # a rule computes with arrays
            return forward(*args, **kwargs)
        this = family.of(len(args)) if family.family else family
        operands, attributes = this.bind(args, kwargs)
        tensors = [x for x in operands if isinstance(x, Tensor)]
        if not tensors:
            return _without_tensors(this, operands, attributes)
        device = tensors[0].device
        for tensor in tensors:
            if tensor.device is not device:
                _refuse_devices(this, operands)
        values: Any = [
            x._data if isinstance(x, Tensor) else _value(this, x, tensors[0]) for x in operands
        ]
        try:
            data = forward(*values, **attributes)
            if data.__class__ is not _float32:
                if this.promotes and data.dtype is not FLOAT32:
                    compute = functools.partial(forward, **attributes) if attributes else forward
                    data, values = promote(compute, values, data)
                data = data if data.shape else data[()]
        except (ValueError, TypeError, IndexError, OverflowError) as error:
            _refuse(this, operands, attributes, error)
        place = attributes.get("device")
        out = result(data, device if place is None else find_device(place))
        if managers:
            parents = tuple([alive(x._node) if isinstance(x, Tensor) else None for x in operands])
            if any(parents):
                _record(this, out, operands, values, parents, attributes)
        if observers:
            for observer in observers:
                observer.forward(this, operands, attributes, out)
        return out

    return call


def _plain(operands: Sequence[Any]) -> bool:
    """Whether all operands are arrays and numbers."""
    for operand in operands:  # noqa: SIM110, a generator costs more
        if not isinstance(operand, _PLAIN):
            return False
    return True


def _value(this: Op, operand: Any, beside: Tensor) -> Any:
    """A plain operand as what the kernel takes: Python numbers as they are, the rest as arrays."""
    if operand.__class__ in (float, int, bool):
        return operand
    if operand is None:
        hint = " (to ask whether x is None: `x is None`)" if this.name.endswith("equal") else ""
        raise TypeError(
            f"{this.name}(): an operand is None; give a tensor, an array or a number{hint}"
        )
    wide = getattr(operand, "dtype", None) == beside.dtype == "float64"
    try:
        array = operand if wide else as_array(operand)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{this.name}(): {error}") from None
    return beside.device.put(array)


def _without_tensors(this: Op, operands: Sequence[Any], attributes: dict[str, Any]) -> Any:
    """What rules call on arrays and on Symbols, which write themselves."""
    for operand in operands:
        if isinstance(operand, _PLAIN):
            continue
        write = getattr(operand, "apply_op", None)
        if write is not None:
            return write(this, operands, attributes)
        if not hasattr(operand, "dtype"):
            raise TypeError(
                f"{this.name}(): {type(operand).__name__} {operand!r:.60} is not a tensor; make it"
                " one with tensor(...)"
            )
    return this.forward(*operands, **attributes)


def _record(
    this: Op,
    out: Tensor,
    operands: Sequence[Any],
    values: Sequence[Any],
    parents: tuple[Node | None, ...],
    attributes: dict[str, Any],
) -> None:
    """Put the op on the tape if `out` can have a derivative."""
    data = out._data
    scalar = data.__class__ is _float32
    if not this.differentiable or (not scalar and data.dtype.kind != "f"):
        return
    node: Node = _new(Node)
    node.op, node.parents = this, parents
    node.kept = this.keep(values, data, operands, attributes)
    node.kept_tensors = node.shapes = None
    if len(managers) > 1:
        now = [_as_it_is(x) for x in operands]
        node.kept_tensors = this.keep(now, _as_it_is(out, node), operands, attributes)
    if this.broadcasts and not (scalar and this.elementwise):
        node.shapes = _stretched(this, values, parents, data.shape)
    out._node = node
    tape.append(node)


def _stretched(
    this: Op, values: Sequence[Any], parents: Sequence[Node | None], shape: tuple[int, ...]
) -> tuple[tuple[int, ...], ...] | None:
    """The shapes that the gradients must have; None where each is that of the result."""
    shapes = tuple([shape if p is None else v.shape for v, p in zip(values, parents)])  # noqa: B905
    if this.elementwise and shapes.count(shape) == len(shapes):
        return None
    return shapes


def _as_it_is(operand: Any, node: Node | None = None) -> Any:
    """A tensor that stays as `operand` is now; backward() adds to a gradient in place."""
    if not isinstance(operand, Tensor):
        return operand
    copy = result(operand._data, operand.device)
    copy._node = node or operand._node
    return copy


def _refuse(
    this: Op, operands: Sequence[Any], attributes: dict[str, Any], error: Exception
) -> NoReturn:
    """Say which op was given what, and what is allowed."""
    names = zip(this.operands, operands, strict=True)
    given = [f"{name} of shape {np.shape(x)}" for name, x in names]
    given += [f"{k}={v!r:.60}" for k, v in attributes.items() if v is not this.attributes[k]]
    advice = str(error)
    if this.advice is not None and isinstance(error, ValueError):
        advice = this.advice(*operands, **attributes)
    message = f"{this.name}(): {', '.join(given)}: {advice}"
    for observer in observers:
        observer.failed(this, operands, attributes, message)
    raise type(error)(message) from error


def _refuse_devices(this: Op, operands: Sequence[Any]) -> NoReturn:
    names = zip(this.operands, operands, strict=True)
    places = ", ".join(f"{name} is on {x.device}" for name, x in names if isinstance(x, Tensor))
    message = f"{this.name}(): {places}: bring them to one device, for example with x.to(device)"
    for observer in observers:
        observer.failed(this, operands, {}, message)
    raise RuntimeError(message)
