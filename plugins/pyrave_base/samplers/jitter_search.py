"""Tests of configurations near the present one: distance, tool, collisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.settings.declarations import setting
from pyrave.records import Record
from pyrave.spatial import Array, as_vector, invert_pose
from pyrave_base.samplers.configurations import SamplerSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies.manipulator import Manipulator
    from pyrave.bodies.robot import Robot
    from pyrave.planning import PlanningSpace

NeighbourFunction = Callable[[Array, Array], Any]
_ROUNDING = 1e-12
_UNIT = 1e-3
"""By how much axes of a box may differ from unit vectors at right angles."""
_SINGULAR = 1e-7
"""Metres per radian, or per metre, that count for nothing."""
_CORNERS = np.stack(np.meshgrid([-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0])).reshape(3, 8)


@dataclass(frozen=True)
class JittererSettings(SamplerSettings):
    """Settings of samplers near the present configuration of a robot."""

    cache: bool = setting(
        False, "leave out configurations near those looked at before", fixed=True
    )
    max_jitter: float = setting(
        0.02, "largest change of a value, of a tool in the workspace", least=0
    )
    max_iterations: int = setting(
        5000, "configurations looked at for one sample", least=0, most=10_000_000
    )
    link_distance: float = setting(
        0.02, "largest way of a point of a link; 0: any", unit="m", least=0
    )
    perturbation: float = setting(
        1e-5, "change of all values at which a sample is free, too", least=0
    )
    neighbour_distance: float = setting(
        1.0, "resolutions between configurations of which `cache` leaves one", above=0
    )
    result_on_robot: bool = setting(True, "let the robot go to the sample")
    reset_iterations: bool = setting(
        True, "ask for each sample whether the robot may stay where it is"
    )
    manipulator: str = setting("", "whose tool is meant; empty: the active one")
    tool_direction: tuple[float, ...] = setting(
        (), "axis in the tool, axis in the world, least cosine between: 7, or none"
    )
    tool_position: tuple[float, ...] = setting(
        (), "axes of a box, centre, half extents, where the tool stays: 15, or none"
    )

    def check(self) -> None:
        """Refuse axes without direction, and boxes that are none."""
        if self.tool_direction:
            values = as_vector(self.tool_direction, 7, "tool_direction")
            if not (values[:3].any() and values[3:6].any()):
                raise ArgumentError("an axis of tool_direction must not be zero")
            if not -1.0 <= values[6] <= 1.0:
                raise ArgumentError(
                    f"the cosine of tool_direction is {values[6]:g}, expected -1 to 1"
                )
        if self.tool_position:
            values = as_vector(self.tool_position, 15, "tool_position")
            axes = values[:9].reshape(3, 3)
            if np.abs(axes @ axes.T - np.eye(3)).max() > _UNIT:
                raise ArgumentError(
                    f"axes of tool_position are {axes.tolist()}, expected three unit "
                    "vectors at right angles"
                )
            if (values[12:] < 0.0).any():
                raise ArgumentError(
                    f"half extents of tool_position are {values[12:].tolist()}, "
                    "expected none below 0"
                )


@dataclass(frozen=True, slots=True)
class JitterFailures(Record):
    """Configurations that a sample could not be, counted by the first reason.

    Parameters
    ----------
    neighbour_state
        The neighbour state function gave none.
    same
        As the present one.
    cached
        Near one that was looked at.
    link_distance
        A link would go too far.
    tool_direction, tool_position
        The constraint of the tool is not kept.
    environment, robot
        Something collides with what is around, or the robot with itself.
    """

    neighbour_state: int = 0
    same: int = 0
    cached: int = 0
    link_distance: int = 0
    tool_direction: int = 0
    tool_position: int = 0
    environment: int = 0
    robot: int = 0

    def plus(self, reasons: NDArray[np.int64]) -> JitterFailures:
        """Return the counts with those of more configurations, -1 for what is free."""
        more = np.bincount(reasons[reasons >= 0], minlength=len(_REASONS))
        return JitterFailures(*(np.array(astuple(self)) + more).tolist())

    def __str__(self) -> str:
        return ", ".join(
            f"{count} {words}"
            for count, words in zip(astuple(self), _REASONS.values(), strict=True)
            if count
        )


_REASONS = {
    "neighbour_state": "have no neighbour state",
    "same": "are the present one",
    "cached": "are near others",
    "link_distance": "move a link too far",
    "tool_direction": "turn the tool away",
    "tool_position": "have the tool outside of its box",
    "environment": "collide",
    "robot": "collide with the robot itself",
}
_NEIGHBOUR, _SAME, _CACHED, _FAR, _TURNED, _OUTSIDE, _HIT, _HITS_ITSELF = range(
    len(fields(JitterFailures))
)


class JitterSearch:
    """Finds the first of given configurations that may be a sample.

    Parameters
    ----------
    space
        The sampled degrees of freedom, the robot where it is.
    arm
        Whose tool is constrained; None where none is.
    bounds
        Least and greatest values, two (n,) arrays.
    neighbour
        Called with the present configuration and a difference, (n,) each.
    """

    def __init__(
        self,
        space: PlanningSpace,
        settings: JittererSettings,
        arm: Manipulator | None,
        bounds: tuple[Array, Array],
        neighbour: NeighbourFunction | None,
    ) -> None:
        self.space = space
        self.failures = JitterFailures()
        self._settings = settings
        self._arm = arm
        self._bounds = bounds
        self._neighbour = neighbour
        self.centre = self.clipped(space.values)
        """(n,) the present configuration, within the bounds."""
        self._others = space.robot.dof_values
        self._links, self._points = corners_of(space.robot)
        self._places = space.robot.link_transforms[self._links] @ self._points
        self._seen = self.centre[None]

    def clipped(self, rows: Array) -> Array:
        """Return configurations (..., n) within the bounds."""
        return np.clip(rows, *self._bounds)

    def stays(self) -> bool:
        """Return True if the present configuration may be the sample."""
        reasons = self._standing(self.centre[None])
        self.failures = self.failures.plus(reasons)
        return bool(reasons[0] < 0)

    def first_free(self, rows: Array, directions: Array | None = None) -> Array | None:
        """Return the first of (k, n) configurations that may be a sample, or None.

        Parameters
        ----------
        directions
            (k, 3) vectors in the world, along which links may go as far as these are
            long; everywhere as far as across them if left out.
        """
        rows, reasons = self._neighbours(self.clipped(rows))
        reasons[(reasons < 0) & (rows == self.centre).all(axis=1)] = _SAME
        if self._settings.cache:
            self._leave_out_near(rows, reasons)
        if self._settings.link_distance > 0.0:
            left = np.flatnonzero(reasons < 0)
            ways = None if directions is None else directions[left]
            reasons[left[self._goes_far(rows[left], ways)]] = _FAR
        left = np.flatnonzero(reasons < 0)
        reasons[left] = self._standing(rows[left])
        free = np.flatnonzero(reasons < 0)
        looked_at = int(free[0]) if len(free) else len(rows)
        self.failures = self.failures.plus(reasons[:looked_at])
        return rows[looked_at].copy() if len(free) else None

    def _neighbours(self, rows: Array) -> tuple[Array, NDArray[np.int64]]:
        """Return the results of the neighbour state function, and where it has none."""
        reasons = np.full(len(rows), -1)
        if self._neighbour is None:
            return rows, reasons
        found, (lower, upper) = rows.copy(), self._bounds
        for k, row in enumerate(rows):
            # it may look at where the robot is
            self.space.place(self.centre)
            answer = self._neighbour(self.centre.copy(), row - self.centre)
            if answer is not None:
                found[k] = as_vector(
                    answer, len(row), "the result of the neighbour state function"
                )
            if answer is None or ((found[k] < lower) | (found[k] > upper)).any():
                reasons[k] = _NEIGHBOUR
        return found, reasons

    def _leave_out_near(self, rows: Array, reasons: NDArray[np.int64]) -> None:
        """Mark configurations that are near one that was looked at before."""
        steps, most = self.space.resolutions, self._settings.neighbour_distance
        for k in np.flatnonzero(reasons < 0).tolist():
            ways = self.space.difference(self._seen, rows[k]) / steps
            if (np.linalg.norm(ways, axis=1) < most).any():
                reasons[k] = _CACHED
            else:
                self._seen = np.vstack((self._seen, rows[k]))

    def _goes_far(self, rows: Array, directions: Array | None) -> NDArray[np.bool_]:
        """Return the mask of configurations in which a corner leaves its ellipsoid.

        The corners are those of the boxes around links; what is affine is farthest from
        its place at one of them.
        """
        most = self._settings.link_distance
        places = self._poses(rows)[:, self._links] @ self._points
        ways = (places - self._places)[:, :, :3]
        squares = (ways**2).sum(axis=2)
        if directions is None:
            return np.asarray((squares > most**2).any(axis=(1, 2)))
        reach = np.linalg.norm(directions, axis=1)
        along = np.einsum("kmic,ki->kmc", ways, directions / reach[:, None]) ** 2
        reach = reach[:, None, None]
        parts = along / reach**2 + (squares - along) / most**2
        return np.asarray((parts > 1.0).any(axis=(1, 2)))

    def _standing(self, rows: Array) -> NDArray[np.int64]:
        """Return reasons against configurations, or those a little beside; -1: none.

        A little beside, so that rounding does not decide.
        """
        reasons, little = np.full(len(rows), -1), self._settings.perturbation
        for by in (little, -little, 0.0) if little > 0.0 else (0.0,):
            left = np.flatnonzero(reasons < 0)
            near = self.clipped(rows[left] + by)
            reasons[left] = self._tool_reasons(near)
            left, near = left[reasons[left] < 0], near[reasons[left] < 0]
            reasons[left] = self._collisions(near)
        return reasons

    def _tool_reasons(self, rows: Array) -> NDArray[np.int64]:
        reasons = np.full(len(rows), -1)
        cone, box = self._settings.tool_direction, self._settings.tool_position
        if self._arm is None or not (cone or box) or not len(rows):
            return reasons
        link, tool = self._arm.end_effector.index, self._arm.local_tool_transform
        poses = self._poses(rows)[:, link] @ tool
        if box:
            axes, centre = np.reshape(box[:9], (3, 3)), np.array(box[9:12])
            away = np.abs((poses[:, :3, 3] - centre) @ axes.T)
            reasons[(away > np.array(box[12:]) + _ROUNDING).any(axis=1)] = _OUTSIDE
        if cone:
            own, world = np.array(cone[:3]), np.array(cone[3:6])
            cosines = poses[:, :3, :3] @ own @ world
            cosines /= np.linalg.norm(own) * np.linalg.norm(world)
            reasons[cosines < cone[6] - _ROUNDING] = _TURNED
        return reasons

    def _collisions(self, rows: Array) -> NDArray[np.int64]:
        space, robot = self.space, self.space.robot
        checker = robot.env.collision_checker
        reasons = np.full(len(rows), -1)
        if not len(rows):
            return reasons
        hits = np.flatnonzero(space.hits(rows))
        reasons[hits] = _HITS_ITSELF
        if not space.affine and space.loops is None:
            every = self._all_joints(rows[hits])
            around = checker.check_configurations(robot, every, self_collision=False)
            reasons[hits[around]] = _HIT
            return reasons
        for k in hits.tolist():
            if not space.placed(rows[k]) or checker.check_collision(robot):
                reasons[k] = _HIT
        return reasons

    def _poses(self, rows: Array) -> Array:
        """Return the poses of the robot's links, (k, n_links, 4, 4)."""
        robot = self.space.robot
        if not self.space.affine:
            return robot.compute_link_transforms(self._all_joints(rows))
        poses = np.empty((len(rows), len(robot.links), 4, 4))
        for k, row in enumerate(rows):
            self.space.placed(row)
            poses[k] = robot.link_transforms
        return poses

    def _all_joints(self, rows: Array) -> Array:
        every = np.tile(self._others, (len(rows), 1))
        every[:, self.space.indices] = rows
        return every


