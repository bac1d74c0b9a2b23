"""What no goal, start, option or type is ends in an error that names it."""

from __future__ import annotations

import numpy as np
import pytest
from wrong_inputs import no_numbers, no_poses, no_types, no_vectors, refuses

import pyrave
from pyrave import ArgumentError
from pyrave import IkParameterization as Goal
from pyrave import IkParameterizationType as Kind

EYE = np.eye(4)
ORIGIN = (0.0, 0.0, 0.0)
UP = (0.0, 0.0, 1.0)


@pytest.fixture(scope="module")
def arm():
    env = pyrave.load("robots/arms/puma560.robot.xml")
    arm = env.robots[0].manipulators[0]
    arm.arm_dof_values = np.linspace(-0.3, 0.4, 6)
    arm.ik_solver = "Analytic"
    yield arm
    assert env.problems is not None


@pytest.fixture(scope="module")
def seven():
    env = pyrave.load("robots/arms/iiwa14.robot.xml")
    yield env.robots[0].manipulators[0]
    assert env.problems is not None


@pytest.fixture(scope="module", params=["Analytic", "Numerical"])
def solver(request, arm):
    made = arm.robot.env.create("iksolver", request.param)
    made.init(arm)
    return made


TARGETS = {
    "solve_ik": lambda arm, pose: arm.solve_ik(pose),
    "solve_ik all": lambda arm, pose: arm.solve_ik(pose, all=True),
    "find_ik": lambda arm, pose: arm.find_ik(pose),
    "solve_ik_batch": lambda arm, pose: arm.solve_ik_batch([pose] * 2, all=True),
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_is_a_pose_or_a_goal(arm, name):
    refuses(lambda pose: TARGETS[name](arm, pose), "target", no_poses())


CALLS = ("solve", "solve_all", "solution", "solutions", "find")


@pytest.mark.parametrize("name", CALLS)
def test_solvers_look_at_targets_themselves(solver, name):
    refuses(getattr(solver, name), "target", no_poses())


def test_solvers_look_at_batches_themselves(solver):
    refuses(lambda pose: solver.solve_batch([pose] * 2), "targets", no_poses())


@pytest.mark.parametrize("name", ["solve", "solution", "find"])
def test_where_a_search_begins_are_joint_values(solver, name):
    hand = solver.require_manipulator()
    goal = hand.ik_parameterization(Kind.Transform6D)
    wrong = no_vectors(len(hand.arm_indices))
    wrong.pop("none")  # the present values
    refuses(lambda q: getattr(solver, name)(goal, q), "q0", wrong)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("options", ["all", 1.5, 128, -1, True, [1]])
def test_options_are_flags(solver, name, options):
    hand = solver.require_manipulator()
    goal = hand.ik_parameterization(Kind.Transform6D)
    with pytest.raises(
        ArgumentError, match=r"options are .*, expected IkFilterOptions"
    ):
        getattr(solver, name)(goal, options=options)


def test_free_parameters_are_parts_of_ranges(seven):
    wrong = no_vectors(1)
    for name in ("none", "short", "a number", "infinite"):
        wrong.pop(name)
    wrong |= {"negative": [-0.1], "more than all": [1.1]}
    pose = seven.transform
    refuses(lambda free: seven.solve_ik(pose, free=free), "free", wrong)
    refuses(lambda free: seven.find_ik(pose, free=free), "free", wrong)
    refuses(
        lambda free: seven.solve_ik_batch([pose], free=free, all=True), "free", wrong
    )


@pytest.mark.parametrize("filters", [3, [3], "ab", print])
def test_filters_are_functions(arm, filters):
    with pytest.raises(ArgumentError, match="filter"):
        arm.find_ik(arm.transform, filters=filters)


TYPES = {
    "ik_parameterization": lambda arm, kind: arm.ik_parameterization(kind),
    "from_pose": lambda _, kind: Goal.from_pose(kind, EYE),
    "Goal": lambda _, kind: Goal(kind, (0.0,) * 7),
    "supports": lambda arm, kind: arm.ik_solver.supports(kind),
    "program": lambda arm, kind: arm.ik_solver.goal_solver(kind),
}


@pytest.mark.parametrize("name", TYPES)
def test_a_type_is_known(arm, name):
    refuses(lambda kind: TYPES[name](arm, kind), "parameterization type", no_types())


def test_a_wrong_name_of_a_type_has_a_near_one(arm):
    with pytest.raises(ArgumentError, match="did you mean 'TranslationDirection5D'"):
        arm.ik_parameterization("TranslationDirection5")


@pytest.mark.parametrize("name", ["Transform6D", "transform6d", " TRANSFORM6D "])
def test_types_have_names(arm, name):
    goal = arm.ik_parameterization(Kind.Transform6D)
    assert arm.ik_parameterization(name) == goal
    assert Goal.from_pose(name, arm.transform) == goal
    assert arm.ik_parameterization(int(Kind.Transform6D)) == goal
    assert Kind.of(name) is Kind.Transform6D
    assert arm.ik_solver.supports(name)
    assert arm.ik_solver.goal_solver(name) is arm.ik_solver.goal_solver(
        Kind.Transform6D
    )
    np.testing.assert_allclose(
        arm.solve_ik(arm.ik_parameterization(name)), arm.arm_dof_values, atol=1e-7
    )


def test_the_numerical_solver_knows_names_of_types(seven):
    made = seven.robot.env.create("iksolver", "Numerical")
    made.init(seven)
    assert made.supports("transform6d")
    refuses(made.supports, "parameterization type", no_types())


GOALS = {
    "pose": (None, Goal.transform_6d),
    "quat_wxyz": (4, Goal.rotation_3d),
    "position": (3, Goal.translation_3d),
    "direction": (3, Goal.direction_3d),
    "position of a ray": (3, lambda v: Goal.ray_4d(v, UP)),
    "direction of a ray": (3, lambda v: Goal.ray_4d(UP, v)),
    "position to look at": (3, Goal.lookat_3d),
    "position on": (3, lambda v: Goal.translation_direction_5d(v, UP)),
    "direction on": (3, lambda v: Goal.translation_direction_5d(UP, v)),
    "position in a plane": (2, Goal.translation_xy_2d),
    "position and a turn": (2, lambda v: Goal.translation_xy_orientation_3d(v, 0.1)),
    "local": (3, lambda v: Goal.translation_local_global_6d(v, UP)),
    "position of a point": (3, lambda v: Goal.translation_local_global_6d(UP, v)),
    "position and an angle": (
        3,
        lambda v: Goal.translation_axis_angle_4d("x", v, 0.1),
    ),
    "position and a shadow": (
        3,
        lambda v: Goal.translation_axis_angle_norm_4d("x", v, 0.1),
    ),
    "values": (7, lambda v: Goal(Kind.Transform6D, v)),
    "direction of a tool": (3, lambda v: Goal.from_pose("Direction3D", EYE, v)),
    "local_point": (
        3,
        lambda v: Goal.from_pose("TranslationLocalGlobal6D", EYE, local_point=v),
    ),
    "pose of a tool": (None, lambda pose: Goal.from_pose("Transform6D", pose)),
    "pose of a frame": (None, lambda pose: Goal.translation_3d(UP).transformed(pose)),
    "pose before": (None, lambda pose: pose @ Goal.translation_3d(UP)),
}


@pytest.mark.parametrize("name", GOALS)
def test_goals_are_made_of_real_numbers(name):
    size, call = GOALS[name]
    wrong = no_poses() if size is None else no_vectors(size)
    refuses(call, name.split()[0], wrong)


ANGLES = {
    "plane": lambda a: Goal.translation_xy_orientation_3d((0, 0), a),
    "axis": lambda a: Goal.translation_axis_angle_4d("x", ORIGIN, a),
    "shadow": lambda a: Goal.translation_axis_angle_norm_4d("x", ORIGIN, a),
}


@pytest.mark.parametrize("name", ANGLES)
def test_angles_are_numbers(name):
    refuses(ANGLES[name], "angle", no_numbers())


@pytest.mark.parametrize("axis", ["w", None, 0, "", "xy"])
def test_axes_have_letters(axis):
    for call in (Goal.translation_axis_angle_4d, Goal.translation_axis_angle_norm_4d):
        with pytest.raises(
            ArgumentError, match=r"axis is .*, expected 'x', 'y' or 'z'"
        ):
            call(axis, ORIGIN, 0.1)


def test_distances_are_between_goals():
    goal = Goal.translation_3d(UP)
    for other in (None, 3, UP, "goal"):
        with pytest.raises(ArgumentError, match=r"other is .*, expected Ik"):
            goal.distance2(other)
    with pytest.raises(ArgumentError, match="text is None"):
        Goal.deserialize(None)
    with pytest.raises(ArgumentError, match="parameterization type is 5"):
        goal.with_custom("a_transform=ikparam_", (5, 1, 2)).transformed(EYE)
