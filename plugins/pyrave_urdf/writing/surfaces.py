"""Friction and restitution of written links: Bullet's ``<contact>``.

Bullet multiplies the values of two links: each has the root of what its material has
with itself. Pairs for which that gives something else are lost.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.scene import LinkDynamics, same
from pyrave.scene.surfaces import class_of, frictions, restitutions
from pyrave_urdf.reading.elements.gazebo import blocks_of
from pyrave_urdf.reading.elements.surfaces import read_surfaces
from pyrave_urdf.writing.gazebo import unsaid_dynamics
from pyrave_urdf.writing.numbers import add, numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.formats import Losses
    from pyrave.scene import (
        ContactMaterial,
        ContactProperties,
        Friction,
        Restitution,
        RobotDescription,
        SceneDescription,
    )
    from pyrave_urdf.reading.elements.surfaces import LinkSurfaces


def add_surfaces(
    root: Any, robot: RobotDescription, properties: ContactProperties
) -> None:
    """Append what links have, unless an element that was kept as data says it."""
    known = _read(root)
    laws, bounces = frictions(properties), restitutions(properties)
    links = {one.get("name"): one for one in root.iterchildren("link")}
    for link in robot.links:
        material, object_type = class_of(link, properties)
        law, bounce = (
            laws.get(frozenset((material,))),
            bounces.get(frozenset((object_type,))),
        )
        parts = {}
        if material and law is not None and link.name not in known.materials:
            parts["lateral_friction"] = law.coefficient
        if object_type and bounce is not None and link.name not in known.object_types:
            parts["restitution"] = bounce
        if parts:
            contact = add(links[link.name], "contact")
            for tag, value in parts.items():
                add(contact, tag, value=numbers(math.sqrt(value)))


def unsaid(
    root: Any, robot: RobotDescription, scene: SceneDescription, losses: Losses
) -> SceneDescription:
    """Return a scene with what of its materials a written file does not say.

    Configurations are the SRDF's. That materials have other names there is noted.
    """
    properties, read = scene.contact_properties, _read(root)
    moved = unsaid_dynamics(root, robot.links)
    materials: dict[str, set[str]] = {}
    types: dict[str, set[str]] = {}
    links = []
    for link in robot.links:
        material, object_type = class_of(link, properties)
        ends = read.materials.get(link.name, ""), read.object_types.get(link.name, "")
        materials.setdefault(material, set()).add(ends[0])
        types.setdefault(object_type, set()).add(ends[1])
        links.append(
            replace(
                link,
                material="" if ends[0] else material,
                object_type="" if ends[1] else object_type,
                dynamics=link.dynamics if link.name in moved else LinkDynamics(),
                kinematic=False,
            )
        )
    laws = frictions(properties)
    table = {key: one.coefficient for key, one in frictions(read.properties).items()}
    bounces = restitutions(read.properties)
    left = replace(
        properties,
        materials=_nowhere(properties.materials, materials),
        object_types=_nowhere(properties.object_types, types),
        friction=tuple(
            one
            for one in properties.friction
            if one.parameters
            or laws.get(frozenset((one.first, one.second))) is not one
            or not _is_said(one, materials, table)
        ),
        restitution=tuple(
            one for one in properties.restitution if not _is_said(one, types, bounces)
        ),
    )
    renamed = [
        name
        for known in (materials, types)
        for name, found in known.items()
        if name and found != {name} and "" not in found
    ]
    if renamed:
        losses.add("names of materials are not written", *renamed)
    made = replace(robot, links=tuple(links), configurations=())
    return replace(scene, contact_properties=left, bodies=(made,))


def _read(root: Any) -> LinkSurfaces:
    return read_surfaces(root, blocks_of(root), lambda _element, _code, _message: None)


def _nowhere(
    items: tuple[ContactMaterial, ...], found: Mapping[str, set[str]]
) -> tuple[ContactMaterial, ...]:
    """Return the materials that no link has, or of which nothing is said."""
    return tuple(one for one in items if "" in found.get(one.name, {""}))


def _is_said(
    one: Friction | Restitution,
    found: Mapping[str, set[str]],
    table: Mapping[frozenset[str], float],
) -> bool:
    """Return True if all links of two materials have the coefficient of a pair."""
    first, second = found.get(one.first, set()), found.get(one.second, set())
    values = [table.get(frozenset((a, b))) for a in first for b in second]
    return bool(values) and all(
        value is not None and same(value, one.coefficient) for value in values
    )
