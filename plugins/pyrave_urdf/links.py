"""``<link>``: mass, what is shown, what collides, where it may touch the ground."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pyrave.scene import (
    ContactDescription,
    GeometryDescription,
    Inertial,
    LinkDescription,
    NoShape,
    RenderMesh,
    TriMesh,
)
from pyrave_urdf.inertia import check_inertia, turned
from pyrave_urdf.shapes import tessellated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.scene import Readable, Shape
    from pyrave_urdf.materials import Materials
    from pyrave_urdf.reading import Reading
    from pyrave_urdf.shapes import Shapes

__all__ = ["Links"]

_TAGS = frozenset({"inertial", "visual", "collision", "contact"})
_PART_TAGS = frozenset({"origin", "geometry", "material"})
_MASSLESS = Inertial(0.0, (0.0, 0.0, 0.0), (0.0,) * 9)
_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


class Links:
    """Reads the links of one document."""

    def __init__(self, reading: Reading, shapes: Shapes, materials: Materials) -> None:
        self._reading = reading
        self._shapes = shapes
        self._materials = materials

    def read(self, element: Any, name: str) -> LinkDescription:
        """Return a link; its pose is not known yet."""
        reading = self._reading
        reading.attributes(element, ("name", "type"))
        readables = [
            reading.kept(other, ("kinbody",))
            for other in reading.others(element, _TAGS)
        ]
        contacts: list[ContactDescription] = []
        for contact in element.iterchildren("contact"):
            # Bullet's element of the same name holds friction, no geometry
            if contact.find("geometry") is None:
                readables.append(reading.kept(contact, ()))
            else:
                contacts += self._contact(contact)
        return LinkDescription(
            name,
            geometries=(
                () if reading.context.skip_geometry else tuple(self._parts(element))
            ),
            inertial=self._inertial(element),
            readables=tuple(readables),
            location=reading.location(element),
            contacts=tuple(contacts),
        )

    # -- mass ------------------------------------------------------------------------

    def _inertial(self, link: Any) -> Inertial:
        reading = self._reading
        element = reading.child(link, "inertial")
        if element is None:
            return _MASSLESS
        for _ in reading.others(element, ("origin", "mass", "inertia")):
            pass
        pose = reading.origin(element)
        mass_element = reading.child(element, "mass")
        if mass_element is None:
            reading.error(
                element,
                "missing-tag",
                "<inertial> has no <mass>",
                'write <mass value="..."/> in kilograms',
            )
            mass = 0.0
        else:
            mass = reading.number(mass_element, "value", None)
        if mass < 0.0:
            reading.error(
                mass_element, "bad-mass", f"the mass is {mass}, expected 0 or more"
            )
            mass = 0.0
        moments = reading.child(element, "inertia")
        if moments is None:
            return Inertial(mass, pose.translation, (0.0,) * 9)
        reading.attributes(moments, _MOMENTS)
        xx, xy, xz, yy, yz, zz = (
            reading.number(moments, one, None if one[1] == one[2] else 0.0)
            for one in _MOMENTS
        )
        wrong = check_inertia(xx, xy, xz, yy, yz, zz)
        if wrong is not None:
            reading.warn(
                moments,
                "bad-inertia",
                f"the inertia of the link {link.get('name')!r} {wrong}",
                "no body has it: check units (kg m2), signs, and that it is about the "
                "centre of mass",
            )
        return Inertial(
            mass,
            pose.translation,
            turned((xx, xy, xz, xy, yy, yz, xz, yz, zz), pose.rotation),
        )

    # -- geometries ------------------------------------------------------------------

    def _parts(self, link: Any) -> Iterator[GeometryDescription]:
        """Yield geometries: visuals first, then what collides only.

        A visual and a collision that are the same in the same place are one geometry.
        """
        solid = [
            found
            for element in link.iterchildren("collision")
            if (found := self._collision(element)) is not None
        ]
        for element in link.iterchildren("visual"):
            yield from self._visual(element, solid)
        yield from solid

    def _collision(self, element: Any) -> GeometryDescription | None:
        shape, readables = self._part(element)
        if shape is None and not readables:
            return None
        return GeometryDescription(
            NoShape() if shape is None else shape,
            name=element.get("name") or "",
            pose=self._reading.origin(element),
            visible=False,
            readables=tuple(readables),
            location=self._reading.location(element),
        )

    def _visual(
        self, element: Any, solid: list[GeometryDescription]
    ) -> Iterator[GeometryDescription]:
        shape, readables = self._part(element)
        if shape is None and not readables:
            return
        name, pose = element.get("name") or "", self._reading.origin(element)
        look = self._materials.of(element)
        render = None
        if shape is not None:
            for index, one in enumerate(solid):
                same = one.shape == shape and one.pose == pose
                if same and (not name or one.name in {"", name}):
                    readables += one.readables
                    name = name or one.name
                    del solid[index]
                    break
            else:
                mesh = shape.mesh if isinstance(shape, TriMesh) else tessellated(shape)
                if not isinstance(shape, TriMesh):
                    readables.append(self._reading.kept(element.find("geometry"), ()))
                render, shape = RenderMesh(mesh), None
        yield GeometryDescription(
            NoShape() if shape is None else shape,
            name=name,
            pose=pose,
            material=look.material,
            render=render,
            readables=(*look.readables, *readables),
            location=self._reading.location(element),
        )

    def _part(self, element: Any) -> tuple[Shape | None, list[tuple[str, Readable]]]:
        """Return the shape of a visual or collision, and what is kept as data."""
        reading = self._reading
        reading.attributes(element, ("name", "group", "concave"))
        kept = [
            reading.kept(other, ()) for other in reading.others(element, _PART_TAGS)
        ]
        shape = self._shapes.read(element)
        if shape is None:
            kept += [reading.kept(one, ()) for one in element.iterchildren("geometry")]
        return shape, kept

    # -- contacts --------------------------------------------------------------------

    def _contact(self, element: Any) -> Iterator[ContactDescription]:
        reading = self._reading
        reading.attributes(element, ("name",))
        for _ in reading.others(element, ("origin", "geometry", "limit")):
            pass
        shape = self._shapes.read(element)
        if shape is None:
            return
        limit = reading.child(element, "limit")
        force = math.inf
        if limit is not None:
            reading.attributes(limit, ("normal_force",))
            force = reading.number(limit, "normal_force", math.inf, infinite=True)
        if force < 0.0:
            reading.error(
                limit,
                "bad-size",
                f"normal_force is {force}, expected 0 or more (newton)",
            )
            force = math.inf
        yield ContactDescription(
            shape,  # type: ignore[arg-type]
            name=element.get("name") or "",
            pose=reading.origin(element),
            max_normal_force=force,
            location=reading.location(element),
        )
