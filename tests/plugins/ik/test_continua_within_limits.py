"""Singular poses as called: limits hold, and the nearest solution is wanted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import pyrave
from pyrave.bodies import Manipulator
from pyrave.kinematics import angle_difference
from pyrave_environments.arms import arm as arm_named
from pyrave_environments.arms import arm_description

RIGHT = np.pi / 2
WRISTS = (
    "puma560",
    "irb120",
    "stanford",
    "kr6",
    "irb2400",
    "irb6640",
    "kr5",
    "kr30",
    "vs060",
    "jaco2_6s",
)


@dataclass
class Made:
    env: pyrave.Environment
    arm: Manipulator

    def pose(self, q: np.ndarray) -> np.ndarray:
        before = self.arm.arm_dof_values
        self.arm.robot.dof_values = q
        pose = self.arm.transform
        self.arm.robot.dof_values = before
        return pose

    def stand(self, q: np.ndarray) -> None:
        self.arm.robot.dof_values = q

    @property
    def limits(self) -> tuple[np.ndarray, np.ndarray]:
        return self.arm.robot.dof_limits

    def limit(self, lower, upper) -> None:
        self.arm.robot.dof_limits = np.array(lower), np.array(upper)

    def good(self, rows: np.ndarray, pose: np.ndarray) -> bool:
        """Return whether all rows are within limits and reach the pose."""
        lower, upper = self.limits
        rows = np.atleast_2d(rows)
        within = (rows >= lower - 1e-9) & (rows <= upper + 1e-9)
        reached = [np.abs(self.pose(row) - pose).max() < 1e-9 for row in rows]
        return bool(within.all()) and all(reached)


def made(name: str) -> Made:
    env = pyrave.Environment()
    robot = env.create("robot", "")
    robot.init(arm_description(arm_named(name)))
    env.add(robot)
    hand = robot.manipulators["arm"]
    hand.ik_solver = "Analytic"
    return Made(env, hand)


def within(one: Made, rng: np.random.Generator) -> np.ndarray:
    lower, upper = (np.clip(limit, -np.pi, np.pi) for limit in one.limits)
    return rng.uniform(lower, upper)


def along_wrist(one: Made, q: np.ndarray, count: int = 2001) -> np.ndarray:
    """Return configurations within limits in which joints 4 and 6 make up for each
    other, found by trying: ways down from `q`, and the turns of both."""
    lower, upper = one.limits
    pose = one.pose(q)
    rows = []
    for sign in (1.0, -1.0):
        tried = q + 0.1 * np.array([0.0, 0.0, 0.0, 1.0, 0.0, sign])
        if np.abs(one.pose(tried) - pose).max() > 1e-9:
            continue
        for turn in (-2.0, -1.0, 0.0, 1.0, 2.0):
            for way in np.linspace(-4.0 * np.pi, 4.0 * np.pi, count):
                row = q.copy()
                row[3] += way
                row[5] += sign * way + 2.0 * np.pi * turn
                rows.append(row)
    every = np.array(rows)
    return every[((every >= lower) & (every <= upper)).all(axis=1)]


@pytest.mark.parametrize("name", WRISTS)
def test_straight_wrists_are_found_from_anywhere(name):
    """Some were lost: a configuration stood for all before limits were looked at."""
    one = made(name)
    rng = np.random.default_rng([4, *name.encode()])
    for _ in range(6):
        q, away = within(one, rng), within(one, rng)
        q[4] = 0.0 if one.limits[0][4] < 0.0 else np.pi
        pose = one.pose(q)
        one.stand(q)
        assert one.arm.solve_ik(pose) == pytest.approx(q, abs=1e-6)
        one.stand(away)
        nearest = one.arm.solve_ik(pose)
        assert nearest is not None
        assert one.good(nearest, pose)
        # no farther than the nearest of those that trying finds
        best = np.linalg.norm(along_wrist(one, q) - away, axis=1).min()
        assert np.linalg.norm(nearest - away) < best + 1e-9
        every = one.arm.solve_ik(pose, all=True)
        assert one.good(every, pose)
        circular = one.arm.robot.model.circular[one.arm.arm_indices]
        turns = np.where(circular, 2.0 * np.pi, np.inf)
        off = every - away
        ways = np.linalg.norm(angle_difference(off, turns), axis=1)
        assert ways.min() == pytest.approx(np.linalg.norm(nearest - away), abs=1e-6)
        # so is the row of the continuum among all, and it is on it
        result = one.arm.find_ik(pose)
        arm = np.abs(np.exp(1j * result.solutions) - np.exp(1j * q))[:, [0, 1, 2, 4]]
        rows = result.solutions[arm.max(axis=1) < 1e-6]
        ways = np.linalg.norm(angle_difference(rows - away, turns), axis=1)
        assert ways.min() < best + 1e-6


def test_a_continuum_that_limits_cut_into_parts_has_one_solution():
    one = made("puma560")
    one.limit([-3.0] * 3 + [-1.0, -2.0, -6.5], [3.0] * 3 + [1.0, 2.0, 6.5])
    q = np.array([0.3, 0.5, -0.8, 0.4, 0.0, 0.3])
    pose = one.pose(q)
    # the last joint is where it was, a turn more, or a turn less
    for turn in (-1.0, 0.0, 1.0):
        near = q + turn * np.array([0.0, 0.0, 0.0, 0.2, 0.0, 2.0 * np.pi - 0.2])
        near[5] = min(max(near[5], -6.5), 6.5)
        near[3] = q[3] + q[5] + 2.0 * np.pi * turn - near[5]
        assert one.good(near, pose)
        one.stand(near)
        result = one.arm.find_ik(pose)
        assert one.good(result.solutions, pose)
        assert result.solutions[0] == pytest.approx(near, abs=1e-6)
        elbow = np.abs(result.solutions[:, :3] - q[:3]).max(axis=1) < 1e-6
        straight = [moving == (3, 5) for moving in result.continua]
        assert (elbow & straight).sum() == 1
        assert len(one.arm.solve_ik(pose, all=True)) == len(result)


def test_a_continuum_outside_limits_has_no_solution():
    one = made("puma560")
    q = np.array([0.3, 0.5, -0.8, 0.4, 0.0, 0.9])
    pose = one.pose(q)
    one.limit([-3.0] * 3 + [1.0, -0.1, -0.2], [3.0] * 3 + [1.1, 0.1, 0.1])
    # turns of 4 and 6 together: 1.3 is asked for, 0.8 to 1.2 is within limits
    assert one.arm.solve_ik(pose) is None
    assert len(one.arm.solve_ik(pose, all=True)) == 0
    assert not one.arm.find_ik(pose)


def test_three_axes_in_line_within_limits():
    """A plane of solutions: axes 1, 4 and 6 of an arm that stands upright."""
    one = made("irb120")
    q = np.array([0.4, 0.0, 0.0, -0.7, 0.0, 1.9])
    # the forearm, 0.07 m off the elbow, is upright on axis 1
    q[1] = np.arcsin(0.07 / 0.27)
    q[2] = -RIGHT - q[1]
    pose = one.pose(q)
    rng = np.random.default_rng(6)
    lower, upper = one.limits
    grid = np.meshgrid(*(np.linspace(lower[i], upper[i], 121) for i in (0, 3)))
    for away in (q, *(within(one, rng) for _ in range(4))):
        one.stand(away)
        nearest = one.arm.solve_ik(pose)
        assert nearest is not None
        assert one.good(nearest, pose)
        rows = np.tile(q, (grid[0].size, 1))
        rows[:, 0], rows[:, 3] = grid[0].ravel(), grid[1].ravel()
        rows[:, 5] = q[0] + q[3] + q[5] - rows[:, 0] - rows[:, 3]
        rows = rows[(rows[:, 5] >= lower[5]) & (rows[:, 5] <= upper[5])]
        best = np.linalg.norm(rows - away, axis=1).min()
        assert np.linalg.norm(nearest - away) < best + 1e-6
    one.stand(q)
    assert one.arm.solve_ik(pose) == pytest.approx(q, abs=1e-6)
    result = one.arm.find_ik(pose)
    assert (0, 3, 5) in result.continua
    assert one.good(result.solutions, pose)


def along_linkage(one: Made, q: np.ndarray, count: int = 20_001) -> np.ndarray:
    """Return configurations within limits of the four-bar linkage of a UR.

    Its axes 2, 3, 4 and 6 are parallel where the wrist is straight: two circles about
    the third and the last pivot meet in the fourth.
    """
    lower, upper = one.limits
    one.stand(q)
    joints = [one.arm.arm_joints[i] for i in (1, 2, 3, 5)]
    normal = joints[0].axes[0]
    across = np.cross(normal, [0.3, 0.5, 0.8])
    across /= np.linalg.norm(across)
    plane = across + 1j * np.cross(normal, across)
    pivots = np.array([joint.anchor @ plane for joint in joints])
    signs = np.array([np.sign(joint.axes[0] @ normal) for joint in joints])
    bars = np.diff(pivots)
    first = np.angle(bars[0]) + np.linspace(-np.pi, np.pi, count)
    knee = pivots[0] + abs(bars[0]) * np.exp(1j * first)
    far = abs(pivots[3] - knee)
    a, b = abs(bars[1:])
    cosine = (a * a + far * far - b * b) / (2.0 * a * far)
    meets = abs(cosine) <= 1.0
    first, knee, cosine = first[meets], knee[meets], cosine[meets]
    rows = []
    for side in (1.0, -1.0):
        second = np.angle(pivots[3] - knee) + side * np.arccos(cosine)
        third = np.angle(pivots[3] - knee - a * np.exp(1j * second))
        turned = np.stack([first, second, third], axis=1) - np.angle(bars)
        row = np.tile(q, (len(first), 1))
        row[:, [1, 2, 3, 5]] += signs * np.diff(turned, prepend=0.0, append=0.0)
        rows.append(row - 2.0 * np.pi * np.rint(row / (2.0 * np.pi)))
    every = np.concatenate(rows)
    return every[((every >= lower) & (every <= upper)).all(axis=1)]


def test_a_curve_within_limits():
    """Four parallel axes of a UR whose wrist is straight: a linkage that moves."""
    one = made("ur5e")
    one.limit([-3.0, -2.0, -2.5, -2.0, -2.0, -1.0], [3.0, 0.5, 2.5, 2.0, 2.0, 1.5])
    rng = np.random.default_rng(7)
    for _ in range(4):
        q = within(one, rng)
        q[4] = 0.0
        pose = one.pose(q)
        one.stand(q)
        assert one.arm.solve_ik(pose) == pytest.approx(q, abs=1e-6)
        rows = along_linkage(one, q)
        assert one.good(rows[::500], pose)
        away = within(one, rng)
        one.stand(away)
        result = one.arm.find_ik(pose)
        assert one.good(result.solutions, pose)
        moving = [m == (1, 2, 3, 5) for m in result.continua]
        here = np.abs(result.solutions[:, [0, 4]] - q[[0, 4]]).max(axis=1) < 1e-6
        curves = result.solutions[here & moving]
        # the nearest of all parts that limits leave, as trying finds it
        best = np.linalg.norm(rows - away, axis=1).min()
        ways = np.linalg.norm(curves - away, axis=1)
        assert best - 1e-3 < ways.min() < best + 1e-9
        nearest = one.arm.solve_ik(pose)
        assert np.linalg.norm(nearest - away) < best + 1e-9


@pytest.mark.parametrize("turned", [(3,), (5,), (3, 5), (0, 3, 5), (0, 3, 4, 5)])
def test_continua_that_cross_are_within_limits_a_turn_away(turned):
    """The wrist is straight and its centre on the first axis: continua cross."""
    one = made("irb120")
    q = np.array([0.3, 0.0, 1.0, 0.3, 0.0, 0.2])

    def off(lift: float) -> float:
        q[1] = lift
        one.stand(q)
        return float(one.arm.arm_joints[4].anchor @ [np.cos(q[0]), np.sin(q[0]), 0.0])

    low, high = -1.6, -1.0
    below = off(low)
    assert below * off(high) < 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if off(middle) * below > 0.0 else (low, middle)
    pose = one.pose(q)
    lower, upper = np.full(6, -np.pi), np.full(6, np.pi)
    lower[list(turned)], upper[list(turned)] = np.pi, 3.0 * np.pi
    one.limit(lower, upper)
    at = q.copy()
    at[list(turned)] += 2.0 * np.pi
    one.stand(at)
    assert one.arm.solve_ik(pose) == pytest.approx(at, abs=1e-6)
    rng = np.random.default_rng([13, *turned])
    for start in (at, *rng.uniform(lower, upper, (3, 6))):
        one.stand(start)
        result = one.arm.find_ik(pose)
        assert len(result)
        assert one.good(result.solutions, pose)
        assert (0, 3, 4, 5) in result.continua
        assert set(result.continua) <= {(0, 3, 4, 5), (3, 5)}
        if start is at:
            assert result.solutions[0] == pytest.approx(at, abs=1e-6)
        gaps = np.abs(result.solutions[:, None] - result.solutions).max(axis=2)
        assert (gaps + np.eye(len(result)) > 1e-4).all()


@pytest.mark.parametrize("name", ["ur5", "ur10e", "irb120"])
def test_a_half_turn_is_offered_on_both_sides(name):
    one = made(name)
    one.limit([-np.pi] * 6, [np.pi] * 6)
    rng = np.random.default_rng([8, *name.encode()])
    for joint in (0, 3, 5):
        for side in (-np.pi, np.pi):
            q = rng.uniform(-1.3, 1.3, 6)
            q[joint] = side
            one.stand(q)
            pose = one.pose(q)
            assert one.arm.solve_ik(pose) == pytest.approx(q, abs=1e-6)
            assert one.arm.find_ik(pose).solutions[0] == pytest.approx(q, abs=1e-6)
            other = q.copy()
            other[joint] = -side
            once = one.arm.solve_ik(pose, all=True)
            assert np.abs(once - q).max(axis=1).min() < 1e-6
            assert np.abs(once - other).max(axis=1).min() > 1e-3
            every = one.arm.solve_ik(pose, all=True, turns=True)
            for wanted in (q, other):
                assert np.abs(every - wanted).max(axis=1).min() < 1e-6
            batch = one.arm.solve_ik_batch([pose], turns=True, all=True)[0]
            assert np.abs(batch - other).max(axis=1).min() < 1e-6


def test_a_turn_just_outside_gives_way_to_the_one_inside():
    """The wrist is 1.5e-7 rad above -pi: its other turn is above pi, and nearer."""
    one = made("ur5")
    one.limit([-np.pi] * 6, [np.pi] * 6)
    q = np.array([-1.1577, 2.6001, 0.16489, -1.44494, -np.pi + 1.5e-7, -2.61037])
    pose = one.pose(q)
    one.stand(np.array([0.52, -0.5, -2.4, 1.2, 2.1, -2.9]))
    found = one.arm.solve_ik(pose)
    assert found is not None
    assert one.good(found, pose)
    assert len(one.arm.find_ik(pose)) > 0


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_a_straight_elbow_on_its_limit(side):
    """Two solutions merge there, each known to 1e-8 only, and so beside the limit."""
    one = made("ur5e")
    lower, upper = np.full(6, -3.0), np.full(6, 3.0)
    (lower if side == "lower" else upper)[2] = 0.0
    one.limit(lower, upper)
    rng = np.random.default_rng(9)
    for _ in range(12):
        q, away = (rng.uniform(lower, upper) for _ in range(2))
        q[2] = 0.0
        pose = one.pose(q)
        for start in (q, away):
            one.stand(start)
            found = one.arm.solve_ik(pose)
            assert found is not None
            assert one.good(found, pose)
        assert one.good(one.arm.solve_ik(pose, all=True), pose)


@pytest.mark.parametrize(
    "name", ["ur3", "ur5", "ur10", "irb120", "nextage", "stanford"]
)
def test_right_angles_are_found_from_anywhere(name):
    one = made(name)
    lower, upper = one.limits
    rng = np.random.default_rng([10, *name.encode()])
    first, last = np.ceil(lower / RIGHT - 1e-9), np.floor(upper / RIGHT + 1e-9)
    slides = one.arm.robot.model.prismatic[one.arm.arm_indices] | (last < first)
    first, last = np.maximum(first, -2.0), np.minimum(last, 2.0)
    for _ in range(12):
        q = RIGHT * rng.integers(first, np.maximum(last, first) + 1.0)
        q = np.clip(np.where(slides, within(one, rng), q), lower, upper)
        pose = one.pose(q)
        one.stand(within(one, rng))
        found = one.arm.solve_ik(pose)
        assert found is not None, q
        assert one.good(found, pose)
        one.stand(q)
        found = one.arm.solve_ik(pose)
        assert found is not None, q
        assert one.good(found, pose)


def test_a_filter_may_take_another_point_of_the_continuum():
    one = made("puma560")
    q = np.array([0.3, 0.5, -0.8, 0.4, 0.0, 0.9])
    one.stand(q)
    pose = one.pose(q)

    def rolled(solution, _manipulator, _goal):
        good = solution[3] > 0.9 and abs(solution[4]) < 1e-6
        return pyrave.IkAction.SUCCESS if good else pyrave.IkAction.REJECT

    result = one.arm.find_ik(pose, filters=[rolled])
    assert result
    assert one.good(result.solutions, pose)
    assert (result.solutions[:, 3] > 0.9).all()
    ways = np.linalg.norm(result.solutions - q, axis=1)
    assert (np.diff(ways) >= 0.0).all()


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_near_point_of_a_continuum_goes_before_far_branches(side):
    """A filter refuses the nearest point, and passes others and isolated solutions."""
    one = made("puma560")
    q = np.array([0.3, 0.5, -0.8, 0.4, 0.0, 0.9])
    one.stand(q)
    pose = one.pose(q)

    def rolled(solution, _manipulator, _goal):
        straight = abs(np.sin(solution[4])) < 1e-6
        good = not straight or side * (solution[3] - q[3]) > 0.3
        return pyrave.IkAction.SUCCESS if good else pyrave.IkAction.REJECT

    solver = one.arm.ik_solver
    with solver.register_custom_filter(0, rolled):
        found = one.arm.solve_ik(pose)
        every = one.arm.find_ik(pose)
    assert one.good(found, pose)
    assert found[:3] == pytest.approx(q[:3], abs=1e-6)
    rows = along_wrist(one, q)
    best = np.linalg.norm(rows - q, axis=1)[side * (rows[:, 3] - q[3]) > 0.3].min()
    # points of the continuum are a fifth of a radian apart
    assert best <= np.linalg.norm(found - q) < best + 0.3
    assert any(moving == () for moving in every.continua)


def test_branches_go_before_farther_points_of_a_continuum():
    one = made("puma560")
    q = np.array([0.3, 0.5, -0.8, 0.4, 0.0, 0.9])
    one.stand(q)
    pose = one.pose(q)
    isolated = one.arm.find_ik(pose)
    way = min(
        float(np.linalg.norm(row - q))
        for row, moving in zip(isolated.solutions, isolated.continua, strict=True)
        if not moving
    )

    def far(solution, _manipulator, _goal):
        straight = abs(np.sin(solution[4])) < 1e-6
        good = not straight or np.linalg.norm(solution - q) > way + 0.01
        return pyrave.IkAction.SUCCESS if good else pyrave.IkAction.REJECT

    with one.arm.ik_solver.register_custom_filter(0, far):
        found = one.arm.solve_ik(pose)
    assert np.linalg.norm(found - q) == pytest.approx(way, abs=1e-6)


def test_a_filter_that_passes_all_changes_no_order():
    """Joints that turn without end are as far as the short way round."""
    one = made("jaco2_6s")
    assert one.arm.robot.model.circular[one.arm.arm_indices].any()
    rng = np.random.default_rng(12)
    for _ in range(10):
        pose = one.pose(within(one, rng))
        one.stand(within(one, rng))
        plain = one.arm.find_ik(pose)
        passed = one.arm.find_ik(pose, filters=[lambda *_: pyrave.IkAction.SUCCESS])
        assert passed.solutions == pytest.approx(plain.solutions, abs=1e-9)
