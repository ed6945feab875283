"""How good a prediction is, as a number to read rather than to minimise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..tensor import Tensor
from .arguments import _check_tensors
from .elemwise.logic import equal
from .math.reductions import sum
from .math.sorting import argsort
from .names import _offer_functions
from .nn.classes import _places
from .tensor.shape import expand_dims


def topk_accuracy(logits: Tensor, target: Tensor, topk: int | Iterable[int] = 1) -> Any:
    """The share of the rows whose right class is among the `topk` highest scores.

    Args:
        logits: scores (n, classes).
        target: the right classes (n,), integers.
        topk: a number, or several; then the result is a list.

    Raises:
        IndexError: a target is not one of the classes.
        ValueError: the shapes do not fit, or there are fewer than `topk` classes.

    >>> topk_accuracy(tensor([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]]), tensor([2, 1]))
    Tensor(0.5, device=cpux:0)
    """
    _check_tensors("topk_accuracy", logits=logits)
    if logits.ndim != 2:
        raise ValueError(f"topk_accuracy(): logits must be (n, classes), not {logits.shape}")
    _places("topk_accuracy", logits, target, 1)
    counts = [topk] if isinstance(topk, int) else list(topk)
    rows, classes = logits.shape
    if not all(1 <= k <= classes for k in counts):
        raise ValueError(f"topk_accuracy(): topk={topk} must be from 1 to {classes}, the classes")
    places = argsort(logits, descending=True)
    hits = equal(places, expand_dims(target, 1)).astype("float32")
    shares = [sum(hits[:, :k]) / rows for k in counts]
    return shares[0] if isinstance(topk, int) else shares


_offer_functions(globals())
