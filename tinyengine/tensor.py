"""Tensor: an immutable array, its device, and the gradient that backward() leaves in it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .backend import Array, Device, device as find_device, to_numpy

if TYPE_CHECKING:
    from .bound import BoundByOps  # the operators and methods that ops bind to Tensor
else:
    BoundByOps = object

DTYPES = tuple(
    np.dtype(name)
    for name in ("float32", "float16", "int32", "int16", "int8", "uint8", "uint16", "bool")
)
_EXPLICIT = (*DTYPES, np.dtype("float64"))
_IMPLICIT = {"f": np.dtype("float32"), "i": np.dtype("int32")}


class Tensor(BoundByOps):
    """A multi-dimensional array on a device.

    Args:
        data: a number, a nested list, a NumPy array or a tensor; copied.
        dtype: its element type. Without one, Python and 64-bit floats become float32, integers
            int32; float64 is there when asked for.
        device: where it lives, such as "cpu0"; by default on the default device.
        name: what graphs call it; by default the name of the variable that holds it.

    Raises:
        TypeError: `data` holds what a tensor cannot, such as text, or the dtype is not supported.
        ValueError: `data` is ragged, or holds an integer too large; or the device is unknown.

    >>> Tensor([1., 3., 5.], device="cpux")
    Tensor([1. 3. 5.], device=cpux:0)
    >>> Tensor([[1, 2], [3, 4]]).shape
    (2, 2)
    """

    __slots__ = ("__dict__", "__weakref__", "_data", "_name", "_node", "device", "grad")

    _data: Array
    device: Device
    grad: Tensor | None

    def __init__(
        self,
        data: Any,
        dtype: Any = None,
        device: str | Device | None = None,
        *,
        name: str | None = None,
    ) -> None:
        source = data if isinstance(data, Tensor) else None
        self.device = (
            source.device if source is not None and device is None else find_device(device)
        )
        if source is None:
            data = as_array(data, dtype)
        else:
            data, dtype = source._data, None if dtype is None else checked_dtype(dtype)
        self._data = self.device.put(data, dtype)
        self._node: Any = None
        self.grad = None
        self._name = name

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type, a NumPy dtype: ``t.dtype == "float32"``."""
        dtype: np.dtype[Any] = self._data.dtype
        return dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        shape: tuple[int, ...] = self._data.shape
        return shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._data.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(self._data.size)

    @property
    def name(self) -> str | None:
        """What graphs call the tensor, if it was named explicitly."""
        return getattr(self, "_name", None)

    @name.setter
    def name(self, name: str | None) -> None:
        self._name = name

    @property
    def format(self) -> str:
        """The order of the elements in memory; "default", that of the axes, is the only one."""
        return "default"

    @property
    def requires_grad(self) -> bool:
        """There is none: a GradManager knows which tensors get a gradient."""
        raise AttributeError(_NO_REQUIRES_GRAD)

    @requires_grad.setter
    def requires_grad(self, _: object) -> None:
        raise AttributeError(_NO_REQUIRES_GRAD)

    def numpy(self) -> np.ndarray[Any, Any]:
        """The values as a read-only NumPy array; later in-place changes do not reach it."""
        array = np.asarray(to_numpy(self._data)).view()
        array.flags.writeable = False
        return array

    def item(self, *index: int) -> Any:
        """The one element (or the one at `index`) as a plain Python number.

        >>> Tensor([[2.]]).item()
        2.0
        """
        if not index and self.size != 1:
            raise ValueError(
                f"item(): a tensor of shape {self.shape} has {self.size} elements, not one;"
                " give the index of one, or use tolist()"
            )
        return self.numpy().item(*index)

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers."""
        return self.numpy().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False and dtype not in (None, self.dtype):
            raise ValueError(f"a {self.dtype} tensor becomes a {dtype} array only by a copy")
        return self.numpy() if copy is False else np.array(self.numpy(), dtype=dtype)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len(): a tensor of shape () is a single number and has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if not self.shape:
            raise TypeError("a tensor of shape () is a single number: there is nothing to iterate")
        return (self[i] for i in range(len(self)))

    def __contains__(self, value: object) -> bool:
        plain = value._data if isinstance(value, Tensor) else value
        return bool((self.device.xp.atleast_1d(self._data) == plain).any())

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(
                f"the truth value of a tensor of shape {self.shape} is ambiguous: it has"
                f" {self.size} elements; compare one element, or reduce it first"
            )
        return bool(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        if self.dtype.kind not in "iub" or self.size != 1:
            raise TypeError(
                f"only an integer tensor with one element is an index, not {self.dtype} of shape"
                f" {self.shape}"
            )
        return int(self.item())

    def __hash__(self) -> int:
        return id(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy is a tensor of its own: it has no gradient, and no graph behind it.
        return _rebuild, (type(self), self.numpy(), self.device, self.name)

    def __repr__(self) -> str:
        dtype = "" if self.dtype == np.float32 else f"dtype={self.dtype}, "
        return f"{type(self).__name__}({self._values()}, {dtype}device={self.device})"

    def _values(self) -> str:
        values = self.numpy()
        if values.ndim == 0:
            return _written(values[()])
        if values.size == 0:
            return "[]"
        with np.printoptions(precision=4, suppress=False, threshold=1000, edgeitems=3):
            return str(values)


_NO_REQUIRES_GRAD = (
    "tensors have no requires_grad: GradManager().attach(x) says which tensors get a gradient, and"
    " x.detach() is a constant"
)


class Parameter(Tensor):
    """A tensor that training changes. The result of an operation on it is a plain Tensor.

    >>> Parameter(3., device="cpux")
    Parameter(3.0, device=cpux:0)
    """


def _written(number: Any) -> str:
    """A number with all its digits; str() of a float differs among versions of NumPy."""
    if number.dtype.kind != "f":
        return str(number)
    if number == 0 or 1e-4 <= abs(float(number)) < 1e16:
        return np.format_float_positional(number, trim="0")
    return np.format_float_scientific(number, trim="-", exp_digits=2)


def _rebuild(kind: type[Tensor], data: Array, device: Device, name: str | None) -> Tensor:
    return kind(data, data.dtype, device, name=name)


def checked_dtype(dtype: Any) -> np.dtype[Any]:
    """`dtype` as a NumPy dtype.

    Raises:
        TypeError: no tensor can have this dtype.
    """
    with contextlib.suppress(TypeError):
        found: np.dtype[Any] = np.dtype(dtype)
        if found in _EXPLICIT:
            return found
    names = ", ".join(str(allowed) for allowed in _EXPLICIT)
    raise TypeError(f"unsupported dtype {dtype!r}: a tensor can have {names}")


def as_array(data: Any, dtype: Any = None) -> Array:
    """`data` as an array of a dtype that a tensor can have; not copied where it is one already.

    Raises:
        TypeError: no tensor can hold it.
        ValueError: it is ragged, or holds integers that int32 does not.
    """
    if isinstance(data, (list, tuple)) and any(isinstance(item, Tensor) for item in data):
        data = [item._data if isinstance(item, Tensor) else item for item in data]
    array = data if hasattr(data, "get") and hasattr(data, "dtype") else np.asarray(data)
    if dtype is not None:
        return array.astype(checked_dtype(dtype))
    if array.dtype in DTYPES:
        return array
    if array.dtype.kind in _IMPLICIT:
        held = array.astype(_IMPLICIT[array.dtype.kind])
        if held.dtype.kind == "i" and (held != array).any():
            raise ValueError(
                f"integers become int32, and {data!r:.60} does not fit: give floats, or a dtype"
            )
        return held
    raise TypeError(
        f"a tensor cannot hold {array.dtype} data such as {data!r:.60}: give numbers or booleans"
    )
