"""Sensors that scripts mount in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.bodies.attached_sensor import AttachedSensor
from pyrave.bodies.views.link import Link
from pyrave.errors import ArgumentError, NotFoundError, StateError, shown
from pyrave.interfaces.sensor import SensorBase
from pyrave.interfaces.settings.declarations import settings_of
from pyrave.interfaces.settings.parts import as_part
from pyrave.scene import IDENTITY, AttachedSensorDescription, Pose
from pyrave.scene.checks import validated
from pyrave.spatial import as_pose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from pyrave.bodies.robot import Robot


def mounted_sensor(
    robot: Robot,
    name: str,
    interface: str | SensorBase,
    link: Link | str,
    pose: ArrayLike | Pose | None,
    power: bool | None,
    settings: Mapping[str, Any],
) -> AttachedSensor:
    """Return a mounting with a new sensor; the robot does not list it yet.

    Raises as `Robot.add_sensor`.
    """
    sensor = as_part(robot.env, SensorBase, interface, settings, what="the sensor")
    _refuse_used(robot, sensor)
    place = IDENTITY if pose is None else Pose.from_matrix(as_pose(pose, "pose"))
    described = validated(
        AttachedSensorDescription,
        AttachedSensorDescription(
            name,
            _link(robot, link),
            place,
            interface if isinstance(interface, str) else interface.interface_id,
        ),
    )
    if name.split() != [name]:
        raise ArgumentError(
            f"the name of a sensor is {name!r}, expected a text without blanks"
        )
    mounted = AttachedSensor(robot, described)
    mounted.sensor = sensor
    for lost in sensor.unresolved_names():
        mounted.release()
        raise NotFoundError(lost.kind, lost.name, lost.known, lost.hint)
    if power is None and isinstance(interface, str):
        power = True
    try:
        if power is not None:
            _switch(sensor, power)
    except BaseException:
        mounted.release()
        raise
    return mounted


def _refuse_used(robot: Robot, sensor: SensorBase) -> None:
    """Raise StateError for a sensor that is mounted or in the environment."""
    if sensor.mounting is not None:
        raise StateError(
            f"{sensor!r} is mounted on {sensor.mounting.link!r}, expected a sensor "
            "that is not; remove_attached_sensor takes one off"
        )
    env: Any = robot.env
    if any(sensor is one for one in env.sensors):
        raise StateError(
            f"{sensor!r} is in its environment, expected a sensor that is not: one "
            "that env.create made; env.remove takes one out"
        )


def _switch(sensor: SensorBase, power: bool) -> None:
    if "power" in settings_of(sensor.settings_type):
        sensor.change_settings(power=power)  # files keep it
    else:
        sensor.power = power


def _link(robot: Robot, link: Any) -> str:
    if isinstance(link, Link) and link.body is robot:
        return link.name
    if not isinstance(link, str):
        raise ArgumentError(
            f"link is {shown(link)}, expected a link of {robot!r} or the name of one"
        )
    return robot.links[link].name
