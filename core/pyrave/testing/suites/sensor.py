"""Checks of sensors."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np

from pyrave.errors import Error, NotSupportedError
from pyrave.interfaces.sensor import ConfigureCommand, SensorBase
from pyrave.sensing.data import SensorData
from pyrave.sensing.geometry import SensorGeometry, SensorType
from pyrave.testing.checks import NotApplicable, Violation, check, require
from pyrave.testing.subject import Subject

_STEP = 0.05
_PATIENCE = 400
_POSE = np.array(
    [[0.0, -1.0, 0.0, 0.3], [1.0, 0.0, 0.0, -0.2], [0.0, 0.0, 1.0, 0.9], [0, 0, 0, 1.0]]
)


def _running(subject: Subject) -> SensorBase:
    sensor: SensorBase = subject.make()
    sensor.name = "kit_sensor"
    subject.env.add(sensor)
    sensor.set_transform(_POSE)
    return sensor


def _first(subject: Subject, sensor: SensorBase) -> SensorData:
    """Step until there is a measurement."""
    for _ in range(_PATIENCE):
        subject.env.step(_STEP)
        if sensor.disabled:
            raise Violation(
                "its simulation step raised: " + str(subject.env.problems[-1]),
                "simulation_step must not raise",
            )
        data = sensor.read()
        if data is not None:
            return data
    raise NotApplicable(
        f"it measured nothing within {_STEP * _PATIENCE:g} s of simulated time"
    )


@check(
    "off-until-switched-on",
    "A new sensor is off; POWER_ON and POWER_OFF switch it and POWER_CHECK tells.",
    "configure",
)
def power(subject: Subject) -> None:
    sensor: SensorBase = subject.make()
    for asked, wanted in ((None, 0), ("POWER_ON", 1), ("POWER_OFF", 0)):
        if asked is not None:
            code = sensor.configure(ConfigureCommand[asked])
            require(
                isinstance(code, int),
                f"configure({asked}) returned {code!r}",
                "return an int: 0, or the present state for a check",
            )
        seen = sensor.configure(ConfigureCommand.POWER_CHECK)
        require(
            isinstance(seen, int) and seen == wanted,
            f"after {asked or 'the constructor'} POWER_CHECK returned {seen!r}, "
            f"expected {wanted}",
            "keep self._power = False in __init__ and switch it in configure",
        )


@check(
    "render-switches",
    "RENDER_DATA and RENDER_GEOMETRY can be switched and asked for like the power.",
    "configure",
)
def render_switches(subject: Subject) -> None:
    sensor: SensorBase = subject.make()
    for what in ("RENDER_DATA", "RENDER_GEOMETRY"):
        seen = []
        for on in (True, False):
            sensor.configure(ConfigureCommand[f"{what}_{'ON' if on else 'OFF'}"])
            seen.append(sensor.configure(ConfigureCommand[f"{what}_CHECK"]))
        require(
            all(isinstance(code, int) and code in {0, 1} for code in seen),
            f"{what}_CHECK returned {seen} after ON and OFF",
            "return 1 or 0 for a check (always 0 if there is nothing to render)",
        )


@check(
    "nothing-before-data",
    "A sensor that did not measure yet has no data: read() is None.",
    "get_sensor_data",
)
def nothing_before_data(subject: Subject) -> None:
    sensor: SensorBase = subject.make()
    require(
        sensor.read() is None,
        "read() of a new sensor returned data",
        "return False from get_sensor_data until simulation_step measured something",
    )
    got = sensor.get_sensor_data(sensor.create_sensor_data())
    require(got is False, f"get_sensor_data returned {got!r}, expected False")


@check(
    "off-measures-nothing",
    "Stepping a sensor that is off gives nothing new.",
    "simulation_step",
)
def off_measures_nothing(subject: Subject) -> None:
    sensor = _running(subject)
    sensor.power = False
    for _ in range(10):
        subject.env.step(_STEP)
    require(
        sensor.read() is None,
        "it measured while it was off",
        "return from simulation_step at once when the power is off",
    )
    sensor.power = True
    stamp = _first(subject, sensor).stamp
    sensor.power = False
    for _ in range(10):
        subject.env.step(_STEP)
    data = sensor.read()
    require(
        data is None or data.stamp == stamp,
        "its data changed while it was off",
        "return from simulation_step at once when the power is off",
    )


@check(
    "geometry",
    "get_sensor_geometry returns a copy of a geometry of a supported type.",
    "get_sensor_geometry",
)
def geometry(subject: Subject) -> None:
    sensor: SensorBase = subject.make()
    first = sensor.get_sensor_geometry()
    require(
        isinstance(first, SensorGeometry),
        f"it returned a {type(first).__name__}, expected a SensorGeometry",
    )
    kind = first.sensor_type
    require(
        kind is not SensorType.INVALID and sensor.supports(kind) is True,
        f"the geometry is of type {kind.name}, which supports() denies",
        "return for example LaserGeometry(...) and True from supports(LASER)",
    )
    before = dataclasses.replace(first)
    for field in dataclasses.fields(first):
        value = getattr(first, field.name)
        if isinstance(value, float):
            setattr(first, field.name, value + 1.0)
        elif isinstance(value, str):
            setattr(first, field.name, value + "x")
        elif isinstance(value, np.ndarray):
            value += 1.0
    again = sensor.get_sensor_geometry(kind)
    changed = [
        field.name
        for field in dataclasses.fields(before)
        if isinstance(getattr(before, field.name), (float, str))
        and getattr(before, field.name) != getattr(again, field.name)
    ]
    require(
        not changed,
        f"changing what was returned changed the sensor's {', '.join(changed)}",
        "return copy.deepcopy(self._geometry)",
    )


@check(
    "data-type",
    "create_sensor_data gives an empty object of a supported type, new each time.",
    "create_sensor_data",
)
def data_type(subject: Subject) -> None:
    sensor: SensorBase = subject.make()
    first, second = sensor.create_sensor_data(), sensor.create_sensor_data()
    require(
        isinstance(first, SensorData),
        f"it returned a {type(first).__name__}, expected a SensorData",
    )
    require(first is not second, "it returned the same object twice")
    require(
        sensor.supports(first.sensor_type) is True,
        f"the data are of type {first.sensor_type.name}, which supports() denies",
        "data, geometry and supports() speak of the same SensorType",
    )
    for kind in SensorType:
        if kind is SensorType.INVALID:
            continue
        if sensor.supports(kind):
            made = sensor.create_sensor_data(kind)
            require(
                made.sensor_type is kind,
                f"create_sensor_data({kind.name}) gave {made.sensor_type.name} data",
            )
            continue
        try:
            sensor.create_sensor_data(kind)
        except Error:
            continue
        raise Violation(
            f"create_sensor_data({kind.name}) made something although supports() is "
            "False",
            "raise pyrave.NotSupportedError for types that the sensor does not measure",
        )


@check(
    "pose",
    "get_transform returns a copy of what set_transform was given.",
    "set_transform",
)
def pose(subject: Subject) -> None:
    sensor: SensorBase = subject.make()
    start = np.asarray(sensor.get_transform())
    require(
        start.shape == (4, 4) and start.dtype == np.float64,
        f"the pose of a new sensor is {start.dtype} of shape {start.shape}, expected "
        "(4, 4) float64",
    )
    given = _POSE.copy()
    sensor.set_transform(given)
    given[0, 3] = 99.0
    seen = sensor.get_transform()
    require(
        np.allclose(seen, _POSE, atol=1e-12),
        f"set {_POSE.tolist()}, got {np.asarray(seen).tolist()}",
        "keep pyrave.spatial.as_pose(transform).copy()",
    )
    seen[0, 3] = 99.0
    require(
        np.allclose(sensor.get_transform(), _POSE, atol=1e-12),
        "changing what get_transform returned moved the sensor",
        "return self._transform.copy()",
    )
    quaternion = np.array((1.0, 0, 0, 0, 0.1, 0.2, 0.3))
    sensor.set_transform(quaternion)
    require(
        np.allclose(sensor.get_transform()[:3, 3], (0.1, 0.2, 0.3)),
        "a 7-vector (qw qx qy qz x y z) was not understood as a pose",
        "use pyrave.spatial.as_pose(transform)",
    )


@check(
    "pose-refused",
    "A pose that is none raises a pyrave error and leaves the sensor where it is.",
    "set_transform",
)
def pose_refused(subject: Subject) -> None:
    sensor: SensorBase = subject.make()
    sensor.set_transform(_POSE)
    for bad in (np.zeros(3), np.full((4, 4), np.nan), "nonsense"):
        try:
            sensor.set_transform(bad)
        except Error:
            pass
        else:
            raise Violation(
                f"set_transform({bad!r}) was accepted",
                "use pyrave.spatial.as_pose(transform), which raises ArgumentError",
            )
        require(
            np.allclose(sensor.get_transform(), _POSE, atol=1e-12),
            "the refused pose moved the sensor",
        )


@check(
    "measures",
    "A sensor that is on measures while the simulation steps; stamps are simulated "
    "microseconds and grow, the pose is the sensor's.",
    "simulation_step",
)
def measures(subject: Subject) -> None:
    sensor = _running(subject)
    env = subject.env
    first = _first(subject, sensor)
    require(
        isinstance(first.stamp, (int, np.integer))
        and not isinstance(first.stamp, bool),
        f"the stamp is {first.stamp!r}",
        "stamp = self.env.simulation_time, an int in microseconds",
    )
    require(
        0 <= first.stamp <= env.simulation_time,
        f"the stamp is {first.stamp} us at {env.simulation_time} us of simulated time",
        "stamp in microseconds of simulated time, never wall time",
    )
    require(
        sensor.supports(first.sensor_type),
        f"it measured {first.sensor_type.name}, which supports() denies",
    )
    require(
        np.allclose(first.pose, _POSE, atol=1e-9),
        f"the pose of the data is {np.asarray(first.pose).tolist()}",
        "data.pose is T_world_sensor at the stamp",
    )
    stamps = [int(first.stamp)]
    for _ in range(_PATIENCE):
        env.step(_STEP)
        data = sensor.read()
        if data is None:
            raise Violation("the data went away", "keep the latest measurement")
        stamps.append(int(data.stamp))
        if stamps[-1] > stamps[0]:
            break
    require(
        all(a <= b for a, b in itertools.pairwise(stamps)),
        f"stamps went back: {stamps}",
    )
    require(
        stamps[-1] > stamps[0],
        f"no second measurement within {_STEP * _PATIENCE:g} s: the stamp stays "
        f"{stamps[0]}",
        "measure again when its time has come, and stamp with the simulated time",
    )


@check(
    "data-copied",
    "Data that were read belong to the reader: nothing changes them later.",
    "get_sensor_data",
)
def data_copied(subject: Subject) -> None:
    sensor = _running(subject)
    first = _first(subject, sensor)
    second = sensor.read()
    require(second is not None and second is not first, "read() gave one object twice")
    for name, array in _arrays(first):
        other = getattr(second, name)
        require(
            not np.shares_memory(array, other),
            f"two reads share the array {name!r}",
            f"copy it in get_sensor_data: data.{name} = self._data.{name}.copy()",
        )
        if array.flags.writeable and array.size:
            array[...] = 1
            require(
                np.array_equal(getattr(sensor.read(), name), other, equal_nan=True),
                f"changing {name!r} of what was read changed the sensor's data",
                "copy in get_sensor_data",
            )


def _arrays(data: SensorData) -> list[tuple[str, Any]]:
    pairs = [(f.name, getattr(data, f.name)) for f in dataclasses.fields(data)]
    return [(name, value) for name, value in pairs if isinstance(value, np.ndarray)]


@check(
    "callback",
    "Each new measurement is given to the data callbacks until their handle closes.",
    "simulation_step",
)
def callback(subject: Subject) -> None:
    sensor = _running(subject)
    seen: list[SensorData] = []
    handle = sensor.register_data_callback(seen.append)
    data = _first(subject, sensor)
    require(
        seen,
        "it measured, but the data callback was not called",
        "call self.publish(data) with every new measurement",
    )
    require(
        isinstance(seen[-1], SensorData) and seen[-1].stamp == data.stamp,
        f"the callback got {seen[-1]!r}, not the data that read() returns",
        "publish what get_sensor_data would give",
    )
    handle.close()
    count = len(seen)
    for _ in range(20):
        subject.env.step(_STEP)
    require(
        len(seen) == count,
        "the callback was called after its handle was closed",
        "use publish() and register_data_callback of SensorBase",
    )


@check(
    "measure-now",
    "measure() returns data of a supported type, or raises NotSupportedError.",
    "measure",
)
def measure_now(subject: Subject) -> None:
    sensor = _running(subject)
    subject.env.step(_STEP)
    try:
        data = sensor.measure()
    except NotSupportedError as error:
        raise NotApplicable(str(error)) from None
    require(
        isinstance(data, SensorData) and sensor.supports(data.sensor_type),
        f"measure() returned {data!r}",
    )
    require(
        np.allclose(data.pose, _POSE, atol=1e-9), "the pose is not that of the sensor"
    )
