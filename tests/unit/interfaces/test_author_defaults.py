"""What IK solvers and physics engines need not write themselves."""

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave import (
    ArgumentError,
    IkAction,
    IkFilterOptions,
    IkParameterization,
    IkParameterizationType,
    IkReturn,
    IkSolverBase,
    PhysicsEngineBase,
    PluginError,
    StateError,
)
from pyrave.testing import IkSolverContract, PhysicsEngineContract, kit_environment

ARM = scene_beside(__file__, "author_defaults.env.xml")


class TwoLinks(IkSolverBase):
    """The planar arm of two links of 0.5 m, by the law of cosines."""

    contract = 2

    def supports(self, kind):
        kinds = IkParameterizationType
        return kinds.of(kind) is kinds.TranslationXY2D

    def solve_all(self, goal, options=IkFilterOptions.NONE, free=None, *, timeout=None):
        x, y = goal.values
        cosine = (x * x + y * y) / 0.5 - 1.0
        if abs(cosine) > 1.0:
            return []
        bend = np.arccos(cosine) * np.array((1.0, -1.0))
        turn = np.arctan2(y, x) - 0.5 * bend
        return self.checked(np.column_stack((turn, bend)), goal, options)


class Fall(PhysicsEngineBase):
    """All that is free falls."""

    contract = 1

    def simulate_step(self, dt):
        for body in self.env.bodies:
            if not body.links[0].static:
                velocity = body.base_velocity
                velocity[:3] += dt * self.get_gravity()
                pose = body.transform
                pose[:3, 3] += dt * velocity[:3]
                body.transform, body.base_velocity = pose, velocity


class TestFall(PhysicsEngineContract):
    interface = Fall


class TestTwoLinks(IkSolverContract):
    interface = TwoLinks
    scene = ARM


@pytest.fixture
def arm():
    env = pyrave.Environment()
    env.load_string(ARM)
    env.register("iksolver", "TwoLinks", TwoLinks)
    made = env.robots[0].manipulators["m"]
    made.ik_solver = "TwoLinks"
    return made


def goal_at(x, y):
    return IkParameterization("TranslationXY2D", [x, y])


def test_solve_says_that_there_is_none_also_where_no_answer_says_why(arm):
    none = IkReturn(IkAction.REJECT)
    for answers in ([], [none]):
        arm.ik_solver.solve_all = lambda *_, answers=answers, **__: answers
        found = arm.ik_solver.solve(goal_at(0.5, 0.2))
        assert not found
        assert found.failures == (f"{arm.ik_solver!r} found no solution",)


def test_all_solutions_reach_the_goal_and_solve_gives_the_nearest(arm):
    solver = arm.ik_solver
    rows = solver.solutions(goal_at(0.6, 0.2))
    assert len(rows) == 2
    for row in rows:
        arm.robot.dof_values = row
        np.testing.assert_allclose(arm.transform[:2, 3], (0.6, 0.2), atol=1e-12)
        np.testing.assert_allclose(solver.solution(goal_at(0.6, 0.2), row), row)


def test_why_there_is_none(arm):
    solver = arm.ik_solver
    none = solver.solve(goal_at(2.0, 0.0))
    assert not none
    assert none.action & IkAction.REJECT_KINEMATICS
    # bent by more than 2 rad: out of the limits
    answer = solver.solve(goal_at(0.2, 0.0))
    assert answer.action & IkAction.REJECT_JOINT_LIMITS
    assert "joint 'k' would be at" in answer.failures[0]
    assert solver.solve(goal_at(0.2, 0.0), None, IkFilterOptions.IGNORE_JOINT_LIMITS)


@pytest.mark.parametrize("answers", [None, [None], ["no"], 3])
def test_answers_that_are_none_name_the_solver(arm, monkeypatch, answers):
    monkeypatch.setattr(TwoLinks, "solve_all", lambda *_, **__: answers)
    with pytest.raises(PluginError, match=r"solve_all\(\) of <iksolver TwoLinks>"):
        arm.ik_solver.solve(goal_at(0.6, 0.2))


