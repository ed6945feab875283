"""Op: the one place of an operation, its forward line and its derivative side by side.

An op is a forward function with its derivative beside it::

    @op("×", operator="mul")
    def mul(x: Array, y: Array) -> Array:
        return x * y

    mul.partials(x=lambda y: y, y=lambda x: x)

Parameters annotated ``Array`` are operands, all others are attributes. A rule stands for one
operand and names what it needs; only that is kept until backward:

* an operand, an attribute, or ``out``, the result;
* ``<operand>_shape``, ``<operand>_dtype`` or ``<operand>_device``, which keep no array alive;
* ``dout``, the gradient that arrives at the result (in a vector-Jacobian product).

An op may take any number of operands, ``*inps: Array``; ``inps`` and ``inps_shape`` are then lists,
and ``which`` tells the rule for which of them it is asked.

The same rule runs on arrays (ordinary backward), on Tensors (when an outer manager records, for
higher derivatives) and on Symbols (to write itself): ops take any of them.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Protocol, cast

import numpy as np

from .backend import Array
from .chain_rule import Pull
from .dispatch import binary_call, general_call, result, unary_call
from .tensor import Tensor

Rule = Callable[..., Any]
Domain = tuple[float | None, float | None]
Finder = Callable[[Any, Any, Any], tuple[Any, ...]]

TABLE: dict[str, Op] = {}
"""Every op by name: what tests are parametrised over."""

OPERATORS: dict[str, Op] = {}
"""The op behind each Python operator, by the name of its method without underscores."""


class Op:
    """What the engine knows of one operation.

    Attributes:
        name: the public name, as in ``functional``.
        symbol: what graphs write in its node.
        forward: the function on arrays.
        operands: names of the operands, in order.
        attributes: names of the other parameters, with their defaults.
        required: the attributes that have no default.
        rules: for each operand its derivative, or None where there is none.
        elementwise: whether the rules are local derivatives (else vector-Jacobian products).
        broadcasts: whether operands stretch to a common shape.
        promotes: whether operands of several dtypes are brought to one.
        domain: between which numbers the operands must lie; None for no bound.
        written: what Symbols do instead of being written as a call, or None.
        needs: what the rules name, and so what is kept until backward: first of the arrays.
        pick: picks these arrays out of the operands and the result.
        more: finds the rest of the needs in a call, or None where there is no rest.
        pulls: the rules as the chain rule calls them.
        differentiable: whether there is any rule.
        light: whether the rules are local derivatives that need arrays and nothing else.
    """

    def __init__(
        self,
        forward: Callable[..., Array],
        symbol: str,
        broadcasts: bool,
        promotes: bool,
        domain: Domain,
    ) -> None:
        parameters = inspect.signature(forward).parameters.values()
        self.name = forward.__name__.lstrip("_")
        self.symbol = symbol
        self.forward = forward
        self.operands = [p.name for p in parameters if p.annotation in ("Array", Array)]
        self.attributes = {p.name: p.default for p in parameters if p.name not in self.operands}
        self.required = {k for k, v in self.attributes.items() if v is inspect.Parameter.empty}
        stars = [p.name for p in parameters if p.kind is p.VAR_POSITIONAL]
        self.family = stars[0] if stars else None
        self.rules: dict[str, Rule | None] = dict.fromkeys(self.operands)
        self.elementwise = False
        self.broadcasts = broadcasts
        self.promotes = promotes
        self.domain = domain
        self.written: Callable[..., Any] | None = None
        self.advice: Callable[..., str] | None = _equal_shapes if broadcasts else None
        self._state({})

    def partials(self, **rules: Rule) -> None:
        """State the local derivative ∂out/∂operand of an element-wise op, for each operand."""
        self.elementwise = True
        self.broadcasts = len(self.operands) > 1
        self.advice = _equal_shapes if len(self.operands) > 1 else None
        self._state(rules)

    def vjp(self, **rules: Rule) -> None:
        """State the vector-Jacobian product doutᵀ·∂out/∂operand for each operand."""
        self._state(rules)

    def of(self, count: int) -> Op:
        """The op of `count` operands: itself, or the member of its family with so many."""
        if self.family is None or len(self.operands) == count:
            return self
        if count not in self._members:
            self._members[count] = self._member(count)
        return self._members[count]

    def _member(self, count: int) -> Op:
        member = copy.copy(self)
        member.operands = [f"{self.family}{i}" for i in range(count)]
        member.rules = dict.fromkeys(member.operands, self.rules[str(self.family)])
        member._derive()
        return member

    def _state(self, rules: dict[str, Rule]) -> None:
        unknown = [name for name in rules if name not in self.operands]
        if unknown:
            raise TypeError(f"{self.name} has no operand {unknown[0]!r}, only {self.operands}")
        self.rules.update(rules)
        self._derive()

    def _derive(self) -> None:
        """What follows from the rules: what to keep, and how the chain rule calls them."""
        self._members: dict[int, Op] = {}
        rules = [rule for rule in self.rules.values() if rule is not None]
        names = [name for rule in rules for name in _parameters(rule)]
        needed = dict.fromkeys(n for n in names if n not in ("dout", "which"))
        arrays = [*self.operands, "out"]
        plain = [name for name in needed if name in arrays and name != self.family]
        others = [name for name in needed if name not in plain]
        self.needs = plain + others
        self.pick = _picker([arrays.index(name) for name in plain])
        self.more = self._finder(others) if others else None
        self.pulls = tuple(self._pull(rule, i) for i, rule in enumerate(self.rules.values()))
        self.differentiable = any(self.pulls)
        self.light = self.differentiable and self.elementwise and self.more is None

    def keep(
        self, values: Sequence[Any], out: Any, operands: Sequence[Any], attributes: dict[str, Any]
    ) -> tuple[Any, ...]:
        """What the rules need of a call, in the order of `needs`."""
        kept = self.pick((*values, out))
        return kept if self.more is None else kept + self.more(values, operands, attributes)

    def _finder(self, names: Sequence[str]) -> Finder:
        """A function that finds these attributes and facts about operands in a call."""
        finders = [self._find(name) for name in names]
        return lambda values, operands, attributes: tuple(
            [find(values, operands, attributes) for find in finders]
        )

    def _find(self, need: str) -> Callable[[Any, Any, Any], Any]:
        if need in self.attributes:
            return lambda values, operands, attributes: _frozen(attributes[need])
        if need == self.family:
            return lambda values, operands, attributes: values
        name, _, fact = need.rpartition("_")
        if name == self.family:
            return lambda values, operands, attributes: [getattr(x, fact) for x in operands]
        at = self.operands.index(name)
        if fact == "shape":  # a plain number has one too
            return lambda values, operands, attributes: getattr(values[at], "shape", ())
        return lambda values, operands, attributes: getattr(operands[at], fact)

    def _pull(self, rule: Rule | None, which: int) -> Pull | None:
        """The rule as a function of the gradient at the output and of what was kept."""
        if rule is None:
            return None
        names = [n for n in _parameters(rule) if n != "dout"]
        if self.family:
            places = {n: self.needs.index(n) for n in names if n != "which"}
            return lambda dout, kept: rule(
                dout, *[which if n == "which" else kept[places[n]] for n in names]
            )
        at = [self.needs.index(n) for n in names]
        pick = _picker(at)
        if not self.elementwise:
            return lambda dout, kept: rule(dout, *pick(kept))
        if not at:
            factor = rule()
            return (lambda dout, _: dout) if factor == 1 else (lambda dout, _: dout * factor)
        if len(at) == 1:
            only = at[0]
            return lambda dout, kept: dout * rule(kept[only])
        return lambda dout, kept: dout * rule(*pick(kept))

    @property
    def plain(self) -> bool:
        """Whether it takes one operand or two, and nothing else."""
        return len(self.operands) <= 2 and not self.attributes and not self.family

    def bind(
        self, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[Sequence[Any], dict[str, Any]]:
        """Operands and attributes of a call, in order.

        Raises:
            TypeError: the call does not fit the signature.
        """
        if self.family:
            return args, self.attributes | kwargs
        count = len(self.operands)
        if len(args) == count and not kwargs and not self.required:
            return args, self.attributes
        given = dict(zip(self.attributes, args[count:], strict=False)) | kwargs
        attributes = self.attributes | given
        fits = count <= len(args) <= count + len(self.attributes) == count + len(attributes)
        if fits and self.required <= given.keys():
            return args[:count], attributes
        try:
            bound = inspect.signature(self.forward).bind(*args, **kwargs)
        except TypeError as error:
            hint = "; a function of NumPy's needs x.numpy()" if "out" in kwargs else ""
            raise TypeError(f"{self.name}(): {error}{hint}") from None
        bound.apply_defaults()
        values = bound.arguments
        return [values.pop(name) for name in self.operands], values

    def explain(self, advice: Callable[..., str]) -> Callable[..., str]:
        """State what is allowed, from the operands of a call that was refused."""
        self.advice = advice
        return advice

    def writes(self, text: Callable[..., Any]) -> None:
        """State how the op is written down: a function of its operands as Symbols."""
        self.written = text

    def __repr__(self) -> str:
        return f"<op {self.name}>"


class OpFunction(Protocol):
    """What ``@op`` makes of a forward function: a function on Tensors that knows its Op."""

    op: Op
    partials: Callable[..., None]
    vjp: Callable[..., None]
    writes: Callable[..., None]
    explain: Callable[[Callable[..., str]], Callable[..., str]]
    __name__: str

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Compute, and record where a manager follows an operand."""


