"""The contract of sensors over many steps: when, where, how repeatably they measure."""

from __future__ import annotations

import copy
import dataclasses
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.testing import assert_allclose

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.scene import AttachedSensorDescription
from pyrave.testing.comparison import difference
from pyrave.testing.contracts.interface import refuses
from pyrave.testing.contracts.placed import NAME, NamedContract

if TYPE_CHECKING:
    from pyrave.environment import Environment
    from pyrave.interfaces import SensorBase, SensorGeometry

_STEP = 0.007
_PERIOD = 0.03
# kernels may go from the interpreter to machine code between two runs
_TOLERANCE = 1e-9


class MountedSensorContract(NamedContract):
    """Contract of sensors that a robot carries and that run for a while."""

    def _mounted(self, env: Environment) -> SensorBase:
        """Return a running sensor on the last link of the robot."""
        robot = self.arm(env)
        description = AttachedSensorDescription(NAME, robot.links[-1].name)
        mounting = robot.add_attached_sensor(description)
        mounting.sensor = sensor = self.make(env)
        sensor.power = True
        return sensor  # type: ignore[no-any-return]

    def _run(self, env: Environment, first: int, n: int) -> list[Any]:
        """Step on a fixed path of the robot; return what was read after each step."""
        robot = self.arm(env)
        mounting = robot.attached_sensors[NAME]
        assert mounting.has_sensor, "it is not in the clone"
        sensor = mounting.sensor
        lower, upper = (np.clip(limit, -1.0, 1.0) for limit in robot.dof_limits)
        found = []
        for k in range(first, first + n):
            phase = 0.5 - 0.4 * np.cos(0.3 * k + np.arange(robot.dof))
            robot.dof_values = lower + phase * (upper - lower)
            env.step(_STEP)
            assert not sensor.disabled, str(env.problems[-1])
            found.append(sensor.read())
        if all(data is None for data in found):
            self.not_applicable(f"it measured nothing within {n} steps of {_STEP:g} s")
        return found

    def exercise(self, env: Environment, made: Any) -> None:
        """Switch it on."""
        made.power = True

    def test_mounted(self, env: Environment) -> None:
        """``get_transform`` and the pose of data follow the link that carries it."""
        sensor, seen = self._mounted(env), list[Any]()
        mounting = self.arm(env).attached_sensors[NAME]
        handle = sensor.register_data_callback(
            lambda data: seen.append((data.pose.copy(), mounting.transform))
        )
        self._run(env, 0, 12)
        handle.close()
        for pose, wanted in seen:
            fix = "data.pose = self.transform, which follows the link"
            assert_allclose(pose, wanted, atol=1e-9, err_msg=fix)
        fix = "call super().mounted(mounting) where you override it"
        assert sensor.mounting is mounting, fix

    def test_callback_data_own(self, env: Environment) -> None:
        """``simulation_step`` does not change data that callbacks have."""
        sensor, kept = self._mounted(env), list[Any]()
        handle = sensor.register_data_callback(
            lambda data: kept.append((data, copy.deepcopy(data)))
        )
        self._run(env, 0, 12)
        handle.close()
        for given, then in kept:
            fix = "publish a new object with every measurement"
            assert difference(then, given, "data") is None, fix

    def test_repeatable(self) -> None:
        """``measure`` gives the same in two equal environments, noise included."""
        runs = []
        for _ in range(2):
            env = self.new_environment()
            sensor = self._mounted(env)
            runs.append(self._run(env, 0, 8))
            del sensor
        fix = "draw noise from a generator of the sensor's own, made with a seed"
        assert difference(runs[0], runs[1], "data", _TOLERANCE) is None, fix

    def test_exact_at_first(self, env: Environment) -> None:
        """``measure`` of a new sensor has no noise: the same state gives the same.

        What turns or counts from one measurement to the next is in its state, noise
        hangs on the seed.
        """
        if not self.as_created:
            self.not_applicable("its setup may have asked for noise")
        sensor: Any = self._mounted(env)
        env.step(_STEP)
        state = sensor.get_state()
        first = self.offered(sensor.measure)
        for seed in (0, 12345):
            sensor.set_state(state)
            if hasattr(sensor, "seed"):
                sensor.seed = seed
            fix = (
                "add noise only where a setting or a tag asks for it; what changes "
                "between measurements belongs to get_own_state"
            )
            again = sensor.measure()
            assert difference(first, again, "data", _TOLERANCE) is None, fix

    def test_clones_continue(self, env: Environment) -> None:
        """A clone goes on to measure what the original measures (``get_state``)."""
        sensor = self._mounted(env)
        self._run(env, 0, 6)
        clone = env.clone()
        mine, theirs = self._run(env, 6, 8), self._run(clone, 6, 8)
        assert difference(mine, theirs, "data", _TOLERANCE) is None, (
            f"get_state of {sensor!r} returns all on which measurements depend: the "
            "latest data, when the next is due, the random generator, what it remembers"
        )

    def test_period(self, env: Environment) -> None:
        """``simulation_step`` keeps the period: at most a step late, without drift."""
        sensor, stamps = self._mounted(env), list[float]()
        asked = _set_period(sensor)
        handle = sensor.register_data_callback(lambda data: stamps.append(data.stamp))
        self._run(env, 0, 90)
        handle.close()
        times = np.array(stamps) - stamps[0]
        assert len(stamps) > 1, "measure once in each period"
        assert (np.diff(times) > 0).all(), "stamp with the simulated time"
        period = max(asked or times[-1] / (len(times) - 1), _STEP)
        late = np.abs(times - period * np.arange(len(times)))
        fix = f"keep the phase: next = next + period, not now + period ({period:g} s)"
        assert late.max() <= _STEP + 1e-6, fix

    def test_geometry_kept(self, env: Environment) -> None:
        """A geometry that was set is returned, cloned and saved."""
        sensor = self.make(env)
        wanted = self._other_geometry(sensor)
        self.place(env, sensor)
        sensor.described = True
        sensor.set_sensor_geometry(wanted)
        places = {"sensor": env, "clone": env.clone()}
        if self.installed:
            places["saved scene"] = _saved(env)
        for where, one in places.items():
            seen = self.placed(one).get_sensor_geometry()
            kept, got = (_rounded(dataclasses.asdict(item)) for item in (wanted, seen))
            assert difference(kept, got, "geometry") is None, (
                f"of the {where}: set_sensor_geometry keeps a copy, get_state has it, "
                "and a readable that is changed with it writes it"
            )

    def _other_geometry(self, sensor: SensorBase) -> SensorGeometry:
        """Return a geometry of which as many fields differ as the sensor takes."""
        taken: SensorGeometry = sensor.get_sensor_geometry()
        for item in dataclasses.fields(taken):
            value = _other(item.name, getattr(taken, item.name))
            if value is None:
                continue
            change = {item.name: value}
            if not refuses(ArgumentError, self.offered, _change, sensor, taken, change):
                taken = dataclasses.replace(taken, **change)
        return taken


