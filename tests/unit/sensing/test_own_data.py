"""Data of sensors that are of no built-in kind: shown, drawn and saved all the same."""

import dataclasses

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, NotSupportedError, SensorData, SensorType
from pyrave.summary import sensor_data_summary


@dataclasses.dataclass(repr=False)
class SonarData(SensorData):
    """Echoes along x."""

    distance: float = 1.0
    echoes: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0))
    label: str = "sonar"

    def drawn_points(self):
        return self.pose[:3, 3] + self.distance * self.pose[None, :3, 0]


@dataclasses.dataclass(repr=False)
class GasData(SensorData):
    """Parts per million."""

    ppm: float = 0.0
    by_name: dict = dataclasses.field(default_factory=dict)


class Sonar(pyrave.PeriodicSensor[SonarData]):
    """A sonar that always hears something at one metre."""

    contract = 2
    data_type = SonarData

    def measure(self):
        return self.new_data(echoes=np.arange(3.0))


@pytest.fixture
def env():
    env = pyrave.Environment()
    env.register("sensor", "Sonar", Sonar)
    env.load_string("<environment><sensor type='Sonar' name='s'/></environment>")
    env.sensors[0].transform = [1, 0, 0, 0, 1, 2, 3]
    env.step(0.1)
    return env


def test_it_is_no_laser(env):
    sensor = env.sensors[0]
    assert sensor.supports(SensorType.OTHER)
    assert not sensor.supports(SensorType.LASER)
    assert repr(sensor.read()).startswith("<SonarData t=0.1 s, distance=1.0, echoes=")
    assert "echoes" in sensor.read()._repr_html_()


def test_json_has_all_fields(env):
    said = sensor_data_summary(env.sensors[0].read())
    assert said["type"] == "other"
    assert (said["distance"], said["label"]) == (1.0, "sonar")
    assert np.asarray(said["echoes"]).tolist() == [0.0, 1.0, 2.0]


def test_points_are_saved_in_the_world_or_in_the_sensor(env, tmp_path):
    data = env.sensors[0].read()
    assert pyrave.save_sensor_data([data, data], tmp_path / "a.csv") == "points"
    rows = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(rows, [[2, 2, 3, 0.1]] * 2)
    pyrave.save_sensor_data(data, tmp_path / "b.csv", frame="sensor")
    rows = np.loadtxt(tmp_path / "b.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(rows[:3], [1, 0, 0])


def test_all_fields_are_saved_stacked_or_by_number(env, tmp_path):
    first = env.sensors[0].read()
    second = dataclasses.replace(first, stamp=0.2, echoes=np.arange(5.0))
    assert pyrave.save_sensor_data([first, second], tmp_path / "a.npz") == "data"
    with np.load(tmp_path / "a.npz") as saved:
        assert saved["stamp"].tolist() == [0.1, 0.2]
        assert saved["pose"].shape == (2, 4, 4)
        assert saved["label"].tolist() == ["sonar", "sonar"]
        assert saved["echoes_1"].tolist() == [0, 1, 2, 3, 4]
        assert "echoes" not in saved


def test_pictures_show_the_points(env):
    env.load_string(
        "<kinbody name='b'><body name='b'><geom type='box'><extents>.1 .1 .1</extents>"
        "<translation>1.6 2 3</translation></geom></body></kinbody>"
    )
    eye, target = (1.8, -1.0, 3.2), (1.8, 2.0, 3.0)
    plain = env.picture(eye=eye, target=target)
    drawn = env.picture(eye=eye, target=target, scans=env.sensors[0].read())
    assert (plain != drawn).any()
    env.sensors[0].render_data = True
    env.sensors[0].color = (1.0, 0.0, 1.0)
    latest = env.picture(eye=eye, target=target)
    changed = (latest != plain).any(axis=2)
    assert changed.any()
    reddest = latest[changed].astype(int)
    assert (reddest[:, 0] > reddest[:, 1]).any()


def test_what_cannot_be_saved_is_named(env, tmp_path):
    data = env.sensors[0].read()
    with pytest.raises(NotSupportedError, match=r"GasData has no points .* in .npz"):
        pyrave.save_sensor_data(GasData(), tmp_path / "a.ply")
    with pytest.raises(NotSupportedError, match=r"by_name of GasData is \{\}"):
        pyrave.save_sensor_data(GasData(), tmp_path / "a.npz")
    with pytest.raises(ArgumentError, match="GasData and SonarData to write"):
        pyrave.save_sensor_data([data, GasData()], tmp_path / "a.npz")
    assert not list(tmp_path.iterdir())


def test_points_of_a_wrong_shape_are_named():
    class Wrong(SonarData):
        def drawn_points(self):
            return [1.0, 2.0]

    with pytest.raises(ArgumentError, match=r"what drawn_points\(\) of Wrong returned"):
        pyrave.Environment().picture(scans=Wrong())
