"""Links that hold a robot to the world, as ROS, Gazebo and SRDF define them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave_urdf.reading.elements.gazebo import blocks_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pyrave.scene import RobotDescription
    from pyrave_urdf.reading.elements.gazebo import Block

WORLD = "world"
"""The name of a root link that is the world: of ROS, Gazebo and Drake."""
_TRUE = frozenset({"true", "1"})
_FREE = frozenset({"planar", "floating"})


def with_held_base(
    robot: RobotDescription, blocks: Iterable[Block], virtual: Mapping[str, str]
) -> RobotDescription:
    """Return a robot whose links that stay in the world are static.

    A root link called ``world`` is the world. Gazebo's ``<static>`` and a fixed
    ``virtual_joint`` of an SRDF hold the link that they name, ``<static>`` of the whole
    robot its root; its joints move all the same. A root that has no mass, with all that
    is fixed to it, is held too, as by PyBullet and MuJoCo, unless the SRDF says that it
    moves.

    Parameters
    ----------
    blocks
        Those of the ``<robot>``.
    virtual
        Types of virtual joints by the links that they move.
    """
    base = robot.links[0].name
    names = {link.name for link in robot.links}
    held = {link for link, kind in virtual.items() if kind == "fixed"}
    if base == WORLD:
        held.add(base)
    for name, _, parts in blocks:
        static = next((one for tag, one in parts if tag == "static"), None)
        if static is not None and (static.text or "").strip().lower() in _TRUE:
            held.add(name or base)
    if virtual.get(base) not in _FREE and _is_massless(robot):
        held.add(base)
    return _with_static(robot, held & names)


def unsaid_bases(
    robot: RobotDescription, root: Any, virtual: Mapping[str, str]
) -> set[str]:
    """Return the static links of a robot that would not be read as such.

    Parameters
    ----------
    root
        The ``<robot>``.
    virtual
        As of `with_held_base`.
    """
    free = tuple(replace(link, static=False) for link in robot.links)
    read = with_held_base(replace(robot, links=free), blocks_of(root), virtual)
    return {
        link.name
        for link, again in zip(robot.links, read.links, strict=True)
        if link.static and not again.static
    }


def virtual_joints(srdf: Any) -> dict[str, str]:
    """Return the types of an SRDF's virtual joints by the links that they move.

    Parameters
    ----------
    srdf
        Its root, or None.
    """
    found = {}
    for element in () if srdf is None else srdf.iterchildren("virtual_joint"):
        link = str(element.get("child_link") or "").strip()
        found[link] = str(element.get("type") or "").strip().lower()
    return found


def _is_massless(robot: RobotDescription) -> bool:
    """Return True if joints move on a root that has no mass with all fixed to it."""
    beside: dict[str, list[str]] = {link.name: [] for link in robot.links}
    for joint in robot.joints:
        if joint.type == "fixed":
            beside[joint.parent].append(joint.child)
    group = [robot.links[0].name]
    for name in group:
        group += beside[name]
    masses = {link.name: link.inertial.mass for link in robot.links}
    return len(group) < len(masses) and not any(masses[name] > 0.0 for name in group)


def _with_static(robot: RobotDescription, held: Collection[str]) -> RobotDescription:
    if not held:
        return robot
    links = tuple(
        replace(link, static=True) if link.name in held else link
        for link in robot.links
    )
    return replace(robot, links=links)
