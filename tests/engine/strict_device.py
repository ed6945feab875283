"""A GPU for machines without one: arrays that, like CuPy's, refuse to be taken for NumPy's.

`install` puts it in CuPy's place, so that "gpu0" is this device. Whatever mixes its arrays with
NumPy's, or hands them to a NumPy function, raises TypeError, as it would on a real GPU.
"""

from __future__ import annotations

import contextlib
import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tinyengine import backend


class StrictArray:
    """An array on the device; its NumPy twin is reached by `get` alone."""

    __array_ufunc__ = None

    def __init__(self, array: Any) -> None:
        self._array = np.asarray(array)

    def get(self) -> Any:
        """A copy in host memory."""
        return self._array.copy()

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("implicit conversion to a NumPy array is not allowed; use get()")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(self._array, name)
        return wrapping(value) if callable(value) and name != "dtype" else wrapped(value)

    def __getitem__(self, key: Any) -> Any:
        return wrapped(self._array[unwrapped(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._array[unwrapped(key)] = unwrapped(value)

    def __len__(self) -> int:
        return len(self._array)

    def __bool__(self) -> bool:
        return bool(self._array)


def _binary(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda self, other: wrapped(function(self._array, unwrapped(other)))


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda self, other: wrapped(function(unwrapped(other), self._array))


NAMES = "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift"
for name in NAMES.split():
    function = getattr(operator, name)
    setattr(StrictArray, f"__{name.strip('_')}__", _binary(function))
    setattr(StrictArray, f"__r{name.strip('_')}__", _reflected(function))
for name in ["eq", "ne", "lt", "le", "gt", "ge"]:
    setattr(StrictArray, f"__{name}__", _binary(getattr(operator, name)))
for name in ("neg", "invert", "abs", "pos"):
    unary = getattr(operator, name)
    setattr(StrictArray, f"__{name}__", lambda self, unary=unary: wrapped(unary(self._array)))


def wrapped(value: Any) -> Any:
    """What a NumPy function returned, as the device returns it: numbers stay on it too."""
    if isinstance(value, (np.ndarray, np.generic)):
        return StrictArray(value)
    if isinstance(value, (tuple, list)) and any(isinstance(v, np.ndarray) for v in value):
        return tuple(wrapped(v) for v in value)
    return value


def unwrapped(value: Any) -> Any:
    """An argument for NumPy; an array of NumPy's own is refused, as the device would."""
    if isinstance(value, StrictArray):
        return value._array
    if isinstance(value, np.ndarray):
        raise TypeError("a NumPy array does not go into a computation on the device")
    if isinstance(value, (tuple, list)):
        return type(value)(unwrapped(v) for v in value)
    if isinstance(value, slice):
        return slice(*map(unwrapped, (value.start, value.stop, value.step)))
    return value


def wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    """A NumPy function that takes and returns arrays of the device."""

    def call(*args: Any, **kwargs: Any) -> Any:
        named = {k: unwrapped(v) for k, v in kwargs.items()}
        return wrapped(function(*map(unwrapped, args), **named))

    return call


class StrictModule:
    """What stands for the module `cupy`."""

    def __init__(self, of: Any = np) -> None:
        self._of = of

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._of, name)
        if name in ("linalg", "add"):
            return StrictModule(value)
        return wrapping(value) if callable(value) and not isinstance(value, type) else value

    def array(self, data: Any, dtype: Any = None) -> StrictArray:
        """A copy on the device, of an array wherever it is."""
        return StrictArray(np.array(data._array if isinstance(data, StrictArray) else data, dtype))

    asarray = array

    @property
    def ogrid(self) -> Any:
        """Open grids of numbers, on the device."""
        return _Grid()

    class cuda:  # noqa: N801
        """As much of cupy.cuda as is used."""

        @staticmethod
        def Device(_: int) -> Any:  # noqa: N802
            """The device as a context."""
            return contextlib.nullcontext()


class _Grid:
    def __getitem__(self, key: Any) -> Any:
        return [StrictArray(grid) for grid in np.ogrid[key]]


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make "gpu0" the strict device for one test."""
    module = StrictModule()
    monkeypatch.setattr(backend, "_cupy", lambda: module)
    monkeypatch.setattr(backend, "_missing_gpu", lambda _: "")
    # Devices of its own for the test: tensors made before it keep theirs.
    monkeypatch.setattr(backend, "_by_name", functools.cache(backend._by_name.__wrapped__))
