"""``<link>``: mass, what is shown, what collides, where it may touch the ground."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, Any

from pyrave.errors import ArgumentError
from pyrave.scene import (
    IDENTITY,
    ContactDescription,
    GeometryDescription,
    Inertial,
    LinkDescription,
    NoShape,
    RenderMesh,
    TriMesh,
)
from pyrave_urdf.reading.capsules import with_capsules
from pyrave_urdf.reading.elements.inertia import check_inertia, turned
from pyrave_urdf.reading.elements.shapes import tessellated
from pyrave_urdf.vocabulary import tags_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyrave.scene import Pose, Readable, Shape
    from pyrave_urdf.reading.elements.gazebo import Said
    from pyrave_urdf.reading.elements.materials import Materials
    from pyrave_urdf.reading.elements.shapes import Shapes
    from pyrave_urdf.reading.elements.surfaces import LinkSurfaces
    from pyrave_urdf.reading.load import UrdfReading

_TAGS = tags_of("link")
_PART_TAGS = tags_of("visual")
_CONTACT_TAGS = frozenset({"origin", "geometry", "limit"})
_ATTRIBUTES = frozenset({"name", "type"})
_PART_ATTRIBUTES = frozenset({"name", "group", "concave"})
_NAME = frozenset({"name"})
_VALUE = frozenset({"value"})
_FORCE = frozenset({"normal_force"})
_MASSLESS = Inertial(0.0, (0.0, 0.0, 0.0), (0.0,) * 9)
_NO_INERTIA = (0.0,) * 9
_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_MOMENT_NAMES = frozenset(_MOMENTS)


class _Solid:
    """Collision shapes of one link, until equal visuals take them."""

    def __init__(self, geometries: Iterable[GeometryDescription]) -> None:
        self._geometries = dict(enumerate(geometries))
        # places by what is asked for; those that were taken stay until they are met
        self._places: dict[tuple[Shape, Pose], dict[str | None, deque[int]]] = {}
        for place, one in self._geometries.items():
            by_name = self._places.setdefault((one.shape, one.pose), {})
            for name in (one.name, None):
                by_name.setdefault(name, deque()).append(place)

    def take(self, shape: Shape, pose: Pose, name: str) -> GeometryDescription | None:
        """Remove the first of a shape and pose whose name fits; None: there is none."""
        by_name = self._places.get((shape, pose)) if self._geometries else None
        if by_name is None:
            return None
        first = []
        for fitting in ("", name) if name else (None,):
            places = by_name.get(fitting)
            while places and places[0] not in self._geometries:
                places.popleft()
            if places:
                first.append(places[0])
        return self._geometries.pop(min(first)) if first else None

    def rest(self) -> Iterable[GeometryDescription]:
        """Return those that nothing took."""
        return self._geometries.values()


class Links:
    """Reads the links of one document."""

    def __init__(
        self,
        reading: UrdfReading,
        shapes: Shapes,
        materials: Materials,
        said: Said,
        surfaces: LinkSurfaces,
    ) -> None:
        self._reading = reading
        self._said = said
        self._surfaces = surfaces
        self._shapes = shapes
        self._materials = materials

    def read(
        self,
        element: Any,
        name: str,
        pose: Pose,
        kept: Iterable[tuple[str, Readable]] = (),
    ) -> LinkDescription:
        """Return a link.

        Parameters
        ----------
        pose
            T_root_link.
        kept
            Data that stands elsewhere in the file.
        """
        reading = self._reading
        reading.attributes(element, _ATTRIBUTES)
        parts, others = reading.children(element, _TAGS)
        readables = [reading.kept(other, ("link", "kinbody")) for other in others]
        contacts: list[ContactDescription] = []
        for contact in parts.get("contact", ()):
            # Bullet's element of the same name holds friction, no geometry
            zone = contact.find("geometry") is not None
            area = self._contact(contact) if zone else None
            if area is None:
                if not zone:
                    reading.parts(contact, "contact")
                readables.append(reading.kept(contact, ()))
            else:
                contacts.append(area)
        readables += kept
        return LinkDescription(
            name,
            pose,
            geometries=(
                ()
                if reading.context.skip_geometry
                else with_capsules(tuple(self._geometries(parts)))
            ),
            inertial=reading.spared(
                self._inertial,
                reading.last(parts.get("inertial")),
                name,
                cost="the link has no mass",
            )
            or _MASSLESS,
            readables=tuple(readables),
            location=reading.location(element),
            contacts=tuple(contacts),
            kinematic=self._said.kinematic.get(name, False),
            material=self._surfaces.materials.get(name, ""),
            object_type=self._surfaces.object_types.get(name, ""),
            dynamics=self._said.dynamics(name),
        )

    # -- mass ------------------------------------------------------------------------

    def _inertial(self, element: Any, link: str) -> Inertial:
        reading = self._reading
        if element is None:
            return _MASSLESS
        parts = reading.parts(element, "inertial")
        pose = reading.origin(parts.get("origin"))
        mass_element = reading.last(parts.get("mass"))
        if mass_element is None:
            reading.error(
                element,
                "missing-tag",
                "<inertial> has no <mass>",
                'write <mass value="..."/> in kilograms',
            )
            return _MASSLESS
        reading.attributes(mass_element, _VALUE)
        before = reading.reports
        mass = reading.number(mass_element, "value", None)
        if mass < 0.0:
            reading.error(
                mass_element, "bad-mass", f"the mass is {mass}, expected 0 or more"
            )
        if reading.reports != before:
            return _MASSLESS
        moments = reading.last(parts.get("inertia"))
        if moments is None:
            return Inertial(mass, pose.translation, _NO_INERTIA)
        reading.attributes(moments, _MOMENT_NAMES)
        before = reading.reports
        xx, xy, xz, yy, yz, zz = (
            reading.number(moments, one, None if one[1] == one[2] else 0.0)
            for one in _MOMENTS
        )
        if reading.reports != before:
            return _MASSLESS
        wrong = check_inertia(xx, xy, xz, yy, yz, zz)
        if wrong is not None:
            reading.warn(
                moments,
                "bad-inertia",
                f"the inertia of the link {link!r} {wrong}",
                "no body has it: check units (kg m2), signs, and that it is about the "
                "centre of mass",
            )
        elif mass == 0.0 and max(xx, yy, zz) > 0.0:
            reading.warn(
                moments,
                "bad-inertia",
                f"the link {link!r} has an inertia, and no mass",
                "write both, or neither",
            )
        return Inertial(
            mass,
            pose.translation,
            turned((xx, xy, xz, xy, yy, yz, xz, yz, zz), pose.rotation),
        )

    # -- geometries ------------------------------------------------------------------

    def _geometries(
        self, parts: Mapping[str, list[Any]]
    ) -> Iterator[GeometryDescription]:
        """Yield geometries: visuals first, then what collides only.

        A visual and a collision that are the same in the same place are one geometry.
        """
        solid = _Solid(
            found
            for element in parts.get("collision", ())
            if (found := self._collision(element)) is not None
        )
        for element in parts.get("visual", ()):
            found = self._visual(element, solid)
            if found is not None:
                yield found
        yield from solid.rest()

    def _collision(self, element: Any) -> GeometryDescription | None:
        shape, readables, parts = self._part(element)
        for material in parts.get("material", ()):
            self._reading.note_idle("collision", material)
        pose = self._pose(parts)
        if pose is None or (shape is None and not readables):
            return None
        return GeometryDescription(
            NoShape() if shape is None else shape,
            name=element.get("name") or "",
            pose=pose,
            visible=False,
            readables=tuple(readables),
            location=self._reading.location(element),
        )

    def _visual(self, element: Any, solid: _Solid) -> GeometryDescription | None:
        shape, readables, parts = self._part(element)
        pose = self._pose(parts)
        if pose is None or (shape is None and not readables):
            return None
        name = element.get("name") or ""
        look = self._materials.look_of(parts)
        render = None
        same = None if shape is None else solid.take(shape, pose, name)
        if same is not None:
            readables += same.readables
            name = name or same.name
        elif isinstance(shape, TriMesh):
            render, shape = RenderMesh(shape.mesh), None
        elif shape is not None:
            readables.append(self._reading.kept(parts["geometry"][-1], ()))
            render, shape = self._reading.spared(self._shown, shape, element), None
        return GeometryDescription(
            NoShape() if shape is None else shape,
            name=name,
            pose=pose,
            material=look.material,
            render=render,
            readables=(*look.readables, *readables),
            location=self._reading.location(element),
        )

    def _pose(self, parts: Mapping[str, list[Any]]) -> Pose | None:
        """Return the pose of a shape; None if that is wrong, which costs the shape."""
        found = parts.get("origin")
        return (
            IDENTITY
            if found is None
            else self._reading.spared(self._reading.origin, found)
        )

    def _shown(self, shape: Shape, element: Any) -> RenderMesh | None:
        """Return the triangles of a shape, None if it is too large to be shown."""
        try:
            return RenderMesh(tessellated(shape))
        except ArgumentError as error:
            self._reading.error(element, "bad-size", str(error))
            return None

    def _part(
        self, element: Any
    ) -> tuple[Shape | None, list[tuple[str, Readable]], dict[str, list[Any]]]:
        """Return the shape of a visual or collision, what is kept as data, children."""
        reading = self._reading
        reading.attributes(element, _PART_ATTRIBUTES)
        parts, others = reading.children(element, _PART_TAGS)
        kept = [reading.kept(other, ("geometry",)) for other in others]
        shape = self._shapes.read(element, parts.get("geometry"))
        if shape is None:
            kept += [reading.kept(one, ()) for one in parts.get("geometry", ())]
        return shape, kept, parts

    # -- contacts --------------------------------------------------------------------

    def _contact(self, element: Any) -> ContactDescription | None:
        """Return a contact area, None if it has no shape that areas can have."""
        reading = self._reading
        reading.attributes(element, _NAME)
        parts, _ = reading.children(element, _CONTACT_TAGS)
        shape = self._shapes.read_contact(element, parts.get("geometry"))
        pose = self._pose(parts)
        if shape is None or pose is None:
            return None
        limit = reading.last(parts.get("limit"))
        force = math.inf
        if limit is not None:
            reading.attributes(limit, _FORCE)
            force = reading.number(limit, "normal_force", math.inf, infinite=True)
        if force < 0.0:
            reading.error(
                limit,
                "bad-size",
                f"normal_force is {force}, expected 0 or more (newton)",
            )
            force = math.inf
        return ContactDescription(
            shape,
            name=element.get("name") or "",
            pose=pose,
            max_normal_force=force,
            location=reading.location(element),
        )
