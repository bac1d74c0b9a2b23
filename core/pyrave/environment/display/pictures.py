"""Pictures of an environment: its scanners' scans, and files."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pyrave.environment.failures import attempted
from pyrave.environment.files.options import path_of
from pyrave.errors import ArgumentError, ResourceError
from pyrave.geometry import (
    IMAGE_ENDINGS,
    Picture,
    check_image_file,
    write_image,
)
from pyrave.pictures import DrawnLayer, Skeleton, Viewpoint, cloud_of, draw, layers_of
from pyrave.sensing.data import LaserData
from pyrave.sensing.export import points_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

    from pyrave.environment.environment import Environment
    from pyrave.geometry import Camera, RayScene
    from pyrave.interfaces.sensor import SensorBase
    from pyrave.pictures import Layer

    Image = NDArray[np.uint8]


def picture(
    env: Environment,
    path: str | PathLike[str] | None,
    viewpoint: Viewpoint,
    **layers: Any,
) -> Picture:
    """Return a picture and write it to a file; see `Environment.picture`."""
    target = None if path is None else file_target(path, IMAGE_ENDINGS)
    if target is not None:
        check_image_file(target)
    camera = camera_of(env, viewpoint)
    image = drawn(env, camera, layers_of(env, **layers))
    if target is not None:
        try:
            write_image(target, image)
        except OSError as error:
            reason = error.strerror or error
            raise ArgumentError(f"{target} cannot be written: {reason}") from error
    return image.view(Picture)


def camera_of(env: Environment, viewpoint: Viewpoint) -> Camera:
    """Return the camera of a viewpoint, which may be that of the scene."""
    own = env.internals.record.scene.camera
    return viewpoint.camera(env, None if own is None else own.pose.matrix)


def drawn(env: Environment, camera: Camera, layers: Iterable[Layer] = ()) -> Image:
    """Return a picture with scans of scanners that draw theirs, drawings and layers.

    Bodies without a shape are skeletons. A scanner that raises is left out, and the
    environment has a problem of it.
    """
    world = env.visual_scene
    image = draw(world, camera, filter(None, map(Skeleton.from_body, env.bodies)))
    for sensor in env.sensors:
        image = attempted(
            env,
            sensor,
            partial(_with_latest, sensor, image, camera, world.scene),
            partial(np.asarray, image),
            what="drawing what it measured raised",
            outcome="is left out of a picture",
        )
    drawings = env.internals.drawings
    entries = {} if drawings is None else drawings.entries()
    own = (DrawnLayer(one.item) for one in entries.values() if one.visible)
    for layer in (*own, *layers):
        image = layer.paint(image, camera, world.scene)
    return image


def _with_latest(
    sensor: SensorBase, image: Image, camera: Camera, scene: RayScene
) -> Image:
    """Return a picture with a sensor's latest measurement, if that is to be drawn."""
    data = sensor.last_data() if sensor.render_data else None
    if data is None:
        return image
    if isinstance(data, LaserData):
        cloud = cloud_of([data], colour=sensor.color)
    else:
        cloud = cloud_of([], points_of(data), colour=sensor.color)
    return cloud.paint(image, camera, scene)


def file_target(
    path: str | PathLike[str], endings: tuple[str, ...], name: str = "path"
) -> Path:
    """Return the target of a file, after checking its ending and its folder.

    Parameters
    ----------
    name
        Of the argument, for messages.

    Raises
    ------
    ArgumentError
        The name has another ending.
    ResourceError
        There is no such folder.
    """
    target = path_of(path, name)
    if target.suffix.lower() not in endings:
        which = ", ".join(endings[:-1]) + " or " * (len(endings) > 1) + endings[-1]
        raise ArgumentError(f"{name} is {target.name!r}, expected a name in {which}")
    if not target.absolute().parent.is_dir():
        hint = f"make this folder before {target.name} is written in it"
        raise ResourceError(str(target.parent), hint=hint)
    return target
