"""SRDF next to a URDF file: manipulators, adjacent links, and what is kept as data."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH113, PTH118

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.formats import open_source, to_xml_element
from pyrave.scene import ManipulatorDescription, XmlElement, XmlReadable
from pyrave_urdf.document import open_document
from pyrave_urdf.groups import Groups
from pyrave_urdf.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pyrave.formats import ReadContext
    from pyrave.scene import RobotDescription

_FOLDERS = ("", "srdf", "config", "../srdf", "../config")
_SUFFIXES = (".urdf.xacro", ".xacro", ".urdf", ".xml")
_TAGS = (
    *("group", "group_state", "end_effector", "virtual_joint", "passive_joint"),
    *("disable_collisions", "enable_collisions", "disable_default_collisions"),
    *("link_sphere_approximation", "joint_property", "gripper", "rotor_params"),
    *("joint_configuration", "chain"),
)


def find_srdf(file: str, robot: str, context: ReadContext) -> str | None:
    """Return the SRDF that lies next to a URDF file, None if there is none.

    It is called as the file or as the robot, in the same folder, in ``srdf`` or
    ``config`` there, or in such a folder next to that one.
    """
    folder, base = os.path.split(file)
    stem = next((base[: -len(s)] for s in _SUFFIXES if base.endswith(s)), base)
    names = dict.fromkeys((stem, robot))
    for place in _FOLDERS:
        for name in names:
            path = os.path.normpath(os.path.join(folder, place, f"{name}.srdf"))
            if "\0" not in path and os.path.isfile(path):
                return context.resolver.find(path)
    return None


def completed_by_srdf(
    robot: RobotDescription, path: str, name: str, context: ReadContext
) -> RobotDescription:
    """Return a robot with what an SRDF file says about it.

    Parameters
    ----------
    name
        What the URDF calls the robot.
    """
    source = open_source(path)
    document = open_document(source.data, source.file, context.limits)
    reading = Reading(context, document, source.folder)
    root = document.root
    if root.tag != "robot":
        reading.error(root, "wrong-root", f"the root is <{root.tag}>, expected <robot>")
        return robot
    if root.get("name") != name:
        reading.warn(
            root,
            "unknown-robot",
            f"the SRDF is for the robot {root.get('name')!r}, the URDF for {name!r}; "
            "it is used nevertheless",
            "give both the same name",
        )
    return _Srdf(robot, reading).done()


class _Srdf:
    def __init__(self, robot: RobotDescription, reading: Reading) -> None:
        self.robot = robot
        self.reading = reading
        self.root = reading.document.root
        self.links = {link.name for link in robot.links}
        self.joints = {joint.name: joint for joint in robot.joints}
        # how the root moves in the world; Pinocchio calls that joint so by itself
        virtual = {one.get("name") for one in self.root.iterchildren("virtual_joint")}
        self.groups = Groups(robot, reading, frozenset({*virtual, "root_joint"}))

    def done(self) -> RobotDescription:
        self.reading.children(self.root, _TAGS)
        for element in self.root.iterchildren("group_state"):
            self._check_state(element)
        return replace(
            self.robot,
            adjacent=self.robot.adjacent | frozenset(self._adjacent()),
            manipulators=tuple(self._manipulators()),
            readables=(*self.robot.readables, ("srdf", self._kept())),
        )

    def _kept(self) -> XmlReadable:
        """Return the SRDF as data, but for the pairs, which the body has itself."""
        children = tuple(
            to_xml_element(one) for one in self.root if one.tag != "disable_collisions"
        )
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

    def _check_state(self, element: Any) -> None:
        self.groups.known(element, "group", "group", self.groups.elements)
        for one in element.iterchildren("joint"):
            self.groups.known(one, "name", "joint", self.joints)
            self.reading.numbers(one, "value")

    # -- manipulators ----------------------------------------------------------------

    def _manipulators(self) -> Iterator[ManipulatorDescription]:
        """Yield a manipulator for each group that is a chain with a moving joint."""
        effectors = _Effectors(self.root, self.groups.elements)
        for name, element in self.groups.elements.items():
            ends = self.groups.ends(name) if name else None
            if ends is None or name in effectors.hands:
                continue
            chain = self.groups.chain(*ends) or []
            if not any(joint.axes for joint in chain):
                continue
            base, tip = ends
            inside = {joint.name for joint in chain}
            hands = dict.fromkeys(
                joint.name
                for hand in effectors.of(name, tip)
                for joint in self.groups.joints(hand)
                if joint.active and joint.name not in inside
            )
            yield ManipulatorDescription(
                "_".join(name.split()),
                base,
                tip,
                gripper_joints=tuple(hands),
                location=self.reading.location(element),
            )


class _Effectors:
    """The end effectors of an SRDF whose groups are there, by what carries them."""

    def __init__(self, root: Any, groups: Collection[str]) -> None:
        self.hands: set[str] = set()
        """Names of their groups, which are no manipulators."""
        self._by_group: dict[str, list[tuple[int, str]]] = {}
        self._by_link: dict[str, list[tuple[int, str]]] = {}
        for number, one in enumerate(root.iterchildren("end_effector")):
            hand, group = one.get("group") or "", one.get("parent_group") or ""
            if hand not in groups:
                continue
            self.hands.add(hand)
            kind, key = self._by_group, group
            if not group:
                kind, key = self._by_link, one.get("parent_link") or ""
            kind.setdefault(key, []).append((number, hand))

    def of(self, group: str, tip: str) -> list[str]:
        """Return the groups of what a group or, by its tip, a chain carries."""
        found = self._by_group.get(group, []) + self._by_link.get(tip, [])
        return [hand for _, hand in sorted(found)]
