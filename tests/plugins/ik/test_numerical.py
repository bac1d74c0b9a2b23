"""The numerical solver: residuals, convergence, limits, redundancy, mixes, failures."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pyrave
from pyrave import Affine, ArgumentError, IkParameterization, NotSupportedError
from pyrave.ik import IkParameterizationType as Kind
from pyrave.jit import KernelModule
from pyrave.spatial import matrix_from_axis_angle
from pyrave_ik.arm.chain import ArmChain
from pyrave_ik.arm.numeric_arrays import write_goal
from pyrave_ik.kernels.iteration import residuals as at
from pyrave_ik.methods.least_squares import NumericProblem, kernel, settings_of

KINDS = [kind for kind in Kind if not kind.is_velocity]
DIRECTION = np.array([0.6, 0.0, 0.8])
RIGHT = math.pi / 2.0
PUMA = [
    (0, RIGHT, 0.67),
    (0.4318, 0, 0),
    (0.0203, -RIGHT, 0.15),
    (0, RIGHT, 0.4318),
    (0, -RIGHT, 0),
    (0, 0, 0.05),
]
PANDA = [
    (0, -RIGHT, 0.333),
    (0, RIGHT, 0),
    (0.0825, RIGHT, 0.316),
    (-0.0825, -RIGHT, 0),
    (0, RIGHT, 0.384),
    (0.088, RIGHT, 0),
    (0, 0, 0.107),
]
PUMA_LIMITS = np.radians(
    [(-160, 160), (-45, 225), (-225, 45), (-110, 170), (-100, 100), (-266, 266)]
)
PANDA_LIMITS = np.array(
    [
        (-2.8973, 2.8973),
        (-1.7628, 1.7628),
        (-2.8973, 2.8973),
        (-3.0718, -0.0698),
        (-2.8973, 2.8973),
        (-0.0175, 3.7525),
        (-2.8973, 2.8973),
    ]
)


def of_table(rows):
    """Return the chain of a Denavit-Hartenberg table (a, alpha, d)."""
    pose, screws = np.eye(4), []
    for a, alpha, d in rows:
        screws.append(np.concatenate([pose[:3, 2], pose[:3, 3], [0.0]]))
        link = np.eye(4)
        link[:3, :3] = matrix_from_axis_angle([1.0, 0, 0], alpha)
        link[:3, 3] = a, 0.0, d
        pose = pose @ link
    return chain_of(np.array(screws), pose)


def chain_of(screws, home, arm=None, scale=None, offset=None):
    m = len(screws)
    return ArmChain(
        screws,
        home,
        tuple(range(m)) if arm is None else arm,
        np.ones(m) if scale is None else np.array(scale),
        np.zeros(m) if offset is None else np.array(offset),
        tuple(f"j{i}" for i in range(m)),
    )


def random_chain(rng, n, sliders=(), **changes):
    screws = rng.normal(size=(n, 7))
    screws[:, :3] /= np.linalg.norm(screws[:, :3], axis=1)[:, None]
    screws[:, 3:6] *= 0.5
    screws[:, 6] = [i in sliders for i in range(n)]
    home = np.eye(4)
    home[:3, :3] = matrix_from_axis_angle(rng.normal(size=3))
    home[:3, 3] = rng.normal(size=3)
    return chain_of(screws, home, **changes)


def goal_of(kind, pose):
    return IkParameterization.from_pose(kind, pose, DIRECTION, (0.1, -0.2, 0.3))


def missed(goal, pose):
    """Return how far a tool is from a goal, by the goal's own measure."""
    kind = goal.type
    if kind is Kind.Lookat3D:
        to = goal.array - pose[:3, 3]
        return float(np.linalg.norm(to / np.linalg.norm(to) - pose[:3, :3] @ DIRECTION))
    return math.sqrt(abs(goal.distance2(goal_of(kind, pose))))


def endless(n):
    return np.full(n, -1e4), np.full(n, 1e4)


@pytest.fixture
def rng():
    return np.random.default_rng(11)


# -- residuals ---------------------------------------------------------------------


