"""Damaged and hostile mesh files: an error with its place, soon, in little memory."""

from __future__ import annotations

import importlib.util
import json
import struct
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrave.errors import SceneError
from pyrave.formats import MeshSource
from pyrave.formats.meshes.loader import read_mesh
from pyrave_collada.reading.mesh import ColladaMeshFormat
from pyrave_meshes.hooks import pyrave_mesh_formats


def _samples():
    """Return the module with the files of every format, which is no package."""
    path = Path(__file__).with_name("test_mesh_formats.py")
    spec = importlib.util.spec_from_file_location("mesh_samples", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["mesh_samples"] = module
    spec.loader.exec_module(module)
    return module


samples = _samples()
FORMATS = (*pyrave_mesh_formats(), ColladaMeshFormat())
HAS_TRIMESH = importlib.util.find_spec("trimesh") is not None
FILES = {
    name: make()
    for name, make in (
        *((name, one[0]) for name, one in samples.COLOURED.items()),
        *samples.PLAIN.items(),
    )
    if HAS_TRIMESH or not name.endswith((".glb", ".gltf"))
}

V3 = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"
OFF3 = b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n"
PLY = (
    b"ply\nformat %s 1.0\nelement vertex %s\nproperty float x\nproperty float y\n"
    b"property float z\nelement face 1\nproperty list %s int vertex_indices\n"
    b"end_header\n"
)
AC = b"AC3Db\nOBJECT poly\nnumvert 3\n0 0 0\n1 0 0\n0 1 0\nnumsurf 1\n"
SURF = b"SURF 0x0\nrefs 3\n0 0 0\n1 0 0\n2 0 0\nkids 0\n"


def read(name, data):
    return read_mesh(MeshSource(data, name), FORMATS)


def attempt(name, data):
    """Return the mesh, or None if it is refused as it should be."""
    try:
        mesh = read(name, data)
    except SceneError as error:
        return check_place(error, name)
    assert np.isfinite(mesh.vertices).all()
    return mesh


def check_place(error, name):
    assert error.file == name


@pytest.mark.parametrize(
    ("name", "data", "words", "line"),
    [
        # STL
        ("a.stl", b"solid\nfacet\nvertex 1 2\n", "1 vertices, expected 3", 2),
        ("a.stl", b"solid\nfacet\n" + 3 * b"vertex 1 2\n", "2 numbers", 3),
        ("a.stl", b"solid\nfacet\n" + 3 * b"vertex 1 2 x\n", "'x' is not a number", 3),
        ("a.stl", b"solid\nvertex 1 2 3\n", "in no facet", 2),
        ("a.stl", b"solid\nfacet\n" + 3 * b"vertex 1 2 nan\n", "facet 0 has", None),
        ("a.stl", b"\0" * 80 + b"\xff\xff\xff\xff", "4294967295 facets", None),
        ("a.stl", b"\0" * 84, "no triangles", None),
        ("a.stl", b"solid\n", "no triangles", None),
        # OBJ
        ("a.obj", V3 + b"f 1 2 4\n", "vertex 4 of 3", 4),
        ("a.obj", V3 + b"f 1 2 0\n", "vertex 0 of 3", 4),
        ("a.obj", V3 + b"f 1 2 -4\n", "vertex -4 of 3", 4),
        ("a.obj", V3 + b"f 1 2 99999999999999999999\n", "of 3", 4),
        ("a.obj", V3 + b"f 1 2 x/1\n", "'x' is not a whole number", 4),
        ("a.obj", V3 + b"\n\nf 1 2 1.5\n", "'1.5' is not a whole number", 6),
        ("a.obj", V3 + b"f 1 2 1_0\n", "'1_0' is not", 4),
        ("a.obj", b"v 0 0\n", "a vertex has 2 numbers, expected 3", 1),
        ("a.obj", b"v 0 0 1,5\n", "'1,5' is not a number", 1),
        ("a.obj", b"v 0 0 inf\nf 1 1 1\n", "vertex 0 of the mesh", None),
        ("a.obj", b"v 0 0 1e300\nf 1 1 1\n", "is the unit right", None),
        ("a.obj", V3 + b"f 1 2\n", "no triangles", None),
        # OFF
        ("a.off", b"OFF\n", "ends before its counts", None),
        ("a.off", b"OFF\n# c\n3 x 0\n", "'x' is not a number", 3),
        ("a.off", b"OFF\n3 -1 0\n", "not whole numbers", 2),
        ("a.off", b"OFF\n9999999999 1 0\n", "9999999999 vertices", 2),
        ("a.off", OFF3 + b"3 0 1 3\n", "vertex 3 of 3", 6),
        ("a.off", OFF3 + b"3 0 1 0.5\n", "vertex 0.5 of 3", 6),
        ("a.off", OFF3 + b"3 0 1\n", "3 corners, but has 2", 6),
        ("a.off", OFF3 + b"nan 0 1 2\n", "nan corners", 6),
        ("a.off", b"4OFF\n1 1 0\n", "kind '4OFF' is not read", 1),
        ("a.off", b"OFF BINARY\n", "is not read", 1),
        ("a.off", b"COFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "a colour after", 3),
        # PLY
        ("a.ply", b"ply\nformat ascii 1.0\n", "the header has no end", 1),
        ("a.ply", b"ply\nend_header\n", "does not say its format", 1),
        ("a.ply", b"ply\nformat ascii 1.0\nelement x\nend_header\n", "no line of a", 3),
        (
            "a.ply",
            b"ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\nend_header\n",
            "'real' is no type",
            4,
        ),
        ("a.ply", PLY % (b"ascii", b"3", b"float"), "count of a list", 8),
        ("a.ply", PLY % (b"ascii", b"3", b"uchar") + b"0 0 0\n", "3 of 'vertex'", 3),
        ("a.ply", PLY % (b"ascii", b"99999999999999999999", b"uchar"), "announced", 3),
        (
            "a.ply",
            PLY % (b"ascii", b"1", b"uchar") + b"0 0\n3 0 0 0\n",
            "'vertex' has 2 numbers",
            10,
        ),
        (
            "a.ply",
            PLY % (b"ascii", b"1", b"uchar") + b"0 0 0\n9 0 0 0\n",
            "'face' has 4 numbers",
            11,
        ),
        (
            "a.ply",
            PLY % (b"ascii", b"1", b"uchar") + b"0 0 0\n3 0 0 7\n",
            "vertex 7, but there are 1",
            None,
        ),
        (
            "a.ply",
            PLY % (b"ascii", b"1", b"uchar") + b"0 0 0\n3 0 0 0.5\n",
            "whole numbers",
            None,
        ),
        (
            "a.ply",
            PLY % (b"binary_big_endian", b"99999999999999999999", b"uchar"),
            "but the file has 0 more",
            None,
        ),
        (
            "a.ply",
            PLY % (b"binary_little_endian", b"1", b"int")
            + b"\0" * 12
            + struct.pack("<i", -1),
            "a list of -1 numbers",
            None,
        ),
        (
            "a.ply",
            PLY % (b"binary_little_endian", b"1", b"uint") + b"\0" * 12 + b"\xff" * 4,
            "a list of 4294967295 numbers",
            None,
        ),
        (
            "a.ply",
            b"ply\nformat ascii 1.0\nelement face 0\nend_header\n",
            "no vertices with x, y",
            1,
        ),
        # AC3D
        ("a.ac", b"AC3Db\nOBJEKT\n", "'OBJEKT' where OBJECT", 2),
        ("a.ac", b"AC3Db\nOBJECT poly\nnumvert 3\n", "3 vertices are announced", 3),
        ("a.ac", b"AC3Db\nOBJECT poly\nnumvert -3\n", "number of vertices", 3),
        ("a.ac", b"AC3Db\nOBJECT poly\nnumvert 1\n0 0\n", "a vertex needs 3", 4),
        ("a.ac", b"AC3Db\nOBJECT poly\nloc 0 0 inf\n", "a location needs 3 finite", 3),
        ("a.ac", b"AC3Db\nOBJECT poly\n", "ends before the end of an object", 2),
        ("a.ac", AC + b"SURF x\n", "starts with SURF", 8),
        ("a.ac", AC + SURF.replace(b"2 0 0", b"3 0 0"), "uses vertex 3 of 3", 8),
        ("a.ac", AC + SURF.replace(b"2 0 0", b"x 0 0"), "not a whole number", 12),
        (
            "a.ac",
            AC.replace(b"OBJ", b"MATERIAL a rgb 1 1 1\nOBJ")
            + SURF.replace(b"refs", b"mat 1\nrefs"),
            "material 1 of 1",
            9,
        ),
        ("a.ac", b"AC3Db\n" + b"OBJECT g\nkids 1\n" * 200, "nested over 100", 202),
        # 3DS
        ("a.3ds", b"MM\xff\xff\xff\xff==" + b"\0" * 9, "4294967295 bytes", None),
        ("a.3ds", b"XX" + struct.pack("<I", 6), "does not start with", None),
        # COLLADA
        ("a.dae", b"<COLLADA>\n<asset>", "not well-formed", 2),
        ("a.dae", b"<!DOCTYPE COLLADA []><COLLADA/>", "document type", 1),
        ("a.dae", b"<COLLADA/>", "no triangles", None),
        # glTF
        ("a.gltf", b'{"asset": {"version":', "not well-formed JSON", 1),
        ("a.gltf", b"[" * 100_000, "not readable as JSON", None),
        ("a.glb", b"glTF\x01\0\0\0" + b"\0" * 12, "version 1", None),
        ("a.glb", b"glTF\x02\0\0\0", "ends in its header", None),
    ],
)
def test_the_message_says_what_is_wrong_and_where(name, data, words, line):
    with pytest.raises(SceneError, match=words) as caught:
        read(name, data)
    assert (caught.value.file, caught.value.line) == (name, line)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b'meter="0.0254"', b'meter="x"', "the unit has 'x' metres"),
        (b'meter="0.0254"', b'meter="-1"', "'-1' metres"),
        (b'offset="1"', b'offset="100000"', "offset 100000"),
        (b'offset="1"', b'offset="4"', "not a multiple of 5"),
        (b'semantic="POSITION"', b'semantic="NORMAL"', "have no POSITION"),
        (b"<vcount>6", b"<vcount>7", "adds up to 13 corners"),
        (b"<vcount>6", b"<vcount>-6", "negative"),
        (
            b"<vcount>6",
            b"<vcount>" + b"4611686018427387904 " * 4 + b"6",
            "adds up to 184467440",
        ),
        (b"</p></polylist>", b"</p><p>5 0</p></polylist>", "but <p> has 13"),
        (b"<p>5 0", b"<p>99 0", "vertex 99, but there are 12"),
        (b"<p>5 0", b"<p>5.5 0", "is no whole number"),
        (b"<rotate>0 0 2 90", b"<rotate>0 0 90", "3 numbers, expected 4"),
        (b"<rotate>0 0 2 90", b"<rotate>0 0 2 nan", "not finite"),
        (b"<rotate>0 0 2 90</rotate>", b"<skew>1</skew>", "1 numbers, expected 7"),
        (b"<translate>1 2 3", b"<translate>1 2 1e40", "absurdly large"),
        (b'stride="4"', b'stride="0"', "stride 0"),
        (b'url="#g"', b'url="#part"', "no triangles"),
        (b'instance_geometry url="#g"', b'instance_node url="#part"', "mismatch"),
    ],
)
def test_collada_that_contradicts_itself(old, new, words):
    data = FILES["block.dae"]
    assert old in data
    with pytest.raises(SceneError, match=words) as caught:
        read("a.dae", data.replace(old, new))
    assert caught.value.file == "a.dae"