def op(
    symbol: str,
    *,
    operator: str | None = None,
    broadcasts: bool = False,
    promotes: bool = True,
    domain: Domain = (None, None),
) -> Callable[[Callable[..., Array]], OpFunction]:
    """Make an op of a forward function on arrays. See the top of this file.

    Args:
        symbol: what graphs write in the op's node.
        operator: the Python operator it stands for, such as "mul" for ``*``.
        broadcasts: operands stretch to a common shape (always so with partials).
        promotes: operands of several dtypes are brought to one, and the result is never 64 bits
            wide unless an operand is.
        domain: between which numbers the operands must lie; None for no bound.
    """

    def define(forward: Callable[..., Array]) -> OpFunction:
        this = Op(forward, symbol, broadcasts, promotes, domain)
        plain_call: Any = unary_call if len(this.operands) == 1 else binary_call
        call = (plain_call if this.plain else general_call)(this)
        function = cast(OpFunction, functools.wraps(forward)(_by_name(this, call)))
        function.op, function.explain, function.writes = this, this.explain, this.writes
        function.partials, function.vjp = this.partials, this.vjp
        TABLE[this.name] = this
        if operator is not None:
            OPERATORS[operator] = this
            setattr(Tensor, f"__{operator}__", call)
            if len(this.operands) == 2:
                setattr(Tensor, f"__r{operator}__", lambda y, x: call(x, y))
        return function

    return define


