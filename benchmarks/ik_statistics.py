"""Statistics of a solver on many poses: solutions found, missed, wrong, and times.

This measures the kernel: held joints are given the values that they had, which no
caller knows, and `measure` ignores limits. `ik_call_statistics` measures arms as they
are called.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ik_elimination import Comparison

from pyrave.ik import IkParameterization, IkParameterizationType, residuals_of
from pyrave.records import Record
from pyrave_ik.arm.poses import goal_values, tool_poses
from pyrave_ik.arm.turns import separation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies import Manipulator
    from pyrave.spatial import Array
    from pyrave_ik.methods.analytic import AnalyticSolver

    Indices = NDArray[np.int64]

SAME = 1e-6
"""Joint values that are nearer than this are one solution, radians or metres."""
WRONG = 1e-8
"""A solution whose tool is farther than this from the goal is wrong."""
CHUNK = 500


@dataclass(frozen=True)
class Statistics(Record):
    """Statistics of a solver on poses that the arm itself reached.

    Parameters
    ----------
    poses
        How many there were.
    unsolved
        The configurations (k, n_arm) for whose pose there was no solution.
    found
        For how many the configuration that made the pose was among the solutions.
    missed
        The configurations (k, n_arm) that were not.
    solutions
        How many there were in all.
    wrong
        How many solutions' tools are farther than 1e-8 m or rad from the goal, or are
        no numbers.
    wrong_at
        The configurations (k, n_arm) with such a solution.
    repeated
        Solutions nearer than 1e-6 to another one of the same pose.
    position_error, rotation_error
        Greatest of all solutions, metres and radians.
    compared, fewer, more
        Poses away from singularities at which the solutions were compared with those
        of the general elimination, and where there were fewer or more.
    microseconds
        (poses,) time of each call; of a batch, its share.
    """

    poses: int
    unsolved: Array
    found: int
    missed: Array
    solutions: int
    wrong: int
    wrong_at: Array
    repeated: int
    position_error: float
    rotation_error: float
    compared: int
    fewer: int
    more: int
    microseconds: Array

    @property
    def solved(self) -> int:
        """Number of poses with a solution."""
        return self.poses - len(self.unsolved)

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers as JSON data."""
        n = max(self.poses, 1)
        percentiles = (50, 90, 99, 100)
        times = np.percentile(self.microseconds, percentiles) if self.poses else ()
        return {
            "poses": self.poses,
            "solved": self.solved / n,
            "success": self.found / n,
            "missed": self.poses - self.found,
            "wrong": self.wrong,
            "wrong_rate": self.wrong / max(self.solutions, 1),
            "repeated": self.repeated,
            "solutions_per_pose": self.solutions / n,
            "position_error": self.position_error,
            "rotation_error": self.rotation_error,
            "compared_with_general": self.compared,
            "fewer_than_general": self.fewer,
            "more_than_general": self.more,
            "microseconds": {
                str(p): float(t) for p, t in zip(percentiles, times, strict=False)
            },
        }


