"""MegEngine's beginner series with only the import changed: the code, and the numbers it prints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F
import tinyengine.module as M
from tinyengine import Parameter, Tensor
from tinyengine.autodiff import GradManager
from tinyengine.data import line_points
from tinyengine.optimizer import SGD


def test_tensors() -> None:
    a = Tensor([[1, 2, 3], [4, 5, 6]])
    b = Tensor([[2, 4, 6], [1, 2, 3]])
    assert repr(a) == "Tensor([[1 2 3]\n [4 5 6]], dtype=int32, device=cpux:0)"
    assert repr(a + b) == "Tensor([[3 6 9]\n [5 7 9]], dtype=int32, device=cpux:0)"
    assert (a - b).dtype == (a * b).dtype == "int32"
    assert repr(a / b) == "Tensor([[0.5 0.5 0.5]\n [4.  2.5 2. ]], device=cpux:0)"
    assert a.reshape(3, 2).shape == F.reshape(a, (3, 2)).shape == (3, 2)
    assert a.shape == (2, 3)


def test_gradient_by_hand() -> None:
    w, x, b = Tensor(3.0), Tensor(2.0), Tensor(-1.0)
    p = w * x
    y = p + b
    dydp, dpdw = Tensor(1.0), x
    assert y.item() == 5
    assert repr(dydp * dpdw) == "Tensor(2.0, device=cpux:0)"


def test_gradient_by_the_engine_adds_up() -> None:
    w, x, b = Tensor(3.0), Tensor(2.0), Tensor(-1.0)
    assert w.grad is None
    gm = GradManager().attach([w, b])
    for expected in ("Tensor(2.0, device=cpux:0)", "Tensor(4.0, device=cpux:0)"):
        with gm:
            p = w * x
            y = p + b
            gm.backward(y)
        assert repr(w.grad) == expected
    assert x.grad is None


def test_one_step_of_sgd() -> None:
    w, x, b = Parameter(3.0), Tensor(2.0), Parameter(-1.0)
    assert repr(w) == "Parameter(3.0, device=cpux:0)"
    gm, optimizer = GradManager().attach([w, b]), SGD([w, b], lr=0.01)
    with gm:
        gm.backward(w * x + b)
        optimizer.step().clear_grad()
    assert repr(w) == "Parameter(2.98, device=cpux:0)"
    assert w.grad is None
    with pytest.raises(TypeError, match="optimizer can only optimize Parameters, but one of the"):
        SGD([Tensor(3.0)], lr=0.01)


def test_mean_squared_error() -> None:
    pred, real = np.array([3, 3, 3, 3], "float32"), np.array([2, 8, 6, 1], "float32")
    assert ((pred - real) ** 2).mean() == 9.75
    assert repr(F.nn.square_loss(Tensor(pred), Tensor(real))) == "Tensor(9.75, device=cpux:0)"


LINE = [
    ("w = 3.486, b = -0.005", 871.968),
    ("w = 4.508, b = 0.019", 86.077),
    ("w = 4.808, b = 0.053", 18.446),
    ("w = 4.897, b = 0.088", 12.515),
    ("w = 4.923, b = 0.123", 11.888),
]


def test_line_fit() -> None:
    x, y = line_points()
    data, label = te.tensor(x), te.tensor(y)
    w, b = Parameter(0.0), Parameter(0.0)
    gm, optimizer = GradManager().attach([w, b]), SGD([w, b], lr=0.01)
    for text, documented in LINE:
        with gm:
            pred = w * data + b
            loss = F.nn.square_loss(pred, label)
            gm.backward(loss)
            optimizer.step().clear_grad()
        assert f"w = {w.item():.3f}, b = {b.item():.3f}" == text
        assert f"{loss.item():.3f}" == f"{documented:.3f}"


def test_the_same_line_with_a_module() -> None:
    class Line(M.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = M.Linear(1, 1)
            M.init.zeros_(self.fc.weight)

        def forward(self, x: Any) -> Any:
            return self.fc(x)

    x, y = line_points()
    data, label = te.tensor(x).reshape(-1, 1), te.tensor(y).reshape(-1, 1)
    model = Line()
    gm = GradManager().attach(model.parameters())
    optimizer = SGD(model.parameters(), lr=0.01)
    for _ in range(5):
        with gm:
            loss = F.nn.square_loss(model(data), label)
            gm.backward(loss)
            optimizer.step().clear_grad()
    assert f"{model.fc.weight.item():.3f} {loss.item():.3f}" == "4.923 11.888"


def test_softmax_and_cross_entropy() -> None:
    assert repr(F.softmax(te.tensor([1.0, 2.0, 3.0, 4.0]))) == (
        "Tensor([0.0321 0.0871 0.2369 0.6439], device=cpux:0)"
    )
    label = te.tensor([3])
    predictions = ([0, 0, 0, 1], [0.1, 0.1, 0.1, 0.7], [0.4, 0.2, 0.1, 0.3])
    losses = [
        F.loss.cross_entropy(te.tensor([p], dtype="float32"), label, with_logits=False).item()
        for p in predictions
    ]
    np.testing.assert_allclose(losses, [0.0, 0.3566749691963196, 1.2039728164672852], atol=1e-7)


def test_predicted_classes() -> None:
    pred = F.argmax(te.tensor([[0.1, 0.2, 0.3, 0.4]]), axis=1)
    assert pred.item() == 3
    assert pred.dtype == "int32"
    assert F.flatten(F.zeros((10, 28, 28, 1)), 1).shape == (10, 784)


def test_a_layer_is_a_matrix_product() -> None:
    fc = M.Linear(784, 256)
    assert fc.weight.shape == (256, 784)
    assert fc.bias is not None
    assert fc.bias.shape == (256,)
    x = te.random.normal(0, 1, (5, 784))
    difference = fc(x) - (F.matmul(x, fc.weight.T) + fc.bias)
    assert abs(difference.numpy()).max() < 1e-5


def test_a_hidden_layer_learns_xor() -> None:
    class Net(M.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc1 = M.Linear(2, 8)
            self.fc2 = M.Linear(8, 2)

        def forward(self, x: Any) -> Any:
            return self.fc2(F.relu(self.fc1(x)))

    x = te.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    label = te.tensor([0, 1, 1, 0])
    model = Net()
    gm = GradManager().attach(model.parameters())
    optimizer = SGD(model.parameters(), lr=0.5, momentum=0.9)
    for _ in range(200):
        with gm:
            loss = F.loss.cross_entropy(model(x), label)
            gm.backward(loss)
            optimizer.step().clear_grad()
    assert loss.item() < 0.01
    assert F.argmax(model(x), axis=1).tolist() == label.tolist()


def test_le_net_takes_images_and_learns_them() -> None:
    model = M.Sequential(
        M.Conv2d(3, 6, 5),
        M.ReLU(),
        M.MaxPool2d(2, 2),
        M.Conv2d(6, 16, 5),
        M.ReLU(),
        M.MaxPool2d(2, 2),
    )
    head = M.Sequential(M.Linear(16 * 5 * 5, 120), M.ReLU(), M.Linear(120, 10))
    images, label = te.random.normal(size=(8, 3, 32, 32)), te.tensor(np.arange(8))
    parameters = [*model.parameters(), *head.parameters()]
    gm, optimizer = GradManager().attach(parameters), SGD(parameters, lr=0.05, momentum=0.9)
    losses = []
    for _ in range(20):
        with gm:
            logits = head(F.flatten(model(images), 1))
            loss = F.loss.cross_entropy(logits, label)
            gm.backward(loss)
            optimizer.step().clear_grad()
        losses.append(loss.item())
    assert logits.shape == (8, 10)
    assert losses[-1] < 0.2 < losses[0]
