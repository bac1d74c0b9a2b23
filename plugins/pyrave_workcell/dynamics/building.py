"""A Dynamic WorkCell brought to the bodies of its WorkCell."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pyrave.scene import (
    ConstraintDescription,
    ContactProperties,
    ContactSensor,
    ForceTorqueSensor,
    JointController,
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
    Named,
    Skin,
    Touch,
)
from pyrave_workcell.dynamics.links import NOTHING, LinkBuilder

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.scene import (
        BodyDescription,
        JointDescription,
        LinkDescription,
        LinkReference,
        PhysicsSensor,
        SceneDescription,
    )
    from pyrave_workcell.dynamics.cell import Cell, Site
    from pyrave_workcell.dynamics.document import DynamicWorkCell, Item
    from pyrave_workcell.dynamics.reading import Reading
    from pyrave_workcell.syntax import Node
    from pyrave_workcell.workcell.document import Frame


def with_dynamics(
    found: DynamicWorkCell, cell: Cell, reading: Reading
) -> SceneDescription:
    """Return the scene of a WorkCell with what a Dynamic WorkCell says of it.

    What is wrong is reported and left out.
    """
    return _Builder(found, cell, reading).build()


@dataclass(frozen=True, slots=True)
class _Made:
    """A body that was made, and where it is."""

    body: Body
    site: Site


class _Builder:
    """The parts of one scene while they are made, in the order of the file."""

    def __init__(self, found: DynamicWorkCell, cell: Cell, reading: Reading) -> None:
        self._found = found
        self._cell = cell
        self._reading = reading
        self._links = LinkBuilder(cell, reading)
        self._frames = cell.document.by_name
        self._bodies: dict[str, _Made] = {}
        self._devices: dict[str, Device] = {}
        self._joints: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._of_link: dict[LinkReference, str] = {}
        self._weighed: set[str] = set()
        self._changed: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
        self._force_limits: dict[str, dict[str, float]] = defaultdict(dict)
        self._constraints: dict[str, ConstraintDescription] = {}
        self._controllers: dict[str, JointController] = {}
        self._sensors: dict[str, PhysicsSensor] = {}
        self._cups: dict[str, SuctionCup] = {}
        self._known_devices = {one.name: one for one in cell.document.devices}
        self._all_names = {name for item in found.items for name in _body_names(item)}
        self._makers: dict[type[Any], Callable[[Any], None]] = {
            Body: self._add_body,
            Device: self._add_device,
            Cup: self._add_cup,
            Constraint: self._add_constraint,
            ForceTorque: self._add_force_torque,
            Touch: self._add_touch,
            Skin: self._add_skin,
            Controller: self._add_controller,
        }

    def build(self) -> SceneDescription:
        """Make all, and return the scene."""
        found = self._found
        for item in found.items:
            self._makers[type(item)](item)
        self._check_materials()
        scene = self._cell.scene
        return replace(
            scene,
            bodies=tuple(map(self._changed_body, scene.bodies)),
            gravity=found.gravity,
            constraints=(*scene.constraints, *self._constraints.values()),
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

    def _changed_body(self, body: BodyDescription) -> BodyDescription:
        mine = self._changed.get(body.name, {})
        limits = self._force_limits.get(body.name, {})
        if not mine and not limits:
            return body
        if body.name in self._weighed:
            # what is no body of its own weighs nothing: it is part of another
            mine = {link.name: {"inertial": NOTHING} for link in body.links} | mine
        return replace(
            body,
            links=tuple(
                _changed_link(link, mine[link.name]) if link.name in mine else link
                for link in body.links
            ),
            joints=tuple(
                _limited(joint, limits[joint.name]) if joint.name in limits else joint
                for joint in body.joints
            ),
        )

    # -- bodies ------------------------------------------------------------------------

    def _add_body(self, body: Body, device: Device | None = None) -> None:
        """Make a body; the names in a device are without its own."""
        reading = self._reading
        name = body.frame if device is None else f"{device.device}.{body.frame}"
        frame = self._frames.get(name)
        if frame is None:
            reading.unknown(body.at, "frame", name, self._frames)
            return
        if not self._fits(body, frame):
            return
        if name in self._bodies:
            text = f"there is a body {name!r} already; the first one counts"
            reading.warn(body.at, "duplicate-name", text, "delete one of them")
            return
        made = _Made(body, self._cell.site(name))
        self._bodies[name] = made
        end = made.site.link
        if end in self._of_link:
            reading.warn(
                body.at,
                "not-read-yet",
                f"not read yet: {name!r} is one rigid part with the body "
                f"{self._of_link[end]!r} above; mass and material are left out",
            )
            return
        self._of_link[end] = name
        if body.mass is not None:
            self._weighed.add(end.body)
        kinematic = device is not None and not device.rigid
        self._changed[end.body][end.link] = self._links.changes(
            body, name, made.site, device, kinematic=kinematic
        )

    def _fits(self, body: Body, frame: Frame) -> bool:
        """Return whether a frame may be a body of its kind; reports if not."""
        if body.kind == "fixed" and not self._links.has_geometry(frame.name):
            self._reading.error(
                body.at,
                "bad-body",
                f"<{body.at.tag}> needs geometry, the frame {frame.name!r} has none",
                "give it a Drawable or a CollisionModel in the WorkCell",
            )
            return False
        if body.kind in {"kinematic", "rigid"} and frame.type != "Movable":
            self._reading.error(
                body.at,
                "bad-body",
                f"the frame {frame.name!r} is {frame.type}, <{body.at.tag}> needs a "
                "Movable one",
                'write <Frame ... type="Movable"> in the WorkCell',
            )
            return False
        return True

    def _check_materials(self) -> None:
        """Report materials that there are not; without a default all need one."""
        found, reading = self._found, self._reading
        kinds = (
            ("material", found.materials, found.default_material),
            ("object_type", found.object_types, found.default_object_type),
        )
        for field, known, default in kinds:
            what = "material" if field == "material" else "type of objects"
            names = {one.name for one in known}
            for name, made in self._bodies.items():
                given = getattr(made.body, field)
                if given is None and not default:
                    reading.error(
                        made.body.at,
                        "missing-tag",
                        f"the body {name!r} names no {what}, and there is no default",
                        "write <Default>...</Default> where they are defined",
                    )
                elif given is not None and given not in names:
                    reading.warn(
                        made.body.at,
                        "unknown-material",
                        f"there is no {what} {given!r}",
                        reading.suggestion(given, names),
                    )

    # -- devices -----------------------------------------------------------------------

    def _add_device(self, device: Device) -> None:
        reading, name = self._reading, device.device
        known = self._known_devices
        if name not in known:
            reading.unknown(device.at, "device", name, known)
            return
        if known[name].type == "MobileDevice":
            reading.error(
                device.at,
                "bad-body",
                f"the device {name!r} is mobile, <{device.at.tag}> needs one of joints",
            )
            return
        if name in self._devices:
            text = f"the device {name!r} is made dynamic above; the first one counts"
            reading.warn(device.at, "duplicate-name", text, "delete one of them")
            return
        self._devices[name] = device
        if isinstance(device.base, Body):
            self._add_body(device.base, device)
        elif device.base is not None:
            self._add_base(device.base, name, known[name].frames[0])
        for link in device.links:
            self._add_body(link, device)
        if device.rigid:
            self._add_force_limits(device, known[name].frames)

    def _add_base(self, base: Named, device: str, first: str) -> None:
        """Tie the first frame of a device to a body that is its base."""
        made = self._body(base.at, base.name)
        if made is None:
            return
        child = self._cell.site(first)
        holder = made.site.link
        if child.link == holder or self._cell.is_held(child.link.body, holder):
            return
        start = self._cell.world(base.name) @ made.site.pose.inverse()
        end = child.link
        self._changed[end.body].setdefault(end.link, {})["static"] = False
        self._constraints[f"{device}.base"] = ConstraintDescription(
            f"{device}.base",
            "fixed",
            made.site.link,
            end,
            start.inverse() @ self._cell.world(first),
            location=base.at.location,
        )

    def _add_force_limits(self, device: Device, frames: tuple[str, ...]) -> None:
        reading = self._reading
        prefix = f"{device.device}."
        joints = {
            name: self._frames[name]
            for name in frames
            if name in self._frames
            and self._frames[name].is_joint
            and not self._frames[name].passive
        }
        short_names = [name.removeprefix(prefix) for name in joints]
        given = {prefix + one.joint: one for one in device.force_limits}
        for name, one in given.items():
            if name not in joints:
                reading.warn(
                    one.at,
                    "unknown-joint",
                    f"{device.device!r} has no joint {one.joint!r} that moves",
                    reading.suggestion(one.joint, short_names),
                )
            elif one.limit < 0.0:
                text = f"the force limit is {one.limit}, expected 0 or more"
                reading.error(one.at, "bad-number", text)
        for name in joints:
            if name not in given:
                short = name.removeprefix(prefix)
                reading.error(
                    device.at,
                    "missing-tag",
                    f"the joint {short!r} of {device.device!r} has no force limit",
                    f'write <ForceLimit joint="{short}">...</ForceLimit> into it',
                )
            else:
                body, joint = self._cell.joint(name)
                self._force_limits[body][joint] = given[name].limit

    def _add_cup(self, cup: Cup) -> None:
        if cup.base is None or cup.end is None:
            return  # which is reported
        for body in (cup.base, cup.end):
            self._add_body(body)
        base, end = (self._bodies.get(one.frame) for one in (cup.base, cup.end))
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
        parent, child = (self._body(one.at, name) for name in (one.parent, one.child))
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
        parent, child = (self._body(one.at, name) for name in (one.parent, one.child))
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
        if one.frame not in self._bodies:
            text = f"the frame {one.frame!r} is no body; nothing is measured there"
            self._reading.warn(one.at, "unknown-name", text)
        if self._is_new(one, self._sensors):
            link = self._cell.site(one.frame).link
            self._sensors[one.name] = ContactSensor(
                one.name, link, location=one.at.location
            )

    def _add_skin(self, one: Skin) -> None:
        made = self._body(one.at, one.body)
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
        reading, device = self._reading, self._devices.get(one.device)
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
            self._controllers[one.name] = JointController(
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

    def _body(self, at: Node, name: str) -> _Made | None:
        """Return a body made above; another name is reported."""
        made = self._bodies.get(name)
        if made is None:
            if name in self._all_names:
                text = f"the body {name!r} stands below, or is wrong"
                self._reading.error(at, "unknown-name", text, "bodies come first")
            else:
                self._reading.unknown(at, "body", name, self._bodies)
        return made

    def _is_new(self, item: Item, known: dict[str, Any]) -> bool:
        """Return whether a name is not taken; reports if it is."""
        name = getattr(item, "name", "")
        if name and name not in known:
            return True
        text = f"the name {name!r} is taken" if name else f"<{item.at.tag}> has no name"
        text += "; this one is left out"
        self._reading.warn(item.at, "duplicate-name", text, "give it another name")
        return False


def _body_names(item: Item) -> list[str]:
    if isinstance(item, Body):
        return [item.frame]
    if isinstance(item, Device):
        base = [item.base] if isinstance(item.base, Body) else []
        return [f"{item.device}.{one.frame}" for one in (*base, *item.links)]
    if isinstance(item, Cup):
        return [one.frame for one in (item.base, item.end) if one is not None]
    return []


def _changed_link(link: LinkDescription, new: dict[str, Any]) -> LinkDescription:
    if "readables" in new:
        new = new | {"readables": (*link.readables, *new["readables"])}
    return replace(link, **new)


def _limited(joint: JointDescription, limit: float) -> JointDescription:
    axes = tuple(replace(axis, torque_limit=limit) for axis in joint.axes)
    return replace(joint, axes=axes)
