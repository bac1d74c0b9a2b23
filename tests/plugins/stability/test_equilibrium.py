"""Static equilibrium: slopes, walls, limits, and Bretl and Lall's projection."""

import math

import numpy as np
import pytest

import pyrave_stability as stability
from pyrave import ArgumentError
from pyrave.scene import ContactDescription, Pose, Sphere
from pyrave_stability import Ground
from pyrave_stability.equilibrium import _projected

from .conftest import HALF, along, tilted

G = 9.81


@pytest.fixture(autouse=True)
def earth(env):
    env.gravity = (0, 0, -G)


def on_slope(foot, angle, friction, **options):
    pose = tilted(angle)
    body = foot(pose=pose, com=(0, 0, 0.05), name=f"box{angle}{friction}")
    ground = Ground(normal=along(pose), friction=friction)
    return stability.balance(body, ground, **options)


@pytest.mark.parametrize("angle", [0.1, 0.3, 0.5])
def test_a_box_slips_beyond_the_angle_of_friction(foot, angle):
    steep = math.tan(angle)
    assert on_slope(foot, angle, steep * 1.001, edges=256).holds
    assert not on_slope(foot, angle, steep * 0.999, edges=256, outer=True).holds
    assert on_slope(foot, angle, steep * 1.09).holds  # with 8 edges, on the safe side
    assert not on_slope(foot, angle, steep * 0.91, outer=True).holds


def test_forces_hold_the_weight(foot):
    body = foot(com=(0.03, 0.01, 0.4))
    found = stability.balance(body, Ground())
    (forces,), (touch,) = found.forces, found.touches
    assert found.holds
    np.testing.assert_allclose(forces.sum(axis=0), (0, 0, 10 * G), atol=1e-9)
    arms = touch.points - (0.03, 0.01, 0.4)
    np.testing.assert_allclose(np.cross(arms, forces).sum(axis=0), 0, atol=1e-9)
    for force in forces:
        assert stability.friction_margin(force, (0, 0, 1), 0.5) >= -1e-9
    # the lever rule: x = 0.03 of +-0.1, y = 0.01 of +-0.05
    front = forces[touch.points[:, 0] > 0, 2].sum() / (10 * G)
    left = forces[touch.points[:, 1] > 0, 2].sum() / (10 * G)
    assert front == pytest.approx(0.65)
    assert left == pytest.approx(0.6)


def test_what_falls_has_no_forces(foot):
    fallen = stability.balance(foot(com=(0.11, 0, 0.4)), Ground())
    assert not fallen.holds
    assert fallen.margin < 0
    assert fallen.forces is None
    away = foot(name="flying", pose=Pose.from_translation(0, 0, 1).matrix)
    flying = stability.balance(away, Ground())
    assert (flying.holds, flying.margin, flying.touches) == (False, -math.inf, ())


def test_on_level_ground_the_region_is_the_support_polygon(stand):
    rng = np.random.default_rng(6)
    contacts = [
        ContactDescription(Sphere(0.01), pose=Pose.from_translation(x, y, 0.01))
        for x, y in rng.uniform(-1, 1, (8, 2))
    ]
    body = stand(*contacts)
    polygon = stability.support_polygon(body, Ground())
    region = stability.equilibrium_region(body, Ground())
    assert region.gap < 1e-6
    assert region.corners.shape == polygon.corners.shape
    for corner in polygon.corners:
        assert np.linalg.norm(region.corners - corner, axis=1).min() < 1e-9


def test_a_limit_shrinks_the_region(foot, stand):
    """Two feet, one of which bears 40 % of the weight: a lever."""
    feet = [
        ContactDescription(
            Sphere(0.01), pose=Pose.from_translation(x, 0, 0.01), max_normal_force=limit
        )
        for x, limit in ((0.0, math.inf), (1.0, 40.0 * G / 10.0))
    ]
    region = stability.equilibrium_region(stand(*feet), Ground())
    low, high = region.corners[:, 0].min(), region.corners[:, 0].max()
    assert (low, high) == pytest.approx((0.0, 0.4), abs=1e-9)
    weak = [ContactDescription(Sphere(0.01), max_normal_force=1.0)]
    ground = Ground(point=(0, 0, -0.01))
    empty = stability.equilibrium_region(stand(*weak, name="weak"), ground)
    assert empty.corners.shape == (0, 2)
    assert empty.margin((0, 0, 0)) == -math.inf


def corner_stance(stand, friction, tilt):
    """Two balls on slopes that face each other, and one on the floor."""
    places = ((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, -0.1))
    body = stand(
        *(
            ContactDescription(Sphere(0.01), pose=Pose.from_translation(*place))
            for place in places
        )
    )
    grounds = []
    for place, lean in zip(places, (tilt, -tilt, 0.0), strict=True):
        normal = np.array((math.sin(lean), 0, math.cos(lean)))
        point = place - 0.01 * normal
        grounds.append(Ground(point, normal, friction, distance=1e-6))
    return body, grounds


