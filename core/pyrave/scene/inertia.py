"""Volumes, centres and inertias of shapes of one density."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyrave.records import compared_by_items
from pyrave.scene.body import Inertial
from pyrave.scene.geometry import (
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    GeometryDescription,
    MeshData,
    Prism,
    Shape,
    Sphere,
    TriMesh,
)
from pyrave.scene.pose import Matrix3, Pose, Vec3

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ORIGIN = (0.0, 0.0, 0.0)


@compared_by_items
class Solid(NamedTuple):
    """Volume (m3), its centre (m), and inertia about that (kg m2) at 1 kg/m3.

    `inertia` is the row-major 3x3 matrix in the axes in which `center` is.
    """

    volume: float
    center: Vec3
    inertia: Matrix3

    def with_mass(self, mass: float) -> Inertial:
        """Return the mass properties if it weighs that much, kg."""
        density = mass / self.volume if self.volume > 0.0 else 0.0
        scaled = tuple(value * density for value in self.inertia)
        return Inertial(mass, self.center, scaled)  # type: ignore[arg-type]

    def with_density(self, density: float) -> Inertial:
        """Return the mass properties if it is of that density, kg/m3."""
        scaled = tuple(value * density for value in self.inertia)
        return Inertial(self.volume * density, self.center, scaled)  # type: ignore[arg-type]

    def moved(self, pose: Pose) -> Solid:
        """Return it at a pose: T_link_solid, if its own frame is that of a shape."""
        r, i = pose.rotation, self.inertia
        transposed = (r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8])
        turned = (Pose(r) @ Pose(i) @ Pose(transposed)).rotation
        return Solid(self.volume, pose.apply(self.center), turned)


def solids_of(geometry: GeometryDescription) -> list[Solid]:
    """Return the parts of a geometry in its link's frame; empty if none has a volume.

    A mesh of a file has none, since nothing is loaded here.
    """
    return [solid.moved(geometry.pose @ pose) for pose, solid in _parts(geometry.shape)]


def united(solids: Sequence[Solid]) -> Solid:
    """Return parts as one; where they overlap, each counts.

    Inertias are shifted by the parallel axis theorem (Lynch & Park, Modern Robotics,
    section 8.2.1).
    """
    if len(solids) == 1 and solids[0].volume > 0.0:
        return solids[0]
    volume = math.fsum(one.volume for one in solids)
    if volume <= 0.0:
        return Solid(0.0, _ORIGIN, (0.0,) * 9)
    center = tuple(
        math.fsum(one.volume * one.center[axis] for one in solids) / volume
        for axis in range(3)
    )
    sums = [0.0] * 9
    for one in solids:
        x, y, z = (one.center[axis] - center[axis] for axis in range(3))
        shifted = (
            *(y * y + z * z, -x * y, -x * z),
            *(-x * y, x * x + z * z, -y * z),
            *(-x * z, -y * z, x * x + y * y),
        )
        for index in range(9):
            sums[index] += one.inertia[index] + one.volume * shifted[index]
    return Solid(volume, center, tuple(sums))  # type: ignore[arg-type]


def union_of(geometries: Iterable[GeometryDescription]) -> Solid:
    """Return the active geometries of a link as one solid in the link's frame."""
    return united(
        [part for one in geometries if one.group == "self" for part in solids_of(one)]
    )


