"""Dropout: a different part of the numbers left out in every step of training."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dispatch import result
from ...random import generator
from ...tensor import Tensor
from ..arguments import _check_tensors


def dropout(inp: Tensor, drop_prob: float, training: bool = True) -> Any:
    """`inp` with each element made 0 with the probability `drop_prob`, the others made larger.

    What stays is divided by 1 − `drop_prob`, so that the mean stays what it was. Which elements
    stay depends on ``tinyengine.random.seed``.

    Args:
        inp: any numbers.
        drop_prob: from 0 up to, not including, 1.
        training: else the result is `inp` itself.

    Raises:
        ValueError: `drop_prob` is not a probability below 1.

    >>> dropout(tensor([1., 2.]), 0.), dropout(tensor([1., 2.]), 0.9, training=False)
    (Tensor([1. 2.], device=cpux:0), Tensor([1. 2.], device=cpux:0))
    """
    _check_tensors("dropout", inp=inp)
    if not 0 <= drop_prob < 1:
        raise ValueError(f"dropout(): drop_prob={drop_prob} must be at least 0 and less than 1")
    if not training or drop_prob == 0:
        return inp
    place = inp.device if isinstance(inp, Tensor) else None
    stays = generator(place).random(inp.shape, np.float32) >= drop_prob
    factors = stays * np.float32(1 / (1 - drop_prob))
    dtype = inp.dtype if inp.dtype.kind == "f" else np.float32
    if place is None:
        return inp * factors.astype(dtype)
    return inp * result(place.put(factors, dtype), place)
