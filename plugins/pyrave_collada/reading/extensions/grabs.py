"""Grabs between bodies: ``<extra type="dynamic_rigid_constraints">``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.scene import GrabDescription
from pyrave_collada.document.extras import extras, openrave_part
from pyrave_collada.document.parsed import child, children

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyrave_collada.reading.kinematics.masses import RigidPlaces
    from pyrave_collada.reading.load import ColladaReading


def read_grabs(
    instances: Iterable[Any], places: RigidPlaces, reading: ColladaReading
) -> Iterator[GrabDescription]:
    """Yield the grabs in the ``<instance_physics_scene>`` of a file."""
    for instance in instances:
        for _, part in extras(instance, "dynamic_rigid_constraints"):
            for one in children(part, "rigid_constraint"):
                made = _Constraint(one, instance, places, reading).read()
                if made is not None:
                    yield made


class _Constraint:
    def __init__(
        self, element: Any, instance: Any, places: RigidPlaces, reading: ColladaReading
    ) -> None:
        self.element = element
        self.instance = instance
        self.places = places
        self.reading = reading

    def read(self) -> GrabDescription | None:
        holder = self._end("ref_attachment")
        held = self._end("attachment")
        if holder is None or held is None:
            return None
        (name, link), model = holder
        (body, _), _ = held
        if name == body:
            self.reading.warn(
                self.element,
                "bad-constraint",
                f"the body {name!r} cannot hold itself; the <rigid_constraint> is left "
                "out",
            )
            return None
        return GrabDescription(name, link, body, tuple(self._ignored(model)))

    def _end(self, tag: str) -> tuple[tuple[str, str], Any] | None:
        """Return the (body, link) of an end, and its instance of a physics model."""
        element = child(self.element, tag)
        path = "" if element is None else (element.get("rigid_body") or "").strip()
        found = self.places.below(path, self.instance)
        if found is None:
            where = self.element if element is None else element
            self.reading.dangling(where, "the rigid body", path)
        return found

    def _ignored(self, model: Any) -> Iterator[str]:
        """Yield links that may touch; their sid may have that of the model before."""
        part = openrave_part(self.element)
        for one in () if part is None else children(part, "ignore_link"):
            path = (one.get("link") or "").strip()
            place = self.places.at(model, path.rpartition("/")[2])
            if place is None:
                self.reading.dangling(one, "the rigid body", path)
            else:
                yield place[1]
