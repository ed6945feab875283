"""Optimizer: what all ways of changing parameters by their gradients have in common."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from ..backend import Array, to_numpy
from ..tensor import Parameter, Tensor

Group = dict[str, Any]
"""Some of the parameters, as ``params``, and the options that hold for them, such as ``lr``."""

State = dict[str, Any]
"""What an optimizer remembers of one parameter between steps."""

Params = Parameter | Group | Iterable[Parameter] | Iterable[Group]
Self = TypeVar("Self", bound="Optimizer")


class Optimizer(abc.ABC):
    """Base class of optimizers. A subclass says in ``_updated`` how one parameter changes.

    Args:
        params: a Parameter, several, or dicts with ``params`` and options that hold for them alone.
        defaults: the options of the parameters for which nothing else is said.

    Attributes:
        param_groups: the groups; writing ``param_groups[0]["lr"]`` changes the next step.

    Raises:
        TypeError: something in `params` is not a floating-point Parameter.
        ValueError: there are no parameters, or one is in two groups.
    """

    def __init__(self, params: Params, defaults: Mapping[str, Any]) -> None:
        self._defaults = dict(defaults)
        self.param_groups: list[Group] = []
        self._states: dict[Parameter, State] = {}
        groups = _groups(params)
        if not groups:
            raise ValueError(_EMPTY)
        for group in groups:
            self.add_param_group(group)

    @abc.abstractmethod
    def _updated(self, data: Array, grad: Array, state: State, group: Group) -> Array:
        """The new values of a parameter with these values and this gradient.

        It leaves `data` and `grad` alone, and may change the arrays of `state` in place.
        """

    def add_param_group(self, param_group: Group) -> None:
        """Change these parameters too: a dict with ``params`` and options that hold for them.

        Raises:
            TypeError: something in ``params`` is not a floating-point Parameter.
            ValueError: there are no parameters, or one is in another group already.
        """
        if not isinstance(param_group, dict) or "params" not in param_group:
            raise TypeError("a parameter group must be a dict with the key 'params'")
        params = _parameters(param_group["params"])
        known = {id(parameter) for group in self.param_groups for parameter in group["params"]}
        if known & {id(parameter) for parameter in params}:
            raise ValueError("some parameters appear in more than one parameter group")
        unknown = param_group.keys() - self._defaults.keys() - {"params", "initial_lr"}
        if unknown:
            raise ValueError(
                f"parameter group: unknown option {sorted(unknown)[0]!r}; this optimizer has"
                f" {', '.join(self._defaults)}"
            )
        self.param_groups.append(self._defaults | param_group | {"params": params})

    @np.errstate(all="ignore")
    def step(self: Self) -> Self:
        """Change every parameter that has a gradient; the Parameter objects stay the same.

        Returns:
            this optimizer, so that ``step().clear_grad()`` can be written.
        """
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._change(parameter, parameter.grad, group)
        return self

    def _change(self, parameter: Parameter, grad: Tensor, group: Group) -> None:
        state = self._states.setdefault(parameter, {})
        if parameter.shape:
            parameter._data = self._updated(parameter._data, grad._data, state, group)
        else:  # a single number, which NumPy does not change in place
            data, slope = parameter._data[None], grad._data[None]
            parameter._data = self._updated(data, slope, state, group)[0]

    def clear_grad(self) -> None:
        """Set the gradient of every parameter to None: backward() adds to what is there."""
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.grad = None

    def zero_grad(self) -> None:
        """Fill the gradients that there are with zeros; clear_grad() is cheaper."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    parameter.grad._data = parameter.grad._data * 0

    def state_dict(self) -> dict[str, Any]:
        """Options and memory, as numbers and NumPy arrays; parameters by their place.

        The form is ``{"param_groups": [{"lr": 0.1, "params": [0]}], "state": {0: {...}}}``.
        """
        ordered = [parameter for group in self.param_groups for parameter in group["params"]]
        places = {parameter: place for place, parameter in enumerate(ordered)}
        return {
            "param_groups": [
                group | {"params": [places[parameter] for parameter in group["params"]]}
                for group in self.param_groups
            ],
            "state": {
                places[parameter]: {name: _as_numpy(value) for name, value in state.items()}
                for parameter, state in self._states.items()
            },
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what :meth:`state_dict` of an optimizer of the same kind of model gave.

        Raises:
            KeyError: `state` is not such a dict.
            ValueError: it is of other groups.
        """
        groups, states = state["param_groups"], state["state"]
        if len(groups) != len(self.param_groups):
            raise ValueError(
                "loaded state dict has a different number of parameter groups:"
                f" {len(groups)}, and this optimizer has {len(self.param_groups)}"
            )
        for mine, given in zip(self.param_groups, groups, strict=True):
            if len(mine["params"]) != len(given["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of"
                    f" optimizer's group: {len(given['params'])} and {len(mine['params'])}"
                    " parameters"
                )
        self._states.clear()
        for mine, given in zip(self.param_groups, groups, strict=True):
            mine.update({name: value for name, value in given.items() if name != "params"})
            for parameter, place in zip(mine["params"], given["params"], strict=True):
                if place in states:
                    self._states[parameter] = {
                        name: _as_state(value, parameter) for name, value in states[place].items()
                    }


def moved(data: Array, direction: Array, lr: float) -> Array:
    """`data` - `lr` · `direction`, with one array less than written so."""
    step = direction * -lr
    step += data
    return step


def decayed(data: Array, grad: Array, weight_decay: float) -> Array:
    """The gradient of the loss plus weight_decay/2 times the squares of the parameters."""
    return grad + weight_decay * data if weight_decay else grad


def check(options: Mapping[str, float]) -> None:
    """Refuse an option that is negative, or no number.

    Raises:
        TypeError: one is not a number.
        ValueError: one is negative.
    """
    for name, value in options.items():
        if not isinstance(value, Real):
            raise TypeError(f"Invalid {name}: {value!r:.60}; it must be a number")
        if not value >= 0:
            raise ValueError(f"Invalid {name}: {value}; it must be at least 0")


def _groups(params: Any) -> list[Any]:
    if isinstance(params, (Parameter, dict)):
        params = [params]
    if isinstance(params, (set, frozenset)):
        raise TypeError("optimizer needs its parameters in a fixed order: give a list, not a set")
    if not isinstance(params, Iterable) or isinstance(params, Tensor):
        if isinstance(params, Tensor):
            raise TypeError(_NO_PARAMETER.format(type(params)))
        hint = "; of a module give module.parameters()" if hasattr(params, "parameters") else ""
        raise TypeError(
            "params argument given to the optimizer should be Parameter or dict, or Iterable of"
            f" them, not {type(params).__name__}{hint}"
        )
    given = list(params)
    grouped = given and all(isinstance(item, dict) for item in given)
    return given if grouped or not given else [{"params": given}]


def _parameters(params: Any) -> list[Parameter]:
    if isinstance(params, (set, frozenset)):
        raise TypeError("optimizer needs its parameters in a fixed order: give a list, not a set")
    given: list[Any] = [params] if isinstance(params, Tensor) else list(params)
    if not given:
        raise ValueError(_EMPTY)
    for parameter in given:
        if not isinstance(parameter, Parameter):
            raise TypeError(_NO_PARAMETER.format(type(parameter)))
        if parameter.dtype.kind != "f":
            raise TypeError(
                "optimizer can only optimize floating-point Parameters, and one of the params is"
                f" {parameter.dtype}: make it of floats, as in Parameter(1.0)"
            )
    return given


_EMPTY = (
    "optimizer got an empty parameter list; what module.parameters() returns can be walked through"
    " only once: call it again, or make a list of it"
)
_NO_PARAMETER = "optimizer can only optimize Parameters, but one of the params is {}"


def _as_state(value: Any, parameter: Parameter) -> Any:
    """A saved array on the device of `parameter`; the count of its steps as a plain number."""
    return parameter.device.put(value) if np.ndim(value) else np.asarray(value).item()


def _as_numpy(value: Any) -> np.ndarray[Any, Any]:
    return np.array(to_numpy(value))
