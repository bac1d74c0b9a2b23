"""Smoothing within speed and acceleration limits of links and tools."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, cast

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.planning import TimedPath
from pyrave_planners.smoothers import ParabolicSmoother

if TYPE_CHECKING:
    from pyrave.bodies import KinBody, Robot
    from pyrave.interfaces import PlannerParameters
    from pyrave.spatial import Array
    from pyrave_planners.free_space import FreeSpace
    from pyrave_planners.timing_planner import TimingProblem

_STEP = 1e-3
_MARGIN = 1.001
"""Factor on slowing down, as motions may be faster between samples."""


class ConstraintParabolicSmoother(ParabolicSmoother):
    """Shortcuts that keep limits of speed and acceleration of links and tools.

    Those are ``<maxlinkspeed>``, ``<maxlinkaccel>``, ``<maxmanipspeed>`` and
    ``<maxmanipaccel>`` of the parameters. Without one it is a ParabolicSmoother.
    """

    contract = 2
    limits_links = True

    def _smoothed(
        self,
        problem: TimingProblem,
        given: PlannerParameters,
        space: FreeSpace,
        steps: Array,
    ) -> TimedPath:
        groups = given.specification.groups
        if len(groups) != 1 or groups[0].kind != "joint_values":
            raise ArgumentError(
                "limits of links and tools are for the joints of one robot, the "
                f"specification has {', '.join(group.name for group in groups)}"
            )
        self._body: KinBody = self.env.bodies[groups[0].body_name]
        self._indices = groups[0].joint_indices
        return super()._smoothed(problem, given, space, steps)

    def _slowed(self, straight: TimedPath) -> TimedPath:
        """Slow down each part between two rests by as much as it needs."""
        rests = np.flatnonzero(~straight.velocities.any(axis=1))
        spans, velocities = np.diff(straight.times), straight.velocities.copy()
        for first, last in itertools.pairwise(rests):
            own = slice(first, last + 1)
            part = TimedPath(
                straight.times[own] - straight.times[first],
                straight.positions[own],
                straight.velocities[own],
            )
            factor = self._excess(part)
            if factor > 1.0:
                factor *= 1.0 + 1e-9
                spans[first:last] *= factor
                velocities[first : last + 1] /= factor
        times = np.concatenate(([0.0], np.cumsum(spans)))
        return TimedPath(times, straight.positions, velocities)

    def _is_allowed(self, motion: TimedPath) -> bool:
        return self._excess(motion) <= 1.0

    def _excess(self, motion: TimedPath) -> float:
        """Return by which factor a motion is too fast; 1 or less where it is not."""
        options = self._options
        limits = (
            (self._links, options.max_link_speed, options.max_link_acceleration),
            (self._tools, options.max_tool_speed, options.max_tool_acceleration),
        )
        factor = 0.0
        count = max(3, math.ceil(motion.duration / _STEP) + 1)
        if motion.duration <= 0.0:
            return factor
        step = motion.duration / (count - 1)
        rows = np.tile(self._body.dof_values, (count, 1))
        rows[:, self._indices] = motion.at(np.linspace(0.0, motion.duration, count))[0]
        for places_of, speed, acceleration in limits:
            if not speed and not acceleration:
                continue
            rates = np.diff(places_of(rows), axis=0) / step
            if speed:
                fastest = np.linalg.norm(rates, axis=-1).max(initial=0.0)
                factor = max(factor, _MARGIN * fastest / speed)
            if acceleration:
                changes = np.diff(rates, axis=0) / step
                hardest = np.linalg.norm(changes, axis=-1).max(initial=0.0)
                factor = max(factor, _MARGIN * math.sqrt(hardest / acceleration))
        return factor

    def _links(self, rows: Array) -> Array:
        """Return the places (n, links, 3) of links."""
        return np.asarray(self._body.compute_link_transforms(rows)[:, :, :3, 3])

    def _tools(self, rows: Array) -> Array:
        """Return the places (n, tools, 3) of tools that the joints move."""
        poses = self._body.compute_link_transforms(rows)
        arms = cast("Robot", self._body).manipulators if self._body.is_robot else ()
        places = [
            poses[:, arm.end_effector.index] @ arm.local_tool_transform[:, 3]
            for arm in arms
            if np.isin(arm.arm_indices, self._indices).any()
        ]
        if not places:
            return np.zeros((len(rows), 0, 3))
        return np.stack(places, axis=1)[..., :3]
