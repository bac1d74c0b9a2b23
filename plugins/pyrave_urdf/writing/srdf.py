"""The SRDF next to a written URDF file: groups, end effectors, pairs that may touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats import add_xml
from pyrave.scene import IDENTITY
from pyrave_urdf.reading.bases import WORLD, unsaid_bases, virtual_joints
from pyrave_urdf.writing.kept import kept_as
from pyrave_urdf.writing.numbers import add
from pyrave_urdf.writing.states import add_states

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.formats import Losses
    from pyrave.scene import RobotDescription, XmlElement
    from pyrave_urdf.writing.tree import Tree

_PAIRS = "pairs of links that may touch are not written"
_ARMS = "manipulators are not written"
_HINT = "save with srdf=True (--srdf)"


def tell_of_srdf(robot: RobotDescription, tree: Tree, losses: Losses) -> None:
    """Report data that only an SRDF holds, for a file that is written without one."""
    for arm in robot.manipulators:
        losses.add(_ARMS, arm.name, hint=_HINT)
    for one in robot.configurations:
        losses.add("configurations are not written", one.name, hint=_HINT)
    if robot.adjacent or tree.parted:
        losses.add(_PAIRS, robot.name, hint=_HINT)
    if kept_as("srdf", robot.readables) is not None:
        losses.add("the SRDF of the robot is not written", robot.name, hint=_HINT)


def srdf_of(robot: RobotDescription, tree: Tree, said: Any, losses: Losses) -> bytes:
    """Return an SRDF document.

    Parameters
    ----------
    said
        The ``<robot>`` of the URDF that it stands next to.
    """
    root = etree.Element("robot", name=robot.name)
    kept = kept_as("srdf", robot.readables)
    if kept is not None:
        for key, value in kept.attributes:
            root.set(key, value)
        for child in kept.children:
            add_xml(root, child)
    _add_groups(root, robot, tree, losses)
    add_states(root, robot, tree, losses)
    _add_passive(root, robot)
    _add_base(root, robot, said)
    _add_pairs(root, robot, tree, is_new=kept is None)
    etree.indent(root)
    text: bytes = etree.tostring(root, encoding="utf-8")
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + text + b"\n"


def _add_groups(root: Any, robot: RobotDescription, tree: Tree, losses: Losses) -> None:
    groups = {"_".join((one.get("name") or "").split()) for one in root.iter("group")}
    above = {joint.child: joint.parent for joint in tree.joints}
    for arm in robot.manipulators:
        if arm.ik_solver or arm.readables or any(arm.chucking_direction):
            losses.add("solvers and closing directions are not written", arm.name)
        if arm.tool != IDENTITY or arm.direction != (0.0, 0.0, 1.0):
            losses.add("tool frames of manipulators are not written", arm.name)
        if arm.name in groups:
            continue
        if arm.base not in _up(arm.end_effector, above):
            losses.add("manipulators that lead up the tree are not written", arm.name)
            continue
        group = add(root, "group", name=arm.name)
        add(group, "chain", base_link=arm.base, tip_link=arm.end_effector)
        if arm.gripper_joints:
            hand = f"{arm.name}_gripper"
            group = add(root, "group", name=hand)
            for joint in arm.gripper_joints:
                add(group, "joint", name=joint)
            add(
                root,
                "end_effector",
                name=hand,
                parent_link=arm.end_effector,
                group=hand,
                parent_group=arm.name,
            )


def _up(link: str, above: dict[str, str]) -> Iterator[str]:
    yield link
    while link in above:
        link = above[link]
        yield link


def _add_passive(root: Any, robot: RobotDescription) -> None:
    known = {one.get("name") for one in root.iter("passive_joint")}
    for joint in robot.joints:
        free = [axis for axis in joint.axes if axis.mimic is None]
        if free and not joint.active and joint.name not in known:
            add(root, "passive_joint", name=joint.name)


def _add_base(root: Any, robot: RobotDescription, said: Any) -> None:
    """Say that the base stays in the world, unless that is said already."""
    base = robot.links[0].name
    if base in unsaid_bases(robot, said, virtual_joints(root)):
        add(
            root,
            "virtual_joint",
            name="fixed_base",
            type="fixed",
            parent_frame=WORLD,
            child_link=base,
        )


def tell_of_bases(
    robot: RobotDescription, said: Any, losses: Losses, *, srdf: bool
) -> None:
    """Report links that stay in the world without a word of it in the files."""
    kept = kept_as("srdf", robot.readables) if srdf else None
    virtual = {} if kept is None else virtual_joints(_as_element(kept))
    unsaid = unsaid_bases(robot, said, virtual)
    if srdf:
        unsaid.discard(robot.links[0].name)
    for name in sorted(unsaid):
        hint = None if srdf or name != robot.links[0].name else _HINT
        losses.add("nothing says that links are static", name, hint=hint)


def _as_element(kept: XmlElement) -> Any:
    root = etree.Element("robot")
    for child in kept.children:
        add_xml(root, child)
    return root


def _add_pairs(root: Any, robot: RobotDescription, tree: Tree, *, is_new: bool) -> None:
    """Append pairs; those that joints join are said as well, which planners need."""
    reasons = dict.fromkeys(sorted(map(_sorted, robot.adjacent)), "Never")
    joined = list(tree.parted)
    if is_new and robot.joined_links_adjacent:
        joined += [(joint.parent, joint.child) for joint in tree.joints]
    for pair in joined:
        reasons[_sorted(pair)] = "Adjacent"
    for (one, other), reason in sorted(reasons.items()):
        add(root, "disable_collisions", link1=one, link2=other, reason=reason)


def _sorted(pair: tuple[str, str]) -> tuple[str, str]:
    one, other = pair
    return (one, other) if one < other else (other, one)
