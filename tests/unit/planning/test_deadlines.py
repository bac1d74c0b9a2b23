"""All calls of a planner have one deadline; compiling alone puts it off."""

from __future__ import annotations

import re
import time
from time import perf_counter

import numpy as np
import pytest

import pyrave
from pyrave import PlannerStatus, PlannerStatusCode
from pyrave.jit import seconds_compiled
from pyrave.jit.progress import Waiting
from pyrave.planning import PlanFailureCode
from pyrave.scene import body_from_boxes


class Slow(pyrave.PlannerBase):
    """Takes its time, and says what a test puts into `codes`."""

    contract = 2
    seconds = 0.8
    calls = 0
    compiles = False
    codes = (PlannerStatusCode.FAILED,)

    def init_plan(self, robot, parameters):
        self.given = parameters
        return PlannerStatus(PlannerStatusCode.HAS_SOLUTION)

    def get_parameters(self):
        return self.given

    def plan_path(self, trajectory, options=0):
        code = self.codes[min(Slow.calls, len(self.codes) - 1)]
        Slow.calls += 1
        if self.compiles:
            with Waiting("", 0.0):
                time.sleep(self.seconds)
        else:
            time.sleep(self.seconds)
        given = self.given
        if code is PlannerStatusCode.HAS_SOLUTION:
            trajectory.init(given.specification)
            goal = given.goal_configuration[: given.dof]
            rows = np.concatenate((given.initial_configuration, goal))
            trajectory.insert(0, rows)
        return PlannerStatus(code, "slept")


@pytest.fixture
def plan(monkeypatch):
    """Return what plans with `Slow` for 0.2 s, after changes of it."""
    env = pyrave.load("scenes/demo.env.xml")
    env.register("planner", "Slow", Slow)
    arm = env.robots[0].active_manipulator

    def planned(goal=None, timeout=0.2, **changes):
        for name, value in {"calls": 0, **changes}.items():
            monkeypatch.setattr(Slow, name, value)
        goal = {"joint1": 0.3} if goal is None else goal
        begin = perf_counter()
        result = arm.plan(goal, planner="Slow", timeout=timeout)
        return result, perf_counter() - begin

    planned()
    planned.env = env
    return planned


def test_a_planner_that_is_late_is_not_called_again(plan):
    result, _ = plan(seconds=1.6)
    assert Slow.calls == 1
    assert result.failure.code is PlanFailureCode.NO_PATH
    late = re.search(
        r"<planner Slow> searched for (.*) s longer than its", result.cause
    )
    assert float(late[1]) >= 1.4


def test_time_that_is_kept_is_not_told(plan):
    result, _ = plan(seconds=0.1)
    assert "longer than" not in result.cause


def test_a_path_that_cannot_be_used_is_not_looked_for_again_too_late(plan):
    env = plan.env
    arm = env.robots[0].active_manipulator
    with env.robots[0].preserve_state():
        arm.arm_dof_values = arm.arm_dof_values + 0.6 * np.eye(7)[0]
        between = arm.transform[:3, 3]
    post = env.create_body(body_from_boxes("post", [(0, 0, 0, 0.02, 0.02, 0.4)]))
    post.transform = [1, 0, 0, 0, *between]
    through = {"joint1": arm.arm_dof_values[0] + 1.2}
    has = (PlannerStatusCode.HAS_SOLUTION,)
    result, _ = plan(through, timeout=20.0, seconds=0.0, codes=has)
    assert result.failure.code is PlanFailureCode.NOT_VERIFIED
    assert Slow.calls == 3
    result, _ = plan(through, timeout=0.5, seconds=1.0, codes=has)
    assert result.failure.code is PlanFailureCode.NOT_VERIFIED
    assert Slow.calls == 1


def test_a_search_that_compiled_has_another_go(plan, monkeypatch):
    monkeypatch.setattr("pyrave.planning.query.plan._COMPILING", 0.2)
    codes = (PlannerStatusCode.FAILED, PlannerStatusCode.HAS_SOLUTION)
    before = seconds_compiled()
    result, _ = plan(timeout=5.0, seconds=0.3, codes=codes, compiles=True)
    assert result
    assert Slow.calls == 2
    # the wait of the time that was compiled is no part of the timeout, but counted
    assert 0.6 <= seconds_compiled() - before < 5.0
    plan(timeout=5.0, seconds=0.3, codes=codes, compiles=False)
    assert Slow.calls == 1


def test_waits_within_waits_are_counted_once():
    before = seconds_compiled()
    with Waiting("", 0.0), Waiting("", 0.0):
        time.sleep(0.05)
    assert 0.05 <= seconds_compiled() - before < 0.09
