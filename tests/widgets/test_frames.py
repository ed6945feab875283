"""The timeline: which step says what, with the numbers that the engine used."""

from __future__ import annotations

import example_traces
import pytest
from tinyengine_widgets.picture import text
from tinyengine_widgets.scene import scene

import tinyengine as te
import tinyengine.functional as F
from tinyengine import Trace
from tinyengine.autodiff import Function, GradManager


def told(trace, lang="en"):
    return text(scene(trace, lang)).splitlines()


def test_the_line_is_told_with_the_chain_rule():
    assert told(example_traces.scalar_line()) == [
        "y = w · x + b",
        "0. w, x and b are given.",
        "1. × takes w and x and makes p = 6.  p = w · x = 2 · 3 = 6",
        "2. + takes p and b and makes y = 5.  y = p + b = 6 + (−1) = 5",
        "3. Backward begins at y: ∂y/∂y = 1.  ∂y/∂y = 1",
        "4. The gradient goes back through + to p: ∂y/∂p = 1.  ∂y/∂p = 1",
        "5. The gradient goes back through + to b: ∂y/∂b = 1.  ∂y/∂b = 1",
        "6. The gradient goes back through × to w: ∂y/∂w = 3."
        "  ∂y/∂w = ∂y/∂p · ∂p/∂w = 1 · x = 1 · 3 = 3",
        "7. w.grad = 3 and b.grad = 1.",
    ]


def test_the_article_is_told_in_matrix_form():
    lines = told(example_traces.article())
    assert lines[2] == (
        "1. @ takes x and w and makes p = [[44]].  p = x @ w = [[1 3 5]] @ [[2] [4] [6]] = [[44]]"
    )
    assert lines[6] == "5. The gradient goes back through + to b: ∂y/∂b = 1.  ∂y/∂b = Σ [[1]] = 1"
    assert lines[7].endswith("∂y/∂w = xᵀ @ ∂y/∂p = [[1 3 5]]ᵀ @ [[1]] = [[1] [3] [5]]")


def test_at_a_fan_out_the_parts_arrive_one_by_one_and_add_up():
    frames = scene(example_traces.diamond(), "en")["frames"]
    assert [frame["sentence"] for frame in frames[4:]] == [
        "A first part of the gradient reaches b through +: 1.",
        "Another part of the gradient reaches b through +: 1.",
        "b is used more than once, so the parts add up: ∂c/∂b = 2.",
        "A first part of the gradient reaches a through ×: 6.",
        "Another part of the gradient reaches a through ×: 6.",
        "a is used more than once, so the parts add up: ∂c/∂a = 12.",
        "a.grad = 12.",
    ]
    assert frames[4]["rule_text"] == "∂c/∂c · 1 = 1"
    assert frames[6]["rule_text"] == "∂c/∂b = 1 + 1 = 2"
    assert frames[7]["rule_text"] == "∂c/∂b · a = 2 · a = 2 · 3 = 6"
    assert [list(frame["grad"].values()) for frame in frames[4:10]] == [
        ["1"],
        [],
        ["∂c/∂b = 2"],
        ["6"],
        [],
        ["∂c/∂a = 12"],
    ]


def test_a_detached_tensor_gets_no_gradient_in_words_and_never_zero():
    frames = scene(example_traces.article(detach=True), "en")["frames"]
    assert frames[-1]["sentence"] == (
        "w.grad = [[1] [3] [5]]. No gradient reaches b: it was detached, so b.grad stays None."
    )
    assert frames[-1]["grad"] == {"d1": "no gradient"}
    assert not any("0" in grad for frame in frames for grad in frame["grad"].values())


def test_a_tensor_that_is_not_used_gets_no_gradient():
    w, other = te.tensor(2.0), te.tensor(5.0)
    with Trace() as trace, GradManager().attach([w, other]) as gm:
        y = w * 3
        gm.backward(y)
    last = told(trace)[-1]
    assert last == "4. w.grad = 3. No gradient reaches other, so other.grad stays None."


