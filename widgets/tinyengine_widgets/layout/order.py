"""Order: who stands above whom in each rank, so that few edges cross.

Second step of Gansner, Koutsofios, North and Vo, "A Technique for Drawing Directed Graphs" (1993):
from two first orders, sweep over the ranks, sorting each by where its nodes' neighbours stand and
swapping adjacent nodes, and keep the best order seen. Nodes are sorted by their neighbours' mean
place, as in Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System
Structures" (1981), which left fewer crossings here than the median. Every edge joins neighbouring
ranks: longer ones have been cut by dummy nodes.

All choices break ties by the input's order, so the same graph always gets the same picture and the
operands of a node stay in their order, the first on top, unless crossings say otherwise.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise

Neighbours = Sequence[Sequence[int]]
Layers = list[list[int]]

PASSES = 16
PATIENCE = 8  # passes without a better order before giving up
ROUNDS = 4  # of swaps after each pass


def order_layers(rank: Sequence[int], preds: Neighbours, succs: Neighbours) -> Layers:
    """Return the nodes of each rank from top to bottom."""
    best: Layers = []
    fewest = -1
    for start in (depth_first_layers, breadth_first_layers):
        layers, count = _improve(start(rank, preds, succs), preds, succs)
        if fewest < 0 or count < fewest:
            best, fewest = layers, count
        if fewest == 0:
            break
    return _upright(best, preds)


def _upright(layers: Layers, preds: Neighbours) -> Layers:
    """Turn the picture over if that puts more first operands above second ones."""
    place = {
        node: (index, at) for index, layer in enumerate(layers) for at, node in enumerate(layer)
    }
    balance = 0
    for operands in preds:
        for first, second in pairwise(operands):
            (rank, above), (other, below) = place[first], place[second]
            if rank == other:
                balance += 1 if above < below else -1
    return layers if balance >= 0 else [layer[::-1] for layer in layers]


def depth_first_layers(rank: Sequence[int], preds: Neighbours, succs: Neighbours) -> Layers:
    """Fill the ranks depth first from the outputs back; on an expression tree nothing crosses."""
    layers: Layers = [[] for _ in range(max(rank) + 1)]
    seen = [False] * len(rank)
    for output in range(len(rank)):
        stack = [] if succs[output] else [output]
        while stack:
            node = stack.pop()
            if not seen[node]:
                seen[node] = True
                layers[rank[node]].append(node)
                stack.extend(reversed(preds[node]))
    return layers


def breadth_first_layers(rank: Sequence[int], preds: Neighbours, succs: Neighbours) -> Layers:
    """Fill the ranks breadth first from the inputs on."""
    layers: Layers = [[] for _ in range(max(rank) + 1)]
    queue = [node for node, sources in enumerate(preds) if not sources]
    seen = set(queue)
    for node in queue:  # grows while it is read
        layers[rank[node]].append(node)
        for target in succs[node]:
            if target not in seen:
                seen.add(target)
                queue.append(target)
    return layers


def count_crossings(layers: Layers, succs: Neighbours) -> int:
    """Count the pairs of edges that cross, as inversions of the edges' right ends.

    The edges are read by left end; each crosses those before it that end further down. (Barth,
    Jünger and Mutzel, "Simple and Efficient Bilayer Cross Counting", 2002, with a sorted list in
    place of their tree: the same idea, faster at these sizes.)
    """
    total = 0
    for left, right in pairwise(layers):
        place = {node: index for index, node in enumerate(right)}
        ends: list[int] = []
        for node in left:
            targets = sorted([place[target] for target in succs[node]])
            if not ends or (targets and targets[0] >= ends[-1]):
                ends += targets
                continue
            total += sum(len(ends) - bisect_right(ends, target) for target in targets)
            for target in targets:
                insort(ends, target)
    return total


def _improve(layers: Layers, preds: Neighbours, succs: Neighbours) -> tuple[Layers, int]:
    """Sweep right and left in turn, keeping the order with the fewest crossings."""
    place = [0] * len(preds)
    for layer in layers:
        _renumber(layer, place)
    _transpose(layers, place, preds, succs)
    best, fewest = [layer.copy() for layer in layers], count_crossings(layers, succs)
    stale = 0
    for turn in range(PASSES):
        if fewest == 0 or stale == PATIENCE:
            break
        turned = turn % 3 == 2
        if turn % 2 == 0:
            for layer in layers:
                _sort_by_mean(layer, place, preds, succs, turned)
        else:
            for layer in reversed(layers):
                _sort_by_mean(layer, place, succs, preds, turned)
        _transpose(layers, place, preds, succs)
        count = count_crossings(layers, succs)
        stale += 1
        if count < fewest:
            best, fewest, stale = [layer.copy() for layer in layers], count, 0
    return best, fewest


def _renumber(layer: list[int], place: list[int]) -> None:
    for index, node in enumerate(layer):
        place[node] = index


def _sort_by_mean(
    layer: list[int], place: list[int], side: Neighbours, other: Neighbours, turned: bool
) -> None:
    """Sort a layer by the mean place of its nodes' neighbours on one side.

    A node with no neighbours there goes where its siblings go, the nodes that share a neighbour
    with it on the other side: a bias beside the product it is added to. If it has no such sibling
    it keeps its place. Equal nodes keep their order, or trade it in `turned` passes.
    """
    means: dict[int, float] = {}
    for node in layer:
        if side[node]:
            means[node] = sum([place[near] for near in side[node]]) / len(side[node])
    for node in [node for node in layer if not side[node]]:
        twins = [means[twin] for near in other[node] for twin in side[near] if twin in means]
        if twins:
            means[node] = sorted(twins)[len(twins) // 2]
    movers = [node for node in layer if node in means]
    ordered = iter(sorted(movers[::-1] if turned else movers, key=means.__getitem__))
    layer[:] = [next(ordered) if node in means else node for node in layer]
    _renumber(layer, place)


def _transpose(layers: Layers, place: list[int], preds: Neighbours, succs: Neighbours) -> None:
    """Swap adjacent nodes while that removes crossings, looking again only near a swap."""
    waiting = list(range(len(layers)))
    for _ in range(ROUNDS):
        changed: set[int] = set()
        for index in waiting:
            layer = layers[index]
            left = [sorted([place[near] for near in preds[node]]) for node in layer]
            right = [sorted([place[near] for near in succs[node]]) for node in layer]
            for at, below in enumerate(layer[1:]):
                a, b = left[at], left[at + 1]
                c, d = right[at], right[at + 1]
                crossed = (a and b and a[-1] > b[0]) or (c and d and c[-1] > d[0])
                if crossed and _excess(a, b) + _excess(c, d) > 0:
                    layer[at], layer[at + 1] = below, layer[at]
                    left[at], left[at + 1] = b, a
                    right[at], right[at + 1] = d, c
                    changed.add(index)
            if index in changed:
                _renumber(layer, place)
        near = {index + step for index in changed for step in (-1, 0, 1)}
        waiting = sorted(near & set(range(len(layers))))


def _excess(above: Sequence[int], below: Sequence[int]) -> int:
    """Return how many crossings on one side would go, less those that would come, by a swap."""
    excess = 0
    if below:
        first, last, count = below[0], below[-1], len(below)
        for p in above:
            if p > last:
                excess += count
            elif p < first:
                excess -= count
            else:
                excess += bisect_left(below, p) + bisect_right(below, p) - count
    return excess
