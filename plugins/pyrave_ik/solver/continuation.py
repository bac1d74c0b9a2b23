"""Joint paths by continuation, within limits and past what else must be checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.ik import IkAction, IkParameterization
from pyrave.ik import IkParameterizationType as Kind
from pyrave.ik.path_solver import cause_of
from pyrave.jit import Kernel, KernelModule
from pyrave.spatial import invert_pose
from pyrave_ik.arm.numeric_arrays import goals_of, write_goal
from pyrave_ik.kernels.iteration import continuation as to
from pyrave_ik.kernels.iteration import residuals as at

if TYPE_CHECKING:
    from pyrave.bodies import Manipulator
    from pyrave.ik import IkPathEnd
    from pyrave.interfaces import IkChecks
    from pyrave.spatial import Array
    from pyrave_ik.methods.least_squares import NumericProblem

MEETS = 1e-6
"""Metres and radians by which a start may miss the first goal."""
GAIN = 0.1
"""Radians per radian of joint motion by which free joints go a radian's way back."""
_IDLE = 1e-6
"""Part of the greatest singular value below which others count as zero."""
_SAMPLES = 48
"""Starts from which configurations that meet a goal are sought."""
_COMPILE_AFTER = 300.0
_COST = 2.0
"""Milliseconds of a goal in the interpreter."""

_kernels = KernelModule("pyrave_ik.kernels.iteration.residuals", _COMPILE_AFTER)
kernel = Kernel(
    "pyrave_ik.kernels.iteration.continuation",
    "follow",
    "joint paths",
    8.0,
    cost=lambda *arrays: _COST * len(arrays[1]),
    compile_after=_COMPILE_AFTER,
    whole=True,
)


@dataclass(frozen=True)
class Refusal:
    """Refusal of a configuration by a check: the cause, and its words."""

    cause: IkPathEnd
    reason: str


@dataclass(frozen=True, eq=False)
class Run:
    """A joint path from one start.

    Parameters
    ----------
    values
        (m, n) joint values of the goals that are reached.
    last
        (n,) where the path ends.
    end
        Number of the last goal that is reached and the fraction of the way to the next,
        counted from where the run begins; -1 if the start does not meet the first goal.
    complete
        Whether all goals are reached.
    refusal
        The check that ends the path, if one does.
    """

    values: Array
    last: Array
    end: float
    complete: bool
    refusal: Refusal | None = None