def test_a_gradient_that_was_there_before_is_added_to():
    w, other = te.tensor(2.0), te.tensor(5.0)
    other.grad = te.tensor(7.0)
    gm = GradManager().attach([w, other])
    for _ in range(2):
        with Trace() as trace, gm:
            y = w * 3
            gm.backward(y)
    last = told(trace)[-1]
    assert last == (
        "4. w.grad = 6 (3 was added). No gradient reaches other, so other.grad stays 7."
    )


def test_each_step_shows_its_flow():
    drawn = scene(example_traces.article(), "en")
    flows = [(frame["phase"], frame["flow"]) for frame in drawn["frames"]]
    assert flows == [
        ("start", []),
        ("forward", ["e2-0", "e2-1", "e2-out"]),
        ("forward", ["e3-0", "e3-1", "e3-out"]),
        ("backward", []),
        ("backward", ["e3-out", "e3-0"]),
        ("backward", ["e3-out", "e3-1"]),
        ("backward", ["e2-out", "e2-1"]),
        ("end", []),
    ]


def test_values_appear_when_they_are_computed_and_gradients_when_they_arrive():
    frames = scene(example_traces.article(), "en")["frames"]
    assert frames[0]["value"] == {"d2": "[[1 3 5]]", "d0": "[[2] [4] [6]]", "d1": "−1"}
    assert [frame["value"] for frame in frames[1:]] == [
        {"d3": "[[44]]"},
        {"d4": "[[43]]"},
        *[{}] * 5,
    ]
    grads = [list(frame["grad"].items()) for frame in frames]
    assert grads[:3] == [[], [], []]
    assert grads[3:7] == [
        [("d4", "∂y/∂y = [[1]]")],
        [("d3", "∂y/∂p = [[1]]")],
        [("d1", "∂y/∂b = 1")],
        [("d0", "∂y/∂w = [[1] [3] [5]]")],
    ]


def test_the_local_derivative_stands_on_its_edge():
    frames = scene(example_traces.scalar_line(), "en")["frames"]
    assert [frame["edge"] for frame in frames[4:7]] == [
        {"e3-0": "∂y/∂p = 1"},
        {"e3-1": "∂y/∂b = 1"},
        {"e2-0": "∂p/∂w = x"},
    ]


def test_a_refused_operation_is_the_last_frame_with_its_message():
    frames = scene(example_traces.failed(), "en")["frames"]
    assert frames[-1]["sentence"].startswith("+ refuses c and b: add(): x of shape (2,), y of")
    assert frames[-1]["lit"] == ["o1"]


def test_a_given_dy_is_shown_as_such():
    x, dy = te.tensor([1.0, 2.0]), te.tensor([10.0, 20.0])
    with Trace() as trace, GradManager().attach(x) as gm:
        y = x * 3
        gm.backward(y, dy)
    lines = told(trace)
    assert lines[3] == "2. Backward begins at y with dy = [10 20]."
    assert lines[4].endswith("∂y/∂x = [10 20] · 3 = [30 60]")


def test_several_outputs_are_differentiated_together():
    x = te.tensor([1.0, 2.0])
    with Trace() as trace, GradManager().attach(x) as gm:
        h = x * 2
        y1 = (h + 1).sum()
        y2 = (h * h).sum()
        gm.backward([y1, y2])
    drawn = scene(trace, "en")
    final = {}
    for frame in drawn["frames"]:
        final |= frame["grad"]
    named = {node["label"]: final.get(node["id"]) for node in drawn["nodes"]}
    assert named["h"] == "∂(y1 + y2)/∂h = [5 9]"
    assert named["x"] == "∂(y1 + y2)/∂x = [10 18]"


def test_long_arrays_are_told_by_shape_without_numbers():
    a = te.tensor([float(i) for i in range(100)])
    with Trace() as trace:
        b = a * a
    assert b.shape == (100,)
    assert told(trace)[2] == "1. × takes a and makes b: (100,).  b = a · a"


