"""Convex hulls that stand for the links of a body, with a padding."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.views.link import Link
from pyrave.databases.database import Database
from pyrave.databases.keys import geometry_digest
from pyrave.errors import ArgumentError, shown
from pyrave.geometry import (
    Mesh,
    convex_pieces,
    hull_faces,
    hull_planes,
    padded_hull,
)
from pyrave.interfaces.settings.declarations import setting
from pyrave.records import Record
from pyrave.scene import GeometryDescription, MeshData, TriMesh
from pyrave.spatial import as_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.bodies.views.geometry import Geometry
    from pyrave.pictures import Drawing
    from pyrave.spatial import Array

GROUP = "convex"
"""Name of the group of geometries that hulls become."""
_SEGMENTS = 32
"""Corners of the polygon that stands for a circle."""
_FLAT = 1e-6
"""Thickness below which a mesh is flat, as a part of its size."""
_AT_ONCE = 65536
_BLUE = (0.2, 0.4, 0.9, 0.3)


@dataclass(frozen=True, slots=True)
class Hull(Record):
    """One convex hull, in the frame of its link.

    Parameters
    ----------
    link, geometry
        Indices of the link, and of the geometry of it that the hull is a part of.
    vertices
        (n, 3) metres.
    faces
        (m, 3) triangles, counter-clockwise from outside.
    planes
        (k, 4): a point is inside where ``planes @ (x, y, z, 1)`` is nowhere above 0.
    """

    link: int
    geometry: int
    vertices: Array
    faces: NDArray[np.int64]
    planes: Array


@dataclass(frozen=True, slots=True)
class HullParameters:
    """Distance of hulls from geometries, and fineness of their pieces."""

    padding: float = setting(0.005, "around geometries", unit="m", least=0.0, most=10.0)
    concavity: float = setting(
        0.05, "of a piece, as a part of the mesh's size", least=0.01, most=1.0
    )
    whole_above: int | None = setting(
        None, "triangles of a mesh from which on it is not cut; none: all are", least=1
    )


class ConvexDecomposition(Database):
    """Convex hulls around what collides of a body, some for each link.

    Convex geometries are one hull each. Others are cut by
    `pyrave.geometry.convex_pieces`, which takes the extra ``convex``. Each hull has all
    in it that is `padding` away from its piece.

    Parameters
    ----------
    body
        A body or robot.
    **parameters
        As `HullParameters` declares them.

    Raises
    ------
    ArgumentError
        It is no body, or a parameter is wrong.
    StateError
        It is in no environment.
    """

    kind = "convexdecomposition"
    settings_type = HullParameters
    takes: ClassVar[Mapping[str, type]] = {"body": KinBody}

    def __init__(self, body: KinBody, **parameters: Any) -> None:
        super().__init__(body, **parameters)
        self.body: KinBody = self.subjects[0]

    def hulls(self, link: Link | str | int | None = None) -> tuple[Hull, ...]:
        """Return the hulls of a link, or of all.

        Parameters
        ----------
        link
            The link, its name or index; None: all.

        Raises
        ------
        StateError
            There are no results yet: `build` or `load` comes before.
        """
        arrays = self.arrays
        wanted = None
        if link is not None:
            number = link.index if isinstance(link, Link) else link
            wanted = self.body.model.link_number(number)
        parts = [
            np.split(arrays[name], np.cumsum(arrays[f"{name}_counts"])[:-1])
            for name in ("vertices", "faces", "planes")
        ]
        return tuple(
            Hull(int(index), int(geometry), vertices, faces, planes)
            for index, geometry, vertices, faces, planes in zip(
                arrays["links"], arrays["geometries"], *parts, strict=False
            )
            if wanted is None or index == wanted
        )

    def points_inside(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Return the mask of points that are in a hull of the body as it is now.

        Parameters
        ----------
        points
            (n, 3) in the world, metres.
        """
        given = as_rows(points, (3,), "points")
        inside = np.zeros(len(given), np.bool_)
        poses = self.body.transforms_view
        for hull in self.hulls():
            pose = poses[hull.link]
            local = hull.planes[:, :3] @ pose[:3, :3].T
            offsets = hull.planes[:, 3] - local @ pose[:3, 3]
            low, high = hull.vertices.min(axis=0), hull.vertices.max(axis=0)
            middle = pose[:3, :3] @ (0.5 * (low + high)) + pose[:3, 3]
            radius = 0.5 * float(np.linalg.norm(high - low))
            near = ~inside & (np.linalg.norm(given - middle, axis=1) <= radius)
            rows = np.flatnonzero(near)
            for start in range(0, len(rows), _AT_ONCE):
                some = rows[start : start + _AT_ONCE]
                inside[some] = (given[some] @ local.T + offsets <= 0.0).all(axis=1)
        return inside

    def add_group(self, group: str = GROUP) -> None:
        """Give the links of the body their hulls as a group of geometries.

        ``env.collision_checker.set_geometry_group(group)`` compares these from then on,
        and ``body.use_geometry_group(group)`` puts them in the place of what is there.

        Parameters
        ----------
        group
            Its name; what was in such a group is gone.

        Raises
        ------
        ArgumentError
            The name is empty, or that of the geometries themselves, ``self``.
        """
        if not isinstance(group, str) or not group.strip() or group == "self":
            raise ArgumentError(
                f"group is {shown(group)}, expected a name that is not 'self', which "
                "has what the hulls are made of"
            )
        made: dict[int, list[GeometryDescription]] = {}
        for hull in self.hulls():
            data = MeshData(hull.vertices, hull.faces.astype(np.int32))
            some = made.setdefault(hull.link, [])
            name = f"{group}{len(some)}"
            some.append(GeometryDescription(TriMesh(data), name=name))
        for index, geometries in made.items():
            self.body.links[index].set_geometries(geometries, group)

    # -- the computation -----------------------------------------------------------

    def _identity(self) -> Mapping[str, object]:
        return {"links": geometry_digest(self.body)}

    def _task_count(self) -> int:
        return len(self.body.links)

    def _compute(self, index: int) -> dict[str, NDArray[Any]]:
        return columns_of(
            Hull(index, number, *hull)
            for number, geometry in enumerate(self.body.links[index].geometries)
            for hull in self._hulls_of(geometry)
        )

    def _hulls_of(
        self, geometry: Geometry
    ) -> Iterator[tuple[Array, NDArray[np.int64], Array]]:
        if geometry.type == "none" or geometry.unusable:
            return
        mesh, pose = geometry.mesh, geometry.transform
        if not len(mesh.faces):
            return
        given: HullParameters = self.settings
        # the polygon of a circle, turned about its other axis, too, is within it
        radius = getattr(geometry.description.shape, "radius", 0.0)
        inner = radius * (1.0 - math.cos(math.pi / _SEGMENTS) ** 2)
        for points in self._pieces(mesh):
            yield hull_around(
                points @ pose[:3, :3].T + pose[:3, 3], given.padding + inner
            )

    def _pieces(self, mesh: Mesh) -> tuple[Array, ...]:
        """Return the corners of convex pieces of a mesh."""
        given: HullParameters = self.settings
        used = mesh.vertices[np.unique(mesh.faces)]
        most = given.whole_above
        if (
            mesh.is_convex
            or _is_flat(used)
            or (most is not None and len(mesh.faces) > most)
        ):
            return (used,)
        return convex_pieces(mesh, given.concavity)

    def summary(self) -> dict[str, Any]:
        """Return the number of hulls, their corners and planes, and their volume."""
        hulls = self.hulls()
        volume = sum(
            Mesh(one.vertices, one.faces.astype(np.int32)).volume for one in hulls
        )
        return {
            "hulls": len(hulls),
            "vertices": len(self.arrays["vertices"]),
            "planes": len(self.arrays["planes"]),
            "volume": float(volume),
        }

    def show(self) -> list[Drawing]:
        """Draw the hulls where the body is."""
        poses, draw = self.body.transforms_view, self.env.draw
        return [
            draw.mesh(hull.vertices, hull.faces, pose=poses[hull.link], color=_BLUE)
            for hull in self.hulls()
        ]


