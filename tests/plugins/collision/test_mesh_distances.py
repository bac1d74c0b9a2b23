"""Distances of triangle meshes and their nearest points against coal."""

import numpy as np
import pytest
from convex_solids import (
    KINDS,
    Solids,
    apart,
    coal_distance,
    pose,
    random_solid,
    rotation,
)
from solid_meshes import (
    NAMES,
    Meshes,
    ball,
    cube,
    least_gap,
    moved,
    of_coal,
    surfaces,
    torus,
)

N_PAIRS = 25
ORIGIN = pose(np.zeros(3))


def is_on_surface(meshes, k, pose_k, point):
    """Whether a point is on mesh k; the last mesh is a tiny one."""
    answer, _ = meshes.distance(k, pose_k, len(meshes.meshes) - 1, pose(point))
    return answer < 1e-7


@pytest.mark.parametrize("one", NAMES)
@pytest.mark.parametrize("other", NAMES)
def test_surfaces_are_as_far_apart_as_those_of_coal(one, other):
    rng = np.random.default_rng(10 * NAMES.index(one) + NAMES.index(other))
    a, b = surfaces(rng)[one], surfaces(rng)[other]
    meshes = Meshes(a, b, cube(1e-9))
    meshes.solids.closed[:] = 0
    twins = of_coal(a), of_coal(b)
    for _ in range(N_PAIRS):
        at_a, at_b = apart(rng, 0.5, 5.0)
        expected, _ = coal_distance(twins[0], at_a, twins[1], at_b)
        found, near = meshes.distance(0, at_a, 1, at_b)
        if "soup" not in (one, other):
            assert found == pytest.approx(max(expected, 0.0), abs=1e-7)
        else:  # coal errs where triangles are flat
            assert found <= max(expected, 0.0) + 1e-7
        assert np.linalg.norm(near[0] - near[1]) == pytest.approx(found, abs=1e-9)
        assert is_on_surface(meshes, 0, at_a, near[0])
        assert is_on_surface(meshes, 1, at_b, near[1])
        assert (found < 1e-12) == meshes.overlap(0, at_a, 1, at_b)
        turned_round, _ = meshes.distance(1, at_b, 0, at_a)
        assert turned_round == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_solids_are_as_far_from_meshes_as_those_of_coal(name, kind):
    rng = np.random.default_rng(100 + 10 * NAMES.index(name) + list(KINDS).index(kind))
    mesh = surfaces(rng)[name]
    meshes = Meshes(mesh, cube(1e-9))
    meshes.solids.closed[:] = 0
    twin = of_coal(mesh)
    solids = Solids(
        random_solid(rng, KINDS[kind]).scaled(rng.uniform(0.1, 1.0)) for _ in range(6)
    )
    for _ in range(N_PAIRS):
        i = int(rng.integers(6))
        at_a, at_b = apart(rng, 0.5, 4.0)
        expected, _ = coal_distance(twin, at_a, solids.solids[i].coal, at_b)
        found, near = meshes.distance_to_solid(0, at_a, solids, i, at_b)
        if abs(found - max(expected, 0.0)) > 1e-6:
            gap = least_gap(mesh, at_a, solids.solids[i], at_b)
            assert found == pytest.approx(max(gap, 0.0), abs=1e-6), (expected, gap)
        assert np.linalg.norm(near[0] - near[1]) == pytest.approx(found, abs=1e-7)
        assert is_on_surface(meshes, 0, at_a, near[0])
        assert (found < 1e-9) == meshes.overlaps_solid(0, at_a, solids, i, at_b, 1e-9)


def test_limits_end_the_search_and_leave_the_points_alone():
    rng = np.random.default_rng(1)
    meshes = Meshes(torus(bumps=0.2, rng=rng), ball(bumps=0.2, rng=rng))
    solids = Solids(random_solid(rng, kind) for kind in KINDS.values())
    questions = [lambda *limits: meshes.distance(0, at, 1, there, *limits)]
    questions += [
        lambda *limits, i=i: meshes.distance_to_solid(0, at, solids, i, there, *limits)
        for i in range(len(KINDS))
    ]
    for _ in range(10):
        at, there = apart(rng, 2.5, 4.0)
        for question in questions:
            exact, _ = question()
            if exact == 0.0:
                continue
            found, near = question(0.99 * exact)
            assert found == 0.99 * exact
            assert np.isnan(near).all()
            assert question(1.01 * exact)[0] == pytest.approx(exact, abs=1e-9)
            some, near = question(np.inf, 1.5 * exact)
            assert exact - 1e-9 <= some <= 1.5 * exact
            assert np.linalg.norm(near[0] - near[1]) == pytest.approx(some, abs=1e-7)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_distances_keep_their_precision_small_large_and_far_away(scale, offset):
    rng = np.random.default_rng(2)
    a, b = torus(bumps=0.2, rng=rng), ball(bumps=0.2, rng=rng)
    meshes = Meshes(a, b)
    shift = np.array((offset, 0.0, -offset))
    others = Meshes(moved(a, shift).scaled(scale), b.scaled(scale))
    shapes = [random_solid(rng, kind) for kind in KINDS.values()]
    solids, scaled = Solids(shapes), Solids(s.scaled(scale) for s in shapes)
    for _ in range(20):
        at, there = apart(rng, 1.5, 4.0)
        far_at, far_there = at.copy(), there.copy()
        far_at[3::4] -= at.reshape(3, 4)[:, :3] @ shift
        far_at[3::4] *= scale
        far_there[3::4] *= scale
        exact, _ = meshes.distance(0, at, 1, there)
        found, _ = others.distance(0, far_at, 1, far_there)
        assert found / scale == pytest.approx(exact, abs=1e-9)
        for i in range(len(KINDS)):
            exact, _ = meshes.distance_to_solid(0, at, solids, i, there)
            found, _ = others.distance_to_solid(0, far_at, scaled, i, far_there)
            assert found / scale == pytest.approx(exact, abs=1e-9)


def test_what_is_wholly_inside_has_no_distance():
    rng = np.random.default_rng(3)
    meshes = Meshes(ball(), cube(0.1))
    solids = Solids(random_solid(rng, kind).scaled(0.1) for kind in KINDS.values())
    at, there = pose((1.0, 2.0, 3.0), rotation(rng)), pose((1.1, 2.0, 3.0))
    for answer, near in (
        meshes.distance(0, at, 1, there),
        meshes.distance(1, there, 0, at),
        *(meshes.distance_to_solid(0, at, solids, i, there) for i in range(len(KINDS))),
        meshes.distance(0, at, 1, there, 1e-3),
    ):
        assert answer == 0.0
        assert (near[0] == near[1]).all()
        assert np.linalg.norm(near[0] - (1.1, 2.0, 3.0)) < 0.4


def test_the_kernels_as_written_agree_with_the_compiled_ones():
    rng = np.random.default_rng(4)
    a, b = torus(8, 5, bumps=0.2, rng=rng), ball(6, 4)
    compiled, plain = Meshes(a, b), Meshes(a, b, compiled=False)
    solids = Solids(random_solid(rng, kind) for kind in KINDS.values())
    for _ in range(3):
        at_a, at_b = apart(rng, 1.5, 3.0)
        answers = [
            (
                meshes.distance(0, at_a, 1, at_b)[0],
                *(
                    meshes.distance_to_solid(0, at_a, solids, i, at_b)[0]
                    for i in range(len(KINDS))
                ),
            )
            for meshes in (compiled, plain)
        ]
        assert answers[0] == pytest.approx(answers[1], abs=1e-9)