def corners_of(robot: Robot) -> tuple[NDArray[np.int64], Array]:
    """Return the corners of the boxes around links, with those of what is held.

    A link without geometry has its origin.

    Returns
    -------
    (m,) of the robot's links, and (m, 4, 8) points in their frames
    """
    found = [(link.index, np.eye(4), link.local_aabb) for link in robot.links]
    for body in robot.grabbed:
        grabber = robot.grabber
        index = None if grabber is None else grabber.link_of(body)
        if index is not None:
            to_link = invert_pose(robot.links[index].transform)
            found += [
                (index, to_link @ one.transform, one.local_aabb) for one in body.links
            ]
    points = np.ones((len(found), 4, 8))
    for corners, (_, pose, box) in zip(points, found, strict=True):
        centre, half = box or (np.zeros(3), np.zeros(3))
        corners[:3] = centre[:, None] + half[:, None] * _CORNERS
        corners[:] = pose @ corners
    return np.array([index for index, _, _ in found]), points


def tool_steps(jacobian: Array, directions: Array) -> tuple[Array, Array]:
    """Return the shortest steps of values that move a tool, and those that do not.

    Parameters
    ----------
    jacobian
        (3, n) of the tool's place.
    directions
        (k, 3) metres.

    Returns
    -------
    (k, n) steps, and (m, n) unit vectors at right angles that span the null space
    """
    u, scales, rows = np.linalg.svd(jacobian)
    rank = int((scales > _SINGULAR).sum())
    steps = directions @ u[:, :rank] / scales[:rank] @ rows[:rank]
    return steps, rows[rank:]
