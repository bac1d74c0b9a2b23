"""State that classes of plugins add to bodies, robots and trajectories."""
# ruff: noqa: S301 - the pickles are made here

import pickle

import pytest

import pyrave
from pyrave import ArgumentError, KinBody, PluginError, Robot
from pyrave.authoring import GenericTrajectory
from pyrave.world import StateParts


class Diary:
    """Keeps a list, the way careless authors do."""

    contract = range(1, 3)

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.entries = ["made"]

    def get_own_state(self):
        return self.entries

    def set_own_state(self, state):
        self.entries = state


class DiaryRobot(Diary, Robot):
    contract = 2


class DiaryBody(Diary, KinBody):
    contract = 2


class DiaryTrajectory(Diary, GenericTrajectory):
    contract = 2


@pytest.fixture
def scene(env, xml):
    with (
        pyrave.registry().register("robot", "DiaryRobot", DiaryRobot),
        pyrave.registry().register("kinbody", "DiaryBody", DiaryBody),
    ):
        yield filled(env, xml)


def filled(env, xml):
    env.load_string(
        xml.environment(
            xml.robot().replace("<robot", '<robot type="DiaryRobot"', 1),
            xml.body("box").replace("<kinbody", '<kinbody type="DiaryBody"', 1),
        )
    )
    env.robots["arm"].active_dof_indices = [1]
    return env


@pytest.fixture(params=["clone", "pickle"])
def copied(request):
    if request.param == "clone":
        return lambda env: env.clone()
    return lambda env: pickle.loads(pickle.dumps(env))


def test_copies_have_what_a_class_adds_and_what_a_robot_has(scene, copied):
    robot, body = scene.robots["arm"], scene.bodies["box"]
    robot.entries.append("moved")
    body.entries.append("pushed")
    twin = copied(scene)
    assert twin.robots["arm"].entries == ["made", "moved"]
    assert twin.robots["arm"].active_dof_indices.tolist() == [1]
    assert twin.bodies["box"].entries == ["made", "pushed"]
    twin.robots["arm"].entries.append("only here")
    assert robot.entries == ["made", "moved"]


def test_a_saver_restores_it_as_often_as_asked(scene):
    robot = scene.robots["arm"]
    with robot.preserve_state() as saver:
        robot.entries.append("lost")
        saver.restore()
        assert robot.entries == ["made"]
        robot.entries.append("lost again")
    assert robot.entries == ["made"]
    with robot.preserve_state(StateParts.TRANSFORMS):
        robot.entries.append("kept")
    assert robot.entries == ["made", "kept"]


def test_a_trajectory_keeps_points_and_its_own(scene):
    scene.register("trajectory", "Diary", DiaryTrajectory)
    one = scene.create("trajectory", "Diary")
    specification = scene.robots["arm"].configuration_specification()
    one.init(specification)
    one.insert(0, [[0.0] * specification.dof])
    one.entries.append("a point")
    two = scene.create("trajectory", "Diary")
    two.set_state(one.get_state())
    assert two.get_num_waypoints() == 1
    assert two.entries == ["made", "a point"]


def test_a_state_of_another_version_is_refused_by_name(scene, monkeypatch):
    robot = scene.robots["arm"]
    state = robot.get_state()
    monkeypatch.setattr(DiaryRobot, "state_version", 2)
    with pytest.raises(PluginError, match=r"DiaryRobot.*version 1.*state_version 2"):
        robot.set_state(state)
    assert robot.entries == ["made"]


def test_what_is_no_state_is_refused(scene, spies):
    module = spies.module(scene)
    with pytest.raises(ArgumentError, match="expected what get_state returned"):
        module.set_state(7)


def test_an_own_state_that_raises_leaves_the_rest(scene, monkeypatch):
    scene.robots["arm"].dof_values = [0.25, 0.5]

    def fail(self):
        raise RuntimeError("no entries today")

    monkeypatch.setattr(DiaryRobot, "get_own_state", fail)
    twin = scene.clone()
    assert twin.robots["arm"].dof_values.tolist() == [0.25, 0.5]
    assert twin.robots["arm"].active_dof_indices.tolist() == [1]
    assert any("no entries today" in problem.message for problem in twin.problems)