def test_collada_instances_do_not_multiply_without_bounds():
    nodes = "".join(
        f'<node id="n{k}">' + f'<instance_node url="#n{k + 1}"/>' * 2 + "</node>"
        for k in range(60)
    )
    data = FILES["block.dae"].replace(
        b"<library_nodes>", f'<library_nodes>{nodes}<node id="n60"/>'.encode()
    )
    data = data.replace(b'instance_node url="#part"', b'instance_node url="#n0"')
    with pytest.raises(SceneError, match="more than 200000 nodes"):
        read("a.dae", data)
    data = data.replace(b'url="#n30"', b'url="#n0"')
    with pytest.raises(SceneError, match="in a circle"):
        read("a.dae", data)


@pytest.mark.skipif(not HAS_TRIMESH, reason="needs trimesh")
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t["accessors"][0].pop("bufferView"), r"accessors\[0\] is sparse"),
        (lambda t: t["accessors"][0].update(count=10**12), r"accessors\[0\] has 10000"),
        (lambda t: t["accessors"][0].update(count=-1), "has -1"),
        (lambda t: t["accessors"][0].update(count=1.5), "has 1.5"),
        (lambda t: t["bufferViews"][0].update(byteLength=10**15), r"bufferViews\[0\]"),
        (lambda t: t["nodes"][1].update(children=[0]), "in a circle"),
        (lambda t: t["nodes"][0].update(children=[1, 1]), "more than one node"),
        (lambda t: t["nodes"][0].update(children=[7]), "has 7, not 0 to 1"),
        (lambda t: t["nodes"][1].update(mesh=3), "has 3, not 0 to 0"),
        (lambda t: t.update(extensionsRequired=["KHR_draco"]), "KHR_draco"),
        (lambda t: t.update(nodes=3), "no list of objects"),
        (lambda t: t["meshes"][0].update(primitives=[{}]), "without attributes"),
        (
            lambda t: t.update(
                nodes=[{"mesh": 0}] * 4_000_000, scenes=[{"nodes": [0]}]
            ),
            "more than 50000000 triangles",
        ),
        (lambda t: t["accessors"][0].update(componentType=1), "trimesh .* cannot read"),
    ],
)
def test_gltf_that_would_lead_the_library_astray(change, words):
    with pytest.raises(SceneError, match=words) as caught:
        read("a.glb", samples.glb(change))
    assert caught.value.file == "a.glb"


