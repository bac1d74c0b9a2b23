"""The visible geometries of an environment, with layers over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.bodies.appearance import Appearance
from pyrave.geometry import render

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pyrave.environment import RayWorld
    from pyrave.geometry import Camera
    from pyrave.pictures.layers import Layer


_SEEN = 1000.0
"""Farthest that is seen from the origin, metres."""


def draw(
    world: RayWorld, camera: Camera, layers: Iterable[Layer] = ()
) -> NDArray[np.uint8]:
    """Return a picture of what there is in a world, and of layers over it.

    Parameters
    ----------
    world
        `Environment.visual_scene`, or `Environment.ray_world` for what collides.
    layers
        Painted in their order.

    Returns
    -------
    ndarray
        (height, width, 3) uint8, rows from the top.
    """
    look, _ = Appearance().update(world.scene, world.geometries)
    # from far off the world is seen, too
    far = _SEEN + 2.0 * float(np.linalg.norm(camera.pose[:3, 3]))
    image = render(world.scene, look, camera, max_range=far)
    for layer in layers:
        image = layer.paint(image, camera, world.scene)
    return image
