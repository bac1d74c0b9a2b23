"""Constraints between links, as ``<rigid_constraint>`` of a physics model of their own.

Its paths start at the physics scene, so that it can tie links of several models.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from pyrave.scene import Limits, LinkReference, same
from pyrave_collada.reading.initial_poses import Start
from pyrave_collada.vocabulary import DIRECTIONS, SLACK
from pyrave_collada.writing.tags import add, add_pose, degrees, numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyrave.scene import ConstraintDescription, SceneDescription, Spring

MODEL = "pconstraints"
_PARTS = (("linear", DIRECTIONS[:3]), ("angular", DIRECTIONS[3:]))
_LOCKED = Limits(0.0, 0.0)


def add_constraints(
    library: Any,
    physics: Any,
    scene: SceneDescription,
    rigid: Mapping[str, Mapping[str, str]],
    brought: Mapping[str, set[str]],
) -> None:
    """Append the constraints of a scene.

    Parameters
    ----------
    library, physics
        The physics models, and the physics scene.
    rigid
        By body and link: the path of its rigid body in the physics scene.
    brought
        By body: the names of those that come with what is referred to.
    """
    bases = {body.name: body.links[0].name for body in scene.bodies if body.links}
    start = Start(body for body in scene.bodies if body.links)
    ignored = _ignored(scene)
    model = instance = None
    for number, one in enumerate(scene.constraints):
        ends = [_named(end, bases) for end in (one.parent, one.child)]
        known = [
            rigid.get(end.body, {}).get(end.link) if end.body else "" for end in ends
        ]
        paths = [path for path in known if path is not None]
        if len(paths) < len(ends) or any(
            one.name in brought.get(end.body, ()) for end in ends
        ):
            continue
        if model is None:
            model = add(library, "physics_model", id=MODEL)
            instance = add(
                physics, "instance_physics_model", url=f"#{MODEL}", sid=f"{MODEL}_inst"
            )
        key = f"constraint{number}"
        element = add(model, "rigid_constraint", sid=key, name=one.name)
        add(instance, "instance_rigid_constraint", constraint=key)
        parent, child = (start.pose_of(end) for end in ends)
        frames = one.pose, child.inverse() @ parent @ one.pose
        for tag, path, frame in zip(
            ("ref_attachment", "attachment"), paths, frames, strict=True
        ):
            # nothing is the world
            end = add(element, tag)
            end.set("rigid_body", f"{physics.get('id')}/{path}" if path else "")
            add_pose(end, frame)
        common = add(element, "technique_common")
        add(common, "enabled", "true")
        if _may_overlap(ends, ignored):
            add(common, "interpenetrate", "true")
        elif one.collide:
            add(common, "interpenetrate", "false")
        _add_limits(common, one)
        if one.spring is not None:
            _add_spring(common, one.spring, one.freedoms)


def _ignored(scene: SceneDescription) -> set[frozenset[LinkReference]]:
    """Return the pairs of links, or of bodies, whose collisions do not count."""
    inside = {
        frozenset((LinkReference(body.name, a), LinkReference(body.name, b)))
        for body in scene.bodies
        for a, b in body.adjacent
    }
    return inside | {
        frozenset(
            (
                LinkReference(pair.first, pair.first_link),
                LinkReference(pair.second, pair.second_link),
            )
        )
        for pair in scene.ignored_pairs
    }


def _may_overlap(
    ends: Sequence[LinkReference], ignored: set[frozenset[LinkReference]]
) -> bool:
    first, second = ((end, LinkReference(end.body)) for end in ends)
    return any(frozenset(pair) in ignored for pair in product(first, second))


def _add_limits(common: Any, one: ConstraintDescription) -> None:
    free = (Limits(),) * len(one.freedoms)
    given = dict(
        zip(one.freedoms, (*one.limits, *free[len(one.limits) :]), strict=True)
    )
    holder = add(common, "limits")
    # the schema has the angles first
    for tag, directions in (
        ("swing_cone_and_twist", DIRECTIONS[3:]),
        ("linear", DIRECTIONS[:3]),
    ):
        part = add(holder, tag)
        ranges = [given.get(key, _LOCKED) for key in directions]
        turns = tag != "linear"
        add(part, "min", _ends((limit.lower for limit in ranges), turns=turns))
        add(part, "max", _ends((limit.upper for limit in ranges), turns=turns))


def _ends(values: Iterable[float], *, turns: bool) -> str:
    return " ".join(
        numbers((degrees(value) if turns else value,))
        if math.isfinite(value)
        else ("INF" if value > 0.0 else "-INF")
        for value in values
    )


def _add_spring(common: Any, spring: Spring, freedoms: Sequence[str]) -> None:
    """Append a spring that is the same along, and the same about all free axes."""
    compliance = _amounts(spring.compliance, freedoms)
    damping = _amounts(spring.damping, freedoms)
    if compliance is None or damping is None or not all(compliance.values()):
        return  # what does not yield is no spring
    holder = add(common, "spring")
    for tag, _ in reversed(_PARTS):
        soft, slow = compliance.get(tag), damping.get(tag, 0.0)
        hard = 0.0 if soft is None or soft >= SLACK else 1.0 / soft
        unit = math.radians(1.0) if tag == "angular" else 1.0
        part = add(holder, tag)
        add(part, "stiffness", numbers((hard * unit,)))
        add(part, "damping", numbers((slow * unit,)))
        add(part, "target_value", "0")


def _amounts(
    rows: Sequence[Sequence[float]], freedoms: Sequence[str]
) -> dict[str, float] | None:
    """Return a diagonal matrix's entries along and about axes, else None.

    That is so for numbers besides the diagonal, and for several in it.
    """
    found: dict[str, float] = {}
    for index, row in enumerate(rows):
        tag = "angular" if freedoms[index] in DIRECTIONS[3:] else "linear"
        if any(value for column, value in enumerate(row) if column != index):
            return None
        if found.setdefault(tag, row[index]) != row[index]:
            return None
    return found


def unsaid(
    scene: SceneDescription, read: SceneDescription
) -> tuple[SceneDescription, dict[str, list[str]]]:
    """Return a scene without constraints and ignored pairs that others read as well.

    Parameters
    ----------
    read
        The written scene as others read it.

    Returns
    -------
    scene
        The rest.
    parts
        What of further constraints, by name, they do not.
    """
    bases = {body.name: body.links[0].name for body in scene.bodies if body.links}
    known = {one.name: one for one in read.constraints}
    left: list[ConstraintDescription] = []
    parts: dict[str, list[str]] = {}
    for one in scene.constraints:
        found = known.get(one.name)
        named = replace(
            one, parent=_named(one.parent, bases), child=_named(one.child, bases)
        )
        if found is None or not same(replace(named, spring=found.spring), found):
            left.append(one)
        elif not same(named, found):
            parts.setdefault("springs of constraints", []).append(one.name)
    pairs = set(read.ignored_pairs)
    ignored = tuple(one for one in scene.ignored_pairs if one not in pairs)
    return replace(scene, constraints=tuple(left), ignored_pairs=ignored), parts


def _named(end: LinkReference, bases: Mapping[str, str]) -> LinkReference:
    return replace(end, link=end.link or bases.get(end.body, ""))
