"""Signed distances of convex solids and the points where they are nearest."""

import numpy as np
import pytest
from convex_solids import (
    DISTANCES,
    KINDS,
    PAIRINGS,
    SHAPES,
    Solid,
    Solids,
    apart,
    coal_distance,
    convex_distance,
    furthest,
    outside_by,
    pose,
    random_solid,
    rotation,
    seed_of,
    stacked,
)
from loops import each

from pyrave.geometry.kernels.primitives import (
    BOX,
    CAPSULE,
    CYLINDER,
    MESH,
    PLANE,
    SPHERE,
)

N_PAIRS = 150
EXACT = 1e-6


def check_points(a, pose_a, b, pose_b, found, p, q, normal, allowed=EXACT):
    """The points are of the solids, and nothing is nearer or less deep on this way."""
    assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-12)
    assert np.allclose(q - p, found * normal, atol=1e-12, rtol=1e-12)
    assert outside_by(a, pose_a, p) < allowed
    assert outside_by(b, pose_b, q) < allowed
    reach = furthest(a, pose_a, normal) + furthest(b, pose_b, -normal)
    assert -reach == pytest.approx(found, abs=allowed)


@pytest.mark.parametrize(("one", "other"), PAIRINGS)
def test_random_pairs_are_as_far_apart_as_coal_says(one, other):
    """Coal's depths are sometimes wrong for round solids: much too deep, or -1.8e308.

    Ours is the depth along a direction, and so not less than the true one; where coal
    does not find a better direction, ours is as good.
    """
    pytest.importorskip("coal")
    rng = np.random.default_rng(seed_of(one, other))
    kinds = [KINDS[one]] * 10 + [KINDS[other]] * 10
    solids = Solids(random_solid(rng, kind) for kind in kinds)
    twins = [solid.coal for solid in solids.solids]
    signs, agreed = [], 0
    for _ in range(N_PAIRS):
        i, j = rng.integers(0, 10), rng.integers(10, 20)
        at_i, at_j = apart(rng, nearest=0.1)
        found, p, q, normal = convex_distance(solids, i, at_i, j, at_j)
        expected, _ = coal_distance(twins[i], at_i, twins[j], at_j)
        if expected > 0.0:
            assert found == pytest.approx(expected, abs=EXACT)
        else:
            assert found > expected - EXACT
            agreed += found < expected + EXACT
        check_points(
            solids.solids[i], at_i, solids.solids[j], at_j, found, p, q, normal
        )
        signs.append(found > 0.0)
    assert 0.05 < np.mean(signs) < 0.95
    assert agreed > 0.8 * (N_PAIRS - sum(signs))


@pytest.mark.parametrize(("one", "other"), PAIRINGS)
def test_the_kernels_as_written_agree_with_the_compiled_ones(one, other):
    rng = np.random.default_rng(seed_of(one, other))
    solids = Solids([random_solid(rng, KINDS[one]), random_solid(rng, KINDS[other])])
    for _ in range(2):
        at_a, at_b = apart(rng)
        plain = convex_distance(solids, 0, at_a, 1, at_b, kernels=DISTANCES.python)
        fast = convex_distance(solids, 0, at_a, 1, at_b)
        assert plain[0] == pytest.approx(fast[0], abs=1e-7)


@each("size", [1e-6, 1e-3, 1.0, 1e3])
@pytest.mark.parametrize(("one", "other"), PAIRINGS)
def test_solids_above_each_other_at_all_sizes(one, other, size):
    rng = np.random.default_rng(seed_of(one, other))
    solids = Solids([stacked(one, size), stacked(other, size)])
    for turned in range(3):
        frame = rotation(rng) if turned else np.eye(3)
        way = frame[:, 2]
        origin = rng.uniform(-10, 10, 3) * size
        for gap in (0.5, 1e-3, 1e-6, 0.0, -1e-6, -1e-3, -0.05):
            above = pose(origin + (2 + gap) * size * way, frame)
            found, p, q, normal = convex_distance(
                solids, 0, pose(origin, frame), 1, above
            )
            assert found == pytest.approx(gap * size, abs=1e-7 * size)
            # near touching, many ways are nearly as short
            assert normal == pytest.approx(way, abs=2e-3 if abs(gap) > 1e-8 else 0.1)
            middle = (0.5 * (p + q) - origin) @ way / size
            assert middle == pytest.approx(1.0 + 0.5 * gap, abs=1e-6)


