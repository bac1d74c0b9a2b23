"""Images on meshes of COLLADA files."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave.formats import MeshSource
from pyrave.geometry import encode_png, texture_pixels
from pyrave_collada.reading.mesh import ColladaMeshFormat

pytest.importorskip("PIL")

IMAGE = np.arange(48, dtype=np.uint8).reshape(4, 4, 3) * 5
# with a notch, so that polygons are cut otherwise than around their first corner
CORNERS = [(0, 0), (4, 0), (4, 3), (2, 1), (0, 3)]

_BY_SAMPLER = """
  <newparam sid="the-surface"><surface type="2D"><init_from>{image}</init_from>
  </surface></newparam>
  <newparam sid="the-sampler"><sampler2D><source>the-surface</source></sampler2D>
  </newparam>"""
_BY_INSTANCE = """
  <newparam sid="the-sampler"><sampler2D><instance_image url="#{image}"/></sampler2D>
  </newparam>"""


def document(
    primitives,
    *,
    params=_BY_SAMPLER,
    texture="the-sampler",
    init="a.png",
    places=None,
    image="pic",
):
    """A mesh whose places in the image are a fifth of x and z."""
    numbers = " ".join(f"{x} 0 {z}" for x, z in CORNERS)
    laid = (
        " ".join(f"{x / 5} {z / 5}" for x, z in CORNERS) if places is None else places
    )
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_images><image id="{image}"><init_from>{init}</init_from></image>
</library_images>
<library_effects><effect id="e"><profile_COMMON>{params.format(image=image)}
  <technique sid="t"><lambert><diffuse><texture texture="{texture}" texcoord="UV"/>
  </diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material>
</library_materials>
<library_geometries><geometry id="g"><mesh>
  <source id="p"><float_array id="pa" count="15">{numbers}</float_array>
   <technique_common><accessor source="#pa" count="5" stride="3"/></technique_common>
  </source>
  <source id="t"><float_array id="ta" count="10">{laid}</float_array>
   <technique_common><accessor source="#ta" count="5" stride="2"/></technique_common>
  </source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  {primitives}
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><scale>-1 1 1</scale>
 <instance_geometry url="#g"><bind_material><technique_common>
 <instance_material symbol="sym" target="#m"/></technique_common></bind_material>
 </instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


_INPUTS = (
    '<input semantic="VERTEX" source="#v" offset="0"/>'
    '<input semantic="TEXCOORD" source="#t" offset="2" set="0"/>'
)


def polygons(tag, *rings, vcount=""):
    """Polygons whose corners have a number for vertices, for nothing, for places."""
    shown = "".join(f"<p>{' '.join(f'{k} 7 {k}' for k in ring)}</p>" for ring in rings)
    counts = f"<vcount>{vcount}</vcount>" if vcount else ""
    return f'<{tag} material="sym" count="1">{_INPUTS}{counts}{shown}</{tag}>'


def read(tmp_path, text):
    (tmp_path / "a.png").write_bytes(encode_png(IMAGE))
    path = tmp_path / "a.dae"
    path.write_text(text)
    source = MeshSource.open(str(path))
    return ColladaMeshFormat().read(source), source.problems


def assert_lies_by_position(mesh):
    assert mesh.is_textured
    # the node mirrors x
    places = mesh.triangles()[:, :, [0, 2]] * (-0.2, 0.2)
    np.testing.assert_allclose(mesh.texture_coordinates, places, atol=1e-6)
    np.testing.assert_array_equal(texture_pixels(mesh.materials[0].texture), IMAGE)
    assert mesh.materials[0].diffuse is None


@pytest.mark.parametrize(
    "primitives",
    [
        polygons("polylist", range(5), vcount="5"),
        polygons("polygons", range(5), (0, 1, 2)),
        polygons("triangles", (0, 1, 3, 1, 2, 3), (0, 3, 4)),
        polygons("tristrips", (1, 2, 3, 4)),
        polygons("trifans", (0, 1, 3, 4)),
        polygons("triangles", (0, 1, 3)) + polygons("polylist", range(5), vcount="5"),
    ],
    ids=["polylist", "polygons", "triangles", "strips", "fans", "two of them"],
)
def test_all_kinds_of_polygons(tmp_path, primitives):
    mesh, problems = read(tmp_path, document(primitives))
    assert problems == []
    assert_lies_by_position(mesh)


PLAIN = polygons("polylist", range(5), vcount="5")


@pytest.mark.parametrize(
    "options",
    [
        {"params": _BY_INSTANCE},
        # the name of an image, as old writers give it, also where it is its parameter's
        {"params": "", "texture": "pic"},
        {"init": "<ref>a.png</ref>"},
        {"init": "./a%2Epng"},
        {"init": "file://a.png"},
    ],
    ids=["instance", "its name", "reference", "written as a URL", "local URL"],
)
def test_ways_to_an_image(tmp_path, options):
    mesh, problems = read(tmp_path, document(PLAIN, **options))
    assert problems == []
    assert_lies_by_position(mesh)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"texture": "nothing"}, "the texture 'nothing' is no image of this file"),
        ({"params": _BY_SAMPLER.replace("{image}", "nothing")}, "is no image of this"),
        (
            {
                "params": _BY_SAMPLER.replace("the-surface</source>", "x</source>")
                .replace('"the-surface"', '"x"')
                .replace("{image}", "the-sampler")
            },
            "is no image of this",
        ),
        ({"init": "gone.png"}, "a texture is not shown"),
        ({"init": "../a.png"}, "a texture is not shown"),
        ({"init": "http://127.0.0.1:9/a.png"}, "reads no http: resources"),
        ({"init": ""}, "not in a file of its own"),
        ({"places": "0 0 1 1"}, "the place 4, but there are 2"),
        ({"places": "0 nan"}, "not finite"),
        ({"places": "a b"}, "images are not shown"),
    ],
)
def test_images_that_are_not_there(tmp_path, options, said):
    mesh, problems = read(tmp_path, document(PLAIN, **options))
    (problem,) = problems
    assert said in problem.message
    assert problem.line
    assert not mesh.is_textured
    assert mesh.area == pytest.approx(8)


def test_a_robot_of_a_scene_file_is_plain(tmp_path):
    """Scenes hold triangles without looks of their own."""
    (tmp_path / "a.png").write_bytes(encode_png(IMAGE))
    path = tmp_path / "a.dae"
    path.write_text(document(PLAIN))
    env = pyrave.load(path)
    assert not env.bodies[0].links[0].geometries[0].mesh.is_textured


def test_a_part_of_a_urdf_has_its_image(tmp_path):
    read(tmp_path, document(PLAIN))
    robot = tmp_path / "r.urdf"
    robot.write_text(
        '<robot name="r"><link name="a"><visual><geometry><mesh filename="a.dae"/>'
        "</geometry></visual></link></robot>"
    )
    env = pyrave.load(robot)
    assert_lies_by_position(env.bodies[0].links[0].geometries[0].render_mesh)
