"""The analytic solver: all solutions, the nearest, limits, free joints, batches."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from arms import KUKA, PUMA, UR5, WAM, arm_xml, random_screws, screws_of
from loops import each

import pyrave
from pyrave import ArgumentError, IkAction, IkFilterOptions, NotSupportedError
from pyrave_ik.methods.bounded_arm import BoundedArm
from pyrave_ik.solver.numeric_method import NumericMethod

TURN = 2.0 * math.pi
NO_LIMITS = IkFilterOptions.IGNORE_JOINT_LIMITS


@pytest.fixture
def arm_of():
    """Return what makes an arm; its environment lives as long as the test."""
    kept = []

    def make(rows, **settings):
        env = pyrave.Environment()
        kept.append(env)
        env.load_string(arm_xml(*screws_of(rows), **settings))
        return env.robots[0].manipulators[0]

    return make


def pose_at(arm, q):
    """Return T_world_tool at joint values; the robot stays where it is."""
    with arm.robot.preserve_state():
        arm.robot.set_dof_values(q, arm.arm_indices, pyrave.LimitCheck.NONE)
        return arm.transform


def check_all(arm, solutions, target, tolerance=1e-9):
    lower, upper = (bound[arm.arm_indices] for bound in arm.robot.dof_limits)
    for q in solutions:
        assert np.abs(pose_at(arm, q) - target).max() < tolerance
        assert (q >= lower).all()
        assert (q <= upper).all()
    for i, q in enumerate(solutions):
        off = np.abs(solutions[:i] - q).max(axis=1, initial=0.0)
        assert (off > 1e-6).all()


@pytest.mark.parametrize("rows", [PUMA, UR5], ids=["puma", "ur5"])
def test_all_solutions_of_six_joints(arm_of, rows):
    arm = arm_of(rows, limits=(-math.pi, math.pi))
    arm.robot.transform = (0.8367, 0.1195, -0.239, 0.4781, 1.0, -2.0, 0.5)
    rng = np.random.default_rng(1)
    for _ in range(20):
        q = rng.uniform(-3.0, 3.0, 6)
        target = pose_at(arm, q)
        solutions = arm.solve_ik(target, all=True)
        check_all(arm, solutions, target)
        assert np.abs(solutions - q).max(axis=1).min() < 1e-8
        arm.arm_dof_values = q + 0.01
        np.testing.assert_allclose(arm.solve_ik(target), q, atol=1e-8)


def random_arm(rng, kinds):
    """Return an environment with an arm that has axes anywhere, the arm and limits."""
    env = pyrave.Environment()
    limits = [(-1.0, 1.0) if kind == "P" else (-3.1, 3.1) for kind in kinds]
    env.load_string(arm_xml(*random_screws(rng, 6), kinds=kinds, limits=limits))
    return env, env.robots[0].manipulators[0], np.transpose(limits)


@each("seed", range(3))
@pytest.mark.parametrize(
    "kinds", ["RRRRRR", "RRPRRR", "PPRRRR", "PRPRRR", "PRRRPR", "RPRRRP"]
)
def test_any_six_joints_and_sliding_ones(kinds, seed):
    rng = np.random.default_rng(seed)
    _env, arm, limits = random_arm(rng, kinds)
    for _ in range(5):
        q = rng.uniform(*limits)
        target = pose_at(arm, q)
        solutions = arm.solve_ik(target, all=True)
        check_all(arm, solutions, target, 1e-8)
        assert np.abs(solutions - q).max(axis=1).min() < 1e-6


def test_all_turns_within_the_limits(arm_of):
    arm = arm_of(UR5, limits=(-TURN, TURN))
    narrow = arm_of(UR5, limits=(-math.pi, math.pi))
    q = np.array((0.3, -1.1, 0.9, -0.4, 1.2, 2.0))
    target = pose_at(arm, q)
    few, many = (a.solve_ik(target, all=True, turns=True) for a in (narrow, arm))
    assert len(many) == 2**6 * len(few)
    check_all(arm, many, target)
    for start in (q + TURN * np.array((-1, 0, -1, 1, 0, -1)), q):
        arm.arm_dof_values = start
        np.testing.assert_allclose(arm.solve_ik(target), start, atol=1e-8)


def test_limits_that_are_far_apart_do_not_multiply_solutions(arm_of):
    limits = [(-3.0, 3.0)] * 5 + [(30.0, 90.0)]
    arm = arm_of(PUMA, limits=limits)
    q = np.array((0.3, -1.1, 0.9, -0.4, 1.2, 40.0))
    target = pose_at(arm, q)
    solutions = arm.solve_ik(target, all=True)
    assert 0 < len(solutions) <= 8
    check_all(arm, solutions, target)
    arm.arm_dof_values = q
    np.testing.assert_allclose(arm.solve_ik(target), q, atol=1e-8)


def test_circular_joints_come_once_and_near(arm_of):
    arm = arm_of(PUMA, limits=(-3.0, 3.0), circular=(0, 5))
    q = np.array((2.9, -1.1, 0.9, -0.4, 1.2, -3.0))
    target = pose_at(arm, q)
    solutions = arm.solve_ik(target, all=True)
    assert np.abs(solutions[:, [0, 5]]).max() <= math.pi + 1e-12
    near = q + TURN * np.array((3, 0, 0, 0, 0, -2))
    answer = arm.ik_solver.solve(pyrave.IkParameterization.transform_6d(target), near)
    np.testing.assert_allclose(answer.solution, near, atol=1e-8)


def test_limits_are_reasons(arm_of):
    arm = arm_of(PUMA, limits=[(-3.0, 3.0), (-1.0, 1.0), *[(-3.0, 3.0)] * 4])
    q = np.array((0.3, -1.1, 0.9, -0.4, 1.2, 2.0))
    target = pose_at(arm, q)
    found = arm.find_ik(target)
    outside = [one for one in found.rejections if abs(one.values - q).max() < 1e-6]
    (one,) = outside
    assert one.action == IkAction.REJECT | IkAction.REJECT_JOINT_LIMITS
    assert one.reason == "joint 'j1' would be at -1.1 rad, 0.1 below its limit -1"
    check_all(arm, found.solutions, target)
    free = arm.find_ik(target, options=NO_LIMITS)
    assert len(free) == len(found) + len(found.rejections) == 8
    assert not free.rejections
    # limits that change are seen at once
    lower, upper = arm.robot.dof_limits
    lower[1] = -1.2
    arm.robot.dof_limits = lower, upper
    assert np.abs(arm.solve_ik(target, all=True) - q).max(axis=1).min() < 1e-8


def test_a_limit_itself_is_inside(arm_of):
    arm = arm_of(PUMA, limits=(-1.5, 1.5))
    rng = np.random.default_rng(3)
    for _ in range(20):
        q = rng.uniform(-1.5, 1.5, 6)
        q[rng.integers(6)] = rng.choice((-1.5, 1.5))
        target = pose_at(arm, q)
        solutions = arm.solve_ik(target, all=True)
        assert np.abs(solutions - q).max(axis=1).min() < 1e-8
        check_all(arm, solutions, target)


def test_reasons_name_the_joints_that_are_outside(arm_of):
    q = np.array((0.3, -1.1, 0.9, -0.4, 1.2, 2.0))
    # joint 0 is on its limit but for rounding, joint 1 is outside
    limits = [(-3.0, float(q[0]) - 1e-12), (-1.0, 1.0), *[(-3.0, 3.0)] * 4]
    found = arm_of(PUMA, limits=limits).find_ik(pose_at(arm_of(PUMA), q))
    (one,) = [one for one in found.rejections if abs(one.values - q).max() < 1e-6]
    assert one.reason == "joint 'j1' would be at -1.1 rad, 0.1 below its limit -1"


def test_an_arm_without_joints_says_why(arm_of):
    arm = arm_of(PUMA)
    base = arm.base.name
    robot = arm.robot
    still = robot.add_manipulator(
        pyrave.scene.ManipulatorDescription(name="still", base=base, end_effector=base)
    )
    with pytest.raises(NotSupportedError, match="no joint moves the end effector"):
        still.ik_solver = "Analytic"


def test_out_of_reach_says_so(arm_of):
    arm = arm_of(PUMA)
    far = np.eye(4)
    far[:3, 3] = 5.0
    assert arm.solve_ik(far) is None
    assert arm.solve_ik(far, all=True).shape == (0, 6)
    found = arm.find_ik(far)
    assert not found
    assert found.solution is None
    assert found.action & IkAction.REJECT_KINEMATICS
    assert found.reasons == (
        "no joint values reach this Transform6D, even without limits",
    )
    answer = arm.ik_solver.solve(pyrave.IkParameterization.transform_6d(far))
    assert answer.failures == found.reasons


@pytest.mark.parametrize("rows", [PUMA, UR5], ids=["puma", "ur5"])
def test_singular_poses_have_solutions(arm_of, rows):
    arm = arm_of(rows, limits=(-3.2, 3.2))
    rng = np.random.default_rng(8)
    solved = 0
    for _ in range(40):
        q = rng.integers(-2, 3, 6) * (math.pi / 2)
        target = pose_at(arm, q)
        solutions = arm.solve_ik(target, all=True)
        for one in solutions:
            assert np.abs(pose_at(arm, one) - target).max() < 1e-8
        solved += len(solutions) > 0
    assert solved >= 38


def test_rotations_as_texts_have_them_are_good_enough(arm_of):
    arm = arm_of(PUMA)
    q = np.array((0.3, -1.1, 0.9, -0.4, 1.2, 2.0))
    target = pose_at(arm, q)
    rounded = target.round(5)
    solutions = arm.solve_ik(rounded, all=True)
    assert np.abs(solutions - q).max(axis=1).min() < 1e-4


def test_branches_stay_the_same_along_a_path(arm_of):
    for rows, count in ((PUMA, 8), (UR5, 8)):
        arm = arm_of(rows, limits=(-math.pi, math.pi))
        start = np.array((0.3, -1.1, 0.9, -0.4, 1.2, 2.0))
        found = arm.find_ik(pose_at(arm, start), options=NO_LIMITS)
        assert len(set(found.branches.tolist())) == len(found) == count
        rows_at = dict(zip(found.branches.tolist(), found.solutions, strict=True))
        for step in np.linspace(0.0, 0.2, 41):
            q = start + step * np.array((1, 0.5, -0.5, 1, 0.3, -1))
            found = arm.find_ik(pose_at(arm, q), options=NO_LIMITS)
            now = dict(zip(found.branches.tolist(), found.solutions, strict=True))
            assert now.keys() == rows_at.keys()
            for branch, row in now.items():
                off = (row - rows_at[branch] + math.pi) % TURN - math.pi
                assert np.abs(off).max() < 0.2
            rows_at = now


def test_free_joints_are_searched_in_steps(arm_of):
    arm = arm_of(WAM, solver="Analytic 0.05", limits=(-2.5, 2.5))
    solver = arm.ik_solver
    (free,) = solver.get_free_indices()
    q = np.array((0.3, -1.1, 0.9, -0.4, 1.2, 1.0, 2.0))
    target = pose_at(arm, q)
    arm.arm_dof_values = q
    solutions = arm.solve_ik(target, all=True)
    check_all(arm, solutions, target)
    assert np.abs(solutions - q).max(axis=1).min() < 1e-8
    steps = (solutions[:, free] - q[free]) / 0.05
    np.testing.assert_allclose(steps, steps.round(), atol=1e-9)
    assert len(set(steps.round().tolist())) > 20
    part = solver.get_free_parameters()
    np.testing.assert_allclose(part, (q[free] + 2.5) / 5.0)
    some = arm.solve_ik(target, all=True, free=part)
    assert 0 < len(some) <= 8
    np.testing.assert_allclose(some[:, free], q[free])
    near = q + 0.02
    best = solver.solve(pyrave.IkParameterization.transform_6d(target), near).solution
    assert np.abs(pose_at(arm, best) - target).max() < 1e-9
    arm.arm_dof_values = near
    every = arm.solve_ik(target, all=True)
    least = ((every - near) ** 2).sum(axis=1).min()
    assert ((best - near) ** 2).sum() <= least + 1e-12


def test_which_joint_is_free_and_its_steps_can_be_given(arm_of):
    arm = arm_of(KUKA, solver="Analytic free j0 0.5", limits=(-2.9, 2.9))
    assert arm.ik_solver.get_free_indices().tolist() == [0]
    target = pose_at(arm, np.array((0.3, -1.1, 0.9, -0.4, 1.2, 1.0, 2.0)))
    solutions = arm.solve_ik(target, all=True)
    check_all(arm, solutions, target)
    # all those of the values, others are of intervals that end between two of them
    steps = solutions[:, 0] / 0.5
    at_values = solutions[np.abs(steps - steps.round()) < 1e-6]
    given = [
        arm.solve_ik(target, all=True, free=((value + 2.9) / 5.8,))
        for value in 0.5 * np.arange(-5, 6)
    ]
    expected = np.concatenate(given)
    assert len(at_values) == len(expected) > 0
    assert np.abs(at_values[:, None] - expected).max(axis=2).min(axis=0).max() < 1e-6
    with pytest.raises(NotSupportedError, match="'j9'"):
        arm.ik_solver = "Analytic free j9"
    for words in ("-1", "0", "x", "ikthreshold", "free"):
        with pytest.raises(pyrave.Error):
            arm.robot.env.create("iksolver", f"Analytic {words}")
    arm.ik_solver = "Analytic 0.1 0.2"
    with pytest.raises(ArgumentError, match="2 steps and has 1 free"):
        arm.solve_ik(target)


def test_circular_free_joints_come_to_an_end(arm_of):
    arm = arm_of(WAM, solver="Analytic free j2 0.3", limits=(-3, 3), circular=(2,))
    q = np.array((0.3, -1.1, 0.9, -0.4, 1.2, 1.0, 2.0))
    target = pose_at(arm, q)
    arm.arm_dof_values = q
    solutions = arm.solve_ik(target, all=True)
    steps = (solutions[:, 2] - q[2]) / 0.3
    values = set(steps[np.abs(steps - steps.round()) < 1e-6].round().tolist())
    assert 10 < len(values) <= 21
    assert np.ptp(solutions[:, 2]) < TURN
    far = np.eye(4)
    far[:3, 3] = 3.0
    assert arm.solve_ik(far) is None


def test_a_wrong_free_value_is_refused(arm_of):
    arm = arm_of(WAM)
    target = arm.transform
    for wrong in ((1.5,), (-0.1,), (0.5, 0.5), ("x",)):
        with pytest.raises(ArgumentError):
            arm.solve_ik(target, free=wrong)
    six = arm_of(PUMA)
    with pytest.raises(ArgumentError, match="no free joints"):
        six.solve_ik(six.transform, free=(0.5,))


def test_batches_equal_single_calls(arm_of):
    rng = np.random.default_rng(2)
    for rows in (PUMA, WAM):
        arm = arm_of(rows, limits=(-3.0, 3.0))
        values = rng.uniform(-2.5, 2.5, (300, len(rows)))
        poses = np.array([pose_at(arm, q) for q in values])
        poses[7, 0, 3] += 50.0
        batch = arm.solve_ik_batch(poses, all=True)
        assert len(batch) == 300
        assert batch.counts[7] == 0
        assert batch.offsets[-1] == len(batch.solutions) == batch.counts.sum()
        for i in range(0, 300, 29):
            # held joints between two steps end within 1e-6: compiled or not yet
            single = arm.solve_ik(poses[i], all=True)
            np.testing.assert_allclose(batch[i], single, rtol=0.0, atol=1e-5)
            np.testing.assert_array_equal(
                batch.solutions[batch.offsets[i] : batch.offsets[i + 1]], batch[i]
            )
        np.testing.assert_array_equal(batch[-1], batch[299])
        with pytest.raises(IndexError):
            batch[300]
    quats = np.array([(1.0, 0, 0, 0, 0.3, 0.2, 0.1)] * 2)
    again = arm.solve_ik_batch(quats, all=True)
    np.testing.assert_allclose(again[0], arm.solve_ik(quats[0], all=True))
    assert len(arm.solve_ik_batch(np.empty((0, 4, 4)), all=True)) == 0
    with pytest.raises(ArgumentError, match=r"targets\[1\] is not a rigid"):
        arm.solve_ik_batch([np.eye(4), 2.0 * np.eye(4)], all=True)


def test_arms_move_with_the_robot_and_tools_change(arm_of):
    arm = arm_of(PUMA)
    q = np.array((0.3, -1.1, 0.9, -0.4, 1.2, 2.0))
    for pose in (np.eye(4), pose_at(arm, q)):
        arm.robot.transform = pose
        check_all(arm, arm.solve_ik(pose_at(arm, q), all=True), pose_at(arm, q))
    tool = arm.local_tool_transform
    tool[:3, 3] += (0.1, 0.2, 0.3)
    arm.local_tool_transform = tool
    target = pose_at(arm, q)
    solutions = arm.solve_ik(target, all=True)
    check_all(arm, solutions, target)
    assert len(solutions)


def test_clones_and_copies_solve_alike(arm_of):
    arm = arm_of(WAM, solver="WAM7ikfast 0.1")
    target = pose_at(arm, np.array((0.3, -1.1, 0.9, -0.4, 1.2, 1.0, 2.0)))
    expected = arm.solve_ik(target, all=True)
    copied = arm.robot.env.clone()
    twin = copied.robots[0].manipulators[0]
    assert twin.ik_solver.id_words == ("0.1",)
    np.testing.assert_allclose(twin.solve_ik(target, all=True), expected)


def test_mimic_joints_and_passive_ones():
    axes, points, home = screws_of(PUMA)
    xml = arm_xml(axes, points, home)
    # joint 2 is driven by another one outside of the arm, at half its speed
    crank = (
        '<body name="crank" type="dynamic"/><joint name="crank" type="hinge">'
        "<body>l0</body><body>crank</body><axis>0 0 1</axis>"
        "<limitsrad>-6 6</limitsrad></joint>"
    )
    xml = xml.replace("</kinbody>", f"{crank}</kinbody>")
    xml = xml.replace(
        '<joint name="j2" type="hinge">',
        '<joint name="j2" type="hinge" enable="false" mimic_pos="0.5*crank+0.1" '
        'mimic_vel="|crank 0.5" mimic_accel="|crank 0">',
    )
    env = pyrave.Environment()
    env.load_string(xml)
    arm = env.robots[0].manipulators[0]
    rng = np.random.default_rng(4)
    for _ in range(5):
        q = rng.uniform(-2.0, 2.0, 6)
        target = pose_at(arm, q)
        solutions = arm.solve_ik(target, all=True)
        check_all(arm, solutions, target)
        assert np.abs(solutions - q).max(axis=1).min() < 1e-8


@pytest.mark.parametrize("rows", [PUMA, UR5], ids=["puma", "ur5"])
def test_every_way_to_ask_has_the_same_answers(arm_of, rows):
    arm = arm_of(rows, limits=(-2.0 * math.pi, 2.0 * math.pi), circular=(5,))
    n = len(arm.arm_indices)
    rng = np.random.default_rng(8)
    singular = [np.zeros(n), np.full(n, 0.5 * math.pi), np.arange(n) % 2.0 * math.pi]
    for q in [*rng.uniform(-3.0, 3.0, (5, n)), *singular]:
        arm.arm_dof_values = np.full(n, 0.1)
        target = pose_at(arm, q)
        goal = pyrave.IkParameterization.transform_6d(target)
        rows_ = arm.solve_ik(target, all=True)
        assert len(rows_) > 0
        near = rows_.copy()
        near[:, 5] -= TURN * np.rint((near[:, 5] - 0.1) / TURN)
        least = np.linalg.norm(near - 0.1, axis=1).min()
        for other in (
            np.array([one.solution for one in arm.ik_solver.solve_all(goal)]),
            arm.find_ik(target).solutions,
            arm.solve_ik_batch(target[None], all=True)[0],
        ):
            assert other.shape == rows_.shape
            assert np.abs(other[:, None] - rows_).max(axis=2).min(axis=0).max() < 1e-6
        for one in (arm.solve_ik(target), arm.ik_solver.solve(goal).solution):
            assert np.linalg.norm(one - 0.1) == pytest.approx(least, abs=1e-6)


@pytest.mark.parametrize("kinds", ["PRRPRR", "RPRRPR", "RRPRRP"])
def test_opposite_sliders_have_all_their_solutions(kinds):
    rng = np.random.default_rng(2)
    _env, arm, limits = random_arm(rng, kinds)
    for _ in range(3):
        q = rng.uniform(*limits)
        target = pose_at(arm, q)
        arm.arm_dof_values = q + 0.001
        np.testing.assert_allclose(arm.solve_ik(target), q, atol=1e-7)
        solutions = arm.solve_ik(target, all=True)
        check_all(arm, solutions, target)
        found = arm.find_ik(target)
        assert found.complete
        assert len(found) == len(solutions)
    assert arm.ik_solver.note == ""


def test_axes_that_share_a_joint_are_searched_for():
    axes, points, home = screws_of(KUKA)
    xml = arm_xml(axes, points, home).replace(
        '<joint name="j4" type="hinge">',
        '<joint name="j4" type="hinge" enable="false" mimic_pos="0.5*j3+0.1" '
        'mimic_vel="|j3 0.5" mimic_accel="|j3 0">',
    )
    env = pyrave.Environment()
    env.load_string(xml)
    arm = env.robots[0].manipulators[0]
    q = np.random.default_rng(4).uniform(-2.0, 2.0, len(arm.arm_indices))
    target = pose_at(arm, q)
    arm.arm_dof_values = q + 0.02
    np.testing.assert_allclose(arm.solve_ik(target), q, atol=1e-6)
    assert "not every axis of the arm has a degree of freedom" in arm.ik_solver.note
    far = np.eye(4)
    far[0, 3] = 9.0
    assert not arm.find_ik(far)


def test_how_near_an_arm_comes(arm_of):
    arm = arm_of(PUMA)
    far = np.eye(4)
    far[0, 3] = 9.0
    found = arm.find_ik(far, nearest=True)
    assert not found
    assert arm.find_ik(far).nearest is None
    np.testing.assert_allclose(found.nearest.pose, pose_at(arm, found.nearest.values))
    assert 7.0 < found.nearest.distance < 9.0


def test_the_timeout_of_a_batch_is_that_of_each_pose(monkeypatch):
    env = pyrave.load("robots/arms/puma560.robot.xml")
    arm = env.robots[0].manipulators[0]
    given = []

    def nearest(_self, query):
        given.append(query.clock.left)
        time.sleep(query.clock.left)

    monkeypatch.setattr(NumericMethod, "nearest", nearest)
    monkeypatch.setattr(BoundedArm, "decides", lambda *_: False)
    far = np.eye(4)
    far[0, 3] = 9.0
    assert not arm.solve_ik_batch([far, far, far], timeout=0.2, all=True).counts.any()
    assert len(given) == 3
    assert min(given) > 0.0
