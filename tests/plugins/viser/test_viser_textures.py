"""Meshes with images, as browsers get them."""

from __future__ import annotations

import io

import numpy as np
import pytest

import pyrave
from pyrave.geometry import Mesh, encode_png
from pyrave.scene import Texture

pytest.importorskip("viser")
pytest.importorskip("PIL")
trimesh = pytest.importorskip("trimesh")

from pyrave_viser.shown.pools import Pools  # noqa: E402
from pyrave_viser.shown.solids import Shapes, solids_of  # noqa: E402
from pyrave_viser.shown.surfaces import parts_of  # noqa: E402
from pyrave_viser.shown.textured import gltf_of, has_image  # noqa: E402

IMAGE = np.zeros((4, 6, 3), np.uint8)
IMAGE[:2, :, 0] = IMAGE[2:, :, 2] = 255
CUBE = """mtllib cube.mtl
v 0 0 0
v 1 0 0
v 1 0 1
v 0 0 1
v 0 1 0
v 1 1 0
v 1 1 1
v 0 1 1
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl a
f 1/1 2/2 3/3 4/4
f 2/1 6/2 7/3 3/4
usemtl b
f 4 3 7 8
"""
BODY = (
    "<kinbody name='{}'><body name='b' type='static'><geom type='trimesh'>"
    "<data>cube.obj</data><render>cube.obj</render></geom></body></kinbody>"
)


@pytest.fixture
def env(tmp_path):
    (tmp_path / "cube.obj").write_text(CUBE)
    (tmp_path / "cube.mtl").write_text(
        "newmtl a\nKd 0.5 1 1\nmap_Kd fields.png\nnewmtl b\nKd 1 1 0\n"
    )
    (tmp_path / "fields.png").write_bytes(encode_png(IMAGE))
    (tmp_path / "s.env.xml").write_text(
        "<environment>" + BODY.format("one") + BODY.format("two") + "</environment>"
    )
    return pyrave.load(tmp_path / "s.env.xml")


def solid_with_image(env):
    return next(
        one for one in solids_of(env.bodies[0], Shapes.VISUAL) if has_image(one.part)
    )


def image_of(mesh):
    """The image as the other program has it."""
    return np.asarray(mesh.visual.material.baseColorTexture)


def test_parts_have_their_images(env):
    solids = solids_of(env.bodies[0], Shapes.VISUAL)
    assert [has_image(one.part) for one in solids] == [True, False]
    assert [one.color.tolist() for one in solids] == [[0.5, 1, 1], [1, 1, 0]]
    # collision shapes are of one colour, but the same triangles
    mesh = env.bodies[0].links[0].geometries[0].render_mesh
    first, _ = parts_of(mesh)
    assert first.places.shape == (4, 3, 2)


def test_another_program_reads_what_browsers_get(env):
    solid = solid_with_image(env)
    scene = trimesh.load_scene(io.BytesIO(gltf_of(solid)), file_type="glb")
    (mesh,) = scene.geometry.values()
    np.testing.assert_array_equal(
        np.asarray(mesh.visual.material.baseColorTexture), IMAGE
    )
    assert mesh.visual.material.alphaMode == "OPAQUE"
    assert mesh.visual.material.doubleSided
    # colours of glTF are those of light
    factor = np.asarray(mesh.visual.material.baseColorFactor) / 255
    np.testing.assert_allclose(factor, (0.5**2.2, 1, 1, 1), atol=0.005)
    assert mesh.area == pytest.approx(2)
    # in the plane y = 0 the image lies by x and z, in the plane x = 1 by y and z
    x, y, z = mesh.vertices.T
    across = np.where(mesh.vertex_normals[:, 0] > 0.5, y, x)
    np.testing.assert_allclose(mesh.visual.uv, np.column_stack((across, z)), atol=1e-6)


def test_photographs_go_as_they_are(env):
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(IMAGE.repeat(4, axis=0)).save(stream, "JPEG")
    kept = laid_again(env, stream.getvalue())
    assert stream.getvalue() in kept
    assert b"image/jpeg" in kept


def test_other_images_go_as_png_and_glass_is_blended(env):
    glass = np.zeros((2, 2, 4), np.uint8)
    stream = io.BytesIO()
    from PIL import Image

    Image.fromarray(glass).save(stream, "TGA")
    data = laid_again(env, stream.getvalue())
    assert stream.getvalue() not in data
    scene = trimesh.load_scene(io.BytesIO(data), file_type="glb")
    (mesh,) = scene.geometry.values()
    assert mesh.visual.material.alphaMode == "BLEND"
    np.testing.assert_array_equal(
        np.asarray(mesh.visual.material.baseColorTexture), glass
    )


def laid_again(env, data):
    """The file of the first solid with another image on it."""
    from dataclasses import replace

    solid = solid_with_image(env)
    part = replace(solid.part, texture=Texture("other", data))
    return gltf_of(replace(solid, part=part))


def test_a_damaged_image_leaves_plain_triangles(env):
    mesh = env.bodies[0].links[0].geometries[0].render_mesh
    broken = Texture("x", encode_png(IMAGE)[:50])
    from dataclasses import replace

    materials = (replace(mesh.materials[0], texture=broken), mesh.materials[1])
    again = Mesh(
        mesh.vertices, mesh.faces, materials, mesh.face_materials,
        mesh.texture_coordinates,
    )  # fmt: skip
    assert not has_image(parts_of(again)[0])


class Server:
    """Notes what is shown."""

    def __init__(self):
        self.scene = self
        self.shown = []

    def add_batched_glb(self, name, data, wxyzs, positions, **options):
        self.shown.append(("image", len(positions)))

    def add_batched_meshes_simple(self, name, *arguments, **options):
        self.shown.append(("plain", len(arguments[2])))


def test_the_same_mesh_is_sent_once(env):
    server = Server()
    pools = Pools(server)
    for body in env.bodies:
        pools.put(body.id, solids_of(body, Shapes.VISUAL), body.transform)
    pools.flush()
    assert server.shown == [("image", 2), ("plain", 2)]
