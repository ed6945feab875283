import random
from collections.abc import Iterable
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings, strategies as st
from tinyengine_widgets.layout import Placed, coordinates, layout, order

Edges = list[tuple[str, str]]
Sizes = dict[str, tuple[float, float]]

DATA, OP = (84.0, 96.0), (48.0, 56.0)


def program(*steps: str) -> tuple[Sizes, Edges]:
    """Build the graph of steps such as "y = add p b"; operators are named "add>y"."""
    sizes: Sizes = {}
    edges: Edges = []
    for step in steps:
        output, _, op, *operands = step.split()
        node = f"{op}>{output}"
        for operand in operands:
            sizes.setdefault(operand, DATA)
            edges.append((operand, node))
        sizes[node] = OP
        sizes[output] = DATA
        edges.append((node, output))
    return sizes, edges


ARTICLE = program("p = mul w x", "y = add p b")


def residual_network(blocks: int) -> tuple[Sizes, Edges]:
    """Build blocks of two dense layers with a connection around both."""
    steps, hidden = [], "x"
    for k in range(blocks):
        skip = hidden
        for half in "ab":
            name = f"{k}{half}"
            steps += [
                f"z{name} = matmul {hidden} W{name}",
                f"s{name} = add z{name} b{name}",
                f"h{name} = relu s{name}",
            ]
            hidden = f"h{name}"
        steps.append(f"r{k} = add {hidden} {skip}")
        hidden = f"r{k}"
    return program(*steps, f"loss = mse {hidden} t")


def scalar_network(width: int, layers: int) -> tuple[Sizes, Edges]:
    """Build a multilayer perceptron of scalars: every product and every sum is a node."""
    steps, values = [], [f"x{i}" for i in range(width)]
    for layer in range(layers):
        outputs = []
        for j in range(width):
            total = f"b{layer}.{j}"
            for i, value in enumerate(values):
                name = f"{layer}.{j}.{i}"
                steps += [f"p{name} = mul {value} w{name}", f"c{name} = add {total} p{name}"]
                total = f"c{name}"
            outputs.append(total)
        values = outputs
    return program(*steps)


def boxes_overlap(placed: Placed, sizes: Sizes) -> list[tuple[str, str]]:
    """Return the pairs of nodes whose boxes overlap, by a sweep over x."""

    def overlap(a: str, b: str) -> bool:
        (ax, ay), (bx, by) = placed.positions[a], placed.positions[b]
        close_x = abs(ax - bx) < (sizes[a][0] + sizes[b][0]) / 2 - 0.01
        return close_x and abs(ay - by) < (sizes[a][1] + sizes[b][1]) / 2 - 0.01

    return [(a, b) for a, b in combinations(sizes, 2) if overlap(a, b)]


def boxes_hit(placed: Placed, sizes: Sizes, edges: Edges) -> list[tuple[tuple[str, str], str]]:
    """Return each edge with a box that it passes through, other than those at its ends."""
    hits = []
    for edge, route in zip(edges, placed.routes, strict=True):
        for name, (x, y) in placed.positions.items():
            half_width, half_height = sizes[name][0] / 2 - 0.01, sizes[name][1] / 2 - 0.01
            if name in edge:
                continue
            for (x1, y1), (x2, y2) in pairwise(route):
                left, right = max(x1, x - half_width), min(x2, x + half_width)
                if left < right:
                    at = [y1 + (y2 - y1) * (end - x1) / (x2 - x1) - y for end in (left, right)]
                    if min(at) < half_height and max(at) > -half_height:
                        hits.append((edge, name))
    return hits


def count_crossings(lines: Iterable[list[tuple[float, float]]]) -> int:
    """Count the crossings of segments of different lines; meeting at an end is no crossing."""

    def side(a: tuple[float, float], b: tuple[float, float], p: tuple[float, float]) -> float:
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

    segments = [(a, b, k) for k, line in enumerate(lines) for a, b in pairwise(line)]
    segments.sort()
    crossings = 0
    for index, (a, b, line) in enumerate(segments):
        for p, q, other in segments[index + 1 :]:
            if p[0] >= b[0]:
                break
            if line == other or {a, b} & {p, q}:
                continue
            if side(a, b, p) * side(a, b, q) < 0 and side(p, q, a) * side(p, q, b) < 0:
                crossings += 1
    return crossings


def straight_lines(placed: Placed, edges: Edges) -> list[list[tuple[float, float]]]:
    return [[placed.positions[source], placed.positions[target]] for source, target in edges]


def check_well_formed(placed: Placed, sizes: Sizes, edges: Edges) -> None:
    assert set(placed.positions) == set(sizes)
    assert boxes_overlap(placed, sizes) == []
    assert boxes_hit(placed, sizes, edges) == []
    for (source, target), route in zip(edges, placed.routes, strict=True):
        assert route[0] == placed.positions[source]
        assert route[-1] == placed.positions[target]
        assert all(a[0] < b[0] for a, b in pairwise(route))
    for name, (x, y) in placed.positions.items():
        width, height = sizes[name]
        assert width / 2 - 0.01 <= x <= placed.width - width / 2 + 0.01
        assert height / 2 - 0.01 <= y <= placed.height - height / 2 + 0.01


