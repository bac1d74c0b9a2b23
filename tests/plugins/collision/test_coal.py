"""Particulars of the checker on the library coal."""

import sys

import numpy as np
import pytest
from solid_scenes import add_solid, as_shape, at, installed_checker, torus

import pyrave
from pyrave import CollisionOptions
from pyrave.errors import InterfaceCreationError
from pyrave.geometry import Cone, Mesh
from pyrave.geometry.primitives import box_mesh, cylinder_mesh
from pyrave.scene import Box, Sphere


def test_a_missing_library_is_named(monkeypatch):
    from pyrave_coal import library

    library.coal.cache_clear()
    monkeypatch.setitem(sys.modules, "coal", None)
    try:
        with pytest.raises(InterfaceCreationError) as caught:
            pyrave.Environment().create("collisionchecker", "coal")
    finally:
        library.coal.cache_clear()
    assert "pip install 'pyrave[collision]'" in str(caught.value)


@pytest.fixture
def env():
    made = pyrave.Environment()
    installed_checker(made, "coal")
    return made


def shape(env, solid):
    from pyrave_coal.shapes import shape_of

    return shape_of(solid)


def test_shapes_are_made_once(env):
    mesh = torus()
    assert shape(env, mesh) is shape(env, mesh)
    assert shape(env, Sphere(0.3)) is shape(env, Sphere(0.3))


@pytest.mark.parametrize(
    ("mesh", "convex", "solid"),
    [
        (box_mesh((0.1, 0.2, 0.3)), True, True),
        (cylinder_mesh(0.1, 0.3), True, True),
        (torus(), False, True),
        (Mesh(torus().vertices, torus().faces[1:]), False, False),
        (Mesh(torus().vertices, torus().faces[:, ::-1]), False, False),
        (Mesh(np.eye(3), np.array([[0, 1, 2], [0, 2, 1]])), False, False),
    ],
    ids=["box", "cylinder", "torus", "open", "inside out", "flat"],
)
def test_what_is_convex_and_what_is_solid(env, mesh, convex, solid):
    made = shape(env, mesh)
    assert made.convex is convex
    assert (made.triangles is not None) is (solid and not convex)


def test_vertices_of_single_precision_are_convex_still(env):
    mesh = cylinder_mesh(0.1, 0.3)
    coarse = Mesh(mesh.vertices.astype(np.float32), mesh.faces)
    assert shape(env, coarse).convex


@pytest.mark.parametrize("top", [0.0, 0.1, 0.3])
def test_cones(env, top):
    from pyrave_coal.placed import placed_solid
    from pyrave_coal.solid_pair import Comparer

    cone = placed_solid(Cone(0.2, 0.4, top), np.eye(4))
    compare = Comparer()
    for z, radius in ((-0.2, 0.2), (0.0, 0.5 * (0.2 + top)), (0.2, top)):
        slope = np.hypot(0.4, 0.2 - top) / 0.4
        ball = placed_solid(Sphere(0.1), at(radius + 0.1 * slope + 0.05, 0.0, z))
        value, _ = compare.distance(cone, ball)
        assert 0.03 < value < 0.08


def test_inside_of_the_second_component(env):
    """A mesh of two parts, one outside and one inside of a solid mesh, is inside."""
    tori = torus(0.1, 0.03), torus(0.1, 0.03).transformed(at(1.0))
    both = Mesh(
        np.concatenate([one.vertices for one in tori]),
        np.concatenate([tori[0].faces, tori[1].faces + len(tori[0].vertices)]),
    )
    ring = add_solid(env, "ring", as_shape(torus()))
    parts = add_solid(env, "parts", as_shape(both))
    assert env.check_collision(ring, parts), "the second part is in the ring"
    assert env.check_collision(ring)
    parts.transform = at(0.0, 0.0, 1.0)
    assert not env.check_collision(ring, parts)


def test_what_is_inside_has_no_distance_whichever_comes_first():
    from pyrave_coal.placed import placed_solid
    from pyrave_coal.solid_pair import Comparer

    ring = placed_solid(torus(1.0, 0.3, 64, 64), np.eye(4))
    ball, compare = placed_solid(Sphere(0.05), at(1.0)), Comparer()
    for pair in ((ring, ball), (ball, ring)):
        assert compare.touch(*pair)
        assert compare.distance(*pair)[0] == 0.0


def test_the_way_out_of_a_mesh_is_a_contact(env):
    ring = add_solid(env, "ring", as_shape(torus(1.0, 0.3, 64, 64)))
    ball = add_solid(env, "ball", Sphere(0.05), pose=at(1.2))
    options = CollisionOptions.CONTACTS
    with env.collision_checker.options(options):
        report = env.check_collision(ring, ball, report=True)
    (contact,) = report.pairs[0].contacts
    assert contact.normal[0] == pytest.approx(1.0, abs=1e-2)
    assert contact.depth == pytest.approx(0.05, abs=2e-3)


