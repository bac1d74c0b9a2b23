"""Links as scripts see them: light views of a body's model and state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.argument_names import methods_suggest
from pyrave.attributes import ClosedView, answers_other_names, setters
from pyrave.bodies.views.contact_area import ContactArea
from pyrave.bodies.views.geometry import Geometry
from pyrave.errors import ArgumentError, NotFoundError
from pyrave.scene import ContactDescription, GeometryDescription, LinkDynamics
from pyrave.scene.checks import validated
from pyrave.spatial import (
    Array,
    as_number,
    as_numbers,
    as_pose,
    as_vector,
    invert_pose,
)
from pyrave.world.body_state import BodyChange

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.scene import LinkDescription


@methods_suggest
@answers_other_names
class Link(ClosedView):
    """One link of a body."""

    _hot = "set_force set_torque"

    __slots__ = (
        *("__weakref__", "_body", "_contacts", "_groups", "_index", "_views"),
        "description",
    )

    _body: KinBody
    _index: int
    _views: tuple[Geometry, ...] | None
    _groups: dict[str, tuple[Geometry, ...]]
    _contacts: tuple[ContactArea, ...] | None
    description: LinkDescription
    """The description it was made from, with later edits; frozen."""

    def __init__(self, body: KinBody, index: int, description: LinkDescription) -> None:
        _set_body(self, body)
        _set_index(self, index)
        _set_views(self, None)
        _set_groups(self, {})
        _set_contacts(self, None)
        _set_description(self, description)

    @property
    def body(self) -> KinBody:
        """The body it belongs to."""
        return self._body

    @property
    def name(self) -> str:
        """Name, unique in the body."""
        return self.description.name

    @property
    def id(self) -> int:
        """Its number in the environment, never used again; -1 while in none."""
        ids = self._body.ids
        return -1 if ids is None else ids.first_link + self._index

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
        return np.asarray(self.body.dynamics.link_velocities[self._index])

    @velocity.setter
    def velocity(self, velocity: ArrayLike) -> None:
        wanted = as_vector(velocity, 6, f"velocity of {self!r}")
        engine = self.body.env.physics_engine
        engine.set_link_velocity(self, wanted[:3], wanted[3:])

    # -- mass ----------------------------------------------------------------------

    @property
    def mass(self) -> float:
        """Kilograms; assignable."""
        return self.description.inertial.mass

    @mass.setter
    def mass(self, mass: float) -> None:
        self._set_inertial(mass=as_number(mass, f"mass of {self!r}", 0.0))

    @property
    def local_com(self) -> Array:
        """(3,) centre of mass in the link frame, metres; assignable."""
        return np.array(self.description.inertial.com)

    @local_com.setter
    def local_com(self, com: ArrayLike) -> None:
        x, y, z = as_vector(com, 3, f"local_com of {self!r}").tolist()
        self._set_inertial(com=(x, y, z))

    @property
    def global_com(self) -> Array:
        """(3,) centre of mass in the world, metres."""
        pose = self.pose_view
        return np.asarray(pose[:3, :3] @ self.local_com + pose[:3, 3])

    @property
    def local_inertia(self) -> Array:
        """(3, 3) inertia about the centre of mass in link axes, kg m2; assignable."""
        return np.array(self.description.inertial.inertia).reshape(3, 3)

    @local_inertia.setter
    def local_inertia(self, inertia: ArrayLike) -> None:
        matrix = as_numbers(inertia, f"local_inertia of {self!r}")
        scale = np.abs(matrix).max(initial=0.0)
        if (
            matrix.shape != (3, 3)
            or not np.isfinite(matrix).all()
            or np.abs(matrix - matrix.T).max() > 1e-9 * scale
            or np.linalg.eigvalsh(matrix).min() < -1e-9 * scale
        ):
            raise ArgumentError(
                f"local_inertia of {self!r} is {matrix.tolist()}, expected a symmetric "
                "(3, 3) matrix without negative principal moments"
            )
        self._set_inertial(inertia=tuple(matrix.ravel().tolist()))

    @property
    def principal_frame(self) -> Array:
        """(4, 4) T_link_principal: at the centre of mass, along the principal axes."""
        frame = np.eye(4)
        frame[:3, :3] = self._principal()[1]
        frame[:3, 3] = self.local_com
        return frame

    @property
    def principal_moments(self) -> Array:
        """(3,) moments of inertia about the axes of `principal_frame`, kg m2."""
        return self._principal()[0]

    def _principal(self) -> tuple[Array, Array]:
        inertia = self.local_inertia
        if not np.any(inertia - np.diag(np.diag(inertia))):
            return np.diag(inertia).copy(), np.eye(3)
        moments, axes = np.linalg.eigh(inertia)
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
        return moments, axes

    def _set_inertial(self, **changes: Any) -> None:
        inertial = replace(self.description.inertial, **changes)
        self._edit(BodyChange.DYNAMICS, inertial=inertial)

    @property
    def global_inertia(self) -> Array:
        """(3, 3) inertia about the centre of mass in world axes, kg m2."""
        rotation = self.pose_view[:3, :3]
        return np.asarray(rotation @ self.local_inertia @ rotation.T)

    @property
    def static(self) -> bool:
        """True if physics never moves it; assignable."""
        return self.description.static

    @static.setter
    def static(self, static: bool) -> None:
        self._edit(BodyChange.DYNAMICS | BodyChange.ADJACENCY, static=bool(static))

    @property
    def kinematic(self) -> bool:
        """True if it follows joint values and poses in simulation; assignable."""
        return self.description.kinematic

    @kinematic.setter
    def kinematic(self, kinematic: bool) -> None:
        self._edit(BodyChange.DYNAMICS, kinematic=bool(kinematic))

    @property
    def dynamics(self) -> LinkDynamics:
        """Properties for physics engines beyond its mass; assignable."""
        return self.description.dynamics

    @dynamics.setter
    def dynamics(self, dynamics: LinkDynamics) -> None:
        self._edit(BodyChange.DYNAMICS, dynamics=validated(LinkDynamics, dynamics))

    @property
    def material(self) -> str:
        """Name of its material in `Environment.contact_properties`, may be empty."""
        return self.description.material or (
            self.body.env.contact_properties.default_material
        )

    @property
    def object_type(self) -> str:
        """Name of its type of objects there, for restitution, may be empty."""
        return self.description.object_type or (
            self.body.env.contact_properties.default_object_type
        )

    def set_force(
        self, force: ArrayLike, position: ArrayLike, *, add: bool = False
    ) -> None:
        """Push with a force (3,) N at a world point (3,) during the next step.

        Parameters
        ----------
        add
            Add to what was set before, instead of replacing it.

        Raises
        ------
        NotSupportedError
            The physics engine applies no forces.
        """
        wanted = as_vector(force, 3, "force")
        where = as_vector(position, 3, "position")
        self.body.env.physics_engine.set_body_force(self, wanted, where, add)

    def set_torque(self, torque: ArrayLike, *, add: bool = False) -> None:
        """Turn with a torque (3,) N m during the next step; raises as `set_force`.

        Parameters
        ----------
        add
            Add to what was set before, instead of replacing it.
        """
        wanted = as_vector(torque, 3, "torque")
        self.body.env.physics_engine.set_body_torque(self, wanted, add)

    # -- shape ---------------------------------------------------------------------

    @property
    def enabled(self) -> bool:
        """True if it takes part in collision and ray queries; assignable."""
        return self.body.is_link_enabled(self._index)

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        self.body.enable_link(self._index, enabled)

    @property
    def visible(self) -> bool:
        """True if any of its geometries is shown; assigning shows or hides all."""
        return any(g.visible for g in self.description.geometries)

    @visible.setter
    def visible(self, visible: bool) -> None:
        for geometry in self._all_geometries():
            geometry.visible = visible

    @property
    def geometries(self) -> tuple[Geometry, ...]:
        """Geometries of the active group (``self``)."""
        return self.group_geometries("self")

    @property
    def all_geometries(self) -> tuple[Geometry, ...]:
        """Geometries of all groups, in the order of the description."""
        return self._all_geometries()

    @property
    def geometry_groups(self) -> tuple[str, ...]:
        """Names of the groups that it has geometries in."""
        known = self.description.geometries
        return tuple(dict.fromkeys(geometry.group for geometry in known))

    def group_geometries(self, group: str) -> tuple[Geometry, ...]:
        """Return the geometries of a group, none if there is no such group."""
        found = self._groups.get(group)
        if found is None:
            views = self._all_geometries()
            found = tuple(one for one in views if one.description.group == group)
            self._groups[group] = found
        return found

    def set_geometries(
        self, geometries: Iterable[GeometryDescription], group: str = "self"
    ) -> None:
        """Replace the geometries of a group; ``self`` is what collides and is shown."""
        given = [validated(GeometryDescription, geometry) for geometry in geometries]
        kept = tuple(g for g in self.description.geometries if g.group != group)
        made = tuple(replace(g, group=group) for g in given)
        self._edit(BodyChange.GEOMETRY, geometries=kept + made)

    def add_geometry(self, geometry: GeometryDescription) -> Geometry:
        """Add a geometry to the group that it names and return its view."""
        known = self.description.geometries
        # a new object even if an equal one is there, so that its view is its own
        added = replace(validated(GeometryDescription, geometry))
        self._edit(BodyChange.GEOMETRY, geometries=(*known, added))
        return self._all_geometries()[-1]

    def remove_geometry(self, geometry: Geometry | str) -> None:
        """Remove a geometry, given itself or its name.

        Raises
        ------
        NotFoundError
            It is not one of the link's.
        """
        views = self._all_geometries()
        found = [g for g in views if g is geometry or g.name == geometry]
        if not found:
            wanted = geometry.name if isinstance(geometry, Geometry) else geometry
            raise NotFoundError("geometry", wanted, [g.name for g in views])
        kept = tuple(g.description for g in views if g is not found[0])
        self._edit(BodyChange.GEOMETRY, geometries=kept)

    def use_geometry_group(self, group: str) -> None:
        """Make copies of a group's geometries the ones that collide and are shown.

        Raises
        ------
        NotFoundError
            It has no geometries in such a group.
        """
        if group not in self.geometry_groups:
            raise NotFoundError("geometry group", group, self.geometry_groups)
        if group != "self":
            given = self.group_geometries(group)
            self.set_geometries([geometry.description for geometry in given])

    @property
    def contacts(self) -> tuple[ContactArea, ...]:
        """Areas in which it may touch its surroundings; see `pyrave_stability`."""
        if self._contacts is None:
            known = self.description.contacts
            self._contacts = tuple(ContactArea(self, one) for one in known)
        return self._contacts

    def set_contacts(self, contacts: Iterable[ContactDescription]) -> None:
        """Replace the areas where it may touch its surroundings.

        Parameters
        ----------
        contacts
            The areas.

        Raises
        ------
        ArgumentError
            Something else than descriptions of contacts is given, or without meaning.
        """
        made = tuple(validated(ContactDescription, contact) for contact in contacts)
        self._edit(BodyChange.CONTACTS, contacts=made)

    def _all_geometries(self) -> tuple[Geometry, ...]:
        if self._views is None:
            known = self.description.geometries
            self._views = tuple(Geometry(self, one) for one in known)
        return self._views

    def geometry_edited(self, change: BodyChange) -> None:
        """Take over the descriptions of the link's geometries; they call this."""
        views = self._all_geometries()
        self._edit(change, geometries=tuple(view.description for view in views))

    def redescribed(self, description: LinkDescription) -> None:
        """Take over a changed description; its body calls this.

        Views of geometries that are still there stay the same objects.
        """
        if description.contacts != self.description.contacts:
            self._contacts = None
        self.description = description
        """The description it was made from, with later edits; frozen."""
        self._groups = {}
        if self._views is not None:
            known = {id(view.description): view for view in self._views}
            self._views = tuple(
                known.get(id(one)) or Geometry(self, one)
                for one in description.geometries
            )

    def _edit(self, change: BodyChange, **changes: Any) -> None:
        body = self.body
        links = list(body.description.links)
        links[self._index] = replace(links[self._index], **changes)
        body.apply_edit(replace(body.description, links=tuple(links)), change)

    @property
    def parent_links(self) -> tuple[Link, ...]:
        """Links through which joints connect it to the base."""
        body = self.body
        return tuple(
            body.links[i] for i in body.model.parent_links(self._index).tolist()
        )

    @property
    def rigidly_attached(self) -> tuple[Link, ...]:
        """Links that never move against it, itself included."""
        body = self.body
        return tuple(
            body.links[i] for i in body.model.rigidly_attached(self._index).tolist()
        )

    @property
    def aabb(self) -> tuple[Array, Array] | None:
        """World bounding box: centre and half extents (3,), None without geometry."""
        return union_aabb([g.aabb_in(g.world_transform) for g in self.geometries])

    @property
    def local_aabb(self) -> tuple[Array, Array] | None:
        """Bounding box in the link frame, None without geometry."""
        return union_aabb([g.aabb_in(g.transform) for g in self.geometries])

    _unlisted = "geometry_edited pose_view redescribed"

    def __repr__(self) -> str:
        return f"<link {self.body.name}/{self.name}>"


