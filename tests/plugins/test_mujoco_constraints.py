"""Constraints of a scene in the engine ``mujoco``."""

import math

import numpy as np
import pytest
from physics_scenes import G, box, box_inertia, run, world

from pyrave.scene import ConstraintDescription, Limits, LinkReference, Pose, Spring

pytest.importorskip("mujoco")


def tied(kind, *, at=(0.0, 0.0, 0.0), rotation=None, **more):
    """Return a box whose centre is 0.5 m next to a point of the world."""
    env = world(box("a", (0.5, 0, 0), mass=2.0))
    pose = Pose(translation=at) if rotation is None else Pose(rotation, at)
    child = LinkReference("a", "base")
    constraint = ConstraintDescription("c", kind, LinkReference(), child, pose, **more)
    env.add_constraint(constraint)
    return env


def test_fixed():
    env = tied("fixed")
    run(env, 1.0)
    assert np.allclose(env.bodies["a"].transform, [
        [1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]
    ], atol=2e-3)  # fmt: skip
    env.remove_constraint("c")
    run(env, 0.5)
    assert env.bodies["a"].base_velocity[2] == pytest.approx(-0.5 * G, rel=1e-2)


def swung(seconds, moment):
    """Return the angle of a pendulum that starts at rest and level."""
    angle, speed = 0.0, 0.0
    for _ in range(round(seconds * 1e5)):
        speed += 1e-5 * 2.0 * G * 0.5 * math.cos(angle) / moment
        angle += 1e-5 * speed
    return angle


@pytest.mark.parametrize("kind", ["spherical", "revolute"])
def test_pendulums(kind):
    turn = (1, 0, 0, 0, 0, -1, 0, 1, 0)  # z of the constraint is -y of the world
    env = tied(kind, rotation=turn)
    run(env, 0.5)
    moment = box_inertia(2.0, (0.1, 0.1, 0.1)).inertia[4] + 2.0 * 0.25
    angle = swung(0.5, moment)
    place = env.bodies["a"].transform[:3, 3]
    expected = (0.5 * math.cos(angle), 0, -0.5 * math.sin(angle))
    assert np.allclose(place, expected, atol=5e-3)
    assert not env.problems


def test_a_revolute_constraint_holds_its_axis():
    """About a vertical axis nothing falls."""
    env = tied("revolute")
    env.bodies["a"].links[0].set_torque((0, 0, 5.0))
    run(env, 1.0)
    place = env.bodies["a"].transform[:3, 3]
    assert abs(place[2]) < 5e-3
    assert np.linalg.norm(place[:2]) == pytest.approx(0.5, abs=2e-3)
    assert env.bodies["a"].base_velocity[5] > 0.01


def test_two_bodies_are_tied_to_each_other():
    env = world(box("a"), box("b", (0.5, 0, 0)), gravity=(0, 0, 0))
    ends = LinkReference("a"), LinkReference("b")
    env.add_constraint(ConstraintDescription("c", "fixed", *ends))
    env.bodies["a"].links[0].set_force((3.0, 0, 0), (0, 0, 0))
    run(env, 1.0)
    for name in "ab":
        speed = env.bodies[name].base_velocity[0]
        assert speed == pytest.approx(0.015, rel=1e-3)


def test_what_is_left_out_is_named():
    env = tied("prismatic")
    run(env, 0.02)
    assert "the constraint 'c' of the kind 'prismatic'" in str(env.problems[0])
    for more in (
        {"limits": (Limits(-1, 1),)},
        {"spring": Spring(((0.1,),), ((0.1,),))},
    ):
        env = tied("revolute", **more)
        run(env, 0.02)
        (problem,) = env.problems
        assert "limits and springs of the constraint 'c'" in str(problem)
