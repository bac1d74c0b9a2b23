"""Images on surfaces in pictures: which colour a ray brings back."""

from __future__ import annotations

import numpy as np
import pytest

from pyrave.geometry import (
    Camera,
    Covering,
    Lighting,
    Look,
    Mesh,
    RayInstance,
    RayScene,
    Surface,
    Surroundings,
    box_mesh,
    view,
)
from pyrave.geometry.texture_lookup import levels_of, sampled
from pyrave.scene import Box, Material, Texture
from pyrave.spatial import pose_from_rpy, transform_points

EVERYWHERE = Lighting(
    lamps=(), ambient=1.0, sky=0.0, ground=0.0, head=0.0, shadows=False,
    background=(0.0, 0.0, 0.0),
)  # fmt: skip


def by_hand(image, place):
    """The colour between four pixels, one at a time."""
    height, width = image.shape[:2]
    x = (place[0] % 1.0) * width - 0.5
    y = (1.0 - place[1] % 1.0) * height - 0.5
    left, top = int(np.floor(x)), int(np.floor(y))
    colour = np.zeros(3)
    for row, above in ((top, 1 - (y - top)), (top + 1, y - top)):
        for column, beside in ((left, 1 - (x - left)), (left + 1, x - left)):
            colour += above * beside * image[row % height, column % width, :3]
    return colour / 255.0


def test_colours_between_pixels():
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, (5, 7, 3), np.uint8)
    places = rng.uniform(-3, 3, (500, 2))
    found = sampled(image, places)
    expected = [by_hand(image, place) for place in places]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    # in the middle of a pixel it is that pixel; the first row is above
    np.testing.assert_allclose(sampled(image, np.array([(0.5 / 7, 4.5 / 5)]))[0],
                               image[0, 0, :3] / 255, atol=1e-6)  # fmt: skip


def plate(image, material=Material()):  # noqa: B008 - frozen
    """A square of 2 metres in the plane z = 0, in two triangles."""
    vertices = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
    faces = np.array([(0, 1, 2), (0, 2, 3)])
    places = (np.array(vertices)[:, :2] + 1) / 2
    mesh = Mesh(vertices, faces, (material,), None, places[faces])
    return mesh, Covering((levels_of(image),), mesh)


def seen(scene, surfaces, camera, **options):
    around = Surroundings(scene, Look.from_surfaces(surfaces), EVERYWHERE)
    return view(around, camera, {"light", "instance"}, **options)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_plate_is_seen_as_its_image(threads):
    rng = np.random.default_rng(1)
    image = rng.integers(0, 256, (12, 16, 3), np.uint8)
    mesh, covering = plate(image)
    pose = pose_from_rpy((0.2, -0.3, 0.7), (0.4, 0.1, -0.2))
    scene = RayScene([RayInstance(mesh, pose, 1)])
    camera = Camera.look_at((0.6, -0.3, 2.5), (0.4, 0.1, -0.2), width=90, height=70)
    colour = (0.5, 1.0, 0.25)
    found = seen(
        scene, [Surface((colour,), covering=covering)], camera, threads=threads
    )
    origin, directions = camera.rays()
    hits = scene.cast(origin, directions, 100.0, fields=())
    points = origin + hits.distance[..., None] * directions
    hit = np.isfinite(hits.distance)
    assert hit.sum() > 1000
    local = transform_points(np.linalg.inv(pose), points[hit])
    expected = [by_hand(image, (p[:2] + 1) / 2) * colour for p in local]
    np.testing.assert_allclose(found.light[hit], expected, atol=1e-5)
    assert not found.light[~hit].any()


def test_smaller_versions_of_images():
    rng = np.random.default_rng(2)
    image = rng.integers(0, 256, (6, 5, 4), np.uint8)
    levels = levels_of(image)
    assert [one.shape for one in levels] == [(6, 5, 3), (3, 2, 3), (1, 1, 3)]
    mean = image[2:4, 2:4, :3].mean(axis=(0, 1))
    np.testing.assert_allclose(levels[1][1, 1], mean, atol=0.51)
    (only,) = levels_of(image[:1, :1])
    assert only.shape == (1, 1, 3)
    assert [one.shape for one in levels_of(image[:, :1])][1:] == [(3, 1, 3), (1, 1, 3)]


