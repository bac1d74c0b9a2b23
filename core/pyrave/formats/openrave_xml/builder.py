"""A body while it is read: links, joints and what hangs on them may still change."""

from __future__ import annotations

from collections import deque
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from pyrave.errors import nearest
from pyrave.formats.openrave_xml.exact import Overrides, with_overrides
from pyrave.formats.openrave_xml.joint import JointBuilder, renamed_formula
from pyrave.formats.openrave_xml.parts import CompositionBuilder
from pyrave.formats.openrave_xml.schema import MAX_NAME
from pyrave.formats.openrave_xml.transforms import is_identity, relative
from pyrave.scene import (
    IDENTITY,
    AttachedSensorDescription,
    BodyDescription,
    GeometryDescription,
    Inertial,
    InterfaceDescription,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    Pose,
    RobotDescription,
)
from pyrave.scene.readable import Readable

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.scope import Scope

__all__ = ["BodyBuilder", "LinkBuilder", "ManipulatorBuilder", "SensorBuilder"]

DEFAULT_INERTIAL = Inertial()


class LinkBuilder:
    """A link; `pose` is in the frame of the body element that is open."""

    __slots__ = ("element", "enabled", "geometries", "inertial", "name", "overrides",
                 "pose", "readables", "scope", "static")  # fmt: skip

    def __init__(self, name: str, element: Any, scope: Scope) -> None:
        self.name = name
        self.element = element
        self.scope = scope
        self.pose: Pose = IDENTITY
        self.geometries: list[GeometryDescription] = []
        self.inertial = DEFAULT_INERTIAL
        self.static = False
        self.enabled = True
        self.readables: list[tuple[str, Readable]] | None = None
        self.overrides: Overrides | None = None

    def describe(self, pose: Pose) -> LinkDescription:
        """Return the finished link at `pose` in the body."""
        link = LinkDescription(
            self.name,
            pose,
            tuple(self.geometries),
            self.inertial,
            self.static,
            self.enabled,
            tuple(self.readables) if self.readables else (),
            self.scope.location(self.element),
        )
        return with_overrides(link, self.overrides)


class ManipulatorBuilder:
    """A manipulator; links and joints are references, so that they follow renames."""

    __slots__ = ("base", "chucking", "direction", "effector", "element", "gripper",
                 "iksolver", "name", "overrides", "scope", "tool")  # fmt: skip

    name: str
    base: LinkBuilder | str
    effector: LinkBuilder | str
    gripper: list[JointBuilder | str]
    chucking: tuple[float, ...]
    direction: tuple[float, float, float]
    iksolver: str
    tool: Pose
    overrides: Overrides | None
    element: Any
    scope: Scope

    def describe(self) -> ManipulatorDescription:
        """Return the finished manipulator."""
        found = ManipulatorDescription(
            self.name,
            self.base if isinstance(self.base, str) else self.base.name,
            self.effector if isinstance(self.effector, str) else self.effector.name,
            self.tool,
            self.direction,
            tuple(j if isinstance(j, str) else j.name for j in self.gripper),
            self.chucking,
            self.iksolver,
            self.scope.location(self.element),
        )
        return with_overrides(found, self.overrides)


class SensorBuilder:
    """A sensor attached to a link."""

    __slots__ = ("commands", "element", "interface", "link", "name", "overrides",
                 "pose", "readables", "scope", "sensor_name")  # fmt: skip

    def __init__(self, name: str, element: Any, scope: Scope) -> None:
        self.name = name
        self.element = element
        self.scope = scope
        self.link: LinkBuilder | None = None
        self.pose = IDENTITY
        self.interface = ""
        self.sensor_name = ""
        self.commands: list[str] = []
        self.readables: list[tuple[str, Readable]] = []
        self.overrides: Overrides | None = None

    def describe(self, base: str) -> AttachedSensorDescription:
        """Return the finished sensor; without a link it sits on `base`."""
        found = AttachedSensorDescription(
            self.name,
            self.link.name if self.link is not None else base,
            self.pose,
            self.interface,
            self.sensor_name,
            tuple(self.readables),
            tuple(self.commands),
            self.scope.location(self.element),
        )
        return with_overrides(found, self.overrides)


