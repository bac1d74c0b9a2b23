"""The inverse kinematics solver: all solutions of any arm, with nothing generated."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pyrave.ik import (
    IkAction,
    IkBatch,
    IkFilterOptions,
    IkNearest,
    IkParameterization,
    IkParameterizationType,
    IkResult,
    IkReturn,
)
from pyrave.ik.results import as_filter_options, goal_of
from pyrave.interfaces import IkChecks
from pyrave.spatial import (
    Array,
    as_poses,
    invert_pose,
)
from pyrave_ik.arm.chain import WORLD
from pyrave_ik.arm.goals import checked, pose_of
from pyrave_ik.methods.bounded_arm import NO_FREE, NO_VIRTUAL, BoundedArm, Candidates
from pyrave_ik.solver.arm_solvers import ArmSolvers
from pyrave_ik.solver.compiled import CompiledIk
from pyrave_ik.solver.effort import ALL_SECONDS, NEAREST_SECONDS, Clock
from pyrave_ik.solver.goal_solver import GoalSolver
from pyrave_ik.solver.joint_paths import follow_by_continuation
from pyrave_ik.solver.names import OldNameSettings
from pyrave_ik.solver.plain_call import ROWS, PlainCall
from pyrave_ik.solver.reasons import reasons_of
from pyrave_ik.solver.results import rejections_of, result_of, tried, why_none
from pyrave_ik.solver.velocities import joint_velocities

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from pyrave.bodies import Manipulator
    from pyrave.ik import IkPath
    from pyrave_ik.solver.self_motion import End

_NONE = IkFilterOptions.NONE
_NO_LIMITS = IkFilterOptions.IGNORE_JOINT_LIMITS
_POSE = IkParameterizationType.Transform6D


class AnalyticIk(ArmSolvers):
    """Finds all joint values that meet a goal, in closed form or by elimination.

    In files words after the id are OpenRAVE's, too: ``[ikthreshold NUMBER] [free JOINT]
    ... [STEP ...]``. Joints that an arm has too many for a goal are held at values in
    steps, by default pi/8 radians or a tenth of a sliding joint's range. Every solution
    is verified.
    """

    contract: ClassVar[int] = 2
    verifies: ClassVar[bool] = True

    def _asked(
        self, arm: Manipulator, target: IkParameterization | Array
    ) -> tuple[GoalSolver, End]:
        """Return the solver of a goal, and the goal as the kernels take it.

        Parameters
        ----------
        target
            As `checked` returns it.
        """
        base = arm.robot.transforms_view[self._base].copy()
        if not isinstance(target, IkParameterization):
            return self._poses or self.goal_solver(_POSE), (base, target, NO_VIRTUAL)
        goal_solver = self.goal_solver(target)
        if target.type is _POSE:
            return goal_solver, (base, pose_of(target), NO_VIRTUAL)
        return goal_solver, (
            WORLD,
            *goal_solver.end(target.transformed(invert_pose(base))),
        )

    def _fixed(
        self,
        goal_solver: GoalSolver,
        bounds: Array,
        free: ArrayLike | None,
        *,
        turns: bool = False,
    ) -> tuple[BoundedArm, Array]:
        """Return the arm within limits, and values (1, f) of joints that are held."""
        if free is None:
            return goal_solver.bounded(bounds, turns=turns), NO_FREE
        held = self._held.given(goal_solver, free, bounds)
        return goal_solver.bounded(bounds, given=True, turns=turns), held

    @staticmethod
    def _local(
        arm: Manipulator, target: IkParameterization | Array, end: End
    ) -> Callable[[], IkParameterization]:
        """Return a function that gives a goal in the arm's base frame."""
        if isinstance(target, IkParameterization):
            base = arm.base
            return lambda: target.transformed(invert_pose(base.transform))
        return lambda: goal_of(invert_pose(end[0]) @ end[1])

    def solve(
        self,
        goal: IkParameterization,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> IkReturn:
        """Return the solution nearest to `q0` (n_arm,), or why there is none.

        Distances are the plain sum of squares from `q0`, the present values where None
        is given. Joints to spare are searched, see `pyrave_ik.solver.self_motion`;
        where checks refuse solutions the next nearest follow, in ever smaller steps.
        For a velocity the answer is the least joint velocities at `q0`.
        """
        arm = self._ready()
        goal, options = goal_of(goal), as_filter_options(options)
        if goal.type.is_velocity:
            answer = joint_velocities(arm, goal, q0, options, free).answer
            if answer:
                self.call_finish_callbacks(answer, goal)
            return answer
        near = self._start(arm, q0)
        fallback = self.fallback(goal)
        if fallback is not None:
            return fallback.solve(goal, near, options, free, timeout=timeout)
        goal_solver, end = self._asked(arm, goal)
        bounds = self._limits(options)
        checks, clock = IkChecks(self, arm, options), Clock(timeout, NEAREST_SECONDS)
        if goal_solver.free_dofs and free is None:
            search = self.self_motion(goal_solver, bounds)
            answer = search.answer(
                near, end, self._local(arm, goal, end), clock, checks, goal
            )
        else:
            answer = self._answer(
                goal_solver, bounds, free, near, end, checks, goal, clock
            )
        if answer:
            self.call_finish_callbacks(answer, goal)
        return answer

    def _answer(
        self,
        goal_solver: GoalSolver,
        bounds: Array,
        free: ArrayLike | None,
        near: Array,
        end: End,
        checks: IkChecks,
        goal: IkParameterization,
        clock: Clock,
    ) -> IkReturn:
        """Return the answer of an arm without joints to spare, or with these given."""
        bounded, samples = self._fixed(goal_solver, bounds, free)
        if not checks.needed:
            found = bounded.nearest(near, *end, samples)
            if found is not None:
                return IkReturn(IkAction.SUCCESS, found)
        elif bounded.meets(near, *end):
            # where the arm is at the goal no loop needs to be solved
            answer = checks.first(near[None], goal)
            if answer or answer.action & IkAction.QUIT:
                return answer
        candidates = bounded.candidates(near, *end, samples, turned=True)
        action = IkAction.REJECT
        failures: list[str] = []
        answers = tried(checks, candidates, goal) if checks.needed else ()
        for _, _, answer in answers:
            if answer:
                return answer
            action |= answer.action
            failures += answer.failures
        if failures:
            return IkReturn(action, failures=tuple(failures))
        complete, other = self._searched(
            bounded, end, samples, goal, near, checks.options, clock
        )
        if len(other):
            return checks.first(other, goal)
        action |= reasons_of(candidates)
        why = why_none(candidates, goal_solver.solver, free, complete=complete)
        rejections = rejections_of(candidates, bounds, self._names, why)
        return IkReturn(action, failures=tuple(one.reason for one in rejections))

    def solve_all(
        self,
        goal: IkParameterization,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
        turns: bool = False,
    ) -> list[IkReturn]:
        """Return all solutions that pass the checks.

        Joints are at the turns nearest to the present values, or with `turns` at all
        within their limits; circular joints come once.
        """
        arm = self._ready()
        goal, options = goal_of(goal), as_filter_options(options)
        if goal.type.is_velocity:
            answer = self.solve(goal, None, options, free)
            return [answer] if answer else []
        fallback = self.fallback(goal)
        if fallback is not None:
            found = fallback.solve_all(
                goal, options, free, timeout=timeout, turns=turns
            )
            return [one for one in found if one]
        checks = IkChecks(self, arm, options)
        if not checks.needed:
            rows = self._all(arm, goal, options, free, timeout, turns=turns)
            return checks.finish_all(rows, goal)
        near = self._start(arm)
        candidates, _, _ = self._candidates(
            arm, goal, near, options, free, timeout, turns=turns
        )
        every = tried(checks, candidates, goal)
        answers = [answer for _, _, answer in every if answer]
        for answer in answers:
            self.call_finish_callbacks(answer, goal)
        return answers

    def _all(
        self,
        arm: Manipulator,
        target: IkParameterization | Array,
        options: IkFilterOptions,
        free: ArrayLike | None,
        timeout: float | None,
        *,
        turns: bool,
    ) -> Array:
        """Return all joint values (k, n_arm) of a goal, from the present ones on."""
        goal_solver, end = self._asked(arm, target)
        bounds = self._limits(options)
        near = self._start(arm)
        clock = Clock(timeout, ALL_SECONDS)
        if not goal_solver.free_dofs or free is not None:
            bounded, samples = self._fixed(goal_solver, bounds, free, turns=turns)
            rows = bounded.all(*end, samples, near)
            if not len(rows):
                _, rows = self._searched(
                    bounded, end, samples, target, near, options, clock
                )
            return rows
        search = self.self_motion(goal_solver, bounds, turns=turns)
        found = search.all(near, end, self._local(arm, target, end), clock)
        return found.inside

    def _candidates(
        self,
        arm: Manipulator,
        target: IkParameterization | Array,
        near: Array,
        options: IkFilterOptions,
        free: ArrayLike | None,
        timeout: float | None,
        *,
        turns: bool,
    ) -> tuple[Candidates, bool, str]:
        """Return candidates, whether they are proven to be all, and what ended that."""
        goal_solver, end = self._asked(arm, target)
        bounds = self._limits(options)
        clock = Clock(timeout, ALL_SECONDS)
        if goal_solver.free_dofs and free is None:
            search = self.self_motion(goal_solver, bounds, turns=turns)
            local = self._local(arm, target, end)
            candidates, effort = search.candidates(near, end, local, clock)
            none = not len(candidates.solutions)
            why = effort.reason(goal_solver.solver.kind.name) if none else effort.limit
            return candidates, bool(effort.proof), why
        bounded, samples = self._fixed(goal_solver, bounds, free, turns=turns)
        candidates = bounded.candidates(near, *end, samples)
        complete = bounded.complete
        if not len(candidates.solutions):
            complete, other = self._searched(
                bounded, end, samples, target, near, options, clock
            )
            if len(other):
                candidates = candidates.with_others(other)
        why = why_none(candidates, goal_solver.solver, free, complete=complete)
        return candidates, complete, why

    def _searched(
        self,
        bounded: BoundedArm,
        end: End,
        samples: Array,
        target: IkParameterization | Array,
        near: Array,
        options: IkFilterOptions,
        clock: Clock,
    ) -> tuple[bool, Array]:
        """Return True if "no" is proven, and else a search's result (0 or 1, n_arm).

        Near several singularities at once, and where the axes of an arm are tilted a
        little, solutions may lie where none of a neighbouring goal lead.
        """
        proven = bounded.decides(*end, samples)
        found = None
        if not proven and not samples.shape[1] and clock.left != 0.0:
            search = self._searching(self._ready())
            found = search.solution(
                target, near, options & _NO_LIMITS, timeout=clock.left
            )
        return proven, np.empty((0, len(near))) if found is None else found[None]

    def _is_plain(
        self, target: IkParameterization | Array, options: IkFilterOptions
    ) -> bool:
        """Return True if solutions have to pass nothing but limits."""
        if (
            self._finish_callbacks
            or self._filters
            or (options is not _NONE and options & ~_NO_LIMITS)
        ):
            return False
        if isinstance(target, IkParameterization):
            return not target.type.is_velocity and not self.fallback(target)
        return self._poses is not None or not self.fallback(_POSE)

    def solution(
        self,
        target: IkParameterization | Array,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> Array | None:
        """Return the solution (n_arm,) nearest to `q0` (n_arm,), or None.

        Parameters
        ----------
        target
            A goal, or (4, 4) T_world_tool.
        """
        if q0 is None and free is None and options is _NONE and timeout is None:
            call = self._plain_call
            if call and not self._filters and not self._finish_callbacks:
                rows = call.rows(target, 1)
                if rows is not None:
                    return rows[0] if len(rows) else None
        arm = self._ready()
        target, options = checked(target), as_filter_options(options)
        if not self._is_plain(target, options):
            return super().solution(target, q0, options, free, timeout=timeout)
        near = self._start(arm, q0)
        goal_solver, end = self._asked(arm, target)
        bounds, clock = self._limits(options), Clock(timeout, NEAREST_SECONDS)
        if goal_solver.free_dofs and free is None:
            search = self.self_motion(goal_solver, bounds)
            return search.nearest(near, end, self._local(arm, target, end), clock)[0]
        bounded, samples = self._fixed(goal_solver, bounds, free)
        self._keep_plain_call(arm)
        found = bounded.nearest(near, *end, samples)
        if found is not None:
            return found
        _, other = self._searched(bounded, end, samples, target, near, options, clock)
        return other[0] if len(other) else None

    def solutions(
        self,
        target: IkParameterization | Array,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
        turns: bool = False,
    ) -> Array:
        """Return all solutions as (k, n_arm) joint values.

        Parameters
        ----------
        target
            A goal, or (4, 4) T_world_tool.
        turns
            True: joints come at all turns within their limits, not only at those
            nearest to the present values.
        """
        if not turns and free is None and options is _NONE and timeout is None:
            call = self._plain_call
            if call and not self._filters and not self._finish_callbacks:
                rows = call.rows(target, ROWS)
                if rows is not None:
                    return rows
        arm = self._ready()
        target, options = checked(target), as_filter_options(options)
        if not self._is_plain(target, options):
            return super().solutions(
                target, options, free, timeout=timeout, turns=turns
            )
        found = self._all(arm, target, options, free, timeout, turns=turns)
        self._keep_plain_call(arm)
        return found

    def _keep_plain_call(self, arm: Manipulator) -> None:
        """Keep what the next pose takes where only the arm's values change."""
        known = self._plain_call
        if self._poses is not None and not (known and known.fits(arm.robot)):
            bounded = self._poses.bounded(self._limits(_NONE))
            self._plain_call = PlainCall.of(arm, self._dofs, bounded)

    def nearest_batch(
        self,
        poses: ArrayLike,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> Array:
        """Return the solutions (n, n_arm) nearest to `q0`, NaN without, on all cores.

        Parameters
        ----------
        poses
            (n, 4, 4) or (n, 7) T_world_tool.
        """
        arm = self._ready()
        options = as_filter_options(options)
        if not self._is_plain(WORLD, options):
            return super().nearest_batch(poses, q0, options, free, timeout=timeout)
        goal_solver, (base, *_) = self._asked(arm, WORLD)
        bounds, near = self._limits(options), self._start(arm, q0)
        poses = as_poses(poses, "targets")
        if goal_solver.free_dofs and free is None:
            search = self.self_motion(goal_solver, bounds)
            return search.many_nearest(near, base, poses, timeout)
        bounded, samples = self._fixed(goal_solver, bounds, free)
        rows = bounded.many_nearest(base, poses, near, samples)
        for number in np.flatnonzero(np.isnan(rows[:, 0])):
            end = (base, poses[number], NO_VIRTUAL)
            clock = Clock(timeout, NEAREST_SECONDS)
            _, other = self._searched(
                bounded, end, samples, end[1], near, options, clock
            )
            if len(other):
                rows[number] = other[0]
        return rows

    def solve_batch(
        self,
        poses: ArrayLike,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
        turns: bool = False,
    ) -> IkBatch:
        """Return all solutions of (n, 4, 4) or (n, 7) T_world_tool, on all cores."""
        arm = self._ready()
        options = as_filter_options(options)
        if not self._is_plain(WORLD, options):
            return super().solve_batch(
                poses, options, free, timeout=timeout, turns=turns
            )
        goal_solver, (base, *_) = self._asked(arm, WORLD)
        bounds = self._limits(options)
        poses = as_poses(poses, "targets")
        if goal_solver.free_dofs and free is None:
            search = self.self_motion(goal_solver, bounds, turns=turns)
            return IkBatch(*search.many(self._start(arm), base, poses, timeout))
        bounded, samples = self._fixed(goal_solver, bounds, free, turns=turns)
        near = self._start(arm)
        rows, counts = bounded.many(base, poses, samples, near)
        ends = np.cumsum(counts)
        places, others = [], []
        for number in np.flatnonzero(counts == 0) if not samples.shape[1] else ():
            end = (base, poses[number], NO_VIRTUAL)
            clock = Clock(timeout, ALL_SECONDS)
            _, other = self._searched(
                bounded, end, samples, end[1], near, options, clock
            )
            if len(other):
                places.append(int(ends[number]))
                others.append(other[0])
                counts[number] = 1
        if others:
            rows = np.insert(rows, places, others, axis=0)
        return IkBatch(rows, counts)

    def compiled(
        self,
        *,
        limits: bool = True,
        q0: ArrayLike | None = None,
        turns: bool = False,
    ) -> CompiledIk:
        """Return a function of arrays that compiled loops can call for each pose.

        Parameters
        ----------
        limits
            Whether joint limits count, as they are now; each joint is within one turn
            otherwise.
        q0
            (n_arm,) joint values: joints are at the turns nearest to them. None: at
            those nearest to the middle of their limits.
        turns
            Whether joints come at all turns within their limits instead.

        Raises
        ------
        NotSupportedError
            If the arm has free joints or is searched, not solved.
        """
        bounds = self._limits(_NONE if limits else _NO_LIMITS)
        goal_solver = self.goal_solver(_POSE)
        if q0 is None:
            return CompiledIk.from_arm(goal_solver.bounded(bounds, turns=turns))
        near = self._start(self._ready(), q0)
        return CompiledIk.from_arm(goal_solver.bounded_near(bounds, near, turns=turns))

    def find(
        self,
        target: IkParameterization | Array,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        nearest: bool = False,
        timeout: float | None = None,
        turns: bool = False,
    ) -> IkResult:
        """Return all solutions with their branches, and why candidates are none."""
        arm = self._ready()
        target, options = checked(target), as_filter_options(options)
        near = self._start(arm, q0)
        kind = _POSE
        if isinstance(target, IkParameterization):
            kind = target.type
            if kind.is_velocity:
                return joint_velocities(arm, target, near, options, free).result(target)
        if kind is not _POSE or self._poses is None:
            wanted = target if isinstance(target, IkParameterization) else _POSE
            fallback = self.fallback(wanted)
            if fallback is not None:
                return fallback.find(
                    target,
                    near,
                    options,
                    free,
                    nearest=nearest,
                    timeout=timeout,
                    turns=turns,
                )
        candidates, complete, why = self._candidates(
            arm, target, near, options, free, timeout, turns=turns
        )
        bounds = self._limits(options)
        rejections = rejections_of(candidates, bounds, self._names, why)
        checks = None
        if not self._is_plain(target, options):
            checks = IkChecks(self, arm, options)
        result = result_of(target, candidates, rejections, checks, near)
        if nearest and not len(result):
            result = replace(result, nearest=self._nearest(arm, target, near))
        # of continua that checks refused some points alone were tried
        passed = sum(map(bool, result.continua))
        sampled = np.count_nonzero(candidates.continua) > passed
        return replace(result, complete=complete and not sampled)

    def follow(
        self,
        targets: ArrayLike | Sequence[IkParameterization],
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
    ) -> IkPath:
        """Return a continuous joint path through goals, by continuation.

        All joints move, also those that are held where single goals are solved.
        """
        arm, options = self._ready(), as_filter_options(options)
        problem = self._searching(arm).problem(options)
        if problem.followed:
            return super().follow(targets, q0, options)
        return follow_by_continuation(self, problem, targets, q0, options)

    def _nearest(
        self, arm: Manipulator, target: IkParameterization | Array, near: Array
    ) -> IkNearest:
        return self._searching(arm).nearest(goal_of(target), near)


class OldNameIk(AnalyticIk):
    """Takes the place of OpenRAVE's generated solvers, whatever they were called."""

    contract: ClassVar[int] = 2
    takes_library: ClassVar[bool] = True
    settings_type = OldNameSettings
