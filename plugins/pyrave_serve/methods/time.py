"""Simulated time, and what sensors measure in it."""

from __future__ import annotations

import dataclasses
from typing import Any

from pyrave.errors import ArgumentError, NotFoundError
from pyrave.sensing import SensorData
from pyrave.summary import sensor_summary
from pyrave_serve.call_objects import Desk

_STEPS = 1_000_000
_DERIVED = ("distances",)
"""Entries of measurements besides their fields."""


def get_time(desk: Desk) -> Any:
    """Return the simulated time.

    Returns
    -------
    object
        ``simulation_time`` in seconds, and ``running``: whether it passes by
        itself.
    """
    return {"simulation_time": desk.env.simulation_time, "running": desk.env.running}


def step(desk: Desk, dt: float = 0.01, steps: int = 1) -> Any:
    """Advance the environment.

    Parameters
    ----------
    dt
        Simulated seconds of a step.
    steps
        How many.

    Returns
    -------
    number
        Simulated time then, seconds.
    """
    if not 1 <= steps <= _STEPS:
        raise ArgumentError(f"steps is {steps}, expected 1 to {_STEPS}")
    for done in range(steps):
        desk.check_time(f"after {done} of {steps} steps it")
        desk.env.step(dt)
    return desk.env.simulation_time


def start(desk: Desk, dt: float = 0.01, realtime: bool = True) -> None:
    """Let simulated time pass by itself.

    Parameters
    ----------
    dt
        Simulated seconds of a step.
    realtime
        As fast as real time; as fast as possible otherwise.
    """
    desk.env.start(dt, realtime=realtime)


def stop(desk: Desk) -> None:
    """Let simulated time stand still."""
    desk.env.stop()


def sensors(desk: Desk) -> Any:
    """List the sensors; those of robots are called ``robot:sensor``.

    Returns
    -------
    list
        Objects with ``name``, ``id``, ``power``, ``transform`` and ``geometry``.
    """
    return [sensor_summary(sensor) for sensor in desk.env.sensors]


def read_sensor(
    desk: Desk, sensor: str, fields: list[str] | None = None, measure: bool = False
) -> Any:
    """Return the last measurement of a sensor.

    Parameters
    ----------
    sensor
        Its name.
    fields
        Names of what is wanted; everything without, images too.
    measure
        Measure now instead.

    Returns
    -------
    object
        ``type``, and the fields of the measurement, arrays as lists.
    """
    found = desk.sensor(sensor)
    return _fields(found.measure() if measure else found.read(), fields)


def power_sensor(desk: Desk, sensor: str, power: bool) -> None:
    """Switch a sensor on or off.

    Parameters
    ----------
    sensor
        Its name.
    power
        Whether it measures.
    """
    desk.sensor(sensor).power = power


def _fields(data: SensorData, wanted: list[str] | None) -> dict[str, Any]:
    names = [field.name for field in dataclasses.fields(data)]
    names += [name for name in _DERIVED if hasattr(data, name)]
    known = {name: getattr(data, name) for name in names}
    for name in wanted or ():
        if name not in known:
            raise NotFoundError("field", name, list(known))
    chosen = known if wanted is None else {name: known[name] for name in wanted}
    return {"type": data.sensor_type.name.lower(), **chosen}


METHODS = (
    get_time, step, start, stop, sensors, read_sensor, power_sensor,
)  # fmt: skip
