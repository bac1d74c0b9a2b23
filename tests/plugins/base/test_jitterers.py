"""Samplers near the present configuration of a robot, against brute force."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave import Affine, ArgumentError, Interval, SettingError
from pyrave.errors import CommandError, NotFoundError
from pyrave.scene import body_from_boxes
from pyrave.spatial import as_pose
from pyrave.testing import SpaceSamplerContract
from pyrave.testing.scene import KIT_SCENE
from pyrave_base.samplers.jitter_search import tool_steps

POST = """
  <kinbody name="post"><translation>0.066 0 0.8</translation>
    <body name="base"><geom type="box"><extents>0.05 0.05 0.05</extents></geom></body>
  </kinbody>
"""
"""Four millimetres deep in the hand of the kit's arm."""
WIDE = "result_on_robot=false max_jitter=0.1 link_distance=0.1 max_iterations=150"
IDS = ("ConfigurationJitterer", "WorkspaceConfigurationJitterer")


class _TouchingContract(SpaceSamplerContract):
    """The contract where the robot may not stay where it is, nothing left out."""

    scene = KIT_SCENE.replace("</environment>", f"{POST}</environment>")

    def not_applicable(self, reason):
        assert "fixed dimension" in reason, reason
        pytest.skip(reason)


class TestContractOfConfigurations(_TouchingContract):
    interface = f"ConfigurationJitterer kit_arm {WIDE}"


class TestContractOfWorkspace(_TouchingContract):
    interface = f"WorkspaceConfigurationJitterer kit_arm arm {WIDE}"


def place_post(robot, depth=0.01):
    """Put a box into the palm, that deep from the side."""
    palm = robot.links["palm"]
    centre, half = palm.aabb
    boxes = [(0, 0, 0, 0.02, 0.02, 0.02)]
    post = robot.env.create_body(body_from_boxes("post", boxes))
    pose = np.eye(4)
    pose[:3, 3] = centre + np.array((half[0] + 0.02 - depth, 0, 0))
    post.transform = pose
    return post


@pytest.fixture
def robot():
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots[0]
    arm = robot.active_manipulator
    arm.arm_dof_values = [0, 0.9, 0, 1.2, 0, 1.04, 0]
    robot.set_active_dofs(arm.arm_indices)
    return robot


def sampler_of(robot, interface=IDS[0], **settings):
    return robot.env.create(
        "spacesampler", f"{interface} {robot.name}", source="MT19937", **settings
    )


def is_free(robot, values):
    with robot.preserve_state():
        robot.active.values = values
        return not (robot.env.check_collision(robot) or robot.check_self_collision())


def corners(robot):
    """The corners of the boxes around links, in the world, one by one."""
    found = []
    for body in (robot, *robot.grabbed):
        for link in body.links:
            centre, half = link.local_aabb or (np.zeros(3), np.zeros(3))
            for x in (-1, 1):
                for y in (-1, 1):
                    for z in (-1, 1):
                        point = centre + half * [x, y, z]
                        found.append((link.transform @ [*point, 1])[:3])
    return np.array(found)


def ways(robot, values):
    """How far each corner goes."""
    before = corners(robot)
    with robot.preserve_state():
        robot.active.values = values
        return corners(robot) - before


# -- samples -------------------------------------------------------------------------


@pytest.mark.parametrize("interface", IDS)
def test_a_robot_that_is_free_stays(robot, interface):
    sampler = sampler_of(robot, interface)
    values = robot.active.values
    assert (sampler.sample_sequence(3) == values).all()
    assert (robot.active.values == values).all()
    assert sampler.failures == type(sampler.failures)()
    assert not sampler.cause


@pytest.mark.parametrize("interface", IDS)
def test_a_robot_that_touches_is_led_away(robot, interface):
    place_post(robot)
    values = robot.active.values
    assert not is_free(robot, values)
    sampler = sampler_of(robot, interface, max_jitter=0.05, link_distance=0.03)
    lower, upper = sampler.get_limits()
    for seed in range(6):
        robot.active.values = values
        sampler.set_seed(seed)
        (found,) = sampler.sample_sequence(1)
        assert (robot.active.values == found).all()
        robot.active.values = values
        for by in (-1e-5, 0, 1e-5):
            assert is_free(robot, found + by)
        assert ((found >= lower) & (found <= upper)).all()
        if interface == IDS[0]:
            assert np.abs(found - values).max() <= 0.05
            assert np.linalg.norm(ways(robot, found), axis=1).max() <= 0.03
        assert sampler.failures.environment
        assert not sampler.cause


