"""Contacts with a ground."""

import math

import numpy as np
import pytest

import pyrave
import pyrave_stability as stability
from pyrave import ArgumentError
from pyrave.geometry import cylinder_mesh
from pyrave.scene import (
    Box,
    ContactDescription,
    Cylinder,
    MeshData,
    Pose,
    Sphere,
    TriMesh,
)
from pyrave_stability import Ground

from .conftest import HALF, along, tilted

FLOOR = Ground()


def area_of(points):
    x, y = points[:, 0], points[:, 1]
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def test_the_sole_of_a_box(foot):
    (touch,) = stability.touching(foot(), FLOOR)
    assert touch.area.name == "sole"
    assert touch.ground is FLOOR
    corners = {tuple(p) for p in np.round(touch.points, 12).tolist()}
    assert corners == {(x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.05, 0.05)}
    assert area_of(touch.points) == pytest.approx(0.02)  # counter-clockwise


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 2, 3)])
def test_any_face_of_a_box_on_any_plane(stand, axis):
    turn = Pose.from_axis_angle(axis, math.pi / 2 if max(axis) == 1 else 0.8).matrix
    box = stand(ContactDescription(Box(HALF)))
    for k in range(3):
        for sign in (-1.0, 1.0):
            normal = -sign * turn[:3, k]
            point = sign * HALF[k] * turn[:3, k]
            box.transform = turn
            (touch,) = stability.touching(box, Ground(point, normal))
            assert len(touch.points) == 4
            np.testing.assert_allclose(touch.ground.height(touch.points), 0, atol=1e-12)
            i, j = (n for n in range(3) if n != k)
            first, second = touch.points[1:3] - touch.points[:2]
            turns = np.cross(first, second)
            np.testing.assert_allclose(turns, 4 * HALF[i] * HALF[j] * normal, atol=1e-9)


def test_tolerances(foot):
    body = foot()
    for height, touches in ((9e-4, 1), (-9e-4, 1), (1.1e-3, 0), (-1.1e-3, 0)):
        body.transform = Pose.from_translation(0, 0, height).matrix
        assert len(stability.touching(body, FLOOR)) == touches
    body.transform = tilted(0.01)
    (touch,) = stability.touching(body, FLOOR)  # 0.6 degrees: 1 mm at either end
    assert len(touch.points) == 4
    body.transform = tilted(0.015)
    assert not stability.touching(body, FLOOR)
    assert len(stability.touching(body, Ground(distance=2e-3))) == 1
    body.transform = tilted(0.02)
    assert not stability.touching(body, Ground(distance=1.0))
    assert len(stability.touching(body, Ground(distance=1.0, angle=0.021))) == 1


def test_a_face_that_looks_the_wrong_way(foot):
    body = foot(pose=Pose.from_translation(0, 0, -2 * HALF[2]).matrix)
    assert not stability.touching(body, FLOOR)  # its top is in the plane, looking up
    assert len(stability.touching(body, Ground(normal=(0, 0, -1)))) == 1


def test_a_sphere_touches_at_a_point(stand):
    ball = ContactDescription(Sphere(0.2), pose=Pose.from_translation(0.3, 0, 0.2))
    (touch,) = stability.touching(stand(ball), FLOOR)
    np.testing.assert_allclose(touch.points, [[0.3, 0, 0]], atol=1e-15)


def test_a_cylinder_stands_and_lies(stand):
    can = stand(ContactDescription(Cylinder(0.1, 0.4)))
    can.transform = Pose.from_translation(0, 0, 0.2).matrix
    (touch,) = stability.touching(can, FLOOR)
    n = stability.CIRCLE_CORNERS
    assert len(touch.points) == n
    np.testing.assert_allclose(np.hypot(*touch.points[:, :2].T), 0.1)
    polygon = stability.support_polygon(can, FLOOR)
    inside = 0.1 * math.cos(math.pi / n)
    assert polygon.margin((0, 0, 9)) == pytest.approx(inside, rel=1e-12)
    can.transform = Pose.from_axis_angle((1, 0, 0), math.pi / 2, (0, 0, 0.1)).matrix
    (touch,) = stability.touching(can, FLOOR)
    ends = touch.points[np.argsort(touch.points[:, 1])]
    np.testing.assert_allclose(ends, [[0, -0.2, 0], [0, 0.2, 0]], atol=1e-12)
    can.transform = Pose.from_axis_angle((1, 0, 0), 1.0, (0, 0, 0.1)).matrix
    assert not stability.touching(can, Ground(distance=10))


