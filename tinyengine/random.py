"""Random tensors. One seed governs them all: initial weights, dropout, samplers, shuffles.

>>> seed(42)
>>> first = normal(size=(2,))
>>> seed(42)
>>> bool((normal(size=(2,)) == first).numpy().all())
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .backend import Device, device as find_device
from .dispatch import result
from .tensor import Tensor, checked_dtype

Size = Sequence[int] | None
Level = Tensor | float
"""A number that holds for all elements, or a tensor of one number for each."""


class RNG:
    """Random numbers with a seed of their own.

    The numbers depend on the seed alone, not on the process or on the kind of device; numbers drawn
    on one device do not change those that come next on another.

    Args:
        seed: an integer from 0 up; without one every run draws different numbers.
        device: where the tensors are made; by default the default device of the moment.

    Raises:
        TypeError: the seed is not an integer.
        ValueError: the seed is negative, or the device unknown.

    >>> RNG(1, device="cpu0").uniform(size=(2,)).device
    CompNode("cpu0:0" from "cpu0:0")
    """

    def __init__(self, seed: int | None = None, device: str | Device | None = None) -> None:
        self._seed = _checked_seed(seed)
        self._device = None if device is None else find_device(device)
        self._generators: dict[Device, np.random.Generator] = {}

    def generator(self, device: str | Device | None = None) -> np.random.Generator:
        """The NumPy generator from which the numbers for `device` are drawn.

        >>> int(RNG(1).generator().integers(0, 1))
        0
        """
        place = self._device or find_device(device)
        if place not in self._generators:
            self._generators[place] = np.random.default_rng(self._seed)
        return self._generators[place]

    def uniform(self, low: float = 0, high: float = 1, size: Size = None) -> Tensor:
        """Numbers from `low` up to, not including, `high`, all equally likely.

        Raises:
            ValueError: `low` is not below `high`.

        >>> numbers = uniform(-1, 1, size=(100,)).numpy()
        >>> bool(numbers.min() >= -1 and numbers.max() < 1)
        True
        """
        if not low < high:
            raise ValueError(f"uniform(): low={low} must be below high={high}")
        draws = self.generator().random(_shape("uniform", size), dtype=np.float32)
        numbers = low + (high - low) * draws
        # Rounding may reach `high`, which is not part of the range.
        return self._tensor(np.minimum(numbers, np.nextafter(np.float32(high), np.float32(low))))

    def normal(self, mean: Level = 0, std: Level = 1, size: Size = None) -> Tensor:
        """Numbers that lie around `mean` with the standard deviation `std`, in a bell curve.

        >>> normal(3., 0.).shape
        (1,)
        """
        middle, spread = _plain(mean), _plain(std)
        _check("normal", "std", spread, spread >= 0, "not be negative")
        shape = _shape("normal", size, middle, spread)
        draws = self.generator().standard_normal(shape, dtype=np.float32)
        return self._tensor(middle + spread * draws)

    def gamma(self, shape: Level, scale: Level = 1, size: Size = None) -> Tensor:
        """Numbers of the gamma distribution, whose mean is `shape` times `scale`.

        `size` comes before the axes of `shape` and `scale`.

        >>> gamma(tensor([1., 2.]), size=(3,)).shape
        (3, 2)
        """
        levels = {"shape": shape, "scale": scale}
        return self._spread("gamma", levels, size, lambda rng, k, t, s: rng.gamma(k, t, s))

    def beta(self, alpha: Level, beta: Level, size: Size = None) -> Tensor:
        """Numbers of the beta distribution, between 0 and 1, with mean alpha / (alpha + beta).

        >>> beta(2, 1, size=(3,)).shape
        (3,)
        """
        levels = {"alpha": alpha, "beta": beta}
        return self._spread("beta", levels, size, lambda rng, a, b, s: rng.beta(a, b, s))

    def poisson(self, lam: Level, size: Size = None) -> Tensor:
        """Counts of what happens `lam` times on average, as float32.

        >>> poisson(2., size=(3,)).dtype
        dtype('float32')
        """
        return self._spread("poisson", {"lam": lam}, size, lambda rng, lam, s: rng.poisson(lam, s))

    def exponential(self, scale: Level = 1, size: Size = None) -> Tensor:
        """Waiting times that last `scale` on average.

        >>> exponential(2., size=(3,)).shape
        (3,)
        """
        levels = {"scale": scale}
        return self._spread("exponential", levels, size, lambda rng, t, s: rng.exponential(t, s))

    def multinomial(self, input: Tensor, num_samples: int, replacement: bool = False) -> Tensor:
        """`num_samples` indices of each row of `input`, which holds their weights; int32.

        Args:
            input: weights, not negative, of shape (n,) or (rows, n); they need not add up to 1.
            num_samples: how many indices to draw from a row.
            replacement: whether an index may be drawn twice.

        Raises:
            ValueError: a weight is negative, or a row has too few that are not 0.

        >>> multinomial(tensor([0., 1.]), 3, replacement=True)
        Tensor([1 1 1], dtype=int32, device=cpux:0)
        """
        weights = np.asarray(input.numpy(), "float64")
        if weights.ndim not in (1, 2) or not np.isfinite(weights).all() or (weights < 0).any():
            raise ValueError(
                f"multinomial(): input of shape {weights.shape} must have one axis or two, and"
                " weights that are finite and not negative"
            )
        rows = np.atleast_2d(weights)
        needed = 1 if replacement else num_samples
        enough = ((rows > 0).sum(-1) >= needed).all()
        if num_samples < 1 or not enough:
            raise ValueError(
                f"multinomial(): num_samples={num_samples} with replacement={replacement} must be"
                " at least 1, and every row have as many weights above 0 as are drawn from it"
            )
        draw = self.generator(input.device).choice
        picks = [
            draw(len(row), num_samples, replace=replacement, p=row / row.sum()) for row in rows
        ]
        picked = np.stack(picks).reshape((*weights.shape[:-1], num_samples))
        return self._tensor(picked, "int32", input.device)

    def permutation(self, n: int | Tensor, *, dtype: Any = "int32") -> Tensor:
        """The numbers from 0 to n - 1 in random order; of a tensor, its rows in random order.

        Raises:
            TypeError: `n` is neither an integer nor a tensor.
            ValueError: `n` is negative.

        >>> sorted(permutation(3).tolist())
        [0, 1, 2]
        """
        if isinstance(n, Tensor):
            order = self.generator(n.device).permutation(len(n))
            return result(n._data[n.device.xp.asarray(order)], n.device)
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
            raise TypeError(f"permutation(): n must be an int or a Tensor, not {n!r:.60}")
        if n < 0:
            raise ValueError(f"permutation(): n={n} must not be negative")
        return self._tensor(self.generator().permutation(int(n)), dtype)

    def shuffle(self, inp: Tensor) -> None:
        """Bring the rows of `inp` (its elements along axis 0) into random order, in place.

        Raises:
            TypeError: `inp` is not a tensor.

        >>> x = tensor([1., 2., 3.])
        >>> shuffle(x)
        >>> sorted(x.tolist())
        [1.0, 2.0, 3.0]
        """
        if not isinstance(inp, Tensor):
            raise TypeError(f"shuffle(): inp must be a Tensor, not {type(inp).__name__}")
        inp._data, inp._node = self.permutation(inp)._data, None

    def _spread(
        self, name: str, levels: dict[str, Level], size: Size, draw: Callable[..., Any]
    ) -> Tensor:
        """Numbers that `draw` makes of levels that must be above 0."""
        plain = {key: _plain(level) for key, level in levels.items()}
        for key, level in plain.items():
            _check(name, key, level, level > 0, "be above 0")
        return self._tensor(
            draw(self.generator(), *plain.values(), _shape(name, size, *plain.values()))
        )

    def _tensor(self, array: Any, dtype: Any = "float32", device: Device | None = None) -> Tensor:
        place = self._device or find_device(device)
        return result(place.put(array, checked_dtype(dtype)), place)


def _checked_seed(seed: Any) -> int | None:
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"seed(): a seed is an integer such as 42, not {seed!r:.60}")
    if seed < 0:
        raise ValueError(f"seed(): a seed is 0 or more, not {seed}")
    return int(seed)


def _plain(level: Any) -> Any:
    return level.numpy() if isinstance(level, Tensor) else np.asarray(level, "float32")


def _check(name: str, key: str, level: Any, holds: Any, rule: str) -> None:
    if not np.all(holds):
        raise ValueError(f"{name}(): {key} must {rule}; got {level.tolist()!r:.60}")


def _shape(name: str, size: Size, *levels: Any) -> tuple[int, ...]:
    """`size`, by default (1,), before the axes that the levels have."""
    if size is not None and not isinstance(size, (tuple, list)):
        raise TypeError(f"{name}(): size must be a tuple or list such as ({size},), not {size!r}")
    inner = np.broadcast_shapes(*(level.shape for level in levels)) if levels else ()
    if size is None:
        return inner or (1,)
    return (*size, *inner)


_default = RNG()


def seed(seed: int) -> None:
    """Begin the random numbers of all devices anew: the same seed gives the same numbers.

    Raises:
        TypeError: `seed` is not an integer.
        ValueError: `seed` is negative.

    >>> seed(20200325)
    """
    if seed is None:
        raise TypeError("seed(): a seed is an integer such as 42, not None")
    _default._seed = _checked_seed(seed)
    _default._generators.clear()


generator = _default.generator
uniform = _default.uniform
normal = _default.normal
gamma = _default.gamma
beta = _default.beta
poisson = _default.poisson
exponential = _default.exponential
multinomial = _default.multinomial
permutation = _default.permutation
shuffle = _default.shuffle

__all__ = [
    "RNG",
    "beta",
    "exponential",
    "gamma",
    "generator",
    "multinomial",
    "normal",
    "permutation",
    "poisson",
    "seed",
    "shuffle",
    "uniform",
]