def test_the_sample_is_the_first_that_brute_force_finds(robot):
    place_post(robot)
    values, lower, upper = robot.active.values, *robot.active.limits
    n, count, most, far = len(values), 200, 0.04, 0.025
    settings = {"max_iterations": count, "max_jitter": most, "link_distance": far}
    sampler = sampler_of(robot, result_on_robot=False, **settings)
    source, hit = robot.env.create("spacesampler", "MT19937", dof=2 * n + 4), 0
    for seed in range(4):
        sampler.set_seed(seed)
        source.set_seed(seed)
        expected, collided, gone_far = None, 1, 0
        for k, numbers in enumerate(source.sample_sequence(count)):
            row = values.copy()
            reach = most * min(1.0, 2.0 * (k + 1) / count)
            for j, number in enumerate(numbers[:n]):
                part = 2.0 * number - 1.0
                if abs(part) > 0.8:
                    part = np.sign(part)
                if abs(part) >= 0.2:
                    row[j] += reach * part
            row = np.minimum(np.maximum(row, lower), upper)
            if np.linalg.norm(ways(robot, row), axis=1).max() > far:
                gone_far += 1
            elif all(is_free(robot, row + by) for by in (1e-5, -1e-5, 0)):
                expected = row
                break
            else:
                collided += 1
        found = sampler.sample_sequence(1)
        assert len(found) == (expected is not None)
        if len(found):
            assert found[0] == pytest.approx(expected, abs=1e-15)
            hit += 1
        failures = sampler.failures
        assert failures.link_distance == gone_far
        assert failures.environment + failures.robot == collided
    assert hit


@pytest.mark.parametrize("interface", IDS)
def test_where_nothing_is_free_it_is_told(robot, interface):
    place_post(robot)
    values = robot.active.values
    sampler = sampler_of(robot, interface, max_jitter=1e-4, max_iterations=120)
    sampler.change_settings(null_probability=0.0)
    found = sampler.sample_sequence(2)
    assert found.shape == (0, 7)
    assert (robot.active.values == values).all()
    assert sampler.failures == type(sampler.failures)(environment=121)
    assert "nothing near 'heron7' at [" in sampler.cause
    assert "of 120 configurations and this one, 121 collide. A larger" in sampler.cause
    sampler.change_settings(max_jitter=0.0)
    assert not len(sampler.sample_sequence(1))
    assert sampler.failures.environment == 1
    robot.env.remove(robot.env.bodies["post"])
    assert len(sampler.sample_sequence(1))
    assert not sampler.cause


def test_collisions_of_the_robot_with_itself_are_told_apart(robot):
    arm = robot.active_manipulator
    lower, upper = robot.active.limits
    rng = np.random.default_rng(1)
    for values in rng.uniform(lower, upper, (500, 7)):
        arm.arm_dof_values = values
        if robot.check_self_collision():
            break
    assert robot.check_self_collision()
    sampler = sampler_of(robot, max_jitter=1e-6, max_iterations=10)
    assert not len(sampler.sample_sequence(1))
    assert sampler.failures == type(sampler.failures)(robot=11)
    assert "11 collide with the robot itself" in sampler.cause
    assert sampler.command("GetFailuresCount")["selfCollisionFailure"] == 11


def test_what_is_held_counts(robot):
    arm = robot.active_manipulator
    boxes = [(0, 0, 0, 0.01, 0.01, 0.15)]
    rod = robot.env.create_body(body_from_boxes("rod", boxes))
    pose = arm.transform
    pose[:3, 3] += 0.17 * pose[:3, 2]
    rod.transform = pose
    robot.grab(rod)
    tip = (rod.transform @ [0, 0, 0.15, 1])[:3]
    post = robot.env.create_body(body_from_boxes("post", [(0, 0, 0, 0.03, 0.03, 0.03)]))
    place = np.eye(4)
    place[:3, 3] = tip + np.array((0.034, 0, 0))
    post.transform = place
    values = robot.active.values
    assert not is_free(robot, values)
    # six millimetres deep: the rod has hardly room
    settings = {"max_jitter": 0.1, "link_distance": 0.008}
    sampler = sampler_of(robot, result_on_robot=False, **settings)
    rows, most = sampler.sample_sequence(8), 0.0
    assert len(rows) == 8
    for row in rows:
        assert is_free(robot, row)
        gone = np.linalg.norm(ways(robot, row), axis=1)
        assert gone.max() <= 0.008
        # the rod's corners are last, and go furthest
        most = max(most, gone[-8:].max() - gone[:-8].max())
    assert most > 0.0


