"""Each mesh format: the same solid, colours, oracle files, and what is refused.

The solid is an L-shaped block with a red concave front, which only a reader that cuts
polygons properly gets right, and blue sides.
"""

from __future__ import annotations

import base64
import json
import struct

import numpy as np
import pytest

from pyrave.errors import Error, SceneError
from pyrave.formats import MeshSource
from pyrave.formats.meshes.loader import pick_mesh_format, read_mesh
from pyrave_collada.reading.mesh import ColladaMeshFormat
from pyrave_meshes.hooks import pyrave_mesh_formats

FORMATS = (*pyrave_mesh_formats(), ColladaMeshFormat())
ELL = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)]
POINTS = [(x, y, z) for z in (0.0, 0.5) for x, y in ELL]
FRONT = [list(range(5, -1, -1)), list(range(6, 12))]
SIDES = [[k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6] for k in range(6)]
POLYGONS = FRONT + SIDES
RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
VOLUME = 4 * 0.5


def triangles_of(polygons):
    """Cut by hand: two rectangles for the front, two triangles for each side."""
    cut = {6: [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)], 4: [(0, 1, 2), (0, 2, 3)]}
    # the fans of both fronts fold over nowhere if they start at the inner corner
    return [
        tuple(ring[i] for i in corner)
        for polygon in polygons
        for ring in [polygon if len(polygon) == 4 else turned(polygon)]
        for corner in cut[len(ring)]
    ]


def turned(polygon):
    """Return a front with its inner corner first."""
    k = next(i for i, corner in enumerate(polygon) if corner % 6 == 3)
    return polygon[k:] + polygon[:k]


def obj():
    lines = ["mtllib m.mtl", *("v {} {} {}".format(*p) for p in POINTS), "vt 0 0"]
    for name, faces in (("red", FRONT), ("blue", SIDES)):
        lines += [f"g {name}", f"usemtl {name}"]
        lines += ["f " + " ".join(f"{i + 1}/1" for i in face) for face in faces]
    return "\n".join(lines).encode()


MTL = b"newmtl red\nKd 1 0 0\nd 0.75\n\nnewmtl blue\nKd 0 0 1\nKa 0.5 0.5 0.5\n"


def off():
    lines = ["OFF # a comment", f"{len(POINTS)} {len(POLYGONS)} 0", ""]
    lines += ["{} {} {}".format(*p) for p in POINTS]
    for faces, colour in ((FRONT, "255 0 0"), (SIDES, "0 0 255")):
        lines += [f"{len(f)} {' '.join(map(str, f))} {colour}" for f in faces]
    return "\n".join(lines).encode()


def ply(kind):
    header = f"ply\nformat {kind} 1.0\ncomment a test\nelement vertex {len(POINTS)}\n"
    header += "property float x\nproperty float y\nproperty double z\n"
    header += "element edge 1\nproperty int vertex1\nproperty list uchar short more\n"
    header += (
        f"element face {len(POLYGONS)}\nproperty uchar red\nproperty uchar green\n"
    )
    header += (
        "property uchar blue\nproperty list uchar int vertex_indices\nend_header\n"
    )
    colours = [(255, 0, 0)] * 2 + [(0, 0, 255)] * 6
    if kind == "ascii":
        lines = ["{} {} {}".format(*p) for p in POINTS] + ["7 2 1 2"]
        lines += [
            " ".join(map(str, (*colour, len(face), *face)))
            for colour, face in zip(colours, POLYGONS, strict=True)
        ]
        return header.encode() + "\n".join(lines).encode()
    order = "<" if "little" in kind else ">"
    body = b"".join(struct.pack(order + "ffd", *p) for p in POINTS)
    body += struct.pack(order + "iBhh", 7, 2, 1, 2)
    for colour, face in zip(colours, POLYGONS, strict=True):
        body += struct.pack(order + f"4B{len(face)}i", *colour, len(face), *face)
    return header.encode() + body


