"""Triangles of bodies, and of files."""

from __future__ import annotations

from typing import Any

import numpy as np

import pyrave
from pyrave.files import write_file
from pyrave_openravepy.api.bodies.boxes import TriMesh
from pyrave_openravepy.api.enums import SelectionOptions
from pyrave_openravepy.api.environment.files import local_name
from pyrave_openravepy.api.foundation.logs import RaveLogError
from pyrave_openravepy.api.foundation.objects import ApiObject, as_native
from pyrave_openravepy.api.functions.files import RaveFindLocalFile

__all__ = ["EnvironmentMeshes"]


class EnvironmentMeshes(ApiObject):
    """The part of `Environment` that gives triangles."""

    def Triangulate(self, body: Any) -> Any:
        return _mesh(_triangles([as_native(body)]))

    def TriangulateScene(self, options: int, name: str = "") -> Any:
        choice = SelectionOptions(int(options))
        keeps = {
            SelectionOptions.NoRobots: lambda body: not body.is_robot,
            SelectionOptions.Robots: lambda body: body.is_robot,
            SelectionOptions.Everything: lambda _: True,
            SelectionOptions.Body: lambda body: body.name == name,
            SelectionOptions.AllExceptBody: lambda body: body.name != name,
        }
        return _mesh(_triangles(filter(keeps[choice], self._native.bodies)))

    def ReadTrimeshURI(self, filename: str, atts: Any = None) -> Any:
        from pyrave.scene import MeshReference

        try:
            name = local_name(filename)
            found = self._native.load_mesh(
                MeshReference(RaveFindLocalFile(name) or name)
            )
        except pyrave.Error as error:
            RaveLogError(str(error))
            return None
        return _mesh((found.vertices, found.faces))

    def ReadTrimeshFile(self, filename: str, atts: Any = None) -> Any:
        return self.ReadTrimeshURI(filename, atts)

    def ReadTrimeshData(self, data: Any, formathint: str, atts: Any = None) -> Any:
        import tempfile
        from pathlib import Path

        content = data.encode() if isinstance(data, str) else bytes(data)
        with tempfile.TemporaryDirectory() as place:
            path = Path(place, f"mesh.{str(formathint).lstrip('.')}")
            write_file(path, content)
            return self.ReadTrimeshURI(str(path), atts)


def _triangles(bodies: Any) -> tuple[Any, Any]:
    from pyrave.spatial import transform_points

    points, faces, count = [np.empty((0, 3))], [np.empty((0, 3), np.int64)], 0
    for body in bodies:
        for link in body.links:
            for geometry in link.geometries:
                mesh = geometry.mesh
                placed = transform_points(geometry.world_transform, mesh.vertices)
                points.append(placed)
                faces.append(mesh.faces + count)
                count += len(mesh.vertices)
    return np.concatenate(points), np.concatenate(faces)


def _mesh(found: tuple[Any, Any]) -> Any:
    return TriMesh(np.array(found[0], float), np.array(found[1], np.int32))
