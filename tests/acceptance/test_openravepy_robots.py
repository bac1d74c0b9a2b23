"""Robots and manipulators by OpenRAVE's names say what OpenRAVE's own ones said."""

from __future__ import annotations

import json
from functools import cache

import corpus
import numpy as np
import pytest

import pyrave_openravepy

EXPECTED = corpus.openrave_expected()
ROOT = corpus.openrave_root()
pytestmark = pytest.mark.skipif(
    EXPECTED is None, reason="the shared files are not there"
)
FILES = (
    "robots/barrettwam.robot.xml",
    "robots/barrettwam-dual.robot.xml",
    "robots/pa10schunk.robot.xml",
    "robots/puma.robot.xml",
    "robots/schunk-lwa3.zae",
)


@cache
def api():
    return pyrave_openravepy.install()


@cache
def loaded(name):
    """Return the robot of a file, and what OpenRAVE said of it."""
    env = api().Environment()
    env.StopSimulation()
    env._native.load(ROOT / name, resource_roots=[ROOT])
    bodies = json.loads((EXPECTED / f"{name}.json").read_text())["bodies"]
    known = next(one for one in bodies if one.get("robot"))
    return env.GetRobot(known["name"]), known


@pytest.mark.parametrize("name", FILES)
def test_manipulators_are_those_of_openrave(name):
    robot, known = loaded(name)
    wanted = known["robot"]["manipulators"]
    assert [one.GetName() for one in robot.GetManipulators()] == [
        one["name"] for one in wanted
    ]
    assert (
        robot.GetActiveManipulator().GetName() == known["robot"]["active_manipulator"]
    )
    for one in wanted:
        manip = robot.GetManipulator(one["name"])
        assert manip.GetBase().GetName() == one["base"]
        assert manip.GetEndEffector().GetName() == one["end_effector"]
        assert manip.GetArmIndices().tolist() == one["arm_indices"]
        assert manip.GetGripperIndices().tolist() == one["gripper_indices"]
        assert manip.GetChuckingDirection().tolist() == one["chucking_direction"]
        assert sorted(manip.GetChildDOFIndices()) == sorted(one["child_dof_indices"])
        for method, names in (
            ("GetChildLinks", one["child_links"]),
            ("GetChildJoints", one["child_joints"]),
            ("GetIndependentLinks", one["independent_links"]),
        ):
            found = [part.GetName() for part in getattr(manip, method)()]
            assert sorted(found) == sorted(names), method
        np.testing.assert_allclose(manip.GetDirection(), one["direction"], atol=1e-9)
        np.testing.assert_allclose(
            manip.GetLocalToolTransform(), one["local_tool_transform"], atol=1e-9
        )
        spec = manip.GetArmConfigurationSpecification()
        assert spec == api().ConfigurationSpecification(
            one["arm_configuration_specification"]
        )


@pytest.mark.parametrize("name", FILES)
def test_active_degrees_of_freedom_are_those_of_openrave(name):
    robot, known = loaded(name)
    wanted = known["robot"]
    assert robot.GetActiveDOF() == wanted["active_dof"]
    assert robot.GetActiveDOFIndices().tolist() == wanted["active_dof_indices"]
    assert robot.GetAffineDOF() == wanted["affine_dof"]
    assert robot.GetController().GetXMLId() == wanted["controller"]
    for method, values in (
        ("GetActiveDOFLimits", wanted["active_dof_limits"]),
        ("GetActiveDOFMaxVel", wanted["active_dof_max_vel"]),
        ("GetActiveDOFResolutions", wanted["active_dof_resolutions"]),
        ("GetActiveDOFWeights", wanted["active_dof_weights"]),
        ("GetAffineRotationAxis", wanted["affine_rotation_axis"]),
        ("GetAffineTranslationLimits", wanted["affine_translation_limits"]),
    ):
        found = getattr(robot, method)()
        np.testing.assert_allclose(found, values, rtol=1e-9, err_msg=method)


@pytest.mark.parametrize("name", FILES)
def test_tools_and_jacobians_are_those_of_openrave(name):
    robot, known = loaded(name)
    for configuration in known["random_configurations"]:
        with robot:
            robot.SetDOFValues(configuration["q"])
            for arm, wanted in configuration["manipulators"].items():
                manip = robot.GetManipulator(arm)
                for method, key in (
                    ("GetTransform", "transform"),
                    ("GetEndEffectorTransform", "transform"),
                    ("CalculateJacobian", "jacobian"),
                    ("CalculateAngularVelocityJacobian", "angular_velocity_jacobian"),
                ):
                    if "error" in wanted[key]:
                        continue  # of an arm that OpenRAVE itself has no answer for
                    found = getattr(manip, method)()
                    np.testing.assert_allclose(
                        found, wanted[key], atol=1e-8, err_msg=method
                    )
                turning = manip.CalculateRotationJacobian()
                quat = manip.GetTransformPose()[:4]
                said = api().IkParameterization(wanted["ik_param_transform6d"])
                # a quaternion and its opposite are the same rotation
                sign = np.sign(quat @ _quat_of(wanted["ik_param_transform6d"]))
                if "error" in wanted["rotation_jacobian"]:
                    continue
                np.testing.assert_allclose(
                    sign * turning, wanted["rotation_jacobian"], atol=1e-8
                )
                goal = manip.GetIkParameterization(said.GetType())
                assert goal.ComputeDistanceSqr(said) < 1e-14


def _quat_of(text):
    return np.array([float(word) for word in text.split()[1:5]])


@pytest.mark.parametrize(
    "name", ["robots/barrettwam.robot.xml", "robots/puma.robot.xml"]
)
def test_reachable_poses_have_solutions(name):
    robot, known = loaded(name)
    manip = robot.GetManipulator(known["robot"]["active_manipulator"])
    indices = manip.GetArmIndices()
    lower, upper = robot.GetDOFLimits(indices)
    rng = np.random.default_rng(1)
    solved = 0
    with robot:
        for values in lower + (upper - lower) * rng.random((50, len(indices))):
            robot.SetDOFValues(values, indices)
            pose = manip.GetTransform()
            robot.SetDOFValues(np.zeros(robot.GetDOF()))
            options = api().IkFilterOptions.IgnoreSelfCollisions
            found = manip.FindIKSolution(pose, options)
            if found is None:
                continue
            robot.SetDOFValues(found, indices)
            np.testing.assert_allclose(manip.GetTransform(), pose, atol=1e-3)
            solved += 1
    assert solved >= 48
