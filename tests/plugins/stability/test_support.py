"""Support polygons and margins: closed forms, brute force, finite differences."""

import math

import numpy as np
import pytest

import pyrave
import pyrave_stability as stability
from pyrave.scene import ContactDescription, Pose, Sphere
from pyrave_stability import Ground
from pyrave_stability.region import hull_of

from .conftest import along, tilted

FLOOR = Ground()


def balls(*places):
    return [
        ContactDescription(Sphere(0.01), pose=Pose.from_translation(x, y, 0.01))
        for x, y in places
    ]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 200])
def test_hulls_by_brute_force(n):
    rng = np.random.default_rng(n)
    points = np.round(rng.uniform(-5, 5, (n, 2)))  # with repeats and lines
    ring = points[hull_of(points)]
    if len(ring) > 2:
        for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            side = np.cross(
                np.append(b - a, 0), np.column_stack((points - a, 0 * points[:, 0]))
            )
            assert side[:, 2].min() >= 0  # all points on the left of each edge
        turns = np.roll(ring, -1, axis=0) - ring
        nexts = np.roll(turns, -1, axis=0)
        assert (turns[:, 0] * nexts[:, 1] - turns[:, 1] * nexts[:, 0]).min() > 0
    assert {tuple(p) for p in ring.tolist()} <= {tuple(p) for p in points.tolist()}


def test_hulls_of_lines_and_points():
    assert len(hull_of(np.zeros((5, 2)))) == 1
    line = np.column_stack((np.arange(5.0), 2 * np.arange(5.0)))
    assert sorted(hull_of(line).tolist()) == [0, 4]


def test_two_feet_by_hand(stand):
    body = stand(*balls((0, 0), (2, 0), (2, 1), (0, 1), (1, 0.5)), com=(0.5, 0.4, 1))
    region = stability.support_polygon(body, FLOOR)
    assert region.area == pytest.approx(2.0)
    assert region.corners.shape == (4, 2)
    np.testing.assert_array_equal(region.axes, np.eye(3)[:2])
    assert stability.stability_margin(body, FLOOR) == pytest.approx(0.4)
    assert region.margin((0.2, 0.5, -7)) == pytest.approx(0.2)
    assert region.margin((3, 2, 0)) == pytest.approx(-math.sqrt(2))
    assert region.margin((1, -0.5, 0)) == pytest.approx(-0.5)
    assert region.contains((2, 1, 0))
    assert not region.contains((2, 1.01, 0))


def test_margins_of_what_is_no_polygon(stand):
    assert stability.stability_margin(stand(name="a"), FLOOR) == -math.inf
    one = stand(*balls((1, 1)), com=(0, 1, 1), name="b")
    assert stability.stability_margin(one, FLOOR) == pytest.approx(-1)
    two = stand(*balls((1, 0), (1, 2)), com=(0, 1, 1), name="c")
    assert stability.stability_margin(two, FLOOR) == pytest.approx(-1)
    region = stability.support_polygon(two, FLOOR)
    assert region.margin((1, 1, 1)) == 0.0
    assert region.area == 0.0


def test_margins_by_brute_force(stand):
    rng = np.random.default_rng(7)
    body = stand(*balls(*rng.uniform(-1, 1, (9, 2)).tolist()))
    region = stability.support_polygon(body, FLOOR)
    steps = np.linspace(0, 1, 2001)[:, None]
    ends = np.roll(region.corners, -1, axis=0)
    edge = np.concatenate([
        a + steps * (b - a) for a, b in zip(region.corners, ends, strict=True)
    ])  # fmt: skip
    for point in rng.uniform(-1.5, 1.5, (200, 3)):
        distance = np.linalg.norm(edge - point[:2], axis=1).min()
        margin = region.margin(point)
        assert abs(margin) == pytest.approx(distance, abs=1e-3)
        turns = np.array([
            np.linalg.det(np.array((b - a, point[:2] - a)))
            for a, b in zip(region.corners, ends, strict=True)
        ])  # fmt: skip
        assert (margin >= 0) == (turns.min() >= 0)


def test_gradients_by_finite_differences(stand):
    rng = np.random.default_rng(8)
    body = stand(*balls(*rng.uniform(-1, 1, (7, 2)).tolist()))
    region = stability.support_polygon(body, FLOOR, gravity=(1, -2, -9))
    h = 1e-7
    for point in rng.uniform(-2, 2, (50, 3)):
        numeric = [
            (region.margin(point + e) - region.margin(point - e)) / (2 * h)
            for e in h * np.eye(3)
        ]
        np.testing.assert_allclose(region.gradient(point), numeric, atol=1e-6)


def test_a_slope_moves_the_projection(foot):
    """A box on a slope tips where the plumb line leaves the sole."""
    for angle in (0.1, 0.3, 0.5):
        pose = tilted(angle)
        body = foot(com=(0, 0, 0.3), pose=pose, name=f"box{angle}")
        margin = stability.stability_margin(body, Ground(normal=along(pose)))
        # across the slope: 0.05; down the slope: what is left of 0.1, seen from above
        expected = math.cos(angle) * (0.1 - 0.3 * math.tan(angle))
        assert margin == pytest.approx(min(expected, 0.05), abs=1e-12)


def test_gravity_decides_what_down_is(foot):
    body = foot(com=(0, 0, 0.3))
    tipped = (math.tan(0.4), 0, -1)
    region = stability.support_polygon(body, FLOOR, gravity=tipped)
    down = np.array(tipped) / np.linalg.norm(tipped)
    np.testing.assert_allclose(region.axes @ down, 0, atol=1e-15)
    pose = tilted(-0.4)
    expected = stability.stability_margin(
        foot(com=(0, 0, 0.3), pose=pose, name="other"),
        Ground(normal=along(pose)),
    )
    found = stability.stability_margin(body, FLOOR, gravity=tipped)
    assert found == pytest.approx(expected, abs=1e-12)


def test_joints_move_the_margin():
    """`gradient` and the Jacobian of the centre of mass against differences."""
    env = pyrave.load("robots/biped.robot.xml")
    robot = env.robots[0]
    rng = np.random.default_rng(3)
    for side in ("left", "right"):
        robot.joints[f"{side}_knee"].values = [0.2]
        robot.joints[f"{side}_elbow"].values = [-0.5]
    robot.dof_values = robot.dof_values + rng.uniform(-0.02, 0.02, robot.dof)
    ground = Ground(distance=1.0, angle=1.0)
    region = stability.support_polygon(robot, ground)
    slope = (
        region.gradient(robot.center_of_mass) @ robot.dynamics.center_of_mass_jacobian()
    )
    h, q = 1e-6, robot.dof_values
    for i in range(robot.dof):
        found = []
        for sign in (1, -1):
            step = q.copy()
            step[i] += sign * h
            robot.dof_values = step
            found.append(region.margin(robot.center_of_mass))
        assert (found[0] - found[1]) / (2 * h) == pytest.approx(slope[i], abs=1e-7)
