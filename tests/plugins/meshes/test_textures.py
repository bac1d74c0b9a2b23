"""Images on meshes: where they lie, which files hold them, and what hostile ones do."""

from __future__ import annotations

import base64
import json
import pickle
import struct
import zlib

import numpy as np
import pytest

import pyrave
from pyrave.formats import MeshSource, WriteContext
from pyrave.formats.meshes.loader import read_mesh
from pyrave.geometry import Mesh, check_texture, encode_png, texture_pixels
from pyrave.geometry import texture as decoding
from pyrave.plugins import default_registry
from pyrave.scene import Material, Texture
from pyrave.spatial import pose_from_rpy
from pyrave_meshes.obj import ObjFormat
from pyrave_meshes.ply import PlyFormat
from pyrave_meshes.stl import StlFormat

pytest.importorskip("PIL")

# four fields: red green above, blue white below
FIELDS = np.zeros((8, 8, 3), np.uint8)
FIELDS[:4, :4, 0] = FIELDS[:4, 4:, 1] = FIELDS[4:, :4, 2] = 255
FIELDS[4:, 4:] = 255
PNG = encode_png(FIELDS)

# a polygon with a notch in the plane y = 0, and a hexagon above it
CORNERS = [(0, 0), (4, 0), (4, 3), (2, 1), (0, 3)]
PLACES_OF_CORNERS = [(x / 5, z / 5) for x, z in CORNERS]
HEXAGON = [(5, 0), (6, 0), (7, 1), (6, 2), (5, 2), (4.5, 1)]
LIBRARY = "newmtl a\nKd 0.5 0.5 1\nmap_Kd {}\nnewmtl plain\nKd 1 0 0\n"


def read(tmp_path, name, data, **files):
    for one, content in files.items():
        (tmp_path / one.replace("_dot_", ".")).write_bytes(content)
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    source = MeshSource.open(str(path))
    return read_mesh(source, default_registry().mesh_formats()), source.problems


def obj(face="f {}\n", use="usemtl a\n", negative=False):
    """Polygons whose places in the image are a fifth of their x and z."""
    lines = ["mtllib a.mtl\n", use]
    for polygon in (CORNERS, HEXAGON):
        known = 0 if polygon is CORNERS else len(CORNERS)
        lines += [f"v {x} 0 {z}\n" for x, z in polygon]
        lines += [f"vt {x / 5} {z / 5} 0\n" for x, z in polygon]
        numbers = [
            k - len(polygon) if negative else known + k + 1 for k in range(len(polygon))
        ]
        lines.append(face.format(" ".join(f"{k}/{k}" for k in numbers)))
    return "".join(lines)


def assert_lies_by_position(mesh):
    """Every corner of every face has its place, however faces were cut."""
    assert mesh.is_textured
    places = mesh.triangles()[:, :, [0, 2]] / 5
    np.testing.assert_allclose(mesh.texture_coordinates, places, atol=1e-6)


@pytest.mark.parametrize("negative", [False, True])
def test_obj(tmp_path, negative):
    mesh, problems = read(
        tmp_path,
        "a.obj",
        obj(negative=negative),
        a_dot_mtl=LIBRARY.format("a.png").encode(),
        a_dot_png=PNG,
    )
    assert problems == []
    assert len(mesh.faces) == 3 + 4
    assert mesh.area == pytest.approx(4 * 3 - 2 * 2 + 3.5)
    assert_lies_by_position(mesh)
    (material,) = mesh.materials
    assert material.diffuse == (0.5, 0.5, 1)
    assert material.texture.name == str(tmp_path / "a.png")
    np.testing.assert_array_equal(texture_pixels(material.texture), FIELDS)


@pytest.mark.parametrize(
    "written",
    [
        "a.png",
        "./a.png",
        "-s 1 1 1 -o 0 0 a.png",
        "-clamp on -mm 0 1 -bm 0.5 a.png",
        "with blank.png",
    ],
)
def test_names_of_images_in_material_files(tmp_path, written):
    (tmp_path / "with blank.png").write_bytes(PNG)
    mesh, problems = read(
        tmp_path,
        "a.obj",
        obj(),
        a_dot_mtl=LIBRARY.format(written).encode(),
        a_dot_png=PNG,
    )
    assert problems == []
    assert mesh.is_textured


