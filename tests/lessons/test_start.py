"""The two commands of the README, without installing anything."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from .conftest import LANGUAGES, LESSONS, ROOT


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[ModuleType, ModuleType]:
    """The modules `environment` and `start`, as the scripts import them, on copies of lessons."""
    monkeypatch.syspath_prepend(str(LESSONS))
    import environment  # type: ignore[import-not-found,unused-ignore]
    import start  # type: ignore[import-not-found,unused-ignore]

    for lang in LANGUAGES:
        shutil.copytree(LESSONS / lang, tmp_path / "lessons" / lang)
    monkeypatch.setattr(start, "LESSONS", tmp_path / "lessons")
    return environment, start


def test_start_opens_the_first_english_lesson_with_our_settings(scripts) -> None:
    _, start = scripts
    args, rest = start.parse([])
    command = start.command(Path("python"), args, rest)
    assert f"--ServerApp.root_dir={start.LESSONS / 'mine' / 'en'}" in command
    assert "--LabApp.default_url=/lab/tree/01_computation_graph.ipynb" in command
    assert f"--LabApp.app_settings_dir={LESSONS / 'settings'}" in command
    assert "--no-browser" not in command
    overrides = json.loads((LESSONS / "settings" / "overrides.json").read_text(encoding="utf-8"))
    assert overrides["@jupyter-widgets/jupyterlab-manager:plugin"]["saveState"] is True
    assert overrides["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"


def test_start_passes_options_on(scripts) -> None:
    _, start = scripts
    args, rest = start.parse(
        ["--lang", "zh-Hant", "--lesson", "06", "--port", "9000", "--no-browser", "--allow-root"]
    )
    command = start.command(Path("python"), args, rest)
    assert f"--ServerApp.root_dir={start.LESSONS / 'mine' / 'zh-Hant'}" in command
    assert "--LabApp.default_url=/lab/tree/06_grad_manager.ipynb" in command
    assert command[-3:] == ["--no-browser", "--port=9000", "--allow-root"]


def test_what_a_learner_saves_stays_and_leaves_the_checkout_as_it_is(scripts) -> None:
    _, start = scripts
    lesson = start.notebook("en", "06")
    fresh = lesson.read_bytes()
    copy = start.own_copy(lesson)
    assert copy.read_bytes() == fresh
    assert sorted(path.name for path in copy.parent.iterdir()) == sorted(
        path.name for path in lesson.parent.iterdir()
    )
    copy.write_text("my answer", encoding="utf-8")
    assert start.own_copy(lesson).read_text(encoding="utf-8") == "my answer"
    assert lesson.read_bytes() == fresh
    assert start.languages() == list(LANGUAGES)


def test_git_ignores_the_copies() -> None:
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "lessons/mine/" in ignored


def test_start_names_the_lessons_when_asked_for_a_missing_one(scripts) -> None:
    _, start = scripts
    with pytest.raises(SystemExit, match=r"no lesson 77 in en\. .*01_computation_graph"):
        start.notebook("en", "77")


def test_the_active_environment_is_installed_into_once(
    scripts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environment, _ = scripts
    installed: list[tuple[Path, str]] = []
    monkeypatch.setattr(environment, "install", lambda *args: installed.append(args))
    monkeypatch.setattr(environment.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(environment.sys, "base_prefix", "elsewhere")
    python = environment.environment("lessons")
    assert python == environment.interpreter(tmp_path)
    assert environment.environment("lessons") == python
    assert installed == [(python, "lessons")]
    environment.environment("test")
    assert installed[1:] == [(python, "test")]

    project = tmp_path / "pyproject.toml"
    project.write_text("changed", encoding="utf-8")
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    environment.environment("lessons")
    assert installed[2:] == [(python, "lessons")]


def test_without_one_an_environment_is_made_in_the_checkout(
    scripts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environment, _ = scripts
    made: list[Path] = []

    def make(prefix: Path) -> None:
        made.append(prefix)
        prefix.mkdir()

    monkeypatch.setattr(environment, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    monkeypatch.setattr(environment, "make", make)
    monkeypatch.setattr(environment, "install", lambda *_: None)
    monkeypatch.setattr(environment.sys, "prefix", environment.sys.base_prefix)
    assert environment.environment("lessons") == environment.interpreter(tmp_path / ".venv")
    assert made == [tmp_path / ".venv"]


def test_an_old_python_is_told_so(scripts, monkeypatch: pytest.MonkeyPatch) -> None:
    environment, _ = scripts
    monkeypatch.setattr(environment.sys, "version_info", (3, 9, 1))
    with pytest.raises(SystemExit, match=r"Python 3\.11 or newer is needed; this is 3\.9\.1"):
        environment.environment("lessons")


def run_tests(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tests" / "run.py"), *args]
    return subprocess.run(command, env=env, capture_output=True, encoding="utf-8", check=False)


def test_the_test_command_refuses_an_unknown_part() -> None:
    done = run_tests("engines")
    assert done.returncode == 2
    assert "no part 'engines'; the parts are lint, engine" in done.stderr


def test_a_missing_chromium_is_a_failure_that_says_what_to_do(tmp_path: Path) -> None:
    done = run_tests("lint", "browser", PATH=str(tmp_path))
    assert done.returncode == 1
    assert "apt-get install chromium" in done.stderr
    assert done.stdout == ""
