"""Changing a tensor in place: ``t[key] = v``, ``t += v``, ``t.set_value(v)``, ``t.reset_zero()``.

No array is ever written to. A change makes a new array and lets the tensor hold that instead:
every variable that holds the tensor sees the change, and what was recorded before keeps the values
that it used, so that its gradient stays right.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend import Array, array_module
from ...chain_rule import observers
from ...dispatch import result
from ...op import method, op, quiet
from ...tensor import Tensor
from .conversion import astype, copy
from .indexing import _plain_key
from .shape import reshape


def rebind(tensor: Tensor, value: Tensor) -> None:
    """Let `tensor` hold what `value` holds, and stand for it in the recorded graph.

    >>> t = alias = tensor([1., 2.])
    >>> rebind(t, tensor([5.]))
    >>> alias
    Tensor([5.], device=cpux:0)
    """
    for observer in observers:
        observer.rebound(tensor, value)
    tensor._data, tensor._node = value._data, value._node


@op("[ ]=", broadcasts=True, promotes=False)
@quiet
def _setitem(inp: Array, value: Array, key: Any) -> Array:
    """A copy of `inp` with `value` at `key`, in the dtype of `inp`.

    >>> _setitem(tensor([1., 2., 3.]), tensor([9.]), slice(0, 2))
    Tensor([9. 9. 3.], device=cpux:0)
    """
    out = array_module(inp).array(inp)
    extra = _extra_axes(np.shape(value), key, inp.shape)
    out[_plain_key(key, out)] = value.reshape(value.shape[extra:]) if extra else value
    return out


@_setitem.explain
def _(inp: Any, value: Any, key: Any) -> str:
    try:
        place = _shape_at(key, np.shape(inp))
    except ValueError as error:  # the key itself is wrong
        return str(error)
    shape = np.shape(value)
    lengths = zip(reversed(shape), reversed(place), strict=False)
    extra = shape[: max(len(shape) - len(place), 0)]
    if all(n in (1, m) for n, m in lengths) and set(extra) <= {1}:
        return f"the value is no {inp.dtype}"
    return f"the value's shape {shape} does not stretch to {place}, the shape of what it replaces"


@op("erase")
def _erased(dout: Array, key: Any, shape: Any) -> Array:  # noqa: ARG001
    """`dout` with zeros at `key`: no gradient goes to what was overwritten.

    >>> _erased(tensor([1., 2., 3.]), slice(0, 2), (3,))
    Tensor([0. 0. 3.], device=cpux:0)
    """
    out = array_module(dout).array(dout)
    out[_plain_key(key, out)] = 0
    return out


@op("read")
def _read(dout: Array, key: Any, shape: Any) -> Array:
    """``dout[key]``; where a place comes twice, 0 for all but the last, which alone was kept.

    >>> _read(tensor([5., 6.]), [0, 1, 1], (2,))
    Tensor([5. 0. 6.], device=cpux:0)
    """
    xp, key = array_module(dout), _plain_key(key, dout)
    out = dout[key]
    parts = key if isinstance(key, tuple) else (key,)
    if all(part is None or part is ... or isinstance(part, (int, slice)) for part in parts):
        return out
    order = xp.arange(out.size).reshape(out.shape)
    last = xp.zeros(shape, order.dtype)
    last[key] = order
    return xp.where(last[key] == order, out, out.dtype.type(0))


@op("write")
def _written(src: Array, key: Any, shape: Any) -> Array:
    """Zeros of `shape` with `src` at `key`; where a place comes twice, the last one stays.

    >>> _written(tensor([5., 6., 7.]), [0, 1, 1], (2,))
    Tensor([5. 7.], device=cpux:0)
    """
    out = array_module(src).zeros(shape, src.dtype)
    out[_plain_key(key, out)] = src
    return out


def _value_back(dout: Any, key: Any, inp_shape: Any, value_shape: Any) -> Any:
    """The gradient of the value before it was stretched, which the chain rule undoes."""
    back = _read(dout, key, inp_shape)
    extra = _extra_axes(value_shape, key, inp_shape)
    return reshape(back, (1,) * extra + _shape_at(key, inp_shape)) if extra else back


_setitem.vjp(inp=lambda dout, key, inp_shape: _erased(dout, key, inp_shape), value=_value_back)
_erased.vjp(dout=lambda dout, key, shape: _erased(dout, key, shape))
_read.vjp(dout=lambda dout, key, shape: _written(dout, key, shape))
_written.vjp(src=lambda dout, key, shape: _read(dout, key, shape))


def _shape_at(key: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of what `key` picks out of an array of `shape`."""
    whole = np.broadcast_to(np.bool_(False), shape)
    parts = key if isinstance(key, tuple) else (key,)
    parts = tuple(part.numpy() if isinstance(part, Tensor) else part for part in parts)
    picked: tuple[int, ...] = whole[parts].shape
    return picked


