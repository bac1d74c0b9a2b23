"""Groups of trajectories that say what is grabbed and released."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyrave.errors import ArgumentError
from pyrave.records import Record
from pyrave.spatial import pose_from_wxyz_xyz

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.environment import Environment
    from pyrave.spatial import Array
    from pyrave.trajectories.specification import ConfigurationSpecification


@dataclass(frozen=True, slots=True)
class GrabRule(Record):
    """One value of a trajectory that says what a link holds.

    Parameters
    ----------
    column
        Index of the value in a configuration.
    link
        Name or index of the robot's link, None: where the robot grabs by default.
    body
        Name of the body of a ``grabbody`` group: grabbed while the value is positive,
        released otherwise. None for ``grab`` groups: value k grabs the k-th body of
        the environment (from 1), -k releases it, 0 does nothing.
    T_link_body
        (4, 4) where the body is put in the link before it is grabbed, or None.
    """

    column: int
    link: str | int | None
    body: str | None
    T_link_body: Array | None

    def wanted(self, env: Environment, value: float) -> tuple[str, bool] | None:
        """Return (body, whether to hold it) for a sampled value, None for nothing."""
        number = math.floor(value + 0.5)
        if self.body is not None:
            return self.body, number > 0
        if number == 0:
            return None
        return env.bodies[abs(number) - 1].name, number > 0

    def link_of(self, robot: KinBody) -> Link:
        """Return the link that grabs."""
        return robot.links[
            robot.default_grab_link() if self.link is None else self.link
        ]


def grab_rules(
    spec: ConfigurationSpecification, robot: KinBody
) -> tuple[GrabRule, ...]:
    """Return the rules by which groups of a specification make a robot grab.

    Raises
    ------
    ArgumentError
        A group makes no sense, or names a link that the robot does not have.
    """
    rules: list[GrabRule] = []
    for group in spec.groups:
        words = group.arguments
        if group.kind == "grab" and words[:1] in {(), (robot.name,)}:
            for i in range(group.dof):
                link = _link_key(words[1 + i]) if len(words) > 1 + i else None
                rules.append(GrabRule(group.offset + i, link, None, None))
        elif group.kind == "grabbody":
            if not words:
                raise ArgumentError(
                    f"group {group.name!r} names no body; expected 'grabbody BODY "
                    "[ROBOT [LINK [qw qx qy qz x y z]]]'"
                )
            if len(words) > 1 and words[1] != robot.name:
                continue
            link = _link_key(words[2]) if len(words) > 2 else None
            rules.append(
                GrabRule(group.offset, link, words[0], _pose(group.name, words))
            )
    for rule in rules:
        if rule.link is not None:
            _ = robot.links[rule.link]
    return tuple(rules)


def _link_key(word: str) -> str | int:
    return int(word) if word.isdecimal() else word


def _pose(name: str, words: tuple[str, ...]) -> Array | None:
    if len(words) <= 3:
        return None
    try:
        return pose_from_wxyz_xyz([float(word) for word in words[3:]])
    except ValueError as error:
        raise ArgumentError(
            f"group {name!r}: the pose of the body in the link is not seven numbers "
            f"qw qx qy qz x y z ({error})"
        ) from error