def test_a_mesh_touches_with_its_flat_faces(stand):
    mesh = cylinder_mesh(0.1, 0.4, 12)
    shape = TriMesh(MeshData(mesh.vertices, mesh.faces))
    can = stand(ContactDescription(shape, pose=Pose.from_translation(0, 0, 0.2)))
    (touch,) = stability.touching(can, FLOOR)
    assert len(touch.points) == 12  # the middle of its cap is no corner
    expected = 12 * 0.5 * 0.01 * math.sin(math.pi / 6)
    assert area_of(touch.points) == pytest.approx(expected)


def test_areas_in_a_corner_touch_both_grounds(foot):
    wall = Ground((HALF[0], 0, 0), (-1, 0, 0))
    touches = stability.touching(foot(), [FLOOR, wall])
    assert [touch.ground for touch in touches] == [FLOOR, wall]


def test_what_is_held_stands_too(env, foot, stand):
    robot = foot(name="robot")
    cane = ContactDescription(Sphere(0.01), pose=Pose.from_translation(0.5, 0, 0.01))
    held = stand(cane, name="cane", com=(0.5, 0, 0.5), mass=2.0)
    assert len(stability.touching(robot, FLOOR)) == 1
    robot.grab(held, "base")
    assert len(stability.touching(robot, FLOOR)) == 2
    expected = (2.0 * 0.5 / 12.0, 0, 0.5)
    np.testing.assert_allclose(stability.center_of_mass(robot), expected)
    np.testing.assert_allclose(stability.center_of_mass([robot, held]), expected)


def test_grounds_are_checked():
    with pytest.raises(ArgumentError, match="expected a direction"):
        Ground(normal=(0, 0, 0))
    with pytest.raises(ArgumentError, match="friction of a ground is -1, expected"):
        Ground(friction=-1)
    with pytest.raises(ArgumentError, match="angle of a ground is nan"):
        Ground(angle=math.nan)
    with pytest.raises(ArgumentError, match="friction of a ground is 'a', expected"):
        Ground(friction="a")
    with pytest.raises(ArgumentError, match="distance of a ground is None, expected"):
        Ground(distance=None)
    with pytest.raises(ArgumentError, match=r"is 10000000\.0, .* >= 0 and <= 1e\+06"):
        Ground(friction=1e7)
    for size in (1e-320, 1e-200, 1e200, 1e308):
        np.testing.assert_allclose(Ground(normal=(0, size, 0)).normal, (0, 1, 0))
        slope = Ground(normal=(size, 0, size)).normal
        np.testing.assert_allclose(slope, np.array((1, 0, 1)) / math.sqrt(2))
    for points in ("high", (1, 2)):
        with pytest.raises(ArgumentError, match="points"):
            Ground().height(points)
    steep = Ground((1, 2, 3), (0, 3, 4))
    np.testing.assert_array_equal(steep.normal, (0, 0.6, 0.8))
    assert steep.height(np.array([(1, 2, 4)])) == pytest.approx(0.8)
    with pytest.raises(ValueError, match="read-only"):
        steep.normal[0] = 1


def test_wrong_arguments(foot):
    body = foot()
    for none in (None, (0, 0, 1), [(0, 0, 1)], "floor"):
        with pytest.raises(ArgumentError, match="expected a Ground, got"):
            stability.touching(body, none)
    for none in (["robot"], "robot", None, 3):
        with pytest.raises(ArgumentError, match="expected a KinBody, got"):
            stability.touching(none, FLOOR)
    with pytest.raises(ArgumentError, match=r"^expected a KinBody, got 'x{76}\.{3}$"):
        stability.touching("x" * 1000, FLOOR)
    with pytest.raises(ArgumentError, match="expected at least one body"):
        stability.touching([], FLOOR)
    weightless = foot(mass=0.0, name="ghost")
    with pytest.raises(ArgumentError, match="weighs nothing"):
        stability.stability_margin(weightless, FLOOR)
    weightless.env.gravity = (0, 0, 0)
    with pytest.raises(ArgumentError, match=r"no gravity; set env\.gravity"):
        stability.support_polygon(weightless, FLOOR)


def test_a_missing_mesh_is_an_error(stand):
    from pyrave.scene import MeshReference

    body = stand(ContactDescription(TriMesh(MeshReference("no.stl", found=False))))
    with pytest.raises(pyrave.Error, match=r"no\.stl"):
        stability.touching(body, FLOOR)


def test_turned_grounds(foot):
    pose = tilted(0.4, (1, 1, 0))
    (touch,) = stability.touching(foot(pose=pose), Ground(normal=along(pose)))
    local = (touch.points - pose[:3, 3]) @ pose[:3, :3]
    assert {tuple(p) for p in np.round(local[:, :2], 9).tolist()} == {
        (x, y) for x in (-0.1, 0.1) for y in (-0.05, 0.05)
    }
