"""Constraints of paths: derivatives, regions, projections, plans that keep them."""

import numpy as np
import pytest
from tests.support.straight_planner import StraightPlanner

import pyrave
from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.planning import (
    Constraint,
    FunctionConstraint,
    PlanFailureCode,
    PlanningSpace,
    TaskSpaceRegion,
    ToolDirection,
)
from pyrave.planning.query.constraints import PathConstraints

WIDE = [[-9, 9], [-9, 9], [-9, 9], [-0.1, 0.1], [-0.2, 0.1], [-4, 4]]


@pytest.fixture
def arm():
    env = pyrave.load("robots/heron7.robot.xml")
    env.register("planner", "Straight", StraightPlanner)
    arm = env.robots["heron7"].active_manipulator
    arm.robot.set_active_dofs(arm.arm_indices)
    arm.arm_dof_values = [0.2, 0.5, -0.1, 1.2, 0.1, 1.1, 0.3]
    return arm


def region(arm, bounds, offset=None):
    frame = np.eye(4)
    frame[:3, :3] = pyrave.spatial.matrix_from_axis_angle([0.2, 0.1, 0.4])
    frame[:3, 3] = arm.transform[:3, 3] + 0.05
    return TaskSpaceRegion(frame, bounds, offset)


def random_rows(space, count, seed=1):
    rng = np.random.default_rng(seed)
    return space.samples(rng, count, space.values) * 0.6


@pytest.mark.parametrize("kind", ["direction", "leaning", "region", "offset"])
def test_derivatives_are_those_of_differences(arm, kind):
    offset = np.eye(4)
    offset[:3, 3] = 0.1, -0.05, 0.2
    narrow = [[-0.01, 0.01]] * 3 + [[-0.1, 0.1]] * 3
    constraint = {
        "direction": ToolDirection([0.1, 0.2, 1.0], [0, 0.3, 1]),
        "leaning": ToolDirection([0, 0, 1], [0, 0.3, 1], angle=0.3),
        "region": region(arm, narrow),
        "offset": region(arm, narrow, offset),
    }[kind]
    space = PlanningSpace(arm.robot)
    all_ = PathConstraints(space, arm, constraint)
    for row in random_rows(space, 20):
        at = all_.at(row)
        if np.abs(constraint.excess(at)).max() == 0.0:
            continue
        exact = constraint.derivative(at)
        differences = Constraint.derivative(constraint, at)
        assert np.abs(exact - differences).max() < 1e-6


def test_derivatives_by_motions_of_a_base(arm):
    robot = arm.robot
    robot.transform = [0.9, 0.1, 0.3, 0.3, 1.0, 2.0, 0.5]
    axes = pyrave.Affine.X | pyrave.Affine.Z | pyrave.Affine.ROTATION_AXIS
    robot.set_active_dofs([0, 2, 5], axes, [0.1, 0.2, 1.0])
    space = PlanningSpace(robot)
    narrow = [[-0.01, 0.01]] * 3 + [[-0.1, 0.1]] * 3
    for constraint in (ToolDirection([0.1, 0.2, 1.0]), region(arm, narrow)):
        at = PathConstraints(space, arm, constraint).at(space.values + 0.1)
        exact = constraint.derivative(at)
        assert np.abs(exact - Constraint.derivative(constraint, at)).max() < 1e-6
        there = at.tool_pose
        assert at.robot is robot
        assert np.abs(arm.transform - there).max() < 1e-12


def test_displacements_and_poses_are_inverse(arm):
    one = region(arm, WIDE, arm.transform)
    rng = np.random.default_rng(2)
    for row in rng.uniform(-1.4, 1.4, (50, 6)):
        assert np.abs(one.displacement(one.pose(row)) - row).max() < 1e-9


def test_angles_count_at_their_nearest_turn(arm):
    space = PlanningSpace(arm.robot)
    frame = np.eye(4)
    bounds = [[-9, 9]] * 3 + [[-9, 9], [-9, 9], [3.0, 3.4]]
    one = TaskSpaceRegion(frame, bounds)
    pose = one.pose([0, 0, 0, 0, 0, -3.0])  # the same as 3.283
    solution = arm.solve_ik(
        np.block([[pose[:3, :3], arm.transform[:3, 3:]], [0, 0, 0, 1]])
    )
    if solution is not None:
        at = PathConstraints(space, arm, one).at(solution)
        assert np.abs(one.excess(at)).max() < 1e-9


