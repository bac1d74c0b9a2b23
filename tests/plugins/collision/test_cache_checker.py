"""The checker that remembers configurations, and what it keeps them in."""

import gc

import numpy as np
import pytest
from loops import each
from solid_scenes import add_solid, at

import pyrave
from pyrave import ArgumentError, CollisionOptions, CollisionReport, NotFoundError
from pyrave.bodies.views.link import Link
from pyrave.interfaces import CollisionPair, CollisionSide
from pyrave.scene import Box, GeometryDescription, Sphere
from pyrave_collision.configuration_cache import ConfigurationCache

SLIDER = """<robot name="slider"><kinbody>
  <body name="base"/>
  <body name="cart"><geom type="box"><extents>0.05 0.05 0.05</extents></geom></body>
  <body name="ball"><offsetfrom>cart</offsetfrom><translation>0 0 0.3</translation>
    <geom type="sphere"><radius>0.1</radius></geom></body>
  <joint name="x" type="slider"><body>base</body><body>cart</body>
    <axis>1 0 0</axis><limits>-10 10</limits><resolution>0.1</resolution></joint>
  <joint name="y" type="slider"><body>cart</body><body>ball</body>
    <axis>0 1 0</axis><limits>-10 10</limits><resolution>0.2</resolution></joint>
</kinbody></robot>"""


class Counted:
    """Counts calls of a method of an object."""

    def __init__(self, owner, name):
        self.count, self._method = 0, getattr(owner, name)
        setattr(owner, name, self)

    def __call__(self, *args, **named):
        self.count += 1
        return self._method(*args, **named)


@pytest.fixture
def env(monkeypatch, tmp_path):
    """A ball on two sliders, a wall at x = 1, and a checker that remembers."""
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path))
    made = pyrave.Environment()
    made.load_string(SLIDER)
    add_solid(made, "wall", Box((0.5, 5, 5)), pose=at(1.6))
    made.collision_checker = "CacheChecker"
    made.collision_checker.command("TrackRobotState", "slider")
    return made


@pytest.fixture
def robot(env):
    return env.robots[0]


@pytest.fixture
def asked(env):
    """How often the other checker was asked."""
    return Counted(env.collision_checker.wrapped, "check_collision")


def hit(env, robot, x=0.0, y=0.0):
    robot.dof_values = (x, y)
    return env.check_collision(robot)


def numbers(env, command):
    return [int(word) for word in env.collision_checker.send_command(command).split()]


def brute_force(cache, rows, hits, q, threshold):
    """Distances in steps by their definition, the nearest that counts."""
    far = np.linalg.norm((rows - q) / (0.1, 0.2), axis=1)
    for collides in (True, False):
        near = far[hits == collides]
        if len(near) and near.min() <= threshold[collides]:
            return collides, near.min()
    return None


@each("seed", range(3))
def test_what_is_near_is_found_as_by_brute_force(env, robot, seed):
    rng = np.random.default_rng(seed)
    cache = ConfigurationCache(robot)
    pair = CollisionPair(CollisionSide.of_link(robot.links[1]))
    rows, hits = np.empty((0, 2)), np.empty(0, bool)
    threshold = {True: cache.collision_threshold, False: cache.free_threshold}
    for k in range(500):
        q, collides = rng.uniform(-1.0, 1.0, 2), bool(rng.random() < 0.3)
        least = 0.5 * threshold[collides]
        far = np.linalg.norm((rows - q) / (0.1, 0.2), axis=1)
        new = not len(far) or far.min() >= least
        assert cache.insert(q, pair if collides else None) == new
        if new:
            rows, hits = np.vstack((rows, q)), np.append(hits, collides)
        if k % 100 == 50:
            gone = np.linalg.norm((rows - q) / (0.1, 0.2), axis=1) <= 3.0
            assert cache.remove(q, 3.0) == gone.sum() > 0
            rows, hits = rows[~gone], hits[~gone]
        asked = rng.uniform(-1.0, 1.0, 2)
        expected = brute_force(cache, rows, hits, asked, threshold)
        found = cache.find(asked)
        assert (found is None) == (expected is None)
        if found is not None:
            assert found.collides == expected[0]
            assert found.distance == pytest.approx(expected[1], abs=1e-9)
            assert found.pair is (pair if found.collides else None)
    np.testing.assert_array_equal(cache.values, rows)
    assert len(cache) == len(rows) > 100
    assert cache.is_sound()
    nearest, distance = cache.nearest((0.1, 0.2))
    assert distance == pytest.approx(cache.distance(nearest, (0.1, 0.2)))
    assert cache.nearest((5.0, 5.0), within=2.0) is None


