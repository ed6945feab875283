"""Build the lessons: one source file becomes one executed notebook per language.

A source `lessons/source/NN_name.md` (MyST) holds prose cells tagged with `lang` and `id`, side by
side for English and simplified Chinese, around code cells that all languages share. Traditional
Chinese is converted from simplified Chinese; code, formulas and links are left as they are.

    python lessons/build.py                      # write every lesson in every language
    python lessons/build.py --check              # fail if a generated notebook is out of date
    python lessons/build.py --lesson 06 --lang en --lang zh-Hans
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import functools
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext  # type: ignore[import-untyped]
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from opencc import OpenCC

Notebook = Any  # nbformat's functions carry no types
nbf: Any = nbformat

LESSONS = Path(__file__).resolve().parent
WRITTEN = ("en", "zh-Hans")  # languages written by hand, side by side in the source
LANGUAGES = (*WRITTEN, "zh-Hant")  # languages built
# s2tw: the characters used in Taiwan. Not s2twp, which would leave the glossary's terms (數據節點
# would become 資料節點); not s2t, which prefers old forms (爲, 裏) that texts of the field avoid.
CONVERSION = "s2tw"
LANGUAGE_CELL = "language"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# What conversion must not touch: code fences, inline code, formulas, link targets, HTML tags.
VERBATIM = re.compile(r"```.*?```|`[^`\n]+`|\$\$.*?\$\$|\$[^$\n]+\$|\]\([^)\n]*\)|<[^>\n]+>", re.S)
ANSI = re.compile(r"\x1b\[[0-9;]*m")
CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class SourceError(Exception):
    """A lesson's source breaks a rule; the message names the file and the cell."""


@dataclass(frozen=True)
class Cell:
    """One cell of a source file; `lang` is None for code, which every language shares."""

    id: str
    lang: str | None
    text: str
    tags: tuple[str, ...] = ()


def read_source(path: Path) -> list[Cell]:
    """Read a source file and check that every cell has an id and every prose cell each language."""
    notebook = jupytext.reads(path.read_text(encoding="utf-8"), fmt="md:myst")
    cells = [_read_cell(path, raw) for raw in notebook.cells]
    groups: dict[str, list[str | None]] = {}
    for previous, cell in zip([None, *cells], cells, strict=False):
        if previous and cell.id in groups and previous.id != cell.id:
            raise SourceError(f"{path.name}: cell {cell.id!r} appears twice")
        groups.setdefault(cell.id, []).append(cell.lang)
    for name, langs in groups.items():
        if langs != [None] and langs != list(WRITTEN):
            raise SourceError(
                f"{path.name}: cell {name!r} is written in {langs}; prose needs exactly "
                f"{' then '.join(WRITTEN)}, code needs an id of its own"
            )
    return cells


def _read_cell(path: Path, raw: Any) -> Cell:
    name, lang = raw.metadata.get("id"), raw.metadata.get("lang")
    where = f"{path.name}: the cell that starts {raw.source[:40]!r}"
    if not isinstance(name, str) or not CELL_ID.fullmatch(name) or name == LANGUAGE_CELL:
        raise SourceError(f"{where} has the id {name!r}; use letters, digits, - and _")
    if raw.cell_type == "code" and lang is not None:
        raise SourceError(f"{where} is code with a lang; code is shared by all languages")
    if raw.cell_type != "code" and lang not in WRITTEN:
        raise SourceError(f"{where} has the lang {lang!r}, not one of {', '.join(WRITTEN)}")
    return Cell(name, lang, raw.source, tuple(raw.metadata.get("tags", ())))


@functools.cache
def _converter() -> OpenCC:
    return OpenCC(CONVERSION)


def to_traditional(text: str) -> str:
    """Convert the prose of a Markdown text from simplified to traditional Chinese."""
    kept = VERBATIM.findall(text)
    parts = [_converter().convert(part) for part in VERBATIM.split(text)]
    return "".join(part + code for part, code in zip(parts, [*kept, ""], strict=True))


def language_code(lang: str) -> str:
    """Return the one cell whose code differs between languages: it names the widgets' language."""
    return f'from tinyengine_widgets import set_language\n\nset_language("{lang}")'


def assemble(cells: Iterable[Cell], lang: str) -> Notebook:
    """Return the notebook of one language, not yet executed."""
    v4 = nbf.v4
    written = "zh-Hans" if lang == "zh-Hant" else lang
    out: list[Notebook] = []
    for cell in cells:
        if cell.lang is None:
            if all(done.cell_type != "code" for done in out):
                tagged = {"tags": [LANGUAGE_CELL]}
                out.append(v4.new_code_cell(language_code(lang), id=LANGUAGE_CELL, metadata=tagged))
            metadata = {"tags": list(cell.tags)} if cell.tags else {}
            out.append(v4.new_code_cell(cell.text, id=cell.id, metadata=metadata))
        elif cell.lang == written:
            text = to_traditional(cell.text) if lang == "zh-Hant" else cell.text
            out.append(v4.new_markdown_cell(text, id=cell.id))
    return v4.new_notebook(cells=out, metadata=METADATA)


