"""The base of sensors that measure at a rate."""

import dataclasses
import pickle

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, PeriodicSensor, PluginError, SensorData
from pyrave.spatial import Array
from pyrave.testing import SensorContract


@dataclasses.dataclass
class EchoData(SensorData):
    """A distance along z, metres, and echoes."""

    distance: float = 0.0
    echoes: list[float] = dataclasses.field(default_factory=list)
    spectrum: np.ndarray = dataclasses.field(default_factory=lambda: np.empty(0))


class Echo(PeriodicSensor[EchoData]):
    """An echo sounder that remembers, and is careless about its arrays."""

    contract = 2
    data_type = EchoData
    period = 0.1
    sigma = 0.0

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.count = 0
        self._spectrum = np.zeros(3)

    def measure(self):
        self.count += 1
        self._spectrum[:] = self.env.simulation_time
        noise = self.sigma * self.random.normal()
        return self.new_data(
            distance=noise, echoes=[noise, 2.0], spectrum=self._spectrum
        )

    def get_own_state(self):
        return self.count, self._spectrum

    def set_own_state(self, state):
        self.count, self._spectrum = state


class TestEcho(SensorContract):
    interface = Echo


@pytest.fixture
def env(monkeypatch):
    env = pyrave.Environment()
    env.register("sensor", "Echo", Echo)
    monkeypatch.setattr(Echo, "sigma", 1.0)
    env.add(env.create("sensor", "Echo"))
    return env


def test_it_measures_at_once_and_then_at_its_period_without_losing_time(env):
    stamps = []
    env.sensors[0].register_data_callback(lambda data: stamps.append(data.stamp))
    for _ in range(100):
        env.step(0.03)
    assert stamps[0] == 0.03
    # in the first step at or behind 30 ms + k 100 ms: none is lost in 3 s
    wanted = [30 * int(np.ceil((30 + 100 * k) / 30 - 1e-9)) for k in range(30)]
    assert [round(1000 * stamp) for stamp in stamps] == wanted


def test_steps_longer_than_the_period_leave_measurements_out(env):
    seen = []
    env.sensors[0].register_data_callback(seen.append)
    for _ in range(5):
        env.step(1.0)
    assert len(seen) == 5


def test_what_is_read_and_published_stays_as_it_was(env):
    sensor, seen = env.sensors[0], []
    sensor.register_data_callback(seen.append)
    env.step(0.1)
    first = sensor.read()
    env.step(0.1)
    assert first.spectrum.tolist() == seen[0].spectrum.tolist() == [0.1] * 3
    assert sensor.read().spectrum.tolist() == [0.2] * 3
    sensor.read().echoes.append(9.0)
    assert len(sensor.read().echoes) == 2
    assert sensor.latest is not seen[1]


def test_clones_and_pickles_measure_the_same_noise_at_the_same_times(env):
    for _ in range(7):
        env.step(0.03)
    copies = env.clone(), pickle.loads(pickle.dumps(env.sensors[0].get_state()))  # noqa: S301
    twin = env.create("sensor", "Echo")
    twin.set_state(copies[1])
    assert twin.get_own_state()[0] == env.sensors[0].count == 2
    for _ in range(20):
        env.step(0.03)
        copies[0].step(0.03)
        here, there = env.sensors[0].read(), copies[0].sensors[0].read()
        assert (here.stamp, here.distance) == (there.stamp, there.distance)
    assert twin.random.normal() != env.sensors[0].random.normal()


def test_the_seed_restarts_the_noise(env):
    sensor = env.sensors[0]
    sensor.seed = 7
    first = sensor.measure().distance
    sensor.seed = 7
    assert sensor.measure().distance == first
    (twin,) = env.clone().sensors
    assert twin.seed == 7
    with pytest.raises(ArgumentError, match="seed of Echo is -1, expected a wh"):
        sensor.seed = -1


def test_measuring_now_keeps_nothing(env):
    assert env.sensors[0].measure().stamp == 0
    assert env.sensors[0].last_data() is None


def test_a_measurement_of_another_class_is_named(env):
    sensor = env.sensors[0]
    sensor.measure = lambda: None
    env.step(0.1)
    assert sensor.disabled
    text = str(env.problems[-1])
    assert "measure() of <sensor Echo" in text
    assert "returned None, expected EchoData" in text


def test_data_that_are_no_dataclass_are_refused_where_they_are_named():
    class Plain(SensorData):
        distance: float = 0.0

    with pytest.raises(PluginError, match=r"data_type of Bad .* write @dataclass"):

        class Bad(PeriodicSensor[Plain]):
            data_type = Plain


def test_switches_by_number_and_by_name(env):
    sensor = env.sensors[0]
    assert sensor.send_command("Configure PowerCheck") == "1"
    sensor.power = False
    assert sensor.send_command("Configure PowerCheck") == "0"
    with pytest.raises(ArgumentError, match="ConfigureCommand"):
        sensor.configure(7)
    with pytest.raises(pyrave.CommandError, match="did you mean 'PowerOn'"):
        sensor.send_command("Configure PowrOn")


