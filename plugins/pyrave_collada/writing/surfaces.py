"""Physics materials: what links have where they touch themselves.

COLLADA has no pairs of materials. Those whose coefficients are not the geometric mean
of what both have with themselves are said by nothing that other programs read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.scene import Surface
from pyrave.scene.surfaces import (
    class_of,
    frictions,
    geometric_mean,
    restitutions,
    sliding_of,
    unruled,
)
from pyrave_collada.document.names import FreeNames
from pyrave_collada.writing.tags import add, numbers

if TYPE_CHECKING:
    from pyrave.scene import LinkDescription, SceneDescription

_Class = tuple[str, str]


class PhysicsMaterials:
    """The materials of a scene: one for each class of links that has coefficients.

    A class is a material and a type of objects.
    """

    def __init__(self, scene: SceneDescription) -> None:
        self._scene = scene
        self._properties = scene.contact_properties
        self._surfaces: dict[_Class, Surface] = {}
        laws, bounces = frictions(self._properties), restitutions(self._properties)
        links = [link for body in scene.bodies for link in body.links]
        names = FreeNames()
        for known in dict.fromkeys(map(self._class_of, links)):
            material, object_type = known
            law = laws.get(frozenset((material,))) if material else None
            bounce = bounces.get(frozenset((object_type,))) if object_type else None
            if law is None and bounce is None:
                continue
            name = names.unique(material or object_type)
            made = Surface(name, restitution=bounce)
            if law is not None:
                made = replace(made, friction=law.coefficient, sliding=sliding_of(law))
            self._surfaces[known] = made
        self._written: dict[_Class, str] = {}

    def _class_of(self, link: LinkDescription) -> _Class:
        return class_of(link, self._properties)

    def add_to(self, common: Any, link: LinkDescription) -> None:
        """Append the material of a link to the technique of its rigid body."""
        known = self._class_of(link)
        if known in self._surfaces:
            key = self._written.setdefault(known, f"pmat{len(self._written)}")
            add(common, "instance_physics_material", url=f"#{key}")

    def fill(self, library: Any) -> None:
        """Append the materials that links were given."""
        for known, key in self._written.items():
            surface = self._surfaces[known]
            element = add(library, "physics_material", id=key, name=surface.name)
            common = add(element, "technique_common")
            for tag, value in (
                ("dynamic_friction", surface.sliding),
                ("restitution", surface.restitution),
                ("static_friction", surface.friction),
            ):
                if value is not None:
                    add(common, tag, numbers((value,)))

    def rest(self) -> SceneDescription:
        """Return the scene with what no physics material says of it."""
        rough = {m for (m, _), one in self._surfaces.items() if one.material}
        elastic = {k for (_, k), one in self._surfaces.items() if one.object_type}
        known = self._properties
        contacts = replace(
            unruled(known, geometric_mean, rough, elastic),
            materials=tuple(m for m in known.materials if m.name not in rough),
            object_types=tuple(k for k in known.object_types if k.name not in elastic),
        )
        return replace(
            self._scene,
            contact_properties=contacts,
            bodies=tuple(
                replace(body, links=tuple(map(self._without_class, body.links)))
                for body in self._scene.bodies
            ),
        )

    def _without_class(self, link: LinkDescription) -> LinkDescription:
        if self._class_of(link) not in self._surfaces:
            return link
        return replace(link, material="", object_type="")

    def described(self) -> list[str]:
        """Return the materials with descriptions, which COLLADA has no place for."""
        known = self._properties
        items = (*known.materials, *known.object_types)
        return list(dict.fromkeys(one.name for one in items if one.description))
