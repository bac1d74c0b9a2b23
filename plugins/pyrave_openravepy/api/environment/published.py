"""The published state of bodies, which is read without a lock."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave_openravepy.api.foundation.objects import ApiObject

__all__ = ["EnvironmentPublished"]


class EnvironmentPublished(ApiObject):
    """The part of `Environment` that publishes states of bodies."""

    def UpdatePublishedBodies(self) -> None:
        self._native.publish()

    def GetPublishedBody(self, name: str, timeout: int = 0) -> Any:
        found = self._published(name)
        return None if found is None else self._state(found)

    def GetPublishedBodies(self, timeout: int = 0) -> list[Any]:
        return [self._state(one) for one in self._native.published.bodies]

    def GetPublishedBodyJointValues(
        self,
        name: str,
        timeout: int = 0,
    ) -> Any:
        found = self._published(name)
        return None if found is None else np.array(found.dof_values)

    def GetPublishedBodyTransformsMatchingPrefix(
        self,
        prefix: str,
        timeout: int = 0,
    ) -> list[Any]:
        return [
            (one.name, np.array(one.link_transforms[0]))
            for one in self._native.published.bodies
            if one.name.startswith(prefix) and len(one.link_transforms)
        ]

    def _published(self, name: str) -> Any:
        rows = self._native.published.bodies
        return next((one for one in rows if one.name == name), None)

    def _state(self, found: Any) -> dict[str, Any]:
        from pyrave.spatial import wxyz_xyz_from_pose

        poses = [wxyz_xyz_from_pose(one) for one in found.link_transforms]
        body = self._native.bodies.get(found.name)
        return {
            "name": found.name,
            "uri": "" if body is None else body.uri,
            "linktransforms": np.array(poses).reshape(-1, 7),
            "jointvalues": np.array(found.dof_values),
            "environmentid": found.id,
            "updatestamp": round(self._native.published.simulation_time * 1e6),
        }
