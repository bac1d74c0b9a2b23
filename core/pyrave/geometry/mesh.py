"""Triangle meshes: immutable arrays with their area, volume and inertia."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.geometry.convexhull import hull_faces
from pyrave.geometry.topology import (
    component_of_vertices,
    directed_edges,
    weld,
)
from pyrave.scene import Material
from pyrave.scene.inertia import mesh_moments
from pyrave.spatial import Array, as_array, as_ndarray, as_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray


COORDINATE_LIMIT = 1e9
"""Largest absolute coordinate of a vertex, metres."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh; immutable, so threads and clones may share it.

    Meshes are compared by identity, so that search trees can be kept per mesh;
    `same_as` compares the numbers.

    Parameters
    ----------
    vertices
        (n, 3) float64, metres; kept as a read-only copy.
    faces
        (m, 3) int32 vertex indices, counter-clockwise from outside; read-only.
    materials
        What the faces look like; empty if the mesh's source says nothing about it.
        The first one stands for the mesh as a whole.
    face_materials
        (m,) int32 index into `materials` of each face, read-only, or None: all faces
        have the first one.
    texture_coordinates
        (m, 3, 2) float32 for the corners of each face, read-only: to the right and
        upwards from the lower left corner of an image whose sides are 1, and which
        repeats beyond. None if no material has a texture.

    Raises
    ------
    ArgumentError
        Wrong shapes, indices out of range, or coordinates that are not finite or
        beyond `COORDINATE_LIMIT`.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int32]
    materials: tuple[Material, ...] = ()
    face_materials: NDArray[np.int32] | None = None
    texture_coordinates: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        vertices = _vertices(self.vertices)
        faces = _faces(self.faces, len(vertices))
        materials = tuple(self.materials)
        of_faces = _face_materials(self.face_materials, len(faces), len(materials))
        of_corners = _coordinates(self.texture_coordinates, len(faces))
        for array in (vertices, faces, of_faces, of_corners):
            if array is not None:
                array.setflags(write=False)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)
        object.__setattr__(self, "materials", materials)
        object.__setattr__(self, "face_materials", of_faces)
        object.__setattr__(self, "texture_coordinates", of_corners)

    def __reduce__(self) -> tuple[Any, ...]:
        return (
            Mesh,
            (
                self.vertices,
                self.faces,
                self.materials,
                self.face_materials,
                self.texture_coordinates,
            ),
        )

    def __repr__(self) -> str:
        return f"Mesh({len(self.vertices)} vertices, {len(self.faces)} faces)"

    @classmethod
    def empty(cls) -> Mesh:
        """Return a mesh without vertices and faces."""
        return cls(np.zeros((0, 3)), np.zeros((0, 3), np.int32))

    @classmethod
    def merge(cls, meshes: Iterable[Mesh]) -> Mesh:
        """Return one mesh with the triangles of all, each with its own material.

        Parameters
        ----------
        meshes
            In order.
        """
        parts = list(meshes)
        if len(parts) < 2:
            return parts[0] if parts else cls.empty()
        starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
        materials: dict[Material, int] = {}
        of_faces = []
        for part in parts:
            # parts without a material have the one that says nothing
            own = part.materials or (Material(),)
            index = np.array([materials.setdefault(m, len(materials)) for m in own])
            of_faces.append(index[part.material_of_faces])
        return cls(
            np.concatenate([part.vertices for part in parts]),
            np.concatenate([p.faces + n for p, n in zip(parts, starts, strict=False)]),
            () if set(materials) == {Material()} else tuple(materials),
            np.concatenate(of_faces) if len(materials) > 1 else None,
            np.concatenate([part.coordinates_of_corners for part in parts])
            if any(part.texture_coordinates is not None for part in parts)
            else None,
        )

    def same_as(self, other: Mesh) -> bool:
        """Return True if vertices, faces, materials and textures are equal, exactly."""
        return (
            np.array_equal(self.vertices, other.vertices)
            and np.array_equal(self.faces, other.faces)
            and self.materials == other.materials
            and np.array_equal(self.material_of_faces, other.material_of_faces)
            and np.array_equal(
                self.coordinates_of_corners, other.coordinates_of_corners
            )
        )

    @property
    def material_of_faces(self) -> NDArray[np.int32]:
        """(m,) int32 index into `materials` of each face; zeros if it has none."""
        if self.face_materials is None:
            return np.zeros(len(self.faces), np.int32)
        return self.face_materials

    @property
    def coordinates_of_corners(self) -> NDArray[np.float32]:
        """(m, 3, 2) float32 `texture_coordinates`; zeros if it has none."""
        if self.texture_coordinates is None:
            return np.zeros((len(self.faces), 3, 2), np.float32)
        return self.texture_coordinates

    @property
    def is_textured(self) -> bool:
        """True if a material has a texture and faces have texture coordinates."""
        return self.texture_coordinates is not None and any(
            material.texture is not None for material in self.materials
        )

    @property
    def material(self) -> Material:
        """The first of `materials`, which stands for the mesh as a whole.

        A reader puts there the one whose colours OpenRAVE gives to the geometry.
        """
        return self.materials[0] if self.materials else Material()

    def by_material(self) -> list[Mesh]:
        """Return the mesh as one mesh per material that is used, in their order."""
        if self.face_materials is None:
            return [self]
        return [
            _used(self._with(self.vertices, self.faces, self.face_materials == index))
            for index in np.unique(self.face_materials)
        ]

    def triangles(self) -> Array:
        """Return the corners of every triangle, (m, 3, 3): triangle, corner, xyz."""
        return self.vertices[self.faces]

    @cached_property
    def aabb(self) -> tuple[Array, Array]:
        """Centre (3,) and half extents (3,) of the vertices; zeros without any."""
        if len(self.vertices) == 0:
            return np.zeros(3), np.zeros(3)
        lo, hi = self.vertices.min(axis=0), self.vertices.max(axis=0)
        return 0.5 * (lo + hi), 0.5 * (hi - lo)

    @cached_property
    def _crosses(self) -> Array:
        """(m, 3) normals of the triangles, twice as long as their areas."""
        t = self.triangles()
        return np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])

    @cached_property
    def face_areas(self) -> Array:
        """(m,) area of each triangle, square metres."""
        return np.asarray(0.5 * np.sqrt((self._crosses**2).sum(axis=1)))

    @property
    def area(self) -> float:
        """Sum of the triangles' areas, square metres."""
        return float(self.face_areas.sum())

    @cached_property
    def face_normals(self) -> Array:
        """(m, 3) unit normals, outwards; zeros for triangles without an area."""
        return _unit(self._crosses)

    @cached_property
    def vertex_normals(self) -> Array:
        """(n, 3) unit normals of the vertices; zeros where no face gives one.

        The mean of the faces' normals, weighted with their angles at the vertex
        (G. Thuermer, C. Wuethrich, "Computing vertex normals from polygonal facets",
        JGT 3(1), 1998), so that it does not depend on how a face is cut.
        """
        t = self.triangles()
        normals = np.zeros_like(self.vertices)
        for corner in range(3):
            here, after, before = (t[:, (corner + k) % 3] for k in range(3))
            u, v = _unit(after - here), _unit(before - here)
            angles = np.arccos(np.clip(np.einsum("ij,ij->i", u, v), -1.0, 1.0))
            np.add.at(
                normals, self.faces[:, corner], angles[:, None] * self.face_normals
            )
        return _unit(normals)

    @cached_property
    def volume(self) -> float:
        """Enclosed volume, cubic metres; negative if the faces point inwards."""
        return float(self._moments[0])

    @cached_property
    def center_of_mass(self) -> Array:
        """Centre (3,) of the enclosed volume, metres.

        Raises
        ------
        ArgumentError
            The mesh encloses no volume.
        """
        volume, first, _ = self._moments
        if volume == 0.0:
            raise ArgumentError(
                f"{self!r} encloses no volume, so it has no mass centre"
            )
        return self.aabb[0] + first / volume

    def inertia(self, density: float = 1.0) -> Array:
        """Return the inertia tensor (3, 3) about the centre of mass, mesh axes.

        Exact for closed meshes, whatever the winding as long as it is consistent (see
        `pyrave.scene.inertia.mesh_moments`).

        Parameters
        ----------
        density
            Kilograms per cubic metre.
        """
        volume, first, second = self._moments
        if volume == 0.0:
            raise ArgumentError(f"{self!r} encloses no volume, so it has no inertia")
        # orientation does not matter: both moments change sign with the volume
        sign = 1.0 if volume > 0 else -1.0
        central = sign * density * (second - np.outer(first, first) / volume)
        return np.asarray(np.trace(central) * np.eye(3) - central)

    @cached_property
    def _moments(self) -> tuple[float, Array, Array]:
        """Volume, first and second moments (int x, int x x^T) about the box centre."""
        return mesh_moments(self.triangles() - self.aabb[0])

    @cached_property
    def _welded(self) -> tuple[Array, NDArray[np.int32]]:
        """Different vertices and the faces between them, empty ones too."""
        vertices, index = weld(self.vertices)
        return vertices, index[self.faces].astype(np.int32)

    @cached_property
    def _welded_edges(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Numbers of the edges of all proper faces, along them and back, sorted."""
        vertices, faces = self._welded
        starts, ends = directed_edges(faces[_proper(faces)])
        n = len(vertices)
        return np.sort(starts * n + ends), np.sort(ends * n + starts)

    @property
    def is_watertight(self) -> bool:
        """True if every edge joins triangles that run along it in opposite directions.

        As many run one way as the other: then no boundary is left. Vertices at the
        same place count as one, so meshes from formats that repeat corners (STL,
        flat-shaded OBJ) are judged by their shape.
        """
        along, back = self._welded_edges
        return len(along) > 0 and np.array_equal(along, back)

    @property
    def is_winding_consistent(self) -> bool:
        """True if no two triangles run along a common edge in the same direction.

        Open meshes may be consistent; edges with more than two triangles are not.
        """
        along, _ = self._welded_edges
        return bool((along[1:] != along[:-1]).all())

    def welded(self) -> Mesh:
        """Return the mesh with one vertex at each place that faces use.

        Faces that are left with fewer than 3 different corners are dropped.
        """
        vertices, faces = self._welded
        proper = _proper(faces)
        return _used(self._with(vertices, faces, proper))

    def components(self) -> list[Mesh]:
        """Return the parts that share no vertex; vertices at one place are one."""
        vertices, faces = self._welded
        labels = component_of_vertices(faces, len(vertices))[faces[:, 0]]
        found = np.unique(labels)
        if len(found) < 2:
            return [self]
        order = np.argsort(labels, kind="stable")
        cuts = np.searchsorted(labels[order], found)
        return [
            _used(self._with(self.vertices, self.faces, np.sort(part)))
            for part in np.split(order, cuts[1:])
        ]

    def _with(self, vertices: Array, faces: Any, chosen: Any) -> Mesh:
        """Return a mesh of the chosen faces, with the looks that these have."""
        laid = self.texture_coordinates
        of_corners = None if laid is None else laid[chosen]
        if self.face_materials is None:
            return Mesh(vertices, faces[chosen], self.materials, None, of_corners)
        used, of_faces = np.unique(self.face_materials[chosen], return_inverse=True)
        materials = tuple(self.materials[index] for index in used)
        kept = of_faces.astype(np.int32) if len(materials) > 1 else None
        return Mesh(vertices, faces[chosen], materials, kept, of_corners)

    @cached_property
    def is_convex(self) -> bool:
        """True if the mesh is closed and no vertex lies outside of a face's plane.

        Exact up to 1e-9 of the mesh's size. The cost grows with faces times vertices.
        """
        if not self.is_watertight:
            return False
        keep = self.face_areas > 0
        if not keep.any():
            return False
        sign = 1.0 if self.volume >= 0 else -1.0
        normals = sign * self.face_normals[keep]
        offsets = np.einsum("ij,ij->i", normals, self.triangles()[keep, 0])
        tolerance = 1e-9 * float(np.abs(self.aabb[1]).max())
        points = self._welded[0]
        for begin in range(0, len(normals), 256):
            block = slice(begin, begin + 256)
            if (points @ normals[block].T - offsets[block]).max() > tolerance:
                return False
        return True

    def convex_hull(self) -> Mesh:
        """Return the smallest convex mesh around all vertices that faces use.

        Vertices may stand out of it by 1e-11 of its size.

        Raises
        ------
        ArgumentError
            They lie in one plane.
        """
        vertices, faces = self._welded
        used = vertices[np.unique(faces)]
        return _used(Mesh(used, hull_faces(used).astype(np.int32), self.materials[:1]))

    def transformed(self, matrix: ArrayLike) -> Mesh:
        """Return the mesh mapped by a (4, 4) affine matrix.

        Faces are turned around if the matrix mirrors, so that they stay
        counter-clockwise from outside.
        """
        m = as_array(matrix, (4, 4), "matrix")
        if (m == np.eye(4)).all():
            return self
        faces, of_corners = self.faces, self.texture_coordinates
        if np.linalg.det(m[:3, :3]) < 0:
            faces = faces[:, ::-1]
            of_corners = None if of_corners is None else of_corners[:, ::-1]
        vertices = self.vertices @ m[:3, :3].T + m[:3, 3]
        return replace(
            self, vertices=vertices, faces=faces, texture_coordinates=of_corners
        )

    def scaled(self, factors: ArrayLike) -> Mesh:
        """Return the mesh scaled by one factor or three along its own axes.

        Parameters
        ----------
        factors
            A number, or (3,).
        """
        f = as_numbers(factors, "factors")
        if f.shape not in {(), (1,), (3,)} or not np.isfinite(f).all():
            raise ArgumentError(
                f"factors are {factors!r}, expected 1 or 3 finite numbers"
            )
        if (f == 1.0).all():
            return self
        return self.transformed(np.diag([*np.broadcast_to(f, 3), 1.0]))


def _unit(vectors: Array) -> Array:
    """Return (n, 3) vectors of length one; zeros stay zeros."""
    lengths = np.sqrt((vectors * vectors).sum(axis=1))
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0)[:, None])


def _proper(faces: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return the mask of faces that have three different corners."""
    proper: NDArray[np.bool_] = (faces != np.roll(faces, -1, axis=1)).all(axis=1)
    return proper


def _used(mesh: Mesh) -> Mesh:
    """Return the mesh without vertices that no face uses."""
    used, index = np.unique(mesh.faces, return_inverse=True)
    faces = index.reshape(-1, 3).astype(np.int32)
    return replace(mesh, vertices=mesh.vertices[used], faces=faces)


def _vertices(value: object) -> Array:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError("mesh vertices are not numbers") from error
    if array.size == 0:
        array = array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ArgumentError(f"mesh vertices have shape {array.shape}, expected (n, 3)")
    bad = ~(np.abs(array) <= COORDINATE_LIMIT).all(axis=1)
    if bad.any():
        first = int(np.argmax(bad))
        raise ArgumentError(
            f"vertex {first} of the mesh is {array[first].tolist()}; coordinates must "
            f"be finite and at most {COORDINATE_LIMIT:g} metres (is the unit right?)"
        )
    return np.ascontiguousarray(array)


def _faces(value: object, n_vertices: int) -> NDArray[np.int32]:
    array = as_ndarray(value, "mesh faces")
    if array.size == 0:
        return np.zeros((0, 3), np.int32)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ArgumentError(f"mesh faces have shape {array.shape}, expected (m, 3)")
    if array.dtype.kind not in "iu":
        raise ArgumentError(f"mesh faces have type {array.dtype}, expected integers")
    bad = ((array < 0) | (array >= n_vertices)).any(axis=1)
    if bad.any():
        first = int(np.argmax(bad))
        raise ArgumentError(
            f"face {first} of the mesh is {array[first].tolist()}, but the mesh has "
            f"{n_vertices} vertices (indices count from 0)"
        )
    return cast("NDArray[np.int32]", np.array(array, dtype=np.int32, order="C"))


def _face_materials(
    value: object, n_faces: int, n_materials: int
) -> NDArray[np.int32] | None:
    if value is None or n_faces == 0:
        return None
    array = as_ndarray(value, "face_materials")
    if array.shape != (n_faces,) or array.dtype.kind not in "iu":
        raise ArgumentError(
            f"face_materials is {array.dtype} of shape {array.shape}, expected "
            f"integers of shape ({n_faces},)"
        )
    bad = (array < 0) | (array >= n_materials)
    if bad.any():
        first = int(np.argmax(bad))
        raise ArgumentError(
            f"face {first} of the mesh has material {array[first]}, but the mesh has "
            f"{n_materials} materials (indices count from 0)"
        )
    return cast("NDArray[np.int32]", np.array(array, dtype=np.int32, order="C"))


def _coordinates(value: Any, n_faces: int) -> NDArray[np.float32] | None:
    if value is None or n_faces == 0:
        return None
    numbers = as_ndarray(value, "texture_coordinates")
    array = np.array(numbers, dtype=np.float32, order="C")
    if array.shape != (n_faces, 3, 2):
        raise ArgumentError(
            f"texture_coordinates has shape {array.shape}, expected ({n_faces}, 3, 2)"
        )
    if not np.isfinite(array).all():
        raise ArgumentError("texture_coordinates has numbers that are not finite")
    return array
