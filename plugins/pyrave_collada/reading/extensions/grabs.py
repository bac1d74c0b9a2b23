"""Which body holds which: ``<extra type="dynamic_rigid_constraints">``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.scene import GrabDescription
from pyrave_collada.document.extras import extras, openrave_part
from pyrave_collada.document.parsed import child, children

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyrave_collada.reading.kinematics.masses import RigidBodies, RigidBody
    from pyrave_collada.reading.load import Reading
    from pyrave_collada.reading.shapes.nodes import Node


def read_grabs(
    instances: Iterable[Any],
    physics: RigidBodies,
    shown: Mapping[Node, tuple[str, str]],
    reading: Reading,
) -> Iterator[GrabDescription]:
    """Yield what the ``<instance_physics_scene>`` of a file say of bodies in hands.

    Parameters
    ----------
    shown
        (body, link) that nodes show.
    """
    places: dict[RigidBody, tuple[str, str]] = {}
    for node, place in shown.items():
        rigid = physics.of(node)
        if rigid is not None:
            places.setdefault(rigid, place)
    by_sid: dict[tuple[Any, str | None], RigidBody] = {}
    for body, model in physics.bodies:
        for sid in (body.sid, body.instance.get("sid")):
            by_sid.setdefault((model, sid), body)
    for instance in instances:
        for _, part in extras(instance, "dynamic_rigid_constraints"):
            for one in children(part, "rigid_constraint"):
                made = _Constraint(one, instance, by_sid, places, reading).read()
                if made is not None:
                    yield made


class _Constraint:
    def __init__(
        self,
        element: Any,
        instance: Any,
        by_sid: Mapping[tuple[Any, str | None], RigidBody],
        places: Mapping[RigidBody, tuple[str, str]],
        reading: Reading,
    ) -> None:
        self.element = element
        self.instance = instance
        self.by_sid = by_sid
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
                "bad-constraint",
                f"the body {name!r} cannot hold itself; the <rigid_constraint> is left "
                "out",
                self.element,
            )
            return None
        return GrabDescription(name, link, body, tuple(self._ignored(model)))

    def _end(self, tag: str) -> tuple[tuple[str, str], Any] | None:
        """Return the (body, link) of an end, and its instance of a physics model."""
        element = child(self.element, tag)
        path = "" if element is None else (element.get("rigid_body") or "").strip()
        head, _, sid = path.rpartition("/")
        found = self.reading.library.find(head, self.instance) if head else None
        place = None if found is None else self._place(found.element, sid)
        if found is None or place is None:
            where = self.element if element is None else element
            self.reading.dangling(where, "the rigid body", path)
            return None
        return place, found.element

    def _place(self, model: Any, sid: str) -> tuple[str, str] | None:
        """Return the (body, link) of a rigid body of an instance."""
        rigid = self.by_sid.get((model, sid))
        return None if rigid is None else self.places.get(rigid)

    def _ignored(self, model: Any) -> Iterator[str]:
        """Yield links that may touch; their sid may have that of the model before."""
        part = openrave_part(self.element)
        for one in () if part is None else children(part, "ignore_link"):
            path = (one.get("link") or "").strip()
            place = self._place(model, path.rpartition("/")[2])
            if place is None:
                self.reading.dangling(one, "the rigid body", path)
            else:
                yield place[1]
