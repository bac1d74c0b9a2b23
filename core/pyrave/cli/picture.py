"""Pictures of an environment, without a display."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import Error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyrave.environment import Environment
    from pyrave.geometry import Camera, RayScene
    from pyrave.interfaces.sensor import SensorBase
    from pyrave.scene import SceneDescription
    from pyrave.sensing.data import LaserData
    from pyrave.spatial import Array

_RAY_COLOUR = (0.95, 0.15, 0.12)
_CLOUD_COLOUR = (0.05, 0.42, 0.95)
_FIELD_OF_VIEW = math.radians(45.0)
_MOST_DRAWN_RAYS = 2000


@dataclass(frozen=True, eq=False)
class Cloud:
    """What lasers saw, to be drawn over a picture.

    Parameters
    ----------
    scan
        The scan whose rays are drawn, or None.
    points
        (n, 3) further points, world, metres.
    colour
        Red green blue 0..1 of all of it; None: red for rays, blue for points.
    """

    scan: LaserData | None = None
    points: Array | None = None
    colour: tuple[float, ...] | None = None


def cloud_of(
    scans: Sequence[LaserData], colour: tuple[float, ...] | None = None
) -> Cloud:
    """Return what is drawn of scans: one of few rays with these, or else points."""
    if len(scans) == 1 and len(scans[0].ranges) <= _MOST_DRAWN_RAYS:
        return Cloud(scans[0], colour=colour)
    points = [scan.points[scan.returned] for scan in scans]
    return Cloud(None, np.concatenate(points) if points else None, colour)


def scene_camera(
    env: Environment, scene: SceneDescription | None, width: int, height: int
) -> Camera:
    """Return the scene's own camera, or one that sees everything."""
    from pyrave.geometry import Camera

    if scene is not None and scene.camera is not None:
        return Camera.at(scene.camera.pose.matrix, width, height)
    lower, upper = _bounds(env)
    centre = 0.5 * (lower + upper)
    radius = max(0.5 * float(np.sqrt(((upper - lower) ** 2).sum())), 0.1)
    away = radius / math.sin(0.5 * _FIELD_OF_VIEW)
    direction = np.array((-1.0, -1.2, 0.8)) / math.sqrt(3.08)
    return Camera.look_at(
        centre + away * direction, centre, width=width, height=height,
        field_of_view=_FIELD_OF_VIEW,
    )  # fmt: skip


def draw(
    env: Environment, camera: Camera, cloud: Cloud | None = None
) -> NDArray[np.uint8]:
    """Return a picture of the visible geometries, with what lasers saw on top.

    Scanners whose `render_data` is on have their latest scan drawn, in their `color`;
    one that raises then is left out, and the environment has a problem of it.

    Parameters
    ----------
    cloud
        To be drawn, too.

    Returns
    -------
    ndarray
        (height, width, 3) uint8.
    """
    from pyrave.bodies.appearance import Appearance
    from pyrave.geometry import render

    world = env.visual_scene
    scene = world.scene
    look, _ = Appearance().update(scene, world.geometries)
    image = render(scene, look, camera)
    for sensor in env.sensors:
        image = _with_latest(env, sensor, image, scene, camera)
    return image if cloud is None else _with_cloud(image, scene, camera, cloud)


def _with_latest(
    env: Environment,
    sensor: SensorBase,
    image: NDArray[np.uint8],
    scene: RayScene,
    camera: Camera,
) -> NDArray[np.uint8]:
    """Return the picture with a sensor's latest scan, if that is to be drawn."""
    from pyrave.environment.failures import attempted
    from pyrave.sensing import LaserData

    def drawn() -> NDArray[np.uint8]:
        data = sensor.read() if sensor.render_data else None
        if not isinstance(data, LaserData):
            return image
        return _with_cloud(image, scene, camera, cloud_of([data], sensor.color))

    return attempted(
        env,
        sensor,
        drawn,
        lambda: image,
        what="drawing what it measured raised",
        outcome="is left out of a picture",
    )


def _with_cloud(
    image: NDArray[np.uint8], scene: RayScene, camera: Camera, cloud: Cloud
) -> NDArray[np.uint8]:
    from pyrave.geometry import overlay_points, overlay_segments

    if cloud.points is not None and len(cloud.points):
        image = overlay_points(
            image,
            camera,
            cloud.points,
            cloud.colour or _CLOUD_COLOUR,
            scene=scene,
            radius=1.1,
            opacity=0.75,
        )
    scan = cloud.scan
    if scan is not None and len(scan.ranges):
        ends = scan.points
        starts = np.broadcast_to(scan.positions, ends.shape)
        rays = np.stack((starts, ends), axis=1)
        seen = scan.returned
        colour = cloud.colour or _RAY_COLOUR
        image = overlay_segments(
            image, camera, rays[seen][::3], colour, scene=scene, opacity=0.3
        )
        image = overlay_points(
            image, camera, ends[seen], colour, scene=scene, radius=1.8
        )
    return image


def _bounds(env: Environment) -> tuple[Array, Array]:
    boxes = []
    for body in env.bodies:
        for link in body.links:
            try:
                box = link.aabb
            except Error:
                box = (link.transform[:3, 3], np.zeros(3))
            if box is not None:
                boxes.append(box)
    if not boxes:
        return -np.ones(3), np.ones(3)
    centres = np.array([box[0] for box in boxes])
    halves = np.array([box[1] for box in boxes])
    return (centres - halves).min(axis=0), (centres + halves).max(axis=0)