def linearised(problem, goal, q, compiled=False):
    """Return residuals (6,), their derivatives (6, n) and what is missed (2,)."""
    module = KernelModule("pyrave_ik.kernels.iteration.residuals")
    module = module.jit if compiled else module.python
    goals = problem._goals.copy()
    write_goal(goal, goals[0])
    numbers, n = problem.array, problem.n
    work = np.zeros(int(numbers[at.WORK]))
    total = module.linearise(numbers, goals, q, work)
    e, columns = int(numbers[at.ERROR]), int(numbers[at.COLUMNS])
    error = work[e : e + 6]
    assert total == pytest.approx(error @ error)
    return error, -work[columns : columns + 6 * n].reshape(n, 6).T, work[:2]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_columns_are_the_derivative_of_the_residual(kind, compiled, rng):
    chain = random_chain(
        rng, 6, (2,), arm=(0, 1, 2, 3, 1, 4), scale=[1, 1, 1, -1, 0.5, 2]
    )
    problem = NumericProblem([chain], *endless(5), directions=[DIRECTION], length=1.0)
    for _ in range(5):
        q0 = rng.uniform(-2, 2, 5)
        goal = goal_of(kind, chain.tool(q0))
        # near the goal: what rows of directions leave out is of second order there
        q = q0 + rng.normal(size=5) * 1e-7
        error, jacobian, miss = linearised(problem, goal, q, compiled)
        assert miss @ miss >= (error @ error) * (1 - 1e-12)
        step = 1e-6
        numeric = np.stack(
            [
                linearised(problem, goal, q + step * row, compiled)[0]
                - linearised(problem, goal, q - step * row, compiled)[0]
                for row in np.eye(5)
            ],
            axis=1,
        )
        np.testing.assert_allclose(jacobian, numeric / (2 * step), atol=3e-6)


def test_half_a_turn_is_no_zero(rng):
    chain = random_chain(rng, 6)
    problem = NumericProblem([chain], *endless(6))
    for axis in np.eye(3):
        q = rng.uniform(-2, 2, 6)
        pose = chain.tool(q)
        turned = pose.copy()
        turned[:3, :3] = matrix_from_axis_angle(axis, math.pi) @ pose[:3, :3]
        for kind in (Kind.Rotation3D, Kind.Direction3D):
            goal = IkParameterization.from_pose(kind, turned)
            result = problem.solve(goal, q)
            assert result
            reached = IkParameterization.from_pose(kind, chain.tool(result.q))
            assert reached.distance2(goal) < 1e-14


def test_tools_are_those_of_the_chain(rng):
    chain = random_chain(
        rng,
        6,
        (1, 4),
        arm=(0, 1, 0, 2, 3, 3),
        scale=[1, 2, -0.5, 1, 1, 0.3],
        offset=[0.1, 0.2, -0.3, 0, 1, 2],
    )
    problem = NumericProblem([chain], *endless(4))
    for q in rng.uniform(-3, 3, (20, 4)):
        np.testing.assert_allclose(problem.tools(q)[0], chain.tool(q), atol=1e-12)


# -- convergence -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "limits"), [(PUMA, PUMA_LIMITS), (PANDA, PANDA_LIMITS)]
)
def test_reachable_poses_within_limits_are_solved(rows, limits, rng):
    chain = of_table(rows)
    problem = NumericProblem([chain], *limits.T)
    n = 2000
    solved = 0
    for q in rng.uniform(*limits.T, (n, len(rows))):
        pose = chain.tool(q)
        result = problem.solve(IkParameterization.transform_6d(pose))
        solved += result.success
        assert ((result.q >= limits[:, 0]) & (result.q <= limits[:, 1])).all()
        if result:
            assert np.abs(chain.tool(result.q) - pose).max() < 3e-9
    assert solved >= 0.999 * n


