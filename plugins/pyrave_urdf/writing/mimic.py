"""``<mimic>``: formulas of joints that are one factor and one offset."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from pyrave.errors import Error
from pyrave.kinematics.formula import FormulaNames, parse_formula

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyrave.scene import BodyDescription
    from pyrave_urdf.mimic import Leading

_Linear = tuple[dict[str, float], float]


def leaders(
    body: BodyDescription,
    written: Mapping[tuple[str, int], str],
    refuse: Callable[[str], None],
) -> dict[str, Leading]:
    """Return who leads the written joints that follow one other.

    Parameters
    ----------
    written
        Name of the written joint of each (joint, number of its axis); empty if nothing
        can follow it.
    refuse
        Told the name of each joint that follows in a way which URDF has not.
    """
    names = _names(body)
    known = FormulaNames(names)
    found: dict[str, Leading] = {}
    for joint in body.joints:
        for number, axis in enumerate(joint.axes):
            name = written.get((joint.name, number))
            if axis.mimic is None or not name:
                continue
            try:
                linear = _linear(parse_formula(axis.mimic.position, known).terms())
            except Error:
                linear = None
            leader = _leader(linear, names, written)
            if leader is None:
                refuse(name)
            else:
                found[name] = leader
    return found


def _names(body: BodyDescription) -> dict[str, tuple[str, int]]:
    """Return what the names in formulas mean: ``J`` and ``J_0`` are axis 0 of J."""
    names: dict[str, tuple[str, int]] = {}
    for joint in body.joints:
        for number in range(len(joint.axes)):
            names.setdefault(f"{joint.name}_{number}", (joint.name, number))
    names.update({one.name: (one.name, 0) for one in body.joints if one.axes})
    return names


def _leader(
    linear: _Linear | None,
    names: Mapping[str, tuple[str, int]],
    written: Mapping[tuple[str, int], str],
) -> Leading | None:
    if linear is None:
        return None
    factors, offset = linear
    merged: dict[str, float] = {}
    for name, factor in factors.items():
        leader = written.get(names[name], "")
        merged[leader] = merged.get(leader, 0.0) + factor
    if len(merged) != 1 or "" in merged:
        return None
    ((leader, factor),) = merged.items()
    fits = math.isfinite(factor) and math.isfinite(offset)
    return (leader, factor, offset) if fits else None


def _linear(terms: Sequence[tuple[str, tuple[float | str, ...]]]) -> _Linear | None:
    """Return the factors and the offset of an expression, None if it is not linear."""
    found: list[_Linear | None] = []
    for operation, operands in terms:
        found.append(_term(operation, operands, found))
    return found[-1] if found else None


def _term(
    operation: str, operands: tuple[object, ...], before: list[_Linear | None]
) -> _Linear | None:
    if operation == "const":
        return {}, float(cast("float", operands[0]))
    if operation == "load":
        return {str(operands[0]): 1.0}, 0.0
    parts = [before[int(cast("int", place))] for place in operands]
    if any(part is None for part in parts):
        return None
    known = cast("list[_Linear]", parts)
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


def _sum(one: _Linear, other: _Linear, sign: float) -> _Linear:
    factors = dict(one[0])
    for name, factor in other[0].items():
        factors[name] = factors.get(name, 0.0) + sign * factor
    return factors, one[1] + sign * other[1]


def _times(one: _Linear, change: Callable[[float], Any]) -> _Linear:
    return {name: change(factor) for name, factor in one[0].items()}, change(one[1])
