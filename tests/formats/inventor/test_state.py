"""Effects of nodes of Inventor and VRML 1.0 on those to their right."""

import math

import numpy as np
import pytest

from pyrave.errors import SceneError
from pyrave.formats import MeshSource
from pyrave_inventor.formats import INVENTOR, VRML

DOT = "FaceSet { numVertices 3 }"
POINTS = "Coordinate3 { point [ 0 0 0, 1 0 0, 0 1 0 ] }"


def read(body, header="#Inventor V2.1 ascii"):
    source = MeshSource(f"{header}\n{body}\n".encode())
    mesh = INVENTOR.read(source)
    assert source.problems == []
    return mesh


def first_points(body, header="#Inventor V2.1 ascii"):
    """Return where the origin lies in the frame of each shape."""
    return read(f"{POINTS} {body}", header).triangles()[:, 0].tolist()


def frame(body):
    """Return the (4, 4) matrix that nodes make."""
    points = "Coordinate3 { point [ 0 0 0, 1 0 0, 0 1 0, 0 0 1 ] }"
    mesh = read(f"{points} {body} IndexedFaceSet {{ coordIndex [ 0 1 2 -1 0 2 3 ] }}")
    origin, x, y, z = mesh.vertices
    return np.stack((x - origin, y - origin, z - origin, origin), axis=1)


def test_properties_hold_to_the_right_within_a_separator():
    found = first_points(
        "Translation { translation 1 0 0 }"
        f" Separator {{ Translation {{ translation 0 2 0 }} {DOT} }}"
        f" {DOT}"
        f" Group {{ Translation {{ translation 0 0 3 }} }} {DOT}"
    )
    assert found == [[1, 2, 0], [1, 0, 0], [1, 0, 3]]


@pytest.mark.parametrize(
    "name", ["Separator", "Annotation", "Selection", "LocateHighlight", "WWWAnchor"]
)
def test_groups_that_keep_the_state(name):
    found = first_points(
        f"{name} {{ Translation {{ translation 0 2 0 }} {DOT} }} {DOT}"
    )
    assert found == [[0, 2, 0], [0, 0, 0]]


def test_transform_separator_keeps_the_frame_only():
    mesh = read(
        f"{POINTS} TransformSeparator {{ Translation {{ translation 1 0 0 }}"
        f" Material {{ diffuseColor 1 0 0 }} }} {DOT}"
    )
    assert mesh.vertices[0].tolist() == [0, 0, 0]
    assert mesh.material.diffuse == (1, 0, 0)


@pytest.mark.parametrize(
    ("which", "expected"),
    [("", []), ("whichChild -1", []), ("whichChild 1", [2]), ("whichChild 7", []),
     ("whichChild -3", [1, 3]), ("whichChild -2", [])],
)  # fmt: skip
def test_switch(which, expected):
    # a switch keeps no state: the second translation adds to the first
    child = "Group {{ Translation {{ translation {} 0 0 }} {} }}"
    children = child.format(1, DOT) + child.format(2, DOT)
    found = first_points(f"Switch {{ {which} {children} }}") if expected else []
    assert [place[0] for place in found] == expected
    if not expected:
        assert len(read(f"{POINTS} Switch {{ {which} {children} }}").faces) == 0


def test_switch_inherits_from_the_one_before():
    body = (
        "Switch { whichChild 1 Group { } Group { } }"
        f" Switch {{ whichChild -2 Group {{ }} {DOT} }}"
    )
    assert len(first_points(body)) == 1


@pytest.mark.parametrize(
    "name", ["LOD { range 5", "LevelOfDetail { screenArea [ 1, 2 ]"]
)
def test_levels_of_detail_show_the_first(name):
    shift = "Separator {{ Translation {{ translation {} 0 0 }} {} }}"
    body = f"{name} {shift.format(1, DOT)} {shift.format(2, DOT)} }}"
    assert first_points(body) == [[1, 0, 0]]


