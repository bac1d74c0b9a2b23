"""`IkReturn`: what a solver or a filter answers, and why candidates were refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave_openravepy.api.enums import ErrorCode, IkReturnAction
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded

__all__ = [
    "IkFailureAccumulatorBase",
    "IkFailureInfo",
    "IkReturn",
    "action_of",
    "answer_of",
    "native_action",
    "native_answer",
]

Array = NDArray[np.float64]
_USER_DATA = "openravepy user data"
_CUSTOM = int(IkReturnAction.RejectCustomFilter) & ~1
_NATIVE_CUSTOM = int(pyrave.IkAction.REJECT_CUSTOM_FILTER)
_QUIT_END = int(pyrave.IkAction.QUIT_END_EFFECTOR_COLLISION)


def action_of(native: int) -> IkReturnAction:
    """Return OpenRAVE's bits for pyrave's."""
    bits = int(native)
    if bits & _QUIT_END:
        return IkReturnAction.QuitEndEffectorCollision
    if bits & _NATIVE_CUSTOM:
        bits = bits & ~_NATIVE_CUSTOM | _CUSTOM
    return IkReturnAction(bits)


def native_action(action: Any) -> pyrave.IkAction:
    """Return pyrave's bits for OpenRAVE's; a bool is success or not."""
    if isinstance(action, bool):
        return pyrave.IkAction.SUCCESS if action else pyrave.IkAction.REJECT
    bits = int(action)
    if bits & _CUSTOM:
        bits = bits & ~_CUSTOM | _NATIVE_CUSTOM
    return pyrave.IkAction(bits)


class IkReturn(Guarded):
    """An answer: an action, and perhaps a solution and data.

    Parameters
    ----------
    action
        An `IkReturnAction`.
    """

    def __init__(self, action: Any = IkReturnAction.Success) -> None:
        self._action = IkReturnAction(int(action))
        self._solution: Array | None = None
        self._map: dict[str, Any] = {}
        self._user_data: Any = None
        self._failures: list[int] = []

    def GetAction(self) -> IkReturnAction:
        return self._action

    def GetSolution(self) -> Any:
        """Return the joint values of the arm (n,), None without any."""
        return None if self._solution is None else self._solution.copy()

    def GetUserData(self) -> Any:
        return self._user_data

    def GetMapData(self, key: str) -> Any:
        """Return the data of a key, None if there are none."""
        return self._map.get(str(key))

    def GetMapDataDict(self) -> dict[str, Any]:
        return dict(self._map)

    def GetIkFailureInfoIndices(self) -> list[int]:
        """Return the places of its infos in the accumulator of the call."""
        return list(self._failures)

    def SetUserData(self, data: Any) -> None:
        self._user_data = data

    def SetSolution(self, solution: Any) -> None:
        self._solution = np.array(solution, dtype=np.float64).ravel()

    def SetMapKeyValue(self, key: str, value: Any) -> None:
        self._map[str(key)] = np.array(value, dtype=np.float64).ravel()

    def __repr__(self) -> str:
        return f"<IkReturn {self._action}>"


class IkFailureInfo(Guarded):
    """A candidate that is no solution, and the reason."""

    def __init__(
        self,
        action: int = 0,
        configuration: Any = (),
        goal: Any = None,
        description: str = "",
        report: Any = None,
    ) -> None:
        self._action = action_of(action)
        self._configuration = np.array(configuration, dtype=np.float64)
        self._goal = goal
        self._description = str(description)
        self._report = report

    def GetAction(self) -> IkReturnAction:
        return self._action

    def GetConfiguration(self) -> Array:
        return self._configuration.copy()

    def GetIkParam(self) -> Any:
        return self._goal

    def GetCollisionReport(self) -> Any:
        return self._report

    def GetDescription(self) -> str:
        return self._description

    def GetMapData(self, key: str) -> Any:
        return None

    def GetMapDataDict(self) -> dict[str, Any]:
        return {}

    def SerializeJSON(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "action": int(self._action),
            "config": self._configuration.tolist(),
            "description": self._description,
        }
        if self._goal is not None:
            found["ikparam"] = self._goal.SerializeJSON()
        return found

    def __repr__(self) -> str:
        return f"<IkFailureInfo {self._action}: {self._description}>"


class IkFailureAccumulatorBase(Guarded):
    """Collects why candidates are no solutions, for calls that are given it."""

    def __init__(self) -> None:
        self._infos: list[IkFailureInfo] = []

    def __len__(self) -> int:
        return len(self._infos)

    def __getitem__(self, index: int) -> IkFailureInfo:
        return self._infos[index]


def answer_of(native: pyrave.IkReturn, failures: Any = ()) -> IkReturn:
    """Return an answer of pyrave's as one of the API."""
    made = IkReturn(action_of(native.action))
    if native.solution is not None:
        made.SetSolution(native.solution)
    values = dict(native.values)
    made._user_data = values.pop(_USER_DATA, None)
    made._map = values
    made._failures = list(failures)
    return made


def native_answer(given: Any) -> pyrave.IkReturn:
    """Return pyrave's form of what a filter of a script answers."""
    if given is None:
        return pyrave.IkReturn(pyrave.IkAction.REJECT)
    if not isinstance(given, IkReturn):
        try:
            return pyrave.IkReturn(native_action(given))
        except (TypeError, ValueError):
            raise openrave_exception(
                f"an IK filter answers {given!r}, expected an IkReturn or an "
                "IkReturnAction",
                ErrorCode.InvalidArguments,
            ) from None
    values = dict(given._map)
    if given._user_data is not None:
        values[_USER_DATA] = given._user_data
    solution = given._solution
    if solution is not None and not solution.size:
        solution = None
    return pyrave.IkReturn(native_action(given._action), solution, values)
