"""The checker that remembers configurations: it never says anything else."""

import numpy as np
import pytest
from solid_scenes import CHECKERS, add_solid, at, installed_checker, random_pose

import pyrave
from pyrave import (
    ArgumentError,
    CollisionOptions,
    CollisionReport,
    InterfaceCreationError,
    NotFoundError,
)
from pyrave.scene import Box, Sphere


def scene(wrapped, seed=0):
    """An arm among boxes and balls, some of them in reach, its checker remembering."""
    env = pyrave.Environment()
    env.load("robots/heron7.robot.xml")
    rng = np.random.default_rng(seed)
    robot = env.robots[0]
    for k in range(12):
        shape = Box((0.1, 0.2, 0.1)) if k % 2 else Sphere(0.15)
        body = add_solid(env, f"thing{k}", shape, pose=random_pose(rng, 0.6))
        while env.check_collision(body, robot):
            body.transform = random_pose(rng, 0.6)
    installed_checker(env, f"CacheChecker {wrapped}")
    checker = env.collision_checker
    checker.command("TrackRobotState", robot.name)
    return env, robot, checker, rng


def walk(rng, robot, steps, size=0.005):
    """Yield configurations of a random walk that jumps and comes back."""
    low, high = np.clip(robot.dof_limits, -np.pi, np.pi)
    visited = [0.2 * rng.uniform(low, high)]
    for k in range(steps):
        if k % 10 == 0:
            start = visited[rng.integers(len(visited))]
            if rng.random() < 0.5:
                start = rng.uniform(low, high)
            visited.append(start)
        else:
            visited.append(visited[-1] + size * rng.normal(size=robot.dof))
        yield visited[-1]


def agrees(robot, checker):
    found = checker.check_collision(robot), checker.check_self_collision(robot)
    other = checker.wrapped
    assert found == (other.check_collision(robot), other.check_self_collision(robot))
    return found


@pytest.mark.parametrize("wrapped", CHECKERS)
def test_answers_are_those_of_the_other_checker_while_the_world_changes(wrapped):
    env, robot, checker, rng = scene(wrapped)
    found = []
    things = [env.bodies[f"thing{k}"] for k in range(12)]
    for k, q in enumerate(walk(rng, robot, 400)):
        robot.set_dof_values(q, limits=pyrave.LimitCheck.NONE)
        found.append(agrees(robot, checker))
        if k % 50 == 20:
            things[rng.integers(12)].transform = random_pose(rng, 0.6)
        if k % 50 == 30:
            robot.links[-1].enabled = not robot.links[-1].enabled
        if k % 100 == 40:
            robot.grab(things[0])
        if k % 100 == 45:
            things[0].transform = robot.links[-1].transform @ at(0.0, 0.0, 0.4)
        if k % 100 == 90:
            robot.release_all()
        if k % 100 == 95:
            robot.transform = at(0.1 * rng.normal(), 0.0, 0.0)
    collides = [one for one, _ in found]
    assert 0.05 < np.mean(collides) < 0.95
    assert checker.command("GetCacheStatistics")[2] > 20
    assert checker.command("ValidateCache")
    assert checker.command("ValidateSelfCache")


def test_what_is_proven_free_is_not_asked_again():
    env, robot, checker, _ = scene("Native")
    asked = []
    inner = checker.wrapped.check_collision
    checker.wrapped.check_collision = lambda *a, **k: asked.append(1) or inner(*a, **k)
    robot.dof_values = np.zeros(robot.dof)
    for body in list(env.bodies):
        if body is not robot:
            body.transform = at(3.0)
    assert not env.check_collision(robot)
    for value in np.linspace(0.0, 0.3, 20):
        robot.set_dof_values([value], dof_indices=[0])
        assert not env.check_collision(robot)
    assert len(asked) == 1
    assert checker.command("GetCacheStatistics") == [0, 21, 20, 1]
    env.bodies["thing0"].transform = robot.links[-1].transform
    robot.dof_values = np.zeros(robot.dof)
    assert env.check_collision(robot)
    assert env.check_collision(robot)
    assert len(asked) == 2
    assert checker.command("GetCacheStatistics") == [1, 23, 20, 1]


