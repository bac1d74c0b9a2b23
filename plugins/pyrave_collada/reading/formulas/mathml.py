"""Formulas: content MathML as OpenRAVE's expression language."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave_collada.document.faults import ElementError
from pyrave_collada.document.parsed import children, local_tag

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_DEPTH = 40
_MAX_LENGTH = 100_000

_INFIX = {
    "plus": "+",
    "times": "*",
    "divide": "/",
    "power": "^",
    "rem": "%",
    "and": "&",
    "or": "|",
}
_RELATIONS = {"eq": "=", "neq": "!=", "gt": ">", "lt": "<", "geq": ">=", "leq": "<="}
_FUNCTIONS = {
    "abs": "abs",
    "floor": "floor",
    "ceiling": "ceil",
    "exp": "exp",
    "ln": "log",
    **{name: name for name in ("sin", "cos", "tan", "sec", "csc", "cot")},
    **{name: name for name in ("sinh", "cosh", "tanh", "min", "max")},
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan")},
    **{f"arc{name}h": f"a{name}h" for name in ("sin", "cos", "tan")},
}
_CONSTANTS = {
    "pi": "3.141592653589793",
    "exponentiale": "2.718281828459045",
    "true": "1",
    "false": "0",
}
# functions that texts name: OpenRAVE's library of formulas
_NAMED = {"atan2": 2, "sssa": 3, "sasa": 3, "sass": 3, "inrange": 3}
_SPELLING = {"sssa": "SSSA", "sasa": "SASA", "sass": "SASS"}
_QUALIFIERS = {"degree", "logbase", "bvar"}


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function that a document defines: names of its values, and MathML of them."""

    parameters: tuple[str, ...]
    body: Any


def _no_function(_url: str, _element: Any) -> Function | None:
    return None


def expression(
    element: Any,
    variable: Callable[[str, Any], str],
    function: Callable[[str, Any], Function | None] = _no_function,
) -> str:
    """Return a MathML element as a text with every operation in brackets.

    Parameters
    ----------
    variable
        ``(path of a csymbol, element) -> its name`` in the expression.
    function
        ``(definitionURL, element) -> function`` of those that are not built in.

    Raises
    ------
    ElementError
        It holds something that has no meaning here.
    """
    return _Translator(variable, function).text(element, 0)


