"""A body while it is read: links, joints and what hangs on them may still change."""

from __future__ import annotations

from collections import deque
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from pyrave.formats.openrave_xml.builders.item_builders import (
    JointBuilder,
    LinkBuilder,
    ManipulatorBuilder,
    SensorBuilder,
)
from pyrave.formats.openrave_xml.builders.names import NameIndex
from pyrave.formats.openrave_xml.elements.geom import file_name
from pyrave.formats.openrave_xml.elements.overrides import Overrides, with_overrides
from pyrave.formats.openrave_xml.schema import MAX_NAME
from pyrave.formats.openrave_xml.transforms import is_identity, relative
from pyrave.formats.xml import to_xml_element
from pyrave.kinematics.formula import Renaming
from pyrave.scene import (
    IDENTITY,
    BodyDescription,
    Composition,
    ConfigurationDescription,
    FrameDescription,
    InterfaceDescription,
    JointAxis,
    JointDescription,
    Part,
    Pose,
    RobotDescription,
    XmlElement,
)
from pyrave.scene.pose import Vec3
from pyrave.scene.readable import Readable
from pyrave.texts import name_fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyrave.formats.openrave_xml.read.scope import Scope

_MAX_NAMED = 8
_ROUNDING = 1e-12
_Adjacent = tuple[str, str, Any, "Scope"]
Mounted = TypeVar("Mounted", bound="ManipulatorBuilder | SensorBuilder")


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
        self.joints: list[JointBuilder] = []
        self.manipulators: list[ManipulatorBuilder] = []
        self.sensors: list[SensorBuilder] = []
        self.frames: list[tuple[LinkBuilder, FrameDescription]] = []
        self.configurations: list[
            tuple[
                ConfigurationDescription, list[tuple[JointBuilder, tuple[float, ...]]]
            ]
        ] = []
        self.controllers: list[InterfaceDescription] = []
        self.adjacent: list[tuple[LinkBuilder, LinkBuilder]] = []
        self.joint_values: tuple[tuple[float, ...], Any, Scope] | None = None
        self.joined_adjacent = True
        self.frame = IDENTITY
        self.moved = False
        self.incomplete = False
        self.lacks_joints = False
        self.readables: list[tuple[str, Readable]] = []
        self.commands: list[str] = []
        self.overrides: Overrides | None = None
        self.composition = CompositionBuilder(self)
        self._link_names: NameIndex[LinkBuilder] = NameIndex()
        self._joint_names: NameIndex[JointBuilder] = NameIndex()
        self._jointed: set[LinkBuilder] = set()
        # declared adjacent before both links were: waiting for a name, in order
        self._waiting: dict[str, list[_Adjacent]] = {}
        self._pending: dict[_Adjacent, None] = {}
        self._settled = 0

    def add_link(self, link: LinkBuilder) -> None:
        """Append a link; the first of a name is found by it."""
        self.links.append(link)
        self._link_names.add(link)

    def name_link(self, link: LinkBuilder, name: str) -> None:
        """Give a name to a link that was added without one."""
        link.name = name
        self._link_names.add(link)

    def add_joint(self, joint: JointBuilder) -> None:
        """Append a joint, whose links are in the body."""
        self.joints.append(joint)
        self._joint_names.add(joint)
        self._jointed.update((joint.parent, joint.child))

    def mounted(self) -> set[object]:
        """Return the manipulators and sensors so far."""
        return {*self.manipulators, *self.sensors}

    def put_new_first(self, inherited: set[object]) -> None:
        """Reorder manipulators and sensors at the end of a ``<robot>``, as OpenRAVE.

        If there were any before, the new ones go before these, the last one first.

        Parameters
        ----------
        inherited
            What `mounted` returned before.
        """
        self.manipulators = _new_first(self.manipulators, inherited)
        self.sensors = _new_first(self.sensors, inherited)

    def find_link(self, name: str, *, any_case: bool = False) -> LinkBuilder | None:
        """Return the link of a name; with `any_case` the first that matches so."""
        return self._link_names.find(name, any_case=any_case)

    def find_joint(self, name: str) -> JointBuilder | None:
        """Return the first joint of a name."""
        return self._joint_names.find(name)

    def unknown_link(
        self,
        element: Any,
        scope: Scope,
        name: str,
        instead: str = "",
        *,
        error: bool = False,
    ) -> None:
        """Report the name of a link that the body does not have (yet).

        Parameters
        ----------
        instead
            What is done without it, for the message.
        """
        if self.incomplete:
            return  # the file that declares it was reported already
        hint = "declare the <body> before its use"
        if self.links:
            shown = ", ".join(repr(link.name) for link in self.links[:_MAX_NAMED])
            more = ", ..." if len(self.links) > _MAX_NAMED else ""
            hint = f"the body has the links {shown}{more}"
        if scope.document.declares("body", name):
            hint = "the file has it, but not in this body before its use"
        elif near := scope.near(name, (link.name for link in self.links)):
            hint = f"did you mean {near!r}?"
        report = scope.error if error else scope.warn
        message = f"no link is named {name!r}" + (f"; {instead}" if instead else "")
        report(element, "unknown-link", message, hint)

    def move(self, pose: Pose, first_link: int, first_joint: int) -> None:
        """Left-multiply the links from an index on; joints between them follow."""
        if is_identity(pose):
            return
        moved = set(self.links[first_link:])
        for link in moved:
            link.pose = pose @ link.pose
        for joint in self.joints[first_joint:]:
            if (joint.parent in moved) != (joint.child in moved):
                self.moved = True

    def link_moved(self, link: LinkBuilder) -> None:
        """Note that a link's pose was changed after joints may have used it."""
        if link in self._jointed:
            self.moved = True

    def rename(self, prefix: str, first_link: int, first_joint: int) -> None:
        """Put a prefix before the names of links and joints from the indices on."""
        self._settle_adjacent()
        self._settled = min(self._settled, first_link)
        self._link_names.rename(self.links[first_link:], prefix)
        renamed = set(self.links[first_link:])
        self.frames = [
            (link, replace(one, name=prefix + one.name) if link in renamed else one)
            for link, one in self.frames
        ]
        joints = self.joints[first_joint:]
        renaming = Renaming(
            ((joint.name, len(joint.axes)) for joint in joints),
            lambda name: prefix + name,
        )
        self._joint_names.rename(joints, prefix)
        for joint in joints:
            if any(axis.mimic for axis in joint.axes):
                joint.axes = tuple(
                    replace(axis, mimic=renaming.formula(axis.mimic))
                    if axis.mimic
                    else axis
                    for axis in joint.axes
                )

    def describe(self) -> BodyDescription:
        """Check names and references, and return the finished body."""
        scope = self.scope
        self._check_names()
        self._clamp_passive_joints()
        if self.moved:
            self._follow_joints()
        self._settle_adjacent()
        for first, second, element, where in self._pending:
            missing = second if first in self._link_names else first
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
            tuple([replace(frame, link=link.name) for link, frame in self.frames]),
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
            configurations=tuple(
                replace(one, values=tuple((j.name, its) for j, its in values))
                for one, values in self.configurations
            ),
        )

    def declare_adjacent(
        self, first: str, second: str, element: Any, scope: Scope
    ) -> None:
        """Note that two links count as adjacent, now or once both are declared."""
        self._adjoin((first, second, element, scope))

    def take_adjacency(self, source: BodyBuilder, parts: dict[object, Any]) -> None:
        """Take over the adjacent links of another body, whose `parts` are mapped."""
        self.adjacent = [(parts[a], parts[b]) for a, b in source.adjacent]
        self._pending = dict(source._pending)
        self._waiting = {name: list(items) for name, items in source._waiting.items()}
        self._settled = source._settled

    def _adjoin(self, item: _Adjacent) -> None:
        first, second = map(self.find_link, item[:2])
        if first is not None and second is not None:
            self.adjacent.append((first, second))
            self._pending.pop(item, None)
            return
        self._pending[item] = None
        missing = item[0] if first is None else item[1]
        self._waiting.setdefault(missing, []).append(item)

    def _settle_adjacent(self) -> None:
        """Look again at what waited for links that were declared since."""
        if self._waiting:
            for link in self.links[self._settled :]:
                for item in self._waiting.pop(link.name, ()):
                    self._adjoin(item)
        self._settled = len(self.links)

    def _dof_values(
        self, joints: tuple[JointDescription, ...]
    ) -> tuple[float, ...] | None:
        if not joints and self.joint_values is None:
            return None
        axes = [
            (joint.name, axis)
            for joint in joints
            if joint.active and not any(axis.mimic for axis in joint.axes)
            for axis in joint.axes
        ]
        if self.incomplete:
            return None
        if self.joint_values is None:
            inside = tuple(_start(axis) for _, axis in axes)
            modelled = tuple(axis.initial for _, axis in axes)
            return None if inside == modelled else inside
        values, element, scope = self.joint_values
        if len(values) != len(axes):
            scope.warn(
                element,
                "joint-values",
                f"<jointvalues> has {len(values)} numbers, body {self.name!r} has "
                f"{len(axes)} degrees of freedom; it is not used",
            )
            return None
        for (name, axis), value in zip(axes, values, strict=True):
            lower, upper = axis.lower, axis.upper
            off = max(lower - value, value - upper)
            if not axis.circular and off > _ROUNDING:
                scope.warn(
                    element,
                    "joint-values",
                    f"<jointvalues> has {value:g} for joint {name!r}, whose limits are "
                    f"{lower:g} and {upper:g}; the nearer one is taken",
                )
        return values or None

    def _clamp_passive_joints(self) -> None:
        """Bring passive joints that follow no other inside their limits."""
        for joint in self.joints:
            if joint.active or any(axis.mimic for axis in joint.axes):
                continue
            axes = tuple(replace(axis, initial=_start(axis)) for axis in joint.axes)
            if axes != joint.axes:
                joint.axes, self.moved = axes, True

    def _check_names(self) -> None:
        if not self.name and not self.incomplete:
            self.name = _name_of_file(self.uri)
            if self.name:
                self.scope.warn(
                    self.element,
                    "unnamed-body",
                    f"the body has no name; it is called {self.name!r}, as its file",
                    "add name='...'",
                )
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
        elif fault := name_fault(name):
            scope.error(element, "bad-name", f"the name {name!r} of a {kind} {fault}")

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


