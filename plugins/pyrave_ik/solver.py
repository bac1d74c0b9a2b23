"""The inverse kinematics solver: all solutions of any arm, with nothing generated."""

from __future__ import annotations

import logging
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.errors import NotSupportedError, StateError
from pyrave.interfaces import (
    IkAction,
    IkBatch,
    IkFilterOptions,
    IkNearest,
    IkParameterization,
    IkParameterizationType,
    IkResult,
    IkReturn,
    IkSolverBase,
)
from pyrave.interfaces.iksolver import as_filter_options, goal_of
from pyrave.spatial import (
    Array,
    Indices,
    as_indices,
    as_poses,
    as_vector,
    invert_pose,
)
from pyrave_ik.analytic import SearchNeededError
from pyrave_ik.chain import ORIGIN, ArmChain, dof_names, still_axes
from pyrave_ik.checks import Checks
from pyrave_ik.compiled import CompiledIk
from pyrave_ik.continua import tried
from pyrave_ik.effort import ALL_SECONDS, NEAREST_SECONDS, Clock
from pyrave_ik.held_joints import HeldJoints
from pyrave_ik.joint_paths import follow_by_continuation
from pyrave_ik.names import held_by, note_of, parse_arguments
from pyrave_ik.numerical import NumericalIk
from pyrave_ik.plans import NO_FREE, NO_VIRTUAL, WORLD, Candidates, Plan
from pyrave_ik.program import Program, bounds_of
from pyrave_ik.reasons import reasons_of
from pyrave_ik.results import rejections_of, result_of, why_none
from pyrave_ik.richest import KINDS, reached
from pyrave_ik.searching import ClosedCompound, Search, stand_in
from pyrave_ik.standing import ROWS, Standing
from pyrave_ik.targets import checked, pose_of
from pyrave_ik.velocities import joint_velocities

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from pyrave.interfaces import EnvironmentProtocol, IkPath, Manipulator
    from pyrave.interfaces.ik_parameterization import IkTypeLike
    from pyrave.kinematics import Model
    from pyrave_ik.self_motion import End

    _Sort = tuple[IkParameterizationType, int]

__all__ = ["AnalyticIk", "OldNameIk"]

_log = logging.getLogger("pyrave.ik")
_noted: set[str] = set()
_NONE = IkFilterOptions.NONE
_NO_LIMITS = IkFilterOptions.IGNORE_JOINT_LIMITS
_CANNOT = "cannot solve it: "
_POSE = IkParameterizationType.Transform6D
_POINT = IkParameterizationType.TranslationLocalGlobal6D