def _change(
    sensor: SensorBase, geometry: SensorGeometry, change: dict[str, Any]
) -> None:
    sensor.set_sensor_geometry(dataclasses.replace(geometry, **change))


def _set_period(sensor: SensorBase) -> float:
    """Let a sensor measure at `_PERIOD` if it can; return its period, 0: unknown."""
    geometry = sensor.get_sensor_geometry()
    names = ("time_measurement", "time_scan")
    name = next((one for one in names if hasattr(geometry, one)), None)
    if name is None:
        return 0.0
    refuses(
        (NotSupportedError, ArgumentError), _change, sensor, geometry, {name: _PERIOD}
    )
    return float(getattr(sensor.get_sensor_geometry(), name))


def _saved(env: Environment) -> Environment:
    """Return the environment, saved and read."""
    from pyrave.environment import Environment

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kit.env.xml"
        env.save(path)
        other = Environment()
        other.load(path, strict=True)
    return other


def _other(name: str, value: Any) -> Any:
    """Return another value for a field of a geometry; None if it has no rule."""
    if isinstance(value, bool):
        return not value
    if name == "hardware_id":
        return "kit-7"
    if isinstance(value, float) or _is_floats(value):
        return 0.75 * value + 0.125
    if isinstance(value, tuple) and all(isinstance(x, float) for x in value):
        return tuple(0.75 * x for x in value)
    return None


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