@pytest.mark.parametrize(("one", "other"), PAIRINGS)
def test_far_from_the_origin_nothing_changes(one, other):
    rng = np.random.default_rng(seed_of(one, other))
    solids = Solids([random_solid(rng, KINDS[one]), random_solid(rng, KINDS[other])])
    at_a, at_b = apart(rng)
    near = convex_distance(solids, 0, at_a, 1, at_b)
    far = np.array((1e5, -2e5, 3e5))
    for at in (at_a, at_b):
        at[[3, 7, 11]] += far
    found, p, q, _ = convex_distance(solids, 0, at_a, 1, at_b)
    assert found == pytest.approx(near[0], abs=1e-8)
    assert p - far == pytest.approx(near[1], abs=1e-4)
    assert q - p == pytest.approx(near[2] - near[1], abs=1e-4)


def solid(kind, *sizes):
    return Solid(kind, np.array(sizes, float), np.zeros(3))


AT = np.zeros(3)
SIDEWAYS = np.array([(0.0, 0, 1), (0, 1, 0), (-1, 0, 0)])


@pytest.mark.parametrize(
    ("a", "b", "way", "turn", "expected"),
    [
        (solid(SPHERE, 2, 0, 0), solid(SPHERE, 1, 0, 0), AT, None, -3),
        (solid(SPHERE, 2, 0, 0), solid(SPHERE, 1, 0, 0), (0.5, 0, 0), None, -2.5),
        (solid(BOX, 1, 2, 3), solid(BOX, 0.5, 0.5, 0.5), AT, None, -1.5),
        (solid(BOX, 1, 2, 3), solid(BOX, 3, 2, 1), AT, SIDEWAYS, -2),
        (solid(BOX, 1, 2, 3), solid(SPHERE, 0.5, 0, 0), (0, 0, 2.9), None, -0.6),
        (solid(CAPSULE, 0.1, 1, 0), solid(CAPSULE, 0.2, 1, 0), AT, None, -0.3),
        (solid(CAPSULE, 0.1, 1, 0), solid(CAPSULE, 0.2, 1, 0), AT, SIDEWAYS, -0.3),
        (
            solid(CAPSULE, 0.1, 1, 0), solid(CAPSULE, 0.2, 1, 0), (0, 0, 1.5), None,
            -0.3,
        ),
        (solid(CAPSULE, 0.1, 1, 0), solid(SPHERE, 0.2, 0, 0), (0, 0, 0.5), None, -0.3),
        (solid(CAPSULE, 0.1, 1, 0), solid(BOX, 1, 2, 3), AT, None, -1.1),
        (solid(CYLINDER, 1, 2, 0), solid(SPHERE, 0.5, 0, 0), AT, None, -1.5),
        (solid(CYLINDER, 1, 2, 0), solid(SPHERE, 0.5, 0, 0), (0.6, 0, 0), None, -0.9),
        (solid(CYLINDER, 1, 2, 0), solid(CYLINDER, 0.5, 1, 0), AT, None, -1.5),
        (solid(CYLINDER, 2, 1, 0), solid(CYLINDER, 0.5, 0.3, 0), AT, None, -1.3),
        (
            solid(CYLINDER, 1, 2, 0), solid(CYLINDER, 0.5, 1, 0), (0.7, 0.2, 2.5), None,
            -0.5,
        ),
        (solid(SPHERE, 0.5, 0, 0), solid(CYLINDER, 1, 2, 0), (0.1, 0, 1.8), None, -0.7),
        (solid(CAPSULE, 0.5, 1, 0), solid(CYLINDER, 1, 2, 0), (0, 0.9, 1), None, -0.6),
        (solid(CYLINDER, 1, 2, 0), solid(CYLINDER, 0.5, 1, 0), AT, SIDEWAYS, -1.5),
    ],
)  # fmt: skip
def test_depths_of_solids_inside_each_other(a, b, way, turn, expected):
    solids = Solids([a, b])
    spin = rotation(np.random.default_rng(4))
    turn = np.eye(3) if turn is None else turn
    for frame in (np.eye(3), spin):
        at_a, at_b = pose(AT, frame), pose(frame @ way, frame @ turn)
        found, p, q, normal = convex_distance(solids, 0, at_a, 1, at_b)
        assert found == pytest.approx(expected, abs=1e-7)
        check_points(a, at_a, b, at_b, found, p, q, normal)


