"""Articulated systems and kinematics scenes: what is said of axes, and their values.

Values and names of axes go through chains of parameters, from the scene inwards, so
that files that refer to a system can give others. The order and the names are those of
OpenRAVE's own writer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pyrave.errors import Error
from pyrave.kinematics.formula import parse_formula
from pyrave_collada.document.turns import turns_of
from pyrave_collada.writing.model import limits_of
from pyrave_collada.writing.tags import add, add_float, add_truth, degrees

if TYPE_CHECKING:
    from pyrave_collada.writing.plan import BodyPlan, WrittenAxis

_LONGEST_CHAIN = 16
"""Longest chain of mimic joints whose values are right."""
_HARD = {
    "hardMaxVel": "hard_velocity_limit",
    "hardMaxAccel": "hard_acceleration_limit",
    "hardMaxJerk": "hard_jerk_limit",
}
_SOFT = {
    "speed": "velocity_limit",
    "acceleration": "acceleration_limit",
    "jerk": "jerk_limit",
}


def add_systems(library: Any, plan: BodyPlan) -> Any:
    """Append both ``<articulated_system>`` of a body; return that of the motion."""
    inner = add(library, "articulated_system", id=plan.kinematics)
    kinematics = add(inner, "kinematics")
    sid = f"{plan.model}_inst"
    instance = add(
        kinematics, "instance_kinematics_model", url=f"#{plan.model}", sid=sid
    )
    _reference(instance, f"{plan.kinematics}_{sid}", f"{plan.kinematics}/{sid}")
    for axis in plan.axes:
        joint, name = plan.joint(axis.joint.name), plan.axis(axis)
        path = f"{plan.kinematics}/{sid}/{joint}/axis{axis.number}"
        _reference(instance, f"{plan.kinematics}_{sid}_{name}", path)
        _value(instance, f"{plan.kinematics}_{sid}_{name}_value", 0.0)
    common = add(kinematics, "technique_common")
    for axis in plan.axes:
        _add_kinematics_info(common, plan, axis)
    for tag, name in (("frame_origin", plan.base), ("frame_tip", _tip(plan))):
        add(common, tag, link=plan.link_path(name))

    outer = add(library, "articulated_system", id=plan.motion)
    motion = add(outer, "motion")
    instance = add(motion, "instance_articulated_system", url=f"#{plan.kinematics}")
    inside = f"{plan.kinematics}_{sid}"
    _reference(instance, f"{plan.motion}_{sid}", f"{plan.kinematics}/{inside}")
    for axis in plan.axes:
        for tail in ("", "_value"):
            name = f"{inside}_{plan.axis(axis)}{tail}"
            path = f"{plan.kinematics}/{name}"
            _reference(instance, f"{plan.motion}_{name}", path)
    common = add(motion, "technique_common")
    for axis in plan.axes:
        if axis.moves:
            _add_motion_info(common, plan, axis)
    return outer


def _tip(plan: BodyPlan) -> str:
    """Return the link at the end of a body: that of its first manipulator."""
    arms = getattr(plan.body, "manipulators", ())
    ends = [arm.end_effector for arm in arms if arm.end_effector in plan.links]
    return ends[0] if ends else plan.body.links[-1].name


def add_scene_instance(scene: Any, plan: BodyPlan) -> None:
    """Append the ``<instance_articulated_system>`` that a scene has of a body."""
    instance = add(
        scene,
        "instance_articulated_system",
        sid=f"{plan.motion}_inst",
        url=f"#{plan.motion}",
        name=plan.body.name,
    )
    sid = f"{plan.model}_inst"
    _reference(instance, f"kscene_{sid}", f"{plan.motion}/{plan.motion}_{sid}")
    values = values_of(plan)
    for axis in plan.axes:
        name = f"{plan.kinematics}_{sid}_{plan.axis(axis)}"
        path = f"{plan.motion}/{plan.motion}_{name}"
        _reference(instance, f"kscene_{sid}_{name}", path)
        _value(instance, f"kscene_{sid}_{name}_value", values[axis.index])


def add_bindings(instance: Any, plan: BodyPlan) -> None:
    """Bind a body's model and axes to its visual nodes."""
    visual, sid = f"visual{plan.number}", f"{plan.model}_inst"
    base = plan.body.links[0].name
    node = f"{visual}/node{plan.links[base]:X}"
    add(add(instance, "bind_kinematics_model", node=node), "param", f"kscene_{sid}")
    hung = {
        hanging.joint.name
        for several in plan.below.values()
        for hanging in several
        if not hanging.closes
    }
    for axis in plan.axes:
        if axis.joint.name not in hung:
            continue
        joint = plan.joint(axis.joint.name)
        target = f"{visual}/node_{joint}_axis{axis.number}"
        bind = add(instance, "bind_joint_axis", target=target)
        name = f"kscene_{sid}_{plan.kinematics}_{sid}_{plan.axis(axis)}"
        add(add(bind, "axis"), "param", name)
        add(add(bind, "value"), "param", f"{name}_value")


