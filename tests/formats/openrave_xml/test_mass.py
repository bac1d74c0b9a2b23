"""Masses: OpenRAVE's own inertia test (density 2.5) and the defects not copied."""

import math

import numpy as np
import pytest

PRISM = "<crosssection>0 0 2 0 2 1 0.5 1.5</crosssection><height>0.7</height>"
DENSITY = "<mass type='mimicgeom'><density>2.5</density></mass>"


def inertial(body):
    found = body.links[0].inertial
    return found.mass, np.array(found.com), np.array(found.inertia).reshape(3, 3)


def link(content):
    return f"<body name='a'>{content}</body>"


def test_box(only_body):
    mass, com, inertia = inertial(
        only_body(link("<geom type='box'><extents>1 2 3</extents></geom>" + DENSITY))
    )
    assert mass == pytest.approx(120.0, rel=1e-12)
    assert com == pytest.approx([0, 0, 0])
    expected = np.diag([4 + 9, 1 + 9, 1 + 4]) * 120.0 / 3
    np.testing.assert_allclose(inertia, expected, rtol=1e-12)


def test_moved_and_turned_box(only_body):
    turned = (
        "<geom type='box'><extents>1 2 3</extents>"
        "<translation>0.5 1.5 2.5</translation>"
        "<rotationaxis>1 0 0 45</rotationaxis></geom>"
    )
    _, com, inertia = inertial(only_body(link(turned + DENSITY)))
    c = math.sqrt(0.5)
    rotation = np.array([[1, 0, 0], [0, c, -c], [0, c, c]])
    plain = np.diag([4 + 9, 1 + 9, 1 + 4]) * 120.0 / 3
    np.testing.assert_allclose(com, (0.5, 1.5, 2.5), rtol=1e-12)
    np.testing.assert_allclose(inertia, rotation @ plain @ rotation.T, atol=1e-10)


def test_sphere_and_cylinder_whose_axis_is_y(only_body):
    mass, _, inertia = inertial(
        only_body(link("<geom type='sphere'><radius>0.5</radius></geom>" + DENSITY))
    )
    assert mass == pytest.approx(2.5 * 4 / 3 * math.pi * 0.125, rel=1e-12)
    np.testing.assert_allclose(np.diag(inertia), 0.4 * mass * 0.25, rtol=1e-12)
    shape = "<geom type='cylinder'><radius>0.2</radius><height>2</height></geom>"
    mass, _, inertia = inertial(only_body(link(shape + DENSITY)))
    assert mass == pytest.approx(2.5 * math.pi * 0.04 * 2, rel=1e-12)
    side, along = mass / 12 * (3 * 0.04 + 4), mass / 2 * 0.04
    np.testing.assert_allclose(np.diag(inertia), (side, along, side), rtol=1e-12)


@pytest.mark.parametrize(
    "shape",
    [
        "type='capsule'><radius>0.3</radius><height>0.8</height>",
        "type='prism'>" + PRISM,
    ],
)
def test_other_shapes_against_random_points(only_body, shape):
    body = only_body(link(f"<geom {shape}</geom>" + DENSITY))
    mass, com, inertia = inertial(body)
    rng = np.random.default_rng(7)
    points = rng.uniform((-0.4, -0.4, -0.75), (2.1, 1.6, 0.75), (400_000, 3))
    volume = 2.5 * 2.0 * 1.5
    x, y, z = points.T
    if "capsule" in shape:
        beyond = np.maximum(np.abs(z) - 0.4, 0)
        inside = x * x + y * y + beyond * beyond <= 0.09
    else:
        corners = np.array([[0, 0], [2, 0], [2, 1], [0.5, 1.5]])
        inside = np.abs(z) <= 0.35
        for p, q in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            inside &= (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) >= 0
    kept = points[inside]
    weight = 2.5 * volume / len(points)
    # 400 000 samples: a few parts in a thousand.
    assert mass == pytest.approx(len(kept) * weight, rel=0.01)
    np.testing.assert_allclose(com, kept.mean(axis=0), atol=0.01)
    d = kept - kept.mean(axis=0)
    expected = weight * (np.eye(3) * (d * d).sum() - d.T @ d)
    np.testing.assert_allclose(inertia, expected, atol=0.01 * np.trace(expected))


def test_several_parts_add_up_with_the_parallel_axis_theorem(only_body):
    parts = "".join(
        "<geom type='box'><extents>1 1 1</extents>"
        f"<translation>{x} 0 0</translation></geom>"
        for x in (-1, 1)
    )
    mass, com, inertia = inertial(only_body(link(parts + DENSITY)))
    np.testing.assert_allclose(com, 0, atol=1e-15)
    expected = np.diag([2, 5, 5]) * mass / 3
    np.testing.assert_allclose(inertia, expected, rtol=1e-12)


