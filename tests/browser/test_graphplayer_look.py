"""Colours, room and access of the GraphPlayer bundle, in light and dark, wide and narrow."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .conftest import Host

Scene = dict[str, Any]
LAST = 7
WIDGETS = Path(__file__).parents[2] / "widgets"

# JupyterLab's own values of the variables that the widget reads
JUPYTER = {
    "light": {"--jp-layout-color0": "white", "--jp-content-font-color0": "rgba(0, 0, 0, 1)"},
    "dark": {"--jp-layout-color0": "#111111", "--jp-content-font-color0": "rgba(255, 255, 255, 1)"},
}

# Contrast as WCAG 2 defines it, of every text against what is painted under it.
CONTRAST = """
() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const paint = (...colours) => {
    for (const colour of colours) { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); }
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const under = (element) => {
    const colours = [];
    for (let e = element; e; e = e.parentElement) {
      colours.unshift(getComputedStyle(e).backgroundColor);
    }
    if (element.classList.contains("te-label")) {
      colours.push(getComputedStyle(element.parentElement.querySelector(".te-shape")).fill);
    }
    return ["white", ...colours];
  };
  const result = [];
  const player = document.querySelector(".te-player");
  for (const element of player.querySelectorAll("*")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    const icon = element.matches(".te-button:not([aria-disabled=true])");
    if (!(own || icon) || element.closest("option, title") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const below = under(element);
    const colour = element instanceof SVGElement ? style.fill : style.color;
    const [a, b] = [light(paint(...below, colour)), light(paint(...below))].sort((x, y) => y - x);
    const name = (element.getAttribute("class") || element.localName) + ": " + element.textContent;
    result.push([(a + 0.05) / (b + 0.05), name]);
  }
  return result;
}
"""

# Boxes of texts and circles of the picture, in pixels of the page.
BOXES = """
() => {
  const box = (e) => e.getBoundingClientRect();
  const texts = [...document.querySelectorAll(".te-picture text")]
    .filter((e) => e.textContent && !e.classList.contains("te-label"))
    .map((e) => {
      const { left, right, top, bottom, height } = box(e);
      // a line's box is higher than its letters
      const [high, low] = [top + height * 0.2, bottom - height * 0.15];
      return { name: e.textContent, left, right, top: high, bottom: low };
    });
  const circles = [...document.querySelectorAll(".te-shape")].map((e) => {
    const { left, right, top, bottom } = box(e);
    return { name: e.parentNode.dataset.id, left, right, top, bottom };
  });
  const { left, right, top, bottom } = box(document.querySelector(".te-picture"));
  return [texts, circles, { left, right, top, bottom }];
}
"""


def overlap(a: dict[str, float], b: dict[str, float]) -> bool:
    return (
        min(a["right"], b["right"]) - max(a["left"], b["left"]) > 0.5
        and min(a["bottom"], b["bottom"]) - max(a["top"], b["top"]) > 0.5
    )


def dress(host: Host, place: str, theme: str) -> None:
    """Set the theme as JupyterLab does, or as the system does."""
    system = {"light": "dark", "dark": "light"}[theme] if place == "jupyter" else theme
    host.page.emulate_media(color_scheme=system)
    if place == "jupyter":
        host.page.evaluate(
            """([theme, variables]) => {
                document.body.dataset.jpThemeLight = String(theme === "light");
                for (const [name, value] of Object.entries(variables)) {
                    document.body.style.setProperty(name, value);
                }
            }""",
            [theme, JUPYTER[theme]],
        )


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("place", ["jupyter", "plain"])
def test_contrast(host: Host, linear: Scene, hostile: Scene, place: str, theme: str) -> None:
    """In JupyterLab its theme counts, whatever the system prefers."""
    host.mount(linear)
    dress(host, place, theme)
    host.page.add_style_tag(content="* { transition: none !important }")
    host.button("Steps as text").click()
    background = host.root.evaluate("""e => {
        const pen = document.createElement("canvas").getContext("2d");
        pen.fillStyle = getComputedStyle(e).backgroundColor; return pen.fillStyle; }""")
    expected = {"jupyter": {"light": "#ffffff", "dark": "#111111"}}.get(
        place, {"light": "#ffffff", "dark": "#111418"}
    )
    assert background == expected[theme]
    seen: set[str] = set()
    for scene in (linear, hostile):
        host.put(scene=scene)
        for step in range(len(scene["frames"])):
            host.put(step=step)
            host.at(step)
            measured = host.page.evaluate(CONTRAST)
            weak = [f"{ratio:.2f} {name}" for ratio, name in measured if ratio < 4.5]
            assert not weak, f"step {step}"
            seen |= {name.split(":")[0].split()[0] for _, name in measured}
    assert seen >= {
        "te-title", "te-entry", "te-label", "te-value", "te-grad", "te-note", "te-edge-label",
        "te-key", "te-sentence", "te-button", "te-chip", "te-row-sentence", "te-row-rule", "mi",
    }  # fmt: skip


@pytest.mark.parametrize("width", [1100, 860, 500])
def test_texts_have_room(host: Host, linear: Scene, width: int) -> None:
    host.page.set_viewport_size({"width": width, "height": 700})
    host.mount(linear)
    for step in range(LAST + 1):
        host.put(step=step)
        host.at(step)
        texts, circles, picture = host.page.evaluate(BOXES)
        assert len(texts) >= 6
        for i, one in enumerate(texts):
            for other in [*texts[i + 1 :], *circles]:
                assert not overlap(one, other), (step, one["name"], other["name"])
            assert picture["left"] <= one["left"], one["name"]
            assert one["right"] <= picture["right"], one["name"]
            assert picture["top"] <= one["top"], one["name"]
            assert one["bottom"] <= picture["bottom"], one["name"]


@pytest.mark.parametrize(("width", "shown"), [(1400, 860), (862 + 20, 860), (700, 680), (400, 516)])
def test_picture_shrinks_to_sixty_percent_then_scrolls(
    host: Host, linear: Scene, width: int, shown: int
) -> None:
    host.page.set_viewport_size({"width": width, "height": 700})
    host.mount(linear)
    size = host.root.locator(".te-picture").evaluate("e => e.getBoundingClientRect().width")
    assert abs(size - shown) <= 2
    scrolls = "e => e.scrollWidth > e.clientWidth"
    page = host.page.locator("html").evaluate(scrolls)
    stage = host.root.locator(".te-stage").evaluate(scrolls)
    assert not page, "the page itself never scrolls sideways"
    assert stage == (shown > width)


def test_a_picture_that_scrolls_follows_the_light(host: Host, linear: Scene) -> None:
    host.page.set_viewport_size({"width": 360, "height": 700})
    host.mount(linear)
    for step in [1, 2, 3, 6, 2, 0]:
        host.put(step=step)
        host.at(step)
        frame = linear["frames"][step]
        left, right, *nodes = host.page.evaluate(
            """ids => { const box = (s) => document.querySelector(s).getBoundingClientRect();
                const { left, right } = box(".te-stage");
                return [left, right, ...ids.map((id) => box(`[data-id=${id}] .te-shape`).x)]; }""",
            frame["lit"],
        )
        for x in nodes:
            assert left <= x <= right - 20, (step, frame["lit"])


@pytest.mark.parametrize("width", [860, 400, 320])
def test_controls_wrap_and_are_not_clipped(host: Host, linear: Scene, width: int) -> None:
    host.page.set_viewport_size({"width": width, "height": 700})
    host.mount(linear)
    boxes = host.page.evaluate("""[...document.querySelectorAll(
        ".te-button, .te-range, .te-chip, .te-entry, .te-sentence, .te-bar")].map((e) => {
            const { left, right, width, height } = e.getBoundingClientRect();
            return [e.className, left, right, width, height]; })""")
    bar = next(box for box in boxes if box[0] == "te-bar")
    for name, left, right, w, h in boxes:
        assert bar[1] <= left, name
        assert right <= bar[2] + 0.5, name
        assert min(w, h) >= 12, name
    assert next(b for b in boxes if b[0] == "te-range")[3] >= 150


def test_long_rule_can_be_read_by_keyboard(host: Host, linear: Scene) -> None:
    host.page.set_viewport_size({"width": 400, "height": 700})
    linear["frames"][1]["rule"] = f"<math>{'<mi>x</mi><mo>+</mo>' * 80}</math>"
    host.mount(linear, step=1)
    rule = host.root.locator(".te-rule")
    assert rule.get_attribute("tabindex") == "0"
    host.put(step=2)
    host.at(2)
    assert rule.get_attribute("tabindex") is None


@pytest.fixture(scope="session")
def axe() -> str:
    """Source of the accessibility checker, one of the npm tools of the front end."""
    npm = shutil.which("npm")
    if not npm:
        pytest.skip("npm is not on PATH: only contributors to the front end need Node")
    source = WIDGETS / "node_modules/axe-core/axe.min.js"
    if not source.exists():
        quiet = ["--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run([npm, "ci", *quiet], cwd=WIDGETS, check=True, timeout=300)
    return source.read_text(encoding="utf-8")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(host: Host, axe: str, linear: Scene, theme: str) -> None:
    host.page.set_viewport_size({"width": 500, "height": 900})
    host.mount(linear, views=2, selected="d1")
    dress(host, "plain", theme)
    host.page.evaluate(axe)
    host.button("Steps as text").click()
    for step in (0, 2, 6, LAST):
        host.put(step=step)
        host.at(step)
        # the bare page around the widget has no headings and landmarks of its own
        found = host.page.evaluate("""async () => {
            const rules = { region: { enabled: false }, "page-has-heading-one": { enabled: false },
                            "landmark-one-main": { enabled: false } };
            const { violations, passes } = await axe.run(document, { rules });
            const told = violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html).join());
            return [told, passes.length];
        }""")
        assert found[0] == [], f"step {step}"
        assert found[1] > 10
