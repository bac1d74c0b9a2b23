"""Loads that contacts can hold: closed forms, SciPy's hulls and programs."""

import math

import numpy as np
import pytest
from loops import each

from pyrave.errors import ArgumentError, StateError
from pyrave.grasping import Closure, ContactSet

PLANE = (0, 1, 5)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def around(n, friction):
    """Contacts on the unit circle, evenly spread, that push to its centre."""
    turns = 2 * np.pi * np.arange(n) / n
    out = np.column_stack((np.cos(turns), np.sin(turns), 0 * turns))
    return ContactSet(out, -out, friction)


def random_contacts(rng, n, friction=None):
    out = rng.normal(size=(n, 3))
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    rub = rng.uniform(0.1, 1.0, n) if friction is None else friction
    return ContactSet(out, 0.3 * rng.normal(size=(n, 3)) - out, rub)


@pytest.mark.parametrize("length", [0.1, 1.0, 3.0])
def test_two_fingers_on_a_plate(length):
    """Four wrenches: a tetrahedron whose edges are known."""
    lever, rub = 1.0 / length, 0.4
    closure = Closure(around(2, rub), length=length, edges=4, axes=PLANE)
    expected = 1 / math.sqrt(1 + (1 + lever**2) / (rub * lever) ** 2)
    assert closure.epsilon == pytest.approx(expected, abs=1e-9)
    assert closure.volume == pytest.approx(8 * rub**2 * lever / 3)


@pytest.mark.parametrize("rub", [0.1, 0.3, 0.5])
def test_three_fingers_on_a_disc(rub):
    """Two triangles, turned against each other: an antiprism."""
    closure = Closure(around(3, rub), length=1.0, edges=4, axes=PLANE)
    radius, turn = math.hypot(1, rub), math.atan(rub)
    share = math.cos(math.pi / 3 - 2 * turn)
    slope = radius * (share - 0.5) / (2 * rub)
    side = radius * (share + 0.5) / 2 / math.hypot(1, slope)
    assert closure.epsilon == pytest.approx(min(rub, side), abs=1e-9)


@pytest.mark.parametrize("shift", [0.1, 0.5, 2.0])
def test_four_slippery_pins_on_a_square_plate(shift):
    points = [(-1, shift, 0), (1, -shift, 0), (-shift, -1, 0), (shift, 1, 0)]
    normals = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)]
    pins = ContactSet(points, normals, 0.0)
    closure = Closure(pins, length=1.0, axes=PLANE)
    # all four turn it the same way
    assert closure.epsilon == 0.0
    assert not closure.force_closure
    points[2:] = [(shift, -1, 0), (-shift, 1, 0)]
    pins = ContactSet(points, normals, 0.0)
    closure = Closure(pins, length=1.0, axes=PLANE)
    assert closure.epsilon == pytest.approx(shift / math.hypot(1, 2 * shift), abs=1e-9)
    assert closure.volume == pytest.approx(4 * shift / 3)
    assert closure.force_closure


def test_four_slippery_contacts_on_a_sphere():
    """A regular tetrahedron of forces, and no torques at all."""
    out = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]) / math.sqrt(3)
    contacts = ContactSet(out, -out, 0.0)
    forces = Closure(contacts, length=1.0, axes=(0, 1, 2))
    assert forces.epsilon == pytest.approx(1 / 3, abs=1e-9)
    assert forces.volume == pytest.approx(8 * math.sqrt(3) / 27)
    assert forces.force_closure
    whole = Closure(contacts, length=1.0)
    assert (whole.rank, whole.epsilon, whole.volume) == (3, 0.0, 0.0)


