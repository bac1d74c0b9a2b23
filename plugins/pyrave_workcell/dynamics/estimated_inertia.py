"""Centres and inertias of bodies from their geometry, at uniform density."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.geometry import Mesh
from pyrave.records import Record
from pyrave.scene import Box, Cylinder, MeshData, Sphere, TriMesh

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from pyrave.scene import MeshReference, Pose, Shape

    Array = NDArray[np.float64]

_POINT = 1e-4
"""Radius of the sphere that stands for a body without geometry, metres."""


@dataclass(frozen=True, slots=True)
class Solid(Record):
    """Volume, centre, and inertia about it at density 1, in some frame."""

    volume: float
    center: Array
    inertia: Array

    def placed(self, pose: Pose) -> Solid:
        """Return it in the frame in which its own frame has a pose."""
        matrix = pose.matrix
        turn = matrix[:3, :3]
        center = turn @ self.center + matrix[:3, 3]
        return Solid(self.volume, center, turn @ self.inertia @ turn.T)


def solid_of(shape: Shape, load: Callable[[MeshReference], Mesh] | None) -> Solid:
    """Return the solid of a shape, in its own frame.

    Raises
    ------
    ArgumentError, ResourceError, SceneError
        It encloses nothing, or its mesh cannot be loaded.
    """
    if isinstance(shape, Box):
        a, b, c = shape.half_extents
        volume = 8.0 * a * b * c
        squares = np.array((b * b + c * c, a * a + c * c, a * a + b * b))
        return _centred(volume, volume / 3.0 * squares)
    if isinstance(shape, Sphere):
        volume = 4.0 / 3.0 * math.pi * shape.radius**3
        return _centred(volume, np.full(3, 0.4 * volume * shape.radius**2))
    if isinstance(shape, Cylinder):
        r, h = shape.radius, shape.height
        volume = math.pi * r * r * h
        side = volume * (3.0 * r * r + h * h) / 12.0
        return _centred(volume, np.array((side, side, 0.5 * volume * r * r)))
    if not isinstance(shape, TriMesh):
        raise ArgumentError(f"a {type(shape).__name__} has no known volume")
    if isinstance(shape.mesh, MeshData):
        mesh = Mesh(shape.mesh.vertices, shape.mesh.faces)
    elif load is None:
        raise ArgumentError("nothing loads its mesh")
    else:
        mesh = load(shape.mesh)
    return Solid(abs(mesh.volume), mesh.center_of_mass, mesh.inertia())


def _centred(volume: float, moments: Array) -> Solid:
    if not volume > 0.0:
        raise ArgumentError("it encloses no volume")
    return Solid(volume, np.zeros(3), np.diag(moments))


def united(solids: Iterable[Solid]) -> Solid | None:
    """Return all solids as one; None without any. Where they overlap, both count."""
    parts = tuple(solids)
    if not parts:
        return None
    volume = sum(one.volume for one in parts)
    center = sum((one.volume * one.center for one in parts), np.zeros(3)) / volume
    inertia = sum((about(one, center) for one in parts), np.zeros((3, 3)))
    return Solid(volume, center, inertia)


def about(solid: Solid, point: Array) -> Array:
    """Return the inertia about a point, by the parallel axis theorem."""
    away = solid.center - point
    shift = away @ away * np.eye(3) - np.outer(away, away)
    return np.asarray(solid.inertia + solid.volume * shift)


def point_inertia(mass: float) -> Array:
    """Return the inertia of a body without geometry: a sphere of 0.1 mm."""
    return np.eye(3) * (0.4 * mass * _POINT * _POINT)
