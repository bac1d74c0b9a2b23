"""Names for what has none: in a file everything is found by its name."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

from pyrave.errors import SceneError
from pyrave.scene import RobotDescription

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyrave.scene import BodyDescription


def check_bodies(bodies: Iterable[BodyDescription]) -> None:
    """Refuse bodies that cannot be found again by their names.

    Raises
    ------
    SceneError
        A name is empty, holds blanks, or is that of two bodies.
    """
    for name, several in Counter(body.name for body in bodies).items():
        if name.split() != [name]:
            wrong = f"the body name {name!r} is empty or holds blanks"
        elif several > 1:
            wrong = f"{several} bodies are named {name!r}"
        else:
            continue
        raise SceneError(f"cannot be written: {wrong}; give each a name of its own")


def written_names(field: str, items: Sequence[Any]) -> list[str]:
    """Return a name for each object of a field: its own, or one that is free.

    Names in COLLADA have no blanks.
    """
    taken = {item.name for item in items}
    found = []
    for number, item in enumerate(items, 1):
        name = item.name
        if name.split() != [name]:
            wanted = "_".join(name.split()) or f"{field.removesuffix('s')}{number:X}"
            tails = (f"_{tail}" if tail else "" for tail in count())
            name = next(wanted + tail for tail in tails if wanted + tail not in taken)
            taken.add(name)
        found.append(name)
    return found


def named_body(body: BodyDescription) -> BodyDescription:
    """Return a body in which everything has the name that it is written with."""
    names: dict[str, dict[str, str]] = {}
    changed: dict[str, Any] = {}
    for field in ("links", "joints", "manipulators", "attached_sensors"):
        items = getattr(body, field, ())
        written = written_names(field, items)
        if all(item.name == name for item, name in zip(items, written, strict=True)):
            continue
        pairs = zip(items, written, strict=True)
        changed[field] = tuple(replace(item, name=name) for item, name in pairs)
        # where several have a name, the first is meant
        names[field] = {
            item.name: name
            for item, name in reversed(list(zip(items, written, strict=True)))
        }
    if not changed:
        return body
    body = replace(body, **changed)
    links, joints = names.get("links", {}), names.get("joints", {})
    changed = {
        "joints": tuple(
            replace(
                joint,
                parent=links.get(joint.parent, joint.parent),
                child=links.get(joint.child, joint.child),
            )
            for joint in body.joints
        ),
        "adjacent": frozenset(
            (links.get(one, one), links.get(two, two)) for one, two in body.adjacent
        ),
    }
    if isinstance(body, RobotDescription):
        changed["manipulators"] = tuple(
            replace(
                item,
                base=links.get(item.base, item.base),
                end_effector=links.get(item.end_effector, item.end_effector),
                gripper_joints=tuple(joints.get(n, n) for n in item.gripper_joints),
            )
            for item in body.manipulators
        )
        changed["configurations"] = tuple(
            replace(one, values=tuple((joints.get(n, n), v) for n, v in one.values))
            for one in body.configurations
        )
        changed["attached_sensors"] = tuple(
            replace(item, link=links.get(item.link, item.link))
            for item in body.attached_sensors
        )
    return replace(body, **changed)
