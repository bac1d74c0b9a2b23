"""The native checker: its broad phase, its batches, and what it keeps of a world."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from arms import PUMA, arm_xml, screws_of
from planning_scenes import plane_of, wall
from solid_meshes import torus

import pyrave
from pyrave.collision import PackedWorldChecker
from pyrave.geometry import workers
from pyrave.interfaces import CollisionCheckerBase
from pyrave.jit import KernelModule
from pyrave.jit.bundles import ArrayBundle
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    LinkDescription,
    MeshData,
    Pose,
    Sphere,
    TriMesh,
)
from pyrave_collision import native
from pyrave_collision.broad_phase import FEW


def one_body(name, shape, place):
    geometry = GeometryDescription(shape=shape)
    link = LinkDescription("base", geometries=(geometry,))
    pose = Pose(translation=tuple(map(float, place)))
    return BodyDescription(name, links=(link,), pose=pose)


def at(place):
    pose = np.eye(4)
    pose[:3, 3] = place
    return pose


def crowd(count, seed=0, size=10.0):
    """Return an environment of balls and boxes at random places."""
    env, rng = pyrave.Environment(), np.random.default_rng(seed)
    for k, place in enumerate(rng.uniform(-0.5 * size, 0.5 * size, (count, 3))):
        shape = Sphere(0.3) if k % 2 else Box((0.3, 0.2, 0.1))
        env.create_body(one_body(f"body{k}", shape, place))
    return env


def pairs_of(env):
    """Return the names of all pairs that the checker finds."""
    names = [body.name for body in env.bodies]
    found = set()
    for body in env.bodies:
        others = set()
        with env.collision_checker.options(pyrave.CollisionOptions.ALL_LINK_COLLISIONS):
            report = pyrave.CollisionReport()
            env.collision_checker.check_collision(body, report=report)
            others = {pair.second.body_name for pair in report.pairs}
        assert env.check_collision(body) == bool(others)
        found |= {frozenset((body.name, other)) for other in others}
    assert set().union(*found, set()) <= set(names)
    return found


def near(env, place, radius):
    """Return the bodies that a ball may meet: none of `crowd` reaches beyond 0.4."""
    bodies = list(env.bodies)
    places = np.array([body.transform[:3, 3] for body in bodies])
    within = np.linalg.norm(places - place, axis=1) < radius + 0.4
    return [bodies[k] for k in np.flatnonzero(within)]


def pairs_one_by_one(env):
    return {
        frozenset((one.name, other.name))
        for one in env.bodies
        for other in near(env, one.transform[:3, 3], 4.0 if one.name == "new" else 0.4)
        if other != one and env.check_collision(one, other)
    }


@pytest.mark.parametrize("count", [FEW // 8, FEW + 44])
def test_the_broad_phase_misses_nothing(count):
    env, rng = crowd(count, size=1.7 * count ** (1 / 3)), np.random.default_rng(1)
    first = pairs_of(env)
    assert first
    assert first == pairs_one_by_one(env)
    # movers are listed, then the tree is fitted again
    for turn in range(2):
        for body in list(env.bodies)[turn::2]:
            pose = np.eye(4)
            pose[:3, 3] = rng.uniform(-5.0, 5.0, 3)
            body.transform = pose
            env.check_collision(body)
        assert pairs_of(env) == pairs_one_by_one(env)
    env.remove("body3")
    env.create_body(one_body("new", Sphere(4.0), (0, 0, 0)))
    found = pairs_of(env)
    assert found == pairs_one_by_one(env)
    assert any("new" in pair for pair in found)


@pytest.mark.parametrize("count", [FEW // 8, FEW + 44])
def test_the_nearest_is_found_in_any_crowd(count):
    env = crowd(count, 3, size=20.0)
    checker = env.collision_checker
    probe = env.create_body(one_body("probe", Sphere(0.1), (0, 0, 0)))
    rng = np.random.default_rng(2)
    with checker.options(pyrave.CollisionOptions.DISTANCE):
        for place in rng.uniform(-15.0, 15.0, (12, 3)):
            probe.transform = [1, 0, 0, 0, *place]
            report = pyrave.CollisionReport()
            checker.check_collision(probe, report=report)
            each = []
            for body in env.bodies:
                if body is not probe:
                    alone = pyrave.CollisionReport()
                    checker.check_collision(probe, body, report=alone)
                    each.append((alone.min_distance, body.name))
            least, name = min(each)
            assert report.min_distance == pytest.approx(least, abs=1e-12)
            assert report.nearest[1].body_name == name
            first, second = report.nearest_points
            assert np.linalg.norm(second - first) == pytest.approx(abs(least), abs=1e-9)


@pytest.mark.parametrize("count", [40, FEW + 44])
def test_a_body_of_many_solids_meets_what_its_solids_meet(count):
    """Neighbours of solids that follow each other are found together."""
    env, rng = crowd(count, size=1.4 * count ** (1 / 3)), np.random.default_rng(2)
    places = np.cumsum(rng.normal(0.0, 0.15, (21, 3)), axis=0)
    balls = [
        GeometryDescription(Sphere(0.05), pose=Pose(translation=tuple(place.tolist())))
        for place in places
    ]
    links = (LinkDescription("base", geometries=tuple(balls)),)
    snake = env.create_body(BodyDescription("snake", links=links))
    probe = env.create_body(one_body("probe", Sphere(0.05), (0.0, 0.0, 99.0)))
    answers = []
    options = pyrave.CollisionOptions.ALL_LINK_COLLISIONS
    for _ in range(12):
        start, expected = rng.uniform(-0.7, 0.7, 3) * count ** (1 / 3), set()
        for place in places + start:
            probe.transform = at(place)
            expected |= {
                body.name
                for body in near(env, place, 0.05)
                if body not in (snake, probe) and env.check_collision(probe, body)
            }
        probe.transform, snake.transform = at((99.0, 0.0, 0.0)), at(start)
        report = pyrave.CollisionReport()
        with env.collision_checker.options(options):
            env.collision_checker.check_collision(snake, report=report)
        assert {pair.second.body_name for pair in report.pairs} == expected
        assert env.check_collision(snake) == bool(expected)
        answers.append(bool(expected))
    assert 0 < sum(answers) < len(answers)


@pytest.mark.parametrize("other", ["mesh", "ball"])
def test_contacts_of_meshes_look_out_of_the_first(other):
    env = pyrave.Environment()
    ring = torus(large=0.5, small=0.1)
    made = TriMesh(MeshData(ring.vertices, ring.faces))
    first = env.create_body(one_body("ring", made, (0, 0, 0)))
    shape = made if other == "mesh" else Sphere(0.2)
    # the rim is at 0.6 along x
    place = (1.15, 0, 0) if other == "mesh" else (0.75, 0, 0)
    second = env.create_body(one_body("other", shape, place))
    checker = env.collision_checker
    with checker.options(pyrave.CollisionOptions.ALL_GEOMETRY_CONTACTS):
        for one, two, sign in ((first, second, 1.0), (second, first, -1.0)):
            report = pyrave.CollisionReport()
            assert checker.check_collision(one, two, report=report)
            (pair,) = report.pairs
            deepest = pair.contacts[0]
            assert 0.0 < deepest.depth < 0.1
            assert deepest.normal @ [sign, 0, 0] > 0.7
            np.testing.assert_allclose(deepest.position, [0.58, 0, 0], atol=0.2)
            depths = [one.depth for one in pair.contacts]
            assert depths == sorted(depths, reverse=True)


def test_links_are_switched_by_a_mask():
    env = crowd(2 * FEW, 5, size=4.0)
    before = pairs_of(env)
    name = min(next(iter(before)))
    env.bodies[name].links[0].enabled = False
    after = pairs_of(env)
    assert after == {pair for pair in before if name not in pair}
    env.bodies[name].links[0].enabled = True
    assert pairs_of(env) == before


def test_clones_and_pickles_have_a_checker_of_their_own():
    env = crowd(40, 7, size=5.0)
    before = pairs_of(env)
    for other in (env.clone(), pickle.loads(pickle.dumps(env))):  # noqa: S301
        assert other.collision_checker is not env.collision_checker
        assert other.collision_checker.interface_id == "Native"
        assert pairs_of(other) == before
        other.bodies["body0"].transform = [1, 0, 0, 0, 100, 0, 0]
    assert pairs_of(env) == before


@pytest.fixture
def kitchen():
    """An arm with balls on its links, which holds a box, among obstacles."""
    env = pyrave.Environment()
    env.load_string(arm_xml(*screws_of(PUMA)))
    robot = env.robots[0]
    for link in robot.links[1:]:
        link.add_geometry(GeometryDescription(shape=Sphere(0.06)))
    rng = np.random.default_rng(11)
    for k, place in enumerate(rng.uniform(-1.0, 1.0, (12, 3))):
        env.create_body(one_body(f"box{k}", Box((0.1, 0.05, 0.2)), place))
    tool = robot.manipulators[0].end_effector
    held = one_body("held", Box((0.02, 0.02, 0.2)), tool.transform[:3, 3])
    robot.grab(env.create_body(held), tool)
    return env, robot


@pytest.mark.parametrize("sides", [(True, True), (True, False), (False, True)])
def test_batches_equal_one_after_the_other(kitchen, sides, monkeypatch):
    env, robot = kitchen
    checker = env.collision_checker
    rows = np.random.default_rng(4).uniform(-3.0, 3.0, (200, robot.dof))
    environment, self_collision = sides
    options = {"environment": environment, "self_collision": self_collision}
    monkeypatch.setattr("pyrave_collision.configurations.core_count", lambda: 3)
    monkeypatch.setattr("pyrave_collision.configurations._ALONE", -1.0)
    before = robot.link_transforms
    found = checker.check_configurations(robot, rows, **options)
    expected = CollisionCheckerBase.configuration_hits(checker, robot, rows, **options)
    assert (found == expected).all()
    assert found.sum() < len(rows)
    assert found.any() or not environment
    np.testing.assert_array_equal(robot.link_transforms, before)
    assert (checker.check_configurations(robot, rows[:3], **options) == found[:3]).all()
    robot.release_all()
    env.bodies["held"].transform = [1, 0, 0, 0, 50, 0, 0]
    again = checker.check_configurations(robot, rows, **options)
    assert (again <= found).all()


@pytest.mark.parametrize("sides", [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("way", [1e-6, 0.01, 0.5, 6.0])
def test_neighbours_looked_at_together_equal_each_alone(kitchen, sides, way):
    env, robot = kitchen
    checker, rng = env.collision_checker, np.random.default_rng(8)
    environment, self_collision = sides
    options = {"environment": environment, "self_collision": self_collision}
    rows = []
    for _ in range(12):
        start, direction = rng.uniform(-3.0, 3.0, robot.dof), rng.normal(size=robot.dof)
        # the last ways cross the surfaces of what is in the way
        rows.append(start + np.linspace(0.0, way, 60)[:, None] * direction)
    for path in rows:
        alone = [checker.check_configurations(robot, q[None], **options) for q in path]
        found = checker.check_configurations(robot, path, **options)
        np.testing.assert_array_equal(found, np.concatenate(alone))
    every = checker.check_configurations(robot, np.concatenate(rows), **options)
    assert not every.all()
    assert every.any() or not environment


def test_distances_of_batches_equal_one_after_the_other(kitchen):
    env, robot = kitchen
    checker = env.collision_checker
    rows = np.random.default_rng(14).uniform(-3.0, 3.0, (80, robot.dof))
    found = checker.distances(robot, rows)
    expected = CollisionCheckerBase.configuration_distances(
        checker, robot, rows, environment=True, self_collision=True
    )
    np.testing.assert_allclose(found, expected, atol=1e-12)
    hits = checker.check_configurations(robot, rows)
    assert ((found <= 0.0) == hits).all()
    reports = checker.distances(robot, rows[:3], report=True)
    np.testing.assert_allclose([one.distance for one in reports], found[:3], atol=1e-12)


def test_the_compiled_form_answers_as_the_checker(kitchen):
    env, robot = kitchen
    checker = env.collision_checker
    compiled = checker.compiled(robot)
    rows = np.random.default_rng(9).uniform(-3.0, 3.0, (60, robot.dof))
    expected = checker.check_configurations(robot, rows)
    for values, hit in zip(rows, expected, strict=True):
        robot.dof_values = values
        assert compiled(np.array(robot.link_transforms)) == hit
    assert expected.any()


def test_batches_ask_callbacks(kitchen):
    env, robot = kitchen
    rows = np.random.default_rng(4).uniform(-3.0, 3.0, (60, robot.dof))
    found = env.collision_checker.check_configurations(robot, rows)
    with env.on_collision(lambda report: pyrave.CollisionAction.IGNORE):
        assert not env.collision_checker.check_configurations(robot, rows).any()
    assert found.any()


def test_batches_see_what_moved(kitchen):
    env, robot = kitchen
    checker = env.collision_checker
    rows = np.random.default_rng(6).uniform(-3.0, 3.0, (50, robot.dof))
    before = checker.check_configurations(robot, rows, self_collision=False)
    for k in range(12):
        env.bodies[f"box{k}"].transform = [1, 0, 0, 0, 50 + k, 0, 0]
    assert before.any()
    assert not checker.check_configurations(robot, rows, self_collision=False).any()
    with pytest.raises(pyrave.ArgumentError, match="configurations"):
        checker.check_configurations(robot, rows[:, :-1])


def test_motions_are_steps_of_a_batch(kitchen):
    env, robot = kitchen
    checker = env.collision_checker
    rng = np.random.default_rng(8)
    starts, ends = rng.uniform(-2.0, 2.0, (2, 10, robot.dof))
    found = checker.check_motions(robot, starts, ends, 0.05)
    for start, end, first in zip(starts, ends, found, strict=True):
        way = robot.subtract_dof_values(end, start)
        steps = max(int(np.ceil(np.abs(way).max() / 0.05)), 1)
        times = np.linspace(0.0, 1.0, steps + 1)
        hits = checker.check_configurations(robot, start + times[:, None] * way)
        assert first == (times[np.argmax(hits)] if hits.any() else np.inf)
    assert np.isfinite(found).any()
    assert np.isinf(found).any()


def test_it_is_a_checker_of_the_packed_world():
    env = pyrave.Environment()
    assert isinstance(env.collision_checker, PackedWorldChecker)
    assert workers.core_count() >= 1


# -- bundles -------------------------------------------------------------------------


def test_bundles_give_kernels_their_arrays(tmp_path, monkeypatch):
    folder = tmp_path / "bundlepackage" / "kernels"
    folder.mkdir(parents=True)
    for path in (folder.parent, folder):
        (path / "__init__.py").write_text("")
    (folder / "sums.py").write_text(
        "from pyrave.jit.bundles import f64_2, i32_1, u8_1\n"
        "JIT_NO_ARRAYS = ('total',)\n"
        "def total(bundle):\n"
        "    a, b, c = f64_2(bundle, 0), i32_1(bundle, 1), u8_1(bundle, 2)\n"
        "    s = 0.0\n"
        "    for i in range(a.shape[0]):\n"
        "        for j in range(a.shape[1]):\n"
        "            s += a[i, j] * b[j]\n"
        "    a[0, 0] = -1.0\n"
        "    return s + c.shape[0]\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYRAVE_CACHE_DIR", str(tmp_path / "cache"))
    module = KernelModule("bundlepackage.kernels.sums")
    for form in (module.python, module.jit):
        a = np.arange(6.0).reshape(2, 3)
        b = np.array([1, 10, 100], np.int32)
        bundle = ArrayBundle((a, b, np.empty(0, np.uint8)))
        assert form.total(bundle.table) == 210.0 + 543.0
        assert a[0, 0] == -1.0
    with pytest.raises(ValueError, match="C-contiguous"):
        ArrayBundle((np.zeros((3, 2)).T,))


class Costs:
    """Stands for a kernel, which is interpreted; keeps what its calls would cost."""

    function = None

    def __init__(self, kernel):
        self.python = kernel.python
        self.asked = []

    def auto(self, cost):
        self.asked.append(cost)
        return self.python


@pytest.mark.parametrize(("meshes", "dear"), [(0, False), (1, True), (2, True)])
def test_few_contacts_of_meshes_are_worth_compiling(monkeypatch, meshes, dear):
    mesh = torus()
    ring = TriMesh(MeshData(mesh.vertices, mesh.faces))
    shapes = [ring] * meshes + [Sphere(2.0)] * (2 - meshes)
    env = pyrave.Environment()
    # there is a mesh in any case: the same kernel is for both
    env.create_body(one_body("far", ring, (50, 0, 0)))
    one, two = (
        env.create_body(one_body(f"body{k}", shape, (0.3 * k, 0, 0)))
        for k, shape in enumerate(shapes)
    )
    costs = Costs(native._ANY.pair_contacts)
    monkeypatch.setattr(native._ANY, "pair_contacts", costs)
    with env.collision_checker.options(pyrave.CollisionOptions.CONTACTS):
        report = env.check_collision(one, two, report=True)
    assert report.pairs[0].contacts
    (cost,) = costs.asked
    assert (cost > 50.0) is dear


def test_batches_carry_what_is_held_where_it_is_in_the_hand():
    env, ball = plane_of(wall("wall", (0.1, 0.3, 0.5), (0.6, 0.3, 0.0)))
    env.collision_checker = "Native"
    ball.dof_values = (0.1, 0.3)
    box = env.create_body(one_body("box", Box((0.05,) * 3), (0.25, 0.3, 0.0)))
    ball.grab(box, ball.links["ball"])
    rows = [(0.4, 0.3), (0.2, 0.3), (0.4, -0.3)]
    hits = env.collision_checker.check_configurations(ball, rows)
    assert hits.tolist() == [True, False, False]
