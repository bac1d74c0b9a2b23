"""Rows of the packed world: what is put in, moved and masked, and what changed."""

import numpy as np
import pytest
from loops import each

from pyrave import ArgumentError, NotFoundError
from pyrave.geometry import RayInstance, RayScene, box_mesh
from pyrave.scene import Box, Capsule, Cylinder, Sphere
from pyrave.spatial import matrix_from_quat
from pyrave.world import (
    COLLISION,
    VISUAL,
    BodyIds,
    Changes,
    PackedSolid,
    PackedWorld,
)

SOLIDS = (
    Box((0.1, 0.2, 0.3)),
    Sphere(0.2),
    Cylinder(0.1, 0.6),
    Capsule(0.1, 0.5),
)


def pose(rng):
    found = np.eye(4)
    quaternion = rng.normal(size=4)
    found[:3, :3] = matrix_from_quat(quaternion / np.linalg.norm(quaternion))
    found[:3, 3] = rng.uniform(-1.0, 1.0, 3)
    return found


class Model:
    """What a packed world should hold, kept in the plainest way."""

    def __init__(self, rng):
        self.rng = rng
        self.world = PackedWorld()
        self.bodies = {}
        self.numbers = [0, 0, 0]
        self.mesh = box_mesh((0.1, 0.1, 0.4))

    def solids(self, n_links):
        made = []
        for _ in range(self.rng.integers(0, 4)):
            kinds = [*SOLIDS, self.mesh]
            solid = kinds[self.rng.integers(len(kinds))]
            link = int(self.rng.integers(n_links))
            mask = int(self.rng.integers(4))
            made.append(PackedSolid(self.numbers[2], link, solid, pose(self.rng), mask))
            self.numbers[2] += 1
        return made

    def add(self):
        n_links = int(self.rng.integers(1, 4))
        ids = BodyIds(self.numbers[0], self.numbers[1], ((),) * n_links)
        self.numbers[0] += 1
        self.numbers[1] += n_links
        poses = np.array([pose(self.rng) for _ in range(n_links)])
        enabled = self.rng.random(n_links) < 0.5
        solids = self.solids(n_links)
        self.world.add(ids, poses, enabled, solids)
        self.bodies[ids.body] = [ids, poses, enabled, solids]
        return ids.body

    def pick(self):
        return int(self.rng.choice(list(self.bodies)))

    def remove(self):
        body = self.pick()
        self.world.remove(body)
        del self.bodies[body]

    def move(self):
        body = self.pick()
        known = self.bodies[body]
        known[1] = np.array([pose(self.rng) for _ in known[1]])
        self.world.move(body, known[1])

    def reshape(self):
        body = self.pick()
        known = self.bodies[body]
        known[3] = self.solids(len(known[1]))
        self.world.reshape(body, known[3])

    def enable(self):
        body = self.pick()
        known = self.bodies[body]
        known[2] = self.rng.random(len(known[1])) < 0.5
        self.world.enable(body, known[2])

    def check(self):
        world, tables = self.world, self.world.tables
        assert len(world) == len(self.bodies)
        assert (tables.bodies.id >= 0).sum() == len(self.bodies)
        assert (tables.links.id >= 0).sum() == sum(
            len(one[1]) for one in self.bodies.values()
        )
        assert (tables.geometries.id >= 0).sum() == sum(
            len(one[3]) for one in self.bodies.values()
        )
        for body, (ids, poses, enabled, solids) in self.bodies.items():
            row, links = world.row_of(body), world.links_of(body)
            assert tables.bodies.id[row] == body
            np.testing.assert_array_equal(tables.links.poses[links], poses)
            np.testing.assert_array_equal(tables.links.enabled[links] == 1, enabled)
            assert tables.links.id[links].tolist() == [
                ids.first_link + k for k in range(len(poses))
            ]
            assert tables.links.node[links].tolist() == list(range(len(poses)))
            assert (tables.links.body[links] == row).all()
            table, rows = tables.geometries, world.geometries_of(body)
            assert rows.stop - rows.start == len(solids)
            for g, one in zip(range(rows.start, rows.stop), solids, strict=True):
                assert table.id[g] == one.geometry
                assert table.body[g] == row
                assert table.link[g] == links.start + one.link
                assert table.mask[g] == one.mask
                wanted = poses[one.link] @ one.T_link_solid
                np.testing.assert_allclose(table.poses[g], wanted, atol=1e-14)
                is_mesh = one.solid is self.mesh
                assert (table.mesh[g] >= 0) == is_mesh
                if is_mesh:
                    assert world.meshes[table.mesh[g]] is self.mesh
                low, high = RayScene([RayInstance(one.solid, wanted)]).bounds()
                np.testing.assert_allclose(table.bounds[g, :3], low[0], atol=1e-14)
                np.testing.assert_allclose(table.bounds[g, 3:], high[0], atol=1e-14)


@each("seed", range(4))
def test_rows_hold_what_bodies_are(seed):
    model = Model(np.random.default_rng(seed))
    model.add()
    acts = [model.add, model.add, model.remove, model.move, model.reshape, model.enable]
    for _ in range(60):
        if model.bodies:
            acts[model.rng.integers(len(acts))]()
        else:
            model.add()
        model.check()