def test_samples_are_within_limits_and_open_intervals(robot):
    place_post(robot)
    values = robot.active.values
    lower, upper = robot.dof_limits
    lower[robot.active_dof_indices] = values
    robot.dof_limits = lower, upper
    sampler = sampler_of(robot, result_on_robot=False)
    least, most = sampler.get_limits()
    assert (least == values).all()
    for interval in Interval:
        rows = sampler.sample_sequence(6, interval)
        assert len(rows) == 6
        assert (rows >= least).all()
        assert (rows <= most).all()
        ends = interval in {Interval.CLOSED, Interval.OPEN_END}
        assert (rows == least).any() == ends


def test_a_base_is_moved(robot):
    x, y = robot.transform[:2, 3]
    robot.set_active_dofs([], affine=Affine.X | Affine.Y | Affine.ROTATION_AXIS)
    centre, half = robot.links[0].aabb
    front = centre[0] + half[0] - 0.01
    wall = [(front + 0.2, y, 0.0, 0.2, 0.5, 0.01)]
    robot.env.create_body(body_from_boxes("wall", wall))
    assert robot.env.check_collision(robot)
    sampler = sampler_of(robot, max_jitter=0.2, link_distance=0.0)
    assert sampler.get_dof() == sampler.get_number_of_values() == 3
    assert np.isinf(sampler.get_limits()[1][2])
    (found,) = sampler.sample_sequence(1)
    assert robot.active.values == pytest.approx(found)
    assert not robot.env.check_collision(robot)
    assert sampler.failures.environment > 1
    assert sampler.sample_sequence(1) == pytest.approx(found[None])
    robot.active.values = [x, y, 0.0]
    # so far no corner gets
    sampler.change_settings(link_distance=0.005, max_iterations=100)
    assert not len(sampler.sample_sequence(1))
    assert sampler.failures.link_distance


def test_what_is_active_at_creation_is_sampled(robot):
    place_post(robot)
    sampler = sampler_of(robot, max_jitter=0.1, link_distance=0.1)
    robot.set_active_dofs([1])
    assert sampler.get_dof() == 7
    assert sampler.sample_sequence(1).shape == (1, 7)
    assert robot.active_dof_indices.tolist() == [1]
    everything = pyrave.load("robots/heron7.robot.xml").robots[0]
    assert sampler_of(everything).get_dof() == everything.dof


@pytest.mark.parametrize("interface", IDS)
def test_the_sequence_goes_on_without_asking_again(robot, interface):
    values = robot.active.values
    sampler = sampler_of(
        robot, interface, reset_iterations=False, result_on_robot=False
    )
    rows = sampler.sample_sequence(4)
    assert (rows[0] == values).all()
    assert len({tuple(row) for row in rows}) == 4
    assert (sampler.sample_complete(4) == rows).all()
    assert (sampler.sample_sequence(1) != values).any()
    sampler.set_seed(3)
    assert (sampler.sample_sequence(1) == values).all()


def test_the_robot_stays_if_it_is_told_to(robot):
    place_post(robot)
    values = robot.active.values
    sampler = sampler_of(robot, max_jitter=0.05)
    assert sampler.send_command("SetResultOnRobot 0") == ""
    (found,) = sampler.sample_sequence(1)
    assert (robot.active.values == values).all()
    sampler.send_command("SetResultOnRobot 1")
    (found,) = sampler.sample_sequence(1)
    assert (robot.active.values == found).all()


def test_configurations_near_others_are_left_out(robot):
    place_post(robot)
    settings = {"max_iterations": 60, "max_jitter": 1e-3, "cache": True}
    sampler = sampler_of(robot, **settings)
    sampler.send_command("SetNeighDistThresh 1000")
    assert not len(sampler.sample_sequence(1))
    assert sampler.failures == type(sampler.failures)(cached=60, environment=1)
    assert sampler.command("GetFailuresCount")["cacheHitSamples"] == 60
    assert "60 are near others, 1 collide" in sampler.cause
    # how many are left by brute force
    distance = 0.05
    sampler.change_settings(neighbour_distance=distance)
    sampler.set_seed(5)
    sampler.sample_sequence(1)
    cached = sampler.failures.cached
    plain = sampler_of(robot, **(settings | {"cache": False}))
    looked_at = []
    plain.set_neighbour_state_function(lambda q, d: looked_at.append(q + d) or q + d)
    plain.set_seed(5)
    plain.sample_sequence(1)
    kept = [robot.active.values]
    for row in looked_at:
        away = [np.linalg.norm((row - one) / robot.active.resolutions) for one in kept]
        if min(away) >= distance:
            kept.append(row)
    assert 0 < cached == len(looked_at) - (len(kept) - 1)


