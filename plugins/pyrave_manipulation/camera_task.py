"""The camera and the target of commands, by their names."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies import KinBody
from pyrave.bodies.views.link import Link
from pyrave.errors import ArgumentError, NotSupportedError, StateError, shown
from pyrave.manipulation import Observer
from pyrave.manipulation.view_pyramid import camera_of

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies import Robot
    from pyrave.bodies.attached_sensor import AttachedSensor


@dataclass(frozen=True, slots=True)
class CameraTask:
    """The camera and the target of the commands, by their names.

    Parameters
    ----------
    sensorrobot, sensor
        Robot that carries the camera, and the index of it there.
    manipulator
        That moves it, or the target.
    target, link, geometry
        Body, link and geometry that should be seen; an empty geometry: all of them.
    region
        Corners of the part of the image in which it has to be, x and y by turns.
    raydensity
        Distance of rays in a plane a metre before the camera; 0: the observer's own.
    raymindist
        Metres in front of the camera in which rays meet nothing.
    allowableocclusion
        Part of the target that may be hidden.
    """

    sensorrobot: str = ""
    sensor: int = 0
    manipulator: str = ""
    target: str = ""
    link: str = ""
    geometry: str = ""
    region: tuple[float, ...] = ()
    raydensity: float = 0.0
    raymindist: float = 0.02
    allowableocclusion: float = 0.1

    def observer(self, robot: Robot) -> Observer:
        """Return the observer: camera, target, and an arm of a robot.

        Raises
        ------
        StateError
            No camera and target were chosen.
        """
        if not self.target:
            raise StateError(
                "there is no camera and no target; SetCameraAndTarget comes first"
            )
        env = robot.env
        camera = env.robots[self.sensorrobot].attached_sensors[self.sensor]
        region = np.array(self.region).reshape(-1, 2) if self.region else None
        made = Observer(
            robot.manipulators[self.manipulator],
            camera,
            env.bodies[self.target].links[self.link],
            geometry=self.geometry,
            region=region,
            nearest=self.raymindist,
            allowed_occlusion=self.allowableocclusion,
        )
        if not self.raydensity:
            return made
        return replace(made, spacing=ray_spacing(camera, self.raydensity))


def target_names(env: Environment, given: Any) -> tuple[str, str]:
    """Return the names of a body and of its link; texts have both, or one."""
    if given is None:
        raise ArgumentError("there is no targetlink: name a body, or also a link")
    link: Link | None
    if isinstance(given, Link):
        body, link = given.body, given
    elif isinstance(given, KinBody):
        body, link = given, None
    elif not isinstance(given, (str, list, tuple)):
        raise ArgumentError(
            f"targetlink is {shown(given)}, expected a body, a link or their names"
        )
    else:
        words = given.replace("/", " ").split() if isinstance(given, str) else given
        if len(words) not in {1, 2}:
            raise ArgumentError(
                f"targetlink is {given!r}, expected a body, or a body and its link"
            )
        body = env.bodies[words[0]]
        link = body.links[words[1]] if len(words) == 2 else None
    if link is None:
        if len(body.links) != 1:
            raise ArgumentError(
                f"{body!r} has {len(body.links)} links, expected which one is meant"
            )
        link = body.links[0]
    return body.name, link.name


def sensor_index(carrier: Any, index: int | None, name: str) -> int:
    """Return the index of a sensor that a robot carries."""
    every = list(carrier.attached_sensors)
    if index is not None:
        if index not in range(len(every)):
            raise ArgumentError(
                f"sensorindex is {index!r}, and {carrier!r} carries {len(every)} "
                "sensors"
            )
        return index
    if name:
        return every.index(carrier.attached_sensors[name])
    for k, one in enumerate(every):
        with suppress(NotSupportedError):  # no camera: the next one
            camera_of(one)
            return k
    raise ArgumentError(f"{carrier!r} carries no camera; robot.add_sensor adds one")


def ray_spacing(camera: AttachedSensor, density: float) -> float:
    """Return the pixels between rays that are so far from each other at one metre.

    Parameters
    ----------
    density
        Metres in a plane one metre before the camera.
    """
    lens = camera_of(camera).lens
    ends = lens.project(np.array([(0.0, 0.0, 1.0), (density, 0.0, 1.0)]))
    return max(float(np.linalg.norm(ends[1] - ends[0])), 0.1)
