"""Symbol: an operand that writes itself.

An op's own rules, run on Symbols, give the text of the chain rule, so the text cannot drift from
the code.

>>> import tinyengine.functional as F
>>> x, w = Symbol("x", (1, 3)), Symbol("w", (3, 1))
>>> F.matmul(x, w).text
'x @ w'
>>> gradient(F.matmul.op, [x, w], Symbol("p"), derivative("y", "p"), 1).text
'xᵀ @ ∂y/∂p'
>>> local_derivative(F.mul.op, [Symbol("a"), Symbol("b")], Symbol("c"), 0).latex
'b'
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from .op import OPERATORS, Op

ATOM = 9
"""The precedence of what never needs brackets."""

_INFIX = {"add": ("+", 1), "sub": ("−", 1), "matmul": ("@", 3), "mul": ("·", 4), "div": ("/", 4)}
_NEG = 2
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
        self.latex = _latex_name(text) if latex is None else latex
        self.mathml = f"<mi>{_escaped(text)}</mi>" if mathml is None else mathml
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
            level=_NEG,
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
    level = ATOM if text[:1] not in "-−" else _NEG
    text = text.replace("-", "−")
    return Symbol(
        text, latex=text.replace("−", "-"), mathml=f"<mn>{_escaped(text)}</mn>", level=level
    )


def array(text: str, rows: Sequence[Sequence[str]], shape: tuple[int, ...]) -> Symbol:
    """An array of one or two axes, its elements already written, row by row."""
    cells = [[cell.replace("-", "−") for cell in row] for row in rows]
    latex = r" \\ ".join(" & ".join(row) for row in cells).replace("−", "-")
    table = "".join(
        "<mtr>" + "".join(f"<mtd><mn>{_escaped(c)}</mn></mtd>" for c in row) + "</mtr>"
        for row in cells
    )
    return Symbol(
        text.replace("-", "−"),
        shape,
        latex=rf"\begin{{bmatrix}} {latex} \end{{bmatrix}}",
        mathml=f"<mrow><mo>[</mo><mtable>{table}</mtable><mo>]</mo></mrow>",
    )


def derivative(of: str, by: str, shape: tuple[int, ...] = ()) -> Symbol:
    """∂`of`/∂`by`, where `by` has this shape."""
    over, under = _latex_name(of), _latex_name(by)
    d = "<mo>∂</mo>"
    return Symbol(
        f"∂{of}/∂{by}",
        shape,
        latex=rf"\frac{{\partial {over}}}{{\partial {under}}}",
        mathml=f"<mfrac><mrow>{d}<mi>{_escaped(of)}</mi></mrow>"
        f"<mrow>{d}<mi>{_escaped(by)}</mi></mrow></mfrac>",
    )


def equation(*sides: Symbol) -> Symbol:
    """The sides, joined by equals signs; a side that only repeats the one before is left out."""
    kept = [s for i, s in enumerate(sides) if i == 0 or s.text != sides[i - 1].text]
    return Symbol(
        " = ".join(side.text for side in kept),
        latex=" = ".join(side.latex for side in kept),
        mathml="<mo>=</mo>".join(side.mathml for side in kept),
        level=0,
    )


def local_derivative(
    op: Op,
    operands: Sequence[Symbol],
    out: Symbol,
    operand: int,
    attributes: Mapping[str, Any] | None = None,
) -> Symbol:
    """∂out/∂operand of an element-wise op, from its own rule."""
    rule = _rule(op, operand)
    return symbol(rule(*_needed(rule, op, operands, out, None, operand, attributes)))


def gradient(
    op: Op,
    operands: Sequence[Symbol],
    out: Symbol,
    dout: Symbol,
    operand: int,
    attributes: Mapping[str, Any] | None = None,
) -> Symbol:
    """What reaches an operand when `dout` arrives at the result: the rule, written down."""
    op = op.of(len(operands))
    rule = _rule(op, operand)
    written = symbol(rule(*_needed(rule, op, operands, out, dout, operand, attributes)))
    return dout * written if op.elementwise else written


def summed(part: Symbol) -> Symbol:
    """The sum over the axes along which an operand was stretched."""
    return part.prefixed("Σ", r"\sum")


def needs(op: Op, operand: int) -> set[str]:
    """What the rule for this operand names."""
    return set(inspect.signature(_rule(op, operand)).parameters)


def _rule(op: Op, operand: int) -> Callable[..., Any]:
    rule = op.rules[op.operands[operand]]
    if rule is None:
        raise ValueError(f"{op.name} has no derivative with respect to {op.operands[operand]}")
    return rule


def _needed(
    rule: Callable[..., Any],
    op: Op,
    operands: Sequence[Symbol],
    out: Symbol,
    dout: Symbol | None,
    operand: int,
    attributes: Mapping[str, Any] | None,
) -> list[Any]:
    known: dict[str, Any] = {**op.attributes, **(attributes or {}), "out": out, "dout": dout}
    for name, value in zip(op.operands, operands, strict=True):
        known |= {name: value, f"{name}_shape": value.shape}
        known |= {f"{name}_{fact}": f"{value.text}.{fact}" for fact in ("dtype", "device")}
    if op.family:
        shapes = [value.shape for value in operands]
        known |= {op.family: operands, f"{op.family}_shape": shapes, "which": operand}
    return [known.get(name) for name in inspect.signature(rule).parameters]


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
    right = _bracketed(right, max(inner + (sign in "−/"), _NEG + 1))  # a + (−b)
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
    inside = comma.join(
        [p.mathml for p in parts] + [f"<mtext>{_escaped(e)}</mtext>" for e in extra]
    )
    text = ", ".join([p.text for p in parts] + extra)
    latex = ", ".join([p.latex for p in parts] + [_latex_name(e) for e in extra])
    return Symbol(
        f"{name}({text})",
        parts[0].shape if parts else (),
        latex=rf"\operatorname{{{name}}}({latex})",
        mathml=f"<mi>{_escaped(name)}</mi><mo>(</mo>{inside}<mo>)</mo>",
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


def _escaped(text: str) -> str:
    """`text` for XML, which cannot hold control characters."""
    return escape("".join(c if c.isprintable() else " " for c in text))


def _mo(sign: str) -> str:
    return f"<mo>{_escaped(sign)}</mo>"


def _latex_name(name: str) -> str:
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
