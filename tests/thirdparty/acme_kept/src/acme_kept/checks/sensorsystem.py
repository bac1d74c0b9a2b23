"""The sensorsystem KeptSensorsystem keeps its contract, and works."""

from __future__ import annotations

import numpy as np

from pyrave.testing import SensorSystemContract


class TestKeptSensorsystem(SensorSystemContract):
    interface = "acme-kept:KeptSensorsystem"


def test_tracked_bodies_move(scene):
    system = scene.create("sensorsystem", "KeptSensorsystem")
    ball, pose = scene.bodies["ball"], np.eye(4)
    pose[:3, 3] = 1, 2, 3
    assert not system.update("ball", pose)
    system.add_kinbody(ball)
    assert not system.is_body_present(ball)
    assert system.update("ball", pose)
    assert system.is_body_present(ball)
    np.testing.assert_allclose(ball.transform, pose)
    assert system.enable_body(ball, enable=False)
    assert not system.update("ball", np.eye(4))