class Continuation:
    """Follows goals of an arm from given starts. Belongs to one call.

    Parameters
    ----------
    problem
        The arm and its limits.
    targets
        See `pyrave.ik.path.as_targets`; in the world.
    checks
        The checks of configurations after their limits.
    """

    def __init__(
        self,
        arm: Manipulator,
        problem: NumericProblem,
        targets: Array | tuple[IkParameterization, ...],
        checks: IkChecks,
    ) -> None:
        self.arm = arm
        self.problem = problem
        self.targets = targets
        self.n_targets = len(targets)
        self._checks = checks
        self._base = arm.robot.transforms_view[arm.base.index].copy()
        self.goals = self._rows()
        self.kind = Kind.Transform6D
        if isinstance(targets, tuple):
            self.kind = targets[0].type
        n, place = problem.n, int(problem.array[at.ENDS])
        self._array = problem.array.copy()
        limits = np.stack([problem.lower, problem.upper])
        circular = arm.robot.model.circular[arm.arm_indices]
        limits[:, circular] = [[-np.inf], [np.inf]]
        self.lower, self.upper = limits
        self._array[place : place + 2 * n] = limits.ravel()
        self._endless = self._array.copy()
        self._endless[place : place + n] = -np.inf
        self._endless[place + n : place + 2 * n] = np.inf

    @property
    def redundant(self) -> bool:
        """True if the arm has more joints than the goals constrain."""
        return bool(to.n_rows(int(self.goals[0, at.KIND])) < self.problem.n)

    def goal(self, number: int) -> IkParameterization:
        """Return a goal of the path, in the world."""
        target = self.targets[number]
        if isinstance(target, IkParameterization):
            return target
        return IkParameterization.transform_6d(target)

    def _rows(self) -> Array:
        """Return the goals (k, GOAL) in the frame of the arm's base."""
        back = invert_pose(self._base)
        blank = goals_of(self.arm.direction[None], length=self.problem.length)
        rows = np.repeat(blank, self.n_targets, axis=0)
        if isinstance(self.targets, tuple):
            for target, row in zip(self.targets, rows, strict=True):
                write_goal(target.transformed(back), row)
            return rows
        rows[:, at.KIND] = at.POSE
        poses = (back @ self.targets)[:, :3].reshape(-1, 12)
        rows[:, at.TARGET : at.TARGET + 12] = poses
        return rows

    def samples(self, number: int) -> Array:
        """Return configurations (k, n) all over the limits that meet a goal."""
        goal = self.goal(number)
        return self.problem.solve_several(goal, _SAMPLES, base=self._base)

    # -- following -------------------------------------------------------------

    def run(
        self,
        start: Array,
        wanted: Array | None = None,
        *,
        gain: float = GAIN,
        first: int = 0,
        last: int | None = None,
        limits: bool = True,
    ) -> Run:
        """Follow the goals from one to another.

        Parameters
        ----------
        start
            (n,) that meets the first of them.
        wanted
            (n,) where joints are drawn that the goals leave free; `start` by default.
        gain
            How strongly they are drawn.
        limits
            Whether joint limits end the path, and checks do.
        """
        goals = self.goals[first : None if last is None else last + 1]
        n, count = self.problem.n, len(goals)
        start = np.array(start, dtype=np.float64)
        aim = start if wanted is None else np.array(wanted, dtype=np.float64)
        settings = np.array([MEETS, MEETS, gain])
        report = np.empty(to.REPORT)
        out = np.empty((count, n))
        array = self._array if limits else self._endless
        room = 8 * count + 64 if limits and self._checks.needed else 0
        while True:
            trace = np.empty((room, n + 1))
            reached = kernel.call(
                array, goals, start, aim, settings, out, trace, report
            )
            if not room or report[to.TRACED] < room:
                break
            room *= 4
        if not reached:
            return Run(out[:0], out[0], -1.0, complete=False)
        end = reached - 1 + float(report[to.FRACTION])
        complete = reached == count
        rows = out[:reached]
        here = out[-1] if complete else out[reached]
        if not room:
            return Run(rows, here, end, complete)
        trace = trace[: int(report[to.TRACED])]
        return self._checked(Run(rows, here, end, complete), trace)

    def _checked(self, run: Run, trace: Array) -> Run:
        """Return a run up to where a check refuses it."""
        for number, row in enumerate(trace):
            refusal = self.refusal(row[:-1])
            if refusal is not None:
                last = trace[max(number - 1, 0)]
                end = float(last[-1]) if number else -1.0
                rows = run.values[: int(end + 1.0)]
                return Run(rows, last[:-1], end, complete=False, refusal=refusal)
        return run

    def refusal(self, q: Array) -> Refusal | None:
        """Return the reason for which the checks refuse joint values (n,), or None."""
        if not self._checks.needed:
            return None
        goal = self.goal_at(q)
        for row, answer in self._checks.run(q[None], goal):
            if answer and np.abs(np.asarray(answer.solution) - row).max() > MEETS:
                cause = cause_of(IkAction.REJECT_CUSTOM_FILTER)
                text = "a filter changes the joint values, which a path cannot take"
                return Refusal(cause, text)
            if not answer:
                text = "; ".join(dict.fromkeys(answer.failures))
                return Refusal(cause_of(answer.action), text)
        return None

    def goal_at(self, q: Array) -> IkParameterization:
        """Return the goal that the tool meets at joint values (n,), in the world."""
        pose = self._base @ self.problem.tools(q)[0]
        point = np.zeros(3)
        if self.kind is Kind.TranslationLocalGlobal6D:
            point = self.goal(0).array[:3]
        return IkParameterization.from_pose(self.kind, pose, self.arm.direction, point)

    def meets(self, q: Array) -> bool:
        """Return True if joint values (n,) meet the first goal."""
        work = self._linearised(q, 0)
        return bool(max(work[at.DISTANCE], work[at.OFF]) <= MEETS)

    def _linearised(self, q: Array, number: int) -> Array:
        work: Array = np.zeros(int(self._array[at.WORK]))
        goal = self.goals[number : number + 1]
        _kernels.auto(_COST).linearise(self._array, goal, np.array(q), work)
        return work

    def null_space(self, q: Array, number: int) -> Array:
        """Return joint motions (k, n), orthonormal, that keep a goal at (n,)."""
        sizes, rows = self._singular_values(q, number)
        return rows[int((sizes > _IDLE * sizes[0]).sum()) :]

    def slowest(self, q: Array, number: int) -> Array:
        """Return the unit joint motion (n,), not idle, that least moves the tool."""
        sizes, rows = self._singular_values(q, number)
        needed = int(to.n_rows(int(self.goals[0, at.KIND])))
        return np.asarray(rows[min(needed, len(sizes)) - 1])

    def _singular_values(self, q: Array, number: int) -> tuple[Array, Array]:
        """Return those of a goal's Jacobian at (n,), and the joint motions (n, n)."""
        work = self._linearised(q, number)
        columns, n = int(self._array[at.COLUMNS]), len(q)
        jacobian = work[columns : columns + at.ROWS * n].reshape(n, -1).T
        _, sizes, rows = np.linalg.svd(jacobian)
        return sizes, rows
