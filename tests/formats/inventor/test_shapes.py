"""Every shape of Inventor and VRML 1.0, by its triangles, boxes, areas and volumes."""

import math

import numpy as np
import pytest

from pyrave.errors import SceneError
from pyrave.formats import MeshSource
from pyrave_inventor.formats import INVENTOR

CUBE_POINTS = (
    "Coordinate3 { point [ 0 0 0, 1 0 0, 1 1 0, 0 1 0, 0 0 1, 1 0 1, 1 1 1, 0 1 1 ] }"
)
CUBE_FACES = "0 3 2 1 -1 4 5 6 7 -1 0 1 5 4 -1 1 2 6 5 -1 2 3 7 6 -1 3 0 4 7 -1"
RED, GREEN, BLUE = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
THREE = "Material { diffuseColor [ 1 0 0, 0 1 0, 0 0 1 ] }"
# a square of 4 corners and a triangle beside it
HOUSE = "Coordinate3 { point [ 0 0 0, 1 0 0, 1 1 0, 0 1 0, 2 0 0, 2 1 0, 3 0 0 ] }"
INDEXED_BY_CORNER = (
    "IndexedFaceSet { coordIndex [ 0 1 2 -1 4 6 5 ] materialIndex [ 1 0 0 -1 2 0 0 ] }"
)


def read(body, header="#Inventor V2.1 ascii"):
    source = MeshSource(f"{header}\n{body}\n".encode())
    mesh = INVENTOR.read(source)
    assert source.problems == []
    return mesh


def fails(body, message, header="#Inventor V2.1 ascii"):
    with pytest.raises(SceneError, match=message) as caught:
        INVENTOR.read(MeshSource(f"{header}\n{body}\n".encode(), "a.iv"))
    assert caught.value.file == "a.iv"
    return caught.value


def box_of(mesh):
    return mesh.vertices.min(axis=0).tolist(), mesh.vertices.max(axis=0).tolist()


def colours(mesh):
    return [mesh.materials[index].diffuse for index in mesh.material_of_faces]


# --- sets of faces


def test_indexed_face_set():
    mesh = read(f"{CUBE_POINTS} IndexedFaceSet {{ coordIndex [ {CUBE_FACES} ] }}")
    assert (len(mesh.vertices), len(mesh.faces)) == (8, 12)
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(1.0, abs=1e-15)


def test_faces_that_turn_clockwise_are_turned_around():
    hints = "ShapeHints { vertexOrdering CLOCKWISE }"
    mesh = read(
        f"{hints} {CUBE_POINTS} IndexedFaceSet {{ coordIndex [ {CUBE_FACES} ] }}"
    )
    assert mesh.volume == pytest.approx(-1.0, abs=1e-15)


def test_a_mirror_keeps_the_outside_outside():
    mesh = read(
        f"Scale {{ scaleFactor -2 1 1 }} {CUBE_POINTS}"
        f" IndexedFaceSet {{ coordIndex [ {CUBE_FACES} ] }}"
    )
    assert mesh.volume == pytest.approx(2.0, abs=1e-15)


def test_points_that_no_face_uses_are_left_out():
    mesh = read(f"{CUBE_POINTS} IndexedFaceSet {{ coordIndex [ 4, 5, 6 ] }}")
    assert mesh.vertices.tolist() == [[0, 0, 1], [1, 0, 1], [1, 1, 1]]
    many = " ".join(f"{k} 0 0," for k in range(1000))
    mesh = read(
        f"Coordinate3 {{ point [ {many} 0 1 0 ] }}"
        " IndexedFaceSet { coordIndex [ 0, 999, 1000, -1 ] }"
    )
    assert mesh.vertices[:, 0].tolist() == [0, 999, 0]


