"""Penetration depths against closed forms, for pairs that are deep in each other."""

from itertools import product

import numpy as np
import pytest
from convex_solids import (
    KINDS,
    SHAPES,
    Solid,
    Solids,
    convex_distance,
    hull_of,
    outside_by,
    pose,
    random_solid,
    rotation,
)
from scipy.spatial import ConvexHull

from pyrave.geometry.kernels.primitives import BOX, CONE, CYLINDER, SPHERE

N_PAIRS = 300


def solid(kind, *sizes):
    return Solid(kind, np.array(sizes, float), np.zeros(3))


def across(axes, others):
    """Unit vectors across each of some axes and each of others."""
    normals = np.array([np.cross(u, v) for u, v in product(axes, others)])
    sizes = np.linalg.norm(normals, axis=1)
    return normals[sizes > 1e-6] / sizes[sizes > 1e-6, None]


def test_boxes_are_as_deep_as_along_the_best_of_their_axes():
    """The 15 axes of S. Gottschalk, M. Lin, D. Manocha, SIGGRAPH 1996."""
    rng = np.random.default_rng(1)
    for _ in range(N_PAIRS):
        a, b = (random_solid(rng, BOX) for _ in range(2))
        turn_a, turn_b = rotation(rng), rotation(rng)
        if rng.random() < 0.2:
            turn_b = turn_a
        way = 0.3 * rng.normal(size=3)
        axes = np.array([*turn_a.T, *turn_b.T, *across(turn_a.T, turn_b.T)])
        reach = np.abs(axes @ turn_a) @ a.sizes + np.abs(axes @ turn_b) @ b.sizes
        depths = reach - np.abs(axes @ way)
        found, *_ = convex_distance(
            Solids([a, b]), 0, pose(np.zeros(3), turn_a), 1, pose(way, turn_b)
        )
        if min(depths) >= 0.0:
            assert found == pytest.approx(-min(depths), abs=1e-7)
        else:
            assert found > 0.0


@pytest.mark.parametrize("spread", [0.0, 1e-9, 1e-6, 1e-3, 0.3])
@pytest.mark.parametrize("top", [0.0, 0.3])
def test_spheres_in_cones(top, spread):
    """Near the axis the depth is nearly the same in all directions."""
    rng = np.random.default_rng(2)
    bottom, half, radius = 0.8, 0.6, 0.1
    solids = Solids([solid(CONE, bottom, top, half), solid(SPHERE, radius, 0, 0)])
    slope = np.hypot(2 * half, bottom - top)
    for _ in range(60):
        x, y, z = rng.uniform(-1, 1, 3) * (spread, spread, half)
        side = bottom + (top - bottom) * (z + half) / (2 * half) - np.hypot(x, y)
        if side < 0.0:
            continue
        depth = min(side * 2 * half / slope, z + half, half - z if top else np.inf)
        turn = rotation(rng)
        found, *_ = convex_distance(
            solids, 0, pose(np.zeros(3), turn), 1, pose(turn @ (x, y, z))
        )
        # what many directions cost, see `penetration`
        assert found == pytest.approx(-depth - radius, abs=2e-6)