def test_weights_are_those_of_the_resolutions_until_others_are_set(robot):
    cache = ConfigurationCache(robot)
    np.testing.assert_allclose(cache.weights, (10.0, 5.0))
    cache.insert((1.0, 1.0))
    cache.weights = (1.0, 2.0)
    assert cache.distance((0, 0), (3, 2)) == pytest.approx(5.0)
    assert cache.nearest((1.0, 0.0))[1] == pytest.approx(2.0)
    assert cache.is_sound()
    with pytest.raises(
        ArgumentError, match=r"weights are \[1\.0, 0\.0\], expected num"
    ):
        cache.weights = (1.0, 0.0)


def test_known_configurations_are_not_asked_again(env, robot, asked):
    assert not hit(env, robot, 0.0)
    assert not hit(env, robot, 0.009)
    assert asked.count == 1
    assert not hit(env, robot, 0.02)
    assert asked.count == 2
    assert hit(env, robot, 1.2)
    assert hit(env, robot, 1.2)
    assert asked.count == 3
    # queries, known collisions, known free ones, kept; then counted anew
    assert numbers(env, "GetCacheStatistics") == [5, 1, 1, 3]
    assert numbers(env, "GetCacheStatistics") == [0, 0, 0, 3]


def test_reports_of_what_is_known_say_what_collides(env, robot):
    robot.dof_values = (1.2, 0.0)
    first = env.check_collision(robot, report=True)
    again = env.check_collision(robot, report=True)
    assert numbers(env, "GetCacheStatistics")[1] == 1
    assert str(again) == str(first) == "slider/cart x wall/base"


@each(
    "change",
    ("moved", "reshaped", "disabled", "enabled", "base", "held", "joint", "ignored"),
)
def test_what_changes_is_noticed(change):
    env = pyrave.Environment()
    env.load_string(SLIDER)
    robot = env.robots[0]
    wall = add_solid(env, "wall", Box((0.5, 5, 5)), pose=at(1.6))
    away = add_solid(env, "away", Sphere(0.05), pose=at(-3))
    if change == "enabled":
        wall.links[0].enabled = False
    env.collision_checker = "CacheChecker"
    env.collision_checker.command("TrackRobotState", "slider")
    if change == "joint":
        robot.set_active_dofs([0])
    x = 0.0 if change in {"moved", "base", "reshaped", "held"} else 1.2
    if change == "held":
        away.transform = at(0.0, 0.0, 0.5)
        robot.grab(away, robot.links["ball"])
    before = hit(env, robot, x)
    assert hit(env, robot, x) == before
    if change == "moved":
        wall.transform = at(0.5)
    elif change == "reshaped":
        larger = GeometryDescription(shape=Box((2.0, 5, 5)))
        wall.links[0].set_geometries([larger])
    elif change in {"disabled", "enabled"}:
        wall.links[0].enabled = not wall.links[0].enabled
    elif change == "base":
        robot.transform = at(1.2)
    elif change == "held":
        away.transform = at(1.3, 0.0, 0.3)
    elif change == "joint":
        wall.transform = at(1.6, 6.0)
        assert not hit(env, robot, 1.2)
        robot.dof_values = (1.2, 2.0)
    else:
        env.ignore_collisions(robot, wall)
    expected = env.collision_checker.wrapped.check_collision(robot)
    assert env.check_collision(robot) == expected
    assert expected != before or change == "joint"


def test_links_that_are_placed_one_by_one_are_noticed(env, robot, asked):
    assert not hit(env, robot, 0.5)
    poses = robot.link_transforms
    robot.set_link_transforms(poses)
    assert not env.check_collision(robot)
    assert asked.count == 1
    poses[2, 0, 3] = 1.2  # the ball leaves its slider for the wall
    robot.set_link_transforms(poses)
    assert robot.dof_values.tolist() == [0.5, 0.0]
    assert env.check_collision(robot)
    assert env.check_collision(robot)
    assert asked.count == 2
    assert not hit(env, robot, 0.5)


@each("held", (False, True))
def test_passive_joints_that_move_are_noticed(held):
    env = pyrave.Environment()
    env.load_string(SLIDER.replace('name="y"', 'name="y" enable="false"'))
    robot = body = env.robots[0]
    add_solid(env, "wall", Box((5, 0.5, 5)), pose=at(0.0, 1.6))
    if held:
        env.load_string(SLIDER.replace("slider", "hand", 1))
        robot = env.robots["hand"]
        robot.grab(body, robot.links["cart"])
    env.collision_checker = "CacheChecker"
    env.collision_checker.command("TrackRobotState", robot.name)
    assert not env.check_collision(robot)
    body.passive_joints["y"].values = [1.2]
    assert env.check_collision(robot)