def test_concave_faces_do_not_fold_over():
    points = "0 0 0, 4 0 0, 4 4 0, 3 1 0, 0 4 0"
    for order in ("0 1 2 3 4", "3 4 0 1 2", "4 0 1 2 3"):
        mesh = read(
            f"Coordinate3 {{ point [ {points} ] }}"
            f" IndexedFaceSet {{ coordIndex [ {order} -1 ] }}"
        )
        assert len(mesh.faces) == 3
        corners = mesh.triangles()
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        assert (normals[:, 2] > 0).all()
        assert mesh.area == pytest.approx(0.5 * normals[:, 2].sum())
        assert mesh.area == pytest.approx(10.0)


def test_degenerate_faces_are_no_error():
    mesh = read(
        f"{CUBE_POINTS} IndexedFaceSet"
        " { coordIndex [ -1 0 -1 0 1 -1 -1 0 1 2 -1 0 0 0 -1 3 3 3 3 -1 ] }"
    )
    assert len(mesh.faces) == 4
    assert mesh.area == pytest.approx(0.5)


def test_face_set():
    mesh = read(f"{HOUSE} FaceSet {{ numVertices [ 4, 3 ] }}")
    assert len(mesh.faces) == 3
    assert mesh.area == pytest.approx(1.5)
    mesh = read(f"{HOUSE} FaceSet {{ startIndex 4 numVertices 3 }}")
    assert box_of(mesh) == ([2, 0, 0], [3, 1, 0])
    # the last -1 takes the rest; so does a set without sizes
    mesh = read(f"{HOUSE} FaceSet {{ numVertices [ 4, -1 ] }}")
    assert len(mesh.faces) == 3
    assert len(read(f"{HOUSE} FaceSet {{ }}").faces) == 5


def test_triangle_strips_keep_their_side():
    points = "0 0 0, 1 0 0, 0 1 0, 1 1 0, 0 2 0, 1 2 0"
    for shape in (
        "TriangleStripSet { numVertices 6 }",
        "IndexedTriangleStripSet { coordIndex [ 0 1 2 3 4 5 -1 ] }",
        "IndexedTriangleStripSet { coordIndex [ 0, 1, 2, 3 -1 2 3 4 5 ] }",
    ):
        mesh = read(f"Coordinate3 {{ point [ {points} ] }} {shape}")
        corners = mesh.triangles()
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        assert normals[:, 2].tolist() == [1, 1, 1, 1]


def test_quad_mesh():
    points = ", ".join(f"{x} {-y} 0" for y in range(3) for x in range(4))
    mesh = read(
        f"Coordinate3 {{ point [ 9 9 9, {points} ] }}"
        " QuadMesh { startIndex 1 verticesPerColumn 3 verticesPerRow 4 }"
    )
    assert len(mesh.faces) == 12
    assert mesh.area == pytest.approx(6.0)
    corners = mesh.triangles()
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (normals[:, 2] == 1).all()


def test_homogeneous_coordinates():
    mesh = read("Coordinate4 { point [ 0 0 0 1, 2 0 0 2, 0 4 0 4 ] } FaceSet { }")
    assert mesh.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


def test_vertex_property_holds_for_its_shape_only():
    mesh = read(
        f"{CUBE_POINTS} FaceSet {{ numVertices 3 vertexProperty VertexProperty {{"
        " vertex [ 5 0 0, 6 0 0, 5 1 0 ] orderedRGBA 0xff000080 } }"
        " FaceSet { numVertices 3 }"
    )
    assert box_of(mesh)[1] == [6, 1, 0]
    assert colours(mesh) == [RED, pytest.approx((0.8, 0.8, 0.8))]
    red = mesh.materials[mesh.material_of_faces[0]]
    assert red.diffuse == RED
    assert red.transparency == pytest.approx(1 - 128 / 255)
    # as a node of its own it holds for what follows
    mesh = read(
        "VertexProperty { vertex [ 5 0 0, 6 0 0, 5 1 0 ] } FaceSet { numVertices 3 }"
    )
    assert box_of(mesh)[1] == [6, 1, 0]


# --- solids


def test_cube():
    mesh = read("Cube { width 1 height 2 depth 3 }")
    assert box_of(mesh) == ([-0.5, -1, -1.5], [0.5, 1, 1.5])
    assert mesh.is_watertight
    assert mesh.is_convex
    assert mesh.volume == pytest.approx(6)
    assert read("Cube { }").volume == pytest.approx(8)


