"""Windows that slide over the last axes of (n, channels, …): what convolution and pooling share.

Arrays are laid out with the batch last, so that each copy of a window runs over whole batches; what
leaves a kernel is a view with the batch first.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from ...backend import Array, array_module

Lengths = int | Sequence[int]
"""One number for all axes over which windows slide, or one for each."""


def _each(name: str, value: Any, rank: int, least: int = 1) -> tuple[int, ...]:
    """`value`, one number or one for each of `rank` axes, as a tuple.

    Raises:
        ValueError: there are not so many, or one is below `least`.
    """
    several = isinstance(value, (tuple, list))
    numbers = (
        tuple(operator.index(v) for v in value) if several else (operator.index(value),) * rank
    )
    if len(numbers) != rank or min(numbers) < least:
        raise ValueError(f"{name}={value} must be a number, or {rank} numbers, from {least} up")
    return numbers


class _Windows:
    """How windows slide: their size, the steps between them, and what is added at the edges.

    Attributes:
        kernel: the length of a window along each axis.
        stride: the steps from one window to the next.
        padding: what is added on either side of the input.
        dilation: the steps between the elements of a window.
    """

    def __init__(
        self, kernel: Lengths, stride: Lengths, padding: Lengths, dilation: Lengths, rank: int
    ) -> None:
        self.kernel = _each("kernel_size", kernel, rank)
        self.stride = _each("stride", stride, rank)
        self.padding = _each("padding", padding, rank, 0)
        self.dilation = _each("dilation", dilation, rank)

    def count(self, size: Sequence[int]) -> tuple[int, ...]:
        """How many windows fit along each axis of an input of `size`.

        Raises:
            ValueError: not one fits.
        """
        spans = [d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilation, strict=True)]
        padded = [n + 2 * p for n, p in zip(size, self.padding, strict=True)]
        if any(span > n for span, n in zip(spans, padded, strict=True)):
            raise ValueError(
                f"a window spans {tuple(spans)}, more than the input, which with its padding is"
                f" {tuple(padded)}"
            )
        return tuple(
            (n - span) // s + 1 for n, span, s in zip(padded, spans, self.stride, strict=True)
        )

    def size(self, count: Sequence[int], more: Sequence[int]) -> tuple[int, ...]:
        """The length of an input in which `count` windows fit, and `more` elements after them."""
        return tuple(
            (n - 1) * s - 2 * p + d * (k - 1) + 1 + extra
            for n, s, p, d, k, extra in zip(
                count, self.stride, self.padding, self.dilation, self.kernel, more, strict=True
            )
        )

    def taps(self, count: Sequence[int]) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
        """For each element of a window its place, and where it lies in all of the windows."""
        for place in product(*map(range, self.kernel)):
            yield (
                place,
                tuple(
                    slice(i * d, i * d + s * (n - 1) + 1, s)
                    for i, d, s, n in zip(place, self.dilation, self.stride, count, strict=True)
                ),
            )

    def padded(self, inp: Array, fill: float = 0) -> Array:
        """`inp` (n, channels, …) as (channels, …, n) with `fill` added at the edges."""
        moved = _batch_last(inp)
        if not any(self.padding):
            return moved
        shape = [n + 2 * p for n, p in zip(moved.shape[1:-1], self.padding, strict=True)]
        out = array_module(inp).full((moved.shape[0], *shape, moved.shape[-1]), fill, inp.dtype)
        out[(slice(None), *self.inside(moved.shape[1:-1]))] = moved
        return out

    def inside(self, size: Sequence[int]) -> tuple[slice, ...]:
        """Where an input of `size` lies in what is padded."""
        return tuple(slice(p, p + n) for p, n in zip(self.padding, size, strict=True))

    def unfold(self, inp: Array) -> Array:
        """All windows of `inp` (n, channels, …): (channels, *kernel, *count, n)."""
        count, source = self.count(inp.shape[2:]), self.padded(inp)
        shape = (inp.shape[1], *self.kernel, *count, inp.shape[0])
        out = array_module(inp).empty(shape, inp.dtype)
        for place, where in self.taps(count):
            out[(slice(None), *place)] = source[(slice(None), *where)]
        return out

    def fold(self, windows: Array, size: Sequence[int]) -> Array:
        """The reverse of unfold: each element the sum of what the windows have in its place."""
        channels, batch = windows.shape[0], windows.shape[-1]
        count = self.count(size)
        shape = [n + 2 * p for n, p in zip(size, self.padding, strict=True)]
        out = array_module(windows).zeros((channels, *shape, batch), windows.dtype)
        for place, where in self.taps(count):
            out[(slice(None), *where)] += windows[(slice(None), *place)]
        return _batch_first(out[(slice(None), *self.inside(size))])


def _batch_last(inp: Array) -> Array:
    return inp.transpose(*range(1, inp.ndim), 0)


def _batch_first(inp: Array) -> Array:
    return inp.transpose(inp.ndim - 1, *range(inp.ndim - 1))
