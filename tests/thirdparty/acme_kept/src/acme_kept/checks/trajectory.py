"""The trajectory KeptTrajectory keeps its contract, and works."""

from __future__ import annotations

import numpy as np

import pyrave
from pyrave.testing import TrajectoryContract


class TestKeptTrajectory(TrajectoryContract):
    interface = "acme-kept:KeptTrajectory"


def test_it_can_be_reversed(scene):
    trajectory = scene.create("trajectory", "KeptTrajectory")
    spec = pyrave.ConfigurationSpecification().add_group(
        "joint_values arm 0 1", 2, "linear"
    )
    trajectory.init(spec.add_delta_time_group())
    trajectory.insert(0, [[0, 0, 0], [1, 2, 0.5], [3, 3, 2.0]])
    trajectory.command("reverse")
    assert trajectory.get_duration() == 2.5
    np.testing.assert_allclose(trajectory.sample(0.0)[:2], [3, 3])
    np.testing.assert_allclose(trajectory.sample(2.0)[:2], [1, 2])
    np.testing.assert_allclose(trajectory.sample(2.5)[:2], [0, 0])
