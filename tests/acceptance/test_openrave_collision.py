"""Collision queries against what four checkers of OpenRAVE answered.

Deliberate differences: OpenRAVE's distances are not signed. It takes meshes for
surfaces, and ODE even a cube: pyrave also finds what is inside of a closed one.
"""

from __future__ import annotations

import json
import re

import corpus
import numpy as np
import pytest

import pyrave
from pyrave import CollisionOptions, CollisionReport
from pyrave.errors import Error
from pyrave.scene import (
    BodyDescription,
    Box,
    Cylinder,
    GeometryDescription,
    LinkDescription,
    MeshData,
    Sphere,
    TriMesh,
)

SHARED = corpus.shared_folder()
ROOT = corpus.openrave_root()
pytestmark = pytest.mark.skipif(SHARED is None, reason="the corpus is not here")
CHECKERS = ("Native", "coal")
# what the pairs are made of; the mesh is a cube
SHAPES = {
    "box": Box((0.1, 0.2, 0.3)),
    "sphere": Sphere(0.25),
    "cylinder": Cylinder(0.15, 0.6),
}


def topic(name):
    path = SHARED / "expected" / "openrave_topics" / f"{name}.json"
    return json.loads(path.read_text())


def cube(half):
    corners = [
        (x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)
    ]
    quads = (
        (0, 1, 3, 2),
        (4, 6, 7, 5),
        (0, 4, 5, 1),
        (2, 3, 7, 6),
        (0, 2, 6, 4),
        (1, 5, 7, 3),
    )
    faces = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return TriMesh(MeshData(tuple(corners), tuple(faces)))


def install(env, checker):
    """Let an environment use a checker, or skip the test if it is not installed."""
    try:
        env.collision_checker = checker
    except Error as error:
        pytest.skip(str(error).splitlines()[0])
    return env.collision_checker


@pytest.fixture(scope="module", params=CHECKERS)
def lab(request):
    """Return lab1 with one of the checkers."""
    env = pyrave.Environment()
    install(env, request.param)
    env.load(ROOT / "data" / "lab1.env.xml", resource_roots=[ROOT])
    return env


@pytest.mark.parametrize("checker", CHECKERS)
def test_pairs_of_shapes(checker):
    env = pyrave.Environment()
    install(env, checker)
    shapes = {**SHAPES, "mesh": cube(0.2)}
    for side in "ab":
        for name, shape in shapes.items():
            link = LinkDescription(
                "base", geometries=(GeometryDescription(shape=shape),)
            )
            env.create_body(
                BodyDescription(f"{side} {name}".replace(" ", "_"), links=(link,))
            )
    answers = topic("collision")
    compared = 0
    for fcl, pqp in zip(answers["fcl_"]["pairs"], answers["pqp"]["pairs"], strict=True):
        one, other = env.bodies["a_" + fcl["a"]], env.bodies["b_" + fcl["b"]]
        one.transform, other.transform = np.array(fcl["TA"]), np.array(fcl["TB"])
        assert env.check_collision(one, other) is fcl["collision"] is pqp["collision"]
        distance = env.distance(one, other)
        assert (distance <= 0) is fcl["collision"]
        if not fcl["collision"]:
            # PQP and FCL compare round shapes by triangles, at least of one of them
            round_one = {fcl["a"], fcl["b"]} & {"sphere", "cylinder"}
            least = min(fcl.get("min_distance", 1e20), pqp["min_distance"])
            assert distance == pytest.approx(least, abs=2e-2 if round_one else 1e-6)
            compared += 1
    assert compared > 40


def names(text):
    """Return the pairs of (body, link) in the text of a report of OpenRAVE."""
    found = re.findall(r"<\((\S+) (\S*) ?\)x\((\S+) (\S*) ?\)", text or "")
    return {frozenset(((a, b), (c, d))) for a, b, c, d in found}


def pairs_of(report):
    return {
        frozenset(
            (side.body_name, side.link_name) for side in (pair.first, pair.second)
        )
        for pair in report.pairs
    }


def test_configurations_of_an_arm_in_lab1(lab):
    robot = lab.robots["BarrettWAM"]
    arm = robot.manipulators["arm"].arm_indices
    checker = lab.collision_checker
    answers = topic("collision")
    start = robot.dof_values
    rows = []
    for k, wanted in enumerate(answers["pqp"]["lab1_configs"]):
        values = start.copy()
        values[arm] = wanted["q"]
        rows.append(values)
        robot.set_dof_values(values)
        assert lab.check_collision(robot) is wanted["env"], k
        assert robot.check_self_collision() is wanted["self"], k
        report, own = CollisionReport(), CollisionReport()
        with checker.options(CollisionOptions.ALL_LINK_COLLISIONS):
            checker.check_collision(robot, report=report)
            checker.check_self_collision(robot, own)
        assert pairs_of(report) == names(wanted["report"]), k
        first = names(answers["fcl_"]["lab1_configs"][k]["self_report"])
        assert first <= pairs_of(own), k
    robot.dof_values = start
    hits = checker.check_configurations(robot, rows)
    wanted = [one["env"] or one["self"] for one in answers["pqp"]["lab1_configs"]]
    np.testing.assert_array_equal(hits, wanted)


def test_a_mug_in_the_hand_collides_with_neither_robot_nor_lab(lab):
    known = topic("grab")
    robot, mug = lab.robots["BarrettWAM"], lab.bodies["mug1"]
    (expected,) = known["grabbed_info"]
    with lab.preserve_state():
        mug.transform = robot.links[expected["link"]].transform @ expected["trel"]
        robot.grab(mug)
        (info,) = robot.grabs.info
        assert sorted(info.ignored_links) == sorted(expected["ignore"])
        assert lab.check_collision(robot, mug) is False
        assert lab.check_collision(robot) is known["collision_robot_env"]
        assert robot.check_self_collision() is known["self"]
        # links that touched it when it was grabbed may go on doing so, others not
        others = {pair[0].name for pair in robot.grabs.link_pairs}
        assert others.isdisjoint({*info.ignored_links, *info.touching_links})


def dumps():
    """Yield the files of which OpenRAVE's pairs of links are known."""
    root = SHARED / "expected" / "openrave" if SHARED else None
    for path in sorted(root.rglob("*.json")) if root else ():
        name = path.relative_to(root).as_posix().removesuffix(".json")
        if corpus.LONG or not any(large in name for large in corpus.LARGE):
            yield pytest.param(name, id=name)


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("name", list(dumps()))
def test_links_that_touch_at_zero_are_no_pair_to_check(name, checker):
    path = SHARED / "expected" / "openrave" / f"{name}.json"
    bodies = json.loads(path.read_text()).get("bodies", ())
    if not any(len(body["links"]) > 2 for body in bodies):
        pytest.skip("no body has links that are not adjacent")
    env = pyrave.Environment()
    install(env, checker)
    env.load(ROOT / name, resource_roots=[ROOT])
    for known in bodies:
        body = env.bodies[known["name"]]
        expected = set(map(tuple, map(sorted, known["non_adjacent_links"])))
        found = set(map(tuple, body.non_adjacent_links.tolist()))
        assert expected - found == corpus.NESTED.get(name, set()), body.name
        assert found <= expected, body.name