class _Translator:
    def __init__(
        self,
        variable: Callable[[str, Any], str],
        function: Callable[[str, Any], Function | None],
    ) -> None:
        self.variable = variable
        self.function = function

    def text(self, element: Any, depth: int) -> str:
        found = self.translated(element, depth)
        if len(found) > _MAX_LENGTH:  # functions in functions may double it each time
            raise ElementError(
                f"the formula has more than {_MAX_LENGTH} characters", element
            )
        return found

    def translated(self, element: Any, depth: int) -> str:
        if depth > _MAX_DEPTH:
            raise ElementError(
                f"the formula is nested deeper than {_MAX_DEPTH} levels", element
            )
        tag = local_tag(element)
        if tag in {"math", "degree", "logbase"}:
            return self.inside(element, depth)
        if tag == "apply":
            return self.apply(element, depth)
        if tag == "cn":
            return _number(element)
        if tag in {"ci", "csymbol"}:
            return self.variable((element.text or "").strip(), element)
        if tag in _CONSTANTS:
            return _CONSTANTS[tag]
        if tag == "piecewise":
            return self.piecewise(element, depth)
        raise ElementError(f"<{tag}> has no meaning in a joint's formula", element)

    def inside(self, element: Any, depth: int) -> str:
        """Return the one element in another one."""
        parts = list(children(element))
        if len(parts) != 1:
            raise ElementError(
                f"<{local_tag(element)}> holds {len(parts)} elements, expected one",
                element,
            )
        return self.text(parts[0], depth + 1)

    def apply(self, element: Any, depth: int) -> str:
        parts = list(children(element))
        if not parts:
            raise ElementError("<apply> is empty", element)
        operator, rest = parts[0], parts[1:]
        given = [one for one in rest if local_tag(one) not in _QUALIFIERS]
        extra = {local_tag(one): one for one in rest if local_tag(one) in _QUALIFIERS}
        name = local_tag(operator)
        if name == "root" and "degree" not in extra and len(given) == 2:
            extra["degree"], given = given[0], given[1:]  # CATIA writes it so
            degree = self.text(extra["degree"], depth + 1)
            return _root(self.text(given[0], depth + 1), degree)
        values = [self.text(one, depth + 1) for one in given]
        match name:
            case "csymbol" | "ci":
                return self.call(operator, values, depth)
            case "minus":
                return _minus(values, element)
            case "root":
                degree = "2"
                if "degree" in extra:
                    degree = self.text(extra["degree"], depth + 1)
                return _root(_only(values, element), degree)
            case "log":
                base = "10"
                if "logbase" in extra:
                    base = self.text(extra["logbase"], depth + 1)
                return f"(log({_only(values, element)})/log({base}))"
            case "quotient":
                first, second = _two(values, element)
                return f"trunc({first}/{second})"
            case "not":
                return f"(!{_only(values, element)})"
            case "xor":
                first, second = _two(values, element)
                return f"(({first}>=0.5)!=({second}>=0.5))"
            case "implies":
                first, second = _two(values, element)
                return f"((!{first})|{second})"
        if name in _INFIX:
            if not values:
                return {"plus": "0", "times": "1", "and": "1", "or": "0"}.get(name, "0")
            return "(" + _INFIX[name].join(values) + ")"
        if name in _RELATIONS:
            first, second = _two(values, element)
            return f"({first}{_RELATIONS[name]}{second})"
        if name in _FUNCTIONS:
            return _function(_FUNCTIONS[name], values, element)
        raise ElementError(f"<{name}> has no meaning in a joint's formula", operator)

    def call(self, operator: Any, values: list[str], depth: int) -> str:
        """Return the expression of a call of a built-in function or the document's."""
        url = operator.get("definitionURL") or operator.get("definitionurl") or ""
        name = (url.rpartition("#")[2] or operator.text or "").strip()
        if name.lower() in _NAMED:
            return _named(name, values, operator)
        function = self.function(url.strip(), operator) if url else None
        if function is None:
            raise ElementError(
                f"the function {name!r} is not known; there are atan2, INRANGE, SASA, "
                "SASS and SSSA, and those of <library_formulas>",
                operator,
            )
        if len(values) != len(function.parameters):
            raise ElementError(
                f"{name} has {len(values)} values, expected {len(function.parameters)}",
                operator,
            )
        given = dict(zip(function.parameters, values, strict=True))

        def parameter(path: str, element: Any) -> str:
            key = path.rpartition("/")[2]
            if key not in given:
                raise ElementError(f"{key!r} is no parameter of {name}", element)
            return given[key]

        inner = _Translator(parameter, self.function)
        return inner.text(function.body, depth + 1)

    def piecewise(self, element: Any, depth: int) -> str:
        total = "0"
        for rest in children(element):
            if local_tag(rest) == "otherwise":
                total = self.inside(rest, depth)
        pieces = [one for one in children(element) if local_tag(one) == "piece"]
        for piece in reversed(pieces):
            both = list(children(piece))
            if len(both) != 2:
                raise ElementError("<piece> holds a value and a condition", piece)
            value, condition = (self.text(one, depth + 1) for one in both)
            total = f"if({condition},{value},{total})"
        return total


def _number(element: Any) -> str:
    kind = element.get("type", "real")
    text = (element.text or "").strip()
    try:
        if kind == "e-notation":
            tail = "".join(one.tail or "" for one in children(element)).strip()
            value = float(f"{text}e{tail}")
        elif kind == "rational":
            tail = "".join(one.tail or "" for one in children(element)).strip()
            value = float(text) / float(tail)
        else:
            value = float(text)
    except (ValueError, ZeroDivisionError):
        value = math.nan
    if not math.isfinite(value):
        raise ElementError(f"<cn> holds {text[:40]!r}, expected a number", element)
    return repr(value) if value >= 0.0 else f"(0{value!r})"


def _minus(values: list[str], element: Any) -> str:
    if len(values) == 1:
        return f"(-{values[0]})"
    first, second = _two(values, element)
    return f"({first}-{second})"


def _root(value: str, degree: str) -> str:
    if degree in {"2", "2.0"}:
        return f"sqrt({value})"
    if degree in {"3", "3.0"}:
        return f"cbrt({value})"
    return f"({value}^(1/{degree}))"


def _function(name: str, values: list[str], element: Any) -> str:
    if name in {"min", "max"}:
        if not values:
            raise ElementError(f"<{name}> has no values", element)
        total = values[0]
        for value in values[1:]:
            total = f"{name}({total},{value})"
        return total
    return f"{name}({_only(values, element)})"


def _named(name: str, values: list[str], operator: Any) -> str:
    """Return a call of a built-in function."""
    key = name.lower()
    if len(values) != _NAMED[key]:
        raise ElementError(
            f"{name} has {len(values)} values, expected {_NAMED[key]}", operator
        )
    if key == "inrange":
        value, low, high = values
        return f"(({value}>={low})&({value}<={high}))"
    return f"{_SPELLING.get(key, key)}({','.join(values)})"


def _only(values: list[str], element: Any) -> str:
    if len(values) != 1:
        raise ElementError(f"there are {len(values)} values, expected one", element)
    return values[0]


def _two(values: list[str], element: Any) -> tuple[str, str]:
    if len(values) != 2:
        raise ElementError(f"there are {len(values)} values, expected two", element)
    return values[0], values[1]
