"""The GraphPlayer bundle alone in a browser: what it draws, and how it is driven."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from .conftest import Host

Scene = dict[str, Any]
LAST = 7


# What is drawn


def test_every_node_and_edge_is_drawn(host: Host, linear: Scene) -> None:
    host.mount(linear)
    assert host.root.locator(".te-node").count() == len(linear["nodes"]) == 7
    assert host.root.locator(".te-node.te-op").count() == 2
    assert host.root.locator(".te-node.te-parameter").count() == 2
    assert host.root.locator(".te-edge").count() == len(linear["edges"]) == 6
    assert host.root.locator(".te-title").inner_text() == "y = x @ w + b"
    expect(host.root.locator(".te-picture")).to_have_attribute("aria-label", linear["alt"])


def test_texts_at_each_step(host: Host, linear: Scene) -> None:
    """What the page shows is the frames so far, at every step and in either direction."""
    host.mount(linear)
    for step in [*range(LAST + 1), *reversed(range(LAST))]:
        host.put(step=step)
        host.at(step)
        frame = linear["frames"][step]
        expect(host.root.locator(".te-sentence")).to_have_text(frame["sentence"])
        expect(host.root.locator(".te-key").first).to_have_text(f"step {step} of {LAST}")
        assert host.root.locator(".te-rule math").count() == bool(frame["rule"])
        for part, of in (("value", "node"), ("grad", "node")):
            wanted: dict[str, str] = {}
            for earlier in linear["frames"][: step + 1]:
                wanted |= earlier[part]
            for node in linear["nodes"]:
                shown = host.root.locator(f".te-{of}[data-id={node['id']}] .te-{part}")
                assert shown.text_content() == wanted.get(node["id"], ""), (step, node["id"], part)
        assert host.root.locator(".te-node.te-lit").count() == len(frame["lit"])


def test_gradients_appear_only_from_their_frame(host: Host, linear: Scene) -> None:
    host.mount(linear, step=5)
    grad = host.node("d1").locator(".te-grad")
    assert grad.text_content() == ""
    host.put(step=6)
    expect(grad).to_have_text("∂y/∂w = [1 3 5]ᵀ")
    host.put(step=5)
    expect(grad).to_have_text("")


def test_forward_stays_solid_and_backward_is_dashed_beside_it(host: Host, linear: Scene) -> None:
    host.mount(linear, step=LAST)
    edge = host.root.locator(".te-edge[data-id=e1]")
    back, done = edge.locator(".te-line-back"), edge.locator(".te-line-done")
    assert done.evaluate("e => getComputedStyle(e).visibility") == "visible"
    assert back.evaluate("e => getComputedStyle(e).visibility") == "visible"
    assert done.evaluate("e => getComputedStyle(e).strokeDasharray") == "none"
    assert back.evaluate("e => getComputedStyle(e).strokeDasharray") != "none"
    hue = "e => getComputedStyle(e).stroke"
    assert back.evaluate(hue) != done.evaluate(hue)
    no_gradient = host.root.locator(".te-edge[data-id=e0] .te-line-back")
    assert no_gradient.evaluate("e => getComputedStyle(e).visibility") == "hidden"


def test_hostile_names_are_shown_as_they_are(host: Host, hostile: Scene) -> None:
    host.mount(hostile)
    host.button("Steps as text").click()
    for step, frame in enumerate(hostile["frames"]):
        host.put(step=step)
        host.at(step)
        assert host.root.locator(".te-sentence").text_content() == frame["sentence"]
    for node in hostile["nodes"]:
        drawn = host.node(node["id"])
        assert drawn.locator(".te-label").text_content() == node["label"]
        assert drawn.locator("title").text_content() == node["title"]
        assert drawn.locator(".te-value").text_content() == node["label"]
    rows = host.root.locator(".te-row-sentence").all_text_contents()
    assert rows == [frame["sentence"] for frame in hostile["frames"]]
    assert host.page.locator("img, script, iframe, a, annotation-xml").count() == 0


def test_rules_keep_only_mathematics(host: Host, hostile: Scene) -> None:
    host.mount(hostile, step=2)
    rule = host.root.locator(".te-rule")
    assert rule.evaluate("r => r.innerHTML") == (
        '<math><mtext>a</mtext>alert(6)<mi mathvariant="normal">k</mi></math>'
    )
    host.put(step=3)
    host.at(3)
    assert rule.text_content() == hostile["frames"][3]["rule_text"], "no <math>: the plain text"


def test_a_missing_gradient_is_muted_not_coloured(host: Host, hostile: Scene) -> None:
    host.mount(hostile, step=2)
    colour = "e => getComputedStyle(e).fill"
    none, some = host.node("d1").locator(".te-grad"), host.node("d4").locator(".te-grad")
    assert none.text_content() == "none"
    assert none.evaluate(colour) != some.evaluate(colour)


@pytest.mark.parametrize("scene", [{}, {"frames": []}, {"title": "only a title"}])
def test_an_empty_scene_does_nothing_wrong(host: Host, scene: Scene) -> None:
    host.mount(scene, step=3)
    host.root.focus()
    for key in ("ArrowRight", "End", "Space"):
        host.page.keyboard.press(key)
    assert host.get("playing") is False
    assert host.root.locator(".te-node").count() == 0


def test_a_new_scene_is_drawn_and_the_step_kept_within_it(
    host: Host, linear: Scene, hostile: Scene
) -> None:
    host.mount(linear, step=LAST)
    host.button("Steps as text").click()
    host.root.focus()
    host.put(scene=hostile)
    host.at(3)
    assert host.page.locator(".te-player").count() == 1
    assert host.root.locator(".te-node").count() == len(hostile["nodes"])
    assert host.root.locator(".te-row").count() == len(hostile["frames"])
    expect(host.root).to_be_focused()
    host.page.keyboard.press("ArrowLeft")
    host.at(2)


# How it is driven


def test_buttons(host: Host, linear: Scene) -> None:
    host.mount(linear)
    for name, step in [
        ("Step", 1), ("Step", 2), ("Step back", 1), ("To end", LAST), ("Step", LAST),
        ("To start", 0), ("Step back", 0),
    ]:  # fmt: skip
        host.button(name).click(force=True)  # also where it is marked disabled
        host.at(step)
    assert host.writes("step") == [1, 2, 1, LAST, 0], "nothing where there is no way on"
    expect(host.button("To start")).to_have_attribute("aria-disabled", "true")
    expect(host.button("To end")).to_have_attribute("aria-disabled", "false")


@pytest.mark.parametrize("after_a_click", [False, True])
def test_keyboard(host: Host, linear: Scene, after_a_click: bool) -> None:
    """After a click on a button too, the keys are the player's."""
    host.mount(linear)
    if after_a_click:
        host.button("Step").click()
        host.button("Step back").click()
    else:
        host.root.focus()
    for key, step in [
        ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", LAST),
        ("ArrowRight", LAST), ("Home", 0), ("ArrowLeft", 0),
    ]:  # fmt: skip
        host.page.keyboard.press(key)
        host.at(step)


