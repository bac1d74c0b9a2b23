"""Where bases stand for poses of a tool: closed forms, and inverse kinematics."""

import numpy as np
import pytest

import pyrave
from pyrave import IkFilterOptions
from pyrave.databases import InverseReachability
from pyrave.errors import ArgumentError, SettingError, StateError
from pyrave.spatial import pose_from_rpy


@pytest.fixture(scope="module")
def heron():
    env = pyrave.load("robots/heron7.robot.xml")
    return env.robots["heron7"].manipulators["arm"]


@pytest.fixture(scope="module")
def places(heron, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYRAVE_DATABASE", str(tmp_path_factory.mktemp("bases")))
        yield InverseReachability(heron, samples=100_000).build()


def test_a_planar_arm_stands_on_a_ring(tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path))
    env = pyrave.load("scenes/minimal.env.xml")
    robot = env.robots["planar3r"]
    arm = robot.manipulators[0]
    found = InverseReachability(arm, samples=20_000).build()
    # the tool in the plane of the arm: all configurations count
    target = arm.transform
    target[:2, 3] = 3.0, -2.0
    assert len(found.equivalence_class(target)) == 20_000
    where = found.base_distribution(target)
    bases = where.transforms(where.placements)
    # each place is exact: the base that made the sample has the tool at the target
    tools = found.arrays["tools"].astype(float)
    kept = np.tile(np.eye(4), (len(tools), 1, 1))
    kept[:, :3, :3], kept[:, :3, 3] = tools[:, :9].reshape(-1, 3, 3), tools[:, 9:]
    mount = np.linalg.inv(robot.transform) @ arm.base.transform
    weights = found.arrays["weights"].astype(float)
    kept = kept[weights > 1e-12 * weights.max()]
    assert np.allclose(bases @ mount @ kept, target, atol=1e-5)
    gaps = np.linalg.norm(bases[:, :2, 3] - target[:2, 3], axis=1)
    reach = np.linalg.norm(tools[:, 9:11], axis=1)
    assert gaps.max() <= reach.max() + 1e-5
    assert where.weights.sum() == pytest.approx(1.0)
    # above the plane there is nothing
    target[2, 3] += 0.2
    assert not found.base_distribution(target)
    with pytest.raises(StateError, match="no placement of the base"):
        found.base_distribution(target).best()


def test_classes_are_of_equal_height_and_tilt(heron, places):
    pose = pose_from_rpy((np.pi, 0.0, 0.7), (0.5, 0.2, 0.3))
    numbers = places.equivalence_class(pose)
    assert len(numbers) > 20
    tools = places.arrays["tools"].astype(float)
    base = heron.base.transform
    heights = tools[:, 9:] @ base[2, :3] + base[2, 3]
    up = np.einsum("nij,i->nj", tools[:, :9].reshape(-1, 3, 3), base[2, :3])
    expected = (np.abs(heights - 0.3) <= 0.05) & (up @ pose[2, :3] >= np.cos(0.3))
    assert np.array_equal(numbers, np.flatnonzero(expected))
    # motions of the base in its plane change nothing
    turned = pose_from_rpy((np.pi, 0.0, -2.0), (-7.0, 3.0, 0.3))
    assert np.array_equal(places.equivalence_class(turned), numbers)


def test_most_places_have_solutions(heron, places):
    pose = pose_from_rpy((np.pi, 0.0, 0.4), (2.0, 1.0, 0.35))
    where = places.base_distribution(pose)
    drawn = where.transforms(where.sample(200, seed=3))
    base = heron.robot.transform
    # instead of the robot the pose goes the other way
    asked = base @ np.linalg.inv(drawn) @ pose
    share = (heron.solve_ik_batch(asked).found > 0).mean()
    random = where.placements.mean(axis=0) + np.random.default_rng(0).uniform(
        (-0.9, -0.9, -np.pi), (0.9, 0.9, np.pi), (200, 3)
    )
    asked = base @ np.linalg.inv(where.transforms(random)) @ pose
    by_chance = (heron.solve_ik_batch(asked).found > 0).mean()
    assert share > 0.8
    assert share > by_chance + 0.2
    best = where.best()
    assert heron.solve_ik(base @ np.linalg.inv(best) @ pose) is not None
    assert np.allclose(best[2], base[2])


