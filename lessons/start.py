"""Install the lessons if needed and open them in JupyterLab: `python lessons/start.py`."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from environment import ROOT, environment

LESSONS = ROOT / "lessons"
# An own folder of defaults, so that the user's settings are neither read over nor written.
SETTINGS = LESSONS / "settings"


def languages() -> list[str]:
    """Return the languages that have lessons, English first."""
    return sorted(folder.parent.name for folder in LESSONS.glob("*/01_computation_graph.ipynb"))


def parse(argv: list[str] | None = None) -> tuple[argparse.Namespace, list[str]]:
    """Return our options and those that are for JupyterLab."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="Every other option is passed on to JupyterLab."
    )
    parser.add_argument("--lang", default="en", choices=languages(), help="language of the lessons")
    parser.add_argument("--lesson", default="01", help="lesson to open, as 06 (default: 01)")
    parser.add_argument("--port", type=int, help="port of the server (default: the first free one)")
    parser.add_argument("--no-browser", action="store_true", help="start without opening a browser")
    return parser.parse_known_args(argv)


def notebook(lang: str, lesson: str) -> Path:
    """Return the lesson's notebook or stop with the list of lessons."""
    folder = LESSONS / lang
    for path in sorted(folder.glob("*.ipynb")):
        if path.stem.startswith(lesson):
            return path
    names = ", ".join(path.stem for path in sorted(folder.glob("*.ipynb")))
    sys.exit(f"There is no lesson {lesson} in {lang}. There are: {names}")


def own_copy(lesson: Path) -> Path:
    """Return the learner's own copy of a lesson, made with all lessons of its language if missing.

    The lessons of the checkout stay as they are, whatever is tried out and saved.
    """
    folder = LESSONS / "mine" / lesson.parent.name
    folder.mkdir(parents=True, exist_ok=True)
    for path in lesson.parent.glob("*.ipynb"):
        if not (folder / path.name).exists():
            shutil.copy(path, folder)
    return folder / lesson.name


def command(python: Path, args: argparse.Namespace, rest: list[str]) -> list[str]:
    """Return the command line that starts JupyterLab on the lesson."""
    path = own_copy(notebook(args.lang, args.lesson))
    out = [str(python), "-m", "jupyterlab", f"--ServerApp.root_dir={path.parent}"]
    out += [f"--LabApp.default_url=/lab/tree/{path.name}"]
    out += [f"--LabApp.app_settings_dir={SETTINGS}", "--LabApp.news_url=None"]
    out += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    out += ["--no-browser"] if args.no_browser else []
    out += [f"--port={args.port}"] if args.port else []
    return out + rest


def main(argv: list[str] | None = None) -> int:
    """Start JupyterLab and return its exit status."""
    args, rest = parse(argv)
    try:
        return subprocess.call(command(environment("lessons"), args, rest), cwd=LESSONS)
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
