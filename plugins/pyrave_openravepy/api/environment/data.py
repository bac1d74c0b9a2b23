"""Names, units, parameters and data of scripts that an environment carries."""

from __future__ import annotations

from typing import Any

from pyrave.errors import NotSupportedError
from pyrave_openravepy.api.environment.life import EnvironmentLife
from pyrave_openravepy.api.foundation.logs import (
    RaveGetDebugLevel,
    RaveSetDebugLevel,
)
from pyrave_openravepy.api.functions.files import RaveGetHomeDirectory
from pyrave_openravepy.api.functions.units import UnitInfo

__all__ = ["EnvironmentData"]


class EnvironmentData(EnvironmentLife):
    """The part of `Environment` with data that pyrave does not look at."""

    def GetName(self) -> str:
        return self._name

    def GetNameId(self) -> str:
        return f"{self._name}{self._id}"

    def GetDescription(self) -> str:
        return self._description

    def SetDescription(self, sceneDescription: str) -> None:
        self._description = str(sceneDescription)

    def GetKeywords(self) -> list[str]:
        return list(self._keywords)

    def SetKeywords(self, sceneKeywords: Any) -> None:
        self._keywords = [str(one) for one in sceneKeywords]

    def GetRevision(self) -> int:
        return self._revision

    def SetUserData(self, data: Any) -> None:
        self._user_data = data

    def GetUserData(self) -> Any:
        return self._user_data

    def SetUInt64Parameter(self, parameterName: str, value: int) -> None:
        number = int(value)
        if not 0 <= number < 2**64:
            raise ValueError(f"value is {value}, expected 0 to 2**64 - 1")
        self._parameters[str(parameterName)] = number

    def GetUInt64Parameter(self, parameterName: str, defaultValue: int = 0) -> int:
        return self._parameters.get(str(parameterName), int(defaultValue))

    def RemoveUInt64Parameter(self, parameterName: str) -> bool:
        return self._parameters.pop(str(parameterName), None) is not None

    def SetDebugLevel(self, level: int) -> None:
        RaveSetDebugLevel(level)

    def GetDebugLevel(self) -> int:
        return RaveGetDebugLevel()

    def GetHomeDirectory(self) -> str:
        return RaveGetHomeDirectory()

    # -- units -----------------------------------------------------------------------

    def GetUnit(self) -> tuple[str, float]:
        return "meter", 1.0

    def SetUnit(self, unitname: str, unitmult: float = 1.0) -> None:
        if str(unitname).lower() not in {"meter", "m"} or float(unitmult) != 1.0:
            raise NotSupportedError(
                f"units are {unitname!r} times {unitmult}, but pyrave's lengths are "
                "metres: scale files as they are loaded, by the attribute "
                "'scalegeometry'"
            )

    def GetUnitInfo(self) -> UnitInfo:
        return UnitInfo()

    def SetUnitInfo(self, unitInfo: UnitInfo) -> None:
        if unitInfo != UnitInfo():
            raise NotSupportedError(
                f"units are {unitInfo!r}, but pyrave's are {UnitInfo()!r}: convert the "
                "numbers"
            )