def test_densities_integrate_to_one(places):
    pose = pose_from_rpy((np.pi, 0.0, 0.4), (0.0, 0.0, 0.35))
    where = places.base_distribution(pose)
    axis = np.arange(-1.6, 1.6, 0.05)
    turns = np.arange(-np.pi, np.pi, 0.1)
    mesh = np.stack(np.meshgrid(axis, axis, turns, indexing="ij"), axis=-1)
    total = where.density(mesh.reshape(-1, 3)).sum() * 0.05**2 * 0.1
    assert total == pytest.approx(1.0, abs=0.02)


def test_several_poses_from_one_place(heron, places):
    poses = np.array(
        [pose_from_rpy((np.pi, 0.0, 0.0), (1.0, y, 0.3)) for y in (-0.25, 0.25)]
    )
    any_ = places.base_distribution(poses)
    both = places.base_distribution(poses, every=True)
    assert set(any_.targets.tolist()) == {0, 1}
    base, shares = heron.robot.transform, []
    for where in (any_, both):
        drawn = where.transforms(where.sample(150, seed=1))
        asked = base @ np.linalg.inv(drawn) @ poses[:, None]
        solved = heron.solve_ik_batch(asked.reshape(-1, 4, 4)).found > 0
        shares.append(solved.reshape(2, -1).all(axis=0).mean())
    assert shares[1] > shares[0]
    assert shares[1] > 0.6


def test_placements_are_solved_and_the_robot_stays(heron, places):
    pose = pose_from_rpy((np.pi, 0.0, 0.4), (1.4, 1.0, 0.35))
    robot = heron.robot
    before, values = robot.transform, robot.dof_values
    found = []
    for one in places.placements(pose, tries=50, seed=2):
        assert np.array_equal(robot.transform, before)
        found.append(one)
        if len(found) == 3:
            break
    assert len(found) == 3
    assert np.array_equal(robot.dof_values, values)
    for one in found:
        assert one.target == 0
        with robot.preserve_state():
            robot.transform, heron.arm_dof_values = one.transform, one.values
            assert np.allclose(heron.transform, pose, atol=1e-5)
            assert not robot.check_self_collision()
    several = [pose_from_rpy((np.pi, 0.0, 0.0), (1.0, y, 0.3)) for y in (-0.2, 0.2)]
    options = IkFilterOptions.NONE
    one = next(places.placements(several, every=True, seed=1, options=options))
    assert one.target == -1
    assert one.values.shape == (2, 7)
    with robot.preserve_state():
        robot.transform = one.transform
        reached = heron.compute_transforms(one.values)
    assert np.allclose(reached, several, atol=1e-5)


def test_shows_places(places):
    drawn = places.show(pose_from_rpy((np.pi, 0.0, 0.4), (1.4, 1.0, 0.35)))
    assert len(drawn) == 1
    assert places.show(pose_from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, 9.0))) == []
    assert places.summary()["configurations"] == 100_000


def test_refuses_wrong_input(heron, places):
    for bad in ({"samples": 0}, {"height_threshold": 0.0}, {"tilt_threshold": np.nan}):
        with pytest.raises(SettingError):
            InverseReachability(heron, **bad)
    with pytest.raises(ArgumentError, match="poses has none"):
        places.base_distribution(np.empty((0, 4, 4)))
    for bad in ("a", [[1], [1, 2]]):
        with pytest.raises(ArgumentError, match="poses are not poses"):
            places.base_distribution(bad)
        with pytest.raises(ArgumentError, match="pose is not a pose"):
            places.equivalence_class(bad)
    with pytest.raises(ArgumentError, match="tries is 0"):
        places.placements(np.eye(4), tries=0)
    with pytest.raises(ArgumentError, match="placements"):
        places.base_distribution(heron.transform).density([1.0, 2.0])
    with pytest.raises(StateError, match=r"call build\(\) or load\(\)"):
        InverseReachability(heron, samples=7).base_distribution(heron.transform)


def test_configurations_that_touch_the_robot_may_be_left_out(
    heron, tmp_path, monkeypatch
):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path))
    every = InverseReachability(heron, samples=2000).build().arrays["tools"]
    free = InverseReachability(heron, samples=2000, free_space=True)
    kept = free.build().arrays["tools"]
    assert 0 < len(kept) < len(every)
    # another key is another seed: the parts are near, not equal
    rows = heron.sample_configurations(2000, seed=1)
    whole = heron.compute_configurations(rows)
    checker = heron.robot.env.collision_checker
    hits = checker.check_configurations(heron.robot, whole, environment=False)
    assert len(kept) / 2000 == pytest.approx(1.0 - hits.mean(), abs=0.05)
