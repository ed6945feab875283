"""Multi-head attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import functional as F, random
from ..tensor import Parameter, Tensor
from .module import Module


class MultiHeadAttention(Module):
    """Each query's mean of the values, weighted by how well the keys fit it, in several heads.

    One parameter, ``io_weight_bias`` of shape (1, n), holds the matrices (inputs, embed_dim) of the
    projections of query, key, value and output, one after the other, and then their biases. The
    matrices begin as uniform numbers (Glorot), the biases as zeros.

    Args:
        embed_dim: the length of a query, and of a row of the result.
        num_heads: how many heads share embed_dim.
        attn_dropout: the share of weights left out, in training.
        out_dropout: the share of results left out, in training.
        bias: whether the projections have biases.
        kdim: the length of a key; by default embed_dim.
        vdim: the length of a value; by default embed_dim.
        name: what traces call the module.

    Raises:
        ValueError: embed_dim is no multiple of num_heads.

    >>> from tinyengine.functional import ones
    >>> attention = MultiHeadAttention(8, num_heads=2)
    >>> x = ones((1, 5, 8))
    >>> out, shares = attention(x, x, x, need_weights=True)
    >>> out.shape, shares.shape
    ((1, 5, 8), (2, 5, 5))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        attn_dropout: float = 0.0,
        out_dropout: float = 0.0,
        bias: bool = True,
        kdim: int | None = None,
        vdim: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        if num_heads < 1 or embed_dim % num_heads:
            raise ValueError(
                f"MultiHeadAttention: embed_dim={embed_dim} must be a multiple of"
                f" num_heads={num_heads}"
            )
        self.embed_dim, self.num_heads, self.bias = embed_dim, num_heads, bias
        self.attn_dropout, self.out_dropout = attn_dropout, out_dropout
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        parts = [
            _glorot(inputs, embed_dim) for inputs in (embed_dim, self.kdim, self.vdim, embed_dim)
        ]
        if bias:
            parts.append(np.zeros(4 * embed_dim, "float32"))
        self.io_weight_bias = Parameter(np.concatenate(parts)[None])

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
        need_weights: bool = False,
        average_attn_weights: bool = False,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:
        """The result for each query, and with need_weights the weights of the keys (else None).

        Args:
            query: (n, length, embed_dim).
            key: (n, source length, kdim).
            value: (n, source length, vdim).
            key_padding_mask: (n, source length), True where a key is to be left out.
            attn_mask: (length, source length), True where a query must not see a key.
            need_weights: whether to return the weights (n · heads, length, source length) too.
            average_attn_weights: return their mean over the heads.
            is_causal: let no query see the keys behind its own place.
        """
        biases: dict[str, Any] = dict.fromkeys(("qbias", "kbias", "vbias", "obias"), self.bias)
        out, weights = F.multi_head_attention(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.attn_dropout,
            self.out_dropout,
            self.io_weight_bias,
            **biases,
            key_padding_mask=key_padding_mask,
            attn_mask=attn_mask,
            need_weights=need_weights,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
            training=self.training,
        )
        return out, weights

    def _module_info_string(self) -> str:
        return (
            f"embed_dim={self.embed_dim}, num_heads={self.num_heads}, bias={self.bias},"
            f" kdim={self.kdim}, vdim={self.vdim}"
        )


def _glorot(inputs: int, outputs: int) -> np.ndarray[Any, Any]:
    """The elements of a matrix (inputs, outputs), in one row."""
    bound = math.sqrt(6 / (inputs + outputs))
    return random.uniform(-bound, bound, size=(inputs * outputs,)).numpy()