@pytest.mark.parametrize("rub", [0.2, 0.5])
def test_round_cones_on_a_sphere(rub):
    """Weakest about an axis through a contact, with a push along that."""
    out = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]) / math.sqrt(3)
    closure = Closure(ContactSet(out, -out, rub), length=1.0, exact=True)
    low, high = closure.epsilon_bounds
    assert low <= rub / math.sqrt(2) + 1e-12
    assert high >= rub / math.sqrt(2) - 1e-12
    assert high - low < 3e-7
    six = np.vstack((np.eye(3), -np.eye(3)))
    for length in (1.0, 4.0):
        closure = Closure(ContactSet(six, -six, rub), length=length, exact=True)
        expected = rub * math.sqrt(2 / 3) / length
        assert closure.epsilon == pytest.approx(expected, abs=1e-6)


def test_four_contacts_on_a_box():
    """Two at each side: weakest about the axis from side to side."""
    points = [(1, 0.5, 0), (1, -0.5, 0), (-1, 0.5, 0), (-1, -0.5, 0)]
    normals = [(-1, 0, 0), (-1, 0, 0), (1, 0, 0), (1, 0, 0)]
    closure = Closure(ContactSet(points, normals, 0.5), length=1.0, exact=True)
    assert closure.epsilon == pytest.approx(0.25, abs=1e-6)
    assert closure.force_closure


def test_two_points_hold_no_twist():
    """They touch on one line, about which nothing holds."""
    closure = Closure(around(2, 0.5), length=1.0, exact=True)
    assert (closure.rank, closure.epsilon, closure.volume) == (5, 0.0, 0.0)
    assert not closure.force_closure
    hold = closure.hold((0, 0, -1, 0, 0, 0))
    assert hold
    assert hold.effort == pytest.approx(2.0, abs=1e-6)
    np.testing.assert_allclose(hold.forces.sum(axis=0), (0, 0, 1), atol=1e-12)
    assert closure.hold((0, 0, -1, 1, 0, 0)).state == "slips"
    assert closure.hold((0, 0, -1, 1e-11, 0, 0)).state == "not proven"


def test_a_weight_needs_its_squeeze():
    closure = Closure(around(3, 0.3), length=1.0, exact=True)
    weight = (0, 0, -9.81, 0, 0, 0)
    hold = closure.hold(weight)
    assert hold.effort == pytest.approx(9.81 / 0.3, rel=1e-6)
    assert hold.least == pytest.approx(9.81 / 0.3, rel=1e-6)
    assert closure.holds(weight, max_force=33.0)
    assert closure.hold(weight, max_force=32.0).state == "slips"
    assert not closure.holds(weight, max_force=9.81 / 0.3)
    assert closure.friction_share(weight) < 0.01
    one = Closure(ContactSet([(0, 0, 0)], [(0, 0, 1)], 0.5), length=1.0, exact=True)
    assert one.friction_share((0.25, 0, -1, 0, 0, 0)) == pytest.approx(0.5, abs=2e-3)
    assert one.friction_share((0.6, 0, -1, 0, 0, 0)) == math.inf


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("rub", [0.0, 1e-3, 0.5, 2.0])
def test_nothing_beyond_a_cone_is_held(rub, exact):
    """The edge of one cone is known: what is just outside is never said to hold."""
    contact = ContactSet([(0, 0, 0)], [(0, 0, 1)], rub)
    closure = Closure(contact, length=1.0, exact=exact, edges=64)
    for off in 10.0 ** np.arange(-17, 0):
        for turn in (0.0, 0.3, 1.0):
            side = rub * (1 + off) + (off if rub == 0.0 else 0.0)
            push = (side * math.cos(turn), side * math.sin(turn), -1.0)
            if math.hypot(push[0], push[1]) > rub * (1 + 1e-12) + 1e-12:
                assert not closure.holds((*push, 0, 0, 0))
    if rub:
        assert closure.hold((0.99 * rub, 0, -1, 0, 0, 0)).state == "holds"
        assert closure.hold((1.01 * rub, 0, -1, 0, 0, 0)).state == "slips"
    assert closure.hold((0, 0, 1, 0, 0, 0)).state == "slips"


