"""Lists where tensors are needed: every function says what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F

LIST: Any = [[[[1.0, 2.0], [3.0, 4.0]]]]
IMAGE = te.tensor(LIST)

CALLS = [
    lambda: F.relu(LIST),
    lambda: F.softmax(LIST),
    lambda: F.linear([[1.0]], [[1.0]]),
    lambda: F.conv2d(LIST, IMAGE),
    lambda: F.conv2d(IMAGE, LIST),
    lambda: F.conv2d(IMAGE, IMAGE, [1.0]),
    lambda: F.conv_transpose2d(LIST, IMAGE),
    lambda: F.max_pool2d(LIST, 2),
    lambda: F.adaptive_avg_pool2d(LIST, 1),
    lambda: F.batch_norm(LIST, training=True),
    lambda: F.batch_norm(IMAGE, [0.0], [1.0]),
    lambda: F.layer_norm(LIST, 2, False),
    lambda: F.group_norm(LIST, 1, False),
    lambda: F.instance_norm(LIST, False),
    lambda: F.general_norm(LIST, 0),
    lambda: F.local_response_norm(LIST),
    lambda: F.pad(LIST, ((1, 1),)),
    lambda: F.pixel_shuffle(LIST, 1),
    lambda: F.sliding_window(LIST, 1),
    lambda: F.dropout(LIST, 0.5),
    lambda: F.embedding([0], LIST),
    lambda: F.indexing_one_hot(LIST, IMAGE),
    lambda: F.topk_accuracy([[1.0]], [0]),
    lambda: F.nn.l1_loss(LIST, LIST),
    lambda: F.nn.square_loss(LIST, LIST),
    lambda: F.nn.cross_entropy(LIST, [0]),
    lambda: F.nn.binary_cross_entropy(LIST, LIST),
    lambda: F.nn.hinge_loss(LIST, LIST),
    lambda: F.nn.ctc_loss(LIST, [1], [1], [1]),
    lambda: F.multi_head_attention(LIST, IMAGE, IMAGE, 2, 1, 0, 0, None),
]


@pytest.mark.parametrize("call", CALLS)
def test_a_list_is_no_tensor(call: Any) -> None:
    with pytest.raises(TypeError, match=r"^\w+\(\): .*(not a|no) tensor; make it one with tensor"):
        call()


def test_arrays_are_taken_by_every_function_that_takes_one() -> None:
    x = np.abs(np.random.default_rng(0).standard_normal((1, 2, 4, 4))).astype("float32") + 0.5
    for call in (
        F.relu,
        F.softmax,
        F.gelu,
        lambda x: F.max_pool2d(x, 2),
        lambda x: F.adaptive_max_pool2d(x, 2),
        lambda x: F.layer_norm(x, 4, False),
        lambda x: F.group_norm(x, 2, False),
        lambda x: F.batch_norm(x, training=True),
        lambda x: F.conv2d(x, x),
        lambda x: F.pad(x, ((1, 0),), "replicate"),
        lambda x: F.local_response_norm(x, 1),
        lambda x: F.nn.square_loss(x, x),
        lambda x: F.dropout(x, 0.5),
    ):
        of_array, of_tensor = call(x), call(te.tensor(x))
        assert np.shape(of_array) == of_tensor.shape
