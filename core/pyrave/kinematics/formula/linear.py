"""Formulas that are sums of factors times names, and an offset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.kinematics.formula.expression import Expression

LinearForm = tuple[dict[str, float], float]
"""Factors by name, and the offset."""


def linear_form(expression: Expression) -> LinearForm | None:
    """Return the factors and the offset of an expression, None if it is not linear."""
    found: list[LinearForm | None] = []
    for operation, operands in expression.terms():
        found.append(_term(operation, operands, found))
    return found[-1] if found else None


def _term(
    operation: str, operands: tuple[object, ...], before: list[LinearForm | None]
) -> LinearForm | None:
    if operation == "const":
        return {}, float(cast("float", operands[0]))
    if operation == "load":
        return {str(operands[0]): 1.0}, 0.0
    parts = [before[int(cast("int", place))] for place in operands]
    if any(part is None for part in parts):
        return None
    known = cast("list[LinearForm]", parts)
    match operation:
        case "add":
            return _sum(known[0], known[1], 1.0)
        case "sub":
            return _sum(known[0], known[1], -1.0)
        case "neg":
            return _times(known[0], lambda x: -x)
        case "mul":
            one, other = known if not known[0][0] else known[::-1]
            return None if one[0] else _times(other, lambda x: one[1] * x)
        case "div" if not known[1][0] and known[1][1]:
            return _times(known[0], lambda x: x / known[1][1])
    return None


def _sum(one: LinearForm, other: LinearForm, sign: float) -> LinearForm:
    factors = dict(one[0])
    for name, factor in other[0].items():
        factors[name] = factors.get(name, 0.0) + sign * factor
    return factors, one[1] + sign * other[1]


def _times(one: LinearForm, change: Callable[[float], Any]) -> LinearForm:
    return {name: change(factor) for name, factor in one[0].items()}, change(one[1])
