"""The source format, the conversion, and the check that generated files are up to date."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

SOURCE = """\
---
kernelspec:
  display_name: Python 3
  name: python3
---

+++ {"lang": "en", "id": "title"}

# Tensors, see `张量`

+++ {"lang": "zh-Hans", "id": "title"}

# 张量，见 `张量`

```{code-cell} ipython3
:id: first

print("张量")
```
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "00_sample.md"
    path.write_text(text, encoding="utf-8")
    return path


def test_prose_is_split_by_language_and_code_is_shared(build: ModuleType, tmp_path: Path) -> None:
    cells = build.read_source(write(tmp_path, SOURCE))
    sources = {
        lang: [(cell.id, cell.source) for cell in build.assemble(cells, lang).cells]
        for lang in build.LANGUAGES
    }
    code = ("first", 'print("张量")')
    for lang, title in [
        ("en", "# Tensors, see `张量`"),
        ("zh-Hans", "# 张量，见 `张量`"),
        ("zh-Hant", "# 張量，見 `张量`"),
    ]:
        language = ("language", build.language_code(lang))
        assert sources[lang] == [("title", title), language, code]


@pytest.mark.parametrize(
    ("simplified", "traditional"),
    [
        ("数据节点为实心圈，里面是张量", "數據節點為實心圈，裡面是張量"),
        ("求导器 `数据.求导()` 的结果", "求導器 `数据.求导()` 的結果"),
        ("公式 $数_x$ 与 $$数 = 1$$ 不变", "公式 $数_x$ 與 $$数 = 1$$ 不變"),
        ("见[张量](张量.ipynb)", "見[張量](张量.ipynb)"),
        ("```\n张量\n```\n张量", "```\n张量\n```\n張量"),
        ('<a title="张量">张量</a>', '<a title="张量">張量</a>'),
    ],
)
def test_traditional_text_keeps_terms_code_formulas_and_links(
    build: ModuleType, simplified: str, traditional: str
) -> None:
    assert build.to_traditional(simplified) == traditional


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"lang": "zh-Hans", "id": "title"',
            '"lang": "zh-Hans", "id": "titel"',
            "'title' is written in",
        ),
        ('{"lang": "en", "id": "title"}', '{"lang": "fr", "id": "title"}', "has the lang 'fr'"),
        ('{"lang": "en", "id": "title"}', '{"lang": "en"}', "has the id None"),
        (":id: first", ":id: language", "has the id 'language'"),
        (":id: first", ":id: first\n:lang: en", "is code with a lang"),
        (":id: first", ":id: title", "'title' is written in"),
        ("# 张量，见", '# 甲\n\n+++ {"lang": "zh-Hans", "id": "title"}\n\n# 乙', "is written in"),
    ],
)
def test_a_source_that_breaks_a_rule_is_refused_by_name(
    build: ModuleType, tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in SOURCE
    path = write(tmp_path, SOURCE.replace(old, new, 1))
    with pytest.raises(build.SourceError, match=message) as caught:
        build.read_source(path)
    assert "00_sample.md" in str(caught.value)


def test_a_cell_may_not_appear_twice(build: ModuleType, tmp_path: Path) -> None:
    again = SOURCE + "\n```{code-cell} ipython3\n:id: other\n\n1\n```\n" + SOURCE.split("---\n")[-1]
    with pytest.raises(build.SourceError, match="appears twice"):
        build.read_source(write(tmp_path, again))


class Builder:
    """The command line of the build: call it with arguments; it keeps what was complained of."""

    def __init__(self, build: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
        self.build, self.capsys, self.complaints = build, capsys, ""

    def __call__(self, *args: str | Path) -> int:
        # In a thread of its own, because the browser tests leave an event loop in this one.
        with ThreadPoolExecutor(1) as pool:
            status: int = pool.submit(self.build.main, [str(arg) for arg in args]).result()
        self.complaints = self.capsys.readouterr().err
        return status


@pytest.fixture
def run(build: ModuleType, capsys: pytest.CaptureFixture[str]) -> Builder:
    return Builder(build, capsys)


def test_the_generated_lessons_are_up_to_date(run: Builder) -> None:
    assert run("--check") == 0, run.complaints


def test_check_notices_an_edit_and_a_stray(run: Builder, tmp_path: Path) -> None:
    source, out = tmp_path / "source", tmp_path / "out"
    source.mkdir()
    write(source, SOURCE)
    here = ("--source", source, "--out", out, "--lang", "en")
    assert run(*here) == 0
    made = out / "en" / "00_sample.ipynb"
    first = made.read_text(encoding="utf-8")

    made.write_text(first.replace("张量", "張量"), encoding="utf-8")
    (out / "zh-Hant").mkdir()
    (out / "zh-Hant" / "99_stray.ipynb").write_text("{}", encoding="utf-8")
    assert run(*here, "--check") == 1
    assert "00_sample.ipynb is out of date" in run.complaints
    assert "99_stray.ipynb has no source" in run.complaints


def test_check_notices_a_missing_file(build: ModuleType, tmp_path: Path) -> None:
    assert "00_sample.ipynb is missing" in build.difference(tmp_path / "00_sample.ipynb", "")


def test_a_lesson_that_stops_is_reported_with_its_cell(run: Builder, tmp_path: Path) -> None:
    write(tmp_path, SOURCE.replace('print("张量")', "1 / 0"))
    assert run("--source", tmp_path, "--out", tmp_path / "out", "--lang", "en") == 1
    assert "00_sample.md (en) stopped" in run.complaints
    assert "ZeroDivisionError" in run.complaints
    assert not (tmp_path / "out" / "en" / "00_sample.ipynb").exists()


def test_an_unknown_lesson_is_an_error(run: Builder) -> None:
    assert run("--lesson", "77") == 2
    assert "no lesson" in run.complaints


def test_a_source_that_breaks_a_rule_stops_the_build(run: Builder, tmp_path: Path) -> None:
    write(tmp_path, SOURCE.replace(":id: first", ":id: title"))
    assert run("--source", tmp_path, "--out", tmp_path / "out") == 2
    assert "'title' is written in" in run.complaints
