"""Attention: each query's mean of the values, weighted by how well its key fits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dispatch import result
from ...tensor import Tensor
from ..arguments import _check_tensors
from ..elemwise.arithmetic import add
from ..math.linalg import matmul
from ..math.reductions import mean
from ..tensor.indexing import getitem, where
from ..tensor.shape import expand_dims, reshape, transpose
from .dropout import dropout
from .softmax import softmax

_PARTS = ("query", "key", "value", "output")


def multi_head_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim: int,
    num_heads: int,
    attn_drop: float,
    out_drop: float,
    io_weight_bias: Tensor | None,
    qproj_size: int | None = None,
    kproj_size: int | None = None,
    vproj_size: int | None = None,
    oproj_size: int | None = None,
    qbias: bool = False,
    kbias: bool = False,
    vbias: bool = False,
    obias: bool = False,
    bias_k: Tensor | None = None,
    bias_v: Tensor | None = None,
    add_zero_attn: bool = False,
    key_padding_mask: Tensor | None = None,
    attn_mask: Tensor | None = None,
    need_weights: bool = False,
    average_attn_weights: bool = False,
    is_causal: bool = False,
    maybe_cudnn_style_mask: bool = False,
    reslink: bool = False,
    training: bool = True,
) -> Any:
    """Attention of several heads: softmax(Q·Kᵀ/√head size)·V for each, put together and projected.

    Args:
        query: (n, length, size), or without n.
        key: (n, source length, size).
        value: (n, source length, size).
        embed_dim: the size in which the heads share.
        num_heads: how many heads.
        attn_drop: dropout of the weights.
        out_drop: dropout of the result.
        io_weight_bias: in one vector the matrices (inputs, outputs) of the projections of query,
            key, value and output, then their biases; None where there are no projections.
        qproj_size: the size to which queries are projected; `embed_dim` by default, 0 for none.
        kproj_size: the same for keys.
        vproj_size: the same for values.
        oproj_size: the same for the output.
        qbias: whether the projection of the queries has a bias.
        kbias: the same for keys.
        vbias: the same for values.
        obias: the same for the output.
        bias_k: not supported, as in MegEngine; must be None.
        bias_v: not supported; must be None.
        add_zero_attn: not supported; must be False.
        key_padding_mask: (n, source length): which keys to leave out, or numbers to add.
        attn_mask: (length, source length), or one for each head of each sample: which keys each
            query must not see, or numbers to add.
        need_weights: return the weights too.
        average_attn_weights: their mean over the heads.
        is_causal: without `attn_mask`, no query sees the keys behind its own place.
        maybe_cudnn_style_mask: not supported; must be False.
        reslink: not supported; must be False.
        training: whether dropout is applied.

    Returns:
        The result (n, length, size), and the weights (n · heads, length, source length) or None.

    Raises:
        ValueError: the sizes do not fit, or something is not supported.

    >>> x = tensor([[[1., 0.], [0., 1.]]])
    >>> sizes = dict(qproj_size=0, kproj_size=0, vproj_size=0, oproj_size=0)
    >>> multi_head_attention(x, x, x, 2, 1, 0., 0., None, **sizes)[0]
    Tensor([[[0.6698 0.3302]
      [0.3302 0.6698]]], device=cpux:0)
    """
    _check_tensors(
        "multi_head_attention", query=query, key=key, value=value, io_weight_bias=io_weight_bias
    )
    if (bias_k, bias_v) != (None, None) or add_zero_attn or maybe_cudnn_style_mask or reslink:
        raise ValueError(
            "multi_head_attention(): bias_k, bias_v, add_zero_attn, maybe_cudnn_style_mask and"
            " reslink are not supported: leave them out"
        )
    batched = query.ndim == 3
    if not batched:
        query, key, value = (expand_dims(x, 0) for x in (query, key, value))
    sizes = [
        embed_dim if size is None else size
        for size in (qproj_size, kproj_size, vproj_size, oproj_size)
    ]
    wide = (query.shape[-1], key.shape[-1], value.shape[-1], sizes[2] or value.shape[-1])
    weights = _unpacked(io_weight_bias, wide, sizes, (qbias, kbias, vbias, obias))
    heads = [
        _split(_projected(x, *w), num_heads, name)
        for x, w, name in zip((query, key, value), weights, _PARTS, strict=False)
    ]
    head_size = embed_dim if sizes[0] == 0 else embed_dim // num_heads
    scores = matmul(heads[0], heads[1], transpose_b=True) * head_size**-0.5
    n, length, source = query.shape[0], query.shape[1], key.shape[1]
    if is_causal and attn_mask is None:
        attn_mask = Tensor(np.triu(np.ones((length, source), bool), 1), device=query.device)
    if attn_mask is not None:
        shape = (n, num_heads) if attn_mask.ndim == 3 else (1, 1)
        scores = _masked(scores, reshape(attn_mask, (*shape, length, source)))
    if key_padding_mask is not None:
        scores = _masked(scores, reshape(key_padding_mask, (n, 1, 1, source)))
    shares = softmax(scores, axis=-1)
    mixed = matmul(dropout(shares, attn_drop, training), heads[2])
    joined = reshape(transpose(mixed, (0, 2, 1, 3)), (n, length, -1))
    out = dropout(_projected(joined, *weights[3]), out_drop, training)
    out = out if batched else getitem(out, 0)
    if not need_weights:
        return out, None
    if average_attn_weights:
        return out, mean(shares, 1)
    return out, reshape(shares, (n * num_heads, length, source))


def _unpacked(
    packed: Any, inputs: tuple[int, ...], outputs: list[int], biases: tuple[bool, ...]
) -> list[tuple[Any, Any]]:
    """The matrix and the bias of each projection; None where there is none."""
    lengths = [i * o for i, o in zip(inputs, outputs, strict=True)]
    lengths += [o * has for o, has in zip(outputs, biases, strict=True)]
    given = 0 if packed is None else packed.size
    if given != sum(lengths):
        raise ValueError(
            f"multi_head_attention(): io_weight_bias must have {sum(lengths)} elements, for the"
            f" matrices and biases {lengths} of query, key, value and output, not {given}"
        )
    ends = np.cumsum([0, *lengths]).tolist()
    flat = None if packed is None else reshape(packed, (-1,))
    parts: list[Any] = [
        getitem(flat, slice(begin, begin + n)) if n else None
        for begin, n in zip(ends, lengths, strict=False)
    ]
    return [
        (None if w is None else reshape(w, (i, o)), b)
        for w, b, i, o in zip(parts[:4], parts[4:], inputs, outputs, strict=True)
    ]


def _projected(x: Any, weight: Any, bias: Any) -> Any:
    x = x if weight is None else matmul(x, weight)
    return x if bias is None else add(x, bias)


def _split(x: Any, heads: int, name: str) -> Any:
    """(n, length, size) as (n, heads, length, size / heads)."""
    n, length, size = x.shape
    if size % heads:
        raise ValueError(
            f"multi_head_attention(): the size {size} of {name} is no multiple of {heads} heads"
        )
    return transpose(reshape(x, (n, length, heads, size // heads)), (0, 2, 1, 3))


def _masked(scores: Any, mask: Any) -> Any:
    """`scores` with hardly any weight where a boolean mask holds; a mask of numbers is added."""
    if mask.dtype != bool:
        return scores + mask
    lowest = np.finfo(scores.dtype).min / 2  # not -inf: a query that sees nothing would be NaN
    floor = result(scores.device.put(lowest, scores.dtype), scores.device)
    return where(mask, floor, scores)
