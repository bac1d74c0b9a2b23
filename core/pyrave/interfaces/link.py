"""Links as scripts see them: light views of a body's model and state."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import StateError
from pyrave.interfaces.geometry import Geometry
from pyrave.spatial import Array, invert_pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.interfaces.kinbody import KinBody
    from pyrave.scene import LinkDescription

__all__ = ["Link"]


class Link:
    """One link of a body."""

    __slots__ = ("__weakref__", "_body", "_geometries", "_index", "description")

    def __init__(self, body: KinBody, index: int, description: LinkDescription) -> None:
        self._body = weakref.ref(body)
        self._index = index
        self._geometries: tuple[Geometry, ...] | None = None
        self.description = description

    @property
    def body(self) -> KinBody:
        """The body it belongs to."""
        body = self._body()
        if body is None:
            raise StateError(f"the body of link {self.name!r} is gone")
        return body

    @property
    def name(self) -> str:
        """Name, unique in the body."""
        return self.description.name

    @property
    def index(self) -> int:
        """Position among the body's links; 0 is the base."""
        return self._index

    @property
    def transform(self) -> Array:
        """(4, 4) T_world_link, a copy. Assigning moves the whole body rigidly."""
        return self.pose_view.copy()

    @transform.setter
    def transform(self, transform: ArrayLike) -> None:
        from pyrave.spatial import as_pose

        body = self.body
        T_link_base = invert_pose(self.pose_view) @ body.transform  # noqa: N806
        body.transform = as_pose(transform, f"transform of {self!r}") @ T_link_base

    @property
    def pose_view(self) -> Array:
        """(4, 4) T_world_link without a copy; do not write to it."""
        view: Array = self.body.transforms_view[self._index]
        return view

    @property
    def velocity(self) -> Array:
        """(6,) velocity: linear of the origin m/s, angular rad/s, in world axes."""
        return np.asarray(self.body.link_velocities[self._index])

    @property
    def mass(self) -> float:
        """Kilograms."""
        return self.description.inertial.mass

    @property
    def local_com(self) -> Array:
        """(3,) centre of mass in the link frame, metres."""
        return np.array(self.description.inertial.com)

    @property
    def global_com(self) -> Array:
        """(3,) centre of mass in the world, metres."""
        pose = self.pose_view
        return np.asarray(pose[:3, :3] @ self.local_com + pose[:3, 3])

    @property
    def local_inertia(self) -> Array:
        """(3, 3) inertia about the centre of mass in link axes, kg m2."""
        return np.array(self.description.inertial.inertia).reshape(3, 3)

    @property
    def global_inertia(self) -> Array:
        """(3, 3) inertia about the centre of mass in world axes, kg m2."""
        rotation = self.pose_view[:3, :3]
        return np.asarray(rotation @ self.local_inertia @ rotation.T)

    @property
    def static(self) -> bool:
        """Whether physics never moves it."""
        return self.description.static

    @property
    def enabled(self) -> bool:
        """Whether it takes part in collision and ray queries; assignable."""
        return self.body.is_link_enabled(self._index)

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        self.body.enable_link(self._index, enabled)

    @property
    def visible(self) -> bool:
        """Whether any of its geometries is shown."""
        return any(g.visible for g in self.description.geometries)

    @property
    def geometries(self) -> tuple[Geometry, ...]:
        """Geometries of the active group (``self``)."""
        if self._geometries is None:
            self._geometries = tuple(
                Geometry(self, description)
                for description in self.description.geometries
                if description.group == "self"
            )
        return self._geometries

    @property
    def parent_links(self) -> tuple[Link, ...]:
        """Links through which joints connect it to the base."""
        body = self.body
        return tuple(body.links[i] for i in body.model.parent_links(self._index))

    @property
    def rigidly_attached(self) -> tuple[Link, ...]:
        """Links that never move against it, itself included."""
        body = self.body
        return tuple(body.links[i] for i in body.model.rigidly_attached(self._index))

    @property
    def aabb(self) -> tuple[Array, Array] | None:
        """World bounding box: centre and half extents (3,), None without geometry."""
        return union_aabb([g.aabb_in(g.world_transform) for g in self.geometries])

    @property
    def local_aabb(self) -> tuple[Array, Array] | None:
        """Bounding box in the link frame, None without geometry."""
        return union_aabb([g.aabb_in(g.transform) for g in self.geometries])

    def __repr__(self) -> str:
        body = self._body()
        return f"<link {body.name if body else '?'}/{self.name}>"


def union_aabb(
    boxes: list[tuple[Array, Array] | None],
) -> tuple[Array, Array] | None:
    """Return the box around boxes (centre, half extents), None if there are none."""
    known = [box for box in boxes if box is not None]
    if not known:
        return None
    lower = np.min([center - half for center, half in known], axis=0)
    upper = np.max([center + half for center, half in known], axis=0)
    return 0.5 * (lower + upper), 0.5 * (upper - lower)
