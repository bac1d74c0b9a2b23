"""What all sensors share, and what their data objects offer; engines' defaults."""

import dataclasses
import pickle

import numpy as np
import pytest

import pyrave
from pyrave import (
    ArgumentError,
    ConfigureCommand,
    LaserData,
    NotSupportedError,
    SensorBase,
    SensorData,
    SensorType,
    StateError,
)

KINDS = [
    getattr(pyrave, f"{name}Data")
    for name in (
        "Laser",
        "Camera",
        "JointEncoder",
        "Force6D",
        "IMU",
        "Odometry",
        "Tactile",
        "Actuator",
    )
]


class Counter(SensorBase):
    contract = 2
    settings_type = None
    on = False
    stamp = 0
    pose = np.eye(4)

    def configure(self, command, blocking=False):
        if command in {ConfigureCommand.POWER_ON, ConfigureCommand.POWER_OFF}:
            self.on = command is ConfigureCommand.POWER_ON
        return int(self.on)

    def get_sensor_geometry(self, sensor_type=SensorType.INVALID):
        return pyrave.SensorGeometry()

    def create_sensor_data(self, sensor_type=SensorType.INVALID):
        return SensorData()

    def get_sensor_data(self, data):
        data.stamp = self.stamp
        return self.stamp > 0

    def supports(self, sensor_type):
        return False

    def simulation_step(self, dt):
        self.stamp += 1
        self.publish(SensorData(self.stamp))


@pytest.fixture
def env():
    return pyrave.Environment()


def test_a_sensor_is_off_and_empty_until_used(env):
    sensor = Counter(env)
    assert not sensor.power
    assert sensor.last_data() is None
    with pytest.raises(StateError, match=r"Counter.* is off, and measures only while"):
        sensor.read()
    env.add(sensor)
    assert sensor.power
    assert env.sensors.names == ("Counter",)
    env.step(0.01)
    assert sensor.read().stamp == 1
    assert sensor.read(SensorData).stamp == 1
    with pytest.raises(ArgumentError, match="measures SensorData, expected LaserData"):
        sensor.read(pyrave.LaserData)
    for wrong in ("laser", 3, int):
        with pytest.raises(ArgumentError, match="expected a class of sensor data"):
            sensor.read(wrong)
    sensor.power = False
    assert not sensor.power
    with pytest.raises(ArgumentError, match="transform of a sensor"):
        sensor.transform = 2 * np.eye(4)
    sensor.transform = (1, 0, 0, 0, 1, 2, 3)
    assert sensor.transform[:3, 3].tolist() == [1, 2, 3]
    with pytest.raises(NotSupportedError, match="only while the simulation steps"):
        sensor.measure()
    with pytest.raises(NotSupportedError, match="cannot be changed"):
        sensor.set_sensor_geometry(pyrave.SensorGeometry())


@pytest.mark.parametrize("name", ["power", "render_data", "render_geometry"])
@pytest.mark.parametrize("value", ["off", "PowerOff", None, 2, 0.5])
def test_a_switch_is_true_or_false(env, name, value):
    sensor = Counter(env)
    with pytest.raises(ArgumentError, match=f"{name} is .*, expected True or False"):
        setattr(sensor, name, value)
    assert not sensor.power


def test_a_field_is_asked_for_by_its_name(env):
    sensor = Counter(env)
    sensor.ask_for("stamp")
    with pytest.raises(ArgumentError, match=r"'stanp', .* did you mean 'stamp'"):
        sensor.ask_for("stanp")


def test_representations_of_measurements_are_short():
    scan = pyrave.LaserData(stamp=7, ranges=np.ones((1000, 3)))
    assert repr(scan) == "<LaserData t=7 s, 1000 rays, 0 returned>"
    measured = pyrave.JointEncoderData(values=np.array([0.5, 1]))
    assert "values=[0.5, 1. ]" in repr(measured)


def test_data_callbacks(env):
    sensor = Counter(env)
    env.add(sensor)
    seen = []
    handle = sensor.register_data_callback(seen.append)
    env.step(0.01)
    handle.close()
    env.step(0.01)
    assert [data.stamp for data in seen] == [1]
    with pytest.raises(ArgumentError, match="cannot be called"):
        sensor.register_data_callback(None)


def test_codes_are_those_of_openrave():
    codes = [kind.value for kind in SensorType if kind is not SensorType.OTHER]
    assert codes == list(range(9))
    assert ConfigureCommand.POWER_ON == 0x10
    assert ConfigureCommand.RENDER_DATA_CHECK == 0x23
    assert ConfigureCommand.RENDER_GEOMETRY_CHECK == 0x32


@pytest.mark.parametrize("data", KINDS)
def test_each_kind_has_data(data):
    assert data.sensor_type not in {SensorType.INVALID, SensorType.OTHER}
    made, other = data(), data()
    assert made.stamp == 0
    np.testing.assert_array_equal(made.pose, np.eye(4))
    for field in dataclasses.fields(made):
        value = getattr(made, field.name)
        if isinstance(value, np.ndarray):
            assert value is not getattr(other, field.name)
    again = pickle.loads(pickle.dumps(made))  # noqa: S301 - made here
    assert again.sensor_type is made.sensor_type


def test_laser_data():
    data = LaserData(
        positions=np.array([[1.0, 0, 0]]), ranges=np.array([[3.0, 4, 0], [0, 0, 2]])
    )
    assert data.distances.tolist() == [5, 2]
    assert data.points.tolist() == [[4, 4, 0], [1, 0, 2]]


def test_an_abstract_sensor_cannot_be_made(env):
    class Half(SensorBase):
        contract = 2

    with pytest.raises(TypeError, match="abstract"):
        Half(env)


def test_the_base_says_what_an_object_is(env):
    made = Counter(env, "a", "b")
    assert made.interface_id == "Counter"
    assert made.args == ("a", "b")
    assert made.plugin == ""
    assert made.env is env
    assert made.about.startswith("Measures something.")
    assert made.get_state() is None
    assert repr(made) == "<sensor Counter>"
    twin = made.copy_to(pyrave.Environment())
    assert (type(twin), twin.args) == (Counter, ("a", "b"))
    assert env.create("trajectory", "").plugin == "pyrave"