def union_aabb(
    boxes: list[tuple[Array, Array] | None],
) -> tuple[Array, Array] | None:
    """Return the box around boxes (centre, half extents), None if there are none.

    Points count only if there is nothing else: files hang what is only shown on boxes
    and spheres of size zero, and OpenRAVE passes over these.
    """
    known = [box for box in boxes if box is not None]
    known = [box for box in known if box[1].any()] or known
    if not known:
        return None
    lower = np.array([center - half for center, half in known]).min(axis=0)
    upper = np.array([center + half for center, half in known]).max(axis=0)
    return 0.5 * (lower + upper), 0.5 * (upper - lower)


def aabb_of_links(
    links: Iterable[Link], frame: ArrayLike | None, group: str
) -> tuple[Array, Array] | None:
    """Return the box around geometries of links, in a frame (4, 4) or the world."""
    T_frame_world = np.eye(4) if frame is None else invert_pose(as_pose(frame))  # noqa: N806
    geometries = (one for link in links for one in link.group_geometries(group))
    return union_aabb(
        [
            geometry.aabb_in(
                geometry.world_transform
                if frame is None
                else T_frame_world @ geometry.world_transform
            )
            for geometry in geometries
        ]
    )


(
    _set_body,
    _set_index,
    _set_views,
    _set_groups,
    _set_contacts,
    _set_description,
) = setters(Link, "_body", "_index", "_views", "_groups", "_contacts", "description")