def columns_of(hulls: Iterator[Hull]) -> dict[str, NDArray[Any]]:
    """Return hulls as columns, with the number of rows of each."""
    some = list(hulls)
    return {
        "links": np.array([one.link for one in some], np.int32),
        "geometries": np.array([one.geometry for one in some], np.int32),
        "vertices": np.concatenate([np.zeros((0, 3)), *(h.vertices for h in some)]),
        "vertices_counts": np.array([len(one.vertices) for one in some], np.int64),
        "faces": np.concatenate(
            [np.zeros((0, 3), np.int64), *(one.faces for one in some)]
        ),
        "faces_counts": np.array([len(one.faces) for one in some], np.int64),
        "planes": np.concatenate([np.zeros((0, 4)), *(one.planes for one in some)]),
        "planes_counts": np.array([len(one.planes) for one in some], np.int64),
    }


def hull_around(
    points: Array, padding: float
) -> tuple[Array, NDArray[np.int64], Array]:
    """Return vertices, faces and planes of a hull with a padding around points.

    Points in one plane are a plate as thick as a millionth of their size at least.
    """
    places = np.unique(points, axis=0)
    if _is_flat(places):
        thick = max(
            padding, _FLAT * float(np.ptp(places, axis=0).max(initial=0.0)), 1e-9
        )
        signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
        corners = (places[:, None] + thick * signs).reshape(-1, 3)
    else:
        corners = padded_hull(places, padding)
    corners = np.unique(corners, axis=0)
    faces = hull_faces(corners)
    used, numbers = np.unique(faces, return_inverse=True)
    vertices, faces = corners[used], numbers.reshape(-1, 3)
    return vertices, faces, hull_planes(vertices, faces)


def _is_flat(points: Array) -> bool:
    """Return True if points are in one plane, or nearly."""
    apart = points - points.mean(axis=0)
    sizes = np.linalg.svd(apart, compute_uv=False) if len(points) > 3 else np.zeros(3)
    return bool(sizes[-1] <= _FLAT * max(float(sizes[0]), 1e-300))
