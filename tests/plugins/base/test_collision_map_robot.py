"""CollisionMapRobot: maps of two joints, as ``<collisionmap>`` says them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import pyrave
from pyrave import CollisionReport
from pyrave.errors import ArgumentError, SceneError
from pyrave_base.collision_map_robot import CollisionMap, JointPairMap

BODY = """<kinbody>
<body name="a"><geom type="box"><extents>.1 .1 .1</extents></geom></body>
<body name="b"><translation>1 0 0</translation>
<geom type="box"><extents>.1 .1 .1</extents></geom></body>
<body name="c"><translation>2 0 0</translation>
<geom type="box"><extents>.1 .1 .1</extents></geom></body>
<joint name="j" type="hinge"><body>a</body><body>b</body><axis>0 0 1</axis>
<limits>-2 2</limits></joint><joint name="k" type="slider"><body>b</body>
<body>c</body><axis>1 0 0</axis><limits>-5 5</limits></joint></kinbody>"""
MAP = """<collisionmap><pair dims="3 2" min="-1 0" max="1 2" joints="j k">
1 1 <!-- j from -1 to below 0 -->
0 1 1 1</pair></collisionmap>"""


def load(maps=MAP, **options):
    text = f"<robot name='r' type='CollisionMapRobot'>{BODY}{maps}</robot>"
    return pyrave.load_string(text, **options)


@pytest.fixture
def robot():
    return load(strict=True).robots["r"]


def expected(j, k):
    """Return whether the map collides, as OpenRAVE's page has the index operation."""
    if not (-1 <= j <= 1 and 0 <= k <= 2):
        return False
    row, column = int(2 * (j + 1) / 2), int(1 * (k - 0) / 2)
    return (row, column) == (1, 0)


def test_values_that_the_map_forbids_collide(robot):
    rng = np.random.default_rng(3)
    rows = rng.uniform((-1.5, -0.5), (1.5, 2.5), (200, 2))
    rows = np.concatenate((rows, [[0, 0], [0, 2], [1, 0], [-1, 0], [0.999, 1.999]]))
    wanted = [expected(*row) for row in rows]
    assert 10 < sum(wanted) < 150
    checker = robot.env.collision_checker
    assert checker.check_configurations(robot, rows).tolist() == wanted
    for row, collides in zip(rows, wanted, strict=True):
        robot.dof_values = row
        assert robot.check_self_collision() == collides
        assert checker.check_self_collision(robot) == collides
        assert checker.check_self_collision(robot.links["a"]) is False
        assert checker.check_self_collision(robot.links["c"]) == collides
    assert not checker.check_configurations(robot, rows, self_collision=False).any()


def test_reports_name_what_the_joints_move(robot):
    robot.dof_values = (0.5, 1.0)
    found = robot.check_self_collision(report=True)
    (pair,) = found.pairs
    assert (pair.first.link.name, pair.second.link.name) == ("b", "c")
    robot.dof_values = (1.5, 1.0)
    report = CollisionReport()
    assert not robot.env.collision_checker.check_self_collision(robot, report)
    assert report.pairs == []


def test_solids_count_as_before(robot):
    robot.dof_values = (1.5, -1.95)  # c on a
    found = robot.check_self_collision(report=True)
    assert [
        side.link.name for side in (found.pairs[0].first, found.pairs[0].second)
    ] == [*"ac"]


def test_plans_go_around_what_maps_forbid(robot):
    robot.dof_values = (-0.5, 1.0)
    result = robot.plan([1.5, 1.0], seed=1, timeout=20.0)
    assert result
    motion = result.trajectory
    for time in np.linspace(0.0, motion.duration, 200):
        robot.dof_values = motion.sample(time)[:2]
        j, k = robot.dof_values
        assert not (0.05 < j < 0.95 and 0.05 < k < 1.95)  # but for steps of checks
    assert not robot.plan([0.5, 1.0], seed=0, timeout=5.0)


def test_copies_and_files_keep_the_maps(robot, tmp_path):
    robot.env.save(tmp_path / "saved.env.xml")
    others = [
        robot.env.clone(),
        pickle.loads(pickle.dumps(robot.env)),  # noqa: S301
        pyrave.load(tmp_path / "saved.env.xml", strict=True),
    ]
    for env in others:
        other = env.robots["r"]
        assert other.readables["collisionmap"] == robot.readables["collisionmap"]
        other.dof_values = (0.5, 1.0)
        assert other.check_self_collision()
        other.dof_values = (-0.5, 1.0)
        assert not other.check_self_collision()


def test_maps_are_data_of_descriptions(robot):
    table = JointPairMap(("j", "k"), (-1.0, 0.0), (1.0, 2.0), ("0",))
    robot.set_readable("collisionmap", CollisionMap((table,)))
    robot.dof_values = (-0.5, 1.0)
    assert robot.check_self_collision()
    for rows, message in (
        (("01", "0"), "rows of different lengths"),
        (("2",), "other"),
    ):
        with pytest.raises(ArgumentError, match=message):
            JointPairMap(("j", "k"), (-1.0, 0.0), (1.0, 2.0), rows)


def test_unknown_joints_are_told(caplog):
    env = load(MAP.replace('joints="j k"', 'joints="j kk"'))
    assert "no joint 'kk' with one degree of freedom, did you mean 'k'?" in caplog.text
    env.robots["r"].dof_values = (0.5, 1.0)
    assert not env.robots["r"].check_self_collision()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"3 2"', '"3 3"'), "a map of '3 3' has 6 values, expected 0 or 1 for each"),
        (('"3 2"', '"3"'), "dims is '3', expected two numbers"),
        (('"-1 0"', '"-1 x"'), "min is '-1 x', expected two numbers"),
        (('"1 2"', '"1 0"'), r"the maximum \(1.0, 0.0\) is not above the minimum"),
        (('"j k"', '"j"'), "joints is 'j', expected the names of two joints"),
        (("0 1 1 1<", "0 1 2 1<"), "has 6 values, expected 0 or 1"),
    ],
)
def test_wrong_maps_are_refused_where_they_stand(change, message):
    with pytest.raises(SceneError, match=message) as told:
        load(MAP.replace(*change))
    assert told.value.first.line is not None


def test_other_tags_in_maps_are_told():
    env = load(MAP.replace("<pair", "<joint/><pair"))
    (problem,) = env.problems
    assert problem.message == "<joint> says nothing here, expected <pair>"
