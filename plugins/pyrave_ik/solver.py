"""The inverse kinematics solver: all solutions of any arm, with nothing generated."""

from __future__ import annotations

import logging
import weakref
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
    IkRejection,
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
from pyrave_ik.continua import in_order, tried
from pyrave_ik.held_joints import HeldJoints
from pyrave_ik.names import held_by, note_of, parse_arguments
from pyrave_ik.numerical import NumericalIk
from pyrave_ik.plans import NO_FREE, NO_VIRTUAL, WORLD, Candidates, Plan
from pyrave_ik.program import Program, bounds_of
from pyrave_ik.reasons import UNREACHED, OutsideLimits, joints_of, reasons_of
from pyrave_ik.richest import KINDS, reached
from pyrave_ik.searching import ClosedCompound, Search, stand_in
from pyrave_ik.targets import checked, pose_of
from pyrave_ik.velocities import joint_velocities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from pyrave.interfaces import EnvironmentProtocol, Manipulator
    from pyrave.interfaces.ik_parameterization import IkTypeLike
    from pyrave.kinematics import Model

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
        self._poses: Program | None = None
        self._bounds: tuple[Any, Any, dict[bool, Array]] = (None, None, {})

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
        self._poses = None
        self._bounds = (None, None, {})

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

    def _setting(
        self,
        arm: Manipulator,
        target: IkParameterization | Array,
        near: Array | None,
        options: IkFilterOptions,
        free: ArrayLike | None,
    ) -> tuple[Plan, Array, Array, Array, Array]:
        """Return what solves a goal, and the goal as it takes it: base, pose, ...

        Parameters
        ----------
        target
            As `checked` returns it.
        near
            (d,) joint values from which free joints are searched; None: the present.
        """
        base = arm.robot.transforms_view[self._base].copy()
        virtual = NO_VIRTUAL
        if not isinstance(target, IkParameterization):
            program, pose = self._poses or self.program(_POSE), target
        else:
            program = self.program(target)
            if target.type is _POSE:
                pose = pose_of(target)
            else:
                pose, virtual = program.end(target.transformed(invert_pose(base)))
                base = WORLD
        bounds = self._limits(options)
        if program.free_dofs or free is not None:
            start = self._start(arm) if near is None else near
            samples = self._held.samples(program, free, start, bounds)
        else:
            samples = NO_FREE
        plan = program.plan(bounds, given=free is not None)
        return plan, base, pose, virtual, samples

    def solve(
        self,
        goal: IkParameterization,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
    ) -> IkReturn:
        """Return the solution nearest to `q0` (n_arm,), or why there is none.

        Free joints are searched outward from their values in `q0`, which are the
        present ones where None is given. Distances are the plain sum of squares.
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
        search = self.search(goal)
        if search is not None:
            return search.solve(goal, near, options, free)
        plan, *end = self._setting(arm, goal, near, options, free)
        checks = Checks(self, arm, options)
        if not checks.needed:
            found = plan.nearest(near, *end)
            if found is not None:
                answer = IkReturn(IkAction.SUCCESS, found)
                self.call_finish_callbacks(answer, goal)
                return answer
        candidates = plan.candidates(near, *end, turned=True)
        action = IkAction.REJECT
        failures: list[str] = []
        answers = tried(checks, candidates, goal, near) if checks.needed else ()
        for _, _, answer in answers:
            if answer:
                self.call_finish_callbacks(answer, goal)
                return answer
            action |= answer.action
            failures += answer.failures
        if not failures:
            action |= reasons_of(candidates)
            rejections = self._rejections(goal.type, plan.bounds, candidates)
            failures = [one.reason for one in rejections]
        return IkReturn(action, failures=tuple(failures))

    def solve_all(
        self,
        goal: IkParameterization,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
    ) -> list[IkReturn]:
        """Return all solutions that pass the checks.

        Circular joints come once each; others in all turns within their limits.
        """
        arm = self._ready()
        goal, options = goal_of(goal), as_filter_options(options)
        if goal.type.is_velocity:
            answer = self.solve(goal, None, options, free)
            return [answer] if answer else []
        search = self.search(goal)
        if search is not None:
            return [one for one in search.solve_all(goal, options, free) if one]
        plan, *end = self._setting(arm, goal, None, options, free)
        checks = Checks(self, arm, options)
        if not checks.needed:
            return checks.told(plan.all(*end, start=lambda: self._start(arm)), goal)
        near = self._start(arm)
        every = tried(checks, plan.candidates(near, *end), goal, near)
        answers = [answer for _, _, answer in every if answer]
        for answer in answers:
            self.call_finish_callbacks(answer, goal)
        return answers

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
    ) -> Array | None:
        """Return the solution (n_arm,) nearest to `q0` (n_arm,), or None.

        Parameters
        ----------
        target
            A goal, or (4, 4) T_world_tool.
        """
        arm = self._ready()
        target, options = checked(target), as_filter_options(options)
        if not self._is_plain(target, options):
            return super().solution(target, q0, options, free)
        near = self._start(arm, q0)
        plan, *end = self._setting(arm, target, near, options, free)
        return plan.nearest(near, *end)

    def solutions(
        self,
        target: IkParameterization | Array,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
    ) -> Array:
        """Return all solutions as (k, n_arm) joint values.

        Parameters
        ----------
        target
            A goal, or (4, 4) T_world_tool.
        """
        arm = self._ready()
        target, options = checked(target), as_filter_options(options)
        if not self._is_plain(target, options):
            return super().solutions(target, options, free)
        plan, *end = self._setting(arm, target, None, options, free)
        return plan.all(*end, start=lambda: self._start(arm))

    def solve_batch(
        self,
        poses: ArrayLike,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
    ) -> IkBatch:
        """Return all solutions of (n, 4, 4) or (n, 7) T_world_tool, on all cores."""
        arm = self._ready()
        options = as_filter_options(options)
        if not self._is_plain(WORLD, options):
            return super().solve_batch(poses, options, free)
        plan, base, _, _, samples = self._setting(arm, WORLD, None, options, free)
        near = self._start(arm)
        targets = as_poses(poses, "targets")
        return IkBatch(*plan.many(base, targets, samples, near))

    def compiled(self, *, limits: bool = True) -> CompiledIk:
        """Return a function of arrays that compiled loops can call for each pose.

        Parameters
        ----------
        limits
            Whether joint limits count, as they are now; each joint is within one turn
            otherwise.

        Raises
        ------
        NotSupportedError
            If the arm has free joints or is searched, not solved.
        """
        bounds = self._limits(_NONE if limits else _NO_LIMITS)
        return CompiledIk.of(self.program(_POSE).plan(bounds))

    def find(
        self,
        target: IkParameterization | Array,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        nearest: bool = False,
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
            search = self.search(asked)
            if search is not None:
                return search.find(target, near, options, free, nearest=nearest)
        plan, *end = self._setting(arm, target, near, options, free)
        candidates = plan.candidates(near, *end)
        rejections = self._rejections(kind, plan.bounds, candidates)
        rows, marks = candidates.solutions, candidates.branches
        bits = candidates.continua.tolist()
        continua = tuple(map(joints_of, bits)) if any(bits) else ((),) * len(bits)
        intervals = candidates.intervals
        action = reasons_of(candidates)
        values: tuple[dict[str, Any], ...] = ()
        if not self._is_plain(target, options):
            goal = goal_of(target)
            checks = Checks(self, arm, options)
            kept, passed, named = [], [], []
            refused = list(rejections)
            for k, row, answer in tried(checks, candidates, goal, near):
                if answer and answer.solution is not None:
                    kept.append(answer.solution)
                    passed.append(k)
                    named.append(answer.values)
                else:
                    action |= answer.action
                    refused += [
                        IkRejection(answer.action, row, text)
                        for text in answer.failures
                    ]
            rows = np.array(kept).reshape(-1, len(self._dofs))
            rows, passed, named = in_order(rows, passed, named, near)
            marks = marks[passed]
            continua = tuple(continua[k] for k in passed)
            intervals = intervals.only(passed)
            values = tuple(named)
            rejections = tuple(refused)
            for row, named_values in zip(rows, values, strict=True):
                answer = IkReturn(IkAction.SUCCESS, row, named_values)
                self.call_finish_callbacks(answer, goal)
        return IkResult(
            target,
            rows,
            marks,
            rejections,
            IkAction.SUCCESS if len(rows) else IkAction.REJECT | action,
            values or tuple([{} for _ in marks.tolist()]),
            self._nearest(arm, target, near) if nearest and not len(rows) else None,
            complete=plan.complete,
            continua=continua,
            intervals=intervals,
        )

    def _nearest(
        self, arm: Manipulator, target: IkParameterization | Array, near: Array
    ) -> IkNearest:
        numeric = NumericalIk(self.env)
        numeric.init(arm)
        return numeric.nearest(goal_of(target), near)

    def _rejections(
        self, kind: IkParameterizationType, bounds: Array, candidates: Candidates
    ) -> Sequence[IkRejection]:
        """Return the candidates that limits leave out, or that there are none."""
        if not len(candidates.solutions) and not len(candidates.refused):
            text = f"no joint values reach this {kind.name}, even without limits"
            return (IkRejection(UNREACHED, np.empty(0), text),)
        return OutsideLimits(
            candidates.refused, candidates.outside, bounds, self._names
        )


class OldNameIk(AnalyticIk):
    """Takes the place of OpenRAVE's generated solvers, whatever they were called."""

    contract: ClassVar[int] = 1
    takes_library: ClassVar[bool] = True
