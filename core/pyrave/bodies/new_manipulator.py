"""Manipulators that scripts make in words, and how to make the first one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pyrave.bodies.views.joint import Joint
from pyrave.bodies.views.link import Link
from pyrave.cards import listed
from pyrave.errors import ArgumentError, shown
from pyrave.scene import IDENTITY, ManipulatorDescription, Pose
from pyrave.spatial import as_direction, as_pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody

_LISTED = 12
"""Largest number of leaf links in a message."""


def how_to_add(robot: KinBody) -> str:
    """Return a sentence that says how a robot gets its first manipulator."""
    leaves = robot.structure.leaf_links
    base, tip = robot.links[0].name, leaves[0].name
    return (
        f"add one: robot.add_manipulator('arm', base={base!r}, tip={tip!r}); "
        f"leaf links: {_leaves(robot)}"
    )


def described_manipulator(
    robot: KinBody,
    name: str,
    base: Link | str | None,
    tip: Link | str | None,
    tool: ArrayLike | Pose | None,
    direction: ArrayLike,
    gripper_joints: Iterable[Joint | str],
) -> ManipulatorDescription:
    """Return the description of a chain in words; see `Robot.add_manipulator`."""
    if name.split() != [name]:
        raise ArgumentError(
            f"the name of a manipulator is {name!r}, expected a text without blanks"
        )
    first = robot.links[0] if base is None else _link(robot, base, "base")
    last = _link(robot, tip, "tip")
    pose = IDENTITY if tool is None else Pose.from_matrix(as_pose(tool, "tool"))
    given = as_direction(direction, "direction")
    if not robot.model.chain(first.index, last.index).dof_indices.size:
        raise ArgumentError(
            f"no joint moves between {first.name!r} and {last.name!r}; leaf links: "
            f"{_leaves(robot)}"
        )
    joints = (gripper_joints,) if isinstance(gripper_joints, str) else gripper_joints
    joints = tuple(joints) if isinstance(joints, Iterable) else (joints,)
    if not all(isinstance(one, (str, Joint)) for one in joints):
        raise ArgumentError(
            f"gripper_joints is {shown(gripper_joints)}, expected joints or their names"
        )
    return ManipulatorDescription(
        name,
        first.name,
        last.name,
        pose,
        tuple(given.tolist()),
        tuple(one if isinstance(one, str) else one.name for one in joints),
    )


def _link(robot: KinBody, link: Any, what: str) -> Link:
    if isinstance(link, Link) and link.body is robot:
        return link
    if not isinstance(link, str):
        raise ArgumentError(
            f"the {what} of a manipulator is {shown(link)}, expected a link of "
            f"{robot!r} or the name of one; leaf links: {_leaves(robot)}"
        )
    return robot.links[link]


def _leaves(robot: KinBody) -> str:
    return listed((link.name for link in robot.structure.leaf_links), _LISTED)
