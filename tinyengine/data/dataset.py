"""Datasets: samples by number, or one after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any


class Dataset(ABC):
    """Samples by number. A dataset of one's own says what its samples are and how many."""

    @abstractmethod
    def __getitem__(self, index: int) -> Any:
        """Sample number `index`, an array or a tuple of arrays."""

    @abstractmethod
    def __len__(self) -> int:
        """How many samples there are."""


class StreamDataset(Dataset):
    """Samples one after the other, of which nobody knows the number."""

    @abstractmethod
    def __iter__(self) -> Iterator[Any]:
        """The samples, in their order."""

    def __getitem__(self, index: int) -> Any:
        raise TypeError("a StreamDataset has no numbered samples; iterate over it")

    def __len__(self) -> int:
        raise TypeError("a StreamDataset has no length; iterate over it")


class ArrayDataset(Dataset):
    """Arrays of one length, side by side: sample `i` is the tuple of their elements at `i`.

    Raises:
        ValueError: there are no arrays, or their lengths differ.

    >>> ArrayDataset([1., 2.], [3., 4.])[1]
    (2.0, 4.0)
    """

    def __init__(self, *arrays: Any) -> None:
        if not arrays:
            raise ValueError("ArrayDataset(): at least one array is needed")
        lengths = [len(array) for array in arrays]
        if len(set(lengths)) > 1:
            raise ValueError(f"ArrayDataset(): the lengths of the arrays differ: {lengths}")
        self.arrays = arrays

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return tuple(array[index] for array in self.arrays)

    def __len__(self) -> int:
        return len(self.arrays[0])