def test_what_is_far_off_has_the_mean_of_its_image():
    """Fields smaller than pixels would flicker otherwise: some black, some white."""
    image = np.zeros((256, 256, 3), np.uint8)
    image[::2, ::2] = image[1::2, 1::2] = 255
    mesh, covering = plate(image)
    scene = RayScene([RayInstance(mesh, np.eye(4), 1)])
    surfaces = [Surface(((1.0, 1.0, 1.0),), covering=covering)]
    for height, spread in ((60.0, 0.02), (2.0, 0.5)):
        camera = Camera.look_at(
            (0.1, 0.2, height), (0.1, 0.2, 0), width=24, height=24,
            field_of_view=np.radians(2.0),
        )  # fmt: skip
        light = seen(scene, surfaces, camera).light[4:-4, 4:-4]
        assert light.mean() == pytest.approx(0.5, abs=0.1)
        # far off all is grey, near by fields are seen
        assert (np.ptp(light) < spread) == (height > 10.0)


def test_only_what_has_an_image_is_covered():
    """Boxes, faces of other materials, and what is seen through glass."""
    red = np.zeros((2, 2, 3), np.uint8)
    red[..., 0] = 255
    mesh, _ = plate(red)
    vertices, faces = mesh.vertices, mesh.faces
    two = Mesh(
        vertices, faces, (Material(), Material()), np.array([0, 1], np.int32),
        mesh.texture_coordinates,
    )  # fmt: skip
    scene = RayScene(
        [
            RayInstance(two, np.eye(4), 1),
            RayInstance(Box((0.2, 0.2, 0.1)), pose_from_rpy((0, 0, 0), (3, 0, 0)), 2),
            RayInstance(
                Box((0.3, 0.3, 0.01)), pose_from_rpy((0, 0, 0), (0.4, -0.4, 1)), 3
            ),
        ]
    )
    surfaces = [
        Surface(
            ((1.0, 1.0, 1.0), (0.0, 1.0, 0.0)), 1.0, 0, two.face_materials,
            Covering((levels_of(red), None), two),
        ),
        Surface(((1.0, 1.0, 1.0),), 1.0, 1),
        Surface(((0.0, 0.0, 1.0),), 0.5, 2),
    ]  # fmt: skip
    camera = Camera.look_at((0, 0, 5), (0.001, 0, 0), width=1, height=1)

    def colour_at(x, y):
        pose = camera.pose.copy()
        pose[:3, 3] = x, y, 5
        return seen(scene, surfaces, camera.moved(pose)).light[0, 0]

    np.testing.assert_allclose(colour_at(0.9, -0.9), (1, 0, 0), atol=1e-6)
    np.testing.assert_allclose(colour_at(-0.9, 0.9), (0, 1, 0), atol=1e-6)
    np.testing.assert_allclose(colour_at(3, 0), (1, 1, 1), atol=1e-6)
    np.testing.assert_allclose(colour_at(0.4, -0.5), (0.5, 0, 0.5), atol=1e-6)
    assert seen(scene, surfaces, camera).instance is not None


def test_pictures_that_tint_leave_images_out():
    _, covering = plate(np.zeros((2, 2, 3), np.uint8))
    look = Look.from_surfaces([Surface(((1.0, 1.0, 1.0),), covering=covering)])
    assert list(look.coverings) == [0]
    assert not look.tinted({}).coverings


def test_triangles_without_an_area_have_their_first_corner():
    image = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    line = Mesh(
        [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)], (Material(),), None,
        [[(0.25, 0.25), (0.75, 0.75), (0.75, 0.25)]],
    )  # fmt: skip
    covering = Covering((levels_of(image),), line)
    found = covering.colours(np.array([(0.5, 0, 0)]), np.array([0]), np.ones(1))
    np.testing.assert_allclose(found[0], image[1, 0] / 255, atol=1e-6)


def test_meshes_say_whether_they_have_images():
    texture = Texture("a", b"")
    box = box_mesh((1, 1, 1))
    laid = np.zeros((len(box.faces), 3, 2))
    for materials, places, expected in (
        ((Material(texture=texture),), laid, True),
        ((Material(texture=texture),), None, False),
        ((Material(),), laid, False),
    ):
        mesh = Mesh(box.vertices, box.faces, materials, None, places)
        assert mesh.is_textured is expected
