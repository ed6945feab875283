"""Ranks: which column each node of an acyclic graph stands in.

First step of Gansner, Koutsofios, North and Vo, "A Technique for Drawing Directed Graphs" (1993).
They find the ranks of least total edge length by network simplex. Here every node starts at its
longest-path rank and then slides, alone or with the inputs that only it uses, to where its edges
are shorter. On computation graphs that comes close to the optimum, in linear time.
"""

from collections.abc import Sequence

Neighbours = Sequence[Sequence[int]]


def topological_order(preds: Neighbours, succs: Neighbours) -> list[int]:
    """Return the nodes so that each comes after its predecessors (Kahn's algorithm).

    Nodes on a cycle, and those after it, are left out.
    """
    waiting = [len(sources) for sources in preds]
    order = [node for node, count in enumerate(waiting) if count == 0]
    for node in order:  # grows while it is read
        for target in succs[node]:
            waiting[target] -= 1
            if waiting[target] == 0:
                order.append(target)
    return order


def find_cycle(preds: Neighbours, succs: Neighbours) -> list[int]:
    """Return the nodes of one cycle in the direction of its edges; none if there is no cycle."""
    left_out = set(range(len(preds))) - set(topological_order(preds, succs))
    if not left_out:
        return []
    node = min(left_out)
    path: list[int] = []
    step: dict[int, int] = {}
    while node not in step:  # every node left out has a predecessor that is left out too
        step[node] = len(path)
        path.append(node)
        node = next(source for source in preds[node] if source in left_out)
    cycle = path[step[node] :][::-1]
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]


def assign_ranks(preds: Neighbours, succs: Neighbours, rounds: int = 3) -> list[int]:
    """Return the rank of each node of an acyclic graph; every edge goes to a higher rank.

    Inputs and weights never hold back what is computed from them. Nodes that nothing else holds
    back either are *loose*: they stand just before their first use. Any other node slides right
    when at least as many edges get shorter as longer, then back left on the same terms, so that it
    ends as far left as the shortest edges allow.
    """
    order = topological_order(preds, succs)
    earliest = [0] * len(order)
    for node in order:
        earliest[node] = max((earliest[source] + 1 for source in preds[node]), default=0)

    ties: list[list[int]] = [[] for _ in order]  # the predecessors that hold a node back
    for node in order:
        ties[node] = [u for u in preds[node] if ties[u] or (preds[u] and len(succs[u]) > 1)]

    rank = earliest.copy()
    for _ in range(rounds):
        before = rank.copy()
        for node in reversed(order):
            if succs[node] and len(succs[node]) >= len(ties[node]):
                rank[node] = min(rank[target] for target in succs[node]) - 1
        for node in order:
            if ties[node] and len(ties[node]) >= len(succs[node]):
                held = max(rank[source] for source in ties[node]) + 1
                rank[node] = max(held, earliest[node])
        for node in reversed(order):
            if succs[node] and not ties[node]:
                rank[node] = min(rank[target] for target in succs[node]) - 1
        if rank == before:
            break
    return rank
