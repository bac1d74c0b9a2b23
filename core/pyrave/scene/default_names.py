"""Names for the links and joints that have none."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TypeVar

from pyrave.scene.body import BodyDescription, RobotDescription

Body = TypeVar("Body", bound=BodyDescription)


def with_names(body: Body) -> Body:
    """Return a body whose links and joints all have names.

    An empty name of a link, where others refer to it, means the first without.
    """
    links = _names("link", [link.name for link in body.links])
    joints = _names("joint", [joint.name for joint in body.joints])
    if all(link.name for link in body.links) and all(j.name for j in body.joints):
        return body
    named = list(zip(body.links, links, strict=True))
    unnamed = next((name for link, name in named if not link.name), "")
    made = replace(
        body,
        links=tuple(replace(link, name=name) for link, name in named),
        joints=tuple(
            replace(
                one,
                name=name,
                parent=one.parent or unnamed,
                child=one.child or unnamed,
            )
            for one, name in zip(body.joints, joints, strict=True)
        ),
        adjacent=frozenset(
            (one or unnamed, two or unnamed) for one, two in body.adjacent
        ),
    )
    if not isinstance(made, RobotDescription):
        return made
    return replace(
        made,
        manipulators=tuple(
            replace(
                one,
                base=one.base or unnamed,
                end_effector=one.end_effector or unnamed,
            )
            for one in made.manipulators
        ),
        attached_sensors=tuple(
            replace(one, link=one.link or unnamed) for one in made.attached_sensors
        ),
    )


def _names(kind: str, names: list[str]) -> list[str]:
    """Return the names, with free ones where there are none."""
    taken = set(names)
    free = (name for n in count(1) if (name := f"{kind}{n}") not in taken)
    return [name or next(free) for name in names]
