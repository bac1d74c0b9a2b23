"""VRML 97: its groups, shapes, materials and prototypes."""

import math

import numpy as np
import pytest

from pyrave.errors import SceneError
from pyrave.formats import MeshSource
from pyrave_inventor.formats import VRML

RED, GREEN = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
COORD = "coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0, 1 1 0 ] }"
FACE = f"IndexedFaceSet {{ {COORD} coordIndex [ 0 1 2 -1 ] }}"
SHAPE = f"Shape {{ geometry {FACE} }}"


def source(body):
    return MeshSource(f"#VRML V2.0 utf8\n{body}\n".encode(), "a.wrl")


def read(body):
    given = source(body)
    mesh = VRML.read(given)
    assert given.problems == []
    return mesh


def geometry(body):
    return read(f"Shape {{ geometry {body} }}")


def fails(body, message):
    with pytest.raises(SceneError, match=message) as caught:
        VRML.read(source(body))
    assert caught.value.file == "a.wrl"
    return caught.value


def origins(body):
    return read(body).triangles()[:, 0].tolist()


def box_of(mesh):
    return mesh.vertices.min(axis=0).tolist(), mesh.vertices.max(axis=0).tolist()


def colours(mesh):
    return [mesh.materials[index].diffuse for index in mesh.material_of_faces]


# --- groups


def test_transform():
    body = (
        "Transform { translation 1 2 3 rotation 0 0 1 0.5 scale 2 3 4"
        f" scaleOrientation 1 0 0 0.25 center 5 6 7 children {SHAPE} }}"
    )
    inner = f"Transform {{ translation -5 -6 -7 children [ {SHAPE} ] }}"
    for parts in (
        "rotation 1 0 0 -0.25",
        "scale 2 3 4",
        "rotation 1 0 0 0.25",
        "rotation 0 0 1 0.5",
        "translation 5 6 7",
        "translation 1 2 3",
    ):
        inner = f"Transform {{ {parts} children [ {inner} ] }}"
    np.testing.assert_allclose(read(body).vertices, read(inner).vertices, atol=1e-13)


