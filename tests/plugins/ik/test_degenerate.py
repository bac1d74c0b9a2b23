"""Special and nearly special geometry: parallel, meeting and tilted axes, held joints.

Every configuration that made a pose must be among the solutions, with held joints at
their values in it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import pyrave
from pyrave.ik import IkParameterization
from pyrave.ik import IkParameterizationType as Goal
from pyrave.jit import KernelModule
from pyrave.spatial import matrix_from_axis_angle
from pyrave_environments.arms import arm, arm_description
from pyrave_ik.arm.chain import ArmChain
from pyrave_ik.kernels.closed_forms import subproblems as conics
from pyrave_ik.kernels.packed_arm import DH_FRAMES
from pyrave_ik.methods.analytic import AnalyticSolver
from pyrave_ik.methods.decomposition import NEARLY, Decomposition, Kind, commuted
from pyrave_ik.methods.packed_arm import TURNS, pack

loops = KernelModule("pyrave_ik.kernels.six_joint_loop")
cuts = KernelModule("pyrave_ik.kernels.elimination.loop_cuts")

X, Y, Z = np.eye(3)
LOCAL = (0.1, -0.2, 0.15)
FACING_X = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
"""Rotation of a tool whose z axis points along x."""
AXIS_ANGLES = [
    Goal.TranslationXAxisAngle4D,
    Goal.TranslationYAxisAngle4D,
    Goal.TranslationXAxisAngleZNorm4D,
]


@cache
def chain_of(name: str) -> ArmChain:
    env = pyrave.Environment()
    robot = env.create("robot", "")
    robot.init(arm_description(arm(name)))
    env.add(robot)
    return ArmChain.from_manipulator(robot.manipulators["arm"])


def made(rows, home) -> ArmChain:
    screws = np.array(rows, dtype=float)
    n = len(screws)
    names = tuple(f"j{i}" for i in range(n))
    return ArmChain(screws, home, tuple(range(n)), np.ones(n), np.zeros(n), names)


def along_x(word: str, axes=None) -> ArmChain:
    """Return an arm of parallel joints along z, 0.3 m apart; the tool faces x."""
    home = np.eye(4)
    home[:3, :3] = FACING_X
    home[:3, 3] = 0.3 * word.count("R"), 0.05, 0.3
    rows, x = [], 0.0
    for number, letter in enumerate(word):
        axis = Z if axes is None else axes[number]
        rows.append([*axis, x, 0.0, 0.1 * number, letter == "P"])
        x += 0.3 * (letter == "R")
    return made(rows, home)


def calibrated(chain: ArmChain, tilt: float, rng) -> ArmChain:
    screws = chain.screws.copy()
    screws[:, :6] += tilt * rng.normal(size=(chain.n, 6))
    screws[:, :3] /= np.linalg.norm(screws[:, :3], axis=1)[:, None]
    return replace(chain, screws=screws)


def off(rows, q, chain) -> float:
    """Return how far the nearest row is from joint values."""
    away = np.abs(rows - q)
    around = np.abs(np.exp(1j * rows) - np.exp(1j * q))
    slides = chain.screws[:, 6] != 0.0
    return float(np.where(slides, away, around).max(axis=1).min(initial=9.0))


def solved(solver: AnalyticSolver, q):
    """Return the goal that the arm meets at joint values, and its solutions."""
    tool = solver.chain.tool(q)
    goal = IkParameterization.from_pose(solver.kind, tool, Z, LOCAL)
    return goal, solver.solve(goal, q[list(solver.free)])


# -- values of held joints that make axes parallel ---------------------------------


@pytest.mark.parametrize(
    "kind", [Goal.TranslationYAxisAngle4D, Goal.TranslationZAxisAngle4D]
)
def test_nothing_is_lost_near_a_straight_wrist(kind):
    """The roll of the tool is nearly parallel to the three parallel axes."""
    chain = chain_of("ur5")
    solver = AnalyticSolver(chain, kind, Z, (4, 5))
    assert solver.decomposition.kind is Kind.PARALLEL
    rng = np.random.default_rng(5)
    for shift in (1.2e-3, 1.5e-3, 3e-3, 6e-3, 1.4e-2, 3e-2):
        for _ in range(20):
            q = rng.uniform(-3.0, 3.0, 6)
            q[4] = rng.choice([0.0, np.pi]) + shift
            assert off(solved(solver, q)[1], q, chain) < 1e-6, (shift, q.tolist())


@pytest.mark.parametrize("straight", [0.0, np.pi])
def test_four_parallel_axes_are_a_linkage(straight):
    chain = chain_of("ur5")
    solver = AnalyticSolver(chain, Goal.TranslationYAxisAngle4D, Z, (4, 5))
    rng = np.random.default_rng(6)
    for _ in range(10):
        q = rng.uniform(-3.0, 3.0, 6)
        q[4] = straight
        goal, rows = solved(solver, q)
        assert len(rows)
        for row in rows:
            assert row[4:] == pytest.approx(q[4:])
            angle, position = goal.array[0], goal.array[1:]
            tool = chain.tool(row)
            assert tool[:3, 3] == pytest.approx(position, abs=1e-9)
            assert tool[1, 2] == pytest.approx(np.cos(angle), abs=1e-9)


def test_a_reversed_arm_with_straight_wrist_and_elbow():
    chain = chain_of("ur5e")
    screws = chain.screws[::-1] * np.array([-1.0] * 3 + [1.0] * 4)
    chain = replace(chain, screws=np.ascontiguousarray(screws), home=np.eye(4))
    q = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
    _, rows = solved(AnalyticSolver(chain, Goal.Transform6D, Z), q)
    assert len(rows)
    for row in rows:
        assert chain.tool(row) == pytest.approx(chain.tool(q), abs=1e-9)


@pytest.mark.parametrize(("twist", "fast"), [(1.2, 1.0), (1.5e-3, 0.0), (3e-12, 0.0)])
def test_a_loop_with_nearly_parallel_axes_is_not_for_the_fast_kernels(twist, fast):
    rows, pose = [], np.eye(4)
    for length, turn, offset in (
        (0.0, 1.5, 0.1),
        (0.4, 0.0, 0.0),
        (0.4, 0.0, 0.0),
        (0.0, twist, 0.1),
        (0.0, -1.5, 0.1),
        (0.0, 0.0, 0.1),
    ):
        rows.append([*pose[:3, 2], *pose[:3, 3], 0.0])
        link = np.eye(4)
        link[:3, :3] = matrix_from_axis_angle(X, turn)
        link[:3, 3] = length, 0.0, offset
        pose = pose @ link
    bounds = np.tile([-3.0, 3.0, 0.0, 0.0, 2.0 * np.pi], (6, 1))
    plan = pack(Decomposition(Kind.PARALLEL), made(rows, pose), (), bounds)
    assert plan[DH_FRAMES] == fast


# -- calibrated arms ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["puma560", "ur5"])
@pytest.mark.parametrize("tilt", [1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-6, 1e-4])
def test_nothing_is_lost_by_calibration(name, tilt):
    """All configurations are found, by the closed form of the arm without its tilts."""
    rng = np.random.default_rng([3, *name.encode()])
    chain = calibrated(chain_of(name), tilt, rng)
    solver = AnalyticSolver(chain, Goal.Transform6D, Z)
    how = solver.decomposition
    assert how.kind in {Kind.WRIST, Kind.PARALLEL}
    assert how.complete
    assert 0.1 * tilt < how.tilt < NEARLY
    assert "axes are off by" in how.reason
    for q in rng.uniform(-3.0, 3.0, (25, 6)):
        rows = solved(solver, q)[1]
        assert off(rows, q, chain) < 1e-6, q.tolist()
        for row in rows:
            assert chain.tool(row) == pytest.approx(chain.tool(q), abs=1e-10)


def test_rounding_is_no_tilt():
    rng = np.random.default_rng(4)
    chain = calibrated(chain_of("puma560"), 1e-15, rng)
    assert AnalyticSolver(chain, Goal.Transform6D, Z).decomposition.tilt == 0.0


def test_a_chance_value_of_a_held_joint_makes_no_decomposition(monkeypatch):
    """Where the held elbow is straight three axes are parallel, elsewhere they are not.

    Two samples that differ are settled by a third.
    """
    chain = along_x("RRRRRRR", [X, Z, Z, X, Z, Y, X])
    solver = AnalyticSolver(chain, Goal.Transform6D, Z)
    rng = np.random.default_rng(1)
    straight, bent = rng.uniform(-2.0, 2.0, (2, 7))
    straight[3] = 0.0

    def sampled(values):
        goal = IkParameterization.transform_6d(chain.tool(values))
        return solver.task(goal), values

    kinds = []
    for three in (
        (straight, straight, bent),
        (straight, bent, bent),
        (bent, straight, straight),
    ):
        samples = map(sampled, three)
        monkeypatch.setattr(solver, "_sample", lambda _, some=samples: next(some))
        kinds.append(solver._classified((3,), rng).kind)
    assert kinds == [Kind.PARALLEL, Kind.GENERAL, Kind.PARALLEL]


def test_roots_that_an_ill_conditioned_pencil_merges():
    """One cut had four of eight solutions, and was sure of them."""
    rng = np.random.default_rng([2, 3])
    chain = chain_of("ur5")
    screws = chain.screws.copy()
    screws[:, :3] += 1e-7 * rng.normal(size=(6, 3))
    screws[:, :3] /= np.linalg.norm(screws[:, :3], axis=1)[:, None]
    screws[:, 3:6] += 1e-7 * rng.normal(size=(6, 3))
    q = [0.1630269408, 1.2913256383, 2.8510328323, 0.4546439207, -2.0842525828]
    goal, out = np.empty((3, 4)), np.empty((32, 6))
    loops.python.end(screws, np.array([*q, 2.844748003]), goal)
    for first in range(6):
        n = cuts.python.sure_cut(screws, goal, first, np.array(TURNS), 1e-9, out)
        assert n == 8 or n < 0


# -- sliders along turning axes ----------------------------------------------------


@pytest.mark.parametrize("kind", AXIS_ANGLES)
@pytest.mark.parametrize("word", ["RRRP", "RRPR", "RPRR", "PRRR"])
def test_scaras_have_a_closed_form(word, kind):
    chain = along_x(word)
    solver = AnalyticSolver(chain, kind, Z)
    assert solver.decomposition.kind is Kind.PARALLEL
    assert solver.free == ()
    rng = np.random.default_rng([7, *word.encode()])
    for q in rng.uniform(-2.5, 2.5, (60, 4)):
        assert off(solved(solver, q)[1], q, chain) < 1e-6, q.tolist()


@pytest.mark.parametrize("word", ["PRRRRR", "RRRPRR"])
def test_a_slider_among_parallel_axes_of_an_arm_of_six_joints(word):
    axes = [Z, Z, Z, Z, X, Y]
    chain = along_x(word, axes)
    solver = AnalyticSolver(chain, Goal.Transform6D, Z)
    assert solver.decomposition.kind is Kind.PARALLEL
    rng = np.random.default_rng([8, *word.encode()])
    for q in rng.uniform(-2.5, 2.5, (40, 6)):
        assert off(solved(solver, q)[1], q, chain) < 1e-6, q.tolist()


def test_sliders_are_taken_behind_the_turns_that_they_commute_with():
    assert commuted(along_x("PRRR").screws) == (1, 2, 3, 0)
    assert commuted(along_x("RPRP").screws) == (0, 2, 1, 3)
    crossed = along_x("PRRP", [X, Z, Z, Z])
    assert commuted(crossed.screws) == (0, 1, 2, 3)


# -- planar arms -------------------------------------------------------------------


@pytest.mark.parametrize("word", ["RRR", "RPR", "PRR", "RR"])
def test_planar_arms_look_at_points_of_their_plane(word):
    axes = [Z if letter == "R" else np.array((0.6, 0.8, 0.0)) for letter in word]
    chain = along_x(word, axes)
    solver = AnalyticSolver(chain, Goal.Lookat3D, Z)
    assert solver.decomposition.kind is Kind.PLANAR
    rng = np.random.default_rng([9, *word.encode()])
    for q in rng.uniform(-2.0, 2.0, (20, len(word))):
        goal, rows = solved(solver, q)
        assert off(rows, q, chain) < 1e-6
        held = q[list(solver.free)]
        for row in rows:
            tool = chain.tool(row)
            way = goal.array - tool[:3, 3]
            assert way @ tool[:3, 2] > 0.0
            assert np.cross(way, tool[:3, 2]) == pytest.approx(np.zeros(3), abs=1e-8)
        above = IkParameterization(goal.type, tuple(goal.array + 1e-6 * Z))
        assert len(solver.solve(above, held)) == 0


def test_a_scara_looks_up_and_down_with_its_slider():
    solver = AnalyticSolver(along_x("RRRP"), Goal.Lookat3D, Z)
    assert solver.decomposition.kind is not Kind.PLANAR
    assert 3 not in solver.free


def test_folded_links_of_a_planar_arm_turn_about_its_first_axis():
    chain = along_x("RRR")
    solver = AnalyticSolver(chain, Goal.TranslationXYOrientation3D, Z)
    for bend in (np.pi, np.pi - 1e-12, np.pi - 1e-9, np.pi - 1e-6, 0.0, 1e-8):
        q = np.array((0.4, bend, 0.7))
        rows = solved(solver, q)[1]
        assert len(rows), bend
        for row in rows:
            assert chain.tool(row) == pytest.approx(chain.tool(q), abs=1e-9)


# -- equations that are nearly tangent ---------------------------------------------


@pytest.mark.parametrize(
    ("a", "error", "expected"),
    [
        (0.3, 1e-15, 2),
        (1.0, 1e-15, -2),
        (1.0 - 1e-9, 1e-15, -3),
        (1.0 - 1e-9, 1e-6, -3),
        (0.99, 1e-6, 2),
        (0.999, 1e-3, -3),
        (1.0 + 1e-9, 1e-15, -2),
        (1.1, 1e-15, 0),
        (1.001, 1e-3, -2),
    ],
)
def test_a_line_near_a_tangent_is_not_sure_of_its_points(a, error, expected):
    out = np.empty((2, 2))
    assert conics.line_and_circle(a, -0.6, 0.8, error, out) == expected
    n = expected if expected >= 0 else -1 - expected
    if abs(a) < 1.0:
        assert a - 0.6 * out[:n, 0] + 0.8 * out[:n, 1] == pytest.approx(np.zeros(n))
    assert np.hypot(*out[:n].T) == pytest.approx(np.ones(n))


def test_an_equation_without_a_joint_says_so():
    out = np.empty((2, 2))
    assert conics.line_and_circle(1e-17, 1e-17, 0.0, 1e-15, out) == -1
    assert conics.line_and_circle(0.5, 1e-17, 0.0, 1e-15, out) == 0
    assert conics.line_and_parabola(1e-17, 0.0, 0.0, 1e-15, out) == -1
    assert conics.line_and_parabola(0.5, 0.0, 0.0, 1e-15, out) == 0


# -- equations that a joint hardly occurs in ---------------------------------------


def conic(slides: bool, x: float):
    return np.array((1.0, x, x * x) if slides else (1.0, np.cos(x), np.sin(x)))


def joint_off(slides: bool, found, x: float) -> float:
    if slides:
        return abs(float(found[0]) - x)
    return float(np.hypot(*(found - conic(slides, x)[1:])))


@pytest.mark.parametrize("slides", [False, True])
@pytest.mark.parametrize("part", [1e-7, 1e-8, 1e-9, 1e-10, 1e-11])
def test_a_joint_that_is_hardly_in_one_equation(slides, part):
    """The other joint is in both: the solutions follow from it."""
    rng = np.random.default_rng(8)
    out = np.empty((8, 4))
    for _ in range(30):
        x, y = rng.uniform(-1.0, 1.0, 2)
        left, right = rng.normal(size=(2, 2, 3))
        left[0] *= part
        left[0, 2] *= not slides  # the square of a slide is in distances only
        right[:, 0] += left @ conic(slides, x) - right @ conic(False, y)
        n = conics.pairs(left, right, slides, False, 0.0, out)
        off = [
            max(joint_off(slides, row[:2], x), joint_off(False, row[2:], y))
            for row in out[: n if n >= 0 else -1 - n]
        ]
        assert min(off, default=9.0) < 1e-5


@pytest.mark.parametrize("part", [3e-7, 1e-7, 1e-8, 1e-9, 1e-10])
def test_two_joints_that_are_hardly_in_each_others_equations(part):
    rng = np.random.default_rng(9)
    out = np.empty((8, 4))
    for _ in range(30):
        x, y = rng.uniform(-1.0, 1.0, 2)
        left, right = rng.normal(size=(2, 2, 3))
        left[0] *= part
        right[1] *= part
        left[:, 0] += right @ conic(False, y) - left @ conic(False, x)
        n = conics.pairs(left, right, False, False, 0.0, out)
        off = [
            max(joint_off(False, row[:2], x), joint_off(False, row[2:], y))
            for row in out[: n if n >= 0 else -1 - n]
        ]
        assert min(off, default=9.0) < 1e-3  # near enough for Newton's method


@pytest.mark.parametrize("tilt", [1e-10, 1e-9, 1e-8, 1e-7, 1e-6])
def test_nothing_is_lost_where_the_last_two_axes_are_nearly_parallel(tilt):
    """The equation of directions has hardly anything of the fifth joint."""
    rows = [
        [*Z, 0.0, 0.0, 0.0, 0.0],
        [*Y, 0.0, 0.0, 0.4, 0.0],
        [*Y, 0.3, 0.0, 0.4, 0.0],
        [*Y, 0.5, 0.0, 0.7, 0.0],
        [np.cos(0.2), tilt, np.sin(0.2), 0.6, 0.3, 0.7, 0.0],
        [np.cos(0.2), 0.0, np.sin(0.2), 0.6, 0.2, 1.0, 0.0],
    ]
    home = np.eye(4)
    home[:3, 3] = 0.8, 0.4, 1.2
    chain = made(rows, home)
    solver = AnalyticSolver(chain, Goal.Transform6D, Z)
    assert solver.decomposition.kind is Kind.PARALLEL
    assert solver.decomposition.tilt == 0.0
    for q in np.random.default_rng(10).uniform(-3.0, 3.0, (100, 6)):
        assert off(solved(solver, q)[1], q, chain) < 1e-6, q.tolist()


def test_a_search_finds_what_tilts_leave_of_a_continuum():
    """Straight wrists of a calibrated arm within narrow limits, also from elsewhere."""
    rng = np.random.default_rng(5)
    known = arm_description(arm("puma560"))

    def tilted(joint):
        x, y, z = joint.T_parent_joint.translation + 3e-10 * rng.normal(size=3)
        axes = tuple(replace(one, lower=-1.2, upper=1.2) for one in joint.axes)
        place = replace(joint.T_parent_joint, translation=(x, y, z))
        return replace(joint, T_parent_joint=place, axes=axes)

    env = pyrave.Environment()
    robot = env.create("robot", "")
    robot.init(replace(known, joints=tuple(map(tilted, known.joints))))
    env.add(robot)
    tool = robot.manipulators["arm"]
    assert tool.ik_solver.goal_solver("Transform6D")
    poses = []
    for _ in range(12):
        q = rng.uniform(-1.1, 1.1, 6)
        q[4] = 0.0
        robot.dof_values = q
        pose = tool.transform
        poses.append(pose)
        robot.dof_values = rng.uniform(-1.1, 1.1, 6)
        found = [tool.solve_ik(pose), *tool.solve_ik(pose, all=True)[:1]]
        assert len(found) == 2
        assert tool.find_ik(pose)
        for values in found:
            robot.dof_values = values
            np.testing.assert_allclose(tool.transform, pose, atol=1e-8)
    far = np.eye(4)
    far[:3, 3] = 0.9, 0.0, -0.3
    result = tool.find_ik(far)
    assert not result
    assert result.complete
    batch = tool.solve_ik_batch(np.array([far, *poses, far]), all=True)
    assert batch.counts[[0, -1]].tolist() == [0, 0]
    assert (batch.counts[1:-1] > 0).all()
    owners = np.repeat(np.arange(len(batch.counts)), batch.counts)
    for number, values in zip(owners, batch.solutions, strict=True):
        robot.dof_values = values
        np.testing.assert_allclose(tool.transform, poses[number - 1], atol=1e-8)
