"""Options and answers of inverse kinematics."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.attributes import TellsNames
from pyrave.cards import card, counted, table
from pyrave.errors import ArgumentError
from pyrave.records import Record
from pyrave.spatial import as_pose, as_vector

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from pyrave.bodies.manipulator import Manipulator
    from pyrave.ik.parameterization import IkParameterization
    from pyrave.spatial import Array, Indices


class IkFilterOptions(enum.IntFlag):
    """Checks that a solution must pass, with OpenRAVE's bits.

    0: joint limits and custom filters. CHECK_ENV_COLLISIONS adds the environment and
    the robot itself, CHECK_SELF_COLLISIONS the latter alone, which OpenRAVE does
    always. What the robot holds is checked with it.
    """

    NONE = 0
    CHECK_ENV_COLLISIONS = 0x1
    IGNORE_SELF_COLLISIONS = 0x2
    IGNORE_JOINT_LIMITS = 0x4
    IGNORE_CUSTOM_FILTERS = 0x8
    IGNORE_END_EFFECTOR_ENV_COLLISIONS = 0x10
    IGNORE_END_EFFECTOR_SELF_COLLISIONS = 0x20
    CHECK_SELF_COLLISIONS = 0x40


_ALL_OPTIONS = sum(one.value for one in IkFilterOptions)


def as_filter_options(options: object) -> IkFilterOptions:
    """Return options that were given as such or as OpenRAVE's bits."""
    if type(options) is IkFilterOptions:
        return options
    if (
        not isinstance(options, Integral)
        or isinstance(options, bool)
        or int(options) & ~_ALL_OPTIONS
    ):
        raise ArgumentError(
            f"options are {options!r}, expected IkFilterOptions: "
            + ", ".join(str(one.name) for one in IkFilterOptions)
        )
    return IkFilterOptions(int(options))


def as_timeout(timeout: object) -> float:
    """Return seconds that a search may take, or refuse them."""
    seconds = float(timeout) if isinstance(timeout, Real) else math.nan
    if not 0.0 < seconds < math.inf:
        raise ArgumentError(
            f"timeout is {timeout!r}, expected a positive number of seconds"
        )
    return seconds


class IkAction(enum.IntFlag):
    """Outcome for a candidate; the reasons come with REJECT."""

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
class IkReturn(Record):
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

    @property
    def cause(self) -> str:
        """The reason why there is no solution; empty if there is one."""
        if self:
            return ""
        return "; ".join(self.failures) or str(self.action.name).lower()


def first_solution(answers: Iterable[IkReturn]) -> IkReturn:
    """Return the first answer that is a solution, or all reasons in one."""
    action = IkAction.REJECT
    failures: list[str] = []
    for answer in answers:
        if answer:
            return answer
        action |= answer.action
        failures += answer.failures
    return IkReturn(action, failures=tuple(failures))


@dataclass(frozen=True, slots=True, repr=False)
class IkRejection(Record):
    """A candidate that was rejected.

    Parameters
    ----------
    action
        Which check it failed.
    values
        (n_arm,) its joint values.
    reason
        The reason in words.
    """

    action: IkAction
    values: Array
    reason: str

    def __repr__(self) -> str:
        return f"<IkRejection: {self.reason}>"


@dataclass(frozen=True, slots=True, repr=False)
class IkNearest(Record):
    """Nearest configuration of an arm to a goal that it does not reach.

    Parameters
    ----------
    values
        (n_arm,) joint values, within their limits.
    pose
        (4, 4) T_world_tool there.
    distance
        Root of `IkParameterization.distance2` to the goal, metres and radians.
    """

    values: Array
    pose: Array
    distance: float

    def __repr__(self) -> str:
        return f"<IkNearest: {self.distance:.3g} away>"


