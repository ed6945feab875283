"""Find or make the virtual environment of this checkout; standard library only."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)


def environment(extra: str) -> Path:
    """Install this checkout with one of its extras and return the interpreter that has it.

    The active virtual environment is used if there is one, else `.venv` in the checkout, made on
    the first call. Nothing is installed again while pyproject.toml stays as it is.
    """
    if sys.version_info < OLDEST:
        have = ".".join(map(str, sys.version_info[:3]))
        sys.exit(f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed; this is {have}.")
    active = sys.prefix != sys.base_prefix
    prefix = Path(sys.prefix) if active else ROOT / ".venv"
    python = interpreter(prefix)
    if not active and not python.exists():
        print(f"Making a virtual environment in {prefix}", flush=True)
        make(prefix)
    stamp = prefix / f"tinyengine-{extra}.stamp"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != signature():
        print(f"Installing tinyengine[{extra}] (the first time this takes a minute)", flush=True)
        install(python, extra)
        stamp.write_text(signature(), encoding="utf-8")
    return python


def interpreter(prefix: Path) -> Path:
    """Return where a virtual environment keeps its Python."""
    return prefix / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def signature() -> str:
    """Return what the installation depends on: the place of the checkout and its pyproject.toml."""
    project = (ROOT / "pyproject.toml").read_bytes()
    return hashlib.sha256(str(ROOT).encode() + b"\0" + project).hexdigest()


def make(prefix: Path) -> None:
    """Make a virtual environment or say in one line why it cannot be made."""
    if subprocess.call([sys.executable, "-m", "venv", str(prefix)]) != 0:
        sys.exit(
            "The virtual environment could not be made. On Debian and Ubuntu install the package "
            "python3-venv; elsewhere use a Python from python.org. Then start again."
        )


def install(python: Path, extra: str) -> None:
    """Install the checkout, editable, or say in one line that it failed."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.call([*command, "--editable", f"{ROOT}[{extra}]"]) != 0:
        sys.exit("The installation failed; pip says why above. Is there a network connection?")
