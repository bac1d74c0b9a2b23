"""Arms with a spherical shoulder and wrist over their arm angle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pyrave
from pyrave import ArgumentError, IkParameterization, NotSupportedError
from pyrave.ik import IkParameterizationType as Kind
from pyrave.jit import KernelModule
from pyrave.spatial import matrix_from_axis_angle
from pyrave_ik.arm.chain import ArmChain
from pyrave_ik.methods.analytic import AnalyticSolver
from pyrave_ik.methods.srs import SrsArm

TURN = 2.0 * math.pi
ARMS = ("iiwa14", "lwa3", "pa10", "wam7")


def arm_of(name):
    env = pyrave.load(f"robots/arms/{name}.robot.xml")
    (robot,) = env.robots
    manipulator = next(iter(robot.manipulators))
    lower, upper = (b[manipulator.arm_indices] for b in robot.dof_limits)
    return ArmChain.of(manipulator), lower, upper


def skewed(rng):
    """Return an arm whose axes meet as they must and have any direction."""
    screws = np.zeros((7, 7))
    screws[:, :3] = rng.normal(size=(7, 3))
    screws[:, :3] /= np.linalg.norm(screws[:, :3], axis=1)[:, None]
    shoulder, wrist = rng.normal(size=(2, 3))
    points = [shoulder] * 3 + [rng.normal(size=3)] + [wrist] * 3
    screws[:, 3:6] = points + screws[:, :3] * rng.normal(size=(7, 1))
    home = np.eye(4)
    home[:3, :3] = matrix_from_axis_angle(rng.normal(size=3))
    home[:3, 3] = rng.normal(size=3)
    return ArmChain(
        screws,
        home,
        tuple(rng.permutation(7).tolist()),
        rng.choice([1.0, -1.0, 0.5], 7),
        rng.normal(size=7),
        tuple(f"j{i}" for i in range(7)),
    )


def off(a, b):
    """Return the greatest difference of angles."""
    return np.abs((np.asarray(a) - b + math.pi) % TURN - math.pi).max(axis=-1)


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture(params=ARMS)
def arm(request):
    chain, lower, upper = arm_of(request.param)
    return SrsArm.of(chain), lower, upper


# -- solutions ---------------------------------------------------------------------


def test_the_configuration_is_among_the_solutions_at_its_arm_angle(arm, rng):
    solver, _, _ = arm
    for q in rng.uniform(-3, 3, (100, 7)):
        pose = solver.chain.tool(q)
        psi = solver.at(q)
        rows = solver.solve(pose, psi)
        assert len(rows) == 8
        assert off(rows, q).min() < 1e-8
        for row in rows:
            np.testing.assert_allclose(solver.chain.tool(row), pose, atol=1e-10)
            assert off(solver.at(row), psi) < 1e-7


def test_axes_may_have_any_direction_sign_factor_and_order(rng):
    for _ in range(60):
        chain = skewed(rng)
        solver = SrsArm.of(chain, rng.normal(size=3))
        q = rng.uniform(-2, 2, 7)
        pose = chain.tool(q)
        psi = solver.at(q)
        rows = solver.solve(pose, psi)
        x = chain.values(q)
        assert min(off(chain.values(row), x) for row in rows) < 1e-7
        for row in rows:
            np.testing.assert_allclose(chain.tool(row), pose, atol=2e-9)
            assert off(solver.at(row), psi) < 1e-6


def test_solutions_are_those_of_the_analytic_solver(arm, rng):
    """At one value of the third joint both must find the same configuration."""
    solver, _, _ = arm
    other = AnalyticSolver(
        solver.chain, Kind.Transform6D, np.array([0, 0, 1.0]), free=(2,)
    )
    for q in rng.uniform(-2.5, 2.5, (10, 7)):
        pose = solver.chain.tool(q)
        found = other.solve(IkParameterization.transform_6d(pose), q[2:3])
        assert len(found)
        for row in found:
            mine = solver.solve(pose, solver.at(row))
            assert off(mine, row).min() < 1e-6
        # and the other way round: each of ours is found with its third joint given
        for row in solver.solve(pose, solver.at(q)):
            theirs = other.solve(IkParameterization.transform_6d(pose), row[2:3])
            assert off(theirs, row).min() < 1e-6


def test_the_elbow_is_on_the_side_of_the_reference_at_zero(arm, rng):
    solver, _, _ = arm
    for q in rng.uniform(-2.5, 2.5, (20, 7)):
        pose = solver.chain.tool(q)
        before = None
        for psi in (0.0, 0.3):
            row = solver.solve(pose, psi)[0]
            # where the elbow is: the forearm is bent to this side of the line
            arm_only = ArmChain(
                solver.chain.screws[:3],
                np.block([[np.eye(3), solver.chain.screws[3:4, 3:6].T], [0, 0, 0, 1]]),
                *((0, 1, 2), np.ones(3), np.zeros(3), ("a", "b", "c")),
            )
            elbow = arm_only.tool(row)[:3, 3] - solver.shoulder
            motion = pose @ np.linalg.inv(solver.chain.home)
            line = motion[:3, :3] @ solver.wrist + motion[:3, 3] - solver.shoulder
            line /= np.linalg.norm(line)
            side = elbow - line * (line @ elbow)
            if before is None:
                assert np.linalg.det([line, side, solver.reference]) == pytest.approx(
                    0, abs=1e-9
                )
                assert side @ solver.reference > 0
                before = side
            else:
                turned = matrix_from_axis_angle(line, psi) @ before
                np.testing.assert_allclose(side, turned, atol=1e-9)


@pytest.mark.parametrize("q", [np.zeros(7), [0.3, 0, 0.2, 0, 1, 0, 2], [1] * 7])
@pytest.mark.parametrize("elbow", [0.0, 1e-9, 1e-4, 0.5])
def test_singular_poses_give_right_solutions_or_none(arm, q, elbow):
    solver, _, _ = arm
    q = np.array(q, dtype=float)
    q[3] = elbow
    pose = solver.chain.tool(q)
    found = 0
    for psi in (0.0, 1.0, solver.at(q)):
        rows = solver.solve(pose, psi)
        found += len(rows)
        assert np.isfinite(rows).all()
        for row in rows:
            np.testing.assert_allclose(solver.chain.tool(row), pose, atol=1e-8)
    assert found


def test_out_of_reach_is_empty(arm):
    solver, lower, upper = arm
    pose = solver.chain.home.copy()
    pose[0, 3] += 5.0
    assert solver.solve(pose, 0.0).shape == (0, 7)
    assert solver.intervals(pose, lower, upper) == ()
    assert solver.nearest(pose, np.zeros(7), lower, upper) is None
    assert solver.centered(pose, lower, upper) is None


def test_plain_and_compiled_agree(rng):
    chain, _, _ = arm_of("iiwa14")
    solver = SrsArm.of(chain)
    module = KernelModule("pyrave_ik.kernels.closed_forms.srs")
    target = np.ascontiguousarray(chain.tool(rng.uniform(-2, 2, 7))[:3])
    answers = []
    for form in (module.python, module.jit):
        rows, ok = np.zeros((8, 7)), np.zeros(8)
        with np.errstate(all="ignore"):
            assert form.solve(solver._packed, target, 0.4, 1e-9, rows, ok) == 8
        answers.append(rows)
    np.testing.assert_allclose(*answers, atol=1e-9)


# -- limits ------------------------------------------------------------------------


def allowed(solver, pose, psis, lower, upper, slack):
    """Return (k, 8): which branches are within limits, by looking at each angle."""
    rows, ok = solver.branches(pose, psis)
    turn = np.empty(7)
    turn[list(solver.chain.arm)] = TURN / np.abs(solver.chain.scale)
    inside = np.ones(rows.shape[:2], dtype=bool)
    for joint in range(7):
        x = rows[..., joint]
        any_turn = np.zeros(x.shape, dtype=bool)
        for k in range(-6, 7):
            y = x + k * turn[joint]
            any_turn |= (y >= lower[joint] - slack) & (y <= upper[joint] + slack)
        inside &= any_turn
    return ok & inside


def compare(solver, pose, lower, upper, n=720):
    psis = -math.pi + (np.arange(n) + 0.37) * TURN / n
    intervals = solver.intervals(pose, lower, upper)
    claimed = np.zeros((n, 8), dtype=bool)
    for one in intervals:
        assert -math.pi <= one.lower <= math.pi
        assert one.lower <= one.upper <= one.lower + TURN + 1e-12
        claimed[:, one.branch] |= [psi in one for psi in psis]
    wide = allowed(solver, pose, psis, lower, upper, 1e-7)
    tight = allowed(solver, pose, psis, lower, upper, -1e-7)
    assert not (claimed & ~wide).any()
    assert not (tight & ~claimed).any()
    return intervals, claimed


def test_intervals_are_those_of_dense_sampling(arm, rng):
    solver, lower, upper = arm
    parts = 0
    for q in rng.uniform(lower, upper, (10, 7)):
        pose = solver.chain.tool(q)
        intervals, _ = compare(solver, pose, lower, upper)
        parts += len(intervals)
        assert any(solver.at(q) in one for one in intervals)
    assert parts > 10


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.data_too_large],
)
@given(
    seed=st.integers(0, 10_000),
    half=st.lists(st.floats(0.2, 4.0), min_size=7, max_size=7),
    shift=st.floats(-1.0, 1.0),
)
def test_intervals_of_any_arm_and_limits(seed, half, shift):
    rng = np.random.default_rng(seed)
    chain = skewed(rng)
    solver = SrsArm.of(chain)
    q = rng.uniform(-1, 1, 7)
    compare(solver, chain.tool(q), shift - np.array(half), shift + np.array(half), 180)


def test_without_limits_the_whole_circle_is_allowed(arm, rng):
    solver, _, _ = arm
    pose = solver.chain.tool(rng.uniform(-2, 2, 7))
    intervals = solver.intervals(pose, np.full(7, -1e4), np.full(7, 1e4))
    for branch in range(8):
        mine = [one for one in intervals if one.branch == branch]
        assert sum(one.upper - one.lower for one in mine) == pytest.approx(TURN)


def test_the_nearest_configuration(arm, rng):
    solver, lower, upper = arm
    for _ in range(10):
        q = rng.uniform(lower, upper)
        q0 = np.clip(q + rng.normal(size=7) * 0.3, lower, upper)
        pose = solver.chain.tool(q)
        psi, found = solver.nearest(pose, q0, lower, upper)
        np.testing.assert_allclose(solver.chain.tool(found), pose, atol=1e-8)
        assert ((found >= lower) & (found <= upper)).all()
        assert off(solver.at(found), psi) < 1e-6
        least = np.linalg.norm(found - q0)
        assert least <= np.linalg.norm(q - q0) + 1e-9
        psis = np.linspace(-math.pi, math.pi, 400)
        rows, _ = solver.branches(pose, psis)
        ok = allowed(solver, pose, psis, lower, upper, 0.0)
        copies = rows[..., None] + TURN * np.arange(-2, 3)
        inside = (copies >= lower[:, None]) & (copies <= upper[:, None])
        away = np.where(inside, np.abs(copies - q0[:, None]), np.inf).min(axis=-1)
        assert least <= np.linalg.norm(away[ok], axis=-1).min() + 1e-6


def test_the_configuration_farthest_from_limits(arm, rng):
    solver, lower, upper = arm

    def room(q):
        return (np.minimum(q - lower, upper - q) / (upper - lower)).min(axis=-1)

    for _ in range(10):
        q = rng.uniform(lower, upper)
        pose = solver.chain.tool(q)
        _, found = solver.centered(pose, lower, upper)
        np.testing.assert_allclose(solver.chain.tool(found), pose, atol=1e-8)
        assert room(found) >= room(q) - 1e-9
        psis = np.linspace(-math.pi, math.pi, 400)
        rows, ok = solver.branches(pose, psis)
        assert room(found) >= room(rows[ok]).max() - 1e-6


# -- refusals ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("panda", "joint5, joint6, joint7 do not meet in a wrist: they pass 0.0"),
        ("gen3", "joint1, joint2, joint3 do not meet in a shoulder"),
        ("puma560", "needs seven joints, the arm has 6"),
    ],
)
def test_other_arms_are_refused_with_a_reason(name, text):
    chain, _, _ = arm_of(name)
    with pytest.raises(NotSupportedError, match=text):
        SrsArm.of(chain)


def changed(chain, row, **parts):
    screws = chain.screws.copy()
    for where, value in parts.items():
        place = {"axis": slice(3), "point": slice(3, 6), "slides": 6}[where]
        screws[row, place] = value
    return ArmChain(
        *(screws, chain.home, chain.arm, chain.scale, chain.offset, chain.names)
    )


def test_degenerate_arms_are_refused():
    chain, lower, upper = arm_of("iiwa14")
    with pytest.raises(NotSupportedError, match="joint4 slides"):
        SrsArm.of(changed(chain, 3, slides=1.0))
    shoulder = SrsArm.of(chain).shoulder
    with pytest.raises(NotSupportedError, match="does not change the distance"):
        SrsArm.of(changed(chain, 3, point=shoulder))
    flat = changed(chain, 1, axis=chain.screws[0, :3])
    with pytest.raises(NotSupportedError, match="three axes of the shoulder are par"):
        SrsArm.of(flat)
    with pytest.raises(NotSupportedError, match="joint1 and joint2 are one line"):
        SrsArm.of(changed(flat, 2, axis=chain.screws[1, :3]))
    coupled = ArmChain(
        *(chain.screws, chain.home, (0, 1, 2, 3, 4, 5, 5)),
        *(chain.scale, chain.offset, chain.names),
    )
    with pytest.raises(NotSupportedError, match="one joint moves several axes"):
        SrsArm.of(coupled)
    with pytest.raises(ArgumentError, match="reference direction is zero"):
        SrsArm.of(chain, (0, 0, 0))
    solver = SrsArm.of(chain)
    with pytest.raises(ArgumentError, match="lower limit of joint 0 is above"):
        solver.intervals(chain.home, upper, lower)
    with pytest.raises(ArgumentError, match="expected 7 limits"):
        solver.intervals(chain.home, [0.0], upper)


# -- the interface -----------------------------------------------------------------


@pytest.fixture
def manipulator():
    env = pyrave.load("robots/arms/lwa3.robot.xml")
    (robot,) = env.robots
    arm = next(iter(robot.manipulators))
    arm.ik_solver = "ArmAngle 0.2"
    robot.transform = (0.9234, 0.1026, -0.3078, 0.2052, 1.0, 2.0, 3.0)
    arm.arm_dof_values = [0.3, 0.5, 0.2, -0.9, 0.4, 0.8, 0.1]
    yield arm
    assert env is not None


def reaches(arm, q, pose):
    with arm.robot.preserve_state():
        arm.arm_dof_values = q
        return np.allclose(arm.transform, pose, atol=1e-8)


def test_the_free_parameter_is_the_arm_angle(manipulator):
    arm, solver = manipulator, manipulator.ik_solver
    pose, q = arm.transform.copy(), arm.arm_dof_values
    assert solver.supports(Kind.Transform6D)
    assert not solver.supports(Kind.Translation3D)
    assert solver.get_num_free_parameters() == 1
    assert solver.get_free_indices().size == 0
    free = solver.get_free_parameters()
    assert free[0] == pytest.approx(solver.closed_form.at(q) / TURN + 0.5)
    rows = arm.solve_ik(pose, all=True, free=free)
    assert 1 <= len(rows) <= 8
    assert np.abs(rows - q).max(axis=1).min() < 1e-8
    np.testing.assert_allclose(arm.solve_ik(pose, free=free), q, atol=1e-8)
    np.testing.assert_allclose(arm.solve_ik(pose), q, atol=1e-6)
    many = arm.solve_ik(pose, all=True)
    assert len(many) > len(rows)
    assert all(reaches(arm, row, pose) for row in many)


def test_checks_are_asked(manipulator):
    arm = manipulator
    pose = arm.transform.copy()
    goal = IkParameterization.transform_6d(pose)
    seen = []

    def third(q, _arm, _goal):
        seen.append(q.copy())
        return pyrave.IkAction.SUCCESS if len(seen) == 3 else pyrave.IkAction.REJECT

    with arm.ik_solver.register_custom_filter(0, third):
        answer = arm.ik_solver.solve(goal)
    assert answer
    assert len(seen) == 3
    assert reaches(arm, answer.solution, pose)
    with arm.ik_solver.register_custom_filter(0, lambda *_: pyrave.IkAction.REJECT):
        answer = arm.ik_solver.solve(goal)
        assert not any(arm.ik_solver.solve_all(goal))
    assert answer.action & pyrave.IkAction.REJECT_CUSTOM_FILTER


def test_no_solution_has_a_reason(manipulator):
    arm = manipulator
    pose = arm.transform.copy()
    goal = IkParameterization.transform_6d(pose)
    far = pose.copy()
    far[:3, 3] += 9.0
    answer = arm.ik_solver.solve(IkParameterization.transform_6d(far))
    assert answer.failures == ("the pose is out of reach at every arm angle",)
    lower, upper = arm.robot.dof_limits
    arm.robot.dof_limits = np.full_like(lower, 1.5), np.full_like(upper, 1.6)
    (answer,) = arm.ik_solver.solve_all(goal)
    assert answer.action & pyrave.IkAction.REJECT_JOINT_LIMITS
    free = arm.ik_solver.solve(goal, options=pyrave.IkFilterOptions.IGNORE_JOINT_LIMITS)
    assert free


def test_wrong_questions_are_refused(manipulator):
    arm = manipulator
    with pytest.raises(NotSupportedError, match="the goal is Translation3D"):
        arm.solve_ik(IkParameterization.translation_3d((0, 0, 0)))
    with pytest.raises(pyrave.Error, match="step of ArmAngle is 'wide', expected"):
        arm.robot.env.create("iksolver", "ArmAngle wide")
    other = pyrave.load("robots/arms/panda.robot.xml")
    (robot,) = other.robots
    with pytest.raises(NotSupportedError, match="do not meet in a wrist"):
        next(iter(robot.manipulators)).ik_solver = "ArmAngle"
