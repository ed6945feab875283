"""Adagrad and Adadelta: steps that shrink where gradients have been large."""

from __future__ import annotations

from ..backend import Array, array_module
from .optimizer import Group, Optimizer, Params, State, check, decayed, moved


class Adagrad(Optimizer):
    """p ← p - lr · g / (√G + eps): G is the sum of the squares of all gradients g so far.

    Args:
        params: a Parameter, several, or dicts of groups.
        lr: the learning rate.
        lr_decay: step number n has the learning rate lr / (1 + (n - 1) · lr_decay).
        eps: keeps the quotient finite.
        weight_decay: how strongly parameters are drawn towards 0.

    Raises:
        ValueError: an option is negative.

    >>> w = Parameter([1., 2.])
    >>> w.grad = tensor([1., 2.])
    >>> _ = Adagrad([w], lr=0.1).step()
    >>> w
    Parameter([0.9 1.9], device=cpux:0)
    """

    def __init__(
        self,
        params: Params,
        lr: float = 0.01,
        lr_decay: float = 0.0,
        eps: float = 1e-10,
        weight_decay: float = 0.0,
    ) -> None:
        check({"learning rate": lr, "lr_decay": lr_decay, "epsilon value": eps})
        check({"weight_decay value": weight_decay})
        super().__init__(
            params, {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay}
        )

    def _updated(self, data: Array, grad: Array, state: State, group: Group) -> Array:
        grad = decayed(data, grad, group["weight_decay"])
        steps = state.get("step", 0)
        state["step"] = steps + 1
        state["square_avg"] = state.get("square_avg", 0.0) + grad * grad
        root = array_module(grad).sqrt(state["square_avg"])
        lr = group["lr"] / (1 + steps * group["lr_decay"])
        return moved(data, grad / (root + group["eps"]), lr)


class Adadelta(Optimizer):
    """p ← p - lr · g · √(D + eps) / √(G + eps): needs no learning rate of a fitting size.

    G and D are running means of the squares of gradients g and of the steps taken.

    Args:
        params: a Parameter, several, or dicts of groups.
        lr: a factor of every step.
        rho: the share of the old in the running means.
        eps: sets the size of the first steps.
        weight_decay: how strongly parameters are drawn towards 0.

    Raises:
        ValueError: an option is negative, or rho is above 1.

    >>> w = Parameter([1., 2.])
    >>> w.grad = tensor([1., 2.])
    >>> _ = Adadelta([w]).step()
    >>> w
    Parameter([0.9968 1.9968], device=cpux:0)
    """

    def __init__(
        self,
        params: Params,
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
    ) -> None:
        check({"learning rate": lr, "epsilon value": eps, "weight_decay value": weight_decay})
        if not 0 <= rho <= 1:
            raise ValueError(f"Invalid rho value: {rho}; it must be between 0 and 1")
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay})

    def _updated(self, data: Array, grad: Array, state: State, group: Group) -> Array:
        grad = decayed(data, grad, group["weight_decay"])
        rho, eps, sqrt = group["rho"], group["eps"], array_module(grad).sqrt
        state["square_avg"] = rho * state.get("square_avg", 0.0) + (1 - rho) * (grad * grad)
        before = state.get("acc_delta", grad * 0)
        delta = sqrt(before + eps) / sqrt(state["square_avg"] + eps) * grad
        state["acc_delta"] = rho * before + (1 - rho) * (delta * delta)
        return moved(data, delta, group["lr"])
