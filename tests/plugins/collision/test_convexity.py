"""Closed meshes, convex meshes, and the hulls of those that are."""

import numpy as np
import pytest
from convex_solids import hull_of
from loops import each

from pyrave.geometry import Mesh
from pyrave.geometry.primitives import box_mesh, cylinder_mesh, sphere_mesh
from pyrave_collision import convexity
from pyrave_collision.convexity import HullPool, closed, convex_parts


def block(*half):
    return box_mesh(np.array(half))


def moved(mesh, *way):
    step = np.eye(4)
    step[:3, 3] = way
    return mesh.transformed(step)


def soup(mesh):
    """The mesh with three vertices of its own for each triangle, as STL has it."""
    return Mesh(
        mesh.triangles().reshape(-1, 3), np.arange(3 * len(mesh.faces)).reshape(-1, 3)
    )


def dented(depth):
    """A box whose top has a dent in its middle."""
    mesh = block(1, 1, 1)
    top = [f for f in mesh.faces if (mesh.vertices[f, 2] == 1).all()]
    others = [f for f in mesh.faces if not (mesh.vertices[f, 2] == 1).all()]
    edges = {(f[k], f[(k + 1) % 3]) for f in top for k in range(3)}
    rim = [(a, b) for a, b in edges if (b, a) not in edges]
    n = len(mesh.vertices)
    fan = [(a, b, n) for a, b in rim]
    return Mesh(np.vstack((mesh.vertices, (0.1, 0.2, 1 - depth))), [*others, *fan])


def random_hull(n, seed=1, size=1.0):
    points = np.random.default_rng(seed).normal(size=(n, 3))
    return hull_of(size * points / np.linalg.norm(points, axis=1)[:, None]).mesh


@each("size", [1e-6, 1.0, 1e3])
def test_convex_meshes_are(size):
    for mesh in (
        block(1, 2, 3),
        cylinder_mesh(1.0, 2.0),
        sphere_mesh(1.0),
        dented(0.0),
    ):
        for one in (mesh.scaled(size), soup(mesh.scaled(size))):
            assert closed(one)
            hull = convex_parts(one)
            corners = np.abs(hull.vertices).max(axis=0)
            assert np.allclose(corners, np.abs(one.vertices).max(axis=0), rtol=1e-9)


def test_vertices_within_sides_are_dropped():
    mesh = dented(0.0)
    assert len(mesh.vertices) == 9
    assert len(convex_parts(mesh).vertices) == 8


def test_rounded_coordinates_are_no_dents():
    """Single precision, as in binary STL."""
    mesh = random_hull(500)
    rounded = Mesh(mesh.vertices.astype(np.float32).astype(float), mesh.faces)
    assert convex_parts(soup(rounded)) is not None


@pytest.mark.parametrize("depth", [1e-4, 1e-2, 1.0])
def test_dents_are_not_convex(depth):
    mesh = dented(depth)
    assert closed(mesh)
    assert convex_parts(mesh) is None


@pytest.mark.parametrize(
    "mesh",
    [
        Mesh.empty(),
        Mesh(block(1, 1, 1).vertices, block(1, 1, 1).faces[:-1]),
        Mesh(block(1, 1, 1).vertices, block(1, 1, 1).faces[:, ::-1]),
        Mesh.merge([block(1, 1, 1), block(1, 1, 1)]),
        Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2), (2, 1, 0)]),
        Mesh(np.zeros((3, 3)), [(0, 1, 2)] * 4),
        Mesh(np.eye(3), [(0, 1, 2), (0, 1, 2), (2, 1, 0), (2, 1, 0)]),
    ],
    ids=["empty", "open", "inside-out", "doubled", "flat", "point", "folded"],
)
def test_other_meshes_are_surfaces(mesh):
    assert not closed(mesh)
    assert convex_parts(mesh) is None


def test_one_triangle_turned_around_opens_a_mesh():
    mesh = block(1, 1, 1)
    faces = mesh.faces.copy()
    faces[3] = faces[3, ::-1]
    assert not closed(Mesh(mesh.vertices, faces))


