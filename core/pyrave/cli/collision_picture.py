"""A picture of what collides in an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.cli.collisions import TOUCHING, depth_of
from pyrave.environment.display.pictures import camera_of
from pyrave.pictures import Viewpoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyrave.environment import Environment
    from pyrave.interfaces.collision.report import CollisionPair

_ANYWHERE = Viewpoint()
_OVERLAP = (0.88, 0.08, 0.08)
_CONTACT = (1.0, 0.92, 0.1)
_EDGE = (0.1, 0.1, 0.1)


def draw_collisions(
    env: Environment,
    pairs: Sequence[CollisionPair],
    distances: Sequence[dict[str, Any]] = (),
    viewpoint: Viewpoint = _ANYWHERE,
) -> NDArray[np.uint8]:
    """Return a picture of the shapes that are compared, in which overlaps are red.

    Contacts and nearest points are yellow, and drawn over what hides them. All else
    loses most of its colour.

    Parameters
    ----------
    distances
        As `pyrave.cli.collisions.find_distances` returns them.
    viewpoint
        Where it is taken from.

    Returns
    -------
    ndarray
        (720, 960, 3) uint8.
    """
    from pyrave.bodies.appearance import Appearance
    from pyrave.geometry import overlay_points, overlay_segments, render

    world = env.ray_world
    look, _ = Appearance().update(world.scene, world.geometries)
    overlapping = {
        side.geometry
        for pair in pairs
        if (depth := depth_of(pair)) is None or depth >= TOUCHING
        for side in (pair.first, pair.second)
    }
    instances = [
        row
        for row, geometry in enumerate(world.geometries)
        if geometry is not None and geometry in overlapping
    ]
    camera = camera_of(env, viewpoint)
    look = look.tinted(dict.fromkeys(instances, _OVERLAP))
    image = render(world.scene, look, camera)
    contacts = [one.position for pair in pairs for one in pair.contacts]
    segments = np.reshape([one["points"] for one in distances], (-1, 2, 3))
    dots = np.concatenate((np.reshape(contacts, (-1, 3)), segments.reshape(-1, 3)))
    # with a dark edge they are seen on every colour
    for colour, wider in ((_EDGE, 1.5), (_CONTACT, 0.0)):
        image = overlay_segments(
            image, camera, segments, colour, width=2.0 + wider, opacity=1.0
        )
        image = overlay_points(image, camera, dots, colour, radius=2.5 + wider)
    return image