@each("seed", range(6))
def test_forces_add_up_and_stay_in_their_cones(seed):
    rng = np.random.default_rng(seed)
    contacts = random_contacts(rng, 3 + seed)
    for exact in (True, False):
        closure = Closure(contacts, center=(0.1, 0, 0), length=0.7, exact=exact)
        for _ in range(20):
            load = rng.normal(size=6)
            hold = closure.hold(load)
            if not hold:
                continue
            arms = contacts.points - (0.1, 0, 0)
            found = hold.forces.sum(0), np.cross(arms, hold.forces).sum(0)
            np.testing.assert_allclose(np.concatenate(found), -load, atol=1e-9)
            along = (hold.forces * contacts.normals).sum(1)
            across = np.linalg.norm(
                hold.forces - along[:, None] * contacts.normals, axis=1
            )
            assert (along > 0).all()
            assert (across <= contacts.friction * along).all()
            assert along.sum() == pytest.approx(hold.effort)
            assert hold.least <= hold.effort * (1 + 1e-12)


@pytest.mark.parametrize("count", [3, 4, 6])
def test_random_sets_are_as_scipy_finds_them(count, rng):
    spatial = pytest.importorskip("scipy.spatial")
    optimize = pytest.importorskip("scipy.optimize")
    for _ in range(15):
        contacts = random_contacts(rng, count)
        closure = Closure(contacts, length=rng.uniform(0.3, 2))
        hull = spatial.ConvexHull(closure.wrenches)
        radius = -hull.equations[:, -1].max()
        low, high = closure.epsilon_bounds
        if radius > 0:
            assert low - 1e-9 <= radius <= high + 1e-9
            assert closure.epsilon == pytest.approx(radius, abs=1e-9)
        else:
            assert closure.epsilon == 0.0
            assert not closure.force_closure
        assert closure.volume == pytest.approx(hull.volume, rel=1e-9)
        load = rng.normal(size=6)
        scaled = -np.concatenate((load[:3], load[3:] / closure.length))
        program = optimize.linprog(
            np.ones(len(closure.wrenches)), A_eq=closure.wrenches.T, b_eq=scaled
        )
        hold = closure.hold(load)
        assert hold.state == ("holds" if program.status == 0 else "slips")
        if hold:
            assert hold.effort == pytest.approx(program.fun, rel=1e-5)
            assert hold.least == pytest.approx(program.fun, rel=1e-6)
        round_cones = Closure(contacts, length=closure.length, exact=True)
        assert round_cones.epsilon >= closure.epsilon - 1e-9
        if hold:
            assert round_cones.hold(load).least <= hold.effort


@pytest.mark.parametrize("edges", [4, 6, 8])
def test_points_in_one_plane_and_points_that_come_twice(edges, rng):
    """Contacts at corners of a box, and again: many wrenches in each facet."""
    spatial = pytest.importorskip("scipy.spatial")
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    normals = -corners * (0, 0, 1)
    twice = ContactSet(np.tile(corners, (2, 1)), np.tile(normals, (2, 1)), 0.5)
    closure = Closure(twice, length=1.0, edges=edges)
    hull = spatial.ConvexHull(closure.wrenches)
    assert closure.epsilon == pytest.approx(-hull.equations[:, -1].max(), abs=1e-9)
    assert closure.volume == pytest.approx(hull.volume)
    flat = ContactSet(corners[:3], normals[:3], 0.0)
    assert Closure(flat, length=1.0).volume == 0.0


def test_few_contacts_hold_nothing():
    nothing = Closure(ContactSet(), length=1.0)
    assert (nothing.epsilon, nothing.volume, nothing.rank) == (0.0, 0.0, 0)
    assert nothing.hold((0, 0, 1, 0, 0, 0)).state == "slips"
    assert nothing.holds(np.zeros(6))
    assert "0 contacts" in repr(nothing)
    one = Closure(ContactSet([(1, 0, 0)], [(-1, 0, 0)], 0.5), length=1.0, exact=True)
    assert (one.epsilon, one.rank) == (0.0, 3)