def test_a_transform_ends_with_its_children():
    body = f"Transform {{ translation 1 0 0 children [ {SHAPE} {SHAPE} ] }} {SHAPE}"
    assert origins(body) == [[1, 0, 0], [1, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    "group",
    ["Group {", 'Anchor { url "x.html"', "Billboard { axisOfRotation 0 0 0",
     "Collision { collide FALSE proxy NULL"],
)  # fmt: skip
def test_groups(group):
    assert len(read(f"{group} children [ {SHAPE}, NULL, {SHAPE} ] }}").faces) == 2


def test_switch_and_levels_of_detail():
    two = f"[ {SHAPE} Group {{ children [ {SHAPE} {SHAPE} ] }} ]"
    for which, count in ((-1, 0), (0, 1), (1, 2), (2, 0)):
        mesh = read(f"Switch {{ choice {two} whichChoice {which} }}")
        assert len(mesh.faces) == count
    assert len(read(f"Switch {{ choice {two} }}").faces) == 0
    assert len(read(f"LOD {{ level {two} range [ 5 ] }}").faces) == 1


def test_inline(tmp_path):
    (tmp_path / "b.wrl").write_text(f"#VRML V2.0 utf8\n{SHAPE}")
    path = tmp_path / "a.wrl"
    path.write_text(
        "#VRML V2.0 utf8\nTransform { translation 1 0 0 children Inline"
        ' { url [ "http://example.com/b.wrl" "b.wrl" ] bboxSize 1 1 1 } }'
    )
    given = MeshSource.open(str(path))
    assert VRML.read(given).triangles()[:, 0].tolist() == [[1, 0, 0]]
    assert given.problems == []


def test_names_routes_and_scripts():
    mesh = read(
        "DEF T Transform { children [ DEF Line-02_x(1) " + SHAPE + " ] }"
        " DEF S Script { field SFNode me USE S field SFVec3f v 1 2 3"
        ' eventIn SFBool go url "javascript: function f() { if (a) { } }"'
        f" field MFNode parts [ DEF inner {SHAPE} ] }}"
        " DEF C TimeSensor { cycleInterval 3.3 loop TRUE }"
        " ROUTE C.fraction_changed TO T.set_translation"
        " USE Line-02_x(1) USE inner"
        ' NavigationInfo { type [ "EXAMINE" ] } WorldInfo { title "}" }'
    )
    assert len(mesh.faces) == 3


# --- shapes


def test_face_sets():
    mesh = geometry(f"IndexedFaceSet {{ {COORD} coordIndex [ 0 1 3 2 ] }}")
    assert (len(mesh.faces), mesh.area) == (2, pytest.approx(1))
    corners = mesh.triangles()
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (normals[:, 2] > 0).all()
    turned = geometry(f"IndexedFaceSet {{ ccw FALSE {COORD} coordIndex [ 0 1 3 2 ] }}")
    corners = turned.triangles()
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (normals[:, 2] < 0).all()


def test_face_sets_without_content():
    for body in ("", COORD, "coordIndex [ ]", "coord NULL"):
        assert len(geometry(f"IndexedFaceSet {{ {body} }}").faces) == 0
    fails("Shape { geometry IndexedFaceSet { coordIndex [ 0 1 2 ] } }", "uses point 2")


def test_concave_faces():
    mesh = geometry(
        "IndexedFaceSet { convex FALSE coordIndex [ 0 1 2 3 ]"
        " coord Coordinate { point [ 0 0 0, 2 0 0, 0.5 0.5 0, 0 2 0 ] } }"
    )
    assert mesh.area == pytest.approx(1.0)


def test_solids():
    box = geometry("Box { size 1 2 3 }")
    assert box.volume == pytest.approx(6)
    assert geometry("Box { }").volume == pytest.approx(8)
    assert box_of(geometry("Sphere { radius 3 }")) == ([-3] * 3, [3] * 3)
    cone = geometry("Cone { bottomRadius 2 height 3 }")
    assert cone.is_watertight
    assert cone.volume == pytest.approx(10 * 4 * math.sin(math.pi / 10))
    assert len(geometry("Cone { bottom FALSE }").faces) == 20
    assert len(geometry("Cone { side FALSE }").faces) == 18
    cylinder = geometry("Cylinder { radius 2 height 3 }")
    assert cylinder.is_watertight
    for part, left in (("top", 58), ("bottom", 58), ("side", 36)):
        assert len(geometry(f"Cylinder {{ {part} FALSE }}").faces) == left
    fails("Shape { geometry Box { size 1 -1 1 } }", "size of a Box")
    fails("Shape { geometry Cylinder { radius -1 } }", "radius of Cylinder is -1")


def test_grid():
    mesh = geometry(
        "ElevationGrid { xDimension 3 zDimension 2 xSpacing 2 zSpacing 3"
        " height [ 0 1 0, 0 1 0 ] }"
    )
    assert box_of(mesh) == ([0, 0, 0], [4, 1, 3])
    assert mesh.area == pytest.approx(2 * 3 * math.sqrt(5))
    corners = mesh.triangles()
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (normals[:, 1] > 0).all()
    assert len(geometry("ElevationGrid { xDimension 1 height 0 }").faces) == 0
    fails(
        "Shape { geometry ElevationGrid { xDimension 3 zDimension 3 height [ 1 2 ] } }",
        "a grid of 3 x 3 has 2 heights",
    )


def test_things_without_triangles():
    for body in (
        f"PointSet {{ {COORD} }}",
        f"IndexedLineSet {{ {COORD} coordIndex [ 0 1 ] }}",
        "NULL",
    ):
        assert len(geometry(body).faces) == 0
    given = source('Shape { geometry Text { string [ "a" ] fontStyle FontStyle { } } }')
    assert len(VRML.read(given).faces) == 0
    assert [p.message for p in given.problems] == ["Text is not drawn"]


# --- extrusions


def is_closed(mesh, volume):
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(volume)


def test_the_default_extrusion_is_a_prism():
    mesh = geometry("Extrusion { }")
    assert box_of(mesh) == ([-1, 0, -1], [1, 1, 1])
    is_closed(mesh, 4)
    assert len(mesh.faces) == 12
    assert len(geometry("Extrusion { beginCap FALSE endCap FALSE }").faces) == 8
    assert geometry("Extrusion { ccw FALSE }").volume == pytest.approx(-4)


@pytest.mark.parametrize(
    ("spine", "volume"),
    [
        ("0 0 0, 0 0 5", 20),
        ("0 0 0, 5 0 0", 20),
        ("0 0 0, 0 -5 0", 20),
        ("0 5 0, 0 0 0", 20),
        ("1 2 3, 1 2 3, 1 2 8", 20),
        ("0 0 0, 1 1 1, 3 3 3", 12 * math.sqrt(3)),
    ],
)
def test_straight_spines(spine, volume):
    is_closed(geometry(f"Extrusion {{ spine [ {spine} ] }}"), volume)


def test_bent_spines():
    # an L: the corner is cut at 45 degrees, so that the middle line counts
    mesh = geometry("Extrusion { spine [ 0 0 0, 0 9 0, 9 9 0 ] }")
    assert mesh.is_watertight
    low, high = box_of(mesh)
    np.testing.assert_allclose((low[2], high[2]), (-1, 1), atol=1e-12)
    assert mesh.volume > 0
    # a bend to one side, then to the other, does not turn the section over
    zigzag = "0 0 0, 1 9 0, -1 18 0, 1 27 0"
    mesh = geometry(f"Extrusion {{ spine [ {zigzag} ] }}")
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(4 * 27, rel=0.05)


def test_closed_spines_and_sections():
    angles = np.linspace(0, 2 * math.pi, 33)
    ring = ", ".join(
        f"{5 * math.cos(a):.9g} 0 {5 * math.sin(a):.9g}" for a in angles[:-1]
    )
    first = ring.split(", ")[0]
    mesh = geometry(
        f"Extrusion {{ spine [ {ring}, {first} ] beginCap FALSE endCap FALSE }}"
    )
    assert mesh.is_watertight
    assert abs(mesh.volume) == pytest.approx(4 * 10 * math.pi, rel=0.02)


def test_scales_and_turns():
    mesh = geometry("Extrusion { scale [ 1 1, 0.5 2 ] }")
    assert box_of(mesh) == ([-1, 0, -2], [1, 1, 2])
    mesh = geometry("Extrusion { orientation [ 0 1 0 0.785398163 ] }")
    assert box_of(mesh)[1][0] == pytest.approx(math.sqrt(2))
    is_closed(mesh, 4)


def test_concave_sections():
    section = "0 0, 0 4, 1 1, 4 0, 0 0"
    is_closed(geometry(f"Extrusion {{ convex FALSE crossSection [ {section} ] }}"), 4)


def test_lines_are_no_surface():
    assert len(geometry("Extrusion { spine [ 0 0 0 ] }").faces) == 0
    assert len(geometry("Extrusion { crossSection [ 0 0 ] }").faces) == 0
    assert len(geometry("Extrusion { crossSection [ 0 0, 1 0 ] }").faces) == 2


# --- materials


def test_material():
    look = "Material { diffuseColor 1 0 0 ambientIntensity 0.5 transparency 0.25 }"
    mesh = read(
        f"Shape {{ appearance Appearance {{ material {look} }} geometry Box {{ }} }}"
    )
    (material,) = mesh.materials
    assert material.diffuse == RED
    assert material.ambient == (0.5, 0, 0)
    assert material.transparency == 0.25


def test_defaults():
    (material,) = read(
        "Shape { appearance Appearance { material Material { } } geometry Box { } }"
    ).materials
    assert material.diffuse == pytest.approx((0.8, 0.8, 0.8))
    assert material.ambient == pytest.approx((0.16, 0.16, 0.16))
    for unlit in ("", "appearance NULL", "appearance Appearance { }"):
        (material,) = read(f"Shape {{ {unlit} geometry Box {{ }} }}").materials
        assert material.diffuse == (1, 1, 1)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("", [RED, GREEN]),
        ("colorIndex [ 1 0 0 -1 0 0 0 -1 ]", [GREEN, RED]),
        ("colorPerVertex FALSE", [RED, GREEN]),
        ("colorPerVertex FALSE colorIndex [ 1, 1 ]", [GREEN, GREEN]),
    ],
)
def test_colours_of_faces(fields, expected):
    mesh = geometry(
        f"IndexedFaceSet {{ {COORD} coordIndex [ 0 1 2 -1 1 3 2 -1 ] {fields}"
        " color Color { color [ 1 0 0, 0 1 0 ] } }"
    )
    assert colours(mesh) == expected


