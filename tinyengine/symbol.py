r"""Symbol: an operand that writes itself, as plain text, as LaTeX and as MathML.

>>> x, w = Symbol("x"), Symbol("w")
>>> (x * w + 1).text, (x / (1 + w)).latex
('x · w + 1', 'x / \\left(1 + w\\right)')
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from .op import OPERATORS, Op

ATOM = 9
"""The precedence of what never needs brackets."""

_INFIX = {"add": ("+", 1), "sub": ("−", 1), "matmul": ("@", 3), "mul": ("·", 4), "div": ("/", 4)}
NEG = 2
_POSTFIX = 5


class Symbol:
    """An expression: a name, or an op applied to expressions.

    Attributes:
        text: the expression as plain text.
        latex: the same for MathJax.
        mathml: the same as the inside of a ``<math>`` element.
        shape: of the value it stands for; rules may ask for it.
        level: how tightly the outermost operation binds.
    """

    __slots__ = ("latex", "level", "mathml", "shape", "text")

    def __init__(
        self,
        text: str,
        shape: tuple[int, ...] = (),
        *,
        latex: str | None = None,
        mathml: str | None = None,
        level: int = ATOM,
    ) -> None:
        self.text = text
        self.latex = latex_name(text) if latex is None else latex
        self.mathml = f"<mi>{escaped(text)}</mi>" if mathml is None else mathml
        self.shape = shape
        self.level = level

    @property
    def ndim(self) -> int:
        """The number of axes of the value."""
        return len(self.shape)

    def apply_op(self, op: Op, operands: Sequence[Any], attributes: Mapping[str, Any]) -> Symbol:
        """`op` of `operands`, written down. Ops call this instead of computing."""
        symbols = [symbol(operand) for operand in operands]
        changed = {k: v for k, v in attributes.items() if not _same(v, op.attributes[k])}
        if op.written is not None:
            return symbol(op.written(*symbols, **attributes))
        if op.name == "pow":
            return _power(*symbols)
        if op.name in _INFIX and not changed:
            return _infix(*_INFIX[op.name], *symbols)
        required = {k for k, v in op.attributes.items() if v is inspect.Parameter.empty}
        given = [_attribute(k, v, k not in required) for k, v in changed.items()]
        return _call(op.name, symbols, given)

    # How ops are written that are neither infix nor a call by their name; see Op.writes.

    def called(self, name: str, *others: Symbol | str) -> Symbol:
        """``name(x, others)``, first further operands, then attributes as text."""
        operands = [self, *(other for other in others if isinstance(other, Symbol))]
        return _call(name, operands, [other for other in others if isinstance(other, str)])

    def prefixed(self, sign: str, latex: str) -> Symbol:
        """``−x``, ``Σ x``."""
        part = _bracketed(self, _INFIX["mul"][1])
        space = " " * (len(latex) > 1)
        return Symbol(
            sign + space + part.text,
            part.shape,
            latex=latex + space + part.latex,
            mathml=_mo(sign) + part.mathml,
            level=NEG,
        )

    def indexed(self, key: Any) -> Symbol:
        """``x[key]``."""
        part, inside = _bracketed(self, _POSTFIX), f"[{_key(key)}]"
        return Symbol(
            part.text + inside,
            part.shape,
            latex=part.latex + inside,
            mathml=part.mathml + _mo(inside),
            level=_POSTFIX,
        )

    def transposed(self) -> Symbol:
        """``xᵀ``."""
        part = _bracketed(self, _POSTFIX)
        return Symbol(
            part.text + "ᵀ",
            part.shape[:-2] + part.shape[-2:][::-1],
            latex=part.latex + r"^{\top}",
            mathml=f"<msup><mrow>{part.mathml}</mrow><mo>T</mo></msup>",
            level=_POSTFIX,
        )

    def compared(self, sign: str, other: Any) -> Symbol:
        """``[x > y]``: 1 where it holds, 0 where not."""
        right = symbol(other)
        return Symbol(
            f"[{self.text} {sign} {right.text}]",
            self.shape,
            latex=f"[{self.latex} {sign} {right.latex}]",
            mathml=f"<mrow><mo>[</mo>{self.mathml}{_mo(sign)}{right.mathml}<mo>]</mo></mrow>",
        )

    def __pow__(self, other: Any) -> Symbol:
        return _operate("pow", self, other)

    def __rpow__(self, other: Any) -> Symbol:
        return _operate("pow", other, self)

    def __repr__(self) -> str:
        return f"Symbol({self.text!r})"

    def __add__(self, other: Any) -> Symbol:
        return _operate("add", self, other)

    def __radd__(self, other: Any) -> Symbol:
        return _operate("add", other, self)

    def __sub__(self, other: Any) -> Symbol:
        return _operate("sub", self, other)

    def __rsub__(self, other: Any) -> Symbol:
        return _operate("sub", other, self)

    def __mul__(self, other: Any) -> Symbol:
        return _operate("mul", self, other)

    def __rmul__(self, other: Any) -> Symbol:
        return _operate("mul", other, self)

    def __truediv__(self, other: Any) -> Symbol:
        return _operate("truediv", self, other)

    def __rtruediv__(self, other: Any) -> Symbol:
        return _operate("truediv", other, self)

    def __matmul__(self, other: Any) -> Symbol:
        return _operate("matmul", self, other)

    def __neg__(self) -> Symbol:
        return _operate("neg", self)


def symbol(value: Any) -> Symbol:
    """`value` as a Symbol: a number as its digits."""
    return value if isinstance(value, Symbol) else number(f"{value:g}")


def number(text: str) -> Symbol:
    """A number, or "nan" or "inf", already written."""
    level = ATOM if text[:1] not in "-−" else NEG
    text = text.replace("-", "−")
    return Symbol(
        text, latex=text.replace("−", "-"), mathml=f"<mn>{escaped(text)}</mn>", level=level
    )


def _same(value: Any, default: Any) -> bool:
    # an array would answer == with an array
    return value is default or (type(value) is type(default) and bool(value == default))


def _operate(operator: str, *operands: Any) -> Symbol:
    symbols = [symbol(operand) for operand in operands]
    return symbols[0].apply_op(OPERATORS[operator], symbols, {})


def _bracketed(part: Symbol, level: int) -> Symbol:
    if part.level >= level:
        return part
    return Symbol(
        f"({part.text})",
        part.shape,
        latex=rf"\left({part.latex}\right)",
        mathml=f"<mrow><mo>(</mo>{part.mathml}<mo>)</mo></mrow>",
    )


_LATEX = {"·": r" \cdot ", "@": r" \, @ \, ", "−": " - ", "/": " / ", "+": " + "}


def _infix(sign: str, level: int, left: Symbol, right: Symbol) -> Symbol:
    inner = _POSTFIX if sign == "@" else level  # A @ (B · C): read by the sign, not the order
    left = _bracketed(left, inner)
    right = _bracketed(right, max(inner + (sign in "−/"), NEG + 1))  # a + (−b)
    space = "" if sign == "/" else " "
    return Symbol(
        f"{left.text}{space}{sign}{space}{right.text}",
        left.shape,
        latex=f"{left.latex}{_LATEX[sign]}{right.latex}",
        mathml=f"{left.mathml}{_mo(sign)}{right.mathml}",
        level=level,
    )


def _power(base: Symbol, exponent: Symbol) -> Symbol:
    base = _bracketed(base, _POSTFIX + 1)
    small = exponent.text.isdigit()
    text = (
        exponent.text.translate(_SUPERSCRIPTS) if small else f"^{_bracketed(exponent, ATOM).text}"
    )
    return Symbol(
        base.text + text,
        base.shape,
        latex=f"{base.latex}^{{{exponent.latex}}}",
        mathml=f"<msup><mrow>{base.mathml}</mrow><mrow>{exponent.mathml}</mrow></msup>",
        level=_POSTFIX,
    )


_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _call(name: str, parts: Sequence[Symbol], extra: list[str]) -> Symbol:
    comma = _mo(",")
    inside = comma.join([p.mathml for p in parts] + [f"<mtext>{escaped(e)}</mtext>" for e in extra])
    text = ", ".join([p.text for p in parts] + extra)
    latex = ", ".join([p.latex for p in parts] + [latex_name(e) for e in extra])
    return Symbol(
        f"{name}({text})",
        parts[0].shape if parts else (),
        latex=rf"\operatorname{{{name}}}({latex})",
        mathml=f"<mi>{escaped(name)}</mi><mo>(</mo>{inside}<mo>)</mo>",
    )


def _attribute(name: str, value: Any, named: bool) -> str:
    """An attribute between the brackets of a call; by name where it could be left out."""
    text = str(value.tolist() if hasattr(value, "tolist") else value)
    if name == "key":
        text = f"[{_key(value)}]"
    return f"{name}={text}" if named else text


def _key(key: Any) -> str:
    """An index as the learner writes it between the brackets."""
    if isinstance(key, tuple) and key:
        return ", ".join(_key(part) for part in key)
    if isinstance(key, slice):
        bounds = [key.start, key.stop] + ([] if key.step is None else [key.step])
        return ":".join("" if bound is None else str(bound) for bound in bounds)
    return "…" if key is ... else str(key.tolist() if hasattr(key, "tolist") else key)


def escaped(text: str) -> str:
    """`text` for XML, which cannot hold control characters."""
    return escape("".join(c if c.isprintable() else " " for c in text))


def _mo(sign: str) -> str:
    return f"<mo>{escaped(sign)}</mo>"


def latex_name(name: str) -> str:
    """A name, of any characters, as LaTeX text."""
    if len(name) == 1 and name.isalpha():
        return name
    specials = {c: f"\\{c}" for c in "#$%&_{}"} | {
        "\\": r"\backslash{}",
        "^": r"\^{}",
        "~": r"\~{}",
        "<": r"{<}",
    }
    return r"\mathrm{" + "".join(specials.get(c, c) for c in name) + "}"