def test_small_and_far_numbers_change_nothing(rng):
    contacts = random_contacts(rng, 5, 0.8)
    whole = Closure(contacts, length=1.0)
    small = ContactSet(1e-3 * contacts.points, contacts.normals, 0.8)
    far = ContactSet(contacts.points + 100.0, contacts.normals, 0.8)
    assert Closure(small, length=1e-3).epsilon == pytest.approx(whole.epsilon)
    moved = Closure(far, center=(100, 100, 100), length=1.0)
    assert moved.epsilon == pytest.approx(whole.epsilon)
    assert Closure(small, length=1e-6).epsilon >= 0.0


def test_kernels_do_the_same_interpreted(rng, monkeypatch):
    from pyrave.grasping import closure

    contacts = random_contacts(rng, 4, 0.8)
    load = rng.normal(size=6)
    compiled = Closure(contacts, length=1.0)
    found = compiled.epsilon, compiled.volume, compiled.hold(load).least
    for name in ("_ball_radius", "_hull_volume", "_least_forces"):
        plain = getattr(closure, name).python
        stand_in = type("Plain", (), {"auto": lambda _self, _cost, plain=plain: plain})
        monkeypatch.setattr(closure, name, stand_in())
    with np.errstate(all="ignore"):
        plain = Closure(contacts, length=1.0, edges=4), Closure(contacts, length=1.0)
        assert plain[0].volume > 0.0
        again = plain[1].epsilon, plain[1].hold(load).least
    assert again == pytest.approx((found[0], found[2]))


@pytest.mark.parametrize("size", [1e-200, 1e-170, 1.0, 1e170, 1e200])
def test_loads_of_any_size_are_held_or_not_alike(size):
    closure = Closure(around(2, 0.5), length=1.0)
    held = closure.hold((0, 0, -size, 0, 0, 0))
    assert held
    assert held.effort == pytest.approx(2.0 * size)
    np.testing.assert_allclose(held.forces.sum(axis=0), (0, 0, size), atol=1e-9 * size)
    # nothing holds against turns about the line through two contacts
    assert closure.hold((0, 0, 0, size, 0, 0)).state == "slips"
    assert (
        Closure(ContactSet(), length=1.0).hold((0, 0, size, 0, 0, 0)).state == "slips"
    )


def test_no_volume_is_told_where_numbers_are_too_close(monkeypatch):
    from pyrave.grasping import closure

    class Stuck:
        def auto(self, _cost):
            return lambda *_arguments: 1

    monkeypatch.setattr(closure, "_hull_volume", Stuck())
    with pytest.raises(StateError, match="too close to degenerate"):
        _ = Closure(around(3, 0.5), length=1.0).volume


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"length": 0.0}, "length is 0.0, expected"),
        ({"length": 1.0, "edges": 2}, "edges is 2, expected a whole number from 3"),
        ({"length": 1.0, "axes": (0, 7)}, r"axes is \(0, 7\), expected two or more"),
        ({"length": 1.0, "axes": (0.0, 1.0)}, r"axes is \(0.0, 1.0\), expected two"),
        ({"length": 1.0, "axes": 5}, "axes is 5, expected two or more"),
        ({"length": 1.0, "center": (0, np.nan, 0)}, "center has values"),
    ],
)
def test_wrong_values_are_told(options, message):
    with pytest.raises(ArgumentError, match=message):
        Closure(around(3, 0.5), **options)


def test_wrong_loads_are_told():
    closure = Closure(around(3, 0.5), length=1.0)
    with pytest.raises(ArgumentError, match="wrench has shape"):
        closure.holds((1, 2, 3))
    with pytest.raises(ArgumentError, match="max_force is -1, expected 0 or more"):
        closure.holds(np.zeros(6), max_force=-1)
    with pytest.raises(ArgumentError, match="max_force is 'much', expected 0 or more"):
        closure.holds(np.zeros(6), max_force="much")
    with pytest.raises(ArgumentError, match=r"wrench is .* expected less than 1e\+250"):
        closure.holds((0, 0, 1e300, 0, 0, 0))
    with pytest.raises(ArgumentError, match=r"expected a pyrave.grasping.ContactSet"):
        Closure([(0, 0, 0)], length=1.0)