def test_colours_of_grids():
    grid = "ElevationGrid { xDimension 3 zDimension 2 height [ 0 0 0 0 0 0 ]"
    mesh = geometry(
        f"{grid} colorPerVertex FALSE color Color {{ color [ 1 0 0, 0 1 0 ] }} }}"
    )
    assert colours(mesh) == [RED, RED, GREEN, GREEN]


# --- prototypes

WHEEL = (
    "PROTO Wheel [ field SFFloat size 1 exposedField SFColor paint 1 0 0"
    " eventIn SFBool stop field MFNode extra [ ] ] {"
    " Group { children [ Shape { geometry Box { size 1 1 1 }"
    " appearance Appearance { material DEF M Material { diffuseColor IS paint } } }"
    " Transform { scale 2 2 2 children IS extra }"
    " Script { field SFBool on FALSE eventIn SFBool stop IS stop } ] }"
    " Sphere { radius IS size } }"
)


def test_prototypes():
    mesh = read(
        f"{WHEEL} Wheel {{ }} Transform {{ translation 5 0 0 children [ Wheel {{"
        f" paint 0 1 0 extra [ {SHAPE} ] }} ] }}"
    )
    assert colours(mesh) == [RED] * 12 + [GREEN] * 12 + [(1, 1, 1)]
    assert box_of(mesh)[1] == [7, 2, 0.5]


