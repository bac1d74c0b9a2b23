"""Grids of directions, rotations and boxes: counts, equal cells, dispersion."""

import math

import numpy as np
import pytest

from pyrave import ArgumentError
from pyrave.geometry import (
    geodesic_sphere,
    healpix_directions,
    healpix_pixels,
    hopf_coordinates,
    hopf_quaternions,
    kronecker_sequence,
    lattice_points,
    rotation_cells,
    rotation_grid,
    rotation_level,
    rotation_sequence,
    sphere_sequence,
)
from pyrave.geometry.grids.sphere import face_directions, pixel_places
from pyrave.spatial import matrix_from_quat


def random_directions(n, size, seed):
    rows = np.random.default_rng(seed).normal(size=(n, size))
    return rows / np.linalg.norm(rows, axis=1)[:, None]


def matrices(quats):
    return np.array([matrix_from_quat(quat) for quat in quats])


def rotation_dispersion(quats, seed=0):
    """Return the largest angle of 20 000 random rotations to the nearest of a set."""
    asked = random_directions(20_000, 4, seed)
    near = np.abs(asked @ quats.T).max(axis=1)
    return 2.0 * math.acos(min(float(near.min()), 1.0))


# -- directions ------------------------------------------------------------------------


def test_pixels_have_the_published_places():
    # Gorski et al. 2005, equations 2 to 9, and the published index of the first pixels
    base = healpix_directions(0, "ring")
    assert np.allclose(base[:, 2], np.repeat([2 / 3, 0.0, -2 / 3], 4))
    longitudes = np.arctan2(base[:, 1], base[:, 0]) % (2 * np.pi)
    quarter = np.pi / 2 * np.arange(4)
    assert np.allclose(longitudes[:4], quarter + np.pi / 4)
    assert np.allclose(longitudes[4:8], quarter)
    for level in range(5):
        sides = 2**level
        rings = healpix_directions(level, "ring")
        assert len(rings) == 12 * sides**2
        z = np.unique(rings[:, 2].round(12))[::-1]
        i = np.arange(1, 4 * sides)
        cap = 1 - i**2 / (3 * sides**2)
        belt = 4 / 3 - 2 * i / (3 * sides)
        expected = np.where(i < sides, cap, belt)
        expected[3 * sides :] = -cap[: sides - 1][::-1]
        assert np.allclose(z, expected)
        counts = [np.isclose(rings[:, 2], height).sum() for height in expected]
        assert counts == [4 * min(k, sides, 4 * sides - k) for k in i]


def test_the_corners_of_pixels_are_as_far_away_as_published():
    # healpy's max_pixrad, radians
    for level, radius in ((0, 0.84106867056793), (4, 0.066014761432513)):
        sides = 2**level
        centres = healpix_directions(level)
        face, x, y = pixel_places(np.arange(len(centres)), level)
        far = [
            np.arccos((centres * face_directions(face, a, b)).sum(axis=1)).max()
            for a in (x / sides, (x + 1) / sides)
            for b in (y / sides, (y + 1) / sides)
        ]
        assert max(far) == pytest.approx(radius, abs=1e-12)