@pytest.mark.parametrize("kind", ["direction", "region", "function"])
def test_projections_meet_constraints_nearby(arm, kind):
    height = arm.transform[2, 3]
    flat = [[-9, 9], [-9, 9], [0, 0], [-9, 9], [-9, 9], [-9, 9]]
    constraint = {
        "direction": ToolDirection([0, 0, 1], arm.transform[:3, 2], angle=0.05),
        "region": region(arm, flat),
        "function": FunctionConstraint(lambda _: arm.transform[2, 3] - height),
    }[kind]
    space = PlanningSpace(arm.robot)
    all_ = PathConstraints(space, arm, constraint)
    start = space.values
    rng = np.random.default_rng(3)
    for _ in range(20):
        row = start + rng.uniform(-0.1, 0.1, 7)
        found = all_.projected(row)
        assert found is not None
        assert all_.are_met(found)
        # Newton's method ends where constraints are met within a part of the tolerance
        assert np.abs(constraint.excess(all_.at(found))).max() <= constraint.tolerance
        assert np.abs(found - row).max() < 0.6


def test_what_cannot_be_projected_is_none(arm):
    space = PlanningSpace(arm.robot)
    assert PathConstraints(space, arm, lambda _: False).projected(space.values) is None
    far = TaskSpaceRegion(np.eye(4), [[90, 91], *WIDE[1:]])
    assert PathConstraints(space, arm, far).projected(space.values) is None


def test_plans_keep_constraints(arm):
    def turned(values):
        return abs(values[6] - 0.3) < 0.5

    result = arm.plan({"joint1": 0.8}, constraints=turned, planner="Straight")
    assert result, result.cause
    result = arm.plan({"joint7": 1.5}, constraints=turned, planner="Straight")
    assert result.failure.code is PlanFailureCode.GOAL_CONSTRAINT
    assert "turned is not met" in result.cause
    upright = ToolDirection([0, 0, 1], arm.transform[:3, 2], angle=0.1)
    result = arm.plan({"joint1": 0.8}, constraints=[upright], planner="Straight")
    assert result.failure.code is PlanFailureCode.GOAL_CONSTRAINT
    assert "tool direction within 0.1 rad of" in result.cause
    start = arm.arm_dof_values
    start[3] += 0.5
    result = arm.plan(
        values=arm.arm_dof_values,
        start=start,
        constraints=upright,
        planner="Straight",
    )
    assert result.failure.code is PlanFailureCode.START_CONSTRAINT


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: ToolDirection([0, 0, 0]),
            "direction of a ToolDirection is .*direction",
        ),
        (lambda: ToolDirection([0, 0, 1], [1, 2]), "target of a ToolDirection"),
        (lambda: ToolDirection([0, 0, 1], angle=-1), "angle of a ToolDirection is -1"),
        (lambda: ToolDirection([0, 0, 1], tolerance=0), "tolerance of a ToolDirection"),
        (lambda: TaskSpaceRegion(np.eye(3), WIDE), "T_world_region"),
        (lambda: TaskSpaceRegion(np.eye(4), WIDE[1:]), "bounds of a TaskSpaceRegion"),
        (
            lambda: TaskSpaceRegion(np.eye(4), [[1, 0], *WIDE[1:]]),
            "in row 0, expected the least number first",
        ),
        (lambda: FunctionConstraint(3), "a constraint is 3"),
    ],
)
def test_wrong_constraints(make, said):
    with pytest.raises(ArgumentError, match=said):
        make()


@pytest.mark.parametrize("answer", [None, "no", [[1.0]], float("nan")])
def test_wrong_answers_of_functions(arm, answer):
    with pytest.raises(ArgumentError, match=r"returned .*, expected True or False"):
        arm.plan({"joint1": 0.8}, constraints=lambda _: answer, planner="Straight")


def test_a_text_is_no_constraint(arm):
    with pytest.raises(ArgumentError, match="constraints is 'upright', expected"):
        arm.plan({"joint1": 0.8}, constraints="upright", planner="Straight")


def test_a_robot_without_a_tool(arm):
    robot = arm.robot
    for name in robot.manipulators.names:
        robot.remove_manipulator(name)
    with pytest.raises(NotSupportedError, match="is about a tool"):
        robot.plan(
            values=robot.active.values + 0.1,
            constraints=ToolDirection([0, 0, 1]),
            planner="Straight",
        )


def test_a_direction_may_be_what_is_up_where_a_motion_begins(arm):
    space = PlanningSpace(arm.robot)
    upright = ToolDirection(angle=0.1)
    assert upright.direction is None
    start = space.values + 0.2
    with arm.robot.preserve_state():
        arm.arm_dof_values = start
        up = arm.transform[2, :3]
    (chosen,) = PathConstraints(space, arm, upright, start).all
    np.testing.assert_allclose(chosen.direction, up, atol=1e-12)
    assert chosen.angle == 0.1
    (chosen,) = PathConstraints(space, arm, upright).all
    np.testing.assert_allclose(chosen.direction, arm.transform[2, :3], atol=1e-12)
    (kept,) = PathConstraints(space, arm, ToolDirection([0, 0, 1]), start).all
    assert kept.direction.tolist() == [0.0, 0.0, 1.0]
