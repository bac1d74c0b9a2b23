"""Contacts all over where the faces of two convex solids touch."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from convex_solids import (
    KINDS,
    SHAPES,
    Solid,
    Solids,
    apart,
    convex_distance,
    hull_of,
    outside_by,
    pose,
    random_solid,
    rotation,
    stacked,
    transform,
)
from loops import each
from solid_scenes import add_solid, at

import pyrave
from pyrave.geometry.kernels.primitives import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    PLANE,
)
from pyrave.jit.bundles import ArrayBundle
from pyrave.scene import Box
from pyrave_collision.kernels.contact_patches import ROWS
from pyrave_collision.native import KERNELS

UP = np.array([0.0, 0.0, 1.0])
PAIRS = list(combinations_with_replacement(KINDS, 2))


def solid(kind, *sizes):
    return Solid(kind, np.array((*sizes, 0, 0, 0)[:3], float), np.zeros(3))


def turned(angle, axis=2):
    """A rotation about an axis."""
    c, s = np.cos(angle), np.sin(angle)
    one, other = (axis + 1) % 3, (axis + 2) % 3
    out = np.eye(3)
    out[one, one], out[one, other], out[other, one], out[other, other] = c, -s, s, c
    return out


def touches(a, pose_a, b, pose_b, margin=0.0, room=16, *, compiled=True):
    """Positions, normals and depths of the contacts of two solids."""
    solids = Solids((a, b))
    distance, p, q, normal = convex_distance(solids, 0, pose_a, 1, pose_b)
    rows = np.full((room, 8), np.nan)
    rows[0, :7] = *(0.5 * (p + q)), *normal, -distance
    poses = np.zeros((2, 16))
    poses[:, :12] = pose_a, pose_b
    slots = np.full(2, -1, np.int32)
    world = ArrayBundle((solids.rows, poses, np.zeros((2, 6)), *solids.hulls, slots))
    kernel = KERNELS["spread_contacts"]
    function = kernel.now() if compiled else kernel.python
    count = function(world.table, 0, 1, margin, rows, np.full((ROWS, 4), np.nan))
    found = rows[:count]
    assert count <= room
    assert found[:, 6].tolist() == sorted(found[:, 6], reverse=True)
    return found[:, :3], found[:, 3:6], found[:, 6], -distance


def area(points):
    """The area of the convex hull of points of a plane z = constant."""
    middle = points.mean(axis=0)
    order = np.argsort(np.arctan2(*(points - middle)[:, :2].T))
    x, y = points[order, :2].T
    return 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def same_points(found, expected, allowed=1e-9):
    """Whether two sets of points are one."""
    found, expected = np.asarray(found), np.asarray(expected)
    gaps = np.linalg.norm(found[:, None] - expected[None], axis=2)
    return (
        len(found) == len(expected)
        and gaps.min(axis=0).max() < allowed
        and gaps.min(axis=1).max() < allowed
    )


def on_top(a, b, deep=1e-3):
    """The place of the second stacked solid on the first, so deep in it."""
    return a.sizes[2] + b.sizes[2] - deep


@each("seed", range(4))
def test_corners_of_boxes_are_those_of_what_both_faces_share(seed):
    """Coal computes its patches by other means."""
    coal = pytest.importorskip("coal")
    rng = np.random.default_rng(seed)
    request = coal.CollisionRequest()
    for _ in range(10):
        a, b = (random_solid(rng, BOX) for _ in range(2))
        way = rng.uniform(-0.9, 0.9, 2) * (a.sizes + b.sizes)[:2]
        turn, place = rotation(rng), rng.uniform(-2.0, 2.0, 3)
        there = place + turn @ (*way, on_top(a, b))
        pose_a = pose(place, turn)
        pose_b = pose(there, turn @ turned(rng.uniform(0, 6)))
        result, patches = coal.CollisionResult(), coal.ContactPatchResult()
        solids = a.coal, transform(pose_a), b.coal, transform(pose_b)
        coal.collide(*solids, request, result)
        coal.computeContactPatch(*solids, result, coal.ContactPatchRequest(), patches)
        if not patches.numContactPatches():
            continue
        patch = patches.getContactPatch(0)
        expected = np.array([patch.getPoint(k) for k in range(patch.size())])
        points, normals, depths, deepest = touches(a, pose_a, b, pose_b)
        if abs(normals[0] @ turn[:, 2]) < 0.999:
            continue  # a corner: they are less deep sideways
        local, other = (points - place) @ turn, (expected - place) @ turn
        assert area(local) == pytest.approx(area(other), abs=1e-6)
        np.testing.assert_allclose(local[:, 2], a.sizes[2] - 0.5e-3, atol=1e-9)
        np.testing.assert_allclose(normals, [turn[:, 2]] * len(points), atol=1e-9)
        np.testing.assert_allclose(depths, 1e-3, atol=1e-9)
        assert deepest == pytest.approx(1e-3)


@each("names", PAIRS)
def test_contacts_are_on_both_solids_and_none_is_deeper_than_the_deepest(names):
    rng = np.random.default_rng(PAIRS.index(names))
    several, is_round = 0, {"sphere", "capsule"} & set(names)
    for k in range(16):
        if k % 2:
            # one on the other, hardly inclined
            a, b = (stacked(name, 1.0) for name in names)
            turn = turned(rng.uniform(-2e-2, 2e-2), 0) @ turned(rng.uniform(0, 6))
            place = (*rng.uniform(-0.4, 0.4, 2), 1.98)
            pose_a, pose_b = pose((0, 0, 0)), pose(place, turn)
        else:
            a, b = (random_solid(rng, KINDS[name]) for name in names)
            pose_a, pose_b = apart(rng)
        *_, deepest = found = touches(a, pose_a, b, pose_b)
        if deepest < 0:
            continue
        points, normals, depths, deepest = found
        assert depths[0] == pytest.approx(deepest, abs=2e-6)
        assert (depths >= -1e-6).all()
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-9)
        ways = 0.5 * depths[:, None] * normals
        for p, q in zip(points + ways, points - ways, strict=True):
            assert outside_by(a, pose_a, p) < 5e-6
            assert outside_by(b, pose_b, q) < 5e-6
        several += len(points) > 1
    assert several > 3 or is_round


@each("names", PAIRS)
def test_the_kernel_as_written_agrees_with_the_compiled_one(names):
    a, b = (stacked(name, 1.0) for name in names)
    poses = pose((0, 0, 0)), pose((0.1, 0.2, 1.99), turned(0.3))
    one = touches(a, poses[0], b, poses[1])
    other = touches(a, poses[0], b, poses[1], compiled=False)
    assert same_points(one[0], other[0])
    np.testing.assert_allclose(one[2], other[2], atol=1e-9)


@each("size", (1e-3, 1.0, 1e3))
@each("far", (0.0, 1e4))
def test_a_box_of_triangles_touches_as_a_box_does(size, far):
    box = stacked("box", size)
    corners = box.sizes * list(product((-1, 1), repeat=3))
    hull, floor = hull_of(corners), solid(BOX, 3 * size, 3 * size, size)
    for tilt in (0.0, 1e-2):
        poses = (
            pose((far, 0, 0)),
            pose((far + 2.5 * size, 0, 1.98 * size), turned(tilt, 1) @ turned(0.4)),
        )
        one, other = (touches(floor, poses[0], b, poses[1]) for b in (box, hull))
        allowed = 1e-6 * size + 1e-11 * far
        assert len(one[0]) > 3
        assert same_points(one[0], other[0], allowed)
        np.testing.assert_allclose(one[2], other[2], atol=allowed)
        back = touches(hull, poses[1], floor, poses[0])
        assert same_points(one[0], back[0], allowed)
        np.testing.assert_allclose(back[1], -one[1][: len(back[1])], atol=1e-6)


def test_corners_that_are_too_deep_for_the_face_are_those_behind_it():
    """A box that stands inclined has two corners in the floor, two above it."""
    floor, box = solid(BOX, 1, 1, 0.5), solid(BOX, 0.1, 0.2, 0.3)
    turn = turned(0.2, 0)
    corners = (
        turn @ np.array([(x, y, -0.3) for x in (-0.1, 0.1) for y in (-0.2, 0.2)]).T
    )
    height = -corners[2].min() + 0.5 - 0.01
    points, normals, depths, _ = touches(
        floor, pose((0, 0, 0)), box, pose((0, 0, height), turn)
    )
    expected = corners.T[np.argsort(corners[2])[:2]]
    expected[:, 2] = 0.5 - 0.005
    assert same_points(points, expected)
    np.testing.assert_allclose(normals, [UP, UP], atol=1e-9)
    np.testing.assert_allclose(depths, 0.01, atol=1e-9)


@each("plane", (True, False))
@each("tilt", (0.0, 0.05))
def test_a_cylinder_stands_on_its_rim(plane, tilt):
    floor = solid(PLANE) if plane else solid(BOX, 2, 2, 0.5)
    top = 0.0 if plane else 0.5
    cylinder, turn = solid(CYLINDER, 0.2, 0.3), turned(tilt, 1)
    lowest = 0.3 * np.cos(tilt) + 0.2 * np.sin(tilt)
    place = pose((0.1, 0.2, top + lowest - 0.005), turn)
    points, normals, depths, _ = touches(floor, pose((0, 0, 0)), cylinder, place)
    assert depths[0] == pytest.approx(0.005, abs=1e-7)
    np.testing.assert_allclose(normals, [UP] * len(points), atol=1e-7)
    # midway between the rim and the floor, which is half as deep above the rim
    on_rim = (points - 0.5 * depths[:, None] * UP - place.reshape(3, 4)[:, 3]) @ turn
    np.testing.assert_allclose(np.hypot(*on_rim[:, :2].T), 0.2, atol=1e-6)
    np.testing.assert_allclose(on_rim[:, 2], -0.3, atol=1e-6)
    if tilt:
        assert 2 <= len(points) < 16
        assert np.ptp(on_rim[:, 1]) > 0.1
    else:
        assert len(points) == 16
        # a circle's, but for what is beyond its chords
        assert area(points) == pytest.approx(8 * 0.04 * np.sin(np.pi / 8))


@each("kind", (CYLINDER, CAPSULE, CONE))
def test_what_lies_touches_with_both_ends_of_a_line(kind):
    floor, half, radius = solid(BOX, 2, 2, 0.5), 0.4, 0.1
    lying = (
        solid(kind, radius, radius, half) if kind == CONE else solid(kind, radius, half)
    )
    place = pose((0.1, 0.2, 0.595), turned(np.pi / 2, 0))
    points, _, depths, _ = touches(floor, pose((0, 0, 0)), lying, place)
    expected = [(0.1, 0.2 + side * half, 0.4975) for side in (1, -1)]
    assert same_points(points, expected, 1e-6)
    np.testing.assert_allclose(depths, 0.005, atol=1e-7)


def test_parallel_capsules_touch_along_what_they_share():
    a, b = solid(CAPSULE, 0.1, 0.5), solid(CAPSULE, 0.2, 0.3)
    lying = turned(np.pi / 2, 1)
    poses = pose((0, 0, 0), lying), pose((0.6, 0, 0.29), lying @ turned(np.pi, 0))
    points, normals, depths, _ = touches(a, poses[0], b, poses[1])
    assert same_points(points, [(0.3, 0, 0.095), (0.5, 0, 0.095)])
    np.testing.assert_allclose(normals, [UP, UP], atol=1e-9)
    np.testing.assert_allclose(depths, 0.01, atol=1e-9)
    # but those that cross touch in one point
    across = pose((0, 0, 0.29), turned(0.4) @ lying)
    assert len(touches(a, poses[0], b, across)[0]) == 1


def test_faces_of_more_corners_than_there_is_room_for_are_spread():
    rng = np.random.default_rng(3)
    angles = np.sort(rng.uniform(0, 2 * np.pi, 400))
    ring = np.column_stack((np.cos(angles), np.sin(angles)))
    ends = [np.column_stack((ring, np.full(400, z))) for z in (-0.5, 0.5)]
    disc, floor = hull_of(np.concatenate(ends)), solid(BOX, 3, 3, 0.5)
    points, _, depths, _ = touches(
        floor, pose((0, 0, 0)), disc, pose((0, 0, 0.99)), room=64
    )
    assert len(points) == 64
    np.testing.assert_allclose(depths, 0.01, atol=1e-7)
    assert area(points) == pytest.approx(np.pi, rel=0.01)


def test_what_is_apart_by_less_than_the_margin_touches_with_all_corners():
    floor, box = solid(BOX, 1, 1, 0.5), solid(BOX, 0.1, 0.1, 0.1)
    poses = pose((0, 0, 0)), pose((0, 0, 0.61))
    points, _, depths, _ = touches(floor, poses[0], box, poses[1], margin=0.02)
    assert len(points) == 4
    np.testing.assert_allclose(depths, -0.01, atol=1e-9)


def test_reports_have_several_contacts_of_a_pair_if_asked():
    env = pyrave.Environment()
    floor = add_solid(env, "floor", Box((1.0, 1.0, 0.5)))
    cube = add_solid(env, "cube", Box((0.2, 0.2, 0.2)), pose=at(0.9, 0, 0.69))
    options = pyrave.CollisionOptions
    counts = {}
    for asked in (options.CONTACTS, options.ALL_GEOMETRY_CONTACTS):
        with env.collision_checker.options(asked):
            report = env.check_collision(cube, floor, report=True)
        counts[asked] = len(report.pairs[0].contacts)
    assert list(counts.values()) == [1, 4]
    places = [contact.position for contact in report.pairs[0].contacts]
    expected = [(x, y, 0.495) for x in (0.7, 1.0) for y in (-0.2, 0.2)]
    assert same_points(places, expected)
    assert report.pairs[0].contacts[0].normal == pytest.approx(-UP)


def test_two_planes_have_the_contact_that_they_had():
    plane = solid(PLANE)
    rows = touches(plane, pose((0, 0, 0)), plane, pose((0, 0, 0), turned(0.3, 0)))
    assert len(rows[0]) == 1
    assert SHAPES.KIND == 0
