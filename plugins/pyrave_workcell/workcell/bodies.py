"""Frames to bodies: devices, free frames, and what stands still in the world.

A device is a robot; a free frame is a body, and so is each frame with geometry that is
rigidly connected to the world. Frames that are rigidly connected to one of a body, and
are of no other device, belong to that body. A link is the first frame of a body, a
joint, or a frame with geometry; the others are named frames of links.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from pyrave.scene import (
    IDENTITY,
    AttachedSensorDescription,
    BodyDescription,
    FrameDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    MimicFormula,
    Pose,
    RobotDescription,
    XmlElement,
    XmlReadable,
)
from pyrave_workcell.workcell.document import JOINT_AXES, WORLD
from pyrave_workcell.workcell.geometries import geometry_of
from pyrave_workcell.workcell.names import FreeNames, without_blanks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from pyrave.scene import Readable
    from pyrave.scene.body import JointType
    from pyrave_workcell.workcell.document import (
        Configuration,
        Dependence,
        Device,
        Document,
        Frame,
        Model,
        Property,
    )
    from pyrave_workcell.workcell.load import WorkcellReading
    from pyrave_workcell.workcell.sensors import Sensor
    from pyrave_workcell.workcell.state import State

_DIRECTIONS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_TYPES: dict[str, JointType] = {"Revolute": "hinge", "Prismatic": "slider"}


@dataclass(frozen=True, slots=True)
class Place:
    """Place of a frame: T_link_frame of a link, or T_world_frame if `body` is empty."""

    body: str = ""
    link: str = ""
    pose: Pose = IDENTITY


@dataclass(slots=True)
class Group:
    """The frames of one body while it is put together."""

    name: str
    anchor: str
    device: Device | None = None
    frames: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    base: str = ""
    names: FreeNames = field(default_factory=FreeNames)


@dataclass(frozen=True, slots=True)
class Dynamics:
    """Data of a Dynamic WorkCell about bodies; all is by the names of bodies.

    Parameters
    ----------
    links
        Fields of links that it changes, by the names of links. Readables come behind
        those of the WorkCell.
    weighed
        Bodies that have masses: what is not said of their links is that of `rest`.
    rest
        The fields of such links.
    force_limits
        What the motor of a joint can give at most, by the names of joints; N or N m.
    """

    links: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    weighed: AbstractSet[str] = frozenset()
    rest: Mapping[str, Any] = field(default_factory=dict)
    force_limits: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


NO_DYNAMICS = Dynamics()
_NOTHING: Mapping[str, Any] = {}


class Bodies:
    """Makes the bodies of a document.

    Parameters
    ----------
    sensors
        By the names of their frames, with the property each one is made of.
    """

    def __init__(
        self,
        document: Document,
        state: State,
        sensors: Mapping[str, list[tuple[Property, Sensor]]],
        reading: WorkcellReading,
    ) -> None:
        self._frames = document.by_name
        self._state = state
        self._reading = reading
        self._sensors = sensors
        self._models: dict[str, list[Model]] = defaultdict(list)
        for model in document.models:
            self._models[model.frame].append(model)
        self._properties: dict[str, list[Property]] = defaultdict(list)
        self._device_properties: dict[str, list[Property]] = defaultdict(list)
        for prop in document.properties:
            if prop.frame:
                self._properties[prop.frame].append(prop)
            else:
                self._device_properties[prop.device].append(prop)
        self._names = FreeNames()
        self._reaches: dict[str, tuple[float, float]] = {}
        self.opened: set[str] = set()
        """Names of parallel devices whose loops are not kept closed."""
        self.places: dict[str, Place] = {}
        self.objects = frozenset(
            name
            for name, models in self._models.items()
            if any(model.collides and model.solids for model in models)
        )
        self.groups = self._group(document.devices)
        self.by_name = {group.name: group for group in self.groups}

    def bodies(
        self, adjacent: Mapping[str, frozenset[tuple[str, str]]], dynamics: Dynamics
    ) -> list[BodyDescription]:
        """Return the bodies.

        Parameters
        ----------
        adjacent
            By the names of bodies, the pairs of their links that are not checked.
        """
        return [
            self.described(group, adjacent.get(group.name, frozenset()), dynamics)
            for group in self.groups
        ]

    # -- groups ------------------------------------------------------------------------

    def _group(self, devices: Iterable[Device]) -> list[Group]:
        """Return the bodies' frames, and find the place of each frame."""
        firsts = {}
        fixed: set[str] = set()
        for device in devices:
            firsts[next(n for n in device.frames if n in self._frames)] = device
            fixed |= self._held_fast(device)
        found: dict[str, Group] = {}
        for name in self._state.order:
            frame = self._frames[name]
            group: Group | None = None
            if name in firsts:
                device = firsts[name]
                group = Group(self._unique(device.name), name, device)
            elif name != WORLD and frame.is_free and name not in fixed:
                group = Group(self._unique(name), name)
            elif name != WORLD:
                group = found.get(frame.parent)
                if frame.is_joint and not frame.device:
                    group = self._around(name, group)
            if group is None:
                self._still(name)
                continue
            found[name] = group
            group.frames.append(name)
            self._place(group, name)
        still = [
            Group(place.body, name, None, [name], {name: place.link}, place.link)
            for name, place in self.places.items()
            if name not in found and place.body
        ]
        order = {name: i for i, name in enumerate(self._frames)}
        groups = [*{id(group): group for group in found.values()}.values(), *still]
        return sorted(groups, key=lambda group: order[group.anchor])

    def _around(self, name: str, above: Group | None) -> Group:
        """Return the body of a joint outside of devices: that below it, or its own."""
        if above is not None and above.device is None:
            return above
        return Group(self._unique(name), name)

    def _held_fast(self, device: Device) -> set[str]:
        """Return free frames that carry joints or ends of a device; they are reported.

        They are fixed in its body, others are bodies of their own.
        """
        inside = set(device.frames)
        carried = {*self._state.ends(device)}
        carried |= {name for name in inside if self._frames[name].is_joint}
        found = set()
        for name in carried:
            below = name
            while below in inside:
                inside.remove(below)  # the way from here down is known now
                if self._frames[below].is_free and below != device.frames[0]:
                    found.add(below)
                below = self._frames[below].parent
        for name in sorted(found):
            frame = self._frames[name]
            self._reading.warn(
                frame.node,
                "fixed-frame",
                f"the frame {name!r} may move freely in RobWork; it is fixed here, for "
                f"joints or an end of the device {device.name!r} stand on it",
            )
        return found

    def _still(self, name: str) -> None:
        """Place a frame that never moves: a body if it has geometry."""
        if self._models[name]:
            body = self._unique(name)
            self.places[name] = Place(body, body, IDENTITY)
        else:
            self.places[name] = Place(pose=self._state.world[name])

    def _place(self, group: Group, name: str) -> None:
        frame = self._frames[name]
        is_anchor = name == group.anchor
        if is_anchor and frame.is_joint:
            # the base of a device that begins with a joint is where that stands
            group.base = group.links[""] = group.names.take("base")
        if is_anchor or frame.is_joint or frame.is_free or self._models[name]:
            link = self._link_name(group, name)
            group.links[name] = link
            group.base = group.base or link
            self.places[name] = Place(group.name, link)
            return
        above = self.places[frame.parent]
        self.places[name] = Place(above.body, above.link, above.pose @ frame.pose)

    def _link_name(self, group: Group, name: str) -> str:
        return group.names.take(_local(name, group))

    def _unique(self, name: str) -> str:
        return self._names.take(without_blanks(name))

    # -- bodies ------------------------------------------------------------------------

    def described(
        self,
        group: Group,
        adjacent: frozenset[tuple[str, str]] = frozenset(),
        dynamics: Dynamics = NO_DYNAMICS,
    ) -> BodyDescription:
        """Return one body."""
        poses = self._link_poses(group)
        on = self._frames_on_links(group)
        changes = dynamics.links.get(group.name, _NOTHING)
        rest = dynamics.rest if group.name in dynamics.weighed else _NOTHING
        links = [
            self._link(group, name, poses[name], on, changes.get(link, rest))
            for name, link in group.links.items()
        ]
        joints = self._joints(group, dynamics.force_limits.get(group.name, _NOTHING))
        state, device = self._state, group.device
        values = tuple(
            value
            for joint in (state.device_joints[device.name] if device else ())
            for value in state.values[joint]
        )
        pose = state.world[group.anchor]
        if "" in group.links:
            anchor = self._frames[group.anchor]
            pose = state.world[anchor.parent] @ anchor.pose
        sensors = self._attached(group)
        made: Callable[..., BodyDescription] = BodyDescription
        if device is not None or sensors:
            made = partial(
                RobotDescription,
                attached_sensors=sensors,
                manipulators=self._manipulators(group),
            )
        return made(
            group.name,
            tuple(links),
            tuple(joints),
            pose,
            dof_values=values or None,
            adjacent=adjacent,
            joined_links_adjacent=False,
            readables=self._kept(group),
            location=(device or self._frames[group.anchor]).node.location,
            frames=tuple(self._named_frames(group)),
        )

    def _named_frames(self, group: Group) -> Iterator[FrameDescription]:
        """Yield the frames of a body that are no links."""
        names = FreeNames()
        for name in group.frames:
            if name in group.links:
                continue
            made = names.take(_local(name, group))
            place, where = self.places[name], self._frames[name].node.location
            yield FrameDescription(made, place.link, place.pose, where)

    def _link_poses(self, group: Group) -> dict[str, Pose]:
        """Return T_body_link of all links, where joints are at rest."""
        state = self._state
        frames: dict[str, Pose] = {}
        for name in group.frames:
            frame = self._frames[name]
            if name == group.anchor:
                # the base is the joint's parent frame at its place, then
                frames[name] = (
                    frame.pose.inverse() @ state.at_rest(name)
                    if "" in group.links
                    else IDENTITY
                )
            else:
                frames[name] = frames[frame.parent] @ state.at_rest(name)
        return {"": IDENTITY} | frames if "" in group.links else frames

    def _link(
        self,
        group: Group,
        name: str,
        pose: Pose,
        on: Mapping[str, list[str]],
        changes: Mapping[str, Any],
    ) -> LinkDescription:
        """Return a link.

        Parameters
        ----------
        on
            The frames on links that have properties.
        changes
            What a Dynamic WorkCell says of it.
        """
        link = group.links[name]
        still = link == group.base and self._is_still(group)
        made: dict[str, Any] = {"static": still, **changes}
        if not name:
            return LinkDescription(link, **made)
        made["readables"] = (
            *[
                _property(prop)
                for one in (name, *on.get(link, ()))
                for prop in self._properties.get(one, ())
            ],
            *changes.get("readables", ()),
        )
        geometries = tuple(
            [
                geometry_of(model, solid)
                for model in self._models.get(name, ())
                for solid in model.solids
            ]
        )
        where = self._frames[name].node.location
        return LinkDescription(link, pose, geometries, location=where, **made)

    def _is_still(self, group: Group) -> bool:
        """Return True if the base of a body stands still in the world."""
        frame = self._frames[group.anchor]
        if frame.is_free:
            return False
        return not frame.parent or self._state.rigid_with[frame.parent] == WORLD

    def _frames_on_links(self, group: Group) -> dict[str, list[str]]:
        """Return the frames with properties that are no links, by their links."""
        found: dict[str, list[str]] = defaultdict(list)
        for name in group.frames:
            if name in self._properties and name not in group.links:
                found[self.places[name].link].append(name)
        return found

    # -- joints ------------------------------------------------------------------------

    def _joints(
        self, group: Group, limits: Mapping[str, float]
    ) -> list[JointDescription]:
        """Return the joints: those of a configuration first and in its order.

        Parameters
        ----------
        limits
            Of the forces of their motors, by the names of joints.
        """
        device = group.device
        if device is None and len(group.links) == 1:
            return []
        first = self._state.device_joints[device.name] if device else ()
        ordered = [name for name in first if name in group.links]
        known = {*first, "", *(() if "" in group.links else (group.anchor,))}
        others = [name for name in group.links if name not in known]
        made = [self._joint(group, name, limits) for name in (*ordered, *others)]
        return [*made, *self._closing(group)]

    def _closing(self, group: Group) -> Iterator[JointDescription]:
        """Yield the joints that close the loops of a parallel device."""
        device = group.device
        if device is None or not device.meeting or device.name in self.opened:
            return
        names = FreeNames()
        for link in group.links.values():
            names.take(link)
        for first, second in device.meeting:
            near, far = self.places[first], self.places[second]
            if near.link == far.link:
                continue
            name = names.take(f"{_local(second, group)}-closes")
            yield JointDescription(
                name,
                "fixed",
                near.link,
                far.link,
                near.pose,
                far.pose,
                active=False,
                location=self._frames[second].node.location,
                closes_loop=True,
            )

    def _joint(
        self, group: Group, name: str, limits: Mapping[str, float]
    ) -> JointDescription:
        frame = self._frames[name]
        link = group.links[name]
        if name == group.anchor:
            parent, pose = group.base, IDENTITY
        else:
            above = self.places[frame.parent]
            parent, pose = above.link, above.pose @ frame.pose
        where = frame.node.location
        if not frame.is_joint:
            return JointDescription(
                link, "fixed", parent, link, pose, active=False, location=where
            )
        return JointDescription(
            link,
            _TYPES.get(frame.type, "compound"),
            parent,
            link,
            pose,
            axes=self._axes(group, frame, limits.get(link, 0.0)),
            active=self._state.is_active(frame),
            location=where,
        )

    def _axes(self, group: Group, frame: Frame, force: float) -> tuple[JointAxis, ...]:
        state, name = self._state, frame.name
        axes = JOINT_AXES[frame.type]
        if frame.dependence is not None:
            return (self._follower(group, frame, frame.dependence, force),)
        limits = state.limits.get(name, [(-math.inf, math.inf)] * len(axes))
        speeds = state.rates.get((name, "VelLimit"), [1.0] * len(axes))
        changes = state.rates.get((name, "AccLimit"), [1.0] * len(axes))
        return tuple(
            JointAxis(
                _DIRECTIONS[axis],
                slides,
                lower,
                upper,
                velocity_limit=speed,
                acceleration_limit=change,
                torque_limit=force,
            )
            for (axis, slides), (lower, upper), speed, change in zip(
                axes, limits, speeds, changes, strict=True
            )
        )

    def _follower(
        self, group: Group, frame: Frame, found: Dependence, force: float
    ) -> JointAxis:
        gain, offset = found.gain, found.offset
        lower, upper = self._reach(frame)
        mimic = None
        if not found.foreign:
            leader = group.links[found.owner]
            sign = "-" if offset < 0 else "+"
            text = f"{gain!r}*{leader}{sign}{abs(offset)!r}"
            mimic = MimicFormula(text, location=found.node.location)
        return JointAxis(
            _DIRECTIONS[2],
            frame.type == "Prismatic",
            lower,
            upper,
            initial=self._state.rests[frame.name][0],
            velocity_limit=1.0,
            acceleration_limit=1.0,
            torque_limit=force,
            mimic=mimic,
        )

    def _reach(self, frame: Frame) -> tuple[float, float]:
        """Return the range of a joint that follows another one."""
        chain: list[tuple[str, Dependence]] = []
        while frame.dependence is not None and frame.name not in self._reaches:
            chain.append((frame.name, frame.dependence))
            frame = self._frames[frame.dependence.owner]
        low, high = (
            self._reaches.get(frame.name)
            or self._state.limits.get(frame.name, [(-math.inf, math.inf)])[0]
        )
        for name, found in reversed(chain):
            ends = [
                found.gain * end + found.offset if found.gain else found.offset
                for end in (low, high)
            ]
            low, high = self._reaches[name] = min(ends), max(ends)
        return low, high

    # -- what robots have --------------------------------------------------------------

    def _manipulators(self, group: Group) -> tuple[ManipulatorDescription, ...]:
        device = group.device
        if device is None or not self._state.device_joints[device.name]:
            return ()
        found = []
        for end in self._state.ends(device):
            place = self.places[end]
            if place.body != group.name or place.link == group.base:
                continue
            found.append(
                ManipulatorDescription(
                    _local(end, group),
                    group.base,
                    place.link,
                    place.pose,
                    location=self._frames[end].node.location,
                )
            )
        return tuple(found)

    def _attached(self, group: Group) -> tuple[AttachedSensorDescription, ...]:
        if not self._sensors:
            return ()
        names = FreeNames()
        found = []
        for name in group.frames:
            place = self.places[name]
            for prop, sensor in self._sensors.get(name, ()):
                made = names.take(_local(name, group))
                found.append(
                    AttachedSensorDescription(
                        made,
                        place.link,
                        place.pose @ sensor.turn,
                        sensor.interface,
                        readables=((sensor.interface, sensor.readable),),
                        location=prop.node.location,
                    )
                )
        return tuple(found)

    def _kept(self, group: Group) -> tuple[tuple[str, Readable], ...]:
        if group.device is None:
            return ()
        return (
            *(_property(prop) for prop in self._device_properties[group.device.name]),
            *(_configuration(one) for one in group.device.configurations),
        )

    def kept_by_scene(self) -> tuple[tuple[str, Readable], ...]:
        """Return the properties of the WorkCell, and of frames that are no links."""
        still = [name for name, place in self.places.items() if not place.body]
        return tuple(
            _property(prop)
            for props in (
                self._device_properties[""],
                *(self._properties[name] for name in still),
            )
            for prop in props
        )


def _local(name: str, group: Group) -> str:
    """Return the name of a frame in its body: without that of its device."""
    if group.device is not None:
        name = name.removeprefix(f"{group.device.name}.")
    return without_blanks(name)


def _property(prop: Property) -> tuple[str, Readable]:
    frame = (("refframe", prop.frame),) if prop.frame else ()
    attributes = (("name", prop.name), ("type", prop.type), *frame)
    return "property", XmlReadable(XmlElement("Property", attributes, prop.text))


def _configuration(one: Configuration) -> tuple[str, Readable]:
    text = " ".join(map(repr, one.values))
    return "q", XmlReadable(XmlElement("Q", (("name", one.name),), text))
