"""OpenRAVE's own arms: solved at the configurations that OpenRAVE's dumps hold.

The poses are those that OpenRAVE computed, so that neither our kinematics nor our
solver can hide a mistake of the other.
"""

from __future__ import annotations

import json
from functools import cache

import corpus
import numpy as np
import pytest

import pyrave
from pyrave.ik import IkParameterization
from pyrave_ik.arm.chain import ArmChain
from pyrave_ik.solver.default_goal_type import default_solver

ROOT = corpus.openrave_root()
FOLDER = corpus.openrave_expected()
pytestmark = pytest.mark.skipif(
    ROOT is None or FOLDER is None, reason="the shared files are not there"
)
SAME = 1e-6
POSES = 200 if corpus.LONG else 40
POSE, AXIS = "Transform6D", "TranslationDirection5D"
# file, manipulator, the name if the file has none, kind of goals, free joints
ARMS = [
    ("puma.robot.xml", "arm", "", POSE, 0),
    ("pa10schunk.robot.xml", "arm", "", POSE, 1),
    ("schunk-lwa3-dual.robot.xml", "leftarm", "", POSE, 1),
    ("schunk-lwa3-dual.robot.xml", "rightarm", "", POSE, 1),
    ("schunk-lwa3.zae", "arm_nogripper", "ikfast_schunk_lwa3", POSE, 1),
    ("neuronics-katana.zae", "arm", "", AXIS, 0),
    ("neuronics-katana.zae", "armgrasp", "", "TranslationZAxisAngle4D", 1),
    ("pr2-beta-static.zae", "leftarm", "ikfast_pr2_leftarm", POSE, 1),
    ("pr2-beta-static.zae", "rightarm", "ikfast_pr2_rightarm", POSE, 1),
    ("pr2-beta-static.zae", "leftarm_torso", "ikfast_pr2_leftarm_torso", POSE, 2),
    ("pr2-beta-static.zae", "rightarm_torso", "ikfast_pr2_rightarm_torso", POSE, 2),
    ("pr2-beta-static.zae", "head_torso", "ikfast_pr2_head_torso", "Translation3D", 0),
    ("kawada-hironx.zae", "leftarm", "ikfast", POSE, 0),
    ("kawada-hironx.zae", "rightarm", "ikfast", POSE, 0),
    ("kawada-hironx.zae", "leftarm_torso", "ikfast", POSE, 1),
    ("kuka-youbot.zae", "arm", "ikfast", AXIS, 0),
]


@cache
def load(file):
    return pyrave.load(ROOT / "robots" / file, resource_roots=[ROOT])


@pytest.fixture(scope="module")
def wam():
    env = pyrave.Environment()
    env.load(ROOT / "robots" / "barrettwam.robot.xml", resource_roots=[ROOT])
    content = json.loads(
        (FOLDER / "robots" / "barrettwam.robot.xml.json").read_text(encoding="utf-8")
    )
    return env, content["bodies"][0]


def cases(body):
    """Yield the arm's values and T_base_tool as OpenRAVE computed it."""
    hand = body["robot"]["manipulators"][0]
    names = [link["name"] for link in body["links"]]
    base = names.index(hand["base"])
    end = names.index(hand["end_effector"])
    tool = np.array(hand["local_tool_transform"])
    for one in body["random_configurations"]:
        links = np.array(one["link_transforms"])
        pose = np.linalg.inv(links[base]) @ links[end] @ tool
        yield np.array(one["q_after"])[hand["arm_indices"]], pose


def test_the_wam_has_its_solver(wam):
    """``<iksolver>WAM7ikfast 0.05</iksolver>`` is the plugin now."""
    env, _ = wam
    solver = env.robots["BarrettWAM"].manipulators["arm"].ik_solver
    assert solver is not None
    assert "WAM" in solver.note
    assert solver.settings.steps == (0.05,)


def test_the_configurations_of_openrave_are_found(wam):
    env, body = wam
    hand = env.robots["BarrettWAM"].manipulators["arm"]
    solver, _ = default_solver(ArmChain.from_manipulator(hand), hand.direction)
    count = 0
    for q, pose in cases(body):
        found = solver.solve(
            IkParameterization.transform_6d(pose), q[list(solver.free)]
        )
        apart = np.abs(np.exp(1j * found) - np.exp(1j * q)).max(axis=1)
        assert apart.min() < SAME
        for values in found:
            assert np.abs(solver.chain.tool(values) - pose).max() < 1e-8
        count += 1
    assert count > 0


def test_all_solutions_through_the_manipulator(wam):
    """In the world, within the limits, the free joint at its value."""
    env, body = wam
    robot = env.robots["BarrettWAM"]
    hand = robot.manipulators["arm"]
    lower, upper = (limit[hand.arm_indices] for limit in robot.dof_limits)
    solver = hand.ik_solver
    (dof,) = solver.get_free_indices()
    base = hand.base.transform
    for q, pose in cases(body):
        share = (q[dof] - lower[dof]) / (upper[dof] - lower[dof])
        found = hand.solve_ik(base @ pose, all=True, free=[share])
        assert np.abs(found - q).max(axis=1).min() < SAME
        assert (found >= lower - 1e-9).all()
        assert (found <= upper + 1e-9).all()


@pytest.mark.parametrize(("file", "name", "solver_name", "kind", "n_free"), ARMS)
def test_robots_of_collada_have_solvers(file, name, solver_name, kind, n_free):
    """What put the tool there is among the solutions, for every pose."""
    env = load(file)
    robot = env.robots[0]
    arm = robot.manipulators[name]
    if solver_name:
        arm.ik_solver = solver_name
    solver, dofs = arm.ik_solver, arm.arm_indices
    assert solver.main_kind().name == kind
    assert len(solver.get_free_indices()) == n_free
    lower, upper = np.clip([side[dofs] for side in robot.dof_limits], -np.pi, np.pi)
    rng = np.random.default_rng(len(name))
    for q in rng.uniform(lower, upper, (POSES, len(dofs))):
        arm.arm_dof_values = q
        goal = arm.ik_parameterization(solver.main_kind())
        free = solver.get_free_parameters() if n_free else None
        found = arm.solve_ik(goal, all=True, free=free)
        apart = (found - q + np.pi) % (2 * np.pi) - np.pi
        assert abs(apart).max(axis=1).min(initial=np.inf) < SAME
