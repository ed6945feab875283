"""DataLoader: batches of a dataset, made ready ahead by threads where asked for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from .dataset import Dataset, StreamDataset
from .sampler import MapSampler, Sampler, SequentialSampler, StreamSampler
from .transform import Transform


class Collator:
    """Makes a batch of samples: arrays stacked, tuples one stack for each element."""

    def apply(self, samples: list[Any]) -> Any:
        """The batch, one array or a list of arrays.

        Raises:
            ValueError: there are no samples, or their shapes or numbers of elements differ.

        >>> [part.tolist() for part in Collator().apply([(1, 2.0), (3, 4.0)])]
        [[1, 3], [2.0, 4.0]]
        """
        if not samples:
            raise ValueError("Collator(): there are no samples to make a batch of")
        if isinstance(samples[0], (tuple, list)):
            lengths = {len(sample) for sample in samples}
            if len(lengths) > 1:
                raise ValueError(
                    "Collator(): the samples of a batch are tuples of different lengths"
                    f" {sorted(lengths)}; each must have the same elements"
                )
            return [self.apply(list(parts)) for parts in zip(*samples, strict=True)]
        arrays = [np.asarray(sample) for sample in samples]
        shapes = {array.shape for array in arrays}
        if len(shapes) > 1:
            raise ValueError(
                f"Collator(): the samples of a batch have different shapes {sorted(shapes)}; bring"
                " them to one with a transform"
            )
        return np.stack(arrays)


class DataLoader:
    """Batches of `dataset`, as lists of NumPy arrays, for one pass each time it is iterated.

    Args:
        dataset: where the samples come from.
        sampler: which samples make up each batch; by default each sample, in order, by itself.
        transform: what is done to each sample.
        collator: how samples become a batch.
        num_workers: how many threads make batches ahead; 0 makes each when it is asked for. The
            batches come in the same order all the same, and an exception in a thread is raised
            where the batch is asked for.

    Raises:
        TypeError: the dataset, the sampler and the transform are not of those kinds, or do not fit.
        ValueError: `num_workers` is negative.

    >>> from tinyengine.data import ArrayDataset
    >>> loader = DataLoader(ArrayDataset(np.arange(3), np.arange(3) * 10))
    >>> [[part.tolist() for part in batch] for batch in loader]
    [[[0], [0]], [[1], [10]], [[2], [20]]]
    """

    def __init__(
        self,
        dataset: Dataset,
        sampler: Sampler | None = None,
        transform: Transform | None = None,
        collator: Collator | None = None,
        num_workers: int = 0,
    ) -> None:
        if not isinstance(dataset, Dataset):
            raise TypeError(
                f"DataLoader(): the dataset must be a Dataset, not {type(dataset).__name__};"
                " ArrayDataset(*arrays) makes one of arrays"
            )
        streams = isinstance(dataset, StreamDataset)
        if sampler is None:
            sampler = StreamSampler() if streams else SequentialSampler(dataset)
        if isinstance(sampler, StreamSampler) != streams:
            raise TypeError(
                "DataLoader(): a StreamSampler goes with a StreamDataset, and other samplers with"
                " other datasets"
            )
        if num_workers < 0:
            raise ValueError(f"DataLoader(): num_workers must be 0 or more, not {num_workers}")
        self.dataset = dataset
        self.sampler = sampler
        self.transform = transform
        self.collator = Collator() if collator is None else collator
        self.num_workers = num_workers

    def __len__(self) -> int:
        """How many batches a pass has."""
        if not isinstance(self.sampler, MapSampler):
            raise TypeError(f"a DataLoader with a {type(self.sampler).__name__} has no length")
        return len(self.sampler)

    def __iter__(self) -> Iterator[Any]:
        tasks = self._tasks()
        return self._ahead(tasks) if self.num_workers else (task() for task in tasks)

    def _tasks(self) -> Iterator[Callable[[], Any]]:
        """For each batch a function that makes it."""
        if isinstance(self.sampler, StreamSampler):
            stream, size = iter(self.dataset), self.sampler.batch_size
            while samples := list(islice(stream, size)):
                if len(samples) == size or not self.sampler.drop_last:
                    yield partial(self._batch, samples)
        else:
            for numbers in self.sampler:
                yield partial(self._numbered, numbers)

    def _numbered(self, numbers: list[int]) -> Any:
        return self._batch([self.dataset[number] for number in numbers])

    def _batch(self, samples: list[Any]) -> Any:
        if self.transform is not None:
            samples = [self.transform.apply(sample) for sample in samples]
        return self.collator.apply(samples)

    def _ahead(self, tasks: Iterator[Callable[[], Any]]) -> Iterator[Any]:
        """The batches in order, each thread one or two ahead of who asks for them."""
        waiting: deque[Future[Any]] = deque()
        with ThreadPoolExecutor(self.num_workers) as pool:
            try:
                for task in tasks:
                    waiting.append(pool.submit(task))
                    if len(waiting) > 2 * self.num_workers:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()
