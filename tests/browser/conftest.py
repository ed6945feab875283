"""Chromium as the system has it, and a page that holds a widget with a fake model."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUNDLE = ROOT / "widgets/tinyengine_widgets/static/graphplayer.js"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# As in anywidget: one model, and a proxy of its own for each view.
FAKE_MODEL = """
async ([source, state, views]) => {
  const listeners = {};
  const te = (window.te = { state, listeners, writes: [], saves: 0, cleanups: [] });
  te.put = (name, value) => {
    if (state[name] === value) return;
    state[name] = value;
    for (const listener of [...(listeners["change:" + name] ?? [])]) listener();
  };
  const proxy = () => ({
    get: (name) => state[name],
    set: (name, value) => { te.writes.push([name, value]); te.put(name, value); },
    save_changes: () => { te.saves += 1; },
    on: (event, listener) => (listeners[event] ??= []).push(listener),
    off: (event, listener) => {
      listeners[event] = (listeners[event] ?? []).filter((other) => other !== listener);
    },
  });
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const { default: widget } = await import(url);
  for (let i = 0; i < views; i += 1) {
    const el = document.body.appendChild(document.createElement("div"));
    te.cleanups.push(await widget.render({ model: proxy(), el }));
  }
}
"""


def find_chromium() -> str:
    """Path of the browser, or a failure that says what to install."""
    named = os.environ.get("CHROMIUM")
    candidates = [named] if named else list(BROWSERS)
    for name in candidates:
        path = shutil.which(name)
        if path:
            return path
    pytest.fail(
        f"no browser for the widget tests: looked for {', '.join(candidates)} on PATH. "
        "Install one (Debian: apt-get install chromium) or set CHROMIUM to its path.",
        pytrace=False,
    )


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    quiet = ("background-networking", "component-update", "sync", "quic", "gpu")
    args = ["--no-sandbox", "--no-first-run", *(f"--disable-{what}" for what in quiet)]
    return {**browser_type_launch_args, "executable_path": find_chromium(), "args": args}


class Host:
    """A page with one model and some views of it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.troubles: list[str] = []
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("dialog", self._dialog)
        page.on("console", lambda m: self._trouble(m.type in ("error", "warning"), m.text))
        page.on("request", lambda r: self._trouble(not r.url.startswith("blob:"), r.url))

    def _trouble(self, bad: bool, text: str) -> None:
        if bad:
            self.troubles.append(text)

    def _dialog(self, dialog: Any) -> None:
        self.troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def mount(self, scene: dict[str, Any], views: int = 1, **traits: Any) -> Host:
        state = {"step": 0, "playing": False, "speed": 1, "selected": "", "lang": "en"}
        if self.page.url == "about:blank" and not self.page.locator("body[data-ready]").count():
            self.page.set_content("<!doctype html><html lang=en><title>t</title><body data-ready>")
        source = BUNDLE.read_text(encoding="utf-8")
        self.page.evaluate(FAKE_MODEL, [source, state | {"scene": scene} | traits, views])
        return self

    @property
    def root(self) -> Locator:
        return self.page.locator(".te-player").first

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name, exact=True)

    def node(self, name: str) -> Locator:
        return self.root.locator(f".te-node[data-id={name}]")

    def get(self, name: str) -> Any:
        return self.page.evaluate("name => te.state[name]", name)

    def put(self, **traits: Any) -> None:
        """Changes as they come from Python."""
        self.page.evaluate("traits => { for (const t in traits) te.put(t, traits[t]); }", traits)

    def writes(self, name: str) -> list[Any]:
        """What the browser wrote to a trait, in order."""
        written = self.page.evaluate("te.writes")
        return [value for key, value in written if key == name]

    def at(self, step: int, view: int = 0) -> None:
        """Wait until a view shows a step, and no other."""
        root = self.page.locator(".te-player").nth(view)
        root.and_(self.page.locator(f"[data-step='{step}']")).wait_for(timeout=5000)


def load_scene(name: str) -> dict[str, Any]:
    scene: dict[str, Any] = json.loads((HERE / f"scenes/{name}.json").read_text(encoding="utf-8"))
    return scene


@pytest.fixture
def linear() -> dict[str, Any]:
    """y = x @ w + b, forward and backward: 8 frames."""
    return load_scene("linear")


@pytest.fixture
def hostile() -> dict[str, Any]:
    """Names that look like markup, and letters from everywhere."""
    return load_scene("hostile")


@pytest.fixture
def host(page: Page) -> Iterator[Host]:
    """A page without motion; whatever a test does, nothing may go wrong in it."""
    page.emulate_media(reduced_motion="reduce")
    host = Host(page)
    yield host
    assert host.troubles == []


@pytest.fixture
def moving(host: Host) -> Callable[[int], None]:
    """Motion on, and time under control: call it with milliseconds to pass."""
    host.page.emulate_media(reduced_motion="no-preference")
    host.page.clock.install(time=0)
    host.page.clock.pause_at(1000)
    return host.page.clock.run_for
