"""Collision checks of a motion at its samples and between them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.interfaces import CollisionOptions, CollisionReport
from pyrave.interfaces.collision.batches import boxes_of_links
from pyrave.kinematics.limits import LimitCheck

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.interfaces import CollisionCheckerBase
    from pyrave.spatial import Array

FINE = 2e-4
"""Motion of points from compared places, metres, of checkers with distances."""
ROUGH = 1e-3
"""The same of checkers without distances."""
_ROUNDING = 1e-5
"""Error of distances, and of the curved ways of points between samples."""
_BLOCK = 4096
_CORNERS = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, 8).T


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """Motion of a body along a trajectory: joint values, and poses of the base.

    Parameters
    ----------
    times
        (m,) seconds of the samples.
    at
        Returns values (k, dof) and poses (k, 4, 4) at times (k,), None for a base that
        stays.
    bends
        Whether joints move: links of a body that moves as a whole stay as they are.
    """

    body: KinBody
    times: Array
    at: Callable[[Array], tuple[Array, Array | None]]
    bends: bool = True

    def place(self, time: float) -> Array:
        """Take the body to where it is at a time; return its values (dof,)."""
        values, bases = self.at(np.array([time]))
        if bases is not None:
            self.body.transform = bases[0]
        self.body.set_dof_values(values[0], limits=LimitCheck.NONE)
        return np.asarray(values[0])

    def ways(self) -> Array:
        """Return path lengths of points of links, and held bodies, between samples.

        (m - 1, k) metres, of k links. No point of a box goes further than its corners.
        """
        body = self.body
        corners = _corners(body)
        back = np.linalg.inv(body.transform)
        blocks = [np.empty((0, len(corners)))]
        for begin in range(0, len(self.times) - 1, _BLOCK):
            values, bases = self.at(self.times[begin : begin + _BLOCK + 1])
            poses = body.compute_link_transforms(values)
            if bases is not None:
                poses = bases[:, None] @ (back @ poses)
            own = [
                poses[:, link, :3, :3] @ places.T + poses[:, link, :3, 3:]
                for link, places in corners
            ]
            found = [
                np.linalg.norm(np.diff(rows, axis=0), axis=1).max(axis=1)
                for rows in own
            ]
            none = np.empty((len(values) - 1, 0))
            blocks.append(np.stack(found, axis=1) if found else none)
        return np.concatenate(blocks)


def first_touch(checker: CollisionCheckerBase, course: Course) -> tuple[float, float]:
    """Return the time of a motion's first contact, and its certainty.

    Where nothing is nearer than a distance, points may move by as much: samples that
    this does not reach are compared themselves, and so are places between them until no
    point moves further than `FINE` from what is known to be free. Checkers without
    distances compare all samples, and places between until points move by `ROUGH` at
    most. The body does not stay where it is.

    Returns
    -------
    tuple
        Seconds, infinite if nothing is touched; the metres of `FINE` or `ROUGH`.
    """
    options = checker.get_collision_options() | CollisionOptions.DISTANCE
    try:
        with checker.options(options):
            return _Search(checker, course, FINE).first(), FINE
    except NotSupportedError:
        return _Search(checker, course, ROUGH).first(), ROUGH


class _Search:
    """Places of a course that are compared; `reach` says how far others are free."""

    def __init__(
        self, checker: CollisionCheckerBase, course: Course, reach: float
    ) -> None:
        self._checker, self._course, self._reach = checker, course, reach
        self._measures = reach == FINE
        body = course.body
        own = {one.id for one in body.attached}
        self._others = any(one.id not in own for one in body.env.bodies)

    def first(self) -> float:
        """Return the first time at which something touches, or infinity."""
        times = self._course.times
        ways = self._course.ways()
        free = np.full(len(times), -1.0)
        hit = self._samples(ways, free) if self._measures else self._every(free)
        for k in range(min(hit, len(times) - 1)):
            way = float(ways[k].max(initial=0.0))
            found = self._between(times[k : k + 2], free[k : k + 2], way)
            if found is not None:
                return found
        return float(times[hit]) if hit < len(times) else math.inf

    def _every(self, free: Array) -> int:
        """Compare all samples; return the first that touches, or how many there are."""
        course = self._course
        values, bases = course.at(course.times)
        if bases is None:
            hits = self._checker.check_configurations(course.body, values)
            free[:] = 0.0
            return int(np.argmax(hits)) if hits.any() else len(free)
        for k, time in enumerate(course.times.tolist()):
            free[k] = self._free_at(time)
            if free[k] < 0.0:
                return k
        return len(free)

    def _samples(self, ways: Array, free: Array) -> int:
        """Write by how much points may move from each sample; return as `_every`."""
        along = np.concatenate((np.zeros((1, ways.shape[1])), np.cumsum(ways, axis=0)))
        hit = len(free)
        parts = [(0, len(free))]
        while parts:
            begin, end = parts.pop()
            end = min(end, hit)
            unknown = begin + np.flatnonzero(free[begin:end] < 0.0)
            if not len(unknown):
                continue
            middle = int(unknown[len(unknown) // 2])
            room = self._free_at(float(self._course.times[middle]))
            if room < 0.0:
                hit = middle
            else:
                moved = np.abs(along[begin:end] - along[middle]).max(
                    axis=1, initial=0.0
                )
                free[begin:end] = np.maximum(free[begin:end], room - moved)
                free[middle] = room
            parts += [(middle + 1, end), (begin, middle)]
        return hit

    def _between(self, times: Array, free: Array, way: float) -> float | None:
        """Return the time of a contact between two times, the first that is found."""
        if way <= float(free.sum()) + self._reach:
            return None
        middle = 0.5 * float(times.sum())
        room = self._free_at(middle)
        if room < 0.0:
            return middle
        before, after = float(times[0]), float(times[1])
        found = self._between(
            np.array((before, middle)), np.array((free[0], room)), 0.5 * way
        )
        if found is not None:
            return found
        return self._between(
            np.array((middle, after)), np.array((room, free[1])), 0.5 * way
        )

    def _free_at(self, time: float) -> float:
        """Return the free distance of all points from there, -1 in collision."""
        checker, body, report = self._checker, self._course.body, CollisionReport()
        self._course.place(time)
        checker.synchronise()
        if checker.check_collision(body, report=report):
            return -1.0
        around = room = report.distance
        if self._course.bends:
            if checker.check_self_collision(body, report):
                return -1.0
            room = min(around, 0.5 * report.distance)  # both links move
        if not self._measures:
            return 0.0
        room = min(room, self._room_of_touches())
        if math.isinf(around if self._others else room):
            raise NotSupportedError(f"{checker!r} gives no distance")
        return max(room - _ROUNDING, 0.0)

    def _room_of_touches(self) -> float:
        """Return the free motion of points of touching pairs that deepens no contact.

        Their distance, while they are apart, is one of those that the checker gives.
        """
        checker, body = self._checker, self._course.body
        own, room = {one.id for one in body.attached}, math.inf
        for first, second, _ in checker.touches:
            moving = {first.body.id, second.body.id} & own
            depth = checker.depth(first, second) if moving else -math.inf
            if depth >= 0.0:
                left = checker.touches.limit(first, second) - depth
                room = min(room, 0.5 * left)  # both may move
        return room


def _corners(body: KinBody) -> list[tuple[int, Array]]:
    """Return links by number, and corners (n, 3) of boxes around their solids."""
    return [
        (link, np.concatenate([middle + half * _CORNERS for middle, half in boxes]))
        for link, boxes in enumerate(boxes_of_links(body))
        if boxes
    ]
