"""``<joint>`` and ``<transmission>`` of written joints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pyrave.formats.context import ACCELERATION_TIME
from pyrave.formats.output.numbers import FAR
from pyrave.scene import JointAxis
from pyrave_urdf.reading.accelerations import usual_acceleration
from pyrave_urdf.reading.elements.mimic import reaches
from pyrave_urdf.writing.kept import kept_as
from pyrave_urdf.writing.numbers import add, add_origin, numbers

if TYPE_CHECKING:
    from pyrave.formats import Losses
    from pyrave.scene import JointDescription
    from pyrave_urdf.reading.elements.mimic import Leading
    from pyrave_urdf.writing.kept import Kept
    from pyrave_urdf.writing.tree import WrittenJoint

_DEFAULT = JointAxis((0.0, 0.0, 1.0))
_ONCE = frozenset({"calibration", "safety_controller"})
_OWN_TAGS = frozenset({
    *("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
})  # fmt: skip
_MOVING = frozenset({"revolute", "prismatic"})
# fields of axes that URDF has no place for, and what they are called
_LOST = {
    "inertia_limit": "limits of the joints' inertia are not written",
    "hard_velocity_limit": "hard limits of joints are not written",
    "hard_acceleration_limit": "hard limits of joints are not written",
    "hard_jerk_limit": "hard limits of joints are not written",
    "hard_lower": "hard limits of joints are not written",
    "hard_upper": "hard limits of joints are not written",
    "weight": "weights of joints are not written",
    "resolution": "resolutions of joints are not written",
}


class JointWriter:
    """Writes the joints of one robot below its element."""

    def __init__(
        self,
        robot: Any,
        leading: dict[str, Leading],
        axes: dict[str, JointAxis],
        kept: Kept,
        losses: Losses,
    ) -> None:
        self._robot = robot
        self._leading = leading
        self._reaches = reaches(leading, axes)
        self._kept = kept
        self._losses = losses

    def add(self, joint: WrittenJoint) -> None:
        """Append a ``<joint>``."""
        element = add(self._robot, "joint", name=joint.name, type=joint.kind)
        add_origin(element, joint.origin)
        add(element, "parent", link=joint.parent)
        add(element, "child", link=joint.child)
        axis, source = joint.axis, joint.source
        if joint.direction is not None:
            add(element, "axis", xyz=numbers(*joint.direction))
        if axis is not None:
            self._add_limit(element, joint, axis)
            self._add_dynamics(element, joint, axis)
            self._add_mimic(element, joint.name, axis)
            self._tell(joint, axis)
        if source is not None and joint.is_first:
            others = [pair for pair in source.readables if pair[0] != "dynamics"]
            self._kept.add(element, source.name, others, _OWN_TAGS, _ONCE)

    def _add_limit(self, element: Any, joint: WrittenJoint, axis: JointAxis) -> None:
        made = add(element, "limit")
        if joint.kind in _MOVING:
            made.set("lower", numbers(axis.lower))
            made.set("upper", numbers(axis.upper))
        made.set("effort", numbers(axis.torque_limit))
        made.set("velocity", numbers(axis.velocity_limit))
        # what readers take where nothing is said
        silent = usual_acceleration(axis, ACCELERATION_TIME)
        for attribute, unsaid in (
            ("acceleration", silent),
            ("jerk", _DEFAULT.jerk_limit),
        ):
            value = getattr(axis, f"{attribute}_limit")
            if value != unsaid:
                made.set(attribute, numbers(value))
        says_rates_alone = len(made.attrib) == 2
        usual = _DEFAULT.torque_limit, _DEFAULT.velocity_limit
        if says_rates_alone and (axis.torque_limit, axis.velocity_limit) == usual:
            element.remove(made)

    def _add_dynamics(self, element: Any, joint: WrittenJoint, axis: JointAxis) -> None:
        """Append what an axis loses, with what vendors wrote beside it."""
        losses = {"damping": axis.damping, "friction": axis.friction}
        given = {name: numbers(value) for name, value in losses.items() if value}
        source = joint.source
        if source is not None and joint.is_first:
            kept = kept_as("dynamics", source.readables)
            for name, text in () if kept is None else kept.attributes:
                given.setdefault(name, text)
        if given:
            add(element, "dynamics", **given)

    def _add_mimic(self, element: Any, name: str, axis: JointAxis) -> None:
        leading = self._leading.get(name)
        if leading is None:
            return
        leader, factor, offset = leading
        made = add(element, "mimic", joint=leader)
        if factor != 1.0:
            made.set("multiplier", numbers(factor))
        if offset:
            made.set("offset", numbers(offset))
        low, high = self._reaches[name]
        if not axis.circular and (low < axis.lower or high > axis.upper):
            self._losses.add(
                "joints that follow stop at limits of their own, which URDF's do not",
                name,
                kind="written-otherwise",
            )

    def _tell(self, joint: WrittenJoint, axis: JointAxis) -> None:
        """Report the parts of an axis that are not written."""
        default = _DEFAULT
        for field, what in _LOST.items():
            if getattr(axis, field) != getattr(default, field):
                self._losses.add(what, joint.name)
        source = joint.source
        if axis.mimic is None and source is not None and not source.active:
            self._losses.add(
                "passive joints are written as any other (an SRDF says which they are)",
                joint.name,
                kind="written-otherwise",
            )
        if axis.circular and axis.prismatic:
            self._losses.add("slides do not run in circles", joint.name)
        elif (
            axis.circular
            and joint.name not in self._leading  # whose limits come from the leader
            and (axis.lower, axis.upper) != (default.lower, default.upper)
        ):
            self._losses.add("joints without end have no limits", joint.name)
        if joint.kind in _MOVING and (math.isinf(axis.lower) or math.isinf(axis.upper)):
            self._losses.add(
                f"limits that are none are {FAR:.0e}", joint.name,
                kind="written-otherwise",
            )  # fmt: skip


def add_transmission(robot: Any, joint: JointDescription, losses: Losses) -> None:
    """Append a ``<transmission>`` that says the gear ratio of a joint's actuator."""
    actuator = None if joint.actuator is None else joint.actuator.to_xml()
    if actuator is None:
        return
    name = joint.name
    made = add(robot, "transmission", name=f"{name}_transmission")
    add(made, "type").text = "transmission_interface/SimpleTransmission"
    inner = add(made, "joint", name=name)
    add(inner, "hardwareInterface").text = "hardware_interface/EffortJointInterface"
    motor = add(made, "actuator", name=f"{name}_motor")
    for child in actuator.children:
        ratio = _positive(child.text) if child.tag.lower() == "gear_ratio" else None
        if ratio is not None:
            add(motor, "mechanicalReduction").text = ratio
        else:
            losses.add("of actuators only the gear ratio is written", name)


def _positive(text: str) -> str | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return numbers(value) if 0.0 < value < math.inf else None
