"""Joint velocities for goals of velocity types, against the motion of goals."""

from __future__ import annotations

import numpy as np
import pytest
from arms import arm_xml, random_screws

import pyrave
from pyrave import ArgumentError, IkParameterization
from pyrave import IkParameterizationType as Kind
from pyrave.ik import IkAction, IkFilterOptions

KINDS = [kind for kind in Kind if not kind.is_velocity]
IN_BASE = ("TranslationX", "TranslationY", "TranslationZ")
"""Kinds whose angles and planes are the base's."""
STEP = 1e-5
NO_LIMITS = IkFilterOptions.IGNORE_JOINT_LIMITS
TILTED = (*np.divide((0.9, 0.1, -0.3, 0.2), 0.95**0.5), 1.0, 2.0, 3.0)
TURNED = (0.8, 0.0, 0.0, 0.6, 1.0, 2.0, 3.0)


def goal_at(arm, kind, q):
    """Return the values of the goal that the tool meets, as solvers take goals."""
    with arm.robot.preserve_state():
        arm.robot.set_dof_values(q, arm.arm_indices, pyrave.LimitCheck.NONE)
        if not kind.name.startswith(IN_BASE):
            return arm.ik_parameterization(kind).array
        base = arm.base.transform
        local = np.linalg.inv(base) @ arm.transform
    goal = IkParameterization.from_pose(kind, local, arm.direction)
    return goal.transformed(base).array


def rates_of(arm, kind, q, speeds):
    """Return how the goal's values change, by central differences."""
    ahead = goal_at(arm, kind, q + STEP * speeds)
    behind = goal_at(arm, kind, q - STEP * speeds)
    return (ahead - behind) / (2.0 * STEP)


def what_counts(arm, kind, rates):
    """Return the rates without those of a point along the line that it may be on."""
    if kind not in (Kind.Ray4D, Kind.Lookat3D):
        return rates
    pointing = arm.transform[:3, :3] @ arm.direction
    point = rates[-3:]
    return np.append(rates[:-3], point - pointing * (pointing @ point))


def made(seed, n, kind):
    rng = np.random.default_rng(seed)
    env = pyrave.Environment()
    env.load_string(arm_xml(*random_screws(rng, n)))
    arm = env.robots[0].manipulators[0]
    arm.direction = (0.36, -0.48, 0.8)
    plane = kind.name.startswith("TranslationXY")
    env.robots[0].transform = TURNED if plane else TILTED
    return env, arm, rng


