"""Arms with sliding joints: every word of six letters R and P with up to three P."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from pyrave import IkParameterizationType, NotSupportedError
from pyrave.ik import IkParameterization
from pyrave.jit import KernelModule
from pyrave_ik.arm.chain import ArmChain
from pyrave_ik.methods import analytic
from pyrave_ik.methods.analytic import AnalyticSolver
from pyrave_ik.methods.decomposition import Kind

loops = KernelModule("pyrave_ik.kernels.six_joint_loop")
opposite = KernelModule("pyrave_ik.kernels.closed_forms.opposed_prismatic")
eliminate = KernelModule("pyrave_ik.kernels.elimination.raghavan_roth")

POSE = IkParameterizationType.Transform6D
Z = np.array((0.0, 0.0, 1.0))
TURNS = np.array((0.83, 2.1, -1.3))
WORDS = [
    "".join("P" if i in chosen else "R" for i in range(6))
    for sliders in range(4)
    for chosen in combinations(range(6), sliders)
]


def turn(angle, axis):
    pose = np.eye(4)
    i, j = ((1, 2), (2, 0), (0, 1))[axis]
    pose[i, i] = pose[j, j] = np.cos(angle)
    pose[i, j] = -np.sin(angle)
    pose[j, i] = np.sin(angle)
    return pose


def arm_of(word, geometry, rng):
    """Return a chain: axes anywhere, at right angles, or meeting and parallel."""
    pose = np.eye(4)
    screws = np.zeros((6, 7))
    for i, letter in enumerate(word):
        screws[i] = (*pose[:3, 2], *pose[:3, 3], letter == "P")
        step = np.eye(4)
        match geometry:
            case "anywhere":
                twist, step[[0, 2], 3] = (
                    rng.uniform(-3.0, 3.0),
                    rng.uniform(-0.5, 0.5, 2),
                )
            case "right angles":
                twist = rng.choice([0.0, 0.5 * np.pi, -0.5 * np.pi])
                step[[0, 2], 3] = rng.uniform(-0.5, 0.5, 2)
            case "meeting":
                twist = rng.choice([0.0, 0.5 * np.pi, -0.5 * np.pi])
                step[0, 3], step[2, 3] = (
                    rng.choice([0.0, 0.0, 0.3]),
                    rng.choice([0, 0.4]),
                )
        pose = pose @ turn(rng.uniform(-3.0, 3.0), 2) @ step @ turn(twist, 0)
    hand = np.eye(4)
    hand[:3, 3] = (0.2, 0.0, 0.1)
    names = tuple(f"j{i}" for i in range(6))
    return ArmChain(
        screws, pose @ hand, tuple(range(6)), np.ones(6), np.zeros(6), names
    )


def moves_freely(chain, rng):
    """Return whether the tool has six degrees of freedom somewhere."""
    reached, jacobian = np.empty((3, 4)), np.empty((6, 6))
    values = rng.uniform(-2.0, 2.0, 6)
    loops.python.twists(chain.screws, values, reached, jacobian)
    sizes = np.linalg.svd(jacobian, compute_uv=False)
    return sizes[-1] > 1e-3 * sizes[0]


def off(rows, q, chain):
    """Return how far the nearest row is from joint values."""
    away = np.abs(rows - q)
    around = np.abs((away + np.pi) % (2.0 * np.pi) - np.pi)
    return (
        np.where(chain.screws[:, 6] != 0.0, away, around).max(axis=1).min(initial=9.0)
    )


@pytest.mark.parametrize("geometry", ["anywhere", "right angles", "meeting"])
@pytest.mark.parametrize("sliders", range(4))
def test_every_word_is_solved(sliders, geometry):
    solved = 0
    for number, word in enumerate(WORDS):
        if word.count("P") != sliders:
            continue
        rng = np.random.default_rng([number, sliders, len(geometry)])
        arms = (arm_of(word, geometry, rng) for _ in range(20))
        chain = next((arm for arm in arms if moves_freely(arm, rng)), None)
        if chain is None:
            continue
        solver = AnalyticSolver(chain, POSE, Z)
        for q in rng.uniform(-2.8, 2.8, (3, 6)):
            goal = IkParameterization.transform_6d(chain.tool(q))
            rows = solver.solve(goal)
            assert off(rows, q, chain) < 1e-5, (word, solver.decomposition)
            for row in rows:
                np.testing.assert_allclose(chain.tool(row), chain.tool(q), atol=1e-8)
            solved += 1
    assert solved > 0


@pytest.mark.parametrize("first", range(3))
def test_opposite_sliders_have_all_solutions_that_many_starts_find(first):
    rng = np.random.default_rng(first)
    word = "".join("P" if i in {first, first + 3} else "R" for i in range(6))
    counts = set()
    for _ in range(6):
        chain = arm_of(word, "anywhere", rng)
        goal = np.empty((3, 4))
        loops.python.end(chain.screws, rng.uniform(-3.0, 3.0, 6), goal)
        out, found = np.empty((64, 6)), np.empty((64, 6))
        n = opposite.python.solve_loop(chain.screws, goal, first, TURNS, 1e-9, out)
        m = 0
        for x in rng.uniform(-3.1, 3.1, (300, 6)):
            if loops.jit.polish(chain.screws, goal, x, 60, 1e-13) < 1e-9:
                m = loops.jit.keep(chain.screws, x, found, m)
        assert m > 0
        for x in found[:m]:
            assert off(out[:n], x, chain) < 1e-5
        counts.add(n)
    assert len(counts) > 1
    assert all(n % 2 == 0 and n <= 8 for n in counts)


def test_opposite_sliders_are_named():
    chain = arm_of("RPRRPR", "anywhere", np.random.default_rng(1))
    how = AnalyticSolver(chain, POSE, Z).decomposition
    assert how.kind is Kind.OPPOSED_PRISMATIC
    assert how.complete
    assert "j1 and j4 slide, opposite each other" in how.reason


@pytest.mark.parametrize(
    ("word", "geometry", "seed"),
    [("RRPRPR", "meeting", (7, 17)), ("RRRPPR", "right angles", (0, 19))],
)
def test_a_root_may_stand_for_several_solutions(word, geometry, seed):
    """By every cut of the loop some of its solutions have the same root."""
    rng = np.random.default_rng(seed)
    chain = arm_of(word, geometry, rng)
    assert moves_freely(chain, rng)
    solver = AnalyticSolver(chain, POSE, Z)
    for q in rng.uniform(-2.8, 2.8, (12, 6)):
        goal = IkParameterization.transform_6d(chain.tool(q))
        assert off(solver.solve(goal), q, chain) < 1e-5


def test_a_slider_that_is_infinite_is_no_lost_solution():
    rng = np.random.default_rng(5)
    chain = arm_of("RRPRRR", "anywhere", rng)
    out, goal = np.empty((32, 6)), np.empty((3, 4))
    for q in rng.uniform(-2.5, 2.5, (5, 6)):
        loops.python.end(chain.screws, q, goal)
        # the cut at 0 has the slider for its unknown, others have angles
        first, other = (
            eliminate.jit.solve(chain.screws, goal, cut, TURNS, 1e-9, out)
            for cut in (0, 1)
        )
        assert first == other > 0


def decompositions_of_arms_with_sliders_along_turns():
    """Return what solves some of them: a slider is parallel to a neighbouring axis."""
    rng = np.random.default_rng(7)
    hows = set()
    for _ in range(12):
        chain = arm_of("PRPRRR", "right angles", rng)
        if moves_freely(chain, rng):
            hows.add(AnalyticSolver(chain, POSE, Z).decomposition)
    return hows


def test_where_every_cut_is_singular_neighbours_are_asked(monkeypatch):
    monkeypatch.setattr(analytic, "commuted", lambda screws: tuple(range(len(screws))))
    hows = decompositions_of_arms_with_sliders_along_turns()
    assert Kind.PERTURBED_GEOMETRY in {how.kind for how in hows}
    for how in hows:
        assert how.complete is (how.kind is not Kind.PERTURBED_GEOMETRY)


def test_sliders_that_commute_with_turns_leave_a_regular_cut():
    hows = decompositions_of_arms_with_sliders_along_turns()
    assert {how.kind for how in hows} == {Kind.GENERAL, Kind.OPPOSED_PRISMATIC}
    assert all(how.complete for how in hows)


def test_four_sliders_leave_nothing_isolated():
    chain = arm_of("PPPPRR", "anywhere", np.random.default_rng(2))
    with pytest.raises(NotSupportedError, match="no isolated solutions"):
        AnalyticSolver(chain, POSE, Z)
