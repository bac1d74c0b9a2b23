"""Overlaps of convex solids against coal, closed forms, and the kernels as written."""

import numpy as np
import pytest
from convex_solids import (
    KINDS,
    PAIRINGS,
    SHAPES,
    Solid,
    Solids,
    apart,
    coal_distance,
    pose,
    random_solid,
    rotation,
    seed_of,
    stacked,
)
from loops import each

from pyrave.geometry.kernels.primitives import BOX, CONE, CYLINDER, MESH, PLANE, SPHERE
from pyrave.jit import KernelModule

PAIRS = KernelModule("pyrave_collision.kernels.convex.overlap")
BAND = 1e-6
N_PAIRS = 150


def overlap(solids, i, pose_a, j, pose_b, margin=0.0, kernels=None):
    scratch = np.full(PAIRS.python.OVERLAP_SCRATCH, np.nan)
    function = (kernels or PAIRS.jit).convex_overlap
    return function(
        solids.rows[i], pose_a, solids.rows[j], pose_b, *solids.hulls, margin, scratch
    )


@pytest.mark.parametrize(("one", "other"), PAIRINGS)
def test_random_pairs_overlap_where_coal_finds_no_distance(one, other):
    pytest.importorskip("coal")
    rng = np.random.default_rng(seed_of(one, other))
    kinds = [KINDS[one]] * 10 + [KINDS[other]] * 10
    solids = Solids(random_solid(rng, kind) for kind in kinds)
    twins = [solid.coal for solid in solids.solids]
    found = []
    for _ in range(N_PAIRS):
        i, j = rng.integers(0, 10), rng.integers(10, 20)
        at_i, at_j = apart(rng)
        distance, _ = coal_distance(twins[i], at_i, twins[j], at_j)
        for margin in (0.0, 0.1):
            if abs(distance - margin) > BAND:
                answer = overlap(solids, i, at_i, j, at_j, margin)
                assert answer == (distance < margin), (i, j, at_i, at_j, distance)
                found.append(answer)
    assert 0.1 < np.mean(found) < 0.95


@pytest.mark.parametrize(("one", "other"), PAIRINGS)
def test_the_kernels_as_written_agree_with_the_compiled_ones(one, other):
    rng = np.random.default_rng(1000 + seed_of(one, other))
    solids = Solids([random_solid(rng, KINDS[one]), random_solid(rng, KINDS[other])])
    for _ in range(4):
        at_a, at_b = apart(rng)
        plain = overlap(solids, 0, at_a, 1, at_b, 0.01, PAIRS.python)
        assert plain == overlap(solids, 0, at_a, 1, at_b, 0.01)


@each("size", [1e-6, 1e-3, 1.0, 1e3])
@pytest.mark.parametrize(("one", "other"), PAIRINGS)
def test_solids_on_top_of_each_other_touch_at_all_sizes(one, other, size):
    """The upper one is at a height that is known, whatever way both are turned."""
    rng = np.random.default_rng(seed_of(one, other))
    solids = Solids([stacked(one, size), stacked(other, size)])
    for turned in range(4):
        frame = rotation(rng) if turned else np.eye(3)
        way = frame[:, 2]
        origin = rng.uniform(-10, 10, 3) * size
        spin = np.linalg.qr(rng.normal(size=(2, 2)))[0]
        spin[:, 0] *= np.linalg.det(spin)
        about = np.eye(3)
        about[:2, :2] = spin
        for gap, answer in ((-1e-7, True), (-0.5, True), (1e-7, False), (0.5, False)):
            above = pose(origin + (2 + gap) * size * way, frame @ about)
            assert overlap(solids, 0, pose(origin, frame), 1, above) is answer
        exact = pose(np.array((0, 0, 2.0)) * size)
        assert overlap(solids, 0, pose(np.zeros(3)), 1, exact)


@pytest.mark.parametrize(("one", "other"), PAIRINGS)
def test_far_from_the_origin_nothing_changes(one, other):
    solids = Solids([stacked(one, 1.0), stacked(other, 1.0)])
    far = np.array((1e6, -2e6, 3e6))
    for gap, answer in ((-1e-6, True), (1e-6, False)):
        at_b = pose(far + np.array((0, 0, 2.0 + gap)))
        assert overlap(solids, 0, pose(far), 1, at_b) is answer


@pytest.mark.parametrize(("one", "other"), PAIRINGS)
def test_what_is_inside_overlaps(one, other):
    rng = np.random.default_rng(7)
    solids = Solids([stacked(one, 1.0), stacked(other, 1e-3)])
    for at in (np.zeros(3), rng.uniform(-0.1, 0.1, 3)):
        assert overlap(solids, 0, pose(at), 1, pose(at))
        assert overlap(solids, 0, pose(at), 1, pose(at, rotation(rng)))


@pytest.mark.parametrize("other", KINDS)
def test_solids_of_very_different_sizes(other):
    """A speck next to something large, near the middle of a side and near a corner."""
    large = Solid(BOX, np.array((1e3, 1e3, 1e3)), np.zeros(3))
    solids = Solids([large, stacked(other, 1e-3)])
    for x in (0.0, 999.0):
        for gap, answer in ((-1e-6, True), (1e-6, False)):
            at = pose((x, -x, 1e3 + 1e-3 + gap))
            assert overlap(solids, 0, pose(np.zeros(3)), 1, at) is answer
            assert overlap(solids, 1, at, 0, pose(np.zeros(3))) is answer