def test_neighbours_are_those_of_a_function(robot):
    place_post(robot)
    values = robot.active.values
    sampler = sampler_of(robot, max_jitter=0.1, link_distance=0, max_iterations=300)

    def keep_the_first(configuration, delta):
        assert (configuration == values).all()
        assert (robot.active.values == values).all()
        delta[0] = 0.0
        return configuration + delta

    sampler.set_neighbour_state_function(keep_the_first)
    (found,) = sampler.sample_sequence(1)
    assert found[0] == values[0]
    assert is_free(robot, found)
    robot.active.values = values
    sampler.set_neighbour_state_function(lambda q, d: None)
    assert not len(sampler.sample_sequence(1))
    assert sampler.failures.neighbour_state == 300
    assert sampler.command("GetFailuresCount")["neighStateFailure"] == 300
    sampler.set_neighbour_state_function(lambda q, d: q + 100.0)
    assert not len(sampler.sample_sequence(1))
    assert sampler.failures.neighbour_state == 300
    sampler.set_neighbour_state_function(lambda q, d: q)
    assert not len(sampler.sample_sequence(1))
    assert sampler.failures.same == 300
    assert sampler.command("GetFailuresCount")["sameSamples"] == 300
    sampler.set_neighbour_state_function(lambda q, d: [1.0])
    with pytest.raises(ArgumentError, match="result of the neighbour state function"):
        sampler.sample_sequence(1)
    with pytest.raises(ArgumentError, match="expected a function"):
        sampler.set_neighbour_state_function(3)
    sampler.set_neighbour_state_function(None)
    assert len(sampler.sample_sequence(1))


# -- constraints of the tool -----------------------------------------------------------


@pytest.mark.parametrize("interface", IDS)
def test_the_tool_stays_in_a_cone(robot, interface):
    place_post(robot)
    arm = robot.active_manipulator
    up = arm.transform[:3, :3].T @ [0, 0, 1]
    cosine = np.cos(0.01)
    settings = {"max_jitter": 0.08, "link_distance": 0.04, "result_on_robot": False}
    sampler = sampler_of(robot, interface, **settings)

    def leaning(rows):
        found = []
        for row in rows:
            with robot.preserve_state():
                robot.active.values = row
                found.append(arm.transform[:3, :3] @ up @ [0, 0, 1])
        return np.array(found)

    assert leaning(sampler.sample_sequence(20)).min() < cosine
    numbers = [*(2 * up), 0, 0, 5, cosine]
    words = " ".join(map(repr, map(float, numbers)))
    assert sampler.send_command(f"SetConstraintToolDirection {arm.name} {words}") == ""
    rows = sampler.sample_sequence(20)
    assert len(rows) == 20
    assert leaning(rows).min() >= cosine
    counts = sampler.command("GetFailuresCount")
    assert counts["constraintToolDirFailure"] == sampler.failures.tool_direction > 0
    # where it stands the tool leans too far
    robot.env.remove(robot.env.bodies["post"])
    other = robot.active.values
    other[5] += 0.02
    robot.active.values = other
    (found,) = sampler.sample_sequence(1)
    assert leaning([other])[0] < cosine <= leaning([found])[0]
    assert sampler.send_command("SetConstraintToolDirection") == ""
    assert (sampler.sample_sequence(1) == other).all()


