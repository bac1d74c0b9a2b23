"""Sensors that scripts mount in one call."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest

import pyrave

SCENE = """<environment>
  <robot name="cart"><kinbody><body name="base"/></kinbody></robot>
  <kinbody name="wall"><translation>2 0 0</translation><body name="w" type="static">
    <geom type="box"><extents>0.5 3 3</extents></geom></body></kinbody>
</environment>"""
FORWARD = {"link": "base", "pose": (1, 0, 0, 0, 0.25, 0, 0)}


@pytest.fixture
def cart():
    return pyrave.load_string(SCENE).robots["cart"]


def copies(env):
    return env.clone(), pickle.loads(pickle.dumps(env))  # noqa: S301 - our own


def test_a_laser_measures_at_once(cart):
    laser = cart.add_sensor(
        "laser", "BaseLaser2D", min_angle=0, max_angle=0, resolution=0.1, **FORWARD
    )
    np.testing.assert_allclose(laser.read().distances, 1.25)
    assert laser.sensor.power
    assert cart.env.sensors.names == ("cart:laser",)
    cart.transform = (1, 0, 0, 0, 0.5, 0, 0)
    np.testing.assert_allclose(laser.read().distances, 1.25)  # the latest
    cart.env.step(0.01)
    np.testing.assert_allclose(laser.read().distances, 0.75)


def test_settings_by_name_also_those_of_a_section(cart):
    laser = cart.add_sensor("laser", "BaseLaser2D", noise_sigma=0.01, seed=3, **FORWARD)
    assert laser.sensor.noise.sigma == 0.01
    assert laser.read().distances.std() > 0
    camera = cart.add_sensor(
        "eye", "BaseCamera", link=cart.links[0], width=8, height=6, outputs=["depth"]
    )
    assert camera.read().depth.shape == (6, 8)
    lidar = cart.add_sensor("lidar", "MultiBeamLidar", preset="VLP-16", link="base")
    assert int(lidar.measure().rings.max()) == 15


def test_a_sensor_that_is_off(cart):
    laser = cart.add_sensor("laser", "BaseLaser2D", power=False, **FORWARD)
    cart.env.step(0.1)
    assert cart.env.sensors[0].last_data() is None
    assert len(laser.read().distances)


def test_an_old_one_of_the_name_goes(cart):
    old = cart.add_sensor("eye", "BaseLaser2D", **FORWARD)
    new = cart.add_sensor("eye", "BaseCamera", **FORWARD)
    assert list(cart.attached_sensors) == [new]
    assert old.sensor.mounting is None


@pytest.mark.parametrize(
    ("error", "text", "given"),
    [
        (pyrave.InterfaceNotFoundError, "did you mean 'BaseLaser2D'", ("BaseLaser",)),
        (pyrave.NotFoundError, "did you mean 'base'", {"link": "bse"}),
        (pyrave.ArgumentError, "expected a link of", {"link": 0}),
        (pyrave.ArgumentError, "without blanks", {"name": "my laser"}),
        (pyrave.ArgumentError, "not a pose", {"pose": "ahead"}),
        (pyrave.ArgumentError, "did you mean 'min_angle'", {"min_angl": 0}),
        (pyrave.ArgumentError, "min_angle of BaseL.* is 'low'", {"min_angle": "low"}),
        (pyrave.ArgumentError, "noise_sigma|sigma is -1", {"noise_sigma": -1}),
        (pyrave.ArgumentError, "min_range 9 is above max_range 2",
         {"min_range": 9, "max_range": 2}),
        (pyrave.ArgumentError, "power of BaseLaser2D is 'on'", {"power": "on"}),
        (pyrave.ArgumentError, "noise of BaseLaser2D is 'low', expected RangeNoise",
         {"noise": "low", "noise_sigma": 0.1}),
    ],
)  # fmt: skip
def test_what_is_wrong_mounts_nothing(cart, error, text, given):
    kept = cart.add_sensor("laser", "BaseLaser2D", **FORWARD)
    interface = "BaseLaser2D"
    if isinstance(given, tuple):
        (interface,), given = given, {}
    words = {**FORWARD, **given}
    with pytest.raises(error, match=text):
        cart.add_sensor(words.pop("name", "laser"), interface, **words)
    assert list(cart.attached_sensors) == [kept]
    assert kept.sensor.mounting is kept


def test_a_setting_that_names_nothing_mounts_nothing(cart):
    with pytest.raises(pyrave.NotFoundError, match="'other'"):
        cart.add_sensor("motor", "BaseActuator", link="base", joint="other")
    assert not cart.attached_sensors


@pytest.mark.parametrize("suffix", ["env.xml", "robot.xml", "dae"])
def test_it_is_in_copies_and_files(cart, suffix, tmp_path):
    laser = cart.add_sensor(
        "laser", "BaseLaser2D", max_range=5, time_scan=0.1, **FORWARD
    )
    path = tmp_path / f"cart.{suffix}"
    words = {"body": "cart"} if suffix == "robot.xml" else {}
    cart.env.save(path, **words)
    for env in (*copies(cart.env), pyrave.load(path)):
        other = env.robots["cart"].attached_sensors["laser"]
        assert other.sensor.settings == laser.sensor.settings
        assert other.sensor.power
        np.testing.assert_allclose(other.local_transform, laser.local_transform)


@dataclasses.dataclass(frozen=True)
class CounterSettings:
    """Settings of `Counter`."""

    gain: float = pyrave.setting(1.0, "counts a step", above=0.0)


class Counter(pyrave.SensorBase):
    """Measures only in steps."""

    contract = 2
    settings_type = CounterSettings

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self._on, self._count = False, 0

    @property
    def count(self):
        return self._count

    def configure(self, command, blocking=False):
        if command in {
            pyrave.ConfigureCommand.POWER_ON,
            pyrave.ConfigureCommand.POWER_OFF,
        }:
            self._on = command is pyrave.ConfigureCommand.POWER_ON
        return int(self._on)

    def get_sensor_geometry(self, sensor_type=pyrave.SensorType.INVALID):
        return pyrave.SensorGeometry()

    def create_sensor_data(self, sensor_type=pyrave.SensorType.INVALID):
        return pyrave.SensorData()

    def get_sensor_data(self, data):
        return self._count > 0

    def supports(self, sensor_type):
        return False

    def simulation_step(self, dt):
        self._count += self._on


def test_sensors_of_others_take_settings(cart):
    with cart.env.register("sensor", "Counter", Counter):
        mounted = cart.add_sensor("n", "Counter", link="base", gain=2.5, power=False)
        assert mounted.sensor.settings.gain == 2.5
        with pytest.raises(
            pyrave.StateError, match=r"is off.* assign True to its power"
        ):
            mounted.read()
        mounted.sensor.power = True
        with pytest.raises(pyrave.StateError, match=r"nothing yet; env\.step"):
            mounted.read()
        cart.env.step(0.1)
        assert isinstance(mounted.read(), pyrave.SensorData)
        with pytest.raises(pyrave.ArgumentError, match="did you mean 'gain'"):
            cart.add_sensor("n", "Counter", link="base", gian=2)
        with pytest.raises(pyrave.SettingError, match="expected a number > 0"):
            cart.add_sensor("n", "Counter", link="base", gain=-1)
        assert cart.attached_sensors["n"] is mounted


def test_objects_keep_their_power_and_are_in_one_place(cart):
    off = cart.env.create("sensor", "BaseLaser2D", power=False)
    assert not cart.add_sensor("off", off, **FORWARD).sensor.power
    other = cart.env.create("sensor", "BaseLaser2D", power=False)
    assert cart.add_sensor("on", other, power=True, **FORWARD).sensor.power
    with pytest.raises(pyrave.ArgumentError, match="the sensor is 5, expected the id"):
        cart.add_sensor("x", 5, **FORWARD)
    free = cart.env.add("sensor", "BaseLaser2D")
    free.power = False
    with pytest.raises(pyrave.StateError, match="is in its environment"):
        cart.add_sensor("x", free, power=True, **FORWARD)
    assert not free.power
    assert cart.attached_sensors.names == ("off", "on")
