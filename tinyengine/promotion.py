"""The dtype of a result of mixed operands: MegEngine's rules, where they differ from NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .backend import Array

FLOAT32 = np.dtype("float32")
_FLOAT64 = np.dtype("float64")
_BOOL = np.dtype("bool")


def common_dtype(dtypes: Iterable[np.dtype[Any]]) -> np.dtype[Any]:
    """The dtype in which operands of these dtypes are computed.

    Floats and booleans meet in float32 (float64 where one was explicitly that), signed integers in
    the wider one.

    Raises:
        TypeError: signed and unsigned integers are mixed.

    >>> str(common_dtype([np.dtype("int32"), np.dtype("float16")]))
    'float32'
    """
    distinct = sorted(set(dtypes), key=lambda dtype: dtype.itemsize)
    kinds = {dtype.kind for dtype in distinct}
    if len(distinct) == 1 or kinds in ({"i"}, {"u"}):
        return distinct[-1]
    if kinds == {"i", "u"}:
        names = " and ".join(str(dtype) for dtype in distinct)
        raise TypeError(f"{names} cannot be mixed: one is signed, the other not; use astype()")
    return _FLOAT64 if _FLOAT64 in distinct else FLOAT32


def promote(
    forward: Callable[..., Array], values: Sequence[Any], out: Array
) -> tuple[Array, Sequence[Any]]:
    """The result and the operands of `forward` in the dtype that MegEngine gives them.

    `out` is what NumPy makes of `values`; Python numbers among them take the others' dtype.
    """
    dtypes = {value.dtype for value in values if hasattr(value, "dtype")}
    only_booleans = len(values) > 1 and dtypes == {_BOOL}
    if len(dtypes) > 1 or only_booleans:
        common = FLOAT32 if only_booleans else common_dtype(dtypes)
        values = [v.astype(common) if hasattr(v, "dtype") else v for v in values]
        out = forward(*values)
    if out.dtype.kind in "iu" and out.dtype.itemsize == 8:
        return out.astype("int32"), values
    if out.dtype.kind != "f" or out.dtype == FLOAT32 or out.dtype in dtypes:
        return out, values
    values = [v.astype(FLOAT32) if hasattr(v, "dtype") else v for v in values]
    return forward(*values), values
