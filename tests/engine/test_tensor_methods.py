"""Tensor: its whole surface, and operators with every kind of operand."""

from __future__ import annotations

import copy
import math
import operator
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tinyengine as te
import tinyengine.functional as F
from tinyengine.autodiff import GradManager

T = te.tensor

PUBLIC = [
    "T",
    "astype",
    "detach",
    "device",
    "dtype",
    "flatten",
    "format",
    "grad",
    "item",
    "max",
    "mean",
    "min",
    "name",
    "ndim",
    "numpy",
    "prod",
    "reset_zero",
    "reshape",
    "set_value",
    "shape",
    "size",
    "sum",
    "to",
    "tolist",
    "transpose",
]


def test_the_public_names_are_megengines() -> None:
    x = T([[1.0, 2.0]])
    assert sorted(PUBLIC) == sorted(n for n in dir(x) if n[0] != "_" and hasattr(x, n))
    assert x.format == "default"


def test_methods_are_the_functions() -> None:
    x = T([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
    assert x.T.tolist() == x.transpose().tolist() == [[3.0, 6.0], [1.0, 5.0], [2.0, 4.0]]
    assert x.transpose(1, 0).shape == x.transpose((1, 0)).shape == (3, 2)
    assert x.flatten().tolist() == x.reshape(-1).tolist() == [3.0, 1.0, 2.0, 6.0, 5.0, 4.0]
    assert x.max(axis=1).tolist() == [3.0, 6.0]
    assert x.min(1, keepdims=True).tolist() == [[1.0], [4.0]]
    assert x.mean().item() == 3.5
    assert x.prod(axis=(0, 1)).item() == 720.0


@pytest.mark.parametrize("name", ["shape", "dtype", "ndim", "size", "T", "format"])
def test_facts_cannot_be_set(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(T([1.0]), name, 1)


def test_requires_grad_says_what_to_do() -> None:
    x = T([1.0])
    message = r"tensors have no requires_grad: GradManager\(\).attach\(x\) says which tensors"
    with pytest.raises(AttributeError, match=message):
        x.requires_grad  # noqa: B018
    with pytest.raises(AttributeError, match=message):
        x.requires_grad = True
    assert not hasattr(x, "requires_grad")


def test_other_attributes_are_free() -> None:
    x: Any = T([1.0])
    x.note, x.grad = "mine", 0
    assert (x.note, x.grad) == ("mine", 0)


# comparison, membership, identity


def test_comparisons_are_element_wise() -> None:
    x, y = T([1.0, 2.0, 3.0]), T([3.0, 2.0, 1.0])
    results = [x == y, x != y, x < y, x <= y, x > y, x >= y]
    assert {str(r.dtype) for r in results} == {"bool"}
    assert [[int(v) for v in r.tolist()] for r in results] == [
        [0, 1, 0],
        [1, 0, 1],
        [1, 0, 0],
        [1, 1, 0],
        [0, 0, 1],
        [0, 1, 1],
    ]
    assert (x > 2.0).tolist() == (np.float32(2) < x).tolist() == [False, False, True]
    assert (np.array([1.0, 0.0, 3.0]) == x).tolist() == [True, False, True]


@pytest.mark.parametrize("compare", [operator.eq, operator.ne, operator.le])
def test_none_is_no_operand_of_a_comparison(compare: Callable[[Any, Any], Any]) -> None:
    message = r"an operand is None; .* \(to ask whether x is None: `x is None`\)"
    with pytest.raises(TypeError, match=message):
        compare(T([1.0]), None)


def test_a_hash_is_by_identity_although_equality_is_not() -> None:
    x, y = T(1.0), T(1.0)
    assert bool(x == y)
    assert len({x, y}) == 2
    assert {x: "x", y: "y"}[y] == "y"


def test_membership() -> None:
    x = T([[1.0, 2.0], [3.0, 4.0]])
    assert 3 in x
    assert T(4.0) in x
    assert 5.0 not in x
    assert None not in x
    assert "a" not in x
    assert [1.0, 2.0] in x
    assert 2 in T(2)
    assert 2 not in T([])
    with pytest.raises(ValueError, match="truth value of a tensor of shape"):
        x in [T([5.0]), x]  # noqa: B015


# operators

BINARY = [
    (operator.add, 7, 2),
    (operator.sub, 7, 2),
    (operator.mul, 7, 2),
    (operator.truediv, 7, 2),
    (operator.floordiv, 7, 2),
    (operator.mod, 7, 2),
    (operator.pow, 7, 2),
    (operator.lshift, 7, 2),
    (operator.rshift, 7, 2),
    (operator.and_, True, False),
    (operator.or_, True, False),
    (operator.xor, True, False),
    (operator.eq, 7, 2),
    (operator.ne, 7, 2),
    (operator.lt, 7, 2),
    (operator.le, 7, 2),
    (operator.gt, 7, 2),
    (operator.ge, 7, 2),
]
KINDS: dict[str, Callable[[Any], Any]] = {
    "number": lambda v: v,
    "list": lambda v: [v, v],
    "array": lambda v: np.array([v, v]),
    "column": lambda v: np.array([[v]]),
    "0-d array": np.array,
    "numpy scalar": lambda v: np.array(v)[()],
    "tensor": T,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("operate", "a", "b"), BINARY, ids=lambda v: getattr(v, "__name__", ""))
def test_both_orders_with_every_kind_of_operand(
    operate: Callable[[Any, Any], Any], a: Any, b: Any, kind: str
) -> None:
    wanted = operate(a, b)
    other = KINDS[kind]
    for left, right in ((T([a, a]), other(b)), (other(a), T([b, b]))):
        out = operate(left, right)
        assert type(out) is te.Tensor
        assert out.numpy().ravel().tolist() == [wanted, wanted]


@pytest.mark.parametrize("left", [True, False])
def test_matmul_in_both_orders(left: bool) -> None:
    m, other = T([[1.0, 2.0], [3.0, 4.0]]), [[0.0, 1.0], [1.0, 0.0]]
    for o in (other, np.array(other), T(other)):
        out = o @ m if left else m @ o
        assert type(out) is te.Tensor
        assert out.tolist() == ([[3.0, 4.0], [1.0, 2.0]] if left else [[2.0, 1.0], [4.0, 3.0]])


def test_gradients_pass_whatever_the_other_operand_is() -> None:
    others: list[Any] = [3.0, [3.0, 3.0], np.array([3.0, 3.0]), np.float64(3), np.array(3.0)]
    for other in others:
        for swapped in (False, True):
            x = T([1.0, 2.0])
            gm = GradManager().attach(x)
            with gm:
                gm.backward(x * other if swapped else other * x)
            assert x.grad is not None
            assert x.grad.tolist() == [3.0, 3.0]


def test_unary_operators() -> None:
    x = T([1.5, -2.5])
    assert abs(x).tolist() == [1.5, 2.5]
    assert round(x).tolist() == [2.0, -3.0]
    assert (math.floor(x).tolist(), math.ceil(x).tolist()) == ([1.0, -3.0], [2.0, -2.0])
    assert (-x).tolist() == [-1.5, 2.5]
    assert (~T([True, False])).tolist() == [False, True]
    plus = +x
    plus += 1.0
    assert (plus.tolist(), x.tolist()) == ([2.5, -1.5], [1.5, -2.5])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda x: ~x, "logical not (~) needs booleans, not float32; compare first, as in x > 0"),
        (lambda x: x & x, "logical and (&) needs booleans, not float32"),
        (lambda x: divmod(x, 2), "unsupported operand type(s) for divmod()"),
        (lambda x: pow(x, 2, 3), "takes 2 positional arguments but 3"),
    ],
)
def test_what_has_no_meaning_is_a_type_error(wrong: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        wrong(T([1.0]))


# copies


@pytest.mark.parametrize(
    "how", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), T, te.Parameter]
)
def test_a_copy_is_not_changed_with_its_original(how: Callable[[Any], Any]) -> None:
    w = te.Parameter([1.0, 2.0])
    w.grad = T([9.0, 9.0])
    other = how(w)
    w[0] = 5.0
    w += 1.0
    assert other.tolist() == [1.0, 2.0]
    assert other.grad is None
    assert type(other) is (te.Tensor if how is T else te.Parameter)


def test_what_is_made_of_a_tensor_is_no_view() -> None:
    a = T([[1.0, 2.0], [3.0, 4.0]])
    made = [a[0], a.reshape(4), a.T, a.detach(), a.flatten(), F.copy(a), a[:], +a, T(a)]
    for other in made:
        other[...] = 9.0
    a[0][0] = 9.0
    a.reshape(4)[0] = 9.0
    assert a.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert {v for other in made for v in other.numpy().ravel().tolist()} == {9.0}


def test_unpacking_and_index() -> None:
    (a, b), c = T([[1, 2], [3, 4]])
    assert (a.item(), b.item(), c.tolist()) == (1, 2, [3, 4])
    assert [10, 20, 30][T(1)] == 20
    assert [10, 20, 30][T([1]) : T(3)] == [20, 30]
    assert hex(T(255)) == "0xff"
