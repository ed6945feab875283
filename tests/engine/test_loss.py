"""Losses and metrics: the documented numbers, stability, and what wrong calls are told."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F
from tinyengine.autodiff import GradManager

SCORES, LABELS = (te.tensor(x, device="cpux") for x in ([[0.0, 1.0], [2.0, 0.0]], [1, 0]))


def T(data: Any, dtype: str | None = None) -> te.Tensor:  # noqa: N802
    return te.tensor(data, dtype=dtype, device="cpux")


def near(got: Any, wanted: Any) -> None:
    assert got.numpy() == pytest.approx(np.array(wanted), rel=1e-5, abs=1e-7)


def test_the_documented_numbers() -> None:
    near(F.nn.cross_entropy(SCORES, LABELS), 0.22009486)
    near(F.nn.cross_entropy(SCORES, LABELS, reduction="none"), [0.31326169, 0.12692801])
    near(F.nn.cross_entropy(SCORES, LABELS, reduction="sum"), 0.4401897)
    near(F.nn.cross_entropy(SCORES, LABELS, label_smooth=0.1), 0.29509497)
    near(F.nn.binary_cross_entropy(T([0.0, 1.0]), T([1, 0])), 1.0032045)
    half = F.nn.binary_cross_entropy(T([0.5, 0.9]), T([1, 0]), with_logits=False)
    near(half, 1.497866)
    near(F.nn.l1_loss(T([1, 2]), T([3, 4])), 2.0)
    near(F.nn.square_loss(T([1.0, 2.0]), T([3.0, 5.0]), reduction="none"), [4.0, 9.0])
    near(F.nn.cross_entropy(T([[0.3, 0.7], [0.1, 0.9]]), T([0, 1]), with_logits=False), 0.65466666)
    scores = T(np.arange(8.0).reshape(2, 2, 2))
    labels = T([[0, 1], [1, 0]])
    near(
        F.nn.cross_entropy(scores, labels, reduction="none"),
        [[2.126928, 0.126928], [0.126928, 2.126928]],
    )
    near(
        F.nn.cross_entropy(scores, labels, axis=-1, reduction="none"),
        [[1.3132617, 0.3132617], [0.3132617, 1.3132617]],
    )


def test_hinge_loss_sums_over_classes() -> None:
    pred = T([[0.5, -0.5, 0.1], [-0.6, 0.7, 0.8]])
    label = T([[1, -1, -1], [-1, 1, 1]])
    near(F.nn.hinge_loss(pred, label, reduction="none"), [2.1, 0.9])
    near(F.nn.hinge_loss(pred, label), 1.5)
    near(F.nn.hinge_loss(pred, label, norm="L2"), 1.0)


def test_probabilities_may_be_labels() -> None:
    one_hot = T([[0.0, 1.0], [1.0, 0.0]])
    near(F.nn.cross_entropy(SCORES, one_hot), 0.22009486)
    smooth = T([[0.05, 0.95], [0.95, 0.05]])
    near(F.nn.cross_entropy(SCORES, smooth), 0.29509497)
    near(F.nn.cross_entropy(SCORES, one_hot, label_smooth=0.1), 0.29509497)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_scores_may_be_huge(dtype: str, grads: Any) -> None:
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        x = T([[1e4, 1e4, -1e4], [0.0, 3e3, 0.0]], dtype=dtype)
        losses = F.nn.cross_entropy(x, [0, 0], reduction="none")
        assert losses.dtype == dtype
        assert losses.numpy() == pytest.approx([math.log(2), 3000], rel=1e-3)
        (by_x,) = grads(lambda x: F.nn.cross_entropy(x, [0, 0], reduction="sum"), x)
        assert by_x == pytest.approx(np.array([[-0.5, 0.5, 0], [-1, 1, 0]]))
        assert F.softmax(x).numpy()[0].tolist() == [0.5, 0.5, 0]
        assert F.logsoftmax(x, 1).numpy()[1].tolist() == [-3000, 0, -3000]
        yes = F.nn.binary_cross_entropy(T([1e4, -1e4], dtype=dtype), T([1.0, 1.0], dtype=dtype))
        assert yes.item() == pytest.approx(5000)
    near(F.nn.cross_entropy(T([[5e7, 5e7, 5e7]]), T([2])), math.log(3))


def test_sure_and_right_costs_nothing(grads: Any) -> None:
    pred, label = T([0.0, 1.0, 0.5]), T([0.0, 1.0, 1.0])
    loss = lambda p: F.nn.binary_cross_entropy(p, label, with_logits=False, reduction="none")  # noqa: E731
    near(loss(pred), [0, 0, math.log(2)])
    near(T(grads(loss, pred)[0]), [1, -1, -2])


def test_curvature_of_cross_entropy() -> None:
    x = T([[0.3, -0.2, 0.5]], dtype="float64")
    outer, inner = GradManager().attach(x), GradManager().attach(x)
    with outer:
        with inner:
            inner.backward(F.nn.cross_entropy(x, T([2])))
        first, x.grad = x.grad, None
        outer.backward(first, T([[1.0, 0.0, 0.0]], dtype="float64"))
    assert x.grad is not None
    p = np.exp(x.numpy()[0]) / np.exp(x.numpy()[0]).sum()
    near(x.grad, [p[0] * (np.array([1, 0, 0]) - p)])


def test_losses_are_in_loss_and_nn_only() -> None:
    for name in F.loss.__all__:
        assert getattr(F.nn, name) is getattr(F.loss, name)
        assert not hasattr(F, name)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: F.nn.cross_entropy(SCORES, T([0, 2])), IndexError, "label 2 is out of range"),
        (lambda: F.nn.cross_entropy(SCORES, T([-1, 0])), IndexError, "labels go from 0 to 1"),
        (lambda: F.nn.cross_entropy(SCORES, T([0.0, 1.0])), TypeError, "must be integers"),
        (lambda: F.nn.cross_entropy(SCORES, T([0])), ValueError, r"labels have shape \(1,\)"),
        (lambda: F.nn.cross_entropy(T([1.0]), T([0])), ValueError, "has no axis 1"),
        (lambda: F.nn.cross_entropy(SCORES, LABELS, reduction="avg"), ValueError, "'avg' is not"),
        (lambda: F.nn.square_loss(T([[1.0], [2.0]]), T([1.0, 2.0])), ValueError, "must be equal"),
        (lambda: F.nn.l1_loss(T([1.0, 2.0]), T([1.0, 2.0, 3.0])), ValueError, "l1_loss.*equal"),
        (lambda: F.nn.hinge_loss(SCORES, SCORES, norm="L3"), ValueError, "use 'L1' or 'L2'"),
        (lambda: F.nn.hinge_loss(T([1.0]), T([1.0])), ValueError, r"must be \(n, classes\)"),
        (lambda: F.nn.one_hot(T([3]), 3), IndexError, "with 3 classes labels go from 0 to 2"),
        (lambda: F.nn.one_hot(T([1.0]), 3), TypeError, r"use label.astype\('int32'\)"),
        (lambda: F.nn.embedding(T([2]), SCORES), IndexError, "has rows 0 to 1"),
        (lambda: F.nn.embedding(T([1.0]), SCORES), TypeError, "must be integers"),
        (lambda: F.nn.embedding(T([1]), SCORES, padding_idx=0), ValueError, "must be None"),
        (lambda: F.topk_accuracy(SCORES, LABELS, topk=3), ValueError, "from 1 to 2"),
        (lambda: F.topk_accuracy(SCORES, T([0, 7])), IndexError, "label 7 is out of range"),
        (
            lambda: F.linear(SCORES, T([[1.0, 2.0, 3.0]]), T([0.0])),
            ValueError,
            r"a row of inp has 2 elements, but weight \(outputs, inputs\) takes 3",
        ),
        (lambda: F.linear(SCORES, SCORES, T([1.0, 2.0, 3.0])), ValueError, r"bias must have the"),
        (lambda: F.linear(SCORES, T([1.0, 2.0]), T(0.0)), ValueError, "weight two"),
        (lambda: F.indexing_one_hot(SCORES, T([0, 5])), IndexError, "indexing_one_hot"),
    ],
)
def test_wrong_calls_are_told_what_to_do(call: Any, kind: Any, message: str) -> None:
    with pytest.raises(kind, match=message):
        call()


def test_topk_accuracy() -> None:
    logits, target = T([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]]), T([2, 1])
    assert F.topk_accuracy(logits, target).item() == 0.5
    assert [a.item() for a in F.topk_accuracy(logits, target, topk=(1, 2))] == [0.5, 1.0]
    assert F.metric.topk_accuracy is F.topk_accuracy


def test_picking_by_class(grads: Any) -> None:
    src = T([[1.0, 2.0], [3.0, 4.0]])
    assert F.indexing_one_hot(src, T([0, 1])).tolist() == [1, 4]
    assert F.indexing_one_hot(src, T([0, 1]), keepdims=True).tolist() == [[1], [4]]
    assert F.indexing_one_hot(src, T([0, 1]), axis=0).tolist() == [1, 4]
    (by_src,) = grads(lambda x: F.indexing_one_hot(x, T([1, 1])), src)
    assert by_src.tolist() == [[0, 1], [0, 1]]
    assert repr(F.one_hot(T(1), 3)) == "Tensor([0 1 0], dtype=int32, device=cpux:0)"


def test_embedding_adds_up_for_a_word_that_comes_twice(grads: Any) -> None:
    table = T([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert F.embedding([[2, 0]], table).tolist() == [[[5, 6], [1, 2]]]
    (by_table,) = grads(lambda w: F.embedding(T([[0, 2], [0, 0]]), w), table)
    assert by_table.tolist() == [[3, 3], [0, 0], [1, 1]]


def test_softmax_in_blocks_is_softmax() -> None:
    x = np.random.default_rng(0).standard_normal((700, 400)).astype("float32")
    p = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    np.testing.assert_allclose(F.softmax(T(x), 1).numpy(), p, rtol=1e-5)
    np.testing.assert_allclose(
        F.softmax(T(x.reshape(7, 100, 400)), -1).numpy().reshape(p.shape), p, rtol=1e-5
    )


def test_logsumexp_of_infinities() -> None:
    inf = math.inf
    x = T([[-inf, -inf], [inf, 0.0], [-inf, 1.0]])
    assert F.logsumexp(x, 1).tolist() == [-inf, inf, 1.0]


def test_softmax_of_integers_and_its_axis() -> None:
    assert F.softmax(T([1, 1])).tolist() == [0.5, 0.5]
    cube = T(np.zeros((2, 4, 8)))
    assert (F.softmax(cube).numpy() == 0.5).all()
    assert (F.softmax(cube.reshape(4, 4, 4, 1)).numpy() == 0.25).all()


def test_linear_without_bias(grads: Any) -> None:
    x, w = T([[1.0, 2.0]]), T([[3.0, 4.0], [5.0, 6.0]])
    assert F.linear(x, w).tolist() == [[11, 17]]
    assert F.linear(T([1.0, 2.0]), w, T([1.0, 1.0])).tolist() == [12, 18]
    by_w, by_b = grads(lambda w, b: F.linear(T(np.ones((3, 5, 2))), w, b), w, T([0.0, 0.0]))
    assert (by_w.tolist(), by_b.tolist()) == ([[15, 15], [15, 15]], [15, 15])
