"""Layers without a window: affine maps, embeddings, dropout."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import functional as F, random
from ..tensor import Parameter, Tensor
from .module import Module


class Linear(Module):
    """y = x · weightᵀ + bias, for each row of x.

    ``weight`` has the shape (out_features, in_features), and begins as normal numbers with the
    standard deviation 1/√in_features; ``bias`` has the shape (out_features,), and begins as zeros.

    Raises:
        ValueError: a number of features is not positive.

    >>> layer = Linear(3, 2)
    >>> layer(tensor([[1., 2., 3.]])).shape
    (1, 2)
    >>> layer
    Linear(in_features=3, out_features=2, bias=True)
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, name: str | None = None
    ) -> None:
        super().__init__(name)
        if in_features < 1 or out_features < 1:
            raise ValueError(
                f"Linear: in_features={in_features} and out_features={out_features} must both be"
                " at least 1"
            )
        self.in_features, self.out_features = in_features, out_features
        std = 1 / np.sqrt(in_features)
        self.weight = Parameter(random.normal(0, std, size=(out_features, in_features)))
        self.bias = Parameter(np.zeros(out_features)) if bias else None

    def forward(self, inp: Tensor) -> Any:
        """The affine map of `inp`."""
        return F.linear(inp, self.weight, self.bias)

    def _module_info_string(self) -> str:
        has_bias = self.bias is not None
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={has_bias}"


class Embedding(Module):
    """A row of ``weight``, of shape (num_embeddings, embedding_dim), for each integer.

    Args:
        num_embeddings: how many rows there are.
        embedding_dim: how many numbers are in a row.
        initial_weight: the rows to begin with; by default normal numbers.
        freeze: whether training leaves the rows as they are.
        name: what traces call the module.

    Raises:
        ValueError: `initial_weight` has another shape.

    >>> Embedding(10, 4)(tensor([1, 5])).shape
    (2, 4)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        initial_weight: Tensor | None = None,
        freeze: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        shape = (num_embeddings, embedding_dim)
        if initial_weight is None:
            initial_weight = random.normal(size=shape)
        if initial_weight.shape != shape:
            raise ValueError(
                f"Embedding: initial_weight has the shape {initial_weight.shape}, not {shape}"
            )
        self.freeze = freeze
        self.weight: Tensor = (Tensor if freeze else Parameter)(initial_weight)

    def forward(self, inputs: Tensor) -> Any:
        """The rows of weight that `inputs` names."""
        return F.embedding(inputs, self.weight)

    def _module_info_string(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}"


class Dropout(Module):
    """In training, sets each element to 0 with probability `drop_prob` and enlarges the others.

    What is left is divided by 1 - drop_prob, so that the mean stays; ``eval()`` turns it off.

    Raises:
        ValueError: `drop_prob` is not at least 0 and below 1.

    >>> layer = Dropout(0.5)
    >>> layer.eval()
    >>> layer(tensor([1., 2.]))
    Tensor([1. 2.], device=cpux:0)
    """

    def __init__(self, drop_prob: float = 0.0, name: str | None = None) -> None:
        super().__init__(name)
        if not 0 <= drop_prob < 1:
            raise ValueError(f"Dropout: drop_prob={drop_prob} must be at least 0 and below 1")
        self.drop_prob = drop_prob

    def forward(self, inputs: Tensor) -> Any:
        """`inputs` with zeros at random places; in evaluation `inputs` itself."""
        if not self.training:
            return inputs
        return F.dropout(inputs, self.drop_prob, training=True)

    def _module_info_string(self) -> str:
        return f"drop_prob={self.drop_prob}"


class Identity(Module):
    """Returns its input.

    >>> Identity()(tensor([1.]))
    Tensor([1.], device=cpux:0)
    """

    def forward(self, x: Any) -> Any:
        """`x` itself."""
        return x
