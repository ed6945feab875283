"""The browser half: the committed bundle is what the sources build, and it is small."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

WIDGETS = Path(__file__).parents[2] / "widgets"
STATIC = WIDGETS / "tinyengine_widgets/static"
BUNDLES = ["graphplayer.js"]
MOST_BYTES = 60 * 1024

# Names of XML namespaces look like addresses; nothing is ever fetched from them.
NAMESPACES = {
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1998/Math/MathML",
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/1999/xlink",
}


@pytest.mark.parametrize("name", BUNDLES)
def test_bundle_is_small(name: str) -> None:
    assert 0 < (STATIC / name).stat().st_size <= MOST_BYTES


@pytest.mark.parametrize("name", BUNDLES)
def test_bundle_asks_for_nothing_on_the_network(name: str) -> None:
    source = (STATIC / name).read_text(encoding="utf-8")
    addresses = set(re.findall(r"""(?:https?|wss?):(?:\\?/){2}[^\s"'`)\\]*""", source))
    assert addresses <= NAMESPACES
    assert not re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|\bimport\(|sendBeacon", source)


def test_lock_file_names_packages_and_not_where_they_were_downloaded() -> None:
    lock = json.loads((WIDGETS / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages
    assert [name for name, entry in packages.items() if "resolved" in entry] == []
    assert [name for name, entry in packages.items() if "integrity" not in entry] == []


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the front end with its tools freshly installed as the lock file says."""
    if not shutil.which("npm"):
        pytest.skip("npm is not on PATH: only contributors to the front end need Node")
    copy = tmp_path_factory.mktemp("frontend") / "widgets"
    leave = shutil.ignore_patterns("node_modules", "tinyengine_widgets")
    shutil.copytree(WIDGETS, copy, ignore=leave)
    run(copy, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
    return copy


def run(cwd: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"


def test_committed_bundles_are_what_the_sources_build(checkout: Path) -> None:
    run(checkout, "npm", "run", "build")
    built = checkout / "tinyengine_widgets/static"
    assert sorted(path.name for path in built.iterdir()) == BUNDLES
    for name in BUNDLES:
        same = (built / name).read_bytes() == (STATIC / name).read_bytes()
        assert same, f"{name} is out of date: run `npm run build` in widgets/ and commit it"


def test_types_are_strict(checkout: Path) -> None:
    assert '"strict": true' in (checkout / "tsconfig.json").read_text(encoding="utf-8")
    run(checkout, "npm", "run", "check")


def test_pure_parts(checkout: Path) -> None:
    run(checkout, "npm", "test")