def test_gradients_name_an_output_that_is_too_far_away_to_be_drawn():
    y = x = te.tensor(1.0)
    with Trace() as trace, GradManager().attach(x) as gm:
        for _ in range(400):
            y = y + 1.0
        gm.backward(y)
    last = trace.nodes[-1]["name"]
    drawn = scene(trace, "en")
    assert last not in {node["label"] for node in drawn["nodes"]}
    texts = [text for frame in drawn["frames"] for text in frame["grad"].values()]
    assert texts
    assert all(text.startswith(f"∂{last}/∂") for text in texts)


@pytest.mark.parametrize("make", example_traces.ALL)
def test_the_rules_are_well_formed_mathml(make):
    from xml.etree import ElementTree

    for frame in scene(make(), "en")["frames"]:
        if frame["rule"]:
            root = ElementTree.fromstring(frame["rule"])
            assert root.tag == "math"
            tags = {element.tag for element in root.iter()}
            assert tags <= {
                "math",
                "mrow",
                "mfrac",
                "mi",
                "mn",
                "mo",
                "msup",
                "mtable",
                "mtr",
                "mtd",
                "mtext",
            }


def test_ops_of_many_operands_and_device_copies_are_told():
    a, b = te.tensor([1.0, 2.0], device="cpu0"), te.tensor([3.0], device="cpu0")
    with Trace() as trace, GradManager().attach([a, b]) as gm:
        c = F.concat([a, b])
        d = c.to("cpu1")
        y = F.max(d)
        gm.backward(y)
    lines = told(trace)
    assert lines[2] == "1. concat takes a and b and makes c = [1 2 3].  c = concat(a, b)" + (
        " = concat([1 2], [3]) = [1 2 3]"
    )
    assert lines[-2].endswith("to b: ∂y/∂b = [1].  ∂y/∂b = ∂y/∂c[2:3] = [0 0 1][2:3] = [1]")


class MeanAndProduct(Function):
    def forward(self, a, b):
        self.a, self.b = a, b
        return (a + b) / 2.0, a * b

    def backward(self, dmean, dproduct):
        return dmean / 2.0 + dproduct * self.b, dmean / 2.0 + dproduct * self.a


def test_a_function_of_ones_own_is_one_operation():
    a, b = te.tensor(2.0), te.tensor(4.0)
    gm = GradManager().attach([a, b])
    with Trace() as trace, gm:
        m, p = MeanAndProduct()(a, b)
        y = m * p
        gm.backward(y)
    assert told(trace) == [
        "y = m · p",
        "0. a and b are given.",
        "1. MeanAndProduct takes a and b and makes m = 3 and p = 8."
        "  m, p = MeanAndProduct(a, b) = MeanAndProduct(2, 4) = 3, 8",
        "2. × takes m and p and makes y = 24.  y = m · p = 3 · 8 = 24",
        "3. Backward begins at y: ∂y/∂y = 1.  ∂y/∂y = 1",
        "4. The gradient goes back through × to m: ∂y/∂m = 8.  ∂y/∂m = 1 · p = 1 · 8 = 8",
        "5. The gradient goes back through × to p: ∂y/∂p = 3.  ∂y/∂p = 1 · m = 1 · 3 = 3",
        "6. The gradient goes back through MeanAndProduct to a: ∂y/∂a = 16.  ∂y/∂a = 16",
        "7. The gradient goes back through MeanAndProduct to b: ∂y/∂b = 10.  ∂y/∂b = 10",
        "8. a.grad = 16 and b.grad = 10.",
    ]
    drawn = scene(trace, "en")
    assert [edge["id"] for edge in drawn["edges"]][:4] == ["e2-0", "e2-1", "e2-out", "e2-out1"]


def test_a_change_in_place_makes_a_new_value():
    x = te.tensor([1.0, 2.0])
    gm = GradManager().attach(x)
    with Trace() as trace, gm:
        x += 1.0
        y = x * x
        y[0] = 0.0
        gm.backward(y)
    lines = told(trace)
    assert lines[0] == "y₁ = setitem((x + 1) · (x + 1), 0, [0])"
    assert lines[2].startswith("1. + takes x and 1 and makes x₁ = [2 3].  x₁ = x + 1 =")
    assert lines[4].startswith("3. [ ]= takes y and 0 and makes y₁ = [0 9].")
    assert lines[-1] == "10. x.grad = [0 6]."
