"""Datasets, samplers, transforms and the loader."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tinyengine as te
from tinyengine import data


def numbered(n: int) -> data.ArrayDataset:
    return data.ArrayDataset(np.arange(n), np.arange(n) * 10)


class Stream(data.StreamDataset):
    def __iter__(self) -> Iterator[Any]:
        return iter((np.full(2, i), i) for i in range(5))


def seen(loader: data.DataLoader) -> list[Any]:
    return [[part.tolist() for part in batch] for batch in loader]


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_batches_come_in_order_and_hold_arrays(workers: int) -> None:
    dataset = numbered(7)
    sampler = data.SequentialSampler(dataset, batch_size=3)
    loader = data.DataLoader(dataset, sampler, num_workers=workers)
    wanted = [[[0, 1, 2], [0, 10, 20]], [[3, 4, 5], [30, 40, 50]], [[6], [60]]]
    assert len(loader) == 3
    assert seen(loader) == seen(loader) == wanted
    assert all(isinstance(part, np.ndarray) for batch in loader for part in batch)


def test_a_last_batch_that_is_smaller_can_be_left_out() -> None:
    for make in (data.SequentialSampler, data.RandomSampler, data.ReplacementSampler):
        for count, drop, batches in ((7, False, 3), (7, True, 2), (6, True, 2), (0, False, 0)):
            sampler = make(numbered(count), 3, drop)
            assert len(sampler) == batches
            assert len(list(sampler)) == batches


def test_random_orders_follow_the_one_seed_or_their_own() -> None:
    dataset = numbered(20)

    def order(**options: Any) -> list[int]:
        return [n for batch in data.RandomSampler(dataset, 6, **options) for n in batch]

    te.random.seed(3)
    first, second = order(), order()
    te.random.seed(3)
    assert order() == first != second
    assert sorted(first) == list(range(20))
    assert order(seed=5) == order(seed=5) != first


def test_weights_say_how_likely_a_sample_is() -> None:
    te.random.seed(0)
    sampler = data.ReplacementSampler(numbered(3), 1, num_samples=100, weights=[0, 1, 3])
    drawn = [batch[0] for batch in sampler]
    assert drawn.count(0) == 0
    assert 10 < drawn.count(1) < 45
    with pytest.raises(ValueError, match="weights must be 3 numbers, one for each sample"):
        data.ReplacementSampler(numbered(3), weights=[1, 2])


def test_an_infinite_sampler_goes_on() -> None:
    loader = iter(data.DataLoader(numbered(2), data.Infinite(data.SequentialSampler(numbered(2)))))
    assert [next(loader)[0].item() for _ in range(5)] == [0, 1, 0, 1, 0]
    with pytest.raises(ValueError, match="gives no batch"):
        next(iter(data.Infinite(data.SequentialSampler(numbered(0)))))


@pytest.mark.parametrize("workers", [0, 2])
def test_streams(workers: int) -> None:
    def batches(*options: Any) -> list[Any]:
        sampler = data.StreamSampler(*options)
        return [b[1].tolist() for b in data.DataLoader(Stream(), sampler, num_workers=workers)]

    assert batches(2) == [[0, 1], [2, 3], [4]]
    assert batches(2, True) == [[0, 1], [2, 3]]
    assert [b[0].shape for b in data.DataLoader(Stream())] == [(1, 2)] * 5


def test_transforms_change_the_image_and_keep_the_label() -> None:
    image = np.arange(12, dtype="uint8").reshape(2, 2, 3)
    steps = data.Compose([data.Normalize([0, 1, 2], [1, 2, 4]), data.ToMode("CHW")])
    changed, label = steps.apply((image, 7))
    assert (changed.shape, changed.dtype, label) == ((3, 2, 2), np.float32, 7)
    assert changed[2, 1, 1] == (11 - 2) / 4
    loader = data.DataLoader(data.ArrayDataset(image[None], [7]), transform=steps)
    assert [part.shape for part in next(iter(loader))] == [(1, 3, 2, 2), (1,)]


class Broken(data.Dataset):
    def __getitem__(self, index: int) -> Any:
        if index == 3:
            raise RuntimeError("sample 3 is unreadable")
        return index

    def __len__(self) -> int:
        return 10


@pytest.mark.parametrize("workers", [0, 2])
def test_an_exception_in_a_worker_reaches_the_learner_with_its_own_traceback(workers: int) -> None:
    batches = iter(data.DataLoader(Broken(), num_workers=workers))
    assert [next(batches).item() for _ in range(3)] == [0, 1, 2]
    with pytest.raises(RuntimeError, match="sample 3 is unreadable") as caught:
        next(batches)
    lines = "".join(traceback.format_exception(caught.value))
    assert 'raise RuntimeError("sample 3 is unreadable")' in lines


def test_leaving_a_loop_leaves_no_thread_behind() -> None:
    before = threading.active_count()
    for _ in data.DataLoader(numbered(100), num_workers=4):
        break
    assert threading.active_count() == before


MISTAKES = [
    (lambda: data.ArrayDataset(), ValueError, "at least one array is needed"),
    (lambda: data.ArrayDataset([1], [1, 2]), ValueError, "lengths of the arrays differ: [1, 2]"),
    (lambda: data.DataLoader([1, 2]), TypeError, "must be a Dataset, not list; ArrayDataset("),
    (lambda: data.DataLoader(numbered(1), num_workers=-1), ValueError, "num_workers must be 0"),
    (lambda: data.DataLoader(numbered(1), data.StreamSampler()), TypeError, "goes with a Stream"),
    (lambda: len(data.DataLoader(Stream())), TypeError, "with a StreamSampler has no length"),
    (lambda: data.SequentialSampler(numbered(1), 0), ValueError, "batch_size must be 1 or more"),
    (
        lambda: data.Collator().apply([[1, 2], [1]]),
        ValueError,
        "tuples of different lengths [1, 2]",
    ),
    (lambda: data.Collator().apply([]), ValueError, "there are no samples"),
    (lambda: data.Normalize(std=0), ValueError, "std must not be 0"),
    (lambda: data.ToMode("HWC"), ValueError, "the mode must be 'CHW', not 'HWC'"),
    (lambda: data.ToMode().apply(np.ones(3)), ValueError, "an image has three axes"),
    (lambda: data.Collator().apply([np.ones(2), np.ones(3)]), ValueError, "different shapes"),
]


@pytest.mark.parametrize(("call", "kind", "words"), MISTAKES)
def test_mistakes_are_explained(call: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert words in str(caught.value)


def test_the_toys() -> None:
    x, y = data.line_points()
    assert x.shape == y.shape == (100,)
    assert np.abs(y - 5 * x - 2).max() <= 5
    points, spiral = data.two_spirals(100)
    assert (points.dtype, spiral.dtype, points.shape) == (np.float32, np.int32, (200, 2))
    assert np.linalg.norm(points.mean(0)) < 0.1