@pytest.mark.parametrize("interface", IDS)
def test_the_tool_stays_in_a_box(robot, interface):
    place_post(robot)
    arm = robot.active_manipulator
    sampler = sampler_of(
        robot, interface, max_jitter=0.08, link_distance=0.04, result_on_robot=False
    )
    c, s = np.cos(0.3), np.sin(0.3)
    axes = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    place, half = arm.transform[:3, 3], np.array([0.03, 0.008, 0.008])
    numbers = [*axes.ravel(), *place, *half]
    sampler.command("SetConstraintToolPosition", arm.name, numbers)
    rows = sampler.sample_sequence(10)
    assert len(rows) == 10
    for row in rows:
        with robot.preserve_state():
            robot.active.values = row
            away = axes @ (arm.transform[:3, 3] - place)
        assert (np.abs(away) <= half + 1e-9).all()
    counts = sampler.command("GetFailuresCount")
    assert counts["constraintToolPositionFailure"] == sampler.failures.tool_position > 0
    sampler.change_settings(tool_position=(*axes.ravel(), *(place + 1), *half))
    assert not len(sampler.sample_sequence(1))
    assert "have the tool outside of its box" in sampler.cause
    assert sampler.send_command("SetConstraintToolPosition") == ""
    assert len(sampler.sample_sequence(1))


# -- steps of the tool -----------------------------------------------------------------


def test_steps_move_the_tool_and_others_do_not():
    rng = np.random.default_rng(2)
    for n in (1, 2, 3, 5, 7):
        jacobian = rng.normal(size=(3, n))
        ways = rng.normal(size=(4, 3))
        steps, still = tool_steps(jacobian, ways)
        for way, step in zip(ways, steps, strict=True):
            least = np.linalg.lstsq(jacobian, way, rcond=None)[0]
            assert step == pytest.approx(least)
        assert still.shape == (max(0, n - 3), n)
        assert jacobian @ still.T == pytest.approx(0)
        assert still @ still.T == pytest.approx(np.eye(len(still)))
    # two columns that are one: the rank counts
    steps, still = tool_steps(np.array([[1.0, 1.0], [0, 0], [0, 0]]), np.eye(3))
    assert steps == pytest.approx(np.array([[0.5, 0.5], [0, 0], [0, 0]]))
    assert np.abs(still) == pytest.approx(np.full((1, 2), np.sqrt(0.5)))


def test_a_bias_is_tried_first(robot):
    place_post(robot, depth=0.006)
    arm, values = robot.active_manipulator, robot.active.values
    place = arm.transform[:3, 3]
    sampler = sampler_of(robot)
    bias = np.array([-0.02, 0.0, 0.0])
    assert sampler.send_command(f"SetManipulatorBias {arm.name} -0.02 0 0") == ""
    for seed in range(3):
        robot.active.values = values
        sampler.set_seed(seed)
        (found,) = sampler.sample_sequence(1)
        # 0.2 of the way is 4 mm, 0.5 is a centimetre
        assert arm.transform[:3, 3] - place == pytest.approx(0.5 * bias, abs=5e-4)
    assert sampler.failures.environment == 2
    # away from where it is free, by chance alone
    robot.active.values = values
    sampler.command("SetManipulatorBias", arm.name, 0.02, 0.0, 0.0, 0.5, 0.1, 0.9)
    sampler.change_settings(max_jitter=0.05)
    (found,) = sampler.sample_sequence(1)
    robot.active.values = values
    assert is_free(robot, found)


def test_links_stay_in_ellipsoids_along_a_bias(robot):
    place_post(robot)
    bias, across = np.array([-0.05, 0.02, 0.01]), 0.01
    settings = {"max_jitter": 0.05, "reset_iterations": False}
    sampler = sampler_of(
        robot, link_distance=across, bias=bias, result_on_robot=False, **settings
    )
    unit = bias / np.linalg.norm(bias)
    furthest = 0.0
    rng, rejected = np.random.default_rng(3), 0
    for _ in range(30):
        (row,) = sampler.sample_sequence(1)
        rejected += sampler.failures.link_distance
        gone = ways(robot, row)
        along = gone @ unit
        beside = np.linalg.norm(gone - np.outer(along, unit), axis=1)
        reach = (along / np.linalg.norm(bias)) ** 2 + (beside / across) ** 2
        assert reach.max() <= 1.0 + 1e-9
        furthest = max(furthest, np.linalg.norm(gone, axis=1).max())
        # no point within the box of a link goes further than its corners
        link = robot.links["palm"]
        centre, half = link.local_aabb
        points = centre + half * rng.uniform(-1, 1, (50, 3))
        before = points @ link.transform[:3, :3].T + link.transform[:3, 3]
        with robot.preserve_state():
            robot.active.values = row
            after = points @ link.transform[:3, :3].T + link.transform[:3, 3]
        assert np.linalg.norm(after - before, axis=1).max() <= furthest + 1e-12
    assert furthest > across
    assert rejected


