"""Heights: where each node stands within its rank, so that chains run straight.

Third step of Gansner, Koutsofios, North and Vo, "A Technique for Drawing Directed Graphs" (1993):
sweeps in which every node wants to be at the median height of its neighbours in the rank before.
Their priority rule is replaced by an exact one: each rank takes the heights with the least
weighted squared distance to what its nodes want, subject to their order and gaps. That is isotonic
regression, solved by pooling adjacent violators (Ayer et al., "An Empirical Distribution Function
for Sampling with Incomplete Information", 1955).
"""

from collections.abc import Sequence
from itertools import pairwise

Neighbours = Sequence[Sequence[int]]

SWEEPS = 4
TALLER = 1.25  # how much height may be spent on keeping operators in the middle of their operands
# Weights where chains go first. A lane is a dummy node; a shared input has several uses.
COMPUTED, LANE, SHARED, INPUT = 1.0, 1e-8, 1e-14, 1e-20


def assign_heights(
    layers: Sequence[Sequence[int]],
    heights: Sequence[float],
    gap: float,
    preds: Neighbours,
    succs: Neighbours,
    is_dummy: Sequence[bool],
) -> list[float]:
    """Return the y of each node's centre, the top of the picture at 0.

    An operator stands in the middle of its operands. In a deep network that would turn the chain
    of layers into a staircase, one step for every weight and bias; where it makes the picture
    notably taller, operators stand level with their computed operands instead.
    """

    def height_of(y: Sequence[float]) -> float:
        return max(a + h / 2 for a, h in zip(y, heights, strict=True))

    gaps = [_least_gaps(layer, heights, gap) for layer in layers]
    weights = [
        LANE if dummy else COMPUTED if sources else SHARED if len(targets) > 1 else INPUT
        for dummy, sources, targets in zip(is_dummy, preds, succs, strict=True)
    ]
    even = [COMPUTED] * len(weights)
    before, after = _straight_lanes(preds, is_dummy), _straight_lanes(succs, is_dummy)
    middle = _sweep(layers, heights, gaps, before, after, even)
    level = _sweep(
        layers, heights, gaps, _heaviest(before, weights), _heaviest(after, weights), weights
    )
    return middle if height_of(middle) <= TALLER * height_of(level) else level


def _least_gaps(layer: Sequence[int], heights: Sequence[float], gap: float) -> list[float]:
    """Return the least distance of each node from the one above it; of the first, from the top."""
    between = [(heights[a] + heights[b]) / 2 + gap for a, b in pairwise(layer)]
    return [heights[layer[0]] / 2, *between]


def _straight_lanes(side: Neighbours, is_dummy: Sequence[bool]) -> Neighbours:
    """Let a dummy node follow the lane it belongs to, where it goes on."""
    return [
        ([near for near in nodes if is_dummy[near]] if dummy else []) or nodes
        for nodes, dummy in zip(side, is_dummy, strict=True)
    ]


def _heaviest(side: Neighbours, weights: Sequence[float]) -> Neighbours:
    """Keep, of each node's neighbours, those with the greatest weight."""
    most = [max((weights[near] for near in nodes), default=0.0) for nodes in side]
    return [
        [near for near in nodes if weights[near] == weight]
        for nodes, weight in zip(side, most, strict=True)
    ]


def _sweep(
    layers: Sequence[Sequence[int]],
    heights: Sequence[float],
    gaps: Sequence[Sequence[float]],
    preds: Neighbours,
    succs: Neighbours,
    weights: Sequence[float],
) -> list[float]:
    """Sweep right and left in turn, ending leftwards: every node stands where it is used."""
    y = [0.0] * len(heights)
    for layer, steps in zip(layers, gaps, strict=True):
        top = -sum(steps) / 2
        for node, step in zip(layer, steps, strict=True):
            top += step
            y[node] = top
    rightwards = _pulls(layers, gaps, preds, succs, weights)
    leftwards = _pulls(layers, gaps, succs, preds, weights)[::-1]
    for _ in range(SWEEPS):
        for layer, pulls, weight, steps in (*rightwards, *leftwards):
            wanted = [_median([y[near] for near in nodes]) for nodes in pulls]
            for node, height in zip(layer, separate(wanted, weight, steps), strict=True):
                y[node] = height
    top = min(a - h / 2 for a, h in zip(y, heights, strict=True))
    return [height - top for height in y]


def _pulls(
    layers: Sequence[Sequence[int]],
    gaps: Sequence[Sequence[float]],
    side: Neighbours,
    other: Neighbours,
    weights: Sequence[float],
) -> list[tuple[Sequence[int], Neighbours, Sequence[float], Sequence[float]]]:
    """Return each layer with the neighbours that its nodes follow, its weights and its gaps.

    Nodes without neighbours on the side of the sweep follow those on the other, and give way.
    """
    return [
        (
            layer,
            [side[node] or other[node] or [node] for node in layer],
            [weights[node] if side[node] else INPUT for node in layer],
            steps,
        )
        for layer, steps in zip(layers, gaps, strict=True)
    ]


def _median(values: list[float]) -> float:
    """Return the middle value, or the mean of the two middle ones."""
    count = len(values)
    if count == 1:
        return values[0]
    values.sort()
    return (values[(count - 1) // 2] + values[count // 2]) / 2


def separate(
    wanted: Sequence[float], weights: Sequence[float], gaps: Sequence[float]
) -> list[float]:
    """Return the heights nearest to `wanted` that keep each node `gaps` or more below the last."""
    offsets: list[float] = []
    pools: list[tuple[float, float, int]] = []  # mean, weight, number of nodes
    offset = 0.0
    for want, weight, gap in zip(wanted, weights, gaps, strict=True):
        offset += gap
        offsets.append(offset)
        mean, count = want - offset, 1
        while pools and pools[-1][0] > mean:
            other, heft, size = pools.pop()
            mean = (mean * weight + other * heft) / (weight + heft)
            weight, count = weight + heft, count + size
        pools.append((mean, weight, count))
    means = [mean for mean, _, count in pools for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]
