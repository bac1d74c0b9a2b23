"""The physicsengine KeptPhysicsengine keeps its contract, and works."""

from __future__ import annotations

import numpy as np

from pyrave.testing import PhysicsEngineContract


class TestKeptPhysicsengine(PhysicsEngineContract):
    interface = "acme-kept:KeptPhysicsengine"


def test_a_ball_falls_and_rests(scene):
    scene.physics_engine = "KeptPhysicsengine"
    scene.gravity = (0.0, 0.0, -10.0)
    ball = scene.bodies["ball"]
    pose = np.eye(4)
    pose[2, 3] = 1.0
    ball.transform = pose
    ball.base_velocity = np.zeros(6)
    for _ in range(10):
        scene.step(0.01)
    np.testing.assert_allclose(ball.base_velocity[2], -1.0, atol=1e-9)
    np.testing.assert_allclose(ball.transform[2, 3], 1.0 - 0.055, atol=1e-9)
    for _ in range(100):
        scene.step(0.01)
    np.testing.assert_allclose(ball.transform[2, 3], 0.1, atol=1e-6)