class BodyBuilder:
    """A kinbody or robot while its elements and files are read."""

    def __init__(self, element: Any, scope: Scope, *, is_robot: bool) -> None:
        self.element = element
        self.scope = scope
        self.is_robot = is_robot
        self.name = ""
        self.interface = ""
        self.uri = ""
        self.links: list[LinkBuilder] = []
        self.by_name: dict[str, LinkBuilder] = {}
        self.joints: list[JointBuilder] = []
        self.manipulators: list[ManipulatorBuilder] = []
        self.sensors: list[SensorBuilder] = []
        self.controllers: list[InterfaceDescription] = []
        self.adjacent: list[tuple[LinkBuilder, LinkBuilder]] = []
        self.pending_adjacent: list[tuple[str, str, Any, Scope]] = []
        self.joint_values: tuple[tuple[float, ...], Any, Scope] | None = None
        self.joined_adjacent = True
        self.frame = IDENTITY
        self.moved = False
        self.incomplete = False
        self.readables: list[tuple[str, Readable]] = []
        self.commands: list[str] = []
        self.overrides: Overrides | None = None
        self.composition = CompositionBuilder(self)

    def find_link(self, name: str, *, any_case: bool = False) -> LinkBuilder | None:
        """Return the link of a name; with `any_case` the first that matches so."""
        found = self.by_name.get(name)
        if found is None and any_case:
            wanted = name.lower()
            for link in self.links:
                if link.name.lower() == wanted:
                    return link
        return found

    def find_joint(self, name: str) -> JointBuilder | None:
        """Return the first joint of a name."""
        return next((joint for joint in self.joints if joint.name == name), None)

    def unknown_link(
        self, element: Any, scope: Scope, name: str, *, error: bool = False
    ) -> None:
        """Report the name of a link that the body does not have (yet)."""
        if self.incomplete:
            return  # the file that declares it was reported already
        hint = "declare the <body> before its use"
        if scope.document.declares("body", name):
            hint = "the file has it, but not in this body before its use"
        elif near := nearest(name, [link.name for link in self.links]):
            hint = f"did you mean {near!r}?"
        report = scope.error if error else scope.warn
        report(element, "unknown-link", f"no link is named {name!r}", hint)

    def move(self, pose: Pose, first: int) -> None:
        """Left-multiply the links from index `first` on by `pose`."""
        if is_identity(pose):
            return
        moved = set(map(id, self.links[first:]))
        for link in self.links[first:]:
            link.pose = pose @ link.pose
        for joint in self.joints:
            if (id(joint.parent) in moved) != (id(joint.child) in moved):
                self.moved = True

    def link_moved(self, link: LinkBuilder) -> None:
        """Note that a link's pose was changed after joints may have used it."""
        if any(link is j.parent or link is j.child for j in self.joints):
            self.moved = True

    def rename(self, prefix: str, first_link: int, first_joint: int) -> None:
        """Put a prefix before the names of links and joints from the indices on."""
        self._settle_adjacent()
        for link in self.links[first_link:]:
            link.name = prefix + link.name
        self.by_name = {}
        for link in self.links:
            if link.name:
                self.by_name.setdefault(link.name, link)
        joints = self.joints[first_joint:]
        names = {joint.name: prefix + joint.name for joint in joints}
        for joint in joints:
            joint.name = prefix + joint.name
            if any(axis.mimic for axis in joint.axes):
                joint.axes = tuple(
                    replace(axis, mimic=renamed_formula(axis.mimic, names))
                    if axis.mimic
                    else axis
                    for axis in joint.axes
                )

    def describe(self) -> BodyDescription:
        """Check names and references, and return the finished body."""
        scope = self.scope
        self._check_names()
        if self.moved:
            self._follow_joints()
        if self.pending_adjacent:
            self._settle_adjacent()
        for first, second, element, where in self.pending_adjacent:
            missing = second if first in self.by_name else first
            self.unknown_link(element, where, missing)
        base = self.links[0].pose if self.links else IDENTITY
        links = [link.describe(relative(base, link.pose)) for link in self.links]
        joints = tuple([joint.describe() for joint in self.joints])
        body = BodyDescription(
            self.name,
            tuple(links),
            joints,
            self.frame if base is IDENTITY else self.frame @ base,
            self.interface,
            self.uri,
            self._dof_values(joints),
            frozenset([(a.name, b.name) for a, b in self.adjacent]),
            self.joined_adjacent,
            tuple(self.readables),
            tuple(self.commands),
            scope.location(self.element),
            self.composition.describe(self, base),
        )
        if self.is_robot:
            body = self._robot(body)
        return with_overrides(body, self.overrides)

    def _robot(self, body: BodyDescription) -> RobotDescription:
        """Return a body's description with what only robots have."""
        base = self.links[0].name if self.links else ""
        return RobotDescription(
            **{field.name: getattr(body, field.name) for field in fields(body)},
            manipulators=tuple(m.describe() for m in self.manipulators),
            attached_sensors=tuple(s.describe(base) for s in self.sensors),
        )

    def _settle_adjacent(self) -> None:
        pending, self.pending_adjacent = self.pending_adjacent, []
        for item in pending:
            first, second = self.by_name.get(item[0]), self.by_name.get(item[1])
            if first is None or second is None:
                self.pending_adjacent.append(item)
            else:
                self.adjacent.append((first, second))

    def _dof_values(
        self, joints: tuple[JointDescription, ...]
    ) -> tuple[float, ...] | None:
        if self.joint_values is None:
            return None
        values, element, scope = self.joint_values
        dofs = sum(
            len(joint.axes)
            for joint in joints
            if joint.active and not any(axis.mimic for axis in joint.axes)
        )
        if self.incomplete:
            return None
        if len(values) != dofs:
            scope.error(
                element,
                "joint-values",
                f"<jointvalues> has {len(values)} numbers, "
                f"body {self.name!r} has {dofs} degrees of freedom",
            )
            return None
        return values or None

    def _check_names(self) -> None:
        self.check_name(self.name, "body", self.element, self.scope)
        kinds: tuple[tuple[str, Any], ...] = (
            ("link", self.links),
            ("joint", self.joints),
            ("manipulator", self.manipulators),
            ("attached sensor", self.sensors),
        )
        for kind, items in kinds:
            if not items:
                continue
            seen: dict[str, Any] = {}
            for item in items:
                name = item.name
                if not name:
                    if kind == "link" and len(items) > 1:
                        item.scope.warn(
                            item.element, "unnamed-link", "the link has no name"
                        )
                    continue
                self.check_name(name, kind, item.element, item.scope)
                other = seen.setdefault(name, item)
                if other is not item:
                    where = other.scope.location(other.element)
                    item.scope.error(
                        item.element,
                        "duplicate-name",
                        f"{kind} {name!r} of body {self.name!r} exists already, "
                        f"it was declared at {where}",
                    )

    def check_name(self, name: str, kind: str, element: Any, scope: Scope) -> None:
        """Report a name that is empty or has blanks or control characters."""
        if not name:
            if not self.incomplete:
                hint = "add name='...'"
                scope.error(element, "bad-name", f"the {kind} has no name", hint)
        elif len(name) > MAX_NAME:
            message = f"the name {name!r} of a {kind} has {len(name)} characters"
            hint = f"names have up to {MAX_NAME}"
            scope.error(element, "bad-name", message, hint)
        elif min(name) <= " ":
            scope.error(
                element,
                "bad-name",
                f"the name {name!r} of a {kind} has blanks or control characters",
            )

    def _follow_joints(self) -> None:
        """Put the links where their joints say, outwards from the base.

        Links moved after their joints were declared take along what hangs on them.
        """
        at: dict[int, list[JointBuilder]] = {}
        for joint in self.joints:
            at.setdefault(id(joint.parent), []).append(joint)
            at.setdefault(id(joint.child), []).append(joint)
        done: set[int] = set()
        for root in self.links:
            queue = deque([root] if id(root) not in done else [])
            done.add(id(root))
            while queue:
                link = queue.popleft()
                for joint in at.get(id(link), ()):
                    if joint.parent is link and id(joint.child) not in done:
                        joint.child.pose = link.pose @ joint.child_pose
                        other = joint.child
                    elif joint.child is link and id(joint.parent) not in done:
                        joint.parent.pose = link.pose @ joint.child_pose.inverse()
                        other = joint.parent
                    else:
                        continue
                    done.add(id(other))
                    queue.append(other)
