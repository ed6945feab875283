"""Every visible text in every language."""

from __future__ import annotations

import ast
import pathlib
import re

import example_traces
import pytest
import tinyengine_widgets
from tinyengine_widgets import get_language, set_language
from tinyengine_widgets.catalogue import CATALOGUE, LANGUAGES, Words
from tinyengine_widgets.scene import scene

FILES = sorted(pathlib.Path(tinyengine_widgets.__file__).parent.glob("*.py"))
CJK = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture(autouse=True)
def _restore_language():
    before = tinyengine_widgets.catalogue._language
    yield
    tinyengine_widgets.catalogue._language = before


def test_all_languages_say_the_same_things():
    assert set(CATALOGUE) == set(LANGUAGES)
    for lang in LANGUAGES:
        assert CATALOGUE[lang].keys() == CATALOGUE["en"].keys()
        for key, text in CATALOGUE[lang].items():
            assert text.strip(), (lang, key)
            parts = set(re.findall(r"{(\w+)}", text))
            assert parts == set(re.findall(r"{(\w+)}", CATALOGUE["en"][key])), (lang, key)


def test_every_text_is_used():
    source = "".join(path.read_text("utf-8") for path in FILES)
    for key in CATALOGUE["en"]:
        written = {key, key.rpartition(".")[2]}
        assert sum(source.count(f'"{name}"') for name in written) > len(LANGUAGES), key


@pytest.mark.parametrize("make", example_traces.ALL)
def test_no_english_is_left_in_a_chinese_player(make):
    for lang in ("zh-Hans", "zh-Hant"):
        drawn = scene(make(), lang)
        sentences = [frame["sentence"] for frame in drawn["frames"]]
        if make is not example_traces.failed:  # its last sentence quotes the engine's message
            assert all(CJK.search(text) or ".grad" in text for text in sentences)
        assert all(CJK.search(text) for text in drawn["ui"]["legend"].values())


def test_words_for_learners_stand_in_the_catalogue_only():
    for path in FILES:
        if path.name == "catalogue.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not CJK.search(node.value), (path.name, node.value)


def test_the_language_is_set_or_comes_from_the_environment(monkeypatch):
    monkeypatch.setattr(tinyengine_widgets.catalogue, "_language", None)
    monkeypatch.delenv("TINYENGINE_LANG", raising=False)
    assert get_language() == "en"
    monkeypatch.setenv("TINYENGINE_LANG", "zh-Hant")
    assert get_language() == "zh-Hant"
    monkeypatch.setenv("TINYENGINE_LANG", "xx")
    assert get_language() == "en"
    set_language("zh-Hans")
    assert get_language() == "zh-Hans"
    with pytest.raises(ValueError, match="unknown language 'xx': allowed are en, zh-Hans, zh-Han"):
        set_language("xx")


def test_parts_are_data_and_never_templates():
    assert Words("en")("start.one", names="{x} {0}") == "{x} {0} is given."
    assert Words("en").listed(["a"]) == "a"
    assert Words("zh-Hans").listed(["a", "b", "c"]) == "a、b 和 c"
