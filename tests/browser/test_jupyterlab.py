"""The lessons in a real JupyterLab, as a learner meets them: opened, run, played, saved.

The server is started with the command line of `lessons/start.py`, on copies of the lessons, and
sees no settings of the person who runs the tests.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "lessons"
LESSON_01, LESSON_06 = "01_computation_graph.ipynb", "06_grad_manager.ipynb"
PATIENCE = 60_000  # milliseconds

# The indicator in the page says idle before the kernel's socket is up, so the application is asked.
READY = """async () => {
  const app = window.jupyterapp;
  await app.restored;
  for (const start = Date.now(); Date.now() - start < 60000; ) {
    const context = app.shell.currentWidget?.sessionContext;
    if (context) await context.ready;
    const kernel = context?.session?.kernel;
    if (kernel?.connectionStatus === "connected" && kernel.status === "idle") {
      await kernel.info;
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the kernel did not get ready");
}"""


@dataclass
class Lab:
    """A running server and the folder it shows."""

    url: str
    folder: Path


@pytest.fixture(scope="module")
def start() -> Iterator[ModuleType]:
    """`lessons/start.py`, imported as it runs."""
    sys.path.insert(0, str(ROOT / "lessons"))
    try:
        start = importlib.import_module("start")
        yield importlib.reload(start)
    finally:
        sys.path.remove(str(ROOT / "lessons"))


@pytest.fixture(scope="module")
def lab(start: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab on loopback, showing fresh copies of the English lessons."""
    home = tmp_path_factory.mktemp("jupyter")
    lessons = tmp_path_factory.mktemp("lessons")
    shutil.copytree(start.LESSONS / "en", lessons / "en")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start.LESSONS = lessons
    args, rest = start.parse(["--no-browser", "--port", str(port), "--allow-root"])
    command = [
        *start.command(Path(sys.executable), args, rest),
        f"--IdentityProvider.token={TOKEN}",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port_retries=0",
        "--LabApp.expose_app_in_browser=True",
    ]
    kinds = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    env = {**os.environ, **{name: str(home / kind) for name, kind in kinds.items()}}
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, env=env, stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_for_answer(server, f"http://127.0.0.1:{port}/api", home / "log")
            yield Lab(f"http://127.0.0.1:{port}", lessons / "mine" / "en")
        finally:
            server.terminate()
            server.wait(20)


def wait_for_answer(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        assert server.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(log.read_text())


@pytest.fixture
def pictures(pytestconfig: pytest.Config) -> Path:
    """Where screenshots are kept for a person to look at: test-results/, or what --output says."""
    folder: str = pytestconfig.getoption("--output")
    return Path(folder).absolute() / "jupyterlab"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a fresh browser profile that talks to loopback alone and raises no error."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    asked: list[str] = []
    errors: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_default_timeout(PATIENCE)
    yield page
    context.close()
    away = [
        url
        for url in asked
        if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).hostname != "127.0.0.1"
    ]
    assert asked
    assert away == []
    assert errors == []


def open_lesson(page: Page, lab: Lab, name: str, lang: str = "en") -> Locator:
    """Open a fresh copy of a lesson and return its panel when the kernel is ready."""
    shutil.copy(ROOT / "lessons" / lang / name, lab.folder)
    page.goto(f"{lab.url}/lab/tree/{name}?token={TOKEN}&reset")
    panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
    panel.locator(".jp-Cell").first.wait_for()
    page.evaluate(READY)
    return panel


def run_all(page: Page) -> None:
    """Do what "Run All Cells" of the menu does, and wait until it is done."""
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")


def expect_in_python(page: Page, panel: Locator, code: str, shown: str) -> None:
    """Type code into a new cell at the end of the notebook, run it and expect what it shows."""
    number = panel.locator(".jp-Cell").count()
    page.evaluate("""() => {
      const notebook = window.jupyterapp.shell.currentWidget.content;
      notebook.activeCellIndex = notebook.widgets.length - 1;
      notebook.mode = "command";
      notebook.node.focus();
    }""")
    page.keyboard.press("b")
    expect(panel.locator(".jp-Cell")).to_have_count(number + 1)
    page.keyboard.press("Enter")
    page.keyboard.type(code)
    page.keyboard.press("Control+Enter")
    cell = panel.locator(".jp-CodeCell").last
    expect(cell.locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"))
    if shown:
        expect(cell.locator(".jp-OutputArea-output")).to_have_text(shown)


def last_step(player: Locator) -> int:
    return int(player.locator("input[type=range]").get_attribute("max") or "")


def at(player: Locator, step: int) -> None:
    """Expect the player to show a step; playing there takes a second or two a step."""
    expect(player).to_have_attribute("data-step", str(step), timeout=PATIENCE)


def photograph(page: Page, player: Locator, path: Path) -> None:
    """Save the player in the light and the dark theme."""
    for theme in ("Light", "Dark"):
        page.evaluate(
            "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })",
            f"JupyterLab {theme}",
        )
        is_light = str(theme == "Light").lower()
        page.locator(f"body[data-jp-theme-light={is_light}]").wait_for(state="attached")
        page.wait_for_timeout(700)  # the last transition and the change of colours
        player.screenshot(path=path.with_name(f"{path.name}-{theme.lower()}.png"))


@pytest.mark.parametrize("name", [LESSON_01, LESSON_06])
def test_a_fresh_clone_shows_the_pictures_without_running(page: Page, lab: Lab, name: str) -> None:
    panel = open_lesson(page, lab, name)
    saved = json.loads((lab.folder / name).read_text(encoding="utf-8"))
    players = [
        cell["id"]
        for cell in saved["cells"]
        if any("text/html" in output.get("data", {}) for output in cell.get("outputs", ()))
    ]
    trusted = "() => window.jupyterapp.shell.currentWidget.content.model.cells.get(1).trusted"
    assert page.evaluate(trusted) is False
    assert players
    pictures = panel.locator(".jp-OutputArea-output img")
    for index in range(len(players)):
        picture = pictures.nth(index)
        picture.scroll_into_view_if_needed()
        expect(picture).to_be_visible()
        expect(picture).to_have_attribute("alt", re.compile(r"\w+ \w+ \w+"))
        assert picture.evaluate("async (image) => { await image.decode(); return true; }")
        assert picture.evaluate("(image) => image.naturalWidth") > 0
    expect(pictures).to_have_count(len(players))
    expect(panel.locator(".te-player")).to_have_count(0)
    expect(panel.get_by_text("Error displaying widget")).to_have_count(0)


def test_lesson_01_plays_by_keyboard_and_by_button_and_python_knows(
    page: Page, lab: Lab, pictures: Path
) -> None:
    panel = open_lesson(page, lab, LESSON_01)
    run_all(page)
    players = panel.locator(".te-player")
    first = players.first
    first.scroll_into_view_if_needed()
    photograph(page, first, pictures / "lesson-01-start")
    page.screenshot(path=pictures / "lesson-01-page-dark.png")

    # `player` is the name of the last graph of the lesson.
    player = players.last
    player.scroll_into_view_if_needed()
    last = last_step(player)
    assert last > 1
    at(player, 0)
    player.focus()
    page.keyboard.press("Space")
    at(player, last)
    expect_in_python(page, panel, "player.step, player.playing", f"({last}, False)")

    player.get_by_role("button", name="To start", exact=True).click()
    at(player, 0)
    player.get_by_role("button", name="Play", exact=True).click()
    expect(player.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    at(player, last)
    player.get_by_role("button", name="Step back", exact=True).click()
    at(player, last - 1)
    expect_in_python(page, panel, "player.step", str(last - 1))

    expect_in_python(page, panel, "player.step = 1", "")
    at(player, 1)
    player.focus()
    page.keyboard.press("End")
    photograph(page, player, pictures / "lesson-01-end")


def test_what_a_learner_saves_plays_again_without_running(page: Page, lab: Lab) -> None:
    panel = open_lesson(page, lab, LESSON_01, "zh-Hans")
    run_all(page)
    player = panel.locator(".te-player").first
    player.scroll_into_view_if_needed()
    expect(player.get_by_role("button", name="播放", exact=True)).to_be_visible()
    player.focus()
    page.keyboard.press("ArrowRight")
    at(player, 1)
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    saved = json.loads((lab.folder / LESSON_01).read_text(encoding="utf-8"))
    states = saved["metadata"]["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
    assert any(state["state"].get("step") == 1 for state in states.values())

    page.evaluate("""async () => {
      const context = window.jupyterapp.shell.currentWidget.sessionContext;
      await context.shutdown();
    }""")
    page.goto(f"{lab.url}/lab/tree/{LESSON_01}?token={TOKEN}&reset")
    player = panel.locator(".te-player").first
    player.scroll_into_view_if_needed()
    at(player, 1)
    player.focus()
    page.keyboard.press("ArrowRight")
    at(player, 2)


def test_lesson_06_runs_back_in_light_and_dark(page: Page, lab: Lab, pictures: Path) -> None:
    panel = open_lesson(page, lab, LESSON_06)
    run_all(page)
    player = panel.locator(".te-player").first
    player.scroll_into_view_if_needed()
    last = last_step(player)
    photograph(page, player, pictures / "lesson-06-start")
    player.focus()
    page.keyboard.press("Home")
    step = 0
    while player.get_attribute("data-phase") != "backward":
        assert step < last, "the animation has no backward step"
        page.keyboard.press("ArrowRight")
        step += 1
        at(player, step)
    for middle in range(step + 1, (step + last) // 2 + 1):
        page.keyboard.press("ArrowRight")
        at(player, middle)
    assert player.get_attribute("data-phase") == "backward"
    photograph(page, player, pictures / "lesson-06-backward")
    page.keyboard.press("End")
    at(player, last)
    photograph(page, player, pictures / "lesson-06-end")

    detached = panel.locator(".te-player").last
    detached.scroll_into_view_if_needed()
    detached.focus()
    page.keyboard.press("End")
    photograph(page, detached, pictures / "lesson-06-detached")
    page.screenshot(path=pictures / "lesson-06-page-dark.png")


def test_keys_pressed_in_a_player_never_edit_the_notebook(page: Page, lab: Lab) -> None:
    panel = open_lesson(page, lab, LESSON_01)
    run_all(page)
    player = panel.locator(".te-player").first
    player.scroll_into_view_if_needed()
    cells = """() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells
        .map((cell) => [cell.cell_type, cell.source])"""
    before = page.evaluate(cells)
    places = [
        player,
        player.get_by_role("button", name="Step", exact=True),
        player.locator("input[type=range]"),
        player.locator(".te-node").first,
    ]
    for place in places:
        place.focus()
        for key in ("a", "b", "d", "d", "x", "y", "m", "Shift+M", "z"):
            page.keyboard.press(key)
        assert page.evaluate(cells) == before
    at(player, 0)