def test_corners_without_a_place(tmp_path):
    text = (
        "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.25 0.5\nvn 0 0 1\nusemtl a\n"
        "f 1/1/1 2//1 3\nf 1 2/1/1 3//\nusemtl plain\nf 1/ 2/1/ 3/1\n"
    )
    mesh, problems = read(
        tmp_path,
        "a.obj",
        text,
        a_dot_mtl=LIBRARY.format("a.png").encode(),
        a_dot_png=PNG,
    )
    assert problems == []
    laid = (mesh.texture_coordinates == (0.25, 0.5)).all(axis=2)
    expected = [[True, False, False], [False, True, False], [False, True, True]]
    assert laid.tolist() == expected
    assert not mesh.texture_coordinates[~laid].any()
    assert [one.texture is not None for one in mesh.materials] == [True, False]


def test_places_that_are_wrong_are_said(tmp_path):
    files = {"a_dot_mtl": LIBRARY.format("a.png").encode(), "a_dot_png": PNG}
    triangle = "mtllib a.mtl\nusemtl a\nv 0 0 0\nv 1 0 0\nv 0 1 0\n"
    mesh, problems = read(
        tmp_path, "a.obj", triangle + "vt 1 1\nf 1/1 2/7 3/1\n", **files
    )
    assert "beyond the 1 that there are" in problems[0].message
    assert mesh.texture_coordinates[0].tolist() == [[1, 1], [0, 0], [1, 1]]
    mesh, problems = read(
        tmp_path, "a.obj", triangle + "vt 1\nf 1/1 2/1 3/1\n", **files
    )
    assert "places in images lack numbers" in problems[0].message
    assert not mesh.is_textured
    mesh, problems = read(
        tmp_path, "a.obj", triangle + "vt nan 1e30\nf 1/1 2/1 3/1\n", **files
    )
    assert mesh.texture_coordinates.max() == 1e6
    # an image without places is no error: it cannot be shown
    mesh, problems = read(tmp_path, "a.obj", triangle + "f 1 2 3\n", **files)
    assert not mesh.is_textured
    assert problems == []


def glb(mesh, image, **material):
    """A GLB file of a mesh, as glTF counts: rows of the image from the top."""
    places = mesh.texture_coordinates.reshape(-1, 2) * (1, -1) + (0, 1)
    arrays = (
        mesh.triangles().reshape(-1, 3).astype("<f4"),
        places.astype("<f4"),
        np.arange(3 * len(mesh.faces), dtype="<u4"),
    )
    parts = [one.tobytes() for one in arrays]
    if isinstance(image, bytes):
        parts.append(image)
        image = {"bufferView": 3, "mimeType": "image/png"}
    begins = np.cumsum([0, *(len(part) + -len(part) % 4 for part in parts)]).tolist()
    binary = b"".join(part + bytes(-len(part) % 4) for part in parts)
    tree = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [
            {
                "primitives": [
                    {
                        "attributes": {"POSITION": 0, "TEXCOORD_0": 1},
                        "indices": 2,
                        "material": 0,
                    }
                ]
            }
        ],
        "materials": [
            {
                "name": "the same",
                "pbrMetallicRoughness": {
                    "baseColorTexture": {"index": 0, **material},
                    "baseColorFactor": [0.5, 0.5, 1, 1],
                },
            }
        ],
        "textures": [{"source": 0}],
        "images": [image],
        "accessors": [
            {
                "bufferView": k,
                "componentType": 5125 if k == 2 else 5126,
                "count": one.size if k == 2 else len(one),
                "type": kind,
            }
            for k, (one, kind) in enumerate(
                zip(arrays, ("VEC3", "VEC2", "SCALAR"), strict=True)
            )
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": begin, "byteLength": len(part)}
            for begin, part in zip(begins, parts, strict=False)
        ],
        "buffers": [{"byteLength": len(binary)}],
    }
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary))
    return b"".join(
        (
            head, struct.pack("<II", len(text), 0x4E4F534A), text,
            struct.pack("<II", len(binary), 0x004E4942), binary,
        )
    )  # fmt: skip


