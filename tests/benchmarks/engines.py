"""The same work in several engines: a case is written once, in operators that all of them have."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Step = Callable[[], Any]
Case = tuple[Step, Callable[[], list[float]]]
"""A step to time, and a function that gives what it found, to be compared among engines."""

CHAIN = 500
"""How many times the scalar chain multiplies and adds."""

RATE = 0.05


def normal(*shape: int) -> np.ndarray[Any, Any]:
    """Random numbers, the same for whoever asks for this shape."""
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


class Engine:
    """The cases. A subclass says how its engine makes tensors and differentiates."""

    parameter: Callable[[Any], Any]
    constant: Callable[[Any], Any]
    tanh: Callable[[Any], Any]

    def recorded(self, f: Step, tensors: Sequence[Any]) -> Step:
        """A step that runs `f` so that it could be differentiated."""
        raise NotImplementedError

    def differentiated(self, f: Step, tensors: Sequence[Any], seed: Any = None) -> Step:
        """A step that runs `f` and leaves its gradient, from `seed` on, in the tensors."""
        raise NotImplementedError

    def descend(self, parameters: Sequence[Any]) -> None:
        """Gradient descent by one step, in place."""
        raise NotImplementedError

    def floats(self, *tensors: Any) -> list[float]:
        """The sum of the first elements of each tensor."""
        return [float(np.asarray(t).ravel()[:9].sum()) for t in tensors]

    def chain_forward(self) -> Case:
        """The chain below without its backward."""
        return self._chain(self.recorded)

    def chain(self) -> Case:
        """y·w + b of single numbers, 500 times, forward and backward."""
        return self._chain(self.differentiated)

    def _chain(self, run: Callable[[Step, Sequence[Any]], Step]) -> Case:
        x, w, b = (self.parameter(value) for value in (1.0, 0.999, 0.002))

        def unrolled() -> Any:
            y = x
            for _ in range(CHAIN):
                y = y * w
                y = y + b
            return y

        step = run(unrolled, [x, w, b])
        return step, lambda: self.floats(*[t.grad for t in (x, w, b) if t.grad is not None])

    def step(self) -> Case:
        """One w·x + b of single numbers, forward and backward."""
        w, b, x = self.parameter(2.0), self.parameter(1.0), self.constant(3.0)
        step = self.differentiated(lambda: w * x + b, [w, b])
        return step, lambda: self.floats(w.grad, b.grad)

    def mlp(self) -> Case:
        """A training step of a 2-16-16-1 network with tanh: 32 examples, mean square, descent."""
        x, y = self.constant(normal(32, 2)), self.constant(normal(32, 1))
        parameters = []
        for before, after in ((2, 16), (16, 16), (16, 1)):
            parameters.append(self.parameter(normal(before, after) / np.float32(before**0.5)))
            parameters.append(self.parameter(np.zeros(after, np.float32)))
        w1, b1, w2, b2, w3, b3 = parameters

        def loss() -> Any:
            hidden = self.tanh(x @ w1 + b1)
            hidden = self.tanh(hidden @ w2 + b2)
            away = hidden @ w3 + b3 - y
            return (away * away).mean()

        differentiate = self.differentiated(loss, parameters)

        def step() -> None:
            differentiate()
            self.descend(parameters)

        return step, lambda: self.floats(w1.grad, b3.grad)

    def muladd(self) -> Case:
        """x·y + z of 4 million elements, forward and backward."""
        return self._large(3, lambda x, y, z: x * y + z)

    def tanh_large(self) -> Case:
        """Tanh of 4 million elements, forward and backward."""
        return self._large(1, self.tanh)

    def _large(self, count: int, f: Callable[..., Any]) -> Case:
        inputs = [self.parameter(normal(2048, 2048) * np.float32(i + 1)) for i in range(count)]
        step = self.differentiated(lambda: f(*inputs), inputs, self.constant(normal(2048, 2048)))
        return step, lambda: self.floats(*[t.grad for t in inputs])

    def growth(self, ops: int) -> Case:
        """tanh(h·w + b) of 8 elements, unrolled to `ops` ops."""
        w = self.parameter(np.linspace(0.5, 0.9, 8, dtype=np.float32))
        b = self.parameter(np.linspace(-0.1, 0.2, 8, dtype=np.float32))
        start = self.constant(np.zeros(8, np.float32))

        def unrolled() -> Any:
            h = start
            for _ in range(ops // 3):
                h = self.tanh(h * w + b)
            return h.sum()

        return self.differentiated(unrolled, [w, b]), lambda: self.floats(w.grad, b.grad)


class TinyEngine(Engine):
    """The engine of this project."""

    def __init__(self) -> None:
        te = importlib.import_module("tinyengine")
        self.parameter, self.constant, self.tanh = te.Parameter, te.tensor, te.functional.tanh
        self.manager = te.autodiff.GradManager

    def recorded(self, f: Step, tensors: Sequence[Any]) -> Step:
        gm = self.manager().attach(tensors)

        def step() -> None:
            with gm:
                f()

        return step

    def differentiated(self, f: Step, tensors: Sequence[Any], seed: Any = None) -> Step:
        gm = self.manager().attach(tensors)

        def step() -> None:
            for tensor in tensors:
                tensor.grad = None
            with gm:
                gm.backward(f(), seed)

        return step

    def descend(self, parameters: Sequence[Any]) -> None:
        for p in parameters:
            p._data = p._data - np.float32(RATE) * p.grad._data


class Torch(Engine):
    """PyTorch, one operation after the other."""

    def __init__(self) -> None:
        self.torch = torch = importlib.import_module("torch")
        torch.set_num_threads(1)
        self.parameter = lambda value: torch.tensor(value, requires_grad=True)
        self.constant, self.tanh = torch.tensor, torch.tanh

    def recorded(self, f: Step, tensors: Sequence[Any]) -> Step:
        del tensors
        return f

    def differentiated(self, f: Step, tensors: Sequence[Any], seed: Any = None) -> Step:
        def step() -> None:
            for tensor in tensors:
                tensor.grad = None
            f().backward(seed)

        return step

    def descend(self, parameters: Sequence[Any]) -> None:
        with self.torch.no_grad():
            for p in parameters:
                p -= RATE * p.grad


ENGINES: dict[str, type[Engine]] = {"tinyengine": TinyEngine, "torch": Torch}
