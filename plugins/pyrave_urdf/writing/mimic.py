"""``<mimic>``: formulas of joints that are one factor and one offset."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.errors import Error
from pyrave.kinematics.formula import FormulaNames, linear_form, parse_formula

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyrave.kinematics.formula import LinearForm
    from pyrave.scene import BodyDescription
    from pyrave_urdf.reading.elements.mimic import Leading


def leaders(
    body: BodyDescription,
    written: Mapping[tuple[str, int], str],
    refuse: Callable[[str], None],
) -> dict[str, Leading]:
    """Return the leaders of the written joints that follow one other.

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
                linear = linear_form(parse_formula(axis.mimic.position, known))
            except Error:
                linear = None
            leader = _leader(linear, names, written)
            if leader is None:
                refuse(name)
            else:
                found[name] = leader
    return found


def _names(body: BodyDescription) -> dict[str, tuple[str, int]]:
    """Return the axes of names in formulas: ``J`` and ``J_0`` are axis 0 of J."""
    names: dict[str, tuple[str, int]] = {}
    for joint in body.joints:
        for number in range(len(joint.axes)):
            names.setdefault(f"{joint.name}_{number}", (joint.name, number))
    names.update({one.name: (one.name, 0) for one in body.joints if one.axes})
    return names


def _leader(
    linear: LinearForm | None,
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