@pytest.fixture
def notched(tmp_path):
    mesh, _ = read(
        tmp_path,
        "notched.obj",
        obj(),
        a_dot_mtl=LIBRARY.format("a.png").encode(),
        a_dot_png=PNG,
    )
    return mesh


@pytest.mark.parametrize(
    "image",
    [
        PNG,
        {"uri": "a.png"},
        {"uri": "sub%20folder/a.png"},
        {"uri": "data:image/png;base64," + base64.b64encode(PNG).decode()},
    ],
    ids=["in the file", "beside", "below", "as text"],
)
def test_gltf(tmp_path, notched, image):
    pytest.importorskip("trimesh")
    (tmp_path / "sub folder").mkdir()
    (tmp_path / "sub folder" / "a.png").write_bytes(PNG)
    mesh, problems = read(tmp_path, "a.glb", glb(notched, image))
    assert problems == []
    assert_lies_by_position(mesh)
    (material,) = mesh.materials
    assert material.diffuse == pytest.approx((0.5, 0.5, 1), abs=0.01)
    np.testing.assert_array_equal(texture_pixels(material.texture), FIELDS)


@pytest.mark.parametrize(
    ("image", "material", "said"),
    [
        ({}, {}, "there is no bufferViews[None]"),
        ({"bufferView": 77}, {}, "there is no bufferViews[77]"),
        ({"uri": "../a.png"}, {}, "a texture is not shown"),
        ({"uri": "\ud800.png"}, {}, "no file has such a name"),
        ({"uri": "data:image/png,abc"}, {}, "is not in base64"),
        ({"uri": "data:image/png;base64,#"}, {}, "holds no base64"),
        (b"no image", {}, "is none of PNG"),
        (PNG, {"index": 5}, "there is no textures[5]"),
        (PNG, {"index": True}, "there is no textures[True]"),
        (PNG, {"texCoord": 1}, "its coordinates are not the first"),
        (PNG, {"extensions": {"KHR_texture_transform": {}}}, "transform is not read"),
    ],
)
def test_gltf_that_names_nothing_is_plain(tmp_path, notched, image, material, said):
    pytest.importorskip("trimesh")
    mesh, problems = read(tmp_path, "a.glb", glb(notched, image, **material))
    assert len(problems) == 1
    assert said in problems[0].message
    assert not mesh.is_textured
    assert mesh.materials[0].diffuse == pytest.approx((0.5, 0.5, 1), abs=0.01)


def ac3d():
    """The polygon with a notch, and a strip over it; and a triangle without image."""
    surface = "SURF 0x10\nmat 0\nrefs 5\n" + "".join(
        f"{k} {x / 10} {(z - 5) / 5}\n" for k, (x, z) in enumerate(CORNERS)
    )
    strip = "SURF 0x14\nmat 0\nrefs 4\n" + "".join(
        f"{k} {CORNERS[k][0] / 10} {(CORNERS[k][1] - 5) / 5}\n" for k in (1, 2, 0, 4)
    )
    return (
        'AC3Db\nMATERIAL "" rgb 0.5 0.5 1 amb 0.2 0.2 0.2 emis 0 0 0 spec 1 1 1 shi 0 '
        'trans 0\nOBJECT world\nkids 2\nOBJECT poly\ntexture "a.png"\ntexrep 2 1\n'
        "texoff 0 1\nnumvert 5\n"
        + "".join(f"{x} 0 {z}\n" for x, z in CORNERS)
        + f"numsurf 2\n{surface}{strip}kids 0\n"
        + "OBJECT poly\nnumvert 3\n0 1 0\n1 1 0\n0 1 1\nnumsurf 1\nSURF 0\nmat 0\n"
        + "refs 3\n0 0 0\n1 0 0\n2 0 0\nkids 0\n"
    )