@pytest.mark.parametrize(("friction", "tilt"), [(0.3, 0.2), (0.5, 0.7), (0.5, 1.3)])
def test_regions_by_brute_force(stand, friction, tilt):
    """Sampled centres of mass: each is in the region if and only if forces hold it."""
    body, grounds = corner_stance(stand, friction, tilt)
    region = stability.equilibrium_region(body, grounds, tolerance=1e-5)
    assert len(stability.touching(body, grounds)) == 3
    assert len(region.corners) >= 3
    rng = np.random.default_rng(9)
    lo, hi = region.corners.min(axis=0) - 0.2, region.corners.max(axis=0) + 0.2
    wrenches = stability.wrench_set(stability.touching(body, grounds))
    weight = np.array((0, 0, 10.0 * G))
    inside = 0
    # beyond 10 m it is cut off
    for x, y in rng.uniform(lo.clip(-9.9), hi.clip(max=9.9), (150, 2)):
        at = np.array((x, y, 0.7))
        margin = region.margin(at)
        needed = np.concatenate((weight, np.cross(at, weight)))
        if margin >= 0 or margin < -region.gap - 1e-6:
            assert wrenches.contains(needed) == (margin >= 0)
        inside += margin >= 0
    assert 10 < inside < 150


def test_the_region_may_leave_the_support_polygon(stand):
    """Walls that face each other within their friction clamp a body that leans out."""
    body, grounds = corner_stance(stand, 0.5, 1.3)
    region = stability.equilibrium_region(body, grounds)
    polygon = stability.support_polygon(body, grounds)
    outside = [polygon.margin((*corner, 0)) for corner in region.corners]
    assert min(outside) < -0.01
    smooth = [Ground(g.point, g.normal, 0.0, distance=1e-6) for g in grounds]
    narrow = stability.equilibrium_region(body, smooth)
    assert narrow.area < region.area


def test_endless_regions_are_cut_off(stand):
    """A bar that is clamped between a floor and a ceiling leans as far as it likes."""
    places = ((0, 0, 0.0), (1, 0, 0.0), (0.5, 1, 0.0), (0, 0, 0.02), (1, 0, 0.02))
    body = stand(
        *(
            ContactDescription(Sphere(0.01), pose=Pose.from_translation(*p))
            for p in places
        )
    )
    grounds = [Ground((0, 0, -0.01)), Ground((0, 0, 0.03), (0, 0, -1))]
    region = stability.equilibrium_region(body, grounds, reach=5.0)
    assert np.abs(region.corners).max() == pytest.approx(5.5, abs=0.6)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-3, 1e-4])
def test_the_projection_of_a_disc(tolerance):
    """The algorithm on a set that is no polygon: gap, area and number of programs."""

    class Disc:
        calls = 0

        def farthest(self, direction):
            self.calls += 1
            return direction / np.linalg.norm(direction)

    disc = Disc()
    corners, gap = _projected(disc, tolerance)
    assert gap <= tolerance
    assert disc.calls == len(corners)
    half = math.pi / len(corners)
    assert 1 / math.cos(half) - math.cos(half) <= 2 * tolerance
    assert disc.calls <= 2 * math.pi / math.sqrt(tolerance)


@pytest.mark.parametrize("friction", [1e3, 1e6])
def test_the_roughest_ground_and_the_farthest_reach(foot, friction):
    region = stability.equilibrium_region(foot(), Ground(friction=friction), reach=1e6)
    assert region.area == pytest.approx(4 * HALF[0] * HALF[1], rel=1e-6)
    assert len(region.corners) >= 4


def test_bodies_may_be_iterated_once(foot):
    body, ground = foot(com=(0.03, 0.01, 0.4)), Ground()
    one = stability.balance((b for b in (body,)), ground)
    assert one.margin == stability.balance(body, ground).margin
    margin = stability.stability_margin(iter([body]), ground)
    assert margin == stability.stability_margin(body, ground) > 0.0
    region = stability.equilibrium_region(iter([body]), iter([ground]))
    np.testing.assert_array_equal(
        region.corners, stability.equilibrium_region(body, ground).corners
    )


def test_wrong_arguments(foot):
    body = foot()
    with pytest.raises(ArgumentError, match=r"tolerance is 0, expected a .* >= 1e-06"):
        stability.equilibrium_region(body, Ground(), tolerance=0)
    for reach in (math.inf, 0, "far", 1e7):
        with pytest.raises(ArgumentError, match="reach is"):
            stability.equilibrium_region(body, Ground(), reach=reach)
    away = stability.equilibrium_region(body, Ground((0, 0, -1)))
    assert away.margin((0, 0, 0)) == -math.inf
