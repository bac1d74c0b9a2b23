"""Contacts of triangle meshes against coal, one triangle at a time."""

import numpy as np
import pytest
from convex_solids import KINDS, Solid, Solids, apart, pose, random_solid, rotation
from solid_meshes import (
    Meshes,
    ball,
    cube,
    gaps_of_triangles,
    placed,
    sheet,
    surfaces,
    torus,
)

from pyrave.geometry import Mesh
from pyrave.geometry.kernels.primitives import BOX, PLANE, SPHERE
from pyrave.jit import KernelModule

TRIANGLES = KernelModule("pyrave_collision.kernels.meshes.triangle_pairs").jit
ORIGIN = pose(np.zeros(3))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["torus", "ball", "sheet", "cube"])
def test_solids_touch_the_triangles_that_they_touch_alone(name, kind):
    rng = np.random.default_rng([list(KINDS).index(kind), len(name)])
    mesh = surfaces(rng)[name]
    meshes = Meshes(mesh)
    meshes.solids.closed[:] = 0
    of_row = np.argsort(meshes.solids.pool.numbers)
    solids = Solids(random_solid(rng, KINDS[kind]).scaled(0.4) for _ in range(4))
    excess = []
    for _ in range(24):
        i = int(rng.integers(4))
        at_a, at_b = apart(rng, 0.2, 1.4)
        found = meshes.contacts_with_solid(0, at_a, solids, i, at_b)
        assert (np.diff(found[:, 6]) <= 0.0).all()
        depths = -gaps_of_triangles(mesh, at_a, solids.solids[i], at_b)
        expected = np.full(len(depths), np.nan)
        expected[of_row] = depths
        rows = found[:, 7].astype(int)
        assert set(rows) >= set(np.flatnonzero(expected > 1e-6))
        if kind == "sphere":  # the distance from the centre ends at the radius
            found[:, 6] = np.minimum(found[:, 6], solids.solids[i].sizes[0])
        excess += list(found[:, 6] - expected[rows])
        few = meshes.contacts_with_solid(0, at_a, solids, i, at_b, 0.0, 3)
        assert (few[:, 7] == found[:3, 7]).all()
    # some polytopes of coal end early; no depth of ours is larger
    assert len(excess) > 10
    assert max(excess) < 2e-4
    assert np.mean(np.abs(excess) < 2e-5) > 0.8


@pytest.mark.parametrize("kind", KINDS)
def test_a_solid_moved_along_a_normal_by_the_depth_leaves_the_triangle(kind):
    rng = np.random.default_rng(list(KINDS).index(kind))
    mesh = torus(bumps=0.2, rng=rng)
    meshes = Meshes(mesh)
    solids = Solids([random_solid(rng, KINDS[kind]).scaled(0.4)])
    for _ in range(10):
        at_a, at_b = apart(rng, 0.2, 1.2)
        for contact in meshes.contacts_with_solid(0, at_a, solids, 0, at_b)[:5]:
            position, normal, depth = contact[:3], contact[3:6], contact[6]
            corners = meshes.triangle(0, contact[7])
            alone = Meshes(Mesh(corners, np.array([[0, 1, 2]], np.int32)))
            assert np.linalg.norm(normal) == pytest.approx(1.0)
            for part, expected in ((0.98, True), (1.02, False)):
                there = at_b.copy()
                there[3::4] += part * depth * normal
                answer = alone.overlaps_solid(0, at_a, solids, 0, there)
                assert answer == expected or depth < 1e-4
            near = placed(at_a, corners)
            tiny = Solids([Solid(SPHERE, np.array([1e-9, 0, 0]), np.zeros(3))])
            gap, _ = alone.distance_to_solid(0, at_a, tiny, 0, pose(position))
            assert gap <= 0.5 * depth + 1e-6, near


def test_meshes_leave_each_other_along_the_normal_of_each_pair():
    rng = np.random.default_rng(1)
    a, b = torus(bumps=0.2, rng=rng), ball(bumps=0.2, rng=rng)
    meshes = Meshes(a, b)
    near = np.empty(6)
    touched = 0
    for _ in range(15):
        at_a, at_b = apart(rng, 0.5, 2.0)
        found = meshes.contacts(0, at_a, 1, at_b)
        assert bool(len(found)) == meshes.overlap(0, at_a, 1, at_b)
        assert (np.diff(found[:, 6]) <= 0.0).all()
        touched += len(found)
        others = placed(at_b, b.triangles().reshape(-1, 3)).reshape(-1, 9)
        for contact in found[:10]:
            normal, depth = contact[3:6], contact[6]
            own = placed(at_a, meshes.triangle(0, contact[7])).reshape(1, 9)
            pairs = [
                j
                for j in range(len(others))
                if TRIANGLES.triangles_overlap(own, 0, others, j, 1e-12, near)
            ]
            # it is the contact of one of the triangles that this one overlaps
            assert any(
                leaves(own, others[j : j + 1], normal, depth, near) for j in pairs
            )
    assert touched > 50