def test_ac3d(tmp_path):
    mesh, problems = read(tmp_path, "a.ac", ac3d(), a_dot_png=PNG)
    assert problems == []
    textured, plain = mesh.by_material()
    assert_lies_by_position(textured)
    assert len(textured.faces) == 3 + 2
    assert textured.materials[0].diffuse == plain.materials[0].diffuse == (0.5, 0.5, 1)
    assert plain.materials[0].texture is None


def test_ac3d_whose_image_is_repeated_without_end(tmp_path):
    document = ac3d().replace("texrep 2 1", "texrep 1e300 1e300")
    mesh, problems = read(tmp_path, "a.ac", document, a_dot_png=PNG)
    assert problems == []
    assert np.isfinite(mesh.texture_coordinates).all()


def test_gltf_with_extensions_of_another_kind(tmp_path, notched):
    pytest.importorskip("trimesh")
    mesh, problems = read(tmp_path, "a.glb", glb(notched, PNG, extensions=5))
    assert problems == []
    assert mesh.is_textured


def tds(places=PLACES_OF_CORNERS, image=b"a.png\0"):
    def chunk(kind, *parts):
        inside = b"".join(parts)
        return struct.pack("<HI", kind, len(inside) + 6) + inside

    points = np.array([(x, 0, z) for x, z in CORNERS], "<f4")
    faces = np.array([(0, 1, 3, 0), (1, 2, 3, 0), (0, 3, 4, 0)], "<u2")
    laid = np.array(places, "<f4")
    material = chunk(
        0xAFFF,
        chunk(0xA000, b"a\0"),
        chunk(0xA020, chunk(0x0010, struct.pack("<3f", 0.5, 0.5, 1))),
        chunk(0xA200, chunk(0x0030, b"\x64\0"), chunk(0xA300, image)),
    )
    used = b"a\0" + struct.pack("<3H", 2, 0, 2)
    mesh = chunk(
        0x4100,
        chunk(0x4110, struct.pack("<H", 5), points.tobytes()),
        chunk(0x4140, struct.pack("<H", len(laid)), laid.tobytes()),
        chunk(0x4120, struct.pack("<H", 3), faces.tobytes(), chunk(0x4130, used)),
    )
    inside = chunk(0x3D3D, material, chunk(0x4000, b"b\0", mesh))
    return chunk(0x4D4D, chunk(0x0002, b"\3\0\0\0"), inside)


def test_3ds(tmp_path):
    mesh, problems = read(tmp_path, "a.3ds", tds(), a_dot_png=PNG)
    assert problems == []
    textured = next(one for one in mesh.by_material() if one.is_textured)
    assert_lies_by_position(textured)
    assert len(textured.faces) == 2
    assert textured.materials[0].diffuse == (0.5, 0.5, 1)
    np.testing.assert_array_equal(texture_pixels(textured.materials[0].texture), FIELDS)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"image": b"gone.png\0"}, "a texture is not shown"),
        ({"image": b"C:\\maps\\a.png\0"}, "a texture is not shown"),
        ({"places": PLACES_OF_CORNERS[:3]}, "5 vertices have 3 places"),
    ],
)
def test_3ds_that_is_plain(tmp_path, options, said):
    mesh, problems = read(tmp_path, "a.3ds", tds(**options), a_dot_png=PNG)
    (problem,) = problems
    assert said in problem.message
    assert not mesh.is_textured
    # nothing is said where nothing says where the image lies
    mesh, problems = read(tmp_path, "a.3ds", tds(places=[]), a_dot_png=PNG)
    assert problems == []


