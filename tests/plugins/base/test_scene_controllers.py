"""Controllers of a scene drive its robots."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from arm_scenes import robot_of
from physics_scenes import chain, run, world

import pyrave
from pyrave.scene import (
    ConstraintDescription,
    ControllerDescription,
    LinkReference,
    SceneDescription,
    SimulationDescription,
    body_from_boxes,
)

pytest.importorskip("mujoco")

AXES = ((0, 1, 0), (0, 1, 0), (1, 0, 0))


def ready(*controllers):
    env = world(robot_of(chain(kinds=("hinge",) * 3, axes=AXES)))
    env.robots[0].dof_velocity_limits = [3.0] * 3
    env.simulation = SimulationDescription(controllers=controllers)
    return env, env.robots[0]


def pd(name="pd", **fields):
    fields = {"gains": ((5.0, 0.01),) * 3, "time_step": 0.01} | fields
    return ControllerDescription(name, "pd", "chain", **fields)


@pytest.mark.parametrize(
    ("kind", "gains", "made", "args"),
    [
        ("pd", ((5.0, 0.1),) * 3, "PDDeviceController",
         ("kp=5.0,5.0,5.0", "kd=0.1,0.1,0.1", "period=0.02")),
        ("pose", (), "PoseDeviceController", ("period=0.02",)),
        ("motion_queue", (), "SerialDeviceController", ("period=0.02",)),
        ("spring", ((-9.0, -1.0, 0.2),) * 3, "SpringJointController",
         ("elasticity=-9.0,-9.0,-9.0", "damping=-1.0,-1.0,-1.0", "offset=0.2,0.2,0.2")),
    ],
)  # fmt: skip
def test_each_kind_has_its_controller(kind, gains, made, args):
    one = ControllerDescription("c", kind, "chain", gains=gains, time_step=0.02)
    _, robot = ready(one)
    assert robot.own_controller.interface_id == made
    assert set(robot.own_controller.id_words) == set(args)


def test_a_robot_is_held_and_driven():
    env, robot = ready(pd())
    robot.dof_values = [0.4, -0.2, 0.3]
    run(env, 1.0)
    np.testing.assert_allclose(robot.dof_values, [0.4, -0.2, 0.3], atol=2e-3)
    robot.controller.set_desired([0.6, 0.1, 0.0])
    run(env, 3.0)
    np.testing.assert_allclose(robot.dof_values, [0.6, 0.1, 0.0], atol=2e-3)
    assert env.problems == ()


def test_a_constraint_of_the_same_name_brings_no_controller_back():
    env, robot = ready(pd())
    robot.controller = None
    boxes = [body_from_boxes(name, [(0, 0, 0, 1, 1, 1)]) for name in "ab"]
    ends = LinkReference("a"), LinkReference("b")
    tie = ConstraintDescription("pd", "fixed", *ends)
    env.add_scene(SceneDescription(bodies=tuple(boxes), constraints=(tie,)))
    assert [one.name for one in env.constraints] == ["pd"]
    assert robot.own_controller is None


def test_parts_share_a_robot():
    first = pd("first", joints=("joint1", "joint3"), gains=((5.0, 0.0), (7.0, 0.0)))
    second = ControllerDescription(
        "second", "spring", "chain", ("joint2",), gains=((-50.0, -30.0, -0.3),)
    )
    env, robot = ready(first, second)
    multi = robot.own_controller
    assert [one.scene_name for one in multi.controllers] == ["first", "second"]
    multi.set_desired([0.2, 0.0, -0.2])
    run(env, 8.0)
    values = robot.dof_values
    np.testing.assert_allclose(values[[0, 2]], [0.2, -0.2], atol=3e-3)
    spring = -50.0 * (values[1] - 0.3)
    assert spring == pytest.approx(robot.inverse_dynamics()[1], abs=0.05)
    assert env.problems == ()
    copy = env.clone()
    run(copy, 0.1)
    assert copy.problems == ()


def test_the_first_of_two_acts_and_the_engine_says_so():
    env, robot = ready(pd("one"), pd("two"))
    assert robot.own_controller.scene_name == "one"
    env.step(0.01)
    (problem,) = env.problems
    assert problem.code == "not-simulated"
    assert "the controller 'two' of the scene does not drive it" in problem.message


def test_a_robot_keeps_a_controller_that_it_has():
    env, robot = ready()
    own = robot.set_controller("JointPIDController")
    env.simulation = SimulationDescription(controllers=(pd(),))
    assert robot.own_controller is own


def test_files_clones_and_processes(tmp_path):
    env, robot = ready(pd())
    env.save(tmp_path / "scene.env.xml")
    text = (tmp_path / "scene.env.xml").read_text()
    assert "<controller " not in text.lower().split("<simulation")[0]
    again = pickle.loads(pickle.dumps(env))  # noqa: S301 - made here
    for other in (env.clone(), again, pyrave.load(tmp_path / "scene.env.xml")):
        found = other.robots[0].own_controller
        assert found.settings == robot.own_controller.settings
        assert not found.described
        assert other.simulation == env.simulation
    robot.set_controller(None)
    assert env.clone().robots[0].own_controller is None


def test_wrong_gains_are_a_problem():
    env, robot = ready(pd(gains=((-5.0, 0.0),) * 3))
    assert robot.own_controller is None
    (problem,) = env.problems
    assert problem.code == "simulation-conflict"
    assert "the controllers 'pd' of 'chain' do not act" in problem.message
    assert "kp of PDDeviceController is (-5.0, -5.0, -5.0)" in problem.message
