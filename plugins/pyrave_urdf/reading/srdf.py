"""SRDF next to a URDF file: manipulators, adjacent links, and what is kept as data."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH113, PTH118

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.errors import SceneError, Severity
from pyrave.formats import open_source, to_xml_element
from pyrave.scene import (
    ConfigurationDescription,
    ManipulatorDescription,
    XmlElement,
    XmlReadable,
)
from pyrave_urdf.reading.document import open_document
from pyrave_urdf.reading.groups import Groups
from pyrave_urdf.reading.load import UrdfReading

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pyrave.errors import Problem
    from pyrave.formats import ReadContext
    from pyrave.scene import Location, RobotDescription

_FOLDERS = ("srdf", "config")
_BUT_PAIRS = etree.XPath("*[not(self::disable_collisions)]")
_SUFFIXES = (".urdf.xacro", ".xacro", ".urdf", ".xml")


def find_srdf(file: str, robot: str, context: ReadContext) -> str | None:
    """Return the SRDF that lies next to a URDF file, None if there is none.

    It is called as the file or as the robot, in the same folder, in ``srdf`` or
    ``config`` there, or in such a folder next to that one; behind a link, too.
    """
    beside = _srdf_beside(file, robot)
    if beside is None:
        real = os.path.realpath(file)
        beside = None if real == file else _srdf_beside(real, robot)
    return None if beside is None else context.resolver.find(beside)


def _srdf_beside(file: str, robot: str) -> str | None:
    folder, base = os.path.split(file)
    stem = next((base[: -len(s)] for s in _SUFFIXES if base.endswith(s)), base)
    names = [f"{one}.srdf" for one in dict.fromkeys((stem, robot)) if "\0" not in one]
    above = os.path.normpath(os.path.join(folder, os.pardir))
    below = [os.path.join(one, name) for one in (folder, above) for name in _FOLDERS]
    for place in (folder, *filter(os.path.isdir, below)):
        for name in names:
            path = os.path.join(place, name)
            if os.path.isfile(path):
                return os.path.normpath(path)
    return None


def completed_by_srdf(
    robot: RobotDescription, path: str, name: str, context: ReadContext
) -> tuple[RobotDescription, Any]:
    """Return a robot with what an SRDF file says about it, and the file's root.

    Parameters
    ----------
    name
        What the URDF calls the robot.

    Returns
    -------
    robot : RobotDescription
    root : lxml element or None
        None if the file is no SRDF, which is a warning if nobody asked for it.
    """
    source = open_source(path, context)
    try:
        document = open_document(
            source.data,
            source.file,
            context.limits,
            lambda slip: context.diagnostics.extend([slip]),
        )
    except SceneError as error:
        if context.srdf_file is not None:
            raise
        context.diagnostics.extend(map(_as_left_out, error.problems))
        return robot, None
    reading = UrdfReading(context, document, source.folder)
    root = document.root
    if root.tag != "robot":
        what = f"the root is <{root.tag}>, expected <robot>"
        if context.srdf_file is not None:
            reading.error(root, "wrong-root", what)
        else:
            reading.warn(root, "wrong-root", f"{what}; the SRDF is left out")
        return robot, None
    if root.get("name") != name:
        reading.warn(
            root,
            "unknown-robot",
            f"the SRDF is for the robot {root.get('name')!r}, the URDF for {name!r}; "
            "it is used nevertheless",
            "give both the same name",
        )
    return _Srdf(robot, reading).done(), root


def _as_left_out(problem: Problem) -> Problem:
    message = f"{problem.message}; the SRDF is left out"
    return replace(problem, severity=Severity.WARNING, message=message)


class _Srdf:
    def __init__(self, robot: RobotDescription, reading: UrdfReading) -> None:
        self.robot = robot
        self.reading = reading
        self.root = reading.document.root
        self.links = {link.name for link in robot.links}
        self.joints = {joint.name: joint for joint in robot.joints}
        # how the root moves in the world; Pinocchio calls that joint so by itself
        virtual = {one.get("name") for one in self.root.iterchildren("virtual_joint")}
        # the pairs, of which there are thousands, are asked for one by one
        reading.parts(self.root, "srdf", _BUT_PAIRS(self.root))
        self.groups = Groups(robot, reading, frozenset({*virtual, "root_joint"}))

    def done(self) -> RobotDescription:
        self.reading.finish()
        return replace(
            self.robot,
            adjacent=self.robot.adjacent | frozenset(self._adjacent()),
            manipulators=tuple(self._manipulators()),
            configurations=tuple(self._configurations()),
            readables=(*self.robot.readables, ("srdf", self._kept())),
        )

    def _kept(self) -> XmlReadable:
        """Return the SRDF as data, but for the pairs, which the body has itself."""
        children = tuple(to_xml_element(one) for one in _BUT_PAIRS(self.root))
        attributes = tuple(self.root.items())
        return XmlReadable(XmlElement("srdf", attributes, children=children))

    def _adjacent(self) -> Iterator[tuple[str, str]]:
        for element in self.root.iterchildren("disable_collisions"):
            one, other = element.get("link1") or "", element.get("link2") or ""
            if one in self.links and other in self.links:
                if one != other:
                    yield (one, other) if one < other else (other, one)
                continue
            unknown = other if one in self.links else one
            self.reading.unknown(element, "link", unknown, self.links, "unknown-link")

    # -- configurations --------------------------------------------------------------

    def _configurations(self) -> Iterator[ConfigurationDescription]:
        """Yield the group states; those of one name are one if they do not differ."""
        found: dict[str, tuple[dict[str, tuple[float, ...]], Location]] = {}
        for element in self.root.iterchildren("group_state"):
            group = self.groups.known(element, "group", "group", self.groups.elements)
            name = (element.get("name") or "").strip()
            values = dict(self._values(element))
            known = found.get(name, ({}, None))[0]
            if any(known.get(joint, its) != its for joint, its in values.items()):
                name = f"{name} {group or ''}".strip()
                known = {}
            if name and (known or values):
                found[name] = known | values, self.reading.location(element)
        for name, (values, location) in found.items():
            yield ConfigurationDescription(name, tuple(values.items()), location)

    def _values(self, element: Any) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yield the values of joints that have degrees of freedom."""
        for one in element.iterchildren("joint"):
            name = self.groups.known(one, "name", "joint", self.joints)
            values = self.reading.spared(
                self.reading.numbers, one, "value", cost="it is not in the state"
            )
            if name is None or values is None:
                continue
            joint = self.joints[name]
            if not joint.active or not joint.axes or any(a.mimic for a in joint.axes):
                continue
            if len(values) != len(joint.axes):
                self.reading.warn(
                    one,
                    "bad-number",
                    f"the joint {name!r} has {len(joint.axes)} axes, found "
                    f"{len(values)} values; they are ignored",
                )
                continue
            yield name, values

    # -- manipulators ----------------------------------------------------------------

    def _manipulators(self) -> Iterator[ManipulatorDescription]:
        """Yield a manipulator for each group that is a chain with a moving joint.

        Hands that none has as its gripper come last: the first manipulator is the
        active one.
        """
        effectors = _Effectors(self.root, self.groups.elements)
        found = [
            (name, *ends)
            for name in self.groups.elements
            if name and (ends := self._arm(name, effectors.hands.get(name)))
        ]
        grippers = {
            name: [hand for hand in effectors.groups_of(name, tip) if hand != name]
            for name, _, tip in found
        }
        taken = {hand for hands in grippers.values() for hand in hands}
        links = effectors.hands
        found.sort(key=lambda one: links.get(one[0], one[2]) != one[2])
        for name, base, tip in found:
            if name in taken:
                continue
            inside = {joint.name for joint in self.groups.chain(base, tip) or ()}
            joints = dict.fromkeys(
                joint.name
                for hand in grippers[name]
                for joint in self.groups.joints(hand)
                if joint.active and joint.name not in inside
            )
            yield ManipulatorDescription(
                "_".join(name.split()),
                base,
                tip,
                gripper_joints=tuple(joints),
                location=self.reading.location(self.groups.elements[name]),
            )

    def _arm(self, group: str, parent: str | None) -> tuple[str, str] | None:
        """Return (base, tip) of a group that is a chain with a moving joint, else None.

        Parameters
        ----------
        parent
            The link that an end effector gives to the group. If it is fixed to the end
            of the chain, the end effector names an arm, and the link is its tip.
        """
        ends = self.groups.ends(group)
        if ends is None:
            return None
        base, tip = ends
        if not any(joint.axes for joint in self.groups.chain(base, tip) or ()):
            return None
        mounted = parent is not None and self.groups.has_fixed(tip, parent)
        return base, parent if mounted and parent else tip


class _Effectors:
    """The end effectors of an SRDF whose groups are there, by what carries them."""

    def __init__(self, root: Any, groups: Collection[str]) -> None:
        self.hands: dict[str, str] = {}
        """The links that carry them by the names of their groups."""
        self._by_group: dict[str, list[tuple[int, str]]] = {}
        self._by_link: dict[str, list[tuple[int, str]]] = {}
        for number, one in enumerate(root.iterchildren("end_effector")):
            hand, group = one.get("group") or "", one.get("parent_group") or ""
            if hand not in groups:
                continue
            link = one.get("parent_link") or ""
            self.hands[hand] = link
            kind, key = (self._by_group, group) if group else (self._by_link, link)
            kind.setdefault(key, []).append((number, hand))

    def groups_of(self, group: str, tip: str) -> list[str]:
        """Return the groups of what a group or, by its tip, a chain carries."""
        found = self._by_group.get(group, []) + self._by_link.get(tip, [])
        return [hand for _, hand in sorted(found)]
