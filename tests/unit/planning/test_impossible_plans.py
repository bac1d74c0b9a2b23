"""Problems without a solution: the cause of each is the right one, and in time."""

import signal
import time

import numpy as np
import pytest

import pyrave
from pyrave import Affine
from pyrave.planning import PlanFailureCode, PlanningSpace
from pyrave.planning.query import obstruction as blocking
from pyrave.planning.query import space as planning_space
from pyrave.scene import body_from_boxes

PLATES = {
    "left": ((0.0, 0.35, 0.5), (0.9, 0.02, 0.4)),
    "right": ((0.0, -0.35, 0.5), (0.9, 0.02, 0.4)),
    "roof": ((0.0, 0.0, 0.7), (0.9, 0.33, 0.02)),
}


@pytest.fixture(scope="module")
def arm():
    env = pyrave.load("robots/heron7.robot.xml")
    for name, (centre, half) in PLATES.items():
        plate = env.create_body(body_from_boxes(name, [(0, 0, 0, *half)]))
        plate.transform = [1, 0, 0, 0, *centre]
    arm = env.robots[0].active_manipulator
    # kernels are compiled, in no time that counts
    arm.arm_dof_values = [0, 1.3, 0, 0.4, 0, 0.2, 0]
    arm.plan({"joint1": 2.9}, timeout=1.0)
    arm.plan(arm.transform, timeout=20.0)
    return arm


def state_of(arm):
    return arm.robot.dof_values.tobytes(), arm.robot.active_dof_indices.tobytes()


def impossible(arm, kind, rng):
    """Return a goal that cannot be reached, and the cause of it."""
    robot = arm.robot
    lower, upper = (limits[:7] for limits in robot.dof_limits)
    values = rng.uniform(lower, upper)
    if kind == "limits":
        k = int(rng.integers(7))
        beyond = rng.uniform(0.01, 2.0)
        values[k] = upper[k] + beyond if rng.random() < 0.5 else lower[k] - beyond
        return values, PlanFailureCode.GOAL_LIMITS
    if kind == "collision":
        checker = robot.env.collision_checker
        while True:
            row = robot.dof_values
            row[:7] = rng.uniform(lower, upper)
            if checker.check_configurations(robot, row[None])[0]:
                return row[:7], PlanFailureCode.GOAL_COLLISION
    if kind == "reach":
        pose = arm.transform
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        pose[:3, 3] = [0.0, 0.0, 0.34] + rng.uniform(1.3, 9.0) * direction
        return pose, PlanFailureCode.GOAL_OUT_OF_REACH
    # on the other side of the plates, between which the arm cannot turn round
    return {"joint1": rng.uniform(2.85, 2.95)}, PlanFailureCode.NO_PATH


@pytest.mark.parametrize("kind", ["limits", "collision", "reach", "sealed"])
def test_the_cause_of_each_is_right(arm, kind):
    rng = np.random.default_rng(5)
    # what blocks is looked for in a twentieth of the time, on a busy machine as well
    count, timeout = (2, 2.0) if kind == "sealed" else (30, 20.0)
    for number in range(count):
        goal, code = impossible(arm, kind, rng)
        before = state_of(arm)
        is_values = kind in {"limits", "collision"}
        wanted = {"values": goal} if is_values else {"goal": goal}
        result = arm.plan(**wanted, seed=number, timeout=timeout)
        assert not result
        assert result.failure.code is code, (goal, result.cause)
        assert state_of(arm) == before
        assert len(result.cause) > 40
        # what is plain is not searched for, and a search ends
        most = 60.0 if kind == "sealed" else 15.0
        assert result.statistics.seconds["total"] < most
        if kind == "sealed":
            assert {one.name for one in result.failure.obstacles} <= set(PLATES)
            assert result.failure.obstacles


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_an_interrupt_ends_a_search_and_leaves_everything_as_it_was(arm):
    def interrupt(*_):
        raise KeyboardInterrupt

    before, begin = state_of(arm), time.perf_counter()
    previous = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            arm.plan({"joint1": 2.9}, timeout=300.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)
    assert time.perf_counter() - begin < 100.0  # of 300
    assert state_of(arm) == before
    assert not arm.plan({"joint1": 2.9}, timeout=0.4)


def test_a_base_without_a_range_is_planned_for_in_time():
    env = pyrave.load("robots/rover.robot.xml")
    rover = env.robots[0]
    rover.set_active_dofs([], Affine.X | Affine.Y)
    before = rover.transform.tobytes()
    # 90 000 steps of a millimetre
    result = rover.plan([90.0, 0.0], timeout=60.0)
    assert result, result.cause
    assert rover.transform.tobytes() == before


def test_what_blocks_is_looked_for_until_the_time_is_over(arm, monkeypatch):
    """With a checker of a second a configuration, by a clock that it moves on."""
    robot = arm.robot
    with robot.preserve_state():
        robot.set_active_dofs(arm.arm_indices)
        space = PlanningSpace(robot)
        start = space.values
        goal = start.copy()
        goal[0] = 2.9
        now = [0.0]
        compared = PlanningSpace.hits

        def slow(self, rows):
            now[0] += len(rows)
            return compared(self, rows)

        monkeypatch.setattr(PlanningSpace, "hits", slow)
        for module in (blocking, planning_space):
            monkeypatch.setattr(module, "perf_counter", lambda: now[0])
        for deadline in (0.0, 100.0, 2000.0):
            now[0] = 0.0
            found = blocking.what_blocks(
                space, start, goal[None], np.random.default_rng(1), deadline
            )
            assert now[0] <= 1.2 * deadline
            assert ("random motions" in found.text) == (deadline > 1000.0)
            assert bool(found.obstacles) == (deadline > 0.0)
