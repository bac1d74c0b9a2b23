"""Values that scripts assign to sensors are made to fit, or refused by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError
from pyrave_sensors.optics.camera_options import CameraOptions
from pyrave_sensors.ranges.noise import RangeNoise


def sensor(interface, tags=""):
    env = pyrave.Environment()
    env.load_string(
        f"<environment><sensor type='{interface}' name='s'>{tags}</sensor>"
        "</environment>",
        strict=True,
    )
    # the environment must outlive it
    return env, env.sensors["s"]


def assign(one, name, value):
    one.set_sensor_geometry(replace(one.geometry, **{name: value}))
    return one.geometry


@pytest.mark.parametrize(
    ("interface", "name", "value", "message"),
    [
        ("BaseLaser2D", "min_angle", (1.0, 0.0), "expected a number from -62.8"),
        ("BaseLaser2D", "min_angle", "12", "min_angle is '12', expected a number"),
        ("BaseLaser2D", "min_angle", np.zeros(2), "expected a number"),
        ("BaseLaser2D", "max_range", "far", "max_range is 'far', expected a number"),
        ("BaseLaser2D", "max_range", 10**400, "max_range is .*, expected a number"),
        ("BaseLaser2D", "max_range", -(10**400), "max_range is .*, expected a number"),
        ("BaseLaser2D", "min_range", None, "min_range is None, expected a number"),
        ("BaseLaser2D", "hardware_id", 7, "hardware_id is 7, expected a text"),
        ("BaseSpinningLaser2D", "spin_axis", (1, 0), "expected 3 numbers"),
        (
            "MultiBeamLidar",
            "elevations",
            (0, "up"),
            "elevations is .*, expected numbers",
        ),
        ("BaseCamera", "width", 1.5, "width is 1.5, expected a whole number"),
        ("BaseCamera", "width", "wide", "expected a whole number"),
        ("BaseCamera", "width", 1e300, "too large"),
        ("BaseCamera", "width", -1, "expected a whole number > 0 pixels"),
        ("BaseCamera", "kk", "x", "kk is 'x', expected 4 numbers"),
        ("BaseCamera", "skew", "x", "skew is 'x', expected a number"),
        ("BaseCamera", "distortion_model", 3, "expected a text"),
        ("BaseCamera", "distortion_coeffs", (1, 2, "x"), "expected numbers"),
        ("BaseCamera", "options", 3, "options is 3, expected CameraOptions"),
        ("BaseCamera", "noise", None, "noise is None, expected RangeNoise"),
        ("StereoCamera", "cameras", (1, 2), "a camera is 1, expected its name"),
        ("BaseForce6D", "correction_matrix", np.eye(5), "expected 6 x 6 numbers"),
        ("BaseForce6D", "polarity", 0.5, "expected one of 1, -1"),
        ("BaseIMU", "draw_covariances", 2, "expected true or false"),
        ("BaseIMU", "max_acceleration", "abc", "expected 3 numbers"),
        ("BaseTactile", "positions", [[1, 2]], "expected n x 3 numbers"),
        ("BaseActuator", "joint", None, "joint is None, expected a text"),
    ],
)
def test_values_of_no_use_are_refused_by_name(interface, name, value, message):
    _env, one = sensor(interface)
    before = one.get_sensor_geometry()
    with pytest.raises(ArgumentError, match=message):
        assign(one, name, value)
    assert repr(one.get_sensor_geometry()) == repr(before)


def test_numbers_that_python_does_not_write_are_refused():
    huge = 10**5000
    _env, laser = sensor("BaseLaser2D")
    with pytest.raises(ArgumentError, match="a huge number, expected a text"):
        assign(laser, "hardware_id", huge)
    with pytest.raises(ArgumentError, match="seed of BaseLaser2D is a huge number"):
        laser.seed = huge
    message = "is a huge number, expected a ConfigureCommand"
    with pytest.raises(ArgumentError, match=message):
        laser.configure(huge)
    with pytest.raises(ArgumentError, match="measures LASER data, not a huge number"):
        laser.get_sensor_geometry(huge)
    with pytest.raises(ArgumentError, match="a LaserGeometry, got a huge number"):
        laser.set_sensor_geometry(huge)
    with pytest.raises(ArgumentError, match="a huge number, expected RangeNoise"):
        laser.noise = huge
    with pytest.raises(ArgumentError, match="intensity_range of BaseLaser2D is a huge"):
        laser.intensity_range = huge
    _env, camera = sensor("BaseCamera")
    with pytest.raises(ArgumentError, match="a huge number, expected CameraOptions"):
        camera.options = huge


def test_what_fits_becomes_the_kind_of_the_field():
    _env, laser = sensor("BaseLaser2D")
    found = assign(laser, "min_angle", np.float32(-1))
    assert found.min_angle == -1.0
    assert type(found.min_angle) is float
    _env, camera = sensor("BaseCamera")
    assert type(assign(camera, "width", np.int64(20)).width) is int
    assert assign(camera, "width", 30.0).width == 30
    found = assign(camera, "distortion_coeffs", np.array((0.1, 0.2, 0, 0)))
    assert found.distortion_coeffs == (0.1, 0.2, 0.0, 0.0)
    _env, imu = sensor("BaseIMU")
    assert assign(imu, "draw_covariances", np.int64(1)).draw_covariances is True
    _env, skin = sensor("BaseTactile")
    found = assign(skin, "positions", [[0, 0, 0], [1, 0, 0]])
    assert found.positions.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        found.positions[0] = 1.0


def test_what_was_given_is_not_changed():
    _env, skin = sensor("BaseTactile")
    given = np.array([[0.0, 0.0, 1.0]])
    skin.change_settings(positions=given)
    given[0] = 7.0
    assert skin.geometry.positions.tolist() == [[0.0, 0.0, 1.0]]


@pytest.mark.parametrize("value", ["x", None, 1.5, -1, 2**64])
def test_seeds_of_no_use(value):
    _env, laser = sensor("BaseLaser2D")
    with pytest.raises(ArgumentError, match="seed of BaseLaser2D is"):
        laser.seed = value


@pytest.mark.parametrize("interface", ["BaseLaser2D", "BaseCamera", "base_imu"])
def test_an_assigned_seed_is_saved(tmp_path, interface):
    env, one = sensor(interface)
    one.seed = 11
    env.save(tmp_path / "a.env.xml")
    again = pyrave.load(tmp_path / "a.env.xml", strict=True)
    assert again.sensors["s"].seed == 11
    assert again.sensors["s"].random.random() == np.random.default_rng(11).random()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RangeNoise(sigma="x"), "sigma is 'x', expected a number"),
        (lambda: CameraOptions(outputs="color"), "outputs is 'color', expected te"),
        (lambda: CameraOptions(samples=2.5), "samples is 2.5, expected a whole number"),
        (lambda: CameraOptions(samples="x"), "samples is 'x'"),
        (lambda: CameraOptions(shadows="no"), "shadows is 'no', expected true or fal"),
        (lambda: CameraOptions(background=(1, 2)), "background is .* 3 numbers"),
        (lambda: CameraOptions(lamps=3), "lamps is 3"),
        (lambda: CameraOptions(lamps=(3,)), "lamps is .*, expected several Lamp"),
        (lambda: CameraOptions(max_range=None), "max_range is None"),
    ],
)
def test_options_of_no_use(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def test_points_and_pixels_of_no_use():
    _env, camera = sensor("BaseCamera")
    with pytest.raises(ArgumentError, match=r"points have shape \(2,\)"):
        camera.project([1, 2])
    with pytest.raises(ArgumentError, match="pixels is not an array of numbers: 'x'"):
        camera.unproject("x")
    with pytest.raises(ArgumentError, match="measures CAMERA data, not 'x'"):
        camera.get_sensor_geometry("x")
    with pytest.raises(ArgumentError, match="measures CAMERA data, not"):
        camera.get_sensor_geometry([])
    laser = sensor("BaseLaser2D")[1]
    with pytest.raises(ArgumentError, match="intensity_range of BaseLaser2D is 'x'"):
        laser.intensity_range = "x"
    with pytest.raises(
        ArgumentError, match="intensity_model of BaseLaser2D is 1, expected one of"
    ):
        laser.intensity_model = 1
    with pytest.raises(
        ArgumentError, match="include_robot of BaseLaser2D is 'no', expected true"
    ):
        laser.include_robot = "no"
