"""`Environment`: a world of bodies, robots and sensors."""

from __future__ import annotations

from typing import Any

import pyrave
from pyrave_openravepy.api import enums
from pyrave_openravepy.api.foundation.logs import RaveLogError
from pyrave_openravepy.api.foundation.objects import ApiObject, register_kind, wrap

__all__ = ["Environment"]


class Environment(ApiObject):
    """A world of bodies, robots and sensors; it lives until `Destroy`."""

    SelectionOptions = enums.SelectionOptions

    def __init__(self, native: pyrave.Environment | None = None) -> None:
        super().__init__(pyrave.Environment() if native is None else native)
        self._native.user_data.setdefault("openravepy", self)

    def Load(self, filename: str, atts: Any = None) -> bool:
        try:
            self._native.load(str(filename), attributes=dict(atts or {}))
        except pyrave.Error as error:
            RaveLogError(str(error))
            return False
        return True

    def GetBodies(self) -> list[Any]:
        return [wrap(body) for body in self._native.bodies]

    def GetRobots(self) -> list[Any]:
        return [wrap(robot) for robot in self._native.robots]


register_kind("environment", Environment)
