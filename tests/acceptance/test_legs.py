"""Real robots on legs stand in the engine ``mujoco`` on their controllers.

They are in the extra `robots`; what is not installed is skipped.
"""

from __future__ import annotations

from pathlib import Path

import corpus
import numpy as np
import pytest
from physics_scenes import floor, run

import pyrave

pytest.importorskip("mujoco")
pin = pytest.importorskip("pinocchio")

_ROBOTS = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
_FRONT, _HIND = (("HFE", 0.4), ("KFE", -0.8)), (("HFE", -0.4), ("KFE", 0.8))
_SQUAT = {"hip_pitch": -0.3, "knee": 0.6, "ankle_pitch": -0.3}


def four(front, hind):
    """Return joint values of a quadruped by the names of its legs."""
    legs = [(leg, _FRONT) for leg in front] + [(leg, _HIND) for leg in hind]
    return {f"{leg}_{joint}": value for leg, pairs in legs for joint, value in pairs}


def two(left, right, names=tuple(_SQUAT)):
    """Return joint values of a humanoid by what stands before and for its joints."""
    pairs = list(zip(names, _SQUAT.values(), strict=True))
    return {f"{leg}_{name}_joint": v for leg in (left, right) for name, v in pairs}


_SOLO = four(("FL", "FR"), ("HL", "HR"))
_ANYMAL = four(("LF", "RF"), ("LH", "RH"))
STANDING = {
    "anymal_b_simple_description/robots/anymal.urdf": (_ANYMAL, 500, 20, 10.0),
    "anymal_c_simple_description/urdf/anymal.urdf": (_ANYMAL, 500, 20, 2.0),
    "solo_description/robots/solo12.urdf": (_SOLO, 30, 1, 2.0),
    "g1_description/urdf/g1_29dof_rev_1_0.urdf": (two("left", "right"), 500, 20, 10.0),
    "talos_data/robots/talos_reduced.urdf": (
        two("leg_left", "leg_right", "345"), 3000, 100, 2.0,
    ),
}  # fmt: skip
"""Joint values, stiffness and damping, and for how many seconds (10 where all is
tested)."""


@pytest.mark.parametrize("name", STANDING)
def test_robots_stand(name):
    if not _ROBOTS.is_dir():
        pytest.skip("example-robot-data is not installed (extra `robots`)")
    values, kp, kd, seconds = STANDING[name]
    env = pyrave.load(_ROBOTS / name)
    robot = env.robots[0]
    for joint, value in values.items():
        robot.joints[joint].values = [value]
    middle, half = robot.aabb
    pose = robot.transform
    pose[2, 3] -= middle[2] - half[2] - 1e-3
    robot.transform = pose
    env.create_body(floor())
    engine = env.set_physics_engine("mujoco")
    robot.set_controller("JointPIDController", kp=kp, kd=kd)
    run(env, 0.5)
    height = robot.center_of_mass[2]
    run(env, 10.0 if corpus.LONG else seconds)
    assert robot.center_of_mass[2] == pytest.approx(height, abs=0.01)
    assert robot.transform[2, 2] > 0.995
    forces = [
        one.force if one.second.body is robot else -one.force
        for one in engine.contacts()
        if one.first.body is not one.second.body
    ]
    weight = -robot.mass * env.gravity
    np.testing.assert_allclose(sum(forces), weight, atol=0.01 * weight[2])
