"""The arms made of tables: known poses, files that say the same, what is special."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pyrave
import pyrave_environments
from pyrave_environments.arms import ARMS, arm, arm_description, random_arm
from pyrave_environments.arms.__main__ import text_of

FOLDER = pyrave_environments.root() / "robots" / "arms"
NAMES = [one.name for one in ARMS]


def robot_of(one):
    env = pyrave.Environment()
    robot = env.create("robot", "")
    robot.init(arm_description(one))
    env.add(robot)
    return robot


def distal(rows, q):
    """Return the pose after rows of Denavit and Hartenberg, written out."""
    pose = np.eye(4)
    for row, value in zip(rows, q, strict=True):
        turn = math.radians(row.theta) + (0.0 if row.slides else value)
        c, s = math.cos(turn), math.sin(turn)
        ca, sa = math.cos(math.radians(row.alpha)), math.sin(math.radians(row.alpha))
        d = row.d + (value if row.slides else 0.0)
        pose = pose @ np.array(
            [
                [c, -s * ca, s * sa, row.a * c],
                [s, c * ca, -c * sa, row.a * s],
                [0.0, sa, ca, d],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )
    return pose


def test_there_are_enough_arms_and_no_name_twice():
    assert len(set(NAMES)) == len(NAMES) >= 25


@pytest.mark.parametrize("name", ["puma560", "stanford", "ur5", "ur10e", "jaco2_6n"])
def test_rows_move_as_denavit_and_hartenberg_say(name):
    one = arm(name)
    robot = robot_of(one)
    rng = np.random.default_rng(2)
    # of joints that turn without end, one turn is enough
    lower, upper = np.clip(robot.dof_limits, -math.pi, math.pi)
    for q in rng.uniform(lower, upper, (20, robot.dof)):
        robot.dof_values = q
        tool = robot.manipulators["arm"].transform
        assert np.abs(tool - distal(one.joints, q)).max() < 1e-12


@pytest.mark.parametrize(
    ("name", "degrees", "position"),
    [
        # the maker's tables, at angles where they can be read off
        ("ur5", (0, 0, 0, 0, 0, 0), (-0.81725, -0.19145, -0.005491)),
        ("ur5", (0, -90, 0, -90, 0, 0), (0, -0.19145, 1.001059)),
        ("panda", (0,) * 7, (0.088, 0, 0.926)),
        ("panda", (0, 90, 0, 0, 0, 0, 0), (0.593, 0, 0.245)),
        ("iiwa14", (0, 90, 0, 0, 0, 0, 0), (0.946, 0, 0.36)),
        ("wam7", (0, 0, 0, 90, 0, 0, 0), (0.045 + 0.36, 0, 0.896 + 0.045)),
        ("irb2400", (0, 0, 0, 0, 0, 0), (0.94, 0, 1.455)),
        ("cobra600", (90, 0, 0, 0), (0, 0.6, 0.287)),
    ],
)
def test_known_poses(name, degrees, position):
    robot = robot_of(arm(name))
    hand = robot.manipulators["arm"]
    # zero is outside of some limits, and nothing is clamped here
    poses = robot.compute_link_transforms(np.radians(degrees)[None])[0]
    tool = poses[hand.end_effector.index] @ hand.local_tool_transform
    assert np.abs(tool[:3, 3] - position).max() < 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_the_table(name):
    path = FOLDER / f"{name}.robot.xml"
    assert path.read_text(encoding="utf-8") == text_of(arm(name)), (
        "python -m pyrave_environments.arms writes the files anew"
    )
    made = robot_of(arm(name))
    loaded = pyrave.load(path, strict=True).robots[name]
    assert (np.array(loaded.dof_limits) == np.array(made.dof_limits)).all()
    q = np.random.default_rng(5).uniform(-1, 1, made.dof)
    loaded.dof_values = made.dof_values = q
    mine, others = made.manipulators["arm"], loaded.manipulators["arm"]
    assert np.abs(mine.transform - others.transform).max() < 1e-15
    assert (mine.direction == others.direction).all()


def test_every_file_has_its_arm():
    assert {p.name.removesuffix(".robot.xml") for p in FOLDER.iterdir()} == set(NAMES)


def test_a_name_that_is_not_there():
    with pytest.raises(KeyError, match="did you mean 'puma560'"):
        arm("puma56")


def test_random_arms_are_the_same_each_time_and_differ():
    assert random_arm(1) == random_arm(1)
    assert random_arm(1) != random_arm(2)
    assert [j.slides for j in random_arm(3, "RPR").joints] == [False, True, False]
    robot = robot_of(random_arm(4, "RRPRRR"))
    assert robot.joints[2].type == "slider"