def test_prototypes_stand_for_any_node():
    mesh = read(
        "PROTO Paint [ field SFColor c 0 0 0 ] { Material { diffuseColor IS c } }"
        " PROTO Look [ field SFColor c 0 1 0 ]"
        " { Appearance { material Paint { c IS c } } }"
        " Shape { appearance Look { } geometry Box { } }"
        " Shape { appearance Look { c 1 0 0 } geometry Box { } }"
    )
    assert colours(mesh) == [GREEN] * 12 + [RED] * 12


def test_prototypes_have_names_of_their_own():
    mesh = read(
        f"DEF A {SHAPE} PROTO P [ ]"
        " { Group { children [ DEF A Group { } USE A ] } }"
        " P { } DEF B P { } USE A USE B"
    )
    assert len(mesh.faces) == 2
    fails(
        f"DEF A {SHAPE} PROTO P [ ] {{ Group {{ children USE A }} }} P {{ }}",
        "USE of 'A'",
    )


def test_prototypes_in_prototypes():
    mesh = read(
        "PROTO Outer [ ] { PROTO Inner [ field SFFloat r 2 ]"
        " { Shape { geometry Sphere { radius IS r } } } Group { children Inner { } } }"
        " Outer { } Outer { }"
    )
    assert box_of(mesh) == ([-2] * 3, [2] * 3)
    given = source(
        "PROTO Outer [ ] { PROTO Inner [ ] { Group { } } Inner { } }"
        " Outer { } Inner { }"
    )
    VRML.read(given)
    assert "'Inner' is not known" in given.problems[0].message


def test_prototypes_of_other_files_are_reported():
    given = source(
        'EXTERNPROTO Far [ field SFFloat size eventOut SFBool x ] [ "far.wrl#Far" ]'
        f" Far {{ size 5 }} {SHAPE}"
    )
    assert len(VRML.read(given).faces) == 1
    (problem,) = given.problems
    assert "prototype 'Far' of another file" in problem.message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("PROTO P [ ] { P { } } P { }", "'P' contains itself"),
        ("PROTO P [ ] { } P { }", "'P' has no node"),
        ("PROTO P [ field Foo a 1 ] { Group { } }", "'Foo' is no field type"),
        ("PROTO P [ thing SFBool a ] { Group { } }", "expected field, exposedField"),
        (
            "PROTO P [ field SFFloat size 1 ] { Sphere { radius IS sise } } P { }",
            "no field 'sise', did you mean 'size'",
        ),
        (
            "PROTO P [ field SFVec3f size 1 1 1 ] { Sphere { radius IS size } } P { }",
            "radius is SFFloat, but the prototype's size is SFVec3f",
        ),
        ("PROTO P [ ] { Group {", "the file ends in this node"),
        ("PROTO P [ field SFFloat a", "expected SFFloat"),
        ("ROUTE a.b TO", "expected a route"),
        ("Group { children [ Group { }", "this list is not closed"),
        ("Group { children [ 5 ] }", "behind the node type '5'"),
    ],
)
def test_wrong_files(body, message):
    assert fails(body, message).line is not None


def test_nodes_of_vrml_97_in_inventor_files():
    body = (
        "#Inventor V2.1 ascii\nVRMLTransform { translation 1 0 0 children"
        " VRMLShape { geometry VRMLBox { size 1 2 3 } } } Cube { }"
    )
    mesh = VRML.read(MeshSource(body.encode()))
    assert box_of(mesh) == ([-1, -1, -1.5], [1.5, 1, 1.5])
