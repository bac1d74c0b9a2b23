"""Checks of the straight motion between two configurations, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.collision.report import CollisionReport
from pyrave_openravepy.api.enums import ConstraintFilterOptions, Interval
from pyrave_openravepy.api.foundation.objects import wrap

if TYPE_CHECKING:
    from pyrave.interfaces import PlannerParameters

__all__ = ["Finding", "PathConstraints"]

Array = NDArray[np.float64]
_ENVIRONMENT = ConstraintFilterOptions.CheckEnvCollisions
_ITSELF = ConstraintFilterOptions.CheckSelfCollisions
_SLACK = 1e-6
"""Part of a limit by which velocities may pass it."""


@dataclass
class Finding:
    """Outcome of a check.

    Parameters
    ----------
    returncode
        0, or bits of `ConstraintFilterOptions`.
    configurations
        Those that were looked at, in order.
    times
        Of each of them, seconds.
    report
        The `CollisionReport` of the last collision, None without one.
    """

    returncode: int
    configurations: list[Array]
    times: list[float]
    report: Any = None

    def as_dictionary(self) -> dict[str, Any]:
        """Return the finding as OpenRAVE's ``filterreturn``."""
        failed = self.returncode != 0
        last: Any = self.configurations[-1] if failed and self.configurations else []
        return {
            "returncode": self.returncode,
            "configurations": np.array(self.configurations),
            "configurationtimes": np.array(self.times),
            "invalidvalues": np.array(last),
            "invalidvelocities": np.array([]),
            "fTimeWhenInvalid": self.times[-1] if failed and self.times else 0.0,
            "reportstr": "" if self.report is None else str(self.report),
        }


@dataclass
class PathConstraints:
    """Constraints of motions in a space: collisions, limits, functions of users.

    Parameters
    ----------
    parameters
        The space.
    bodies
        pyrave's bodies whose collisions count.
    """

    parameters: PlannerParameters
    bodies: Sequence[Any]

    def checked(
        self,
        first: Array,
        last: Array,
        rates: tuple[Array, Array],
        seconds: float,
        interval: int,
        options: int,
    ) -> Finding:
        """Return the constraints that a motion breaks; all is where it was afterwards.

        Parameters
        ----------
        first, last
            (dof,) configurations.
        rates
            (dof,) velocities at both, or none.
        seconds
            That the motion takes; 0: it has no times.
        interval
            An `Interval`: which ends are looked at.
        options
            Bits of `ConstraintFilterOptions`.
        """
        known = self.parameters
        if known.set_state is None or known.get_state is None:
            raise ValueError(
                "the parameters have no space: call SetRobotActiveJoints(robot) first"
            )
        for name, row in (("q0", first), ("q1", last)):
            if row.shape != (known.dof,):
                raise ValueError(f"{name} has {row.size} values, expected {known.dof}")
        found = Finding(0, [], [])
        if options & ConstraintFilterOptions.CheckTimeBasedConstraints:
            found.returncode = self._of_rates(first, last, rates, seconds)
        with self._lock():
            return self._motion(first, last, interval, options, seconds, found)

    def _lock(self) -> AbstractContextManager[Any]:
        # the simulation runs in another thread
        if not self.bodies:
            return nullcontext()
        lock: AbstractContextManager[Any] = self.bodies[0].env.lock()
        return lock

    def _motion(
        self,
        first: Array,
        last: Array,
        interval: int,
        options: int,
        seconds: float,
        found: Finding,
    ) -> Finding:
        known = self.parameters
        user = options & ConstraintFilterOptions.CheckUserConstraints
        keeps, place, state = (
            known.check_path_constraints, known.set_state, known.get_state,
        )  # fmt: skip
        if place is None or state is None:
            return found
        before = state()
        try:
            if user and keeps is not None and not keeps(first, last):
                found.returncode |= ConstraintFilterOptions.CheckUserConstraints
            if found.returncode:
                return found
            for part, row in self._between(first, last, interval):
                found.configurations.append(row)
                found.times.append(part * seconds)
                placed = place(row) is not False
                found.returncode = (
                    self._of_collisions(found, options)
                    if placed
                    else int(ConstraintFilterOptions.StateSettingError)
                )
                if found.returncode:
                    return found
        finally:
            place(before)
        return found

    def _between(
        self, first: Array, last: Array, interval: int
    ) -> Iterator[tuple[float, Array]]:
        known = self.parameters
        difference = known.difference
        way = last - first if difference is None else difference(last, first)
        steps = np.array(known.resolutions, float)
        if steps.shape != way.shape or not (steps > 0.0).all():
            steps = np.full(way.shape, known.step_length)
        count = max(1, int(np.ceil(np.max(np.abs(way) / steps, initial=0.0))))
        ends = interval & Interval.IntervalMask
        # an open start leaves the first configuration out
        begin = 0 if ends in {Interval.Closed, Interval.OpenEnd} else 1
        end = count if ends in {Interval.Closed, Interval.OpenStart} else count - 1
        for k in range(begin, end + 1):
            yield k / count, first + way * (k / count)

    def _of_rates(
        self, first: Array, last: Array, rates: tuple[Array, Array], seconds: float
    ) -> int:
        known = self.parameters
        limit = np.asarray(known.velocity_limits) * (1.0 + _SLACK)
        given = [row for row in rates if row.shape == limit.shape]
        broken = any((np.abs(row) > limit).any() for row in given)
        limit = np.asarray(known.acceleration_limits) * (1.0 + _SLACK)
        if len(given) == 2 and seconds > 0.0 and limit.shape == first.shape:
            change = np.abs(given[1] - given[0]) / seconds
            broken = broken or bool((change > limit).any())
        outside = (
            len(known.lower_limits) == first.size
            and (
                (last < known.lower_limits - _SLACK)
                | (last > known.upper_limits + _SLACK)
            ).any()
        )
        bit = ConstraintFilterOptions.CheckTimeBasedConstraints
        return int(bit) if broken or outside else 0

    def _of_collisions(self, found: Finding, options: int) -> int:
        code = 0
        for body in map(wrap, self.bodies):
            for bit, check in (
                (_ENVIRONMENT, partial(body.GetEnv().CheckCollision, body)),
                (_ITSELF, body.CheckSelfCollision),
            ):
                report = CollisionReport()
                if options & bit and check(report=report):
                    found.report = report
                    code |= int(bit)
        return code
