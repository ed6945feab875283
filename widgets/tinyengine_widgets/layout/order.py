"""Order: who stands above whom in each rank, so that few edges cross.

Second step of Gansner, Koutsofios, North and Vo, "A Technique for Drawing Directed Graphs" (1993):
start from a depth-first order, then sweep over the ranks, sorting each by the weighted median of
its neighbours and swapping adjacent nodes, and keep the best order seen. Every edge here joins
neighbouring ranks: longer ones have been cut by dummy nodes.

All choices break ties by the input's order, so the same graph always gets the same picture and the
operands of a node stay in their order, the first on top, unless crossings say otherwise.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise

Neighbours = Sequence[Sequence[int]]
Layers = list[list[int]]

PASSES = 12


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
    return best


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
    known = set()
    for turn in range(PASSES):
        state = (turn % 4, tuple(map(tuple, layers)))
        if fewest == 0 or state in known:  # the sweeps would go round in circles
            break
        known.add(state)
        turned = turn % 4 >= 2
        if turn % 2 == 0:
            for layer in layers:
                _sort_by_median(layer, place, preds, succs, turned)
        else:
            for layer in reversed(layers):
                _sort_by_median(layer, place, succs, preds, turned)
        _transpose(layers, place, preds, succs)
        count = count_crossings(layers, succs)
        if count < fewest:
            best, fewest = [layer.copy() for layer in layers], count
    return best, fewest


def _renumber(layer: list[int], place: list[int]) -> None:
    for index, node in enumerate(layer):
        place[node] = index


def _sort_by_median(
    layer: list[int], place: list[int], side: Neighbours, other: Neighbours, turned: bool
) -> None:
    """Sort a layer by its nodes' weighted medians on one side.

    A node with no neighbours there goes where its siblings go, the nodes that share a neighbour
    with it on the other side: a bias beside the product it is added to. If it has no such sibling
    it keeps its place. Equal nodes keep their order, or trade it in `turned` passes.
    """
    medians = [weighted_median(sorted([place[near] for near in side[node]])) for node in layer]
    if -1.0 in medians:
        known = {node: m for node, m in zip(layer, medians, strict=True) if m >= 0}
        for index, node in enumerate(layer):
            if medians[index] < 0:
                siblings = [twin for near in other[node] for twin in side[near]]
                found = sorted([known[twin] for twin in siblings if twin in known])
                if found:
                    medians[index] = found[len(found) // 2]
    ranked = [(m, -index if turned else index) for index, m in enumerate(medians) if m >= 0]
    movers = iter([layer[abs(index)] for _, index in sorted(ranked)])
    layer[:] = [next(movers) if m >= 0 else node for node, m in zip(layer, medians, strict=True)]
    _renumber(layer, place)


def weighted_median(places: Sequence[int]) -> float:
    """Return the median; of two middle values, nearer the one whose side is more crowded."""
    count = len(places)
    middle = count // 2
    if count == 0:
        return -1.0
    if count % 2:
        return float(places[middle])
    if count == 2:
        return (places[0] + places[1]) / 2
    left = places[middle - 1] - places[0]
    right = places[-1] - places[middle]
    if left + right == 0:
        return (places[middle - 1] + places[middle]) / 2
    return (places[middle - 1] * right + places[middle] * left) / (left + right)


def _transpose(layers: Layers, place: list[int], preds: Neighbours, succs: Neighbours) -> None:
    """Swap adjacent nodes while that removes crossings, looking again only near a swap."""
    waiting = list(range(len(layers)))
    while waiting:
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
    count = len(below)
    return sum([bisect_left(below, p) + bisect_right(below, p) - count for p in above])