@pytest.mark.parametrize("extra", [0, 1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_met(kind, extra, rng):
    n = (3 if kind is Kind.TranslationLocalGlobal6D else kind.dof) + extra
    solved = 0
    for _ in range(20):
        chain = random_chain(rng, n, (n - 1,) if n > 3 else ())
        problem = NumericProblem(
            [chain], np.full(n, -3), np.full(n, 3), directions=[DIRECTION]
        )
        goal = goal_of(kind, chain.tool(rng.uniform(-2.5, 2.5, n)))
        result = problem.solve(goal, np.zeros(n))
        solved += result.success
        if result:
            assert missed(goal, chain.tool(result.q)) < 1e-7
    assert solved == 20


def test_coupled_axes_and_followers(rng):
    for _ in range(10):
        chain = random_chain(
            rng,
            8,
            (7,),
            arm=(0, 1, 2, 1, 3, 4, 5, 2),
            scale=[1, 1, 1, -1, 1, 1, 1, 0.1],
            offset=[0, 0, 0, 0.4, 0, 0, 0, 0.2],
        )
        q = rng.uniform(-2, 2, 6)
        goal = IkParameterization.transform_6d(chain.tool(q))
        result = NumericProblem([chain], *endless(6)).solve(goal)
        assert result
        np.testing.assert_allclose(chain.tool(result.q), chain.tool(q), atol=3e-9)


def test_a_singular_pose_is_met():
    chain = of_table(PUMA)
    problem = NumericProblem([chain], *endless(6))
    for q in ([0, 0, 0, 0, 0, 0], [0, RIGHT, -RIGHT, 0, 0, 0], [1, 0, -RIGHT, 0, 0, 2]):
        goal = IkParameterization.transform_6d(chain.tool(np.array(q, float)))
        result = problem.solve(goal)
        assert result
        assert missed(goal, chain.tool(result.q)) < 1e-8


def test_several_solutions_are_those_of_the_analytic_solver(rng):
    chain = of_table(PUMA)
    problem = NumericProblem([chain], *endless(6))
    q = rng.uniform(-2, 2, 6)
    found = problem.solve_several(IkParameterization.transform_6d(chain.tool(q)), 100)
    assert len(found) == 8  # a PUMA has eight
    for row in found:
        np.testing.assert_allclose(chain.tool(row), chain.tool(q), atol=3e-9)


def test_plain_and_compiled_agree(rng):
    chain = of_table(PUMA)
    problem = NumericProblem([chain], *PUMA_LIMITS.T)
    pose = chain.tool(rng.uniform(*PUMA_LIMITS.T))
    settings = settings_of(50, 1e-9)
    answers = []
    for solve in (kernel.module.solve, kernel.now()):
        out = np.empty((1, 10))
        with np.errstate(all="ignore"):
            assert solve(problem.array, np.eye(4), pose, np.zeros(6), settings, out)
        answers.append(out[0, :6])
    np.testing.assert_allclose(*answers, atol=1e-7)


# -- redundancy --------------------------------------------------------------------


def test_the_configuration_nearest_to_the_start_is_found(rng):
    chain = of_table(PANDA)
    lower, upper = PANDA_LIMITS.T
    problem = NumericProblem([chain], lower, upper)
    for _ in range(20):
        q0 = rng.uniform(lower + 0.4, upper - 0.4)
        pose = chain.tool(q0 + rng.normal(size=7) * 0.1)
        goal = IkParameterization.transform_6d(pose)
        plain = problem.solve(goal, q0, nearest=False)
        near = problem.solve(goal, q0)
        assert near
        assert np.abs(chain.tool(near.q) - pose).max() < 3e-9
        distance = np.linalg.norm(near.q - q0)
        assert distance <= np.linalg.norm(plain.q - q0) + 1e-9
        # what is left of the way back lies across the motions that keep the pose
        _, jacobian, _ = linearised(problem, goal, near.q)
        null = np.linalg.svd(jacobian)[2][-1]
        inside = ((near.q > lower + 1e-6) & (near.q < upper - 1e-6)).all()
        if inside:
            assert abs(null @ (q0 - near.q)) < 1e-4 * max(1.0, distance)


# -- several tasks, least squares, failures ------------------------------------------


def test_two_tools_that_share_joints(rng):
    trunk = random_chain(rng, 9)
    left = chain_of(trunk.screws[:6], trunk.home)
    right = chain_of(
        trunk.screws[[0, 1, 6, 7, 8]], random_chain(rng, 1).home, arm=(0, 1, 6, 7, 8)
    )
    problem = NumericProblem([left, right], np.full(9, -3.0), np.full(9, 3.0))
    for q in rng.uniform(-2, 2, (10, 9)):
        goals = [
            IkParameterization.transform_6d(left.tool(q)),
            IkParameterization.translation_3d(right.tool(q)[:3, 3]),
        ]
        result = problem.solve(goals)
        assert result
        assert missed(goals[0], left.tool(result.q)) < 1e-7
        assert missed(goals[1], right.tool(result.q)) < 1e-7


def test_what_is_too_much_is_answered_only_when_asked(rng):
    chain = of_table(PUMA[:5])
    problem = NumericProblem([chain], *endless(5))
    pose = chain.tool(rng.uniform(-1, 1, 5))
    pose[:3, :3] = pose[:3, :3] @ matrix_from_axis_angle([0.0, 0.2, 0.3])
    goal = IkParameterization.transform_6d(pose)
    refused = problem.solve(goal)
    assert not refused
    assert refused.position_error + refused.rotation_error > 1e-3
    best = problem.solve(goal, least_squares=True)
    assert best

    def cost(q):
        t = chain.tool(q)
        from pyrave.spatial import rotation_vector

        w = rotation_vector(pose[:3, :3] @ t[:3, :3].T)
        d = (pose[:3, 3] - t[:3, 3]) / problem.length
        return float(d @ d + w @ w)

    least = cost(best.q)
    for _ in range(50):
        assert cost(best.q + rng.normal(size=5) * 1e-3) >= least - 1e-12


def test_weights_decide_between_what_cannot_be_met_together():
    line = np.array([[1.0, 0, 0, 0, 0, 0, 1.0]])
    chain = chain_of(line, np.eye(4))
    goals = [IkParameterization.translation_3d((x, 0, 0)) for x in (0.0, 1.0)]
    for weights, x in (((1, 1), 0.5), ((1, 3), 0.75)):
        problem = NumericProblem([chain] * 2, [-5], [5], weights=weights)
        assert not problem.solve(goals)
        result = problem.solve(goals, least_squares=True)
        assert result.q[0] == pytest.approx(x, abs=1e-8)
        assert result.position_error == pytest.approx(max(x, 1 - x))


def test_an_unreachable_pose_says_how_near_it_came():
    chain = of_table(PUMA)
    problem = NumericProblem([chain], *PUMA_LIMITS.T)
    result = problem.solve(IkParameterization.translation_3d((2.0, 0, 0.67)))
    assert not result
    reach = 2.0 - np.linalg.norm(chain.tool(result.q)[:3, 3] - (0, 0, 0.67))
    assert result.position_error == pytest.approx(reach, rel=1e-2)
    assert result.rotation_error == 0.0
    assert "missed by 1.0" in result.reason(chain.names)


def test_limits_that_bind_are_named():
    line = np.array([[1.0, 0, 0, 0, 0, 0, 1.0]])
    chain = chain_of(line, np.eye(4))
    problem = NumericProblem([chain], [-1], [2])
    result = problem.solve(IkParameterization.translation_3d((3, 0, 0)))
    assert not result
    assert result.at_upper == (0,)
    assert result.position_error == pytest.approx(1.0)
    assert result.reason(("slide",)).endswith("; slide at its upper limit")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"lower": [1.0]}, "lower limit of joint 0 is above"),
        ({"weights": [0.0]}, "expected positive ones"),
        ({"length": 0.0}, "length is 0.0, expected"),
        ({"lower": [], "upper": []}, "a chain has joint 0, limits are given for 0"),
        ({"chains": []}, "needs a chain"),
    ],
)
def test_wrong_problems_are_refused(change, text):
    chain = chain_of(np.array([[1.0, 0, 0, 0, 0, 0, 1.0]]), np.eye(4))
    given = {"chains": [chain], "lower": [-1.0], "upper": [0.5], **change}
    with pytest.raises(ArgumentError, match=text):
        NumericProblem(
            given.pop("chains"), given.pop("lower"), given.pop("upper"), **given
        )


