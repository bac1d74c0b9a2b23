"""Settings of sensors as one frozen object: assigned, checked, saved, described."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, is_dataclass

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, InterfaceBase, PeriodicSensor, SensorBase, StateError
from pyrave.interfaces.settings.declarations import values_of
from pyrave_sensors.hooks import _GEOMETRIES, ALIASES
from pyrave_sensors.optics.stereo_geometry import StereoPart
from pyrave_sensors.ranges.noise import RangeNoise
from pyrave_sensors.settings.fields import schema_of

SENSORS = sorted(_GEOMETRIES)


def made(interface, tags=""):
    env = pyrave.Environment()
    sensor = f"<sensor type='{interface}' name='s'>{tags}</sensor>"
    env.load_string(f"<environment>{sensor}</environment>", strict=True)
    return env.sensors["s"]


def saved(sensor, tmp_path):
    sensor.env.save(tmp_path / "s.env.xml")
    return pyrave.load(tmp_path / "s.env.xml", strict=True).sensors["s"]


def another(one):
    """Return a value of a setting that is not its default."""
    if one.choices:
        return next(choice for choice in one.choices if choice != one.default)
    if one.kind is bool:
        return not one.default
    if one.kind is str:
        return one.decode(one.example)
    numbers = tuple(float(word) for word in one.example.split())
    value = one.decode(numbers if one.kind is tuple else one.kind(numbers[0]))
    if not np.array_equal(value, one.default):
        return value
    if one.kind is tuple:
        return tuple(0.75 * number for number in value)
    return value + 1 if one.kind is int else 0.75 * value


@pytest.mark.parametrize("interface", SENSORS)
def test_each_setting_is_assigned_and_saved(interface, tmp_path):
    sensor = made(interface)
    for one in schema_of(type(sensor.settings)).own():
        if one.name in {"cameras", "preset", "rate"} or "covar" in one.name:
            continue
        changes = {one.name: another(one)}
        if one.name == "normals":
            changes["positions"] = (0.0, 0.0, 1.0)
        if one.name in {"azimuth_offsets", "firing_times"}:
            changes[one.name] = (0.5,) * len(sensor.settings.elevations)
        if one.name == "distortion_model":
            changes[one.name] = "plumb_bob"
        plain = sensor.settings
        sensor.change_settings(**changes)
        sensor.env.save(tmp_path / "s.env.xml")
        twin = pyrave.load(tmp_path / "s.env.xml").sensors["s"]
        for name, value in changes.items():
            found = getattr(twin.settings, name)
            if isinstance(value, str):
                assert found == value
            else:
                np.testing.assert_allclose(np.ravel(found), np.ravel(value), rtol=1e-15)
        sensor.change_settings(**values_of(plain))
        values = sensor.readables[interface].values
        assert type(plain).from_file(values) == plain
        assert one.name not in values


@pytest.mark.parametrize("interface", SENSORS)
def test_every_setting_is_described(interface):
    settings = made(interface).settings
    described = schema_of(type(settings)).settings
    for item in fields(settings):
        if item.name == "part":  # a word behind the id
            continue
        part = getattr(settings, item.name)
        names = fields(part) if is_dataclass(part) else [item]
        known = {one.field for one in described.values()}
        assert {field.name for field in names} <= known
    for one in described.values():
        assert one.tags
        assert one.doc
        if one.default is not None and not isinstance(one.default, str):
            assert not one.expected(one.encode(one.default))


def test_settings_are_frozen_and_belong_to_one_type():
    laser, camera = made("BaseLaser2D"), made("BaseCamera")
    with pytest.raises(FrozenInstanceError):
        laser.settings.max_range = 3.0
    with pytest.raises(StateError, match="change_settings"):
        laser.settings = camera.settings


@pytest.mark.parametrize(
    ("interface", "changes", "message"),
    [
        (
            "BaseLaser2D",
            {"max_range": -1.0},
            "max_range of BaseLaser2D is -1.0, expected a number from 0 to .* m",
        ),
        ("BaseLaser2D", {"max_range": 0.01}, "min_range 0.03 is above max_range 0.01"),
        (
            "BaseLaser2D",
            {"min_angle": 99.0},
            "expected a number from -62.8319 to 62.8319 rad",
        ),
        ("BaseLaser2D", {"noise": 3}, "noise of BaseLaser2D is 3, expected RangeNoise"),
        (
            "BaseForce6D",
            {"polarity": 3},
            "polarity of BaseForce6D is 3, expected one of 1, -1",
        ),
        ("BaseCamera", {"kk": (0.0, 1.0, 2.0, 3.0)}, "focal lengths are 0 and 1"),
        (
            "BaseCamera",
            {"kk": (1.0, 2.0)},
            "kk of BaseCamera is .*, expected 4 numbers",
        ),
    ],
)
def test_settings_that_make_no_sense(interface, changes, message):
    sensor = made(interface)
    before = sensor.settings
    with pytest.raises(ArgumentError, match=message):
        sensor.change_settings(**changes)
    assert sensor.settings == before


def test_other_settings_change_a_preset(tmp_path):
    lidar = made("MultiBeamLidar", "<preset>OS1-64</preset>")
    lidar.noise = RangeNoise(sigma=0.1)
    values = lidar.readables["MultiBeamLidar"].values
    assert values == {"preset": "OS1-64", "noise_sigma": 0.1}
    lidar.change_settings(max_range=100.0)  # the default; the preset has 120
    values = lidar.readables["MultiBeamLidar"].values
    assert values == {"preset": "OS1-64", "noise_sigma": 0.1, "max_range": 100.0}
    twin = saved(lidar, tmp_path).get_sensor_geometry()
    assert (twin.max_range, len(twin.elevations)) == (100.0, 64)
    assert twin.time_increment == lidar.geometry.time_increment


def test_rectifications_of_a_single_camera_are_saved(tmp_path):
    stereo = made("StereoCamera")
    shifted = np.array(((1.0, 0.0, 3.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    stereo.change_settings(cameras=[StereoPart("", shifted)] * 2)
    assert len(stereo.geometry.rectifications) == 2
    assert saved(stereo, tmp_path).get_sensor_geometry() == stereo.geometry


def levels(sensor):
    """Return how many classes there are from the base of authors to this one."""
    bases = [one for one in sensor.__bases__ if issubclass(one, PeriodicSensor)]
    return 0 if sensor is PeriodicSensor else 1 + max(map(levels, bases))


def test_sensors_and_their_geometries_have_few_levels():
    for interface in (*SENSORS, *ALIASES):
        sensor = pyrave.Environment().create("sensor", interface)
        assert levels(type(sensor)) <= 3, interface
        line = [one for one in sensor.settings_type.__mro__ if is_dataclass(one)]
        assert len(line) <= 5, line


def test_a_laser_has_three_ancestors():
    kind = type(pyrave.Environment().create("sensor", "BaseLaser2D"))
    bases = [one for one in kind.__mro__[1:] if issubclass(one, InterfaceBase)]
    assert bases == [PeriodicSensor, SensorBase, InterfaceBase]


def test_a_geometry_that_fails_leaves_all_as_it_was(monkeypatch):
    laser = made("BaseLaser2D")
    laser.power = False
    before = laser.settings, laser.geometry, laser.random

    def refuse(self, _):
        if self.settings.max_range == 3.0:
            raise OSError("too near")

    monkeypatch.setattr(type(laser), "settings_changed", refuse)
    with pytest.raises(pyrave.PluginError, match="too near"):
        laser.change_settings(max_range=3.0, seed=7, power=True)
    assert (laser.settings, laser.geometry, laser.random) == before
    assert not laser.power