@each("seed", range(4))
def test_who_follows_the_changes_has_the_same_world(seed):
    """An engine that looks now and then, and builds only what it is told of."""
    model = Model(np.random.default_rng(seed))
    model.add()
    acts = [model.add, model.remove, model.move, model.reshape, model.enable]
    version, known = 0, {}
    for _ in range(120):
        if model.bodies:
            acts[model.rng.integers(len(acts))]()
        else:
            model.add()
        if model.rng.random() < 0.6:
            continue
        changes = model.world.changes_since(version)
        version = changes.version
        assert not set(changes.added) & {*changes.moved, *changes.reshaped}
        for body in changes.removed:
            del known[body]
        for body in changes.added:
            known[body] = list(model.bodies[body])
        for part, bodies in ((1, changes.moved), (2, changes.masked)):
            for body in bodies:
                if body in model.bodies:
                    known[body][part] = model.bodies[body][part]
        for body in changes.reshaped:
            known[body][3] = model.bodies[body][3]
        assert known == model.bodies or all(
            all(a is b for a, b in zip(known[k], model.bodies[k], strict=True))
            for k in {*known, *model.bodies}
        )
        assert not model.world.changes_since(version)


def body(number, n_links=1):
    return BodyIds(number, 10 * number, ((),) * n_links)


def test_rows_survive_what_happens_to_others():
    world = PackedWorld()
    eye = np.eye(4)[None]
    solid = PackedSolid(0, 0, SOLIDS[0], np.eye(4))
    for number in range(5):
        world.add(body(number), eye, [True], [solid])
    row, links, solids = world.row_of(3), world.links_of(3), world.geometries_of(3)
    world.remove(1)
    world.reshape(2, [solid, solid])
    for number in range(5, 60):
        world.add(body(number), eye, [True], [solid])
    assert world.row_of(3) == row
    assert world.links_of(3) == links
    assert world.geometries_of(3) == solids
    # a reshaped body with as many solids stays where it is, too
    world.reshape(3, [PackedSolid(7, 0, SOLIDS[1], np.eye(4))])
    assert world.geometries_of(3) == solids
    assert world.tables.geometries.id[solids].tolist() == [7]
    # rows that were given back are used again
    assert len(world.tables.bodies.id) == 59


def test_meshes_are_given_up_with_their_last_solid():
    world = PackedWorld()
    mesh = box_mesh((1.0, 1.0, 1.0))
    solids = [PackedSolid(k, 0, mesh, np.eye(4)) for k in range(2)]
    world.add(body(0), np.eye(4)[None], [True], solids)
    world.add(body(1), np.eye(4)[None], [True], solids[:1])
    assert world.meshes == (mesh,)
    world.remove(0)
    assert world.meshes == (mesh,)
    world.reshape(1, [])
    assert world.meshes == (None,)


def test_looks_are_masks():
    world = PackedWorld()
    solid = PackedSolid(0, 0, SOLIDS[0], np.eye(4), COLLISION | VISUAL)
    world.add(body(0), np.eye(4)[None], [True], [solid])
    version = world.version
    world.paint(0, [COLLISION], [(1.0, 0.0, 0.0, 0.5)])
    assert world.tables.geometries.mask.tolist() == [COLLISION]
    assert world.tables.geometries.colour.tolist() == [[1.0, 0.0, 0.0, 0.5]]
    assert world.changes_since(version) == Changes(world.version, masked=(0,))


def test_too_old_a_version_is_answered_by_all_there_is(monkeypatch):
    monkeypatch.setattr("pyrave.world.packed._REMOVALS", 2)
    world = PackedWorld()
    for number in range(5):
        world.add(body(number), np.eye(4)[None], [True], [])
    version = world.version
    for number in range(3):
        world.remove(number)
    changes = world.changes_since(version)
    assert changes.reset
    assert changes.added == (3, 4)
    later = world.changes_since(version + 1)
    assert not later.reset
    assert later.removed == (1, 2)
    assert world.changes_since(0).added == (3, 4)


def test_wrong_questions_are_refused():
    world = PackedWorld()
    world.add(body(0), np.eye(4)[None], [True], [])
    with pytest.raises(ArgumentError, match="version is 5, expected 0 to 1"):
        world.changes_since(5)
    with pytest.raises(ArgumentError, match="in the packed world already"):
        world.add(body(0), np.eye(4)[None], [True], [])
    with pytest.raises(NotFoundError, match="body id '3'"):
        world.move(3, np.eye(4)[None])
    with pytest.raises(NotFoundError, match="link id '3'"):
        world.link_row(3)
    with pytest.raises(ArgumentError, match=r"shape \(2, 4, 4\), expected \(1, 4, 4\)"):
        world.move(0, np.zeros((2, 4, 4)))
    before = world.tables
    with pytest.raises(ArgumentError, match="sizes"):
        world.reshape(0, [PackedSolid(0, 0, Sphere(-1.0), np.eye(4))])
    assert world.tables is before