def test_several_parts_are_closed_but_not_convex():
    apart = Mesh.merge([block(1, 1, 1), moved(block(1, 1, 1), 3, 0, 0)])
    hollow = block(0.5, 0.5, 0.5)
    nested = Mesh.merge([block(1, 1, 1), Mesh(hollow.vertices, hollow.faces[:, ::-1])])
    within = Mesh.merge([block(1, 1, 1), block(0.5, 0.5, 0.5)])
    for mesh in (apart, nested, within):
        assert closed(mesh)
        assert convex_parts(mesh) is None


def test_a_surface_wound_twice_around_is_not_convex():
    """Each of its edges is convex; two of its corners are passed twice."""
    turns = np.arange(10) * (4 * np.pi / 10)
    rim = np.column_stack((np.cos(turns), np.sin(turns), np.linspace(-0.02, 0.02, 10)))
    i, j = np.arange(10), (np.arange(10) + 1) % 10
    faces = np.vstack(
        (np.column_stack((i, j, i * 0 + 10)), np.column_stack((j, i, i * 0 + 11)))
    )
    mesh = Mesh(np.vstack((rim, (0, 0, 1), (0, 0, -1))), faces)
    assert closed(mesh)
    assert convex_parts(mesh) is None


def test_neighbours_are_those_of_the_hull():
    mesh = random_hull(200)
    hull = convex_parts(mesh)
    where = {tuple(v): i for i, v in enumerate(mesh.vertices.tolist())}
    own = {
        (
            where[tuple(hull.vertices[i].tolist())],
            where[tuple(hull.vertices[j].tolist())],
        )
        for i in range(len(hull.vertices))
        for j in hull.neighbours[hull.starts[i] : hull.starts[i + 1]]
    }
    edges = {(int(f[k]), int(f[k - 1])) for f in mesh.faces for k in range(3)}
    assert own == edges | {(b, a) for a, b in edges}


def test_hulls_are_joined():
    hulls = [convex_parts(random_hull(n, n)) for n in (20, 50, 40)]
    pool = HullPool.from_hulls(hulls)
    assert 3 * len(pool.starts) == len(pool.vertices) + 3
    for hull, (begin, end) in zip(hulls, pool.ranges, strict=True):
        assert np.array_equal(pool.vertices[3 * begin : 3 * end], hull.vertices.ravel())
        for i in range(end - begin):
            row = pool.neighbours[pool.starts[begin + i] : pool.starts[begin + i + 1]]
            own = hull.neighbours[hull.starts[i] : hull.starts[i + 1]]
            assert np.array_equal(row, own + begin)
    empty = HullPool.from_hulls([])
    assert (len(empty.vertices), len(empty.ranges), len(empty.starts)) == (0, 0, 1)


def test_a_mesh_is_looked_at_once():
    mesh = random_hull(30)
    assert convex_parts(mesh) is convex_parts(mesh)


def test_very_large_meshes_are_left_to_their_trees(monkeypatch):
    monkeypatch.setattr(convexity, "MOST_VERTICES", 100)
    assert convex_parts(random_hull(101)) is None
    assert convex_parts(random_hull(100)) is not None


def test_kernels_as_written_agree_with_the_compiled_ones():
    for mesh in (random_hull(40), dented(0.1)):
        answers = []
        for kernels in (convexity._kernels.python, convexity._kernels.jit):
            partners = np.zeros_like(mesh.faces)
            slots = np.full(1024, -1, np.int32)
            assert kernels.pair_edges(mesh.faces, slots, partners)
            answers.append(
                (partners, kernels.measure(mesh.vertices, mesh.faces, partners))
            )
        assert np.array_equal(answers[0][0], answers[1][0])
        assert answers[0][1] == pytest.approx(answers[1][1], abs=1e-12)
        assert answers[0][1][:2] == pytest.approx((mesh.volume, mesh.area))
