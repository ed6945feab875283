"""Snapshot: the values of a tensor at one moment, of bounded size, ready for JSON."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from .backend import Array, to_numpy

Snapshot: TypeAlias = dict[str, Any]
"""shape and dtype; up to 64 elements as ``data``, of more only min, max, mean and a thumbnail."""

LIMIT = 64
_THUMBNAIL = 8


def snapshot(array: Array) -> Snapshot:
    """The values of `array` now. NaN and infinities are the strings "nan", "inf" and "-inf".

    >>> snapshot(np.float32(2.5))
    {'shape': [], 'dtype': 'float32', 'data': 2.5}
    >>> snapshot(np.zeros((100, 100)))["mean"]
    0.0
    """
    array = np.asarray(to_numpy(array))
    known: Snapshot = {"shape": list(array.shape), "dtype": str(array.dtype)}
    if array.size <= LIMIT:
        return {**known, "data": _plain(array)}
    with np.errstate(all="ignore"):
        wide = array.astype("float64")
        facts = {"min": wide.min(), "max": wide.max(), "mean": wide.mean()}
    return {
        **known,
        **{name: _plain(np.asarray(fact)) for name, fact in facts.items()},
        "thumbnail": _plain(_thumbnail(wide)),
    }


def _thumbnail(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """At most 8 × 8 of the elements, evenly spaced, with the leading axes laid on one another."""
    rows = array.reshape(-1, array.shape[-1])
    picks = (np.linspace(0, n - 1, min(n, _THUMBNAIL)).astype(int) for n in rows.shape)
    thumbnail: np.ndarray[Any, Any] = rows[np.ix_(*picks)]
    return thumbnail


def _plain(array: np.ndarray[Any, Any]) -> Any:
    """`array` as nested lists of what JSON can hold."""
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return _shortest(array).tolist()
    texts = [
        value if math.isfinite(value) else str(value) for value in _shortest(array).ravel().tolist()
    ]
    out = np.empty(array.size, object)
    out[:] = texts
    return out.reshape(array.shape).tolist()


def _shortest(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """In double precision, with the digits that tell the values apart: 0.1, not 0.10000000149."""
    if array.dtype.kind != "f" or array.dtype == np.float64:
        return array
    return np.array([float(str(v)) for v in array.ravel()], "float64").reshape(array.shape)
