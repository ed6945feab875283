"""Response normalisation: each channel held down by its neighbours."""

from __future__ import annotations

from typing import Any

from ...tensor import Tensor
from ..arguments import _check_tensors
from ..elemwise.transcendental import square
from ..tensor.indexing import getitem
from .padding import pad


def local_response_norm(
    inp: Tensor, kernel_size: int = 5, k: float = 2.0, alpha: float = 1e-4, beta: float = 0.75
) -> Any:
    """`inp` divided by (`k` + `alpha` · Σ inp²)^`beta`, summed over the nearest channels.

    Args:
        inp: (n, channels, …).
        kernel_size: how many channels are summed, an odd number; at the edges fewer.
        k: a summand.
        alpha: the factor of the sum.
        beta: the exponent.

    Raises:
        ValueError: `inp` has no channels, or `kernel_size` is even.

    >>> local_response_norm(tensor([[1., 2.]]), kernel_size=3, k=0., alpha=1., beta=0.5)
    Tensor([[0.4472 0.8944]], device=cpux:0)
    """
    _check_tensors("local_response_norm", inp=inp)
    if inp.ndim < 2 or kernel_size < 1 or kernel_size % 2 == 0:
        raise ValueError(
            f"local_response_norm(): inp of shape {inp.shape} must be (n, channels, …), and"
            f" kernel_size={kernel_size} odd"
        )
    reach, channels = kernel_size // 2, inp.shape[1]
    squares = pad(square(inp), ((0, 0), (reach, reach)))
    near = getitem(squares, (slice(None), slice(0, channels)))
    for shift in range(1, kernel_size):
        near = near + getitem(squares, (slice(None), slice(shift, shift + channels)))
    return inp / (k + alpha * near) ** beta
