"""Made-up shapes, axes and indices: values are NumPy's, gradients go where they belong."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hn

import tinyengine as te
import tinyengine.functional as F

settings.register_profile("engine", max_examples=60, deadline=None, derandomize=True)
quick = settings.get_profile("engine")

T = te.tensor
SHAPES = hn.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def numbered(shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Each element has a value of its own."""
    return np.arange(1, np.prod(shape, dtype=int) + 1, dtype="float32").reshape(shape)


@quick
@given(data=st.data())
def test_indexing(data: st.DataObject, grads: Any) -> None:
    shape = data.draw(hn.array_shapes(min_dims=1, max_dims=4, max_side=4))
    basic = hn.basic_indices(shape, allow_ellipsis=True, allow_newaxis=True)
    integers = hn.integer_array_indices(shape)
    masks = hn.arrays(bool, shape)
    key = data.draw(st.one_of(basic, integers, masks))
    array = numbered(shape)
    out = T(array)[key]
    assert out.shape == np.shape(array[key])
    assert out.tolist() == array[key].tolist()
    weights = numbered(out.shape)
    (got,) = grads(lambda x: x[key] * T(weights), T(array))
    want = np.zeros(shape, "float32")
    np.add.at(want, key, weights)
    assert got.tolist() == want.tolist()


@quick
@given(shapes=hn.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, min_side=0, max_side=4))
def test_stretching(grads: Any, shapes: Any) -> None:
    (left, right), common = shapes.input_shapes, shapes.result_shape
    a, b, dout = numbered(left), numbered(right), numbered(common)
    x, y = T(a), T(b)
    assert (x * y).tolist() == (a * b).tolist()
    by_x, by_y = grads(lambda x, y: x * y, x, y, dy=T(dout))
    # every element of an operand has the sum over where it was stretched to
    for got, shape, other in ((by_x, left, b), (by_y, right, a)):
        where = np.broadcast_to(np.arange(np.prod(shape, dtype=int)).reshape(shape), common)
        weights = np.broadcast_to(other, common) * dout
        want = np.bincount(where.ravel(), weights.ravel(), int(np.prod(shape, dtype=int)))
        assert got.shape == shape
        assert np.allclose(got, want.reshape(shape), rtol=1e-5)


@quick
@given(data=st.data())
def test_sums(data: st.DataObject, grads: Any) -> None:
    shape = data.draw(hn.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4))
    axes = st.one_of(
        st.none(),
        st.integers(-len(shape), len(shape) - 1),
        hn.valid_tuple_axes(len(shape)),
        hn.valid_tuple_axes(len(shape)).map(list),
    )
    axis, keepdims = data.draw(axes), data.draw(st.booleans())
    array, numpy_axis = numbered(shape), tuple(axis) if isinstance(axis, list) else axis
    want = array.sum(axis=numpy_axis, keepdims=keepdims)
    out = F.sum(T(array), axis, keepdims)
    assert (out.shape, out.tolist()) == (want.shape, want.tolist())
    dout = numbered(want.shape)
    (got,) = grads(lambda x: F.sum(x, axis, keepdims), T(array), dy=T(dout))
    kept = dout.reshape(array.sum(axis=numpy_axis, keepdims=True).shape)
    assert got.tolist() == np.broadcast_to(kept, shape).tolist()


@quick
@given(data=st.data())
def test_reshaping(data: st.DataObject, grads: Any) -> None:
    shape = data.draw(hn.array_shapes(min_dims=1, max_dims=4, max_side=4))
    array = numbered(shape)
    factors = data.draw(st.permutations(shape))
    target = list(factors)
    if data.draw(st.booleans()):
        target[data.draw(st.integers(0, len(target) - 1))] = -1
    want = array.reshape(target)
    x = T(array)
    for out in (x.reshape(target), x.reshape(*target), F.reshape(x, tuple(target))):
        assert (out.shape, out.tolist()) == (want.shape, want.tolist())
    (got,) = grads(lambda x: x.reshape(target), x, dy=T(want * 2))
    assert got.tolist() == (array * 2).tolist()


@quick
@given(data=st.data())
def test_products_of_matrices(data: st.DataObject, grads: Any) -> None:
    shapes = data.draw(
        hn.mutually_broadcastable_shapes(signature="(n?,k),(k,m?)->(n?,m?)", max_side=3, max_dims=2)
    )
    a, b = (numbered(shape) for shape in shapes.input_shapes)
    want = a @ b
    assert (T(a) @ T(b)).shape == shapes.result_shape
    assert np.allclose((T(a) @ T(b)).numpy(), want, rtol=1e-5)
    dout = numbered(want.shape)
    by_a, by_b = grads(lambda a, b: a @ b, T(a), T(b), dy=T(dout))
    # y is linear in each operand: its change along the operand itself is y
    assert by_a.shape == a.shape
    assert by_b.shape == b.shape
    assert np.allclose((by_a * a).sum(), (dout * want).sum(), rtol=1e-4)
    assert np.allclose((by_b * b).sum(), (dout * want).sum(), rtol=1e-4)


@quick
@given(SHAPES, st.integers(-6, 6))
def test_a_new_axis(shape: tuple[int, ...], axis: int) -> None:
    array = numbered(shape)
    if -len(shape) - 1 <= axis <= len(shape):
        assert F.expand_dims(T(array), axis).shape == np.expand_dims(array, axis).shape
    else:
        with pytest.raises(ValueError, match=re.escape(f"inp of shape {shape}, axis={axis}: ")):
            F.expand_dims(T(array), axis)
