"""Install what the tests need and run them: `python tests/run.py [part ...]`.

Without a part everything runs: lint first, then every folder of tests in one pytest run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "lessons"))

from environment import environment  # noqa: E402

FOLDERS = ("engine", "train", "widgets", "lessons", "binder", "browser")
PARTS = ("lint", *FOLDERS)
LINT = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("mypy", "lessons", "tests/run.py"),
)
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def parse(argv: list[str] | None = None) -> tuple[list[str], list[str]]:
    """Return the parts to run and the options that are for pytest."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="Every option that is not listed here is passed on to pytest.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="part", help=f"one of {', '.join(PARTS)}")
    args, rest = parser.parse_known_args(argv)
    unknown = [part for part in args.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; the parts are {', '.join(PARTS)}")
    return args.parts or list(PARTS), rest


def browser_missing() -> str:
    """Return how to get Chromium, or "" if it is there."""
    named = os.environ.get("CHROMIUM")
    if any(map(shutil.which, [named] if named else CHROMIUM)):
        return ""
    return (
        "The browser tests need Chromium, and it was not found.\n"
        "  Debian, Ubuntu:  sudo apt-get install chromium\n"
        "  macOS:           brew install --cask chromium\n"
        "  elsewhere:       set the variable CHROMIUM to the path of Chromium or Chrome\n"
        "To run the other parts:  python tests/run.py lint engine train widgets lessons binder"
    )


def lint(python: Path) -> list[str]:
    """Run every static check and return the ones that failed."""
    failed = []
    for tool, *options in LINT:
        command = " ".join([tool, *options])
        print(f"$ {command}", flush=True)
        if subprocess.call([str(python), "-m", tool, *options], cwd=ROOT) != 0:
            failed.append(command)
    return failed


def main(argv: list[str] | None = None) -> int:
    """Run the parts; return 0 only if every check and every test passed."""
    parts, rest = parse(argv)
    missing = browser_missing() if "browser" in parts else ""
    if missing:
        print(missing, file=sys.stderr)
        return 1
    python = environment("test")
    failed = lint(python) if "lint" in parts else []
    folders = [f"tests/{part}" for part in FOLDERS if part in parts]
    if folders and subprocess.call([str(python), "-m", "pytest", *folders, *rest], cwd=ROOT) != 0:
        failed.append("pytest")
    if failed:
        print(f"FAILED: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