@dataclasses.dataclass(frozen=True)
class EarGeometry(pyrave.SensorGeometry):
    """Where an ear is open."""

    reach: float = pyrave.setting(5.0, "how far it hears", unit="m", above=0.0)
    places: Array = pyrave.setting(np.zeros((0, 3)), "of its holes", unit="m")
    turn: Array = pyrave.setting(np.eye(3), "of its axes", least=-1.0, most=1.0)


class Ear(PeriodicSensor[EchoData]):
    """A sensor with a geometry of its own, which remembers what it was."""

    contract = 2
    data_type = EchoData
    settings_type = EarGeometry

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.before = []

    def settings_changed(self, before):
        self.before.append(before)

    def measure(self):
        return self.new_data(distance=self.settings.reach)


class TestEar(SensorContract):
    interface = Ear


@pytest.fixture
def ear():
    env = pyrave.Environment()
    env.register("sensor", "Ear", Ear)
    ear = env.create("sensor", "Ear", reach=2, places=[1, 2, 3, 4, 5, 6], power=True)
    env.add(ear)
    return ear


def test_what_is_set_is_the_geometry(ear, tmp_path):
    assert ear.geometry is ear.settings is ear.get_sensor_geometry()
    assert ear.geometry.places.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert ear.power
    with pytest.raises(dataclasses.FrozenInstanceError):
        ear.geometry.reach = 3.0
    with pytest.raises(ValueError, match="read-only"):
        ear.geometry.places[0] = 0.0
    first = ear.geometry
    ear.set_sensor_geometry(dataclasses.replace(first, reach=3, color=(1, 0, 0)))
    assert (ear.color, ear.measure().distance) == ((1.0, 0.0, 0.0), 3.0)
    ear.color = (0, 1, 0)
    assert [one.reach for one in ear.before] == [2.0, 3.0]
    assert first.reach == 2.0
    (twin,) = ear.env.clone().sensors
    assert twin.geometry == ear.geometry
    twin.change_settings(places=[], seed=3)
    twin.set_state(pickle.loads(pickle.dumps(ear.get_state())))  # noqa: S301
    assert twin.geometry == ear.geometry
    ear.env.save(tmp_path / "ear.env.xml")
    again = pyrave.Environment()
    again.register("sensor", "Ear", Ear)
    again.load(tmp_path / "ear.env.xml", strict=True)
    (twin,) = again.sensors
    # files keep its words, in which every array is one row of numbers
    assert twin.geometry == ear.geometry


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"places": [1, 2]}, r"places of Ear is .*, expected n x 3 numbers m"),
        ({"places": "ab"}, "places of Ear is 'ab', expected n x 3 numbers"),
        (
            {"turn": np.eye(2)},
            r"(?s)turn of Ear is .*, expected 3 x 3 numbers from -1 to 1",
        ),
        ({"turn": 2 * np.eye(3)}, "expected 3 x 3 numbers from -1 to 1"),
        ({"reach": 0}, "reach of Ear is 0, expected a number > 0 m"),
        ({"size": 1}, "Ear has no setting 'size'"),
    ],
)
def test_geometries_that_make_no_sense(ear, changes, message):
    before = ear.geometry
    with pytest.raises(ArgumentError, match=message):
        ear.change_settings(**changes)
    assert ear.geometry is before
    with pytest.raises(ArgumentError, match="expected a EarGeometry, got"):
        ear.set_sensor_geometry(pyrave.SensorGeometry())


def test_a_geometry_checks_itself_wherever_it_is_made():
    with pytest.raises(ArgumentError, match="reach is 'far', expected a number > 0 m"):
        EarGeometry(reach="far")
    with pytest.raises(ArgumentError, match=r"turn is .*, expected 3 x 3 numbers"):
        dataclasses.replace(EarGeometry(), turn=[1, 2, 3])
    assert EarGeometry() == EarGeometry(places=np.empty((0, 3)))
    assert EarGeometry() != EarGeometry(places=[[1, 2, 3]])


def test_settings_of_another_kind_are_refused():
    @dataclasses.dataclass(frozen=True)
    class Plain:
        reach: float = pyrave.setting(5.0, "how far it hears")

    for kind in (Plain, None, 3):
        with pytest.raises(PluginError, match=r"derives from pyrave\.SensorGeometry"):
            type("Bad", (PeriodicSensor,), {"settings_type": kind})


def test_a_geometry_that_is_computed_is_not_set(ear):
    class Deaf(Ear):
        contract = 2

        @property
        def geometry(self):
            return pyrave.SensorGeometry(hardware_id="deaf")

    deaf = Deaf(ear.env)
    with pytest.raises(pyrave.NotSupportedError, match="cannot be changed"):
        deaf.set_sensor_geometry(deaf.get_sensor_geometry())