def ac3d():
    lines = [
        "AC3Db",
        'MATERIAL "not used" rgb 1 1 1 amb 0 0 0 emis 0 0 0 spec 0 0 0 shi 0 trans 0',
        'MATERIAL "" rgb 1 0 0 amb 0.1 0.1 0.1 emis 0 0 0 spec 0 0 0 shi 0 trans 0.25',
        "MATERIAL blue rgb 0 0 1 amb 0.2 0.2 0.2 emis 0 0 0 spec 0 0 0 shi 0 trans 0",
        "OBJECT world",
        "kids 1",
        "OBJECT group",
        'name "a group"',
        "data 11",
        "two\nletters",
        # a quarter turn about z, as rows that points are multiplied with
        "rot 0 1 0 -1 0 0 0 0 1",
        "loc 1 2 3",
        "kids 1",
        "OBJECT poly",
        "crease 45.0",
        "loc -2 1 -3",
        f"numvert {len(POINTS)}",
        # turned back by a quarter: the group puts them where they belong
        *(f"{y} {-x} {z}" for x, y, z in POINTS),
        f"numsurf {len(POLYGONS) + 1}",
    ]
    for material, faces in ((1, FRONT), (2, SIDES)):
        for face in faces:
            lines += ["SURF 0x20", f"mat {material}", f"refs {len(face)}"]
            lines += [f"{corner} 0 0" for corner in face]
    lines += ["SURF 0x2", "mat 0", "refs 2", "0 0 0", "1 0 0", "kids 0"]
    return "\n".join(lines).encode()


def chunk(kind, *parts):
    content = b"".join(parts)
    return struct.pack("<HI", kind, 6 + len(content)) + content


def tds():
    triangles = triangles_of(POLYGONS)
    n_front = len(triangles_of(FRONT))

    def material(name, colour):
        return chunk(
            0xAFFF,
            chunk(0xA000, name + b"\0"),
            chunk(0xA020, chunk(0x0011, bytes(int(255 * v) for v in colour))),
            chunk(0xA050, chunk(0x0030, struct.pack("<h", 25))),
        )

    def group(name, first, end):
        faces = struct.pack(f"<{end - first}H", *range(first, end))
        return chunk(0x4130, name + b"\0", struct.pack("<H", end - first), faces)

    points = struct.pack("<H", len(POINTS))
    points += b"".join(struct.pack("<3f", *p) for p in np.array(POINTS) / 2)
    faces = struct.pack("<H", len(triangles))
    faces += b"".join(struct.pack("<4H", *t, 7) for t in triangles)
    mesh = chunk(
        0x4100,
        chunk(0x4110, points),
        chunk(
            0x4120,
            faces,
            group(b"red", 0, n_front),
            group(b"blue", n_front, len(triangles)),
            chunk(0x4150, b"\0" * 4 * len(triangles)),
        ),
        chunk(0x4160, struct.pack("<12f", *range(12))),
    )
    editor = chunk(
        0x3D3D,
        chunk(0x0100, struct.pack("<f", 2.0)),
        material(b"red", RED),
        material(b"blue", BLUE),
        chunk(0x4000, b"block\0", mesh),
        chunk(0x4000, b"lamp\0", chunk(0x4600, b"\0" * 12)),
    )
    return chunk(0x4D4D, chunk(0x0002, b"\3\0\0\0"), editor, chunk(0xB000))


def collada(namespace="http://www.collada.org/2005/11/COLLADASchema"):
    def effect(name, colour):
        text = " ".join(map(str, (*colour, 1)))
        return (
            f'<effect id="e{name}"><profile_COMMON><technique sid="c"><phong>'
            f"<ambient><color>0.1 0.1 0.1 1</color></ambient>"
            f"<diffuse><color>{text}</color></diffuse>"
            '<transparent opaque="A_ONE"><color>1 1 1 1</color></transparent>'
            "<transparency><float>0.75</float></transparency>"
            "</phong></technique></profile_COMMON></effect>"
        )

    def polylist(name, faces):
        counts = " ".join(str(len(face)) for face in faces)
        corners = " ".join(f"{i} 0" for face in faces for i in face)
        return (
            f'<polylist count="{len(faces)}" material="s{name}">'
            '<input semantic="VERTEX" source="#v" offset="0"/>'
            '<input semantic="NORMAL" source="#n" offset="1"/>'
            f"<vcount>{counts}</vcount><p>{corners}</p></polylist>"
        )

    # inches, turned and moved back again by the nodes
    inches = " ".join(
        f"{y / 0.0254} {-x / 0.0254} {z / 0.0254} 9" for x, y, z in POINTS
    )
    bind = "".join(
        f'<instance_material symbol="s{name}" target="#m{name}"/>'
        for name in ("red", "blue")
    )
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="{namespace}" version="1.4.1">
<asset><unit name="inch" meter="0.0254"/><up_axis>Y_UP</up_axis></asset>
<library_effects>{effect("red", RED)}{effect("blue", BLUE)}</library_effects>
<library_materials>
  <material id="mred"><instance_effect url="#ered"/></material>
  <material id="mblue"><instance_effect url="#eblue"/></material>