def test_bodies_that_come_and_go_leave_what_still_holds(env, robot, asked):
    for x in (0.0, 0.3, 1.2):
        hit(env, robot, x)
    ball = add_solid(env, "ball", Sphere(0.05), pose=at(0.3))
    # what collides with the wall still does, what was free is asked again
    assert numbers(env, "GetCacheStatistics")[3] == 1
    assert [hit(env, robot, x) for x in (0.0, 0.3, 1.2)] == [False, True, True]
    assert asked.count == 5
    env.remove(ball)
    assert not hit(env, robot, 0.3)


def test_self_collisions_do_not_ask_the_world(env, robot):
    robot.dof_values = (0.0, 0.0)
    inner = Counted(env.collision_checker.wrapped, "check_self_collision")
    assert not robot.check_self_collision()
    env.bodies["wall"].transform = at(3.0)
    add_solid(env, "ball", Sphere(0.05), pose=at(0.3))
    robot.transform = at(0.1)
    assert not robot.check_self_collision()
    assert inner.count == 1
    assert numbers(env, "GetSelfCacheStatistics") == [2, 0, 1, 1]
    robot.links[1].enabled = False
    robot.check_self_collision()
    assert inner.count == 2


def test_queries_that_want_more_are_handed_on(env, robot, asked):
    checker = env.collision_checker
    hit(env, robot, 1.2)
    wall = env.bodies["wall"]
    for options in (CollisionOptions.CONTACTS, CollisionOptions.DISTANCE):
        with checker.options(options):
            report = env.check_collision(robot, report=True)
        assert report.pairs[0].contacts or report.nearest is not None
    assert env.check_collision(robot, wall)
    assert env.check_collision(wall)
    with env.on_collision(lambda report: pyrave.CollisionAction.IGNORE):
        assert not env.check_collision(robot)
    assert env.check_collision(robot)
    assert asked.count > 4
    assert numbers(env, "GetCacheStatistics")[0] == 2


def test_other_active_dofs_are_other_configurations(env, robot):
    hit(env, robot, 0.0, 0.0)
    robot.set_active_dofs([0])
    assert not hit(env, robot, 0.0, 0.0)
    assert numbers(env, "GetCacheStatistics") == [2, 0, 0, 1]
    robot.set_active_dofs([], affine=pyrave.Affine.X)
    assert not env.check_collision(robot)
    robot.transform = at(1.2)
    assert env.check_collision(robot)
    robot.transform = at(1.2, 0.0, 7.0)
    assert not env.check_collision(robot)


def test_another_axis_of_the_base_is_another_configuration(env, robot):
    robot.dof_values = (1.2, 0.0)
    robot.set_active_dofs([], pyrave.Affine.ROTATION_AXIS, (0, 0, 1))
    assert env.check_collision(robot)
    robot.active.values = [1.5]
    assert not env.check_collision(robot)
    robot.set_active_dofs([], pyrave.Affine.ROTATION_AXIS, (1, 0, 0))
    assert robot.active.values == 0.0
    assert not env.check_collision(robot)


def test_batches_and_plans_fill_the_memory(env, robot):
    checker = env.collision_checker
    rows = np.column_stack((np.linspace(0, 1.4, 20), np.zeros(20)))
    expected = checker.wrapped.check_configurations(robot, rows)
    for _ in range(2):
        np.testing.assert_array_equal(
            checker.check_configurations(robot, rows), expected
        )
    assert numbers(env, "GetCacheStatistics")[:3] == [40, 6, 14]
    times = checker.check_motions(robot, [(0.0, 0.0)], [(1.4, 0.0)])
    assert 0.6 < times[0] < 0.8


def test_files_keep_self_collisions(env, robot, tmp_path):
    checker = env.collision_checker
    rng = np.random.default_rng(1)
    for _ in range(50):
        robot.dof_values = rng.uniform(-1, 1, 2)
        robot.check_self_collision()
    count = numbers(env, "GetSelfCacheStatistics")[3]
    assert checker.send_command("SaveCache") is not None
    (file,) = tmp_path.glob("selfcache.*.zip")
    checker.send_command("ResetSelfCache")
    assert numbers(env, "GetSelfCacheStatistics")[3] == 0
    assert checker.send_command("LoadCache") is not None
    assert numbers(env, "GetSelfCacheStatistics")[3] == count
    assert numbers(env, "ValidateSelfCache") == [1]
    # whoever tracks the robot has them at once, but not with other parameters
    checker.command("TrackRobotState", "slider")
    assert numbers(env, "GetSelfCacheStatistics")[3] == count
    checker.command("SetSelfCacheParameters", 0.1, 0.1, 0.1)
    checker.command("TrackRobotState", "slider")
    assert numbers(env, "GetSelfCacheStatistics")[3] == 0
    assert checker.send_command("LoadCache") is None
    checker.command("SetSelfCacheParameters", 0.2, 0.3, 0.5, 1.8)
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(
        pyrave.StateError, match=r"is cut or damaged: .*; delete it, or"
    ):
        checker.command("LoadCache")


