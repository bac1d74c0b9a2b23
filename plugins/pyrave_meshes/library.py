"""Reading with trimesh: what of it is used, and what it is not left alone with.

It may raise anything on damaged files, opens files that these name, and believes the
counts that it finds. So it is given the bytes and a way to the files next to the mesh
alone, the readers look at the counts before, and any exception becomes an error that
names the file and the library.
"""

from __future__ import annotations

import importlib
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import Error, ResourceError, SceneError
from pyrave.geometry import Mesh
from pyrave.scene import Material

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.formats import MeshSource
    from pyrave.scene import Texture
    from pyrave.spatial import Array

MAX_TRIANGLES = 50_000_000
_SHOWN = 100
# farther repetitions of an image are beyond single precision
_MOST = 1e6


def read_scene(
    source: MeshSource,
    data: bytes,
    file_type: str,
    textures: Mapping[str, Texture] | None = None,
) -> Mesh:
    """Return all triangles of a file as trimesh reads it, each object in its place.

    Parameters
    ----------
    data
        What trimesh gets: the content of the file, made safe.
    file_type
        Name of the format, as trimesh has it.
    textures
        By names of materials; trimesh gets no images.

    Raises
    ------
    SceneError
        The library is not installed, or it refused the file.
    """
    trimesh = _library(source)
    try:
        scene = trimesh.load_scene(
            io.BytesIO(data), file_type=file_type, resolver=_resolver(trimesh, source)
        )
        parts = [
            _part(scene.geometry[name], np.asarray(matrix, np.float64), textures or {})
            for matrix, name in (
                scene.graph[node] for node in scene.graph.nodes_geometry
            )
            if len(getattr(scene.geometry[name], "faces", ()))
        ]
    except Error:
        raise
    except Exception as error:
        raise source.error(
            f"trimesh {trimesh.__version__} cannot read it: "
            f"{type(error).__name__}: {_shortened(error)}"
        ) from error
    return Mesh.merge(parts)


def _library(source: MeshSource) -> Any:
    try:
        return importlib.import_module("trimesh")
    except ImportError as error:
        raise source.error(
            f"this format is read by trimesh: {error}",
            hint="pip install 'pyrave[meshes]'",
            code="missing-library",
        ) from error


def _resolver(trimesh: Any, source: MeshSource) -> Any:
    """Return trimesh's way to other files: only to those that the source allows."""
    base: Any = trimesh.resolvers.Resolver

    class Beside(base):  # type: ignore[misc]
        def __init__(self) -> None:
            """Keep nothing: the source knows the folder."""

        def get(self, name: str) -> bytes:
            try:
                return source.sibling(name).data
            except ResourceError as error:
                shown = name if len(name) <= _SHOWN else name[:_SHOWN] + "..."
                raise source.error(
                    f"it needs the file {shown!r}, which is not next to it or below",
                ) from error

        def write(self, name: str, data: bytes) -> None:
            raise SceneError(f"{source.file} is only read")

        def namespaced(self, namespace: str) -> Any:
            return self

        def keys(self) -> tuple[str, ...]:
            return ()

    return Beside()


def _part(geometry: Any, matrix: Array, textures: Mapping[str, Texture]) -> Mesh:
    theirs = getattr(geometry.visual, "material", None)
    texture = textures.get(str(getattr(theirs, "name", None)))
    places = None if texture is None else getattr(geometry.visual, "uv", None)
    material = _material(theirs, None if places is None else texture)
    faces = np.asarray(geometry.faces)
    laid = None
    if places is not None:
        known = np.nan_to_num(np.asarray(places, np.float64)).clip(-_MOST, _MOST)
        laid = known[faces]
    mesh = Mesh(
        np.asarray(geometry.vertices),
        faces,
        () if material == Material() else (material,),
        None,
        laid,
    )
    return mesh.transformed(matrix)


def _material(material: Any, texture: Texture | None) -> Material:
    """Return the looks of a trimesh material."""
    diffuse, ambient = (
        next(
            (
                found
                for name in names
                if (found := _colour(getattr(material, name, None))) is not None
            ),
            None,
        )
        for names in (("baseColorFactor", "diffuse"), ("ambient",))
    )
    opacity = 1.0
    if diffuse is not None and getattr(material, "alphaMode", None) in {"BLEND", None}:
        opacity = diffuse[3]
    return Material(
        None if diffuse is None else diffuse[:3],
        None if ambient is None else ambient[:3],
        1.0 - opacity,
        texture,
    )


def _colour(value: Any) -> tuple[float, float, float, float] | None:
    """Return red green blue alpha 0..1 of what trimesh has as a colour, or None."""
    if value is None:
        return None
    colour = np.asarray(value)
    # whole numbers are bytes
    scale = 255.0 if colour.dtype.kind in "ui" else 1.0
    numbers = np.append(colour.reshape(-1).astype(np.float64) / scale, 1.0)
    if len(numbers) < 4 or not np.isfinite(numbers).all():
        return None
    red, green, blue, alpha = np.clip(numbers[:4], 0.0, 1.0).tolist()
    return red, green, blue, alpha


def _shortened(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0][:200] if lines else "no message"