def test_the_tool_goes_along_its_axes(robot):
    arm, values = robot.active_manipulator, robot.active.values
    pose = arm.transform
    settings = {"max_iterations": 2, "result_on_robot": False}
    sampler = sampler_of(
        robot, IDS[1], max_jitter=0.01, reset_iterations=False, **settings
    )
    assert sampler.send_command("SetNullSpaceSamplingProb 0") == ""
    sampler.sample_sequence(1)
    seen = set()
    for row in sampler.sample_sequence(400):
        with robot.preserve_state():
            robot.active.values = row
            way = pose[:3, :3].T @ (arm.transform[:3, 3] - pose[:3, 3])
        length = np.linalg.norm(way)
        assert length <= 0.0101
        parts = way / np.abs(way).max()
        if length > 1e-4:
            assert np.abs(parts - np.round(parts)).max() < 0.1
            seen.add(tuple(np.round(parts).astype(int)))
    assert len(seen) == 26
    assert (0, 0, 0) not in seen
    # with the null space the tool stays nearly, and the joints do not
    sampler.command("SetNullSpaceSamplingProb", 1.0)
    sampler.change_settings(max_jitter=1e-6, link_distance=0.05)
    for row in sampler.sample_sequence(10):
        assert np.abs(row - values).max() > 1e-3
        with robot.preserve_state():
            robot.active.values = row
            assert arm.transform[:3, 3] == pytest.approx(pose[:3, 3], abs=0.01)


def test_a_tool_that_nothing_moves_is_refused(robot):
    robot.set_active_dofs([7])
    sampler = sampler_of(robot, IDS[1], reset_iterations=False)
    sampler.sample_sequence(1)
    with pytest.raises(ArgumentError, match="no active degree of freedom"):
        sampler.sample_sequence(1)


# -- commands, settings and states -----------------------------------------------------


def test_commands_set_settings(robot):
    sampler = sampler_of(robot)
    for text, name, value in (
        ("SetMaxJitter 0.1", "max_jitter", 0.1),
        ("SetMaxIterations 7", "max_iterations", 7),
        ("SetMaxLinkDistThresh 0", "link_distance", 0.0),
        ("SetPerturbation 0", "perturbation", 0.0),
        ("SetResultOnRobot 0", "result_on_robot", False),
        ("SetNeighDistThresh 2.5", "neighbour_distance", 2.5),
        ("SetResetIterationsOnSample 0", "reset_iterations", False),
    ):
        assert sampler.send_command(text) == ""
        assert getattr(sampler.settings, name) == value
    for text in ("SetMaxJitter -1", "SetNeighDistThresh 0", "SetMaxIterations -1"):
        with pytest.raises(SettingError, match="expected a"):
            sampler.send_command(text)
    with pytest.raises(CommandError, match="SetMaxJitter"):
        sampler.send_command("SetMaxJitter wide")


def test_samples_are_free_a_little_around(robot):
    place_post(robot)
    by = 0.004
    settings = {"max_jitter": 0.1, "link_distance": 0.0, "result_on_robot": False}
    around, alone = (
        sampler_of(robot, perturbation=one, **settings).sample_sequence(10)
        for one in (by, 0.0)
    )
    assert all(is_free(robot, row) for row in alone)
    assert all(is_free(robot, row + way) for row in around for way in (by, -by))
    assert not all(is_free(robot, row + way) for row in alone for way in (by, -by))


def test_what_is_no_constraint_is_refused(robot):
    sampler = sampler_of(robot)
    name = robot.active_manipulator.name
    box = "1 0 0 0 1 0 0 0 1 0 0 0"
    for text, message in (
        (f"SetConstraintToolDirection {name} 1 0", "tool_direction has shape"),
        (f"SetConstraintToolDirection {name} 0 0 0 0 0 1 1", "must not be zero"),
        (f"SetConstraintToolDirection {name} 0 0 1 0 0 1 2", "cosine .* is 2"),
        (f"SetConstraintToolPosition {name} {box} 1 1 -1", "none below 0"),
        (f"SetConstraintToolPosition {name} 2{box[1:]} 1 1 1", "unit vectors"),
        (f"SetConstraintToolPosition {name}", "has no numbers"),
        (f"SetManipulatorBias {name} 0 0 0", "bias must not be zero"),
        (f"SetManipulatorBias {name} 0 0 1 2", "null_probability"),
    ):
        with pytest.raises((SettingError, ArgumentError), match=message):
            sampler.send_command(text)
    before = sampler.settings
    with pytest.raises(NotFoundError, match="arm"):
        sampler.send_command("SetConstraintToolDirection amr 0 0 1 0 0 1 0.9")
    assert sampler.settings == before
    with pytest.raises(pyrave.Error, match="no manipulator 'nobody'; known: arm"):
        robot.env.create("spacesampler", f"{IDS[1]} {robot.name} nobody")
    with pytest.raises(pyrave.Error, match="has no body"):
        robot.env.create("spacesampler", IDS[0])


