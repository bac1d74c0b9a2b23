"""Linear programs against an interior-point method and hand-made programs."""

import importlib
import importlib.util
import math
import sys

import numpy as np
import pytest
from loops import each
from scipy import optimize

from pyrave import NotSupportedError
from pyrave_stability.linear import maximize


def reference(objective, equations, values):
    found = optimize.linprog(
        -objective, A_eq=equations, b_eq=values, bounds=(0, None), method="highs-ipm"
    )
    return {0: "optimal", 2: "infeasible", 3: "unbounded"}.get(found.status), found.fun


@each("seed", range(60))
def test_random_programs(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 9), rng.integers(2, 60)
    equations = rng.normal(size=(m, n)) * 10.0 ** rng.integers(-3, 4, (m, 1))
    if seed % 3 == 0:  # corners where many constraints meet
        equations = np.round(equations, 0)
    if seed % 4 == 0 and m > 1:  # rows that follow from others
        equations[-1] = 2.0 * equations[0]
    x = rng.uniform(0, 5, n) * (rng.random(n) < 0.4)
    values = equations @ x
    if seed % 5 == 0:
        values = values + rng.normal(size=m)
    objective = rng.normal(size=n)
    if seed % 2:  # bounded: the dual has a solution
        objective = rng.normal(size=m) @ equations - rng.uniform(0, 1, n)
    found = maximize(objective, equations, values)
    status, value = reference(objective, equations, values)
    if status is None:
        pytest.skip("HiGHS does not tell unbounded from infeasible")
    assert found.status == status
    if status == "optimal":
        size = max(1.0, abs(value), np.abs(values).max())
        assert found.value == pytest.approx(-value, abs=1e-7 * size)
        assert found.x.min() >= 0
        np.testing.assert_allclose(equations @ found.x, values, atol=1e-8 * size)
        assert objective @ found.x == found.value


def test_beale_goes_in_circles_without_blands_rule():
    # E. M. L. Beale, "Cycling in the dual simplex algorithm", 1955
    equations = np.array([
        [0.25, -60.0, -0.04, 9.0, 1.0, 0.0, 0.0],
        [0.5, -90.0, -0.02, 3.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    ])  # fmt: skip
    objective = np.array([0.75, -150.0, 0.02, -6.0, 0.0, 0.0, 0.0])
    found = maximize(objective, equations, np.array([0.0, 0.0, 1.0]))
    assert found.value == pytest.approx(0.05)


def test_the_three_ends():
    one = np.ones((1, 1))
    assert maximize(np.ones(1), one, np.array([-1.0])).status == "infeasible"
    open_ended = maximize(np.ones(2), np.array([[1.0, -1.0]]), np.zeros(1))
    assert (open_ended.status, open_ended.value) == ("unbounded", math.inf)
    nothing = maximize(np.array([-1.0]), np.zeros((2, 1)), np.zeros(2))
    assert (nothing.status, nothing.value) == ("optimal", 0.0)
    assert maximize(np.ones(1), np.zeros((1, 1)), np.ones(1)).value == -math.inf


def test_without_unknowns():
    for values, status in ((np.zeros(2), "optimal"), (np.ones(2), "infeasible")):
        found = maximize(np.zeros(0), np.zeros((2, 0)), values)
        assert (found.status, found.x.shape) == (status, (0,))


def test_rows_of_rounding_are_empty():
    equations = np.array(((1.0, 1.0, 1.0), (1e-17, -2e-17, 1e-17)))
    found = maximize(np.array((1.0, 0.0, 0.0)), equations, np.array((2.0, 0.0)))
    assert (found.status, found.value) == ("optimal", 2.0)
    np.testing.assert_allclose(found.x, (2.0, 0.0, 0.0))


@each("seed", range(40))
def test_forces_at_points(seed):
    """Limits of points, with the largest force as small as can be: many ties."""
    rng = np.random.default_rng(seed)
    p, edges = int(rng.choice((1, 2, 4, 32, 42))), int(rng.choice((4, 8)))
    turns = np.arange(p) * (2 * math.pi / p)
    at = np.column_stack((0.1 * np.cos(turns), 0.1 * np.sin(turns), np.zeros(p)))
    at -= at.mean(axis=0)
    friction = float(rng.choice((0.3, 0.7)))
    turns = np.arange(edges) * (2 * math.pi / edges)
    cone = np.column_stack((friction * np.cos(turns), friction * np.sin(turns)))
    push = np.tile(np.column_stack((cone, np.ones(edges))), (p, 1))
    owner = np.repeat(np.arange(p), edges)
    n = p * edges
    equations = np.zeros((6 + p, n + p + 1))
    equations[:3, :n] = push.T
    equations[3:6, :n] = np.cross(at[owner], push).T
    equations[6 + owner, np.arange(n)] = 1.0
    equations[6:, n : n + p] = np.eye(p)
    equations[6:, -1] = -1.0
    lean = math.atan(friction) + rng.choice((-0.1, -2e-4, 2e-4))
    weight = 200.0 * np.array((math.sin(lean), 0.0, math.cos(lean)))
    values = np.concatenate((weight, np.cross((0.0, 0.0, 0.3), weight), np.zeros(p)))
    values[3:6] *= rng.choice((0.0, 0.1))
    objective = np.zeros(n + p + 1)
    objective[-1] = -1.0
    found = maximize(objective, equations, values)
    status, value = reference(objective, equations, values)
    assert found.status == status
    if status == "optimal":
        assert found.value == pytest.approx(-value, rel=1e-7)
        np.testing.assert_allclose(equations @ found.x, values, atol=1e-6)


def test_without_scipy_the_import_names_the_extra(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: None if "scipy" in name else find(name),
    )
    monkeypatch.delitem(sys.modules, "pyrave_stability.linear")
    with pytest.raises(NotSupportedError, match=r"pip install 'pyrave\[stability\]'"):
        importlib.import_module("pyrave_stability.linear")
