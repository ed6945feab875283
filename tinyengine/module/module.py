"""Module: a function with parameters, which it finds in its own attributes."""

from __future__ import annotations

import abc
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..chain_rule import observers
from ..tensor import Parameter, Tensor
from .hooks import Hook, HookHandler, Hooks
from .tree import leaves


class Module(abc.ABC):  # noqa: B024 (type checkers see no abstract method)
    """Base class of models and their layers.

    A subclass makes its parts in ``__init__``, after ``super().__init__()``, and says in
    ``forward`` what it computes. Parameters and modules are found in its attributes, also inside
    lists, tuples and dicts; their names are dotted paths, in alphabetical order at each level.

    >>> class Line(Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.w = Parameter(2.)
    ...         self.b = Parameter(1.)
    ...     def forward(self, x):
    ...         return self.w * x + self.b
    >>> line = Line()
    >>> line(tensor([3.]))
    Tensor([7.], device=cpux:0)
    >>> [name for name, _ in line.named_parameters()]
    ['b', 'w']
    """

    # In state_dict() the tensors have one axis, however many they need for broadcasting.
    _flat_state = False

    def __init__(self, name: str | None = None) -> None:
        self.name = name
        self.training = True
        self._forward_pre_hooks = Hooks()
        self._forward_hooks = Hooks()

    if TYPE_CHECKING:
        forward: Callable[..., Any]
    else:

        @abc.abstractmethod
        def forward(self, inputs):
            """What the module computes; call the module itself, which also runs the hooks."""

        def __getattr__(self, name):
            # Only called for what is missing.
            if name[:2] != "__" and "_forward_hooks" not in self.__dict__:
                raise AttributeError(_NO_INIT.format(kind=type(self).__name__))
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, (Tensor, Module)) and "_forward_hooks" not in self.__dict__:
            raise AttributeError(_NO_INIT.format(kind=type(self).__name__))
        super().__setattr__(name, value)

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Run the hooks and forward."""
        for observer in observers:
            observer.called(self)
        for hook in self._forward_pre_hooks:
            changed = hook(self, inputs)
            if changed is not None:
                inputs = changed if isinstance(changed, tuple) else (changed,)
        outputs = self.forward(*inputs, **kwargs)
        for hook in self._forward_hooks:
            changed = hook(self, inputs, outputs)
            if changed is not None:
                outputs = changed
        return outputs

    def register_forward_pre_hook(self, hook: Hook) -> HookHandler:
        """Call ``hook(module, inputs)`` before forward; what it returns replaces the inputs.

        Returns:
            a handler whose ``remove()`` takes the hook away.
        """
        return self._forward_pre_hooks.add(hook)

    def register_forward_hook(self, hook: Hook) -> HookHandler:
        """Call ``hook(module, inputs, outputs)`` after forward; what it returns replaces outputs.

        Returns:
            a handler whose ``remove()`` takes the hook away.
        """
        return self._forward_hooks.add(hook)

    def _walk(self, prefix: str, recursive: bool, seen: set[int]) -> Iterator[tuple[str, Any]]:
        """Every tensor and module below this one, once, by its first path."""
        for attribute in sorted(vars(self)):
            for path, leaf in leaves(prefix + attribute, vars(self)[attribute], (Tensor, Module)):
                if id(leaf) in seen:
                    continue
                seen.add(id(leaf))
                yield path, leaf
                if recursive and isinstance(leaf, Module):
                    yield from leaf._walk(f"{path}.", True, seen)

    def _named(self, prefix: str | None = None, recursive: bool = True) -> Iterator[Any]:
        return self._walk(f"{prefix}." if prefix else "", recursive, {id(self)})

    def named_tensors(
        self, prefix: str | None = None, recursive: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Parameters and buffers with their dotted paths, which begin with `prefix`."""
        named = self._named(prefix, recursive)
        return ((name, leaf) for name, leaf in named if isinstance(leaf, Tensor))

    def named_parameters(
        self, prefix: str | None = None, recursive: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Parameters with their dotted paths; those of this module alone if not `recursive`."""
        named = self.named_tensors(prefix, recursive)
        return ((name, leaf) for name, leaf in named if isinstance(leaf, Parameter))

    def named_buffers(
        self, prefix: str | None = None, recursive: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Tensors that are no parameters, such as running means, with their dotted paths."""
        named = self.named_tensors(prefix, recursive)
        return ((name, leaf) for name, leaf in named if not isinstance(leaf, Parameter))

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules among the attributes, with their paths."""
        named = self._named(recursive=False)
        return ((name, leaf) for name, leaf in named if isinstance(leaf, Module))

    def named_modules(self, prefix: str | None = None) -> Iterator[tuple[str, Module]]:
        """This module, whose path is "" (or `prefix`), and all below it."""
        yield prefix or "", self
        for name, leaf in self._named(prefix):
            if isinstance(leaf, Module):
                yield name, leaf

    def tensors(self, recursive: bool = True) -> Iterator[Tensor]:
        """Parameters and buffers."""
        return (leaf for _, leaf in self.named_tensors(None, recursive))

    def parameters(self, recursive: bool = True) -> Iterator[Parameter]:
        """The tensors that training changes; those of this module alone if not `recursive`."""
        return (leaf for _, leaf in self.named_parameters(None, recursive))

    def buffers(self, recursive: bool = True) -> Iterator[Tensor]:
        """Tensors that are no parameters, such as running means."""
        return (leaf for _, leaf in self.named_buffers(None, recursive))

    def children(self) -> Iterator[Module]:
        """The modules among the attributes."""
        return (leaf for _, leaf in self.named_children())

    def modules(self) -> Iterator[Module]:
        """This module and all below it."""
        return (leaf for _, leaf in self.named_modules())

    def apply(self, fn: Callable[[Module], Any]) -> None:
        """Call `fn` with this module and with each one below it."""
        for module in self.modules():
            fn(module)

    def train(self, mode: bool = True, recursive: bool = True) -> None:
        """Set ``training``, which dropout and batch normalisation heed, here and below."""
        for module in self.modules() if recursive else [self]:
            module.training = mode

    def eval(self) -> None:
        """Set ``training`` to False here and below, to use the model and not to train it."""
        self.train(False)

    def zero_grad(self) -> None:
        """Fill the gradients that there are with zeros. Optimizers have ``clear_grad()``."""
        for parameter in self.parameters():
            if parameter.grad is not None:
                parameter.grad._data = parameter.grad._data * 0

    def _states(self, prefix: str = "") -> Iterator[tuple[str, Tensor, bool]]:
        """Name and tensor of each state, own ones first, and whether it is kept flat."""
        for name, leaf in self._named(recursive=False):
            if isinstance(leaf, Tensor):
                yield prefix + name, leaf, self._flat_state
        for name, child in self.named_children():
            yield from child._states(f"{prefix}{name}.")

    def state_dict(self) -> OrderedDict[str, np.ndarray[Any, Any]]:
        """Copies of all parameters and buffers as NumPy arrays, by name."""
        return OrderedDict(
            (name, np.array(tensor.numpy()).reshape(-1 if flat else tensor.shape))
            for name, tensor, flat in self._states()
        )

    def load_state_dict(
        self,
        state_dict: Mapping[str, Any] | Callable[[str, Tensor], Any],
        strict: bool = True,
    ) -> None:
        """Take over the values that :meth:`state_dict` gave. Nothing changes if one does not fit.

        Args:
            state_dict: arrays by name; or a function of a name and the tensor there, which
                returns an array, or None to leave the tensor as it is.
            strict: whether the names must be exactly those of this module.

        Raises:
            KeyError: strict, and a name is missing or has no place here.
            ValueError: an array has another shape than the tensor of that name.
            TypeError: `state_dict` is neither a dict nor a function.
        """
        if isinstance(state_dict, Mapping):
            given: Mapping[str, Any] = state_dict
        elif callable(state_dict):
            given = {name: state_dict(name, tensor) for name, tensor, _ in self._states()}
        else:
            raise TypeError(
                "load_state_dict(): give a dict of arrays, as state_dict() returns it, or a"
                f" function, not {type(state_dict).__name__}"
            )
        states = list(self._states())
        values = {name: given[name] for name, *_ in states if given.get(name) is not None}
        if strict:
            names = {name for name, *_ in states}
            _refuse("Unused", "unused", given.keys() - names)
            _refuse("Missing", "missing", names - values.keys())
        changes = [
            (tensor, _fitting(name, tensor, values[name], flat))
            for name, tensor, flat in states
            if name in values
        ]
        for tensor, array in changes:
            tensor._data = array

    def _module_info_string(self) -> str:
        """What stands between the brackets of the repr."""
        return ""

    def __repr__(self) -> str:
        info = self._module_info_string()
        children = [
            f"({path}): {child!r}".replace("\n", "\n  ")
            for name, value in vars(self).items()
            for path, child in leaves(name, value, (Module,))
        ]
        if not children:
            return f"{type(self).__name__}({info})"
        lines = "\n  ".join([*filter(None, [info]), *children])
        return f"{type(self).__name__}(\n  {lines}\n)"


_NO_INIT = "{kind}: call super().__init__() first in __init__, before anything is assigned"


def _refuse(what: str, key: str, names: set[str]) -> None:
    if names:
        listed = ", ".join(repr(name) for name in sorted(names))
        raise KeyError(f"{what} params violate `strict=True`, {key}={{{listed}}}")


def _fitting(name: str, tensor: Tensor, value: Any, flat: bool) -> Any:
    """`value` as an array of the shape and dtype of `tensor`, on its device."""
    array = value.numpy() if isinstance(value, Tensor) else np.asarray(value)
    if flat and array.size == tensor.size:
        array = array.reshape(tensor.shape)
    if array.shape != tensor.shape:
        raise ValueError(
            f"param `{name}` shape mismatch, should be {tensor.shape}, get {array.shape}"
        )
    return tensor.device.put(array, tensor.dtype)
