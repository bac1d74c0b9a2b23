"""The ray scene of an environment, kept up to date lazily."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.geometry import RayInstance, RayScene, ray_instances
from pyrave.interfaces.kinbody import KinBody, Link
from pyrave.scene import TriMesh

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.environment.environment import Environment
    from pyrave.geometry import RayHits
    from pyrave.interfaces.kinbody import Geometry

__all__ = ["RayWorld"]


class RayWorld:
    """Instances of all enabled geometries; rebuilt or moved when bodies changed.

    Instance i belongs to `geometries[i]`; ``ids`` of the ray scene are the indices
    of bodies in ``env.bodies``.
    """

    def __init__(self) -> None:
        self.scene = RayScene([])
        self.geometries: list[Geometry] = []
        # weak: what is removed must not live on until the next ray
        self._bodies: tuple[weakref.ref[KinBody], ...] = ()
        self._shape_stamps: list[int] = []
        self._pose_stamps: list[int] = []
        self._spans: list[tuple[int, int]] = []

    def update(self, env: Environment) -> None:
        """Bring the ray scene up to the present state of the bodies."""
        bodies = tuple(env.bodies)
        if (
            len(bodies) != len(self._bodies)
            or any(a is not b() for a, b in zip(bodies, self._bodies, strict=True))
            or any(
                body.shape_stamp != stamp
                for body, stamp in zip(bodies, self._shape_stamps, strict=True)
            )
        ):
            self._rebuild(bodies)
            return
        moved: list[int] = []
        poses: list[NDArray[np.float64]] = []
        for i, body in enumerate(bodies):
            if body.pose_stamp == self._pose_stamps[i]:
                continue
            self._pose_stamps[i] = body.pose_stamp
            first, last = self._spans[i]
            for k in range(first, last):
                moved.append(k)
                poses.append(self.geometries[k].world_transform)
        if moved:
            self.scene.set_poses(np.asarray(moved), np.asarray(poses))

    def cast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_range: float,
        min_range: float,
        exclude: Sequence[KinBody | Link],
    ) -> RayHits:
        """Cast rays at what `update` saw."""
        mask = None
        if exclude:
            mask = np.zeros(len(self.geometries), dtype=np.bool_)
            for item in exclude:
                if not isinstance(item, (KinBody, Link)):
                    raise ArgumentError(
                        f"exclude holds {item!r}, expected bodies and links"
                    )
                mask |= [g.link is item or g.link.body is item for g in self.geometries]
        try:
            one = np.shape(directions) == (3,)
        except ValueError:
            one = False  # the ray scene says what is wrong
        if one:
            directions = np.reshape(directions, (1, 3))
        return self.scene.cast(
            origins, directions, max_range, min_range=min_range, exclude=mask
        )

    def _rebuild(self, bodies: tuple[KinBody, ...]) -> None:
        instances: list[RayInstance] = []
        self.geometries = []
        self._spans = []
        for i, body in enumerate(bodies):
            first = len(instances)
            for link in body.links:
                if not self._takes(link):
                    continue
                for geometry in link.geometries:
                    solids = self._solids(geometry, i)
                    instances += solids
                    self.geometries += [geometry] * len(solids)
            self._spans.append((first, len(instances)))
        self.scene = RayScene(instances)
        self._bodies = tuple(map(weakref.ref, bodies))
        self._shape_stamps = [body.shape_stamp for body in bodies]
        self._pose_stamps = [body.pose_stamp for body in bodies]

    def _takes(self, link: Link) -> bool:
        return link.enabled

    def _solids(self, geometry: Geometry, body_index: int) -> list[RayInstance]:
        if geometry.unusable:
            return []
        return solids_of_shape(geometry, body_index)


def solids_of_shape(geometry: Geometry, body_index: int) -> list[RayInstance]:
    """Return the instances of a geometry's collision shape."""
    shape = geometry.description.shape
    mesh = geometry.mesh if isinstance(shape, TriMesh) else None
    return ray_instances(shape, geometry.world_transform, body_index, mesh)
