"""Colours, textures and labels of an environment's geometries in rendered images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pyrave.geometry import Covering, Look, Surface, colors_of, texture_levels

if TYPE_CHECKING:
    from pyrave.bodies.views.geometry import Geometry
    from pyrave.geometry import Mesh, RayScene

_NOTHING = Surface(((0.0, 0.0, 0.0),), 1.0, -1)


class Appearance:
    """Look and labels of a ray scene's instances, kept until something is edited.

    Belongs to one world of an environment; poses do not matter to it.
    """

    def __init__(self) -> None:
        self._key: tuple[object, ...] = ()
        self._look = Look.from_surfaces(())
        self._labels = np.full((1, 3), -1, np.int32)

    def update(
        self, scene: RayScene, geometries: Sequence[Geometry | None]
    ) -> tuple[Look, NDArray[np.int32]]:
        """Return the looks of instances, and their labels (k + 1, 3) int32.

        Labels are the id of the body, and the indices of link and geometry; the last
        row, -1, is for rays that met nothing.

        Parameters
        ----------
        geometries
            The geometry of each instance of the scene; another sequence once the look
            of one is another.
        """
        key = (scene.solids, geometries)
        if len(self._key) != 2 or any(
            new is not old for new, old in zip(key, self._key, strict=True)
        ):
            self._look = _look(scene, geometries)
            self._labels = _labels(scene, geometries)
            self._key = key
        return self._look, self._labels


def _look(scene: RayScene, geometries: Sequence[Geometry | None]) -> Look:
    groups: dict[int, int] = {}
    surfaces = []
    for index, geometry in enumerate(geometries):
        if geometry is None:
            surfaces.append(_NOTHING)
            continue
        group = groups.setdefault(id(geometry), len(groups))
        surfaces.append(_surface(scene, index, geometry, group))
    return Look.from_surfaces(surfaces)


def _surface(scene: RayScene, index: int, geometry: Geometry, group: int) -> Surface:
    material = geometry.description.material
    mesh = scene.mesh_of(index)
    # a render mesh comes with its own colours, as OpenRAVE's viewers show it
    own = material.diffuse is None or geometry.description.render is not None
    opacity = 1.0 - material.transparency
    plain = tuple(geometry.diffuse_color.tolist())
    if mesh is None or not own or not mesh.materials:
        return Surface((plain,), opacity, group)
    colors = colors_of(mesh.materials, plain)
    return Surface(colors, opacity, group, mesh.material_of_faces, _covering(mesh))


def _covering(mesh: Mesh) -> Covering | None:
    """Return the images on a mesh; those that cannot be decoded are left out."""
    if not mesh.is_textured:
        return None
    named = [one.texture for one in mesh.materials]
    images = tuple(None if one is None else texture_levels(one) for one in named)
    return Covering(images, mesh) if any(one is not None for one in images) else None


def _labels(
    scene: RayScene, geometries: Sequence[Geometry | None]
) -> NDArray[np.int32]:
    labels = np.full((len(geometries) + 1, 3), -1, np.int32)
    for index, geometry in enumerate(geometries):
        if geometry is None:
            continue
        link = geometry.link
        place = [one is geometry for one in link.geometries].index(True)
        labels[index] = scene.ids[index], link.index, place
    return labels