def test_meshes_keep_their_images(notched):
    turned = notched.transformed(pose_from_rpy((0.3, 0.2, 0.1), (1, 2, 3)))
    back = turned.transformed(np.linalg.inv(pose_from_rpy((0.3, 0.2, 0.1), (1, 2, 3))))
    assert_lies_by_position(back)
    mirrored = notched.scaled((-1, 1, 1)).scaled((-1, 1, 1))
    assert_lies_by_position(mirrored)
    assert (mirrored.faces == notched.faces).all()
    once = notched.scaled((-1, 1, 1))
    assert (once.faces == notched.faces[:, ::-1]).all()
    assert_lies_by_position(once.scaled((-1, 1, 1)))
    for part in notched.components():
        assert_lies_by_position(part)
    assert_lies_by_position(notched.welded())
    assert_lies_by_position(pickle.loads(pickle.dumps(notched)))  # noqa: S301
    plain = Mesh([(0, 9, 0), (1, 9, 0), (0, 9, 1)], [(0, 1, 2)])
    both = Mesh.merge([plain, notched])
    alone, again = both.by_material()
    assert not alone.is_textured
    assert_lies_by_position(again)
    assert both.same_as(Mesh.merge([plain, notched]))
    shifted = notched.texture_coordinates + np.float32(0.5)
    other = Mesh(notched.vertices, notched.faces, notched.materials, None, shifted)
    assert not notched.same_as(other)


def test_wrong_places_are_refused(notched):
    for places, said in (
        (np.zeros((2, 3, 2)), r"shape \(2, 3, 2\), expected \(7, 3, 2\)"),
        (np.full((7, 3, 2), np.nan), "not finite"),
    ):
        with pytest.raises(pyrave.ArgumentError, match=said):
            Mesh(notched.vertices, notched.faces, notched.materials, None, places)


def test_obj_files_are_written_with_their_images(tmp_path, notched):
    # the same image again, another one in a format that is written as PNG, and none
    bitmap = Texture("b", b"P6 2 1 255\n" + bytes((255, 0, 0, 0, 0, 255)))
    materials = (*notched.materials, Material((1, 1, 1), None, 0.5, bitmap), Material())
    used = np.array([0, 0, 0, 1, 1, 2, 2], np.int32)
    mesh = Mesh(
        notched.vertices, notched.faces, materials, used, notched.texture_coordinates
    )
    path = tmp_path / "out" / "written.obj"
    path.parent.mkdir()
    assert ObjFormat().write(mesh, path, WriteContext()) == []
    names = sorted(one.name for one in path.parent.iterdir())
    assert names == [
        "written.image0.png", "written.image1.png", "written.mtl", "written.obj",
    ]  # fmt: skip
    again = ObjFormat().read(MeshSource.open(str(path)))
    assert_lies_by_position(again)
    assert [one.diffuse for one in again.materials] == [(0.5, 0.5, 1), (1, 1, 1), None]
    for one, pixels in zip(
        again.materials, (FIELDS, [[(255, 0, 0), (0, 0, 255)]]), strict=False
    ):
        np.testing.assert_array_equal(texture_pixels(one.texture), pixels)
    np.testing.assert_array_equal(again.material_of_faces, used)
    assert (path.parent / "written.image0.png").read_bytes() == PNG


@pytest.mark.parametrize("format_", [PlyFormat(), StlFormat(), ObjFormat()])
def test_what_cannot_be_written_is_said(tmp_path, notched, format_):
    with (tmp_path / "out").open("wb") as file:
        losses = format_.write(notched, file, WriteContext())
    said = "; ".join(one.message for one in losses)
    assert "image" in said or "has no materials" in said


