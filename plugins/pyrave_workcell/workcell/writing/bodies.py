"""Bodies to frames: links, joints, tool frames and sensors of one body."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyrave.errors import Error
from pyrave.kinematics.formula import FormulaNames, linear_form, parse_formula
from pyrave.scene import (
    IDENTITY,
    RobotDescription,
    XmlElement,
    same,
    spanning_tree,
)
from pyrave_workcell.workcell.names import FreeNames, without_blanks
from pyrave_workcell.workcell.writing.plan import Piece
from pyrave_workcell.workcell.writing.segments import segments_of
from pyrave_workcell.workcell.writing.sensors import numbers_in, property_of

if TYPE_CHECKING:
    from pyrave.formats import Losses, LossKind
    from pyrave.scene import (
        AttachedSensorDescription,
        BodyDescription,
        JointDescription,
        LinkDescription,
        ManipulatorDescription,
        Pose,
        Readable,
    )

OTHERWISE: LossKind = "written-otherwise"
DYNAMIC_PROPERTY = "Property"
"""Key of what a Dynamic WorkCell said; that of a WorkCell is lower case."""
_TOOL = (0.0, 0.0, 1.0)


@dataclass(slots=True)
class Frames:
    """The frames of one body before they are in a device.

    Parameters
    ----------
    links
        Of each link the frame that it is.
    moving
        Links with the joints above them, parents first.
    named
        Named frames of links.
    ends
        Where manipulators end, in their order.
    loops
        Joints that close loops.
    """

    body: BodyDescription
    base: Piece
    links: dict[str, Piece] = field(default_factory=dict)
    moving: list[Piece] = field(default_factory=list)
    named: list[Piece] = field(default_factory=list)
    ends: list[Piece] = field(default_factory=list)
    joints: dict[tuple[str, int], Piece] = field(default_factory=dict)
    in_cell: set[str] = field(default_factory=set)
    loops: list[JointDescription] = field(default_factory=list)


def frames_of(
    body: BodyDescription, losses: Losses, *, dynamic: bool = False
) -> Frames:
    """Return a body's frames.

    Parameters
    ----------
    dynamic
        A Dynamic WorkCell is about it, which says the properties that it said.
    """
    return _Maker(body, losses, dynamic=dynamic).made()


def dof_axes(body: BodyDescription) -> list[tuple[str, int]]:
    """Return the joints, and numbers of their axes, that a configuration lists."""
    return [
        (joint.name, number)
        for joint in body.joints
        if joint.active and all(axis.mimic is None for axis in joint.axes)
        for number in range(len(joint.axes))
    ]


class _Maker:
    def __init__(self, body: BodyDescription, losses: Losses, *, dynamic: bool) -> None:
        self._body = body
        self._dynamic = dynamic
        self._losses = losses
        base = body.links[0]
        self._links = {link.name: link for link in reversed(body.links)}
        self._taken = FreeNames(self._links)
        piece = Piece(base.name, None, body.pose @ base.pose, link=base)
        self._found = Frames(body, piece)
        self._values = self._starts()

    def made(self) -> Frames:
        body, found = self._body, self._found
        base = body.links[0]
        found.base.geometries = base.geometries
        found.links[base.name] = found.base
        found.moving.append(found.base)
        hanging, roots = spanning_tree(body)
        above = {below: (joint, parent) for joint, parent, below in hanging}
        inside = {joint.name for joint, _, _ in hanging}
        found.loops += [one for one in body.joints if one.name not in inside]
        for link in body.links:
            self._add_with_parents(link.name, above, frozenset(roots))
        self._follow()
        for frame in body.frames:
            holder = found.links[frame.link] if frame.link else found.base
            name = self._free(frame.name, "frames")
            found.named.append(Piece(name, holder, frame.pose))
        if isinstance(body, RobotDescription):
            for one in body.manipulators:
                found.ends.append(self._end(one))
        self._add_properties()
        if isinstance(body, RobotDescription):
            for sensor in body.attached_sensors:
                self._add_sensor(sensor)
        return found

    # -- links and joints --------------------------------------------------------------

    def _starts(self) -> dict[tuple[str, int], float]:
        """Return the starts of the axes of all joints."""
        values = {
            (joint.name, number): axis.initial
            for joint in self._body.joints
            for number, axis in enumerate(joint.axes)
        }
        given = self._body.dof_values
        axes = dof_axes(self._body)
        if given is not None and len(given) == len(axes):
            values.update(zip(axes, given, strict=True))
        return values

    def _add_with_parents(
        self,
        name: str,
        above: dict[str, tuple[JointDescription, str]],
        roots: frozenset[str],
    ) -> None:
        waiting = [name]
        while waiting[-1] in above and above[waiting[-1]][1] not in self._found.links:
            waiting.append(above[waiting[-1]][1])
        for one in reversed(waiting):
            if one in self._found.links:
                continue
            if one in roots:
                self._add_loose(one)
            else:
                self._add_link(one, *above[one])

    def _add_loose(self, name: str) -> None:
        base, link = self._body.links[0], self._links[name]
        pose = base.pose.inverse() @ link.pose
        self._append(Piece(name, self._found.base, pose), link)
        if len(self._body.joints):
            self._losses.add(
                "links that no joint holds are fixed to the base", name, kind=OTHERWISE
            )

    def _add_link(self, name: str, joint: JointDescription, parent: str) -> None:
        found = self._found
        holder = found.links[parent]
        is_forward = joint.parent == parent
        if joint.type == "trajectory":
            self._losses.add("joints that move along paths are fixed", joint.name)
            one, other = self._links[parent], self._links[name]
            self._append(Piece(name, holder, one.pose.inverse() @ other.pose), other)
            return
        segments, behind = segments_of(joint, forward=is_forward)
        if joint.type == "spherical":
            self._losses.add(
                "values of spherical joints mean another rotation: three turns, one "
                "after the other",
                joint.name,
            )
        if not segments:
            if joint.name != name:
                self._losses.add(
                    "fixed joints have the names of their links",
                    joint.name,
                    kind=OTHERWISE,
                )
            self._append(Piece(name, holder, behind), self._links[name])
            return
        is_link = len(segments) == 1 and behind == IDENTITY and joint.name == name
        if len(segments) > 1:
            self._losses.add(
                "joints of several axes are chains of joints with one axis each",
                joint.name,
                kind=OTHERWISE,
            )
        passive = not joint.active or any(axis.mimic for axis in joint.axes)
        for segment in segments:
            number = segment.numbers[0]
            wanted = f"{joint.name}_{number}" if number else joint.name
            made = wanted if is_link else self._free(wanted, "joints")
            piece = Piece(
                made,
                holder,
                segment.pose,
                segment.type,
                axes=segment.axes,
                passive=passive,
                values=tuple(self._values[joint.name, n] for n in segment.numbers),
            )
            if not is_forward:
                self._report_reversed(joint)
            for n in segment.numbers:
                found.joints[joint.name, n] = piece
            if is_link:
                self._append(piece, self._links[name])
            else:
                found.moving.append(piece)
            holder = piece
        if not is_link:
            self._losses.add(
                "joints and their links are two frames: named otherwise, or not where "
                "the joint turns about z",
                joint.name,
                kind=OTHERWISE,
            )
            self._append(Piece(name, holder, behind), self._links[name])

    def _report_reversed(self, joint: JointDescription) -> None:
        if len(joint.axes) > 1:
            self._losses.add(
                "joints of several axes that are seen from their child list their "
                "values backwards",
                joint.name,
                kind=OTHERWISE,
            )

    def _append(self, piece: Piece, link: LinkDescription) -> None:
        """Add the frame of a link."""
        piece.link = link
        piece.geometries = link.geometries
        self._found.links[link.name] = piece
        self._found.moving.append(piece)
        if not piece.axes and not link.geometries:
            self._losses.add(
                "links without geometry that are fixed to others are frames of these",
                link.name,
                kind=OTHERWISE,
            )

    # -- joints that follow ------------------------------------------------------------

    def _follow(self) -> None:
        """Find gains and offsets of joints that follow one other."""
        body, found = self._body, self._found
        names: dict[str, tuple[str, int]] = {}
        for joint in body.joints:
            for number in range(len(joint.axes)):
                names.setdefault(f"{joint.name}_{number}", (joint.name, number))
        names.update({one.name: (one.name, 0) for one in body.joints if one.axes})
        known = FormulaNames(names)
        order = {id(piece): place for place, piece in enumerate(found.moving)}
        for joint in body.joints:
            for number, axis in enumerate(joint.axes):
                piece = found.joints.get((joint.name, number))
                if axis.mimic is None or piece is None:
                    continue
                try:
                    linear = linear_form(parse_formula(axis.mimic.position, known))
                except Error:
                    linear = None
                if linear is None or len(linear[0]) != 1:
                    self._cannot_follow(joint.name)
                    continue
                ((leader, gain),) = linear[0].items()
                owner = found.joints.get(names[leader])
                if owner is None or len(owner.axes) != 1:
                    self._cannot_follow(joint.name)
                    continue
                if order[id(owner)] > order[id(piece)]:
                    self._cannot_follow(joint.name)
                    continue
                piece.follows = owner, gain, linear[1]

    def _cannot_follow(self, name: str) -> None:
        self._losses.add(
            "joints that follow others in a way that RobWork has not are passive: it "
            "has a gain and an offset of one joint of one axis above them",
            name,
        )

    # -- tool frames -------------------------------------------------------------------

    def _end(self, one: ManipulatorDescription) -> Piece:
        """Return the frame that a manipulator ends in."""
        self._report_manipulator(one)
        found = self._found
        link = found.links[one.end_effector] if one.end_effector else found.base
        if link.name == one.name and same(one.tool, IDENTITY):
            return link
        for piece in found.named:
            is_there = piece.name == one.name and piece.parent is link
            if is_there and same(piece.pose, one.tool):
                return piece
        name = self._free(one.name or "end", "manipulators")
        self._losses.add(
            "the tools of manipulators are frames of the body", one.name, kind=OTHERWISE
        )
        made = Piece(name, link, one.tool)
        found.named.append(made)
        return made

    def _report_manipulator(self, one: ManipulatorDescription) -> None:
        losses = self._losses
        if one.base and one.base != self._body.links[0].name:
            losses.add("all manipulators begin at the base", one.name)
        if one.direction != _TOOL:
            losses.add("directions of manipulators are not written", one.name)
        if one.gripper_joints:
            losses.add("grippers of manipulators are not written", one.name)
        if one.ik_solver:
            losses.add("solvers of manipulators are not written", one.name)
        if one.readables:
            losses.add("data of manipulators are not written", one.name)

    # -- properties and sensors --------------------------------------------------------

    def _add_properties(self) -> None:
        """Put properties of links into the frames that they name."""
        found = self._found
        pieces = [*found.moving, *found.named]
        by_name = {piece.name: piece for piece in pieces}
        for link in self._body.links:
            own = found.links[link.name]
            others = []
            for key, readable in link.readables:
                element = property_element(key, readable)
                if element is None:
                    others.append(key)
                    continue
                frame = element.get("refframe") or ""
                local = frame.removeprefix(f"{self._body.name}.")
                piece = by_name.get(without_blanks(local), own)
                if frame == local and frame != self._body.name:
                    found.in_cell.add(piece.name)
                if self._dynamic and key == DYNAMIC_PROPERTY:
                    own.dynamic_properties.append(element)
                else:
                    piece.properties.append(element)
            if others:
                self._losses.add("data of links are not written", *others)

    def _add_sensor(self, sensor: AttachedSensorDescription) -> None:
        found, losses = self._found, self._losses
        made = property_of(sensor)
        if made is None:
            losses.add(
                "sensors that RobWork has no property for are not written", sensor.name
            )
            return
        if sensor.sensor_name or sensor.commands:
            losses.add("names and commands of sensors are not written", sensor.name)
        link = found.links[sensor.link] if sensor.link else found.base
        pose = sensor.pose @ made.turn.inverse()
        for lost in made.lost:
            losses.add(lost, sensor.name)
        piece = self._frame_at(sensor.name, link, pose)
        if piece is None:
            name = self._free(sensor.name or "sensor", "sensors")
            losses.add(
                "sensors stand in frames of their own", sensor.name, kind=OTHERWISE
            )
            piece = Piece(name, link, pose)
            found.named.append(piece)
        for known in piece.properties:
            if known.get("name") == made.name and same(
                numbers_in(known.text), made.numbers, 1e-9
            ):
                return
        piece.properties.append(made.element())

    def _frame_at(self, name: str, link: Piece, pose: Pose) -> Piece | None:
        found = self._found
        plain = name.rpartition("_")[0]
        for piece in [*found.named, link]:
            at = IDENTITY if piece is link else piece.pose
            if piece is not link and piece.parent is not link:
                continue
            is_base = piece is found.base and name == self._body.name
            fits = piece.name in {name, plain} or is_base
            if fits and same(at, pose):
                return piece
        return None

    # -- names -------------------------------------------------------------------------

    def _free(self, wanted: str, what: str) -> str:
        """Return a name that no other frame of the body has."""
        plain = without_blanks(wanted)
        name = self._taken.take(plain)
        if name != plain and plain:
            self._losses.add(
                f"{what} with the name of another frame are renamed",
                wanted,
                kind=OTHERWISE,
            )
        return name


def property_element(key: str, readable: Readable) -> XmlElement | None:
    """Return the ``<Property>`` that a readable is, None if it is none."""
    if key.lower() != "property":
        return None
    element = readable.to_xml()
    if element is None or element.tag != "Property" or not element.get("name"):
        return None
    return element
