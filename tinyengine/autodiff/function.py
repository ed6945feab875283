"""Function: an operation whose derivative is written by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..chain_rule import Node, alive, forget, observers, tape
from ..dispatch import result
from ..functional.tensor.assignment import rebind
from ..tensor import Tensor


class Function:
    """An operation that states its own derivative. Subclass it, and call an instance.

    What backward() needs is kept in attributes. Nothing that forward() does is recorded: for the
    graph the whole call is one operation, and backward() is its derivative.

    >>> from tinyengine.autodiff import Function, GradManager
    >>> class Cube(Function):
    ...     def forward(self, x):
    ...         self.x = x
    ...         return x * x * x
    ...     def backward(self, dy):
    ...         return dy * 3 * self.x * self.x
    >>> x = tensor(2.)
    >>> gm = GradManager().attach(x)
    >>> with gm:
    ...     gm.backward(Cube()(x))
    >>> x.grad
    Tensor(12.0, device=cpux:0)

    Managers nest as everywhere: an outer one records what backward() does. An instance may be
    called several times; each call's backward() finds the attributes that its forward() left.
    """

    def forward(self, *inputs: Any) -> Any:
        """Compute the result, or a tuple of results, of the tensors that the instance is called on.

        To change an input in place is allowed: the caller's tensor changes, and is a constant then.
        """
        raise NotImplementedError(
            f"{type(self).__name__}: define forward(self, *inputs), which returns a Tensor or a"
            " tuple of Tensors"
        )

    def backward(self, *dys: Any) -> Any:
        """The gradient of each input, from the gradient `dy` of each result.

        A `dy` is None where no gradient arrives. A gradient that is None goes no further; those
        that are missing at the end are None.
        """
        raise NotImplementedError(
            f"{type(self).__name__}: define backward(self, *dys), which returns the gradient of"
            " each input"
        )

    def __call__(self, *inputs: Tensor) -> Any:
        """The result of forward(), recorded as one operation.

        Raises:
            TypeError: an input, or what forward() returns, is not a Tensor.
        """
        name = type(self).__name__
        for i, x in enumerate(inputs):
            if not isinstance(x, Tensor):
                raise TypeError(
                    f"{name}(): argument {i} is {type(x).__name__} {x!r:.60}, and not a Tensor;"
                    f" make it one with tensor(...), or give it to {name}.__init__"
                )
        parents = tuple([alive(x._node) for x in inputs])
        call = _Call(self, inputs)
        made = call.forward(inputs, parents)
        for observer in observers:
            observer.forward(call, inputs, {}, made if len(made) > 1 else made[0])
        call.change(inputs)
        return made if call.returned_several else made[0]


class _Call:
    """One call of a Function: what stands in the place of an op in the recorded graph."""

    def __init__(self, function: Function, inputs: Sequence[Tensor]) -> None:
        self.function = function
        self.name = self.symbol = type(function).__name__
        self.inputs = [(x.shape, x.dtype, x.device) for x in inputs]
        self.pulls = tuple([_pull(i) for i in range(len(inputs))])
        self.returned_several = False
        self._given: list[Tensor] = []
        self._left: dict[str, Any] = {}
        self._arrived: Any = None
        self._gradients: list[Any] = []

    def forward(
        self, inputs: Sequence[Tensor], parents: tuple[Node | None, ...]
    ) -> tuple[Tensor, ...]:
        """Run the function on `inputs`, and record it as one operation.

        It gets the inputs as they are now, so that what it keeps of them cannot change.
        """
        self._given = [result(x._data, x.device) for x in inputs]
        known = {id(value) for value in (*vars(self.function).values(), *self._given)}
        outputs = self._unrecorded(inputs)
        made = tuple([result(out._data, out.device) for out in outputs])
        if any(parents):
            self._record(parents, made)
        # What backward() finds in attributes leads to where it came from, for an outer manager.
        for x, given, parent in zip(inputs, self._given, parents, strict=True):
            if given._data is x._data:
                given._node = parent
        for inner, out in zip(outputs, made, strict=True):
            if id(inner) not in known:
                inner._node = out._node
        self._left = dict(vars(self.function))
        return made

    def _unrecorded(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        watching, begin = observers[:], len(tape)
        observers.clear()
        try:
            out = self.function.forward(*self._given)
        except Exception as error:
            for observer in watching:
                observer.failed(self, inputs, {}, f"{self.name}(): {error}")
            raise
        finally:
            observers[:] = watching
            forget(begin)
        self.returned_several = isinstance(out, (tuple, list))
        outputs: list[Any] = list(out) if isinstance(out, (tuple, list)) else [out]
        if not outputs or not all(isinstance(out, Tensor) for out in outputs):
            raise TypeError(
                f"{self.name}.forward() must return a Tensor or a tuple of Tensors, not"
                f" {type(out).__name__} {out!r:.60}"
            )
        return outputs

    def _record(self, parents: tuple[Node | None, ...], outputs: Sequence[Tensor]) -> None:
        """Put the call on the tape; where it has several results, a node for each of them too."""
        if not any(out.dtype.kind == "f" for out in outputs):
            return
        node, count = _node(self, parents, (self,)), len(outputs)
        for i, out in enumerate(outputs):
            if out.dtype.kind == "f":
                out._node = node if count == 1 else _node(_Part(i, count), (node,), ())

    def change(self, inputs: Sequence[Tensor]) -> None:
        """Let the caller see what forward() changed in place."""
        for x, given in zip(inputs, self._given, strict=True):
            if given._data is not x._data:
                rebind(x, result(given._data, given.device))
        self._given = []

    def gradient(self, which: int, dout: Any) -> Any:
        """The gradient of one input. All are computed when the first is asked for."""
        if self._arrived is not dout:
            self._gradients, self._arrived = self._backward(dout), dout
        return self._gradients[which]

    def _backward(self, dout: Any) -> list[Any]:
        parts = dout.parts if isinstance(dout, _Parts) else (dout,)
        nested = any(isinstance(part, Tensor) for part in parts)
        dys = [part if part is None or nested else self._tensor(part) for part in parts]
        vars(self.function).update(self._left)
        begin = len(tape)
        try:
            gradients = self.function.backward(*dys)
        finally:
            if not nested:  # nobody asked for the graph of the gradient
                forget(begin)
        given = list(gradients) if isinstance(gradients, (tuple, list)) else [gradients]
        count = len(self.inputs)
        if any(gradient is not None for gradient in given[count:]):
            raise ValueError(
                f"{self.name}.backward() returned {len(given)} gradients for {count} inputs"
            )
        given += [None] * (count - len(given))
        checked = [self._checked(which, given[which]) for which in range(count)]
        return [g if nested or g is None else g._data for g in checked]

    def _tensor(self, array: Any) -> Tensor:
        return result(array if array.shape else array[()], self.inputs[0][2])

    def _checked(self, which: int, gradient: Any) -> Tensor | None:
        if gradient is None:
            return None
        shape, dtype, device = self.inputs[which]
        where = f"{self.name}.backward(): the gradient of input {which}"
        if not isinstance(gradient, Tensor):
            raise TypeError(
                f"{where} is {type(gradient).__name__} {gradient!r:.60}; return a Tensor, or None"
                " to stop there"
            )
        if gradient.shape != shape:
            raise ValueError(f"{where} has shape {gradient.shape}, and the input has {shape}")
        if gradient.device is not device:
            raise RuntimeError(f"{where} is on {gradient.device}, and the input on {device}")
        return gradient.astype(dtype)


class _Part:
    """What stands in the place of an op behind one of several results: it passes on to the call."""

    def __init__(self, which: int, count: int) -> None:
        self.pulls = (lambda dout, _: _Parts([dout if i == which else None for i in range(count)]),)


class _Parts:
    """The gradients that have arrived at the results of a call, None where none has."""

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = parts

    def __add__(self, other: _Parts) -> _Parts:
        pairs = zip(self.parts, other.parts, strict=True)
        return _Parts([a if b is None else b for a, b in pairs])


@cache
def _pull(which: int) -> Callable[[Any, Any], Any]:
    return lambda dout, kept: kept[0].gradient(which, dout)


def _node(op: Any, parents: tuple[Node | None, ...], kept: tuple[Any, ...]) -> Node:
    node = Node()
    node.op, node.parents, node.shapes = op, parents, None
    node.kept = node.kept_tensors = kept
    tape.append(node)
    return node