def leaves(own, other, normal, depth, near):
    """Whether the second triangle is free of the first after the way of a contact."""
    answers = []
    for part in (0.98, 1.02):
        there = other + np.tile(part * depth * normal, 3)
        answers.append(TRIANGLES.triangles_overlap(own, 0, there, 0, 1e-12, near))
    return answers == [True, False]


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_solid_that_sinks_into_a_flat_surface_is_as_deep_as_it_sank(scale):
    rng = np.random.default_rng(2)
    meshes = Meshes(sheet(bumps=0.0).scaled(scale), cube(scale * 0.3))
    solids = Solids(
        [
            Solid(BOX, scale * np.array((0.2, 0.3, 0.1)), np.zeros(3)),
            Solid(SPHERE, scale * np.array((0.1, 0, 0)), np.zeros(3)),
        ]
    )
    at = pose(scale * rng.normal(size=3), rotation(rng))
    up = at.reshape(3, 4)[:, 2]
    for i in (0, 1):
        there = at.copy()
        there[3::4] += 0.09 * scale * up
        deepest = meshes.contacts_with_solid(0, at, solids, i, there)[0]
        assert deepest[6] == pytest.approx(0.01 * scale, rel=1e-5)
        assert deepest[3:6] == pytest.approx(up, abs=1e-5)
        height = (deepest[:3] - at[3::4]) @ up
        assert height == pytest.approx(-0.005 * scale, rel=1e-4)
    there = at.copy()
    there[3::4] += 0.29 * scale * up
    deepest = meshes.contacts(0, at, 1, there)[0]
    assert deepest[6] == pytest.approx(0.01 * scale, rel=1e-5)
    assert deepest[3:6] == pytest.approx(up, abs=1e-5)


def test_contacts_within_a_margin_have_a_negative_depth():
    meshes = Meshes(sheet(bumps=0.0))
    solids = Solids([Solid(SPHERE, np.array((0.1, 0, 0)), np.zeros(3))])
    there = pose((0.05, 0.1, -0.13))
    assert len(meshes.contacts_with_solid(0, ORIGIN, solids, 0, there)) == 0
    (contact,) = meshes.contacts_with_solid(0, ORIGIN, solids, 0, there, 0.05, 1)
    assert contact[:7] == pytest.approx((0.05, 0.1, -0.015, 0, 0, -1, -0.03))


def test_what_is_wholly_inside_has_one_contact_the_shortest_way_out():
    meshes = Meshes(cube(1.0), cube(0.1))
    solids = Solids([Solid(BOX, np.full(3, 0.1), np.zeros(3))])
    there = pose((0.1, 0.7, 0.2))
    (contact,) = meshes.contacts_with_solid(0, ORIGIN, solids, 0, there)
    assert contact == pytest.approx((0.1, 0.85, 0.2, 0, 1, 0, 0.3, -1))
    (one,) = meshes.contacts(0, ORIGIN, 1, there)
    (other,) = meshes.contacts(1, there, 0, ORIGIN)
    assert one[:3] == pytest.approx(other[:3])
    assert one[3:6] == pytest.approx((0, 1, 0))
    assert other[3:6] == pytest.approx((0, -1, 0))
    assert 0.2 <= one[6] <= 0.4
    assert one[6] == pytest.approx(other[6])


def test_a_mesh_leaves_a_plane_by_the_shorter_way():
    rng = np.random.default_rng(4)
    plane = Solids([Solid(PLANE, np.zeros(3), np.zeros(3))])
    touched = 0
    for mesh in surfaces(rng).values():
        meshes = Meshes(mesh)
        for _ in range(20):
            at_mesh, at_plane = apart(rng, 0.0, 3.0)
            back = at_plane.reshape(3, 4)
            points = placed(at_mesh, mesh.triangles().reshape(-1, 3))
            heights = (points - back[:, 3]) @ back[:, 2]
            cut = min(heights.max(), -heights.min())
            found = meshes.contact_with_plane(0, at_mesh, at_plane, 0.1)
            assert len(found) == (cut >= -0.1)
            pair = (0, at_mesh, plane, 0, at_plane)
            assert meshes.overlaps_solid(*pair, 0.1) == (cut >= -0.1)
            assert meshes.overlaps_solid(*pair) == (cut >= 0.0)
            gap, _ = meshes.distance_to_solid(*pair)
            assert gap == pytest.approx(max(-cut, 0.0), abs=1e-12)
            same = meshes.contacts_with_solid(*pair, 0.1)
            assert same == pytest.approx(found)
            for position, normal, depth in zip(
                found[:, :3], found[:, 3:6], found[:, 6], strict=True
            ):
                side = 1.0 if heights.max() < -heights.min() else -1.0
                assert depth == pytest.approx(cut, abs=1e-12)
                assert normal == pytest.approx(side * back[:, 2], abs=1e-9)
                height = (position - back[:, 3]) @ back[:, 2]
                assert height == pytest.approx(0.5 * side * depth, abs=1e-12)
                touched += 1
    assert touched > 30


def test_the_kernels_as_written_agree_with_the_compiled_ones():
    rng = np.random.default_rng(3)
    a, b = torus(8, 5, bumps=0.2, rng=rng), ball(6, 4)
    compiled, plain = Meshes(a, b), Meshes(a, b, compiled=False)
    solids = Solids(random_solid(rng, kind) for kind in KINDS.values())
    for _ in range(2):
        at_a, at_b = apart(rng, 0.5, 1.0)
        assert plain.contacts(0, at_a, 1, at_b) == pytest.approx(
            compiled.contacts(0, at_a, 1, at_b), abs=1e-6
        )
        assert plain.contact_with_plane(0, at_a, at_b) == pytest.approx(
            compiled.contact_with_plane(0, at_a, at_b), abs=1e-9
        )
        for i in range(len(KINDS)):
            assert plain.contacts_with_solid(0, at_a, solids, i, at_b, 0.0, 1)[
                :, 6
            ] == pytest.approx(
                compiled.contacts_with_solid(0, at_a, solids, i, at_b, 0.0, 1)[:, 6],
                abs=1e-5,
            )
