"""grad_check: whether gradients agree with slopes measured by small steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..tensor import Tensor
from .grad_manager import GradManager

Values: TypeAlias = list["np.ndarray[Any, Any]"]


def grad_check(
    f: Callable[..., Any],
    *inputs: Any,
    order: int = 2,
    step: float = 1e-5,
    rtol: float = 1e-5,
    atol: float = 1e-7,
    seed: int = 0,
) -> bool:
    """Compare the derivatives of `f` with slopes that are measured by small steps.

    Gradients are taken in float64, of the sum of the results and of a random mixture of them, and
    compared along one direction; then once more through the gradient itself. Where the two differ,
    each element is measured to find the one that is wrong. Where `f` has a kink, as abs has at 0,
    there is no slope to compare with: choose other inputs.

    Args:
        f: a function of tensors that returns one tensor, or several, of any shape. It must give
            the same result for the same inputs.
        inputs: where to compare. Those of floats are copied as float64, and differentiated; the
            others are handed on.
        order: 1 to check the gradient alone, 2 to check its own gradient as well.
        step: how far apart the values are of which the slope is measured.
        rtol: how far the two may differ, relative to their size.
        atol: how far they may differ besides.
        seed: of the random numbers.

    Returns:
        True.

    Raises:
        AssertionError: they disagree; the message names `f`, the input, the index and both numbers.
        ValueError: there is nothing to check.

    >>> import tinyengine.functional as F
    >>> grad_check(F.tanh, tensor([0.5, -1.]))
    True
    >>> grad_check(lambda x: x * x.detach(), tensor([3.]))
    Traceback (most recent call last):
        ...
    AssertionError: grad_check of <lambda>: at input 0, index (0,), the gradient is 3, the slope 6
    """
    check = _Check(f, inputs, step, rtol, atol)
    random = np.random.default_rng(seed)
    for make in (np.ones, random.standard_normal):
        check.choose(make)
        check.first_order()
        if order > 1:
            check.second_order()
    return True


class _Check:
    """A function with its inputs, and what is compared: one number, along one direction."""

    def __init__(
        self,
        f: Callable[..., Any],
        inputs: Sequence[Any],
        step: float,
        rtol: float,
        atol: float,
    ) -> None:
        self.f, self.step, self.rtol, self.atol = f, step, rtol, atol
        self.name = getattr(f, "__name__", type(f).__name__)
        self.inputs = [x if isinstance(x, Tensor) else Tensor(x) for x in inputs]
        self.places = [i for i, x in enumerate(self.inputs) if x.dtype.kind == "f"]
        if not self.places:
            raise ValueError(f"grad_check of {self.name}: none of the inputs holds floats")
        self.at = [self.inputs[i].numpy().astype("float64") for i in self.places]
        self.weights: Values = []
        self.directions: Values = []

    def choose(self, make: Callable[..., Any]) -> None:
        """Make the weights of the results and the directions for the inputs, of these shapes."""
        self.weights = [np.asarray(make(y.shape)) for y in self._run(self._tensors(self.at))]
        self.directions = [np.asarray(make(x.shape)) for x in self.at]

    def first_order(self) -> None:
        """Compare the gradient of Σ weights · f(inputs)."""
        self._compare("gradient", lambda at: self._gradients(self._tensors(at)), self._total)

    def second_order(self) -> None:
        """Compare the gradient of Σ directions · that gradient."""

        def gradients(at: Values) -> Values:
            tensors = self._tensors(at)
            outer = GradManager().attach(self._floats(tensors))
            with outer:
                firsts = self._first_gradients(tensors)
                known = [
                    (first, self._like(u, first))
                    for first, u in zip(firsts, self.directions, strict=True)
                    if first is not None
                ]
                outer.backward([first for first, _ in known], [u for _, u in known])
            return self._taken(tensors)

        def total(at: Values) -> float:
            return _dot(self.directions, self._gradients(self._tensors(at)))

        self._compare("second derivative", gradients, total)

    def _compare(
        self,
        what: str,
        gradients: Callable[[Values], Values],
        total: Callable[[Values], float],
    ) -> None:
        found = gradients(self.at)
        for which, (gradient, u) in enumerate(zip(found, self.directions, strict=True)):
            slope = self._slope(total, which, u)
            if not self._close(float((gradient * u).sum()), slope):
                self._blame(what, which, gradient, total)

    def _blame(
        self, what: str, which: int, gradient: np.ndarray[Any, Any], total: Callable[..., float]
    ) -> None:
        """Raise, with the index at which gradient and slope differ most."""
        slopes = np.empty(gradient.shape)
        for index in np.ndindex(gradient.shape):
            unit = np.zeros(gradient.shape)
            unit[index] = 1
            slopes[index] = self._slope(total, which, unit)
        apart = np.abs(gradient - slopes)
        worst = np.unravel_index(np.argmax(np.where(np.isnan(apart), np.inf, apart)), apart.shape)
        index = tuple(int(i) for i in worst)
        place = f"input {self.places[which]}" + (f", index {index}," if index else "")
        kinds = {str(y.dtype) for y in self._run(self._tensors(self.at))} - {"float64"}
        narrow = f"; f computes in {' and '.join(sorted(kinds))}, not float64" if kinds else ""
        raise AssertionError(
            f"grad_check of {self.name}: at {place} the {what} is {gradient[index]:.6g}, the slope"
            f" {slopes[index]:.6g}{narrow}"
        )

    def _slope(
        self, total: Callable[[Values], float], which: int, direction: np.ndarray[Any, Any]
    ) -> float:
        after, before = list(self.at), list(self.at)
        after[which] = after[which] + self.step * direction
        before[which] = before[which] - self.step * direction
        return (total(after) - total(before)) / (2 * self.step)

    def _close(self, gradient: float, slope: float) -> bool:
        return bool(np.isclose(gradient, slope, self.rtol, self.atol))

    # Running f.

    def _tensors(self, at: Values) -> list[Tensor]:
        """The inputs, those of floats with the values of `at`."""
        tensors = list(self.inputs)
        for i, values in zip(self.places, at, strict=True):
            tensors[i] = Tensor(values, "float64", self.inputs[i].device)
        return tensors

    def _floats(self, tensors: list[Tensor]) -> list[Tensor]:
        return [tensors[i] for i in self.places]

    def _run(self, tensors: list[Tensor]) -> list[Tensor]:
        out = self.f(*tensors)
        outputs = list(out) if isinstance(out, (tuple, list)) else [out]
        for y in outputs:
            if not isinstance(y, Tensor):
                raise TypeError(
                    f"{self.name} must return tensors, not {type(y).__name__} {y!r:.60}"
                )
        outputs = [y for y in outputs if y.dtype.kind == "f"]
        if not outputs:
            raise ValueError(f"grad_check of {self.name}: none of the results holds floats")
        return outputs

    def _like(self, values: np.ndarray[Any, Any], tensor: Tensor) -> Tensor:
        return Tensor(values, tensor.dtype, tensor.device)

    def _total(self, at: Values) -> float:
        return _dot(self.weights, [y.numpy() for y in self._run(self._tensors(at))])

    def _first_gradients(self, tensors: list[Tensor]) -> list[Tensor | None]:
        gm = GradManager().attach(self._floats(tensors))
        with gm:
            ys = self._run(tensors)
            gm.backward(ys, [self._like(v, y) for v, y in zip(self.weights, ys, strict=True)])
        gradients = []
        for x in self._floats(tensors):
            gradients.append(x.grad)
            x.grad = None
        return gradients

    def _gradients(self, tensors: list[Tensor]) -> Values:
        firsts = self._first_gradients(tensors)
        pairs = zip(firsts, self._floats(tensors), strict=True)
        return [np.zeros(x.shape) if g is None else g.numpy() for g, x in pairs]

    def _taken(self, tensors: list[Tensor]) -> Values:
        return [
            np.zeros(x.shape) if x.grad is None else x.grad.numpy() for x in self._floats(tensors)
        ]


def _dot(xs: Values, ys: Values) -> float:
    return float(sum(np.sum(x * y) for x, y in zip(xs, ys, strict=True)))
