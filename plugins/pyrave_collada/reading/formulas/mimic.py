"""Joints that follow others: ``<formula>`` of a model or of an axis."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pyrave.scene import MimicFormula
from pyrave_collada.document.extras import openrave_part
from pyrave_collada.document.faults import ElementError
from pyrave_collada.document.parsed import child, children, local_tag
from pyrave_collada.reading.formulas.mathml import Function, expression

if TYPE_CHECKING:
    from pyrave_collada.reading.kinematics.models import Axis, Joint
    from pyrave_collada.reading.kinematics.systems import System
    from pyrave_collada.reading.load import ColladaReading


def read_formulas(
    system: System, reading: ColladaReading
) -> dict[tuple[Joint, Axis], MimicFormula]:
    """Return the formulas of a system's axes, by joint and axis.

    Angles in formulas are radians, lengths are in the unit of the document.
    """
    found = {}
    for _, model in system.models:
        for formula in model.formulas:
            target = _target(formula, model.element, system, reading)
            if target is not None:
                made = _formula(formula, target, model.element, system, reading)
                if made is not None:
                    found[target] = made
    for key, settings in system.settings.items():
        for formula in settings.formulas:
            made = _formula(formula, key, formula.getparent(), system, reading)
            if made is not None:
                found[key] = made
    return found


def _target(
    formula: Any, context: Any, system: System, reading: ColladaReading
) -> tuple[Joint, Axis] | None:
    target = child(formula, "target")
    name = None if target is None else child(target, "param")
    path = "" if name is None else (name.get("ref") or name.text or "").strip()
    found = reading.library.find(path, context) if path else None
    where = None if found is None else system.axis_of(found)
    if where is None:
        reading.dangling(formula, "the target of the formula", path)
    return where


def _formula(
    formula: Any,
    target: tuple[Joint, Axis],
    context: Any,
    system: System,
    reading: ColladaReading,
) -> MimicFormula | None:
    equation = _equation(formula)
    if equation is None:
        reading.warn(
            formula,
            "bad-formula",
            "<formula> holds no equation; the joint follows nothing",
            "put MathML into its <technique_common>",
        )
        return None

    unit, function = reading.unit(formula), partial(_function, reading)

    def axis_at(path: str, element: Any) -> tuple[str, Axis]:
        where = reading.library.find(path, context)
        leader = None if where is None else system.axis_of(where)
        if leader is None:
            raise ElementError(f"the joint {path!r} is not found", element)
        joint, axis = leader
        index = joint.axes.index(axis)
        return joint.name if index == 0 else f"{joint.name}_{index}", axis

    def variable(path: str, element: Any) -> str:
        name, axis = axis_at(path, element)
        return f"({name}/{unit!r})" if axis.prismatic and unit != 1.0 else name

    try:
        text = expression(equation, variable, function)
    except ElementError as error:
        reading.warn(
            error.element,
            "bad-formula",
            f"{error}; the joint {target[0].name!r} is free",
        )
        return None
    reading.partials.compare(
        formula, equation, lambda path, one: axis_at(path, one)[0], function
    )
    if target[1].prismatic and unit != 1.0:
        text = f"({text}*{unit!r})"
    return MimicFormula(text, location=reading.location(formula))


def _function(reading: ColladaReading, url: str, element: Any) -> Function | None:
    """Return the function that a formula of a library defines by its parameters."""
    found = reading.library.by_url(url, element)
    if found is None or found.tag != "formula":
        return None
    body = _equation(found)
    names = tuple(one.get("sid") or "" for one in children(found, "newparam"))
    return None if body is None else Function(names, body)


def _equation(formula: Any) -> Any:
    """Return the MathML of the position: OpenRAVE's technique wins."""
    own = openrave_part(formula)
    if own is not None:
        for one in children(own, "equation"):
            if one.get("type") == "position":
                return next(children(one), None)
    common = child(formula, "technique_common")
    if common is None:
        return None
    for one in children(common):
        if local_tag(one) == "math" and not len(one):
            continue
        return one
    return None
