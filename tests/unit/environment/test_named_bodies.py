"""Bodies and links are taken by name wherever they are taken."""

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError, NotFoundError
from pyrave.scene import body_from_boxes

CHECKERS = ("Native", "coal")


@pytest.fixture
def env():
    env = pyrave.load("scenes/demo.env.xml")
    cube = [[0.0, 0.0, 0.0, 0.05, 0.05, 0.05]]
    for name in ("can", "shelf/upper"):
        env.create_body(body_from_boxes(name, cube))
    robot = env.robots["heron7"]
    env.bodies["can"].transform = robot.links[-1].transform
    return env


def subjects(env):
    """Yield names of bodies and links with what they mean."""
    robot = env.robots["heron7"]
    yield "can", env.bodies["can"]
    yield "heron7", robot
    yield f"heron7/{robot.links[-1].name}", robot.links[-1]
    yield "shelf/upper", env.bodies["shelf/upper"]
    yield "shelf/upper/base", env.bodies["shelf/upper"].links[0]


def test_queries_of_the_environment(env):
    for name, one in subjects(env):
        assert env.check_collision(name) == env.check_collision(one)
        for other_name, other in subjects(env):
            same = env.check_collision(one, other)
            assert env.check_collision(name, other_name) == same
            assert env.check_collision(name, other) == same
        assert env.distance(name, "shelf/upper") == env.distance(
            one, env.bodies["shelf/upper"]
        )
    assert env.check_collision("can", report=True).pairs
    tip = f"heron7/{env.robots[0].links[-1].name}"
    assert env.check_collision("can", tip)
    assert not env.check_collision("can", tip, excluded_links=[tip])
    assert not env.check_collision("can", "heron7", excluded_bodies=["heron7"])
    assert not env.check_collision("can", "heron7", excluded_bodies="heron7")
    robot = env.bodies["heron7"]
    assert not env.check_collision("can", robot, excluded_bodies=robot)


def test_arms_of_robots_with_slashes_in_their_names():
    env = pyrave.load("heron7", name="left/heron")
    values = env.robots[0].active_manipulator.arm_dof_values
    assert env.plan("left/heron/arm", values=values)
    with pytest.raises(NotFoundError, match=r"'arn'.*did you mean 'arm'"):
        env.plan("left/heron/arn", values=values)
    with pytest.raises(NotFoundError, match="no body 'can'"):
        env.check_collision("left/heron", "can/")


@pytest.mark.parametrize("name", CHECKERS)
def test_queries_of_checkers(env, name):
    if name == "coal":
        pytest.importorskip("coal")
    env.collision_checker = name
    checker, robot, can = env.collision_checker, env.robots[0], env.bodies["can"]
    rows = np.stack([robot.dof_values, robot.dof_values + 0.1])
    assert checker.check_collision("can") == checker.check_collision(can)
    assert checker.check_collision("can", "heron7")
    assert checker.check_self_collision("heron7") == checker.check_self_collision(robot)
    for method, more in (
        (checker.check_configurations, (rows,)),
        (checker.distances, (rows,)),
        (checker.check_motions, (rows, rows[::-1])),
    ):
        assert (method("heron7", *more) == method(robot, *more)).all()


def test_a_name_means_the_body_that_has_it_now(env):
    """What checkers keep of queries is not kept by name."""
    checker = env.collision_checker
    assert checker.check_collision("can", "heron7")
    env.remove("can")
    with pytest.raises(NotFoundError, match="no body 'can'"):
        checker.check_collision("can", "heron7")
    far = env.create_body(body_from_boxes("can", [[5.0, 5, 5, 0.1, 0.1, 0.1]]))
    assert not checker.check_collision("can", "heron7")
    assert far is env.bodies["can"]


def test_what_robots_hold(env):
    robot, can = env.robots["heron7"], env.bodies["can"]
    assert not robot.is_grabbing("can")
    robot.grab("can")
    assert robot.is_grabbing("can")
    assert robot.is_attached("can")
    assert can.is_attached("heron7")
    assert robot.grabs.link_of("can") is robot.grabs.link_of(can)
    assert robot.manipulators[0].is_grabbing("can")
    robot.release("can")
    assert robot.distance_to("shelf/upper") == robot.distance_to(
        env.bodies["shelf/upper"]
    )


def test_ignored_pairs_rays_and_pictures(env):
    env.ignore_collisions("can", "heron7")
    assert not env.check_collision("can", "heron7")
    env.ignore_collisions("can", "heron7", ignored=False)
    assert env.check_collision("can", "heron7")
    start = env.bodies["can"].aabb[0] + (0, 0, 3)
    down = [0.0, 0.0, -1.0]
    assert env.raycast(start, down, bodies="can").id == env.bodies["can"].id
    assert env.raycast(start, down, bodies=["can"]).id == env.bodies["can"].id
    assert env.raycast(start, down, bodies="can", exclude="can").id == -1
    view = {"size": (80, 60)}
    seen = env.picture(target="can", **view)
    assert (seen == env.picture(target=env.bodies["can"], **view)).all()


def test_who_plans(env):
    env.remove("can")
    for name in ("heron7/arm", env.robots[0].manipulators["arm"]):
        assert env.plan(name, {"joint1": 0.3}, seed=1)
    together = env.plan({"heron7/arm": {"joint1": 0.3}})
    assert together, together.cause
    with pytest.raises(NotFoundError, match=r"'hern7', did you mean 'heron7'\?"):
        env.plan("hern7/arm", {"joint1": 0.3})


def test_an_unknown_name_has_the_nearest(env):
    robot = env.robots[0]
    for use in (
        env.check_collision,
        lambda name: env.check_collision("can", name),
        lambda name: env.distance("can", name),
        lambda name: env.ignore_collisions("heron7", name),
        env.collision_checker.check_collision,
        env.collision_checker.check_self_collision,
        robot.grab,
        robot.release,
        robot.is_grabbing,
        robot.distance_to,
        lambda name: env.picture(target=name),
        lambda name: env.raycast([0, 0, 5], [0, 0, -1], bodies=name),
    ):
        with pytest.raises(NotFoundError, match=r"no body 'cna', did you mean 'can'\?"):
            use("cna")
    with pytest.raises(NotFoundError, match="no link 'wirst'"):
        env.check_collision("heron7/wirst")
    tip = robot.links[-1].name
    with pytest.raises(NotFoundError, match=f"it is a link; write 'heron7/{tip}'"):
        env.check_collision(tip)
    with pytest.raises(ArgumentError, match="expected a body or link, or its name"):
        env.check_collision(3)