def _new_first(items: list[Mounted], inherited: set[object]) -> list[Mounted]:
    old = [item for item in items if item in inherited]
    if not old:
        return items
    return [item for item in reversed(items) if item not in inherited] + old


def _start(axis: JointAxis) -> float:
    """Return the value at which an axis starts: as modelled, but inside its limits."""
    if axis.circular or axis.lower >= axis.upper:
        return axis.initial
    return min(max(axis.initial, axis.lower), axis.upper)


class PartBuilder:
    """An included file; what it gave may still be renamed and moved."""

    def __init__(
        self,
        body: BodyBuilder,
        kind: str,
        attributes: Mapping[str, str],
        scale: Vec3,
        *,
        skip: bool,
    ) -> None:
        self._known = Part(
            kind,
            attributes.get("file", "").strip(),
            "",
            attributes.get("name", "").strip(),
            attributes.get("prefix", "").strip(),
            scale,
            skip,
        )
        self._first = (len(body.links), len(body.joints))
        self._before = {*map(id, body.manipulators), *map(id, body.sensors)}

    def close(self, body: BodyBuilder, path: str) -> None:
        """Record the parts that the file at `path` gave to the body."""
        first_link, first_joint = self._first
        self._known = replace(self._known, uri=path)
        self._links = body.links[first_link:]
        self._joints = body.joints[first_joint:]
        self._manipulators = [m for m in body.manipulators if self._is_new(m)]
        self._sensors = [s for s in body.sensors if self._is_new(s)]
        self._name = self._links[0].name if self._links else ""
        self._pose = self._links[0].pose if self._links else IDENTITY
        body.composition.parts.append(self)

    def _is_new(self, item: object) -> bool:
        return id(item) not in self._before

    def describe(self, base: Pose) -> Part:
        """Return the finished part of a body whose base link is at `base`."""
        known = self._known
        prefix, pose = known.prefix, IDENTITY
        if self._links:
            link = self._links[0]
            prefix = link.name.removesuffix(self._name) + prefix
            if is_identity(base) and link.pose == self._pose:
                pose = IDENTITY
            else:
                pose = relative(base, link.pose) @ self._pose.inverse()
        return replace(
            known,
            prefix=prefix,
            pose=pose,
            links=_names(self._links),
            joints=tuple(joint.name for joint in self._joints),
            manipulators=tuple(m.name for m in self._manipulators),
            attached_sensors=tuple(s.name for s in self._sensors),
        )


