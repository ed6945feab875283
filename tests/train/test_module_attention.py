"""Multi-head attention: sizes, first weights, masks, and the formula for one head."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.module as M
from tinyengine.autodiff import GradManager


def array(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(11).standard_normal(shape).astype("float32")


def test_one_packed_parameter() -> None:
    layer = M.MultiHeadAttention(8, 2)
    assert {name: p.shape for name, p in layer.named_parameters()} == {"io_weight_bias": (1, 288)}
    assert repr(layer) == "MultiHeadAttention(embed_dim=8, num_heads=2, bias=True, kdim=8, vdim=8)"
    packed = layer.io_weight_bias.numpy()[0]
    assert not packed[-32:].any()
    assert 0.9 * math.sqrt(6 / 16) < abs(packed[:-32]).max() <= math.sqrt(6 / 16)
    assert M.MultiHeadAttention(8, 2, bias=False).io_weight_bias.shape == (1, 256)
    assert M.MultiHeadAttention(8, 2, bias=False, kdim=3, vdim=5).io_weight_bias.shape == (1, 192)


def test_the_formula_of_one_head() -> None:
    layer = M.MultiHeadAttention(4, 1, kdim=3, vdim=2)
    q, k, v = array(1, 5, 4), array(1, 6, 3), array(1, 6, 2)
    packed = array(1, layer.io_weight_bias.size)
    layer.io_weight_bias = te.Parameter(packed)
    ends = np.cumsum([4 * 4, 3 * 4, 2 * 4, 4 * 4, 4, 4, 4, 4])
    wq, wk, wv, wo, bq, bk, bv, bo = np.split(packed[0], ends[:-1])
    scores = (q[0] @ wq.reshape(4, 4) + bq) @ (k[0] @ wk.reshape(3, 4) + bk).T / 2
    shares = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    expected = shares @ (v[0] @ wv.reshape(2, 4) + bv) @ wo.reshape(4, 4) + bo
    out, weights = layer(te.tensor(q), te.tensor(k), te.tensor(v), need_weights=True)
    np.testing.assert_allclose(weights.numpy()[0], shares, atol=1e-5)
    np.testing.assert_allclose(out.numpy()[0], expected, atol=1e-4)


def test_a_causal_query_does_not_see_what_comes() -> None:
    layer, x = M.MultiHeadAttention(4, 2), te.tensor(array(1, 5, 4))
    out, weights = layer(x, x, x, need_weights=True, is_causal=True)
    assert not np.triu(weights.numpy(), 1).any()
    first, none = layer(x[:, :2], x[:, :2], x[:, :2], is_causal=True)
    np.testing.assert_allclose(first.numpy(), out.numpy()[:, :2], atol=1e-6)
    assert none is None


def test_dropout_only_in_training() -> None:
    layer = M.MultiHeadAttention(4, 2, attn_dropout=0.5, out_dropout=0.5)
    x = te.tensor(array(1, 5, 4))
    assert (layer(x, x, x)[0].numpy() != layer(x, x, x)[0].numpy()).any()
    layer.eval()
    np.testing.assert_array_equal(layer(x, x, x)[0].numpy(), layer(x, x, x)[0].numpy())


def test_it_learns() -> None:
    layer, x = M.MultiHeadAttention(4, 2), te.tensor(array(1, 5, 4))
    gm = GradManager().attach(layer.parameters())
    with gm:
        gm.backward((layer(x, x, x)[0] * te.tensor(array(1, 5, 4))).sum())
    assert layer.io_weight_bias.grad is not None
    assert np.count_nonzero(layer.io_weight_bias.grad.numpy()) > 60


def test_heads_must_share_the_size() -> None:
    with pytest.raises(ValueError, match="embed_dim=5 must be a multiple of num_heads=2"):
        M.MultiHeadAttention(5, 2)
