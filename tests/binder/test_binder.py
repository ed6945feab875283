"""The files Binder reads, checked without building an image."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]
BINDER = ROOT / "binder"
OVERRIDES = ROOT / "lessons" / "settings" / "overrides.json"
SCRIPTS = ("postBuild", "start")


def pins() -> dict[str, str]:
    lines = (BINDER / "requirements.txt").read_text(encoding="utf-8").splitlines()
    [constraint] = [line.split()[1] for line in lines if line.startswith("--constraint ")]
    assert re.fullmatch(r"constraints-\d{4}-\d\d-\d\d\.txt", constraint)
    text = (BINDER / constraint).read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line and not line.startswith("#")]
    return dict(row.split("==") for row in rows)


def project() -> dict[str, str]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]


def test_the_project_itself_is_installed_with_its_lessons() -> None:
    lines = (BINDER / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert ".[lessons]" in lines


def test_everything_the_lessons_need_is_pinned_to_an_allowed_version() -> None:
    pinned = pins()
    for line in requires("tinyengine") or []:
        need = Requirement(line)
        extras = [extra for extra in ("", "widgets", "lessons") if _applies(need, extra)]
        if extras and need.name != "tinyengine":
            assert need.specifier.contains(pinned[need.name]), line


def _applies(need: Requirement, extra: str) -> bool:
    return need.marker is None or need.marker.evaluate({"extra": extra})


def test_no_pin_wants_a_gpu() -> None:
    assert not [name for name in pins() if "cu1" in name or name.startswith(("cupy", "nvidia"))]


def test_the_named_python_is_one_that_the_project_allows() -> None:
    runtime = (BINDER / "runtime.txt").read_text(encoding="utf-8")
    found = re.fullmatch(r"python-(3\.\d+)\n", runtime)
    assert found is not None
    assert SpecifierSet(project()["requires-python"]).contains(found.group(1))


def test_nothing_overrules_these_files() -> None:
    # Binder reads only binder/ if there is one, and there environment.yml wins over the rest.
    names = sorted(path.name for path in BINDER.iterdir())
    constraints = [name for name in names if name.startswith("constraints-")]
    assert names == sorted([*constraints, "requirements.txt", "runtime.txt", *SCRIPTS])


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_are_executable_for_bash_with_unix_line_ends(name: str) -> None:
    path = BINDER / name
    assert b"\r" not in path.read_bytes()
    assert path.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")
    stored = subprocess.run(
        ["git", "ls-files", "--stage", f"binder/{name}"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    ).stdout
    assert stored.startswith("100755 ") or (not stored and os.access(path, os.X_OK))


def test_start_sets_the_device_and_threads_then_becomes_the_given_command() -> None:
    text = (BINDER / "start").read_text(encoding="utf-8")
    assert text.rstrip().splitlines()[-1] == 'exec "$@"'
    bash = shutil.which("bash")
    assert bash is not None
    env = {"PATH": os.environ["PATH"]}
    command = [bash, str(BINDER / "start"), bash, "-c", 'echo "$1"; env', "-", "two words"]
    done = subprocess.run(command, env=env, capture_output=True, encoding="utf-8", check=True)
    lines = done.stdout.splitlines()
    assert lines[0] == "two words"
    assert "MGE_DEFAULT_DEVICE=cpux" in lines
    assert "OMP_NUM_THREADS=1" in lines


def test_post_build_puts_our_defaults_where_jupyterlab_reads_them(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    stand_in = tmp_path / "bin" / "python"
    stand_in.parent.mkdir()
    stand_in.write_text(f"#!/bin/sh\necho '{tmp_path}'\n", encoding="utf-8")
    stand_in.chmod(0o755)
    env = {"PATH": f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run([bash, str(BINDER / "postBuild")], cwd=ROOT, env=env, check=True)
    placed = tmp_path / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    assert json.loads(placed.read_text(encoding="utf-8")) == json.loads(
        OVERRIDES.read_text(encoding="utf-8")
    )


def test_every_binder_address_in_the_readme_names_an_existing_notebook() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"urlpath=lab/tree/([^\s)`\"]+)", readme)
    languages = {target.split("/")[1] for target in targets}
    assert languages == {"en", "zh-Hans", "zh-Hant"}
    for target in targets:
        assert (ROOT / target).is_file(), target
