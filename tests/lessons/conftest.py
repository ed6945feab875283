from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
LESSONS = ROOT / "lessons"
LANGUAGES = ("en", "zh-Hans", "zh-Hant")
SOURCES = sorted((LESSONS / "source").glob("*.md"))
NAMES = [path.stem for path in SOURCES]


def load(lang: str, name: str) -> dict[str, Any]:
    text = (LESSONS / lang / f"{name}.ipynb").read_text(encoding="utf-8")
    return json.loads(text)


@pytest.fixture(scope="session")
def build() -> ModuleType:
    """`lessons/build.py`, which is a script and not part of a package."""
    spec = importlib.util.spec_from_file_location("lessons_build", LESSONS / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def nbval(tmp_path: Path) -> Callable[..., tuple[dict[str, int], str]]:
    """Run the lessons' own nbval command and return its counts and its output.

    It runs in a process of its own: nbval decides by an option whether it collects notebooks, and
    the part `pytest tests/lessons` must work without that option.
    """

    def run(*paths: Path, startup: str = "") -> tuple[dict[str, int], str]:
        profile = tmp_path / "ipython" / "profile_default" / "startup"
        profile.mkdir(parents=True, exist_ok=True)
        (profile / "00.py").write_text(startup, encoding="utf-8")
        dropped = ("MGE_DEFAULT_DEVICE", "TINYENGINE_LANG", "PYTEST_ADDOPTS")
        env = {name: value for name, value in os.environ.items() if name not in dropped}
        env["IPYTHONDIR"] = str(tmp_path / "ipython")
        command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env"]
        command += ["--nbval-cell-timeout=60", "--color=no", "-p", "no:cacheprovider"]
        command += ["--nbval-sanitize-with", str(ROOT / "tests" / "lessons" / "sanitize.cfg")]
        done = subprocess.run(
            [*command, *map(str, paths)],
            cwd=ROOT,
            env=env,
            capture_output=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        last = done.stdout.rstrip().splitlines()[-1]
        counts = {
            word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|skipped|error)", last)
        }
        return counts, done.stdout + done.stderr

    return run
