"""The picture without JavaScript: valid, harmless, and the same byte for byte."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import example_traces
import pytest
from tinyengine_widgets import picture
from tinyengine_widgets.scene import scene

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(params=example_traces.ALL, ids=lambda make: make.__name__)
def drawn(request):
    return scene(request.param(), "en")


def parsed(drawn):
    return ElementTree.fromstring(picture.svg(drawn))


def texts(drawn):
    return ["".join(element.itertext()) for element in parsed(drawn).iter(f"{SVG}text")]


def test_it_is_xml_with_nothing_that_could_act(drawn):
    tags = {element.tag.removeprefix(SVG) for element in parsed(drawn).iter()}
    assert tags <= {
        "svg",
        "style",
        "defs",
        "marker",
        "path",
        "rect",
        "g",
        "text",
        "title",
        "circle",
    }
    for element in parsed(drawn).iter():
        assert not any(name.startswith("on") or "href" in name for name in element.attrib)


def test_it_is_the_same_every_time(drawn, request):
    again = scene(request.node.callspec.params["drawn"](), "en")
    assert picture.svg(drawn) == picture.svg(again)
    assert not re.search(r"0x[0-9a-f]{6}|\d\.\d{5}", picture.svg(drawn))


def test_it_shows_the_last_state():
    shown = texts(scene(example_traces.article(), "en"))
    for text in ("y = x @ w + b", "[[44]]", "[[43]]", "∂y/∂w = [[1] [3] [5]]", "∂y/∂b = 1"):
        assert text in shown


def test_an_operation_that_did_not_run_backward_has_no_way_back():
    drawn = parsed(scene(example_traces.article(detach=True), "en"))
    backs = [path for path in drawn.iter(f"{SVG}path") if path.get("class") == "back"]
    assert len(backs) == 4  # + to p, y to +, @ to w, p to @: none towards b


def test_hostile_names_are_text_and_nothing_else():
    drawn = scene(example_traces.hostile(), "en")
    titles = ["".join(title.itertext()) for title in parsed(drawn).iter(f"{SVG}title")]
    for name in example_traces.HOSTILE:
        printable = "".join(c if c.isprintable() else " " for c in name)
        assert any(title.startswith(f"{printable}:") for title in titles), name
    assert "<img" not in picture.svg(drawn)
    assert "<b>" not in picture.svg(drawn)


class OneImage(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_the_html_is_one_image_with_a_description(drawn):
    parser = OneImage()
    parser.feed(picture.html(drawn))
    ((tag, attributes),) = parser.found
    assert tag == "img"
    assert attributes["alt"] == "".join(c if c.isprintable() else " " for c in drawn["alt"])
    head, data = attributes["src"].split(",")
    assert head == "data:image/svg+xml;base64"
    assert base64.b64decode(data).decode() == picture.svg(drawn)


def test_it_needs_nothing_from_the_network(drawn):
    addresses = set(re.findall(r"https?://[^\"' ]+", picture.svg(drawn)))
    assert addresses <= {"http://www.w3.org/2000/svg"}
