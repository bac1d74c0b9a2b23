"""Images on faces of Inventor and VRML files."""

from __future__ import annotations

import numpy as np
import pytest

from pyrave.errors import SceneError
from pyrave.formats import MeshSource
from pyrave.geometry import encode_png, texture_pixels
from pyrave_inventor.formats import INVENTOR, VRML

pytest.importorskip("PIL")

IMAGE = np.arange(48, dtype=np.uint8).reshape(4, 4, 3) * 5
# with a notch, so that polygons are cut otherwise than around their first corner
CORNERS = [(0, 0), (4, 0), (4, 3), (2, 1), (0, 3)]
POINTS = ", ".join(f"{x} 0 {z}" for x, z in CORNERS)
PLACES = ", ".join(f"{x / 5} {z / 5}" for x, z in CORNERS)
BACKWARDS = ", ".join(f"{x / 5} {z / 5}" for x, z in reversed(CORNERS))
FACE = "0 1 2 3 4 -1 4 3 0 -1"
TURNED = "4 3 2 1 0 -1 0 1 4 -1"


def read(tmp_path, body, kind, image=None):
    (tmp_path / "a.png").write_bytes(encode_png(IMAGE) if image is None else image)
    head = {"iv": "#Inventor V2.1 ascii", "wrl": "#VRML V2.0 utf8"}[kind]
    path = tmp_path / f"a.{kind}"
    path.write_text(f"{head}\n{body}\n")
    source = MeshSource.open(str(path))
    return (INVENTOR if kind == "iv" else VRML).read(source), source.problems


def vrml(image='ImageTexture { url [ "a.png" ] }', places=PLACES, index="", more=""):
    laid = f"texCoord TextureCoordinate {{ point [ {places} ] }}" if places else ""
    return f"""Transform {{ scale -1 1 1 children Shape {{
      appearance Appearance {{ texture {image}
        material Material {{ diffuseColor 0.2 0.4 0.6 transparency 0.25 }} }}
      geometry IndexedFaceSet {{ convex FALSE coord Coordinate {{ point [ {POINTS} ] }}
        coordIndex [ {FACE} ] {laid} {index} {more} }} }} }}"""


def inventor(image='Texture2 { filename "a.png" }', places=PLACES, index=""):
    laid = f"TextureCoordinate2 {{ point [ {places} ] }}" if places else ""
    return f"""Separator {{ Scale {{ scaleFactor -1 1 1 }} {image}
      Material {{ diffuseColor 0.2 0.4 0.6 }}
      ShapeHints {{ faceType UNKNOWN_FACE_TYPE }}
      Coordinate3 {{ point [ {POINTS} ] }} {laid}
      IndexedFaceSet {{ coordIndex [ {FACE} ] {index} }} }}"""


def assert_lies_by_position(mesh, diffuse):
    assert mesh.is_textured
    assert len(mesh.faces) == 3 + 1
    # the node mirrors x
    places = mesh.triangles()[:, :, [0, 2]] * (-0.2, 0.2)
    np.testing.assert_allclose(mesh.texture_coordinates, places, atol=1e-6)
    (material,) = mesh.materials
    np.testing.assert_array_equal(texture_pixels(material.texture), IMAGE)
    assert material.diffuse == pytest.approx(diffuse)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"places": BACKWARDS, "index": f"texCoordIndex [ {TURNED} ]"},
        {"image": 'ImageTexture { url [ "", "a.png", "gone.png" ] repeatS FALSE }'},
        # an image is there in place of colours
        {"more": "color Color { color [ 1 0 0 ] } colorIndex [ 0 0 ] "
                 "colorPerVertex FALSE"},
    ],
    ids=["by points", "by an index", "the first that is there", "colours"],
)  # fmt: skip
def test_vrml97(tmp_path, options):
    mesh, problems = read(tmp_path, vrml(**options), "wrl")
    assert problems == []
    assert_lies_by_position(mesh, (1, 1, 1))
    assert mesh.materials[0].transparency == 0.25


