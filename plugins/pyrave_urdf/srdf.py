"""SRDF beside a URDF file: manipulators, adjacent links, and what is kept as data."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH113, PTH118

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pyrave.formats import open_source, to_xml_element
from pyrave.scene import ManipulatorDescription, XmlElement, XmlReadable
from pyrave_urdf.document import open_document
from pyrave_urdf.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyrave.formats import ReadContext
    from pyrave.scene import JointDescription, RobotDescription

__all__ = ["completed_by_srdf", "find_srdf"]

_FOLDERS = ("", "srdf", "config", "../srdf", "../config")
_SUFFIXES = (".urdf.xacro", ".xacro", ".urdf", ".xml")
_TAGS = (
    *("group", "group_state", "end_effector", "virtual_joint", "passive_joint"),
    *("disable_collisions", "enable_collisions", "disable_default_collisions"),
    *("link_sphere_approximation", "joint_property", "gripper", "rotor_params"),
    *("joint_configuration", "chain"),
)
_MOST_GROUPS = 10_000


def find_srdf(file: str, robot: str, context: ReadContext) -> str | None:
    """Return the SRDF that lies beside a URDF file, None if there is none.

    It is called as the file or as the robot, in the same folder, in ``srdf`` or
    ``config`` there, or in such a folder beside that one.
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


@dataclass(slots=True)
class _Group:
    """What a group names, with everything of the groups in it."""

    joints: list[str] = field(default_factory=list)
    chains: list[tuple[str, str]] = field(default_factory=list)


