"""The solver of arms with a spherical shoulder and wrist; its parameter is an angle."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.ik import IkAction, IkFilterOptions, IkParameterizationType, IkReturn
from pyrave.ik.results import as_filter_options, goal_of, start_of
from pyrave.interfaces import IkChecks, IkSolverBase
from pyrave.interfaces.settings.declarations import setting
from pyrave.spatial import (
    Array,
    Indices,
    as_indices,
    invert_pose,
    pose_from_wxyz_xyz,
)
from pyrave_ik.arm.chain import ArmChain
from pyrave_ik.arm.turns import at_all_turns, moved_near, turning_periods
from pyrave_ik.methods.srs import SrsArm
from pyrave_ik.solver.free_joint_grid import as_parts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.bodies import Manipulator
    from pyrave.ik import IkParameterization, IkResult
    from pyrave.ik.parameterization import IkTypeLike
    from pyrave.kinematics import Model

_TURN = 2.0 * math.pi
_STEP = math.pi / 8.0


@dataclass(frozen=True)
class SrsSettings:
    """Settings of `SrsIk`."""

    step: float = setting(_STEP, "of the arm angle", unit="rad", least=1e-4, most=_TURN)


class SrsIk(IkSolverBase):
    """Solves poses of S-R-S arms; the free parameter is the arm angle, not a joint.

    The parameter 0..1 maps to -pi..pi. Without it `solve` gives the configuration
    nearest to q0 of all arm angles, `solve_all` those at angles in steps and in the
    middle of each interval that the joint limits leave.
    """

    contract: ClassVar[int] = 2
    verifies: ClassVar[bool] = True
    settings_type = SrsSettings
    word_settings = ("step",)

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._model: Model | None = None
        self._solver: SrsArm | None = None

    # -- the arm -----------------------------------------------------------------

    def init(self, manipulator: Manipulator) -> bool:
        """Take an arm with a spherical shoulder and wrist.

        Raises
        ------
        NotSupportedError
            The arm is of another kind; the message says why.
        """
        self._solver = SrsArm.of(ArmChain.of(manipulator))
        super().init(manipulator)
        self._model = manipulator.robot.state_model
        return True

    @property
    def closed_form(self) -> SrsArm:
        """The closed form of the arm, in its base link's frame."""
        arm = self.require_manipulator()
        if arm.robot.state_model is not self._model:
            self.init(arm)  # the robot was edited
        assert self._solver is not None  # noqa: S101 - set with the manipulator
        return self._solver

    def supports(self, kind: IkTypeLike) -> bool:
        """Return True for poses."""
        return IkParameterizationType.of(kind) is IkParameterizationType.Transform6D

    def get_num_free_parameters(self) -> int:
        """Return 1: the arm angle."""
        return 1

    def get_free_parameters(self) -> Array:
        """Return the present arm angle, (1,), 0..1 for -pi..pi."""
        psi = self.closed_form.at(self.require_manipulator().arm_dof_values)
        return np.array([0.5 if math.isnan(psi) else psi / _TURN + 0.5])

    def get_free_indices(self) -> Indices:
        """Return no indices: no joint is held."""
        return as_indices((), "free indices")

    # -- solving -----------------------------------------------------------------

    def solve(
        self,
        goal: IkParameterization,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> IkReturn:
        """Return the solution nearest to `q0` (n_arm,), or why there is none.

        Nothing is searched, so that a `timeout` changes nothing.
        """
        arm = self.require_manipulator()
        checks = IkChecks(self, arm, options)
        goal, near = goal_of(goal), start_of(arm, q0)
        pose, lower, upper = self._asked(goal, options)
        rows = np.empty((0, 7))
        if free is None:
            best = self.closed_form.nearest(pose, near, lower, upper)
            rows = rows if best is None else best[1][None]
        if free is not None or (len(rows) and checks.needed):
            others = self._rows(pose, lower, upper, free, near)
            away = ((others - near) ** 2).sum(axis=1)
            rows = np.concatenate([rows, others[np.argsort(away)]])
        if not len(rows):
            return self._nothing(pose)
        if not checks.needed:
            answer = IkReturn(IkAction.SUCCESS, rows[0])
        else:
            answer = self._first(checks, rows, goal)
        if answer:
            self.call_finish_callbacks(answer, goal)
        return answer

    def solve_all(
        self,
        goal: IkParameterization,
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
        turns: bool = False,
    ) -> list[IkReturn]:
        """Return all solutions at the given arm angle, or at many.

        Nothing is searched, so that a `timeout` changes nothing. Joints are at the
        turns nearest to the present values, or with `turns` at all within limits.
        """
        arm = self.require_manipulator()
        checks = IkChecks(self, arm, options)
        goal = goal_of(goal)
        pose, lower, upper = self._asked(goal, options)
        rows = self._rows(pose, lower, upper, free, arm.arm_dof_values)
        if not len(rows):
            return [self._nothing(pose)]
        if turns:
            periods = turning_periods(
                arm, self.closed_form.periods, lower, upper, every=True
            )
            rows = at_all_turns(rows, lower, upper, periods)
        return checks.finish_all(rows, goal)

    def find(
        self,
        target: IkParameterization | Array,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
        *,
        nearest: bool = False,
        timeout: float | None = None,
        turns: bool = False,
    ) -> IkResult:
        """Return all solutions, the nearest to `q0` first; see the base class."""
        result = super().find(
            target, q0, options, free, nearest=nearest, timeout=timeout, turns=turns
        )
        if q0 is None or turns:
            return result
        arm = self.require_manipulator()
        _, lower, upper = self._asked(goal_of(target), as_filter_options(options))
        periods = turning_periods(
            arm, self.closed_form.periods, lower, upper, every=False
        )
        return moved_near(result, start_of(arm, q0), lower, upper, periods)

    # -- parts -------------------------------------------------------------------

    def _asked(
        self, goal: IkParameterization, options: IkFilterOptions
    ) -> tuple[Array, Array, Array]:
        """Return the pose in the arm's base, and the limits."""
        if not self.supports(goal.type):
            raise NotSupportedError(
                f"arm angles are of poses (Transform6D), the goal is {goal.type.name}; "
                "the solver 'Analytic' takes any"
            )
        arm = self.require_manipulator()
        pose = invert_pose(arm.base.transform) @ pose_from_wxyz_xyz(goal.array)
        if options & IkFilterOptions.IGNORE_JOINT_LIMITS:
            return pose, np.full(7, -math.inf), np.full(7, math.inf)
        lower, upper = (bound[arm.arm_indices] for bound in arm.robot.dof_limits)
        return pose, lower, upper

    def _rows(
        self,
        pose: Array,
        lower: Array,
        upper: Array,
        free: ArrayLike | None,
        near: Array | None = None,
    ) -> Array:
        """Return the solutions (k, 7) within limits at the given arm angles."""
        solver = self.closed_form
        if free is None:
            middles = [
                0.5 * (one.lower + one.upper)
                for one in solver.intervals(pose, lower, upper)
            ]
            if not middles:
                return np.empty((0, 7))
            psis = np.concatenate(
                [np.arange(-math.pi, math.pi, self.settings.step), middles]
            )
        else:
            psis = (as_parts(free, 1) - 0.5) * _TURN
        rows, ok = solver.branches(pose, psis)
        rows, fits = solver.inside(rows, lower, upper, near)
        return np.asarray(rows[ok & fits])

    @staticmethod
    def _first(checks: IkChecks, rows: Array, goal: IkParameterization) -> IkReturn:
        """Return the first candidate that passes the checks, or why all failed."""
        action = IkAction.REJECT
        failures: list[str] = []
        for _, answer in checks.run(rows, goal):
            if answer:
                return answer
            action |= answer.action
            failures += answer.failures
        return IkReturn(action, failures=tuple(dict.fromkeys(failures)))

    def _nothing(self, pose: Array) -> IkReturn:
        """Return why there is no candidate."""
        endless = np.full(7, math.inf)
        action = IkAction.REJECT
        if self.closed_form.intervals(pose, -endless, endless):
            action |= IkAction.REJECT_JOINT_LIMITS
            reason = "every configuration at the given arm angles violates joint limits"
        else:
            action |= IkAction.REJECT_KINEMATICS
            reason = "the pose is out of reach at every arm angle"
        return IkReturn(action, failures=(reason,))
