"""Every visible sentence, in every language; the only file with words for learners in it."""

from __future__ import annotations

import os
from typing import Any

LANGUAGES = ("en", "zh-Hans", "zh-Hant")

_EN: dict[str, str] = {
    "play": "Play",
    "pause": "Pause",
    "first": "To start",
    "last": "To end",
    "back": "Step back",
    "forward": "Step",
    "scrub": "Step {n} of {total}",
    "speed": "Speed",
    "table": "Steps as text",
    "step": "step {n} of {total}",
    "rule": "rule",
    "none": "no gradient",
    "legend.data": "data",
    "legend.op": "operator",
    "legend.forward": "forward",
    "legend.backward": "backward",
    "note.input": "input",
    "note.attached": "attached",
    "note.parameter": "parameter",
    "note.constant": "constant",
    "empty": "Nothing was recorded: compute something inside the with block.",
    "title.hidden": "{title}  (the first {shown} of {total} operations)",
    "alt": "Computation graph of {title}, {total} steps. {last}",
    "start": "{names} are given.",
    "start.one": "{names} is given.",
    "made": "{op} takes {inputs} and makes {result}.",
    "failed": "{op} refuses {inputs}: {message}",
    "seed": "Backward begins at {name}: {result}.",
    "seed.dy": "Backward begins at {name} with {result}.",
    "reached": "The gradient goes back through {op} to {name}: {result}.",
    "first part": "A first part of the gradient reaches {name} through {op}: {result}.",
    "another part": "Another part of the gradient reaches {name} through {op}: {result}.",
    "sum": "{name} is used more than once, so the parts add up: {result}.",
    "end": "{grads}.",
    "grown": " ({gradient} was added)",
    "unreached": "No gradient reaches {name}, so {name}.grad stays {grad}.",
    "detached": "No gradient reaches {name}: it was detached, so {name}.grad stays {grad}.",
    "and": " and ",
    "comma": ", ",
}

_ZH_HANS: dict[str, str] = {
    "play": "播放",
    "pause": "暂停",
    "first": "回到开头",
    "last": "跳到结尾",
    "back": "上一步",
    "forward": "下一步",
    "scrub": "第 {n} 步，共 {total} 步",
    "speed": "速度",
    "table": "文字步骤",
    "step": "第 {n} 步，共 {total} 步",
    "rule": "法则",
    "none": "没有梯度",
    "legend.data": "数据节点",
    "legend.op": "计算节点",
    "legend.forward": "前向",
    "legend.backward": "反向",
    "note.input": "输入",
    "note.attached": "已绑定",
    "note.parameter": "参数",
    "note.constant": "常量",
    "empty": "没有记录到任何运算：请在 with 代码段中进行计算。",
    "title.hidden": "{title}（共 {total} 个运算，只画前 {shown} 个）",
    "alt": "{title} 的计算图，共 {total} 步。{last}",
    "start": "给定 {names}。",
    "start.one": "给定 {names}。",
    "made": "{op} 由 {inputs} 算出 {result}。",
    "failed": "{op} 不接受 {inputs}：{message}",
    "seed": "反向传播从 {name} 开始：{result}。",
    "seed.dy": "反向传播从 {name} 开始，{result}。",
    "reached": "梯度经过 {op} 回到 {name}：{result}。",
    "first part": "第一份梯度经过 {op} 到达 {name}：{result}。",
    "another part": "又一份梯度经过 {op} 到达 {name}：{result}。",
    "sum": "{name} 被用了不止一次，各份梯度相加：{result}。",
    "end": "{grads}。",
    "grown": "（累加了 {gradient}）",
    "unreached": "没有梯度到达 {name}，所以 {name}.grad 仍是 {grad}。",
    "detached": "没有梯度到达 {name}：它被 detach 了，所以 {name}.grad 仍是 {grad}。",
    "and": " 和 ",
    "comma": "、",
}

