"""What `Environment.raycast` can be asked: bodies, surfaces, fields, all crossings."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError
from pyrave.scene import body_from_boxes

DOWN = ((0.0, 0.0, 9.0), (0.0, 0.0, -1.0))


@pytest.fixture
def env():
    env = pyrave.Environment()
    for k, height in enumerate((1.0, 3.0, 5.0)):
        env.create_body(
            body_from_boxes(f"plate{k}", [(0, 0, height, 0.5, 0.5, 0.1)]),
        )
    return env


def test_hits_say_what_they_hit(env) -> None:
    hits = env.raycast([DOWN[0]] * 2, [DOWN[1], (0, 0, 1)])
    assert hits.body_of(0) is env.bodies["plate2"]
    assert hits.link_of(0) is env.bodies["plate2"].links[0]
    assert hits.geometry_of(0) is env.bodies["plate2"].links[0].geometries[0]
    assert hits.body_of(1) is hits.link_of(1) is hits.geometry_of(1) is None
    assert hits.id.tolist() == [2, -1]
    assert hits.geometry_id.tolist() == [hits.geometry_of(0).id, -1]
    assert (hits.geometry_id >= 0).tolist() == [True, False]


def test_one_ray_is_an_array_of_one(env) -> None:
    hits = env.raycast((0, 0, 9), (0, 0, -1))
    np.testing.assert_allclose(hits.distance, [3.9], rtol=1e-12)
    with pytest.raises(ArgumentError, match="directions"):
        env.raycast((0, 0, 9), [(0, 0, -1), (0, 1)])


def test_rays_meet_what_comes_after_the_first_one(env) -> None:
    env.raycast(*DOWN)
    env.create_body(body_from_boxes("lid", [(0, 0, 7.0, 0.5, 0.5, 0.1)]))
    hits = env.raycast((0, 0, 9), (0, 0, -1))
    assert hits.body_of(0) is env.bodies["lid"]
    assert hits.distance[0] == pytest.approx(1.9)
    env.remove("lid")
    assert env.raycast((0, 0, 9), (0, 0, -1)).distance[0] == pytest.approx(3.9)


def test_bodies_and_exclude(env) -> None:
    top, middle, low = env.bodies["plate2"], env.bodies["plate1"], env.bodies["plate0"]

    def first(**options):
        return env.raycast(*DOWN, **options).id.tolist()[0]

    assert first() == 2
    assert first(exclude=[top]) == 1
    assert first(exclude=top) == first(exclude=top.links[0]) == 1
    assert first(exclude=[top.links[0], middle]) == 0
    assert first(bodies=[low]) == 0
    assert first(bodies=[low, middle.links[0]]) == 1
    assert first(bodies=low) == 0
    assert first(bodies=[low, top], exclude=[top]) == 0
    assert first(bodies=[]) == -1
    other = pyrave.Environment()
    stranger = other.create_body(body_from_boxes("plate0", [(0, 0, 0, 1, 1, 1)]))
    assert first(bodies=[stranger]) == -1
    with pytest.raises(ArgumentError, match="bodies holds 3, expected"):
        env.raycast(*DOWN, bodies=[3])
    with pytest.raises(
        ArgumentError, match="exclude holds 3, expected bodies and links"
    ):
        env.raycast(*DOWN, exclude=3)


def test_surfaces(env) -> None:
    top, middle = env.bodies["plate2"], env.bodies["plate1"]
    top.links[0].enabled = False
    middle.links[0].geometries[0].visible = False

    def first(surfaces):
        return env.raycast(*DOWN, surfaces=surfaces).id.tolist()[0]

    assert first("collision") == 1
    assert first("all") == 2
    assert first("visual") == 2
    top.links[0].geometries[0].visible = False
    assert first("visual") == 0
    assert env.raycast(*DOWN, surfaces="visual", bodies=[middle]).id.tolist() == [-1]
    with pytest.raises(ArgumentError, match=r"'visible', expected one of collision"):
        env.raycast(*DOWN, surfaces="visible")


def test_all_crossings_follow_moved_bodies(env) -> None:
    hits = env.raycast_all(*DOWN)
    np.testing.assert_allclose(hits.distance, [3.9, 4.1, 5.9, 6.1, 7.9, 8.1])
    assert [hits.body_of(k).name for k in range(6)] == [
        f"plate{k}" for k in (2, 2, 1, 1, 0, 0)
    ]
    pose = env.bodies["plate1"].transform
    pose[0, 3] = 7.0
    env.bodies["plate1"].transform = pose
    assert env.raycast_all(*DOWN).id.tolist() == [2, 2, 0, 0]
    assert env.raycast_all(*DOWN, bodies=[env.bodies["plate0"]]).id.tolist() == [0, 0]
    assert env.raycast_all(*DOWN, max_range=5.0, min_range=4.0).id.tolist() == [2]


def test_fields_images_and_any_hit(env) -> None:
    x, y = np.meshgrid(np.linspace(-0.1, 0.1, 40), np.linspace(-0.1, 0.1, 30))
    pixels = np.stack((x, y, -np.ones_like(x)), axis=-1)
    image = env.raycast(DOWN[0], pixels, fields=())
    assert image.distance.shape == (30, 40)
    assert image.hit.all()
    assert env.raycast(*DOWN, fields="normal").normal.tolist() == [[0, 0, 1]]
    with pytest.raises(ArgumentError, match=r"no field 'normals', .* mean 'normal'"):
        env.raycast(*DOWN, fields="normals")
    with pytest.raises(ArgumentError, match="no instance"):
        image.body_of((3, 4))
    full = env.raycast(DOWN[0], pixels, fields=("normal",), threads=2)
    assert full.body_of((3, 4)) is env.bodies["plate2"]
    np.testing.assert_array_equal(full.distance, image.distance)
    np.testing.assert_allclose(full.normal[..., 2], 1.0)
    assert env.raycast(DOWN[0], pixels, any_hit=True).hit.all()
    assert not env.raycast(DOWN[0], pixels, any_hit=True, max_range=3.0).hit.any()


def test_hits_keep_what_they_hit_when_the_scene_changes(env) -> None:
    hits = env.raycast(*DOWN)
    body = env.bodies["plate2"]
    env.remove(body)
    assert env.raycast(*DOWN).body_of(0).name == "plate1"
    assert hits.geometry_of(0).description.shape.type == "box"


def test_clones_share_the_trees_of_meshes() -> None:
    from pyrave.geometry import mesh_bvh
    from pyrave.scene import body_from_mesh

    env = pyrave.Environment()
    env.create_body(
        body_from_mesh(
            "wedge",
            vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
            faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
        )
    )
    ray = ((0.2, 0.2, 5.0), (0.0, 0.0, -1.0))
    twin = env.clone()
    assert env.raycast(*ray).distance == twin.raycast(*ray).distance
    one, two = (e.bodies[0].links[0].geometries[0].mesh for e in (env, twin))
    assert mesh_bvh.mesh_tree(one) is mesh_bvh.mesh_tree(two)


@pytest.mark.parametrize("far", [1e39, 1e160, -1e300])
def test_bodies_that_are_absurdly_far_leave_the_others_seen(far):
    env = pyrave.load("scenes/demo.env.xml")
    rays = [[0.0, 0.0, 5.0]], [[0.0, 0.0, -1.0]]
    before = env.raycast(*rays).position
    mug = env.bodies["mug"]
    there, pose = mug.transform, np.eye(4)
    pose[0, 3] = far
    for _ in range(2):
        mug.transform = pose  # it moves, then a scene is built with it there
        np.testing.assert_allclose(env.raycast(*rays).position, before, atol=1e-6)
        assert env.picture(size=(40, 30)).any()
        env = env.clone()
        mug = env.bodies["mug"]
    mug.transform = there
    np.testing.assert_allclose(env.raycast(*rays).position, before, atol=1e-6)
