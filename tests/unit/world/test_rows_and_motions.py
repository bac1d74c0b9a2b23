"""Rows given back, ids through edits, rows of moving bodies, boxes of cones."""

import dataclasses
import math

import numpy as np
import pytest

import pyrave
from pyrave.geometry.kernels import primitives
from pyrave.scene import body_from_boxes
from pyrave.spatial import matrix_from_axis_angle
from pyrave.world import BatchState, BodyIds, IdSource
from pyrave.world.kernels.placement import place_bounds
from pyrave.world.motion_groups import MotionGroup
from pyrave.world.rows import GrowingTable

BOXES = [(0, 0, k, 0.1, 0.1, 0.1) for k in range(3)]


def test_the_last_rows_are_given_up():
    table = GrowingTable({"x": ((), np.float64, -1.0)})
    first, second = table.take(3), table.take(2)
    assert (first, second, table.count) == (0, 3, 5)
    table.give_back(second, 2)
    assert table.count == 3
    assert len(table.columns()[0]) == 3
    table.take(2)
    table.give_back(first, 3)
    assert table.count == 5, "rows in the middle wait for others"
    assert table.take(3) == first
    table.give_back(3, 2)
    table.give_back(0, 3)
    assert table.count == 0


def test_a_batch_may_be_of_no_states():
    env = pyrave.Environment()
    env.create_body(body_from_boxes("box", BOXES))
    assert len(BatchState.from_world(env.world, 0)) == 0


def test_geometries_that_stay_keep_their_ids():
    """A changed one has that of the one in its place, a new one a new id."""
    before = body_from_boxes("box", BOXES)
    source = IdSource()
    known = source.take(before)
    assert known == BodyIds(0, 0, ((0, 1, 2),))
    one, two, three = before.links[0].geometries

    def edited(*geometries):
        link = dataclasses.replace(before.links[0], geometries=geometries)
        after = dataclasses.replace(before, links=(link,))
        return known.edited(source, before, after).geometries[0]

    bright = dataclasses.replace(two, visible=False)
    assert edited(one, bright, three) == (0, 1, 2)
    assert edited(three, one) == (2, 0)
    assert edited(one, two, three, bright) == (0, 1, 2, 3)
    assert source.geometry == 4


def test_bodies_of_a_group_have_rows_one_after_the_other():
    env = pyrave.Environment()
    bodies = [env.create_body(body_from_boxes(name, BOXES)) for name in "ab"]
    for k, body in enumerate(bodies):
        body.transform = (1, 0, 0, 0, k, 0, 0)
    group = MotionGroup(bodies, set())
    assert [group.links[body] for body in bodies] == [slice(0, 1), slice(1, 2)]
    for body in bodies:
        group.adopt(body)
    np.testing.assert_array_equal(group.poses[:, 0, 3], [0.0, 1.0])
    group.poses[1, 0, 3] = 5.0
    group.moved()
    assert bodies[1].transform[0, 3] == 5.0
    group.dissolve()


@pytest.mark.parametrize(("radius", "top"), [(0.3, 0.0), (0.1, 0.4), (0.2, 0.2)])
def test_the_box_of_a_cone_holds_its_rims(radius, top):
    """Against points on both rims, at poses all around; the wide rim touches it."""
    rng = np.random.default_rng(3)
    half = 0.5
    turns = np.linspace(0.0, 2.0 * math.pi, 20_001)
    circle = np.column_stack((np.cos(turns), np.sin(turns), np.zeros_like(turns)))
    rims = np.concatenate(
        (radius * circle - (0, 0, half), top * circle + (0.0, 0.0, half))
    )
    for _ in range(10):
        pose = np.eye(4)
        pose[:3, :3] = matrix_from_axis_angle(rng.uniform(-3, 3, 3))
        pose[:3, 3] = rng.uniform(-1, 1, 3)
        bounds = np.zeros((1, 6))
        kinds = np.array([primitives.CONE], np.int32)
        sizes = np.array([[radius, top, half]])
        place_bounds(0, kinds, sizes, np.zeros((1, 3)), pose[None], bounds)
        points = rims @ pose[:3, :3].T + pose[:3, 3]
        assert (points >= bounds[0, :3] - 1e-9).all()
        assert (points <= bounds[0, 3:] + 1e-9).all()
        wide = np.minimum(points.min(0) - bounds[0, :3], bounds[0, 3:] - points.max(0))
        np.testing.assert_allclose(wide, 0.0, atol=1e-6)
