"""All calls of a planner have one deadline; compiling alone puts it off."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from moved_clock import MovedClock

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
    clock = MovedClock()
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
        with Waiting("", 0.0) if self.compiles else nullcontext():
            self.clock.now += self.seconds
        given = self.given
        if code is PlannerStatusCode.HAS_SOLUTION:
            trajectory.init(given.specification)
            goal = given.goal_configuration[: given.dof]
            rows = np.concatenate((given.initial_configuration, goal))
            trajectory.insert(0, rows)
        return PlannerStatus(code, "slept")


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that `Slow` moves, and each look at it by a millisecond."""
    clock = MovedClock(tick=1e-3)
    monkeypatch.setattr(Slow, "clock", clock)
    clock.show_to(monkeypatch, "pyrave.jit")
    return clock


@pytest.fixture
def plan(monkeypatch, clock):
    """Return what plans with `Slow` for 0.2 s of its clock, after changes of it."""
    env = pyrave.load("scenes/demo.env.xml")
    env.register("planner", "Slow", Slow)
    arm = env.robots[0].active_manipulator

    def planned(goal=None, timeout=0.2, **changes):
        for name, value in {"calls": 0, **changes}.items():
            monkeypatch.setattr(Slow, name, value)
        goal = {"joint1": 0.3} if goal is None else goal
        return arm.plan(goal, planner="Slow", timeout=timeout)

    planned()
    clock.show_to(monkeypatch, "pyrave.planning")  # what has been imported meanwhile
    planned.env = env
    return planned


def test_a_planner_that_is_late_is_not_called_again(plan):
    result = plan(seconds=1.6)
    assert Slow.calls == 1
    assert result.failure.code is PlanFailureCode.NO_PATH
    assert "<planner Slow> searched for 1.4 s longer than its" in result.cause


def test_time_that_is_kept_is_not_told(plan):
    result = plan(seconds=0.1)
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
    result = plan(through, timeout=20.0, seconds=0.0, codes=has)
    assert result.failure.code is PlanFailureCode.NOT_VERIFIED
    assert Slow.calls == 3
    result = plan(through, timeout=0.5, seconds=1.0, codes=has)
    assert result.failure.code is PlanFailureCode.NOT_VERIFIED
    assert Slow.calls == 1


def test_a_search_that_compiled_has_another_go(plan, monkeypatch):
    monkeypatch.setattr("pyrave.planning.query.plan._COMPILING", 0.2)
    codes = (PlannerStatusCode.FAILED, PlannerStatusCode.HAS_SOLUTION)
    before = seconds_compiled()
    result = plan(timeout=5.0, seconds=0.3, codes=codes, compiles=True)
    assert result
    assert Slow.calls == 2
    # the wait of the time that was compiled is no part of the timeout, but counted
    assert seconds_compiled() - before == pytest.approx(0.6, abs=0.05)
    assert result.statistics.seconds["compiling"] == pytest.approx(0.6, abs=0.05)
    assert "after compiling for 1 s" in str(result)
    result = plan(timeout=5.0, seconds=0.3, codes=codes[1:], compiles=False)
    assert Slow.calls == 1
    assert str(result).endswith(" s")
    assert "compiling" not in str(result)


def test_waits_within_waits_are_counted_once(clock):
    before = seconds_compiled()
    with Waiting("", 0.0), Waiting("", 0.0):
        clock.now += 0.05
    assert seconds_compiled() - before == pytest.approx(0.05, abs=5e-3)