def measure(
    solver: AnalyticSolver,
    arm: Manipulator,
    configurations: Array,
    *,
    compare_at: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Statistics:
    """Solve for the poses of configurations and check every answer.

    Poses come from the robot's own kinematics, not from the solver's; free joints are
    given the values that they had. Every solution goes back through the robot's
    kinematics.

    Parameters
    ----------
    configurations
        (n, n_arm) values of the arm.
    compare_at
        At how many of the poses, evenly spread, to count the solutions of the general
        elimination, too; for arms of six joints without free ones.
    progress
        Called now and then with the number of poses that are done.
    """
    chain, free = solver.chain, list(solver.free)
    turning = chain.screws[:, 6] == 0.0
    turns = np.zeros(len(arm.arm_indices))
    turns[list(chain.arm)] = np.where(turning, 2.0 * np.pi / np.abs(chain.scale), 0.0)
    tally = _Tally(arm, solver.kind, turns, turns)
    comparison = Comparison(solver) if Comparison.fits(solver) else None
    chosen = set(np.linspace(0, len(configurations) - 1, compare_at).astype(int))
    columns = list(chain.arm)
    for start in range(0, len(configurations), CHUNK):
        some = configurations[start : start + CHUNK]
        found, times = [], []
        goals = goal_values(solver.kind, tool_poses(arm, some), arm.direction)
        for number, (q, row) in enumerate(zip(some, goals, strict=True), start):
            goal = IkParameterization(solver.kind, tuple(row.tolist()))
            held = chain.values(q)[free]
            begin = time.perf_counter()
            solutions = solver.solve(goal, held)
            times.append((time.perf_counter() - begin) * 1e6)
            found.append(solutions)
            if comparison is not None and number in chosen:
                comparison.add(goal, solutions)
        flat = np.concatenate(found)
        rows = np.empty((len(flat), len(turns)))
        rows[:, columns] = (flat - chain.offset) / chain.scale
        counts = np.array([len(one) for one in found])
        tally.add(some, goals, rows, counts, np.array(times))
        if progress is not None:
            progress(start + len(some))
    return tally.statistics(comparison)


def measure_batch(arm: Manipulator, configurations: Array) -> Statistics:
    """Solve for the poses of configurations as `solve_ik_batch` does, and check.

    Limits count, and all values inside of them that differ by whole turns are
    solutions of their own.

    Parameters
    ----------
    arm
        With an analytic solver that needs no free joints.
    configurations
        (n, n_arm) values of the arm, within limits.
    """
    kind = IkParameterizationType.Transform6D
    robot, indices = arm.robot, arm.arm_indices
    turning = np.where(robot.model.prismatic[indices], 0.0, 2.0 * np.pi)
    circular = np.where(robot.model.circular[indices], turning, 0.0)
    tally = _Tally(arm, kind, turning, circular)
    for start in range(0, len(configurations), CHUNK):
        some = configurations[start : start + CHUNK]
        poses = tool_poses(arm, some)
        begin = time.perf_counter()
        found = arm.solve_ik_batch(arm.base.transform @ poses, all=True)
        share = (time.perf_counter() - begin) * 1e6 / len(some)
        tally.add(
            some,
            goal_values(kind, poses, arm.direction),
            found.solutions,
            found.counts,
            np.full(len(some), share),
        )
    return tally.statistics(None)


class _Tally:
    """Sums over chunks of poses; checks every solution.

    Parameters
    ----------
    turns
        (n_arm,) what makes a whole turn of a joint; 0 for those that slide.
    same
        (n_arm,) what makes a whole turn of a joint whose turns are not solutions of
        their own; else 0.
    """

    def __init__(
        self, arm: Manipulator, kind: IkParameterizationType, turns: Array, same: Array
    ) -> None:
        self._arm = arm
        self._kind = kind
        self._turns = turns
        self._same = same
        none = np.empty((0, len(turns)))
        self._times = [np.empty(0)]
        self._missed, self._unsolved, self._wrong_at = [none], [none], [none]
        self._solutions = self._wrong = self._repeated = 0
        self._errors = np.zeros(2)

    def add(
        self,
        configurations: Array,
        goals: Array,
        rows: Array,
        counts: Indices,
        microseconds: Array,
    ) -> None:
        """Check the solutions (k, n_arm), one behind the other, of some poses.

        Parameters
        ----------
        configurations, goals, counts, microseconds
            (m, ...) what made each pose, the goal's numbers, how many solutions there
            are and how long they took.
        """
        owner = np.repeat(np.arange(len(counts)), counts)
        self._times.append(microseconds)
        self._unsolved.append(configurations[counts == 0])
        self._solutions += len(rows)
        hits = separation(rows, configurations[owner], self._turns) <= SAME
        hit = np.zeros(len(counts), dtype=bool)
        hit[owner[hits]] = True
        self._missed.append(configurations[~hit])
        self._repeated += self._count_repeated(rows, owner)
        if not len(rows):
            return
        poses = tool_poses(self._arm, np.nan_to_num(rows, nan=1e9))
        away = residuals_of(self._kind, goals[owner], poses, self._arm.direction)
        sound = np.isfinite(rows).all(axis=1)
        wrong = ~sound | (away[0] > WRONG) | (away[1] > WRONG)
        self._wrong += int(wrong.sum())
        self._wrong_at.append(configurations[np.unique(owner[wrong])])
        self._errors = np.maximum(self._errors, np.max(away, axis=1))

    def _count_repeated(self, rows: Array, owner: Indices) -> int:
        """Return the number of rows that equal an earlier one of their pose."""
        repeated = np.zeros(len(rows), dtype=bool)
        for step in range(1, len(rows)):
            pairs = np.flatnonzero(owner[step:] == owner[:-step])
            if not len(pairs):
                break
            off = separation(rows[pairs + step], rows[pairs], self._same)
            repeated[pairs[off < SAME] + step] = True
        return int(repeated.sum())

    def statistics(self, comparison: Comparison | None) -> Statistics:
        times = np.concatenate(self._times)
        missed = np.concatenate(self._missed)
        return Statistics(
            poses=len(times),
            unsolved=np.concatenate(self._unsolved),
            found=len(times) - len(missed),
            missed=missed,
            solutions=self._solutions,
            wrong=self._wrong,
            wrong_at=np.concatenate(self._wrong_at),
            repeated=self._repeated,
            position_error=float(self._errors[0]),
            rotation_error=float(self._errors[1]),
            compared=comparison.compared if comparison else 0,
            fewer=comparison.fewer if comparison else 0,
            more=comparison.more if comparison else 0,
            microseconds=times,
        )