class AnalyticIk(IkSolverBase):
    """Finds all joint values that meet a goal, in closed form or by elimination.

    Words after the id: ``[ikthreshold NUMBER] [free JOINT] ... [STEP ...]``. Joints
    that an arm has too many for a goal are held at values in steps, by default pi/8
    radians or a tenth of a sliding joint's range. Every solution is verified.
    """

    contract: ClassVar[int] = 1

    takes_library: ClassVar[bool] = False
    """Whether the first word may name a library, as OpenRAVE's solvers have it."""

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self.arguments = parse_arguments(args, library=self.takes_library)
        self.note = ""
        """What the id that was asked for stood for in OpenRAVE, empty for our own."""
        self._free: tuple[str, ...] = ()
        self._arm: weakref.ref[Manipulator] | None = None
        self._chain: ArmChain | None = None
        self._model: Model | None = None
        self._programs: dict[_Sort, Program | NotSupportedError] = {}
        self._stand_ins: dict[_Sort, ClosedCompound | Search] = {}
        self._numeric: NumericalIk | None = None
        self._poses: Program | None = None
        self._bounds: tuple[Any, Any, dict[bool, Array]] = (None, None, {})
        self._standing: Standing | None = None

    # -- the arm -----------------------------------------------------------------

    def init(self, manipulator: Manipulator) -> bool:
        """Take an arm that has joints.

        Raises
        ------
        NotSupportedError
            There is no joint between its base and its tool, or one without axes.
        """
        chain = ArmChain.of(manipulator)
        if not len(manipulator.arm_indices):
            raise NotSupportedError(
                f"no joint moves the end effector {manipulator.end_effector.name!r} "
                f"from the base {manipulator.base.name!r}"
            )
        names = dof_names(manipulator) if chain.coupled else chain.names
        for name in self.arguments.free:
            if name not in names:
                raise NotSupportedError(
                    f"the joint {name!r} that is to be free is none of the arm's: "
                    + ", ".join(names)
                )
        self._free = self.arguments.free or held_by(self.interface_id, names)
        self._arm = weakref.ref(manipulator)
        self._take(manipulator, chain)
        self.note = note_of(self.interface_id, self.arguments)
        if self.note:
            level = logging.DEBUG if self.note in _noted else logging.INFO
            _noted.add(self.note)
            _log.log(level, "%s", self.note)
        return True

    def _take(self, manipulator: Manipulator, chain: ArmChain) -> None:
        self._chain = chain
        self._model = manipulator.robot.model
        self._base = manipulator.base.index
        self._dofs = manipulator.arm_indices
        self._names = tuple(dof_names(manipulator))
        self._held = HeldJoints(
            chain, self._model.circular[self._dofs], self.arguments.steps, repr(self)
        )
        self._direction = manipulator.direction
        self._programs = {}
        self._stand_ins = {}
        self._numeric = None
        self._poses = None
        self._bounds = (None, None, {})
        self._standing = None

    def get_manipulator(self) -> Manipulator | None:
        """Return the manipulator given to `init`."""
        return None if self._arm is None else self._arm()

    @property
    def chain(self) -> ArmChain:
        """The arm's screws."""
        self._ready()
        assert self._chain is not None  # noqa: S101 - _ready saw to it
        return self._chain

    def _ready(self) -> Manipulator:
        """Return the manipulator; what is known of it is brought up to date."""
        arm = None if self._arm is None else self._arm()
        if arm is None:
            raise StateError(
                f"{self!r} has no manipulator; assign it: arm.ik_solver = solver"
            )
        if arm.robot.model is not self._model:
            self._take(arm, ArmChain.of(arm))
        return arm

    def program(self, kind: IkTypeLike | IkParameterization) -> Program:
        """Return what solves a kind of goals; `program(kind).solver` explains it.

        Parameters
        ----------
        kind
            The kind, or a goal of it: goals for different points of the tool may be
            solved in different ways.

        Raises
        ------
        NotSupportedError
            The arm cannot be solved for such goals, and why.
        """
        self._ready()
        sort, point = self._sort_of(kind)
        if sort[0].is_velocity:
            raise NotSupportedError(
                f"{sort[0].name} is a velocity, which takes no loop; solve() has joint "
                "velocities for it"
            )
        known = self._programs.get(sort)
        if known is None:
            chain, words = self.chain, self.arguments
            free = sorted(chain.names.index(name) for name in self._free) or None
            try:
                known = Program(
                    chain, sort[0], self._direction, free, words.threshold, point
                )
            except NotSupportedError as error:
                known = error.with_traceback(None)
            self._programs[sort] = known
            if sort[0] is _POSE and isinstance(known, Program):
                self._poses = known
        if isinstance(known, NotSupportedError):
            raise type(known)(f"{self!r} {_CANNOT}{known}")
        return known

    def _sort_of(self, kind: IkTypeLike | IkParameterization) -> tuple[_Sort, Array]:
        """Return the kind with what tells its plans apart, and the tool's point."""
        point = ORIGIN
        if isinstance(kind, IkParameterization):
            if kind.type is _POINT:
                point = kind.array[:3]
            kind = kind.type
        kind = IkParameterizationType.of(kind)
        return (kind, still_axes(self.chain, point) if kind is _POINT else 0), point

    def search(
        self, kind: IkTypeLike | IkParameterization
    ) -> ClosedCompound | Search | None:
        """Return what solves goals that have no `program`, None if they have.

        Where it searches its ``note`` says why, and so does the solver's from then on.
        """
        arm = self._ready()
        sort, point = self._sort_of(kind)
        known = self._stand_ins.get(sort)
        if known is None:
            try:
                self.program(kind)
            except SearchNeededError as error:
                words = self.arguments
                reason = str(error).removeprefix(f"{self!r} {_CANNOT}")
                known = stand_in(
                    self, arm, sort[0], reason, self._free, words.steps, point
                )
                self._stand_ins[sort] = known
                if known.note not in self.note:
                    self.note = f"{self.note}; {known.note}".removeprefix("; ")
        return known

    def supports(self, kind: IkTypeLike) -> bool:
        """Return True if the arm has isolated solutions for goals of that kind.

        Also for velocities: what of them an arm can do depends on its configuration.
        """
        kind = IkParameterizationType.of(kind)
        if self._arm is None or kind.is_velocity:
            return True
        try:
            self.search(kind)
        except NotSupportedError:
            return False
        return True

    # -- free joints -------------------------------------------------------------

    def main_kind(self) -> IkParameterizationType:
        """Return the kind of goals that `get_free_indices` speaks of: the richest."""
        chain = self.chain
        for kind in KINDS:
            if (
                kind.dof <= chain.n
                and reached(chain, kind, self._direction)
                and self.supports(kind)
            ):
                return kind
        raise NotSupportedError(f"{self!r} solves no kind of goals for its arm")

    def get_num_free_parameters(self) -> int:
        """Return how many joints are held for goals of the `main_kind`."""
        return len(self.get_free_indices())

    def get_free_indices(self) -> Indices:
        """Return (k,) int64, the indices into the arm's joints of those held."""
        kind = self.main_kind()
        known = self.search(kind)
        if known:
            return known.get_free_indices()
        return as_indices(self.program(kind).free_dofs, "free indices")

    def get_free_parameters(self) -> Array:
        """Return the present values of the held joints, 0..1 over their range."""
        arm = self._ready()
        known = self.search(self.main_kind())
        if known is not None:
            return known.get_free_parameters()
        bounds = self._limits(_NONE)
        values = []
        for dof in self.get_free_indices().tolist():
            lower, upper = self._held.range(dof, bounds)
            value = float(arm.robot.dof_values[self._dofs[dof]])
            values.append((value - lower) / (upper - lower) if upper > lower else 0.0)
        return np.asarray(np.clip(np.array(values, dtype=np.float64), 0.0, 1.0))

    # -- limits and checks -------------------------------------------------------

    def _limits(self, options: IkFilterOptions) -> Array:
        """Return the bounds of the arm's joints as the kernels take them."""
        arm = self._ready()
        lower, upper = arm.robot.limits.bounds
        known = self._bounds
        if known[0] is not lower or known[1] is not upper:
            known = self._bounds = (lower, upper, {})
        ignored = options is not _NONE and bool(options & _NO_LIMITS)
        made = known[2].get(ignored)
        if made is None:
            dofs = self._dofs
            circular = arm.robot.model.circular[dofs]
            made = bounds_of(
                self.chain, lower[dofs], upper[dofs], circular, ignored=ignored
            )
            known[2][ignored] = made
        return made

    def _start(self, arm: Manipulator, q0: ArrayLike | None = None) -> Array:
        """Return joint values (d,) to begin at: `q0`, checked, or the present ones."""
        if q0 is None:
            return np.asarray(arm.robot.dof_values[self._dofs])
        return as_vector(q0, len(self._dofs), "q0")

    # -- solving -----------------------------------------------------------------

    def _asked(
        self, arm: Manipulator, target: IkParameterization | Array
    ) -> tuple[Program, End]:
        """Return what solves a goal, and the goal as the kernels take it.

        Parameters
        ----------
        target
            As `checked` returns it.
        """
        base = arm.robot.transforms_view[self._base].copy()
        if not isinstance(target, IkParameterization):
            return self._poses or self.program(_POSE), (base, target, NO_VIRTUAL)
        program = self.program(target)
        if target.type is _POSE:
            return program, (base, pose_of(target), NO_VIRTUAL)
        return program, (WORLD, *program.end(target.transformed(invert_pose(base))))

    def _fixed(
        self,
        program: Program,
        bounds: Array,
        free: ArrayLike | None,
        *,
        turns: bool = False,
    ) -> tuple[Plan, Array]:
        """Return a plan and the values (1, f) at which joints are held."""
        if free is None:
            return program.plan(bounds, turns=turns), NO_FREE
        held = self._held.given(program, free, bounds)
        return program.plan(bounds, given=True, turns=turns), held

    @staticmethod
    def _local(
        arm: Manipulator, target: IkParameterization | Array, end: End
    ) -> Callable[[], IkParameterization]:
        """Return what gives a goal in the arm's base frame."""
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
        is given. Joints to spare are searched, see `pyrave_ik.self_motion`; where
        checks refuse solutions the next nearest follow, in ever smaller steps. For a
        velocity the answer is the least joint velocities at `q0`.
        """
        arm = self._ready()
        goal, options = goal_of(goal), as_filter_options(options)
        if goal.type.is_velocity:
            answer = joint_velocities(arm, goal, q0, options, free).answer
            if answer:
                self.call_finish_callbacks(answer, goal)
            return answer
        near = self._start(arm, q0)
        stand_in = self.search(goal)
        if stand_in is not None:
            return stand_in.solve(goal, near, options, free, timeout=timeout)
        program, end = self._asked(arm, goal)
        bounds = self._limits(options)
        checks = Checks(self, arm, options)
        if program.free_dofs and free is None:
            search = program.search(bounds, self._held)
            clock = Clock(timeout, NEAREST_SECONDS)
            answer = search.answer(
                near, end, self._local(arm, goal, end), clock, checks, goal
            )
        else:
            answer = self._answer(program, bounds, free, near, end, checks, goal)
        if answer:
            self.call_finish_callbacks(answer, goal)
        return answer

    def _answer(
        self,
        program: Program,
        bounds: Array,
        free: ArrayLike | None,
        near: Array,
        end: End,
        checks: Checks,
        goal: IkParameterization,
    ) -> IkReturn:
        """Return the answer of an arm without joints to spare, or with these given."""
        plan, samples = self._fixed(program, bounds, free)
        if not checks.needed:
            found = plan.nearest(near, *end, samples)
            if found is not None:
                return IkReturn(IkAction.SUCCESS, found)
        elif plan.meets(near, *end):
            # where the arm is at the goal no loop needs to be solved
            answer = checks.first(near[None], goal)
            if answer or answer.action & IkAction.QUIT:
                return answer
        candidates = plan.candidates(near, *end, samples, turned=True)
        action = IkAction.REJECT
        failures: list[str] = []
        answers = tried(checks, candidates, goal, near) if checks.needed else ()
        for _, _, answer in answers:
            if answer:
                return answer
            action |= answer.action
            failures += answer.failures
        if failures:
            return IkReturn(action, failures=tuple(failures))
        action |= reasons_of(candidates)
        why = why_none(candidates, program.solver, free, complete=plan.complete)
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
        stand_in = self.search(goal)
        if stand_in is not None:
            found = stand_in.solve_all(
                goal, options, free, timeout=timeout, turns=turns
            )
            return [one for one in found if one]
        checks = Checks(self, arm, options)
        if not checks.needed:
            rows = self._all(arm, goal, options, free, timeout, turns=turns)
            return checks.told(rows, goal)
        near = self._start(arm)
        candidates, _, _ = self._candidates(
            arm, goal, near, options, free, timeout, turns=turns
        )
        every = tried(checks, candidates, goal, near)
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
        program, end = self._asked(arm, target)
        bounds = self._limits(options)
        near = self._start(arm)
        if not program.free_dofs or free is not None:
            plan, samples = self._fixed(program, bounds, free, turns=turns)
            return plan.all(*end, samples, near)
        search = program.search(bounds, self._held, turns=turns)
        clock = Clock(timeout, ALL_SECONDS)
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
        program, end = self._asked(arm, target)
        bounds = self._limits(options)
        if program.free_dofs and free is None:
            search = program.search(bounds, self._held, turns=turns)
            clock = Clock(timeout, ALL_SECONDS)
            local = self._local(arm, target, end)
            candidates, effort = search.candidates(near, end, local, clock)
            none = not len(candidates.solutions)
            why = effort.reason(program.solver.kind.name) if none else effort.limit
            return candidates, bool(effort.proof), why
        plan, samples = self._fixed(program, bounds, free, turns=turns)
        candidates = plan.candidates(near, *end, samples)
        complete = plan.complete
        why = why_none(candidates, program.solver, free, complete=complete)
        return candidates, complete, why

    def _is_plain(
        self, target: IkParameterization | Array, options: IkFilterOptions
    ) -> bool:
        """Return whether solutions have to pass nothing but limits."""
        if (
            self._finish_callbacks
            or self._filters
            or self.env.collision_checker.finds_collisions
            or (options is not _NONE and options & ~_NO_LIMITS)
        ):
            return False
        if isinstance(target, IkParameterization):
            return not target.type.is_velocity and not self.search(target)
        return self._poses is not None or not self.search(_POSE)

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
            rows = self._rows_standing(target, 1)
            if rows is not None:
                return rows[0] if len(rows) else None
        arm = self._ready()
        target, options = checked(target), as_filter_options(options)
        if not self._is_plain(target, options):
            return super().solution(target, q0, options, free, timeout=timeout)
        near = self._start(arm, q0)
        program, end = self._asked(arm, target)
        bounds = self._limits(options)
        if program.free_dofs and free is None:
            search = program.search(bounds, self._held)
            clock = Clock(timeout, NEAREST_SECONDS)
            return search.nearest(near, end, self._local(arm, target, end), clock)[0]
        plan, samples = self._fixed(program, bounds, free)
        self._stand(arm)
        return plan.nearest(near, *end, samples)

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
            rows = self._rows_standing(target, ROWS)
            if rows is not None:
                return rows
        arm = self._ready()
        target, options = checked(target), as_filter_options(options)
        if not self._is_plain(target, options):
            return super().solutions(
                target, options, free, timeout=timeout, turns=turns
            )
        found = self._all(arm, target, options, free, timeout, turns=turns)
        self._stand(arm)
        return found

    def _stand(self, arm: Manipulator) -> None:
        """Keep what the next pose takes where only the arm's values change."""
        robot, known = arm.robot, self._standing
        if self._poses is not None and not (known and known.fits(robot)):
            plan = self._poses.plan(self._limits(_NONE))
            self._standing = Standing.of(robot, self._base, self._dofs, plan)

    def _rows_standing(self, pose: object, size: int) -> Array | None:
        """Do `Standing.rows`, None where that is not for the arm as it is."""
        known = self._standing
        arm = None if self._arm is None else self._arm()
        if (
            known is None
            or arm is None
            or self._filters
            or self._finish_callbacks
            or not known.fits(robot := arm.robot)
            or self.env.collision_checker.finds_collisions
        ):
            return None
        return known.rows(robot, pose, size)

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
        program, (base, *_) = self._asked(arm, WORLD)
        bounds = self._limits(options)
        poses = as_poses(poses, "targets")
        if program.free_dofs and free is None:
            search = program.search(bounds, self._held, turns=turns)
            return IkBatch(*search.many(self._start(arm), base, poses, timeout))
        plan, samples = self._fixed(program, bounds, free, turns=turns)
        return IkBatch(*plan.many(base, poses, samples, self._start(arm)))

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
        program = self.program(_POSE)
        if q0 is None:
            return CompiledIk.of(program.plan(bounds, turns=turns))
        near = self._start(self._ready(), q0)
        return CompiledIk.of(program.plan_near(bounds, near, turns=turns))

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
            asked = target if isinstance(target, IkParameterization) else _POSE
            stand_in = self.search(asked)
            if stand_in is not None:
                return stand_in.find(
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
            checks = Checks(self, arm, options)
        result = result_of(target, candidates, rejections, checks, near)
        if nearest and not len(result):
            result = replace(result, nearest=self._nearest(arm, target, near))
        return replace(result, complete=complete)

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

    def _searching(self, arm: Manipulator) -> NumericalIk:
        """Return a numerical solver of the arm."""
        if self._numeric is None:
            self._numeric = NumericalIk(self.env)
            self._numeric.init(arm)
        return self._numeric


class OldNameIk(AnalyticIk):
    """Takes the place of OpenRAVE's generated solvers, whatever they were called."""

    contract: ClassVar[int] = 1
    takes_library: ClassVar[bool] = True
