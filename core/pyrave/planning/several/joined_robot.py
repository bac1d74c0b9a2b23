"""Several robots as one, in a copy of their environment.

Searches, checks and retiming are about one robot. What moves several robots is asked
about one that has the links and joints of all.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.robot import Robot
from pyrave.errors import NotSupportedError
from pyrave.kinematics.formula import Renaming
from pyrave.scene import (
    IgnoredPair,
    JointDescription,
    LinkDescription,
    Pose,
    RobotDescription,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyrave.environment import Environment
    from pyrave.spatial import Indices

_GROUND = "ground"


class JoinedRobot(Robot):
    """Robots that stand where they are, with their links and joints in a row.

    Their names begin with that of the robot, as in ``"left/joint1"``.
    """

    free_pairs: Indices = np.empty((0, 2), np.int64)

    @property
    def non_adjacent_links(self) -> Indices:
        """(k, 2) pairs that each robot has, and all of links of two robots."""
        return self.free_pairs


def joined(robots: Sequence[Robot]) -> JoinedRobot:
    """Return robots of an environment as one, in a copy of that environment.

    It holds what they hold, and collides with what they collide with.

    Raises
    ------
    NotSupportedError
        One is held by a body, or callbacks or filters decide about collisions.
    """
    _check_collisions(robots)
    names = [robot.name for robot in robots]
    copy: Any = robots[0].env.clone()
    kept = [pair for pair in copy.ignored_pairs if {pair.first, pair.second} & {*names}]
    for name in names:
        copy.remove(copy.robots[name])
    made = JoinedRobot(copy)
    made.init(_description(robots, _free_name(copy)), validate=False)
    made.free_pairs = _free_pairs(robots, made, kept)
    copy.add(made)
    made.grabs.info = [
        replace(
            info,
            link=_inner(robot, info.link),
            ignored_links=tuple(_inner(robot, name) for name in info.ignored_links),
            touching_links=tuple(_inner(robot, name) for name in info.touching_links),
        )
        for robot in robots
        for info in robot.grabs.info
    ]
    rest = [pair for pair in kept if not {pair.first, pair.second} <= {*names}]
    copy.ignored_pairs = (*copy.ignored_pairs, *_renamed(rest, made, names))
    return made


def _check_collisions(robots: Sequence[Robot]) -> None:
    """Raise `NotSupportedError` if the joined robot would collide in another way."""
    env = robots[0].env
    held = next((robot for robot in robots if robot.holder is not None), None)
    if held is not None:
        raise NotSupportedError(
            f"{held!r} is held by {held.holder!r}; robots that move together stand by "
            "themselves"
        )
    filtered = next((one for one in env.bodies if one.collision_filter), None)
    if env.collision_callbacks or filtered is not None:
        what = "env.on_collision has callbacks, which are"
        if filtered is not None:
            what = f"{filtered!r} has a collision filter, which is"
        raise NotSupportedError(
            f"{what} asked about one robot at a time; plan for one after the other, or "
            "do without"
        )

    own = next((one for one in robots if one.self_collision_checker), None)
    if own is not None:
        raise NotSupportedError(
            f"{own!r} has a collision checker of its own, and robots that move "
            "together are checked by the environment's; plan for one after the other, "
            "or set its self_collision_checker to None"
        )


def _inner(robot: Robot, name: str) -> str:
    """Return the name of a link or joint of a robot in the joined one."""
    return f"{robot.name}/{name}"


def _free_name(env: Environment) -> str:
    name = "robots"
    while name in env.bodies:
        name += "_"
    return name


def _description(robots: Sequence[Robot], name: str) -> RobotDescription:
    """Return robots on one link without geometry, as they are now."""
    links, joints = [LinkDescription(_GROUND, static=True)], []
    values: list[float] = []
    for robot in robots:
        body = robot.describe()
        formulas = Renaming.of_joints(body.joints, partial(_inner, robot))
        place = Pose.from_matrix(robot.transform)
        links += [
            replace(
                link,
                name=_inner(robot, link.name),
                pose=place @ link.pose,
                enabled=bool(enabled),
            )
            for link, enabled in zip(body.links, robot.links_enabled, strict=True)
        ]
        joints.append(
            JointDescription(
                _inner(robot, ""),
                "fixed",
                _GROUND,
                _inner(robot, body.links[0].name),
                T_parent_joint=place,
            )
        )
        joints += [_moved(robot, joint, formulas) for joint in body.joints]
        values += robot.dof_values.tolist()
    return RobotDescription(
        name,
        links=tuple(links),
        joints=tuple(joints),
        dof_values=tuple(values),
    )


def _moved(
    robot: Robot, joint: JointDescription, formulas: Renaming
) -> JointDescription:
    """Return a joint among links that have other names."""
    return replace(
        formulas.joint(joint),
        name=_inner(robot, joint.name),
        parent=_inner(robot, joint.parent),
        child=_inner(robot, joint.child),
    )


def _free_pairs(
    robots: Sequence[Robot], made: Robot, ignored: Sequence[IgnoredPair]
) -> Indices:
    """Return the pairs (k, 2) of links that a self collision query compares."""
    firsts = np.cumsum([1, *(len(robot.links) for robot in robots)])
    pairs = [
        first + robot.non_adjacent_links
        for first, robot in zip(firsts, robots, strict=False)
    ]
    without = {
        frozenset(ends)
        for pair in ignored
        for ends in _link_pairs(pair, {robot.name: robot for robot in robots})
    }
    solid = made.model.has_geometry
    owner = np.searchsorted(firsts, np.arange(len(made.links)), side="right")
    between = [
        (a, b)
        for a in np.flatnonzero(solid).tolist()
        for b in np.flatnonzero(solid & (owner > owner[a])).tolist()
        if frozenset((made.links[a].name, made.links[b].name)) not in without
    ]
    pairs.append(np.array(between, np.int64).reshape(-1, 2))
    every = np.concatenate(pairs)
    found: Indices = every[np.lexsort(every.T[::-1])]
    found.flags.writeable = False
    return found


def _link_pairs(
    pair: IgnoredPair, robots: dict[str, Robot]
) -> Iterator[tuple[str, str]]:
    """Yield the pairs of inner names that a pair of two of the robots means."""
    if not {pair.first, pair.second} <= robots.keys():
        return
    sides = [
        [
            _inner(robots[name], link.name)
            for link in robots[name].links
            if only in {"", link.name}
        ]
        for name, only in (
            (pair.first, pair.first_link),
            (pair.second, pair.second_link),
        )
    ]
    yield from ((a, b) for a in sides[0] for b in sides[1])


def _renamed(
    pairs: Sequence[IgnoredPair], made: Robot, names: Sequence[str]
) -> Iterator[IgnoredPair]:
    """Yield pairs of one of the robots and another body by the joined robot's links."""
    for pair in pairs:
        own, link, other, other_link = (
            (pair.first, pair.first_link, pair.second, pair.second_link)
            if pair.first in names
            else (pair.second, pair.second_link, pair.first, pair.first_link)
        )
        yield from (
            IgnoredPair(made.name, other, one.name, other_link)
            for one in made.links
            if one.name == f"{own}/{link}"
            or (not link and one.name.startswith(f"{own}/"))
        )
