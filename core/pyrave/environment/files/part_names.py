"""Invalid names of a scene's parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.scene import RobotDescription
from pyrave.texts import name_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.scene import BodyDescription, Location, SceneDescription


def faulty_part_names(scene: SceneDescription) -> Iterator[tuple[Location | None, str]]:
    """Yield the parts with invalid names, and the fault of each name."""
    names = [part.name for body in scene.bodies for part in _named_parts(body)]
    if not name_fault("".join(names).replace(" ", "")):
        return  # one look at all of them, as few scenes have such names
    for body in scene.bodies:
        for part in _named_parts(body):
            fault = name_fault(part.name.replace(" ", ""))
            if fault:
                kind = type(part).__name__.removesuffix("Description").lower()
                kind = kind.removeprefix("attached")
                yield (
                    part.location or body.location,
                    f"the name {part.name!r} of a {kind} of {body.name!r} {fault}",
                )


def _named_parts(body: BodyDescription) -> list[Any]:
    """Return descriptions of the parts of a body that have names."""
    parts: list[Any] = [*body.joints]
    for link in body.links:
        parts += (link, *link.geometries)
    if isinstance(body, RobotDescription):
        parts += (*body.manipulators, *body.attached_sensors)
    return parts