def test_array():
    body = (
        "Array { numElements1 2 numElements2 3 separation1 1 0 0 separation2 0 2 0"
        f" Separator {{ {DOT} }} }}"
    )
    assert first_points(body) == [
        [0, 0, 0], [1, 0, 0], [0, 2, 0], [1, 2, 0], [0, 4, 0], [1, 4, 0],
    ]  # fmt: skip
    body = f"Array {{ origin CENTER numElements1 3 {DOT} }}"
    assert first_points(body) == [[-1, 0, 0], [0, 0, 0], [1, 0, 0]]
    body = f"Array {{ origin LAST numElements3 2 separation3 0 0 4 {DOT} }}"
    assert first_points(body) == [[0, 0, -4], [0, 0, 0]]


def test_multiple_copy():
    shift = "1 0 0 0  0 1 0 0  0 0 1 0  {} 0 0 1"
    body = f"MultipleCopy {{ matrix [ {shift.format(3)}, {shift.format(5)} ] {DOT} }}"
    assert first_points(body) == [[3, 0, 0], [5, 0, 0]]


def test_multiple_copies_choose_children():
    one = "1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1"
    inner = f"Switch {{ whichChild -2 Group {{ }} {DOT} }}"
    assert len(first_points(f"MultipleCopy {{ matrix [ {one}, {one} ] {inner} }}")) == 1


# --- frames


def rotation(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    return {
        "X": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "Y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "Z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


@pytest.mark.parametrize("axis", "XYZ")
def test_rotations(axis):
    expected = np.column_stack((rotation(axis, 0.5), np.zeros(3)))
    found = frame(f"RotationXYZ {{ axis {axis} angle 0.5 }}")
    np.testing.assert_allclose(found, expected, atol=1e-15)
    vector = " ".join("2" if axis == name else "0" for name in "XYZ")
    found = frame(f"Rotation {{ rotation {vector} 0.5 }}")
    np.testing.assert_allclose(found, expected, atol=1e-15)


def test_rotation_xyz_is_about_x_by_default():
    np.testing.assert_allclose(
        frame("RotationXYZ { angle 0.5 }")[:, :3], rotation("X", 0.5), atol=1e-15
    )


def test_a_rotation_about_no_axis_is_none():
    np.testing.assert_array_equal(
        frame("Rotation { rotation 0 0 0 1 }")[:, :3], np.eye(3)
    )


def test_transform_is_made_of_its_parts():
    found = frame(
        "Transform { translation 1 2 3 rotation 0 0 1 0.5 scaleFactor 2 3 4"
        " scaleOrientation 1 0 0 0.25 center 5 6 7 }"
    )
    expected = frame(
        "Translation { translation 1 2 3 } Translation { translation 5 6 7 }"
        " Rotation { rotation 0 0 1 0.5 } Rotation { rotation 1 0 0 0.25 }"
        " Scale { scaleFactor 2 3 4 } Rotation { rotation 1 0 0 -0.25 }"
        " Translation { translation -5 -6 -7 }"
    )
    np.testing.assert_allclose(found, expected, atol=1e-13)


def test_matrix_transform_has_vectors_on_the_left():
    found = frame("MatrixTransform { matrix 0 1 0 0 -1 0 0 0 0 0 1 0 5 6 7 1 }")
    expected = np.column_stack((rotation("Z", math.pi / 2), (5, 6, 7)))
    np.testing.assert_allclose(found, expected, atol=1e-15)


def test_reset_transform():
    moved = "Translation { translation 1 2 3 } "
    assert frame(moved + "ResetTransform { }")[:, 3].tolist() == [0, 0, 0]
    kept = frame(moved + "ResetTransform { whatToReset BBOX }")
    assert kept[:, 3].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("units", "metres"),
    [("METERS", 1.0), ("MILLIMETERS", 1e-3), ("INCHES", 0.0254), ("FEET", 0.3048),
     ("KILOMETERS", 1e3)],
)  # fmt: skip
def test_units(units, metres):
    # a second node replaces the first one's units, it does not multiply with them
    found = frame(f"Units {{ units CENTIMETERS }} Units {{ units {units} }}")
    np.testing.assert_allclose(found[:, :3], metres * np.eye(3), rtol=1e-12)


def test_units_end_with_their_separator():
    body = (
        f"Separator {{ Units {{ units MILLIMETERS }}"
        f" Translation {{ translation 5 0 0 }} {DOT} }}"
        f" Translation {{ translation 5 0 0 }} {DOT}"
    )
    assert first_points(body) == [[0.005, 0, 0], [5, 0, 0]]


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ("Units { units PARSECS }", "unit 'PARSECS' is not known"),
        ("RotationXYZ { axis W }", "axis is 'W'"),
    ],
)
def test_wrong_values(node, message):
    with pytest.raises(SceneError, match=message):
        read(node)


