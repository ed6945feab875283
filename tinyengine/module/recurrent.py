"""Recurrent layers: the same cell at every time, which passes its state on to the next time."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .. import functional as F, random
from ..tensor import Parameter, Tensor
from .module import Module


class _Cell(Module):
    """Weights for the input and for the state, with `_gates` rows for each element of the state."""

    _gates: ClassVar[int]
    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, name: str | None = None
    ) -> None:
        super().__init__(name)
        self.input_size, self.hidden_size = input_size, hidden_size
        rows, bound = self._gates * hidden_size, 1 / math.sqrt(hidden_size)
        shapes = {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size)}
        for key, shape in shapes.items():
            setattr(self, key, Parameter(random.uniform(-bound, bound, size=shape)))
        for key in ("bias_ih", "bias_hh"):
            drawn = Parameter(random.uniform(-bound, bound, size=(rows,))) if bias else None
            setattr(self, key, drawn)

    def _sums(self, input: Tensor, state: Tensor) -> Any:
        """Input and state, each times its weights, added up."""
        if input.ndim != 2 or input.shape[1] != self.input_size:
            raise ValueError(
                f"{type(self).__name__}: input must have the shape (n, {self.input_size}), not"
                f" {input.shape}"
            )
        from_input = F.linear(input, self.weight_ih, self.bias_ih)
        return from_input + F.linear(state, self.weight_hh, self.bias_hh)

    def _zeros(self, input: Tensor) -> Tensor:
        return F.zeros((input.shape[0], self.hidden_size), device=input.device)

    def _module_info_string(self) -> str:
        return f"{self.input_size}, {self.hidden_size}"


class RNNCell(_Cell):
    """The next state, tanh(x · weight_ihᵀ + bias_ih + h · weight_hhᵀ + bias_hh).

    Args:
        input_size: the length of x.
        hidden_size: the length of the state h.
        bias: whether there are biases.
        nonlinearity: "tanh", or "relu" in its place.
        name: what traces call the module.

    Raises:
        ValueError: another nonlinearity, or an input of another shape.

    >>> RNNCell(2, 3)(tensor([[1., 2.]])).shape
    (1, 3)
    """

    _gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        name: str | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, name)
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"RNNCell: nonlinearity={nonlinearity!r} must be 'tanh' or 'relu'")
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Any:
        """The state after `input` (n, input_size); `hx` is the state before, zeros at first."""
        sums = self._sums(input, self._zeros(input) if hx is None else hx)
        return F.tanh(sums) if self.nonlinearity == "tanh" else F.relu(sums)


class LSTMCell(_Cell):
    """State h and memory c: gates decide what is written to c, kept in it and read from it.

    The rows of the weights are, in this order, those of the gates input and forget, of what is
    written, and of the gate output.

    >>> h, c = LSTMCell(2, 3)(tensor([[1., 2.]]))
    >>> h.shape, c.shape
    ((1, 3), (1, 3))
    """

    _gates = 4

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Any, Any]:
        """State and memory after `input` (n, input_size); `hx` are those before, zeros at first."""
        h, c = (self._zeros(input), self._zeros(input)) if hx is None else hx
        write, keep, new, read = F.split(self._sums(input, h), 4, axis=1)
        c = F.sigmoid(keep) * c + F.sigmoid(write) * F.tanh(new)
        return F.sigmoid(read) * F.tanh(c), c


class _Recurrent(Module):
    """Cells over all times, in layers, forward and perhaps backward in time."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0,
        bidirectional: bool = False,
        name: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name)
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.batch_first, self.dropout, self.bidirectional = batch_first, dropout, bidirectional
        directions = 2 if bidirectional else 1
        self.cells = [
            [
                self._cell(input_size if layer == 0 else directions * hidden_size, bias, options)
                for _ in range(directions)
            ]
            for layer in range(num_layers)
        ]

    def _cell(self, input_size: int, bias: bool, options: dict[str, Any]) -> Module:
        raise NotImplementedError

    def _first(self, hx: Any, number: int) -> Any:
        """The state with which cell `number` begins."""
        return None if hx is None else hx[number]

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Any, Any]:
        """The outputs of all times, and the last states of all cells.

        Args:
            input: (times, n, input_size), or (n, times, input_size) with batch_first.
            hx: the first states, in the form of the last ones; zeros by default.

        Returns:
            outputs (times, n, directions · hidden_size), or (n, times, …) with batch_first; and
            states (layers · directions, n, hidden_size), of an LSTM a pair of them.
        """
        if input.ndim != 3 or input.shape[2] != self.input_size:
            axes = "n, times" if self.batch_first else "times, n"
            raise ValueError(
                f"{type(self).__name__}: input must have the shape ({axes}, {self.input_size}), not"
                f" {input.shape}"
            )
        outputs: Any = F.swapaxes(input, 0, 1) if self.batch_first else input
        states: list[Any] = []
        for layer, cells in enumerate(self.cells):
            if layer and self.dropout:
                outputs = F.dropout(outputs, self.dropout, training=self.training)
            sides = []
            for side, cell in enumerate(cells):
                state, outs = self._first(hx, len(states)), []
                for x in outputs[::-1] if side else outputs:
                    state = cell(x, state)
                    outs.append(state[0] if isinstance(state, tuple) else state)
                states.append(state)
                sides.append(F.stack(outs[::-1] if side else outs))
            outputs = F.concat(sides, axis=2) if len(sides) > 1 else sides[0]
        if self.batch_first:
            outputs = F.swapaxes(outputs, 0, 1)
        return outputs, self._last(states)

    def _last(self, states: list[Any]) -> Any:
        return F.stack(states)


class RNN(_Recurrent):
    """Layers of RNNCells over all times.

    Args:
        input_size: the length of the input of one time.
        hidden_size: the length of a state.
        num_layers: how many layers there are, each on the outputs of the one below.
        bias: whether there are biases.
        batch_first: whether axis 0 of input and outputs is the batch, and not time.
        dropout: the share of outputs left out between layers, in training.
        bidirectional: whether a second cell of each layer goes backward in time.
        name: what traces call the module.
        nonlinearity: "tanh" or "relu".

    >>> from tinyengine.functional import ones
    >>> outputs, state = RNN(2, 3)(ones((5, 1, 2)))
    >>> outputs.shape, state.shape
    ((5, 1, 3), (1, 1, 3))
    """

    def _cell(self, input_size: int, bias: bool, options: dict[str, Any]) -> Module:
        return RNNCell(input_size, self.hidden_size, bias, **options)


class LSTM(_Recurrent):
    """Layers of LSTMCells over all times; the arguments are those of RNN.

    >>> from tinyengine.functional import ones
    >>> outputs, (h, c) = LSTM(2, 3, num_layers=2)(ones((5, 1, 2)))
    >>> outputs.shape, h.shape, c.shape
    ((5, 1, 3), (2, 1, 3), (2, 1, 3))
    """

    def _cell(self, input_size: int, bias: bool, options: dict[str, Any]) -> Module:
        return LSTMCell(input_size, self.hidden_size, bias, **options)

    def _first(self, hx: Any, number: int) -> Any:
        return None if hx is None else (hx[0][number], hx[1][number])

    def _last(self, states: list[Any]) -> Any:
        return F.stack([h for h, _ in states]), F.stack([c for _, c in states])