def test_the_empty_graph_takes_no_room() -> None:
    assert layout({}, []) == Placed({}, [], 0, 0)


def test_a_single_node_fills_its_box() -> None:
    assert layout({"x": (30, 20)}, []) == Placed({"x": (15, 10)}, [], 30, 20)


def test_the_picture_of_one_neuron() -> None:
    at = layout(*ARTICLE).positions
    x_of, y_of = {n: p[0] for n, p in at.items()}, {n: p[1] for n, p in at.items()}
    columns = [["w", "x"], ["mul>p"], ["p", "b"], ["add>y"], ["y"]]
    for nodes in columns:
        assert len({x_of[node] for node in nodes}) == 1
    assert [x_of[nodes[0]] for nodes in columns] == sorted(x_of[nodes[0]] for nodes in columns)
    assert y_of["w"] < y_of["mul>p"] < y_of["x"]
    assert y_of["mul>p"] - y_of["w"] == pytest.approx(y_of["x"] - y_of["mul>p"])
    assert y_of["p"] == pytest.approx(y_of["mul>p"])
    assert y_of["p"] < y_of["add>y"] < y_of["b"]
    assert y_of["y"] == pytest.approx(y_of["add>y"])


def test_the_first_operand_is_on_top() -> None:
    for first, second in (("w", "x"), ("x", "w")):
        at = layout(*program(f"p = matmul {first} {second}", "y = add p b")).positions
        assert at[first][1] < at[second][1]


def test_most_first_operands_are_on_top_when_edges_would_cross() -> None:
    steps = []
    for k in range(4):
        steps += [f"u{k} = matmul h{k} W", f"v{k} = matmul x{k} U", f"h{k + 1} = add u{k} v{k}"]
    at = layout(*program(*steps)).positions
    assert all(at[f"u{k}"][1] < at[f"v{k}"][1] for k in range(4))


def test_the_same_graph_gets_the_same_picture() -> None:
    sizes, edges = scalar_network(3, 2)
    assert layout(sizes, edges) == layout(dict(sizes), list(edges))


def test_one_more_step_leaves_the_picture_as_it_was() -> None:
    steps = ["p = mul w x", "y = add p b"]
    before = layout(*program(*steps)).positions
    after = layout(*program(*steps, "z = relu y")).positions
    assert {node: after[node] for node in before} == before


def test_inputs_stand_just_before_their_first_use() -> None:
    sizes, edges = residual_network(3)
    at = layout(sizes, edges).positions
    columns = sorted({x for x, _ in at.values()})
    computed = {target for _, target in edges}
    for node in set(sizes) - computed:
        first_use = min(at[target][0] for source, target in edges if source == node)
        assert columns.index(at[node][0]) == columns.index(first_use) - 1


def test_what_is_made_from_inputs_alone_stands_where_it_is_used() -> None:
    chain = [f"h{k + 1} = relu h{k}" for k in range(5)]
    at = layout(*program(*chain, "v = exp a", "y = add h5 v")).positions
    assert at["v"][0] == at["h5"][0]
    assert at["a"][0] == at["h4"][0]


def test_deep_networks_run_straight() -> None:
    at = layout(*residual_network(4)).positions
    assert len({y for node, (_, y) in at.items() if node[0] in "zshr" or ">" in node}) == 1


def test_a_diamond_is_symmetric() -> None:
    at = layout(*program("a = sin x", "b = cos x", "y = mul a b")).positions
    assert at["x"][1] == at["mul>y"][1] == at["y"][1]
    assert at["x"][1] - at["a"][1] == pytest.approx(at["b"][1] - at["x"][1])


def test_a_fan_is_spread_in_order_around_its_source() -> None:
    names = [f"y{k:02}" for k in range(40)]
    sizes: Sizes = {"x": DATA} | dict.fromkeys(names, DATA)
    edges = [("x", name) for name in names]
    placed = layout(sizes, edges)
    check_well_formed(placed, sizes, edges)
    heights = [placed.positions[name][1] for name in names]
    assert heights == sorted(heights)
    assert placed.positions["x"][1] == pytest.approx((heights[0] + heights[-1]) / 2)
    assert all(b - a == pytest.approx(DATA[1] + 24) for a, b in pairwise(heights))


def test_a_long_edge_goes_around_the_boxes_between() -> None:
    sizes, edges = program("a = exp x", "b = exp a", "c = exp b", "y = add c x")
    placed = layout(sizes, edges)
    check_well_formed(placed, sizes, edges)
    assert len(placed.routes[edges.index(("x", "add>y"))]) > 2