def test_total_scales_the_inertia_too(only_body):
    shape = "<geom type='box'><extents>0.2 0.4 0.02</extents></geom>"
    mass, _, inertia = inertial(
        only_body(link(shape + "<mass type='mimicgeom'><total>10</total></mass>"))
    )
    assert mass == 10.0
    assert inertia[0, 0] == pytest.approx(10 / 3 * (0.16 + 0.0004), rel=1e-12)


def test_default_is_one_kilogram_of_unit_sphere(only_body):
    mass, com, inertia = inertial(only_body(link("")))
    assert (mass, *com) == (1.0, 0.0, 0.0, 0.0)
    np.testing.assert_array_equal(inertia, np.eye(3) * 0.4)


def test_empty_mass_and_box_extents_of_a_body(only_body):
    assert inertial(only_body(link("<mass/>")))[0] == pytest.approx(4.18879, abs=1e-5)
    box = "<mass type='box'><extents>1 2 3</extents><density>2</density></mass>"
    assert inertial(only_body(link(box)))[0] == pytest.approx(96.0)


def test_kinbody_mass_is_the_default_of_later_bodies(only_body):
    body = only_body(
        "<body name='a'/><mass type='box'>"
        "<extents>1 1 1</extents><total>5</total></mass>"
        "<body name='b'/>"
    )
    assert [one.inertial.mass for one in body.links] == [1.0, 5.0]


def test_appending_keeps_the_mass(only_body):
    body = only_body(
        "<body name='a'><mass type='custom'><total>3</total></mass></body>"
        "<body name='a'><geom type='sphere'><radius>1</radius></geom></body>"
    )
    assert body.links[0].inertial.mass == 3.0
    assert len(body.links[0].geometries) == 1


@pytest.mark.parametrize(("total", "codes"), [(0, []), (1, ["mass-without-geometry"])])
def test_total_without_geometry_is_no_mass(read, total, codes):
    # templates of free-flying bases have links of this kind
    scene = read(
        "<kinbody name='k'><body name='a'>\n"
        f"<mass type='mimicgeom'><total>{total}</total></mass></body></kinbody>"
    )
    found = scene.bodies[0].links[0].inertial
    assert (found.mass, found.com, found.inertia) == (0, (0, 0, 0), (0,) * 9)
    assert [problem.code for problem in scene.problems] == codes
    assert all(problem.line == 2 for problem in scene.problems)


def test_a_matrix_that_is_not_symmetric_is_its_upper_triangle(read):
    scene = read(
        "<kinbody name='k'><body name='a'><mass type='custom'><inertia>"
        "3 0.1 0.2 9 3 0.3 9 9 3</inertia></mass></body></kinbody>"
    )
    found = scene.bodies[0].links[0].inertial.inertia
    assert found == (3, 0.1, 0.2, 0.1, 3, 0.3, 0.2, 0.3, 3)
    (problem,) = scene.problems
    assert problem.code == "bad-inertia"
    assert "upper triangle" in problem.message


@pytest.mark.parametrize(
    ("mass", "code"),
    [
        ("<mass><total>1</total><com>0 0 1</com></mass>", "mass-values-unused"),
        (
            "<mass type='custom'><inertia>1 2 0 0 1 0 0 0 1</inertia></mass>",
            "bad-inertia",
        ),
        (
            "<mass type='custom'><inertia>1 0 0 0 1 0 0 0 5</inertia></mass>",
            "bad-inertia",
        ),
        (
            "<mass type='custom'><inertia>1 0 0 0 1 0 0 0 -1</inertia></mass>",
            "bad-inertia",
        ),
        ("<mass type='custom'><total>0</total></mass>", "bad-inertia"),
        ("<mass type='ball'/>", "unknown-mass-type"),
    ],
)
def test_masses_that_no_body_has_are_warned_of(read, mass, code):
    scene = read(f"<kinbody name='k'><body name='a'>{mass}</body></kinbody>")
    assert [p.code for p in scene.problems] == [code]


GROUPED = "<geom type='box' group='other'><extents>1 1 1</extents></geom>"


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ("<mass type='mimicgeom'/>", "put a <geom> with a volume"),
        (f"{GROUPED}<mass type='mimicgeom'/>", "those of the group 'other' don't"),
        (
            "<geom type='box'><extents>0 0 0</extents></geom><mass type='mimicgeom'/>",
            "put a <geom> with a volume",
        ),
        ("<mass><radius>0</radius></mass>", "above 0"),
        ("<mass type='box'><extents>1 0 1</extents></mass>", "above 0"),
        (
            (
                "<geom type='box'><extents>1 1 1</extents></geom>"
                "<mass type='mimicgeom'><total>0</total></mass>"
            ),
            "above 0",
        ),
    ],
)
def test_links_without_mass_are_warned_of(read, content, hint):
    scene = read(f"<kinbody name='k'>{link(content)}</kinbody>")
    assert inertial(scene.bodies[0])[0] == 0
    (problem,) = scene.problems
    assert problem.code == "bad-inertia"
    assert problem.message == "the mass is 0.0, expected more than 0"
    assert hint in problem.hint


