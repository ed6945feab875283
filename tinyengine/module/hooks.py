"""Functions that are called before or after a module computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Hook = Callable[..., Any]


class Hooks:
    """Functions in the order in which they were added.

    >>> hooks = Hooks()
    >>> handler = hooks.add(print)
    >>> handler.remove()
    >>> list(hooks)
    []
    """

    def __init__(self) -> None:
        self._hooks: dict[HookHandler, Hook] = {}

    def add(self, hook: Hook) -> HookHandler:
        """Call `hook` from now on; the handler takes it away again."""
        handler = HookHandler(self._hooks)
        self._hooks[handler] = hook
        return handler

    def __iter__(self) -> Iterator[Hook]:
        return iter(list(self._hooks.values()))


class HookHandler:
    """Takes a hook away again."""

    def __init__(self, hooks: dict[HookHandler, Hook]) -> None:
        self._hooks = hooks

    def remove(self) -> None:
        """Stop calling the hook."""
        self._hooks.pop(self, None)