@dataclass(frozen=True, eq=False, repr=False)
class IkResult(TellsNames):
    """Result of `Manipulator.find_ik`; true if there is a solution.

    Parameters
    ----------
    target
        The target in the world: a goal, or (4, 4) T_world_tool.
    solutions
        (k, n_arm) joint values, the one nearest to q0 first.
    branches
        (k,) number of the branch that each solution is on: it stays the same along a
        path that does not pass a singularity. -1 where the solver knows none.
    rejections
        The candidates that are no solutions, and why.
    action
        SUCCESS, or all reasons together.
    values
        Per solution the named values that filters left.
    nearest
        How near the arm comes; None where it was not requested or is not known.
    complete
        Whether it is proven that there are no more solutions. Closed forms and
        elimination prove it for an arm that has as many joints as the goal needs, or
        whose other joints were held with `free`. An arm with joints to spare has more
        solutions than any list: there it is true only where the goal is out of reach.
        False, too, where solutions were searched for numerically. Without solutions
        `reasons` then say what was tried.
    continua
        Per solution the indices of the arm's joints that may move while the tool stays:
        the solution stands for a continuum, as where axes of a wrist are in line, and
        is its point within limits that is nearest to `q0`. Empty for one that is
        isolated. Nothing at all where the solver does not know.
    """

    target: IkParameterization | Array
    solutions: Array
    branches: Indices
    rejections: Sequence[IkRejection] = ()
    action: IkAction = IkAction.SUCCESS
    values: tuple[dict[str, Any], ...] = ()
    nearest: IkNearest | None = None
    complete: bool = False
    continua: tuple[tuple[int, ...], ...] = ()

    def __bool__(self) -> bool:
        return len(self.solutions) > 0

    def __len__(self) -> int:
        return len(self.solutions)

    def __repr__(self) -> str:
        return f"<IkResult: {self._said()}>"

    @property
    def cause(self) -> str:
        """The reason why there is no solution; empty if there is one."""
        if self:
            return ""
        near = f"; {self.nearest.distance:.3g} away at best" if self.nearest else ""
        why = f": {'; '.join(self.reasons[:2])}" if self.reasons else ""
        return f"no solution{why}{near}"

    def _said(self) -> str:
        some = "" if self.complete else ", there may be more"
        return self.cause or counted(len(self), "solution") + some

    def _repr_html_(self) -> str:
        rows = [
            [str(branch), *(f"{value:.4f}" for value in row)]
            for row, branch in zip(self.solutions, self.branches, strict=True)
        ]
        if not rows:
            rest = [[reason] for reason in self.reasons[2:]]
            more = table(["other reasons"], rest) if rest else ""
            return card("IkResult", {"": self._said()}, more)
        joints = [f"joint {i}" for i in range(self.solutions.shape[1])]
        return card("IkResult", {"": self._said()}, table(["branch", *joints], rows))

    @cached_property
    def goal(self) -> IkParameterization:
        """The goal, in the world."""
        return goal_of(self.target)

    @property
    def solution(self) -> Array | None:
        """(n_arm,) the first solution, or None."""
        return self.solutions[0] if len(self.solutions) else None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons for which candidates were rejected, each text once."""
        return tuple(dict.fromkeys(one.reason for one in self.rejections))


@dataclass(frozen=True, eq=False, repr=False)
class IkBatch(TellsNames):
    """Solutions of many goals, one behind the other; true if there are any.

    Parameters
    ----------
    solutions
        (m, n_arm) joint values.
    counts
        (n,) how many of them each goal has: 0 or 1, unless all were asked for.
    """

    solutions: Array
    counts: Indices

    @property
    def offsets(self) -> Indices:
        """(n + 1,): the solutions of goal i are the rows offsets[i] to offsets[i+1]."""
        return np.concatenate(([0], np.cumsum(self.counts)))

    @property
    def found(self) -> NDArray[np.bool_]:
        """(n,) whether a goal has a solution."""
        return self.counts > 0

    @property
    def values(self) -> Array:
        """(n, n_arm) the first solution of each goal, NaN for goals without one."""
        values = np.full((len(self.counts), self.solutions.shape[1]), np.nan)
        values[self.found] = self.solutions[self.offsets[:-1][self.found]]
        return values

    @property
    def cause(self) -> str:
        """The reason why there is no solution, empty if there is one."""
        if self:
            return ""
        if not len(self):
            return "there are no goals"
        return (
            f"none of {counted(len(self), 'goal')} has a solution: the cause of one is "
            "told by find_ik(goal).cause"
        )

    def __bool__(self) -> bool:
        return len(self.solutions) > 0

    def __len__(self) -> int:
        return len(self.counts)

    def _said(self) -> str:
        solved, found = int(self.found.sum()), counted(len(self.solutions), "solution")
        return f"{solved} of {counted(len(self), 'goal')} solved, {found}"

    def __repr__(self) -> str:
        return f"<IkBatch: {self._said()}>"

    def _repr_html_(self) -> str:
        return card("IkBatch", {"": self._said(), "cause": self.cause})

    def __getitem__(self, index: int) -> Array:
        """Return the (k, n_arm) solutions of one goal."""
        n = len(self.counts)
        if not -n <= index < n:
            raise IndexError(f"goal {index} of {n}")
        end = int(self.counts[: index % n + 1].sum())
        return self.solutions[end - int(self.counts[index]) : end]


def goal_of(target: IkParameterization | Array) -> IkParameterization:
    """Return a goal as such, or that of a pose (4, 4) T_world_tool, checked."""
    from pyrave.ik.parameterization import IkParameterization

    if isinstance(target, IkParameterization):
        return target
    return IkParameterization.transform_6d(as_pose(target, "target"))


def start_of(arm: Manipulator, q0: ArrayLike | None) -> Array:
    """Return joint values (n_arm,) to begin at: `q0`, checked, or the present ones."""
    if q0 is None:
        return arm.arm_dof_values
    return as_vector(q0, len(arm.arm_indices), "q0")
