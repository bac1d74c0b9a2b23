"""Rays along which hands come to a body, by OpenRAVE's names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.databases._generator import DatabaseGenerator
from pyrave_openravepy.api.foundation.objects import as_native

__all__ = ["ApproachRays"]


class ApproachRays(DatabaseGenerator):
    """The part of `GraspingModel` that makes rays: (n, 6) in the target's frame."""

    target: Any

    def computePlaneApproachRays(
        self,
        center: Any,
        sidex: Any,
        sidey: Any,
        delta: float = 0.02,
        normalanglerange: float = 0,
        directiondelta: float = 0.4,
    ) -> NDArray[np.float64]:
        from pyrave.grasping import plane_rays

        body = as_native(self.target)
        tilts = _tilts(normalanglerange, directiondelta)
        return np.array(plane_rays(body, center, sidex, sidey, float(delta), **tilts))

    def computeBoxApproachRays(
        self,
        delta: float = 0.02,
        normalanglerange: float = 0,
        directiondelta: float = 0.4,
    ) -> NDArray[np.float64]:
        from pyrave.grasping import box_rays

        tilts = _tilts(normalanglerange, directiondelta)
        return np.array(box_rays(as_native(self.target), float(delta), **tilts))

    def computeSphereApproachRays(
        self,
        delta: float = 0.1,
        normalanglerange: float = 0,
        directiondelta: float = 0.4,
    ) -> NDArray[np.float64]:
        from pyrave.grasping import sphere_rays

        tilts = _tilts(normalanglerange, directiondelta)
        return np.array(sphere_rays(as_native(self.target), float(delta), **tilts))

    def ComputeCircleApproachRays(
        self,
        center: Any,
        normalaxis: Any,
        delta: float = 0.1,
        normalanglerange: float = 0,
        directiondelta: float = 0.4,
    ) -> NDArray[np.float64]:
        from pyrave.grasping import circle_rays

        body = as_native(self.target)
        tilts = _tilts(normalanglerange, directiondelta)
        return np.array(circle_rays(body, center, normalaxis, float(delta), **tilts))


def _tilts(normalanglerange: Any, directiondelta: Any) -> dict[str, float]:
    return {"tilt": float(normalanglerange), "tilt_step": float(directiondelta)}