def test_wrong_goals_are_refused():
    chain = chain_of(np.array([[1.0, 0, 0, 0, 0, 0, 1.0]]), np.eye(4))
    problem = NumericProblem([chain], [-1], [1])
    goal = IkParameterization.translation_3d((0, 0, 0))
    with pytest.raises(ArgumentError, match="2 goals are given for 1 chains"):
        problem.solve([goal, goal])
    with pytest.raises(NotSupportedError, match="is a velocity"):
        problem.solve(IkParameterization(Kind.Translation3DVelocity, (0, 0, 0)))


# -- the interface -------------------------------------------------------------------

HERON = "robots/heron7.robot.xml"


@pytest.fixture
def arm():
    env = pyrave.load(HERON)
    (robot,) = env.robots
    manipulator = robot.active_manipulator
    manipulator.ik_solver = "Numerical"
    yield manipulator
    assert env is not None


def reachable(arm, rng, n):
    lower, upper = (bound[arm.arm_indices] for bound in arm.robot.dof_limits)
    low, high = np.maximum(lower, -3), np.minimum(upper, 3)
    with arm.robot.preserve_state():
        for q in rng.uniform(low, high, (n, len(low))):
            arm.arm_dof_values = q
            yield arm.transform.copy()


def test_the_interface_solves_poses_in_the_world(arm, rng):
    arm.robot.transform = (0.9234, 0.1026, -0.3078, 0.2052, 1.0, 2.0, 3.0)
    assert all(map(arm.ik_solver.supports, (Kind.Ray4D, Kind.Ray4DVelocity)))
    assert arm.ik_solver.get_num_free_parameters() == 0
    for pose in list(reachable(arm, rng, 10)):
        q = arm.solve_ik(pose)
        assert q is not None
        with arm.robot.preserve_state():
            arm.arm_dof_values = q
            np.testing.assert_allclose(arm.transform, pose, atol=1e-8)


