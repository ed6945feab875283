"""What each layer computes, with which parameters it begins, and how it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F
import tinyengine.module as M
from tinyengine.autodiff import GradManager


def array(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype("float32")


Make = Callable[[], M.Module]
LAYERS: list[tuple[Make, str, dict[str, tuple[int, ...]]]] = [
    (
        lambda: M.Linear(3, 2, bias=False),
        "Linear(in_features=3, out_features=2, bias=False)",
        {"weight": (2, 3)},
    ),
    (
        lambda: M.Conv2d(2, 4, 3, padding=1, groups=2),
        "Conv2d(2, 4, kernel_size=(3, 3), padding=(1, 1), groups=2)",
        {"bias": (1, 4, 1, 1), "weight": (2, 2, 1, 3, 3)},
    ),
    (
        lambda: M.Conv2d(2, 4, (3, 1), stride=2, dilation=(1, 2), bias=False),
        "Conv2d(2, 4, kernel_size=(3, 1), stride=(2, 2), dilation=(1, 2), bias=False)",
        {"weight": (4, 2, 3, 1)},
    ),
    (
        lambda: M.Conv1d(2, 4, 3, stride=2),
        "Conv1d(2, 4, kernel_size=3, stride=2)",
        {"bias": (1, 4, 1), "weight": (4, 2, 3)},
    ),
    (
        lambda: M.Conv3d(2, 4, 3),
        "Conv3d(2, 4, kernel_size=(3, 3, 3))",
        {"bias": (1, 4, 1, 1, 1), "weight": (4, 2, 3, 3, 3)},
    ),
    (
        lambda: M.ConvTranspose2d(4, 6, 3, groups=2),
        "ConvTranspose2d(4, 6, kernel_size=(3, 3), groups=2)",
        {"bias": (1, 6, 1, 1), "weight": (2, 2, 3, 3, 3)},
    ),
    (
        lambda: M.BatchNorm2d(3),
        "BatchNorm2d(3, eps=1e-05, momentum=0.9, affine=True, track_running_stats=True)",
        dict.fromkeys(["bias", "running_mean", "running_var", "weight"], (1, 3, 1, 1)),
    ),
    (
        lambda: M.LayerNorm(3),
        "LayerNorm(normalized_shape=(3,), eps=1e-05, affine=True)",
        {"bias": (3,), "weight": (3,)},
    ),
    (
        lambda: M.GroupNorm(2, 4),
        "GroupNorm(groups=2, channels=4, eps=1e-05, affine=True)",
        {"bias": (4,), "weight": (4,)},
    ),
    (
        lambda: M.InstanceNorm(4, affine=False),
        "InstanceNorm(channels=4, eps=1e-05, affine=False)",
        {},
    ),
    (lambda: M.MaxPool2d(2), "MaxPool2d(kernel_size=2, stride=2, padding=0)", {}),
    (
        lambda: M.AvgPool2d(2),
        "AvgPool2d(kernel_size=2, stride=2, padding=0, mode=average_count_exclude_padding)",
        {},
    ),
    (lambda: M.Dropout(0.5), "Dropout(drop_prob=0.5)", {}),
    (lambda: M.Softmax(), "Softmax(axis=None)", {}),
    (lambda: M.Identity(), "Identity()", {}),
    (lambda: M.GELU(), "GELU()", {}),
    (lambda: M.PReLU(), "PReLU(num_parameters=1)", {"weight": (1,)}),
    (lambda: M.Embedding(3, 2), "Embedding(3, 2)", {"weight": (3, 2)}),
    (
        lambda: M.RNN(2, 3),
        "RNN(\n  (cells.0.0): RNNCell(2, 3)\n)",
        {
            "cells.0.0.bias_hh": (3,),
            "cells.0.0.bias_ih": (3,),
            "cells.0.0.weight_hh": (3, 3),
            "cells.0.0.weight_ih": (3, 2),
        },
    ),
]


@pytest.mark.parametrize(("make", "text", "shapes"), LAYERS, ids=[text for _, text, _ in LAYERS])
def test_text_and_shapes(make: Make, text: str, shapes: dict[str, Any]) -> None:
    layer = make()
    assert repr(layer) == text
    assert {name: tensor.shape for name, tensor in layer.named_tensors()} == shapes


def test_the_first_weights_keep_the_spread_of_values() -> None:
    assert M.Linear(400, 300).weight.numpy().std() == pytest.approx(1 / 20, rel=0.02)
    assert M.Conv2d(64, 32, 3).weight.numpy().std() == pytest.approx(1 / 24, rel=0.02)
    assert M.Conv2d(64, 64, 3, groups=4).weight.numpy().std() == pytest.approx(1 / 12, rel=0.02)
    assert M.ConvTranspose2d(32, 64, 3).weight.numpy().std() == pytest.approx(1 / 24, rel=0.02)
    assert M.Embedding(100, 100).weight.numpy().std() == pytest.approx(1, rel=0.02)
    for layer in (M.Linear(4, 3), M.Conv2d(3, 2, 3)):
        assert layer.bias is not None
        assert not layer.bias.numpy().any()
    cell = M.LSTMCell(64, 25)
    assert abs(cell.weight_ih.numpy()).max() == pytest.approx(0.2, rel=0.01)


def test_the_seed_governs_the_first_weights() -> None:
    te.random.seed(5)
    one = M.Linear(3, 2).weight.numpy()
    te.random.seed(5)
    np.testing.assert_array_equal(M.Linear(3, 2).weight.numpy(), one)


def test_linear_takes_any_leading_axes() -> None:
    layer, x = M.Linear(3, 2), array(4, 5, 3)
    M.init.uniform_(layer.bias)
    assert layer.bias is not None
    expected = x @ layer.weight.numpy().T + layer.bias.numpy()
    np.testing.assert_allclose(layer(te.tensor(x)).numpy(), expected, atol=1e-6)
    assert layer(te.tensor([1.0, 2.0, 3.0])).shape == (2,)


@pytest.mark.parametrize(
    ("make", "given", "shape"),
    [
        (lambda: M.Conv2d(3, 10, 3, padding=1), (100, 3, 32, 32), (100, 10, 32, 32)),
        (lambda: M.Conv1d(2, 4, 3), (1, 2, 8), (1, 4, 6)),
        (lambda: M.Conv3d(2, 4, 3), (1, 2, 4, 5, 6), (1, 4, 2, 3, 4)),
        (
            lambda: M.ConvTranspose2d(3, 4, 3, stride=2, output_padding=1),
            (1, 3, 5, 5),
            (1, 4, 12, 12),
        ),
        (lambda: M.ConvTranspose3d(1, 2, 2, stride=2), (1, 1, 2, 3, 4), (1, 2, 4, 6, 8)),
        (lambda: M.Pad(((0, 0), (0, 0), (1, 2))), (1, 2, 5, 6), (1, 2, 8, 6)),
        (lambda: M.PixelShuffle(2), (1, 4, 5, 6), (1, 1, 10, 12)),
        (lambda: M.SlidingWindow(2, stride=2), (1, 2, 4, 6), (1, 2, 2, 3, 2, 2)),
        (lambda: M.MaxPool2d(2), (1, 2, 5, 6), (1, 2, 2, 3)),
        (lambda: M.AvgPool2d(3, stride=1), (1, 2, 5, 6), (1, 2, 3, 4)),
        (lambda: M.AdaptiveAvgPool2d((2, 3)), (1, 2, 5, 6), (1, 2, 2, 3)),
        (lambda: M.AdaptiveMaxPool2d(1), (1, 2, 5, 6), (1, 2, 1, 1)),
    ],
)
def test_shapes_of_images(make: Make, given: Any, shape: Any) -> None:
    assert make()(te.tensor(array(*given))).shape == shape


def test_convolution_is_the_functional_one() -> None:
    layer, x = M.Conv2d(2, 4, 3, stride=2, padding=1, groups=2), te.tensor(array(1, 2, 6, 6))
    expected = F.conv2d(x, layer.weight, layer.bias, 2, 1, 1, 2)
    np.testing.assert_array_equal(layer(x).numpy(), expected.numpy())


def test_batch_norm_learns_statistics_and_uses_them() -> None:
    layer = M.BatchNorm1d(2)
    x = te.tensor([[1.0, 10.0], [3.0, 10.0], [5.0, 40.0]])
    y = layer(x).numpy()
    np.testing.assert_allclose(y[:, 0], np.array([-2, 0, 2]) / np.sqrt(8 / 3 + 1e-5), rtol=1e-5)
    assert layer.running_mean is not None
    assert layer.running_var is not None
    np.testing.assert_allclose(layer.running_mean.numpy().ravel(), [0.3, 2.0], rtol=1e-5)
    np.testing.assert_allclose(layer.running_var.numpy().ravel(), [1.3, 30.9], rtol=1e-5)
    layer.eval()
    np.testing.assert_allclose(layer(x).numpy()[0, 0], 0.7 / np.sqrt(1.3 + 1e-5), rtol=1e-5)
    np.testing.assert_allclose(layer.running_mean.numpy().ravel(), [0.3, 2.0], rtol=1e-5)
    assert layer(te.tensor(array(3, 2, 4))).shape == (3, 2, 4)


def test_batch_norm_keeps_its_state_flat() -> None:
    one, two = M.BatchNorm2d(3), M.BatchNorm2d(3)
    one(te.tensor(array(2, 3, 4, 4)))
    state = one.state_dict()
    assert {value.shape for value in state.values()} == {(3,)}
    two.load_state_dict(state)
    assert two.running_mean is not None
    assert two.running_mean.shape == (1, 3, 1, 1)
    np.testing.assert_array_equal(two.running_mean.numpy().ravel(), state["running_mean"])


def test_batch_norm_can_be_frozen_or_without_memory() -> None:
    x, gm = te.tensor(array(4, 2) + 5), GradManager()
    frozen = M.BatchNorm1d(2, freeze=True)
    gm.attach([*frozen.parameters(), x])
    with gm:
        gm.backward(frozen(x).sum())
    np.testing.assert_allclose(frozen(x).numpy(), x.numpy(), rtol=1e-4)
    assert x.grad is not None
    assert all(parameter.grad is None for parameter in frozen.parameters())
    free = M.BatchNorm1d(2, affine=False, track_running_stats=False)
    assert list(free.tensors()) == []
    free.eval()
    np.testing.assert_allclose(free(x).numpy().mean(0), [0, 0], atol=1e-5)


@pytest.mark.parametrize(
    ("make", "axes"),
    [
        (lambda: M.LayerNorm((3, 4)), (2, 3)),
        (lambda: M.InstanceNorm(2), (2, 3)),
        (lambda: M.GroupNorm(1, 2), (1, 2, 3)),
    ],
    ids=["layer", "instance", "group"],
)
def test_norms_within_an_example(make: Make, axes: Any) -> None:
    out = make()(te.tensor(array(5, 2, 3, 4) * 3 + 7)).numpy()
    np.testing.assert_allclose(out.mean(axes), 0, atol=1e-5)
    np.testing.assert_allclose(out.std(axes), 1, atol=1e-3)


def test_dropout_only_in_training() -> None:
    layer, x = M.Dropout(0.25), te.tensor(np.ones(10000))
    dropped = layer(x).numpy()
    assert set(np.unique(dropped).round(4)) == {0, np.float32(1.3333)}
    assert (dropped == 0).mean() == pytest.approx(0.25, abs=0.02)
    layer.eval()
    assert layer(x) is x


def test_embedding_learns_only_the_rows_it_looked_up() -> None:
    layer = M.Embedding(4, 2, initial_weight=te.tensor(array(4, 2)))
    gm = GradManager().attach(layer.parameters())
    with gm:
        gm.backward(layer(te.tensor([1, 1, 3])).sum())
    assert layer.weight.grad is not None
    assert layer.weight.grad.tolist() == [[0, 0], [2, 2], [0, 0], [1, 1]]
    assert list(M.Embedding(4, 2, freeze=True).parameters()) == []


def test_activations_are_the_functional_ones() -> None:
    x = te.tensor(array(2, 3, 4))
    pairs: list[tuple[M.Module, Any]] = [
        (M.ReLU(), F.relu(x)),
        (M.Sigmoid(), F.sigmoid(x)),
        (M.SiLU(), F.silu(x)),
        (M.GELU(), F.gelu(x)),
        (M.LeakyReLU(0.2), F.leaky_relu(x, 0.2)),
        (M.Softmax(axis=2), F.softmax(x, 2)),
    ]
    for module, expected in pairs:
        np.testing.assert_array_equal(module(x).numpy(), expected.numpy())


def test_prelu_has_a_slope_for_each_channel() -> None:
    layer = M.PReLU(2)
    layer.weight = te.Parameter([0.5, 0.1])
    x = te.tensor(-np.ones((1, 2, 2)))
    np.testing.assert_allclose(layer(x).numpy(), [[[-0.5, -0.5], [-0.1, -0.1]]])


WRONG = [
    (lambda: M.Linear(0, 2), "in_features=0 and out_features=2 must both be at least 1"),
    (lambda: M.Dropout(1.0), "drop_prob=1.0 must be at least 0 and below 1"),
    (lambda: M.Conv2d(3, 4, 3, groups=2), "must both be multiples of groups=2"),
    (lambda: M.Conv2d(3, 4, (3, 3, 3)), "kernel_size=(3, 3, 3) must be one number or 2"),
    (lambda: M.Conv2d(3, 4, 0), "kernel_size=0 must be one number or 2, each at least 1"),
    (
        lambda: M.ConvTranspose3d(1, 1, 1, conv_mode="convolution")(te.tensor([[[[[1.0]]]]])),
        "conv_mode can only be 'cross_correlation'",
    ),
    (lambda: M.GroupNorm(3, 4), "num_channels=4 must be a multiple of num_groups=3"),
    (lambda: M.Embedding(3, 2, initial_weight=te.tensor([1.0])), "the shape (1,), not (3, 2)"),
    (lambda: M.BatchNorm2d(3)(te.tensor([[1.0]])), "with 3 channels, not (1, 1)"),
    (lambda: M.RNNCell(2, 3, nonlinearity="x"), "'x' must be 'tanh' or 'relu'"),
    (lambda: M.RNNCell(2, 3)(te.tensor([1.0])), "input must have the shape (n, 2), not (1,)"),
    (lambda: M.RNN(2, 3)(te.tensor([1.0])), "input must have the shape (times, n, 2), not (1,)"),
    (lambda: M.init.calculate_gain("foo"), "unknown 'foo'; allowed are linear, sigmoid"),
    (lambda: M.init.calculate_gain("leaky_relu", True), "the slope must be a number, not True"),
    (lambda: M.init.msra_normal_(te.tensor([1.0])), "a weight has at least two axes"),
    (lambda: M.init.msra_normal_(te.tensor([[1.0]]), mode="x"), "('fan_in', 'fan_out'), not 'x'"),
]


@pytest.mark.parametrize(("call", "message"), WRONG, ids=[message for _, message in WRONG])
def test_messages(call: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (compared below)
        call()
    assert message in str(caught.value)
