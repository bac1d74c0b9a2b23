"""Parts of bodies: what `limits`, `dynamics`, `structure`, `grabs`, `active` group."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np
import pytest

import pyrave
from pyrave import Affine

PARTS = {
    "limits": pyrave.BodyLimits,
    "dynamics": pyrave.BodyDynamics,
    "structure": pyrave.BodyStructure,
    "grabs": pyrave.BodyGrabs,
    "active": pyrave.ActiveDofs,
    "configurations": pyrave.Configurations,
}


@pytest.fixture
def env():
    return pyrave.load("scenes/demo.env.xml")


@pytest.fixture
def robot(env):
    return env.robots["heron7"]


def public(item):
    return [name for name in dir(item) if name[:1] != "_"]


def test_few_names_are_listed(env, robot):
    assert len(public(robot)) <= 115
    assert len(public(env.bodies["mug"])) <= 97
    assert set(public(env.bodies["mug"])) < set(public(robot))
    assert max(len(public(getattr(robot, part))) for part in PARTS) <= 25


def test_robots_have_few_names_of_active_degrees_of_freedom(robot):
    names = {name for name in public(robot) if name.startswith("active")}
    assert names == {"active", "active_dof_indices", "active_manipulator"}


@pytest.mark.parametrize("name", PARTS)
def test_parts_refuse_names_that_they_do_not_have(robot, name):
    part = getattr(robot, name)
    assert type(part) is PARTS[name]
    with pytest.raises(pyrave.AttributeNameError):
        part.no_such_name = 1
    with pytest.raises(pyrave.AttributeNameError, match="read only"):
        setattr(robot, name, part)
    assert "heron7" in repr(part) or name == "configurations"


def test_typos_get_the_nearest_name(robot):
    with pytest.raises(pyrave.AttributeNameError, match="did you mean 'jerk'"):
        robot.limits.jerks = 1.0
    with pytest.raises(pyrave.AttributeNameError, match="did you mean 'values'"):
        robot.active.valus = [0.0]
    with pytest.raises(pyrave.AttributeNameError, match="read only"):
        robot.active.weights = [0.0]
    with pytest.raises(pyrave.AttributeNameError, match=r"'active\.values'"):
        robot.GetActiveDOFValues()


def test_parts_show_the_present_state_and_know_their_body(robot):
    limits, active = robot.limits, robot.active
    robot.set_active_dofs([1, 0], Affine.X)
    robot.dof_velocity_limits = np.arange(1.0, 9.0)
    assert limits.body is active.body is robot
    assert limits.velocity.tolist() == list(range(1, 9))
    assert active.velocity_limits.tolist() == [2.0, 1.0, 1.0]
    assert active.dof == 3
    assert active.indices.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("of_limits", "of_body"),
    [
        ("velocity", "dof_velocity_limits"),
        ("acceleration", "dof_acceleration_limits"),
        ("torque", "dof_torque_limits"),
        ("weights", "dof_weights"),
        ("resolutions", "dof_resolutions"),
    ],
)
def test_limits_have_the_data_of_the_body(robot, of_limits, of_body):
    told = []
    robot.register_change_callback(told.append)
    setattr(robot.limits, of_limits, np.full(robot.dof, 3.0))
    assert getattr(robot, of_body).tolist() == [3.0] * robot.dof
    setattr(robot, of_body, np.full(robot.dof, 4.0))
    assert getattr(robot.limits, of_limits).tolist() == [4.0] * robot.dof
    assert told == [pyrave.BodyChange.LIMITS] * 2
    with pytest.raises(pyrave.ArgumentError, match="negative"):
        setattr(robot.limits, of_limits, np.full(robot.dof, -1.0))


def test_position_limits_are_the_bodys(robot):
    robot.limits.position = np.full(robot.dof, -0.5), np.full(robot.dof, 0.5)
    lower, upper = robot.dof_limits
    assert (lower == -0.5).all()
    assert (upper == 0.5).all()
    lower[:] = 9.0
    assert (robot.limits.position[0] == -0.5).all()
    with pytest.raises(pyrave.ArgumentError, match="expected two arrays"):
        robot.limits.position = 1.0


def test_copies_have_limits_and_active_degrees_of_freedom_of_their_own(robot):
    robot.limits.jerk = np.full(robot.dof, 7.0)
    robot.set_active_dofs([2], Affine.ROTATION_AXIS, (0, 2, 0))
    robot.active.set_affine_limits(Affine.ROTATION_AXIS, weight=5.0)
    pickled = pickle.loads(pickle.dumps(robot.env))  # noqa: S301 - our own
    copies = [robot.clone(), pickled.robots["heron7"]]
    for copy in (*copies, robot.env.clone().robots["heron7"]):
        assert copy.limits.jerk.tolist() == [7.0] * robot.dof
        assert copy.active.names == robot.active.names
        assert copy.active.affine_rotation_axis.tolist() == [0.0, 1.0, 0.0]
        assert copy.active.weights.tolist() == robot.active.weights.tolist()
        copy.limits.jerk = np.ones(robot.dof)
        copy.set_active_dofs([0])
        copy.active.set_affine_limits(Affine.X, weight=9.0)
    assert robot.limits.jerk.tolist() == [7.0] * robot.dof
    assert robot.active.affine is Affine.ROTATION_AXIS
    assert robot.active.affine_limits.translation.weight == (2.0, 2.0, 2.0)


def test_the_indices_are_a_copy(robot):
    robot.set_active_dofs([2, 1])
    robot.active_dof_indices[0] = 5
    assert robot.active_dof_indices.tolist() == [2, 1]


def test_a_body_ends_without_the_collector_after_its_parts_were_asked_for():
    env = pyrave.Environment()
    body = env.create("robot", "")
    for name in PARTS:
        getattr(body, name)
    gone = weakref.ref(body)
    gc.disable()
    try:
        del body
        assert gone() is None
    finally:
        gc.enable()


def test_link_velocities_are_assignable(robot):
    robot.dof_velocities = 0.1 * np.arange(robot.dof)
    robot.base_velocity = (1, 2, 3, 4, 5, 6)
    wanted = robot.dynamics.link_velocities
    robot.dof_velocities = np.zeros(robot.dof)
    robot.base_velocity = np.zeros(6)
    robot.dynamics.link_velocities = wanted
    np.testing.assert_allclose(robot.dynamics.link_velocities, wanted, atol=1e-12)
    with pytest.raises(pyrave.ArgumentError, match="link_velocities"):
        robot.dynamics.link_velocities = wanted[:2]


def test_configurations_are_those_of_now(robot):
    known = robot.configurations
    assert "bent" not in known
    known.add("bent", {"joint2": 0.4})
    assert known["bent"] == robot.configurations["bent"] == {"joint2": 0.4}
    assert list(known) == ["bent"]
    known.remove("bent")
    assert len(robot.configurations) == 0
    with pytest.raises(pyrave.NotFoundError, match="bent"):
        known.remove("bent")
