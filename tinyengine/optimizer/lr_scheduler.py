"""Learning rates that change from epoch to epoch."""

from __future__ import annotations

import abc
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Any

from .optimizer import Optimizer


class LRScheduler(abc.ABC):
    """Base class: a subclass says in ``get_lr`` the learning rate of each group in this epoch.

    Args:
        optimizer: whose learning rates are set, at once and in every ``step()``.
        current_epoch: the epoch before the first, to go on with training that was stopped.

    Raises:
        TypeError: `optimizer` is something else.
    """

    def __init__(self, optimizer: Optimizer, current_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(
                "optimizer argument given to the lr_scheduler should be Optimizer, not"
                f" {type(optimizer).__name__}"
            )
        self.optimizer, self.current_epoch = optimizer, current_epoch
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.step()

    @abc.abstractmethod
    def get_lr(self) -> list[float]:
        """The learning rate of each group in ``current_epoch``."""

    def step(self, epoch: int | None = None) -> None:
        """Begin the next epoch, or epoch number `epoch`."""
        self.current_epoch = self.current_epoch + 1 if epoch is None else epoch
        for group, lr in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = lr

    def state_dict(self) -> dict[str, Any]:
        """All that :meth:`load_state_dict` needs to go on from here."""
        hidden = ("optimizer", "base_lrs")
        return {name: value for name, value in vars(self).items() if name not in hidden}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from where :meth:`state_dict` was called."""
        vars(self).update(state_dict)


class MultiStepLR(LRScheduler):
    """Multiplies the learning rates by `gamma` when each of the `milestones`, epochs, is reached.

    Raises:
        ValueError: the milestones do not increase.

    >>> from tinyengine.optimizer import SGD
    >>> opt = SGD(Parameter(1.), lr=1.0)
    >>> scheduler = MultiStepLR(opt, [2])
    >>> for epoch in range(3):
    ...     print(epoch, opt.param_groups[0]["lr"])
    ...     scheduler.step()
    0 1.0
    1 1.0
    2 0.1
    """

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        current_epoch: int = -1,
    ) -> None:
        self.milestones, self.gamma = list(milestones), gamma
        if self.milestones != sorted(self.milestones):
            raise ValueError(
                f"Milestones should be a list of increasing integers. Got {self.milestones}"
            )
        super().__init__(optimizer, current_epoch)

    def get_lr(self) -> list[float]:
        """The first learning rates, times `gamma` for each milestone that was reached."""
        factor = self.gamma ** bisect_right(self.milestones, self.current_epoch)
        return [lr * factor for lr in self.base_lrs]
