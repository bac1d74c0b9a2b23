"""The contract of sensors: switches, geometry, data, pose."""

from __future__ import annotations

import dataclasses
import itertools
from contextlib import suppress
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.testing import assert_allclose

from pyrave.errors import Error, NotSupportedError, StateError
from pyrave.interfaces import ConfigureCommand, SensorGeometry
from pyrave.sensing import LaserData, SensorData, SensorType
from pyrave.sensing.data_checks import data_problem
from pyrave.testing.comparison import difference
from pyrave.testing.contracts.interface import refuses
from pyrave.testing.contracts.mounted_sensor import MountedSensorContract
from pyrave.testing.scene import BALL, BOX, goes_away, state_of_world

if TYPE_CHECKING:
    from pyrave.environment import Environment
    from pyrave.interfaces import SensorBase

_STEP = 0.05
_PATIENCE = 400
_POSE = np.array(
    [[0.0, -1.0, 0.0, 0.3], [1.0, 0.0, 0.0, -0.2], [0.0, 0.0, 1.0, 0.9], [0, 0, 0, 1.0]]
)


def _arrays(data: SensorData) -> list[tuple[str, Any]]:
    pairs = [(f.name, getattr(data, f.name)) for f in dataclasses.fields(data)]
    return [(name, value) for name, value in pairs if isinstance(value, np.ndarray)]


