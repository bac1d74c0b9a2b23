"""Grasps of a body from its box: along the faces, with rolls, at its material."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from pyrave.grasping import Grasp
from pyrave.grasping.friction_cones import across
from pyrave.grasping.hands import closing_rates
from pyrave.interfaces import CollisionReport
from pyrave.kinematics.limits import LimitCheck
from pyrave.spatial import invert_pose
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.manipulator import Manipulator
    from pyrave.bodies.views.link import Link
    from pyrave.spatial import Array

_TIP = 0.01
"""Metres that the tool is behind a face at least."""
_FINGERS = 0.02
"""Metres: half of the width of fingers, about."""
_DEPTHS = (0.05, 0.03, 0.01, 0.005)
"""Metres that the tool is behind the face, after the middle was tried."""
_TILTS = (45.0, 30.0, 60.0)
"""Degrees between the directions of two faces."""
_THIN = 5e-4
"""Metres: thinner material is none."""
_TURNED = 1e-3


def box_grasps(arm: Manipulator, body: KinBody) -> Iterator[Grasp]:
    """Yield grasps of a body, made from its box, the most promising first.

    The hand comes along the normal of a face, that from above first, then between two
    faces, and closes along the sides of the box. Rays find what is between the fingers:
    all of the body, or its wall on one side. Nothing says that they can be reached, or
    that the hand fits.

    Parameters
    ----------
    arm
        Its approach direction, and the way of its fingers.
    body
        Where it is: faces are sorted by it.
    """
    middle, half = body.aabb_in(body.transform) or (np.zeros(3), np.zeros(3))
    approach = arm.direction
    R_tool = _frame(approach, closing_axis(arm))  # noqa: N806 - a frame
    probe = _Probe(body)
    down = body.transform[:3, :3].T @ (0.0, 0.0, -1.0)
    for way, sides in _ways(down):
        for whole in (True, False):
            for point, side in _places(probe, (middle, half), way, sides, whole=whole):
                for closing in (side, -side):
                    pose = np.eye(4)
                    pose[:3, :3] = _frame(way, closing) @ R_tool.T
                    pose[:3, 3] = point
                    yield Grasp(invert_pose(pose), approach=approach)


def closing_axis(arm: Manipulator) -> Array:
    """Return the direction (3,) in the tool in which a finger closes.

    It is that of the finger that moves most, without the part along the approach.
    """
    robot, indices = arm.robot, arm.gripper_indices
    rates = closing_rates(arm)
    lower, upper = (bound[indices] for bound in robot.dof_limits)
    spans = np.where(np.isfinite(upper - lower), upper - lower, 1.0)
    with robot.preserve_state(StateParts.TRANSFORMS):
        # amid the limits, beyond which coupled joints stop
        values = np.where(np.isfinite(upper - lower), 0.5 * (lower + upper), 0.0)
        places = []
        for row in (values, values + _TURNED * spans * rates):
            robot.set_dof_values(row, indices, limits=LimitCheck.NONE)
            places.append([_middle(link) for link in robot.links])
    moves = np.array(places[1]) - np.array(places[0])
    moves = moves @ arm.transform[:3, :3]
    moves -= np.outer(moves @ arm.direction, arm.direction)
    lengths = np.linalg.norm(moves, axis=1)
    fastest = int(np.argmax(lengths))
    if lengths[fastest] <= 0.0:
        return np.asarray(across(arm.direction[None])[0][0])
    return np.asarray(moves[fastest] / lengths[fastest])


def _middle(link: Link) -> Array:
    box, pose = link.local_aabb, link.pose_view
    point = np.zeros(3) if box is None else box[0]
    return np.asarray(pose[:3, :3] @ point + pose[:3, 3])


def _frame(way: Array, closing: Array) -> Array:
    """Return the rotation (3, 3) whose axes are the way, the closing, and both's."""
    return np.column_stack((way, closing, np.cross(way, closing)))


