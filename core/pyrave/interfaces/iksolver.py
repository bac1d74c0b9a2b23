"""Base of inverse kinematics solvers, their options and results."""

from __future__ import annotations

import enum
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from pyrave.errors import ArgumentError
from pyrave.interfaces.base import InterfaceBase
from pyrave.interfaces.handles import Handle

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.interfaces.ik_parameterization import (
        IkParameterization,
        IkParameterizationType,
    )
    from pyrave.interfaces.robot import Manipulator
    from pyrave.spatial import Array

__all__ = ["IkAction", "IkFilter", "IkFilterOptions", "IkReturn", "IkSolverBase"]


class IkFilterOptions(enum.IntFlag):
    """Which checks a solution must pass, with OpenRAVE's bits.

    0: self collisions and joint limits are checked, the environment is not.
    """

    NONE = 0
    CHECK_ENV_COLLISIONS = 0x1
    IGNORE_SELF_COLLISIONS = 0x2
    IGNORE_JOINT_LIMITS = 0x4
    IGNORE_CUSTOM_FILTERS = 0x8
    IGNORE_END_EFFECTOR_ENV_COLLISIONS = 0x10
    IGNORE_END_EFFECTOR_SELF_COLLISIONS = 0x20


class IkAction(enum.IntFlag):
    """What became of a candidate; the reasons come with REJECT."""

    SUCCESS = 0
    REJECT = 0x1
    QUIT = 0x2
    QUIT_END_EFFECTOR_COLLISION = 0x10
    REJECT_KINEMATICS = 0x20
    REJECT_SELF_COLLISION = 0x40
    REJECT_ENV_COLLISION = 0x80
    REJECT_JOINT_LIMITS = 0x100
    REJECT_KINEMATICS_PRECISION = 0x200
    REJECT_CUSTOM_FILTER = 0x400


@dataclass(slots=True)
class IkReturn:
    """One answer of a solver.

    Parameters
    ----------
    action
        Why it was rejected, or SUCCESS.
    solution
        (n_arm,) joint values, None when there is none.
    values
        Named values that filters left.
    failures
        One text per rejected candidate.
    """

    action: IkAction
    solution: Array | None = None
    values: dict[str, Any] = field(default_factory=dict)
    failures: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.action == IkAction.SUCCESS and self.solution is not None


IkFilter = Callable[
    ["Array", "Manipulator", "IkParameterization"], "IkAction | IkReturn"
]


class IkSolverBase(InterfaceBase):
    """Finds joint values of a manipulator that reach a goal."""

    interface_type: ClassVar[str] = "iksolver"
    contract: ClassVar[int] = 1

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._filters: list[tuple[int, int, IkFilter]] = []
        self._filter_count = 0

    @abstractmethod
    def init(self, manipulator: Manipulator) -> bool:
        """Set up for a manipulator; False if the solver does not fit it.

        Keep the manipulator by a weak reference: it holds its solver.
        """

    @abstractmethod
    def get_manipulator(self) -> Manipulator | None:
        """Return the manipulator given to `init`."""

    @abstractmethod
    def solve(
        self,
        goal: IkParameterization,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
    ) -> IkReturn:
        """Return the solution nearest to `q0` (n_arm,), or why there is none.

        `free` gives the free parameters, each 0..1 over its joint's range.
        """

    @abstractmethod
    def solve_all(
        self,
        goal: IkParameterization,
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
    ) -> list[IkReturn]:
        """Return all solutions."""

    @abstractmethod
    def get_num_free_parameters(self) -> int:
        """Return the count of free parameters."""

    @abstractmethod
    def get_free_parameters(self) -> Array:
        """Return the free parameters of the present configuration, 0..1 each."""

    @abstractmethod
    def get_free_indices(self) -> tuple[int, ...]:
        """Return the indices into the arm's joints that are free."""

    def supports(self, kind: IkParameterizationType) -> bool:
        """Return True if goals of that kind can be solved."""
        return False

    def register_custom_filter(self, priority: int, ik_filter: IkFilter) -> Handle:
        """Call a filter with every candidate, higher priorities first.

        The filter gets (solution, manipulator, goal), may change the solution in
        place, and returns an action or an IkReturn whose values are kept.
        """
        if not callable(ik_filter):
            raise ArgumentError(f"the IK filter {ik_filter!r} cannot be called")
        self._filter_count += 1
        entry = (-priority, self._filter_count, ik_filter)
        self._filters.append(entry)
        self._filters.sort(key=lambda item: item[:2])

        def remove() -> None:
            if entry in self._filters:
                self._filters.remove(entry)

        return Handle(remove)

    def call_filters(self, solution: Array, goal: IkParameterization) -> IkReturn:
        """Run the custom filters on a candidate until one does not accept it."""
        manipulator = self.get_manipulator()
        result = IkReturn(IkAction.SUCCESS, solution)
        if manipulator is None:
            return result
        for _, _, ik_filter in tuple(self._filters):
            answer = ik_filter(solution, manipulator, goal)
            if isinstance(answer, IkReturn):
                result.values.update(answer.values)
                if answer.solution is not None:
                    solution[:] = answer.solution
                answer = answer.action
            if answer != IkAction.SUCCESS:
                return IkReturn(
                    answer | IkAction.REJECT_CUSTOM_FILTER, None, result.values
                )
        return result