def test_a_free_configuration_reaches_as_far_as_its_distance_and_no_further():
    """A ball on a slider before a wall: the bound of its motion is exact."""
    env = pyrave.Environment()
    text = """<robot name="slider"><kinbody>
      <body name="base"/>
      <body name="ball"><geom type="sphere"><radius>0.1</radius></geom></body>
      <joint name="x" type="slider"><body>base</body><body>ball</body>
        <axis>1 0 0</axis><limits>-10 10</limits></joint>
    </kinbody></robot>"""
    env.load_string(text)
    robot = env.robots[0]
    add_solid(env, "wall", Box((0.5, 5, 5)), pose=at(1.6))  # 1 m from the ball
    env.collision_checker = "CacheChecker Native"
    checker = env.collision_checker
    checker.track(robot.name)
    assert not env.check_collision(robot)
    for value, asked in ((0.99998, False), (-0.99998, False), (0.999995, True)):
        before = checker.command("GetCacheStatistics")[2]
        robot.dof_values = [value]
        assert not env.check_collision(robot)
        assert checker.command("GetCacheStatistics")[2] == before + (not asked)
        checker.command("UpdateFreeConfigurations")
        robot.dof_values = [0.0]
        env.check_collision(robot)
    robot.dof_values = [1.001]
    assert env.check_collision(robot)


def test_queries_that_mean_something_else_are_not_remembered():
    env, robot, checker, _ = scene("Native")
    robot.dof_values = np.zeros(robot.dof)
    thing = env.bodies["thing0"]
    thing.transform = robot.links[-1].transform
    for _ in range(2):
        assert env.check_collision(robot)
        assert not env.check_collision(robot, excluded_bodies=[thing])
        assert checker.check_collision(robot.links[0]) in {True, False}
        report = CollisionReport()
        assert checker.check_collision(robot, report=report)
        assert report.pairs
    assert checker.command("GetCacheStatistics")[1] == 2
    with checker.options(CollisionOptions.USE_TOLERANCE):
        checker.set_tolerance(10.0)
        thing.transform = at(3.0)
        assert env.check_collision(robot)
    assert not env.check_collision(robot)
    handle = env.on_collision(lambda report: pyrave.CollisionAction.IGNORE)
    thing.transform = robot.links[-1].transform
    assert not env.check_collision(robot)
    handle.close()
    assert env.check_collision(robot)
    thing.collision_filter = lambda own, other: False
    assert not env.check_collision(robot)


def test_a_checker_without_distances_is_helped_where_nothing_moved():
    env = pyrave.Environment()
    env.load("robots/heron7.robot.xml")
    env.collision_checker = "CacheChecker GenericCollisionChecker"
    checker, robot = env.collision_checker, env.robots[0]
    checker.track(robot.name)
    for value in (0.0, 0.0, 0.1, 0.1):
        robot.dof_values = [value] * robot.dof
        assert checker.check_collision(robot) is False
    assert checker.command("GetCacheStatistics") == [0, 4, 2, 2]


def test_the_oldest_gives_way_and_caches_are_emptied():
    _, robot, checker, rng = scene("Native")
    checker.command("SetCacheParameters", size=5)
    for q in walk(rng, robot, 40, size=0.5):
        robot.set_dof_values(q, limits=pyrave.LimitCheck.NONE)
        agrees(robot, checker)
    assert checker.command("GetCacheStatistics")[3] == 5
    dropped = checker.command("UpdateCollisionConfigurations")
    assert dropped + checker.command("UpdateFreeConfigurations") == 5
    assert checker.command("GetSelfCacheStatistics")[3] > 5
    checker.command("ResetSelfCache")
    assert checker.command("GetSelfCacheStatistics") == [0, 0, 0, 0]
    assert all(spent > 0.0 for spent in checker.command("GetCacheTimes"))


def test_clones_ask_the_same_checker_about_their_own_robot():
    env, robot, checker, _ = scene("coal")
    checker.command("SetSelfCacheParameters", size=7, margin=0.001)
    other = env.clone()
    twin = other.collision_checker
    assert twin.wrapped.interface_id == "coal"
    assert twin.command("GetTrackedRobot") == robot.name
    assert twin.get_state() == checker.get_state()
    own = other.robots[0]
    assert own is not robot
    assert agrees(own, twin) == agrees(robot, checker)


def test_wrong_names_end_in_words():
    env, _, checker, _ = scene("Native")
    with pytest.raises(NotFoundError, match="nobody"):
        checker.command("TrackRobotState", "nobody")
    with pytest.raises(InterfaceCreationError, match="as 'CacheChecker Native'"):
        env.create("collisionchecker", "CacheChecker CacheChecker")
    with pytest.raises(ArgumentError, match="size is -1"):
        checker.command("SetCacheParameters", size=-1)
    with pytest.raises(ArgumentError, match="margin"):
        checker.command("SetCacheParameters", margin=-1.0)
    again = env.create("collisionchecker", "CacheChecker")
    assert again.wrapped.interface_id == "Native"
    assert again.command("GetTrackedRobot") is None
