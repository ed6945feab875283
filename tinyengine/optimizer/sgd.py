"""Stochastic gradient descent."""

from __future__ import annotations

from ..backend import Array
from .optimizer import Group, Optimizer, Params, State, check, decayed, moved


class SGD(Optimizer):
    """p ← p - lr · dy/dp, with momentum if asked for.

    With momentum, the direction is the velocity v ← momentum · v + dy/dp; with Nesterov's, it is
    dy/dp + momentum · v, the gradient a step ahead.

    Args:
        params: a Parameter, several, or dicts of groups.
        lr: the learning rate.
        momentum: how much of the velocity stays from step to step.
        nesterov: whether to look a step ahead.
        weight_decay: how strongly parameters are drawn towards 0.

    Raises:
        ValueError: an option is negative, or nesterov is asked for without momentum.

    >>> w = Parameter(3.)
    >>> w.grad = tensor(2.)
    >>> SGD(w, lr=0.01).step().clear_grad()
    >>> w, w.grad
    (Parameter(2.98, device=cpux:0), None)
    """

    def __init__(
        self,
        params: Params,
        lr: float,
        momentum: float = 0.0,
        nesterov: bool = False,
        weight_decay: float = 0.0,
    ) -> None:
        check({"learning rate": lr, "momentum value": momentum, "weight_decay value": weight_decay})
        if nesterov and not momentum:
            raise ValueError("Nesterov momentum requires a momentum")
        self.nesterov = nesterov
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    def _updated(self, data: Array, grad: Array, state: State, group: Group) -> Array:
        direction = decayed(data, grad, group["weight_decay"])
        momentum = group["momentum"]
        if momentum:
            velocity = momentum * state.get("momentum_buffer", 0.0) + direction
            state["momentum_buffer"] = velocity
            direction = direction + momentum * velocity if self.nesterov else velocity
        return moved(data, direction, group["lr"])
