"""Measurements whose arrays do not fit are refused where they come from."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError, PluginError
from pyrave.sensing import CameraData, LaserData, OdometryData, SensorData
from pyrave.sensing.data_checks import data_problem, shape_problem, shapes_of


def scan(**changes):
    """Return a scan of nine rays, with changes."""
    fields = {
        "positions": np.zeros((1, 3)),
        "ranges": np.ones((9, 3)),
        "intensity": np.ones(9),
        "body_ids": np.zeros(9, int),
    }
    return LaserData(**{**fields, **changes})


WRONG = [
    ({"intensity": np.ones(2)}, "intensity has shape (2,), expected (n,) or (0,) with"),
    ({"ranges": np.ones(9)}, "ranges has shape (9,), expected (n, 3)"),
    ({"ranges": np.full((9, 3), "a")}, "ranges is of <U1, expected numbers"),
    ({"ranges": np.ones((9, 3), complex)}, "ranges is of complex128, expected numbers"),
    ({"ranges": [[1.0, 2.0, 3.0]]}, "ranges is a list, expected an array"),
    ({"ranges": np.full((9, 3), None)}, "ranges is an array of objects, expected"),
    ({"body_ids": np.zeros(9)}, "body_ids is of float64, expected whole numbers"),
    ({"pose": np.eye(3)}, "pose has shape (3, 3), expected (4, 4)"),
    ({"stamp": "0.5"}, "stamp is '0.5', expected seconds"),
]


class Scanner(pyrave.PeriodicSensor):
    """Measures what a test puts into `changes`."""

    contract = 2
    data_type = LaserData
    period = 0.0
    changes = {}  # noqa: RUF012 - replaced by tests

    def measure(self):
        return scan(**{"stamp": self.env.simulation_time, **self.changes})


@pytest.fixture
def scanner():
    env = pyrave.Environment()
    sensor = Scanner(env)
    sensor._plugin = "acme-scan"
    sensor.name = "eye"
    env.add(sensor)
    sensor.power = True
    return sensor


@pytest.mark.parametrize(("changes", "problem"), WRONG)
def test_a_step_refuses_data_that_do_not_fit(scanner, changes, problem):
    env = scanner.env
    seen = []
    scanner.register_data_callback(seen.append)
    env.step(0.1)
    scanner.changes = changes
    env.step(0.1)
    assert scanner.disabled
    (found,) = env.problems
    assert found.code == "plugin-failure"
    assert problem in found.message
    assert "<sensor Scanner 'eye'> of plugin 'acme-scan'" in found.message
    # what was right stays, and nobody was given the rest
    assert len(seen) == 1
    assert scanner.read().stamp == seen[0].stamp


def test_sensors_that_keep_their_data_themselves_are_read_with_care():
    class Plain(pyrave.SensorBase):
        contract = 2

        def configure(self, command, blocking=False):
            return 1

        def get_sensor_geometry(self, sensor_type=0):
            return pyrave.SensorGeometry()

        def create_sensor_data(self, sensor_type=0):
            return LaserData()

        def get_sensor_data(self, data):
            data.ranges = np.ones((2, 2))
            return True

        def supports(self, sensor_type):
            return True

        def simulation_step(self, dt):
            self.publish(scan(intensity=np.ones(1)))

    env = pyrave.Environment()
    sensor = Plain(env)
    with pytest.raises(PluginError, match=r"ranges has shape \(2, 2\)"):
        sensor.read()
    with pytest.raises(PluginError, match=r"intensity has shape \(1,\)"):
        sensor.simulation_step(0.1)


@pytest.mark.parametrize(("changes", "problem"), WRONG)
def test_data_that_do_not_fit_are_shown_and_refused_in_words(changes, problem):
    data = scan(**changes)
    assert problem in shape_problem(data)
    assert isinstance(repr(data), str)
    assert isinstance(data._repr_html_(), str)


def test_pictures_and_points_of_data_that_do_not_fit(tmp_path):
    data = scan(ranges=np.zeros((9, 3)), intensity=np.ones(2))
    assert repr(data).startswith("<LaserData.intensity has shape (2,), expected (n,)")
    assert data._repr_png_() is None
    env = pyrave.Environment()
    for act in (
        data.picture,
        lambda: env.picture(scans=data),
        lambda: pyrave.save_sensor_data(data, tmp_path / "x.ply"),
    ):
        with pytest.raises(ArgumentError, match=r"intensity has shape \(2,\)"):
            act()


def test_layers_of_a_camera_have_one_size():
    data = CameraData(image=np.zeros((2, 3, 3), np.uint8), depth=np.zeros((2, 3)))
    assert shape_problem(data) is None
    data.depth = np.zeros((3, 2))
    assert "depth has (3, 2) pixels, other layers (2, 3)" in shape_problem(data)


def test_numbers_are_judged_by_the_kit_alone():
    data = scan(ranges=np.full((9, 3), np.nan))
    assert shape_problem(data) is None
    assert "has a NaN" in data_problem(data)
    place = OdometryData(target_pose=np.ones((4, 4)))
    assert shape_problem(place) is None
    assert "is no pose" in data_problem(place)


def test_equal_shapes_are_looked_at_once(scanner, monkeypatch):
    seen = []
    monkeypatch.setattr("pyrave.interfaces.sensor.shape_problem", seen.append)
    for _ in range(3):
        scanner.env.step(0.1)
    assert len(seen) == 1
    assert shapes_of(scan()) == shapes_of(scan(ranges=np.zeros((9, 3))))
    assert shapes_of(scan()) != shapes_of(scan(ranges=np.zeros((9, 3), np.float32)))
    assert shapes_of(SensorData()) != shapes_of(scan())
