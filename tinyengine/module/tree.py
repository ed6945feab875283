"""Where the tensors and modules of an object are: attributes, also inside lists, tuples, dicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def leaves(path: str, value: Any, kinds: tuple[type, ...]) -> Iterator[tuple[str, Any]]:
    """The objects of these `kinds` in `value`, with their dotted paths.

    Raises:
        TypeError: one of them is in a dict under a key that is not a string.

    >>> [path for path, _ in leaves("a", [1, {"b": 2, "c": "text"}], (int,))]
    ['a.0', 'a.1.b']
    """
    if isinstance(value, kinds):
        yield path, value
    elif isinstance(value, (list, tuple)):
        for place, item in enumerate(value):
            yield from leaves(f"{path}.{place}", item, kinds)
    elif isinstance(value, dict):
        yield from _leaves_of_dict(path, value, kinds)


def _leaves_of_dict(
    path: str, value: dict[Any, Any], kinds: tuple[type, ...]
) -> Iterator[tuple[str, Any]]:
    found = {}
    for key, item in value.items():
        inside = list(leaves(f"{path}.{key}", item, kinds))
        if inside and not isinstance(key, str):
            raise TypeError(
                f"{path}: a dict that holds tensors or modules needs strings as keys, not {key!r}"
            )
        if inside:
            found[key] = inside
    for key in sorted(found):
        yield from found[key]
