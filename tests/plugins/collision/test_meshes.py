"""Overlaps of triangle meshes against coal, linear programs, and what must hold."""

import numpy as np
import pytest
from convex_solids import (
    KINDS,
    Solid,
    Solids,
    apart,
    coal_distance,
    hull_of,
    pose,
    random_solid,
    rotation,
    transform,
)
from solid_meshes import (
    MESH_CONVEX,
    MESH_MESH,
    NAMES,
    Meshes,
    ball,
    cube,
    distance_of_hulls,
    least_gap,
    moved,
    of_coal,
    placed,
    sheet,
    surfaces,
    torus,
    turned_out,
)

from pyrave import ArgumentError
from pyrave.geometry import Mesh
from pyrave.geometry.kernels.primitives import BOX, SPHERE
from pyrave.jit import KernelModule
from pyrave_collision.meshes import SolidMeshes

TRIANGLES = KernelModule("pyrave_collision.kernels.meshes.triangle_pairs")
INSIDE = KernelModule("pyrave_collision.kernels.meshes.inside")
BAND = 1e-6
N_PAIRS = 60
ORIGIN = pose(np.zeros(3))


def random_triangles(rng, n):
    """Pairs of triangles (n, 2, 3, 3): random, coplanar, flat, sharing corners."""
    pairs = rng.normal(size=(n, 2, 3, 3))
    pairs[:, 1] += rng.normal(size=(n, 1, 3))
    pairs[n // 8 : n // 4, :, :, 2] = 0.0
    pairs[n // 4 : 3 * n // 8, 0, 2] = pairs[n // 4 : 3 * n // 8, 0, :2].mean(axis=1)
    pairs[3 * n // 8 : n // 2, :, 2] = pairs[3 * n // 8 : n // 2, :, 0]
    pairs[n // 2 : 5 * n // 8, 1, 0] = pairs[n // 2 : 5 * n // 8, 0, 1]
    pairs[5 * n // 8 : 3 * n // 4, 1, 1:] = pairs[5 * n // 8 : 3 * n // 4, 1, :1]
    return pairs


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_triangles_are_as_far_apart_as_their_differences(scale):
    rng = np.random.default_rng(1)
    near = np.empty(6)
    kernels = TRIANGLES.jit
    answers = []
    for pair in random_triangles(rng, 80):
        p, q = scale * (pair @ rotation(rng).T + rng.normal(size=3))
        rows_p, rows_q = p.reshape(1, 9).copy(), q.reshape(1, 9).copy()
        expected = distance_of_hulls(p / scale, q / scale)
        found = np.sqrt(kernels.simplex_distance(rows_p, 0, 3, rows_q, 0, np.inf, near))
        assert found / scale == pytest.approx(expected, abs=2e-8)
        between = np.linalg.norm(near[:3] - near[3:])
        assert between == pytest.approx(found, abs=1e-8 * scale)
        answer = kernels.triangles_overlap(rows_p, 0, rows_q, 0, 1e-12 * scale, near)
        if expected > 1e-7 or expected < 1e-12:
            assert answer == (expected < 1e-12), (p, q, expected)
            answers.append(answer)
    assert 0.15 < np.mean(answers) < 0.85


@pytest.mark.parametrize("corners", [1, 2])
def test_points_and_segments_are_as_far_from_triangles(corners):
    rng = np.random.default_rng(2)
    near = np.empty(6)
    for p, q in random_triangles(rng, 120):
        found = TRIANGLES.jit.simplex_distance(
            p.reshape(1, 9).copy(), 0, corners, q.reshape(1, 9).copy(), 0, np.inf, near
        )
        expected = distance_of_hulls(p[:corners], q)
        assert np.sqrt(found) == pytest.approx(expected, abs=2e-8)


def test_triangles_and_boxes_overlap_where_a_linear_program_finds_a_point():
    optimise = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(3)
    answers = []
    for p, _ in random_triangles(rng, 240):
        half = rng.uniform(0.05, 1.0, 3)
        # weights of the corners, and by how much of the box the point is outside
        rows = np.vstack((np.c_[p.T, -half], np.c_[-p.T, -half]))
        solved = optimise.linprog(
            (0, 0, 0, 1), rows, np.zeros(6), [(1, 1, 1, 0)], [1], bounds=(0, None)
        )
        answer = TRIANGLES.jit.triangle_box_overlap(
            p.reshape(1, 9).copy(), 0, *half, 1e-12
        )
        if abs(solved.fun - 1.0) > 1e-7:
            assert answer == (solved.fun < 1.0), (p, half, solved.fun)
            answers.append(answer)
    assert 0.1 < np.mean(answers) < 0.9


@pytest.mark.parametrize("one", NAMES)
@pytest.mark.parametrize("other", NAMES)
def test_surfaces_overlap_where_those_of_coal_do(one, other):
    coal = pytest.importorskip("coal")
    rng = np.random.default_rng(10 * NAMES.index(one) + NAMES.index(other))
    a, b = surfaces(rng)[one], surfaces(rng)[other]
    meshes = Meshes(a, b)
    # coal has surfaces alone: open meshes are, too
    meshes.solids.closed[:] = 0
    twins = of_coal(a), of_coal(b)
    answers = []
    for _ in range(N_PAIRS):
        at_a, at_b = apart(rng, 0.0, 3.0)
        if rng.random() < 0.3:
            at_a[3::4] += 1000.0
            at_b[3::4] += 1000.0
        for margin in (0.0, 0.05):
            request = coal.CollisionRequest()
            request.security_margin = margin
            result = coal.CollisionResult()
            expected = coal.collide(
                twins[0], transform(at_a), twins[1], transform(at_b), request, result
            )
            answer = meshes.overlap(0, at_a, 1, at_b, margin)
            assert answer == meshes.overlap(1, at_b, 0, at_a, margin)
            answers.append(answer)
            if answer != bool(expected):
                gap, _ = coal_distance(twins[0], at_a, twins[1], at_b)
                assert abs(gap - margin) < BAND, (at_a, at_b, margin, gap)
    assert 0.1 < np.mean(answers) < 1.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_meshes_and_solids_overlap_where_those_of_coal_do(name, kind):
    coal = pytest.importorskip("coal")
    rng = np.random.default_rng(100 + 10 * NAMES.index(name) + list(KINDS).index(kind))
    mesh = surfaces(rng)[name]
    meshes = Meshes(mesh)
    meshes.solids.closed[:] = 0
    twin = of_coal(mesh)
    solids = Solids(
        random_solid(rng, KINDS[kind]).scaled(rng.uniform(0.1, 1.0)) for _ in range(6)
    )
    answers = []
    for _ in range(N_PAIRS):
        i = int(rng.integers(6))
        at_a, at_b = apart(rng, 0.0, 2.5)
        request, result = coal.CollisionRequest(), coal.CollisionResult()
        solid = solids.solids[i].coal
        expected = coal.collide(
            twin, transform(at_a), solid, transform(at_b), request, result
        )
        answer = meshes.overlaps_solid(0, at_a, solids, i, at_b)
        answers.append(answer)
        if answer != bool(expected):
            gap = least_gap(mesh, at_a, solids.solids[i], at_b)
            assert answer == (gap < 0) or abs(gap) < BAND, (at_a, at_b, i, gap)
    assert 0.05 < np.mean(answers) < 1.0


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_what_is_wholly_inside_a_closed_mesh_overlaps(scale, offset):
    rng = np.random.default_rng(5)
    outer = moved(torus(bumps=0.1, rng=rng), (offset, -offset, 0.0)).scaled(scale)
    inner = torus(m=8, n=4, large=0.02, small=0.01).scaled(scale)
    meshes = Meshes(outer, inner)
    solids = Solids(
        random_solid(rng, kind).scaled(0.05 * scale) for kind in KINDS.values()
    )
    for _ in range(20):
        at = pose(scale * rng.normal(size=3), rotation(rng))
        angle = rng.uniform(0, 2 * np.pi)
        ring = 0.7 * np.array([np.cos(angle), np.sin(angle), 0.0])
        places = np.array((offset, -offset, 0.0)) + np.array([ring, np.zeros(3)])
        middle, hole = placed(at, scale * places)
        turn = rotation(rng)
        for there, expected in ((middle, True), (hole, False)):
            assert meshes.overlap(0, at, 1, pose(there, turn)) == expected
            assert meshes.overlap(1, pose(there, turn), 0, at) == expected
            for i in range(len(KINDS)):
                assert (
                    meshes.overlaps_solid(0, at, solids, i, pose(there, turn))
                    == expected
                )


def test_a_mesh_wholly_inside_a_solid_overlaps_it_closed_or_not():
    rng = np.random.default_rng(6)
    meshes = Meshes(sheet(rng=rng), torus(), turned_out(torus()))
    big = [
        Solid(kind, np.array(sizes), np.zeros(3))
        for kind, sizes in [(2, (9.0, 9.0, 9.0)), (3, (9.0, 0, 0)), (4, (9.0, 9.0, 0))]
    ]
    solids = Solids([*big, hull_of(20.0 * rng.normal(size=(40, 3)))])
    for mesh in range(3):
        for i in range(4):
            at = pose(0.5 * rng.normal(size=3), rotation(rng))
            assert meshes.overlaps_solid(mesh, at, solids, i, ORIGIN)


def test_surfaces_enclose_nothing():
    whole = ball()
    holed = Mesh(whole.vertices, whole.faces[1:])
    meshes = Meshes(whole, turned_out(whole), cube(0.1), holed)
    assert meshes.solids.closed.tolist() == [1, 0, 1, 0]
    answers = [meshes.overlap(k, ORIGIN, 2, ORIGIN) for k in (0, 1, 3)]
    assert answers == [True, False, False]


def test_a_part_of_a_mesh_inside_another_one_overlaps_it():
    far = moved(cube(0.1), (5.0, 0.0, 0.0))
    meshes = Meshes(ball(), Mesh.merge([far, cube(0.1)]), far)
    assert meshes.overlap(0, ORIGIN, 1, ORIGIN)
    assert meshes.overlap(1, ORIGIN, 0, ORIGIN)
    assert not meshes.overlap(0, ORIGIN, 2, ORIGIN)


def test_a_hollow_is_not_solid_and_overlapping_parts_are():
    hollow = Mesh.merge([ball(radius=2.0), turned_out(ball())])
    crossed = Mesh.merge([cube(1.0), moved(cube(1.0), (0.7, 0.1, 0.2))])
    meshes = Meshes(hollow, crossed, cube(0.05))
    assert meshes.solids.closed.tolist() == [1, 1, 1]
    assert not meshes.overlap(0, ORIGIN, 2, ORIGIN)
    assert meshes.overlap(0, ORIGIN, 2, pose((1.5, 0.0, 0.0)))
    assert meshes.overlap(1, ORIGIN, 2, pose((0.4, 0.0, 0.0)))


def test_points_are_inside_where_the_solid_angle_says_so():
    rng = np.random.default_rng(7)
    whole = torus(bumps=0.2, rng=rng)
    flat = np.array([(0, 0, 0), (5, 5, 9), (9, 5, 9)], np.int32)
    with_flat = Mesh(whole.vertices, np.vstack((whole.faces, flat)))
    for mesh in (whole, with_flat, ball(bumps=0.3, rng=rng), cube()):
        meshes = Meshes(mesh)
        points = rng.uniform(-1.1, 1.1, (200, 3))
        points[::4] = mesh.triangles()[rng.integers(len(mesh.faces), size=50)].mean(
            axis=1
        )
        points[::4] *= rng.choice((0.999, 1.001), (50, 1))
        apart_from = mesh.triangles()[None] - points[:, None, None]
        a, b, c = np.moveaxis(apart_from, 2, 0)
        la, lb, lc = (np.linalg.norm(x, axis=-1) for x in (a, b, c))
        top = np.einsum("nij,nij->ni", a, np.cross(b, c))
        dots = [np.einsum("nij,nij->ni", x, y) for x, y in ((a, b), (b, c), (c, a))]
        bottom = la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb
        turns = np.arctan2(top, bottom).sum(axis=1) / (2 * np.pi)
        for point, expected in zip(points, np.round(turns) != 0, strict=True):
            assert expected == INSIDE.jit.is_inside(
                meshes.solids.arrays, 0, *point, meshes.scratch[0],
                meshes.scratch[7], meshes.scratch[6],
            )  # fmt: skip


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_faces_that_touch_overlap_and_a_little_apart_do_not(scale):
    meshes = Meshes(cube(0.3 * scale))
    solids = Solids(
        [
            Solid(BOX, np.full(3, 0.1 * scale), np.zeros(3)),
            Solid(SPHERE, np.array([0.1 * scale, 0, 0]), np.zeros(3)),
        ]
    )
    for axis, far in np.ndindex(3, 2):
        place = np.array((0.0, 0.0, 10.0)) * far * scale
        for apart_by, expected in ((0.0, True), (1e-6, False)):
            way = np.zeros(3)
            way[axis] = (0.6 + apart_by) * scale
            turned = pose(place + way)
            assert meshes.overlap(0, pose(place), 0, turned) == expected
            way[axis] = (0.3 + 0.1 + apart_by) * scale
            for i in (0, 1):
                found = meshes.overlaps_solid(
                    0, pose(place), solids, i, pose(place + way)
                )
                assert found == expected


def test_planes_are_as_far_as_the_nearest_vertex_and_cut_what_is_on_both_sides():
    rng = np.random.default_rng(8)
    cut = []
    for mesh in surfaces(rng).values():
        meshes = Meshes(mesh)
        for _ in range(30):
            at_mesh, at_plane = apart(rng, 0.0, 4.0)
            back = at_plane.reshape(3, 4)
            points = placed(at_mesh, mesh.triangles().reshape(-1, 3))
            heights = ((points - back[:, 3]) @ back[:, 2]).reshape(-1, 3)
            low, high = heights.min(axis=1), heights.max(axis=1)
            expected = np.maximum(np.maximum(low, -high), 0.0).min()
            found, (near, on_plane) = meshes.distance_to_plane(0, at_mesh, at_plane)
            assert found == pytest.approx(expected, abs=1e-12)
            cut.append(found == 0.0)
            assert (on_plane - back[:, 3]) @ back[:, 2] == pytest.approx(0, abs=1e-12)
            assert np.linalg.norm(near - on_plane) == pytest.approx(found, abs=1e-12)
    assert 0.1 < np.mean(cut) < 0.9


def test_the_kernels_as_written_agree_with_the_compiled_ones():
    rng = np.random.default_rng(9)
    a, b = torus(8, 5, bumps=0.2, rng=rng), ball(6, 4)
    compiled, plain = Meshes(a, b), Meshes(a, b, compiled=False)
    solids = Solids(random_solid(rng, kind) for kind in KINDS.values())
    for _ in range(4):
        at_a, at_b = apart(rng, 0.3, 2.0)
        pairs = (0, at_a, 1, at_b)
        for margin in (0.0, 0.1):
            assert plain.overlap(*pairs, margin) == compiled.overlap(*pairs, margin)
        for i in range(len(KINDS)):
            pair = (0, at_a, solids, i, at_b)
            assert plain.overlaps_solid(*pair) == compiled.overlaps_solid(*pair)
        found, near = plain.distance_to_plane(0, at_a, at_b)
        expected, there = compiled.distance_to_plane(0, at_a, at_b)
        assert found == pytest.approx(expected, abs=1e-12)
        assert near == pytest.approx(there, abs=1e-9)


def test_what_a_diagonal_keeps_apart_is_not_walked_pair_by_pair(monkeypatch):
    """Within a margin along each axis, and not within it: 2500 pairs of leaves."""
    mesh = ball(20, 10)
    meshes = Meshes(mesh, mesh, compiled=False)
    solids = Solids([random_solid(np.random.default_rng(0), SPHERE)])
    there = pose(np.full(3, 3.0))
    gap, _ = Meshes(mesh, mesh).distance(0, ORIGIN, 1, there)
    margin = 0.95 * gap
    looks = []
    for module in (MESH_MESH.python, MESH_CONVEX.python):
        for name in ("node_gaps", "node_bounds", "leaf_against_box", "leaf_bounds"):
            kernel = getattr(module, name)
            monkeypatch.setattr(
                module, name, lambda *given, kernel=kernel: looks.append(kernel(*given))
            )
    assert not meshes.overlap(0, ORIGIN, 1, there, margin)
    assert len(looks) < 300
    looks.clear()
    assert not meshes.overlaps_solid(0, ORIGIN, solids, 0, there, 0.9 * gap)
    assert len(looks) < 10


def test_a_mesh_without_triangles_is_refused():
    with pytest.raises(ArgumentError, match="mesh 1 has no triangles"):
        SolidMeshes.from_meshes([cube(), Mesh.empty()])