class SensorContract(MountedSensorContract):
    """Contract of sensors."""

    interface_type = "sensor"
    collection = "sensors"

    def _placed(self, env: Environment) -> SensorBase:
        """Return a sensor that stands alone at a pose of the kit."""
        sensor: SensorBase = self.make(env)
        self.place(env, sensor)
        sensor.set_transform(_POSE)
        return sensor

    def _first(self, env: Environment, sensor: SensorBase) -> SensorData:
        """Step until there is a measurement."""
        for _ in range(_PATIENCE):
            env.step(_STEP)
            assert not sensor.disabled, str(env.problems[-1])
            data = sensor.last_data()
            if data is not None:
                return data
        seconds = _STEP * _PATIENCE
        return self.not_applicable(
            f"it measured nothing within {seconds:g} s of simulated time"
        )

    def test_off_until_switched_on(self, env: Environment) -> None:
        """A new sensor is off; ``configure`` switches it and reports its power."""
        sensor, commands = self.make(env), ConfigureCommand
        fix = "keep self._on = False in __init__ and switch it in configure"
        assert sensor.configure(commands.POWER_CHECK) == 0, fix
        assert isinstance(sensor.configure(commands.POWER_ON), int), "return 0"
        assert sensor.configure(commands.POWER_CHECK) == 1, fix
        assert isinstance(sensor.configure(commands.POWER_OFF), int), "return 0"
        assert sensor.configure(commands.POWER_CHECK) == 0, fix

    def test_render_switches(self, env: Environment) -> None:
        """RENDER_DATA and RENDER_GEOMETRY of ``configure`` are like the power."""
        sensor = self.make(env)
        for what in ("RENDER_DATA", "RENDER_GEOMETRY"):
            for state in ("ON", "OFF"):
                sensor.configure(ConfigureCommand[f"{what}_{state}"])
                code = sensor.configure(ConfigureCommand[f"{what}_CHECK"])
                fix = (
                    "return 1 or 0 for a check, always 0 if there is nothing to render"
                )
                assert isinstance(code, int), fix
                assert code in {0, 1}, fix

    def test_nothing_before_data(self, env: Environment) -> None:
        """``get_sensor_data`` is False, and last_data() None, before a measurement."""
        sensor = self.make(env)
        sensor.power = True
        fix = "return False until simulation_step measured something"
        assert sensor.last_data() is None, fix
        assert sensor.get_sensor_data(sensor.create_sensor_data()) is False, fix

    def test_off_measures_nothing(self, env: Environment) -> None:
        """``simulation_step`` of a sensor that is off gives nothing new."""
        sensor, fix = self._placed(env), "return at once when the power is off"
        sensor.power = False
        for _ in range(10):
            env.step(_STEP)
        assert sensor.last_data() is None, fix
        sensor.power = True
        stamp = self._first(env, sensor).stamp
        sensor.power = False
        for _ in range(10):
            env.step(_STEP)
        data = sensor.last_data()
        assert data is None or data.stamp == stamp, fix

    def test_off_reads_now(self, env: Environment) -> None:
        """``read()`` of a sensor that is off measures now, or says that it cannot."""
        sensor = self._placed(env)
        self._first(env, sensor)
        sensor.power = False
        for _ in range(2):
            env.step(_STEP)
            if refuses(StateError, sensor.read):
                self.not_applicable("it measures only while the environment steps")
            data = sensor.read()
            fix = "measure() stamps its data with self.env.simulation_time"
            assert data is not None, "leave read() as it is: it calls measure()"
            assert data.stamp == env.simulation_time, fix

    def test_geometry(self, env: Environment) -> None:
        """``get_sensor_geometry`` returns a geometry that nobody can change."""
        sensor = self.make(env)
        first = sensor.get_sensor_geometry()
        assert isinstance(first, SensorGeometry)
        for field in dataclasses.fields(first):
            value = getattr(first, field.name)
            fix = f"declare {field.name} with pyrave.setting: arrays are not to write"
            shared = isinstance(value, np.ndarray) and value.flags.writeable
            assert not shared, fix
        kind = sensor.create_sensor_data().sensor_type
        assert sensor.supports(kind) is True, "return True for the type of the data"
        again = sensor.get_sensor_geometry(kind)
        assert again == first, "return one geometry for the main type and for any"

    def test_data_type(self, env: Environment) -> None:
        """``create_sensor_data`` gives a new, empty object of a supported type."""
        sensor = self.make(env)
        first, second = sensor.create_sensor_data(), sensor.create_sensor_data()
        assert isinstance(first, SensorData)
        assert first is not second
        assert sensor.supports(first.sensor_type) is True
        for kind in set(SensorType) - {SensorType.INVALID}:
            if sensor.supports(kind):
                assert sensor.create_sensor_data(kind).sensor_type is kind
            else:
                fix = f"raise NotSupportedError: supports({kind.name}) is False"
                assert refuses(Error, sensor.create_sensor_data, kind), fix

    def test_pose(self, env: Environment) -> None:
        """get_transform returns a copy of what ``set_transform`` was given."""
        sensor, given = self.make(env), _POSE.copy()
        start = np.asarray(sensor.get_transform())
        assert start.shape == (4, 4)
        assert start.dtype == np.float64
        sensor.set_transform(given)
        given[0, 3] = 99.0
        seen, fix = sensor.get_transform(), "keep as_pose(transform).copy()"
        assert_allclose(seen, _POSE, atol=1e-12, err_msg=fix)
        seen[0, 3] = 99.0
        fix = "return a copy"
        assert_allclose(sensor.get_transform(), _POSE, atol=1e-12, err_msg=fix)
        sensor.set_transform(np.array((1.0, 0, 0, 0, 0.1, 0.2, 0.3)))
        fix = "as_pose also takes qw qx qy qz x y z"
        assert_allclose(sensor.get_transform()[:3, 3], (0.1, 0.2, 0.3), err_msg=fix)

    def test_pose_refused(self, env: Environment) -> None:
        """``set_transform`` refuses an invalid pose with a pyrave error, and stays."""
        sensor = self.make(env)
        sensor.set_transform(_POSE)
        for bad in (np.zeros(3), np.full((4, 4), np.nan), "nonsense"):
            fix = f"pyrave.spatial.as_pose refuses {bad!r}"
            assert refuses(Error, sensor.set_transform, bad), fix
            assert_allclose(sensor.get_transform(), _POSE, atol=1e-12)

    def test_measures(self, env: Environment) -> None:
        """``simulation_step`` measures with growing stamps and the pose."""
        sensor = self._placed(env)
        first = self._first(env, sensor)
        fix = "stamp = self.env.simulation_time, seconds, never wall time"
        assert isinstance(first.stamp, Real), fix
        assert not isinstance(first.stamp, bool), fix
        assert 0 <= first.stamp <= env.simulation_time, fix
        assert sensor.supports(first.sensor_type)
        assert_allclose(first.pose, _POSE, atol=1e-9, err_msg="pose is T_world_sensor")
        stamps = [first.stamp]
        while stamps[-1] == stamps[0] and len(stamps) <= _PATIENCE:
            env.step(_STEP)
            data = sensor.read()
            assert data is not None, "keep the latest measurement"
            stamps.append(data.stamp)
        assert all(a <= b for a, b in itertools.pairwise(stamps))
        assert stamps[-1] > stamps[0], "measure again when its time has come"

    def test_data_shapes(self, env: Environment) -> None:
        """``measure`` gives arrays of the shapes that the data's class documents.

        Poses are poses, and numbers are finite where nothing else is said.
        """
        sensor = self._placed(env)
        box = self.body(env, BOX).transform
        box[:3, 3] -= (0.0, 0.0, 1.5)
        for place in (_POSE, box):
            sensor.set_transform(place)
            data = self._first(env, sensor)
            problem = data_problem(data)
            assert problem is None, f"{problem}; see the docstring of its class"
            with suppress(NotSupportedError):
                problem = data_problem(sensor.measure())
                assert problem is None, f"measure(): {problem}"
            if isinstance(data, LaserData) and self.as_created:
                self._assert_in_range(sensor, data)
            env.step(_STEP)

    def _assert_in_range(self, sensor: SensorBase, data: LaserData) -> None:
        reach = getattr(sensor.get_sensor_geometry(), "max_range", np.inf)
        longest = float(np.max(data.distances, initial=0.0))
        fix = f"rays end at max_range, {reach:g} m, and one is {longest:g} m long"
        assert longest <= reach + 1e-6, fix

    def test_measuring_moves_nothing(self, env: Environment) -> None:
        """``measure`` leaves all bodies where they are, and keeps none of them alive.

        What a sensor needs to know it asks ``env`` when it measures.
        """
        sensor = self._placed(env)
        before = state_of_world(env)
        with suppress(NotSupportedError):
            sensor.measure()
        self._first(env, sensor)
        assert difference(before, state_of_world(env), "bodies") is None, (
            "cast rays with env.raycast, and move nothing to see behind it"
        )
        fix = "keep bodies by weakref.ref(body), or by their id"
        assert goes_away(env, BALL, steps=10), fix

    def test_data_copied(self, env: Environment) -> None:
        """``get_sensor_data`` gives copies: nothing changes them later."""
        sensor = self._placed(env)
        first, second = self._first(env, sensor), sensor.read()
        assert second is not None
        assert second is not first
        for name, array in _arrays(first):
            fix = f"data.{name} = self._data.{name}.copy()"
            other = getattr(second, name)
            assert not np.shares_memory(array, other), fix
            if array.flags.writeable and array.size:
                array[...] = 1
                seen = getattr(sensor.read(), name)
                assert np.array_equal(seen, other, equal_nan=True), fix

    def test_callback(self, env: Environment) -> None:
        """``simulation_step`` gives each measurement to callbacks with open handles."""
        sensor, seen = self._placed(env), list[SensorData]()
        handle = sensor.register_data_callback(seen.append)
        data = self._first(env, sensor)
        assert seen, "call self.publish(data) with every new measurement"
        assert isinstance(seen[-1], SensorData)
        assert seen[-1].stamp == data.stamp, "publish what get_sensor_data would give"
        handle.close()
        count = len(seen)
        for _ in range(20):
            env.step(_STEP)
        assert len(seen) == count, "use register_data_callback of SensorBase"

    def test_measure_now(self, env: Environment) -> None:
        """``measure()`` returns data of a supported type, or NotSupportedError."""
        sensor = self._placed(env)
        env.step(_STEP)
        data = self.offered(sensor.measure)
        assert isinstance(data, SensorData)
        assert sensor.supports(data.sensor_type)
        assert_allclose(data.pose, _POSE, atol=1e-9)