@pytest.mark.parametrize("n_vertices", [1, 2, 3])
def test_points_segments_and_triangles_are_hulls_without_volume(n_vertices):
    vertices = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0)])[:n_vertices]
    lower, upper = vertices.min(axis=0), vertices.max(axis=0)
    box = np.array((0.5, 0.5, 0.5))
    rows, flat = np.zeros((2, SHAPES.SHAPE)), vertices.reshape(-1)
    write = SHAPES.write_shape
    write(BOX, box, np.zeros(3), flat, 0, 0, rows[0])
    half, centre = (upper - lower) / 2, (upper + lower) / 2
    write(MESH, half, centre, flat, 0, n_vertices, rows[1])
    none, scratch = np.zeros(1, np.int32), np.zeros(PAIRS.python.OVERLAP_SCRATCH)
    rng = np.random.default_rng(3)
    for gap, answer in ((0.0, True), (-0.2, True), (1e-6, False)):
        for turn in (np.eye(3), rotation(rng)):
            origin = rng.uniform(-1, 1, 3)
            there = pose(origin + turn @ (-0.1, 0.1, 0.5 + gap), turn)
            at_box = pose(origin, turn)
            assert answer is PAIRS.jit.convex_overlap(
                rows[0], at_box, rows[1], there, flat, none, none, 0.0, scratch
            )


@pytest.mark.parametrize("n_vertices", [20, 300, 2000])
def test_a_hull_is_climbed_to_its_furthest_vertex(n_vertices):
    support = KernelModule("pyrave_collision.kernels.convex.support").python.support
    rng = np.random.default_rng(n_vertices)
    solids = Solids([random_solid(rng, MESH, 30), random_solid(rng, MESH, n_vertices)])
    vertices, starts, neighbours = solids.hulls
    begin, end = solids.pool.ranges[1]
    for _ in range(50):
        d = rng.normal(size=3)
        heights = vertices.reshape(-1, 3)[begin:end] @ d
        for hint in (end, rng.integers(begin, end)):
            x, y, z, row = support(
                MESH, 1.0, 1.0, 1.0, vertices, begin, end, starts, neighbours, hint, *d
            )
            assert begin <= row < end
            assert d @ (x, y, z) == pytest.approx(heights.max(), abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        (BOX, (0.3, 0.5, 0.7)),
        (SPHERE, (0.4, 0, 0)),
        (CYLINDER, (0.4, 0.6, 0)),
        (CONE, (0.5, 0.2, 0.3)),
        (CONE, (0.1, 0.6, 0.3)),
    ],
)
def test_support_points_are_no_less_far_than_any_point(kind, sizes):
    support = KernelModule("pyrave_collision.kernels.convex.support").python.support
    rng = np.random.default_rng(5)
    points = rng.uniform(-1, 1, (4000, 3)) * 0.8
    r = np.hypot(points[:, 0], points[:, 1])
    inside = {
        BOX: (np.abs(points) <= sizes).all(axis=1),
        SPHERE: np.linalg.norm(points, axis=1) <= 0.0,
        CYLINDER: (r <= sizes[0]) & (np.abs(points[:, 2]) <= sizes[1]),
        CONE: (np.abs(points[:, 2]) <= sizes[2])
        & (
            r
            <= sizes[0]
            + (sizes[1] - sizes[0]) * (points[:, 2] + sizes[2]) / (2 * sizes[2] or 1)
        ),
    }[kind]
    empty, none = np.zeros(0), np.zeros(1, np.int32)
    for d in rng.normal(size=(50, 3)):
        *point, _ = support(kind, *sizes, empty, 0, 0, none, none, 0, *d)
        furthest = max((points[inside] @ d).max(initial=-np.inf), 0.0)
        assert d @ point >= furthest
        assert d @ point <= furthest + 0.25 * np.linalg.norm(d)


@pytest.mark.parametrize("kind", KINDS)
def test_planes_are_surfaces(kind):
    rng = np.random.default_rng(11)
    plane = Solid(PLANE, np.zeros(3), np.zeros(3))
    solids = Solids([plane, stacked(kind, 1.0)])
    for turn in (np.eye(3), rotation(rng)):
        origin = rng.uniform(-5, 5, 3)
        for z, answer in (
            (0.3, True), (1.0, True), (-1.0, True), (1 + 1e-9, False), (-1.1, False),
        ):  # fmt: skip
            at = pose(origin + turn @ (40.0, -30.0, z * (1 - 1e-12)), turn)
            assert overlap(solids, 0, pose(origin, turn), 1, at) is answer
            assert overlap(solids, 1, at, 0, pose(origin, turn)) is answer
            assert overlap(solids, 1, at, 0, pose(origin, turn), 0.2)


def test_planes_are_parallel_or_meet():
    solids = Solids([Solid(PLANE, np.zeros(3), np.zeros(3))])
    tilted = rotation(np.random.default_rng(2))
    assert not overlap(solids, 0, pose((0, 0, 1.0)), 0, pose((9.0, 0, 0)))
    assert overlap(solids, 0, pose((0, 0, 1.0)), 0, pose((9.0, 0, 0)), 1.5)
    assert overlap(solids, 0, pose((0, 0, 1.0)), 0, pose((0, 0, 0), tilted))
