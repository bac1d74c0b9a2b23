"""The kernels of inverse kinematics against numpy, each other and forward kinematics.

They run uncompiled here but for the last test: what they compute is the same.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrave.spatial import matrix_from_axis_angle
from pyrave_ik.classify import Decomposition, Kind, classify
from pyrave_ik.kernels.closed import _kernels as closed
from pyrave_ik.kernels.conics import _kernels as conics
from pyrave_ik.kernels.eliminate import _kernels as eliminate
from pyrave_ik.kernels.linear import _kernels as linear
from pyrave_ik.kernels.singular import _kernels as singular
from pyrave_ik.packing import TURNS, JointMap, kernels_of, pack

RIGHT = np.pi / 2
ARMS = {
    "puma": [
        (0.0, RIGHT, 0.0),
        (0.4318, 0.0, 0.0),
        (0.0203, -RIGHT, 0.15),
        (0.0, RIGHT, 0.4318),
        (0.0, -RIGHT, 0.0),
        (0.0, 0.0, 0.05),
    ],
    "ur": [
        (0.0, RIGHT, 0.0892),
        (-0.425, 0.0, 0.0),
        (-0.39225, 0.0, 0.0),
        (0.0, RIGHT, 0.10915),
        (0.0, -RIGHT, 0.09465),
        (0.0, 0.0, 0.0823),
    ],
    "skewed": [
        (0.0, 0.7, 0.352),
        (0.36, 0.5, 0.1),
        (0.1, -RIGHT, 0.0),
        (0.0, 1.1, 0.38),
        (0.0, -1.3, 0.0),
        (0.0, 0.0, 0.065),
    ],
    "jaco": [
        (0.0, RIGHT, 0.2755),
        (0.41, np.pi, 0.0),
        (0.0, RIGHT, -0.0098),
        (0.0, np.pi / 3, -0.2501),
        (0.0, np.pi / 3, -0.0856),
        (0.0, np.pi, -0.2027),
    ],
}
angles = st.lists(st.floats(-3.1, 3.1), min_size=6, max_size=6).map(np.array)
corners = st.lists(st.integers(-2, 2), min_size=6, max_size=6).map(
    lambda k: np.array(k) * RIGHT
)


def screws_of(name: str) -> np.ndarray:
    pose, rows = np.eye(4), []
    for length, twist, offset in ARMS[name]:
        rows.append([*pose[:3, 2], *pose[:3, 3], 0.0])
        link = np.eye(4)
        link[:3, :3] = matrix_from_axis_angle(np.array([1.0, 0.0, 0.0]), twist)
        link[:3, 3] = length, 0.0, offset
        pose = pose @ link
    return np.array(rows)


def forward(screws: np.ndarray, home: np.ndarray, q: np.ndarray) -> np.ndarray:
    pose = home
    for row, value in zip(screws[::-1], q[::-1], strict=True):
        step = np.eye(4)
        step[:3, :3] = matrix_from_axis_angle(row[:3], value)
        step[:3, 3] = row[3:6] - step[:3, :3] @ row[3:6]
        pose = step @ pose
    return np.ascontiguousarray(pose)


HOME = np.eye(4)
HOME[:3, :3] = matrix_from_axis_angle(np.array([0.6, 0.0, 0.8]), 0.7)
HOME[:3, 3] = 0.1, 0.2, 0.3


def joint_map(low: float = -np.inf, high: float = np.inf, *, copies: bool = False):
    return JointMap(
        range(6),
        np.ones(6),
        np.zeros(6),
        np.full(6, low),
        np.full(6, high),
        copies=copies,
    )


def decomposed(screws: np.ndarray) -> Decomposition:
    pose = forward(screws, np.eye(4), np.array([0.3, -0.8, 1.1, 0.4, -1.3, 0.9]))
    return classify(screws, pose, tuple("abcdef"))


def off(rows: np.ndarray, q: np.ndarray) -> float:
    return float(np.abs(np.exp(1j * rows) - np.exp(1j * q)).max(axis=1).min())


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("name", ["puma", "ur", "skewed"])
@settings(max_examples=10, deadline=None)
@given(q=angles)
def test_regular_poses(name, backward, q):
    screws = screws_of(name)
    if backward:
        screws = screws[::-1] * np.array([-1.0] * 3 + [1.0] * 4)
    plan = pack(decomposed(screws), screws, HOME, joint_map())
    assert plan[0] == 1.0
    pose = forward(screws, HOME, q)
    out = np.empty((33, 7))
    n = kernels_of(plan).plain.solve_pose(plan, pose, out)
    for row in out[:n, :6]:
        assert np.abs(forward(screws, HOME, row) - pose).max() < 1e-8
    if not singular.is_near(screws, q):
        assert n > 0
        assert off(out[:n, :6], q) < 1e-6


@settings(max_examples=4, deadline=None)
@given(q=corners)
def test_multiples_of_right_angles(q):
    screws = screws_of("puma")
    plan = pack(decomposed(screws), screws, HOME, joint_map())
    pose = forward(screws, HOME, q)
    out = np.empty((33, 7))
    n = kernels_of(plan).plain.solve_pose(plan, pose, out)
    assert n > 0
    for row in out[:n, :6]:
        assert np.abs(forward(screws, HOME, row) - pose).max() < 1e-8


def test_a_straight_wrist_is_one_continuum_of_two_joints():
    screws = screws_of("puma")
    plan = pack(decomposed(screws), screws, HOME, joint_map())
    q = np.array([0.3, -0.8, 1.1, 0.4, 0.0, 0.9])
    pose = forward(screws, HOME, q)
    out = np.empty((33, 7))
    n = kernels_of(plan).plain.solve_pose(plan, pose, out)
    free = out[:n][out[:n, 6] == 0b101000]
    fits = np.abs(np.exp(1j * free[:, :3]) - np.exp(1j * q[:3])).max(axis=1) < 1e-6
    assert fits.sum() == 1
    assert abs(np.sin(0.5 * (free[fits, 3] + free[fits, 5] - 1.3))).max() < 1e-6


def test_limits_and_copies():
    screws = screws_of("ur")
    q = np.array([0.3, -0.8, 1.1, 0.4, -1.3, 0.9])
    pose = forward(screws, HOME, q)
    out = np.empty((1025, 7))
    how = decomposed(screws)
    counts = []
    for joints in (
        joint_map(),
        joint_map(-2 * np.pi, 2 * np.pi, copies=True),
        joint_map(-1.4, 1.4),
    ):
        plan = pack(how, screws, HOME, joints)
        n = kernels_of(plan).plain.solve_pose(plan, pose, out)
        counts.append(n)
        assert (out[:n, :6] >= joints.lower).all()
        assert (out[:n, :6] <= joints.upper).all()
        assert np.abs(out[:n, :6] - q).max(axis=1).min() < 1e-9
    assert counts[1] == 64 * counts[0]
    assert counts[2] < counts[0]


def test_closed_form_and_elimination_agree():
    screws = screws_of("puma")
    pose = forward(screws, HOME, np.array([0.3, -0.8, 1.1, 0.4, -1.3, 0.9]))
    found = []
    for how in (decomposed(screws), Decomposition(Kind.GENERAL, 2)):
        plan = pack(how, screws, HOME, joint_map())
        out = np.empty((33, 7))
        n = kernels_of(plan).jit.solve_pose(plan, pose, out)
        found.append(out[:n, :6].copy())
    assert len(found[0]) == len(found[1])
    for row in found[0]:
        assert off(found[1], row) < 1e-6


@pytest.mark.parametrize("sliding", [0, 2, 4, 6])
def test_a_loop_without_three_sliders_has_no_solution_by_sliders(sliding):
    screws = screws_of("puma")
    screws[:sliding, 6] = 1.0
    out = np.empty((16, 6))
    goal = np.ascontiguousarray(HOME[:3])
    assert closed.sliders(screws, goal, 1e-9, out) == 0


@pytest.mark.parametrize("seed", [34, 154])
def test_singular_cuts_have_no_answer(seed):
    screws = screws_of("jaco")
    q = np.random.default_rng(seed).uniform(-3.0, 3.0, 6)
    goal = np.ascontiguousarray(forward(screws, np.eye(4), q)[:3])
    out = np.empty((32, 6))
    counts = [
        eliminate.solve(screws, goal, cut, np.array(TURNS), 1e-9, out)
        for cut in range(6)
    ]
    assert counts[:5] == [-1] * 5
    assert off(out[: counts[5]], q) < 1e-6


def test_a_pose_out_of_reach_has_no_solution():
    screws = screws_of("puma")
    plan = pack(decomposed(screws), screws, HOME, joint_map())
    pose = forward(screws, HOME, np.zeros(6))
    pose[:3, 3] += 5.0
    assert kernels_of(plan).plain.solve_pose(plan, pose, np.empty((33, 7))) == 0


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**31), n=st.integers(2, 8))
def test_eigenvalues_are_those_of_numpy(seed, n):
    a = np.random.default_rng(seed).normal(size=(n, n))
    wanted = np.sort_complex(np.linalg.eigvals(a))
    linear.hessenberg(a)
    re, im = np.empty(n), np.empty(n)
    assert linear.eigenvalues(a, re, im)
    assert np.allclose(np.sort_complex(re + 1j * im), wanted, atol=1e-8)


@settings(max_examples=30, deadline=None)
@given(roots=st.lists(st.floats(-5.0, 5.0), min_size=4, max_size=4))
def test_real_roots_of_quartics(roots):
    wanted = np.sort(roots)
    if np.diff(wanted).min() < 0.05:
        return
    out = np.empty(4)
    n = conics.quartic(np.poly(wanted)[::-1].copy(), False, out)
    assert n == 4
    assert np.allclose(np.sort(out), wanted, atol=1e-6)
