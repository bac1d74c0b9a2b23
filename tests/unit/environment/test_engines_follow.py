"""Engines hear what changed in the world, each change once."""

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError
from pyrave.interfaces import CollisionOptions
from pyrave.interfaces.collisionchecker import CollisionCheckerBase
from pyrave.interfaces.physicsengine import PhysicsEngineBase
from pyrave.scene import body_from_boxes


class BoundsChecker(CollisionCheckerBase):
    """Bodies collide if their boxes overlap, as the packed world has them."""

    contract = 2

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.heard = []

    def update(self, changes):
        self.heard.append(changes)

    def set_collision_options(self, options):
        pass

    def get_collision_options(self):
        return CollisionOptions.NONE

    def set_tolerance(self, tolerance):
        pass

    def init_environment(self):
        pass

    def destroy_environment(self):
        pass

    def init_kinbody(self, body):
        pass

    def remove_kinbody(self, body):
        pass

    def check_ray(self, origin, direction, target=None, report=None):
        return False

    def check_self_collision(self, subject, report=None):
        return bool(subject.dof) and subject.dof_values[0] > 0.9

    def check_collision(
        self, first, second=None, *, excluded_bodies=(), excluded_links=(), report=None
    ):
        self.synchronise()
        world = self.env.world
        bounds = world.tables.geometries.bounds
        mine = bounds[world.geometries_of(first.id)]
        for body in self.env.bodies:
            if body is first:
                continue
            other = bounds[world.geometries_of(body.id)]
            apart = (mine[:, None, :3] > other[None, :, 3:]) | (
                other[None, :, :3] > mine[:, None, 3:]
            )
            if (~apart.any(axis=2)).any():
                return True
        return False


@pytest.fixture
def env():
    made = pyrave.Environment()
    made.register("collisionchecker", "Bounds", BoundsChecker)
    for k in range(3):
        made.create_body(
            body_from_boxes(f"box{k}", [(2.0 * k, 0.0, 0.0, 0.5, 0.5, 0.5)])
        )
    made.collision_checker = "Bounds"
    return made


def test_an_engine_hears_each_change_once(env):
    checker, (first, second, _) = env.collision_checker, env.bodies
    assert not env.check_collision(first)
    assert [one.added for one in checker.heard] == [(0, 1, 2)]
    assert not env.check_collision(first)
    assert len(checker.heard) == 1
    second.transform = (1, 0, 0, 0, -1.5, 0, 0)
    assert env.check_collision(first)
    assert checker.heard[-1].moved == (1,)
    env.remove(second)
    assert not checker.check_collision(first)
    assert checker.heard[-1].removed == (1,)
    assert len(checker.heard) == 3


def test_an_engine_that_is_installed_again_begins_anew(env):
    checker = env.collision_checker
    env.check_collision(env.bodies[0])
    env.collision_checker = ""
    env.collision_checker = checker
    env.check_collision(env.bodies[0])
    assert [one.added for one in checker.heard] == [(0, 1, 2)] * 2


class Lifter(PhysicsEngineBase):
    """Bodies rise; those that were moved from outside are noted."""

    contract = 1

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.heard = []

    def update(self, changes):
        self.heard.append((changes.added, changes.moved))

    def simulate_step(self, dt):
        self.heard.append("step")


def test_a_physics_engine_hears_of_changes_before_each_step(env):
    env.register("physicsengine", "Lifter", Lifter)
    engine = env.set_physics_engine("Lifter")
    env.step(0.01)
    env.step(0.01)
    env.bodies[2].transform = (1, 0, 0, 0, 9.0, 0, 0)
    env.step(0.01)
    assert engine.heard == [((0, 1, 2), ()), "step", "step", ((), (2,)), "step"]


def test_configurations_are_checked_one_after_the_other(env):
    from pyrave.scene import (
        BodyDescription,
        Box,
        GeometryDescription,
        JointAxis,
        JointDescription,
        LinkDescription,
        Pose,
    )

    slide = JointAxis((1.0, 0.0, 0.0), prismatic=True, lower=-9.0, upper=9.0)
    box = GeometryDescription(Box((0.2, 0.2, 0.2)))
    cart = env.create_body(
        BodyDescription(
            "cart",
            pose=Pose(translation=(-5.0, 0.0, 0.0)),
            links=(LinkDescription("rail"), LinkDescription("car", geometries=(box,))),
            joints=(JointDescription("j", "slider", "rail", "car", axes=(slide,)),),
        )
    )
    start = cart.dof_values
    values = np.array([[0.0], [5.0], [6.0], [0.95]])
    check = env.collision_checker.check_configurations
    assert check(cart, values).tolist() == [False, True, True, True]
    assert check(cart, values, self_collision=False).tolist() == [
        False,
        True,
        False,
        False,
    ]
    assert cart.dof_values.tolist() == start.tolist()
    assert check(cart, np.zeros((0, 1))).shape == (0,)
    with pytest.raises(ArgumentError, match="configurations"):
        check(cart, np.zeros((2, 3)))
