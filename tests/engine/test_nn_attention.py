"""Attention of several heads against its definition, head by head."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(0)
QUERY, KEY, VALUE = (RANDOM.standard_normal((2, n, 4)) for n in (3, 5, 5))
PACKED = RANDOM.standard_normal(4 * 16 + 4 * 4) / 2
BIASED: Any = dict.fromkeys(("qbias", "kbias", "vbias", "obias"), True)


def T(data: Any, dtype: str | None = "float64") -> te.Tensor:  # noqa: N802
    return te.tensor(data, dtype=dtype, device="cpux")


def attention(*args: Any, **options: Any) -> Any:
    args = args or (T(QUERY), T(KEY), T(VALUE))
    options = {"io_weight_bias": T(PACKED), "training": False, **BIASED, **options}
    return F.multi_head_attention(
        *args, embed_dim=4, num_heads=2, attn_drop=0.0, out_drop=0.0, **options
    )


def by_hand(hidden: Array | None = None) -> tuple[Array, Array]:
    """The result and the weights (n, heads, 3, 5), one query at a time."""
    w = [PACKED[16 * i : 16 * i + 16].reshape(4, 4) for i in range(4)]
    b = [PACKED[64 + 4 * i : 68 + 4 * i] for i in range(4)]
    q, k, v = (x @ w[i] + b[i] for i, x in enumerate((QUERY, KEY, VALUE)))
    out, shares = np.zeros((2, 3, 4)), np.zeros((2, 2, 3, 5))
    for n, head, i in np.ndindex(2, 2, 3):
        part = slice(2 * head, 2 * head + 2)
        fit = np.exp([q[n, i, part] @ k[n, j, part] / 2**0.5 for j in range(5)])
        if hidden is not None:
            fit = fit * ~hidden[n, i]
        shares[n, head, i] = fit / fit.sum()
        out[n, i, part] = shares[n, head, i] @ v[n, :, part]
    return out @ w[3] + b[3], shares


def test_it_is_its_definition() -> None:
    want, shares = by_hand()
    out, none = attention()
    assert none is None
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-9)
    _, weights = attention(need_weights=True)
    np.testing.assert_allclose(weights.numpy(), shares.reshape(4, 3, 5), rtol=1e-9)
    _, weights = attention(need_weights=True, average_attn_weights=True)
    np.testing.assert_allclose(weights.numpy(), shares.mean(1), rtol=1e-9)


def test_one_sample_alone() -> None:
    out, _ = attention(T(QUERY[0]), T(KEY[0]), T(VALUE[0]))
    np.testing.assert_allclose(out.numpy(), by_hand()[0][0], rtol=1e-9)


@pytest.mark.parametrize("kind", ["booleans", "numbers"])
def test_masks_hide_keys(kind: str) -> None:
    later, padding = np.triu(np.ones((3, 5), bool), 1), np.zeros((2, 5), bool)
    padding[0, 4] = padding[1, 1] = True
    mask = lambda m: T(m, None) if kind == "booleans" else T(m * -1e9)  # noqa: E731
    out, _ = attention(attn_mask=mask(later), key_padding_mask=mask(padding))
    want, _ = by_hand(later | padding[:, None])
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-9)
    causal, _ = attention(is_causal=True)
    np.testing.assert_allclose(causal.numpy(), by_hand(np.array([later, later]))[0], rtol=1e-9)
    each_head, _ = attention(attn_mask=mask(np.array([later] * 4)))
    np.testing.assert_allclose(each_head.numpy(), causal.numpy(), rtol=1e-9)


def test_a_query_that_sees_nothing_is_no_nan(grads: Any) -> None:
    hidden = T(np.ones((2, 5), bool), None)
    run = lambda q: attention(q, T(KEY), T(VALUE), key_padding_mask=hidden)[0]  # noqa: E731
    (by_query,) = grads(run, T(QUERY))
    assert (by_query == 0).all()


def test_all_learn(grads: Any) -> None:
    run = lambda q, k, v, w: attention(q, k, v, io_weight_bias=w)[0] ** 2  # noqa: E731
    arrays = [QUERY, KEY, VALUE, PACKED]
    for i, got in enumerate(grads(run, *map(T, arrays))):
        step = np.random.default_rng(i).standard_normal(arrays[i].shape) * 1e-6
        sums = []
        for sign in (1, -1):
            moved = [x + sign * step if j == i else x for j, x in enumerate(arrays)]
            sums.append(run(*map(T, moved)).numpy().sum())
        assert (sums[0] - sums[1]) / 2 == pytest.approx((got * step).sum(), rel=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"io_weight_bias": T([1.0])}, "io_weight_bias must have 80 elements"),
        ({"io_weight_bias": None}, "must have 80 elements, .* not 0"),
        ({"add_zero_attn": True}, "are not supported: leave them out"),
    ],
)
def test_wrong_calls_are_told_what_to_do(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        attention(**options)
    with pytest.raises(ValueError, match="the size 4 of query is no multiple of 3 heads"):
        F.multi_head_attention(*[T(QUERY)] * 3, 4, 3, 0.0, 0.0, T(PACKED[:64]))
