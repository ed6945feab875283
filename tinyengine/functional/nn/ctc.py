"""Connectionist temporal classification: all ways to read a text out of a sequence of guesses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dispatch import result
from ...tensor import Tensor
from ..arguments import _check_tensors
from ..elemwise.arithmetic import clip
from ..elemwise.transcendental import log, logaddexp
from ..tensor.indexing import gather, getitem, where
from ..tensor.joining import concat

_NEVER = -1e30
"""The log of a probability that is next to nothing; minus infinity would make NaN of gradients."""


def _ctc_losses(pred: Any, pred_lengths: Any, label: Any, label_lengths: Any, blank: int) -> Any:
    """−log of the probability of each text, and the lengths of the texts.

    A text is read out of a path, one class for each time, by dropping repetitions, then blanks. The
    probability of all paths to the first characters at each time follows from the time before.
    """
    _check_tensors("ctc_loss", pred=pred)
    ends, texts, lengths = _checked(pred, pred_lengths, label, label_lengths, blank)
    times, count, _ = pred.shape
    wide = pred.astype("float32") if pred.dtype == "float16" else pred
    chances = log(clip(wide, np.finfo(wide.dtype).tiny))

    def constant(array: Any) -> Any:
        dtype = array.dtype if array.dtype.kind in "bi" else wide.dtype
        return result(pred.device.put(array, dtype), pred.device)

    # blank, first character, blank, second character, …, blank
    states = np.full((count, 2 * texts.shape[1] + 1), blank, "int32")
    states[:, 1::2] = texts
    skips = np.full(states.shape, _NEVER)
    skips[:, 2:][(states[:, 2:] != blank) & (states[:, 2:] != states[:, :-2])] = 0
    begins = np.full(states.shape, _NEVER)
    begins[:, :2] = 0
    index = np.broadcast_to(states, (times, *states.shape))
    seen = gather(chances, 2, constant(np.ascontiguousarray(index)))
    paths = getitem(seen, 0) + constant(begins)
    skip, edge = constant(skips), constant(np.full((count, 2), _NEVER))
    for time in range(1, times):
        padded = concat([edge, paths], 1)
        one, two = (getitem(padded, (slice(None), slice(i, i - 2))) for i in (1, 0))
        moved = logaddexp(logaddexp(paths, one), two + skip) + getitem(seen, time)
        paths = where(constant((time < ends)[:, None]), moved, paths)
    last = np.stack([2 * lengths, np.maximum(2 * lengths - 1, 0)], 1).astype("int32")
    final = gather(paths, 1, constant(last))
    empty = constant(np.where(lengths == 0, _NEVER, 0.0))
    losses = -logaddexp(getitem(final, (slice(None), 0)), getitem(final, (slice(None), 1)) + empty)
    return losses.astype(pred.dtype), constant(np.maximum(lengths, 1.0)).astype(pred.dtype)


def _checked(
    pred: Any, pred_lengths: Any, label: Any, label_lengths: Any, blank: int
) -> tuple[Any, Any, Any]:
    """The lengths in time, the texts (n, longest) and their lengths, as arrays that fit.

    Raises:
        ValueError: the shapes or lengths do not fit.
        IndexError: a character is not a class other than the blank.
    """
    if pred.ndim != 3:
        raise ValueError(f"ctc_loss(): pred must be (time, n, classes), not of shape {pred.shape}")
    times, count, classes = pred.shape
    ends, texts, lengths = (
        np.asarray(x.numpy() if isinstance(x, Tensor) else x)
        for x in (pred_lengths, label, label_lengths)
    )
    if ends.shape != (count,) or lengths.shape != (count,):
        raise ValueError(
            f"ctc_loss(): pred_lengths and label_lengths must have the shape ({count},), one number"
            f" for each text, not {ends.shape} and {lengths.shape}"
        )
    if count and not (ends.min() >= 1 and ends.max() <= times and lengths.min() >= 0):
        raise ValueError(f"ctc_loss(): pred_lengths must be from 1 to {times}, the times in pred")
    longest = int(lengths.max(initial=0))
    fits = texts.shape == (lengths.sum(),) if texts.ndim == 1 else texts.shape[0] == count
    if texts.ndim not in (1, 2) or not fits or (texts.ndim == 2 and texts.shape[1] < longest):
        raise ValueError(
            f"ctc_loss(): label must have the shape ({count}, {longest}), or be one text behind the"
            f" other with {int(lengths.sum())} characters, not the shape {texts.shape}"
        )
    used = np.arange(longest) < lengths[:, None]
    table = np.full((count, longest), blank)
    table[used] = texts if texts.ndim == 1 else texts[:, :longest][used]
    wrong = table[used & ((table < 0) | (table >= classes) | (table == blank))]
    if wrong.size:
        raise IndexError(
            f"ctc_loss(): label {int(wrong[0])} is out of range: characters are classes from 0 to"
            f" {classes - 1} other than the blank {blank}"
        )
    return ends, table, lengths
