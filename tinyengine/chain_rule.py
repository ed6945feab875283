"""The recorded graph and the chain rule, stated once; broadcasting is undone here and nowhere else.

The graph is a tape: one node for each recorded op, in the order in which they ran. Walking it in
reverse meets every node after all of its users, so backward needs neither a sort nor recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Protocol, TypeAlias

import numpy as np

from .backend import Array

Pull: TypeAlias = Callable[[Any, Any], Any]
"""The gradient at an operand, from the gradient at the result and from what the node kept."""

_new = object.__new__


class Node:
    """One recorded op: whose results it used, and what its rules need. Outputs are not kept."""

    __slots__ = ("kept", "kept_tensors", "op", "parents", "shapes")

    op: Any  # None once the tape is dropped
    parents: tuple[Node | None, ...]  # None for a constant
    kept: tuple[Any, ...]
    kept_tensors: tuple[Any, ...] | None  # the same as Tensors, where two managers record
    shapes: tuple[tuple[int, ...], ...] | None  # of the operands, where one of them was stretched


class Observer(Protocol):
    """What a Trace must answer to: each call tells of one thing the engine did."""

    def attached(self, tensor: Any) -> None:
        """A manager began to follow `tensor`."""

    def forward(self, op: Any, operands: Any, attributes: dict[str, Any], out: Any) -> None:
        """`op` made `out` from `operands`."""

    def rebound(self, tensor: Any, value: Any) -> None:
        """`tensor` was changed in place: it is about to hold what `value` holds."""

    def failed(self, op: Any, operands: Any, attributes: dict[str, Any], message: str) -> None:
        """`op` refused `operands`."""

    def called(self, module: Any) -> None:
        """A module, which knows the names of its tensors, is about to compute."""

    def seeded(self, tensor: Any, gradient: Any) -> None:
        """Backward began at `tensor` with `gradient`."""

    def contributed(
        self, node: Node, operand: int, dout: Any, contribution: Any, total: Any
    ) -> None:
        """`dout` arrived at `node`, whose rule sent `contribution` on; `total` is there now."""

    def delivered(self, tensor: Any, gradient: Any) -> None:
        """Backward ended: `tensor` got `gradient`, or None where no gradient reached it."""


tape: list[Node] = []
managers: list[Any] = []
"""The managers that record, outermost first."""
observers: list[Observer] = []
"""Whoever watches. Empty, it costs one test an op."""


def alive(node: Node | None) -> Node | None:
    """`node` if it is on the tape, else None."""
    return None if node is None or node.op is None else node


class Leaf:
    """What stands in the place of an op where a manager follows a tensor: it passes on."""

    pulls: tuple[Pull, ...] = (lambda dout, _: dout,)


LEAF = Leaf()


def follow(tensor: Any) -> Node:
    """Begin to record what is computed from `tensor`; the node at which its gradient arrives.

    What the tensor was itself computed from stays connected behind the new node.
    """
    node: Node = _new(Node)
    before = alive(tensor._node)
    node.op, node.parents, node.kept = LEAF, () if before is None else (before,), ()
    node.kept_tensors = node.shapes = None
    tensor._node = node
    tape.append(node)
    if observers:
        for observer in observers:
            observer.attached(tensor)
    return node


def forget(begin: int = 0) -> None:
    """Drop the tape, from `begin` on.

    Its nodes die, so that a tensor that still points at one is a constant.
    """
    for node in islice(tape, begin, None):
        node.op = node.kept_tensors = None
        node.parents = node.kept = ()
    del tape[begin:]


@np.errstate(all="ignore")
def backpropagate(
    nodes: Sequence[Node | None],
    seeds: Sequence[Any],
    begin: int,
    as_tensors: bool,
    watching: Sequence[Observer] = (),
) -> dict[Node, Any]:
    """The gradient at each followed tensor's node that the `seeds` reach.

    Args:
        nodes: where to start; None for a constant.
        seeds: the gradient to start from at each.
        begin: where on the tape to stop; what was recorded before is a constant.
        as_tensors: run the rules on Tensors, so that an outer manager records them.
        watching: whom to tell of each contribution.
    """
    gradients: dict[Node, Any] = {}
    for node, dout in zip(nodes, seeds, strict=True):
        if node is not None:
            gradients[node] = gradients[node] + dout if node in gradients else dout
    last = len(managers) == 1  # nobody will walk here again: free what is kept on the way
    for node in islice(reversed(tape), len(tape) - begin):
        dout = gradients.get(node)
        if dout is None:
            continue
        op, shapes = node.op, node.shapes
        kept = node.kept_tensors if as_tensors else node.kept
        for operand, parent in enumerate(node.parents):
            if parent is None or (pull := op.pulls[operand]) is None:
                continue
            contribution = pull(dout, kept)
            if contribution is None:  # an autodiff.Function may stop a gradient
                continue
            if shapes is not None:
                contribution = unbroadcast(contribution, shapes[operand])
            before = gradients.get(parent)
            total = contribution if before is None else before + contribution
            gradients[parent] = total
            if watching:
                for observer in watching:
                    observer.contributed(node, operand, dout, contribution, total)
        if op is not LEAF:
            del gradients[node]
        if last:
            node.op = None
            node.parents = node.kept = ()
    return gradients


def unbroadcast(gradient: Array, shape: tuple[int, ...]) -> Array:
    """Sum `gradient` over the axes along which an operand of `shape` was stretched.

    >>> import numpy as np
    >>> unbroadcast(np.ones((2, 3)), (3,)), unbroadcast(np.ones((2, 3)), (2, 1))
    (array([2., 2., 2.]), array([[3.],
           [3.]]))
    """
    if gradient.shape == shape:
        return gradient
    if not shape:
        return gradient.sum()
    added = len(gradient.shape) - len(shape)
    stretched = [i + added for i, n in enumerate(shape) if n == 1]
    if not stretched:
        return gradient.sum(axis=0 if added == 1 else tuple(range(added)))
    return gradient.sum(axis=(*range(added), *stretched)).reshape(shape)
