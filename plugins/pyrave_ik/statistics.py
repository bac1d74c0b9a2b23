"""How well a solver does on many poses: what it finds, misses, gets wrong, and when."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.interfaces import IkParameterization
from pyrave.spatial import invert_pose
from pyrave_ik.elimination import SecondOpinion
from pyrave_ik.poses import tool_poses
from pyrave_ik.residuals import residuals

if TYPE_CHECKING:
    from pyrave.interfaces import IkParameterizationType, Manipulator
    from pyrave.spatial import Array
    from pyrave_ik.analytic import AnalyticSolver

__all__ = ["Statistics", "measure"]

SAME = 1e-6
"""Joint values that are nearer than this are one solution, radians or metres."""
WRONG = 1e-8
"""A solution whose tool is farther than this from the goal is wrong."""
REGULAR = 1e-3
"""Least singular value of the tool's Jacobian at poses whose solutions are counted."""
CHUNK = 500


@dataclass(frozen=True)
class Statistics:
    """What a solver did on poses that the arm itself reached.

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
        (poses,) time of each call.
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
        """For how many poses there was a solution."""
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
    compare: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Statistics:
    """Solve for the poses of configurations and check every answer.

    Poses come from the robot's own kinematics, not from the solver's; free joints are
    given the values that they had.

    Parameters
    ----------
    configurations
        (n, n_arm) values of the arm.
    compare
        Whether to count the solutions of the general elimination, too; for arms of
        six joints without free ones.
    progress
        Called now and then with the number of poses that are done.
    """
    tally = _Tally(solver, arm, compare)
    for start in range(0, len(configurations), CHUNK):
        tally.add(configurations[start : start + CHUNK])
        if progress is not None:
            progress(min(start + CHUNK, len(configurations)))
    return tally.statistics()


class _Tally:
    """Sums over chunks of configurations."""

    def __init__(self, solver: AnalyticSolver, arm: Manipulator, compare: bool) -> None:
        self._solver = solver
        self._chain = chain = solver.chain
        self._arm = arm
        six = chain.n == 6 and not solver.free and not solver.virtual_names
        self._opinion = SecondOpinion(chain.screws) if compare and six else None
        self._period = np.where(chain.screws[:, 6] != 0.0, np.inf, 2.0 * np.pi)
        self._rows = list(chain.arm)
        self._times: list[float] = []
        self._missed: list[Array] = []
        self._unsolved: list[Array] = []
        self._wrong_at: list[Array] = []
        self._counts = dict.fromkeys(
            ("solutions", "wrong", "repeated", "compared", "fewer", "more"), 0
        )
        self._errors = [0.0, 0.0]

    def statistics(self) -> Statistics:
        poses, missed = len(self._times), len(self._missed)
        return Statistics(
            poses=poses,
            found=poses - missed,
            missed=self._rows_of(self._missed),
            unsolved=self._rows_of(self._unsolved),
            wrong_at=self._rows_of(self._wrong_at),
            position_error=self._errors[0],
            rotation_error=self._errors[1],
            microseconds=np.array(self._times),
            **self._counts,
        )

    def _rows_of(self, rows: list[Array]) -> Array:
        return np.array(rows).reshape(len(rows), len(self._arm.arm_indices))

    def add(self, configurations: Array) -> None:
        solver, chain = self._solver, self._chain
        kind, direction = solver.kind, self._arm.direction
        free = list(solver.free)
        goals, found = [], []
        for q, pose in zip(
            configurations, tool_poses(self._arm, configurations), strict=True
        ):
            goal = _goal(kind, pose, direction)
            held = chain.values(q)[free]
            start = time.perf_counter()
            solutions = solver.solve(goal, held)
            self._times.append((time.perf_counter() - start) * 1e6)
            goals.append(goal)
            found.append(solutions)
        # back to the arm's values, and forward again with the robot's kinematics
        flat = np.concatenate(found)
        values = np.empty((len(flat), configurations.shape[1]))
        values[:, self._rows] = (flat - chain.offset) / chain.scale
        poses = tool_poses(self._arm, np.nan_to_num(values, nan=1e9))
        start_row = 0
        for goal, q, solutions in zip(goals, configurations, found, strict=True):
            rows = slice(start_row, start_row + len(solutions))
            start_row += len(solutions)
            self._check(goal, chain.values(q), q, solutions, poses[rows])

    def _check(
        self,
        goal: IkParameterization,
        wanted: Array,
        q: Array,
        solutions: Array,
        poses: Array,
    ) -> None:
        counts = self._counts
        if not len(solutions):
            self._unsolved.append(q)
        counts["solutions"] += len(solutions)
        if not len(solutions) or self._apart(solutions, wanted).min() > SAME:
            self._missed.append(q)
        if len(solutions):
            distance, angle = residuals(goal, poses, self._arm.direction)
            sound = np.isfinite(solutions).all(axis=1)
            bad = ~sound | (distance > WRONG) | (angle > WRONG)
            counts["wrong"] += int(bad.sum())
            if bad.any():
                self._wrong_at.append(q)
            worst = self._errors
            worst[0] = max(worst[0], float(distance.max()))
            worst[1] = max(worst[1], float(angle.max()))
            for i, one in enumerate(solutions[1:], 1):
                counts["repeated"] += int(self._apart(solutions[:i], one).min() < SAME)
        if self._opinion is not None:
            self._count(self._opinion, goal, solutions)

    def _count(
        self, opinion: SecondOpinion, goal: IkParameterization, solutions: Array
    ) -> None:
        if any(not self._regular(one) for one in solutions):
            return
        target = self._solver.task(goal).goal @ invert_pose(self._chain.home)
        others = opinion.solve(target)
        if len(others) != len(solutions):
            others = opinion.solve(target, every_cut=True)
        if any(not self._regular(one) for one in others):
            return
        self._counts["compared"] += 1
        self._counts["fewer"] += len(solutions) < len(others)
        self._counts["more"] += len(solutions) > len(others)

    def _regular(self, values: Array) -> bool:
        """Return whether the arm is away from its singularities."""
        if not np.isfinite(values).all():
            return False
        columns = _columns(self._chain.screws, values)
        return bool(np.linalg.svd(columns, compute_uv=False)[-1] > REGULAR)

    def _apart(self, rows: Array, one: Array) -> Array:
        off = np.abs(rows - one)
        turning = np.isfinite(self._period)
        off[:, turning] %= 2.0 * np.pi
        off[:, turning] = np.minimum(off[:, turning], 2.0 * np.pi - off[:, turning])
        # what is no number is apart from everything
        return np.asarray(np.nan_to_num(off.max(axis=1), nan=np.inf))


def _goal(
    kind: IkParameterizationType, pose: Array, direction: Array
) -> IkParameterization:
    # a point of the tool for the kind that needs one
    return IkParameterization.from_pose(kind, pose, direction, (0.1, 0.05, 0.2))


def _columns(screws: Array, values: Array) -> Array:
    """Return the twists (6, n) of the axes where the arm is."""
    from pyrave_ik.chain import displaced

    pose = np.eye(4)
    columns = np.empty((6, len(values)))
    for i, (row, value) in enumerate(zip(screws, values, strict=True)):
        axis = pose[:3, :3] @ row[:3]
        point = pose[:3, :3] @ row[3:6] + pose[:3, 3]
        if row[6]:
            columns[:, i] = *axis, 0.0, 0.0, 0.0
        else:
            columns[:, i] = *np.cross(point, axis), *axis
        pose = pose @ displaced(row, float(value))
    return columns
