"""OpenRAVE's own arms: solved at the configurations that OpenRAVE's dumps hold.

The poses are those that OpenRAVE computed, so that neither our kinematics nor our
solver can hide a mistake of the other.
"""

from __future__ import annotations

import json

import corpus
import numpy as np
import pytest

import pyrave
from pyrave.interfaces import IkParameterization
from pyrave_ik.chain import ArmChain
from pyrave_ik.richest import richest_solver

ROOT = corpus.openrave_root()
FOLDER = corpus.openrave_expected()
pytestmark = pytest.mark.skipif(
    ROOT is None or FOLDER is None, reason="the shared files are not there"
)
SAME = 1e-6


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
    assert solver.arguments.steps == (0.05,)


def test_the_configurations_of_openrave_are_found(wam):
    env, body = wam
    hand = env.robots["BarrettWAM"].manipulators["arm"]
    solver, _ = richest_solver(ArmChain.of(hand), hand.direction)
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
    lower, upper = (limit[list(hand.arm_indices)] for limit in robot.dof_limits)
    solver = hand.ik_solver
    (dof,) = solver.get_free_indices()
    base = hand.base.transform
    for q, pose in cases(body):
        share = (q[dof] - lower[dof]) / (upper[dof] - lower[dof])
        found = hand.solve_ik(base @ pose, all=True, free=[share])
        assert np.abs(found - q).max(axis=1).min() < SAME
        assert (found >= lower - 1e-9).all()
        assert (found <= upper + 1e-9).all()
