"""What holds for every generated notebook, in every language."""

from __future__ import annotations

import base64
import re
from collections import Counter
from typing import Any
from xml.etree import ElementTree

import pytest

from .conftest import LANGUAGES, LESSONS, NAMES, SOURCES, load

IMAGE = re.compile(r'<img\b[^>]*\bsrc="data:image/svg\+xml;base64,([^"]+)"[^>]*>')
ALT = re.compile(r'\balt="([^"]+)"')
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", re.S)
HEADING = re.compile(r"^(#{1,6}) ", re.M)
# A folder of some machine, or an address in memory: neither is the same for the next reader.
PRIVATE = re.compile(
    r"(?<![\w.:/])/(?:home|root|tmp|usr|work|Users|private|var)/\w|[A-Z]:\\\\|0x[0-9a-f]{6}"
)

pairs = pytest.mark.parametrize(
    ("lang", "name"), [(lang, name) for name in NAMES for lang in LANGUAGES]
)


def text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "".join(value)


def cells(lang: str, name: str, kind: str) -> list[dict[str, Any]]:
    return [cell for cell in load(lang, name)["cells"] if cell["cell_type"] == kind]


def outputs(lang: str, name: str) -> list[dict[str, Any]]:
    return [output for cell in cells(lang, name, "code") for output in cell["outputs"]]


def test_there_is_one_notebook_for_each_source_and_language() -> None:
    assert NAMES
    for lang in LANGUAGES:
        assert sorted(path.stem for path in (LESSONS / lang).glob("*.ipynb")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_languages_have_the_same_cells_headings_and_formulas(name: str) -> None:
    def shape(lang: str) -> list[tuple[Any, ...]]:
        return [
            (
                cell["id"],
                cell["cell_type"],
                HEADING.findall(text(cell["source"])) if cell["cell_type"] == "markdown" else [],
                Counter(FORMULA.findall(text(cell["source"]))),
            )
            for cell in load(lang, name)["cells"]
        ]

    english = shape("en")
    assert len({row[0] for row in english}) == len(english)
    for lang in LANGUAGES[1:]:
        assert shape(lang) == english


@pytest.mark.parametrize("name", NAMES)
def test_only_the_language_cell_differs_in_code(name: str) -> None:
    codes = {
        lang: {cell["id"]: text(cell["source"]) for cell in cells(lang, name, "code")}
        for lang in LANGUAGES
    }
    for lang in LANGUAGES:
        language = codes[lang].pop("language")
        assert language.splitlines()[-1] == f'set_language("{lang}")'
    assert codes["en"] == codes["zh-Hans"] == codes["zh-Hant"]


@pairs
def test_prose_is_in_the_language_of_its_folder(lang: str, name: str) -> None:
    for cell in cells(lang, name, "markdown"):
        chinese = re.search(r"[\u4e00-\u9fff]", text(cell["source"])) is not None
        assert chinese == (lang != "en"), cell["id"]


@pairs
def test_every_code_cell_was_run_in_order(lang: str, name: str) -> None:
    counts = [cell["execution_count"] for cell in cells(lang, name, "code")]
    assert counts == list(range(1, len(counts) + 1))


@pairs
def test_cells_that_print_or_show_have_an_output(lang: str, name: str) -> None:
    shown = 0
    for cell in cells(lang, name, "code"):
        source = text(cell["source"])
        printing = "print(" in source
        player = source.rstrip().splitlines()[-1] == "player"
        kinds = Counter(output["output_type"] for output in cell["outputs"])
        assert kinds["stream"] == (1 if printing else 0), cell["id"]
        assert kinds["execute_result"] == (1 if player else 0), cell["id"]
        shown += bool(cell["outputs"])
    assert 0 < shown <= 15


@pairs
def test_outputs_hold_nothing_that_changes_or_fails_in_a_fresh_clone(lang: str, name: str) -> None:
    notebook = load(lang, name)
    assert notebook["metadata"].keys() == {"kernelspec", "language_info"}
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert notebook["metadata"]["language_info"] == {"name": "python"}
    raw = (LESSONS / lang / f"{name}.ipynb").read_text(encoding="utf-8")
    assert "widget-view" not in raw
    assert not PRIVATE.findall(raw)
    for cell in notebook["cells"]:
        assert cell["metadata"].keys() <= {"tags"}
    for output in outputs(lang, name):
        assert output["output_type"] in ("stream", "execute_result")
        assert output.get("name", "stdout") == "stdout"
        assert output.get("metadata", {}) == {}


@pairs
def test_every_player_leaves_a_picture_with_a_text(lang: str, name: str) -> None:
    players = [out["data"] for out in outputs(lang, name) if out["output_type"] == "execute_result"]
    assert players
    for data in players:
        assert text(data["text/plain"]).startswith("GraphPlayer(")
        page = text(data["text/html"])
        image = IMAGE.search(page)
        assert image is not None
        alt = ALT.search(image.group(0))
        assert alt is not None
        assert len(alt.group(1)) > 20
        assert (re.search(r"[\u4e00-\u9fff]", alt.group(1)) is not None) == (lang != "en")
        picture = ElementTree.fromstring(base64.b64decode(image.group(1), validate=True))
        assert picture.tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_the_glossary_is_kept(source: Any) -> None:
    rows = [
        [field.strip() for field in line.strip("|").split("|")]
        for line in (LESSONS / "glossary.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ][2:]
    refused = [word for row in rows for word in row[2].split(", ") if word]
    assert len(refused) > 5
    prose = source.read_text(encoding="utf-8")
    assert [word for word in refused if word in prose] == []


@pairs
def test_links_to_other_lessons_lead_somewhere(lang: str, name: str) -> None:
    for cell in cells(lang, name, "markdown"):
        for target in re.findall(r"\]\(([^)]+)\)", text(cell["source"])):
            if not target.startswith("https://"):
                assert (LESSONS / lang / target).is_file(), target