def _extra_axes(shape: tuple[int, ...], key: Any, whole: tuple[int, ...]) -> int:
    """How many leading axes of length 1 a value of `shape` has more than what it replaces."""
    return max(len(shape) - len(_shape_at(key, whole)), 0) if shape[:1] == (1,) else 0


@method("__setitem__")
def _(self: Tensor, key: Any, value: Any) -> None:
    """Put `value` at `key`, with NumPy's rules; it is cast to the dtype of `self`.

    Raises:
        IndexError: the key points outside.
        ValueError: the value does not stretch to what it replaces.

    >>> t = tensor([1., 2., 3.])
    >>> t[:2] = 9.
    >>> t
    Tensor([9. 9. 3.], device=cpux:0)
    """
    rebind(self, _setitem(self, value, key))


@method("set_value")
def _(self: Tensor, value: Any) -> None:
    """Replace the values, and with them the shape; dtype and device stay.

    >>> t = tensor([1., 2.])
    >>> t.set_value([[7]])
    >>> t
    Tensor([[7.]], device=cpux:0)
    """
    if isinstance(value, Tensor):
        if value.device is not self.device or value.dtype == self.dtype:
            value = copy(value, self.device)
        rebind(self, astype(value, self.dtype) if value.dtype != self.dtype else value)
    else:
        rebind(self, Tensor(value, self.dtype, self.device))


@method("reset_zero")
def _(self: Tensor) -> None:
    """Replace every value by 0.

    >>> t = tensor([1., 2.])
    >>> t.reset_zero()
    >>> t
    Tensor([0. 0.], device=cpux:0)
    """
    rebind(self, result(array_module(self._data).zeros_like(self._data)[()], self.device))


def _in_place(sign: str, operate: Callable[[Any, Any], Any]) -> Callable[[Tensor, Any], Tensor]:
    def change(self: Tensor, other: Any) -> Tensor:
        """Compute with `other` in place: this tensor, and not only this variable, changes.

        The dtype becomes that of the result, as in MegEngine: ``n += 0.5`` of an integer is a
        float. The shape has to stay, as in NumPy: whoever else holds the tensor counts on it.

        Raises:
            ValueError: the result has another shape.

        >>> t = alias = tensor([1., 2.])
        >>> t += 10.
        >>> alias
        Tensor([11. 12.], device=cpux:0)
        """
        out = operate(self, other)
        if out.shape != self.shape:
            raise ValueError(
                f"a {sign}= b: the result has shape {out.shape}, but a tensor keeps its shape"
                f" {self.shape} when it is changed in place; write a = a {sign} b for a new tensor"
            )
        rebind(self, out)
        return self

    return change


for _name, _sign in {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "lshift": "<<",
    "rshift": ">>",
    "and": "&",
    "or": "|",
    "xor": "^",
}.items():
    method(f"__i{_name}__")(_in_place(_sign, getattr(operator, f"__{_name}__")))