def test_densities_and_totals_are_single_precision(only_body):
    # OpenRAVE keeps these two so; sizes, centres and inertias are exact.
    density = "<mass type='sphere'><density>0.1</density><radius>0.1</radius></mass>"
    mass, _, _ = inertial(only_body(link(density)))
    assert mass == pytest.approx(0.100000001490116 * 4 / 3 * math.pi * 1e-3, rel=1e-14)
    custom = (
        "<mass type='custom'><total>0.1</total><com>0.1 0 0</com>"
        "<inertia>0.1 0 0 0 0.1 0 0 0 0.1</inertia></mass>"
    )
    mass, com, inertia = inertial(only_body(link(custom)))
    assert mass == np.float32(0.1)
    assert com[0] == 0.1
    assert inertia[0, 0] == 0.1


CUBE = [
    (a, b, c)
    for axis in range(3)
    for side in (0, 1)
    for a, b, c in [
        np.roll([(0, 0, side), (1, 0, side), (1, 1, side)], axis, axis=1),
        np.roll([(0, 0, side), (1, 1, side), (0, 1, side)], axis, axis=1),
    ]
]


def unit_cube():
    """Return a cube of side 2 about (1, 1, 1) as text, outwards from its middle."""
    numbers = []
    for corners in CUBE:
        corner = 2.0 * np.array(corners)
        normal = np.cross(corner[1] - corner[0], corner[2] - corner[0])
        way = normal @ (corner.mean(axis=0) - 1.0)
        numbers += (corner if way > 0 else corner[::-1]).ravel().tolist()
    return " ".join(map(str, numbers))


def test_meshes_alone_are_integrated(only_body):
    mesh = f"<geom type='trimesh'><vertices>{unit_cube()}</vertices></geom>"
    mass, com, inertia = inertial(only_body(link(mesh + DENSITY)))
    assert mass == pytest.approx(2.5 * 8, rel=1e-12)
    np.testing.assert_allclose(com, (1, 1, 1), rtol=1e-12)
    np.testing.assert_allclose(inertia, np.eye(3) * mass * 2 / 3, atol=1e-12)


def test_meshes_beside_other_shapes_add_nothing_as_in_openrave(read):
    mesh = f"<geom type='trimesh'><vertices>{unit_cube()}</vertices></geom>"
    shapes = "<geom type='box'><extents>1 1 1</extents></geom>" + mesh
    scene = read(f"<kinbody name='k'>{link(shapes + DENSITY)}</kinbody>")
    assert scene.bodies[0].links[0].inertial.mass == 20.0
    assert [p.code for p in scene.problems] == ["mass-without-mesh"]


def test_an_open_mesh_has_no_mass_and_says_so(read):
    flat = "<geom type='trimesh'><vertices>0 0 0 1 0 0 0 1 0</vertices></geom>"
    scene = read(f"<kinbody name='k'>{link(flat + DENSITY)}</kinbody>")
    assert scene.bodies[0].links[0].inertial.mass == 0.0
    (problem,) = scene.problems
    assert problem.code == "mass-without-mesh"
    assert "encloses no volume" in problem.message


def cubes(*turned_and_placed):
    """Text of the corners of cubes of side 1, each wound outwards or inwards."""
    corners = 0.5 * np.array(unit_cube().split(), float).reshape(-1, 3, 3)
    found = [
        (corners[:, ::-1] if turned else corners) * size + np.array(place)
        for turned, size, place in turned_and_placed
    ]
    return " ".join(f"{value:g}" for value in np.concatenate(found).ravel())


@pytest.mark.parametrize(
    ("parts", "volume", "middle"),
    [
        ([(True, 1, (0, 0, 0))], 1, (0.5, 0.5, 0.5)),
        ([(False, 1, (0, 0, 0)), (True, 1, (3, 0, 0))], 2, (2, 0.5, 0.5)),
        (
            [(True, 2, (0, 0, 0)), (False, 1, (3, 0, 0))],
            9,
            (11.5 / 9, 8.5 / 9, 8.5 / 9),
        ),
        ([(False, 2, (0, 0, 0)), (True, 1, (0.5, 0.5, 0.5))], 7, (1, 1, 1)),
    ],
    ids=["inside out", "one of two", "the larger", "cavity"],
)
def test_parts_that_are_inside_out_count(only_body, parts, volume, middle):
    mesh = f"<geom type='trimesh'><vertices>{cubes(*parts)}</vertices></geom>"
    mass, com, _ = inertial(only_body(link(mesh + DENSITY)))
    assert mass == pytest.approx(2.5 * volume, rel=1e-12)
    assert com == pytest.approx(middle, rel=1e-12)
