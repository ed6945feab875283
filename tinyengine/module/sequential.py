"""Sequential: modules one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .module import Module


class Sequential(Module):
    """Modules, each of which gets what the one before it returned; empty, it returns its input.

    Args:
        layers: modules, named "0", "1", …, or one dict of modules by name.

    Raises:
        TypeError: a layer is not a module.

    >>> from tinyengine.module import ReLU
    >>> net = Sequential(ReLU(), ReLU())
    >>> net(tensor([-1., 1.])), len(net)
    (Tensor([0. 1.], device=cpux:0), 2)
    >>> Sequential({"first": ReLU()})
    Sequential(
      (first): ReLU()
    )
    """

    def __init__(self, *layers: Module | Mapping[str, Module], name: str | None = None) -> None:
        super().__init__(name)
        self._keys: list[str] = []
        if len(layers) == 1 and isinstance(layers[0], Mapping):
            named: Mapping[str, Any] = layers[0]
        else:
            named = {str(place): layer for place, layer in enumerate(layers)}
        for key, layer in named.items():
            self._put(key, layer)
            self._keys.append(key)

    def forward(self, inp: Any) -> Any:
        """What the last module returns."""
        for layer in self:
            inp = layer(inp)
        return inp

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[Module]:
        return (vars(self)[key] for key in self._keys)

    def __getitem__(self, index: int | slice) -> Any:
        keys = self._keys[index]
        if isinstance(keys, list):
            return Sequential({key: vars(self)[key] for key in keys})
        return vars(self)[keys]

    def __setitem__(self, index: int, layer: Module) -> None:
        self._put(self._keys[index], layer)

    def __delitem__(self, index: int | slice) -> None:
        keys = self._keys[index]
        for key in keys if isinstance(keys, list) else [keys]:
            delattr(self, key)
        del self._keys[index]

    def _put(self, key: str, layer: Any) -> None:
        if not isinstance(layer, Module):
            hint = "; unpack it, as in Sequential(*layers)" if isinstance(layer, list) else ""
            raise TypeError(
                f"Sequential: layer {key!r} is {type(layer).__name__} {layer!r:.60}, not a"
                f" Module{hint}"
            )
        if hasattr(type(self), key) or (key in vars(self) and key not in self._keys):
            raise ValueError(f"Sequential: a layer cannot be called {key!r}, which is taken")
        setattr(self, key, layer)
