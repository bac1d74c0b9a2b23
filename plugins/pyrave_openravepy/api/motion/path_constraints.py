"""Checks of the straight motion between two configurations, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.enums import ConstraintFilterOptions, Interval

if TYPE_CHECKING:
    from pyrave.interfaces import PlannerParameters

__all__ = ["Finding", "PathConstraints"]

Array = NDArray[np.float64]
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
        pyrave's report of the collision, None without one.
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
        user = options & ConstraintFilterOptions.CheckUserConstraints
        keeps = known.check_path_constraints
        before = known.get_state()
        try:
            if user and keeps is not None and not keeps(first, last):
                found.returncode |= ConstraintFilterOptions.CheckUserConstraints
            if found.returncode:
                return found
            for part, row in self._between(first, last, interval):
                found.configurations.append(row)
                found.times.append(part * seconds)
                placed = known.set_state(row) is not False
                found.returncode = (
                    self._of_collisions(found, options)
                    if placed
                    else int(ConstraintFilterOptions.StateSettingError)
                )
                if found.returncode:
                    return found
        finally:
            known.set_state(before)
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
        for body in self.bodies:
            if options & ConstraintFilterOptions.CheckEnvCollisions:
                report = body.env.check_collision(body, report=True)
                if report:
                    found.report = report
                    code |= int(ConstraintFilterOptions.CheckEnvCollisions)
            if options & ConstraintFilterOptions.CheckSelfCollisions:
                report = body.check_self_collision(report=True)
                if report:
                    found.report = report
                    code |= int(ConstraintFilterOptions.CheckSelfCollisions)
        return code
