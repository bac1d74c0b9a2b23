"""Wrenches of stances: closed forms, sampling, bounds of the pyramids."""

import math

import numpy as np
import pytest

import pyrave_stability as stability
from pyrave import ArgumentError
from pyrave.scene import ContactDescription, Pose, Sphere
from pyrave_stability import Ground

from .conftest import HALF, along, tilted

MU = 0.6


def sole_wrenches(foot, *, friction=MU, origin=(0, 0, 0), edges=8, outer=False, **f):
    touches = stability.touching(foot(**f), Ground(friction=friction))
    return stability.wrench_set(touches, origin=origin, edges=edges, outer=outer)


def test_generators_are_unit_pushes_in_the_cone(foot):
    wrenches = sole_wrenches(foot, origin=(1, 2, 3))
    force, torque = wrenches.generators[:3].T, wrenches.generators[3:].T
    assert len(force) == 32
    np.testing.assert_allclose(force[:, 2], 1)
    np.testing.assert_allclose(np.hypot(force[:, 0], force[:, 1]), MU)
    at = wrenches.places[wrenches.points]
    np.testing.assert_allclose(torque, np.cross(at - (1, 2, 3), force), atol=1e-15)
    assert wrenches.limits.shape == (0,)


def test_a_pyramid_equals_the_closed_form_of_the_rectangle(foot):
    """Theorem 1 of Caron et al. against the linear program, on both sides."""
    # edges along the diagonals: |fx|, |fy| <= mu fz
    turned = stability.wrench_set(
        stability.touching(foot(), Ground(friction=MU * math.sqrt(2))), edges=4
    )
    spin = np.array(((1, -1), (1, 1))) / math.sqrt(2)
    turned.generators[:2] = spin @ turned.generators[:2]
    turned.generators[3:] = np.cross(
        turned.places[turned.points], turned.generators[:3].T
    ).T
    faces = stability.rectangle_wrench_faces(HALF[:2], MU)
    assert faces.shape == (17, 6)
    assert (faces @ turned.generators).max() < 1e-12
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(300):
        fz = rng.uniform(0.1, 2)
        spread = np.array((MU, MU, 0, HALF[1], HALF[0], MU * 0.1))
        wrench = rng.uniform(-1.1, 1.1, 6) * spread * fz
        wrench[2] = fz
        slack = float((faces @ wrench).max())
        if abs(slack) > 1e-9:
            assert turned.contains(wrench) == (slack < 0)
            assert (turned.margin(wrench) > 0) == (slack < 0)
        inside += slack < 0
    assert 30 < inside < 270
    # every half-space is needed: each touches the cone in five directions or more
    ranks = [
        np.linalg.matrix_rank(turned.generators[:, abs(row @ turned.generators) < 1e-9])
        for row in faces[1:]
    ]
    assert min(ranks) >= 5


def test_sampled_forces_are_inside(foot):
    """Random forces in the true cones: within the outer, mostly in the inner set."""
    inner = sole_wrenches(foot, edges=16, name="a")
    outer = sole_wrenches(foot, edges=16, outer=True, name="b")
    reduced = MU * math.cos(math.pi / 16)
    rng = np.random.default_rng(1)
    for mu, among in ((MU, outer), (reduced, inner)):
        for _ in range(60):
            normal = rng.exponential(10, 4) * (rng.random(4) < 0.7)
            radius = mu * normal * np.sqrt(rng.random(4))
            turn = rng.uniform(0, 2 * math.pi, 4)
            forces = np.column_stack(
                (radius * np.cos(turn), radius * np.sin(turn), normal)
            )
            torque = np.cross(inner.places, forces).sum(axis=0)
            wrench = np.concatenate((forces.sum(axis=0), torque))
            assert among.contains(wrench)
            assert among.margin(wrench) >= -1e-9
            found = among.forces(wrench)
            np.testing.assert_allclose(found.sum(axis=0), wrench[:3], atol=1e-9)
            torques = np.cross(among.places, found).sum(axis=0)
            np.testing.assert_allclose(torques, wrench[3:], atol=1e-9)


