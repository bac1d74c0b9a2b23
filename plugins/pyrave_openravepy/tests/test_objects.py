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


def test_objects_are_formatted_as_text(env):
    robot = env.GetRobots()[0]
    assert f"{robot:s}" == f"{robot}" == str(robot)


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


def test_methods_have_the_lock_while_a_thread_steps(openravepy):
    import threading

    env = openravepy.Environment()
    assert env.Load("scenes/demo.env.xml")
    native, robot = env._native, env.GetRobots()[0]
    link = robot.GetLinks()[0]
    native.stop()
    taken = []

    def take(handle=None):
        # by another thread, in the middle of a call
        thread = threading.Thread(target=lambda: taken.append(_is_free(native)))
        thread.start()
        thread.join()
        return True

    for start in (False, True):
        if start:
            native.start()
        taken.clear()
        for thing in (robot, link, env):
            thing.__dict__["_native"], kept = _Asked(take), thing._native
            try:
                thing.GetName() if thing is not env else thing.GetRobots()
            finally:
                thing.__dict__["_native"] = kept
        assert len(taken) == 3
        assert all(taken) is not start
    native.stop()
    env.Destroy()


class _Asked:
    """An object whose attributes call a function when they are read."""

    def __init__(self, asked):
        self.__dict__["asked"] = asked

    def __getattr__(self, name):
        self.asked()
        return () if name == "robots" else name


def _is_free(native):
    import pyrave

    try:
        with native.lock(0.0):
            return True
    except pyrave.LockTimeoutError:
        return False