def test_all_solutions_meet_the_goal(arm, rng):
    (pose,) = reachable(arm, rng, 1)
    rows = arm.solve_ik(pose, all=True)
    assert len(rows) > 1
    for q in rows:
        arm.arm_dof_values = q
        np.testing.assert_allclose(arm.transform, pose, atol=1e-8)


def test_what_is_out_of_reach_says_how_near_the_arm_comes(arm):
    far = arm.transform.copy()
    far[:3, 3] += (0, 0, 5.0)
    goal = IkParameterization.transform_6d(far)
    answer = arm.ik_solver.solve(goal)
    assert not answer
    assert answer.action & pyrave.IkAction.REJECT_KINEMATICS
    assert "missed by" in answer.failures[0]
    assert answer.values["position_error"] > 3.0
    result = arm.find_ik(goal, nearest=True)
    assert not result
    assert result.nearest.distance > 3.0
    arm.arm_dof_values = result.nearest.values
    np.testing.assert_allclose(arm.transform, result.nearest.pose, atol=1e-9)


def test_limits_can_be_ignored(arm):
    indices = arm.arm_indices
    pose = arm.transform.copy()
    lower, upper = arm.robot.dof_limits
    q = arm.arm_dof_values
    lower[indices], upper[indices] = q + 0.05, np.maximum(upper[indices], q + 0.1)
    turned = pose.copy()
    robot = arm.robot
    robot.dof_limits = lower, np.minimum(upper, lower + 0.02)
    goal = IkParameterization.transform_6d(turned)
    assert not arm.ik_solver.solve(goal)
    free = arm.ik_solver.solve(goal, options=pyrave.IkFilterOptions.IGNORE_JOINT_LIMITS)
    assert free


def test_filters_see_candidates_and_choose(arm, rng):
    (pose,) = reachable(arm, rng, 1)
    goal = IkParameterization.transform_6d(pose)
    seen = []

    def few(q, _arm, _goal):
        seen.append(q.copy())
        return pyrave.IkAction.SUCCESS if len(seen) == 3 else pyrave.IkAction.REJECT

    with arm.ik_solver.register_custom_filter(0, few):
        answer = arm.ik_solver.solve(goal)
    assert answer
    assert len(seen) == 3
    np.testing.assert_array_equal(answer.solution, seen[-1])
    with arm.ik_solver.register_custom_filter(
        0, lambda *_: pyrave.IkAction.REJECT | pyrave.IkAction.QUIT
    ):
        answer = arm.ik_solver.solve(goal)
    assert not answer
    assert answer.action & pyrave.IkAction.REJECT_CUSTOM_FILTER