def test_two_edges_between_the_same_nodes_are_told_apart() -> None:
    sizes, edges = program("y = mul x x")
    placed = layout(sizes, edges)
    check_well_formed(placed, sizes, edges)
    assert edges[0] == edges[1]
    assert placed.routes[0] != placed.routes[1]


def test_parts_that_are_not_connected_are_stacked_in_order() -> None:
    sizes, edges = program("b = exp a", "d = exp c")
    sizes["alone"] = DATA
    placed = layout(sizes, edges)
    check_well_formed(placed, sizes, edges)
    at = placed.positions
    assert at["a"][0] == at["c"][0]
    assert at["c"][1] - at["a"][1] == at["alone"][1] - at["c"][1] == DATA[1] + 24
    assert placed.height == 3 * DATA[1] + 2 * 24


def test_gaps_are_kept() -> None:
    sizes, edges = program("y = add a b")
    at = layout(sizes, edges, rank_gap=100, node_gap=7).positions
    assert at["b"][1] - at["a"][1] == DATA[1] + 7
    assert at["add>y"][0] - at["a"][0] == DATA[0] / 2 + 100 + OP[0] / 2


def test_a_cycle_is_named() -> None:
    sizes = dict.fromkeys(["in", "a", "b", "c", "out"], OP)
    edges = [("in", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "out")]
    with pytest.raises(ValueError, match="cycle: a -> b -> c -> a"):
        layout(sizes, edges)


def test_a_loop_is_named() -> None:
    with pytest.raises(ValueError, match="cycle: a -> a"):
        layout({"a": OP}, [("a", "a")])


def test_an_edge_to_an_unknown_node_is_named() -> None:
    with pytest.raises(ValueError, match="without a size: nowhere"):
        layout({"a": OP}, [("a", "nowhere")])


def test_a_chain_of_ten_thousand_nodes_is_one_straight_line() -> None:
    names = [str(number) for number in range(10_000)]
    placed = layout(dict.fromkeys(names, OP), list(pairwise(names)))
    assert {y for _, y in placed.positions.values()} == {OP[1] / 2}
    assert placed.positions["9999"][0] == 9_999 * (OP[0] + 60) + OP[0] / 2


def test_a_weight_used_at_every_step_takes_one_lane() -> None:
    steps = [f"h{k + 1} = matmul h{k} W" for k in range(100)]
    sizes, edges = program(*steps)
    placed = layout(sizes, edges)
    check_well_formed(placed, sizes, edges)
    assert placed.height < 3 * DATA[1]


# The numbers are the crossings in the pictures that Graphviz 2.43 dot draws of these graphs.
@pytest.mark.parametrize(("width", "dot"), [(3, 17), (4, 50), (5, 116)])
def test_scalar_networks_have_few_crossings(width: int, dot: int) -> None:
    sizes, edges = scalar_network(width, 2)
    placed = layout(sizes, edges)
    check_well_formed(placed, sizes, edges)
    assert count_crossings(placed.routes) <= 1.3 * dot
    assert count_crossings(straight_lines(placed, edges)) <= 1.3 * dot


def test_a_deep_network_has_no_crossings() -> None:
    sizes, edges = residual_network(6)
    placed = layout(sizes, edges)
    check_well_formed(placed, sizes, edges)
    assert count_crossings(placed.routes) == 0
    assert count_crossings(straight_lines(placed, edges)) == 0


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(10, 19)), unique=True))
def test_crossings_between_two_ranks_are_counted(links: list[tuple[int, int]]) -> None:
    succs: list[list[int]] = [[] for _ in range(20)]
    for source, target in links:
        succs[source].append(target)
    pairs = combinations(links, 2)
    expected = sum((a - c) * (b - d) < 0 for (a, b), (c, d) in pairs)
    assert order.count_crossings([list(range(10)), list(range(10, 20))], succs) == expected


def test_nodes_that_want_the_same_height_share_the_room_by_weight() -> None:
    assert coordinates.separate([0, 0], [1, 1], [0, 10]) == [-5, 5]
    assert coordinates.separate([0, 0, 50], [4, 1, 1], [0, 10, 10]) == [-2, 8, 50]
    assert coordinates.separate([5, 40], [1, 1], [0, 10]) == [5, 40]


@given(seed=st.integers(0, 2**32 - 1), size=st.integers(0, 30), density=st.floats(0, 0.4))
@settings(deadline=None)
def test_any_acyclic_graph_is_drawn_well(seed: int, size: int, density: float) -> None:
    rng = random.Random(seed)
    names = [f"n{number}" for number in range(size)]
    sizes: Sizes = {name: (rng.uniform(5, 120), rng.uniform(5, 120)) for name in names}
    edges = [pair for pair in combinations(names, 2) if rng.random() < density]
    edges += [edge for edge in edges if rng.random() < 0.1]
    rng.shuffle(names)
    rng.shuffle(edges)
    check_well_formed(layout({name: sizes[name] for name in names}, edges), sizes, edges)