def test_sphere():
    mesh = read("Sphere { radius 2 }")
    assert box_of(mesh) == ([-2, -2, -2], [2, 2, 2])
    assert mesh.is_watertight
    assert mesh.is_convex
    assert mesh.volume == pytest.approx(4 / 3 * math.pi * 8, rel=0.02)


def test_cylinder():
    mesh = read("Cylinder { radius 2 height 5 }")
    assert box_of(mesh) == ([-2, -2.5, -2], [2, 2.5, 2])
    assert mesh.is_watertight
    assert mesh.is_convex
    assert len(mesh.faces) == 40 + 18 + 18
    assert mesh.volume == pytest.approx(5 * 10 * 4 * math.sin(math.pi / 10))
    for parts, count in (
        ("SIDES", 40),
        ("(SIDES | TOP)", 58),
        ("(BOTTOM)", 18),
        ("ALL", 76),
    ):
        assert len(read(f"Cylinder {{ parts {parts} }}").faces) == count


def test_cone():
    mesh = read("Cone { bottomRadius 2 height 3 }")
    assert box_of(mesh) == ([-2, -1.5, -2], [2, 1.5, 2])
    assert mesh.is_watertight
    assert mesh.is_convex
    assert len(mesh.faces) == 20 + 18
    assert mesh.volume == pytest.approx(10 * 4 * math.sin(math.pi / 10))
    assert len(read("Cone { parts BOTTOM }").faces) == 18


# --- materials


@pytest.mark.parametrize(
    ("binding", "shape", "expected"),
    [
        ("OVERALL", "IndexedFaceSet { coordIndex [ 0 1 2 -1 1 4 2 -1 ] }", "rr"),
        ("PER_FACE", "IndexedFaceSet { coordIndex [ 0 1 2 3 -1 4 6 5 -1 ] }", "rrg"),
        (
            "PER_FACE_INDEXED",
            "IndexedFaceSet { coordIndex [ 0 1 2 -1 1 4 2 ] materialIndex [ 2, 1 ] }",
            "bg",
        ),
        ("PER_VERTEX", "IndexedFaceSet { coordIndex [ 0 1 2 -1 4 6 5 ] }", "rb"),
        (
            "PER_VERTEX_INDEXED",
            INDEXED_BY_CORNER,
            "gb",
        ),
        (
            "PER_VERTEX_INDEXED",
            "IndexedFaceSet { coordIndex [ 0 1 2 -1 1 6 5 ] }",
            "rg",
        ),
        ("PER_FACE", "FaceSet { numVertices [ 4, 3 ] }", "rrg"),
        ("PER_VERTEX", "FaceSet { startIndex 1 numVertices 3 }", "r"),
        ("PER_PART", "TriangleStripSet { numVertices [ 4, 3 ] }", "rrg"),
        ("PER_FACE", "TriangleStripSet { numVertices [ 4, 3 ] }", "rgb"),
        (
            "PER_PART",
            "IndexedTriangleStripSet { coordIndex [ 0 1 2 3 -1 4 6 5 ] }",
            "rrg",
        ),
        ("PER_FACE", "QuadMesh { verticesPerRow 2 verticesPerColumn 3 }", "rrgg"),
        ("PER_PART", "QuadMesh { verticesPerRow 3 verticesPerColumn 2 }", "rrrr"),
        ("PER_VERTEX", "QuadMesh { verticesPerRow 2 verticesPerColumn 2 }", "rr"),
        ("PER_PART", "Cone { }", "r" * 20 + "g" * 18),
        ("PER_PART", "Cylinder { }", "r" * 40 + "g" * 18 + "b" * 18),
        ("OVERALL", "Cylinder { }", "r" * 76),
    ],
)
def test_material_bindings(binding, shape, expected):
    mesh = read(f"{THREE} {HOUSE} MaterialBinding {{ value {binding} }} {shape}")
    names = {RED: "r", GREEN: "g", BLUE: "b"}
    assert "".join(names[colour] for colour in colours(mesh)) == expected