@pytest.mark.parametrize("n_vertices", [1, 2, 3])
def test_points_segments_and_triangles(n_vertices):
    """Above a box, within it, and in the plane of another flat hull."""
    vertices = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0)])[:n_vertices]
    lower, upper = vertices.min(axis=0), vertices.max(axis=0)
    rows, flat = np.zeros((2, SHAPES.SHAPE)), vertices.reshape(-1)
    box = np.array((0.5, 0.5, 0.5))
    SHAPES.write_shape(BOX, box, np.zeros(3), flat, 0, 0, rows[0])
    half, centre = (upper - lower) / 2, (upper + lower) / 2
    SHAPES.write_shape(MESH, half, centre, flat, 0, n_vertices, rows[1])
    none = np.zeros(1, np.int32)
    scratch, out = np.zeros(DISTANCES.python.DISTANCE_SCRATCH), np.zeros(9)
    function = DISTANCES.jit.convex_distance
    turn = rotation(np.random.default_rng(3))
    for gap in (0.2, 1e-9, 0.0, -0.1):
        there = pose(turn @ (-0.1, 0.1, 0.5 + gap), turn)
        found = function(
            rows[0], pose(AT, turn), rows[1], there, flat, none, none, np.inf, scratch,
            out,
        )  # fmt: skip
        assert found == pytest.approx(gap, abs=1e-7)
        assert out[6:] == pytest.approx(turn[:, 2], abs=1e-6)
        found = function(
            rows[1], there, rows[1], there, flat, none, none, np.inf, scratch, out
        )
        assert found == 0.0
        assert np.linalg.norm(out[6:]) == pytest.approx(1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_planes(kind):
    rng = np.random.default_rng(11)
    one = stacked(kind, 1.0)
    solids = Solids([solid(PLANE, 0, 0, 0), one])
    for turn in (np.eye(3), rotation(rng)):
        origin = rng.uniform(-5, 5, 3)
        at = pose(origin, turn)
        for z, expected in ((1.5, 0.5), (-3.0, 2.0), (0.8, -0.2), (-0.9, -0.1)):
            there = pose(origin + turn @ (40.0, -30.0, z), turn)
            found, p, q, normal = convex_distance(solids, 0, at, 1, there)
            assert found == pytest.approx(expected, abs=1e-12)
            assert normal == pytest.approx(np.sign(z) * turn[:, 2], abs=1e-12)
            assert (p - origin) @ turn[:, 2] == pytest.approx(0.0, abs=1e-12)
            assert q - p == pytest.approx(found * normal, abs=1e-12)
            assert outside_by(one, there, q) < 1e-12
            back, u, v, against = convex_distance(solids, 1, there, 0, at)
            assert back == pytest.approx(expected, abs=1e-12)
            assert against == pytest.approx(-normal)
            assert u == pytest.approx(q)
            assert v == pytest.approx(p)


def test_two_planes():
    solids = Solids([solid(PLANE, 0, 0, 0)])
    turn = rotation(np.random.default_rng(8))
    a, b = pose((1.0, 2, 3), turn), pose(np.array((1.0, 2, 3)) - 2 * turn[:, 2], turn)
    found, p, q, normal = convex_distance(solids, 0, a, 0, b)
    assert found == pytest.approx(2.0)
    assert normal == pytest.approx(-turn[:, 2])
    assert q - p == pytest.approx(2.0 * normal)
    other = rotation(np.random.default_rng(9))
    found, p, q, _ = convex_distance(solids, 0, a, 0, pose((5.0, 1, 1), other))
    assert found == 0.0
    assert p == pytest.approx(q)
    assert (p - (1, 2, 3)) @ turn[:, 2] == pytest.approx(0.0, abs=1e-9)
    assert (p - (5, 1, 1)) @ other[:, 2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("one", "other"), PAIRINGS)
def test_beyond_the_limit_a_lower_bound_is_enough(one, other):
    rng = np.random.default_rng(seed_of(one, other))
    solids = Solids([random_solid(rng, KINDS[one]), random_solid(rng, KINDS[other])])
    for _ in range(20):
        at_a, at_b = apart(rng, nearest=1.0, furthest=4.0)
        exact, *_ = convex_distance(solids, 0, at_a, 1, at_b)
        for limit in (0.0, 0.1, 1.0):
            found, *_ = convex_distance(solids, 0, at_a, 1, at_b, limit)
            if exact > limit + 1e-9:
                assert limit < found <= exact + 1e-9
            else:
                assert found == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("a", "pose_a", "b", "pose_b"),
    [
        (
            solid(CYLINDER, 0.3394508501277154, 4.19023463716823e-06, 0),
            (
                0.9999999995072126, -8.015681424055847e-06, 3.0353311789172916e-05, 0.0,
                8.015418616348038e-06, 0.9999999999303926, 8.658399504463449e-06, 0.0,
                -3.0353381190032168e-05, -8.658156205696316e-06, 0.9999999995018543,
                0.0,
            ),
            solid(BOX, 0.5943578784643647, 5.356757986317513e-08, 0.5943578784643647),
            (
                1.0, 0.0, 0.0, 0.440452484452125, 0.0, 0.0, -1.0, 0.38939651190762603,
                0.0, 1.0, 0.0, -1.4958257465599867e-05,
            ),
        ),
        (
            solid(CYLINDER, 0.12727217364120635, 0.00027095582908048985, 0),
            (
                0.4055144746048136, 0.43458707024594456, -0.8041716789722383, 0.0,
                0.7903686557437704, 0.27526194400961046, 0.5473100128792052, 0.0,
                0.4592117146848147, -0.8575342212151634, -0.2318612959101538, 0.0,
            ),
            solid(CYLINDER, 3.232563465039245e-08, 3.232563465039245e-08, 0),
            (
                0.7645369915690498, 0.5586962830096374, 0.3214679639929336,
                0.021532266592273162, 0.11632396062383915, 0.3709478055112476,
                -0.9213394932223263, 0.026403883943783256, -0.6339967860386442,
                0.7417925511472899, 0.21861355482921185, -0.011185687460861534,
            ),
        ),
        (
            solid(BOX, 0.590550628038708, 0.07121014743543186, 6.074767832257035e-10),
            (
                1.0, -2.1221425605168037e-10, 3.086790537394183e-10,
                -1.2827033482215238, 2.122142561345818e-10, 1.0,
                -2.685684128857545e-10, 1.369327601899325, -3.086790536824242e-10,
                2.6856841295126057e-10, 1.0, -1.4351252313983112,
            ),
            solid(CYLINDER, 0.15704063832363854, 6.546610625590524e-10, 0),
            (
                0.0, 1.0, 0.0, -1.5707820109638397, 0.0, 0.0, 1.0, 1.2981174537371147,
                1.0, 0.0, 0.0, -1.2868893428895547,
            ),
        ),
    ],
)  # fmt: skip
def test_thin_solids_that_touch_are_not_apart(a, pose_a, b, pose_b, compiled):
    """Corners in one plane up to rounding have a nearest point that is none."""
    solids = Solids([a, b])
    kernels = DISTANCES.jit if compiled else DISTANCES.python
    poses = np.array(pose_a), np.array(pose_b)
    for i, j in ((0, 1), (1, 0)):
        found, p, q, normal = convex_distance(
            solids, i, poses[i], j, poses[j], kernels=kernels
        )
        assert abs(found) < 1e-9
        assert q - p == pytest.approx(found * normal, abs=1e-12)
        assert np.linalg.norm(normal) == pytest.approx(1.0)
