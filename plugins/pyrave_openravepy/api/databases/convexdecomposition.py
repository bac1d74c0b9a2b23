"""Convex hulls around the links of a robot."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.databases._generator import DatabaseGenerator
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import guarded
from pyrave_openravepy.api.foundation.home import home
from pyrave_openravepy.api.foundation.objects import as_native
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = ["ConvexDecompositionError", "ConvexDecompositionModel", "inner1d", "run"]

Array = NDArray[np.float64]
Hull = tuple[Array, NDArray[np.int64], Array]


@guarded
def inner1d(arr1: Any, arr2: Any) -> Array:
    """Return the inner products of rows."""
    return np.asarray(np.einsum("...i,...i->...", np.asarray(arr1), np.asarray(arr2)))


class ConvexDecompositionError(Exception):
    """A failure of a convex decomposition."""

    def __init__(self, msg: str = "") -> None:
        super().__init__(msg)
        self.msg = msg

    def __str__(self) -> str:
        return repr(self.msg)


class ConvexDecompositionModel(DatabaseGenerator):
    """Convex hulls around the links of a robot or body.

    A hull is vertices (n, 3), triangles (m, 3) and planes (k, 4), in its link's frame.

    Parameters
    ----------
    robot
        A robot or body.
    padding
        Metres that hulls are around geometries.
    """

    kind = "convexdecomposition"
    version = 2

    def __init__(self, robot: Any, padding: float = 0.0) -> None:
        super().__init__(robot)
        self._padding = float(padding)
        self.linkgeometry: list[list[tuple[int, list[Hull]]]] | None = None
        self.convexparams: dict[str, Any] = {}

    def _new_database(self, **parameters: Any) -> Any:
        from pyrave.databases import ConvexDecomposition

        given: dict[str, Any] = {"padding": self._padding}
        if parameters.get("padding") is not None:
            given["padding"] = self._padding = float(parameters["padding"])
        if parameters.get("minTriangleConvexHullThresh") is not None:
            given["whole_above"] = int(parameters["minTriangleConvexHullThresh"])
        return ConvexDecomposition(as_native(self.robot), **given)

    def _take(self) -> None:
        links: list[dict[int, list[Hull]]] = [{} for _ in as_native(self.robot).links]
        for hull in self._native.hulls():
            parts = (
                np.array(hull.vertices),
                np.array(hull.faces),
                np.array(hull.planes),
            )
            links[hull.link].setdefault(int(hull.geometry), []).append(parts)
        self.linkgeometry = [sorted(some.items()) for some in links]
        self.convexparams = dict(self._native.parameters)

    def generate(
        self,
        padding: Any = None,
        minTriangleConvexHullThresh: Any = None,
        convexHullLinks: Any = None,
        **kwargs: Any,
    ) -> None:
        super().generate(
            padding=padding, minTriangleConvexHullThresh=minTriangleConvexHullThresh
        )

    def setrobot(self) -> None:
        """Put the hulls in the place of the geometries."""
        self._results().add_group("convexdecomposition")
        as_native(self.robot).use_geometry_group("convexdecomposition")

    def SavePickle(self) -> None:
        self.save()

    def SaveHDF5(self) -> None:
        self.save()

    def LoadPickle(self) -> bool:
        return self.load()

    def LoadHDF5(self) -> bool:
        return self.load()

    # -- hulls -------------------------------------------------------------------------

    def testPointsInside(self, points: Any) -> NDArray[np.bool_]:
        return np.array(self._results().points_inside(points))

    @staticmethod
    def transformHull(T: Any, hull: Any) -> Hull:
        vertices, faces, *planes = hull
        pose = matrix_of(T)
        moved = np.asarray(vertices) @ pose[:3, :3].T + pose[:3, 3]
        rows = np.asarray(planes[0] if planes else _planes(vertices), np.float64)
        turned = rows[:, :3] @ pose[:3, :3].T
        offsets = rows[:, 3] - turned @ pose[:3, 3]
        return moved, np.array(faces), np.column_stack((turned, offsets))

    @staticmethod
    def GenerateTrimeshFromHulls(hulls: Any) -> Any:
        """Return one mesh of all triangles."""
        if not len(hulls):
            return home().TriMesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32))
        first = np.cumsum([0] + [len(hull[0]) for hull in hulls])
        vertices = np.vstack([hull[0] for hull in hulls])
        faces = np.vstack(
            [
                np.asarray(hull[1]) + start
                for start, hull in zip(first, hulls, strict=False)
            ]
        )
        return home().TriMesh(vertices, faces.astype(np.int32))

    @staticmethod
    def ComputeHullPlanes(hull: Any, thresh: float = 0.99999) -> Array:
        """Return planes (k, 4): a point is inside where none of them is above 0."""
        return _planes(hull[0], float(thresh))

    @staticmethod
    def ComputePaddedConvexHullFromTriMesh(trimesh: Any, padding: float = 0.0) -> Any:
        from pyrave.geometry import hull_faces, padded_hull

        points = np.unique(np.asarray(trimesh.vertices, np.float64), axis=0)
        if padding:
            points = np.asarray(padded_hull(points, float(padding)))
        faces = np.asarray(hull_faces(points), np.int64)
        return [(points, faces)]

    @staticmethod
    def ComputePaddedConvexDecompositionFromTriMesh(
        trimesh: Any, padding: float = 0.0
    ) -> Any:
        from pyrave.geometry import Mesh, convex_pieces

        mesh = Mesh(np.asarray(trimesh.vertices), np.asarray(trimesh.indices))
        found = []
        for piece in convex_pieces(mesh):
            part = _Points(np.asarray(getattr(piece, "vertices", piece)))
            found += ConvexDecompositionModel.ComputePaddedConvexHullFromTriMesh(
                part, padding
            )
        return found

    @staticmethod
    def PadMesh(
        vertices: Any,
        indices: Any,
        padding: float,
        mergeDuplicated: bool = True,
        rtol: float = 1e-05,
        atol: float = 1e-08,
        setNormalsAwayFromCenter: bool = False,
    ) -> tuple[Array, NDArray[np.int64]]:
        """Return a mesh whose vertices are moved outwards along their normals."""
        points = np.array(vertices, np.float64)
        faces = np.array(indices, np.int64).reshape(-1, 3)
        if mergeDuplicated:
            scale = max(float(atol), float(rtol) * float(np.abs(points).max(initial=0)))
            _, kept, inverse = np.unique(
                np.round(points / scale), axis=0, return_index=True, return_inverse=True
            )
            points, faces = points[kept], inverse.ravel()[faces]
        a, b, c = (points[faces[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        if setNormalsAwayFromCenter:
            outward = (a + b + c) / 3.0 - points.mean(axis=0)
            normals *= np.where((normals * outward).sum(axis=1) < 0, -1.0, 1.0)[:, None]
        sums = np.zeros_like(points)
        for corner in range(3):
            np.add.at(sums, faces[:, corner], normals)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        ways = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0)
        return points + float(padding) * ways, faces

    def GetGeometryInfosFromLink(
        self, ilink: int, preservetransform: bool = False, color: Any = None
    ) -> list[Any]:
        """Return an info of a mesh for each hull of a link."""
        self._results()
        if self.linkgeometry is None:
            self._take()
        infos = []
        for _, hulls in (self.linkgeometry or [])[int(ilink)]:
            for vertices, faces, _ in hulls:
                info = home().KinBody.GeometryInfo()
                info._type = home().GeometryType.Trimesh
                info._meshcollision = home().TriMesh(vertices, faces.astype(np.int32))
                if color is not None:
                    info._vDiffuseColor = color
                infos.append(info)
        return infos

    def ShowLink(self, ilink: int, progressive: bool = False) -> Any:
        found = self._results()
        pose = as_native(self.robot).links[int(ilink)].transform
        handles = []
        for hull in found.hulls(int(ilink)):
            vertices, faces, _ = self.transformHull(
                pose, (hull.vertices, hull.faces, hull.planes)
            )
            handles.append(self.env.drawtrimesh(vertices, faces, (0.4, 0.7, 1.0, 0.6)))
        return handles

    @staticmethod
    def CreateOptionParser(useManipulator: bool = False) -> Any:
        parser = DatabaseGenerator.CreateOptionParser(useManipulator)
        parser.add_option(
            "--padding", type="float", dest="padding", help="Metres around geometries."
        )
        return parser

    def _parameters_of(self, options: Any) -> dict[str, Any]:
        return {"padding": getattr(options, "padding", None)}

    @staticmethod
    def RunFromParser(
        Model: Any = None, parser: Any = None, args: Any = None, **kwargs: Any
    ) -> Any:
        return DatabaseGenerator.RunFromParser(
            Model or ConvexDecompositionModel,
            parser or ConvexDecompositionModel.CreateOptionParser(),
            args=args,
            allowkinbody=True,
            **kwargs,
        )


class _Points:
    """Vertices alone, in place of a mesh."""

    def __init__(self, vertices: Array) -> None:
        self.vertices = vertices


def _planes(vertices: Any, cosine: float = 0.99999) -> Array:
    from pyrave.geometry import hull_faces, hull_planes

    points = np.unique(np.asarray(vertices, np.float64), axis=0)
    if len(points) < 4:
        raise openrave_exception(f"a hull has {len(points)} vertices, expected 4")
    return np.asarray(hull_planes(points, hull_faces(points), cosine))


def run(*args: Any, **kwargs: Any) -> Any:
    """Run the database as a program."""
    return ConvexDecompositionModel.RunFromParser(*args, **kwargs)
