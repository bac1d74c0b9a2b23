"""Capsules that are written as a cylinder and the spheres at its ends.

Many programs refuse a file with ``<capsule>``, so writers, ours as well, say the three
parts. They are one capsule if they fit exactly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyrave.scene import (
    Capsule,
    Cylinder,
    NoShape,
    RenderMesh,
    Sphere,
    XmlElement,
    XmlReadable,
)
from pyrave_urdf.reading.elements.shapes import plain_shape, tessellated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.scene import GeometryDescription, Pose, Readable, Shape

_PARTS = 3


def ends_of(capsule: Capsule, pose: Pose) -> tuple[Pose, Pose]:
    """Return the centres of a capsule's spheres."""
    half = 0.5 * capsule.height
    upper, lower = pose.apply((0.0, 0.0, half)), pose.apply((0.0, 0.0, -half))
    return replace(pose, translation=upper), replace(pose, translation=lower)


def with_capsules(
    geometries: Sequence[GeometryDescription],
) -> tuple[GeometryDescription, ...]:
    """Return geometries in which each three that are a capsule are one."""
    if len(geometries) < _PARTS:
        return tuple(geometries)
    found: list[GeometryDescription] = []
    rest = list(geometries)
    while rest:
        joined = _joined(rest[:_PARTS]) if len(rest) >= _PARTS else None
        found.append(rest[0] if joined is None else joined)
        del rest[: 1 if joined is None else _PARTS]
    return tuple(found)


def _joined(parts: Sequence[GeometryDescription]) -> GeometryDescription | None:
    first, *others = parts
    shapes = [_solid(part) for part in parts]
    cylinder = shapes[0]
    if not isinstance(cylinder, Cylinder):
        return None
    ball = Sphere(cylinder.radius)
    capsule = Capsule(cylinder.radius, cylinder.height)
    fit = shapes[1:] == [ball, ball] and all(
        replace(
            other,
            pose=first.pose,
            shape=first.shape,
            render=first.render,
            readables=_but_shape(first),
        )
        == replace(first, readables=_but_shape(first))
        and other.pose == place
        and (other.render is None) == (first.render is None)
        and all(pair in first.readables for pair in _but_shape(other))
        for other, place in zip(others, ends_of(capsule, first.pose), strict=True)
    )
    if not fit:
        return None
    if first.render is None:
        return replace(first, shape=capsule)
    sizes = tuple(
        (name, repr(size).removesuffix(".0"))
        for name, size in (("radius", capsule.radius), ("length", capsule.height))
    )
    element = XmlElement("geometry", children=(XmlElement("capsule", sizes),))
    readables = tuple(
        (key, XmlReadable(element) if key == "geometry" else readable)
        for key, readable in first.readables
    )
    render = RenderMesh(tessellated(capsule))
    return replace(first, render=render, readables=readables)


def _solid(part: GeometryDescription) -> Shape | None:
    """Return the shape that collides, or that is shown alone."""
    if not isinstance(part.shape, NoShape):
        return part.shape if part.render is None else None
    for key, readable in part.readables:
        xml = readable.to_xml() if key == "geometry" else None
        if xml is not None and part.render is not None:
            return plain_shape(xml)
    return None


def _but_shape(part: GeometryDescription) -> tuple[tuple[str, Readable], ...]:
    return tuple(pair for pair in part.readables if pair[0] != "geometry")