def test_pixels_are_found_and_are_of_equal_area():
    for level in range(6):
        directions = healpix_directions(level)
        found = healpix_pixels(7.0 * directions, level)
        assert np.array_equal(found, np.arange(len(directions)))
        if level:  # parts follow each other
            parents = healpix_pixels(directions, level - 1)
            assert np.array_equal(parents, found // 4)
    counts = np.bincount(healpix_pixels(random_directions(120_000, 3, 1), 1))
    assert np.abs(counts / 2500 - 1).max() < 0.1
    poles = healpix_pixels([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]], 3)
    assert [int(pole) // 4**3 for pole in poles] == [0, 8]


def test_a_sequence_of_directions_is_in_pixels_of_their_own():
    for level in range(5):
        points = sphere_sequence(0, 12 * 4**level)
        assert len(set(healpix_pixels(points, level).tolist())) == len(points)
        assert np.allclose(np.linalg.norm(points, axis=1), 1.0)
    assert np.array_equal(sphere_sequence(0, 50)[20:], sphere_sequence(20, 30))


def test_geodesic_spheres_have_so_many_even_vertices():
    for frequency in (1, 2, 3, 5):
        points = geodesic_sphere(frequency)
        assert len(points) == 10 * frequency**2 + 2
        assert np.allclose(np.linalg.norm(points, axis=1), 1.0)
        assert np.allclose(points.sum(axis=0), 0.0)
        near = points @ points.T - 2.0 * np.eye(len(points))
        angles = np.arccos(near.max(axis=1))
        edge = math.atan(2.0)  # of an icosahedron, seen from its middle
        assert angles.max() < 1.2 * edge / frequency
        assert angles.min() > 0.75 * edge / frequency


# -- rotations -------------------------------------------------------------------------


def test_rotations_are_as_many_and_as_far_apart_as_published():
    # Yershova et al. 2010: 72 8^l rotations, 60 degrees apart and half for each level
    for level, spacing in ((0, 60.0), (1, 30.0), (2, 15.0)):
        quats = rotation_grid(level)
        assert quats.shape == (72 * 8**level, 4)
        assert np.allclose(np.linalg.norm(quats, axis=1), 1.0)
        near = np.abs(quats @ quats.T)
        np.fill_diagonal(near, 0.0)
        nearest = np.degrees(2.0 * np.arccos(near.max(axis=1)))
        assert nearest.max() <= spacing + 1e-6
        assert nearest.min() > 0.8 * spacing
        # no rotation is far from all, and random ones leave larger gaps
        dispersion = rotation_dispersion(quats)
        assert math.degrees(dispersion) < 0.95 * spacing
        other = random_directions(len(quats), 4, level)
        assert rotation_dispersion(other) > 1.25 * dispersion


def test_rotations_are_uniform():
    for level in (0, 1):
        quats = rotation_grid(level)
        # a tight frame: the fourth moments of the uniform distribution, too
        assert np.allclose(quats.T @ quats / len(quats), np.eye(4) / 4, atol=1e-12)
        mean = matrices(quats).mean(axis=0)
        assert np.allclose(mean, 0.0, atol=1e-12)
    cells = rotation_cells(matrices(random_directions(72_000, 4, 2)), 0)
    counts = np.bincount(cells, minlength=72)
    assert np.abs(counts / 1000 - 1).max() < 0.15


def test_cells_of_rotations_are_found():
    for level in range(3):
        quats = rotation_grid(level)
        cells = rotation_cells(matrices(quats), level)
        assert np.array_equal(cells, np.arange(len(quats)))
        sequence = rotation_sequence(0, 72 * 8**level)
        cells = rotation_cells(matrices(sequence), level)
        assert len(set(cells.tolist())) == len(sequence)
        assert rotation_dispersion(sequence) < math.radians(72.0 / 2**level)
    assert np.array_equal(rotation_sequence(0, 90)[70:], rotation_sequence(70, 20))


def test_hopf_coordinates_go_there_and_back():
    quats = random_directions(500, 4, 3)
    turned = matrices(quats)
    turned = np.concatenate((turned, [np.eye(3), np.diag([1.0, -1.0, -1.0])]))
    directions, turns = hopf_coordinates(turned)
    back = matrices(hopf_quaternions(directions, turns))
    assert np.allclose(back, turned, atol=1e-9)
    assert np.allclose(directions, turned[:, :, 2])


def test_levels_of_spacings():
    assert [rotation_level(x) for x in (2.0, 0.5, 0.25, 0.15)] == [0, 0, 1, 2]


# -- boxes -----------------------------------------------------------------------------


def test_lattices_fill_boxes():
    points = lattice_points((0, 0, 0), (1, 2, 3), 0.5)
    assert len(points) == 3 * 5 * 7
    assert (points.min(axis=0), points.max(axis=0)) == (
        pytest.approx([0, 0, 0]),
        pytest.approx([1, 2, 3]),
    )
    centred = lattice_points((0, 0, 0), (1, 1, 1), 0.25, "bcc")
    assert len(centred) == 5**3 + 4**3
    assert [0.5, 0.5, 0.5] in centred.tolist()
    gaps = np.linalg.norm(centred[:, None] - centred, axis=2)
    np.fill_diagonal(gaps, 1.0)
    assert gaps.min() == pytest.approx(0.25 * math.sqrt(3) / 2)


def test_a_body_centred_lattice_leaves_smaller_holes():
    # covering radii sqrt(3)/2 and sqrt(5)/4 of the edge (Conway and Sloane, table 2.1)
    asked = np.random.default_rng(0).uniform(-0.5, 0.5, (20_000, 3))
    for kind, edge, radius in (
        ("cubic", 0.5, math.sqrt(3) / 2),
        ("bcc", 0.5, math.sqrt(5) / 4),
    ):
        points = lattice_points((-2, -2, -2), (2, 2, 2), edge, kind)
        near = points[np.abs(points).max(axis=1) < 1.5]
        gaps = np.linalg.norm(asked[:, None] - near, axis=2).min(axis=1)
        assert 0.93 * radius * edge < gaps.max() <= radius * edge


def test_a_sequence_fills_cubes():
    golden = (math.sqrt(5) - 1) / 2
    line = kronecker_sequence(0, 100, 1)[:, 0]
    assert np.allclose(line, (np.arange(100) + 0.5) * golden % 1.0)
    plastic = kronecker_sequence(0, 1, 2)[0] * 2.0
    assert plastic[0] ** -3 == pytest.approx(plastic[0] ** -1 + 1.0)
    points = kronecker_sequence(1000, 4096, 3)
    counts = np.histogramdd(points, bins=8, range=[(0, 1)] * 3)[0]
    assert counts.min() >= 4  # 8 on average; of random points some have none or one
    assert counts.max() <= 13


# -- what is refused -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: healpix_directions(-1), "level is -1, expected 0 to 10"),
        (lambda: healpix_directions(1.5), "level is 1.5, expected a whole number"),
        (lambda: healpix_directions(1, "spiral"), "expected 'nested' or 'ring'"),
        (lambda: healpix_pixels([[0, 0, 0]], 1), "a zero vector in row 0"),
        (lambda: geodesic_sphere(0), "frequency is 0"),
        (lambda: geodesic_sphere(True), "expected a whole number"),
        (lambda: rotation_grid(7), "level is 7, expected 0 to 6"),
        (lambda: rotation_level(0.0), "spacing is 0.0"),
        (lambda: rotation_level(math.nan), "spacing is nan"),
        (lambda: lattice_points((0, 0, 0), (1, 1, 1), 0.0), "spacing is 0.0"),
        (lambda: lattice_points((0, 0, 0), (1, 1, 1), 1e-4), "take a larger spacing"),
        (lambda: lattice_points((1, 0, 0), (0, 1, 1), 0.1), "above that of upper"),
        (lambda: lattice_points((0, 0, 0), (1, 1, 1), 0.1, "fcc"), "'cubic' or 'bcc'"),
        (lambda: lattice_points((0, 0, 0), (1, 1, 1), 0.1, []), "'cubic' or 'bcc'"),
        (lambda: healpix_directions(1, []), "expected 'nested' or 'ring'"),
        (lambda: kronecker_sequence(0, 1, 0), "dimension is 0"),
        (lambda: kronecker_sequence("a", 1, 3), "first is 'a', expected a whole"),
        (lambda: sphere_sequence(-1, 3), "first is -1, expected a whole number"),
        (lambda: rotation_sequence(0, 10**12), "count is 1000000000000"),
        (lambda: rotation_sequence(0.5, 3), "first is 0.5, expected a whole number"),
    ],
)
def test_refuses(call, text):
    with pytest.raises(ArgumentError) as caught:
        call()
    assert text in str(caught.value)
