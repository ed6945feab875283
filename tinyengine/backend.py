"""Arrays and devices: a name decides which array module computes. Only here is CuPy imported."""

from __future__ import annotations

import functools
import os
import re
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any
"""What a kernel computes with: a NumPy array or scalar, or a CuPy array."""

_NUMBER = r"0|[1-9]\d*"
_NAME = re.compile(rf"(xpu|cpu|gpu)(x|{_NUMBER})(?::({_NUMBER}))?", re.ASCII)
_DEFAULT_VARIABLE = "MGE_DEFAULT_DEVICE"


class Device:
    """A logical device such as ``xpux:0``. Made by :func:`device`; one object per name.

    Devices are compared by logical name, so ``xpux`` and ``cpu0`` are different places even where
    both are the same CPU: a laptop can show every rule of a machine with many devices.

    >>> device("cpu0").logical_name
    'cpu0:0'
    >>> device("xpux") == "xpux:0"
    True
    """

    __slots__ = ("_xp", "index", "kind", "logical_name")

    def __init__(self, kind: str, index: str, stream: str) -> None:
        self.kind = kind
        self.index = 0 if index == "x" else int(index)
        self.logical_name = f"{kind}{index}:{stream}"
        self._xp: Any = None

    @property
    def xp(self) -> Any:
        """The array module of this device: ``numpy``, or ``cupy`` for a GPU.

        Raises:
            RuntimeError: the device is a GPU and there is no CuPy, or CuPy finds no such GPU.
        """
        if self._xp is None:
            self._xp = self._find_array_module()
        return self._xp

    @property
    def physical_name(self) -> str:
        """Where the logical device really is, such as ``cpu0:0``."""
        kind = "cpu" if self.xp is np else "gpu"
        return f"{kind}{self.index}:{self.logical_name.partition(':')[2]}"

    def _find_array_module(self) -> Any:
        if self.kind == "cpu":
            return np
        missing = _missing_gpu(self.index)
        if not missing:
            return _cupy()
        if self.kind == "xpu":
            return np
        raise RuntimeError(f"device '{self}': {missing}; or use 'cpux', any CPU")

    def put(self, array: Array, dtype: Any = None) -> Array:
        """A copy of `array` in this device's memory (a NumPy scalar where it has no axes)."""
        if self.xp is np:
            return np.array(to_numpy(array), dtype=dtype)[()]
        with self.xp.cuda.Device(self.index):
            return self.xp.array(array, dtype=dtype)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return ":".join((*other.split(":"), "0")[:2]) == self.logical_name
        return self is other

    def __hash__(self) -> int:
        return hash(self.logical_name)

    def __str__(self) -> str:
        return self.logical_name

    def __repr__(self) -> str:
        return f'CompNode("{self.physical_name}" from "{self.logical_name}")'

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (self.logical_name,)


@functools.cache
def _by_name(kind: str, index: str, stream: str) -> Device:
    return Device(kind, index, stream)


def device(name: str | Device | None = None) -> Device:
    """The device with this name; the default device without one.

    Raises:
        ValueError: `name` is not the name of a device.
    """
    if isinstance(name, Device):
        return name
    if name is None:
        return _default
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise ValueError(
            f"unknown device {name!r}: allowed are 'xpux' (any device), 'cpux', 'gpux', or a"
            " numbered one such as 'cpu0' or 'gpu1'"
        )
    kind, index, stream = match.groups(default="0")
    return _by_name(kind, index, stream)


def get_default_device() -> str:
    """The name of the device on which tensors are made when none is asked for.

    >>> set_default_device("cpu0"); get_default_device()
    'cpu0'
    """
    return _default.logical_name.removesuffix(":0")


def set_default_device(name: str | Device = "xpux") -> None:
    """Make `name` the device on which tensors are made when none is asked for.

    A GPU may be named before there is one: the first tensor says what is missing.

    Raises:
        ValueError: `name` is not the name of a device.
    """
    global _default
    _default = device(name)


def get_device_count(kind: str) -> int:
    """How many devices of `kind` ("cpu", "gpu" or "xpu") this machine has.

    >>> get_device_count("cpu") >= 1
    True
    """
    gpus = 0 if _missing_gpu(0) else int(_cupy().cuda.runtime.getDeviceCount())
    counts = {"cpu": os.cpu_count() or 1, "gpu": gpus}
    counts["xpu"] = counts["gpu"] or counts["cpu"]
    if kind not in counts:
        raise ValueError(f"unknown kind of device {kind!r}: allowed are 'cpu', 'gpu' and 'xpu'")
    return counts[kind]


def is_cuda_available() -> bool:
    """Whether tensors can be computed on a GPU."""
    return not _missing_gpu(0)


def to_numpy(array: Array) -> Array:
    """`array` in host memory: itself where NumPy holds it, else a copy."""
    return array.get() if hasattr(array, "get") else array


def array_module(*arrays: Array) -> Any:
    """The module (``numpy`` or ``cupy``) whose functions take these arrays and numbers."""
    for array in arrays:
        if not isinstance(array, (np.ndarray, np.generic)) and hasattr(array, "get"):
            return _cupy()
    return np


@functools.cache
def _cupy() -> Any:
    import cupy

    return cupy


@functools.cache
def _missing_gpu(index: int) -> str:
    """What this machine lacks to use GPU number `index`; empty when nothing is missing."""
    try:
        count = _cupy().cuda.runtime.getDeviceCount()
    except ImportError:
        return "CuPy is not installed; on a machine with a GPU run: pip install 'tinyengine[gpu]'"
    except Exception as error:  # no driver, no device: CuPy's own exception class
        return f"CuPy finds no GPU ({error})"
    return "" if index < count else f"CuPy finds {count} GPU(s), numbered from 0"


def _first_default() -> Device:
    name = os.environ.get(_DEFAULT_VARIABLE, "xpux")
    try:
        return device(name)
    except ValueError as error:
        raise ValueError(f"environment variable {_DEFAULT_VARIABLE}: {error}") from None


_default = _first_default()