@pytest.mark.parametrize(
    "options",
    [{}, {"places": BACKWARDS, "index": f"textureCoordIndex [ {TURNED} ]"}],
    ids=["by points", "by an index"],
)
def test_inventor(tmp_path, options):
    mesh, problems = read(tmp_path, inventor(**options), "iv")
    assert problems == []
    assert_lies_by_position(mesh, (0.2, 0.4, 0.6))


def test_images_end_with_their_separator(tmp_path):
    plain = inventor(image="", places="")
    reset = inventor(image='Texture2 { filename "a.png" } Texture2 { filename "" }')
    mesh, problems = read(tmp_path, inventor() + plain + reset, "iv")
    assert problems == []
    found = [one.is_textured for one in mesh.by_material()]
    assert sorted(found) == [False, True]
    textured = next(one for one in mesh.by_material() if one.is_textured)
    assert_lies_by_position(textured, (0.2, 0.4, 0.6))
    assert len(mesh.faces) == 3 * 4


@pytest.mark.parametrize("kind", ["wrl", "iv"])
def test_what_is_plain_without_a_word(tmp_path, kind):
    """Shapes that do not say where the image lies, and images that nothing shows."""
    body = vrml(places="") if kind == "wrl" else inventor(places="")
    mesh, problems = read(tmp_path, body, kind, image=b"not looked at")
    assert problems == []
    assert mesh.materials[0].diffuse == pytest.approx((0.2, 0.4, 0.6))
    assert not mesh.is_textured


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        (vrml('ImageTexture { url "gone.png" }'), "wrl", "a texture is not shown"),
        (vrml('ImageTexture { url "../a.png" }'), "wrl", "a texture is not shown"),
        (vrml('ImageTexture { url "http://127.0.0.1:9/a" }'), "wrl", "no http: resour"),
        (inventor('Texture2 { filename "gone.png" }'), "iv", "a texture is not shown"),
        (vrml(places="0 0, 1 1"), "wrl", "places up to 4, but there are 2"),
        (vrml(index="texCoordIndex [ 0 1 2 3 77 -1 0 ]"), "wrl", "places up to 77"),
        (inventor(places="0 0, 1 1"), "iv", "places up to 4, but there are 2"),
    ],
)
def test_what_is_wrong_is_said_and_plain(tmp_path, body, kind, said):
    mesh, problems = read(tmp_path, body, kind)
    (problem,) = problems
    assert said in problem.message
    assert problem.line
    assert mesh.materials[0].diffuse == pytest.approx((0.2, 0.4, 0.6))
    assert not mesh.is_textured


def test_names_without_end_are_refused(tmp_path):
    names = " ".join(f'"{k}.png"' for k in range(1500))
    with pytest.raises(SceneError, match="names more than 1000 images"):
        read(tmp_path, vrml(f"ImageTexture {{ url [ {names} ] }}"), "wrl")


def test_an_image_is_read_once(tmp_path, monkeypatch):
    read_names = []
    sibling = MeshSource.sibling
    monkeypatch.setattr(
        MeshSource,
        "sibling",
        lambda self, name: read_names.append(name) or sibling(self, name),
    )
    body = (
        "Shape { appearance DEF a Appearance { texture ImageTexture { url 'a.png' } } }"
    ).replace("'", '"')
    faces = vrml().replace("Appearance {", "Appearance {", 1)
    again = "Shape { appearance USE a geometry IndexedFaceSet { coord Coordinate {"
    again += f" point [ {POINTS} ] }} coordIndex [ {FACE} ] texCoord "
    again += f"TextureCoordinate {{ point [ {PLACES} ] }} }} }}"
    mesh, _ = read(tmp_path, body + again * 3 + faces, "wrl")
    assert read_names == ["a.png", "a.png"]
    assert mesh.is_textured
