"""Bodies of descriptions whose shapes are larger or smaller."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

__all__ = ["scaled_body"]

_Scale = tuple[float, ...]


def scaled_body(body: Any, scale: _Scale) -> Any:
    """Return a description of a body with scaled shapes; its joints stay.

    Parameters
    ----------
    body
        A description.
    scale
        (3,) factors along the axes of each shape. Round ones take the largest across
        their axis, as OpenRAVE has it.
    """
    links = tuple(
        dataclasses.replace(
            link, geometries=tuple(_geometry(one, scale) for one in link.geometries)
        )
        for link in body.links
    )
    return dataclasses.replace(body, links=links)


def _geometry(geometry: Any, scale: _Scale) -> Any:
    pose = dataclasses.replace(
        geometry.pose, translation=_times(geometry.pose.translation, scale)
    )
    render = geometry.render
    if render is not None:
        render = dataclasses.replace(render, mesh=_mesh(render.mesh, scale))
    shape = _shape(geometry.shape, scale)
    return dataclasses.replace(geometry, pose=pose, shape=shape, render=render)


def _shape(shape: Any, scale: _Scale) -> Any:
    """Return a shape whose lengths are multiplied, each along its own axis."""
    values: dict[str, Any] = {}
    for one in dataclasses.fields(shape):
        value = getattr(shape, one.name)
        if one.name == "radius":
            axes = scale if shape.type == "sphere" else scale[:2]
            values["radius"] = value * max(axes)
        elif one.name == "height":
            values["height"] = value * scale[2]
        elif one.name == "mesh":
            values["mesh"] = _mesh(value, scale)
        elif one.name == "cross_section":
            values["cross_section"] = tuple(_times(row, scale) for row in value)
        elif one.name == "walls":
            values["walls"] = tuple(
                (
                    dataclasses.replace(
                        wall, translation=_times(wall.translation, scale)
                    ),
                    _times(half, scale),
                )
                for wall, half in value
            )
        elif isinstance(value, tuple):
            values[one.name] = _times(value, scale)
    return dataclasses.replace(shape, **values)


def _mesh(mesh: Any, scale: _Scale) -> Any:
    if hasattr(mesh, "vertices"):
        return dataclasses.replace(mesh, vertices=np.multiply(mesh.vertices, scale))
    return dataclasses.replace(mesh, scale=_times(mesh.scale, scale))


def _times(values: Any, scale: _Scale) -> tuple[float, ...]:
    return tuple(a * b for a, b in zip(values, scale, strict=False))
