"""GradManager: records what is computed from the tensors it follows, and works out gradients."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from .. import chain_rule
from ..chain_rule import Node, Observer, managers, observers, tape
from ..dispatch import result
from ..functional import broadcast_to
from ..promotion import FLOAT32
from ..tensor import Tensor
from .group import GradManagerGroup

_ONE = FLOAT32.type(1)

Callback = Callable[[Tensor, Tensor], Tensor]


class GradManager:
    """Computes gradients of whatever is computed from the attached tensors while it records.

    >>> x = tensor([1., 3., 5.])
    >>> gm = GradManager().attach(x)
    >>> with gm:
    ...     y = (x * x).sum()
    ...     gm.backward(y)
    >>> x.grad
    Tensor([ 2.  6. 10.], device=cpux:0)

    ``with gm:`` is short for ``gm.record()`` … ``gm.release()``. Managers nest: what an inner one
    does in backward is recorded by the outer ones, which gives derivatives of any order.
    """

    def __init__(self) -> None:
        self._attached: dict[int, tuple[weakref.ref[Tensor], list[Callback]]] = {}
        self._leaves: list[tuple[Tensor, Node]] = []
        self._begin = 0
        self._level = 0  # how many managers are outside of this one
        self._recording = False

    def attach(
        self,
        tensors: Tensor | Iterable[Tensor],
        callbacks: Callback | Iterable[Callback] | None = None,
    ) -> GradManager:
        """Follow `tensors`: backward() will leave their gradients in ``.grad``.

        Tensors are held weakly. One attached while recording is followed from there on.

        Args:
            tensors: a floating-point tensor, or several.
            callbacks: functions of the tensor and its gradient, each of which returns the gradient
                for the next; the last one's is what ``.grad`` gets.

        Returns:
            this manager.

        Raises:
            TypeError: what is attached is not a tensor, or cannot have a gradient.
        """
        tensors = [tensors] if isinstance(tensors, Tensor) else _all_tensors(tensors)
        if callbacks is None:
            callbacks = []
        elif callable(callbacks):
            callbacks = [callbacks]
        callbacks = list(callbacks)
        for tensor in tensors:
            if tensor.dtype.kind != "f":
                raise TypeError(
                    f"attach(): only floating-point tensors have gradients, and this one of shape"
                    f" {tensor.shape} is {tensor.dtype}; use astype('float32')"
                )
        for tensor in tensors:
            known = self._attached.get(id(tensor))
            if known is None or known[0]() is not tensor:
                known = self._attached[id(tensor)] = weakref.ref(tensor), []
                if self._recording:
                    self._leaves.append((tensor, chain_rule.follow(tensor)))
            known[1].extend(callbacks)
        return self

    def attached_tensors(self) -> list[Tensor]:
        """The attached tensors that are still alive, in the order in which they were attached."""
        tensors = [tensor for ref, _ in self._attached.values() if (tensor := ref()) is not None]
        if len(tensors) < len(self._attached):
            self._attached = {id(tensor): self._attached[id(tensor)] for tensor in tensors}
        return tensors

    def record(self) -> None:
        """Begin to record.

        Raises:
            RuntimeError: this manager records already.
        """
        if self._recording:
            raise RuntimeError(
                "record(): this GradManager is already recording; release() it first"
            )
        self._recording = True
        self._begin = len(tape)
        self._level = managers[-1]._level + 1 if managers else 0
        managers.append(self)
        self._leaves = [(tensor, chain_rule.follow(tensor)) for tensor in self.attached_tensors()]

    def release(self) -> None:
        """Stop recording and forget what was recorded."""
        if self._recording:
            managers.remove(self)
            self._recording = False
            self._leaves = []
            if not managers:
                chain_rule.forget()

    def backward(
        self,
        y: Tensor | Sequence[Tensor] | None = None,
        dy: Tensor | Sequence[Tensor] | None = None,
    ) -> None:
        """Add to ``.grad`` of each attached tensor the gradient of `y`; then release().

        A tensor that `y` does not depend on keeps its ``.grad``, which is None at first.

        Args:
            y: the tensor, or tensors, of any shape to differentiate.
            dy: the gradient at each `y`, of a shape that stretches to its; by default ones.

        Raises:
            RuntimeError: nothing is recorded.
            TypeError: `y` or `dy` is not made of tensors.
            ValueError: a `dy` does not fit its `y`.
        """
        if not self._recording:
            raise RuntimeError(
                "backward(): no computation history. Did you forget record() (or `with gm:`), or"
                " call a method that clears the history, such as backward() or release()?"
            )
        watching = observers[:]
        observers.clear()  # what rules compute is told as backward, not as forward steps
        try:
            outputs = _list("y", y)
            seeds = _ones_like(outputs) if dy is None else _seeds(outputs, dy)
            for tensor, seed in zip(outputs, seeds, strict=True) if watching else ():
                for observer in watching:
                    observer.seeded(tensor, seed)
            nested = managers[0]._level < self._level  # an outer one records what rules compute
            gradients = chain_rule.backpropagate(
                [y._node for y in outputs],
                seeds if nested else [seed._data for seed in seeds],
                self._begin,
                as_tensors=nested,
                watching=watching,
            )
            self._deliver(gradients, watching)
        finally:
            observers[:] = watching
            self.release()

    def _deliver(self, gradients: dict[Node, Any], watching: list[Observer]) -> None:
        for tensor, node in self._leaves:
            gradient = gradients.get(node)
            if gradient is not None:
                gradient = _gradient_of(tensor, gradient)
                for callback in self._attached[id(tensor)][1]:
                    gradient = _called_back(callback, tensor, gradient)
                _add_to_grad(tensor, gradient)
            for observer in watching:
                observer.delivered(tensor, gradient)

    def __or__(self, other: Any) -> GradManagerGroup:
        """Both managers, to record side by side: ``with g1 | g2:``."""
        group: GradManagerGroup = GradManagerGroup([self]) | other
        return group

    def __repr__(self) -> str:
        count = len(self.attached_tensors())
        return f"GradManager({count} tensor{'s' * (count != 1)} attached)"

    def __enter__(self) -> GradManager:
        self.record()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()


def _all_tensors(tensors: Any) -> list[Tensor]:
    whole = not isinstance(tensors, Iterable) or isinstance(tensors, (str, Mapping, np.ndarray))
    given = [tensors] if whole else list(tensors)
    for tensor in given:
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"attach(): expected a Tensor or several, got {type(tensor).__name__}"
                f" {tensor!r:.60}"
            )
    return given


def _seeds(outputs: list[Tensor], dy: Any) -> list[Tensor]:
    """The gradient to start from at each output, of its shape and dtype."""
    seeds = _list("dy", dy)
    if len(seeds) != len(outputs):
        raise ValueError(
            f"backward(): {len(outputs)} y but {len(seeds)} dy; give one dy for each y"
        )
    return [_stretched(seed, y) for seed, y in zip(seeds, outputs, strict=True)]


def _ones_like(outputs: list[Tensor]) -> list[Tensor]:
    ones = []
    for y in outputs:
        data = y._data
        number = data.__class__ is FLOAT32.type
        one = _ONE if number else y.device.put(y.device.xp.ones(data.shape, data.dtype))
        ones.append(result(one, y.device))
    return ones


def _stretched(seed: Tensor, y: Tensor) -> Tensor:
    if seed.device is not y.device:
        raise RuntimeError(
            f"backward(): y is on {y.device} and dy on {seed.device}; use dy.to(y.device)"
        )
    if seed.shape == y.shape and seed.dtype is y.dtype:
        return seed
    try:
        return seed.astype(y.dtype) if seed.shape == y.shape else broadcast_to(seed, y.shape)
    except ValueError:
        raise ValueError(
            f"backward(): dy of shape {seed.shape} does not stretch to y of shape {y.shape}"
        ) from None


def _gradient_of(tensor: Tensor, gradient: Any) -> Tensor:
    """`gradient` as a tensor of its own, of the dtype of `tensor`."""
    if isinstance(gradient, Tensor):
        gradient = gradient.astype(tensor.dtype)
        own = result(gradient._data, tensor.device)
        own._node = gradient._node
        return own
    if gradient.__class__ is not FLOAT32.type or tensor._data.__class__ is not FLOAT32.type:
        gradient = gradient.astype(tensor._data.dtype, copy=False)[()]
    return result(gradient, tensor.device)


def _called_back(callback: Callback, tensor: Tensor, gradient: Tensor) -> Tensor:
    gradient = callback(tensor, gradient)
    if gradient is not None and not isinstance(gradient, Tensor):
        raise TypeError(
            f"backward(): a callback of attach() must return the gradient as a Tensor, and not"
            f" {type(gradient).__name__} {gradient!r:.60}"
        )
    return gradient


def _add_to_grad(tensor: Tensor, gradient: Any) -> None:
    """``+=`` on ``.grad``, in place: whoever holds the gradient sees the sum."""
    if tensor.grad is None:
        tensor.grad = gradient
        return
    total = tensor.grad + gradient
    if isinstance(tensor.grad, Tensor):
        tensor.grad._data, tensor.grad._node = total._data, total._node
    else:  # a number with which the learner cleared it
        tensor.grad = total


def _list(role: str, given: Any) -> list[Tensor]:
    if isinstance(given, Tensor):
        return [given]
    items = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
    for item in items:
        if not isinstance(item, Tensor):
            raise TypeError(
                f"backward(): {role} must be a Tensor or a list of Tensors, got"
                f" {type(item).__name__} {item!r:.60}"
            )
    return items
