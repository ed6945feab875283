"""In which dtype a kernel computes, and in which it returns."""

from __future__ import annotations

import numpy as np

from ...backend import Array


def _wide(inp: Array) -> Array:
    """`inp` as floats wide enough to sum up: integers and float16 become float32."""
    return inp.astype(np.float32) if inp.dtype.kind != "f" or inp.dtype.itemsize == 2 else inp


def _narrow(out: Array, inp: Array) -> Array:
    """`out` in the dtype of `inp` if that is a float, else in float32."""
    return out.astype(inp.dtype if inp.dtype.kind == "f" else np.float32, copy=False)
