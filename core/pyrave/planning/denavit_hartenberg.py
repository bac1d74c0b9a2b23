"""Denavit and Hartenberg's parameters of a body's joints."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import invert_pose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.joint import Joint
    from pyrave.spatial import Array

_PARALLEL = 1e-12
_NOWHERE = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class DHParameter:
    """One joint's frame in that of the joint before it.

    The pose is a turn by `theta` about z, a move by `d` along z, a move by `a` along
    the new x, and a turn by `alpha` about it (Denavit and Hartenberg, "A Kinematic
    Notation for Lower-Pair Mechanisms Based on Matrices", J. Applied Mechanics 22,
    1955). z is the axis of the joint.

    Parameters
    ----------
    joint
        Whose frame it is.
    parent_index
        Where the joint before it is in the list; -1 for the world.
    transform
        (4, 4) the frame in the world.
    d, a
        Metres.
    theta, alpha
        Radians.
    """

    joint: Joint
    parent_index: int
    transform: Array
    d: float
    a: float
    theta: float
    alpha: float

    @property
    def pose(self) -> Array:
        """(4, 4) the frame in that of the joint before it."""
        ct, st = math.cos(self.theta), math.sin(self.theta)
        ca, sa = math.cos(self.alpha), math.sin(self.alpha)
        return np.array(
            [
                [ct, -st * ca, st * sa, self.a * ct],
                [st, ct * ca, -ct * sa, self.a * st],
                [0.0, sa, ca, self.d],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )


def dh_parameters(body: KinBody) -> tuple[DHParameter, ...]:
    """Return the parameters of a body's joints where it stands, passive ones left out.

    In the order of `BodyStructure.dependency_ordered_joints`. Frames are about the
    first axis of a joint. Where axes are parallel, x leads to the joint's anchor;
    elsewhere theta is within -pi/2 to pi/2.
    """
    moves = {one.child_link.index: one for one in body.all_joints}
    order = [
        one for one in body.structure.dependency_ordered_joints if one.dof_index >= 0
    ]
    place = {joint.name: k for k, joint in enumerate(order)}
    found: list[DHParameter] = []
    for joint in order:
        parent = _index_before(joint, moves, place)
        before = found[parent].transform if parent >= 0 else np.eye(4)
        d, a, theta, alpha = _between(before, joint.axes[0], joint.anchor)
        one = DHParameter(joint, parent, np.eye(4), d, a, theta, alpha)
        found.append(replace(one, transform=before @ one.pose))
    return tuple(found)


def _index_before(
    joint: Joint, moves: Mapping[int, Joint], place: Mapping[str, int]
) -> int:
    """Return the index of the joint that is nearest before one, or -1.

    `moves` has the joint of each link, `place` the indices of joints by name.
    """
    above = moves.get(joint.parent_link.index) if joint.parent_link else None
    while above is not None and above.name not in place:
        above = moves.get(above.parent_link.index) if above.parent_link else None
    return -1 if above is None else place[above.name]


def _between(
    before: Array, axis: Array, anchor: Array
) -> tuple[float, float, float, float]:
    """Return d, a, theta, alpha from a frame to an axis, both in the world."""
    inverse = invert_pose(before)
    z = inverse[:3, :3] @ axis
    place = inverse[:3, :3] @ anchor + inverse[:3, 3]
    across = math.hypot(z[0], z[1])
    if across < _PARALLEL:
        a = math.hypot(place[0], place[1])
        theta = math.atan2(place[1], place[0]) if a > _NOWHERE else 0.0
        return float(place[2]), a, theta, 0.0 if z[2] > 0.0 else math.pi
    # x is along what is at right angles to both axes, y completes it
    x = np.array((-z[1], z[0], 0.0)) / across
    if x[0] < -_NOWHERE or (x[0] < _NOWHERE and x[1] < 0.0):
        x = -x
    y = np.array((-x[1], x[0], 0.0))
    foot = place - z * (place @ y) / (z @ y)
    theta = math.atan2(x[1], x[0])
    return float(foot[2]), float(place @ x), theta, math.atan2(-(z @ y), z[2])
