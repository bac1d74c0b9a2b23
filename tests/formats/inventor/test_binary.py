"""The binary encoding of Inventor: equal to the text, and safe on damaged files."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrave.errors import SceneError
from pyrave.formats import MeshSource
from pyrave_inventor.formats import INVENTOR
from pyrave_inventor.traversal import read_nodes
from pyrave_inventor.tree import Budget

HEADERS = {21: b"#Inventor V2.1 binary  \n", 20: b"#Inventor V2.0 binary  \n"}
GROUPS = {"Separator", "Group", "Switch", "TransformSeparator"}


# --- a writer: nodes are (type, fields, children), fields are {name: (type, value)}


def text(value):
    data = value.encode()
    return struct.pack(">i", len(data)) + data + b"\0" * (-len(data) % 4)


def floats(values):
    return np.asarray(values, ">f4").tobytes()


def binary_value(kind, value, version):
    if kind in {"SFFloat", "SFVec3f", "SFRotation", "SFMatrix", "SFColor"}:
        return floats(value)
    if kind in {"MFVec3f", "MFColor", "MFFloat"}:
        return struct.pack(">i", len(value)) + floats(value)
    if kind == "SFInt32":
        return struct.pack(">i", value)
    if kind == "SFBool":
        return struct.pack(">i", bool(value))
    if kind == "MFInt32":
        return struct.pack(">i", len(value)) + np.asarray(value, ">i4").tobytes()
    if kind in {"SFString", "SFEnum", "SFName"}:
        return text(value)
    if kind == "MFString":
        return struct.pack(">i", len(value)) + b"".join(map(text, value))
    if kind == "SFBitMask":
        return b"".join(map(text, value)) + text("")
    assert kind == "SFNode"
    return text("NULL") if value is None else binary_node(value, version)


def binary_node(node, version=21):
    if isinstance(node, str):
        return text("USE") + text(node)
    if node[0] == "DEF":
        return text("DEF") + text(node[1]) + binary_node(node[2], version)
    name, fields, children = node
    out = text(name)
    if version == 21:
        out += struct.pack(">i", 2 if name in GROUPS else 0)
    if version == 21 or name != "Group":
        out += struct.pack(">i", len(fields))
    for field, (kind, value) in fields.items():
        out += text(field) + binary_value(kind, value, version) + struct.pack(">i", 0)
    if name in GROUPS:
        out += struct.pack(">i", len(children))
        out += b"".join(binary_node(child, version) for child in children)
    return out


def binary(*nodes, version=21):
    return HEADERS[version] + b"".join(binary_node(node, version) for node in nodes)


def words(values):
    return " ".join(repr(float(np.float32(v))) for v in np.ravel(values))


def text_value(kind, value):
    if kind in {"MFVec3f", "MFColor", "MFFloat"}:
        return f"[ {words(value)} ]"
    if kind == "MFInt32":
        return "[ " + ", ".join(map(str, value)) + " ]"
    if kind == "SFInt32":
        return str(value)
    if kind == "SFBool":
        return "TRUE" if value else "FALSE"
    if kind in {"SFString", "SFName"}:
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if kind == "SFEnum":
        return value
    if kind == "MFString":
        return "[ " + ", ".join(f'"{one}"' for one in value) + " ]"
    if kind == "SFBitMask":
        return "( " + " | ".join(value) + " )"
    if kind == "SFNode":
        return "NULL" if value is None else ascii_node(value)
    return words(value)


def ascii_node(node):
    if isinstance(node, str):
        return f"USE {node}"
    if node[0] == "DEF":
        return f"DEF {node[1]} {ascii_node(node[2])}"
    name, fields, children = node
    inner = [f"{key} {text_value(*value)}" for key, value in fields.items()]
    return f"{name} {{\n" + "\n".join([*inner, *map(ascii_node, children)]) + "\n}"


def ascii_file(*nodes):
    lines = "\n".join(map(ascii_node, nodes))
    return f"#Inventor V2.1 ascii\n{lines}".encode()


# --- scenes

SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
SCENE = (
    "Separator",
    {"renderCaching": ("SFEnum", "AUTO")},
    [
        ("ShapeHints", {"vertexOrdering": ("SFEnum", "COUNTERCLOCKWISE")}, []),
        ("DEF", "red", ("Material", {"diffuseColor": ("MFColor", [(1, 0, 0)])}, [])),
        ("Info", {"string": ("SFString", "nine char")}, []),
        ("Texture2", {"filename": ("SFString", "a.png")}, []),
        ("Group", {}, [("Translation", {"translation": ("SFVec3f", (0, 0, 1))}, [])]),
        (
            "IndexedFaceSet",
            {
                "vertexProperty": (
                    "SFNode",
                    ("VertexProperty", {"vertex": ("MFVec3f", SQUARE)}, []),
                ),
                "coordIndex": ("MFInt32", [0, 1, 2, 3, -1]),
                "normalIndex": ("MFInt32", [-1]),
            },
            [],
        ),
        ("Cylinder", {"parts": ("SFBitMask", ["SIDES", "TOP"])}, []),
        ("Text2", {"string": ("MFString", ["a", "bcde"])}, []),
        "red",
    ],
)


def mesh_of(data):
    source = MeshSource(data, "a.iv")
    mesh = INVENTOR.read(source)
    assert source.problems == []
    return mesh


@pytest.mark.parametrize("version", [20, 21])
def test_both_encodings_are_equal(version):
    mesh = mesh_of(binary(SCENE, version=version))
    assert mesh.same_as(mesh_of(ascii_file(SCENE)))
    assert len(mesh.faces) == 2 + 58
    assert mesh.material.diffuse == (1, 0, 0)
    assert mesh.vertices[0].tolist() == [0, 0, 1]


def test_padding_at_the_end_is_no_node():
    assert len(mesh_of(binary(SCENE) + b"\0" * 8).faces) == 60
    with pytest.raises(SceneError, match="expected a node type"):
        mesh_of(binary(SCENE) + b"\0\0\0\0x")


numbers = st.floats(-100, 100, width=32)
points = st.lists(st.tuples(numbers, numbers, numbers), min_size=3, max_size=8)


@st.composite
def shapes(draw):
    corners = draw(points)
    index = st.integers(0, len(corners) - 1)
    face = st.lists(index, min_size=3, max_size=5).map(lambda face: [*face, -1])
    faces = [i for one in draw(st.lists(face, min_size=1, max_size=4)) for i in one]
    kind = draw(st.sampled_from(["IndexedFaceSet", "IndexedTriangleStripSet"]))
    held = ("VertexProperty", {"vertex": ("MFVec3f", corners)}, [])
    fields = {"vertexProperty": ("SFNode", held), "coordIndex": ("MFInt32", faces)}
    return (kind, fields, [])


leaves = st.one_of(
    shapes(),
    st.builds(
        lambda t, r: (
            "Transform",
            {"translation": ("SFVec3f", t), "rotation": ("SFRotation", r)},
            [],
        ),
        st.tuples(numbers, numbers, numbers),
        st.tuples(numbers, numbers, numbers, numbers),
    ),
    st.builds(
        lambda c: ("Material", {"diffuseColor": ("MFColor", c)}, []),
        st.lists(st.tuples(*[st.floats(0, 1, width=32)] * 3), max_size=3),
    ),
    st.builds(
        lambda v: ("MaterialBinding", {"value": ("SFEnum", v)}, []),
        st.sampled_from(["OVERALL", "PER_FACE", "PER_VERTEX_INDEXED"]),
    ),
    st.builds(
        lambda s: ("Label", {"label": ("SFName", s)}, []),
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9),
    ),
    st.builds(
        lambda r: ("Sphere", {"radius": ("SFFloat", r)}, []), st.floats(0, 9, width=32)
    ),
)
trees = st.recursive(
    leaves,
    lambda inner: st.builds(
        lambda name, children: (
            name,
            {"whichChild": ("SFInt32", len(children) - 1)} if name == "Switch" else {},
            children,
        ),
        st.sampled_from(sorted(GROUPS)),
        st.lists(inner, max_size=4),
    ),
    max_leaves=12,
)


@settings(max_examples=60)
@given(trees, st.sampled_from([20, 21]))
def test_any_tree_is_equal_in_both_encodings(tree, version):
    nodes = [
        ("DEF", "part", tree),
        ("Scale", {"scaleFactor": ("SFVec3f", (1, 2, 1))}, []),
        "part",
    ]
    text_mesh = mesh_of(ascii_file(*nodes))
    assert mesh_of(binary(*nodes, version=version)).same_as(text_mesh)


def test_unknown_nodes_that_describe_their_fields():
    fields = text("SFFloat") + text("speed") + text("SFNode") + text("part")
    node = (
        text("Novel")
        + struct.pack(">ii", 2, 0x4002)
        + fields
        + text("speed")
        + floats([5])
        + struct.pack(">i", 0)
        + text("part")
        + binary_node(("DEF", "ball", ("Sphere", {}, [])))
        + struct.pack(">i", 0)
        + struct.pack(">i", 1)
        + binary_node(("Cube", {}, []))
    )
    mesh = INVENTOR.read(MeshSource(HEADERS[21] + node + binary_node("ball")))
    assert mesh.aabb[1].tolist() == [1, 1, 1]
    assert len(mesh.faces) == 960


def test_connections_are_passed_over():
    engine = text("Clock") + struct.pack(">ii", 0, 0x4001) + text("SFBool") + text("on")
    engine += text("on") + struct.pack(">ii", 1, 0)
    node = text("Cube") + struct.pack(">ii", 0, 1) + text("width") + floats([4])
    node += struct.pack(">i", 2) + engine + text("out")
    assert mesh_of(HEADERS[21] + node).volume == pytest.approx(16)


def test_images():
    field = text("image") + struct.pack(">iii", 3, 1, 3) + b"x" * 12
    node = text("Texture2") + struct.pack(">ii", 0, 1) + field + struct.pack(">i", 0)
    cube = binary_node(("Cube", {}, []))
    assert len(mesh_of(HEADERS[21] + node + cube).faces) == 12
    # before 2.1 each pixel has four bytes
    node = text("Texture2") + struct.pack(">i", 1) + field + struct.pack(">i", 0)
    cube = binary_node(("Cube", {}, []), 20)
    assert len(mesh_of(HEADERS[20] + node + cube).faces) == 12


def test_normals_are_not_looked_at():
    normal = ("Normal", {"vector": ("MFVec3f", [(np.nan, 0, 0)])}, [])
    assert len(mesh_of(binary(normal, ("Cube", {}, []))).faces) == 12


# --- errors


def fails(data, message):
    with pytest.raises(SceneError, match=message) as caught:
        INVENTOR.read(MeshSource(data, "a.iv"))
    assert caught.value.file == "a.iv"
    assert "(byte " in str(caught.value)


def test_errors_name_the_byte():
    start = len(HEADERS[21])
    fails(binary(("Gadget", {}, [])), rf"'Gadget' is not known.*\(byte {start}\)")
    fails(binary(("Cube", {"widht": ("SFFloat", 1)}, [])), "did you mean 'width'")
    fails(binary("nobody"), "USE of 'nobody', which no DEF names")
    fails(binary(("DEF", "a", ("Group", {}, ["a"]))), "node 'a' contains itself")
    fails(binary(("Cube", {"width": ("SFFloat", np.nan)}, [])), "found nan")
    count = HEADERS[21] + text("Group") + struct.pack(">iii", 2, 0, 2**30)
    fails(count, "1073741824 items are announced, but 0 bytes follow")
    fails(HEADERS[21] + struct.pack(">i", -5), "-5 items are announced")
    field = text("point") + struct.pack(">i", 2**31 - 1)
    node = text("Coordinate3") + struct.pack(">ii", 0, 1) + field
    fails(HEADERS[21] + node, "2147483647 items are announced")
    image = text("image") + struct.pack(">iii", 2**30, 2**30, 4)
    node = text("Texture2") + struct.pack(">ii", 0, 1) + image
    fails(HEADERS[21] + node, "cut off")


def test_every_cut_and_every_flip_is_an_error_or_a_mesh():
    data = binary(SCENE)
    rng = np.random.default_rng(7)
    pieces = [data[:cut] for cut in range(len(data))]
    for at in range(len(HEADERS[21]), len(data)):
        flipped = bytearray(data)
        flipped[at] ^= int(rng.integers(1, 256))
        pieces.append(bytes(flipped))
    failed = 0
    for piece in pieces:
        try:
            INVENTOR.read(MeshSource(piece))
        except SceneError:
            failed += 1
    assert failed > len(data)


def test_deep_nesting_is_refused():
    node = ("Cube", {}, [])
    for _ in range(99):
        node = ("Group", {}, [node])
    assert len(mesh_of(binary(node)).faces) == 12
    with pytest.raises(SceneError, match="nested deeper than 100"):
        read_nodes(MeshSource(binary(("Group", {}, [node]))), Budget())