</library_materials>
<library_geometries><geometry id="g"><mesh>
  <source id="p"><float_array id="pa" count="48">{inches}</float_array>
    <technique_common><accessor source="#pa" count="12" stride="4"/></technique_common>
  </source>
  <source id="n"><float_array id="na" count="3">0 0 1</float_array></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  {polylist("red", FRONT)}{polylist("blue", SIDES)}
</mesh></geometry></library_geometries>
<library_nodes><node id="part"><rotate>0 0 2 90</rotate>
  <instance_geometry url="#g"><bind_material><technique_common>{bind}
  </technique_common></bind_material></instance_geometry></node></library_nodes>
<library_visual_scenes><visual_scene id="s"><node><translate>1 2 3</translate>
  <node><matrix>1 0 0 -1 0 1 0 -2 0 0 1 -3 0 0 0 1</matrix><scale>1 1 1</scale>
  <instance_node url="#part"/></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene>
</COLLADA>""".encode()


def gltf_tree(offset=0):
    parts, views, accessors, primitives = [], [], [], []
    data = np.array(POINTS, "<f4").tobytes()
    views.append({"buffer": 0, "byteOffset": offset, "byteLength": len(data)})
    accessors.append(
        {"bufferView": 0, "componentType": 5126, "count": len(POINTS), "type": "VEC3"}
    )
    parts.append(data)
    for k, faces in enumerate((FRONT, SIDES), 1):
        corners = np.array(triangles_of(faces), "<u2").reshape(-1)
        start = offset + sum(map(len, parts))
        parts.append(corners.tobytes() + b"\0" * (-2 * len(corners) % 4))
        views.append({"buffer": 0, "byteOffset": start, "byteLength": 2 * len(corners)})
        accessors.append(
            {
                "bufferView": k,
                "componentType": 5123,
                "count": len(corners),
                "type": "SCALAR",
            }
        )
        primitives.append(
            {"attributes": {"POSITION": 0}, "indices": k, "material": k - 1}
        )
    tree = {
        "asset": {"version": "2.0"},
        "materials": [
            {
                "pbrMetallicRoughness": {
                    "baseColorFactor": [*colour, 0.75],
                    "baseColorTexture": {"index": 0},
                },
                "alphaMode": "BLEND",
            }
            for colour in (RED, BLUE)
        ],
        "images": [{"uri": "http://127.0.0.1:9/secret.png"}],
        "textures": [{"source": 0}],
        "bufferViews": views,
        "accessors": accessors,
        "meshes": [{"primitives": primitives}],
        "nodes": [
            {"children": [1], "translation": [1, 2, 3]},
            {"mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, -2, -3, 1]},
        ],
        "scenes": [{"nodes": [0]}],
        "scene": 0,
    }
    return tree, b"".join(parts)


def gltf():
    tree, data = gltf_tree()
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    tree["buffers"] = [{"uri": uri, "byteLength": len(data)}]
    return json.dumps(tree).encode()


def glb(change=None):
    tree, data = gltf_tree()
    tree["buffers"] = [{"byteLength": len(data)}]
    if change is not None:
        change(tree)
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    size = 12 + 8 + len(text) + 8 + len(data)
    head = struct.pack("<4sII", b"glTF", 2, size)
    head += struct.pack("<I4s", len(text), b"JSON") + text
    return head + struct.pack("<I4s", len(data), b"BIN\0") + data


def binary_stl(header=b"made by a test"):
    corners = np.array(POINTS)[np.array(triangles_of(POLYGONS))]
    facets = b"".join(struct.pack("<12fH", 0, 0, 0, *c.ravel(), 0) for c in corners)
    return header.ljust(80) + struct.pack("<I", len(corners)) + facets


def ascii_stl(indent="  "):
    lines = ["solid a block of vertex and facet"]
    for face in triangles_of(POLYGONS):
        lines += [f"{indent}facet normal nan 0 0", f"{indent}outer loop"]
        lines += [
            f"{indent}VERTEX {POINTS[i][0]} {POINTS[i][1]} {POINTS[i][2]}" for i in face
        ]
        lines += ["endloop", "endfacet"]
    return "\r\n".join([*lines, "endsolid"]).encode()


COLOURED = {
    "block.obj": (obj, 0.25),
    "block.off": (off, 0.0),
    "block.ply": (lambda: ply("ascii"), 0.0),
    "little.ply": (lambda: ply("binary_little_endian"), 0.0),
    "big.ply": (lambda: ply("binary_big_endian"), 0.0),
    "block.ac": (ac3d, 0.25),
    "block.3ds": (tds, 0.25),
    "block.dae": (collada, 0.25),
    "new.dae": (lambda: collada("http://www.collada.org/2008/03/COLLADASchema"), 0.25),
    "block.glb": (glb, 0.25),
    "block.gltf": (gltf, 0.25),
}
PLAIN = {
    "binary.stl": binary_stl,
    "solid.stl": lambda: binary_stl(b"solid, or so it says"),
    "ascii.stl": ascii_stl,
}


def load(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    (folder / "m.mtl").write_bytes(MTL)
    source = MeshSource.open(str(path))
    return read_mesh(source, FORMATS), source.problems


def assert_is_block(mesh):
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(VOLUME, rel=1e-6)
    assert mesh.area == pytest.approx(2 * 4 + 10 * 0.5, rel=1e-6)
    np.testing.assert_allclose(mesh.aabb, ((1, 1.5, 0.25), (1, 1.5, 0.25)), atol=1e-6)
    found = np.unique(np.round(mesh.welded().vertices, 6), axis=0)
    np.testing.assert_allclose(found, np.unique(POINTS, axis=0), atol=1e-6)


@pytest.mark.parametrize("name", [*COLOURED, *PLAIN])
def test_every_format_gives_the_same_solid(tmp_path, name):
    if name.endswith((".glb", ".gltf")):
        pytest.importorskip("trimesh")
    data = COLOURED[name][0]() if name in COLOURED else PLAIN[name]()
    mesh, problems = load(tmp_path, name, data)
    assert_is_block(mesh)
    # the network is not asked for the image
    assert len(problems) == name.endswith((".glb", ".gltf"))
    assert all("reads no http: resources" in one.message for one in problems)


@pytest.mark.parametrize("name", COLOURED)
def test_every_format_with_colours_keeps_them(tmp_path, name):
    if name.endswith((".glb", ".gltf")):
        pytest.importorskip("trimesh")
    make, transparency = COLOURED[name]
    mesh, _ = load(tmp_path, name, make())
    assert mesh.material.diffuse == RED
    # the reader of OBJ has an opaque blue
    assert mesh.material.transparency == pytest.approx(transparency, abs=2e-3)
    groups = {group.material.diffuse: group for group in mesh.by_material()}
    assert set(groups) == {RED, BLUE}
    assert groups[RED].area == pytest.approx(8, rel=1e-6)
    assert groups[BLUE].area == pytest.approx(5, rel=1e-6)


@pytest.mark.parametrize("name", [*COLOURED, "ascii.stl"])
def test_content_decides_not_the_suffix(tmp_path, name):
    if name.endswith((".glb", ".gltf")):
        pytest.importorskip("trimesh")
    if name.endswith(".obj"):
        pytest.skip("OBJ has no mark")
    data = COLOURED[name][0]() if name in COLOURED else PLAIN[name]()
    mesh, _ = load(tmp_path, "wrong.stl", data)
    assert_is_block(mesh)


@pytest.mark.parametrize("mesh_format", FORMATS, ids=lambda one: one.name)
def test_formats_know_only_their_own_files(mesh_format):
    for name in [*COLOURED, *PLAIN]:
        data = COLOURED[name][0]() if name in COLOURED else PLAIN[name]()
        own = name.endswith(tuple(mesh_format.suffixes))
        assert mesh_format.sniff(data[:4096]) <= own


# -- oracle: files that trimesh writes ------------------------------------------------


@pytest.mark.parametrize("kind", ["stl", "stl_ascii", "obj", "ply", "off", "glb"])
def test_files_of_trimesh_are_read_as_trimesh_reads_them(tmp_path, kind):
    trimesh = pytest.importorskip("trimesh")
    shape = trimesh.creation.icosphere(subdivisions=2, radius=0.7)
    data = shape.export(file_type=kind)
    data = data.encode() if isinstance(data, str) else data
    mesh, _ = load(tmp_path, "a." + kind.partition("_")[0], data)
    np.testing.assert_allclose(mesh.triangles(), shape.triangles, atol=1e-6)
    assert mesh.is_watertight


# -- details --------------------------------------------------------------------------

TRIANGLE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"


def test_obj_counts_back_from_the_line_and_joins_continued_lines(tmp_path):
    text = TRIANGLE + b"f -3 -2 -1\nv 0 0 1\n  f -4//1 \\\n  -3//1 -1//2 # a face\n"
    mesh, _ = load(tmp_path, "a.obj", text)
    assert mesh.faces.tolist() == [[0, 1, 2], [0, 1, 3]]


def test_obj_takes_colours_of_vertices(tmp_path):
    text = b"v 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 0 1 0 1 0 0\nf 1 2 3\n"
    assert load(tmp_path, "a.obj", text)[0].material.diffuse == RED


def test_obj_tells_of_materials_that_are_not_there(tmp_path):
    text = b"mtllib none.mtl\n" + TRIANGLE + b"usemtl wire #1\nf 1 2 3\n"
    mesh, problems = load(tmp_path, "a.obj", text)
    assert mesh.material.diffuse is None
    (problem,) = problems
    assert (problem.line, problem.code) == (1, "mesh-detail")
    assert "none.mtl" in problem.message
    text = text.replace(b"none", b"m")
    _, (problem,) = load(tmp_path, "a.obj", text)
    assert "no material file has 'wire #1'" in problem.message


def test_material_files_lie_beside_the_mesh_or_below(tmp_path):
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "m.mtl").write_bytes(MTL)
    text = b"mtllib ../m.mtl\nusemtl red\n" + TRIANGLE + b"f 1 2 3\n"
    mesh, (problem,) = load(folder, "a.obj", text)
    assert mesh.material.diffuse is None
    assert "outside" in problem.message


def test_stl_headers_of_cad_programs_place_and_colour_the_part(tmp_path):
    head = b"# <CURRENT_LOCATION> 1 2 3 0 0 90\n# <COLOR_INFORMATION> 1 0 0\n"
    mesh, problems = load(tmp_path, "a.stl", head + ascii_stl())
    assert problems == []
    assert mesh.material.diffuse == RED
    # moved back from where it stands: first the place, then the turn
    x, y, z = np.array(POINTS).T - [[1], [2], [3]]
    expected = np.unique(np.round(np.stack((y, -x, z), axis=1), 9), axis=0)
    found = np.unique(np.round(mesh.vertices, 9), axis=0)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    plain, _ = load(tmp_path, "b.stl", b"# a CAD program\n" + ascii_stl())
    assert plain.material.diffuse == (0.8, 0.8, 0.8)
    _, (problem,) = load(
        tmp_path, "c.stl", b"# <COLOR_INFORMATION> 1 x\n" + ascii_stl()
    )
    assert problem.line == 1


def test_stl_headers_of_magics_colour_the_part(tmp_path):
    mesh, _ = load(tmp_path, "a.stl", binary_stl(b"COLOR=\xff\x00\x00\xff"))
    assert mesh.material.diffuse == RED


def test_off_takes_colours_of_vertices_and_counts_after_the_mark(tmp_path):
    red = b" 255 0 0 255\n"
    text = red.join((b"COFF 3 1 0\n0 0 0", b"1 0 0", b"0 1 0", b"3 0 1 2\n"))
    mesh, _ = load(tmp_path, "a.off", text)
    assert mesh.material.diffuse == RED


def test_ply_takes_colours_of_vertices(tmp_path):
    text = (
        b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        b"property float z\nproperty float red\nproperty float green\n"
        b"property float blue\nelement face 1\nproperty list uchar uint vertex_index\n"
        b"end_header\n0 0 0 1 0 0\n1 0 0 1 0 0\n0 1 0 1 0 0\n3 0 1 2\n"
    )
    assert load(tmp_path, "a.ply", text)[0].material.diffuse == RED


def test_scans_with_very_many_colours_get_their_mean(tmp_path):
    rng = np.random.default_rng(3)
    colours = rng.uniform(size=(500, 3))
    lines = [f"v 0 0 {k} {r} {g} {b}" for k, (r, g, b) in enumerate(colours)]
    lines += [f"f {k + 1} {k + 2} {k + 3}" for k in range(498)]
    mesh, _ = load(tmp_path, "a.obj", "\n".join(lines).encode())
    assert len(mesh.materials) == 1
    assert mesh.material.diffuse == pytest.approx((0.5, 0.5, 0.5), abs=0.05)


def test_ac3d_cuts_strips(tmp_path):
    text = b"AC3Db\nOBJECT poly\nnumvert 4\n0 0 0\n1 0 0\n0 1 0\n1 1 0\nnumsurf 1\n"
    text += b"SURF 0x4\nrefs 4\n0 0 0\n1 0 0\n2 0 0\n3 0 0\nkids 0\n"
    mesh, _ = load(tmp_path, "a.ac", text)
    assert mesh.faces.tolist() == [[0, 1, 2], [3, 2, 1]]
    assert mesh.materials == ()


def test_collada_without_a_scene_has_its_geometries(tmp_path):
    data = collada().replace(b"<scene>", b"<extra>").replace(b"</scene>", b"</extra>")
    assert_is_block(load(tmp_path, "a.dae", data)[0])
    start, end = data.find(b"<library_visual"), data.find(b"<extra>")
    mesh, _ = load(tmp_path, "a.dae", data[:start] + data[end:])
    assert mesh.volume == pytest.approx(VOLUME)


def test_collada_reads_strips_fans_polygons_and_skins(tmp_path):
    start = collada().find(b"<polylist")
    end = collada().rfind(b"</polylist>") + len(b"</polylist>")
    forms = (
        b"<%s><input semantic='VERTEX' source='#v' offset='0'/>"
        b"<p>0 1 2 3</p><p>4 5 6</p></%s>"
    )
    for tag, count in ((b"tristrips", 3), (b"trifans", 3), (b"polygons", 3)):
        data = collada()[:start] + forms % (tag, tag) + collada()[end:]
        data = data.replace(
            b"</library_nodes>",
            b"</library_nodes><library_controllers><controller id='c'>"
            b"<skin source='#g'>"
            b"<bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>"
            b"</skin></controller></library_controllers>",
        )
        for instance in (
            b"instance_geometry url='#g'",
            b"instance_controller url='#c'",
        ):
            place = b"<node><" + instance + b"/></node></visual_scene>"
            mesh, _ = load(tmp_path, "a.dae", data.replace(b"</visual_scene>", place))
            assert len(mesh.faces) == 2 * count


def test_gltf_reads_buffers_beside_it_and_nowhere_else(tmp_path):
    pytest.importorskip("trimesh")
    tree, data = gltf_tree()
    tree["buffers"] = [{"uri": "block.bin", "byteLength": len(data)}]
    (tmp_path / "block.bin").write_bytes(data)
    mesh, _ = load(tmp_path, "a.gltf", json.dumps(tree).encode())
    assert_is_block(mesh)
    for uri in ("../block.bin", "http://127.0.0.1:9/block.bin", "none.bin"):
        tree["buffers"][0]["uri"] = uri
        with pytest.raises(Error):
            load(tmp_path, "a.gltf", json.dumps(tree).encode())


def test_a_missing_library_is_named_with_its_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "trimesh", None)
    with pytest.raises(SceneError, match="read by trimesh") as caught:
        load(tmp_path, "a.glb", glb())
    assert caught.value.hint == "pip install 'pyrave[meshes]'"
    assert caught.value.first.code == "missing-library"


@pytest.mark.parametrize("raised", [IndexError, SystemExit])
def test_a_reader_that_fails_anyhow_is_an_error_with_the_file(raised):
    class Broken:
        name = "broken"
        suffixes = (".x",)

        def sniff(self, head):
            return True

        def read(self, source):
            raise raised("no")

    message = f"the broken reader failed: {raised.__name__}"
    with pytest.raises(SceneError, match=message):
        read_mesh(MeshSource(b"", "a.x"), [Broken()])
    assert pick_mesh_format(MeshSource(b""), [Broken()]).name == "broken"
