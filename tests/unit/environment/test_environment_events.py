"""Callbacks, published snapshots and the lock."""

import threading
import time

import numpy as np
import pytest

import pyrave
from pyrave import (
    ArgumentError,
    CollisionAction,
    CollisionOptions,
    LockTimeoutError,
    NotFoundError,
)
from pyrave.world import BodyChange


def test_bodies_tell_that_they_come_change_and_go(crowded, xml):
    events = []
    handle = crowded.on_body(events.append)
    (body,) = crowded.load_string(xml.environment(xml.body("late"))).bodies
    robot = crowded.robots["arm"]
    body.enabled = False
    body.links[0].enabled = True
    body.transform = np.eye(4)
    robot.dof_values = (0.1, 0.1)
    robot.grab(body)
    robot.release(body)
    robot.remove_manipulator("hand")
    robot.attached_sensors["eye"].sensor = None
    crowded.remove(body)
    assert [(e.kind, e.body.name, e.change) for e in events] == [
        ("added", "late", None),
        ("changed", "late", BodyChange.ENABLED),
        ("changed", "late", BodyChange.ENABLED),
        ("changed", "arm", BodyChange.GRAB),
        ("changed", "arm", BodyChange.GRAB),
        ("changed", "arm", BodyChange.MANIPULATORS),
        ("changed", "arm", BodyChange.SENSORS),
        ("removed", "late", None),
    ]
    # out of the environment it is silent
    body.enabled = True
    assert len(events) == 8
    handle.close()
    crowded.remove(robot)
    assert len(events) == 8


def test_restoring_enabled_flags_is_a_change(crowded):
    body = crowded.bodies["block"]
    events = []
    with crowded.on_body(events.append):
        with body.preserve_state():
            body.enabled = False
        body.set_state(body.get_state())
    assert [e.change for e in events] == [BodyChange.ENABLED] * 2
    assert crowded.raycast((1, 0, 5), [(0, 0, -1)]).hit.all()


def test_a_body_tells_its_poses_to_its_own_callbacks(crowded):
    seen = []
    body = crowded.bodies["block"]
    with body.register_change_callback(seen.append):
        body.transform = np.eye(4)
        body.enabled = False
    body.transform = np.eye(4)
    assert seen == [BodyChange.POSE, BodyChange.ENABLED]


def test_collision_callbacks_may_have_a_collision_ignored(crowded):
    first = crowded.bodies["block"]
    assert crowded.check_collision(first) is True
    reports = []
    with crowded.on_collision(reports.append):
        assert crowded.check_collision(first, crowded.bodies["arm"]) is True
    assert reports[0].pairs[0].first.body_name == "block"

    def ignore(report):
        return CollisionAction.IGNORE

    handle = crowded.on_collision(ignore)
    assert crowded.check_collision(first) is False
    report = crowded.check_collision(first, report=True)
    assert not report
    assert report.pairs == []
    crowded.collision_checker.set_collision_options(CollisionOptions.IGNORE_CALLBACKS)
    assert crowded.check_collision(first) is True
    crowded.collision_checker.set_collision_options(CollisionOptions.NONE)
    handle.close()
    assert crowded.check_collision(first, report=True)
    crowded.collision_checker.hit = False
    asked = []
    crowded.on_collision(asked.append)
    assert crowded.check_collision(first) is False
    assert asked == []


def test_only_steps_and_publish_make_snapshots(crowded):
    assert crowded.published.bodies == ()
    crowded.publish()
    state = crowded.published
    assert [b.name for b in state.bodies] == ["arm", "block"]
    crowded.robots["arm"].dof_values = (0.1, 0.2)
    # a copy starts with the same snapshot and then makes its own
    twin = crowded.clone()
    assert twin.published is state
    twin.step(0.01)
    assert twin.published["arm"].dof_values.tolist() == [0.1, 0.2]
    assert crowded.published is state


def test_snapshots_are_read_while_another_thread_holds_the_lock(crowded):
    crowded.publish()
    held, leave = threading.Event(), threading.Event()

    def hold():
        with crowded:
            held.set()
            leave.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(60)
    state = crowded.published
    assert state["arm"].link_names == ("base", "upper", "lower")
    with (
        pytest.raises(LockTimeoutError, match=r"more than 0\.02 s"),
        crowded.lock(0.02),
    ):
        pass
    leave.set()
    thread.join()
    with crowded.lock(0.02), crowded.lock(0):
        crowded.step(0.01)


