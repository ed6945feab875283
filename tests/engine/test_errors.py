"""Error messages: each names the call, what it was given, and what to do."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F
from tinyengine import backend
from tinyengine.op import TABLE

T = te.tensor
X = T([1.0, 2.0], device="cpux")
M = T([[1.0, 2.0]], device="cpux")
DTYPES = "float32, float16, int32, int16, int8, uint8, uint16, bool, float64"
DEVICES = (
    "allowed are 'xpux' (any device), 'cpux', 'gpux', or a numbered one such as 'cpu0' or 'gpu1'"
)
STRETCH = "the shapes must be equal, or an axis be of length 1 (or missing on the left) to stretch"

CASES: list[tuple[Callable[[], Any], type[Exception], str]] = [
    # making a tensor
    (lambda: T(), TypeError, "missing 1 required positional argument: 'data'"),
    (lambda: T(None), TypeError, "a tensor cannot hold object data such as None: give numbers"),
    (lambda: T("a"), TypeError, "a tensor cannot hold <U1 data such as 'a': give numbers"),
    (lambda: T(1j), TypeError, "a tensor cannot hold complex128 data such as 1j"),
    (lambda: T(np.uint32(1)), TypeError, "a tensor cannot hold uint32 data"),
    (lambda: T({1}), TypeError, "a tensor cannot hold object data such as {1}"),
    (lambda: T([[1], [2, 3]]), ValueError, "inhomogeneous shape"),
    (lambda: T(2**31), ValueError, "become int32, and 2147483648 does not fit: give floats"),
    (lambda: T(1, dtype="foo"), TypeError, f"unsupported dtype 'foo': a tensor can have {DTYPES}"),
    (lambda: T(1, dtype="int64"), TypeError, "unsupported dtype 'int64': a tensor can have"),
    (lambda: T(X, dtype=int), TypeError, "unsupported dtype <class 'int'>: a tensor can have"),
    (lambda: X.astype("int64"), TypeError, "unsupported dtype 'int64': a tensor can have"),
    # devices
    (lambda: T(1, device="foo"), ValueError, f"unknown device 'foo': {DEVICES}"),
    (lambda: T(1, device="cpu"), ValueError, "unknown device 'cpu': allowed are"),
    (lambda: T(1, device="cpu00"), ValueError, "unknown device 'cpu00': allowed are"),
    (lambda: T(1, device=0), ValueError, "unknown device 0: allowed are"),  # type: ignore[arg-type]
    (lambda: X.to("foo"), ValueError, f"unknown device 'foo': {DEVICES}"),
    (lambda: X.to(), TypeError, "to() missing 1 required positional argument: 'device'"),
    (lambda: te.set_default_device("foo"), ValueError, f"unknown device 'foo': {DEVICES}"),
    (
        lambda: te.get_device_count("foo"),
        ValueError,
        "unknown kind of device 'foo': allowed are 'cpu', 'gpu' and 'xpu'",
    ),
    (
        lambda: X + X.to("cpu0"),
        RuntimeError,
        "add(): x is on cpux:0, y is on cpu0:0: bring them to one device, for example with x.to(",
    ),
    (lambda: M @ X.to("cpu0"), RuntimeError, "matmul(): inp1 is on cpux:0, inp2 is on cpu0:0: "),
    # operands
    (lambda: X + None, TypeError, "add(): an operand is None; give a tensor, an array or a number"),
    (lambda: None / X, TypeError, "div(): an operand is None"),
    (lambda: X * "a", TypeError, "mul(): a tensor cannot hold <U1 data such as 'a'"),
    (lambda: X - object(), TypeError, "sub(): a tensor cannot hold object data such as <object"),
    (lambda: X / [[1], [2, 3]], ValueError, "div(): setting an array element with a sequence"),
    (lambda: X * [2**40, 0], ValueError, "mul(): integers become int32, and [1099511627776, 0]"),
    (lambda: T(1) + 2**40, OverflowError, "add(): x of shape (), y of shape (): Python integer"),
    (lambda: T(1, "int8") + 300, OverflowError, "300 out of bounds for int8"),
    (lambda: T(1, "uint8") + T(1), TypeError, "uint8 and int32 cannot be mixed: one is signed"),
    (
        lambda: F.add([1], [2]),
        TypeError,
        "add(): list [1] is not a tensor; make it one with tensor(",
    ),
    (
        lambda: F.sum([1.0]),
        TypeError,
        "sum(): list [1.0] is not a tensor; make it one with tensor(",
    ),
    (lambda: F.neg(None), TypeError, "neg(): NoneType None is not a tensor"),
    (lambda: F.neg(X, 2), TypeError, "neg(): too many positional arguments"),
    (lambda: F.sum(X, foo=1), TypeError, "sum(): got an unexpected keyword argument 'foo'"),
    (lambda: F.sum(axis=0), TypeError, "sum(): missing a required argument: 'inp'"),
    (lambda: F.reshape(X), TypeError, "reshape(): missing a required argument: 'target_shape'"),
    # shapes
    (
        lambda: X + T([1.0, 2.0, 3.0]),
        ValueError,
        f"add(): x of shape (2,), y of shape (3,): {STRETCH}",
    ),
    (lambda: M * np.ones((2, 3)), ValueError, "mul(): x of shape (1, 2), y of shape (2, 3): the"),
    (
        lambda: M @ M,
        ValueError,
        "matmul(): inp1 of shape (1, 2), inp2 of shape (1, 2): each row of inp1 has 2 elements but"
        " each column of inp2 has 1",
    ),
    (
        lambda: X @ T([1.0, 2.0, 3.0]),
        ValueError,
        "matmul(): inp1 of shape (2,), inp2 of shape (3,): each row of inp1 has 2 elements but each"
        " column of inp2 has 3",
    ),
    (
        lambda: F.matmul(M, T([[1.0, 2.0, 3.0]]), transpose_b=True),
        ValueError,
        "matmul(): inp1 of shape (1, 2), inp2 of shape (1, 3), transpose_b=True: each row of inp1"
        " has 2 elements but each column of inp2 has 3",
    ),
    (
        lambda: T(np.ones((2, 1, 2))) @ T(np.ones((3, 2, 1))),
        ValueError,
        "matmul(): inp1 of shape (2, 1, 2), inp2 of shape (3, 2, 1): the leading axes (2,) and (3,)"
        " do not stretch to a common shape",
    ),
    *[
        (
            call,
            ValueError,
            "both operands need at least one axis; multiply by a single number with *",
        )
        for call in (lambda: T(2.0) @ X, lambda: X @ 2.0, lambda: 2 @ X, lambda: X @ np.float64(2))
    ],
    (
        lambda: X.reshape(3),
        ValueError,
        "reshape(): inp of shape (2,), target_shape=3: 2 elements do not fill the target shape",
    ),
    (
        lambda: X.reshape(-1, -1),
        ValueError,
        "only one length of the target shape (-1, -1) may be -1",
    ),
    (lambda: X.reshape(-2, 1), ValueError, "2 elements do not fill the target shape (-2, 1)"),
    (lambda: X.reshape(0, -1), ValueError, "2 elements do not fill the target shape (0, -1)"),
    (lambda: T([]).reshape(-1, 0), ValueError, "0 elements do not fill the target shape (-1, 0)"),
    (lambda: X.reshape(), ValueError, "2 elements do not fill the target shape ()"),
    (
        lambda: X.reshape(1.5, 2),
        TypeError,
        "reshape(): inp of shape (2,), target_shape=(1.5, 2): 'fl",
    ),
    (lambda: X.reshape("ab"), TypeError, "reshape(): inp of shape (2,), target_shape='ab': 'str'"),
    (lambda: X.reshape(None), TypeError, "reshape(): inp of shape (2,), target_shape=None: "),
    (
        lambda: F.broadcast_to(X, (2, 3)),
        ValueError,
        f"broadcast_to(): inp of shape (2,), shape=(2, 3): {STRETCH}",
    ),
    (
        lambda: F.expand_dims(X, 3),
        ValueError,
        "expand_dims(): inp of shape (2,), axis=3: axis 3 is",
    ),
    (
        lambda: F.expand_dims(X, -4),
        ValueError,
        "expand_dims(): inp of shape (2,), axis=-4: axis -4",
    ),
    (
        lambda: F.swapaxes(M, 0, 5),
        ValueError,
        "swapaxes(): inp of shape (1, 2), axis1=0, axis2=5: ",
    ),
    (
        lambda: X.sum(axis=1),
        ValueError,
        "sum(): inp of shape (2,), axis=1: axis 1 is out of bounds",
    ),
    (lambda: M.sum(axis=(0, 0)), ValueError, "sum(): inp of shape (1, 2), axis=(0, 0): duplicate"),
    (lambda: X.sum(axis="a"), TypeError, "sum(): inp of shape (2,), axis='a': 'str' object cannot"),
    # indices
    (lambda: X[2], IndexError, "getitem(): inp of shape (2,), key=2: index 2 is out of bounds"),
    (lambda: X[-3], IndexError, "index -3 is out of bounds for axis 0 with size 2"),
    (lambda: M[0, 2], IndexError, "getitem(): inp of shape (1, 2), key=(0, 2): index 2 is out of"),
    (lambda: X[0, 0], IndexError, "too many indices"),
    (lambda: X[..., ...], IndexError, "can only have a single ellipsis"),
    (lambda: X[T([5])], IndexError, "index 5 is out of bounds for axis 0 with size 2"),
    (lambda: X["a"], IndexError, "getitem(): inp of shape (2,), key='a': only integers, slices"),
    (lambda: X[1.0], IndexError, "getitem(): inp of shape (2,), key=1.0: only integers, slices"),
    (
        lambda: X[T([1.0])],
        IndexError,
        "arrays used as indices must be of integer (or boolean) type",
    ),
    (lambda: X[T([True, False, True])], IndexError, "boolean index did not match"),
    (lambda: X[::0], ValueError, "slice step cannot be zero"),
    (lambda: X[0.5:], TypeError, "slice indices must be integers"),
    (lambda: T(1.0)[0], IndexError, "getitem(): inp of shape (), key=0: "),
    # as numbers
    (
        lambda: X.item(),
        ValueError,
        "item(): a tensor of shape (2,) has 2 elements, not one; give the index of one, or use"
        " tolist()",
    ),
    (lambda: X.item(2), IndexError, "index 2 is out of bounds"),
    (lambda: float(X), ValueError, "item(): a tensor of shape (2,) has 2 elements, not one"),
    (
        lambda: bool(X),
        ValueError,
        "the truth value of a tensor of shape (2,) is ambiguous: it has 2",
    ),
    (lambda: bool(T([])), ValueError, "the truth value of a tensor of shape (0,) is ambiguous"),
    (lambda: len(T(1.0)), TypeError, "len(): a tensor of shape () is a single number and has no"),
    (lambda: list(T(1.0)), TypeError, "a tensor of shape () is a single number: there is nothing"),
    (
        lambda: range(3)[T(1.0)],
        TypeError,
        "only an integer tensor with one element is an index, not float32 of shape ()",
    ),
    (lambda: range(3)[T([0, 1])], TypeError, "is an index, not int32 of shape (2,)"),
    (lambda: f"{T(1.0):.3f}", TypeError, "unsupported format string"),
]


@pytest.mark.parametrize(
    ("call", "kind", "message"), CASES, ids=[f"{i}" for i in range(len(CASES))]
)
def test_message(call: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        call()


PUBLIC = {name: this for name, this in TABLE.items() if hasattr(F, name)}


@pytest.mark.parametrize("name", [n for n, this in PUBLIC.items() if len(this.operands) == 2])
def test_every_op_with_two_operands_refuses_two_devices(name: str) -> None:
    left, right = T([1.0]), T([1.0], device="cpu0")
    function = getattr(F, name)
    with pytest.raises(RuntimeError, match=rf"^{name}\(\): \w+ is on cpux:0, \w+ is on cpu0:0: "):
        function(left, right)


@pytest.mark.parametrize("name", [n for n, this in PUBLIC.items() if this.elementwise])
def test_every_elementwise_op_refuses_what_is_no_number(name: str) -> None:
    count = len(TABLE[name].operands)
    for wrong in (None, "text", object()):
        with pytest.raises(TypeError, match=rf"^{name}\(\): "):
            getattr(F, name)(*[X, wrong][-count:])


@pytest.fixture
def _no_cupy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine without CuPy, also where there is one."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    caches = (backend._missing_gpu, backend._cupy)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.mark.usefixtures("_no_cupy")
def test_a_gpu_without_cupy() -> None:
    message = re.escape(
        "device 'gpu63:0': CuPy is not installed; on a machine with a GPU run: pip install"
        " 'tinyengine[gpu]'; or use 'cpux', any CPU"
    )
    for call in (lambda: T(1.0, device="gpu63"), lambda: X.to("gpu63"), lambda: F.copy(X, "gpu63")):
        with pytest.raises(RuntimeError, match=message):
            call()
    te.set_default_device("gpu63")
    with pytest.raises(RuntimeError, match=message):
        T(1.0)
    assert not te.is_cuda_available()
