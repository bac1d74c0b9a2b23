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
from pyrave.spatial import Array, as_vector, invert_pose, matrix_from_quat
from pyrave_ik.analytic import SearchNeededError
from pyrave_ik.chain import ArmChain
from pyrave_ik.checks import Checks
from pyrave_ik.held_joints import NO_FREE, HeldJoints
from pyrave_ik.names import note_of, parse_arguments
from pyrave_ik.numerical import NumericalIk
from pyrave_ik.program import ONE_TURN, Program, bounds_of
from pyrave_ik.reasons import limit_reason
from pyrave_ik.searching import Search

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.interfaces import EnvironmentProtocol, Manipulator
    from pyrave.kinematics import Model

__all__ = ["AnalyticIk", "OldNameIk"]

_log = logging.getLogger("pyrave.ik")
_noted: set[str] = set()
_NONE = IkFilterOptions.NONE
_NO_LIMITS = IkFilterOptions.IGNORE_JOINT_LIMITS
_POSE = IkParameterizationType.Transform6D
_MAIN_KINDS = (
    IkParameterizationType.Transform6D,
    IkParameterizationType.TranslationDirection5D,
    IkParameterizationType.Ray4D,
    IkParameterizationType.TranslationXYOrientation3D,
    IkParameterizationType.Translation3D,
    IkParameterizationType.Rotation3D,
    IkParameterizationType.TranslationXY2D,
    IkParameterizationType.Direction3D,
)


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
        self._arm: weakref.ref[Manipulator] | None = None
        self._chain: ArmChain | None = None
        self._model: Model | None = None
        self._programs: dict[IkParameterizationType, Program | NotSupportedError] = {}
        self._search: Search | None = None
        self._poses: Program | None = None
        self._bounds: tuple[Any, Any, dict[bool, Array]] = (None, None, {})

    # -- the arm -----------------------------------------------------------------

    def init(self, manipulator: Manipulator) -> bool:
        """Take an arm that has joints.

        Raises
        ------
        NotSupportedError
            A joint of the arm has no axes, or follows others in a way that cannot be
            solved for.
        """
        if not manipulator.arm_indices:
            return False
        chain = ArmChain.of(manipulator)
        for name in self.arguments.free:
            if name not in chain.names:
                raise NotSupportedError(
                    f"the joint {name!r} that is to be free is none of the arm's: "
                    + ", ".join(chain.names)
                )
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
        self._dofs = list(manipulator.arm_indices)
        self._held = HeldJoints(
            chain, self._model.circular[self._dofs], self.arguments.steps, repr(self)
        )
        self._direction = manipulator.direction
        self._programs = {}
        self._search = None
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

    def program(self, kind: IkParameterizationType) -> Program:
        """Return what solves a kind of goals; `program(kind).solver` explains it.

        Raises
        ------
        NotSupportedError
            The arm cannot be solved for such goals, and why.
        """
        self._ready()
        if kind.is_velocity:
            raise NotSupportedError(
                f"{kind.name} is a velocity; joint velocities follow from "
                "arm.jacobian()"
            )
        known = self._programs.get(kind)
        if known is None:
            chain = self.chain
            names = self.arguments.free
            free = sorted(chain.names.index(name) for name in names) if names else None
            try:
                known = Program(
                    chain, kind, self._direction, free, self.arguments.threshold
                )
            except NotSupportedError as error:
                known = error.with_traceback(None)
            self._programs[kind] = known
            if kind is _POSE and isinstance(known, Program):
                self._poses = known
        if isinstance(known, NotSupportedError):
            raise type(known)(f"{self!r} cannot solve it: {known}")
        return known

    def search(self, kind: IkParameterizationType) -> Search | None:
        """Return what searches for goals that have no `program`, None if they have.

        Its ``note`` says why, and so does the solver's from then on.
        """
        try:
            self.program(kind)
        except SearchNeededError as error:
            if self.arguments.free:
                raise
            if self._search is None:
                self._search = Search(self, self._ready(), str(error))
                self.note = f"{self.note}; {self._search.note}".removeprefix("; ")
            return self._search
        return None

    def supports(self, kind: IkParameterizationType) -> bool:
        """Return True if the arm has isolated solutions for goals of that kind."""
        if self._arm is None:
            return not kind.is_velocity
        try:
            self.search(kind)
        except NotSupportedError:
            return False
        return True

    # -- free joints -------------------------------------------------------------

    def main_kind(self) -> IkParameterizationType:
        """Return the kind of goals that `get_free_indices` speaks of: the richest."""
        for kind in _MAIN_KINDS:
            if kind.dof <= self.chain.n and self.supports(kind):
                return kind
        raise NotSupportedError(f"{self!r} solves no kind of goals for its arm")

    def get_num_free_parameters(self) -> int:
        """Return how many joints are held for goals of the `main_kind`."""
        return len(self.get_free_indices())

    def get_free_indices(self) -> tuple[int, ...]:
        """Return the indices into the arm's joints of those that are held."""
        kind = self.main_kind()
        return () if self.search(kind) else self.program(kind).free_dofs

    def get_free_parameters(self) -> Array:
        """Return the present values of the held joints, 0..1 over their range."""
        arm = self._ready()
        bounds = self._limits(_NONE)
        values = []
        for dof in self.get_free_indices():
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

    def _local(self, arm: Manipulator, goal: IkParameterization) -> IkParameterization:
        """Return a goal in the base link's frame."""
        return goal.transformed(invert_pose(arm.robot.transforms_view[self._base]))

    def _present(self, arm: Manipulator) -> Array:
        return np.asarray(arm.robot.dof_values[self._dofs])

    # -- solving -----------------------------------------------------------------

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
        """
        arm = self._ready()
        near = (
            self._present(arm) if q0 is None else as_vector(q0, len(self._dofs), "q0")
        )
        search = self.search(goal.type)
        if search is not None:
            return search.solve(goal, near, options, free)
        program = self.program(goal.type)
        bounds = self._limits(options)
        quick = program.quick(bounds)
        samples, ways, bounds = self._held.samples(program, free, near, bounds)
        checks = Checks(self, arm, options)
        if quick is not None and not checks.needed:
            base = arm.robot.transforms_view[self._base]
            rows = quick.ranked(quick.pose(base, _pose_of(goal)), near)
            if len(rows):
                answer = IkReturn(IkAction.SUCCESS, rows[0])
                self.call_finish_callbacks(answer, goal)
                return answer
        end = program.end(self._local(arm, goal))
        if quick is None:
            bounds = bounds.copy()
            turning = (bounds[:, 2] == ONE_TURN) & (bounds[:, 4] > 0.0)
            bounds[turning, 3] = near[turning]
        if checks.needed:
            if quick is not None:
                rows = quick.ranked(quick.goal(end[0]), near)
            else:
                rows, _ = program.all(end, samples, bounds)
                order = np.argsort(((rows - near) ** 2).sum(axis=1), kind="stable")
                rows = rows[order]
            action = IkAction.REJECT
            failures: list[str] = []
            for _, answer in checks.run(rows, goal):
                if answer:
                    self.call_finish_callbacks(answer, goal)
                    return answer
                action |= answer.action
                failures += answer.failures
            if len(rows):
                return IkReturn(action, None, failures=tuple(failures))
        elif quick is None:
            found = program.nearest(end, samples, bounds, near, ways)
            if found is not None:
                answer = IkReturn(IkAction.SUCCESS, found)
                self.call_finish_callbacks(answer, goal)
                return answer
        rejections = self._rejections(program, end, samples, options)
        action = IkAction.REJECT
        for one in rejections:
            action |= one.action
        return IkReturn(action, failures=tuple(one.reason for one in rejections))

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
        search = self.search(goal.type)
        if search is not None:
            return [one for one in search.solve_all(goal, options, free) if one]
        program, end, samples, bounds = self._setting(arm, goal, options, free)
        rows, _ = program.all(end, samples, bounds)
        checks = Checks(self, arm, options)
        if checks.needed:
            answers = [answer for _, answer in checks.run(rows, goal) if answer]
        else:
            answers = [IkReturn(IkAction.SUCCESS, row) for row in rows]
        for answer in answers:
            self.call_finish_callbacks(answer, goal)
        return answers

    def _is_checked(self, options: IkFilterOptions) -> bool:
        """Return whether candidates may have to pass more than limits."""
        return bool(
            self._filters
            or self.env.collision_checker.finds_collisions
            or (options is not _NONE and options & ~_NO_LIMITS)
        )

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
        if (
            free is None
            and not isinstance(target, IkParameterization)
            and not self._finish_callbacks
            and not self._is_checked(options)
            and (self._poses or not self.search(_POSE))
        ):
            program = self._poses or self.program(_POSE)
            quick = program.quick(self._limits(options))
            if quick is not None:
                near = (
                    self._present(arm)
                    if q0 is None
                    else as_vector(q0, len(self._dofs), "q0")
                )
                base = arm.robot.transforms_view[self._base]
                rows = quick.ranked(quick.pose(base, target), near)
                return rows[0] if len(rows) else None
        return super().solution(target, q0, options, free)

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
        kind = target.type if isinstance(target, IkParameterization) else _POSE
        if self._finish_callbacks or self._is_checked(options) or self.search(kind):
            return super().solutions(target, options, free)
        arm = self._ready()
        if isinstance(target, IkParameterization):
            program, end, samples, bounds = self._setting(arm, target, options, free)
            return program.all(end, samples, bounds)[0]
        program = self._poses or self.program(_POSE)
        bounds = self._limits(options)
        if program.free_dofs or free is not None:
            start = self._present(arm)
            samples, _, bounds = self._held.samples(program, free, start, bounds)
        else:
            samples = NO_FREE
        base = arm.robot.transforms_view[self._base]
        return program.of_pose(base, target, samples, bounds)

    def solve_batch(
        self,
        poses: Array,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
    ) -> IkBatch:
        """Return all solutions of (n, 4, 4) T_world_tool, on all cores."""
        arm = self._ready()
        checked = Checks(self, arm, options).needed
        if self._finish_callbacks or checked or self.search(_POSE):
            return super().solve_batch(poses, options, free)
        program = self.program(_POSE)
        bounds = self._limits(options)
        start = self._present(arm)
        samples, _, bounds = self._held.samples(program, free, start, bounds)
        base = arm.robot.transforms_view[self._base].copy()
        return IkBatch(
            *program.many(base, np.ascontiguousarray(poses), samples, bounds)
        )

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
        goal = (
            target
            if isinstance(target, IkParameterization)
            else IkParameterization.transform_6d(target)
        )
        arm = self._ready()
        near = self._present(arm) if q0 is None else np.asarray(q0, dtype=np.float64)
        search = self.search(goal.type)
        if search is not None:
            return search.find(goal, near, options, free, nearest=nearest)
        program, end, samples, bounds = self._setting(arm, goal, options, free)
        rows, marks = program.all(end, samples, bounds, marked=True)
        order = np.argsort(((rows - near) ** 2).sum(axis=1), kind="stable")
        rows, marks = rows[order], marks[order]
        rejections = self._rejections(program, end, samples, options)
        checks = Checks(self, arm, options)
        solutions, branches = list(rows), list(marks)
        values: list[dict[str, Any]] = [{} for _ in rows]
        if checks.needed:
            solutions, branches, values = [], [], []
            for mark, (row, answer) in zip(marks, checks.run(rows, goal), strict=False):
                if answer and answer.solution is not None:
                    solutions.append(answer.solution)
                    branches.append(mark)
                    values.append(answer.values)
                else:
                    rejections += [
                        IkRejection(answer.action, row, text)
                        for text in answer.failures
                    ]
        action = IkAction.SUCCESS
        if not solutions:
            action = IkAction.REJECT
            for one in rejections:
                action |= one.action
        return IkResult(
            goal,
            np.array(solutions).reshape(-1, len(self._dofs)),
            np.array(branches, dtype=np.int64),
            tuple(rejections),
            action,
            tuple(values),
            None if solutions or not nearest else self._nearest(arm, goal, near),
            complete=program.solver.decomposition.complete,
        )

    def _nearest(
        self, arm: Manipulator, goal: IkParameterization, near: Array
    ) -> IkNearest:
        numeric = NumericalIk(self.env)
        numeric.init(arm)
        return numeric.nearest(goal, near)

    def _setting(
        self,
        arm: Manipulator,
        goal: IkParameterization,
        options: IkFilterOptions,
        free: ArrayLike | None,
    ) -> tuple[Program, Any, Array, Array]:
        program = self.program(goal.type)
        samples, _, bounds = self._held.samples(
            program, free, self._present(arm), self._limits(options)
        )
        return program, program.end(self._local(arm, goal)), samples, bounds

    def _rejections(
        self,
        program: Program,
        end: Any,
        samples: Array,
        options: IkFilterOptions,
    ) -> list[IkRejection]:
        """Return the candidates that limits leave out, or that there are none."""
        candidates, _ = program.all(end, samples, self._limits(options | _NO_LIMITS))
        if not len(candidates):
            kind = program.solver.kind.name
            text = f"no joint values reach this {kind}, even without limits"
            nothing = np.empty(0)
            return [
                IkRejection(IkAction.REJECT | IkAction.REJECT_KINEMATICS, nothing, text)
            ]
        if options & _NO_LIMITS:
            return []
        bounds = self._limits(options)
        names = [self.chain.names[self.chain.arm.index(i)] for i in range(program.n)]
        found = []
        for row in candidates:
            text = limit_reason(row, bounds, names)
            if text:
                action = IkAction.REJECT | IkAction.REJECT_JOINT_LIMITS
                found.append(IkRejection(action, row, text))
        return found


def _pose_of(goal: IkParameterization) -> Array:
    values = goal.array
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_quat(values[:4])
    pose[:3, 3] = values[4:]
    return pose


class OldNameIk(AnalyticIk):
    """Takes the place of OpenRAVE's generated solvers, whatever they were called."""

    contract: ClassVar[int] = 1
    takes_library: ClassVar[bool] = True
