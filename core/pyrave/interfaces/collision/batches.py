"""Collision queries about many configurations, one after the other.

Checkers that have nothing better inherit these from `CollisionCheckerBase`.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.interfaces.collision.report import CollisionOptions, CollisionReport
from pyrave.kinematics.limits import LimitCheck
from pyrave.spatial import Array, as_array, as_numbers
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.bodies.state.saver import StateSaver
    from pyrave.bodies.views.link import Link
    from pyrave.interfaces.collisionchecker import CollisionCheckerBase
    from pyrave.kinematics import Model

_MAX_STEPS = 100_000
_SAMPLES = 9
_AT_ONCE = 4096
"""Steps of motions that are checked together."""


class ConfigurationChecks:
    """The default loops of batches.

    Parameters
    ----------
    checker
        Who answers.
    body
        Who moves.
    environment, self_collision
        Whether to compare the body with everything else, and its links with each other.
    """

    def __init__(
        self,
        checker: CollisionCheckerBase,
        body: KinBody,
        *,
        environment: bool,
        self_collision: bool,
    ) -> None:
        self._checker = checker
        self._body = body
        self._environment = environment
        self._self_collision = self_collision

    def rows(self, values: ArrayLike, name: str) -> Array:
        """Return checked configurations (n, dof)."""
        return as_array(values, (None, self._body.dof), name)

    def hits(self, rows: Array) -> NDArray[np.bool_]:
        """Return the mask of configurations (n, dof) that collide."""
        with self._put_back():
            return np.array([self._hits_at(values) for values in rows], np.bool_)

    def reports(
        self, rows: Array, more: CollisionOptions = CollisionOptions.NONE
    ) -> list[CollisionReport]:
        """Return a report for each configuration (n, dof).

        Parameters
        ----------
        more
            Options besides those of the checker.
        """
        options = self._checker.get_collision_options() | more
        with self._checker.options(options), self._put_back():
            return [self._report(values, options) for values in rows]

    def first_hits(self, starts: Array, ends: Array, resolution: Array) -> Array:
        """Return the first parameter of each motion at which a step collides."""
        found = np.full(len(starts), np.inf)
        rows: list[Array] = []
        times: list[Array] = []
        waiting: list[int] = []
        for k, (start, way) in enumerate(self._ways(starts, ends)):
            steps = int(np.ceil(np.max(np.abs(way) / resolution, initial=0.0)))
            if steps > _MAX_STEPS:
                raise ArgumentError(
                    f"motion {k} takes {steps} steps of the resolution, more than "
                    f"{_MAX_STEPS}; give a larger resolution"
                )
            times.append(np.linspace(0.0, 1.0, max(steps, 1) + 1))
            rows.append(start + times[-1][:, None] * way)
            waiting.append(k)
            if sum(map(len, rows)) >= _AT_ONCE or k == len(starts) - 1:
                self._note_first_hits(found, waiting, rows, times)
                rows, times, waiting = [], [], []
        return found

    def _note_first_hits(
        self, found: Array, motions: list[int], rows: list[Array], times: list[Array]
    ) -> None:
        hits = self._checker.configuration_hits(
            self._body,
            np.concatenate(rows),
            environment=self._environment,
            self_collision=self._self_collision,
        )
        ends = np.cumsum([len(one) for one in rows])[:-1]
        for k, own, steps in zip(motions, np.split(hits, ends), times, strict=True):
            if own.any():
                found[k] = steps[np.argmax(own)]

    def first_contacts(self, starts: Array, ends: Array, tolerance: float) -> Array:
        """Return the first parameter at which each motion comes as near as a tolerance.

        Conservative advancement (Mirtich, "Impulse-based dynamic simulation of rigid
        body systems", 1996, section 2.3): no point moves further than a bound, so a
        body at a distance is free for the distance divided by the bound.
        """
        bounds = MotionBounds(self._body)
        found = np.full(len(starts), np.inf)
        ways = list(self._ways(starts, ends))
        at_start = self._checker.configuration_hits(
            self._body, starts,
            environment=self._environment, self_collision=self._self_collision,
        )  # fmt: skip
        found[at_start] = 0.0
        with self._measuring(np.reshape([way for _, way in ways], starts.shape)):
            for k in np.flatnonzero(~at_start).tolist():
                start, way = ways[k]
                speed = bounds.speed(start, way)
                time, last = 0.0, speed == 0.0
                while True:
                    free = self._free_length(start + time * way, tolerance)
                    if free <= 0.0:
                        found[k] = time
                    if free <= 0.0 or last:
                        break
                    time = min(1.0, time + free / speed)
                    last = time == 1.0
        return found

    @contextmanager
    def _measuring(self, ways: Array) -> Iterator[None]:
        """Let queries give distances of what moves; put the body back at the end.

        Links of a robot that stay where they are keep what they are near to.
        """
        options = self._checker.get_collision_options() | CollisionOptions.DISTANCE
        parts = StateParts.TRANSFORMS | StateParts.ACTIVE_DOFS
        with self._body.preserve_state(parts), self._checker.options(options):
            if self._body.is_robot:
                robot = cast("Robot", self._body)
                robot.set_active_dofs(np.flatnonzero(ways.any(axis=0)))
                with self._checker.moving_links():
                    yield
            else:
                yield

    def _ways(self, starts: Array, ends: Array) -> Iterator[tuple[Array, Array]]:
        """Yield the start and the displacement of each motion."""
        for start, end in zip(starts, ends, strict=True):
            yield start, self._body.subtract_dof_values(end, start)

    def _put_back(self) -> StateSaver:
        """Take the body back to where it was at the end of a block."""
        return self._body.preserve_state(StateParts.TRANSFORMS)

    def _place(self, values: Array) -> None:
        self._body.set_dof_values(values, limits=LimitCheck.NONE)

    def _hits_at(self, values: Array) -> bool:
        checker, body = self._checker, self._body
        self._place(values)
        return (self._environment and checker.check_collision(body)) or (
            self._self_collision and checker.check_self_collision(body)
        )

    def _report(self, values: Array, options: CollisionOptions) -> CollisionReport:
        checker, body = self._checker, self._body
        self._place(values)
        report = CollisionReport()
        hit = self._environment and checker.check_collision(body, report=report)
        more = CollisionOptions.DISTANCE | CollisionOptions.ALL_LINK_COLLISIONS
        if self._self_collision and (not hit or options & more):
            report.keep_previous = True
            checker.check_self_collision(body, report)
            report.keep_previous = False
        return report

    def _free_length(self, values: Array, tolerance: float) -> float:
        """Return the distance that every point may move with nothing touching."""
        checker, body = self._checker, self._body
        self._place(values)
        free, report = math.inf, CollisionReport()
        if self._environment:
            if checker.check_collision(body, report=report):
                return 0.0
            free = report.distance
        if self._self_collision:
            if checker.check_self_collision(body, report):
                return 0.0
            # both links move
            free = min(free, 0.5 * report.distance)
        return free - 0.5 * tolerance if free > tolerance else 0.0


class MotionBounds:
    """Bounds of how far any point of a body moves, from the lengths of its links.

    Raises
    ------
    NotSupportedError
        The body has closed loops or joints that move along paths.
    """

    def __init__(self, body: KinBody) -> None:
        model = body.model
        if model.closing_joints.size or "trajectory" in model.joint_types:
            raise NotSupportedError(
                f"{body!r} has closed loops or joints that move along paths: a "
                "continuous check has no bound of its motions; give a resolution"
            )
        self._body = body
        self._model = model
        self._radii = _radii(body)

    def speed(self, start: Array, way: Array) -> float:
        """Return a bound of the length of any point's path, metres.

        Parameters
        ----------
        start, way
            (dof,) values at the start and their change.
        """
        return float(self.speeds(start, way).max(initial=0.0))

    def speeds(self, start: Array, way: Array) -> Array:
        """Return bounds (n_links,) of the paths of each link's points, metres.

        Those of links without solids are 0.
        """
        values = self._values_along(start, way)
        rates = np.abs(values[-1] - values[0])
        uneven = np.abs(values - np.linspace(values[0], values[-1], len(values))).max(
            initial=0.0
        )
        if uneven > 1e-9 * max(1.0, float(np.abs(values).max(initial=0.0))):
            raise NotSupportedError(
                f"joints of {self._body!r} follow others by formulas that are not "
                "linear: a continuous check has no bound of their motions; give a "
                "resolution"
            )
        extents = np.abs(values).max(axis=0, initial=0.0)
        return np.array(
            [
                self._path_length(link, rates, extents) if radius >= 0.0 else 0.0
                for link, radius in enumerate(self._radii)
            ]
        )

    def _values_along(self, start: Array, way: Array) -> Array:
        body = self._body
        found = []
        with body.preserve_state(StateParts.TRANSFORMS):
            for time in np.linspace(0.0, 1.0, _SAMPLES if way.any() else 1):
                body.set_dof_values(start + time * way, limits=LimitCheck.NONE)
                found.append(body.joint_values)
        return np.array(found)

    def _path_length(self, link: int, rates: Array, extents: Array) -> float:
        model = self._model
        total, reach, joint = 0.0, 0.0, int(model.parent_joint[link])
        if joint >= 0:
            reach = self._radii[link] + _distance(model, link, joint, None)
        while joint >= 0:
            first, count = model.joint_values[joint].tolist()
            span = slice(first, first + count)
            sliding = model.prismatic[span]
            reach += float(extents[span][sliding].sum())
            total += float(np.where(sliding, 1.0, reach) @ rates[span])
            link = int(model.parent_link[link])
            above = int(model.parent_joint[link])
            reach += _distance(model, link, joint, above) if above >= 0 else 0.0
            joint = above
        return total


def _radii(body: KinBody) -> list[float]:
    """Return the radius of solids around each link's origin; -1 without any."""
    return [
        max(
            (float(np.linalg.norm(np.abs(one) + half)) for one, half in boxes),
            default=-1,
        )
        for boxes in boxes_of_links(body)
    ]


def boxes_of_links(body: KinBody) -> list[list[tuple[Array, Array]]]:
    """Return boxes around what each link carries, in its frame: middles and halves.

    That is the link's own solids, and the bodies that it holds.
    """
    held = [(carrier_of(body, one), one) for one in body.attached if one is not body]
    found = []
    for link in body.links:
        boxes = [link.local_aabb]
        carried = [one for holder, one in held if holder is link]
        boxes += [one.aabb_in(link.pose_view) for one in carried]
        found.append([box for box in boxes if box is not None])
    return found


def carrier_of(body: KinBody, held: KinBody) -> Link | None:
    """Return the link of a body that carries another one, directly or not."""
    last: KinBody | None = held
    while last is not None and last.holder is not body:
        last = last.holder
    return None if last is None else body.grabs.link_of(last)


def _distance(model: Model, link: int, joint: int, other: int | None) -> float:
    """Return the distance of a joint from another one, or from a link's origin."""

    def place(number: int) -> Array:
        if int(model.joint_links[number, 0]) == link:
            return model.T_parent_joint[number, :3, 3]
        return model.T_child_joint[number, :3, 3]

    start = np.zeros(3) if other is None else place(other)
    return float(np.linalg.norm(place(joint) - start))


def resolution_of(body: KinBody, resolution: ArrayLike | None) -> Array:
    """Return the (dof,) steps of path checks, radians or metres.

    Raises
    ------
    ArgumentError
        They are neither one number nor one for each degree of freedom, or not positive.
    """
    if resolution is None:
        return body.dof_resolutions
    steps = as_numbers(resolution, "resolution")
    if (
        steps.shape not in {(), (body.dof,)}
        or not (np.isfinite(steps) & (steps > 0)).all()
    ):
        raise ArgumentError(
            f"resolution is {resolution!r}, expected one positive number or "
            f"{body.dof} of them"
        )
    return np.broadcast_to(steps, (body.dof,))
