"""Contact areas of links as scripts see them: light views of descriptions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.bodies.views.shape import ShapeView
from pyrave.scene import Cylinder, Sphere
from pyrave.spatial import Array, as_direction

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.scene import ContactDescription

_SAME_NORMAL = 1e-6
_AXES = np.concatenate((np.eye(3), -np.eye(3)))


class ContactArea(ShapeView):
    """A part of a link's surface that may bear load, for example a sole.

    Shape and pose are as those of geometries. The plugin
    `pyrave_stability` finds which areas touch a ground, and the forces they can bear.
    """

    __slots__ = ()

    description: ContactDescription
    """The description it was made from, with later edits; frozen."""

    @property
    def max_normal_force(self) -> float:
        """Largest force along the normal, newtons; infinite if the scene gives none."""
        return self.description.max_normal_force

    @property
    def normals(self) -> Array:
        """(m, 3) outward normals of its flat faces, in the frame of the link.

        The caps of a cylinder are flat, its side is not; a sphere has no flat face.
        """
        shape = self.description.shape
        if isinstance(shape, Sphere):
            local = np.zeros((0, 3))
        elif isinstance(shape, Cylinder):
            local = _AXES[[2, 5]]
        elif self.type == "box":
            local = _AXES
        else:
            local = _distinct(self.mesh.face_normals)
        return np.asarray(local @ self._local[:3, :3].T)

    def allows(self, normal: ArrayLike, angle: float = math.radians(1.0)) -> bool:
        """Return True if a direction is an outward normal somewhere on the surface.

        Parameters
        ----------
        normal
            (3,) in the frame of the link, any length: where the area looks when it
            touches, against the normal of the ground.
        angle
            By how much the two may differ, radians.
        """
        wanted = as_direction(normal, "normal")
        shape = self.description.shape
        if isinstance(shape, Sphere):
            return True
        if (
            isinstance(shape, Cylinder)
            and abs(self._local[:3, 2] @ wanted) <= math.sin(angle)
        ):  # fmt: skip
            return True
        normals = self.normals
        return bool(len(normals)) and float((normals @ wanted).max()) >= math.cos(angle)

    def __repr__(self) -> str:
        return f"<{self.type} contact {self.name!r} of {self.link!r}>"


def _distinct(normals: Array) -> Array:
    """Return different directions, in the order of their first appearance."""
    rows = normals[np.linalg.norm(normals, axis=1) > 0.5]
    rounded = np.round(rows / _SAME_NORMAL).astype(np.int64)
    _, first = np.unique(rounded, axis=0, return_index=True)
    return np.asarray(rows[np.sort(first)])
