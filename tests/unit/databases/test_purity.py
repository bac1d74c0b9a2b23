"""Tasks of the kinds that ship depend on key and index, not on what ran before."""

import numpy as np
import pytest
from grasping_scenes import block, hand_and_ball

import pyrave
from pyrave.databases import GraspDatabase, IkStatistics
from pyrave.databases.jobs import compiled, database_of, drop_job, keep_job, make_job


def statistics():
    env = pyrave.load("scenes/demo.env.xml")
    arm = env.robots["heron7"].manipulators["arm"]
    return IkStatistics(arm, goals=300, all_solutions=True)


def grasps():
    arm, ball = hand_and_ball()
    ball.env.remove(ball)
    cube = block(arm.robot.env, "cube", (0.02, 0.02, 0.02), (0.1, 0, 0))
    given = {"friction": 0.6, "box_spacing": 0.01, "noise": 1e-3, "tries": 3}
    return GraspDatabase(arm, cube, **given)


@pytest.mark.parametrize("make", [statistics, grasps])
def test_tasks_find_the_same_in_any_order(make):
    found = []
    for order in (1, -1):
        digest = keep_job(make_job(make()))
        twin = database_of(digest)
        with compiled():
            indices = range(twin._task_count())[:4][::order]
            parts = {index: twin._compute(index) for index in indices}
        drop_job(digest)
        assert len(parts) > 2
        found.append([parts[index] for index in sorted(parts)])
    for one, other in zip(*found, strict=True):
        for name, array in one.items():
            floats = array.dtype.kind == "f"
            assert np.array_equal(array, other[name], equal_nan=floats), name