async def execute(notebook: Notebook, folder: Path) -> None:
    """Run every cell in a fresh kernel that sees nothing of the author's own settings."""
    drop = ("MGE_DEFAULT_DEVICE", "TINYENGINE_LANG")
    env = {name: value for name, value in os.environ.items() if name not in drop}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as settings:
        client = NotebookClient(
            notebook,
            timeout=60,
            kernel_name="python3",
            coalesce_streams=True,
            record_timing=False,
            store_widget_state=False,
            resources={"metadata": {"path": str(folder)}},
        )
        await client.async_execute(env={**env, "IPYTHONDIR": settings})


def clean(notebook: Notebook) -> None:
    """Drop what changes from run to run or shows as an error in a fresh clone."""
    notebook.metadata = nbf.from_dict(METADATA)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(WIDGET_VIEW, None)


def serialize(notebook: Notebook) -> str:
    """Return the notebook as text: stable key order, one trailing newline."""
    nbf.validate(notebook)
    return str(nbf.writes(notebook)).rstrip("\n") + "\n"


async def build(source: Path, lang: str, out: Path) -> str:
    """Return the text of one generated notebook."""
    notebook = assemble(read_source(source), lang)
    folder = out / lang
    folder.mkdir(parents=True, exist_ok=True)
    await execute(notebook, folder)
    clean(notebook)
    return serialize(notebook)


def difference(path: Path, expected: str) -> str:
    """Return "" if the file holds the expected text, else a short reason with a diff."""
    if not path.exists():
        return f"{path} is missing"
    found = path.read_text(encoding="utf-8")
    if found == expected:
        return ""
    old, new = found.splitlines(), expected.splitlines()
    diff = list(difflib.unified_diff(old, new, "file", "built", n=0, lineterm=""))
    short = [line if len(line) <= 160 else line[:157] + "..." for line in diff[:20]]
    return "\n".join([f"{path} is out of date", *short])


def strays(out: Path, sources: Iterable[Path]) -> Iterator[Path]:
    """Yield notebooks that no source makes."""
    names = {source.stem for source in sources}
    for lang in LANGUAGES:
        yield from (p for p in sorted((out / lang).glob("*.ipynb")) if p.stem not in names)


async def run(sources: list[Path], langs: list[str], out: Path, check: bool) -> list[str]:
    """Build every (source, language) pair, a kernel per processor; return the complaints."""
    slots = asyncio.Semaphore(os.cpu_count() or 1)

    async def one(source: Path, lang: str) -> str:
        async with slots:
            start = time.perf_counter()
            path = out / lang / f"{source.stem}.ipynb"
            try:
                text = await build(source, lang, out)
            except CellExecutionError as error:
                return f"{source.name} ({lang}) stopped: {ANSI.sub('', str(error))}"
            complaint = difference(path, text) if check else ""
            if not check:
                path.write_text(text, encoding="utf-8", newline="\n")
            seconds = time.perf_counter() - start
            verb = "out of date" if complaint else "up to date" if check else "written"
            print(f"{lang}/{path.name}: {verb} ({seconds:.1f} s)", flush=True)
            return complaint

    found = await asyncio.gather(*(one(source, lang) for source in sources for lang in langs))
    return [complaint for complaint in found if complaint]


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--lang", action="append", choices=LANGUAGES, help="only this language (may be repeated)"
    )
    parser.add_argument(
        "--lesson", action="append", help="only lessons whose name starts so, as 06 (repeatable)"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if a notebook is out of date"
    )
    parser.add_argument("--source", type=Path, default=LESSONS / "source", help="folder of sources")
    parser.add_argument("--out", type=Path, default=LESSONS, help="folder of the language folders")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Build or check; return the exit status."""
    args = parse(argv)
    every = sorted(args.source.glob("*.md"))
    chosen = [p for p in every if not args.lesson or p.stem.startswith(tuple(args.lesson))]
    if not chosen:
        print(f"no lesson in {args.source} matches {args.lesson or '*.md'}", file=sys.stderr)
        return 2
    try:
        complaints = asyncio.run(run(chosen, args.lang or list(LANGUAGES), args.out, args.check))
    except SourceError as error:
        print(error, file=sys.stderr)
        return 2
    complaints += [f"{path} has no source" for path in strays(args.out, every)]
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if complaints and args.check:
        print("To write the notebooks again: python lessons/build.py", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
