"""Tasks in OpenRAVE's scenes, with its hands: no pair of links is ignored."""

import corpus
import numpy as np
import pytest

import pyrave
from pyrave import manipulation
from pyrave.manipulation import Pick, Place, solve
from pyrave.planning import verify
from pyrave.scene import body_from_boxes

ROOT = corpus.openrave_root()
needs_corpus = pytest.mark.skipif(ROOT is None, reason="the corpus is not here")


@needs_corpus
@pytest.mark.slow
def test_a_disk_of_hanoi_leaves_its_peg_and_comes_onto_another():
    env = pyrave.load(ROOT / "data" / "hanoi.env.xml", resource_roots=[ROOT])
    robot, disk = env.robots["Puma"], env.bodies["disk2"]
    arm = robot.manipulators["arm"]
    goal = env.bodies["destpeg"].transform
    goal[2, 3] += 0.0205
    ways = (0.2, 0.24)
    task = solve(
        robot,
        Pick(arm, disk, lift=ways),
        Place(arm, disk, goal, lower=ways),
        timeout=60.0,
    )
    assert task, task.cause
    assert verify(robot, task.trajectory) == ()
    assert robot.execute(task)
    np.testing.assert_allclose(disk.transform[:3, 3], goal[:3, 3], atol=1e-6)


@needs_corpus
@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "name", "joints"),
    [
        ("robots/barrettwam.robot.xml", "arm", 3),
        ("robots/puma.robot.xml", "arm", 1),
        ("robots/pr2-beta-static.zae", "leftarm", 1),
    ],
)
def test_hands_close_on_a_box_from_several_sides(file, name, joints):
    env = pyrave.load(ROOT / file, resource_roots=[ROOT])
    arm = env.robots[0].manipulators[name]
    box = env.create_body(body_from_boxes("box", [(0, 0, 0, 0.012, 0.015, 0.02)]))
    box.transform = arm.transform
    arm.gripper_dof_values = manipulation.open(arm).values
    closed = manipulation.close(arm)
    assert closed, closed.cause
    met = [stop for stop in closed.stops if stop.met is not None]
    assert len(met) == joints
    assert all(stop.met.second.body is box for stop in met)
    assert box in closed.bodies
    arm.gripper_dof_values = closed.values
    assert 0.0 < env.distance(arm.robot, box) < 2e-6
