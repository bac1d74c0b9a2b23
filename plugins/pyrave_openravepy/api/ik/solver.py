"""`IkSolver`: what solves goals for a manipulator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave_openravepy.api.foundation.handles import VoidHandle
from pyrave_openravepy.api.foundation.objects import register_kind
from pyrave_openravepy.api.ik.answers import IkReturn, answer_of, native_answer
from pyrave_openravepy.api.ik.parameterization import native_goal
from pyrave_openravepy.api.ik.questions import (
    FILTERS_OFF,
    Question,
    base_pose,
    find_all,
    find_one,
    goal_from_base,
)
from pyrave_openravepy.api.interface import Interface
from pyrave_openravepy.api.robots.manipulator import wrap_manipulator

__all__ = ["IkSolver"]


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
        return native_goal(ikparam).transformed(base_pose(self._native))

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
        off = solver.user_data.setdefault(FILTERS_OFF, [])

        def ask(values: Any, arm: Any, goal: Any) -> pyrave.IkReturn:
            if off:
                return pyrave.IkReturn(pyrave.IkAction.SUCCESS)
            local = goal_from_base(solver, goal)
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
