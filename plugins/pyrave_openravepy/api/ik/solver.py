"""`IkSolver`: what solves goals for a manipulator."""

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
from pyrave_openravepy.api.foundation.handles import VoidHandle
from pyrave_openravepy.api.foundation.objects import register_kind
from pyrave_openravepy.api.ik.answers import (
    IkFailureInfo,
    IkReturn,
    answer_of,
    native_answer,
)
from pyrave_openravepy.api.ik.collisions import SolutionChecks, native_options
from pyrave_openravepy.api.ik.parameterization import IkParameterization, native_goal
from pyrave_openravepy.api.interface import Interface

__all__ = ["IkSolver", "Question", "find_all", "find_one"]

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
                one.action, one.values, _local(solver, asked.goal), one.reason
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
    known = solver.user_data.setdefault(_OFF, [])
    known.append(True)
    try:
        yield
    finally:
        known.pop()


_OFF = "openravepy filters off"


def _base(solver: pyrave.IkSolverBase) -> NDArray[np.float64]:
    return np.array(solver.require_manipulator().base.transform)


def _local(solver: pyrave.IkSolverBase, goal: pyrave.IkParameterization) -> Any:
    return IkParameterization(goal.transformed(invert_pose(_base(solver))))


class IkSolver(Interface):
    """Solves goals for one manipulator; its goals are seen from the arm's base."""

    def Solve(self, ikparam: Any, q0: Any, *rest: Any, **named: Any) -> IkReturn:
        """Return the solution nearest to q0: ``(ikparam, q0, [free], options)``."""
        free, options = _free_and_options(rest, named)
        near = None if q0 is None or not np.size(q0) else q0
        asked = Question(self._world(ikparam), options, free, near)
        return answer_of(find_one(self._native, asked))

    def SolveAll(self, ikparam: Any, *rest: Any, **named: Any) -> list[IkReturn]:
        """Return all solutions: ``(ikparam, [free], options)``."""
        free, options = _free_and_options(rest, named)
        asked = Question(self._world(ikparam), options, free)
        return [answer_of(one) for one in find_all(self._native, asked)]

    def _world(self, ikparam: Any) -> pyrave.IkParameterization:
        return native_goal(ikparam).transformed(_base(self._native))

    def GetNumFreeParameters(self) -> int:
        return int(self._native.get_num_free_parameters())

    def GetFreeParameters(self) -> NDArray[np.float64]:
        return np.array(self._native.get_free_parameters())

    def GetFreeIndices(self) -> NDArray[np.int64]:
        return np.array(self._native.get_free_indices())

    def Supports(self, iktype: Any) -> bool:
        return bool(self._native.supports(int(iktype)))

    def CallFilters(self, ikparam: Any) -> IkReturn:
        """Ask the filters about where the robot is now."""
        solver = self._native
        values = np.array(solver.require_manipulator().arm_dof_values)
        return answer_of(solver.call_filters(values, self._world(ikparam)))

    def RegisterCustomFilter(self, priority: int, callback: Any) -> VoidHandle:
        """Ask a function about each candidate until the handle is dropped.

        Those of higher priority are asked first. It gets the values, the manipulator
        and the goal as seen from the arm's base, and the robot is there.
        """
        solver = self._native
        off = solver.user_data.setdefault(_OFF, [])

        def ask(values: Any, arm: Any, goal: Any) -> pyrave.IkReturn:
            from pyrave_openravepy.api.robots.manipulator import wrap_manipulator

            if off:
                return pyrave.IkReturn(pyrave.IkAction.SUCCESS)
            local = _local(solver, goal)
            return native_answer(callback(values.copy(), wrap_manipulator(arm), local))

        if not callable(callback):
            raise TypeError(f"the callback is {callback!r}, expected a function")
        return VoidHandle(solver.register_custom_filter(int(priority), ask))


def _free_and_options(rest: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, int]:
    given = [*rest, *(named[key] for key in _WORDS if key in named)]
    if set(named) - set(_WORDS) or not 1 <= len(given) <= 2:
        raise TypeError("expected free parameters or none, and then filter options")
    *free, options = given
    return (free[0] if free and free[0] is not None else None), int(options)


_WORDS = ("freeparameters", "filteroptions")

register_kind("iksolver", IkSolver)
