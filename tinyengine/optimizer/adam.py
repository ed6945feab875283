"""Adam and its kin: steps of a size that the gradients' own spread sets."""

from __future__ import annotations

import math
from typing import Any

from ..backend import Array, array_module, to_numpy
from .optimizer import Group, Optimizer, Params, State, check, decayed, moved


class Adam(Optimizer):
    """p ← p - lr · m̂ / (√v̂ + eps): m and v are running means of the gradient and of its square.

    Args:
        params: a Parameter, several, or dicts of groups.
        lr: the learning rate: about how far a parameter moves in a step.
        betas: the share of the old in the running means, of the gradient and of its square.
        eps: keeps the quotient finite.
        weight_decay: how strongly parameters are drawn towards 0, by way of the gradient.

    Raises:
        ValueError: an option is negative, or a beta is not below 1.

    >>> w = Parameter([1., 2.])
    >>> w.grad = tensor([1., 2.])
    >>> _ = Adam([w], lr=0.1).step()
    >>> w
    Parameter([0.9 1.9], device=cpux:0)
    """

    def __init__(
        self,
        params: Params,
        lr: float,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        check({"learning rate": lr, "epsilon value": eps, "weight_decay value": weight_decay})
        for index, beta in enumerate(betas):
            if not 0 <= beta < 1:
                raise ValueError(
                    f"Invalid beta parameter at index {index}: {beta}; it must be at least 0 and"
                    " below 1"
                )
        super().__init__(
            params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        )

    def _updated(self, data: Array, grad: Array, state: State, group: Group) -> Array:
        grad = decayed(data, grad, group["weight_decay"])
        return moved(data, _adapted(grad, state, group), group["lr"])


class AdamW(Adam):
    """Adam that draws parameters towards 0 on its own account, not by way of the gradient.

    Each step begins with p ← p · (1 - lr · weight_decay).

    >>> w = Parameter([1., 2.])
    >>> w.grad = tensor([1., 2.])
    >>> _ = AdamW([w], lr=0.1).step()
    >>> w
    Parameter([0.899 1.898], device=cpux:0)
    """

    def __init__(
        self,
        params: Params,
        lr: float,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay)

    def _updated(self, data: Array, grad: Array, state: State, group: Group) -> Array:
        data = data * (1 - group["lr"] * group["weight_decay"])
        return moved(data, _adapted(grad, state, group), group["lr"])


class LAMB(Adam):
    """Adam whose step is in proportion to the size of the parameter, for very large batches.

    Args:
        params: a Parameter, several, or dicts of groups.
        lr: the learning rate: what share of its norm a parameter moves in a step.
        betas: as of Adam.
        eps: as of Adam.
        bias_correction: whether the running means are corrected for having begun at 0.
        weight_decay: how strongly parameters are drawn towards 0.
        always_adapt: whether the step is in proportion also without weight_decay.

    >>> w = Parameter([3., 4.])
    >>> w.grad = tensor([1., 1.])
    >>> _ = LAMB([w], lr=0.1, always_adapt=True).step()
    >>> w
    Parameter([2.6464 3.6464], device=cpux:0)
    """

    def __init__(
        self,
        params: Params,
        lr: float,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        bias_correction: bool = True,
        weight_decay: float = 0.0,
        always_adapt: bool = False,
    ) -> None:
        self.bias_correction, self.always_adapt = bias_correction, always_adapt
        super().__init__(params, lr, betas, eps, weight_decay)

    def _updated(self, data: Array, grad: Array, state: State, group: Group) -> Array:
        direction = _adapted(grad, state, group, self.bias_correction)
        direction = decayed(data, direction, group["weight_decay"])
        lr = group["lr"]
        if self.always_adapt or group["weight_decay"]:
            norms = _norm(data), _norm(direction)
            lr *= norms[0] / norms[1] if all(norms) else 1.0
        return moved(data, direction, lr)


def _adapted(grad: Array, state: State, group: Group, corrected: bool = True) -> Array:
    """The running mean of the gradient over the root of that of its square."""
    first, second = group["betas"]
    xp = array_module(grad)
    if not state:
        state.update(exp_avg=xp.zeros_like(grad), exp_avg_sq=xp.zeros_like(grad), step=0)
    mean, square, steps = state["exp_avg"], state["exp_avg_sq"], state["step"] + 1
    # Means that began at 0 are too small at first.
    missing = [1 - beta**steps if corrected else 1.0 for beta in (first, second)]
    # In place, since new arrays of this size cost more than the arithmetic.
    part = grad * (1 - first)
    mean *= first
    mean += part
    xp.multiply(grad, grad, out=part)
    part *= 1 - second
    square *= second
    square += part
    state.update(exp_avg=mean, exp_avg_sq=square, step=steps)
    root = xp.sqrt(square, out=part)
    root *= missing[1] ** -0.5
    root += group["eps"]
    direction = xp.divide(mean, root, out=part)
    direction *= 1 / missing[0]
    return direction


def _norm(array: Any) -> float:
    return math.sqrt(float(to_numpy((array * array).sum())))
