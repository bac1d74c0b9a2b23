"""The kernels of inverse kinematics against numpy, each other and forward kinematics.

They run uncompiled here but for the last test: what they compute is the same.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pyrave.jit import KernelModule, eager
from pyrave.jit.addresses import address_of
from pyrave.spatial import matrix_from_axis_angle
from pyrave_ik.arm.chain import WORLD, ArmChain
from pyrave_ik.kernels import linear
from pyrave_ik.kernels.closed_forms import pieper as closed
from pyrave_ik.kernels.closed_forms import subproblems as conics
from pyrave_ik.kernels.elimination import raghavan_roth as eliminate
from pyrave_ik.kernels.packed_arm import LOOP, N_FREE, ONE_TURN, SURE, WITHIN
from pyrave_ik.kernels.singular import singular_poses as singular
from pyrave_ik.methods.arm_kernels import kernels_of
from pyrave_ik.methods.bounded_arm import NO_FREE, NO_VIRTUAL
from pyrave_ik.methods.decomposition import Decomposition, Kind, classify
from pyrave_ik.methods.kernel_choice import METHODS
from pyrave_ik.methods.packed_arm import TURNS, pack

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


def plan_of(
    screws: np.ndarray,
    low: float = -np.inf,
    high: float = np.inf,
    how: Decomposition | None = None,
    *,
    every: bool = True,
) -> np.ndarray:
    names = tuple("abcdef")
    chain = ArmChain(screws, HOME, tuple(range(6)), np.ones(6), np.zeros(6), names)
    mode = WITHIN if np.isfinite(high - low) else ONE_TURN
    bounds = np.tile([low, high, mode, 0.0, 2.0 * np.pi], (6, 1))
    return pack(how or decomposed(screws), chain, (), bounds, every=every)


def whole(plan: np.ndarray) -> Any:
    """Return kernels, to be interpreted, that have an answer at singular poses."""
    last = kernels_of(plan)[-1]
    plan[LOOP] = address_of(last.loop.module.loop)
    return last.solve.module


def solved(plan: np.ndarray, pose: np.ndarray, rows: int = 33) -> np.ndarray:
    """Run the kernels in the interpreter."""
    out = np.empty((rows, 7))
    n = whole(plan).solve(plan, WORLD, pose, NO_VIRTUAL, NO_FREE, np.empty(0), out)
    assert 0 <= n <= rows
    return out[:n]


def decomposed(screws: np.ndarray) -> Decomposition:
    pose = forward(screws, np.eye(4), np.array([0.3, -0.8, 1.1, 0.4, -1.3, 0.9]))
    return classify(screws, pose, tuple("abcdef"))


def off(rows: np.ndarray, q: np.ndarray) -> float:
    return float(np.abs(np.exp(1j * rows) - np.exp(1j * q)).max(axis=1).min())


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("name", ["puma", "ur", "skewed"])
@settings(max_examples=10)
@given(q=angles)
def test_regular_poses(name, backward, q):
    screws = screws_of(name)
    if backward:
        screws = screws[::-1] * np.array([-1.0] * 3 + [1.0] * 4)
    plan = plan_of(screws)
    assert plan[SURE] == 1.0
    assume(not singular.is_near(screws, q))
    pose = forward(screws, HOME, q)
    rows = solved(plan, pose)
    for row in rows[:, :6]:
        assert np.abs(forward(screws, HOME, row) - pose).max() < 1e-8
    assert len(rows) > 0
    assert off(rows[:, :6], q) < 1e-6


@settings(max_examples=4)
@given(q=corners)
def test_multiples_of_right_angles(q):
    screws = screws_of("puma")
    pose = forward(screws, HOME, q)
    rows = solved(plan_of(screws), pose)
    assert len(rows) > 0
    for row in rows[:, :6]:
        assert np.abs(forward(screws, HOME, row) - pose).max() < 1e-8


def test_a_straight_wrist_is_one_continuum_of_two_joints():
    screws = screws_of("puma")
    q = np.array([0.3, -0.8, 1.1, 0.4, 0.0, 0.9])
    rows = solved(plan_of(screws), forward(screws, HOME, q))
    free = rows[rows[:, 6] == 0b101000]
    fits = np.abs(np.exp(1j * free[:, :3]) - np.exp(1j * q[:3])).max(axis=1) < 1e-6
    assert fits.sum() == 1
    assert abs(np.sin(0.5 * (free[fits, 3] + free[fits, 5] - 1.3))).max() < 1e-6


def test_every_kind_of_loop_has_a_method_in_the_table():
    assert {kind for kind, _ in METHODS} == set(Kind)
    assert {kind for kind, dh_frames in METHODS if not dh_frames} == set(Kind)
    for method in METHODS.values():
        module = KernelModule(f"pyrave_ik.kernels.{method.module}").python
        assert callable(module.prepare)
        assert callable(module.solutions)


def test_one_kernel_of_singular_poses_serves_all_methods_by_their_loops():
    plans = [plan_of(screws_of(name)) for name in ("puma", "ur", "jaco")]
    last = [kernels_of(plan)[-1] for plan in plans]
    assert len({one.solve.request for one in last}) == 1
    assert len({one.search.request for one in last}) == 1
    assert len({one.loop.request for one in last}) == 3
    addresses = set()
    for plan, one in zip(plans, last, strict=True):
        one.solve_in(plan)
        with eager():
            call, mine = one.search_in(plan)
        assert call is one.search.call
        assert (mine[:LOOP] == plan[:LOOP]).all()
        addresses |= {plan[LOOP], mine[LOOP]}
    assert len(addresses) == 3  # of untilted arms they are the same


@pytest.mark.parametrize("name", ["puma", "ur"])
def test_kernels_that_compile_fast_say_where_they_have_no_answer(name):
    screws = screws_of(name)
    plan = plan_of(screws)
    regular = kernels_of(plan)[0].solve.module
    q = np.array([0.3, -0.8, 1.1, 0.4, -1.3, 0.9])
    poses = [forward(screws, HOME, one) for one in (q, q * 0.0, q)]
    found = []
    for pose in poses:
        out = np.empty((33, 7))
        setting = (WORLD, pose, NO_VIRTUAL, NO_FREE, np.empty(0), out)
        found.append(regular.solve(plan, *setting))
    assert found == [8, -1 - len(NO_FREE), 8]
    out, counts = np.empty((99, 6)), np.empty(3)
    nowhere = np.empty(0)
    for first, done in ((0, 1), (1, -1 - len(NO_FREE)), (2, 1)):
        some = np.array(poses[first:])
        assert (
            regular.solve_batch(plan, WORLD, some, NO_FREE, nowhere, out, counts)
            == done
        )


def test_limits_and_copies():
    screws = screws_of("ur")
    q = np.array([0.3, -0.8, 1.1, 0.4, -1.3, 0.9])
    pose = forward(screws, HOME, q)
    counts = []
    for reach in (np.inf, 2.0 * np.pi, 1.4):
        rows = solved(plan_of(screws, -reach, reach), pose, 1025)[:, :6]
        counts.append(len(rows))
        assert (np.abs(rows) <= reach).all()
        assert np.abs(rows - q).max(axis=1).min() < 1e-9
    assert counts[1] == 64 * counts[0]
    assert counts[2] < counts[0]


@pytest.mark.parametrize("name", ["puma", "ur"])
@pytest.mark.parametrize(
    ("low", "high"),
    [(-4.8, 1.3), (-10.0, -8.0), (7.5, 13.0), (-0.1, 6.0), (-3.2, 3.2), (2.0, 9.0)],
)
def test_every_whole_turn_inside_limits_is_found(name, low, high):
    screws = screws_of(name)
    pose = forward(screws, HOME, np.array([0.3, -0.8, 1.1, 0.4, -1.3, 0.9]))
    turns = 2.0 * np.pi * np.arange(-3, 4)
    expected = [
        copy
        for row in solved(plan_of(screws), pose)[:, :6]
        for copy in product(*([x for x in q + turns if low <= x <= high] for q in row))
    ]
    rows = solved(plan_of(screws, low, high), pose, 1025)[:, :6]
    assert len(rows) == len(expected)
    if expected:
        off = np.abs(rows[:, None] - np.array(expected)).max(axis=2)
        assert off.min(axis=0).max() < 1e-12
        assert off.min(axis=1).max() < 1e-12


@pytest.mark.parametrize("name", ["puma", "ur"])
@pytest.mark.parametrize(
    ("low", "high"), [(-10.0, -3.0), (-3.2, 3.2), (2.0, 9.0), (-30.0, 30.0)]
)
def test_one_turn_inside_limits_is_the_nearest(name, low, high):
    screws = screws_of(name)
    pose = forward(screws, HOME, np.array([0.3, -0.8, 1.1, 0.4, -1.3, 0.9]))
    turns = 2.0 * np.pi * np.arange(-6, 7)
    plan = plan_of(screws, low, high, every=False)
    kernels = kernels_of(plan)[0].solve.module
    rng = np.random.default_rng(3)
    for near in (np.empty(0), *rng.uniform(low, high, (4, 6)), np.full(6, high + 9.0)):
        around = near if len(near) else np.full(6, 0.5 * (low + high))
        expected = []
        for q in solved(plan_of(screws), pose)[:, :6]:
            inside = [[x for x in v + turns if low <= x <= high] for v in q]
            if all(inside):
                pairs = zip(inside, around, strict=True)
                expected.append([min(xs, key=lambda x: abs(x - c)) for xs, c in pairs])
        for width in (6, 7, 20):  # as all_turns has it, too
            out = np.empty((99, width))
            given = plan, np.eye(4), pose, NO_VIRTUAL, NO_FREE, near, out
            n = kernels.solve(*given)
            rows = out[:n]
            if width == 20:
                rows = rows[(rows[:, 14:] == 0.0).all(axis=1)]
            assert len(rows) == len(expected)
            if expected:
                off = np.abs(rows[:, None, :6] - np.array(expected)).max(axis=2)
                assert off.min(axis=0).max() < 1e-12
                assert off.min(axis=1).max() < 1e-12


@pytest.mark.parametrize("name", ["puma", "ur"])
def test_fewer_arguments_give_the_same_rows(name):
    screws = screws_of(name)
    plan = plan_of(screws, -4.8, 2.9)
    pose = forward(screws, HOME, np.array([0.3, -0.8, 1.1, 0.4, -1.3, 0.9]))
    kernels = kernels_of(plan)[0].solve.module
    rough = pose.copy()
    rough[:3, :3] += 1e-8
    for goal in (pose, rough):
        expected, out = solved(plan, goal, 99), np.empty((99, 6))
        n = kernels.solve_pose(plan, goal, out)
        assert n == len(expected) > 0
        assert np.abs(out[:n] - expected[:, :6]).max() < 1e-12
    straight = forward(screws, HOME, np.zeros(6))
    assert kernels.solve_pose(plan, straight, out) == -1 - len(NO_FREE)
    held = plan.copy()
    held[N_FREE] = 1.0
    assert kernels.solve_pose(held, pose, out) == -1


def test_a_joint_just_outside_of_its_limit_is_put_on_it_if_the_tool_stays():
    screws = screws_of("ur")
    q = np.array([0.3, -0.8, 1.1, 0.4, -1.3, 0.9])
    pose = forward(screws, HOME, q)
    for excess, found in ((1e-10, True), (1e-7, False)):
        rows = solved(plan_of(screws, -1.3 + excess, 1.3), pose)
        on_it = rows[:, 4] == -1.3 + excess
        assert on_it.any() == found
        assert (rows[:, :6] >= -1.3 + excess).all()


def test_what_limits_leave_out_is_told():
    screws = screws_of("ur")
    q = np.array([0.3, -0.8, 1.1, 0.4, -1.3, 0.9])
    pose = forward(screws, HOME, q)
    plan = plan_of(screws, -1.4, 1.4)
    every = solved(plan_of(screws), pose)
    kernels, out = kernels_of(plan)[0].solve.module, np.empty((33, 20))
    n = kernels.solve(plan, WORLD, pose, NO_VIRTUAL, NO_FREE, np.empty(0), out)
    assert n == len(every)
    inside = solved(plan, pose)
    assert 0 < len(inside) < len(every)
    assert (out[:n, 14:] == 0.0).all(axis=1).sum() == len(inside)
    for row in out[:n]:
        assert np.abs(np.exp(1j * row[:6]) - np.exp(1j * row[8:14])).max() < 1e-12
        beyond = row[14:]
        off_limit = np.where(beyond > 0, 1.4, -1.4) + beyond
        told = np.abs(np.exp(1j * off_limit) - np.exp(1j * row[:6]))
        assert told[beyond != 0.0].max(initial=0.0) < 1e-12
        assert (np.abs(beyond) <= np.pi - 1.4 + 1e-12).all()
        assert ((beyond != 0.0) == (np.abs(row[:6]) > 1.4)).all()


def test_closed_form_and_elimination_agree():
    screws = screws_of("puma")
    pose = forward(screws, HOME, np.array([0.3, -0.8, 1.1, 0.4, -1.3, 0.9]))
    found = []
    for how in (decomposed(screws), Decomposition(Kind.GENERAL, 2)):
        plan, out = plan_of(screws, how=how), np.empty((33, 7))
        solve = kernels_of(plan)[0].solve.now()
        n = solve(plan, WORLD, pose, NO_VIRTUAL, NO_FREE, np.empty(0), out)
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
    pose = forward(screws, HOME, np.zeros(6))
    pose[:3, 3] += 5.0
    assert len(solved(plan_of(screws), pose)) == 0


@settings(max_examples=30)
@given(seed=st.integers(0, 2**31), n=st.integers(2, 8))
def test_eigenvalues_are_those_of_numpy(seed, n):
    a = np.random.default_rng(seed).normal(size=(n, n))
    wanted = np.sort_complex(np.linalg.eigvals(a))
    linear.hessenberg(a)
    re, im = np.empty(n), np.empty(n)
    assert linear.eigenvalues(a, re, im)
    assert np.allclose(np.sort_complex(re + 1j * im), wanted, atol=1e-8)


@settings(max_examples=30)
@given(roots=st.lists(st.floats(-5.0, 5.0), min_size=4, max_size=4))
def test_real_roots_of_quartics(roots):
    wanted = np.sort(roots)
    if np.diff(wanted).min() < 0.05:
        return
    out = np.empty(4)
    n = conics.quartic(np.poly(wanted)[::-1].copy(), False, 0.0, out)
    assert n == 4
    assert np.allclose(np.sort(out), wanted, atol=1e-6)
