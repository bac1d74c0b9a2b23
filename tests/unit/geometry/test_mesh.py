"""Meshes against closed forms, and what they refuse."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loops import each

from pyrave.errors import ArgumentError
from pyrave.geometry import (
    Mesh,
    box_mesh,
    capsule_mesh,
    cylinder_mesh,
    prism_mesh,
    sphere_mesh,
    topology,
    weld,
)
from pyrave.scene import Material
from pyrave.spatial import matrix_from_axis_angle

ELL = ((0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3))
STAR = tuple(
    (r * math.cos(k * math.pi / 7), r * math.sin(k * math.pi / 7))
    for k in range(14)
    for r in [1.0 if k % 2 else 0.3]
)


def _pose(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle(rng.normal(size=3))
    pose[:3, 3] = rng.normal(size=3)
    return pose


def test_box_has_the_closed_forms() -> None:
    a, b, c = 0.3, 0.5, 0.7
    mesh = box_mesh((a, b, c))
    assert mesh.volume == pytest.approx(8 * a * b * c, rel=1e-14)
    assert mesh.area == pytest.approx(8 * (a * b + b * c + c * a), rel=1e-14)
    mass = 8 * a * b * c * 100
    expected = mass / 3 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    np.testing.assert_allclose(mesh.inertia(100.0), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(mesh.center_of_mass, 0.0, atol=1e-15)
    assert mesh.is_watertight
    assert mesh.is_convex


@each("seed", range(4))
def test_mass_properties_move_with_the_mesh(seed: int) -> None:
    pose = _pose(seed)
    mesh = prism_mesh(ELL, 0.4)
    moved = mesh.transformed(pose)
    rotation = pose[:3, :3]
    assert moved.volume == pytest.approx(mesh.volume, rel=1e-12)
    centre = rotation @ mesh.center_of_mass + pose[:3, 3]
    np.testing.assert_allclose(moved.center_of_mass, centre, atol=1e-12)
    expected = rotation @ mesh.inertia(3.0) @ rotation.T
    np.testing.assert_allclose(moved.inertia(3.0), expected, atol=1e-11)


def test_inertia_does_not_suffer_far_from_the_origin() -> None:
    shift = np.eye(4)
    shift[:3, 3] = (1e4, -2e4, 3e4)
    mesh = box_mesh((0.1, 0.2, 0.3))
    far = mesh.transformed(shift)
    np.testing.assert_allclose(far.inertia(), mesh.inertia(), rtol=1e-6, atol=1e-12)


def test_inertia_of_an_inside_out_mesh_is_the_same() -> None:
    mesh = prism_mesh(ELL, 0.4)
    inside_out = Mesh(mesh.vertices, mesh.faces[:, ::-1])
    assert inside_out.volume == pytest.approx(-mesh.volume)
    np.testing.assert_allclose(inside_out.inertia(), mesh.inertia(), atol=1e-14)
    np.testing.assert_allclose(inside_out.center_of_mass, mesh.center_of_mass)


@pytest.mark.parametrize(
    ("mesh_of", "volume", "axial"),
    [
        # axial: moment about z by mass
        (lambda n: sphere_mesh(0.7, n), 4 / 3 * math.pi * 0.7**3, 0.4 * 0.7**2),
        (lambda n: cylinder_mesh(0.7, 2.0, n), math.pi * 0.49 * 2, 0.5 * 0.49),
        (
            lambda n: capsule_mesh(0.7, 2.0, n),
            math.pi * 0.49 * 2 + 4 / 3 * math.pi * 0.7**3,
            None,
        ),
    ],
)
def test_round_shapes_converge_to_the_closed_form(mesh_of, volume, axial) -> None:
    errors = []
    for n in (32, 64):
        mesh = mesh_of(n)
        assert mesh.is_watertight
        assert mesh.is_convex
        errors.append(abs(mesh.volume - volume) / volume)
        if axial is not None:
            moment = mesh.inertia()[2, 2] / mesh.volume
            assert moment == pytest.approx(axial, rel=20 / n**2)
    assert errors[1] < 0.3 * errors[0]
    assert errors[1] < 5e-3


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("polygon", [ELL, STAR])
def test_concave_prism_is_closed_and_has_its_volume(polygon, direction) -> None:
    points = np.array(polygon)[::direction]
    mesh = prism_mesh(points, 0.5)
    x, y = np.array(polygon, dtype=float).T
    area = 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))
    assert mesh.volume == pytest.approx(0.5 * area, rel=1e-12)
    assert mesh.is_watertight
    assert not mesh.is_convex


def test_prism_takes_points_on_straight_lines() -> None:
    square = ((0, 0), (1, 0), (2, 0), (2, 2), (1, 2), (0, 2), (0, 1), (0, 0))
    mesh = prism_mesh(square, 1.0)
    assert mesh.volume == pytest.approx(4.0)
    assert mesh.is_watertight


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (((0, 0), (1, 0)), "3 different corners"),
        (((0, 0), (1, 1), (2, 2)), "no area"),
        (((0, 0), (4, 0), (4, 2), (1, -1), (3, 3)), "crosses itself"),
        (((0, 0, 0), (1, 0, 0), (0, 1, 0)), r"expected finite \(n, 2\)"),
    ],
)
def test_prism_refuses(points, message) -> None:
    with pytest.raises(ArgumentError, match=message):
        prism_mesh(points, 1.0)


def test_open_and_concave_meshes_are_told_apart() -> None:
    box = box_mesh((1, 1, 1))
    opened = Mesh(box.vertices, box.faces[1:])
    assert not opened.is_watertight
    assert not opened.is_convex
    flipped = box.faces.copy()
    flipped[0] = flipped[0, ::-1]
    assert not Mesh(box.vertices, flipped).is_watertight
    assert not Mesh.empty().is_watertight
    # a mesh with corners repeated per triangle, as STL has them, is closed too
    soup = Mesh(box.triangles().reshape(-1, 3), np.arange(36).reshape(12, 3))
    assert soup.is_watertight
    assert soup.is_convex


def test_scaling_by_a_mirror_keeps_the_outside_outside() -> None:
    mesh = prism_mesh(ELL, 1.0)
    mirrored = mesh.scaled((-1.0, 2.0, 1.0))
    assert mirrored.volume == pytest.approx(2 * mesh.volume)
    assert mesh.scaled(1.0) is mesh
    assert mesh.scaled(2.0).volume == pytest.approx(8 * mesh.volume)


def test_merge_keeps_all_triangles() -> None:
    far = np.eye(4)
    far[0, 3] = 5.0
    a, b = box_mesh((1, 1, 1)), sphere_mesh(0.5, 8).transformed(far)
    both = Mesh.merge([a, b])
    assert both.volume == pytest.approx(a.volume + b.volume)
    np.testing.assert_array_equal(
        both.triangles(), np.concatenate((a.triangles(), b.triangles()))
    )
    assert len(Mesh.merge([]).faces) == 0


def test_arrays_are_private_and_read_only() -> None:
    vertices = np.zeros((3, 3))
    red = Material((1.0, 0.0, 0.0))
    mesh = Mesh(vertices, np.array([[0, 1, 2]]), (red,))
    vertices[0] = 5.0
    assert mesh.vertices[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0] = 1.0
    copy = pickle.loads(pickle.dumps(mesh))  # noqa: S301
    assert copy.same_as(mesh)
    assert copy.material == red
    assert not copy.vertices.flags.writeable


@pytest.mark.parametrize(
    ("vertices", "faces", "message"),
    [
        ([[0, 0, 0]], [[0, 0, 1]], r"face 0 .* 1 vertices"),
        ([[0, 0, 0]], [[0, -1, 0]], "face 0"),
        ([[0, 0, 0], [0, math.nan, 0]], [], "vertex 1"),
        ([[0, 0, math.inf]], [], "vertex 0"),
        ([[0, 0, 2e9]], [], "unit"),
        ([[0, 0]], [], r"expected \(n, 3\)"),
        ([[0, 0, 0]], [[0.0, 0.0, 0.0]], "integers"),
        ([[0, 0, 0]], [[0, 0]], r"expected \(m, 3\)"),
        ("abc", [], "not numbers"),
    ],
)
def test_bad_arrays_are_refused(vertices, faces, message) -> None:
    with pytest.raises(ArgumentError, match=message):
        Mesh(vertices, faces)


def test_mesh_without_volume_has_no_mass_centre() -> None:
    flat = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    with pytest.raises(ArgumentError, match="no volume"):
        _ = flat.center_of_mass
    with pytest.raises(ArgumentError, match="no volume"):
        flat.inertia()


RED, BLUE = Material((1.0, 0.0, 0.0)), Material((0.0, 0.0, 1.0), transparency=0.5)


def test_merged_meshes_keep_their_materials() -> None:
    shapes = [box_mesh((1, 1, 1)), sphere_mesh(0.5, 8), box_mesh((2, 1, 1))]
    red, plain, blue = (
        Mesh(mesh.vertices, mesh.faces, own)
        for mesh, own in zip(shapes, ((RED,), (), (BLUE,)), strict=True)
    )
    both = Mesh.merge([red, plain, blue, red])
    assert both.materials == (RED, Material(), BLUE)
    assert both.material == RED
    groups = both.by_material()
    assert [group.material for group in groups] == [RED, Material(), BLUE]
    np.testing.assert_array_equal(
        groups[0].triangles(), Mesh.merge([red, red]).triangles()
    )
    assert groups[1].same_as(Mesh(plain.vertices, plain.faces, (Material(),)))
    assert Mesh.merge([plain, plain]).materials == ()
    assert Mesh.merge([red, red]).face_materials is None
    assert plain.by_material() == [plain]
    moved = both.transformed(np.diag([-1.0, 1.0, 1.0, 1.0]))
    np.testing.assert_array_equal(moved.face_materials, both.face_materials)
    assert pickle.loads(pickle.dumps(both)).same_as(both)  # noqa: S301
    assert not both.face_materials.flags.writeable


@pytest.mark.parametrize(
    ("of_faces", "message"),
    [
        ([0], r"shape \(12,\)"),
        ([0.0] * 12, "expected integers"),
        ([2] * 12, "face 0 .* has material 2, but the mesh has 2"),
        ([-1] * 12, "material -1"),
    ],
)
def test_materials_that_are_not_there_are_refused(of_faces, message) -> None:
    box = box_mesh((1, 1, 1))
    with pytest.raises(ArgumentError, match=message):
        Mesh(box.vertices, box.faces, (RED, BLUE), of_faces)


def soup_of(mesh: Mesh) -> Mesh:
    """Return a mesh whose triangles share no vertices, as in STL."""
    corners = mesh.triangles().reshape(-1, 3)
    return Mesh(corners, np.arange(len(corners)).reshape(-1, 3))


def test_welding_gives_back_what_the_corners_of_a_soup_were() -> None:
    mesh = sphere_mesh(1.0, 16)
    soup = soup_of(mesh)
    assert len(soup.vertices) == 3 * len(mesh.faces)
    again = soup.welded()
    assert len(again.vertices) == len(mesh.vertices)
    np.testing.assert_array_equal(again.triangles(), mesh.triangles())
    assert again.is_watertight
    # a face that has only two different corners goes, and its vertices with it
    extra = Mesh([*mesh.vertices, [9, 9, 9]], [*mesh.faces, [0, 0, len(mesh.vertices)]])
    assert extra.welded().same_as(mesh.welded())


def test_minus_zero_is_zero() -> None:
    points, index = weld(np.array([[0.0, 1, 2], [-0.0, 1, 2], [0, 1, 2.5]]))
    assert points.tolist() == [[0, 1, 2], [0, 1, 2.5]]
    assert index.tolist() == [0, 0, 1]


def test_welding_survives_numbers_that_stand_for_two_points(monkeypatch) -> None:
    monkeypatch.setattr(topology, "_MIX", np.zeros(3, np.uint64))
    points, index = weld(np.array([[3.0, 0, 0], [1, 0, 0], [3, 0, 0], [2, 0, 0]]))
    assert points[:, 0].tolist() == [3, 1, 2]
    assert index.tolist() == [0, 1, 0, 2]


def test_winding() -> None:
    box = box_mesh((1, 1, 1))
    assert box.is_winding_consistent
    opened = Mesh(box.vertices, box.faces[1:])
    assert opened.is_winding_consistent
    assert not opened.is_watertight
    flipped = box.faces.copy()
    flipped[0] = flipped[0, ::-1]
    assert not Mesh(box.vertices, flipped).is_winding_consistent
    assert Mesh(box.vertices, box.faces[:, ::-1]).is_winding_consistent


def test_components_are_the_parts_that_were_merged() -> None:
    far = np.eye(4)
    parts = []
    for k, shape in enumerate(
        (box_mesh((1, 1, 1)), sphere_mesh(1, 12), prism_mesh(ELL, 1))
    ):
        far[0, 3] = 10.0 * k
        moved = shape.transformed(far)
        parts.append(Mesh(moved.vertices, moved.faces, (Material((k / 2, 0, 0)),)))
    whole = Mesh.merge(parts)
    found = whole.components()
    assert [len(one.faces) for one in found] == [len(one.faces) for one in parts]
    for one, part in zip(found, parts, strict=True):
        np.testing.assert_array_equal(one.triangles(), part.triangles())
        assert one.material == part.material
    assert len(soup_of(whole).components()) == 3
    assert found[0].components()[0] is found[0]
    assert Mesh.empty().components()[0].faces.shape == (0, 3)


def test_normals_point_outwards() -> None:
    mesh = sphere_mesh(0.7, 64)
    np.testing.assert_allclose(np.linalg.norm(mesh.face_normals, axis=1), 1.0)
    assert (np.einsum("ij,ij->i", mesh.face_normals, mesh.triangles()[:, 0]) > 0).all()
    np.testing.assert_allclose(mesh.vertex_normals, mesh.vertices / 0.7, atol=5e-3)
    assert mesh.face_areas.sum() == pytest.approx(mesh.area)
    # how a square side is cut into triangles does not tilt the normals of its corners
    box = box_mesh((1, 2, 3))
    np.testing.assert_allclose(
        box.vertex_normals, np.sign(box.vertices) / math.sqrt(3), atol=1e-15
    )
    flat = Mesh([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]])
    assert not flat.face_normals.any()
    assert not flat.vertex_normals.any()


@settings(max_examples=60)
@given(
    st.integers(0, 2**31),
    st.integers(4, 40),
    st.integers(1, 80),
)
def test_queries_agree_with_trimesh(seed, n_vertices, n_faces) -> None:
    trimesh = pytest.importorskip("trimesh")
    rng = np.random.default_rng(seed)
    vertices = rng.normal(size=(n_vertices, 3))
    faces = np.array([rng.choice(n_vertices, 3, replace=False) for _ in range(n_faces)])
    mesh = Mesh(vertices, faces)
    other = trimesh.Trimesh(vertices, faces, process=False)
    assert mesh.area == pytest.approx(other.area, rel=1e-12)
    np.testing.assert_allclose(mesh.face_areas, other.area_faces, atol=1e-12)
    np.testing.assert_allclose(mesh.face_normals, other.face_normals, atol=1e-9)
    lo, hi = other.bounds
    centre, half = mesh.aabb
    used = np.unique(faces)
    if len(used) == n_vertices:
        np.testing.assert_allclose((centre - half, centre + half), (lo, hi), atol=1e-15)
    assert len(mesh.components()) == _bodies(faces)


def _bodies(faces) -> int:
    """Return how many sets of faces share no vertex."""
    bodies: list[set[int]] = []
    for face in faces.tolist():
        touched = [body for body in bodies if body & set(face)]
        bodies = [body for body in bodies if body not in touched]
        bodies.append(set(face).union(*touched))
    return len(bodies)


@each("seed", range(4))
def test_mass_properties_agree_with_trimesh(seed) -> None:
    trimesh = pytest.importorskip("trimesh")
    pose = _pose(seed)
    mesh = Mesh.merge([prism_mesh(STAR, 0.5), sphere_mesh(3.0, 20)]).transformed(pose)
    other = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    assert mesh.is_watertight == other.is_watertight
    assert mesh.is_winding_consistent == other.is_winding_consistent
    assert mesh.volume == pytest.approx(other.volume, rel=1e-12)
    np.testing.assert_allclose(mesh.center_of_mass, other.center_mass, atol=1e-12)
    np.testing.assert_allclose(
        mesh.inertia(), other.moment_inertia, rtol=1e-9, atol=1e-9
    )
