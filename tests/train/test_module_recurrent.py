"""Recurrent layers against the formulas, written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.module as M
from tinyengine.autodiff import GradManager


def array(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(3).standard_normal(shape).astype("float32")


def sums(cell: Any, x: Any, h: Any) -> Any:
    weights = [getattr(cell, name).numpy() for name in ("weight_ih", "weight_hh")]
    biases = sum(getattr(cell, name).numpy() for name in ("bias_ih", "bias_hh"))
    return x @ weights[0].T + h @ weights[1].T + biases


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def test_lstm_cell_has_the_gates_of_megengine() -> None:
    cell, x, h, c = M.LSTMCell(2, 3), array(4, 2), array(4, 3), array(4, 3)
    i, f, g, o = np.split(sums(cell, x, h), 4, axis=1)
    memory = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    got_h, got_c = cell(te.tensor(x), (te.tensor(h), te.tensor(c)))
    np.testing.assert_allclose(got_c.numpy(), memory, atol=1e-6)
    np.testing.assert_allclose(got_h.numpy(), sigmoid(o) * np.tanh(memory), atol=1e-6)


def test_rnn_passes_the_state_on() -> None:
    rnn, x = M.RNN(2, 3, nonlinearity="relu"), array(5, 4, 2)
    state, outputs = np.zeros((4, 3), "float32"), []
    for now in x:
        state = np.maximum(sums(rnn.cells[0][0], now, state), 0)
        outputs.append(state)
    got, last = rnn(te.tensor(x))
    np.testing.assert_allclose(got.numpy(), outputs, atol=1e-5)
    np.testing.assert_allclose(last.numpy(), [state], atol=1e-5)


@pytest.mark.parametrize("kind", [M.RNN, M.LSTM])
def test_layers_and_directions(kind: Any) -> None:
    model = kind(2, 5, num_layers=2, bidirectional=True)
    outputs, last = model(te.tensor(array(3, 4, 2)))
    h = last[0] if kind is M.LSTM else last
    assert outputs.shape == (3, 4, 10)
    assert h.shape == (4, 4, 5)
    np.testing.assert_array_equal(outputs.numpy()[-1, :, :5], h.numpy()[2])
    np.testing.assert_array_equal(outputs.numpy()[0, :, 5:], h.numpy()[3])


@pytest.mark.parametrize("kind", [M.RNN, M.LSTM])
def test_going_on_from_a_state(kind: Any) -> None:
    model, x = kind(2, 3, num_layers=2), te.tensor(array(6, 1, 2))
    whole, _ = model(x)
    first, state = model(x[:2])
    second, _ = model(x[2:], state)
    np.testing.assert_allclose(first.numpy(), whole.numpy()[:2], atol=1e-6)
    np.testing.assert_allclose(second.numpy(), whole.numpy()[2:], atol=1e-6)


def test_batch_first_swaps_axes_of_input_and_outputs() -> None:
    model, x = M.LSTM(2, 3), array(6, 4, 2)
    expected, _ = model(te.tensor(x))
    model.batch_first = True
    got, (h, _) = model(te.tensor(x.swapaxes(0, 1)))
    np.testing.assert_allclose(got.numpy(), expected.numpy().swapaxes(0, 1), atol=1e-6)
    assert h.shape == (1, 4, 3)


def test_dropout_between_layers_only_in_training() -> None:
    model, x = M.RNN(2, 8, num_layers=2, dropout=0.5), te.tensor(array(4, 1, 2))
    assert (model(x)[0].numpy() != model(x)[0].numpy()).any()
    model.eval()
    np.testing.assert_array_equal(model(x)[0].numpy(), model(x)[0].numpy())


def test_every_parameter_gets_a_gradient() -> None:
    model = M.LSTM(2, 3, num_layers=2, bidirectional=True, bias=True)
    gm = GradManager().attach(model.parameters())
    with gm:
        outputs, _ = model(te.tensor(array(4, 2, 2)))
        gm.backward(outputs.sum())
    assert all(p.grad is not None and p.grad.numpy().any() for p in model.parameters())
    names = [name for name, _ in M.RNN(2, 3, bias=False).named_parameters()]
    assert names == ["cells.0.0.weight_hh", "cells.0.0.weight_ih"]
