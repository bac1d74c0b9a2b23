"""Constraints, suction cups, sensors and controllers of written Dynamic WorkCells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pyrave.formats.output.numbers import numbers
from pyrave.scene import IDENTITY, ContactSensor, ForceTorqueSensor, TactileArray, same
from pyrave_workcell.dynamics.writing.elements import (
    add_numbers,
    add_text,
    add_transform,
)
from pyrave_workcell.workcell.writing.elements import add, rpy_degrees

if TYPE_CHECKING:
    from collections.abc import Collection

    from pyrave.formats import Losses
    from pyrave.scene import (
        ConstraintDescription,
        ControllerDescription,
        LinkReference,
        Pose,
        SceneDescription,
        SuctionCup,
        SuctionSpring,
    )
    from pyrave_workcell.dynamics.writing.bodies import BodyWriter
    from pyrave_workcell.workcell.writing.plan import Cell

_KILOPASCAL = 1000.0
_MODES = {
    "position": "Position",
    "continuous_position": "CntPosition",
    "velocity": "Velocity",
    "force": "Force",
    "current": "Current",
}
_CONTROLLERS = {
    "pd": "PDDeviceController",
    "pose": "PoseDeviceController",
    "motion_queue": "SerialDeviceController",
    "spring": "SpringJointController",
}


class TieWriter:
    """Writes what names bodies."""

    def __init__(
        self,
        root: Any,
        scene: SceneDescription,
        cell: Cell,
        bodies: BodyWriter,
        losses: Losses,
    ) -> None:
        self._root = root
        self._scene = scene
        self._cell = cell
        self._bodies = bodies
        self._losses = losses

    def write(self, *, without: Collection[str]) -> None:
        """Write all; constraints of some names are said otherwise already."""
        simulation = self._scene.simulation
        for one in self._scene.constraints:
            if one.name not in without:
                self._add_constraint(one)
        for sensor in simulation.sensors:
            if isinstance(sensor, ForceTorqueSensor):
                self._add_force_torque(sensor)
            elif isinstance(sensor, ContactSensor):
                self._add_touch(sensor)
            else:
                self._add_skin(sensor)
        for controller in simulation.controllers:
            self._add_controller(controller)

    def write_cups(self) -> None:
        """Write the suction cups, which are bodies as well."""
        for cup in self._scene.simulation.suction_cups:
            self._add_cup(cup)

    # -- constraints and cups ----------------------------------------------------------

    def _ends(
        self, what: str, name: str, *ends: LinkReference
    ) -> list[tuple[str, Pose]] | None:
        """Return the bodies that something names; reports it if one is none."""
        found = [self._bodies.named(end) for end in ends]
        known = [one for one in found if one is not None]
        if len(known) < len(ends):
            self._losses.add(f"{what} of what is no body for RobWork", name)
            return None
        return known

    def _add_constraint(self, one: ConstraintDescription) -> None:
        ends = self._ends("constraints", one.name, one.parent, one.child)
        if ends is None:
            return
        (parent, offset), (child, _) = ends
        kind = "".join(part.title() for part in one.kind.split("_"))
        names = {"name": one.name, "type": kind, "parent": parent, "child": child}
        element = add(self._root, "Constraint", **names)
        add_transform(element, "Transform3D", offset @ one.pose)
        if one.limits:
            limits = add(element, "Limits")
            for limit in one.limits:
                low, high = (
                    numbers((end,)) if math.isfinite(end) else ""
                    for end in (limit.lower, limit.upper)
                )
                add(limits, "Limit", low=low, high=high)
        if one.spring is not None:
            spring = add(element, "Spring")
            for tag, matrix in (
                ("Compliance", one.spring.compliance),
                ("Damping", one.spring.damping),
            ):
                if matrix:
                    add_numbers(spring, tag, [value for row in matrix for value in row])

    def _add_cup(self, cup: SuctionCup) -> None:
        if not self._bodies.can_be_cup(cup):
            self._losses.add(
                "suction cups whose base or lip is no body of its own, or is made of "
                "links",
                cup.name,
            )
            return
        element = add(self._root, "SuctionCup", name=cup.name)
        self._bodies.end_of_cup(element, cup.base, lip=False)
        self._bodies.end_of_cup(element, cup.lip, lip=True)
        found = self._bodies.named(cup.base)
        offset = IDENTITY if found is None else found[1]
        add_numbers(element, "Radius", (cup.radius,))
        add_numbers(element, "Height", (cup.height,))
        add_numbers(element, "SpringParamsOpen", _spring(cup.open))
        add_numbers(element, "SpringParamsClosed", _spring(cup.closed))
        add_transform(element, "Offset", offset @ cup.pose)

    # -- sensors -----------------------------------------------------------------------

    def _add_force_torque(self, one: ForceTorqueSensor) -> None:
        ends = self._ends("sensors", one.name, one.parent, one.child)
        if ends is None:
            return
        (parent, _), (child, _) = ends
        frame = self._frame_at(one.frame, one.pose)
        if frame is None:
            self._losses.add("sensors that stand in no frame", one.name)
            return
        names = {"name": one.name, "body": parent, "body1": child}
        element = add(self._root, "FTSensor", **names)
        if frame != child:
            add_text(element, "RefFrame", frame)

    def _frame_at(self, end: LinkReference, pose: Pose) -> str | None:
        """Return the full name of a frame of a link."""
        worlds = self._cell.worlds
        if end.body:
            plan = self._cell.plans.get(end.body)
            if plan is None:
                return None
            link = plan.links[end.link] if end.link else plan.base
            world = worlds[link] @ pose
            pieces = [link, *plan.all()]
        else:
            world = pose
            pieces = [one for one in worlds if one.parent is None]
        for piece in pieces:
            first = piece
            while end.body and first is not link and first.parent is not None:
                if first.axes:
                    break
                first = first.parent
            rigid = not end.body or first is link
            if rigid and same(worlds[piece], world):
                return piece.full
        return None

    def _add_touch(self, one: ContactSensor) -> None:
        ends = self._ends("sensors", one.name, one.link)
        if ends is not None:
            add(self._root, "BodyContactSensor", name=one.name, body=ends[0][0])

    def _add_skin(self, one: TactileArray) -> None:
        ends = self._ends("sensors", one.name, one.link)
        if ends is None:
            return
        frame, offset = ends[0]
        pose = offset @ one.pose
        element = add(self._root, "TactileArraySensor", frame=frame)
        add_text(element, "Name", one.name)
        add_numbers(element, "Pos", pose.translation)
        add_numbers(element, "RPY", rpy_degrees(pose.rotation))
        rows, columns = len(one.heights) - 1, len(one.heights[0]) - 1
        add_numbers(element, "TexelArray", (rows, columns))
        heights = [value for row in one.heights for value in row]
        add_numbers(element, "TexelHeightMap", heights)
        add_numbers(element, "TexelSize", one.cell_size)
        add_numbers(element, "MaxForce", (one.highest / _KILOPASCAL,))
        add_numbers(element, "MinForce", (one.lowest / _KILOPASCAL,))

    # -- controllers -------------------------------------------------------------------

    def _add_controller(self, one: ControllerDescription) -> None:
        plan = self._cell.plans.get(one.body)
        if plan is None or plan.device is None:
            self._losses.add("controllers of what is no device", one.name)
            return
        joints = self._bodies.joints_of(plan)
        if one.joints and list(one.joints) != joints:
            self._losses.add(
                "controllers of some joints of a device, or in another order", one.name
            )
            return
        count = self._bodies.n_values(plan)
        if one.kind in {"pd", "spring"} and not len(one.gains) == count > 0:
            self._losses.add(
                "controllers without gains for each degree of freedom are not written",
                one.name,
            )
            return
        names = {"name": one.name, "device": plan.device.name}
        if one.kind == "pd":
            names["type"] = _MODES[one.mode]
        element = add(self._root, _CONTROLLERS[one.kind], **names)
        gains = [value for row in one.gains for value in row]
        if one.kind == "pd":
            add_text(element, "Sync", "false")
            add_numbers(element, "PDParams", gains)
        elif one.kind == "spring":
            add_numbers(element, "SpringParams", gains)
        if one.kind != "motion_queue":
            add_numbers(element, "TimeStep", (one.time_step,))
        elif one.time_step:
            self._losses.add("time steps of motion queues are not written", one.name)


def _spring(spring: SuctionSpring) -> tuple[float, ...]:
    return (
        spring.stiffness,
        spring.damping,
        spring.bending_stiffness,
        spring.bending_damping,
        spring.height,
    )