class _Srdf:
    def __init__(self, robot: RobotDescription, reading: Reading) -> None:
        self.robot = robot
        self.reading = reading
        self.links = {link.name: link for link in robot.links}
        self.joints = {joint.name: joint for joint in robot.joints}
        self.above = {joint.child: joint for joint in robot.joints}
        root = reading.document.root
        self.elements = {one.get("name") or "": one for one in root.findall("group")}
        self.groups: dict[str, _Group] = {}
        # how the root moves in the world; Pinocchio calls that joint so by itself
        self.virtual = {one.get("name") for one in root.findall("virtual_joint")}
        self.virtual.add("root_joint")

    def done(self) -> RobotDescription:
        self.reading.children(self.reading.document.root, _TAGS)
        for name in list(self.elements)[:_MOST_GROUPS]:
            self._group(name, ())
        for element in self.reading.document.root.findall("group_state"):
            self._check_state(element)
        return replace(
            self.robot,
            adjacent=self.robot.adjacent | frozenset(self._adjacent()),
            manipulators=tuple(self._manipulators()),
            readables=(*self.robot.readables, ("srdf", self._kept())),
        )

    def _kept(self) -> XmlReadable:
        """Return the SRDF as data, but for the pairs, which the body has itself."""
        root = self.reading.document.root
        children = tuple(
            to_xml_element(one) for one in root if one.tag != "disable_collisions"
        )
        attributes = tuple(root.items())
        return XmlReadable(XmlElement("srdf", attributes, children=children))

    # -- pairs of links --------------------------------------------------------------

    def _adjacent(self) -> Iterator[tuple[str, str]]:
        for element in self.reading.document.root.iterchildren("disable_collisions"):
            one, other = element.get("link1") or "", element.get("link2") or ""
            if one in self.links and other in self.links:
                if one != other:
                    yield (one, other) if one < other else (other, one)
                continue
            unknown = other if one in self.links else one
            self.reading.unknown(element, "link", unknown, self.links, "unknown-link")

    # -- groups ----------------------------------------------------------------------

    def _group(self, name: str, above: tuple[str, ...]) -> _Group:
        known = self.groups.get(name)
        if known is not None:
            return known
        group = _Group()
        for child in self.elements[name]:
            match child.tag:
                case "joint":
                    joint = self._known(child, "name", "joint", self.joints)
                    group.joints += [joint] if joint else []
                case "link":
                    link = self._known(child, "name", "link", self.links)
                    moved = self.above.get(link) if link else None
                    group.joints += [moved.name] if moved else []
                case "chain":
                    base = self._known(child, "base_link", "link", self.links)
                    tip = self._known(child, "tip_link", "link", self.links)
                    if base and tip and self._chain(base, tip) is None:
                        self.reading.warn(
                            child,
                            "bad-chain",
                            f"no chain of joints leads from {base!r} down to {tip!r}",
                            "base_link lies nearer to the root than tip_link",
                        )
                    elif base and tip:
                        group.chains.append((base, tip))
                case "group":
                    inner = self._known(child, "name", "group", self.elements)
                    if inner is None or inner == name or inner in above:
                        if inner is not None:
                            self.reading.warn(
                                child,
                                "include-cycle",
                                f"the group {name!r} contains itself",
                            )
                        continue
                    found = self._group(inner, (*above, name))
                    group.joints += found.joints
                    group.chains += found.chains
        self.groups[name] = group
        return group

    def _known(
        self, element: Any, attribute: str, what: str, known: Mapping[str, Any]
    ) -> str | None:
        name = (element.get(attribute) or "").strip()
        if name in known:
            return name
        if what == "joint" and name in self.virtual:
            return None
        code = "unknown-link" if what == "link" else "unknown-joint"
        self.reading.unknown(element, what, name, known, code)
        return None

    def _chain(self, base: str, tip: str) -> list[JointDescription] | None:
        """Return the joints from a link down to another, None if it is not above."""
        found = []
        while tip != base:
            joint = self.above.get(tip)
            if joint is None:
                return None
            found.append(joint)
            tip = joint.parent
        return found[::-1]

    def _ends(self, group: _Group) -> tuple[str, str] | None:
        """Return (base, tip) of a group that is one chain, else None."""
        if len(group.chains) == 1 and not group.joints:
            return group.chains[0]
        if group.chains or not group.joints:
            return None
        joints = [self.joints[name] for name in dict.fromkeys(group.joints)]
        children = {joint.child for joint in joints}
        tops = [joint for joint in joints if joint.parent not in children]
        # fixed joints may stand between those that are named
        deepest = max(joints, key=lambda joint: self._depth(joint.child))
        for top in sorted(tops, key=lambda joint: self._depth(joint.child))[:1]:
            path = self._chain(top.parent, deepest.child)
            if path is not None and {j.name for j in joints} <= {j.name for j in path}:
                moving = {joint.name for joint in path if joint.axes}
                if moving <= {joint.name for joint in joints}:
                    return top.parent, deepest.child
        return None

    def _depth(self, link: str) -> int:
        count = 0
        while link in self.above:
            link, count = self.above[link].parent, count + 1
        return count

    # -- manipulators ----------------------------------------------------------------

    def _manipulators(self) -> Iterator[ManipulatorDescription]:
        """Yield a manipulator for each group that is a chain with a moving joint."""
        effectors = list(self.reading.document.root.iterchildren("end_effector"))
        for name, group in self.groups.items():
            ends = self._ends(group)
            if ends is None or not name:
                continue
            chain = self._chain(*ends) or []
            if not any(joint.axes for joint in chain) or self._is_hand(name, effectors):
                continue
            base, tip = ends
            yield ManipulatorDescription(
                "_".join(name.split()),
                base,
                tip,
                gripper_joints=tuple(self._gripper(name, tip, chain, effectors)),
                location=self.reading.location(self.elements[name]),
            )

    def _is_hand(self, group: str, effectors: list[Any]) -> bool:
        return any(one.get("group") == group for one in effectors)

    def _gripper(
        self, name: str, tip: str, chain: list[JointDescription], effectors: list[Any]
    ) -> Iterator[str]:
        """Yield the joints that end effectors at the tip of a group move."""
        inside = {joint.name for joint in chain}
        for one in effectors:
            parent = one.get("parent_group")
            hand = self.groups.get(one.get("group") or "")
            if hand is None or parent not in {None, "", name}:
                continue
            if not parent and one.get("parent_link") != tip:
                continue
            for joint in self._joints_of(hand):
                if joint.active and joint.name not in inside:
                    inside.add(joint.name)
                    yield joint.name

    def _joints_of(self, group: _Group) -> Iterator[JointDescription]:
        for joint in group.joints:
            yield self.joints[joint]
        for ends in group.chains:
            yield from self._chain(*ends) or ()

    # -- states ----------------------------------------------------------------------

    def _check_state(self, element: Any) -> None:
        self._known(element, "group", "group", self.elements)
        for one in element.iterchildren("joint"):
            if self._known(one, "name", "joint", self.joints):
                self.reading.numbers(one, "value")
