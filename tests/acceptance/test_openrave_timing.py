"""Retimers and smoothers beside OpenRAVE's, on its own waypoints for the WAM."""

from __future__ import annotations

import json

import corpus
import numpy as np
import pytest

import pyrave
from pyrave.interfaces import PlannerParameters
from pyrave.planning import dh_parameters, verify

_SHARED = corpus.shared_folder()
_FILE = (
    _SHARED / "expected" / "openrave_topics" / "trajectories.json" if _SHARED else None
)
FOUND = json.loads(_FILE.read_text()) if _FILE and _FILE.exists() else {}
pytestmark = pytest.mark.skipif(not FOUND, reason="the shared files are not there")
TIMED = {
    key.partition(":")[2]: one["duration"]
    for key, one in FOUND.items()
    if one.get("status") == "1" and key != "smooth:shortcut_linear"
}
# OpenRAVE gave up or did not end on these
ONLY_OURS = ["ConstraintParabolicSmoother", "CubicSmoother", "QuinticSmoother"]


@pytest.fixture(scope="module")
def robot():
    (path,) = _SHARED.glob("corpus/**/robots/barrettwam.robot.xml")
    robot = pyrave.load(path).robots["BarrettWAM"]
    robot.set_active_dofs(range(7))
    info = FOUND["info:"]
    assert robot.dof_velocity_limits[:7] == pytest.approx(info["maxvel"])
    assert robot.dof_acceleration_limits[:7] == pytest.approx(info["maxaccel"])
    assert robot.limits.jerk[:7] == pytest.approx(info["maxjerk"])
    return robot


@pytest.mark.parametrize("name", [*TIMED, *ONLY_OURS])
def test_durations(robot, name):
    points = np.array(FOUND["info:"]["waypoints"])
    parameters = PlannerParameters()
    parameters.set_robot_active_joints(robot)
    trajectory = robot.env.create("trajectory", "")
    trajectory.init(parameters.specification)
    trajectory.insert(0, points)
    planner = robot.env.create("planner", name)
    assert planner.init_plan(robot, parameters)
    status = planner.plan_path(trajectory)
    assert status, status.description
    assert trajectory.duration <= 1.01 * TIMED.get(name, TIMED["ParabolicSmoother"])
    rows = trajectory.waypoints[:, :7]
    assert rows[[0, -1]] == pytest.approx(points[[0, -1]], abs=1e-9)
    kinds = {one.kind for one in verify(robot, trajectory)}
    assert kinds <= ({"acceleration"} if name.startswith("Linear") else set())


def test_dh_parameters(robot):
    """Down to where OpenRAVE takes rounding for the direction of a common normal."""
    with robot.preserve_state():
        robot.transform, robot.dof_values = np.eye(4), np.zeros(robot.dof)
        found = {one.joint.name: one for one in dh_parameters(robot)}
    wanted = FOUND["info:"]["dh"][:8]
    for one in wanted:
        own = found[one["joint"]]
        assert own.parent_index == one["parentindex"]
        assert own.transform == pytest.approx(np.array(one["transform"]), abs=1e-9)
        for name in ("a", "d", "theta", "alpha"):
            assert getattr(own, name) == pytest.approx(one[name], abs=1e-9)