@pytest.mark.skipif(not HAS_TRIMESH, reason="needs trimesh")
def test_json_that_is_no_object():
    for text in (b'{"asset": 1, "version": 2, "nodes": [1]}', b'[{"asset"}]'):
        with pytest.raises(SceneError):
            read("a.gltf", text)
    with pytest.raises(SceneError, match="no object"):
        read("a.gltf", json.dumps([1]).encode())


@pytest.mark.parametrize("name", FILES)
def test_every_beginning_of_a_file_is_read_or_refused(name):
    data = FILES[name]
    step = max(len(data) // 150, 1)
    for end in range(0, len(data), step):
        attempt(name, data[:end])


@settings(max_examples=300)
@given(st.sampled_from(sorted(FILES)), st.data())
def test_changed_files_are_read_or_refused(name, data):
    content = bytearray(FILES[name])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        kind = data.draw(st.sampled_from(["byte", "number", "cut", "repeat"]))
        if kind == "byte":
            content[place] = data.draw(st.integers(0, 255))
        elif kind == "number":
            odd = [b"-1", b"1e400", b"nan", b"99999999999", b"\xff\xff\xff\x7f", b"\0"]
            content[place : place + 1] = data.draw(st.sampled_from(odd))
        elif kind == "cut":
            del content[place : place + data.draw(st.integers(1, 40))]
        else:
            end = place + data.draw(st.integers(1, 40))
            content[place:place] = content[place:end]
        if not content:
            break
    attempt(name, bytes(content))


@settings(max_examples=200)
@given(st.sampled_from(FORMATS), st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(mesh_format, data):
    for head in (b"", b"ply\nformat ascii 1.0\n", b"OFF\n", b"AC3Db\n", b"solid\n"):
        attempt("a" + mesh_format.suffixes[0], head + data)


@pytest.mark.parametrize("name", FILES)
def test_counts_are_checked_before_anything_is_allocated(name):
    """Each run of digits, and each four bytes of binary files, becomes huge."""
    data = FILES[name]
    is_text = name.endswith((".obj", ".off", "block.ply", ".ac", ".dae", ".gltf"))
    places = range(min(len(data) - 4, 400))
    if is_text:
        places = [k for k in range(len(data)) if data[k : k + 1].isdigit()][::7][:200]
    huge = b"4000000000" if is_text else b"\xff\xff\xff\xef"
    tracemalloc.start()
    start = time.process_time()
    for place in places:
        width = 1 if is_text else 4
        attempt(name, data[:place] + huge + data[place + width :])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64e6
    assert time.process_time() - start < 60


def test_too_many_lines_are_refused(monkeypatch):
    from pyrave_meshes import text

    monkeypatch.setattr(text, "_MAX_LINES", 10)
    with pytest.raises(SceneError, match="more than 10 lines") as caught:
        read("a.obj", V3 * 5)
    assert caught.value.first.code == "file-too-large"


def test_too_many_rows_of_different_lengths_are_refused(monkeypatch):
    from pyrave_meshes import ply

    monkeypatch.setattr(ply, "_MAX_WALKED", 5)
    with pytest.raises(SceneError, match="at most 5 are read"):
        read("a.ply", FILES["big.ply"])
