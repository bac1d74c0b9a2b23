"""Sequences of indices are integer arrays: they index arrays as users expect."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, ConfigurationSpecification, LimitCheck, kinematics
from pyrave.spatial import as_indices

FILE = "robots/arms/puma560.robot.xml"


@pytest.fixture(scope="module")
def env():
    return pyrave.load(FILE)


@pytest.fixture(scope="module")
def robot(env):
    return env.robots[0]


@pytest.fixture
def arm(robot):
    with robot.preserve_state():
        yield robot.manipulators[0]


def arrays_of(robot):
    """Return everything public that lists indices, by name."""
    arm, model = robot.manipulators[0], robot.model
    joint, chain = robot.joints[0], model.chain(0, arm.end_effector.index)
    spec = robot.configuration_specification()
    tool = kinematics.compile_tool(model, arm.end_effector.index)
    used, columns = spec.extract_used_indices(robot)
    return {
        "arm": arm.arm_indices,
        "gripper": arm.gripper_indices,
        "children": arm.child_dof_indices,
        "active": robot.active_dof_indices,
        "joint": joint.dof_indices,
        "followed": joint.mimic_dof_indices,
        "controlled": robot.controller.get_control_dof_indices(),
        "free": arm.ik_solver.get_free_indices(),
        "group": spec.groups[0].joint_indices,
        "used": used,
        "columns": columns,
        "chain dofs": chain.dof_indices,
        "chain links": chain.links,
        "chain joints": chain.joints,
        "tool": tool.dof_indices,
        "active joints": model.active_joints,
        "passive joints": model.passive_joints,
        "closing joints": model.closing_joints,
        "parents": model.parent_links(1),
        "rigid": model.rigidly_attached(0),
        "adjacent": robot.adjacent_links,
        "others": robot.non_adjacent_links,
        "selected": robot.structure.select_non_adjacent_links(dof_indices=[0]),
    }


def test_index_sequences_are_integer_arrays(robot):
    for name, indices in arrays_of(robot).items():
        assert isinstance(indices, np.ndarray), name
        assert indices.dtype == np.int64, name
        assert indices.ndim == (2 if name in {"adjacent", "others", "selected"} else 1)


def test_indices_index_arrays(robot, arm):
    q = robot.dof_values
    assert q[arm.arm_indices].shape == (6,)
    assert q[arm.gripper_indices].shape == (len(arm.gripper_indices),)
    q[arm.arm_indices] = np.linspace(-0.3, 0.3, 6)
    robot.dof_values = q
    np.testing.assert_array_equal(arm.arm_dof_values, np.linspace(-0.3, 0.3, 6))


def test_indices_of_an_arm_are_made_once_and_cannot_be_changed(arm):
    assert arm.arm_indices is arm.arm_indices
    with pytest.raises(ValueError, match="read-only"):
        arm.arm_indices[0] = 3


@pytest.mark.parametrize(
    "as_given", [list, tuple, np.array, lambda i: np.array(i, np.int32)]
)
def test_values_are_set_at_indices_of_any_kind(robot, arm, as_given):
    robot.set_dof_values([0.1, -0.2], as_given([2, 0]), LimitCheck.RAISE)
    assert robot.dof_values[[2, 0]].tolist() == [0.1, -0.2]
    robot.set_dof_velocities([0.01, 0.02], as_given([1, 0]))
    assert robot.dof_velocities[[1, 0]].tolist() == [0.01, 0.02]
    robot.active_dof_indices = as_given([3, 1])
    assert robot.active_dof_indices.tolist() == [3, 1]


@pytest.mark.parametrize("as_given", [list, tuple, np.array])
def test_arm_values_are_set_from_any_sequence(arm, as_given):
    arm.arm_dof_values = as_given([0.1] * 6)
    assert arm.arm_dof_values.tolist() == [0.1] * 6


@pytest.mark.parametrize(
    "wrong",
    [
        [0.0, 1.0],
        np.array([0.0]),
        [[0, 1]],
        "01",
        [True, False],
        np.zeros(6, dtype=bool),
        3,
        None,
        [None],
        [[0], [0, 1]],
    ],
)
def test_what_is_no_list_of_indices_is_refused(robot, wrong):
    with pytest.raises(ArgumentError, match=r"things are .*, expected integers"):
        as_indices(wrong, "things")
    if wrong is not None:
        with pytest.raises(ArgumentError, match="dof indices of 'puma560' are"):
            robot.set_dof_values([0.0, 0.0], wrong)
        with pytest.raises(ArgumentError, match="expected integers"):
            ConfigurationSpecification().extract_joint_values([], robot, wrong)


def test_a_mask_is_not_taken_for_indices(robot):
    mask = np.zeros(robot.dof, dtype=bool)
    with pytest.raises(ArgumentError, match=r"np\.flatnonzero\(mask\)"):
        robot.set_dof_values([0.0], mask)


@pytest.mark.parametrize("none", [(), [], np.array([]), range(0)])
def test_no_index_is_a_list_too(robot, none):
    if isinstance(none, np.ndarray):
        none = none.astype(int)
    indices = as_indices(none, "things")
    assert (indices.shape, indices.dtype) == ((0,), np.int64)


def test_indices_given_are_not_kept(robot):
    given = np.array([1, 0])
    kept = as_indices(given, "things")
    given[:] = 5
    assert kept.tolist() == [1, 0]