def method(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function of a tensor the method `name` of Tensor."""

    def bind(function: Callable[..., Any]) -> Callable[..., Any]:
        function.__name__ = function.__qualname__ = name
        setattr(Tensor, name, function)
        return function

    return bind


def quiet(forward: Callable[..., Array]) -> Callable[..., Array]:
    """Let a forward function divide by zero and overflow without a NumPy warning."""
    return np.errstate(all="ignore")(forward)


def _by_name(this: Op, call: Callable[..., Any]) -> Callable[..., Any]:
    """`call`, which takes its operands by position, for callers that name them."""

    def named(*args: Any, **kwargs: Any) -> Any:
        if len(args) == count and not kwargs:
            return call(*args)
        operands, attributes = this.bind(args, kwargs)
        return call(*operands, **attributes)

    count = len(this.operands)
    return named if this.plain else call


def _parameters(rule: Rule) -> tuple[str, ...]:
    """Names of the parameters of a rule, a plain function; inspect.signature() takes long."""
    code = rule.__code__
    return code.co_varnames[: code.co_argcount]


def _picker(places: Sequence[int]) -> Callable[[Any], tuple[Any, ...]]:
    """A function that picks these places out of a tuple, as a tuple."""
    if len(places) > 1:
        return itemgetter(*places)
    begin = places[0] if places else 0
    return itemgetter(slice(begin, begin + len(places)))


def _frozen(value: Any) -> Any:
    """An attribute as it is now: an index may be changed between forward and backward."""
    if value is None or isinstance(value, (int, float, str)):
        return value
    if isinstance(value, tuple):
        return tuple([_frozen(part) for part in value])
    if isinstance(value, slice):
        return slice(_frozen(value.start), _frozen(value.stop), _frozen(value.step))
    if isinstance(value, Tensor):
        return result(value._data, value.device)
    return copy.deepcopy(value) if isinstance(value, (list, np.ndarray)) else value


def _equal_shapes(*_: Any, **__: Any) -> str:
    return "the shapes must be equal, or an axis be of length 1 (or missing on the left) to stretch"
