"""Transforms of one sample: an array, or a tuple whose first element is the image."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np


class Transform(ABC):
    """Changes a sample; of a tuple its first element, the rest stays."""

    def apply(self, sample: Any) -> Any:
        """The changed sample."""
        if isinstance(sample, tuple):
            return (self.change(np.asarray(sample[0])), *sample[1:])
        return self.change(np.asarray(sample))

    @abstractmethod
    def change(self, image: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The changed image."""


class Normalize(Transform):
    """(image − mean) / std, in float32; one number, or one for each channel of (height, width, C).

    >>> Normalize(mean=1.0, std=2.0).apply(np.array([3.0])).tolist()
    [1.0]
    """

    def __init__(self, mean: Any = 0.0, std: Any = 1.0) -> None:
        self.mean = np.asarray(mean, np.float32)
        self.std = np.asarray(std, np.float32)
        if (self.std == 0).any():
            raise ValueError("Normalize(): std must not be 0")

    def change(self, image: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The normalised image."""
        return (image.astype(np.float32) - self.mean) / self.std


class ToMode(Transform):
    """From (height, width, channels) to (channels, height, width).

    >>> ToMode("CHW").apply(np.zeros((32, 28, 3))).shape
    (3, 32, 28)
    """

    def __init__(self, mode: str = "CHW") -> None:
        if mode != "CHW":
            raise ValueError(f"ToMode(): the mode must be 'CHW', not {mode!r}")

    def change(self, image: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The image with its channels first."""
        if image.ndim != 3:
            raise ValueError(
                f"ToMode(): an image has three axes (height, width, channels), not {image.shape}"
            )
        return np.ascontiguousarray(image.transpose(2, 0, 1))


class Compose(Transform):
    """One transform after the other.

    >>> Compose([Normalize(std=255.0), ToMode()]).apply(np.full((2, 2, 1), 255)).tolist()
    [[[1.0, 1.0], [1.0, 1.0]]]
    """

    def __init__(self, transforms: Sequence[Transform] = ()) -> None:
        self.transforms = list(transforms)

    def apply(self, sample: Any) -> Any:
        """The sample after the last transform."""
        for transform in self.transforms:
            sample = transform.apply(sample)
        return sample

    def change(self, image: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The image after the last transform."""
        changed: np.ndarray[Any, Any] = self.apply(image)
        return changed
