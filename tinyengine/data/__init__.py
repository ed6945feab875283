"""Feeding data: datasets, samplers, transforms, and the loader that puts them together."""

from .dataloader import Collator, DataLoader
from .dataset import ArrayDataset, Dataset, StreamDataset
from .sampler import (
    Infinite,
    MapSampler,
    RandomSampler,
    ReplacementSampler,
    Sampler,
    SequentialSampler,
    StreamSampler,
)
from .toys import line_points, two_spirals
from .transform import Compose, Normalize, ToMode, Transform

__all__ = [
    "ArrayDataset",
    "Collator",
    "Compose",
    "DataLoader",
    "Dataset",
    "Infinite",
    "MapSampler",
    "Normalize",
    "RandomSampler",
    "ReplacementSampler",
    "Sampler",
    "SequentialSampler",
    "StreamDataset",
    "StreamSampler",
    "ToMode",
    "Transform",
    "line_points",
    "two_spirals",
]
