"""Views of cameras of a ray scene, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pyrave.errors import ArgumentError
from pyrave.geometry import (
    Camera,
    Lamp,
    Lens,
    Lighting,
    Look,
    RayInstance,
    RayScene,
    Surface,
    Surroundings,
    box_mesh,
    view,
)
from pyrave.geometry.kernels import shading as plain
from pyrave.jit import KernelModule
from pyrave.scene import Box, Sphere
from pyrave_sensors.optics.lens import DistortedLens

DARK = Lighting((), ambient=0, sky=0, head=0, shadows=False, background=(0, 0, 0))


def at(x, y, z):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def around(instances, surfaces=None, **changes):
    scene = RayScene(instances)
    surfaces = surfaces or [Surface(((1.0, 1.0, 1.0),), group=i) for i in range(9)]
    lighting = Lighting(**{name: getattr(DARK, name) for name in FIELDS} | changes)
    return Surroundings(scene, Look.from_surfaces(surfaces[: len(scene)]), lighting)


FIELDS = ("lamps", "ambient", "sky", "ground", "head", "shadows", "background")
CAMERA = Camera(np.eye(4), 41, 31, Lens(40, 40, 20, 15))


def middle(light):
    return light[15, 20]


def test_tinted_instances_have_one_opaque_colour():
    mesh = box_mesh((1, 1, 1))
    faces = np.arange(len(mesh.faces), dtype=np.int32) % 2
    glass = Surface(((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)), 0.3, 7, faces)
    look = Look.from_surfaces((glass, Surface(((0.7, 0.8, 0.9),)), glass))
    before = look.table.copy()
    tinted = look.tinted({2: (1.0, 0.0, 0.0), 1: (0.0, 1.0, 0.0)})
    np.testing.assert_array_equal(tinted.table[tinted.base[2]], (1, 0, 0, 1))
    np.testing.assert_array_equal(tinted.table[tinted.base[1]], (0, 1, 0, 1))
    np.testing.assert_array_equal(tinted.face_begin, (0, -1, -1))
    np.testing.assert_array_equal(tinted.translucent, (True, False, False))
    np.testing.assert_array_equal(tinted.groups, look.groups)
    np.testing.assert_array_equal(look.face_begin, (0, -1, len(faces)))
    np.testing.assert_array_equal(look.table, before)


def test_others_become_greyer_where_some_are_tinted():
    look = Look.from_surfaces(
        (Surface(((1.0, 0.0, 0.0),), 0.3), Surface(((0.5, 0.5, 0.5),)))
    )
    red, grey = look.tinted({}).table
    assert 0.2 < red[0] < 0.5, "as dark as red"
    assert 0 < red[1] == red[2] < red[0]
    assert red[3] == 0.3
    np.testing.assert_allclose(grey, (0.5, 0.5, 0.5, 1), atol=1e-12)


@pytest.mark.parametrize("model", ["", "plumb_bob", "equidistant"])
def test_depth_distance_and_normals_of_a_ball(model):
    lens = DistortedLens(40, 40, 20, 15, model=model, coefficients=(-0.1, 0.01))
    camera = Camera(np.eye(4), 41, 31, lens)
    centre, radius = np.array((0.1, -0.05, 3.0)), 0.8
    seen = view(
        around([RayInstance(Sphere(radius), at(*centre))]),
        camera,
        {"depth", "distance", "normal", "instance"},
    )
    rays = lens.unproject(np.stack(np.meshgrid(np.arange(41.0), np.arange(31.0)), -1))
    along = rays @ centre
    inside = radius**2 - (centre @ centre - along**2)
    hit = inside > 0
    assert 0.1 < hit.mean() < 0.9
    expected = np.where(hit, along - np.sqrt(np.where(hit, inside, 0)), np.inf)
    np.testing.assert_allclose(seen.distance, expected, atol=1e-12)
    np.testing.assert_array_equal(seen.instance, np.where(hit, 0, -1))
    np.testing.assert_allclose(seen.depth[hit], (expected * rays[..., 2])[hit])
    assert np.isinf(seen.depth[~hit]).all()
    normals = (expected[hit, None] * rays[hit] - centre) / radius
    np.testing.assert_allclose(seen.normal[hit], normals, atol=1e-9)
    assert not seen.normal[~hit].any()
    assert seen.image is None
    assert seen.light is None


def test_a_plane_has_one_depth_and_one_normal_in_the_cameras_frame():
    camera = Camera.look_at((4, 1, 3), (4, 1, 0), width=20, height=12)
    seen = view(
        around([RayInstance(Box((50, 50, 0.5)), at(0, 0, -0.5))]),
        camera,
        {"depth", "normal"},
    )
    np.testing.assert_allclose(seen.depth, 3.0, atol=1e-12)
    np.testing.assert_allclose(
        seen.normal, np.tile((0, 0, -1), (12, 20, 1)), atol=1e-15
    )


def test_light_is_the_cosine_times_the_lamp():
    floor = [RayInstance(Box((9, 9, 0.5)), at(0, 0, 2.5))]
    far = Lamp((3.0, 0.0, -4.0), (0.5, 0.25, 1.0))
    light = view(around(floor, lamps=(far,)), CAMERA, {"light"}).light
    np.testing.assert_allclose(middle(light), np.multiply((0.5, 0.25, 1.0), 0.8), 1e-6)
    near = Lamp((1.0, 0.0, 1.0), (1.0, 1.0, 1.0), far=False)
    light = view(around(floor, lamps=(near,)), CAMERA, {"light"}).light
    np.testing.assert_allclose(middle(light), math.sqrt(0.5), 1e-6)
    # the column at x = 0.5 on the floor, half a metre nearer
    np.testing.assert_allclose(light[15, 30], 1 / math.hypot(0.5, 1), 1e-6)
    head = view(around(floor, head=0.5), CAMERA, {"light"}).light
    np.testing.assert_allclose(head[15, 50 - 20], 0.5 * 2 / math.hypot(0.5, 2), 1e-6)
    behind = Lamp((0.0, 0.0, 1.0))
    assert not view(around(floor, lamps=(behind,)), CAMERA, {"light"}).light.any()


def test_shadows_are_where_something_is_before_the_lamp():
    things = [
        RayInstance(Box((9, 9, 0.5)), at(0, 0, 2.5)),
        RayInstance(Box((0.1, 0.1, 0.1)), at(1, 0, 1)),
    ]
    lamp = Lamp((1.0, 0.0, -1.0), (1.0, 1.0, 1.0))
    shady = view(around(things, lamps=(lamp,), shadows=True), CAMERA, {"light"}).light
    bright = view(around(things, lamps=(lamp,)), CAMERA, {"light"}).light
    assert (middle(shady) == 0).all()
    np.testing.assert_allclose(middle(bright), math.sqrt(0.5), 1e-6)
    np.testing.assert_array_equal(shady[0], bright[0])
    # a lamp between the floor and the box is not in its shadow
    low = Lamp((0.5, 0.0, 1.5), (1.0, 1.0, 1.0), far=False)
    lit = view(around(things, lamps=(low,), shadows=True), CAMERA, {"light"}).light
    np.testing.assert_allclose(middle(lit), math.sqrt(0.5), 1e-6)
    # light comes through what is transparent
    surfaces = [Surface(((1.0,) * 3,)), Surface(((1.0,) * 3,), opacity=0.5, group=1)]
    clear = view(
        around(things, surfaces, lamps=(lamp,), shadows=True), CAMERA, {"light"}
    ).light
    np.testing.assert_allclose(middle(clear), math.sqrt(0.5), 1e-6)


def test_colours_behind_transparent_things_add_up():
    things = [
        RayInstance(Box((0.2, 0.2, 0.1)), at(0, 0, 1)),
        RayInstance(Sphere(0.2), at(0, 0, 2)),
        RayInstance(Box((9, 9, 0.5)), at(0, 0, 4)),
    ]
    surfaces = [
        Surface(((1.0, 0.0, 0.0),), 0.25, 0),
        Surface(((0.0, 1.0, 0.0),), 0.5, 1),
        Surface(((0.0, 0.0, 1.0),), 1.0, 2),
    ]
    light = view(around(things, surfaces, ambient=1.0), CAMERA, {"light"}).light
    np.testing.assert_allclose(middle(light), (0.25, 0.375, 0.375), 1e-6)
    np.testing.assert_allclose(light[0, 0], (0, 0, 1), 1e-6)
    # nothing behind is the background
    light = view(
        around(things[:1], surfaces[:1], ambient=1.0, background=(0, 1, 0)),
        CAMERA,
        {"light"},
    ).light
    np.testing.assert_allclose(middle(light), (0.25, 0.75, 0), 1e-6)


def test_faces_have_colours_of_their_own():
    cube = box_mesh((1, 1, 1))
    toward = np.flatnonzero(cube.face_normals[:, 2] < -0.5)
    faces = np.zeros(len(cube.faces), np.int32)
    faces[toward[0]] = 1
    surface = Surface(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), faces=faces)
    # the first instance moves the rows of the second one's colours
    other = RayInstance(Sphere(0.1), at(50, 0, 0))
    seen = view(
        around(
            [other, RayInstance(cube, at(0, 0, 5))],
            [Surface(((1.0, 1.0, 1.0),)), surface],
            ambient=1.0,
        ),
        Camera(np.eye(4), 41, 31, Lens(60, 60, 20, 15)),
        {"image"},
    )
    colours = {tuple(c) for c in seen.image.reshape(-1, 3).tolist()}
    assert colours == {(0, 0, 0), (255, 0, 0), (0, 0, 255)}


def test_samples_are_averaged_and_threads_do_not_matter():
    things = [RayInstance(Sphere(0.5), at(0, 0, 2))]
    scene = around(things, ambient=0.8)
    fine = Camera(np.eye(4), 82, 62, Lens(80, 80, 40.5, 30.5))
    one = view(scene, fine, {"light"}).light
    four = view(scene, CAMERA, {"light", "image", "instance"}, samples=2, threads=2)
    mean = one.reshape(31, 2, 41, 2, 3).mean(axis=(1, 3))
    np.testing.assert_allclose(four.light, mean, atol=1e-6)
    assert set(np.unique(four.instance)) == {-1, 0}
    again = view(scene, CAMERA, {"light", "image", "instance"}, samples=2, threads=1)
    for name in ("light", "image", "instance"):
        np.testing.assert_array_equal(getattr(four, name), getattr(again, name))
    twice = view(scene, CAMERA, {"image"}, gain=2.0).image
    assert middle(twice).tolist() == [255, 255, 255]


def test_blind_pixels_see_the_background():
    lens = DistortedLens(20, 20, 20, 15, model="plumb_bob", coefficients=(-1.0,))
    camera = Camera(np.eye(4), 41, 31, lens)
    scene = around([RayInstance(Box((99, 99, 1)), at(0, 0, 3))], ambient=1.0)
    seen = view(scene, camera, {"instance", "depth", "light", "normal"})
    blind = np.isnan(camera.local_rays()[..., 2])
    assert 0.1 < blind.mean() < 0.9
    np.testing.assert_array_equal(seen.instance, np.where(blind, -1, 0))
    assert np.isinf(seen.depth[blind]).all()
    assert not seen.light[blind].any()
    assert (seen.light[~blind] == 1).all()


def test_kernels_agree_with_the_interpreter():
    rng = np.random.default_rng(1)
    n, k = 60, 5
    directions = rng.normal(size=(n, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    normal = rng.normal(size=(n, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    table = rng.random((2 * k, 4))
    jit = KernelModule("pyrave.geometry.kernels.shading").jit
    results = []
    for module in (plain, jit):
        through, inside = np.ones(n), np.full(n, -2, np.int32)
        light = np.zeros((n, 3), np.float32)
        lamps = np.array(((0.0, 0, 1, 0, 1, 0.5, 0.2), (1.0, 2, 3, 1, 0.1, 0.2, 0.3)))
        dark = (np.arange(2 * n).reshape(2, n) % 3 == 0).astype(np.uint8)
        rng = np.random.default_rng(2)
        going = module.shade(
            np.zeros(3), directions, rng.random(n), rng.integers(-1, k, n, np.int32),
            rng.integers(0, 4, n, np.int32), normal, table,
            np.arange(0, 2 * k, 2, np.int32), np.array((-1, 0, -1, 4, -1), np.int32),
            rng.integers(0, 2, 8, np.int32), np.arange(k, dtype=np.int32),
            np.array((0.1, 0.3, 0.35, 0.2)), lamps, dark, rng.random((3, 3)),
            through, inside, light,
        )  # fmt: skip
        results.append((going, through, inside, light))
    for one, two in zip(*results, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: view(s, CAMERA, {"image"}, samples=9), "samples is 9"),
        (
            lambda s: view(
                Surroundings(s.scene, Look.from_surfaces(()), DARK), CAMERA, {"image"}
            ),
            "the look is that of 0 instances",
        ),
        (
            lambda s: view(
                Surroundings(s.scene, s.look, Lighting((Lamp((0, 0, 0)),))),
                CAMERA,
                {"image"},
            ),
            "direction",
        ),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ArgumentError, match=message):
        call(around([RayInstance(Sphere(1), at(0, 0, 3))]))


@pytest.mark.parametrize(
    "bent", [{}, {"model": "plumb_bob", "coefficients": (-0.02, 0.01)}]
)
def test_rays_are_the_same_by_rows_and_kept_for_the_second_picture(bent):
    numbers = 40, 40, 200, 15
    lens = DistortedLens(*numbers, **bent) if bent else Lens(*numbers)
    camera = Camera(np.eye(4), 401, 31, lens)
    places = (np.arange(1203) + 0.5) / 3 - 0.5, (np.arange(93) + 0.5) / 3 - 0.5
    expected = lens.unproject(np.stack(np.meshgrid(*places), axis=-1))
    part = camera.local_rays(range(7, 20), 3)
    np.testing.assert_array_equal(part, expected[21:60])
    for is_kept in (bool(bent), True, True):
        whole = camera.local_rays(samples=3)
        np.testing.assert_array_equal(whole, expected)
        assert not whole.flags.writeable
        assert not camera.local_rays(range(9), 3).flags.writeable
        moved = camera.moved(np.eye(4))
        assert np.shares_memory(moved.local_rays(range(2), 3), whole) == is_kept