@pytest.mark.parametrize("solver", ["Analytic", "Numerical"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_goal_moves_as_it_was_asked_to(kind, solver):
    _env, arm, rng = made(3, 6, kind)
    arm.ik_solver = solver
    assert arm.ik_solver.supports(kind.velocity_type)
    for _ in range(5):
        q, speeds = rng.uniform(-2.5, 2.5, (2, 6))
        arm.arm_dof_values = q
        rates = rates_of(arm, kind, q, speeds)
        goal = IkParameterization(kind.velocity_type, tuple(rates))
        found = arm.solve_ik(goal)
        np.testing.assert_allclose(
            what_counts(arm, kind, rates_of(arm, kind, q, found)),
            what_counts(arm, kind, rates),
            atol=1e-7,
        )
        assert np.linalg.norm(found) <= np.linalg.norm(speeds) + 1e-6
        if kind.dof == 6:
            np.testing.assert_allclose(found, speeds, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_arms_with_no_joint_too_many_have_one_answer(kind):
    n = 3 if kind is Kind.TranslationLocalGlobal6D else kind.dof
    _env, arm, rng = made(8, n, kind)
    q, speeds = rng.uniform(-2.5, 2.5, (2, n))
    arm.arm_dof_values = np.zeros(n)
    goal = IkParameterization(kind.velocity_type, tuple(rates_of(arm, kind, q, speeds)))
    found = arm.find_ik(goal, q0=q)
    assert found.complete
    assert found.goal is goal
    (values,) = found.solutions
    np.testing.assert_allclose(values, speeds, atol=1e-6)
    np.testing.assert_array_equal(arm.arm_dof_values, np.zeros(n))


def test_a_point_that_moves_in_the_tool_takes_its_part():
    kind = Kind.TranslationLocalGlobal6D
    _env, arm, rng = made(4, 3, kind)
    q, speeds, inside = rng.uniform(-2.0, 2.0, (3, 3))
    arm.arm_dof_values = q
    tool = rates_of(arm, Kind.Translation3D, q, speeds)
    rates = (*inside, *(tool + arm.transform[:3, :3] @ inside))
    found = arm.solve_ik(IkParameterization(kind.velocity_type, rates))
    np.testing.assert_allclose(found, speeds, atol=1e-6)


def test_lengths_of_directions_and_quaternions_do_not_matter():
    _env, arm, rng = made(5, 6, Kind.Transform6D)
    q, speeds = rng.uniform(-2.0, 2.0, (2, 6))
    arm.arm_dof_values = q
    for kind, size in ((Kind.Transform6D, 4), (Kind.TranslationDirection5D, 3)):
        rates = rates_of(arm, kind, q, speeds)
        plain = arm.solve_ik(IkParameterization(kind.velocity_type, tuple(rates)))
        rates[:size] += 0.7 * goal_at(arm, kind, q)[:size]
        same = arm.solve_ik(IkParameterization(kind.velocity_type, tuple(rates)))
        np.testing.assert_allclose(same, plain, atol=1e-6)


def test_rates_that_no_joint_makes_have_no_answer():
    _env, arm, _rng = made(6, 2, Kind.Translation3D)
    goal = IkParameterization(Kind.Translation3DVelocity, (1.0, 2.0, 3.0))
    assert arm.solve_ik(goal) is None
    assert arm.solve_ik(goal, all=True).shape == (0, 2)
    found = arm.find_ik(goal)
    assert not found
    assert found.action == IkAction.REJECT | IkAction.REJECT_KINEMATICS
    assert "no joint velocities give the tool this" in found.reasons[0]
    answer = arm.ik_solver.solve(goal)
    assert not answer
    assert answer.failures == found.reasons


@pytest.mark.parametrize("quick", [0.0, 0.01])
def test_velocity_limits_of_joints_are_reasons(quick):
    _env, arm, rng = made(7, 3, Kind.Translation3D)
    q, speeds = rng.uniform(-2.0, 2.0, (2, 3))
    arm.arm_dof_values = q
    rates = rates_of(arm, Kind.Translation3D, q, speeds)
    goal = IkParameterization(Kind.Translation3DVelocity, tuple(rates))
    limits = np.abs(speeds) + 0.01
    arm.robot.dof_velocity_limits = limits
    np.testing.assert_allclose(arm.solve_ik(goal), speeds, atol=1e-6)
    limits[1] = quick
    arm.robot.dof_velocity_limits = limits
    assert arm.solve_ik(goal) is None
    found = arm.find_ik(goal)
    assert found.action == IkAction.REJECT | IkAction.REJECT_JOINT_LIMITS
    assert f"joint 'j1' would move with {speeds[1]:.4g}" in found.reasons[0]
    free = arm.solve_ik(goal, options=NO_LIMITS)
    np.testing.assert_allclose(free, speeds, atol=1e-6)


def test_redundant_arms_find_the_least_velocities_within_limits():
    optimize = pytest.importorskip("scipy.optimize")
    kind = Kind.Translation3D
    _env, arm, rng = made(9, 7, kind)
    held = 0
    for _ in range(20):
        q, speeds = rng.uniform(-2.0, 2.0, (2, 7))
        arm.arm_dof_values = q
        rates = rates_of(arm, kind, q, speeds)
        goal = IkParameterization(kind.velocity_type, tuple(rates))
        arm.robot.dof_velocity_limits = np.full(7, 10.0)
        least = arm.solve_ik(goal)
        limit = 0.8 * np.abs(least).max()
        arm.robot.dof_velocity_limits = np.full(7, limit)
        jacobian = arm.jacobian()[:3]
        best = optimize.minimize(
            lambda x: x @ x,
            least,
            jac=lambda x: 2.0 * x,
            bounds=[(-limit, limit)] * 7,
            constraints={
                "type": "eq",
                "fun": lambda x, a=jacobian, b=rates: a @ x - b,
                "jac": lambda _, a=jacobian: a,
            },
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        found = arm.solve_ik(goal)
        assert (found is not None) == bool(best.success)
        if found is None:
            continue
        held += 1
        assert np.abs(found).max() <= limit * (1.0 + 1e-6)
        np.testing.assert_allclose(jacobian @ found, rates, atol=1e-6)
        np.testing.assert_allclose(found @ found, best.x @ best.x, rtol=1e-5)
        assert not arm.find_ik(goal).complete
    assert held > 10


def test_no_joint_leaves_its_range():
    _env, arm, rng = made(10, 3, Kind.Translation3D)
    lower, upper = arm.robot.dof_limits
    q, speeds = rng.uniform(-2.0, 2.0, (2, 3))
    q[0] = upper[0] if speeds[0] > 0.0 else lower[0]
    rates = rates_of(arm, Kind.Translation3D, q, speeds)
    arm.arm_dof_values = q
    goal = IkParameterization(Kind.Translation3DVelocity, tuple(rates))
    assert "it is at the end of its range" in arm.find_ik(goal).reasons[0]
    back = IkParameterization(Kind.Translation3DVelocity, tuple(-rates))
    np.testing.assert_allclose(arm.solve_ik(back), -speeds, atol=1e-6)


def test_an_angle_at_its_end_only_stays():
    _env, arm, rng = made(11, 6, Kind.TranslationZAxisAngle4D)
    arm.arm_dof_values = rng.uniform(-2.0, 2.0, 6)
    up = arm.base.transform[:3, 2]
    arm.direction = arm.transform[:3, :3].T @ up
    kind = Kind.TranslationZAxisAngle4DVelocity
    still = IkParameterization(kind, (0.0, 0.1, 0.2, 0.3))
    found = arm.solve_ik(still, options=NO_LIMITS)
    turned = arm.jacobian()[3:] @ found
    np.testing.assert_allclose(np.cross(turned, up), 0.0, atol=1e-9)
    grows = IkParameterization(kind, (0.5, 0.1, 0.2, 0.3))
    assert arm.solve_ik(grows, options=NO_LIMITS) is None


def test_velocities_have_no_free_parameters():
    _env, arm, _rng = made(12, 7, Kind.Translation3D)
    goal = IkParameterization(Kind.Translation3DVelocity, (0.0, 0.0, 0.1))
    with pytest.raises(ArgumentError, match="has no free parameters, found 1"):
        arm.solve_ik(goal, free=(0.5,))


def test_callbacks_hear_of_velocities():
    _env, arm, _rng = made(13, 3, Kind.Translation3D)
    goal = IkParameterization(Kind.Translation3DVelocity, (0.0, 0.0, 0.1))
    heard = []
    with arm.ik_solver.register_finish_callback(
        lambda answer, _arm, asked: heard.append((answer.solution, asked))
    ):
        found = arm.solve_ik(goal)
    np.testing.assert_array_equal(heard[0][0], found)
    assert heard[0][1] is goal
