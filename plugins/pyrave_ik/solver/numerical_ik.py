"""The numerical inverse kinematics solver: any chain, any goal, mixes of goals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.ik import (
    IkAction,
    IkFilterOptions,
    IkParameterization,
    IkParameterizationType,
    IkReturn,
)
from pyrave.ik.results import as_filter_options
from pyrave.spatial import as_vector
from pyrave_ik.arm.goals import pose_of
from pyrave_ik.coupled_joints.active_chains import ActiveChains
from pyrave_ik.methods.least_squares import NumericProblem
from pyrave_ik.solver.arm_ik import ArmIk
from pyrave_ik.solver.numeric_method import (
    NumericalSettings,
    NumericMethod,
    errors_of,
    failure_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from pyrave.bodies import Manipulator
    from pyrave.ik.parameterization import IkTypeLike
    from pyrave.spatial import Array

_NONE = IkFilterOptions.NONE
_POSE = IkParameterizationType.Transform6D


class NumericalIk(ArmIk):
    """Solves any goal of any arm by damped least squares from many starts.

    Redundant arms get the configuration nearest to q0. A goal that is not met ends in
    an answer that says how near the arm came: the texts of ``failures``, and ``values``
    with ``nearest``, ``position_error``, ``rotation_error`` and ``limits``.
    """

    contract: ClassVar[int] = 2
    verifies: ClassVar[bool] = True
    settings_type = NumericalSettings

    def settings_changed(self, before: Any) -> None:
        """Solve with other settings from the next goal on."""
        self._forget()

    @property
    def least_squares(self) -> bool:
        """True if overdetermined goals are met in the least-squares sense."""
        return bool(self.settings.least_squares)

    @property
    def starts(self) -> int:
        """Most starts that a solve may take."""
        return int(self.settings.starts)

    @property
    def tolerance(self) -> float:  # type: ignore[override]  # it is a setting here
        """Tolerated distance from the goal, m and rad."""
        return float(self.settings.tolerance)

    def supports(self, kind: IkTypeLike) -> bool:
        """Return True: any kind of goals can be searched for."""
        return IkParameterizationType.of(kind) in IkParameterizationType

    def method(
        self, target: IkParameterization | Array, options: IkFilterOptions = _NONE
    ) -> NumericMethod:
        """Return the search, which is the same for all goals."""
        return self.numeric(options)

    def _new_search(self, arm: Manipulator, *, ignored: bool) -> NumericMethod:
        assert self._chain is not None  # noqa: S101 - set with the manipulator
        owner = repr(self)
        return NumericMethod(arm, self._chain, self.settings, owner, ignored=ignored)

    def solution(
        self,
        target: IkParameterization | Array,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> Array | None:
        """Return the solution (n_arm,) found from `q0` (n_arm,), or None.

        Parameters
        ----------
        target
            A goal, or (4, 4) T_world_tool.
        """
        options = as_filter_options(options)
        pose: Array | None = None
        if not isinstance(target, IkParameterization):
            pose = target
        elif target.type is _POSE:
            pose = pose_of(target)
        given = free is not None or timeout is not None
        plain = not (given or self.least_squares) and self._is_plain(target, options)
        if pose is None or not plain:
            return super().solution(target, q0, options, free, timeout=timeout)
        # with nothing converted that the search itself checks
        arm = self._ready()
        search, robot = self._search(arm, options), arm.robot
        if q0 is None:
            q0 = robot.dof_values[self._dofs]
        base = robot.transforms_view[self._base]
        return search.problem.solution(base, pose, q0, search.numbers)

    def solve_tasks(
        self,
        tasks: Sequence[tuple[Manipulator, IkParameterization, float]],
        q0: ArrayLike | None = None,
        *,
        least_squares: bool | None = None,
    ) -> IkReturn:
        """Move the active degrees of freedom so that several goals are met.

        The answer's `solution` are values of the robot's active degrees of freedom
        (active_dof,), motions of the base among them; of all that meet the goals, those
        near `q0`. Its values and failures are those of `solve`.

        Parameters
        ----------
        tasks
            Manipulators of one robot, each with a goal in the world and a weight.
        q0
            (active_dof,) where to begin; the present values by default.
        least_squares
            Whether goals that cannot be met together are met in the least-squares
            sense; by default what the solver was created with.
        """
        chains = ActiveChains.from_manipulators([arm for arm, _, _ in tasks])
        lower, upper = chains.limits
        start = chains.inner(
            chains.robot.active.values
            if q0 is None
            else as_vector(q0, chains.robot.active.dof, "q0")
        )
        problem = NumericProblem(
            chains.chains,
            lower,
            upper,
            directions=np.array([arm.direction for arm, _, _ in tasks]),
            weights=[weight for _, _, weight in tasks],
            center=start,
        )
        result = problem.solve(
            [goal for _, goal, _ in tasks],
            start,
            least_squares=(
                self.least_squares if least_squares is None else least_squares
            ),
            starts=self.starts,
            tolerance=self.tolerance,
        )
        found = chains.outer(result)
        if not found:
            return failure_of(found, chains.robot.active.names)
        return IkReturn(IkAction.SUCCESS, found.q, errors_of(found))
