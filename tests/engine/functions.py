"""Functions with derivatives of their own, for tests."""

from __future__ import annotations

from typing import Any

import tinyengine as te
import tinyengine.functional as F
from tinyengine.autodiff import Function


class Square(Function):
    """Keeps its input."""

    def forward(self, x: te.Tensor) -> te.Tensor:
        self.x = x
        return x * x

    def backward(self, dy: te.Tensor) -> te.Tensor:
        return dy * 2.0 * self.x


class Exp(Function):
    """Keeps its result."""

    def forward(self, x: te.Tensor) -> Any:
        self.y: te.Tensor = F.exp(x)
        return self.y

    def backward(self, dy: te.Tensor) -> te.Tensor:
        return dy * self.y


class ProductAndSum(Function):
    """Has two results, and remembers what arrived at them."""

    def forward(self, a: te.Tensor, b: te.Tensor) -> Any:
        self.a, self.b = a, b
        return a * b, a + b

    def backward(self, *dys: Any) -> Any:
        self.dys = dys
        product, total = (0.0 if dy is None else dy for dy in dys)
        return product * self.b + total, product * self.a + total


class Returns(Function):
    """Returns what it was made with, whatever comes."""

    def __init__(self, out: Any = None, gradients: Any = None) -> None:
        self.out, self.gradients = out, gradients

    def forward(self, *inputs: te.Tensor) -> Any:
        return inputs[0] * 1.0 if self.out is None else self.out

    def backward(self, *dys: Any) -> Any:
        return self.gradients(*dys) if callable(self.gradients) else self.gradients
