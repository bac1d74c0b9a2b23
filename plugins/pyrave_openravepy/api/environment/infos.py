"""An environment as data: `EnvironmentBaseInfo`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave_openravepy.api.enums import UpdateFromInfoResult
from pyrave_openravepy.api.environment.life import EnvironmentLife
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.logs import RaveLogError
from pyrave_openravepy.api.foundation.objects import as_native, class_of, wrap

__all__ = ["EnvironmentBaseInfo", "EnvironmentInfos"]


class EnvironmentBaseInfo(Guarded):
    """The bodies of an environment, its gravity and its descriptions."""

    def __init__(self) -> None:
        self._vBodyInfos: list[Any] = []
        self._revision = 0
        self._name = ""
        self._description = ""
        self._keywords: list[str] = []
        self._gravity = np.array((0.0, 0.0, -9.8))

    def SerializeJSON(
        self,
        unitScale: float = 1.0,
        options: Any = None,
    ) -> dict[str, Any]:
        return {
            "name": self._name,
            "description": self._description,
            "keywords": list(self._keywords),
            "revision": self._revision,
            "gravity": np.asarray(self._gravity, float).tolist(),
            "bodies": [one.SerializeJSON(unitScale) for one in self._vBodyInfos],
        }

    def DeserializeJSON(
        self,
        obj: Any,
        unitScale: float = 1.0,
        options: Any = None,
    ) -> None:
        given = _mapping(obj)
        self._name = str(given.get("name", self._name))
        self._description = str(given.get("description", self._description))
        self._keywords = [str(one) for one in given.get("keywords", self._keywords)]
        self._revision = int(given.get("revision", self._revision))
        self._gravity = np.array(given.get("gravity", self._gravity), float)
        self._vBodyInfos = [
            _body_info(one, unitScale) for one in given.get("bodies", ())
        ]

    def __str__(self) -> str:
        return f"<EnvironmentBaseInfo: {self._name}, {len(self._vBodyInfos)} bodies>"

    def __unicode__(self) -> str:
        return str(self)


class EnvironmentInfos(EnvironmentLife):
    """The part of `Environment` that gives and takes all of it as data."""

    def ExtractInfo(self) -> EnvironmentBaseInfo:
        info = EnvironmentBaseInfo()
        info._name, info._description = self._name, self._description
        info._keywords, info._revision = list(self._keywords), self._revision
        info._gravity = np.array(self._native.gravity)
        info._vBodyInfos = [wrap(body).ExtractInfo() for body in self._native.bodies]
        return info

    def UpdateFromInfo(self, info: EnvironmentBaseInfo, updateMode: int = 0) -> int:
        self._name, self._description = info._name or self._name, info._description
        self._keywords, self._revision = list(info._keywords), info._revision
        self._native.gravity = np.asarray(info._gravity, float)
        wanted = {one._name for one in info._vBodyInfos}
        with self._native:
            if not int(updateMode):
                # all of it: bodies that the data do not name leave
                for body in tuple(self._native.bodies):
                    if body.name not in wanted:
                        self._native.remove(body)
            for one in info._vBodyInfos:
                known = self._native.bodies.get(one._name)
                if known is not None:
                    self._native.remove(known)
                self._native.add(as_native(self._made(one)))
        return int(UpdateFromInfoResult.Success)

    def LoadJSON(
        self,
        envInfo: Any,
        updateMode: int = 0,
        atts: Any = None,
        uri: str = "",
    ) -> Any:
        info = EnvironmentBaseInfo()
        info.DeserializeJSON(envInfo)
        self.UpdateFromInfo(info, updateMode)
        return True

    def ReadKinBodyJSON(
        self,
        envInfo: Any,
        atts: Any = None,
        uri: str = "",
    ) -> Any:
        return self._read(envInfo, robot=False)

    def ReadRobotJSON(
        self,
        envInfo: Any,
        atts: Any = None,
        uri: str = "",
    ) -> Any:
        return self._read(envInfo, robot=True)

    def _read(self, obj: Any, *, robot: bool) -> Any:
        # that of an environment, or of a body alone
        given = _mapping(obj)
        for one in given.get("bodies", (given,)):
            info = _body_info(one, 1.0)
            if info._isRobot or not robot:
                return self._made(info)
        RaveLogError("the data hold no robot" if robot else "the data hold no body")
        return None

    def _made(self, info: Any) -> Any:
        kind = "robot" if info._isRobot else "kinbody"
        body = wrap(self._native.create(kind, ""))
        if info._isRobot:
            body.InitFromRobotInfo(info)
        else:
            body.InitFromKinBodyInfo(info)
        return body


def _mapping(obj: Any) -> dict[str, Any]:
    found = json.loads(obj) if isinstance(obj, (str, bytes)) else obj
    if not isinstance(found, dict):
        raise ArgumentError(
            f"the data are a {type(found).__name__}, expected an object with 'bodies'"
        )
    return found


def _body_info(obj: Any, scale: float) -> Any:
    info = (
        class_of("robot").RobotBaseInfo()
        if obj.get("isRobot")
        else (class_of("kinbody").KinBodyInfo())
    )
    info.DeserializeJSON(obj, scale)
    return info