def test_converters_say_that_images_are_left_out(tmp_path, notched):
    scene = tmp_path / "scene.env.xml"
    scene.write_text(
        "<environment><kinbody name='k'><body name='b'><geom type='trimesh'>"
        "<data>notched.obj</data></geom></body></kinbody></environment>"
    )
    env = pyrave.load(scene)
    mesh = env.bodies[0].links[0].geometries[0].mesh
    assert_lies_by_position(mesh)
    losses = pyrave.convert(scene, tmp_path / "out.dae")
    assert "notched.obj has images on it; other programs" in "; ".join(losses)
    # URDF names files that all programs read, and writes others as OBJ files
    assert "image" not in "; ".join(pyrave.convert(scene, tmp_path / "out.urdf"))
    (tmp_path / "other.ac").write_text(ac3d())
    scene.write_text(scene.read_text().replace("notched.obj", "other.ac"))
    losses = pyrave.convert(scene, tmp_path / "other.urdf")
    assert "images on meshes are not written" in "; ".join(losses)
    (tmp_path / "other.glb").write_bytes(glb(notched, PNG))
    scene.write_text(scene.read_text().replace("other.ac", "other.glb"))
    losses = pyrave.convert(scene, tmp_path / "other.wc.xml")
    assert "images on meshes that are written anew" in "; ".join(losses)
    scene.write_text(scene.read_text().replace("other.glb", "notched.obj"))
    losses = env.save(tmp_path / "out.env.xml", embed_meshes=True)
    assert "has images on it" in "; ".join(losses)
    # a file that is named keeps them
    losses = env.save(tmp_path / "named.env.xml")
    assert losses == ()
    kept = pyrave.load(tmp_path / "named.env.xml")
    assert_lies_by_position(kept.bodies[0].links[0].geometries[0].mesh)


# -- hostile images ------------------------------------------------------------------


def png_of_size(width, height, rest=b""):
    def chunk(kind, data):
        check = zlib.crc32(data, zlib.crc32(kind))
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", rest)
        + chunk(b"IEND", b"")
    )


@pytest.mark.filterwarnings("ignore:Image size")
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (png_of_size(60_000, 60_000), "is none of|pixels; at most"),
        (png_of_size(10_000, 10_000), "is none of|10000 x 10000 pixels; at most"),
        (b"", "is none of PNG"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n", "is none of PNG"),
        (PNG[:20], "is none of PNG"),
    ],
    ids=["huge", "too large", "empty", "a program", "cut"],
)
def test_images_that_are_refused_by_their_heads(tmp_path, data, said):
    with pytest.raises(pyrave.SceneError, match=said):
        check_texture(Texture("x", data))
    mesh, problems = read(
        tmp_path,
        "a.obj",
        obj(),
        a_dot_mtl=LIBRARY.format("a.png").encode(),
        a_dot_png=data,
    )
    assert not mesh.is_textured
    (problem,) = problems
    assert problem.message.startswith("a texture is not shown: the texture ")
    assert (problem.file, problem.line) == (str(tmp_path / "a.mtl"), 3)


@pytest.mark.parametrize(
    "data",
    [PNG[:50], PNG[:45] + b"####" + PNG[49:]],
    ids=["cut", "other bytes"],
)
def test_damaged_images_leave_the_plain_colour(data, caplog):
    texture = Texture("broken.png", data)
    check_texture(texture)
    assert texture_pixels(texture) is None
    assert "the texture broken.png is damaged" in caplog.text
    caplog.clear()
    # said once
    assert texture_pixels(texture) is None
    assert not caplog.text


def test_images_without_end_are_plain(tmp_path):
    """Small files may unpack to a lot: all images of a mesh count together."""
    names = [f"i{k}.png" for k in range(6)]
    for name in names:
        (tmp_path / name).write_bytes(png_of_size(8000, 8000))
    library = "".join(f"newmtl {name}\nmap_Kd {name}\n" for name in names)
    used = "".join(f"usemtl {name}\nf 1/1 2/1 3/1\n" for name in names)
    text = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\n" + used
    mesh, problems = read(tmp_path, "a.obj", text, a_dot_mtl=library.encode())
    assert [one.texture is not None for one in mesh.materials] == [True] * 4 + [
        False
    ] * 2
    assert len(problems) == 2
    assert "more than 268435456 pixels together" in problems[0].message


def test_names_of_images_without_end(tmp_path):
    library = "".join(f"newmtl {k}\nmap_Kd {k}.png\n" for k in range(1500))
    mesh, problems = read(tmp_path, "a.obj", obj(), a_dot_mtl=library.encode())
    assert len(problems) == 1001
    assert "names more than 1000 images" in problems[-1].message
    assert not mesh.is_textured


