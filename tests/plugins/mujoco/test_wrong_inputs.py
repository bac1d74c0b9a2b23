"""What the engine ``mujoco`` says about scenes and numbers that make no sense."""

import numpy as np
import pytest
from physics_scenes import G, ball, box, chain, floor, run, world

from pyrave.errors import ArgumentError, StateError
from pyrave.scene import ControllerDescription, Inertial, SimulationDescription

pytest.importorskip("mujoco")


def inertial(mass, *moments):
    a, b, c = moments
    return Inertial(mass, (0.0, 0.0, 0.0), (a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c))


def only_problem(env):
    (problem,) = env.problems
    return str(problem)


@pytest.mark.parametrize(
    ("description", "words"),
    [
        (box("a", inertial=inertial(0.0, 0, 0, 0)), "neither it nor what hangs on it"),
        (chain("a", mass=0.0, inertia=(0, 0, 0)), "link 'link1' moves, but neither"),
        (box("a", inertial=inertial(1.0, 1, 1, -0.5)), "none may be negative"),
    ],
)
def test_a_body_without_a_mass_stays_and_is_named(description, words):
    env = world(description, box("b", (0, 0, 5)))
    before = env.bodies["a"].link_transforms
    run(env, 0.1)
    text = only_problem(env)
    assert "body 'a'" in text
    assert words in text
    assert "stays where it is" in text
    assert np.array_equal(env.bodies["a"].link_transforms, before)
    assert env.bodies["b"].base_velocity[2] == pytest.approx(-0.1 * G), "others fall"


def test_what_hangs_behind_a_link_without_mass_gives_it_one():
    env = world(chain("a", kinds=("hinge",) * 2, axes=((0, 1, 0),) * 2))
    env.bodies["a"].links[1].mass = 0.0
    env.bodies["a"].links[1].local_inertia = np.zeros((3, 3))
    env.bodies["a"].dof_values = (1.0, 0.2)
    expected = env.bodies["a"].forward_dynamics((0, 0))
    env.step(1e-4)
    assert not env.problems
    assert np.allclose(env.bodies["a"].dof_velocities, 1e-4 * expected, rtol=1e-3)


def test_moments_that_no_body_has_are_reported_and_used():
    env = world(
        chain("a", axes=((0, 0, 1),), inertia=(0.1, 0.1, 0.9)), gravity=(0, 0, 0)
    )
    env.bodies["a"].dynamics.set_dof_torques([0.9])
    env.step(0.01)
    assert "inertia of the links link1 is one which no body" in only_problem(env)
    assert env.bodies["a"].dof_velocities[0] == pytest.approx(0.01, rel=1e-6)


def test_a_mass_without_inertia_gets_that_of_its_box():
    env = world(box("a", inertial=inertial(3.0, 0, 0, 0)), gravity=(0, 0, 0))
    env.bodies["a"].links[0].set_torque((0, 0, 0.02))
    env.step(0.01)
    assert "mass without inertia" in only_problem(env)
    assert env.bodies["a"].base_velocity[5] == pytest.approx(2e-4 / 0.02, rel=1e-6)


@pytest.mark.parametrize("dt", [0, -1, float("nan"), "a", None])
def test_steps_that_are_none(dt):
    env = world(box("a"))
    with pytest.raises(ArgumentError):
        env.step(dt)
    with pytest.raises(ArgumentError):
        env.physics_engine.simulate_step(dt)
    assert env.bodies["a"].transform[2, 3] == 0.0


def test_forces_that_are_no_numbers():
    env = world(box("a"), chain("b"))
    link, joint = env.bodies["a"].links[0], env.bodies["b"].joints[0]
    for wrong in ((np.nan, 0, 0), (0, 0), "abc", (0, np.inf, 0)):
        with pytest.raises(ArgumentError):
            link.set_force(wrong, (0, 0, 0))
        with pytest.raises(ArgumentError):
            link.set_force((0, 0, 0), wrong)
        with pytest.raises(ArgumentError):
            link.set_torque(wrong)
    with pytest.raises(ArgumentError):
        joint.add_torques([np.nan])
    env.step(0.01)
    assert np.isfinite(env.bodies["a"].transform).all()


def test_what_blows_up_is_named_and_all_stays():
    env = world(box("calm", (5, 0, 5)), box("wild", (0, 0, 5)))
    run(env, 0.1)
    before = {body.name: body.get_state() for body in env.bodies}
    env.bodies["wild"].links[0].set_force((1e30, 0, 0), (0, 0, 5))
    env.step(0.01)
    text = only_problem(env)
    assert "the simulation blew up" in text
    assert "'wild'" in text
    assert env.physics_engine.disabled
    for body in env.bodies:
        assert np.array_equal(body.transform, before[body.name].base_pose)
        assert np.array_equal(body.base_velocity, before[body.name].base_velocity)
    env.physics_engine.disabled = False
    run(env, 0.1)
    assert len(env.problems) == 1
    assert env.bodies["wild"].base_velocity[2] == pytest.approx(-0.2 * G, rel=1e-6)


def test_settings():
    env = world(box("a"))
    engine = env.physics_engine
    for wrong in (
        {"time_step": 0.0},
        {"time_step": np.nan},
        {"friction": -1},
        {"integrator": "midpoint"},
        {"iterations": 0},
        {"impedance_ratio": "large"},
        {"concave_meshes": "balls"},
    ):
        with pytest.raises(ArgumentError, match=next(iter(wrong))):
            engine.change_settings(**wrong)
    with pytest.raises(StateError, match="change_settings"):
        engine.settings = 0.001
    with pytest.raises(ArgumentError, match="expected 0"):
        engine.set_physics_options(1)


def test_what_is_not_simulated_is_named_once():
    env = world(floor(), chain("arm", at=(0, 0, 3)), ball("a", (2, 0, 1)))
    env.simulation = SimulationDescription(
        controllers=(ControllerDescription("pd", "pd", "arm"),)
    )
    run(env, 0.05)
    env.bodies["a"].links[0].mass = 2.0
    run(env, 0.05)
    assert "the controller 'pd' of the scene does not drive it" in only_problem(env)


def test_conveyors_that_move_are_named():
    from pyrave.scene import LinkDynamics

    dynamics = LinkDynamics("", 0.1, 0.0, (1.0, 0.0, 0.0))
    env = world(floor(), box("a", (0, 0, 0.1), dynamics=dynamics))
    run(env, 0.02)
    text = "body 'a': the surface velocity of its link 'base' does nothing"
    assert text in only_problem(env)


def test_bodies_that_are_not_there():
    env = world(box("a"), chain("b"))
    link, joint = env.bodies["a"].links[0], env.bodies["b"].joints[0]
    link.set_force((1, 0, 0), (0, 0, 0))
    env.remove("a")
    env.remove("b")
    engine = env.physics_engine
    for call in (
        lambda: link.set_force((1, 0, 0), (0, 0, 0)),
        lambda: link.set_torque((1, 0, 0)),
        lambda: joint.add_torques([1.0]),
        lambda: engine.get_joint_force_torque(joint),
    ):
        with pytest.raises(ArgumentError, match="is not in the environment"):
            call()
    with pytest.raises(ArgumentError, match="expected a body, got 'b'"):
        engine.get_joint_efforts("b")
    env.step(0.01)
    assert not env.problems
