"""GraphPlayer as Python sees it: traits, text form, what a notebook stores."""

from __future__ import annotations

import gc
import weakref

import example_traces
import pytest
import traitlets
from ipywidgets import Widget
from tinyengine_widgets import GraphPlayer

import tinyengine as te
from tinyengine import Trace
from tinyengine.autodiff import GradManager


def recorded():
    w, x = te.tensor(2.0), te.tensor(3.0)
    with GraphPlayer() as player, GradManager().attach(w) as gm:
        y = w * x
        gm.backward(y)
    return player, w, y


def test_it_plays_what_ran_in_its_block_with_the_names_of_the_variables():
    player, w, _ = recorded()
    assert player.scene["title"] == "y = w · x"
    assert w.grad.item() == 3.0
    assert player.steps == 4


def test_the_text_form_is_short_and_the_same_every_time():
    assert [repr(recorded()[0]) for _ in range(2)] == ["GraphPlayer(4 steps, y = 6)"] * 2
    assert repr(GraphPlayer()) == "GraphPlayer(0 steps)"
    assert repr(GraphPlayer(example_traces.article())) == "GraphPlayer(7 steps, y = [[43]])"
    with GraphPlayer() as player:
        y = te.tensor([0.0] * 100) + 1.0
    assert y.shape == (100,)
    assert repr(player) == "GraphPlayer(1 step, y: (100,))"


def test_a_notebook_stores_the_view_a_picture_and_the_text():
    player, _, _ = recorded()
    data, _ = player._repr_mimebundle_()
    assert data["text/plain"] == "GraphPlayer(4 steps, y = 6)"
    assert data["text/html"].startswith("<img alt=")
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data.keys() == {*data} & {
        "text/plain",
        "text/html",
        "application/vnd.jupyter.widget-view+json",
    }


def test_step_and_speed_are_kept_in_bounds():
    player, _, _ = recorded()
    player.step = 99
    assert player.step == 4
    player.step = -1
    assert player.step == 0
    player.speed = 100
    assert player.speed == 4.0


def test_another_language_changes_every_text_and_keeps_the_step():
    player, _, _ = recorded()
    player.step = 2
    player.lang = "zh-Hans"
    assert player.scene["frames"][1]["sentence"] == "× 由 w 和 x 算出 y = 6。"
    assert player.scene["ui"]["play"] == "播放"
    assert player.step == 2


def test_wrong_arguments_are_refused_with_advice():
    with pytest.raises(ValueError, match="unknown language 'fr': allowed are en, zh-Hans, zh-Hant"):
        GraphPlayer(lang="fr")
    with pytest.raises(TypeError, match=r"expected a Trace, got Tensor; or use it as `with Graph"):
        GraphPlayer(te.tensor(1.0))
    player, _, _ = recorded()
    with pytest.raises((ValueError, traitlets.TraitError), match="unknown language"):
        player.lang = "xx"


def test_an_error_in_the_block_passes_and_what_ran_is_shown():
    a, b = te.tensor([1.0, 2.0]), te.tensor([1.0, 2.0, 3.0])
    player = GraphPlayer()
    with pytest.raises(ValueError, match="add"), player:
        a + b
    assert player.scene["frames"][-1]["sentence"].startswith("+ refuses a and b")


def test_a_second_block_starts_afresh_and_a_block_in_itself_is_refused():
    player, _, _ = recorded()
    x = te.tensor(1.0)
    with player:
        z = x + 1
    assert z.item() == 2.0
    assert repr(player) == "GraphPlayer(1 step, z = 2)"
    with player, pytest.raises(RuntimeError, match="watches already; leave its `with` block"):
        player.__enter__()


def test_the_article_can_stand_unchanged_inside_the_block():
    namespace: dict = {"GraphPlayer": GraphPlayer}
    exec(
        """
import tinyengine as mge
import tinyengine.functional as F
from tinyengine.autodiff import GradManager
with GraphPlayer() as player:
    x = mge.tensor([1., 3., 5.]).reshape(1, 3)
    w = mge.tensor([2., 4., 6.]).reshape(3, 1)
    b = mge.tensor(-1.)
    gm = GradManager().attach([w, b])
    gm.record()
    p = F.matmul(x, w)
    y = p + b
    gm.backward(y)
    gm.release()
""",
        namespace,
    )
    names = {node["label"] for node in namespace["player"].scene["nodes"]}
    assert {"x", "w", "b", "p", "y"} <= names


def test_drawing_changes_no_gradient_and_can_be_repeated():
    x = te.tensor([1.0, 2.0])
    gm = GradManager().attach(x)
    with Trace() as trace, gm:
        y = (x * x).sum()
        before = GraphPlayer(trace)
        gm.backward(y)
    players = [GraphPlayer(trace) for _ in range(2)]
    assert not any(frame["grad"] for frame in before.scene["frames"])
    assert all("x.grad = [2 4]" in p.scene["frames"][-1]["sentence"] for p in players)
    assert x.grad.tolist() == [2.0, 4.0]


def test_closed_players_leave_nothing_behind():
    from ipywidgets.widgets import widget

    count, alive = len(widget._instances), []
    for _ in range(30):
        player, _, y = recorded()
        alive.append(weakref.ref(y))
        alive.append(weakref.ref(player))
        player.close()
    del player, y
    gc.collect()
    assert len(widget._instances) == count
    assert [ref for ref in alive if ref() is not None] == []


def test_the_state_that_travels_is_small():
    player = GraphPlayer(example_traces.article())
    assert isinstance(player, Widget)
    assert len(str(player.get_state()["scene"])) < 20_000