@pytest.mark.parametrize(
    "words", ["starts", "starts=0", "tolerance=x", "tolerance=7", "quickly"]
)
def test_unknown_words_are_refused(arm, words):
    with pytest.raises(pyrave.Error, match=r"of Numerical is|behind its id"):
        arm.robot.env.create("iksolver", f"Numerical {words}")


def test_words_are_options(arm):
    solver = arm.robot.env.create(
        "iksolver", "Numerical least_squares=1 starts=7 tolerance=1e-6"
    )
    assert (solver.least_squares, solver.starts, solver.tolerance) == (True, 7, 1e-6)
    with pytest.raises(pyrave.Error, match="has no manipulator"):
        solver.solve(IkParameterization.translation_3d((0, 0, 0)))


def test_free_parameters_are_refused(arm):
    goal = IkParameterization.transform_6d(arm.transform)
    with pytest.raises(ArgumentError, match="no free parameters, found 2"):
        arm.ik_solver.solve(goal, free=(0.5, 0.5))


# -- the whole body -----------------------------------------------------------------

ROTATIONS = [
    Affine.NONE,
    Affine.ROTATION_AXIS,
    Affine.ROTATION_3D,
    Affine.ROTATION_QUAT,
]


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("mask", [Affine.NONE, Affine.X | Affine.Y, Affine(7)])
def test_the_base_moves_with_the_arm(arm, mask, rotation, rng):
    robot = arm.robot
    affine = Affine(mask | rotation)
    robot.transform = (0.9234, 0.1026, -0.3078, 0.2052, 1.0, 2.0, 3.0)
    if rotation is Affine.ROTATION_AXIS:
        robot.transform = (0.9762, 0.0, 0.0, 0.2169, 1.0, 2.0, 3.0)
    robot.set_active_dofs(arm.arm_indices, affine, (0, 0, 1))
    lower, upper = robot.active.limits
    for _ in range(3):
        q = robot.active.values + rng.normal(size=robot.active.dof) * 0.2
        with robot.preserve_state():
            robot.active.values = np.clip(q, lower, upper)
            pose = arm.transform.copy()
        goal = IkParameterization.transform_6d(pose)
        result = arm.ik_solver.solve_tasks([(arm, goal, 1.0)])
        assert result
        assert result.solution.shape == (robot.active.dof,)
        with robot.preserve_state():
            robot.active.values = result.solution
            np.testing.assert_allclose(arm.transform, pose, atol=1e-8)


def test_the_base_drives_to_what_the_arm_cannot_reach(arm):
    robot = arm.robot
    pose = arm.transform.copy()
    pose[0, 3] += 4.0
    goal = IkParameterization.transform_6d(pose)
    robot.set_active_dofs(arm.arm_indices)
    answer = arm.ik_solver.solve_tasks([(arm, goal, 1.0)])
    assert not answer
    assert isinstance(answer, pyrave.IkReturn)
    assert answer.failures[0].startswith("missed by ")
    assert answer.values["nearest"].shape == (robot.active.dof,)
    near = arm.ik_solver.solve_tasks([(arm, goal, 1.0)], least_squares=True)
    assert near
    assert near.values["position_error"] > 1.0
    affine = Affine.X | Affine.Y | Affine.ROTATION_AXIS
    robot.set_active_dofs(arm.arm_indices, affine)
    result = arm.ik_solver.solve_tasks([(arm, goal, 1.0)])
    assert result
    robot.active.values = result.solution
    np.testing.assert_allclose(arm.transform, pose, atol=1e-8)
    assert robot.transform[0, 3] > 2.0


def test_tasks_of_nothing_or_of_two_robots_are_refused(arm):
    with pytest.raises(ArgumentError, match="there are no tasks"):
        arm.ik_solver.solve_tasks([])
    env = arm.robot.env
    other = pyrave.load(HERON)
    goal = IkParameterization.transform_6d(arm.transform)
    far = next(iter(other.robots)).active_manipulator
    with pytest.raises(ArgumentError, match="expected those of one robot"):
        arm.ik_solver.solve_tasks([(arm, goal, 1.0), (far, goal, 1.0)])
    arm.robot.set_active_dofs([])
    with pytest.raises(ArgumentError, match="no active degrees of freedom"):
        arm.ik_solver.solve_tasks([(arm, goal, 1.0)])
    assert env is not None