@pytest.mark.parametrize("tilt", [0.0, 1e-9, 1e-7])
def test_cylinders_with_axes_that_are_hardly_parallel(tilt):
    rng = np.random.default_rng(3)
    for _ in range(40):
        (r, s), (h, k) = rng.uniform(0.2, 1.0, (2, 2))
        solids = Solids([solid(CYLINDER, r, h, 0), solid(CYLINDER, s, k, 0)])
        way = rng.uniform(-0.4, 0.4, 3)
        turn = rotation(rng)
        lean = np.array([(1, 0, tilt), (0, 1, 0), (-tilt, 0, 1)])
        depth = min(r + s - np.hypot(way[0], way[1]), h + k - abs(way[2]))
        found, *_ = convex_distance(
            solids, 0, pose(np.zeros(3), turn), 1, pose(turn @ way, turn @ lean)
        )
        assert found == pytest.approx(-depth, abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_solid_is_as_deep_in_itself_as_it_is_thick(kind):
    """Moved by its depth along the normal it just touches where it was."""
    rng = np.random.default_rng(4)
    one = random_solid(rng, KINDS[kind])
    solids = Solids([one, one])
    for _ in range(20):
        at = pose(rng.uniform(-1, 1, 3), rotation(rng))
        found, p, q, normal = convex_distance(solids, 0, at, 1, at)
        assert found < -0.1
        out = at.copy()
        out[[3, 7, 11]] -= found * normal
        touching, *_ = convex_distance(solids, 0, at, 1, out)
        # a cone is nearly as deep in all directions around its axis
        size = 2.0 * solids.rows[0, SHAPES.RADIUS]
        allowed = size * (2e-6 if kind == "cone" else 1e-7)
        assert touching == pytest.approx(0.0, abs=allowed)
        assert outside_by(one, at, p) < allowed
        assert outside_by(one, at, q) < allowed


def test_poses_that_are_no_numbers_end():
    """Callers refuse them; kernels must not run for ever."""
    rng = np.random.default_rng(5)
    for one, other in product(KINDS.values(), repeat=2):
        solids = Solids([random_solid(rng, one), random_solid(rng, other)])
        convex_distance(solids, 0, np.full(12, np.nan), 1, pose(np.zeros(3)))
        convex_distance(solids, 0, pose(np.zeros(3)), 1, np.full(12, np.nan))


@pytest.mark.parametrize(
    ("bottom", "half", "radius", "rows"),
    [
        (
            0.774, 0.54, 0.341,
            (
                (0.234272, -0.597010, 0.767265, 0.103639),
                (0.649837, 0.683168, 0.333157, 0.062125),
                (-0.723069, 0.420548, 0.548006, 0.089992),
            ),
        ),
        (
            0.675, 0.991, 0.169,
            (
                (0.243294, 0.657443, 0.713146, 0.180237),
                (-0.664001, -0.423059, 0.616542, 0.157210),
                (0.707044, -0.623530, 0.333615, 0.090173),
            ),
        ),
    ],
)  # fmt: skip
def test_corners_of_a_polytope_in_line_with_its_edges(bottom, half, radius, rows):
    """Sides without area once bent these polytopes: cones have straight lines."""
    at = np.array(rows)
    x, y, z = np.linalg.solve(at[:, :3], -at[:, 3])
    side = bottom * (half - z) / (2 * half) - np.hypot(x, y)
    depth = min(side * 2 * half / np.hypot(2 * half, bottom), z + half)
    solids = Solids([solid(CONE, bottom, 0, half), solid(SPHERE, radius, 0, 0)])
    found, *_ = convex_distance(solids, 0, at.reshape(-1), 1, pose(np.zeros(3)))
    assert found == pytest.approx(-depth - radius, abs=1e-5)


def exact_depth(a, pose_a, b, pose_b):
    """The depth of two hulls: of the origin in the hull of their differences."""
    points = [
        one.mesh.vertices @ at.reshape(3, 4)[:, :3].T + at.reshape(3, 4)[:, 3]
        for one, at in ((a, pose_a), (b, pose_b))
    ]
    differences = (points[0][:, None] - points[1][None]).reshape(-1, 3)
    return -ConvexHull(differences).equations[:, 3].max()


def round_points(rows):
    """Points of a ball of 0.5 m whose hull has two triangles for each, nearly alike."""
    height = 1.0 - (2.0 * np.arange(rows) + 1.0) / rows
    turn = np.pi * (1.0 + 5.0**0.5) * np.arange(rows)
    across = np.sqrt(1.0 - height**2)
    return 0.5 * np.column_stack((across * np.cos(turn), across * np.sin(turn), height))


@pytest.mark.parametrize("rows", [100, 500, 2500])
@pytest.mark.parametrize("other", ["sphere", "hull"])
def test_the_best_of_thousands_of_sides_is_found(rows, other):
    """In the middle of many-faced round meshes, no side may be left out."""
    ball = hull_of(round_points(rows))
    radius = 0.05 if other == "sphere" else 0.0
    small = np.array(list(product((-0.03, 0.03), repeat=3)))
    one = solid(SPHERE, radius, 0, 0) if radius else hull_of(small)
    solids = Solids([ball, one])
    for at in ((0, 0, 0), (0.01, -0.002, 0.004), (0.2, 0.1, 0.05)):
        found, p, q, normal = convex_distance(
            solids, 0, pose(np.zeros(3)), 1, pose(np.array(at, float))
        )
        point = hull_of(small * 1e-9) if radius else one
        depth = exact_depth(ball, pose(np.zeros(3)), point, pose(np.array(at, float)))
        assert found == pytest.approx(-depth - radius, abs=1e-7)
        assert outside_by(ball, pose(np.zeros(3)), p) < 1e-7
        assert outside_by(one, pose(np.array(at, float)), q) < 1e-7
        assert p + found * normal == pytest.approx(q, abs=1e-9)


def test_deepest_points_are_on_the_solids_where_many_sides_are_in_one_plane():
    """Solids on a grid, turned by right angles: the nearest side is one of many."""
    rng = np.random.default_rng(8)
    turns = [
        np.eye(3)[list(order)] * signs
        for order in ((0, 1, 2), (1, 2, 0), (1, 0, 2))
        for signs in product((1.0, -1.0), repeat=3)
    ]
    turns = [turn for turn in turns if np.linalg.det(turn) > 0.0]
    checked = 0
    for _ in range(400):
        a, b = (
            hull_of(np.unique(rng.integers(-2, 3, (30, 3)), axis=0) * 0.1)
            for _ in range(2)
        )
        turn = turns[rng.integers(len(turns))]
        at = pose(rng.integers(-1, 2, 3) * 0.1, turn)
        depth = exact_depth(a, pose(np.zeros(3)), b, at)
        if depth < 0.0:
            continue
        checked += 1
        found, p, q, _ = convex_distance(Solids([a, b]), 0, pose(np.zeros(3)), 1, at)
        assert found == pytest.approx(-depth, abs=1e-8)
        assert outside_by(a, pose(np.zeros(3)), p) < 1e-8
        assert outside_by(b, at, q) < 1e-8
    assert checked > 200