def _ways(down: Array) -> list[tuple[Array, list[Array]]]:
    """Return directions in which a hand comes, and those along which it closes.

    First along the faces of the box, then between two of them, each time those that
    lead down first.
    """
    axes = [sign * axis for axis in np.eye(3) for sign in (1.0, -1.0)]
    faces = [(way, [side for side in np.eye(3) if not side @ way]) for way in axes]
    between = [
        (
            np.cos(turn) * first + np.sin(turn) * second,
            [np.abs(np.cross(first, second))],
        )
        for turn in np.deg2rad(_TILTS)
        for first, second in combinations(axes, 2)
        if not first @ second
    ]

    def steepness(one: tuple[Array, list[Array]]) -> float:
        return -round(float(one[0] @ down), 3)

    return [*sorted(faces, key=steepness), *sorted(between, key=steepness)]


def _places(
    probe: _Probe,
    box: tuple[Array, Array],
    way: Array,
    sides: list[Array],
    *,
    whole: bool,
) -> Iterator[tuple[Array, Array]]:
    """Yield points of the tool in the body, and in which direction fingers close.

    Parameters
    ----------
    box
        Middle and half extents.
    way
        (3,) from outside into the box.
    sides
        Directions of closing, across the way.
    whole
        The fingers are around all of the body, not around its walls.
    """
    middle, half = box
    deep = float(half @ np.abs(way))
    depths = dict.fromkeys(min(deep, depth) for depth in (deep, *_DEPTHS))
    for side in sorted(sides, key=lambda axis: float(half @ axis)):
        beside = np.cross(way, side)
        wide = float(half @ np.abs(beside))
        shifts = (0.0, 0.5 * wide, -0.5 * wide) if wide > 1.5 * _FINGERS else (0.0,)
        reach = float(half @ side)
        for depth, shift in product(depths, shifts):
            point = middle + (depth - deep) * way + shift * beside
            for place in _material(probe, point, side, reach, whole=whole):
                yield point + place * side, side


def _material(
    probe: _Probe, point: Array, side: Array, half: float, *, whole: bool
) -> list[float]:
    """Return the middles of what fingers would hold, along a side from a point."""
    outside = half + _TIP
    ends = [
        outside - probe.hit(point + sign * outside * side, -sign * side, 2.0 * outside)
        for sign in (1.0, -1.0)
    ]
    if not np.isfinite(ends).all():
        return []
    upper, lower = ends[0], -ends[1]
    if whole:
        return [0.5 * (upper + lower)] if upper - lower > _THIN else []
    centre = 0.5 * (upper + lower)
    found = []
    for sign, end in ((1.0, upper), (-1.0, lower)):
        away = probe.hit(point + centre * side, sign * side, outside)
        inner = centre + sign * away
        if np.isfinite(away) and away > _TIP and abs(end - inner) > _THIN:
            found.append(0.5 * (end + inner))
    return found


class _Probe:
    """Rays at a body, in its frame; what was asked is known."""

    def __init__(self, body: KinBody) -> None:
        self._body = body
        self._pose = body.transform
        self._report = CollisionReport()
        self._known: dict[tuple[float, ...], float] = {}

    def hit(self, origin: Array, direction: Array, length: float) -> float:
        """Return the distance at which a ray hits the body, infinite if never."""
        key = (*origin.round(9).tolist(), *direction.round(9).tolist())
        if key not in self._known:
            self._known[key] = self._asked(origin, direction, length)
        return self._known[key]

    def _asked(self, origin: Array, direction: Array, length: float) -> float:
        pose, checker = self._pose, self._body.env.collision_checker
        start = pose[:3, :3] @ origin + pose[:3, 3]
        ray = pose[:3, :3] @ (length * direction)
        if not checker.check_ray(start, ray, self._body, self._report):
            return np.inf
        return -self._report.pairs[0].contacts[0].depth