def test_files_keep_present_active_dofs_alone(env, robot, tmp_path):
    checker = env.collision_checker
    robot.set_active_dofs([0])
    robot.check_self_collision()
    for active in [1], [0, 1]:
        robot.set_active_dofs(active)
        checker.command("SaveCache")
        checker.command("TrackRobotState", "slider")
        assert numbers(env, "GetSelfCacheStatistics")[3] == 0
        robot.check_self_collision()
    assert len(list(tmp_path.glob("selfcache.*.zip"))) == 2


def test_wrong_arguments_are_named(env, robot):
    checker = env.collision_checker
    with pytest.raises(ArgumentError, match="base is 'x', expected a finite number"):
        checker.command("SetCacheParameters", 1, 1, 1, "x")
    with pytest.raises(ArgumentError, match="excluded_bodies holds 3, expected bod"):
        checker.check_collision(robot, excluded_bodies=3)


def test_a_cache_says_that_its_robot_is_gone(env):
    cache = ConfigurationCache(env.robots[0])
    env.remove(env.robots[0])
    gc.collect()
    with pytest.raises(pyrave.StateError, match="the robot of the cache is gone"):
        len(cache)


def test_commands(env, robot):
    checker = env.collision_checker
    for x in (0.0, 0.3, 1.2):
        hit(env, robot, x)
    assert checker.send_command("GetTrackedRobot") == "slider"
    assert numbers(env, "ValidateCache") == [1]
    assert checker.command("UpdateFreeConfigurations", "wall") == 2
    assert checker.command("UpdateCollisionConfigurations", "slider") == 1
    assert numbers(env, "GetCacheStatistics")[3] == 0
    assert checker.send_command("SetCacheParameters 1 0.5 0.25 3") == "1.0 0.5 0.25 3.0"
    assert not hit(env, robot, 0.0)
    assert not hit(env, robot, 0.04)
    assert numbers(env, "GetCacheStatistics") == [2, 0, 1, 1]
    times = checker.send_command("GetCacheTimes")
    assert times.startswith("insert ")
    assert times.endswith(" hits 0")
    checker.send_command("ResetCache")
    assert numbers(env, "GetCacheStatistics") == [0, 0, 0, 0]
    with pytest.raises(NotFoundError, match="robot 'nobody'"):
        checker.command("TrackRobotState", "nobody")


def test_clones_track_the_robot_and_ask_the_same_checker(env, robot):
    hit(env, robot)
    copy = env.clone()
    checker = copy.collision_checker
    assert checker is not env.collision_checker
    assert checker.wrapped.interface_id == "Native"
    assert checker.send_command("GetTrackedRobot") == "slider"
    assert numbers(copy, "GetCacheStatistics")[3] == 0
    assert not hit(copy, copy.robots[0])


def test_a_checker_that_remembers_does_not_ask_one_that_does(env):
    made = env.create("collisionchecker", "CacheChecker")
    assert made.wrapped.interface_id == "Native"
    with pytest.raises(pyrave.PluginError, match="name the checker that compares"):
        env.create("collisionchecker", "CacheChecker CacheChecker")


def test_without_a_robot_all_is_handed_on(robot, asked):
    env = robot.env
    env.collision_checker = "CacheChecker Native"
    assert not hit(env, robot)
    assert not hit(env, robot)
    assert numbers(env, "GetCacheStatistics") == [0, 0, 0, 0]
    assert env.collision_checker.compiled(robot) is not None
    with pytest.raises(pyrave.StateError, match="call TrackRobotState"):
        env.collision_checker.command("SaveCache")
    assert isinstance(robot.links[0], Link)


def test_the_robots_own_checker_may_be_the_one_that_remembers(env, robot):
    checker = env.collision_checker
    robot.self_collision_checker = checker
    robot.dof_values = (0.0, 0.0)
    report = CollisionReport()
    for _ in range(2):
        assert not checker.check_standalone_self_collision(robot, report)
        assert not robot.check_self_collision()
    assert numbers(env, "GetSelfCacheStatistics") == [4, 0, 2, 2]
