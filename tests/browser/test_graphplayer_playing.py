"""The GraphPlayer bundle alone in a browser: playing and motion, with time under control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Host

Scene = dict[str, Any]
LAST = 7


def test_play_to_the_end_and_again(
    host: Host, moving: Callable[[int], None], linear: Scene
) -> None:
    host.mount(linear)
    host.button("Play").click()
    expect(host.button("Pause")).to_be_visible()
    moving(500)
    assert host.get("step") == 1
    moving(1100)
    assert host.get("step") == 2
    moving(1100 * (LAST - 2))
    assert (host.get("step"), host.get("playing")) == (LAST, False)
    host.at(LAST)
    host.button("Play").click()
    assert (host.get("step"), host.get("playing")) == (0, True)
    moving(500 + 1100 * LAST)
    assert (host.get("step"), host.get("playing")) == (LAST, False)
    assert host.writes("step") == [*range(1, LAST + 1), *range(LAST + 1)]


def test_space_plays_and_pause_stops_at_once(
    host: Host, moving: Callable[[int], None], linear: Scene
) -> None:
    host.mount(linear)
    host.root.focus()
    host.page.keyboard.press("Space")
    moving(500 + 1100 * 3 + 100)
    host.at(4)
    assert host.root.locator(".te-pulse").count() == 1
    host.page.keyboard.press("Space")
    assert host.root.locator(".te-pulse").count() == 0, "no motion goes on"
    expect(host.node("d2").locator(".te-grad")).to_have_text("∂y/∂p = 1")
    moving(5000)
    assert (host.get("step"), host.get("playing")) == (4, False)


@pytest.mark.parametrize("speed", [0.5, 4])
def test_speed_sets_the_beat(
    host: Host, moving: Callable[[int], None], linear: Scene, speed: float
) -> None:
    host.mount(linear, speed=speed)
    host.button("Play").click()
    moving(int(1.45 * 1100 / speed))
    assert host.get("step") == 2


def test_any_step_by_hand_pauses(host: Host, moving: Callable[[int], None], linear: Scene) -> None:
    host.mount(linear)
    host.button("Play").click()
    moving(500)
    host.button("Step").click()
    moving(5000)
    assert (host.get("step"), host.get("playing")) == (2, False)


def test_python_may_play_and_pause(
    host: Host, moving: Callable[[int], None], linear: Scene
) -> None:
    host.mount(linear, step=LAST)
    host.put(playing=True)
    assert host.get("step") == 0
    moving(1600)
    assert host.get("step") == 2
    host.put(playing=False)
    moving(3000)
    assert host.get("step") == 2


def test_a_saved_playing_widget_plays_when_shown(
    host: Host, moving: Callable[[int], None], linear: Scene
) -> None:
    host.mount(linear, step=2, playing=True)
    moving(500)
    assert host.get("step") == 3


def test_views_stay_in_step_and_outlive_each_other(
    host: Host, moving: Callable[[int], None], linear: Scene
) -> None:
    host.mount(linear, views=3)
    views = host.page.locator(".te-player")
    views.nth(1).get_by_role("button", name="Play", exact=True).click()
    moving(500 + 1100)
    for view in range(3):
        host.at(2, view)
        expect(views.nth(view).get_by_role("button", name="Pause")).to_be_visible()
    assert host.writes("step") == [1, 2], "the model moves once per beat"
    host.page.evaluate("te.cleanups.splice(1, 1)[0]()")
    assert views.count() == 2
    moving(1100)
    host.at(3, 0)
    host.at(3, 1)
    host.page.evaluate("te.cleanups.splice(0, 1)[0]()")
    moving(1100 * LAST)
    assert host.writes("step") == [*range(1, LAST + 1)]
    assert host.get("playing") is False


def test_a_pulse_travels_then_the_text_arrives(
    host: Host, moving: Callable[[int], None], linear: Scene
) -> None:
    host.mount(linear, step=5)
    host.button("Step").click()
    moving(32)
    host.at(6)
    pulses = host.root.locator(".te-pulse")
    grad = host.node("d1").locator(".te-grad")
    arrived = host.root.locator(".te-edge.te-back:not(.te-moving)")
    before = arrived.count()
    places = []
    for _ in range(5):
        moving(120)
        assert pulses.count() == 1, "one edge after the other"
        places.append(float(pulses.get_attribute("cx") or "nan"))
        assert grad.text_content() == ""
    assert places == sorted(places, reverse=True), "backward runs from right to left"
    assert places[0] > 290 > 250 > places[-1], "from p through @ to w"
    assert arrived.count() == before + 1
    moving(100)
    assert pulses.count() == 0
    assert grad.text_content() == "∂y/∂w = [1 3 5]ᵀ"
    assert 0 < float(grad.evaluate("e => getComputedStyle(e).opacity")) < 1
    moving(400)
    assert grad.evaluate("e => getComputedStyle(e).opacity") == "1"


def test_back_and_jumps_do_not_move(
    host: Host, moving: Callable[[int], None], linear: Scene
) -> None:
    host.mount(linear, step=6)
    for name, step in [("Step back", 5), ("To start", 0), ("To end", LAST)]:
        host.button(name).click()
        moving(32)
        host.at(step)
        assert host.root.locator(".te-pulse").count() == 0
    assert host.node("d1").locator(".te-grad").text_content() == "∂y/∂w = [1 3 5]ᵀ"


def test_reduced_motion_means_stepping(host: Host, linear: Scene) -> None:
    host.mount(linear)
    host.root.locator(".te-pulses").evaluate("""pulses => {
        te.moved = 0;
        new MutationObserver(() => (te.moved += 1)).observe(pulses, { childList: true });
    }""")
    for step in range(1, LAST + 1):
        host.button("Step").click()
        host.at(step)
        for node, text in linear["frames"][step]["grad"].items():
            assert host.node(node).locator(".te-grad").text_content() == text
    assert host.page.evaluate("te.moved") == 0


def test_cleanup_leaves_nothing_behind(host: Host, linear: Scene) -> None:
    host.page.emulate_media(reduced_motion="no-preference")
    host.page.evaluate("""() => {
        window.open_ = new Map();
        const track = (start, stop) => {
            const [begin, end] = [window[start], window[stop]];
            window[start] = (call, ...rest) => {
                const once = (...args) => { open_.delete(start + id); call(...args); };
                const id = begin(once, ...rest);
                open_.set(start + id, start);
                return id;
            };
            window[stop] = (id) => { open_.delete(start + id); end(id); };
        };
        track("setTimeout", "clearTimeout");
        track("setInterval", "clearInterval");
        track("requestAnimationFrame", "cancelAnimationFrame");
        window.outside = [];
        for (const target of [window, document, document.body]) {
            const add = target.addEventListener.bind(target);
            target.addEventListener = (type, ...rest) => {
                outside.push(type);
                add(type, ...rest);
            };
        }
        window.watched = 0;
        for (const name of ["ResizeObserver", "MutationObserver"]) {
            const Plain = window[name];
            window[name] = class extends Plain {
                observe(...args) { watched += 1; super.observe(...args); }
                disconnect() { watched = 0; super.disconnect(); }
            };
        }
    }""")
    host.mount(linear)
    host.button("Play").click()
    host.at(1)
    assert host.page.evaluate("open_.size") > 0, "the spy sees the clock"
    assert host.page.evaluate("watched") > 0
    host.page.evaluate("te.cleanups[0]()")
    left = host.page.evaluate("""[[...open_.values()], outside, watched,
        Object.values(te.listeners).flat().length,
        document.querySelectorAll("body > div > *").length]""")
    assert left == [[], [], 0, 0, 0]