@pytest.mark.parametrize("name", ["TransformManip", "HandleBoxManip", "TrackballManip"])
def test_manipulators_are_transforms(name):
    assert frame(f"{name} {{ translation 1 2 3 }}")[:, 3].tolist() == [1, 2, 3]


def test_moving_nodes_are_where_they_start():
    assert frame("Shuttle { translation 1 0 0 speed 2 }")[:, 3].tolist() == [1, 0, 0]
    np.testing.assert_allclose(
        frame("Rotor { rotation 0 0 1 0.5 on TRUE }")[:, :3],
        rotation("Z", 0.5),
        atol=1e-15,
    )


# --- the rest


@pytest.mark.parametrize(
    "ignored",
    [
        "PerspectiveCamera { position 0 0 5 heightAngle 1 }",
        "DirectionalLight { on TRUE intensity 0.5 direction 0 0 -1 }",
        'Texture2 { filename "x.png" image 2 1 3 0xff0000 0x00ff00 wrapS CLAMP }',
        "Texture2Transform { rotation 1 }",
        "TextureCoordinate2 { point [ 0 0, 1 1 ] }",
        "Normal { vector [ 0 0 1 ] }",
        "NormalBinding { value PER_VERTEX_INDEXED }",
        "DrawStyle { style LINES linePattern 0x0f0f }",
        'Info { string "made by a test" }',
        "Label { label made_by }",
        "LightModel { model BASE_COLOR }",
        "Complexity { value 0.1 type OBJECT_SPACE }",
        'Font { name "Courier" size 12 }',
        'Text2 { string [ "a", "b" ] }',
        "IndexedLineSet { coordIndex [ 0, 1, 2, -1 ] }",
        "LineSet { numVertices 3 } PointSet { numPoints 3 }",
        "Environment { fogType HAZE }",
        "PickStyle { style UNPICKABLE }",
    ],
)
def test_what_has_no_triangles_is_passed_over_silently(ignored):
    mesh = read(f"{POINTS} {ignored} {DOT}")
    assert mesh.triangles().tolist() == [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]]


@pytest.mark.parametrize(
    "shape", ['Text3 { string "a" }', 'AsciiText { string "a" }', "NurbsSurface { }"]
)
def test_surfaces_that_are_not_drawn_are_reported_once(shape):
    source = MeshSource(f"#Inventor V2.1 ascii\n{shape}\n{shape} Cube {{ }}".encode())
    assert len(INVENTOR.read(source).faces) == 12
    (problem,) = source.problems
    assert "is not drawn" in problem.message
    assert (problem.line, problem.code) == (2, "mesh-detail")


def test_vrml_1():
    body = (
        f"DEF a Separator {{ {POINTS} {DOT} }}"
        " Translation { translation 1 0 0 } USE a"
    )
    mesh = VRML.read(MeshSource(f"#VRML V1.0 ascii\n{body}".encode()))
    assert mesh.triangles()[:, 0].tolist() == [[0, 0, 0], [1, 0, 0]]


def test_hints_of_inventor_1():
    mesh = read(
        "ShapeHints { hints (SOLID | ORDERED | CONVEX) } Cube { }",
        "#Inventor V1.0 ascii",
    )
    assert len(mesh.faces) == 12
