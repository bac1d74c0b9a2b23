"""Inverse kinematics of manipulators, as scripts ask for it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave.ik import IkParameterization as NativeGoal
from pyrave.spatial import invert_pose
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.logs import RaveLogWarn
from pyrave_openravepy.api.foundation.objects import as_native, wrap
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.ik.answers import answer_of
from pyrave_openravepy.api.ik.parameterization import IkParameterization, native_goal
from pyrave_openravepy.api.ik.questions import Question, find_all, find_one

__all__ = ["ManipulatorIk"]

_NAMES = (
    "param",
    "freevalues",
    "filteroptions",
    "ikreturn",
    "releasegil",
    "ikFailureAccumulator",
)


class ManipulatorIk(Guarded):
    """The inverse kinematics of a manipulator."""

    _native: pyrave.Manipulator

    def _solver(self) -> Any:
        """Return pyrave's solver, the default one where there is no other."""
        arm = self._native
        if arm.own_ik_solver is not None:
            return arm.own_ik_solver
        # files of OpenRAVE name solvers that are generated there
        return arm.set_ik_solver("")

    def GetIkSolver(self) -> Any:
        """Return the solver, None if none fits the arm."""
        try:
            return wrap(self._solver())
        except pyrave.Error as error:
            RaveLogWarn(str(error))
            return None

    def SetIkSolver(self, iksolver: Any) -> bool:
        """Let a solver answer; None: the default one. False if it does not fit."""
        native = as_native(iksolver)
        try:
            self._native.ik_solver = native
        except pyrave.NotSupportedError as error:
            RaveLogWarn(str(error))
            return False
        return True

    def SetIKSolver(self, iksolver: Any) -> bool:
        return self.SetIkSolver(iksolver)

    def GetNumFreeParameters(self) -> int:
        return int(self._solver().get_num_free_parameters())

    def GetFreeParameters(self) -> NDArray[np.float64]:
        return np.array(self._solver().get_free_parameters())

    def FindIKSolution(self, *args: Any, **named: Any) -> Any:
        """Return the joint values nearest to the present ones, None without any.

        ``(param, filteroptions)`` or ``(param, freevalues, filteroptions)``; with
        ``ikreturn=True`` an `IkReturn` in any case.
        """
        asked, wants_answer = self._question(args, named)
        found = find_one(self._solver(), asked)
        if wants_answer:
            return answer_of(found)
        return np.array(found.solution) if found else None

    def FindIKSolutions(self, *args: Any, **named: Any) -> Any:
        """Return all joint values (k, n); with ``ikreturn=True`` `IkReturn` s."""
        asked, wants_answer = self._question(args, named)
        found = find_all(self._solver(), asked)
        if wants_answer:
            return [answer_of(one) for one in found]
        rows = np.array([one.solution for one in found], dtype=np.float64)
        return rows.reshape(len(found), len(self._native.arm_indices))

    def _question(
        self, args: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[Question, bool]:
        values = _arguments(args, named)
        param, free = values["param"], values.get("freevalues")
        is_goal = isinstance(param, (IkParameterization, NativeGoal))
        goal = native_goal(param) if is_goal else _pose_goal(param)
        asked = Question(
            goal,
            int(values["filteroptions"]),
            None if free is None else np.ravel(free),
            None,
            values.get("ikFailureAccumulator"),
        )
        return asked, bool(values.get("ikreturn", False))

    def GetIkParameterization(self, iktype: Any, inworld: bool = True) -> Any:
        """Return the goal of a type, or of the type of a goal, that the tool meets.

        A given goal says what it meets beside its type: the local point of a
        ``TranslationLocalGlobal6D``.
        """
        arm, given = self._native, None
        if isinstance(iktype, IkParameterization):
            given = native_goal(iktype)
            iktype = given.type
        kind = pyrave.IkParameterizationType.of(int(iktype))
        if kind.is_velocity:
            values = _tool_velocity(arm, kind)
            found = NativeGoal(kind, values)
        else:
            local = (0.0, 0.0, 0.0)
            if given is not None and "LocalGlobal" in kind.name:
                local = tuple(given.local_point)
            frame = arm.base.transform
            pose = invert_pose(frame) @ arm.transform
            # angles are those from axes of the base
            found = NativeGoal.from_pose(kind, pose, arm.direction, local)
            found = found.transformed(frame)
        if given is not None:
            for name, numbers in given.custom:
                found = found.with_custom(name, numbers)
        if not inworld:
            found = found.transformed(invert_pose(arm.base.transform))
        return IkParameterization(found)


def _arguments(args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """Return arguments by name; free values may stand before the options."""
    unknown = set(named) - set(_NAMES)
    if unknown:
        raise TypeError(f"unexpected argument {min(unknown)!r}")
    names = list(_NAMES)
    if len(args) < 2 or (args[1] is not None and np.ndim(args[1]) == 0):
        # the second is a number: the options
        names.remove("freevalues")
    if len(args) > len(names):
        raise TypeError(f"{len(args)} arguments, expected {', '.join(names)}")
    values = dict(zip(names, args, strict=False))
    if set(values) & set(named):
        twice = sorted(set(values) & set(named))
        raise TypeError(f"{twice[0]!r} is given twice")
    values |= named
    for name in ("param", "filteroptions"):
        if values.get(name) is None:
            raise openrave_exception(
                f"{name} is missing, expected (param, filteroptions) or (param, "
                "freevalues, filteroptions)",
                ErrorCode.InvalidArguments,
            )
    return values


def _pose_goal(given: Any) -> NativeGoal:
    matrix = matrix_of(given)
    return NativeGoal.transform_6d(matrix)


def _tool_velocity(
    arm: pyrave.Manipulator, kind: pyrave.IkParameterizationType
) -> tuple[float, ...]:
    """Return the rates of the numbers of a goal that the tool meets."""
    step = 1e-6
    twist, pose = arm.velocity, arm.transform
    goals = []
    for time in (-step, step):
        moved = pose.copy()
        turn = twist[3:] * time
        moved[:3, :3] = _turn(turn) @ pose[:3, :3]
        moved[:3, 3] += twist[:3] * time
        goals.append(
            NativeGoal.from_pose(kind.position_type, moved, arm.direction).array
        )
    return tuple(((goals[1] - goals[0]) / (2 * step)).tolist())


def _turn(vector: Any) -> Any:
    from pyrave.spatial import matrix_from_axis_angle

    angle = float(np.linalg.norm(vector))
    axis = vector / angle if angle else np.array((0.0, 0.0, 1.0))
    return matrix_from_axis_angle(axis, angle)