_ZH_HANT: dict[str, str] = {
    "play": "播放",
    "pause": "暫停",
    "first": "回到開頭",
    "last": "跳到結尾",
    "back": "上一步",
    "forward": "下一步",
    "scrub": "第 {n} 步，共 {total} 步",
    "speed": "速度",
    "table": "文字步驟",
    "step": "第 {n} 步，共 {total} 步",
    "rule": "法則",
    "none": "沒有梯度",
    "legend.data": "數據節點",
    "legend.op": "計算節點",
    "legend.forward": "前向",
    "legend.backward": "反向",
    "note.input": "輸入",
    "note.attached": "已綁定",
    "note.parameter": "參數",
    "note.constant": "常量",
    "empty": "沒有記錄到任何運算：請在 with 代碼段中進行計算。",
    "title.hidden": "{title}（共 {total} 個運算，只畫前 {shown} 個）",
    "alt": "{title} 的計算圖，共 {total} 步。{last}",
    "start": "給定 {names}。",
    "start.one": "給定 {names}。",
    "made": "{op} 由 {inputs} 算出 {result}。",
    "failed": "{op} 不接受 {inputs}：{message}",
    "seed": "反向傳播從 {name} 開始：{result}。",
    "seed.dy": "反向傳播從 {name} 開始，{result}。",
    "reached": "梯度經過 {op} 回到 {name}：{result}。",
    "first part": "第一份梯度經過 {op} 到達 {name}：{result}。",
    "another part": "又一份梯度經過 {op} 到達 {name}：{result}。",
    "sum": "{name} 被用了不止一次，各份梯度相加：{result}。",
    "end": "{grads}。",
    "grown": "（累加了 {gradient}）",
    "unreached": "沒有梯度到達 {name}，所以 {name}.grad 仍是 {grad}。",
    "detached": "沒有梯度到達 {name}：它被 detach 了，所以 {name}.grad 仍是 {grad}。",
    "and": " 和 ",
    "comma": "、",
}

CATALOGUE = {"en": _EN, "zh-Hans": _ZH_HANS, "zh-Hant": _ZH_HANT}

_VARIABLE = "TINYENGINE_LANG"
_language: str | None = None


def checked_language(lang: str) -> str:
    """`lang` if the catalogue has it.

    Raises:
        ValueError: it has not.
    """
    if lang not in CATALOGUE:
        raise ValueError(f"unknown language {lang!r}: allowed are {', '.join(LANGUAGES)}")
    return lang


def set_language(lang: str) -> None:
    """Show widgets made from now on in `lang`: "en", "zh-Hans" or "zh-Hant".

    Raises:
        ValueError: there is no such language.
    """
    global _language
    _language = checked_language(lang)


def get_language() -> str:
    """The language of widgets made now: the one set, else that of TINYENGINE_LANG, else "en"."""
    chosen = os.environ.get(_VARIABLE, "en")
    return _language or (chosen if chosen in CATALOGUE else "en")


class Words:
    """The catalogue in one language.

    >>> Words("en")("start", names="w and b")
    'w and b are given.'
    """

    def __init__(self, lang: str) -> None:
        self._texts = CATALOGUE[checked_language(lang)]

    def __call__(self, key: str, **parts: Any) -> str:
        """The sentence `key` with its parts filled in; parts are data and never templates."""
        return self._texts[key].format(**parts)

    def listed(self, names: list[str]) -> str:
        """`names` as a list in a sentence."""
        comma, last = self._texts["comma"], self._texts["and"]
        return last.join([comma.join(names[:-1]), names[-1]] if len(names) > 1 else names)

    def interface(self) -> dict[str, Any]:
        """What the controls of a widget say."""
        keys = [
            "play",
            "pause",
            "first",
            "last",
            "back",
            "forward",
            "scrub",
            "speed",
            "table",
            "step",
            "rule",
            "none",
        ]
        legend = ("data", "op", "forward", "backward")
        texts: dict[str, Any] = {key: self._texts[key] for key in keys}
        return texts | {"legend": {key: self._texts[f"legend.{key}"] for key in legend}}