def test_several_contacts_of_a_patch(env):
    add_solid(env, "floor", Box((1.0, 1.0, 0.5)))
    cube = add_solid(env, "cube", Box((0.2, 0.2, 0.2)), pose=at(0, 0, 0.69))
    with env.collision_checker.options(CollisionOptions.ALL_GEOMETRY_CONTACTS):
        report = env.check_collision(cube, report=True)
    contacts = report.pairs[0].contacts
    assert len(contacts) == 4
    for contact in contacts:
        np.testing.assert_allclose(np.abs(contact.position[:2]), 0.2, atol=1e-6)
        np.testing.assert_allclose(contact.normal, (0, 0, -1), atol=1e-6)
        assert contact.depth == pytest.approx(0.01, abs=1e-6)


def test_a_tree_follows_few_and_many_moves(env):
    """Trees are refitted one solid after the other, or as a whole."""
    rng = np.random.default_rng(2)
    balls = [add_solid(env, f"ball{k}", Sphere(0.1)) for k in range(40)]
    probe = add_solid(env, "probe", Sphere(0.1))
    for moves in (1, 3, 40, 2, 1):
        for ball in rng.choice(balls, moves, replace=False):
            ball.transform = at(*rng.uniform(-0.4, 0.4, 3))
        gaps = [np.linalg.norm(b.transform[:3, 3]) - 0.2 for b in balls]
        assert env.check_collision(probe) is bool(min(gaps) <= 0)
        assert env.distance(probe, balls[0]) == pytest.approx(gaps[0], abs=1e-6)


def block(half, middle=(0.0, 0.0, 0.0)):
    return box_mesh(np.array(half, float)).transformed(at(*middle))


@pytest.mark.parametrize("name", ["coal", "Native"])
@pytest.mark.parametrize("more", [1.0, 1.1])
def test_parts_whose_volumes_add_up_to_their_hull_are_not_their_hull(name, more):
    """Two blocks that nearly meet, and two around that place with what they lack."""
    env = pyrave.Environment()
    installed_checker(env, name)
    both = Mesh.merge(
        [block((1, 1, 1), (-1.01, -1.01, 0)), block((1, 1, 1), (1.01, 1.01, 0))]
    )
    missing = both.convex_hull().volume - both.volume
    inner = [block((h, h, more * missing / 16.0 / h**2)) for h in (0.8, 0.9)]
    parts = Mesh.merge([both, *inner])
    assert parts.volume == pytest.approx(
        parts.convex_hull().volume + (more - 1.0) * missing
    )
    body = add_solid(env, "parts", as_shape(parts))
    ball = add_solid(env, "ball", Sphere(0.05), pose=at(-1.5, 0.3))
    assert env.distance(body, ball) == pytest.approx(0.31 - 0.05, abs=1e-6)
    assert not env.check_collision(body, ball)


def lines(*corners):
    return Mesh(np.array(corners, float), np.arange(3)[None])


@pytest.mark.parametrize(
    ("mesh", "distance"),
    [
        (lines((0, 0, 0), (1, 0, 0), (2, 0, 0)), 0.4),
        (lines((0, 0, 0), (2, 0, 0), (1, 0, 0)), 0.4),
        (lines((0.5, 0, 0), (0.5, 0, 0), (0.5, 0, 0)), 0.4),
        (lines((0.5, 0, 0), (0.5, 0, 0), (0.2, 0, 0)), 0.4),
        (block((1, 1, 0)), -0.1),
        (Mesh(block((1, 0.2, 0)).vertices, block((1, 0.2, 0.2)).faces), 0.2),
        (block((1e-9, 1e-9, 1e-9), (0.5, 0, 0)), 0.4),
        (block((1e-7, 0.1, 0.1), (0.5, 0, 0)), 0.3),
    ],
    ids=["line", "line back", "point", "edge", "flat", "flat strip", "tiny", "thin"],
)
def test_meshes_without_volume_are_where_they_are(env, mesh, distance):
    body = add_solid(env, "mesh", as_shape(mesh))
    ball = add_solid(env, "ball", Sphere(0.1), pose=at(0.5, 0.5))
    assert env.distance(body, ball) == pytest.approx(max(distance, 0.0), abs=1e-6)
    assert env.check_collision(body, ball) == (distance <= 0.0)
    # on it, and beyond its end
    ball.transform = at(0.5, 0.0)
    assert env.distance(body, ball) == 0.0
    assert env.check_collision(body, ball)
    ball.transform = at(0.5, 0.0, 7.0)
    assert env.distance(body, ball) == pytest.approx(6.9 - mesh.aabb[1][2], abs=1e-6)