@pytest.mark.parametrize("edges", [3, 4, 8, 32])
def test_the_stated_bounds_of_pyramids(stand, edges):
    """What a point can push sideways, in all directions, is between the bounds."""
    ball = ContactDescription(Sphere(0.1), pose=Pose.from_translation(0, 0, 0.1))
    touches = stability.touching(stand(ball), Ground(friction=MU))
    least = math.cos(math.pi / edges)
    for turn in np.linspace(0, 2 * math.pi, 25):
        sideways = np.array((math.cos(turn), math.sin(turn), 0, 0, 0, 0))
        push = np.array((0, 0, 1.0, 0, 0, 0))
        inner = stability.wrench_set(touches, edges=edges).reach(sideways, push)
        outer = stability.wrench_set(touches, edges=edges, outer=True)
        assert MU * least - 1e-9 <= inner <= MU + 1e-9
        assert MU - 1e-9 <= outer.reach(sideways, push) <= MU / least + 1e-9


def test_margin_of_a_centred_push(foot):
    """F newtons, straight through the middle: F / 4 at each corner."""
    wrenches = sole_wrenches(foot)
    assert wrenches.margin((0, 0, 100, 0, 0, 0)) == pytest.approx(25)
    assert wrenches.margin((0, 0, -100, 0, 0, 0)) == pytest.approx(-25)
    # a limit of 160 N: m newtons below it, and m more at each corner
    limited = sole_wrenches(foot, limit=160.0, name="weak")
    assert limited.limits.tolist() == [160.0]
    assert limited.margin((0, 0, 100, 0, 0, 0)) == pytest.approx(25)
    assert limited.margin((0, 0, 150, 0, 0, 0)) == pytest.approx(10)
    assert limited.margin((0, 0, 170, 0, 0, 0)) == pytest.approx(-10)
    assert limited.contains((0, 0, 160, 0, 0, 0))
    assert not limited.contains((0, 0, 160.01, 0, 0, 0))


def test_margin_and_membership_agree(foot):
    wrenches = sole_wrenches(foot, limit=80.0, origin=(3, -2, 1))
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(200):
        force = rng.normal(size=3) * (15, 15, 10) + (0, 0, 50)
        at = rng.uniform(-0.12, 0.12, 3) * (1, 0.5, 0)
        torque = np.cross(at - (3, -2, 1), force) + np.array((0, 0, rng.normal()))
        wrench = np.concatenate((force, torque))
        margin = wrenches.margin(wrench)
        assert wrenches.contains(wrench) == (margin >= 0)
        inside += margin >= 0
    assert 20 < inside < 180


def test_reach_is_where_membership_ends(foot):
    wrenches = sole_wrenches(foot)
    start = np.array((0, 0, 100, 0, 0, 0.0))
    assert wrenches.reach((1, 0, 0, 0, 0, 0), start) == pytest.approx(MU * 100)
    assert wrenches.reach((0, 0, 0, 0, 1, 0), start) == pytest.approx(
        10
    )  # tips at toes
    assert wrenches.reach((0, 0, 0, 1, 0, 0), start) == pytest.approx(5)
    assert wrenches.reach((0, 0, 1, 0, 0, 0), start) == math.inf
    assert wrenches.reach((0, 0, -1, 0, 0, 0), start) == pytest.approx(100)
    assert wrenches.reach((1, 0, 0, 0, 0, 0), -start) == -math.inf
    rng = np.random.default_rng(4)
    for direction in rng.normal(size=(20, 6)) * (1, 1, 1, 0.1, 0.1, 0.1):
        s = wrenches.reach(direction, start)
        assert wrenches.contains(start + s * (1 - 1e-6) * direction)
        assert not wrenches.contains(start + s * (1 + 1e-6) * direction)


