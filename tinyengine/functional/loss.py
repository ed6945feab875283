"""Losses: how far a prediction is from what it should be. They are in ``F.loss`` and ``F.nn``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backend import Array, array_module
from ..op import op, quiet
from ..tensor import Tensor
from .arguments import _check_tensors
from .elemwise.arithmetic import abs
from .elemwise.transcendental import log, square
from .math.reductions import mean, sum
from .names import _offer_functions
from .nn.activations import relu, softplus
from .nn.classes import _places, indexing_one_hot
from .nn.ctc import _ctc_losses
from .nn.precision import _narrow, _wide
from .nn.softmax import _by_rows, _shares, _softmax_back, logsoftmax, softmax
from .tensor.shape import expand_dims


def _reduced(name: str, losses: Any, reduction: str) -> Any:
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(
            f"{name}(): {reduction!r} is not a valid value for reduction: use 'mean', 'sum', 'none'"
        )
    if reduction == "mean":
        return mean(losses)
    return sum(losses) if reduction == "sum" else losses


def _as_tensor(label: Any, pred: Any) -> Any:
    if hasattr(label, "dtype"):
        return label
    return Tensor(label, device=pred.device if isinstance(pred, Tensor) else None)


def _fitting(name: str, pred: Any, label: Any) -> Any:
    """`label` as a tensor, if it fits `pred`; where both would stretch, one is laid out wrong."""
    _check_tensors(name, pred=pred)
    label = _as_tensor(label, pred)
    try:
        if np.broadcast_shapes(pred.shape, label.shape) in (pred.shape, label.shape):
            return label
    except ValueError:
        pass
    raise ValueError(
        f"{name}(): pred has shape {pred.shape} and label {label.shape}: the shapes must be equal;"
        " reshape one of them"
    )


def l1_loss(pred: Tensor, label: Tensor, reduction: str = "mean") -> Any:
    """Absolute difference of `pred` and `label`.

    Args:
        pred: the prediction.
        label: what it should be, of the same shape.
        reduction: "mean" or "sum" over all elements, or "none".

    Raises:
        ValueError: the shapes differ, or there is no such reduction.

    >>> l1_loss(tensor([1., 2.]), tensor([3., 5.]))
    Tensor(2.5, device=cpux:0)
    """
    return _reduced("l1_loss", abs(pred - _fitting("l1_loss", pred, label)), reduction)


def square_loss(pred: Tensor, label: Tensor, reduction: str = "mean") -> Any:
    """Square of the difference of `pred` and `label`.

    Args:
        pred: the prediction.
        label: what it should be, of the same shape.
        reduction: "mean" or "sum" over all elements, or "none".

    Raises:
        ValueError: the shapes differ, or there is no such reduction.

    >>> square_loss(tensor([1., 2.]), tensor([3., 5.]))
    Tensor(6.5, device=cpux:0)
    """
    return _reduced("square_loss", square(pred - _fitting("square_loss", pred, label)), reduction)


@op("CE", promotes=False)
@quiet
def _cross_entropy(pred: Array, label: Array, axis: int) -> Array:
    """−log(softmax(`pred`)) along `axis` at the labels.

    >>> _cross_entropy(tensor([[0., 1000.]]), tensor([0]), 1)
    Tensor([1000.], device=cpux:0)
    """
    x, xp = _wide(pred), array_module(pred)
    below = x - x.max(axis=axis, keepdims=True)
    total = xp.log(xp.exp(below).sum(axis=axis))
    return _narrow(total - below[_at(label, axis)], pred)


def _at(label: Array, axis: int) -> tuple[Any, ...]:
    """The index of the labels' places, the other axes counting through."""
    xp = array_module(label)
    places = [xp.arange(n) for n in label.shape]  # quicker than a grid where there is one axis
    if label.ndim > 1:
        places = list(xp.ogrid[tuple(slice(n) for n in label.shape)])
    places.insert(axis % (label.ndim + 1), label)
    return tuple(places)


@op("p − 1", promotes=False)
@quiet
def _residual(pred: Array, label: Array, axis: int) -> Array:
    """softmax(`pred`) along `axis`, less 1 at the labels.

    >>> _residual(tensor([[0., 0.]]), tensor([0]), 1)
    Tensor([[-0.5  0.5]], device=cpux:0)
    """
    shares = _by_rows(_shares, axis, _wide(pred))
    shares[_at(label, axis)] -= 1
    return _narrow(shares, pred)


_cross_entropy.vjp(
    pred=lambda dout, pred, label, axis: expand_dims(dout, axis) * _residual(pred, label, axis)
)
_residual.vjp(pred=lambda dout, pred, axis: _softmax_back(dout, softmax(pred, axis), axis))


