"""Bodies with a collision checker of their own, asked in place of the environment's."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import pyrave
from pyrave import CollisionOptions, CollisionReport
from pyrave.collision import PairwiseChecker
from pyrave.errors import ArgumentError, InterfaceNotFoundError, NotSupportedError

SCENE = """<robot name="arm"><kinbody>
<body name="a"><geom type="box"><extents>0.1 0.1 0.1</extents></geom></body>
<body name="b"><translation>0.3 0 0</translation>
<geom type="box"><extents>0.1 0.1 0.1</extents></geom></body>
<body name="c"><translation>0.6 0 0</translation>
<geom type="box"><extents>0.1 0.1 0.1</extents></geom></body>
<joint name="j" type="slider"><body>a</body><body>b</body><axis>1 0 0</axis>
<limits>0 2</limits></joint><joint name="k" type="slider"><body>b</body>
<body>c</body><axis>1 0 0</axis><limits>-2 2</limits></joint></kinbody></robot>"""
TOUCHING, FREE = (0.3, -0.8), (0.3, 0.4)


class Contrary(PairwiseChecker):
    """Finds what the values of the robot say: links that touch are free."""

    contract = 2

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.bodies, self.asked = None, []

    def init_environment(self):
        self.bodies = {body.name for body in self.env.bodies}

    def init_kinbody(self, body):
        self.bodies.add(body.name)

    def remove_kinbody(self, body):
        self.bodies.discard(body.name)

    def destroy_environment(self):
        self.bodies = None

    def check_pair(self, first, second):
        self.asked.append(self.get_collision_options())
        return bool(first.body.dof_values[1] > 0.0)


class Author(PairwiseChecker):
    """A checker of the environment that an author wrote; finds all pairs."""

    contract = 2

    def check_pair(self, first, second):
        return True


@pytest.fixture
def env():
    env = pyrave.load_string(SCENE)
    env.register("collisionchecker", "contrary", Contrary)
    env.register("collisionchecker", "author", Author)
    return env


@pytest.fixture
def robot(env):
    return env.robots[0]


def test_a_body_is_checked_by_its_own_checker(env, robot):
    assert robot.self_collision_checker is None
    robot.dof_values = TOUCHING
    assert robot.check_self_collision()
    robot.self_collision_checker = "contrary"
    own = robot.self_collision_checker
    assert own.bodies == {"arm"}
    checker = env.collision_checker
    assert not robot.check_self_collision()
    assert not checker.check_self_collision(robot)
    assert not checker.check_standalone_self_collision("arm")
    robot.dof_values = FREE
    assert checker.check_self_collision(robot.links["a"])
    found = robot.check_self_collision(report=True)
    (pair,) = found.pairs
    assert {pair.first.link.name, pair.second.link.name} == {"a", "c"}
    report = CollisionReport()
    assert checker.check_self_collision(robot, report)
    assert len(report.pairs) == 1
    robot.self_collision_checker = None
    assert own.bodies is None
    assert not robot.check_self_collision()


@pytest.mark.parametrize("name", ["", "author"])
def test_batches_and_plans_ask_it(env, robot, name):
    if name:
        env.collision_checker = name
    checker = env.collision_checker
    robot.self_collision_checker = "contrary"
    rows = np.array([TOUCHING, FREE])
    assert checker.check_configurations(robot, rows).tolist() == [False, True]
    alone = checker.check_configurations(robot, rows, environment=False)
    assert alone.tolist() == [False, True]
    steps = checker.check_motions(robot, rows[:1], rows[1:])
    assert 0.0 < steps[0] < 1.0
    robot.dof_values = (0.5, -0.3)
    assert robot.plan([1.5, -0.9], seed=0, timeout=5.0)
    assert not robot.plan([0.5, 0.4], seed=0, timeout=5.0)
    message = "no compiled" if name else "answers for self collisions of"
    with pytest.raises(NotSupportedError, match=message):
        checker.compiled(robot)


def test_solvers_ask_it(env):
    env.load("robots/planar3r.robot.xml")
    robot = env.robots["planar3r"]
    arm = robot.active_manipulator
    robot.dof_values = (0.1, 0.7, 0.4)
    goal = arm.ik_parameterization("TranslationXYOrientation3D")
    options = pyrave.IkFilterOptions.CHECK_SELF_COLLISIONS
    every = arm.solve_ik(goal, all=True, options=options)
    assert sorted(every[:, 1] > 0.0) == [False, True]
    robot.self_collision_checker = "contrary"  # elbows above collide
    (left,) = arm.solve_ik(goal, all=True, options=options)
    assert left[1] < 0.0
    assert len(arm.solve_ik(goal, all=True)) == 2


def test_other_bodies_count_as_before(env, robot):
    env.load_string(
        "<kinbody name='wall'><body name='w'><geom type='box'>"
        "<extents>1 1 1</extents></geom></body></kinbody>"
    )
    robot.self_collision_checker = "contrary"
    rows = np.array([TOUCHING])
    assert env.collision_checker.check_configurations(robot, rows).tolist() == [True]
    env.bodies["wall"].transform = (1, 0, 0, 0, 5, 5, 5)
    assert env.collision_checker.check_configurations(robot, rows).tolist() == [False]


def test_it_hears_of_bodies_that_come_and_leave(env, robot):
    robot.self_collision_checker = "contrary"
    own = robot.self_collision_checker
    body = env.create_body(pyrave.scene.body_from_boxes("box", [[0, 0, 0, 1, 1, 1]]))
    assert own.bodies == {"arm", "box"}
    env.remove(body)
    assert own.bodies == {"arm"}


def test_options_of_the_environments_checker_count(env, robot):
    robot.self_collision_checker = "contrary"
    own, checker = robot.self_collision_checker, env.collision_checker
    robot.dof_values = FREE
    with checker.options(CollisionOptions.ALL_LINK_COLLISIONS):
        robot.check_self_collision()
    assert own.asked[-1] == CollisionOptions.ALL_LINK_COLLISIONS
    assert own.get_collision_options() == CollisionOptions.NONE
    # its class has no functions for contacts and distances
    with checker.options(CollisionOptions.CONTACTS):
        assert robot.check_self_collision()
    with (
        checker.options(CollisionOptions.DISTANCE),
        pytest.raises(NotSupportedError, match="pair_distance"),
    ):
        robot.check_self_collision()
    assert own.get_collision_options() == CollisionOptions.NONE


def test_copies_have_a_copy_of_it(env, robot):
    robot.self_collision_checker = "contrary"
    robot.self_collision_checker.set_tolerance(0.25)
    copy = env.clone()
    for other in (copy, copy.clone()):
        own = other.robots[0].self_collision_checker
        assert isinstance(own, Contrary)
        assert own.env is other
        assert own.get_state()[1] == 0.25
        other.robots[0].dof_values = TOUCHING
        assert not other.robots[0].check_self_collision()
    assert "contrary" not in str(env.describe())


def test_processes_have_it_too(env, robot):
    robot.self_collision_checker = "native"
    robot.self_collision_checker.set_tolerance(0.25)
    there = pickle.loads(pickle.dumps(env)).robots[0]  # noqa: S301
    own = there.self_collision_checker
    assert own.interface_id == "Native"
    assert own.get_own_state()[1] == 0.25
    assert own is not there.env.collision_checker


def test_the_environments_own_is_no_other_one(env, robot):
    robot.self_collision_checker = env.collision_checker
    robot.dof_values = TOUCHING
    assert robot.check_self_collision()
    assert env.collision_checker.check_configurations(robot, [TOUCHING]).all()
    assert env.clone().robots[0].check_self_collision()


def test_a_checker_may_answer_itself(env, robot):
    robot.self_collision_checker = "contrary"
    robot.dof_values = TOUCHING
    env.collision_checker.answers_itself = True
    assert env.collision_checker.check_self_collision(robot)


def test_wrong_checkers_are_refused(env, robot):
    other = pyrave.Environment()
    for wrong, error, message in (
        (3, ArgumentError, "self_collision_checker is 3, expected the id"),
        ("contary", InterfaceNotFoundError, "contrary"),
        (other.collision_checker, ArgumentError, "another environment"),
        (robot, ArgumentError, "self_collision_checker is <robot"),
    ):
        with pytest.raises(error, match=message):
            robot.self_collision_checker = wrong
        assert robot.self_collision_checker is None


def test_robots_that_move_together_are_refused(env, robot):
    env.load_string(SCENE.replace('"arm"', '"other"'))
    env.robots["other"].transform = (1, 0, 0, 0, 0, 5, 0)
    robot.self_collision_checker = "contrary"
    with pytest.raises(NotSupportedError, match="has a collision checker of its own"):
        env.plan({"arm": [1.5, -0.9], "other": [1.5, -0.9]}, timeout=5.0)