def test_toolbar_is_one_tab_stop(host: Host, linear: Scene) -> None:
    host.mount(linear)
    host.root.focus()
    stops = []
    for _ in range(5):
        host.page.keyboard.press("Tab")
        stops.append(host.page.evaluate("document.activeElement.getAttribute('class')"))
        assert host.page.evaluate("""() => {
            const now = document.activeElement, ring = now.querySelector(".te-ring");
            const { outlineStyle, outlineWidth } = getComputedStyle(now);
            return ring ? getComputedStyle(ring).stroke !== "none"
                        : outlineStyle === "solid" && outlineWidth === "2px"; }"""), stops[-1]
    assert [stop.split()[0] for stop in stops] == [
        "te-node", "te-button", "te-range", "te-chip", "te-chip",
    ]  # fmt: skip
    host.button("Play").focus()
    host.page.keyboard.press("ArrowRight")
    expect(host.button("Step")).to_be_focused()
    host.page.keyboard.press("Enter")
    host.at(1)
    host.page.keyboard.press("Space")
    host.at(2)
    host.page.keyboard.press("ArrowLeft")
    host.page.keyboard.press("ArrowLeft")
    expect(host.button("Step back")).to_be_focused()
    assert host.get("step") == 2, "in the toolbar the arrows move the focus"


def test_handled_keys_stay_inside_and_others_pass(host: Host, linear: Scene) -> None:
    host.mount(linear)
    host.page.evaluate("""() => { te.heard = [];
        document.addEventListener("keydown", (e) => te.heard.push(e.key)); }""")
    host.root.focus()
    for key in ("ArrowRight", "Home", "Space", "Space", "b", "Escape", "Control+ArrowRight"):
        host.page.keyboard.press(key)
    assert host.page.evaluate("te.heard") == ["b", "Escape", "Control", "ArrowRight"]


def test_notebook_shortcuts_are_off_inside_except_with_control(host: Host, linear: Scene) -> None:
    """JupyterLab looks for the attribute from the focused element upwards, itself included."""
    host.mount(linear)
    host.button("Steps as text").click()
    attributes = """() => [document.activeElement, document.querySelector(".te-player")]
        .map((e) => e.hasAttribute("data-lm-suppress-shortcuts"))"""
    for name in ("te-player", "te-node", "te-main", "te-range", "te-speed", "te-chip", "te-row"):
        host.page.locator(f".{name}").first.focus()
        assert host.page.evaluate(attributes) == [True, True], name
        host.page.keyboard.down("Control")
        assert host.page.evaluate(attributes) == [False, False], "Ctrl+S must save the notebook"
        host.page.keyboard.up("Control")
        assert host.page.evaluate(attributes) == [True, True], name


