"""Results of planning."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyrave.cards import card, counted, listed
from pyrave.interfaces import PlannerStatus
from pyrave.interfaces.trajectory import MotionResult
from pyrave.interfaces.trajectory_html import joint_curves
from pyrave.planning.query.causes import PlanFailure

if TYPE_CHECKING:
    from pyrave.interfaces import TrajectoryBase
    from pyrave.spatial import Array


@dataclass(frozen=True, slots=True)
class PlanStatistics:
    """Cost and quality of a plan.

    Parameters
    ----------
    iterations
        Of the planner, if it counts them or tells its progress.
    checks
        Configurations that were compared with what is around; of the planner's own
        those that it counts.
    goals
        How many goal configurations there were to choose from.
    seconds
        Wall time of each phase: ``goal``, ``search``, ``timing``, and ``total``.
        What they waited for machine code, which is no part of the timeout, is
        ``compiling``.
    length
        Of the path: the sum of the weighted distances of its waypoints.
    straight_length
        Weighted distance of the ends of the path, the least that any path has.
    gap
        Metres: no point of what moves goes further than that, between samples of the
        trajectory neither, from a place that is known to be free. With the native
        checker and others that know distances 0.0002, with others 0.001; infinite
        without a trajectory.
    """

    iterations: int = 0
    checks: int = 0
    goals: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)
    length: float = 0.0
    straight_length: float = 0.0
    gap: float = math.inf

    @property
    def detour(self) -> float:
        """`length` over `straight_length`, 1 for a straight motion."""
        straight = self.straight_length
        return self.length / straight if straight > 0.0 else 1.0


@dataclass(frozen=True, slots=True, eq=False)
class PlanResult(MotionResult):
    """A verified motion, or the reason why there is none; true if there is one.

    Parameters
    ----------
    status
        The planner's, or what was wrong before it was asked.
    path
        (k, n) waypoints between which values change in proportion; (0, n) without one.
    timed
        The path in time, from rest to rest; None without one. `trajectory` is it, and
        raises in place of None.
    statistics
        What it cost.
    failure
        What is in the way, for programs; None if there is a motion. `cause` has it in
        words.
    """

    status: PlannerStatus
    path: Array
    timed: TrajectoryBase | None = None
    statistics: PlanStatistics = field(default_factory=PlanStatistics)
    failure: PlanFailure | None = None

    @property
    def cause(self) -> str:
        """The cause of the failure and advice; empty if there is a motion."""
        return "" if self.failure is None else str(self.failure)

    def __repr__(self) -> str:
        kind = "motion" if self else "no motion"
        said = str(self) if self.failure is None else self.failure.text
        return f"<{type(self).__name__}: {kind}: {' '.join(said.split())}>"

    def _repr_html_(self) -> str:
        cost, cause = self.statistics, self.failure
        facts = {
            "": str(self) if self else cause.text if cause else "",
            "try": cause.hint if cause else "",
            "seconds": ", ".join(f"{k} {v:.3f}" for k, v in cost.seconds.items()),
            "obstacles": listed(map(str, cause.obstacles)) if cause else "",
        }
        title = f"PlanResult: {'motion' if self else 'no motion'}"
        way = "" if self.timed is None else joint_curves(self.timed)
        return card(title, facts, way)

    def __str__(self) -> str:
        if self.timed is None:
            return self.cause
        cost = self.statistics
        compiling = cost.seconds.get("compiling", 0.0)
        planning = cost.seconds.get("total", 0.0) - compiling
        before = f", after compiling for {compiling:.0f} s" if compiling > 0.5 else ""
        return (
            f"{counted(len(self.path), 'waypoint')}, {self.timed.duration:.3f} s, "
            f"{cost.detour:.2f} times the straight way, planned in {planning:.3f} s"
            f"{before}"
        )
