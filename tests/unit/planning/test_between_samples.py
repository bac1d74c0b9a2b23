"""Collisions between the samples of a trajectory, with checkers of all kinds."""

import importlib.util

import numpy as np
import pytest
from planning_scenes import plane_of, wall

import pyrave
from pyrave import Affine
from pyrave.planning import verification, verify
from pyrave.planning.timing import between_samples

NEEDED = {"coal": "coal"}


class Boxes(pyrave.PairwiseChecker):
    """Compares bounding boxes, and knows no distances."""

    contract = 2

    def check_pair(self, first, second):
        one, other = first.aabb, second.aabb
        return bool((np.abs(one[0] - other[0]) <= one[1] + other[1]).all())


class Careless(Boxes):
    """Takes all options, and gives no distance all the same."""

    contract = 2
    asked = 0

    def pair_distance(self, first, second):
        return np.inf, np.zeros((2, 3))

    def check_pair(self, first, second):
        self.asked += 1
        return super().check_pair(first, second)


def use(env, name):
    library = NEEDED.get(name)
    if library and importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    if name in {"Boxes", "Careless"}:
        env.register("collisionchecker", name, globals()[name])
    env.collision_checker = name
    return env.collision_checker


def motion(robot, rows, seconds):
    spec = robot.active.configuration_specification("linear").add_delta_time_group()
    made = robot.env.create("trajectory", "")
    made.init(spec)
    times = [0.0, seconds]
    made.insert(0, np.column_stack((rows, times)))
    return made


@pytest.mark.parametrize(
    ("name", "radius", "speed", "gap"),
    [
        ("Native", 2e-4, 1.0, 2e-4),
        ("coal", 2e-4, 1.0, 2e-4),
        ("Boxes", 1e-3, 10.0, 1e-3),
        ("Careless", 1e-3, 10.0, 1e-3),
    ],
)
@pytest.mark.parametrize("there", [True, False])
def test_what_is_thin_is_met_between_samples(name, radius, speed, gap, there):
    """A small ball goes through a thin plate in less than a millisecond."""
    at = 0.6 * speed * 1e-3
    plate = wall("plate", (1e-4, 0.5, 0.2), (at, 0.0 if there else 0.6, 0.0))
    env, ball = plane_of(plate, radius=radius)
    ball.dof_velocity_limits = np.full(2, 100.0)
    ball.dof_acceleration_limits = np.full(2, 1e6)
    checker = use(env, name)
    seconds = 0.2 / speed
    trajectory = motion(ball, [(-0.1, 0.0), (0.1, 0.0)], seconds)
    times = np.arange(0.0, seconds + 1e-9, 1e-3)
    rows = trajectory.sample_points(times, ball.active.configuration_specification())
    assert not checker.check_configurations(ball, rows).any()
    before = ball.dof_values
    found = verification(ball, trajectory)
    if there:
        (one,) = found.violations
        assert not found
        assert one.kind == "collision"
        assert "plate" in one.what
        assert -0.1 + speed * one.time == pytest.approx(at, abs=2 * radius + 1.1e-3)
        assert found.gap == np.inf
    else:
        assert found
        assert found.violations == ()
        assert found.gap == gap
        assert f"points move by {1e3 * gap:g} mm" in str(found)
    assert (ball.dof_values == before).all()


def test_distances_spare_comparisons():
    env, ball = plane_of(wall("far", (0.1, 0.1, 0.1), (3.0, 0.0, 0.0)))
    asked = []

    class Asked(type(use(env, "coal"))):
        contract = 2

        def check_collision(self, *arguments, **keywords):
            asked.append(1)
            return super().check_collision(*arguments, **keywords)

    env.register("collisionchecker", "Asked", Asked)
    env.collision_checker = "Asked"
    trajectory = motion(ball, [(-0.9, 0.0), (0.9, 0.0)], 2.0)
    assert verification(ball, trajectory).gap == 2e-4
    assert 0 < len(asked) < 20


def test_a_checker_that_gives_no_distance_is_asked_about_all_samples():
    env, ball = plane_of(wall("far", (0.1, 0.1, 0.1), (3.0, 0.0, 0.0)))
    checker = use(env, "Careless")
    trajectory = motion(ball, [(-0.9, 0.0), (0.9, 0.0)], 2.0)
    assert verify(ball, trajectory) == ()
    assert checker.asked >= 2001


@pytest.mark.parametrize("name", ["Native", "coal"])
def test_bases_meet_what_is_thin(name):
    env = pyrave.Environment()
    env.create_body(pyrave.scene.body_from_boxes("post", [(0, 0, 0, 1e-4, 0.5, 0.5)]))
    robot = env.create_body(
        pyrave.scene.RobotDescription(
            "puck",
            links=(
                pyrave.scene.body_from_boxes("b", [(0, 0, 0, 2e-4, 0.1, 0.1)]).links[0],
            ),
        )
    )
    use(env, name)
    robot.set_active_dofs([], Affine.X | Affine.Y)
    robot.active.set_affine_limits(
        Affine.X | Affine.Y, lower=(-1, -1, 0), upper=(1, 1, 0), resolution=0.05
    )
    robot.transform = np.eye(4)
    spec = robot.active.configuration_specification("linear").add_delta_time_group()
    for y, kinds in ((0.0, ["collision"]), (0.9, [])):
        made = env.create("trajectory", "")
        made.init(spec)
        made.insert(0, [[-0.5004, y, 0.0], [0.4996, y, 1.0]])
        env.bodies["post"].transform = np.eye(4)
        robot.transform = [1, 0, 0, 0, -0.5, y, 0]
        found = verification(robot, made)
        assert [one.kind for one in found.violations] == kinds
    assert found.gap == between_samples.FINE


def test_plans_say_what_was_looked_at():
    for name, gap in (("Native", 2e-4), ("coal", 2e-4), ("Boxes", 1e-3)):
        env = pyrave.load("robots/planar3r.robot.xml")
        use(env, name)
        robot = env.robots[0]
        result = robot.plan(robot.dof_values + 0.1, timeout=20)
        assert result, result.cause
        assert result.statistics.gap == gap
        failed = robot.plan(robot.dof_limits[1] + 1.0)
        assert failed.statistics.gap == np.inf