def mesh_moments(
    triangles: NDArray[np.float64],
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return volume, first and second moments of closed triangles about the origin.

    Integrals of 1, x and x x^T over signed tetrahedra, equal to the surface integrals
    of B. Mirtich, "Fast and accurate computation of polyhedral mass properties", JGT
    1(2), 1996, and D. Eberly, "Polyhedral mass properties (revisited)", 2002.

    Parameters
    ----------
    triangles
        (m, 3, 3) corners, counter-clockwise from outside; otherwise all are negative.
    """
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    six = np.einsum("ij,ij->i", a, np.cross(b, c))
    total = a + b + c
    second = np.einsum("n,ni,nj->ij", six, total, total)
    for corner in (a, b, c):
        second += np.einsum("n,ni,nj->ij", six, corner, corner)
    return float(six.sum() / 6.0), (six @ total) / 24.0, second / 120.0


def box_solid(a: float, b: float, c: float) -> Solid:
    """Return a box with these half extents about its centre."""
    volume = 8.0 * a * b * c
    third = volume / 3.0
    moments = (
        third * (b * b + c * c),
        third * (a * a + c * c),
        third * (a * a + b * b),
    )
    return Solid(volume, _ORIGIN, _diagonal(*moments))


def sphere_solid(radius: float) -> Solid:
    """Return a ball about its centre."""
    volume = 4.0 / 3.0 * math.pi * radius * radius * radius
    moment = 0.4 * volume * radius * radius
    return Solid(volume, _ORIGIN, _diagonal(moment, moment, moment))


def _parts(shape: Shape) -> list[tuple[Pose, Solid]]:
    here = Pose()
    if isinstance(shape, Box):
        return [(here, box_solid(*shape.half_extents))]
    if isinstance(shape, Sphere):
        return [(here, sphere_solid(shape.radius))]
    if isinstance(shape, Cylinder):
        return [(here, _cylinder(shape.radius, shape.height))]
    if isinstance(shape, Capsule):
        return [(here, _capsule(shape.radius, shape.height))]
    if isinstance(shape, Container):
        x, y, z = shape.outer_extents
        raised = Pose.from_translation(0.0, 0.0, 0.5 * z)
        return [(raised, box_solid(0.5 * x, 0.5 * y, 0.5 * z))]
    if isinstance(shape, Cage):
        walls = [(pose, box_solid(*half)) for pose, half in shape.walls]
        return [(here, box_solid(*shape.half_extents)), *walls]
    if isinstance(shape, Prism):
        return [(here, _prism(shape))]
    if isinstance(shape, TriMesh) and isinstance(shape.mesh, MeshData):
        return [(here, _mesh(shape.mesh))]
    return []


def _diagonal(a: float, b: float, c: float) -> Matrix3:
    return (a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c)


def _cylinder(radius: float, height: float) -> Solid:
    volume = math.pi * radius * radius * height
    side = volume * (3.0 * radius * radius + height * height) / 12.0
    along = 0.5 * volume * radius * radius
    return Solid(volume, _ORIGIN, _diagonal(side, side, along))


def _capsule(radius: float, height: float) -> Solid:
    body, _, (side, _, _, _, _, _, _, _, along) = _cylinder(radius, height)
    caps, _, (moment, *_) = sphere_solid(radius)
    # Both half spheres: centroid 3r/8 beyond the flat face (parallel axes).
    shift = 0.25 * height * height + 0.375 * height * radius
    side += moment + caps * shift
    return Solid(body + caps, _ORIGIN, _diagonal(side, side, along + moment))


def _prism(shape: Prism) -> Solid:
    """Integrate a simple polygon by Green's theorem, then extrude it."""
    points = shape.cross_section
    area = sx = sy = ixx = iyy = ixy = 0.0
    for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1], strict=True):
        cross = x0 * y1 - x1 * y0
        area += cross / 2.0
        sx += (x0 + x1) * cross / 6.0
        sy += (y0 + y1) * cross / 6.0
        ixx += (x0 * x0 + x0 * x1 + x1 * x1) * cross / 12.0
        iyy += (y0 * y0 + y0 * y1 + y1 * y1) * cross / 12.0
        ixy += (x0 * y1 + 2 * x0 * y0 + 2 * x1 * y1 + x1 * y0) * cross / 24.0
    if area == 0.0:
        return Solid(0.0, _ORIGIN, _diagonal(0.0, 0.0, 0.0))
    if area < 0.0:
        area, sx, sy, ixx, iyy, ixy = -area, -sx, -sy, -ixx, -iyy, -ixy
    cx, cy = sx / area, sy / area
    ixx -= area * cx * cx
    iyy -= area * cy * cy
    ixy -= area * cx * cy
    h = shape.height
    slab = area * h * h * h / 12.0
    inertia = (
        *(h * iyy + slab, -h * ixy, 0.0),
        *(-h * ixy, h * ixx + slab, 0.0),
        *(0.0, 0.0, h * (ixx + iyy)),
    )
    return Solid(area * h, (cx, cy, 0.0), inertia)


def _mesh(mesh: MeshData) -> Solid:
    """Return the solid of a closed mesh, and an empty one for others."""
    if not len(mesh.faces) or not _is_closed(mesh):
        return Solid(0.0, _ORIGIN, (0.0,) * 9)
    # about a corner of its own, so that a mesh far away loses no digits
    corner = mesh.vertices[mesh.faces[0, 0]]
    volume, first, second = mesh_moments(mesh.vertices[mesh.faces] - corner)
    size = float(np.ptp(mesh.vertices, axis=0).max())
    if abs(volume) <= 1e-12 * size**3:
        return Solid(0.0, _ORIGIN, (0.0,) * 9)
    center = corner + first / volume
    central = (second - np.outer(first, first) / volume) * math.copysign(1.0, volume)
    inertia = np.trace(central) * np.eye(3) - central
    return Solid(abs(volume), tuple(center.tolist()), tuple(inertia.ravel().tolist()))


def _is_closed(mesh: MeshData) -> bool:
    """Return True if each edge of a triangle is run through the other way, too."""
    # corners at one place are one
    _, names = np.unique(mesh.vertices, axis=0, return_inverse=True)
    faces = names.reshape(-1)[mesh.faces].astype(np.int64)
    starts, ends = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    count = len(mesh.vertices)
    there, back = starts * count + ends, ends * count + starts
    return np.array_equal(np.sort(there), np.sort(back))
