"""Functions that are made of ops, on a device whose arrays refuse to be taken for NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F
from tinyengine.autodiff import GradManager

from . import strict_device

RANDOM = np.random.default_rng(0)
IMAGES = RANDOM.uniform(0.1, 0.9, (2, 4, 6, 5))
SCORES = RANDOM.uniform(0.1, 0.9, (3, 4))
SEQUENCE = RANDOM.standard_normal((2, 3, 4))

# Each takes a function that makes tensors on the device, and a tensor there.
CALLS: list[tuple[np.ndarray[Any, Any], Any]] = [
    (SCORES, lambda t, x: F.nn.cross_entropy(x, [1, 0, 3])),
    (SCORES, lambda t, x: F.nn.cross_entropy(x, t([1, 0, 3]), label_smooth=0.1)),
    (SCORES, lambda t, x: F.nn.cross_entropy(x, t(np.eye(3, 4)), with_logits=False)),
    (SCORES, lambda t, x: F.nn.binary_cross_entropy(x, t(np.eye(3, 4)))),
    (SCORES, lambda t, x: F.nn.binary_cross_entropy(x, t(np.eye(3, 4)), with_logits=False)),
    (SCORES, lambda t, x: F.nn.hinge_loss(x, t(2 * np.eye(3, 4) - 1), norm="L2")),
    (SCORES, lambda t, x: F.nn.l1_loss(x, np.ones((3, 4), "float32"))),
    (SEQUENCE, lambda t, x: F.nn.ctc_loss(F.softmax(x, 2), [2, 2, 2], t([1, 2, 3]), [1, 1, 1])),
    (SCORES, lambda t, x: F.linear(x, t(np.ones((2, 4))), t([1.0, 2.0]))),
    (SCORES, lambda t, x: F.embedding(t([[2, 0], [2, 2]]), x)),
    (SCORES, lambda t, x: F.indexing_one_hot(x, t([1, 0, 3]))),
    (SCORES, lambda t, x: F.dropout(x, 0.0)),
    (IMAGES, lambda t, x: F.conv2d(x, t(np.ones((3, 4, 2, 3))), t([1.0, 2.0, 3.0]), 2, 1)),
    (IMAGES, lambda t, x: F.conv2d(x, t(np.ones((2, 1, 2, 3, 3))), groups=2)),
    (IMAGES, lambda t, x: F.conv_transpose2d(x, t(np.ones((4, 2, 3, 2))), t([[[[1.0]]]]), 2)),
    (IMAGES, lambda t, x: F.adaptive_avg_pool2d(x, 3)),
    (IMAGES, lambda t, x: F.batch_norm(x, t(np.zeros(4)), t(np.ones(4)), training=True)),
    (IMAGES, lambda t, x: F.batch_norm(x, t(np.zeros(4)), t(np.ones(4)), t(np.ones(4)))),
    (IMAGES, lambda t, x: F.group_norm(x, 2, True, t(np.ones(4)), t(np.ones(4)))),
    (IMAGES, lambda t, x: F.layer_norm(x, 5, True, t(np.ones(5)), t(np.ones(5)))),
    (IMAGES, lambda t, x: F.general_norm(x, (0, 1))),
    (IMAGES, lambda t, x: F.local_response_norm(x, 3)),
    (IMAGES, lambda t, x: F.pad(x, ((0, 0), (1, 1), (2, 1)), "reflect")),
    (IMAGES, lambda t, x: F.pad(x, ((1, 0),), constant_value=3.0)),
    (IMAGES, lambda t, x: F.pixel_shuffle(x, 2)),
    (
        SEQUENCE,
        lambda t, x: F.multi_head_attention(
            x, x, x, 4, 2, 0.0, 0.0, t(np.linspace(-1, 1, 64)), is_causal=True
        )[0],
    ),
]


def outcome(values: np.ndarray[Any, Any], call: Any, device: str) -> list[Any]:
    """The result on a device, and the gradient at the values, brought home."""
    x = te.tensor(values, device=device)
    gm = GradManager().attach(x)
    with gm:
        y = call(lambda data: te.tensor(data, device=device), x)
        gm.backward(y)
    assert y.device == x.device
    assert x.grad is not None
    return [y.numpy(), x.grad.numpy()]


@pytest.fixture
def _strict(monkeypatch: pytest.MonkeyPatch) -> None:
    strict_device.install(monkeypatch)


@pytest.mark.usefixtures("_strict")
@pytest.mark.parametrize(("values", "call"), CALLS)
def test_everything_stays_on_the_device(values: Any, call: Any) -> None:
    for there, here in zip(
        outcome(values, call, "gpu0"), outcome(values, call, "cpu0"), strict=True
    ):
        np.testing.assert_allclose(there, here, rtol=1e-4, atol=1e-6)


@pytest.mark.gpu
@pytest.mark.parametrize(("values", "call"), CALLS)
def test_everything_works_on_a_gpu(values: Any, call: Any) -> None:
    for there, here in zip(
        outcome(values, call, "gpu0"), outcome(values, call, "cpu0"), strict=True
    ):
        np.testing.assert_allclose(there, here, rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("_strict")
def test_labels_out_of_range_are_found_there_too() -> None:
    x = te.tensor(SCORES, device="gpu0")
    with pytest.raises(IndexError, match="label 4 is out of range"):
        F.nn.cross_entropy(x, te.tensor([0, 4, 1], device="gpu0"))
    with pytest.raises(IndexError, match="has rows 0 to 2"):
        F.embedding(te.tensor([3], device="gpu0"), x)
    assert F.topk_accuracy(x, te.tensor([0, 1, 2], device="gpu0"), 4).item() == 1
    assert F.dropout(x, 0.5).device == x.device