def test_large_images_are_shown_smaller(monkeypatch):
    monkeypatch.setattr(decoding, "LARGEST_SIDE", 4)
    texture = Texture("large", PNG)
    assert check_texture(texture) == (8, 8)
    np.testing.assert_array_equal(texture_pixels(texture), FIELDS[::2, ::2])


def test_large_files_are_not_decoded(monkeypatch):
    monkeypatch.setattr(decoding, "MAX_TEXTURE_BYTES", 10)
    with pytest.raises(pyrave.SceneError, match="more than 10 bytes"):
        check_texture(Texture("x", PNG))


@pytest.mark.parametrize("name", ["../secret.png", "/etc/hostname", "link.png"])
def test_images_elsewhere_are_not_opened(tmp_path, name):
    (tmp_path / "secret.png").write_bytes(PNG)
    folder = tmp_path / "meshes"
    folder.mkdir()
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    mesh, problems = read(
        folder, "a.obj", obj(), a_dot_mtl=LIBRARY.format(name).encode()
    )
    assert not mesh.is_textured
    assert "a texture is not shown" in problems[0].message


def test_without_pillow_the_log_says_what_to_install(monkeypatch, caplog):
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    decoding._tell_once.cache_clear()
    for name in ("a.png", "b.png"):
        texture = Texture(name, encode_png(FIELDS[::-1]))
        assert texture_pixels(texture) is None
    # once, for all of them
    assert caplog.text.count("pip install 'pyrave[meshes]'") == 1


def test_without_pillow_files_are_read_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    mesh, problems = read(
        tmp_path,
        "a.obj",
        obj(),
        a_dot_mtl=LIBRARY.format("a.png").encode(),
        a_dot_png=PNG,
    )
    assert problems == []
    assert_lies_by_position(mesh)


@pytest.mark.parametrize("channels", [1, 4])
def test_grey_and_transparent_images(channels):
    image = np.arange(4 * channels, dtype=np.uint8).reshape(2, 2, channels) * 10
    pixels = texture_pixels(Texture("x", encode_png(image)))
    if channels == 1:
        assert pixels.shape == (2, 2, 3)
        np.testing.assert_array_equal(pixels, np.repeat(image, 3, axis=2))
    else:
        np.testing.assert_array_equal(pixels, image)
    assert not pixels.flags.writeable


def test_pictures_and_cameras_see_the_image(tmp_path):
    """Red green above, blue white below, as the file has it."""
    (tmp_path / "a.png").write_bytes(PNG)
    (tmp_path / "a.mtl").write_text("newmtl a\nKd 1 1 1\nmap_Kd a.png\n")
    (tmp_path / "a.obj").write_text(
        "mtllib a.mtl\nv -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\n"
        "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl a\nf 1/1 2/2 3/3 4/4\n"
    )
    scene = tmp_path / "s.env.xml"
    scene.write_text(
        """<environment><kinbody name="k"><body name="b"><geom type="trimesh">
        <data>a.obj</data></geom></body></kinbody>
        <robot name="r"><kinbody><translation>0 -4 0</translation><body name="b"/>
        </kinbody></robot></environment>"""
    )
    env = pyrave.load(scene)
    eye = env.robots[0].add_sensor(
        "eye",
        "BaseCamera",
        link="b",
        pose=pyrave.spatial.look_at((0, 0, 0), (0, 4, 0), (0, 0, 1)),
        width=80,
        height=60,
        kk=(60, 60, 39.5, 29.5),
        power=True,
    )
    images = [
        env.picture(eye=(0, -4, 0), target=(0, 0, 0), size=(80, 60)),
        eye.measure().image,
    ]
    for image in images:
        left, right = image[20:40, 32:36].astype(int), image[20:40, 44:48].astype(int)
        for part, channel in ((left[:8], 0), (right[:8], 1), (left[-8:], 2)):
            rest = [k for k in range(3) if k != channel]
            assert (part[..., channel] > 40 + part[..., rest].max(axis=-1)).all()
        white = right[-8:]
        assert (np.ptp(white, axis=-1) < 30).all()
        assert white.min() > 40
