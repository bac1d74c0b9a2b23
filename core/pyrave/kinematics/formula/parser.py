"""Parser for the formulas of mimic joints (OpenRAVE's expression language).

Operators, weakest first: ``|``, ``&``, comparisons (``= == != < <= > >=``), ``+ -``,
``* / %``, unary ``- + !``, ``^`` (right to left). A value counts as true from 0.5 on.
Named parts are written ``name := expression;`` in front of the result. Numbers use a
point whatever the locale.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import cast

from pyrave.errors import ArgumentError, SceneError, did_you_mean
from pyrave.kinematics.formula.expression import Expression, ExpressionGraph
from pyrave.kinematics.kernels import expressions as k

MAX_LENGTH = 20_000
"""Characters that a formula may have."""

MAX_DEPTH = 40
"""Levels of nesting that a formula may have."""

_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_NAME = re.compile(r"[^\W\d]\w*")
_COMPARISON = re.compile(r"==|!=|<=|>=|<|>|=")
_BLANK = re.compile(r"\s*")
_WORD = re.compile(r"\w")

_UNARY = {
    "abs": k.OP_ABS,
    "acos": k.OP_ACOS,
    "acosh": k.OP_ACOSH,
    "asin": k.OP_ASIN,
    "asinh": k.OP_ASINH,
    "atan": k.OP_ATAN,
    "atanh": k.OP_ATANH,
    "cbrt": k.OP_CBRT,
    "ceil": k.OP_CEIL,
    "cos": k.OP_COS,
    "cosh": k.OP_COSH,
    "exp": k.OP_EXP,
    "floor": k.OP_FLOOR,
    "int": k.OP_INT,
    "log": k.OP_LOG,
    "sin": k.OP_SIN,
    "sinh": k.OP_SINH,
    "sqrt": k.OP_SQRT,
    "tan": k.OP_TAN,
    "tanh": k.OP_TANH,
    "trunc": k.OP_TRUNC,
}
_BINARY = {
    "atan2": k.OP_ATAN2,
    "hypot": k.OP_HYPOT,
    "max": k.OP_MAX,
    "min": k.OP_MIN,
    "pow": k.OP_POW,
}
_Composite = Callable[[ExpressionGraph, list[int]], int]


def _inverse_of(op: int) -> _Composite:
    return lambda g, x: g.node(k.OP_DIV, g.constant(1.0), g.node(op, x[0]))


def _log_to(base: float) -> _Composite:
    scale = math.log(base)
    return lambda g, x: g.node(k.OP_DIV, g.node(k.OP_LOG, x[0]), g.constant(scale))


def _third_side(g: ExpressionGraph, x: list[int]) -> int:
    """Side opposite the angle x[1] between the sides x[0] and x[2]."""
    a, angle, b = x
    squares = g.node(k.OP_ADD, g.node(k.OP_MUL, a, a), g.node(k.OP_MUL, b, b))
    product = g.node(k.OP_MUL, g.constant(2.0), g.node(k.OP_MUL, a, b))
    cosine = g.node(k.OP_MUL, product, g.node(k.OP_COS, angle))
    return g.node(k.OP_SQRT, g.node(k.OP_SUB, squares, cosine))


def _angle_from_sas(g: ExpressionGraph, x: list[int]) -> int:
    """Angle opposite the side x[0], with the angle x[1] between it and x[2]."""
    a, angle, b = x
    height = g.node(k.OP_MUL, a, g.node(k.OP_SIN, angle))
    rest = g.node(k.OP_SUB, b, g.node(k.OP_MUL, a, g.node(k.OP_COS, angle)))
    return g.node(k.OP_ATAN2, height, rest)


def _angle_from_sides(g: ExpressionGraph, x: list[int]) -> int:
    """Angle opposite the side x[0] of a triangle with three known sides."""
    a, b, c = x
    squares = g.node(k.OP_ADD, g.node(k.OP_MUL, b, b), g.node(k.OP_MUL, c, c))
    top = g.node(k.OP_SUB, squares, g.node(k.OP_MUL, a, a))
    bottom = g.node(k.OP_MUL, g.constant(2.0), g.node(k.OP_MUL, b, c))
    return g.node(k.OP_ACOS, g.node(k.OP_DIV, top, bottom))


_COMPOSITE: dict[str, tuple[int, _Composite]] = {
    "cot": (1, _inverse_of(k.OP_TAN)),
    "csc": (1, _inverse_of(k.OP_SIN)),
    "sec": (1, _inverse_of(k.OP_COS)),
    "exp2": (1, lambda g, x: g.node(k.OP_POW, g.constant(2.0), x[0])),
    "log2": (1, _log_to(2.0)),
    "log10": (1, _log_to(10.0)),
    "if": (3, lambda g, x: g.node(k.OP_IF, *x)),
    "SSSA": (3, _angle_from_sides),
    "SASA": (3, _angle_from_sas),
    "SASS": (3, _third_side),
}
for _degree in range(2, 9):
    _COMPOSITE[f"polyroots{_degree}"] = (
        _degree + 1,
        lambda g, x: g.node(k.OP_ROOT, *x, g.constant(-math.inf), g.constant(math.inf)),
    )
_FUNCTIONS = (*_UNARY, *_BINARY, *_COMPOSITE)


class FormulaNames:
    """Names that formulas may use, sorted once for all formulas of a body.

    Names that are not of letters, digits and ``_``, or begin with a digit, are
    recognised where an operand can stand, longest first, unless a longer number or word
    stands there. Immutable.
    """

    __slots__ = ("_lengths", "_odd", "known")

    def __init__(self, names: Iterable[str]) -> None:
        self.known = frozenset(names)
        # joint names may hold characters that are operators here
        self._odd = {n for n in self.known if n and not _NAME.fullmatch(n)}
        self._lengths = sorted({len(name) for name in self._odd}, reverse=True)

    @classmethod
    def from_names(cls, names: Iterable[str] | FormulaNames) -> FormulaNames:
        """Return `names` themselves or sorted."""
        return names if isinstance(names, FormulaNames) else cls(names)

    def odd_at(self, text: str, position: int) -> str | None:
        """Return the name there that is no plain word, None if there is none."""
        if not self._odd:
            return None
        number = _NUMBER.match(text, position)
        least = number.end() if number else position
        # names are many, and their lengths few
        for length in self._lengths:
            name = text[position : position + length]
            if name in self._odd:
                end = position + len(name)
                inside = _WORD.match(text, end - 1) and _WORD.match(text, end)
                if end >= least and not inside:
                    return name
        return None


class _Parser:
    """Recursive descent over one text; builds nodes of one graph."""

    def __init__(self, text: str, names: Iterable[str] | FormulaNames) -> None:
        self.text = text
        self.position = 0
        self.depth = 0
        self.graph = ExpressionGraph()
        sorted_names = FormulaNames.from_names(names)
        self.names, self.odd_at = sorted_names.known, sorted_names.odd_at
        self.parts: dict[str, int] = {}
        self.any_names = False
        # where the last expression is, what is named before it left out
        self.span = (0, 0)
        # (start, name, of an entry) of what stands for joints
        self.places: list[tuple[int, str, bool]] = []
        if len(text) > MAX_LENGTH:
            self.fail(f"has {len(text)} characters, at most {MAX_LENGTH} are accepted")
        self.skip()

    def fail(self, message: str, hint: str | None = None) -> None:
        shown = self.text if len(self.text) <= 80 else self.text[:77] + "..."
        raise SceneError.refusal(
            "bad-formula",
            f"formula {shown!r} {message} (column {self.position + 1})",
            hint=hint,
        )

    def skip(self) -> None:
        match = _BLANK.match(self.text, self.position)
        self.position = match.end() if match else self.position

    def take(self, symbol: str) -> bool:
        if self.text.startswith(symbol, self.position):
            self.position += len(symbol)
            self.skip()
            return True
        return False

    def expect(self, symbol: str) -> None:
        if not self.take(symbol):
            found = self.text[self.position : self.position + 10] or "the end"
            self.fail(f"needs {symbol!r} before {found!r}")

    def name(self) -> str | None:
        """Take a name at the present position."""
        odd = self.odd_at(self.text, self.position)
        if odd is not None:
            return self._taken(odd)
        match = _NAME.match(self.text, self.position)
        return self._taken(match.group()) if match else None

    def _taken(self, name: str) -> str:
        self.position += len(name)
        self.skip()
        return name

    def statements(self) -> None:
        """Take all ``name := expression;`` in front of what follows."""
        while True:
            start = self.position
            name = self.name()
            if name is None or not self.take(":="):
                self.position = start
                return
            if name in _FUNCTIONS:
                self.position = start
                self.fail(f"gives a value to the function {name!r}")
            self.parts[name] = self.expression()
            self.expect(";")

    def expression(self) -> int:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"is nested deeper than {MAX_DEPTH} levels")
        result = self.either()
        self.depth -= 1
        return result

    def either(self) -> int:
        left = self.both()
        while not self.at_partial() and self.take("|"):
            left = self.graph.node(k.OP_OR, left, self.both())
        return left

    def at_partial(self) -> bool:
        """Return True if a ``|`` here opens the next entry of a list of partials."""
        return False

    def both(self) -> int:
        left = self.comparison()
        while self.take("&"):
            left = self.graph.node(k.OP_AND, left, self.comparison())
        return left

    def comparison(self) -> int:
        left = self.sum()
        while match := _COMPARISON.match(self.text, self.position):
            symbol = self._taken(match.group())
            right = self.sum()
            ops = {"<": k.OP_LT, ">": k.OP_LT, "<=": k.OP_LE, ">=": k.OP_LE}
            op = ops.get(symbol, k.OP_NE if symbol == "!=" else k.OP_EQ)
            if symbol.startswith(">"):
                left, right = right, left
            left = self.graph.node(op, left, right)
        return left

    def sum(self) -> int:
        left = self.product()
        while True:
            if self.take("+"):
                left = self.graph.node(k.OP_ADD, left, self.product())
            elif self.take("-"):
                left = self.graph.node(k.OP_SUB, left, self.product())
            else:
                return left

    def product(self) -> int:
        left = self.signed()
        while True:
            if self.take("*"):
                left = self.graph.node(k.OP_MUL, left, self.signed())
            elif self.take("/"):
                left = self.graph.node(k.OP_DIV, left, self.signed())
            elif self.take("%"):
                left = self.graph.node(k.OP_MOD, left, self.signed())
            else:
                return left

    def signed(self) -> int:
        signs = []
        while self.position < len(self.text) and self.text[self.position] in "-+!":
            if self.text.startswith("!=", self.position):
                break
            if self.odd_at(self.text, self.position) is not None:
                break
            signs.append(self._taken(self.text[self.position]))
        result = self.power()
        for sign in reversed(signs):
            if sign != "+":
                op = k.OP_NEG if sign == "-" else k.OP_NOT
                result = self.graph.node(op, result)
        return result

    def power(self) -> int:
        base = self.operand()
        if not self.take("^"):
            return base
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"is nested deeper than {MAX_DEPTH} levels")
        exponent = self.signed()
        self.depth -= 1
        return self.graph.node(k.OP_POW, base, exponent)

    def operand(self) -> int:
        start = self.position
        if self.take("("):
            inner = self.expression()
            self.expect(")")
            return inner
        match = _NUMBER.match(self.text, self.position)
        if match and self.odd_at(self.text, self.position) is None:
            value = float(match.group())
            if not math.isfinite(value):
                self.fail("has a number that is too large")
            self._taken(match.group())
            return self.graph.constant(value)
        name = self.name()
        if name is None:
            found = self.text[self.position : self.position + 10]
            where = f"found {found!r}" if found else "it ends here"
            self.fail(f"needs a number, a name or '(': {where}")
            return 0
        if name in self.parts:
            return self.parts[name]
        if name in _FUNCTIONS and self.text.startswith("(", self.position):
            return self.call(name)
        self.places.append((start, name, False))
        if name not in self.names and not self.any_names:
            self.position = start
            known = (*self.names, *self.parts, *_FUNCTIONS)
            near = did_you_mean(name, known).removeprefix(", ")
            self.fail(f"uses the unknown name {name!r}", near or None)
        return self.graph.load(name)

    def call(self, name: str) -> int:
        start = self.position
        self.expect("(")
        arguments = []
        if not self.take(")"):
            arguments.append(self.expression())
            while self.take(","):
                arguments.append(self.expression())
            self.expect(")")
        composite = _COMPOSITE.get(name)
        count = composite[0] if composite else 1 if name in _UNARY else 2
        if len(arguments) != count:
            self.position = start
            self.fail(f"calls {name} with {len(arguments)} arguments, it takes {count}")
        if composite:
            return composite[1](self.graph, arguments)
        op = _UNARY[name] if name in _UNARY else _BINARY[name]
        return self.graph.node(op, *arguments)

    def run(self) -> object:
        """Read the whole text."""
        return self.result()

    def result(self) -> int:
        self.statements()
        start = self.position
        root = self.expression()
        self.span = (start, self.position)
        self.take(";")
        self.end()
        return root

    def end(self) -> None:
        if self.position < len(self.text):
            found = self.text[self.position : self.position + 10]
            self.fail(f"goes on with {found!r} where an operator was expected")


class _PartialsParser(_Parser):
    """Reads ``part := ...; |name expr |name expr``."""

    def at_partial(self) -> bool:
        if self.depth != 1 or not self.text.startswith("|", self.position):
            return False
        # "|name expr" opens an entry, "a | b" goes on: what follows the name tells
        start = self.position
        self.take("|")
        name = self.name()
        rest = self.text[self.position : self.position + 1]
        self.position = start
        opens = rest.isalnum() or (rest != "" and rest in "_.(-+!")
        return name in self.names and opens

    def run(self) -> object:
        return self.partials()

    def partials(self) -> dict[str, Expression]:
        self.statements()
        found: dict[str, Expression] = {}
        while self.position < len(self.text):
            self.expect("|")
            start = self.position
            name = self.name()
            if name is None or (name not in self.names and not self.any_names):
                self.position = start
                near = did_you_mean(name or "", self.names).removeprefix(", ")
                self.fail(f"has a partial of the unknown name {name!r}", near or None)
            elif name in found:
                self.position = start
                self.fail(f"has two partials of {name!r}")
            else:
                self.places.append((start, name, True))
                found[name] = Expression(self.graph, self.expression())
        return found


def parse_formula(
    text: str,
    names: Iterable[str] | FormulaNames,
    within: tuple[float, float] | None = None,
) -> Expression:
    """Parse a formula over the given names.

    Parameters
    ----------
    text
        For example ``"JF1/3 + 0.8727"`` or ``"a := sin(J0); a*a + J1_1"``.
    names
        Names that it may use; `FormulaNames` for many formulas over many names.
    within
        Range of the result: where the formula is a polynomial root, or one plus or
        minus a number, one with the result in this range is taken if there is one.

    Raises
    ------
    SceneError
        What is wrong and in which column of the formula, with the nearest known name.

    Examples
    --------
    >>> parse_formula("2*J0 + 1", ["J0"]).evaluate({"J0": 0.5})
    2.0
    """
    parser = _Parser(text, names)
    root = parser.result()
    if within is not None:
        root = _chosen(parser.graph, root, *within)
    return Expression(parser.graph, root)


def _chosen(graph: ExpressionGraph, root: int, low: float, high: float) -> int:
    """Return a result with its polynomial root, plus or minus numbers, in a range."""
    node, around = root, []
    while (part := graph.nodes[node])[0] != k.OP_ROOT:
        op, operands = part
        if op not in (k.OP_ADD, k.OP_SUB):
            return root
        first, second = cast("tuple[int, int]", operands)
        if op == k.OP_ADD and graph.value_of(first) is not None:
            first, second = second, first
        number = graph.value_of(second)
        if number is None:
            return root
        less = number if op == k.OP_ADD else -number
        low, high = low - less, high - less
        around.append((op, second))
        node = first
    coefficients = cast("tuple[int, ...]", part[1][:-2])
    node = graph.node(
        k.OP_ROOT, *coefficients, graph.constant(low), graph.constant(high)
    )
    for op, second in reversed(around):
        node = graph.node(op, node, second)
    return node


def with_less(text: str, names: Iterable[str] | FormulaNames, value: float) -> str:
    """Return a formula whose result is less by a number; one not readable stays.

    Examples
    --------
    >>> with_less("a := 2*J0; a + 1;", ["J0"], 0.5)
    'a := 2*J0; (a + 1) - 0.5'
    """
    parser = _Parser(text, names)
    parser.any_names = True
    try:
        parser.result()
    except (ArgumentError, SceneError):
        return text
    start, end = parser.span
    return f"{text[:start]}({text[start:end].rstrip()}) - {value!r}"


def parse_partials(
    text: str, names: Iterable[str] | FormulaNames
) -> dict[str, Expression]:
    """Parse a ``|name expression`` list of partial derivatives.

    Raises
    ------
    SceneError
        As `parse_formula`; also for a name that occurs twice.
    """
    return _PartialsParser(text, names).partials()


def with_variables(
    text: str,
    names: Iterable[str] | FormulaNames,
    new: Callable[[str], str],
    entry: Callable[[str], str] | None = None,
) -> str:
    """Return a formula with other texts where its variables stand.

    Functions, and parts that the formula itself names, stay; so does a formula that
    cannot be read.

    Parameters
    ----------
    text
        A formula, or a ``|name expression`` list.
    names
        Names that it may use; it may have others, too.
    new
        What to put in the place of a variable.
    entry
        And in that of the name before an expression of a list. None: it is no list.

    Examples
    --------
    >>> with_variables("2*J0 + sin(J1)", ["J0", "J1"], lambda name: f"left_{name}")
    '2*left_J0 + sin(left_J1)'
    """
    try:
        parser = _PartialsParser(text, names) if entry else _Parser(text, names)
        parser.any_names = True
        parser.run()
    except (ArgumentError, SceneError):
        return text
    for start, name, begins in reversed(parser.places):
        put = entry if entry and begins else new
        text = text[:start] + put(name) + text[start + len(name) :]
    return text