def cross_entropy(
    pred: Tensor,
    label: Tensor,
    axis: int = 1,
    with_logits: bool = True,
    label_smooth: float = 0,
    reduction: str = "mean",
) -> Any:
    """How unlikely `pred` thinks the right classes: −log of the probability it gives them.

    Args:
        pred: scores of the classes, along `axis`.
        label: the right classes, integers, of the shape of `pred` without `axis`; or their
            probabilities, floats, of the shape of `pred`.
        axis: the axis of the classes.
        with_logits: `pred` is any numbers, of which softmax makes probabilities; else it is the
            probabilities.
        label_smooth: the share of each label that is spread evenly over all classes.
        reduction: "mean" or "sum" over all labels, or "none".

    Raises:
        IndexError: a label is not one of the classes.
        TypeError: the labels are neither integers nor probabilities.
        ValueError: the shapes do not fit, or there is no such reduction.

    >>> cross_entropy(tensor([[0., 1.], [2., 0.]]), tensor([1, 0]))
    Tensor(0.22009486, device=cpux:0)
    """
    _check_tensors("cross_entropy", pred=pred)
    label = _as_tensor(label, pred)
    if label.ndim == pred.ndim and label.dtype.kind == "f":
        label = _fitting("cross_entropy", pred, label)
        scores = logsoftmax(pred, axis) if with_logits else log(pred)
        losses = -sum(scores * label, axis)
    else:
        _places("cross_entropy", pred, label, axis)
        if with_logits:
            losses = _cross_entropy(pred, label, axis)
        else:
            losses = -log(indexing_one_hot(pred, label, axis))
    if label_smooth:
        spread = logsoftmax(pred, axis) if with_logits else log(pred)
        losses = (1 - label_smooth) * losses - label_smooth * mean(spread, axis)
    return _reduced("cross_entropy", losses, reduction)


@op("y ln x")
@quiet
def _times_log(y: Array, x: Array) -> Array:
    """Element-wise `y` · log(`x`), 0 where `y` is 0.

    >>> _times_log(tensor([2., 0.]), tensor([1., 0.]))
    Tensor([0. 0.], device=cpux:0)
    """
    return y * array_module(x).log(x + (y == 0) * (x == 0))


@op("y / x")
@quiet
def _part(y: Array, x: Array) -> Array:
    """Element-wise `y` / `x`, 0 where `y` is 0.

    >>> _part(tensor([2., 0.]), tensor([1., 0.]))
    Tensor([2. 0.], device=cpux:0)
    """
    return y / (x + (y == 0) * (x == 0))


_part.writes(lambda y, x: y / x)
_part.partials(y=lambda x: 1 / x, x=lambda out, x: -_part(out, x))
_times_log.partials(y=lambda x: log(x), x=lambda y, x: _part(y, x))


def binary_cross_entropy(
    pred: Tensor, label: Tensor, with_logits: bool = True, reduction: str = "mean"
) -> Any:
    """Cross-entropy of yes-or-no questions, each answered by one number.

    Args:
        pred: any numbers, of which sigmoid makes the probabilities of yes; or these themselves.
        label: 1 for yes, 0 for no, or a probability between them; of the shape of `pred`.
        with_logits: `pred` is any numbers; else it is probabilities.
        reduction: "mean" or "sum" over all elements, or "none".

    Raises:
        ValueError: the shapes differ, or there is no such reduction.

    >>> binary_cross_entropy(tensor([0., 0.]), tensor([1, 0]))
    Tensor(0.6931472, device=cpux:0)
    """
    label = _fitting("binary_cross_entropy", pred, label)
    if with_logits:
        losses = label * softplus(-pred) + (1 - label) * softplus(pred)
    else:
        losses = -(_times_log(label, pred) + _times_log(1 - label, 1 - pred))
    return _reduced("binary_cross_entropy", losses, reduction)


def hinge_loss(pred: Tensor, label: Tensor, norm: str = "L1", reduction: str = "mean") -> Any:
    """How far each score is from being on its label's side of 0 by at least 1.

    Args:
        pred: scores (n, classes).
        label: 1 for the right class and −1 for the others, of the shape of `pred`.
        norm: "L1", or "L2" to square the distances.
        reduction: "mean" or "sum" over n, or "none"; the classes are always summed.

    Raises:
        ValueError: the shapes do not fit, or there is no such norm or reduction.

    >>> hinge_loss(tensor([[0.5, -0.5, 0.1]]), tensor([[1, -1, -1]]))
    Tensor(2.1, device=cpux:0)
    """
    label = _fitting("hinge_loss", pred, label)
    if norm not in ("L1", "L2"):
        raise ValueError(f"hinge_loss(): {norm!r} is not a valid value for norm: use 'L1' or 'L2'")
    if pred.ndim < 2:
        raise ValueError(f"hinge_loss(): pred must be (n, classes), not of shape {pred.shape}")
    distances = relu(1 - pred * label)
    losses = sum(distances if norm == "L1" else square(distances), 1)
    return _reduced("hinge_loss", losses, reduction)


def ctc_loss(
    pred: Tensor,
    pred_lengths: Tensor,
    label: Tensor,
    label_lengths: Tensor,
    blank: int = 0,
    reduction: str = "mean",
) -> Any:
    """How unlikely `pred` thinks the right texts, wherever in time their characters are.

    Args:
        pred: the probabilities of the classes at each time: (time, n, classes).
        pred_lengths: how many of the times belong to each text: (n,).
        label: the characters of the texts, integers: (n, longest), or one text behind the other.
        label_lengths: the length of each text: (n,).
        blank: the class that is no character.
        reduction: "mean" of the losses, each divided by the length of its text; "sum" or "none".

    Raises:
        IndexError: a character is not one of the classes, or is the blank.
        ValueError: the shapes or lengths do not fit, or there is no such reduction.

    >>> guesses = tensor([[[0.1, 0.9]], [[0.7, 0.3]]])
    >>> ctc_loss(guesses, [2], [1], [1], reduction="none")
    Tensor([0.0726], device=cpux:0)
    """
    losses, lengths = _ctc_losses(pred, pred_lengths, label, label_lengths, blank)
    return _reduced("ctc_loss", losses / lengths if reduction == "mean" else losses, reduction)


_offer_functions(globals())
