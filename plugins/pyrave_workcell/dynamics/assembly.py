"""A Dynamic WorkCell brought to the bodies of its WorkCell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.scene import (
    ConstraintDescription,
    ContactProperties,
    ContactSensor,
    ControllerDescription,
    ForceTorqueSensor,
    SimulationDescription,
    SuctionCup,
    TactileArray,
)
from pyrave_workcell.dynamics.document import (
    Body,
    Constraint,
    Controller,
    Cup,
    Device,
    ForceTorque,
    Skin,
    Touch,
)
from pyrave_workcell.dynamics.placement import Bodies

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.scene import (
        PhysicsSensor,
        SceneDescription,
    )
    from pyrave_workcell.dynamics.cell import Cell
    from pyrave_workcell.dynamics.document import DynamicWorkCell, Item
    from pyrave_workcell.dynamics.values import DynamicsReading
    from pyrave_workcell.workcell import Dynamics


_MAX_JOINTS = 200_000
"""Joints of all controllers of a file."""


class Builder:
    """The parts of one scene while they are made, in the order of the file.

    What is wrong is reported and left out.
    """

    def __init__(
        self, found: DynamicWorkCell, cell: Cell, reading: DynamicsReading
    ) -> None:
        self._found = found
        self._cell = cell
        self._reading = reading
        self._frames = cell.document.by_name
        self._joints: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._constraints: dict[str, ConstraintDescription] = {}
        self._bodies = Bodies(found, cell, self._constraints, reading)
        self._controllers: dict[str, ControllerDescription] = {}
        self._n_joints = 0
        self._sensors: dict[str, PhysicsSensor] = {}
        self._cups: dict[str, SuctionCup] = {}
        self._known_devices = {one.name: one for one in cell.document.devices}
        self._makers: dict[type[Any], Callable[[Any], None]] = {
            Body: self._bodies.add_body,
            Device: self._bodies.add_device,
            Cup: self._add_cup,
            Constraint: self._add_constraint,
            ForceTorque: self._add_force_torque,
            Touch: self._add_touch,
            Skin: self._add_skin,
            Controller: self._add_controller,
        }

    def dynamics(self) -> Dynamics:
        """Make all, and return what becomes of the WorkCell's bodies."""
        for item in self._found.items:
            self._makers[type(item)](item)
        self._bodies.check_materials()
        return self._bodies.dynamics()

    def scene(self, bodies: SceneDescription) -> SceneDescription:
        """Return a scene of bodies with all that was made."""
        found = self._found
        return replace(
            bodies,
            gravity=found.gravity,
            constraints=tuple(self._constraints.values()),
            contact_properties=ContactProperties(
                found.materials,
                found.object_types,
                found.friction,
                found.restitution,
                found.default_material,
                found.default_object_type,
            ),
            simulation=SimulationDescription(
                tuple((one.name, one.value) for one in found.settings),
                tuple(self._controllers.values()),
                tuple(self._sensors.values()),
                tuple(self._cups.values()),
            ),
        )

    def _add_cup(self, cup: Cup) -> None:
        if cup.base is None or cup.end is None:
            return  # which is reported
        for body in (cup.base, cup.end):
            self._bodies.add_body(body)
        base, end = (self._bodies.made.get(one.frame) for one in (cup.base, cup.end))
        if base is None or end is None or not self._is_new(cup, self._cups):
            return
        self._cups[cup.name] = SuctionCup(
            cup.name,
            base.site.link,
            end.site.link,
            cup.radius,
            cup.height,
            cup.open,
            cup.closed,
            base.site.pose @ cup.pose,
            location=cup.at.location,
        )

    # -- what names bodies -------------------------------------------------------------

    def _add_constraint(self, one: Constraint) -> None:
        parent, child = (
            self._bodies.body(one.at, name) for name in (one.parent, one.child)
        )
        if parent is None or child is None or not self._is_new(one, self._constraints):
            return
        if parent.site.link == child.site.link:
            text = f"{one.parent!r} and {one.child!r} are one rigid part already"
            self._reading.warn(one.at, "bad-constraint", text)
            return
        self._constraints[one.name] = ConstraintDescription(
            one.name,
            one.kind,
            parent.site.link,
            child.site.link,
            parent.site.pose @ one.pose,
            one.limits,
            one.spring,
            location=one.at.location,
        )

    def _add_force_torque(self, one: ForceTorque) -> None:
        parent, child = (
            self._bodies.body(one.at, name) for name in (one.parent, one.child)
        )
        frame = one.child if one.frame is None else one.frame.name
        at = one.at if one.frame is None else one.frame.at
        if one.frame is not None and frame not in self._frames:
            self._reading.unknown(at, "frame", frame, self._frames)
            return
        if parent is None or child is None or not self._is_new(one, self._sensors):
            return
        if parent.site.link == child.site.link:
            text = (
                f"{one.parent!r} and {one.child!r} are one rigid part: no force acts "
            )
            text += "between them; there is no sensor"
            self._reading.warn(one.at, "bad-sensor", text, "name two bodies")
            return
        site = self._cell.site(frame)
        self._sensors[one.name] = ForceTorqueSensor(
            one.name,
            parent.site.link,
            child.site.link,
            site.link,
            site.pose,
            location=one.at.location,
        )

    def _add_touch(self, one: Touch) -> None:
        if one.frame not in self._frames:
            self._reading.unknown(one.at, "frame", one.frame, self._frames)
            return
        if one.frame not in self._bodies.made:
            text = f"the frame {one.frame!r} is no body; nothing is measured there"
            self._reading.warn(one.at, "unknown-name", text)
        if self._is_new(one, self._sensors):
            link = self._cell.site(one.frame).link
            self._sensors[one.name] = ContactSensor(
                one.name, link, location=one.at.location
            )

    def _add_skin(self, one: Skin) -> None:
        made = self._bodies.body(one.at, one.body)
        if made is None or not self._is_new(one, self._sensors):
            return
        self._sensors[one.name] = TactileArray(
            one.name,
            made.site.link,
            made.site.pose @ one.pose,
            one.heights,
            one.cell_size,
            one.lowest,
            one.highest,
            location=one.at.location,
        )

    def _add_controller(self, one: Controller) -> None:
        reading, device = self._reading, self._bodies.devices.get(one.device)
        if device is None:
            known = self._known_devices
            if one.device in known:
                text = f"the device {one.device!r} is not made dynamic above"
                hint = "write a RigidDevice or KinematicDevice of it before"
                reading.error(one.at, "unknown-name", text, hint)
            else:
                reading.unknown(one.at, "device", one.device, known)
            return
        if one.kind == "spring" and not device.rigid:
            text = f"the device {one.device!r} is kinematic, springs need a RigidDevice"
            reading.error(one.at, "bad-body", text)
            return
        body, joints = self._joints_of(one.device)
        count = self._cell.n_values(one.device) if one.gains else 0
        if one.gains and len(one.gains) != count:
            reading.error(
                one.at,
                "bad-number",
                f"there are gains of {len(one.gains)} joints, {one.device!r} has "
                f"{count} degrees of freedom",
            )
            return
        if not joints:
            text = f"the device {one.device!r} has no joint that moves"
            reading.warn(one.at, "bad-body", text)
        elif self._is_new(one, self._controllers):
            self._n_joints += len(joints)
            if self._n_joints > _MAX_JOINTS:
                one.at.refuse(
                    "too-complex",
                    f"the controllers have more than {_MAX_JOINTS} joints in all",
                )
            self._controllers[one.name] = ControllerDescription(
                one.name,
                one.kind,
                body,
                joints,
                one.mode,
                one.gains,
                one.time_step,
                location=one.at.location,
            )

    def _joints_of(self, device: str) -> tuple[str, tuple[str, ...]]:
        """Return the body of a device, and its joints that move."""
        if device not in self._joints:
            joints = self._cell.device_joints(device)
            places = [self._cell.joint(name) for name in joints]
            body = places[0][0] if places else ""
            self._joints[device] = body, tuple(joint for _, joint in places)
        return self._joints[device]

    # -- names -------------------------------------------------------------------------

    def _is_new(self, item: Item, known: dict[str, Any]) -> bool:
        """Return True if a name is not taken; reports if it is."""
        name = getattr(item, "name", "")
        if name and name not in known:
            return True
        text = f"the name {name!r} is taken" if name else f"<{item.at.tag}> has no name"
        text += "; this one is left out"
        self._reading.warn(item.at, "duplicate-name", text, "give it another name")
        return False
