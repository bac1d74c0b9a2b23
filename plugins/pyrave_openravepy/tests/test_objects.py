"""One object of the API for each of pyrave's."""

import pytest

import pyrave


@pytest.fixture(scope="module")
def env(openravepy):
    env = openravepy.Environment()
    assert env.Load("scenes/demo.env.xml")
    return env


def test_there_is_one_object_for_each_thing(env):
    robot = env.GetRobots()[0]
    assert robot is env.GetRobots()[0]
    assert robot in env.GetBodies()
    assert robot.GetEnv() is env
    link = robot.GetLinks()[0]
    assert link is robot.GetLinks([0])[0]
    assert link.GetParent() is robot


def test_attributes_of_scripts_stay(env):
    env.GetBodies()[0].radius = 3
    assert env.GetBodies()[0].radius == 3


def test_a_name_that_is_not_there_is_told_the_nearest(env):
    with pytest.raises(AttributeError, match="did you mean 'GetRobots'"):
        env.GetRobotss()


def test_errors_are_openrave_exceptions(openravepy, env):
    robot = env.GetRobots()[0]
    for wrong in (lambda: robot.SetTransform([1, 2]), lambda: robot.GetLinks(1, 2, 3)):
        with pytest.raises(openravepy.openrave_exception) as raised:
            wrong()
        assert raised.value.GetCode() == openravepy.ErrorCode.InvalidArguments
        assert isinstance(raised.value, pyrave.Error)


def test_load_answers_false(env):
    assert env.Load("no/such.env.xml") is False