def test_forces_are_the_least_that_friction_allows(foot):
    wrenches = sole_wrenches(foot)
    level = wrenches.forces((0, 0, 100, 0, 0, 0))
    np.testing.assert_allclose(level, [(0, 0, 25)] * 4, atol=1e-10)
    # at the edge of slipping, the push of each point is parallel to the whole one
    edge = wrenches.forces((MU * 100 * 0.999, 0, 100, 0, 0, 0))
    np.testing.assert_allclose(edge, [(MU * 25 * 0.999, 0, 25)] * 4, atol=1e-9)
    # tipped so far that least squares would pull at one side
    tipped = np.array((10, 0, 100, 0, 9.9, 0))
    found = wrenches.forces(tipped)
    assert found[:, 2].min() >= -1e-9
    torque = np.cross(wrenches.places, found).sum(axis=0)
    np.testing.assert_allclose(torque, tipped[3:], atol=1e-9)
    smooth = sole_wrenches(foot, friction=0.0, name="ice")
    np.testing.assert_allclose(smooth.forces((0, 0, 4, 0, 0, 0))[:, 2], 1)
    assert smooth.forces((1e-3, 0, 4, 0, 0, 0)) is None
    weak = sole_wrenches(foot, limit=99.0, name="weak")
    assert weak.forces((0, 0, 100, 0, 0, 0)) is None


def test_a_point_that_would_pull_is_left_out_of_the_least_forces(foot):
    """Over a corner the other three push with the least sum of squares."""
    wrenches = sole_wrenches(foot)
    places = wrenches.places
    x, y = places[:, :2].max(axis=0)
    wrench = np.array((2, -1, 100, 80 * y, -80 * x, 0))
    kept = (places[:, :2] > 0).any(axis=1)
    assert kept.sum() == 3
    arms = [
        np.vstack((np.eye(3), np.cross(place, np.eye(3)).T)) for place in places[kept]
    ]
    expected, *_ = np.linalg.lstsq(np.hstack(arms), wrench, rcond=None)
    found = wrenches.forces(wrench)
    np.testing.assert_allclose(found[kept].ravel(), expected, atol=1e-9)
    np.testing.assert_allclose(found[~kept], 0.0, atol=1e-9)


def test_without_contacts_there_is_no_wrench(foot):
    nothing = stability.wrench_set(())
    assert nothing.margin(np.ones(6)) == -math.inf
    assert not nothing.contains(np.ones(6))
    assert nothing.contains(np.zeros(6))
    assert nothing.forces(np.ones(6)) is None


def test_the_exact_cone(foot):
    pose = tilted(0.3, (1, 2, 0))
    normal = along(pose)
    across = pose[:3, 0]
    force = 10 * normal + 4 * across
    assert stability.friction_margin(force, 3 * normal, 0.5) == pytest.approx(1.0)
    assert stability.friction_margin(force, normal, 0.3) == pytest.approx(-1.0)
    assert stability.friction_margin(-normal, normal, 0.3) == pytest.approx(-0.3)
    with pytest.raises(ArgumentError, match="expected a direction"):
        stability.friction_margin(force, (0, 0, 0), 0.5)
    for friction in (-0.1, math.nan, "a", None):
        with pytest.raises(ArgumentError, match=r"friction is .*, expected a finite"):
            stability.friction_margin(force, normal, friction)


def test_wrong_arguments(foot):
    for edges in (2, 8.5, math.nan, "8"):
        with pytest.raises(ArgumentError, match=r"edges is .*, expected a whole"):
            stability.wrench_set((), edges=edges)
    with pytest.raises(ArgumentError, match="expected numbers >= 0"):
        stability.rectangle_wrench_faces((1, -1), 0.5)
    with pytest.raises(ArgumentError, match="friction is 'a'"):
        stability.rectangle_wrench_faces((1, 1), "a")
    for touches in (None, ["foot"], 3):
        with pytest.raises(ArgumentError, match="expected a Touch, got"):
            stability.wrench_set(touches)
    with pytest.raises(ArgumentError, match="wrench"):
        stability.wrench_set(()).contains((1, 2, 3))