def test_words_are_those_of_openrave(robot):
    name = robot.active_manipulator.name
    made = robot.env.create("spacesampler", f"{IDS[0]} {robot.name} Halton 1")
    assert (made.settings.source, made.settings.cache) == ("Halton", True)
    place_post(robot)
    assert len(made.sample_sequence(1))
    made = robot.env.create("spacesampler", f"{IDS[1]} {robot.name} {name} MT19937 0")
    assert made.settings.manipulator == name
    assert not made.settings.cache


@pytest.mark.parametrize("interface", IDS)
def test_json_has_the_names_of_openrave(robot, interface):
    place_post(robot)
    arm = robot.active_manipulator
    sampler = sampler_of(robot, interface, max_jitter=1e-5, max_iterations=5)
    sampler.send_json_command("SetConstraintToolDirection", {"manipulator": arm.name,
        "cone": [0, 0, 1, 0, 0, 1, -1]})  # fmt: skip
    box = [*np.eye(3).ravel().tolist(), 0, 0, 0, 9, 9, 9]
    sampler.command("SetConstraintToolPosition", arm.name, box)
    assert not len(sampler.sample_sequence(1))
    counts = sampler.send_json_command("GetFailuresCount", {})
    assert sum(counts.values()) == 6
    assert set(counts) == {
        "neighStateFailure", "constraintToolDirFailure", "envCollisionFailure",
        "constraintToolPositionFailure", "selfCollisionFailure", "sameSamples",
        "cacheHitSamples", "linkDistThreshRejections",
    }  # fmt: skip
    assert counts["envCollisionFailure"] + counts["linkDistThreshRejections"] == 6
    found = sampler.send_json_command("GetCurrentParameters", {})
    assert found["currentJointValues"] == robot.dof_values.tolist()
    assert (found["maxJitter"], found["maxJitterIterations"]) == (1e-5, 5)
    assert found["maxJitterLinkDist"] == 0.02
    assert found["jitterPerturbation"] == 1e-5
    assert found["jitterNeighDistThresh"] == 1.0
    assert found["resetIterationsOnSample"] is True
    assert found["manipName"] == arm.name
    tool = as_pose(found["localToolPose"])
    assert tool == pytest.approx(arm.local_tool_transform)
    assert found["constraintToolDirection"] == {
        "manipDir": [0, 0, 1], "globalDir": [0, 0, 1], "cosAngleThresh": -1,
    }  # fmt: skip
    assert found["constraintToolPosition"]["dir"] == [0, 0, 1]
    assert found["constraintToolPosition"]["extents"] == [9, 9, 9]
    if interface == IDS[1]:
        assert found["nullSampleProb"] == 0.6
        return
    assert "jitterBiasDirection" not in found
    sampler.send_command(f"SetManipulatorBias {arm.name} 0 0 0.2 0.1 0.3 0.4")
    found = sampler.send_json_command("GetCurrentParameters", {})
    assert found["jitterBiasDirection"] == [0, 0, 0.2]
    assert found["nullSampleProb"] == 0.1
    assert found["nullBiasSampleProb"] == 0.3
    assert found["deltaSampleProb"] == 0.4


@pytest.mark.parametrize("interface", IDS)
def test_a_twin_goes_on(robot, interface):
    place_post(robot)
    settings = {"max_jitter": 0.05, "link_distance": 0.05, "result_on_robot": False}
    sampler = sampler_of(robot, interface, reset_iterations=False, **settings)
    sampler.sample_sequence(2)
    clone = sampler.copy_to(robot.env.clone())
    assert clone.settings == sampler.settings
    clone.set_state(sampler.get_state())
    assert (clone.sample_sequence(3) == sampler.sample_sequence(3)).all()
    assert (clone.sample_complete(2) == sampler.sample_complete(2)).all()
