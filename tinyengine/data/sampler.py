"""Samplers: which samples make up each batch, as lists of their numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np

from ..random import RNG, generator
from .dataset import Dataset


class Sampler(ABC):
    """Batches of sample numbers."""

    @abstractmethod
    def __iter__(self) -> Iterator[list[int]]:
        """The numbers of the samples of each batch."""


class MapSampler(Sampler):
    """Batches over a numbered dataset, in the order that `sample` gives.

    Args:
        dataset: whose samples.
        batch_size: how many samples to a batch.
        drop_last: leave out a last batch that is smaller.
        seed: for an order of its own; by default ``random.seed`` governs it.

    Raises:
        ValueError: `batch_size` is not a positive whole number.

    """

    def __init__(
        self,
        dataset: Dataset,
        batch_size: int = 1,
        drop_last: bool = False,
        seed: int | None = None,
    ) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size < 1:
            name = type(self).__name__
            raise ValueError(f"{name}(): batch_size must be 1 or more, not {batch_size!r}")
        self.dataset = dataset
        self.batch_size = batch_size
        self.drop_last = drop_last
        self._own = None if seed is None else RNG(seed)

    @abstractmethod
    def sample(self) -> Sequence[int]:
        """The numbers of all samples of one pass, in order."""

    @property
    def generator(self) -> np.random.Generator:
        """Where random orders come from."""
        return generator() if self._own is None else self._own.generator()

    def __len__(self) -> int:
        """How many batches a pass has."""
        count = len(self.dataset)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def __iter__(self) -> Iterator[list[int]]:
        order, size = list(self.sample()), self.batch_size
        for begin in range(0, len(order), size):
            batch = order[begin : begin + size]
            if len(batch) == size or not self.drop_last:
                yield batch


class SequentialSampler(MapSampler):
    """The samples in their order.

    >>> from tinyengine.data import ArrayDataset
    >>> list(SequentialSampler(ArrayDataset([5, 6, 7]), batch_size=2))
    [[0, 1], [2]]
    """

    def sample(self) -> Sequence[int]:
        """0, 1, 2, …"""  # noqa: D415
        return range(len(self.dataset))


class RandomSampler(MapSampler):
    """Every sample once, in an order drawn anew for each pass."""

    def sample(self) -> Sequence[int]:
        """The numbers, shuffled."""
        order: list[int] = self.generator.permutation(len(self.dataset)).tolist()
        return order


class ReplacementSampler(MapSampler):
    """Samples drawn at random, so that one may come several times.

    Args:
        dataset: whose samples.
        batch_size: how many samples to a batch.
        drop_last: leave out a last batch that is smaller.
        num_samples: how many to draw for a pass; by default as many as there are.
        weights: how likely each sample is, in proportion; by default all alike.
        seed: for draws of its own; by default ``random.seed`` governs them.

    Raises:
        ValueError: there is not one weight, not negative, for each sample.

    """

    def __init__(
        self,
        dataset: Dataset,
        batch_size: int = 1,
        drop_last: bool = False,
        num_samples: int | None = None,
        weights: Sequence[float] | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(dataset, batch_size, drop_last, seed)
        self.num_samples = len(dataset) if num_samples is None else num_samples
        self.chances: np.ndarray[tuple[int], np.dtype[np.float64]] | None = None
        if weights is not None:
            known = np.asarray(weights, np.float64)
            if known.shape != (len(dataset),) or (known < 0).any() or not known.sum() > 0:
                raise ValueError(
                    f"ReplacementSampler(): weights must be {len(dataset)} numbers, one for each"
                    f" sample, none negative and not all 0; their shape is {known.shape}"
                )
            self.chances = known / known.sum()

    def __len__(self) -> int:
        count = self.num_samples
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def sample(self) -> Sequence[int]:
        """The numbers drawn."""
        drawn: list[int] = self.generator.choice(
            len(self.dataset), self.num_samples, p=self.chances
        ).tolist()
        return drawn


class Infinite(Sampler):
    """One pass of another sampler after the other, without end."""

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler

    def __iter__(self) -> Iterator[list[int]]:
        while True:
            empty = True
            for batch in self.sampler:
                empty = False
                yield batch
            if empty:
                raise ValueError("Infinite(): the sampler gives no batch at all")


class StreamSampler(Sampler):
    """For a StreamDataset: how many samples to a batch, and whether to keep a smaller last one."""

    def __init__(self, batch_size: int = 1, drop_last: bool = False) -> None:
        if batch_size < 1:
            raise ValueError(f"StreamSampler(): batch_size must be 1 or more, not {batch_size}")
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        raise TypeError("a StreamSampler numbers nothing; give it to a DataLoader")