def values_of(plan: BodyPlan) -> list[float]:
    """Return the value of each axis, degrees or metres."""
    start = plan.start
    values: dict[str, float] = {}
    following: dict[str, str] = {}
    for axis in plan.axes:
        joint, value = axis.joint, 0.0
        if axis.moves:
            known = joint.axes[axis.number]
            value = known.initial
            if known.mimic is not None:
                following[_variable(axis)] = known.mimic.position
            else:
                value = start.get((joint.name, axis.number), value)
        values[_variable(axis)] = value
    _follow(values, following)
    _turn_one_by_one(values, plan)
    found = [values[_variable(axis)] for axis in plan.axes]
    return [
        value if axis.prismatic else degrees(value)
        for axis, value in zip(plan.axes, found, strict=True)
    ]


def _turn_one_by_one(values: dict[str, float], plan: BodyPlan) -> None:
    """Turn rotation vectors of spherical joints into turns about their axes.

    Others read such a joint as three axes that turn one after the other: this is the
    same rotation.
    """
    balls: dict[str, list[str]] = {}
    for axis in plan.axes:
        if axis.joint.type == "spherical":
            balls.setdefault(axis.joint.name, []).append(_variable(axis))
    for names in balls.values():
        turns = turns_of([values[name] for name in names])
        values |= zip(names, turns, strict=True)


def _variable(axis: WrittenAxis) -> str:
    """Return the name of an axis in formulas."""
    name = axis.joint.name
    return name if axis.number == 0 else f"{name}_{axis.number}"


def _follow(values: dict[str, float], following: dict[str, str]) -> None:
    """Set the values of axes that follow others; what makes no sense stays."""
    formulas = {}
    for name, text in following.items():
        try:
            formulas[name] = parse_formula(text, list(values))
        except Error:
            continue  # told of where formulas are written
    for _ in range(min(len(formulas), _LONGEST_CHAIN)):
        before = dict(values)
        for name, formula in formulas.items():
            value = formula.evaluate(values)
            if math.isfinite(value):
                values[name] = value
        if values == before:
            return


def _add_kinematics_info(common: Any, plan: BodyPlan, axis: WrittenAxis) -> None:
    joint = plan.joint_path(axis.joint.name)
    info = add(
        common,
        "axis_info",
        sid=f"kaxis_info_inst{axis.index}",
        axis=f"{joint}/axis{axis.number}",
    )
    is_active = axis.moves and axis.joint.active
    known = axis.joint.axes[axis.number] if axis.moves else None
    for sid, truth in (("active", is_active), ("locked", False)):
        add_truth(add(info, "newparam", sid=sid), truth)
    limits = limits_of(axis)
    if limits is not None:
        for sid, limit in zip(("positionmin", "positionmax"), limits, strict=True):
            _value(info, sid, limit)
    circular = add(info, "newparam", sid="circular")
    add_truth(circular, known is not None and known.circular)
    if known is not None:
        for sid, number in (
            ("planning_weight", known.weight),
            ("discretization_resolution", known.resolution),
        ):
            if number > 0.0:
                _value(info, sid, number)
    for tag in ("active", "locked"):
        add(add(info, tag), "param", tag)
    add(add(info, "index", semantic="OpenRAVE"), "int", str(axis.index))
    if limits is not None:
        pair = add(info, "limits")
        add(add(pair, "min"), "param", "positionmin")
        add(add(pair, "max"), "param", "positionmax")


def _add_motion_info(common: Any, plan: BodyPlan, axis: WrittenAxis) -> None:
    info = add(
        common,
        "axis_info",
        sid=f"maxis_info_inst{axis.index}",
        axis=f"{plan.kinematics}/kaxis_info_inst{axis.index}",
    )
    known = axis.joint.axes[axis.number]
    for sid, name in (_SOFT | _HARD).items():
        limit: float = getattr(known, name)
        if sid in _SOFT or limit > 0.0:
            _value(info, sid, limit if axis.prismatic else degrees(limit))
    for sid in _SOFT:
        add(add(info, sid), "param", sid)


def _reference(parent: Any, sid: str, path: str) -> None:
    add(add(parent, "newparam", sid=sid), "SIDREF", path)


def _value(parent: Any, sid: str, value: float) -> None:
    add_float(add(parent, "newparam", sid=sid), value)
