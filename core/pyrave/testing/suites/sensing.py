"""Checks of sensors over many steps: when, where and how repeatably they measure."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

import copy
import dataclasses
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.scene import AttachedSensorDescription
from pyrave.testing.checks import NotApplicable, Violation, check, require
from pyrave.testing.compare import difference
from pyrave.testing.scene import kit_arm

if TYPE_CHECKING:
    from pyrave.environment import Environment
    from pyrave.interfaces.sensor import SensorBase
    from pyrave.sensing.data import SensorData
    from pyrave.sensing.geometry import SensorGeometry
    from pyrave.testing.subject import Subject

_STEP = 0.007
_PERIOD = 0.03
_NAME = "kit_sensor"
# kernels may go from the interpreter to machine code between two runs
_TOLERANCE = 1e-9
_PERIODS = ("time_measurement", "time_scan")


def _mounted(subject: Subject, env: Environment) -> SensorBase:
    """Return a running sensor on the last link of the robot."""
    robot = kit_arm(env)
    mounting = robot.add_attached_sensor(
        AttachedSensorDescription(_NAME, robot.links[-1].name)
    )
    sensor: SensorBase = subject.make(env)
    mounting.sensor = sensor
    sensor.power = True
    return sensor


def _sensor_in(env: Environment) -> SensorBase:
    sensor = kit_arm(env).attached_sensors[_NAME].sensor
    if sensor is None:
        raise Violation("it is not in the clone")
    return sensor


def _run(env: Environment, sensor: SensorBase, first: int, n: int) -> list[Any]:
    """Step on a fixed path of the robot and return what was read after each step."""
    robot = kit_arm(env)
    lower, upper = (np.clip(limit, -1.0, 1.0) for limit in robot.dof_limits)
    found = []
    for k in range(first, first + n):
        phase = 0.5 - 0.4 * np.cos(0.3 * k + np.arange(robot.dof))
        robot.dof_values = lower + phase * (upper - lower)
        env.step(_STEP)
        if sensor.disabled:
            raise Violation(
                "its simulation step raised: " + str(env.problems[-1]),
                "simulation_step must not raise",
            )
        found.append(sensor.read())
    if not any(data is not None for data in found):
        raise NotApplicable(f"it measured nothing within {n} steps of {_STEP:g} s")
    return found


@check(
    "mounted",
    "A sensor on a robot's link moves with it: the pose of its data is the mounting's "
    "in the step of the measurement.",
)
def mounted(subject: Subject) -> None:
    env = subject.env
    sensor = _mounted(subject, env)
    mounting = kit_arm(env).attached_sensors[_NAME]
    seen: list[Any] = []
    handle = sensor.register_data_callback(
        lambda data: seen.append((data.pose.copy(), mounting.transform))
    )
    _run(env, sensor, 0, 12)
    handle.close()
    for pose, wanted in seen:
        require(
            np.allclose(pose, wanted, atol=1e-9),
            f"the pose of the data is {np.asarray(pose).tolist()}, the link carries "
            f"the sensor to {wanted.tolist()}",
            "data.pose = self.transform, which follows the link",
        )
    require(
        sensor.mounting is mounting,
        f"its mounting is {sensor.mounting!r}",
        "call super().mounted(mounting) where you override it",
    )


@check(
    "callback-data-own",
    "What a data callback was given stays as it was when the sensor measures again.",
    "simulation_step",
)
def callback_data_own(subject: Subject) -> None:
    env = subject.env
    sensor = _mounted(subject, env)
    kept: list[tuple[SensorData, SensorData]] = []
    handle = sensor.register_data_callback(
        lambda data: kept.append((data, copy.deepcopy(data)))
    )
    _run(env, sensor, 0, 12)
    handle.close()
    for given, then in kept:
        found = difference(then, given, "data")
        require(
            found is None,
            f"later measurements changed data of a callback: {found}",
            "publish a new object with every measurement",
        )


@check(
    "repeatable",
    "Two equal environments measure the same, noise included.",
    "measure",
)
def repeatable(subject: Subject) -> None:
    runs = []
    for _ in range(2):
        env = subject.environment()
        runs.append(_run(env, _mounted(subject, env), 0, 8))
    found = difference(runs[0], runs[1], "data", _TOLERANCE)
    require(
        found is None,
        f"a second run differs: {found}",
        "draw noise from a generator of the sensor's own, made with a seed",
    )


@check(
    "exact-at-first",
    "A new sensor measures the same twice at one moment: noise is off until somebody "
    "asks for it.",
    "measure",
)
def exact_at_first(subject: Subject) -> None:
    if not subject.as_created:
        raise NotApplicable("its setup may have asked for noise")
    env = subject.env
    sensor = _mounted(subject, env)
    env.step(_STEP)
    try:
        first, second = sensor.measure(), sensor.measure()
    except NotSupportedError as error:
        raise NotApplicable(str(error)) from None
    found = difference(first, second, "data", _TOLERANCE)
    require(
        found is None,
        f"a second measurement at the same time differs: {found}",
        "add noise only where a setting or a tag asks for it",
    )


@check(
    "clones-continue",
    "A clone of a running environment goes on to measure what the original measures.",
    "get_state",
)
def clones_continue(subject: Subject) -> None:
    env = subject.env
    sensor = _mounted(subject, env)
    _run(env, sensor, 0, 6)
    twin_env = env.clone()
    twin = _sensor_in(twin_env)
    mine, theirs = _run(env, sensor, 6, 8), _run(twin_env, twin, 6, 8)
    found = difference(mine, theirs, "data", _TOLERANCE)
    require(
        found is None,
        f"they part: {found}",
        "get_state returns all on which measurements depend: the latest data, when the "
        "next is due, the random generator, what is remembered of the past",
    )


@check(
    "period",
    "It measures at its period on the simulated clock: at most a step late, and "
    "without losing time from one measurement to the next.",
    "simulation_step",
)
def period(subject: Subject) -> None:
    env = subject.env
    sensor = _mounted(subject, env)
    asked = _set_period(sensor)
    stamps: list[int] = []
    handle = sensor.register_data_callback(lambda data: stamps.append(int(data.stamp)))
    _run(env, sensor, 0, 90)
    handle.close()
    times = (np.array(stamps) - stamps[0]) * 1e-6
    require(
        len(stamps) > 1 and (np.diff(times) > 0).all(),
        f"in 90 steps of {_STEP:g} s it measured at {stamps} us",
        "measure once in each period, and stamp with the simulated time",
    )
    mean = asked or times[-1] / (len(times) - 1)
    late = times - max(mean, _STEP) * np.arange(len(times))
    require(
        (np.abs(late) <= _STEP + 1e-6).all(),
        f"with a period of {mean:g} s and steps of {_STEP:g} s measurement "
        f"{int(np.argmax(np.abs(late)))} is {np.abs(late).max():g} s off",
        "keep the phase: next = next + period, not now + period",
    )


def _set_period(sensor: SensorBase) -> float:
    """Let a sensor measure at `_PERIOD` if it can; return its period, 0: not known."""
    geometry = sensor.get_sensor_geometry()
    name = next((one for one in _PERIODS if hasattr(geometry, one)), None)
    if name is None:
        return 0.0
    setattr(geometry, name, _PERIOD)
    try:
        sensor.set_sensor_geometry(geometry)
    except (NotSupportedError, ArgumentError):
        geometry = sensor.get_sensor_geometry()
    return float(getattr(geometry, name))


@check(
    "geometry-kept",
    "What set_sensor_geometry sets is what get_sensor_geometry returns: of the sensor, "
    "of its clone, and of what is read from the saved scene.",
    "set_sensor_geometry",
)
def geometry_kept(subject: Subject) -> None:
    env = subject.env
    sensor: SensorBase = subject.make()
    wanted = _other_geometry(sensor)
    sensor.name = _NAME
    env.add(sensor)
    sensor.described = True
    sensor.set_sensor_geometry(wanted)
    places = {"of the sensor": sensor, "of its clone": env.clone().sensors[_NAME]}
    if subject.installed:
        places["in the saved scene"] = _saved(env)
    for where, one in places.items():
        found = difference(
            _rounded(dataclasses.asdict(wanted)),
            _rounded(dataclasses.asdict(one.get_sensor_geometry())),
            "geometry",
        )
        require(
            found is None,
            f"{where} another geometry is returned than was set: {found}",
            "set_sensor_geometry keeps a copy, get_state has it, and a readable that "
            "is changed with it writes it",
        )


def _saved(env: Environment) -> SensorBase:
    """Return the sensor of the environment, saved and read."""
    from pyrave.environment import Environment

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kit.env.xml"
        env.save(path)
        other = Environment()
        other.load(path, strict=True)
    _KEPT.append(other)
    del _KEPT[:-1]
    return other.sensors[_NAME]


# sensors do not keep their environment alive
_KEPT: list[Environment] = []


def _other_geometry(sensor: SensorBase) -> SensorGeometry:
    """Return a geometry of which as many fields differ as the sensor takes one by one.

    Raises
    ------
    NotApplicable
        Its geometry cannot be changed.
    """
    taken = sensor.get_sensor_geometry()
    for item in dataclasses.fields(taken):
        other = copy.deepcopy(taken)
        value = getattr(taken, item.name)
        if not _differ(other, item.name, value):
            continue
        try:
            sensor.set_sensor_geometry(other)
        except NotSupportedError as error:
            raise NotApplicable(str(error)) from None
        except ArgumentError:
            continue
        taken = other
    return taken


def _differ(geometry: SensorGeometry, name: str, value: Any) -> bool:
    """Give a field another value; False for what could be anything."""
    if isinstance(value, bool):
        other: Any = not value
    elif name == "hardware_id":
        other = "kit-7"
    elif isinstance(value, float) or _is_floats(value):
        other = 0.75 * value + 0.125
    elif isinstance(value, tuple) and all(isinstance(x, float) for x in value):
        other = tuple(0.75 * x for x in value)
    else:
        return False
    setattr(geometry, name, other)
    return True


def _rounded(value: Any) -> Any:
    """Return data with 12 digits: files have degrees, whose last digits get lost."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(_rounded(item) for item in value)
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if _is_floats(value):
        return (value.shape, _rounded(value.ravel().tolist()))
    return value


def _is_floats(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == np.float64
