"""Singular poses beside brute force: Newton steps from many starts, in plain numpy."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from ik_configurations import right_angle_configurations

import pyrave
from pyrave.ik import IkFilterOptions
from pyrave_environments.arms import arm as arm_named
from pyrave_environments.arms import arm_description
from pyrave_ik.arm.chain import ArmChain

STARTS = 150
STEPS = 60
REGULAR = 1e-4
RIGHT = np.pi / 2


class Brute:
    """An arm whose joints turn, by its screws."""

    def __init__(self, chain: ArmChain) -> None:
        self.screws, self.home = chain.screws, chain.home

    def forward(self, x):
        """Return T_base_tool (n, 4, 4) and the spatial Jacobian (n, 6, 6)."""
        pose = np.tile(np.eye(4), (len(x), 1, 1))
        columns = np.empty((len(x), 6, 6))
        for i, (axis, point) in enumerate(self.screws[:, :6].reshape(6, 2, 3)):
            direction = pose[:, :3, :3] @ axis
            through = pose[:, :3, :3] @ point + pose[:, :3, 3]
            columns[:, :3, i] = direction
            columns[:, 3:, i] = np.cross(through, direction)
            across = np.cross(np.eye(3), axis)
            s, c = np.sin(x[:, i]), np.cos(x[:, i])
            turn = np.tile(np.eye(4), (len(x), 1, 1))
            turn[:, :3, :3] += s[:, None, None] * across
            turn[:, :3, :3] += (1.0 - c)[:, None, None] * (across @ across)
            turn[:, :3, 3] = point - turn[:, :3, :3] @ point
            pose = pose @ turn
        return pose @ self.home, columns

    @staticmethod
    def twists(pose, goal):
        """Return the spatial twists (n, 6) from poses to a goal."""
        off = goal[:3, :3] @ pose[:, :3, :3].transpose(0, 2, 1)
        w = np.stack(
            [
                off[:, 2, 1] - off[:, 1, 2],
                off[:, 0, 2] - off[:, 2, 0],
                off[:, 1, 0] - off[:, 0, 1],
            ],
            axis=1,
        )
        sine = 0.5 * np.linalg.norm(w, axis=1)
        angle = np.arctan2(sine, 0.5 * (np.trace(off, axis1=1, axis2=2) - 1.0))
        w *= (0.5 * np.where(sine > 1e-9, angle / np.maximum(sine, 1e-9), 1.0))[:, None]
        shift = goal[:3, 3] - pose[:, :3, 3]
        return np.hstack([w, shift - np.cross(w, pose[:, :3, 3])])

    def solutions(self, goal, rng):
        """Return the values (k, 6) where damped steps end, and how regular they are."""
        x = rng.uniform(-np.pi, np.pi, (STARTS, 6))
        pose, jacobian = self.forward(x)
        twist = self.twists(pose, goal)
        damping = np.full(STARTS, 1e-2)
        for _ in range(STEPS):
            transposed = jacobian.transpose(0, 2, 1)
            normal = transposed @ jacobian + damping[:, None, None] * np.eye(6)
            step = np.linalg.solve(normal, transposed @ twist[:, :, None])[:, :, 0]
            step *= np.minimum(1.0, 0.6 / np.maximum(np.abs(step).max(1), 0.6))[:, None]
            pose, columns = self.forward(x + step)
            new = self.twists(pose, goal)
            good = (new**2).sum(1) < (twist**2).sum(1)
            x[good] += step[good]
            jacobian[good], twist[good] = columns[good], new[good]
            damping = np.clip(damping * np.where(good, 0.25, 4.0), 1e-13, 1e3)
        there = (twist**2).sum(1) < 1e-20
        least = np.linalg.svd(jacobian[there], compute_uv=False)[:, -1]
        return x[there], least


def off(rows, x):
    return np.abs(np.exp(1j * rows) - np.exp(1j * x))


class Made:
    def __init__(self, name: str) -> None:
        self.env = pyrave.Environment()
        robot = self.env.create("robot", "")
        robot.init(arm_description(arm_named(name)))
        self.env.add(robot)
        self.robot, self.hand = robot, robot.manipulators["arm"]
        self.hand.ik_solver = "Analytic"
        self.brute = Brute(ArmChain.from_manipulator(self.hand))

    def find(self, q):
        """Return T_world_tool at `q`, without regard to limits, and all solutions."""
        pose = self.brute.forward(np.array([q]))[0][0]
        options = IkFilterOptions.IGNORE_JOINT_LIMITS
        return pose, self.hand.find_ik(pose, options=options)


@pytest.fixture(scope="module")
def made():
    return cache(Made)


def compared(one, q, rng):
    """Return how many regular solutions brute force has; none may be missing."""
    goal, result = one.find(q)
    ends, least = one.brute.solutions(goal, rng)
    assert len(ends)
    for x, regular in zip(ends, least > REGULAR, strict=True):
        far = off(result.solutions, x)
        if regular:
            assert far.max(axis=1).min() < 1e-5, (q, x)
            continue
        # a merged solution, to which steps come near, or a point of a continuum
        for moving, row in zip(result.continua, far, strict=True):
            if np.delete(row, moving).max() < (1e-3 if moving else 2e-2):
                break
        else:
            pytest.fail(f"{x} is no solution at {q}")
    return int((least > REGULAR).sum())


@pytest.mark.parametrize("name", ["puma560", "ur5", "jaco2_6s"])
def test_nothing_is_missing_at_right_angles(name, made):
    one = made(name)
    rng = np.random.default_rng([7, *name.encode()])
    configurations = right_angle_configurations(one.hand, 4, rng)
    assert sum(compared(one, q, rng) for q in configurations) > 0


def test_solutions_near_each_other_and_near_the_edge(made):
    """Elbows that differ by 0.1: one of them must not hide the other."""
    q = np.array([-RIGHT, RIGHT, -RIGHT, RIGHT, 0.0, -RIGHT])
    assert compared(made("puma560"), q, np.random.default_rng(1)) > 0


def test_nearly_double_eigenvalues(made):
    """Elimination lost one of eight solutions of a regular pose here."""
    one = made("crx10ia")
    q = [3.152810777, -0.498834121, 1.198008611, -0.454780006, 1.885213954, 1.721542421]
    _, result = one.find(q)
    assert len(result) == 8
    assert off(result.solutions, np.array(q)).max(axis=1).min() < 1e-6
