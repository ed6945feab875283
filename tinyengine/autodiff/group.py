"""Managers that record side by side: ``with g1 | g2:``."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any


class GradManagerGroup:
    """Managers of which none is outside of another: none records what another does in backward.

    >>> from tinyengine.autodiff import GradManager
    >>> x = tensor(3.)
    >>> g1, g2 = GradManager().attach(x), GradManager().attach(x)
    >>> with g1 | g2:
    ...     y = x * x
    ...     g1.backward(y)
    ...     g2.backward(y)
    >>> x.grad
    Tensor(12.0, device=cpux:0)
    """

    def __init__(self, managers: Sequence[Any]) -> None:
        self._managers = list(managers)

    def __or__(self, other: Any) -> GradManagerGroup:
        """This group and another manager, or group."""
        others = other._managers if isinstance(other, GradManagerGroup) else [other]
        if not all(hasattr(manager, "attach") for manager in others):
            return NotImplemented
        return GradManagerGroup([*self._managers, *others])

    def __enter__(self) -> GradManagerGroup:
        begun: list[Any] = []
        try:
            for manager in self._managers:
                manager.record()
                begun.append(manager)
                manager._level = begun[0]._level
        except RuntimeError:  # one records already: let go of the others
            for manager in begun:
                manager.release()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for manager in self._managers:
            manager.release()