def _names(links: list[LinkBuilder]) -> tuple[str, ...]:
    return tuple(link.name for link in links)


class CompositionBuilder:
    """Builder of a body's composition, from the start of its element to the end."""

    def __init__(self, body: BodyBuilder) -> None:
        load = body.scope.load
        self._found, self._inclusions = len(load.found), load.inclusions
        self.parts: list[PartBuilder] = []

    def describe(self, body: BodyBuilder, base: Pose) -> Composition | None:
        """Return the finished composition, None if the body is of one piece."""
        scope, load = body.scope, body.scope.load
        includes = load.inclusions > self._inclusions
        is_root = body.uri == scope.file and not scope.file.startswith("<")
        if not includes and not is_root:
            return None
        source = to_xml_element(body.element, scope.file) if includes else None
        written = dict.fromkeys(_file_names(source)) if source is not None else {}
        files = dict.fromkeys(load.found[self._found :])
        return Composition(
            tuple(part.describe(base) for part in self.parts),
            _whole(body) if is_root else None,
            source,
            tuple((name, scope.names[name]) for name in written if name in scope.names),
            (scope.file, *files) if is_root else tuple(files),
            body.frame,
            base,
            tuple(
                controller
                for controller in body.controllers
                if controller.location is None or controller.location.file != scope.file
            ),
            tuple(body.controllers) if is_root else (),
        )


def _whole(body: BodyBuilder) -> Part:
    context = body.scope.load.context
    passed = {key.lower(): value for key, value in context.attributes.items()}
    file = body.scope.file
    return Part(
        "robot" if body.is_robot else "kinbody",
        file,
        file,
        passed.get("name", "").strip(),
        passed.get("prefix", "").strip(),
        context.scale,
        context.skip_geometry,
        body.frame,
        _names(body.links),
        tuple(joint.name for joint in body.joints),
        tuple(m.name for m in body.manipulators),
        tuple(s.name for s in body.sensors),
    )


def _file_names(element: XmlElement) -> Iterator[str]:
    name = file_name(element)
    if name:
        yield name
    for child in element.children:
        yield from _file_names(child)


def _name_of_file(uri: str) -> str:
    """Return the name of a body of a file of its own, empty if it has none."""
    if not uri or uri.startswith("<"):
        return ""
    stem = uri.replace("\\", "/").rpartition("/")[2].partition(".")[0]
    return "_".join(stem.split())
