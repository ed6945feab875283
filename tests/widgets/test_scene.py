"""The scene: what is drawn, where, and that nothing lies on anything else."""

from __future__ import annotations

import json
import math
import re
from itertools import combinations

import example_traces
import pytest
from tinyengine_widgets.graph import MOST_NODES
from tinyengine_widgets.scene import scene

import tinyengine as te
from tinyengine import Trace
from tinyengine.autodiff import GradManager


@pytest.fixture(params=example_traces.ALL, ids=lambda make: make.__name__)
def drawn(request):
    return scene(request.param(), "en")


def test_the_article_is_drawn_as_documented():
    drawn = scene(example_traces.article(), "en")
    kinds = {node["label"]: node["kind"] for node in drawn["nodes"]}
    assert kinds == {**dict.fromkeys("xwpby", "data"), "@": "op", "+": "op"}
    roles = {node["label"]: node["role"] for node in drawn["nodes"] if node["kind"] == "data"}
    assert roles == {
        "x": "input",
        "w": "parameter",
        "b": "parameter",
        "p": "value",
        "y": "output",
    }
    label = {node["id"]: node["label"] for node in drawn["nodes"]}
    arrows = [(label[edge["from"]], label[edge["to"]]) for edge in drawn["edges"]]
    assert arrows == [("x", "@"), ("w", "@"), ("@", "p"), ("p", "+"), ("b", "+"), ("+", "y")]
    assert drawn["title"] == "y = x @ w + b"


def test_the_article_reads_from_left_to_right_with_operands_in_order():
    at = {node["label"]: node for node in scene(example_traces.article(), "en")["nodes"]}
    assert at["x"]["x"] < at["@"]["x"] < at["p"]["x"] < at["+"]["x"] < at["y"]["x"]
    assert at["x"]["y"] < at["w"]["y"]
    assert at["p"]["y"] < at["b"]["y"]
    assert at["b"]["x"] == pytest.approx(at["p"]["x"], abs=30)  # beside its first use


def test_it_is_plain_json_and_the_same_every_time(drawn, request):
    make = request.node.callspec.params["drawn"]
    text = json.dumps(drawn, allow_nan=False)
    assert json.loads(text) == drawn
    assert json.dumps(scene(make(), "en"), allow_nan=False) == text


def test_nothing_overlaps_and_nothing_is_cut_off(drawn):
    boxes = [box for node in drawn["nodes"] for box in boxes_of(node, drawn)]
    for (name, a), (other, b) in combinations(boxes, 2):
        if name.split()[0] != other.split()[0]:
            assert not overlap(a, b), (name, other)
    for name, (left, top, right, bottom) in boxes:
        assert left >= 0, name
        assert top >= 0, name
        assert right <= drawn["width"], name
        assert bottom <= drawn["height"], name


def boxes_of(node, drawn):
    """The circle of a node and the widest texts above and below it, as left, top, right, bottom."""
    x, y, r = node["x"], node["y"], node["r"]
    boxes = [(f"{node['id']} circle", (x - r, y - r, x + r, y + r))]
    for place, top in (("value", y - r - 20), ("grad", y + r + (20 if node["note"] else 4))):
        texts = [frame[place].get(node["id"], "") for frame in drawn["frames"]]
        half = max(map(len, texts)) * 6.2 / 2
        boxes.append((f"{node['id']} {place}", (x - half, top, x + half, top + 14)))
    return boxes


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def test_labels_of_arrows_do_not_lie_on_circles(drawn):
    texts = {}
    for frame in drawn["frames"]:
        texts |= frame["edge"]
    for edge in drawn["edges"]:
        width = len(texts.get(edge["id"], "")) * 5.6
        label = edge["label"]
        left = label["x"] - {"start": 0, "middle": width / 2, "end": width}[label["anchor"]]
        box = (left, label["y"] - 10, left + width, label["y"] + 2)
        for node in drawn["nodes"]:
            x, y, r = node["x"], node["y"], node["r"] * 0.85
            assert not (width and overlap(box, (x - r, y - r, x + r, y + r))), (edge, node)


def test_arrows_go_from_rim_to_rim_and_back(drawn):
    at = {node["id"]: node for node in drawn["nodes"]}
    for edge in drawn["edges"]:
        source, target = at[edge["from"]], at[edge["to"]]
        there, back = ends(edge["path"]), ends(edge["back"])
        for (start, end), first, last in ((there, source, target), (back, target, source)):
            assert distance(start, first) == pytest.approx(first["r"], abs=0.2)
            assert distance(end, last) == pytest.approx(last["r"] + 2, abs=0.2)
        assert distance(there[0], {"x": back[1][0], "y": back[1][1]}) > 5


def ends(path):
    numbers = [float(n) for n in re.findall(r"-?\d+\.?\d*", path)]
    return (numbers[0], numbers[1]), (numbers[-2], numbers[-1])


def distance(point, node):
    return math.hypot(point[0] - node["x"], point[1] - node["y"])


def test_two_arrows_between_the_same_circles_are_told_apart():
    drawn = scene(example_traces.diamond(), "en")
    paths = [edge[way] for edge in drawn["edges"] for way in ("path", "back")]
    assert len(set(paths)) == len(paths) == 12


def test_every_id_in_the_frames_is_drawn(drawn):
    nodes = {node["id"] for node in drawn["nodes"]}
    edges = {edge["id"] for edge in drawn["edges"]}
    for frame in drawn["frames"]:
        assert set(frame["lit"]) | frame["value"].keys() | frame["grad"].keys() <= nodes
        assert set(frame["flow"]) | frame["edge"].keys() <= edges


def test_names_that_do_not_fit_are_shortened_and_kept_whole_in_the_tooltip():
    drawn = scene(example_traces.hostile(), "en")
    long = next(node for node in drawn["nodes"] if node["title"].startswith("aaa"))
    assert long["label"] == "aaaaaa…"
    assert long["title"].startswith("a" * 200 + ":")


def test_nan_and_infinity_travel_as_text():
    x = te.tensor([float("nan"), float("inf"), -float("inf")])
    with Trace() as trace:
        y = x * 1.0
    assert y.shape == (3,)
    drawn = scene(trace, "en")
    json.dumps(drawn, allow_nan=False)
    assert drawn["frames"][0]["value"] == {"d0": "[nan inf −inf]"}


def test_a_long_program_is_drawn_in_part_and_says_so():
    y = te.tensor([1.0])
    with Trace() as trace, GradManager().attach(y) as gm:
        for _ in range(2000):
            y = y * 1.0 + 0.001
        gm.backward(y)
    drawn = scene(trace, "en")
    assert len(drawn["nodes"]) <= MOST_NODES
    assert drawn["title"].endswith("(the first 99 of 4000 operations)")
    assert len(json.dumps(drawn)) < 2_000_000


def test_an_empty_trace_says_what_to_do():
    drawn = scene(Trace(), "en")
    assert drawn["nodes"] == drawn["edges"] == []
    sentence = "Nothing was recorded: compute something inside the with block."
    assert [frame["sentence"] for frame in drawn["frames"]] == [sentence]
