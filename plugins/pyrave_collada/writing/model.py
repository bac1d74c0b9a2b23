"""Kinematics models: joints, trees of links, formulas."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pyrave_collada.vocabulary import GLUE
from pyrave_collada.writing.formulas import add_formulas
from pyrave_collada.writing.tags import (
    add,
    add_exact,
    add_extra,
    add_pose,
    degrees,
    numbers,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave_collada.writing.plan import BodyPlan, WrittenAxis

_CLASSES = {"robot": "GenericRobot", "kinbody": ""}
"""Names that OpenRAVE's writer gives the generic classes."""


def add_model(library: Any, plan: BodyPlan, lose: Callable[[str], None]) -> Any:
    """Append the ``<kinematics_model>`` of a body.

    Parameters
    ----------
    lose
        Told of what COLLADA cannot say.
    """
    model = add(library, "kinematics_model", id=plan.model, name=plan.body.name)
    common = add(model, "technique_common")
    axes: dict[str, list[WrittenAxis]] = {}
    for axis in plan.axes:
        axes.setdefault(axis.joint.name, []).append(axis)
    for name in plan.joints:
        element = add(common, "joint", sid=plan.joint(name), name=name)
        for axis in axes[name]:
            _add_axis(element, axis)
        if name in plan.glue:
            add(add_exact(element), GLUE)
    _add_links(common, plan)
    add_formulas(common, plan, lose)
    add_class(model, plan)
    return model


def add_class(holder: Any, plan: BodyPlan) -> None:
    """Append what class a body is of."""
    kind, name = class_of(plan)
    technique = add_extra(holder, "interface_type")
    add(technique, "interface", name or _CLASSES[kind], type=kind)


def class_of(plan: BodyPlan) -> tuple[str, str]:
    """Return a body's interface type, and ``"Id args"`` or nothing."""
    from pyrave.scene import RobotDescription

    is_robot = isinstance(plan.body, RobotDescription)
    return "robot" if is_robot else "kinbody", plan.body.interface


def limits_of(axis: WrittenAxis) -> tuple[float, float] | None:
    """Return lower and upper limit as COLLADA has them (degrees or metres), or None."""
    if not axis.moves:
        return 0.0, 0.0
    known = axis.joint.axes[axis.number]
    return None if known.circular else _limits(axis, known.lower, known.upper)


def _hard_limits(axis: WrittenAxis) -> tuple[float, float] | None:
    """Return the limits of a joint itself: those of its hardware, if they are known."""
    if axis.moves:
        known = axis.joint.axes[axis.number]
        if math.isfinite(known.hard_lower) and math.isfinite(known.hard_upper):
            return _limits(axis, known.hard_lower, known.hard_upper)
    return limits_of(axis)


def _limits(axis: WrittenAxis, lower: float, upper: float) -> tuple[float, float]:
    if lower == upper:
        return 0.0, 0.0  # readers take equal limits as 0
    if axis.prismatic:
        return lower, upper
    return degrees(lower), degrees(upper)


def _add_axis(joint: Any, axis: WrittenAxis) -> None:
    tag = "prismatic" if axis.prismatic else "revolute"
    element = add(joint, tag, sid=f"axis{axis.number}")
    add(element, "axis", numbers(axis.direction))
    limits = _hard_limits(axis)
    if limits is not None:
        pair = add(element, "limits")
        add(pair, "min", numbers(limits[:1]))
        add(pair, "max", numbers(limits[1:]))


def _add_links(common: Any, plan: BodyPlan) -> None:
    """Append the tree of links, without recursion: chains may be long."""
    base = plan.base
    top = add(common, "link", sid=plan.link(base), name=base)
    waiting = [(base, top, plan.zero[base], True)]
    while waiting:
        name, element, pose, is_whole = waiting.pop()
        add_pose(element, pose)
        if not is_whole:
            continue
        found = []
        for hanging in plan.below.get(name, ()):
            joint = hanging.joint
            attached = add(
                element, "attachment_full", joint=plan.joint_path(joint.name)
            )
            add_pose(attached, hanging.before)
            # a loop is closed by naming the link once more
            sid, child = plan.link(joint.child), joint.child
            below = add(attached, "link", sid=sid, name=child)
            found.append((child, below, hanging.after, not hanging.closes))
        waiting += reversed(found)
