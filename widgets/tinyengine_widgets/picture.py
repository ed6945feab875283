"""The scene without JavaScript: an SVG of its last state, and the HTML that shows it anywhere."""

from __future__ import annotations

import base64
from html import escape
from typing import Any

from .scene import Scene

_STYLE = """
text{font:12px system-ui,"Segoe UI","Noto Sans","Noto Sans CJK SC",sans-serif}
text{fill:#1f2328;text-anchor:middle}
.label{font:italic 16px "Cambria Math","STIX Two Math",Georgia,"Times New Roman",serif}
.op .label{font:16px system-ui,"Segoe UI","Noto Sans",sans-serif}
.small{fill:#57606a}
.note{font-size:11px;fill:#57606a}.grad,.edge{fill:#b3430c}.edge{font-size:11px}.none{fill:#57606a}
.halo{paint-order:stroke;stroke:#fff;stroke-width:3px}
circle{fill:#dde4eb;stroke:#66727f;stroke-width:1.25}
.parameter circle{stroke:#1f2328;stroke-width:2}
.op circle{fill:#fff;stroke:#1f2328;stroke-width:1.5}
.there,.back{fill:none;stroke-width:1.6}.there{stroke:#0b66b2}.there.idle{stroke:#c3cad2}
.back{stroke:#b3430c;stroke-dasharray:5 4}
""".replace("\n", "")

_HEAD = (
    '<marker id="{name}" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="9" markerHeight="9"'
    ' markerUnits="userSpaceOnUse" orient="auto"><path d="M0 .5L8 4L0 7.5L1.6 4z" fill="{fill}"/>'
    "</marker>"
)
_TOP = 30
_LABEL_SIZE = 16


def svg(scene: Scene) -> str:
    """The last state of a scene as a self-contained SVG on a light card.

    The same scene gives the same text, byte for byte.
    """
    state = last_state(scene)
    width, height = max(scene["width"], 420), scene["height"] + _TOP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img" aria-label="{_attribute(scene["alt"])}">',
        f"<style>{_STYLE}</style><defs>{_HEAD.format(name='f', fill='#0b66b2')}",
        _HEAD.format(name="i", fill="#c3cad2") + _HEAD.format(name="b", fill="#b3430c") + "</defs>",
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" fill="#fff"'
        ' stroke="#d0d7de"/>',
        _text(14, 21, scene["title"], "small", anchor="start"),
        _text(width - 14, 21, _legend(scene), "small", anchor="end"),
        f'<g transform="translate({(width - scene["width"]) / 2:g} {_TOP - 8})">',
        *(_arrow(edge, state) for edge in scene["edges"]),
        *(_circle(node, state, scene["ui"]["none"]) for node in scene["nodes"]),
        *(_edge_label(edge, state) for edge in scene["edges"]),
        "</g></svg>",
    ]
    return "".join(parts)


def html(scene: Scene) -> str:
    """An image of the last state that survives where scripts and inline SVG are taken out."""
    data = base64.b64encode(svg(scene).encode()).decode()
    alt = _attribute(scene["alt"])
    return f'<img alt="{alt}" src="data:image/svg+xml;base64,{data}" style="max-width:100%">'


def text(scene: Scene) -> str:
    """The steps as lines of text."""
    lines = [f"{frame['sentence']}  {frame['rule_text']}".rstrip() for frame in scene["frames"]]
    return "\n".join([scene["title"], *(f"{i}. {line}" for i, line in enumerate(lines))])


def last_state(scene: Scene) -> dict[str, Any]:
    """What all frames together leave in the picture."""
    state: dict[str, Any] = {
        "value": {},
        "grad": {},
        "edge": {},
        "forward": set(),
        "backward": set(),
    }
    for frame in scene["frames"]:
        for texts in ("value", "grad", "edge"):
            state[texts] |= frame[texts]
        if frame["phase"] in ("forward", "backward"):
            state[frame["phase"]] |= set(frame["flow"])
    return state


def _arrow(edge: dict[str, Any], state: dict[str, Any]) -> str:
    idle = edge["id"] not in state["forward"]
    kind, head = ("there idle", "i") if idle else ("there", "f")
    drawn = f'<path class="{kind}" marker-end="url(#{head})" d="{edge["path"]}"/>'
    if edge["id"] in state["backward"]:
        drawn += f'<path class="back" marker-end="url(#b)" d="{edge["back"]}"/>'
    return drawn


def _circle(node: dict[str, Any], state: dict[str, Any], none: str) -> str:
    x, y, r = node["x"], node["y"], node["r"]
    grad = state["grad"].get(node["id"], "")
    below = y + r + 15
    parts = [
        f'<g class="{node["kind"]} {node["role"]}"><title>{_escaped(node["title"])}</title>',
        f'<circle cx="{x}" cy="{y}" r="{r}"/>',
        _text(x, y + 5, node["label"], "label", fit=2 * r - 8),
        _text(x, y - r - 8, state["value"].get(node["id"], ""), "value halo"),
        _text(x, below, node["note"], "note halo"),
        _text(
            x,
            below + 15 * bool(node["note"]),
            grad,
            "none halo" if grad == none else "grad halo",
        ),
        "</g>",
    ]
    return "".join(parts)


def _edge_label(edge: dict[str, Any], state: dict[str, Any]) -> str:
    label = edge["label"]
    content = state["edge"].get(edge["id"], "")
    return _text(label["x"], label["y"], content, "edge halo", anchor=label["anchor"])


def _text(
    x: float, y: float, content: str, kind: str, *, fit: float = 0.0, anchor: str = "middle"
) -> str:
    """A line of text; smaller where it would be wider than `fit`."""
    if not content:
        return ""
    size, place = fit / (0.62 * len(content)), "" if anchor == "middle" else f"text-anchor:{anchor}"
    style = f"font-size:{size:.1f}px" if 0 < size < _LABEL_SIZE else place
    style = f' style="{style}"' if style else ""
    return f'<text class="{kind}" x="{x:g}" y="{y:g}"{style}>{_escaped(content)}</text>'


def _legend(scene: Scene) -> str:
    words = scene["ui"]["legend"]
    signs = {"data": "●", "op": "○", "forward": "━", "backward": "┅"}
    return "   ".join(f"{sign} {words[key]}" for key, sign in signs.items())


def _escaped(content: str) -> str:
    """Text for XML, without the control characters that XML cannot hold."""
    kept = "".join(c if c.isprintable() else " " for c in content)
    return escape(kept, quote=False)


def _attribute(content: str) -> str:
    return escape("".join(c if c.isprintable() else " " for c in content))