def test_missing_materials_are_the_last_one():
    mesh = read(
        f"Material {{ diffuseColor [ 1 0 0, 0 1 0 ] }} {HOUSE}"
        " MaterialBinding { value PER_FACE }"
        " IndexedFaceSet { coordIndex [ 0 1 2 -1 0 1 2 -1 0 1 2 -1 ] }"
    )
    assert colours(mesh) == [RED, GREEN, GREEN]


def test_material_fields():
    mesh = read(
        "Material { ambientColor 0.5 0 0 diffuseColor 0 0.25 2 transparency 0.75 }"
        " Cube { }"
    )
    (material,) = mesh.materials
    assert material.ambient == (0.5, 0, 0)
    assert material.diffuse == (0, 0.25, 1)
    assert material.transparency == 0.75
    (material,) = read("Cube { }").materials
    assert material.diffuse == pytest.approx((0.8, 0.8, 0.8))
    assert material.ambient == pytest.approx((0.2, 0.2, 0.2))


def test_base_and_packed_colours_keep_the_rest():
    before = "Material { ambientColor 0.5 0 0 }"
    (material,) = read(f"{before} BaseColor {{ rgb 1 0 0 }} Cube {{ }}").materials
    assert (material.diffuse, material.ambient) == (RED, (0.5, 0, 0))
    packed = "PackedColor { orderedRGBA [ 0x0000ff00 ] }"
    (material,) = read(f"{before} {packed} Cube {{ }}").materials
    assert (material.diffuse, material.ambient) == (BLUE, (0.5, 0, 0))
    assert material.transparency == 1.0


def test_the_last_faces_material_stands_for_the_mesh():
    """As in OpenRAVE, which takes the last material of a file."""
    mesh = read(
        "Separator { Material { diffuseColor 1 0 0 } Cube { } }"
        " Separator { Material { diffuseColor 0 1 0 } Cube { } }"
    )
    assert mesh.material.diffuse == GREEN
    assert colours(mesh) == [RED] * 12 + [GREEN] * 12


# --- what is wrong


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("IndexedFaceSet { coordIndex [ 0 1 8 ] }", "uses point 8, but there are 8"),
        ("IndexedTriangleStripSet { coordIndex [ 0 1 9 ] }", "uses point 9"),
        ("FaceSet { numVertices 9 }", "needs 9 points, but there are 8"),
        ("FaceSet { startIndex 7 numVertices 3 }", "needs 10 points"),
        ("FaceSet { startIndex -1 numVertices 3 }", "starts at point -1"),
        ("FaceSet { numVertices [ -2 3 ] }", "faces of -2 corners"),
        ("FaceSet { numVertices [ -1 3 ] }", "needs 2 points"),
        (
            "FaceSet { numVertices [ 9223372036854775807 9223372036854775807 ] }",
            "points, but there are 8",
        ),
        ("QuadMesh { verticesPerRow 3 verticesPerColumn 3 }", "needs 9 points"),
        ("QuadMesh { verticesPerRow -3 verticesPerColumn 3 }", "-3"),
        ("Cube { width -1 }", "the width of Cube is -1"),
        ("Sphere { radius -1 }", "the radius of Sphere is -1"),
    ],
)
def test_wrong_shapes_say_what_and_where(shape, message):
    error = fails(f"{CUBE_POINTS}\n  {shape}", message)
    assert (error.line, error.column) == (3, 3)


@pytest.mark.parametrize(
    "points",
    [
        "Coordinate4 { point [ 0 0 0 1, 1 0 0 0, 0 1 0 1 ] }",
        "Coordinate3 { point [ 0 0 0, 1e30 0 0, 0 1 0 ] }",
        "Scale { scaleFactor 1e20 1 1 } Coordinate3 { point [ 0 0 0, 1 0 0, 0 1 0 ] }",
    ],
)
def test_points_that_are_too_far_away(points):
    fails(f"{points} FaceSet {{ }}", "metres, expected at most 1e.09")