def test_a_snapshot_is_of_one_time_and_never_changes(crowded):
    robot = crowded.robots["arm"]
    crowded.publish()
    robot.dof_values = (0.1, 0.2)
    assert crowded.published["arm"].dof_values.tolist() == [0, 0]
    crowded.step(0.01)
    state = crowded.published
    assert state.simulation_time == 0.01
    assert state["arm"].dof_values.tolist() == [0.1, 0.2]
    np.testing.assert_array_equal(state["arm"].link_transforms, robot.link_transforms)
    robot.dof_values = (0.5, 0.5)
    crowded.step(0.01)
    assert state["arm"].dof_values.tolist() == [0.1, 0.2]
    with pytest.raises(ValueError, match="read-only"):
        state["arm"].dof_values[0] = 1
    # what did not move is not copied again
    assert crowded.published["block"] is state["block"]
    with pytest.raises(NotFoundError, match="did you mean 'block'"):
        state["blok"]


def test_a_snapshot_shows_the_name_of_a_body_that_came_back(crowded):
    body = crowded.bodies["block"]
    crowded.publish()
    crowded.remove(body)
    body.name = "renamed"
    crowded.add(body)
    crowded.publish()
    assert [b.name for b in crowded.published.bodies] == ["arm", "renamed"]


def test_the_lock_is_re_entrant_and_keeps_others_out(env):
    order = []

    def other():
        with env:
            order.append("other")

    with env:
        thread = threading.Thread(target=other)
        thread.start()
        with env, env.lock():
            env.step(0.01)
        time.sleep(0.05)
        order.append("first")
    thread.join()
    assert order == ["first", "other"]


@pytest.mark.parametrize("timeout", [-1, float("nan")])
def test_a_timeout_without_meaning_is_refused(env, timeout):
    with pytest.raises(ArgumentError, match="timeout"), env.lock(timeout):
        pass


def test_the_lock_is_free_again_after_an_error(env):
    with pytest.raises(ZeroDivisionError), env:
        raise ZeroDivisionError
    done = threading.Event()
    thread = threading.Thread(target=lambda: (env.step(0.01), done.set()))
    thread.start()
    thread.join(60)
    assert done.is_set()


def test_hooks_follow_the_life_of_an_environment(xml):
    from pyrave.plugins import Registry

    calls = []
    registry = Registry()
    real = registry._table.call

    def call(name, arguments):
        calls.append(name)
        return real(name, arguments)

    registry._table.call = call
    registry._table.hooks()
    env = pyrave.Environment(registry)
    env.create("trajectory", "")
    env.step(0.01)
    del env
    assert calls == [
        "pyrave_environment_created",
        "pyrave_interface_created",
        "pyrave_step_begin",
        "pyrave_step_end",
        "pyrave_environment_closed",
    ]


HOOKS = """
import pyrave
calls = []

@pyrave.hookimpl
def pyrave_body_added(env, body):
    calls.append(body.name)

@pyrave.hookimpl
def pyrave_step_begin(env, dt):
    calls.append(dt)
    raise RuntimeError("this hook broke")
"""


def test_a_hook_that_raises_is_out_of_use_and_named(tmp_path, xml):
    from pyrave.plugins import Registry

    path = tmp_path / "hooks_that_break.py"
    path.write_text(HOOKS)
    registry = Registry()
    record = registry.load_path(path, allow=True)
    env = pyrave.Environment(registry)
    env.load_string(xml.environment(xml.body()))
    env.step(0.01)
    env.step(0.01)
    env.load_string(xml.environment(xml.body("late")))
    import sys

    calls = sys.modules[record.value].calls
    assert calls == ["block", 0.01]
    env.step(0.01)
    assert env.simulation_time == 0.03
    del sys.modules[record.value]


def test_the_problem_of_a_hook_is_reported_to_its_environment(tmp_path):
    from pyrave.plugins import Registry

    path = tmp_path / "hooks_that_break_too.py"
    path.write_text(HOOKS)
    registry = Registry()
    record = registry.load_path(path, allow=True)
    env = pyrave.Environment(registry)
    env.step(0.01)
    env.step(0.01)
    (problem,) = env.problems
    assert "this hook broke" in problem.message
    assert "pyrave_step_begin" in problem.traceback
    import sys

    del sys.modules[record.value]
