"""Friction and restitution: ``<physics_material>`` of rigid bodies and their shapes.

COLLADA gives each material coefficients of its own and leaves pairs open. Here a pair
has the geometric mean of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.scene import ContactProperties, Surface
from pyrave.scene.surfaces import MOST_SURFACES, geometric_mean, tabulated
from pyrave_collada.document.names import FreeNames
from pyrave_collada.document.parsed import child, children

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.scene import BodyDescription
    from pyrave_collada.reading.load import ColladaReading

_MATERIALS = ("instance_physics_material", "physics_material")


class Surfaces:
    """The physics materials of a load, each with a name of its own."""

    def __init__(self, reading: ColladaReading) -> None:
        self._reading = reading
        self._found: dict[Any, Surface] = {}
        self._known: dict[Any, tuple[Surface | None, Surface | None]] = {}
        self._names = FreeNames()

    def read(self, techniques: Iterable[Any], body: str) -> Surface:
        """Return the material that a rigid body has, without coefficients if none.

        Parameters
        ----------
        techniques
            Its ``<technique_common>`` and those of its instance, or None, in the order
            in which they count.
        """
        found = [self._of(one, body) for one in techniques if one is not None]
        order = [own for own, _ in found] + [shape for _, shape in found]
        return next(filter(None, order), Surface(""))

    def _of(self, technique: Any, body: str) -> tuple[Surface | None, Surface | None]:
        """Return the material that stands in a technique, and that of its shapes."""
        if technique not in self._known:
            own = self._material(technique)
            first = None if own is not None else self._of_shapes(technique, body)
            self._known[technique] = own, first
        return self._known[technique]

    def _of_shapes(self, technique: Any, body: str) -> Surface | None:
        shapes = {
            found: shape
            for shape in children(technique, "shape")
            if (found := self._material(shape)) is not None
        }
        if len(shapes) > 1:
            first, second, *_ = shapes
            self._reading.warn(
                shapes[second],
                "several-materials",
                f"the shapes of the rigid body {body!r} have {len(shapes)} physics "
                f"materials; the link has the first one, {first.name!r}",
                "a link has one material: give the body one of its own",
            )
        return next(iter(shapes), None)

    def properties_of(self, bodies: Iterable[BodyDescription]) -> ContactProperties:
        """Return the pairs of the materials that links of some bodies have."""
        links = [link for body in bodies for link in body.links]
        used = {name for one in links for name in (one.material, one.object_type)}
        surfaces = {one: e for e, one in self._found.items() if one.name in used}
        if len(surfaces) > MOST_SURFACES:
            self._reading.warn(
                list(surfaces.values())[MOST_SURFACES],
                "too-many-materials",
                f"links have {len(surfaces)} physics materials; the first "
                f"{MOST_SURFACES} have friction and restitution, the others what "
                "engines have by default",
            )
        return tabulated(list(surfaces), geometric_mean)

    def _material(self, holder: Any) -> Surface | None:
        """Return the material that an element holds or refers to, or None."""
        for one in children(holder, *_MATERIALS):
            element = one
            if one.tag.startswith("instance_"):
                element = self._reading.library.target(one)
                if element is None or element.tag != "physics_material":
                    url = one.get("url") or ""
                    self._reading.dangling(one, "the physics material", url)
                    continue
            if element not in self._found:
                self._found[element] = self._read(element)
            found = self._found[element]
            if found.material or found.object_type:
                return found
        return None

    def _read(self, element: Any) -> Surface:
        common = child(element, "technique_common")
        still = self._coefficient(common, "static_friction")
        sliding = self._coefficient(common, "dynamic_friction")
        if still is None or sliding == still:
            still, sliding = sliding, None
        bounce = self._coefficient(common, "restitution", 1.0)
        name = element.get("name") or element.get("id") or "material"
        return Surface(self._names.unique(name), still, sliding, bounce)

    def _coefficient(
        self, common: Any, tag: str, most: float | None = None
    ) -> float | None:
        element = None if common is None else child(common, tag)
        found = None if element is None else self._reading.values.number(element)
        if found is None or 0.0 <= found <= (found if most is None else most):
            return found
        expected = "0 or more" if most is None else f"0 to {most:g}"
        self._reading.warn(
            element,
            "bad-number",
            f"<{tag}> is {found:g}, expected {expected}; it is ignored",
        )
        return None
