"""The packed world of an environment follows its bodies."""

import numpy as np
import pytest

import pyrave
from pyrave import NotFoundError
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    LinkDescription,
    Sphere,
    body_from_boxes,
)
from pyrave.world import COLLISION, VISUAL

BOX = GeometryDescription(Box((0.1, 0.1, 0.1)))
BALL = GeometryDescription(Sphere(0.2))


@pytest.fixture
def env():
    made = pyrave.Environment()
    for k in range(3):
        made.create_body(
            body_from_boxes(f"box{k}", [(k, 0.0, 0.0, 0.1, 0.1, 0.1)], static=False)
        )
    return made


def test_ids_are_never_used_again_and_kept_by_clones(env):
    assert [body.id for body in env.bodies] == [0, 1, 2]
    removed = env.bodies["box1"]
    geometry = removed.links[0].geometries[0]
    assert (removed.links[0].id, geometry.id) == (1, 1)
    env.remove(removed)
    assert (removed.id, removed.links[0].id, geometry.id) == (-1, -1, -1)
    env.add(removed)
    assert (removed.id, removed.links[0].id, geometry.id) == (3, 3, 3)
    twin = env.clone()
    for name in ("box0", "box1", "box2"):
        ours, theirs = env.bodies[name], twin.bodies[name]
        assert ours.id == theirs.id
        assert ours.links[0].id == theirs.links[0].id
    twin.create_body(body_from_boxes("new", [(0.0, 0.0, 0.0, 0.1, 0.1, 0.1)]))
    assert twin.bodies["new"].id == 4


def test_ids_of_geometries_are_kept_by_edits(env):
    body = env.create_body(
        BodyDescription("two", links=(LinkDescription("a", geometries=(BOX, BALL)),))
    )
    link = body.links[0]
    box, ball = link.geometries
    ids = box.id, ball.id
    box.edit(shape=Box((0.3, 0.3, 0.3)))
    assert (link.geometries[0].id, link.geometries[1].id) == ids
    added = link.add_geometry(BOX)
    assert added.id not in ids
    assert (link.geometries[0].id, link.geometries[1].id) == ids
    world = env.world
    rows = world.geometries_of(body.id)
    assert world.tables.geometries.id[rows].tolist() == [*ids, added.id]


def test_the_world_is_as_the_bodies_are(env):
    world = env.world
    version = world.version
    assert [env.bodies[k].id in world for k in range(3)] == [True] * 3
    body = env.bodies["box1"]
    body.transform = (1, 0, 0, 0, 4.0, 5.0, 6.0)
    changes = env.world.changes_since(version)
    assert changes.moved == (1,)
    assert not changes.added
    assert not changes.masked
    assert not changes.reshaped
    np.testing.assert_array_equal(
        world.tables.links.poses[world.links_of(1)], body.link_transforms
    )
    version = changes.version
    body.links[0].enabled = False
    body.links[0].geometries[0].visible = False
    changes = env.world.changes_since(version)
    assert changes.masked == (1,)
    assert not changes.moved
    assert not changes.reshaped
    assert world.tables.links.enabled[world.links_of(1)].tolist() == [0]
    assert world.tables.geometries.mask[world.geometries_of(1)].tolist() == [COLLISION]
    version = changes.version
    body.links[0].geometries[0].edit(shape=Sphere(0.5))
    env.remove("box0")
    changes = env.world.changes_since(version)
    assert changes.reshaped == (1,)
    assert changes.removed == (0,)
    # two looks without a change are one version
    assert env.world.version == changes.version


def test_a_state_that_is_put_back_is_seen(env):
    body = env.bodies["box2"]
    with body.preserve_state():
        body.transform = (1, 0, 0, 0, 4.0, 5.0, 6.0)
        body.enabled = False
        assert env.world.tables.links.enabled[env.world.links_of(2)].tolist() == [0]
    world = env.world
    assert world.tables.links.enabled[world.links_of(2)].tolist() == [1]
    np.testing.assert_array_equal(
        world.tables.links.poses[world.links_of(2)], body.link_transforms
    )


def test_switching_a_link_builds_nothing(env, monkeypatch):
    down = ((0.0, 0.0, 5.0), [(0.0, 0.0, -1.0)])
    assert env.raycast(*down).id.tolist() == [0]
    from pyrave.geometry import raysolids

    def built(*_):
        raise AssertionError("the tree was built again")

    monkeypatch.setattr(raysolids.RaySolids, "_build", built)
    env.bodies["box0"].enabled = False
    assert env.raycast(*down).id.tolist() == [-1]
    assert env.raycast(*down, surfaces="all").id.tolist() == [0]
    env.bodies["box0"].enabled = True
    env.bodies["box0"].transform = (1, 0, 0, 0, 0.0, 0.0, 1.0)
    np.testing.assert_allclose(env.raycast(*down).distance, [3.9])
    env.bodies["box0"].visible = False
    assert env.raycast(*down, surfaces="visual").id.tolist() == [-1]
    assert env.raycast(*down).id.tolist() == [0]


def test_masks_say_what_is_shown(env):
    world = env.world
    assert world.tables.geometries.mask.tolist() == [COLLISION | VISUAL] * 3
    env.bodies["box0"].links[0].geometries[0].diffuse_color = (1.0, 0.5, 0.0)
    env.bodies["box0"].links[0].geometries[0].transparency = 0.25
    colour = env.world.tables.geometries.colour[world.geometries_of(0)]
    assert colour.tolist() == [[1.0, 0.5, 0.0, 0.75]]


def test_hits_and_published_states_carry_ids(env):
    origins = [(k, 0.0, 5.0) for k in (0.0, 2.0, 9.0)]
    hits = env.raycast(origins, [(0.0, 0.0, -1.0)] * 3)
    first = env.bodies["box0"].links[0].geometries[0].id
    last = env.bodies["box2"].links[0].geometries[0].id
    assert hits.id.tolist() == [0, 2, -1]
    assert hits.geometry_id.tolist() == [first, last, -1]
    env.remove("box0")
    assert hits.geometry_id.tolist() == [first, last, -1]
    env.publish()
    assert [body.id for body in env.published.bodies] == [1, 2]
    # ids are no indices once a body is gone
    assert env.raycast(origins, [(0.0, 0.0, -1.0)] * 3).id.tolist() == [-1, 2, -1]
    assert env.body_of_id(2) is env.bodies["box2"]
    with pytest.raises(NotFoundError, match="body id '0'"):
        env.body_of_id(0)
