"""Objects that measure for the sensors of a physics engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave import interfaces
from pyrave.environment.failures import guarded, problem_at
from pyrave.errors import Error
from pyrave.scene import ContactSensor, ForceTorqueSensor, TactileArray

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.errors import Problem
    from pyrave.scene import PhysicsSensor

_TASKS = {
    ForceTorqueSensor: "force_torque",
    ContactSensor: "contact",
    TactileArray: "tactile",
}


def place_sensors(env: Environment) -> list[Problem]:
    """Let each sensor of ``env.simulation`` have one object in ``env.sensors``.

    It finds what it measures by its ``scene_name``.

    Returns
    -------
    list of Problem
        A warning for each sensor that cannot have one.
    """
    drop_sensors(env)
    made = env.internals.simulated.instruments
    problems = []
    for one in env.internals.simulated.describe().sensors:
        if one.name in made:
            continue
        try:
            sensor = env.create("sensor", _id_of(env, one))
            assert isinstance(sensor, interfaces.SensorBase)  # noqa: S101 - registry checks
            sensor.name = sensor.scene_name = one.name
            env.add(sensor, rename=True)
        except Error as error:
            message = f"the sensor {one.name!r} does not measure: {error}"
            problems.append(
                problem_at(one.location, message, code="simulation-conflict")
            )
            continue
        made[one.name] = sensor
    return problems


def drop_sensors(env: Environment) -> None:
    """Remove the objects whose sensors are not there any more."""
    made = env.internals.simulated.instruments
    if not made:
        return
    known = {
        one.name: _id_of(env, one) for one in env.internals.simulated.describe().sensors
    }
    placed = env.internals.contents.sensor_list
    for name, sensor in list(made.items()):
        there = placed.get(sensor.name) is sensor
        if there and known.get(name) == sensor.interface_id:
            continue
        del made[name]
        if there:
            del placed[sensor.name]
            with guarded(env, sensor, "switching it off raised"):
                sensor.power = False
            env.internals.contents.changed()


def _id_of(env: Environment, sensor: PhysicsSensor) -> str:
    return env.registry.default_id("sensor", _TASKS[type(sensor)])