def test_collisions_filters_and_callbacks_are_taken_care_of(arm):
    solver, seen = arm.ik_solver, []
    solver.register_finish_callback(lambda answer, *_: seen.append(answer))
    # towards +y the first link meets the post
    goal, options = goal_at(0.0, 0.97), IkFilterOptions.CHECK_ENV_COLLISIONS
    assert len(solver.solutions(goal)) == 2
    assert len(seen) == 2
    answers = solver.solve_all(goal, options)
    hits = [one for one in answers if one.action & IkAction.REJECT_ENV_COLLISION]
    assert hits
    assert "the robot hits something" in hits[0].failures[0]
    solver.register_custom_filter(0, lambda *_: IkAction.REJECT)
    assert len(solver.solutions(goal)) == 0


def test_the_robot_stays_where_it_is(arm):
    arm.robot.dof_values = [0.1, 0.2]
    arm.ik_solver.find(goal_at(0.6, 0.2), options=IkFilterOptions.CHECK_ENV_COLLISIONS)
    np.testing.assert_allclose(arm.robot.dof_values, [0.1, 0.2])


def test_candidates_of_a_wrong_shape_are_named(arm):
    with pytest.raises(ArgumentError, match="candidates of <iksolver TwoLinks>"):
        arm.ik_solver.checked([[1.0, 2.0, 3.0]], goal_at(0.5, 0.0))


def test_free_parameters_are_none_and_without_an_arm_it_says_so(arm):
    solver = arm.ik_solver
    assert solver.get_num_free_parameters() == len(solver.get_free_parameters()) == 0
    assert solver.get_free_indices().dtype == np.int64
    other = arm.robot.env.create("iksolver", "TwoLinks")
    assert other.get_manipulator() is None
    with pytest.raises(StateError, match="has no manipulator"):
        other.solve(goal_at(0.5, 0.0))


def test_velocities_live_in_the_bodies():
    env = kit_environment()
    env.register("physicsengine", "Fall", Fall)
    engine = env.set_physics_engine("Fall")
    robot = env.robots["kit_arm"]
    rates = np.linspace(0.1, 0.4, robot.dof)
    robot.dof_velocities = rates
    link = robot.links[-1]
    engine.set_link_velocity(link, (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    np.testing.assert_allclose(
        engine.get_link_velocity(link), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], atol=1e-12
    )
    np.testing.assert_allclose(robot.dof_velocities, rates)
    twists = engine.get_link_velocities(robot)
    robot.dof_velocities = np.zeros(robot.dof)
    engine.set_link_velocities(robot, twists)
    np.testing.assert_allclose(robot.dof_velocities, rates, atol=1e-9)
    twin = env.clone()
    np.testing.assert_allclose(
        twin.physics_engine.get_link_velocities(twin.robots["kit_arm"]), twists
    )
    with pytest.raises(ArgumentError, match="has no option bits, got 0x4"):
        engine.set_physics_options(4)
    with pytest.raises(ArgumentError):
        engine.set_link_velocities(robot, np.zeros((1, 6)))


@pytest.mark.parametrize("kind", ["kinbody", "robot"])
def test_bodies_have_a_hook_after_init(kind):
    base = pyrave.KinBody if kind == "kinbody" else pyrave.Robot

    class Counting(base):
        """Know its links at once."""

        contract = 2

        def after_init(self):
            self.names = [link.name for link in self.links]
            self.placed = self.transform[0, 3], self.dof_values.tolist()

    env = pyrave.Environment()
    env.register(kind, "Counting", Counting)
    inner = """<body name='a'/><body name='b'/><joint name='j' type='slider'>
      <body>a</body><body>b</body><axis>1 0 0</axis><initial>0.25</initial></joint>"""
    text = f"<kinbody>{inner}</kinbody>" if kind == "robot" else inner
    env.load_string(
        f"<{kind} type='Counting' name='c'>"
        f"<translation>2 0 0</translation>{text}</{kind}>"
    )
    body = env.bodies["c"]
    assert body.names == ["a", "b"]
    assert body.placed == (2.0, [0.25])
    assert env.clone().bodies["c"].names == ["a", "b"]
    assert body.clone().names == ["a", "b"]
