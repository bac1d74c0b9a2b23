"""`KinBody`: links that joints connect."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api import enums
from pyrave_openravepy.api.bodies.link import Link
from pyrave_openravepy.api.foundation.objects import register_kind, wrap_part
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.interface import Interface

__all__ = ["KinBody"]


class KinBody(Interface):
    """A body; robots are bodies as well."""

    Link = Link
    SaveParameters = enums.SaveParameters
    CheckLimitsAction = enums.CheckLimitsAction
    AdjacentOptions = enums.AdjacentOptions
    JointType = enums.JointType
    JointControlMode = enums.JointControlMode
    ExtractInfoOptions = enums.ExtractInfoOptions
    GrabbedInfoCheckResult = enums.GrabbedInfoCheckResult

    def GetName(self) -> str:
        return str(self._native.name)

    def GetLinks(self, indices: Any = None) -> list[Any]:
        links = list(self._native.links)
        chosen = links if indices is None else [links[int(index)] for index in indices]
        return [wrap_part(Link, link, self._native) for link in chosen]

    def GetDOF(self) -> int:
        return int(self._native.dof)

    def GetDOFValues(self, indices: Any = None) -> NDArray[np.float64]:
        values = np.array(self._native.dof_values)
        return values if indices is None else values[np.asarray(indices, int)]

    def GetTransform(self) -> NDArray[np.float64]:
        return np.array(self._native.transform)

    def SetTransform(self, transform: Any) -> None:
        self._native.transform = matrix_of(transform)


register_kind("kinbody", KinBody)