def test_track(host: Host, linear: Scene) -> None:
    host.mount(linear)
    track = host.root.get_by_role("slider")
    box = track.bounding_box()
    assert box
    x = [box["x"] + 8 + (box["width"] - 16) * k / LAST for k in range(LAST + 1)]
    y = box["y"] + box["height"] / 2
    host.page.mouse.move(x[0], y)
    host.page.mouse.down()
    for step in (3, 6, 4):
        host.page.mouse.move(x[step], y, steps=4)
        host.at(step)
    host.page.mouse.up()
    expect(track).to_have_attribute("aria-valuetext", "4 / 7, backward")
    expect(track).to_have_attribute("aria-label", "Step 4 of 7")
    for key, step in [("ArrowRight", 5), ("ArrowLeft", 4), ("Home", 0), ("End", LAST)]:
        host.page.keyboard.press(key)
        host.at(step)


def test_fast_changes_are_joined_and_the_last_one_wins(host: Host, linear: Scene) -> None:
    host.mount(linear)
    host.page.evaluate("""() => {
        te.seen = [];
        const see = (all) => all.forEach(({ target }) => te.seen.push(target.dataset.step));
        new MutationObserver(see).observe(
            document.querySelector(".te-player"), { attributeFilter: ["data-step"] });
        const range = document.querySelector(".te-range");
        for (const k of [1, 6, 2, 5, 3]) {
            range.value = k;
            range.dispatchEvent(new Event("input"));
        }
    }""")
    host.at(3)
    assert host.writes("step") == [3]
    assert host.page.evaluate("te.saves") == 1
    host.page.evaluate("for (let k = 0; k < 200; k += 1) te.put('step', k % 8)")
    host.at(199 % 8)
    assert host.page.evaluate("te.seen") == ["3", str(199 % 8)]


def test_a_key_pressed_twice_within_one_frame_moves_twice(host: Host, linear: Scene) -> None:
    host.mount(linear)
    host.root.evaluate("""root => {
        for (let i = 0; i < 3; i += 1) {
            root.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
        }
    }""")
    host.at(3)


def test_steps_as_text(host: Host, linear: Scene) -> None:
    host.mount(linear, step=2)
    chip = host.button("Steps as text")
    expect(chip).to_have_attribute("aria-expanded", "false")
    chip.click()
    expect(chip).to_have_attribute("aria-expanded", "true")
    rows = host.root.locator(".te-row")
    assert rows.count() == len(linear["frames"])
    assert rows.locator(".te-row-rule").all_text_contents() == [
        frame["rule_text"] for frame in linear["frames"] if frame["rule_text"]
    ]
    current = host.root.locator(".te-row[aria-current=step]")
    expect(current.locator(".te-number")).to_have_text("2")
    rows.nth(6).click()
    host.at(6)
    expect(current).to_have_count(1)
    expect(current.locator(".te-number")).to_have_text("6")
    current.focus()
    host.page.keyboard.press("ArrowUp")
    host.page.keyboard.press("Enter")
    host.at(5)
    chip.click()
    expect(rows.first).to_be_hidden()


def test_a_click_on_a_node_selects_it_and_goes_where_it_lights(host: Host, linear: Scene) -> None:
    host.mount(linear)
    host.node("d4").click()
    host.at(2)
    assert host.get("selected") == "d4"
    expect(host.node("d4")).to_have_attribute("aria-pressed", "true")
    host.node("d4").click()
    expect(host.node("d4")).to_have_attribute("aria-pressed", "false")
    assert (host.get("selected"), host.get("step")) == ("", 2)
    host.put(selected="o0")
    expect(host.node("o0")).to_have_attribute("aria-pressed", "true")


def test_nodes_by_keyboard(host: Host, linear: Scene) -> None:
    host.mount(linear)
    host.node("d0").focus()
    for _ in range(3):
        host.page.keyboard.press("ArrowDown")
    expect(host.node("d2")).to_be_focused()
    host.page.keyboard.press("Enter")
    host.at(1)
    assert host.get("selected") == "d2"
    name = host.node("d2").get_attribute("aria-label")
    assert name == "p 44; p: Tensor, shape (1, 1), float32, cpux:0"


def test_speed(host: Host, linear: Scene) -> None:
    host.mount(linear)
    speed = host.root.get_by_role("combobox", name="Speed")
    speed.select_option("2×")
    assert host.get("speed") == 2
    host.put(speed=0.25)
    expect(speed).to_have_value("0.25")
