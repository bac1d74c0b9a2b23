"""One pair of solids: whether they touch, how near they are, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.collision import ContactArrays
from pyrave.errors import PluginError
from pyrave_coal.containment import contained
from pyrave_coal.library import GJK_TOLERANCE, coal

if TYPE_CHECKING:
    from pyrave.spatial import Array
    from pyrave_coal.placed import Placed

_MAX_CONTACTS = 4096
_NO_DISTANCE = 1e300


class Comparer:
    """Compares pairs of solids; belongs to one thread."""

    def __init__(self) -> None:
        library = coal()
        self._library = library
        self._request = library.CollisionRequest()
        self._request.gjk_tolerance = GJK_TOLERANCE
        self._result = library.CollisionResult()
        self._distance_request = library.DistanceRequest()
        self._distance_request.gjk_tolerance = GJK_TOLERANCE
        self._distance_result = library.DistanceResult()
        self._patch_request = library.ContactPatchRequest()
        self._patch_result = library.ContactPatchResult()

    def touch(self, first: Placed, second: Placed, tolerance: float = 0.0) -> bool:
        """Return True if two solids are not further apart than a tolerance."""
        return self.crosses(first, second, tolerance) or contained(first, second)

    def crosses(self, first: Placed, second: Placed, tolerance: float = 0.0) -> bool:
        """Return True if `touch`, but for what is wholly inside of a mesh."""
        self._collide(first, second, tolerance, 0)
        return bool(self._result.isCollision())

    def distance(self, first: Placed, second: Placed) -> tuple[float, Array]:
        """Return the signed distance and the nearest points (2, 3).

        That of two solids of which one is no convex solid is not negative.

        Raises
        ------
        PluginError
            The library finds no depth of two convex solids that overlap.
        """
        self._distance_result.clear()
        value = self._library.distance(
            first.body, second.body, self._distance_request, self._distance_result
        )
        if abs(value) > _NO_DISTANCE:
            raise PluginError(
                f"the library coal finds no distance of {first.shape.geometry} and "
                f"{second.shape.geometry}, which overlap; solids thinner than 1e-5 m "
                "are too thin for it: use the collision checker 'Native'"
            )
        points = self._points(self._distance_result)
        if not (first.shape.convex and second.shape.convex):
            value = 0.0 if contained(first, second) else max(value, 0.0)
        return float(value), points

    def contacts(
        self, first: Placed, second: Placed, tolerance: float, *, several: bool
    ) -> ContactArrays:
        """Return the contacts of two solids that touch.

        Convex solids have their deepest contact, or the corners of the patch in which
        they touch. Meshes have contacts of their triangles, whose depth is that of the
        triangle alone. Of a solid wholly inside of a mesh it is the way out.
        """
        convex = first.shape.convex and second.shape.convex
        wanted = 1 if convex else _MAX_CONTACTS
        self._collide(first, second, tolerance, wanted)
        found = [
            (self._points(one).mean(axis=0), one.normal.copy(), -one.penetration_depth)
            for one in self._result.getContacts()
        ]
        if not found:
            return self._way_out(first, second)
        if convex and several:
            found = self._patch(first, second) or found
        elif not several:
            found = [max(found, key=lambda one: one[2])]
        positions, normals, depths = zip(*found, strict=True)
        return ContactArrays(
            np.array(positions), np.array(normals), np.maximum(np.array(depths), 0.0)
        )

    def _collide(
        self, first: Placed, second: Placed, tolerance: float, contacts: int
    ) -> None:
        request, result = self._request, self._result
        request.enable_contact = contacts > 0
        request.num_max_contacts = max(contacts, 1)
        request.security_margin = tolerance
        result.clear()
        self._library.collide(first.body, second.body, request, result)

    def _patch(self, first: Placed, second: Placed) -> list[tuple[Array, Array, float]]:
        patches = self._patch_result
        self._library.computeContactPatch(
            first.body, second.body, self._result, self._patch_request, patches
        )
        found = []
        for k in range(patches.numContactPatches()):
            patch = patches.getContactPatch(k)
            normal, depth = patch.getNormal().copy(), -patch.penetration_depth
            found += [
                (patch.getPoint(i).copy(), normal, depth) for i in range(patch.size())
            ]
        return found

    def _way_out(self, first: Placed, second: Placed) -> ContactArrays:
        _, points = self.distance(first, second)
        way = points[0] - points[1]
        length = float(np.linalg.norm(way))
        normal = way / length if length > 0 else np.array((0.0, 0.0, 1.0))
        return ContactArrays(
            points.mean(axis=0)[None], normal[None], np.array((length,))
        )

    @staticmethod
    def _points(result: Any) -> Array:
        return np.array((result.getNearestPoint1(), result.getNearestPoint2()))
