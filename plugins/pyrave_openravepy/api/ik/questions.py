"""Questions to solvers of inverse kinematics, with the checks that OpenRAVE makes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave.spatial import invert_pose
from pyrave_openravepy.api.enums import IkFilterOptions
from pyrave_openravepy.api.ik.answers import IkFailureInfo
from pyrave_openravepy.api.ik.collisions import SolutionChecks, native_options
from pyrave_openravepy.api.ik.parameterization import IkParameterization

__all__ = [
    "FILTERS_OFF",
    "Question",
    "base_pose",
    "find_all",
    "find_one",
    "goal_from_base",
]

_NO_FILTERS = int(IkFilterOptions.IgnoreCustomFilters)


@dataclass(frozen=True)
class Question:
    """A goal in the world, and how it is to be met.

    Parameters
    ----------
    goal
        pyrave's goal.
    options
        OpenRAVE's bits.
    free
        Values of free joints, 0..1, or None.
    near
        Joint values (n,) to begin at; None: the present ones.
    accumulator
        Takes reasons, or None.
    """

    goal: pyrave.IkParameterization
    options: int
    free: Any = None
    near: Any = None
    accumulator: Any = None


def find_one(solver: pyrave.IkSolverBase, asked: Question) -> pyrave.IkReturn:
    """Return the solution nearest to where the arm is, or why there is none."""
    with _checked(solver, asked.options):
        found = solver.solve(
            asked.goal, asked.near, native_options(asked.options), asked.free
        )
    _tell(asked, [found])
    return found


def find_all(solver: pyrave.IkSolverBase, asked: Question) -> list[pyrave.IkReturn]:
    """Return all solutions, joints at all turns within their limits."""
    with _checked(solver, asked.options):
        result = solver.find(
            asked.goal,
            asked.near,
            native_options(asked.options),
            asked.free,
            **solver.call_keywords(solver.find, None, turns=True),
        )
    values = result.values or ({},) * len(result)
    if asked.accumulator is not None:
        asked.accumulator._infos.extend(
            IkFailureInfo(
                one.action, one.values, goal_from_base(solver, asked.goal), one.reason
            )
            for one in result.rejections
        )
    success = pyrave.IkAction.SUCCESS
    return [
        pyrave.IkReturn(success, row, dict(left))
        for row, left in zip(result.solutions, values, strict=True)
    ]


def _tell(asked: Question, answers: list[pyrave.IkReturn]) -> None:
    if asked.accumulator is None:
        return
    infos = asked.accumulator._infos
    for answer in answers:
        for text in () if answer else answer.failures:
            goal = IkParameterization(asked.goal)
            infos.append(IkFailureInfo(answer.action, (), goal, text))


@contextmanager
def _checked(solver: pyrave.IkSolverBase, options: int) -> Iterator[None]:
    """Let a solver check collisions behind the filters of scripts in a block."""
    checks = SolutionChecks(solver.require_manipulator(), options)
    with ExitStack() as stack:
        if options & _NO_FILTERS:
            stack.enter_context(_unfiltered(solver))
        if checks.needed:
            last = solver.LAST + 1
            stack.enter_context(solver.register_custom_filter(last, checks))
        yield


@contextmanager
def _unfiltered(solver: pyrave.IkSolverBase) -> Iterator[None]:
    known = solver.user_data.setdefault(FILTERS_OFF, [])
    known.append(True)
    try:
        yield
    finally:
        known.pop()


FILTERS_OFF = "openravepy filters off"


def base_pose(solver: pyrave.IkSolverBase) -> NDArray[np.float64]:
    """Return (4, 4) T_world_base of the arm of a solver."""
    return np.array(solver.require_manipulator().base.transform)


def goal_from_base(solver: pyrave.IkSolverBase, goal: pyrave.IkParameterization) -> Any:
    """Return a goal in the world as one of the API, seen from the base of the arm."""
    return IkParameterization(goal.transformed(invert_pose(base_pose(solver))))
