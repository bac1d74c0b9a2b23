"""`CollisionChecker`: who answers collision queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import pyrave
from pyrave_openravepy.api.collision.queries import (
    check_collision,
    check_rays,
    check_self_collision,
)
from pyrave_openravepy.api.foundation.objects import as_native, register_kind
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.interface import Interface

__all__ = ["CollisionChecker"]

_GROUP = "openravepy geometry group"
_SEVERAL = pyrave.CollisionOptions.ALL_GEOMETRY_CONTACTS


class CollisionChecker(Interface):
    """Answers collision queries."""

    _several_unasked = False

    def InitEnvironment(self) -> bool:
        self._native.init_environment()
        return True

    def DestroyEnvironment(self) -> None:
        self._native.destroy_environment()

    def InitKinBody(self, body: Any) -> bool:
        self._native.init_kinbody(as_native(body))
        return True

    def RemoveKinBody(self, body: Any) -> None:
        self._native.remove_kinbody(as_native(body))

    def SetCollisionOptions(self, options: int) -> bool:
        # there, a pair that is asked for its contacts has several
        wanted = pyrave.CollisionOptions(int(options))
        contacts = pyrave.CollisionOptions.CONTACTS in wanted
        try:
            self._native.set_collision_options(
                wanted | _SEVERAL if contacts else wanted
            )
        except pyrave.NotSupportedError:
            return False
        self._several_unasked = contacts and _SEVERAL not in wanted
        return True

    def GetCollisionOptions(self) -> int:
        found = self._native.get_collision_options()
        unasked = pyrave.CollisionOptions.CONTACTS in found and self._several_unasked
        return int(found & ~_SEVERAL if unasked else found)

    def SetTolerance(self, tolerance: float) -> None:
        self._native.set_tolerance(float(tolerance))

    def SetGeometryGroup(self, groupname: str) -> None:
        self._native.set_geometry_group(str(groupname))

    def GetGeometryGroup(self) -> str:
        return str(self._native.get_geometry_group())

    def SetBodyGeometryGroup(self, body: Any, groupname: str) -> bool:
        native = as_native(body)
        if not all(groupname in link.geometry_groups for link in native.links):
            return False
        native.use_geometry_group(str(groupname))
        native.user_data[_GROUP] = str(groupname)
        return True

    def GetBodyGeometryGroup(self, body: Any) -> str:
        return str(as_native(body).user_data.get(_GROUP, ""))

    def CheckCollision(self, *args: Any, **named: Any) -> bool:
        return check_collision(self._native, args, named)

    def CheckSelfCollision(self, linkbody: Any, report: Any = None) -> bool:
        return check_self_collision(self._native, linkbody, report, alone=True)

    def CheckCollisionTriMesh(self, trimesh: Any, *args: Any) -> bool:
        from pyrave.geometry import Mesh

        # (trimesh, report), or (trimesh, body, report)
        body, report = args if len(args) == 2 else (None, *(args or (None,)))
        vertices = np.array(trimesh.vertices, dtype=np.float64)
        mesh = Mesh(vertices, np.array(trimesh.indices, dtype=np.int32).reshape(-1, 3))
        found = pyrave.CollisionReport() if report is None else report._native
        target = as_native(body)
        return bool(self._native.check_mesh(mesh, np.eye(4), target, found))

    def CheckCollisionOBB(self, aabb: Any, pose: Any, *args: Any) -> bool:
        # (aabb, pose, report), or (aabb, pose, bodiesincluded, report)
        bodies, report = args if len(args) == 2 else (None, *(args or (None,)))
        included = None if bodies is None else [as_native(one) for one in bodies]
        found = pyrave.CollisionReport() if report is None else report._native
        return bool(
            self._native.check_aabb(
                aabb.pos(), aabb.extents(), matrix_of(pose), included, found
            )
        )

    def CheckCollisionRays(
        self,
        rays: Any,
        body: Any,
        front_facing_only: bool = False,
        checkPreemptFn: Callable[..., Any] | None = None,
    ) -> tuple[Any, Any]:
        env = self._native.env
        return check_rays(env, rays, body, front_facing_only=bool(front_facing_only))


register_kind("collisionchecker", CollisionChecker)
