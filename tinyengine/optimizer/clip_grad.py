"""Bounds on gradients, between backward() and step()."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..backend import array_module, to_numpy
from ..tensor import Tensor

__all__ = ["clip_grad_norm", "clip_grad_value"]


@np.errstate(all="ignore")
def clip_grad_norm(tensors: Tensor | Iterable[Tensor], max_norm: float, ord: float = 2.0) -> Tensor:
    """Shrink the gradients of `tensors` together, so that the norm of all is at most `max_norm`.

    Args:
        tensors: a tensor, or several; those without a gradient are left out.
        max_norm: the bound.
        ord: the order of the norm; infinity bounds the largest element.

    Returns:
        the norm before; 0 without any gradient.

    Raises:
        ValueError: `max_norm` is negative, or `ord` not above 0.

    >>> w = Parameter([1., 1.])
    >>> w.grad = tensor([3., 4.])
    >>> clip_grad_norm(w, max_norm=1.0), w.grad
    (Tensor(5.0, device=cpux:0), Tensor([0.6 0.8], device=cpux:0))
    """
    if not max_norm >= 0 or not ord > 0:
        raise ValueError(
            f"clip_grad_norm(): max_norm={max_norm} must not be negative, and ord={ord} be above 0"
        )
    grads = _grads(tensors)
    norms = [_norm(to_numpy(grad._data), ord) for grad in grads]
    norm = _norm(np.array(norms), ord) if norms else 0.0
    if norm > max_norm:
        for grad in grads:
            grad._data = grad._data * (max_norm / norm)
    return Tensor(norm, device=grads[0].device if grads else None)


def clip_grad_value(tensors: Tensor | Iterable[Tensor], lower: float, upper: float) -> None:
    """Bring every element of the gradients of `tensors` between `lower` and `upper`.

    Raises:
        ValueError: `lower` is above `upper`.

    >>> w = Parameter([1., 1.])
    >>> w.grad = tensor([-3., 0.2])
    >>> clip_grad_value(w, -0.5, 0.5)
    >>> w.grad
    Tensor([-0.5  0.2], device=cpux:0)
    """
    if not lower <= upper:
        raise ValueError(f"clip_grad_value(): lower={lower} must not be above upper={upper}")
    for grad in _grads(tensors):
        grad._data = array_module(grad._data).clip(grad._data, lower, upper)


def _grads(tensors: Tensor | Iterable[Tensor]) -> list[Tensor]:
    given = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    return [tensor.grad for tensor in given if tensor.grad is not None]


def _norm(array: Any, order: float) -> float:
    """In double precision, which squares of float32 do not overflow."""
    return float(np.linalg.norm(np.ravel(array).astype("float64"), order))
