"""Boxes, colours and collisions of a body."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave_openravepy.api.bodies.boxes import AABB, OrientedBox, box_of
from pyrave_openravepy.api.bodies.infos.geometry_shapes import described_geometry
from pyrave_openravepy.api.collision.queries import check_self_collision
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import as_native, wrap
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = ["BodyShape"]


class BodyShape(Guarded):
    """Boxes around a body, enabled and visible links; a part of `KinBody`."""

    _native: Any

    # -- boxes ---------------------------------------------------------------------

    def ComputeAABB(self, enabledOnlyLinks: bool = False) -> AABB:
        return self._box(None, enabledOnlyLinks)

    def ComputeAABBFromTransform(
        self, transform: Any, enabledOnlyLinks: bool = False
    ) -> AABB:
        """Return the box around the body if it were at another pose."""
        return self._box_at(transform, enabledOnlyLinks, "self")

    def ComputeLocalAABB(self, enabledOnlyLinks: bool = False) -> AABB:
        return self._box_at(np.eye(4), enabledOnlyLinks, "self")

    def ComputeOBBOnAxes(
        self, transform: Any, enabledOnlyLinks: bool = False
    ) -> OrientedBox:
        """Return the box around the body along the axes of a frame of the world."""
        frame = matrix_of(transform)
        found = self._native.aabb_in(frame, enabled_only=bool(enabledOnlyLinks))
        if found is None:
            frame[:3, 3] = self._native.transform[:3, 3]
            return OrientedBox(frame)
        frame[:3, 3] += frame[:3, :3] @ found[0]
        return OrientedBox(frame, found[1])

    def ComputeAABBForGeometryGroup(
        self, geomgroupname: str, enabledOnlyLinks: bool = False
    ) -> AABB:
        return self._box(None, enabledOnlyLinks, _group(geomgroupname))

    def ComputeAABBForGeometryGroupFromTransform(
        self, geomgroupname: str, transform: Any, enabledOnlyLinks: bool = False
    ) -> AABB:
        return self._box_at(transform, enabledOnlyLinks, _group(geomgroupname))

    def ComputeLocalAABBForGeometryGroup(
        self, geomgroupname: str, enabledOnlyLinks: bool = False
    ) -> AABB:
        return self._box_at(np.eye(4), enabledOnlyLinks, _group(geomgroupname))

    def _box(self, frame: Any, enabled: bool, group: str = "self") -> AABB:
        native = self._native
        found = native.aabb_in(frame, enabled_only=bool(enabled), group=group)
        return box_of(found, native.transform[:3, 3] if frame is None else (0, 0, 0))

    def _box_at(self, transform: Any, enabled: bool, group: str) -> AABB:
        where = matrix_of(transform)
        # the frame that is to the body what the world is to a body at `where`
        frame = self._native.transform @ _inverse(where)
        found = self._box(frame, enabled, group)
        return found if found._extents.any() else AABB(where[:3, 3])

    # -- enabled and visible -------------------------------------------------------

    def Enable(self, enable: bool) -> None:
        self._native.enabled = bool(enable)

    def IsEnabled(self) -> bool:
        return bool(self._native.enabled)

    def GetLinkEnableStates(self) -> Any:
        """Return for each link 1 if it is enabled, else 0."""
        return np.array(self._native.links_enabled, dtype=np.uint8)

    def SetLinkEnableStates(self, enablestates: Any) -> None:
        native = self._native
        given = [bool(one) for one in enablestates]
        if len(given) != len(native.links):
            raise openrave_exception(
                f"{len(given)} states are given, {self!r} has {len(native.links)} "
                "links",
                ErrorCode.InvalidArguments,
            )
        for index, (new, old) in enumerate(
            zip(given, native.links_enabled.tolist(), strict=True)
        ):
            if new != old:
                native.enable_link(index, new)

    def GetLinkEnableStatesMasks(self) -> Any:
        """Return the enabled links as bits, 64 in each number."""
        states = self._native.links_enabled
        masks = np.zeros((len(states) + 63) // 64, dtype=np.uint64)
        for index in np.flatnonzero(states).tolist():
            masks[index // 64] |= np.uint64(1 << (index % 64))
        return masks

    def SetVisible(self, visible: bool) -> bool:
        """Show or hide all geometries; return True if that changed any."""
        native = self._native
        before = [one.visible for link in native.links for one in link.geometries]
        native.visible = bool(visible)
        return any(one != bool(visible) for one in before)

    def IsVisible(self) -> bool:
        return bool(self._native.visible)

    # -- groups of geometries ------------------------------------------------------

    def SetLinkGeometriesFromGroup(
        self, name: str, propagateGroupNameToSelfCollisionChecker: bool = True
    ) -> None:
        group = _group(name)
        if group != "self":
            self._native.use_geometry_group(group)

    def SetLinkGroupGeometries(self, name: str, linkgeometries: Any) -> None:
        """Set the geometries of a group, a list of infos for each link."""
        native = self._native
        given = [list(one) for one in linkgeometries]
        if len(given) != len(native.links):
            raise openrave_exception(
                f"geometries of {len(given)} links are given, {self!r} has "
                f"{len(native.links)}",
                ErrorCode.InvalidArguments,
            )
        group = _group(name)
        for link, listed in zip(native.links, given, strict=True):
            made = [described_geometry(one, group) for one in listed]
            link.set_geometries(made, group)

    # -- collisions ----------------------------------------------------------------

    def SetSelfCollisionChecker(self, collisionchecker: Any) -> None:
        """Let another checker than the environment's tell of self collisions."""
        self._native.self_collision_checker = as_native(collisionchecker)

    def GetSelfCollisionChecker(self) -> Any:
        """Return the checker of its own, or that of the environment."""
        native = self._native
        return wrap(native.self_collision_checker or native.env.collision_checker)

    def CheckSelfCollision(
        self, report: Any = None, collisionchecker: Any = None
    ) -> bool:
        native = self._native
        checker = as_native(collisionchecker)
        if checker is None:
            checker = native.env.collision_checker  # which asks the body's own
        return check_self_collision(checker, self, report)


def _group(name: Any) -> str:
    """Return the name of a group: without one, what collides and is shown."""
    return str(name) or "self"


def _inverse(matrix: Any) -> Any:
    from pyrave.spatial import invert_pose

    return invert_pose(matrix)
