"""GraphPlayer: plays what the engine did, forward and backward, step by step."""

from __future__ import annotations

import pathlib
from types import TracebackType
from typing import Any

import anywidget
import traitlets

from tinyengine.trace import Trace

from . import picture
from .catalogue import checked_language, get_language
from .scene import scene
from .values import labelled

_BUNDLE = (pathlib.Path(__file__).parent / "static" / "graphplayer.js").read_text("utf-8")


class GraphPlayer(anywidget.AnyWidget):
    """A player for the computation graph of whatever runs inside its ``with`` block.

    Args:
        trace: what to play; by default what the ``with`` block does.
        lang: "en", "zh-Hans" or "zh-Hant"; by default that of `set_language`.

    Raises:
        ValueError: the language is unknown.
        TypeError: `trace` is not a Trace.

    >>> import tinyengine as te
    >>> from tinyengine.autodiff import GradManager
    >>> w, x = te.tensor(2.), te.tensor(3.)
    >>> with GraphPlayer() as player, GradManager().attach(w) as gm:
    ...     y = w * x
    ...     gm.backward(y)
    >>> player
    GraphPlayer(4 steps, y = 6)
    """

    # A trait of our own: anywidget would give every instance a class and a file watcher.
    _esm = traitlets.Unicode(_BUNDLE).tag(sync=True)

    scene = traitlets.Dict(help="What is drawn, and the frames.").tag(sync=True)
    step = traitlets.Int(0, help="The frame that is shown; 0 is the start.").tag(sync=True)
    playing = traitlets.Bool(False, help="Whether the frames advance by themselves.").tag(sync=True)
    speed = traitlets.Float(1.0, help="How fast, from 0.25 to 4.").tag(sync=True)
    selected = traitlets.Unicode("", help="The id of the node that was clicked.").tag(sync=True)
    lang = traitlets.Unicode("en", help="The language of every text.").tag(sync=True)

    def __init__(self, trace: Trace | None = None, *, lang: str | None = None) -> None:
        if trace is not None and not isinstance(trace, Trace):
            raise TypeError(
                f"GraphPlayer(): expected a Trace, got {type(trace).__name__}; or use it as"
                " `with GraphPlayer() as player:` around the computation"
            )
        self.trace = Trace() if trace is None else trace
        lang = checked_language(get_language() if lang is None else lang)
        super().__init__(scene=scene(self.trace, lang), lang=lang)

    @property
    def steps(self) -> int:
        """The number of the last step."""
        return len(self.scene["frames"]) - 1

    def __enter__(self) -> GraphPlayer:
        if self.trace.nodes and not self.trace.watching:
            self.trace = Trace()  # a player shows what its latest block did
        self.trace.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.trace.__exit__(kind, error, traceback)
        self.scene = scene(self.trace, self.lang)

    def close(self) -> None:
        """Take the player out of the notebook, with its layout, which ipywidgets would keep."""
        self.layout.close()
        super().close()

    @traitlets.validate("step")
    def _within(self, proposal: Any) -> int:
        return max(0, min(int(proposal.value), self.steps))

    @traitlets.validate("speed")
    def _sensible(self, proposal: Any) -> float:
        return max(0.25, min(float(proposal.value), 4.0))

    @traitlets.validate("lang")
    def _known(self, proposal: Any) -> str:
        return checked_language(proposal.value)

    @traitlets.observe("lang")
    def _translate(self, _: Any) -> None:
        self.scene = scene(self.trace, self.lang)

    def __repr__(self) -> str:
        outputs = [n for n in self.trace.nodes if n["kind"] == "result"][-1:]
        last = "".join(f", {labelled(n['name'], n['value'])}" for n in outputs)
        return f"GraphPlayer({self.steps} step{'s' * (self.steps != 1)}{last})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        fallback = {"text/plain": repr(self), "text/html": picture.html(self.scene)}
        return {**data, **fallback}, metadata
