"""`IkParameterization`: a goal of inverse kinematics that scripts change in place."""

from __future__ import annotations

import json
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pyrave.ik import IkParameterization as NativeGoal
from pyrave.ik import IkParameterizationType as NativeType
from pyrave_openravepy.api.enums import ErrorCode, IkParameterizationType
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import guarded
from pyrave_openravepy.api.foundation.objects import ApiObject
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.ik.goal_values import GoalValues

__all__ = ["IkParameterization", "RaveGetIkTypeFromUniqueId", "native_goal"]

Array = NDArray[np.float64]
_NONE = IkParameterizationType(0)


class IkParameterization(GoalValues, ApiObject):
    """A goal: a pose, a position, a direction, ...

    Parameters
    ----------
    *given
        Nothing, a text, another goal, or what is to be reached and its type.
    """

    Type = IkParameterizationType

    def __init__(self, *given: Any, **named: Any) -> None:
        self._id = ""
        self._native: NativeGoal | None = None
        given = (*given, *named.values())
        if len(given) == 2:
            self._set(given[1], given[0])
        elif len(given) == 1 and isinstance(given[0], IkParameterization):
            self._native, self._id = given[0]._native, given[0]._id
        elif len(given) == 1 and isinstance(given[0], NativeGoal):
            self._native = given[0]
        elif len(given) == 1:
            self._native = NativeGoal.deserialize(str(given[0]))
        elif given:
            raise openrave_exception(
                f"IkParameterization is given {len(given)} arguments, expected a text, "
                "a goal, or what is to be reached and its type",
                ErrorCode.InvalidArguments,
            )

    def __copy__(self) -> Self:
        return type(self)(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return type(self)(self)

    def __reduce__(self) -> tuple[Any, ...]:
        text = () if self._native is None else (self._native.serialize(),)
        return type(self), text

    # -- what it is ----------------------------------------------------------------

    def GetType(self) -> Any:
        goal = self._native
        return _NONE if goal is None else IkParameterizationType(int(goal.type))

    def GetId(self) -> str:
        return self._id

    def GetName(self) -> str:
        return str(self.GetType().name).rstrip("_")

    def GetDOF(self, type: Any = None) -> int:
        return int(self.GetType() if type is None else type) >> 28 & 0xF

    def GetNumberOfValues(self, type: Any = None) -> int:
        return int(self.GetType() if type is None else type) >> 24 & 0xF

    @staticmethod
    def GetDOFFromType(type: Any) -> int:
        return int(type) >> 28 & 0xF

    @staticmethod
    def GetNumberOfValuesFromType(type: Any) -> int:
        return int(type) >> 24 & 0xF

    @staticmethod
    def GetConfigurationSpecificationFromType(
        type: Any, interpolation: str = "", robotname: str = "", manipname: str = ""
    ) -> Any:
        from pyrave.trajectories import (
            ConfigurationSpecification as NativeSpecification,
        )
        from pyrave_openravepy.api.motion.specification import (
            ConfigurationSpecification,
        )

        kind = NativeType.of(int(type))
        words = ["ikparam_values", str(int(kind.position_type))]
        if kind.is_velocity:
            words[0] = "ikparam_velocities"
        words += [one for one in (robotname, manipname) if one]
        made = NativeSpecification().add_group(
            " ".join(words), kind.n_values, interpolation
        )
        return ConfigurationSpecification._of(made)

    def GetConfigurationSpecification(
        self, interpolation: Any = "", robotname: str = "", manipname: str = ""
    ) -> Any:
        return self.GetConfigurationSpecificationFromType(
            self.GetType(), interpolation, robotname, manipname
        )

    # -- algebra -------------------------------------------------------------------

    def ComputeDistanceSqr(self, ikparam: Any) -> float:
        return native_goal(self).distance2(native_goal(ikparam))

    def Transform(self, transform: Any) -> Any:
        """Return the goal seen from another frame."""
        return self._like(native_goal(self).transformed(matrix_of(transform)))

    def MultiplyTransform(self, transform: Any) -> Any:
        self._native = native_goal(self).transformed(matrix_of(transform))
        return self

    def MultiplyTransformRight(self, transform: Any) -> Any:
        self._native = native_goal(self).moved(matrix_of(transform))
        return self

    def __mul__(self, transform: Any) -> Any:
        return self._like(native_goal(self).moved(matrix_of(transform)))

    def __rmul__(self, transform: Any) -> Any:
        return self._like(native_goal(self).transformed(matrix_of(transform)))

    # numpy must not multiply element by element in ``T * ikparam``
    __array_ufunc__ = None

    def _like(self, native: NativeGoal) -> IkParameterization:
        made = IkParameterization(native)
        made._id = self._id
        return made

    # -- named numbers ---------------------------------------------------------------

    def GetCustomDataMap(self) -> dict[str, Array]:
        goal = self._native
        known = {} if goal is None else goal.custom_values
        return {name: np.array(numbers) for name, numbers in known.items()}

    def GetCustomValues(self, name: str) -> Any:
        """Return a list of numbers, None if there is none of that name."""
        return self.GetCustomDataMap().get(str(name))

    def SetCustomValues(self, name: str, values: Any) -> None:
        self._native = native_goal(self).with_custom(str(name), np.ravel(values))

    def SetCustomValue(self, name: str, value: float) -> None:
        self.SetCustomValues(name, [float(value)])

    def ClearCustomValues(self, name: str = "") -> int:
        """Forget a list, or all, and return how many they were."""
        goal = native_goal(self)
        self._native = made = goal.without_custom(str(name) or None)
        return len(goal.custom) - len(made.custom)

    # -- texts -----------------------------------------------------------------------

    def SerializeJSON(self, unitScale: float = 1.0) -> dict[str, Any]:
        found: dict[str, Any] = {"id": self._id, "type": self.GetName()}
        if self._native is not None:
            found |= self._json_values()
            lists = self._native.custom
            if lists:
                found["customData"] = [
                    {"key": name, "values": list(numbers)} for name, numbers in lists
                ]
        return found

    def DeserializeJSON(self, obj: Any, unitScale: float = 1.0) -> bool:
        data = json.loads(obj) if isinstance(obj, str) else obj
        if not isinstance(data, dict) or "type" not in data:
            raise openrave_exception(
                f"JSON of an IkParameterization is {obj!r:.80}, expected a dict with a "
                "'type'",
                ErrorCode.InvalidArguments,
            )
        self._id = str(data.get("id", ""))
        self._set_json(NativeType.of(str(data["type"])), data)
        for one in data.get("customData", ()):
            self.SetCustomValues(one["key"], one["values"])
        return True

    def __str__(self) -> str:
        return "0" if self._native is None else self._native.serialize()

    def __unicode__(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"IkParameterization('{self}')"


def native_goal(given: Any) -> NativeGoal:
    """Return pyrave's goal of one of the API's that has a type."""
    goal = given._native if isinstance(given, IkParameterization) else given
    if not isinstance(goal, NativeGoal):
        what = "one without a type" if goal is None else repr(given)
        raise openrave_exception(
            f"the goal is {what}, expected an IkParameterization with a type; "
            "SetTransform6D() gives it one",
            ErrorCode.InvalidArguments,
        )
    return goal


# members that are masks, not types
_MASKS = ("VelocityDataBit", "UniqueIdMask", "CustomDataBit")


@guarded
def RaveGetIkTypeFromUniqueId(uniqueid: int) -> IkParameterizationType:
    """Return the type of which an id has the last 16 bits."""
    mask = IkParameterizationType["UniqueIdMask"]
    for member in IkParameterizationType:
        if (
            member
            and member & mask == int(uniqueid) & mask
            and member.name not in _MASKS
        ):
            return member
    raise ValueError(
        f"no type of goals has the id {uniqueid}; IkParameterizationType lists them"
    )
