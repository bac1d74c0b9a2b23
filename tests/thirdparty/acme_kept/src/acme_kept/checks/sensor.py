"""The sensor KeptSensor keeps its contract, and works."""

from __future__ import annotations

import numpy as np

from pyrave.testing import SensorContract


class TestKeptSensor(SensorContract):
    interface = "acme-kept:KeptSensor"


def test_it_sees_the_ball(scene):
    sensor = scene.create("sensor", "KeptSensor")
    pose = np.eye(4)
    pose[:3, 3] = scene.bodies["ball"].aabb[0] - (0.0, 0.0, 1.0)
    sensor.set_transform(pose)
    np.testing.assert_allclose(sensor.measure().distances, [0.9], atol=1e-6)


def test_what_the_scene_sets_is_used_and_saved(scene):
    sensor = next(s for s in scene.sensors if s.interface_id == "KeptSensor")
    assert sensor.get_sensor_geometry().max_range == 3.0
    saved = [one.interface for one in scene.describe().interfaces]
    assert any(one.endswith("KeptSensor max_range=3.0") for one in saved)


def test_it_measures_at_its_rate(scene):
    sensor = next(s for s in scene.sensors if s.interface_id == "KeptSensor")
    stamps = []
    sensor.register_data_callback(lambda data: stamps.append(data.stamp))
    for _ in range(100):
        scene.step(0.01)
    assert len(stamps) == 20
    np.testing.assert_allclose(np.diff(stamps), 0.05)
