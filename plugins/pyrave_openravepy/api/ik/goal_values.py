"""The numbers of goals by what they mean, which scripts set and get for each type."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave.ik import IkParameterization as NativeGoal
from pyrave.ik import IkParameterizationType as NativeType
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = ["GoalValues"]

Array = NDArray[np.float64]
_RAYS = ("Ray4D", "TranslationDirection5D")
# the keys of JSON by part
_KEYS = {
    "quaternion": "rotate",
    "position": "translate",
    "direction": "direction",
    "angle": "angle",
    "local_point": "localTranslate",
}


class GoalValues(Guarded):
    """Ways to set a goal of each type, and to get its numbers."""

    _native: NativeGoal | None

    def _goal(self) -> NativeGoal:
        if self._native is None:
            raise openrave_exception(
                "the IkParameterization has no type yet, expected a call of "
                "SetTransform6D() or another one that gives it its numbers",
                ErrorCode.InvalidState,
            )
        return self._native

    def _set(self, kind: Any, given: Any) -> None:
        known = NativeType.of(kind if isinstance(kind, str) else int(kind))
        self._native = NativeGoal(known, tuple(_numbers(known, given)))

    def GetValues(self) -> Array:
        return self._goal().array

    def SetValues(self, values: Any, type: Any) -> None:
        known = NativeType.of(int(type))
        self._native = NativeGoal(known, tuple(np.ravel(values)))

    # -- by type -------------------------------------------------------------------

    def SetTransform6D(self, transform: Any) -> None:
        self._set("Transform6D", transform)

    def SetRotation3D(self, quat: Any) -> None:
        self._set("Rotation3D", quat)

    def SetTranslation3D(self, pos: Any) -> None:
        self._set("Translation3D", pos)

    def SetDirection3D(self, dir: Any) -> None:
        self._set("Direction3D", dir)

    def SetRay4D(self, ray: Any) -> None:
        self._set("Ray4D", ray)

    def SetLookat3D(self, pos: Any) -> None:
        self._set("Lookat3D", pos)

    def SetTranslationDirection5D(self, ray: Any) -> None:
        self._set("TranslationDirection5D", ray)

    def SetTranslationXY2D(self, pos: Any) -> None:
        self._set("TranslationXY2D", pos)

    def SetTranslationXYOrientation3D(self, posangle: Any) -> None:
        self._set("TranslationXYOrientation3D", posangle)

    def SetTranslationLocalGlobal6D(self, localpos: Any, pos: Any) -> None:
        self._set("TranslationLocalGlobal6D", (localpos, pos))

    def SetTranslationXAxisAngle4D(self, translation: Any, angle: float) -> None:
        self._set("TranslationXAxisAngle4D", (translation, angle))

    def SetTranslationYAxisAngle4D(self, translation: Any, angle: float) -> None:
        self._set("TranslationYAxisAngle4D", (translation, angle))

    def SetTranslationZAxisAngle4D(self, translation: Any, angle: float) -> None:
        self._set("TranslationZAxisAngle4D", (translation, angle))

    def SetTranslationXAxisAngleZNorm4D(self, translation: Any, angle: float) -> None:
        self._set("TranslationXAxisAngleZNorm4D", (translation, angle))

    def SetTranslationYAxisAngleXNorm4D(self, translation: Any, angle: float) -> None:
        self._set("TranslationYAxisAngleXNorm4D", (translation, angle))

    def SetTranslationZAxisAngleYNorm4D(self, translation: Any, angle: float) -> None:
        self._set("TranslationZAxisAngleYNorm4D", (translation, angle))

    def GetTransform6D(self) -> Array:
        return self._goal().pose

    def GetTransform6DPose(self) -> Array:
        goal = self._goal()
        return np.concatenate((goal.quaternion, goal.position))

    def GetRotation3D(self) -> Array:
        return self._goal().quaternion

    def GetTranslation3D(self) -> Array:
        return self._goal().position

    def GetDirection3D(self) -> Array:
        return self._goal().direction

    def GetRay4D(self) -> Any:
        from pyrave_openravepy.api.bodies.boxes import Ray

        goal = self._goal()
        return Ray(goal.position, goal.direction)

    def GetLookat3D(self) -> Array:
        return self._goal().position

    def GetTranslationDirection5D(self) -> Any:
        return self.GetRay4D()

    def GetTranslationXY2D(self) -> Array:
        return self._goal().position[:2]

    def GetTranslationXYOrientation3D(self) -> Array:
        goal = self._goal()
        return np.append(goal.position[:2], goal.angle)

    def GetTranslationLocalGlobal6D(self) -> tuple[Array, Array]:
        goal = self._goal()
        return goal.local_point, goal.position

    def GetTranslationXAxisAngle4D(self) -> tuple[Array, float]:
        goal = self._goal()
        return goal.position, goal.angle

    def GetTranslationYAxisAngle4D(self) -> tuple[Array, float]:
        return self.GetTranslationXAxisAngle4D()

    def GetTranslationZAxisAngle4D(self) -> tuple[Array, float]:
        return self.GetTranslationXAxisAngle4D()

    def GetTranslationXAxisAngleZNorm4D(self) -> tuple[Array, float]:
        return self.GetTranslationXAxisAngle4D()

    def GetTranslationYAxisAngleXNorm4D(self) -> tuple[Array, float]:
        return self.GetTranslationXAxisAngle4D()

    def GetTranslationZAxisAngleYNorm4D(self) -> tuple[Array, float]:
        return self.GetTranslationXAxisAngle4D()

    # -- JSON ----------------------------------------------------------------------

    def _json_values(self) -> dict[str, Any]:
        goal = self._goal()
        if goal.type.is_velocity:
            return {"values": list(goal.values)}
        found = {}
        for part in _parts_of(goal):
            number = getattr(goal, part)
            found[_KEYS[part]] = number if part == "angle" else number.tolist()
        return found

    def _set_json(self, kind: NativeType, data: dict[str, Any]) -> None:
        if "values" in data:
            self.SetValues(data["values"], kind)
            return
        # where each part of such a goal is, by one that has 0, 1, ... for numbers
        places = NativeGoal(kind.velocity_type, tuple(range(kind.n_values)))
        values = np.zeros(kind.n_values)
        for part in _parts_of(places):
            where = np.atleast_1d(np.asarray(getattr(places, part), dtype=int))
            values[where] = data[_KEYS[part]]
        self.SetValues(values, kind)


def _parts_of(goal: NativeGoal) -> list[str]:
    from pyrave import NotSupportedError

    found = []
    for part in _KEYS:
        try:
            getattr(goal, part)
        except NotSupportedError:
            continue
        found.append(part)
    return found


def _numbers(kind: NativeType, given: Any) -> list[float]:
    """Return the numbers of a goal in OpenRAVE's order: directions and angles first."""
    parts = given if isinstance(given, tuple) else (given,)
    if any(np.iscomplexobj(part) for part in parts):
        raise TypeError(f"a goal is {given!r:.80}, expected real numbers")
    name = kind.name
    if name == "Transform6D":
        return list(NativeGoal.transform_6d(matrix_of(given)).values)
    if name in _RAYS:
        place, along = _line(given)
        return [*along, *place]
    if name == "TranslationLocalGlobal6D":
        local, place = given
        return [*np.ravel(local)[:3], *np.ravel(place)[:3]]
    if "AxisAngle" in name and not kind.is_velocity:
        place, angle = given
        return [float(angle), *np.ravel(place)]
    return [float(number) for number in np.ravel(given)]


def _line(given: Any) -> tuple[Any, Any]:
    """Return position and direction of a ray, or of two vectors or six numbers."""
    if hasattr(given, "pos") and hasattr(given, "dir"):
        return given.pos(), given.dir()
    place, along = np.reshape(np.asarray(given, dtype=np.float64), (2, 3))
    return place, along
