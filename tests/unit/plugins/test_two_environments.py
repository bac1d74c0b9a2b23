"""An object belongs to one environment; nothing hands it to another one."""

from __future__ import annotations

import pytest

import pyrave
from pyrave.errors import ArgumentError, InterfaceCreationError


class Task(pyrave.ModuleBase):
    contract = 1


@pytest.fixture
def pair():
    """Return two environments with a robot each."""
    return [pyrave.load("scenes/minimal.env.xml") for _ in range(2)]


def test_factories_make_a_new_object_each_time(pair):
    here, there = pair
    kept = []

    def factory(env):
        if not kept:
            kept.append(Task(env))
        return kept[0]

    for env in pair:
        env.register("module", "Task", factory)
    first = here.create("module", "Task")
    with pytest.raises(InterfaceCreationError, match="made for another environment; a"):
        there.create("module", "Task")
    with pytest.raises(InterfaceCreationError, match="a second time; a factory makes"):
        here.create("module", "Task")
    assert first.env is here


def test_classes_that_return_one_object_are_refused(pair):
    class Single(pyrave.ModuleBase):
        contract = 1
        only = None

        def __new__(cls, *_args):
            if cls.only is None:
                cls.only = super().__new__(cls)
            return cls.only

    here, there = pair
    for env in pair:
        env.register("module", "Single", Single)
    here.create("module", "Single")
    with pytest.raises(InterfaceCreationError, match="a second time; a factory makes"):
        there.create("module", "Single")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("kinbody", ""),
        ("robot", ""),
        ("module", "Task"),
        ("sensor", "BaseLaser2D"),
        ("physicsengine", "GenericPhysicsEngine"),
        ("collisionchecker", "Native"),
        ("planner", "BiRRT"),
        ("iksolver", "Numerical"),
        ("trajectory", ""),
        ("spacesampler", "Halton"),
    ],
)
def test_objects_of_another_environment_are_not_added(pair, kind, name):
    here, there = pair
    here.register("module", "Task", Task)
    item = here.create(kind, name)
    with pytest.raises(ArgumentError, match="was made for another environment"):
        there.add(item)


def test_objects_of_another_environment_are_not_used(pair):
    here, there = pair
    robot = there.robots[0]
    arm = robot.manipulators[0]
    body = here.bodies[0]
    sensor = robot.add_sensor("eye", "BaseLaser2D", link=robot.links[0].name)
    uses = [
        lambda: robot.set_controller(here.robots[0].controller),
        lambda: setattr(arm, "ik_solver", here.create("iksolver", "Numerical")),
        lambda: setattr(sensor, "sensor", here.create("sensor", "BaseLaser2D")),
        lambda: robot.plan([0, 0, 0], planner=here.create("planner", "BiRRT")),
        lambda: robot.grab(body),
        lambda: setattr(there, "physics_engine", here.create("physicsengine", "")),
        lambda: setattr(there, "collision_checker", here.collision_checker),
        lambda: there.check_collision(body),
        lambda: there.check_collision(robot, excluded_bodies=(body,)),
        lambda: there.check_collision(robot, excluded_links=(body.links[0],)),
    ]
    for use in uses:
        with pytest.raises(ArgumentError, match="environment"):
            use()
