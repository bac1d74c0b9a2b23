"""Bodies that scripts make: boxes, spheres, meshes, geometries; again and in place."""

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, NameConflictError, StateError
from pyrave.scene import (
    Capsule,
    GeometryDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    Pose,
    RobotDescription,
    body_from_boxes,
    body_from_geometries,
    body_from_mesh,
    body_from_spheres,
)
from pyrave.world import BodyChange

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


@pytest.fixture
def env():
    return pyrave.Environment()


def test_boxes(env):
    boxes = [(0, 0, 0.5, 0.1, 0.2, 0.5), (1, 0, 0, 0.3, 0.3, 0.3)]
    body = env.create_body(body_from_boxes("shelf", boxes, visible=False))
    assert env.bodies["shelf"] is body
    (link,) = body.links
    assert (link.name, link.static) == ("base", True)
    assert [g.type for g in link.geometries] == ["box", "box"]
    assert [g.half_extents.tolist() for g in link.geometries] == [
        [0.1, 0.2, 0.5],
        [0.3, 0.3, 0.3],
    ]
    assert not body.visible
    centre, half = body.aabb
    np.testing.assert_allclose(centre - half, (-0.1, -0.3, -0.3))
    np.testing.assert_allclose(centre + half, (1.3, 0.3, 1))
    hit = env.raycast((1, 0, 5), [(0, 0, -1)])
    np.testing.assert_allclose(hit.distance, [4.7])


def test_spheres(env):
    made = body_from_spheres(
        "balls", [(0, 0, 0, 1), (3, 0, 0, 0.5)], static=False, inertial=Inertial(5.0)
    )
    body = env.create_body(made)
    assert [g.radius for g in body.links[0].geometries] == [1, 0.5]
    assert not body.links[0].static
    assert body.mass == 5
    centre, half = body.aabb
    np.testing.assert_allclose(centre + half, (3.5, 1, 1))


def test_a_mesh(env):
    body = env.create_body(body_from_mesh("thing", CORNERS, FACES))
    mesh = body.links[0].geometries[0].mesh
    np.testing.assert_allclose(mesh.volume, 1 / 6)
    assert len(mesh.faces) == 4


def test_geometries_links_and_joints(env):
    capsule = GeometryDescription(
        Capsule(0.1, 0.5), "rod", Pose.from_translation(1, 0, 0)
    )
    rod = env.create_body(body_from_geometries("rod", [capsule]))
    assert rod.links[0].geometries[0].name == "rod"
    robot = env.create_body(
        RobotDescription(
            "arm",
            (LinkDescription("base"), LinkDescription("tip")),
            (
                JointDescription(
                    "J", "hinge", "base", "tip", axes=(JointAxis((0.0, 0.0, 1.0)),)
                ),
            ),
            manipulators=(ManipulatorDescription("hand", "base", "tip"),),
        )
    )
    assert env.robots.names == ("arm",)
    assert robot.manipulators["hand"].arm_indices.tolist() == [0]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: body_from_boxes("b", [(1, 2, 3)]), r"expected finite \(n, 6\)"),
        (lambda: body_from_boxes("b", "box"), r"boxes are 'box'"),
        (lambda: body_from_boxes("b", [(0, 0, 0, 1, -1, 1)]), "negative half extents"),
        (lambda: body_from_boxes("b", [(0, 0, np.nan, 1, 1, 1)]), "finite"),
        (lambda: body_from_spheres("s", [(0, 0, 0, -1)]), "negative radii"),
        (lambda: body_from_spheres("s", [[1], [2, 3]]), "spheres are"),
        (lambda: body_from_mesh("m", CORNERS, [(0, 1, 4)]), "from 0 to 3"),
        (lambda: body_from_mesh("m", CORNERS, [(0, 1.5, 2)]), "whole numbers"),
        (lambda: body_from_mesh("m", CORNERS, [(0, 1)]), "shape"),
        (lambda: body_from_geometries("g", [Capsule(1, 2)]), "no geometry"),
    ],
)
def test_shapes_without_meaning_are_refused(make, text):
    with pytest.raises(ArgumentError, match=text):
        make()


def test_names_and_kinds_are_checked(env):
    box = body_from_boxes("box", [(0, 0, 0, 1, 1, 1)])
    env.create_body(box)
    with pytest.raises(NameConflictError, match="'box'"):
        env.create_body(box)
    assert env.create_body(box, rename=True).name == "box1"
    with pytest.raises(NameConflictError, match="not valid"):
        env.create_body(body_from_boxes("a b", [(0, 0, 0, 1, 1, 1)]))
    assert env.bodies.names == ("box", "box1")


def test_a_body_is_made_anew_outside_of_its_environment(env):
    """As OpenRAVE's Init functions on a body that was removed."""
    first = env.create_body(body_from_boxes("first", [(0, 0, 0, 1, 1, 1)]))
    other = env.create_body(body_from_spheres("other", [(0, 0, 0, 1)]))
    ball = body_from_spheres("ball", [(0, 0, 0, 0.5)])
    with pytest.raises(StateError, match="remove it first"):
        first.init(ball)
    changes = []
    first.register_change_callback(changes.append)
    first.grab(other)
    stamps = first.versions
    env.remove(first)
    assert other.holder is None
    other.grab(first)
    first.init(ball)
    assert first.holder is None
    assert other.grabbed == ()
    assert first.name == "ball"
    assert [g.type for g in first.links[0].geometries] == ["sphere"]
    assert first.versions.pose > stamps.pose
    assert first.versions.shape > stamps.shape
    assert BodyChange.ALL in changes
    env.add(first)
    hit = env.raycast((0, 0, 5), [(0, 0, -1)], exclude=[other])
    np.testing.assert_allclose(hit.distance, [4.5])


def test_mass_and_density_give_the_inertia_of_the_shapes():
    a, b, c = 0.1, 0.2, 0.3
    brick = body_from_boxes("brick", [(1, 2, 3, a, b, c)], static=False, mass=6.0)
    inertial = brick.links[0].inertial
    assert inertial.mass == 6.0
    np.testing.assert_allclose(inertial.com, (1, 2, 3), rtol=1e-15)
    moments = 6.0 / 3 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    expected = np.diag(moments).ravel()
    np.testing.assert_allclose(inertial.inertia, expected, rtol=1e-14, atol=1e-17)
    ball = body_from_spheres("ball", [(0, 0, 0, 0.1)], static=False, density=1000)
    mass = 4000 / 3 * np.pi * 0.1**3
    np.testing.assert_allclose(ball.links[0].inertial.mass, mass, rtol=1e-14)
    np.testing.assert_allclose(
        ball.links[0].inertial.inertia[0], 0.4 * mass * 0.01, rtol=1e-14
    )


def test_several_shapes_weigh_together_as_one():
    # two halves of a brick are that brick
    one = body_from_boxes("one", [(0, 0, 0, 0.4, 0.1, 0.2)], mass=3.0)
    two = body_from_boxes(
        "two", [(0.2, 0, 0, 0.2, 0.1, 0.2), (-0.2, 0, 0, 0.2, 0.1, 0.2)], mass=3.0
    )
    for name in ("com", "inertia"):
        np.testing.assert_allclose(
            getattr(one.links[0].inertial, name),
            getattr(two.links[0].inertial, name),
            atol=1e-15,
        )


@pytest.mark.parametrize("faces", [FACES, [face[::-1] for face in FACES]])
def test_meshes_weigh_what_they_enclose_however_they_are_wound(faces):
    far = np.add(CORNERS, (1e3, 0, 0))
    made = body_from_mesh("corner", far, faces, density=6.0)
    inertial = made.links[0].inertial
    # of a tetrahedron of unit edges along the axes: volume 1/6, centre 1/4, second
    # moments 1/60 and 1/120 about the corner
    np.testing.assert_allclose(inertial.mass, 1.0, rtol=1e-13)
    np.testing.assert_allclose(inertial.com, (1000.25, 0.25, 0.25), rtol=1e-13)
    second = 6 * (np.full((3, 3), 1 / 120) + np.eye(3) / 120) - np.full((3, 3), 1 / 16)
    expected = np.trace(second) * np.eye(3) - second
    np.testing.assert_allclose(inertial.inertia, expected.ravel(), atol=1e-12)


def test_a_body_weighs_a_kilogram_of_its_shape_by_default():
    cube = body_from_boxes("cube", [(0, 0, 0, 0.1, 0.1, 0.1)], static=False)
    cube = cube.links[0].inertial
    assert (cube.mass, round(cube.inertia[0], 15)) == (1.0, round(0.02 / 3, 15))
    # a lid is missing, or one side is turned round
    for faces in (FACES[:3], [*FACES[:3], FACES[3][::-1]]):
        made = body_from_mesh("open", CORNERS, faces, static=False)
        assert made.links[0].inertial == Inertial()
        with pytest.raises(ArgumentError, match="enclose no volume"):
            body_from_mesh("open", CORNERS, faces, mass=1)
    wall = body_from_boxes("wall", [(0, 0, 0, 1, 1, 1)])
    assert wall.links[0].inertial == Inertial()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mass": 1, "density": 2}, "is given mass and density; expected one of them"),
        ({"mass": 1, "inertial": Inertial()}, "mass and inertial; expected one"),
        ({"mass": -1}, "mass of body 'b' is -1, expected a finite number >= 0"),
        ({"density": np.nan}, "density of body 'b' is nan, expected a finite number"),
        ({"color": (1, 2, 0)}, "expected 3 or 4 numbers from 0 to 1"),
        ({"color": (1, 0)}, "expected 3 or 4 numbers from 0 to 1"),
        ({"color": "red"}, "color is not an array of numbers: 'red'"),
    ],
)
def test_masses_and_colours_that_make_no_sense_are_refused(given, message):
    with pytest.raises(ArgumentError, match=message.replace("(", r"\(")):
        body_from_boxes("b", [(0, 0, 0, 1, 1, 1)], **given)


def test_a_mass_needs_a_volume():
    with pytest.raises(ArgumentError, match="enclose no volume, so mass 2 gives no"):
        body_from_mesh("flat", CORNERS[:3], [(0, 1, 2)], mass=2)


def test_colours(env, tmp_path):
    made = body_from_spheres("b", [(0, 0, 0, 1)], color=(0.2, 0.4, 0.6, 0.25))
    material = made.links[0].geometries[0].material
    assert (material.diffuse, material.transparency) == ((0.2, 0.4, 0.6), 0.75)
    env.create_body(made)
    env.save(tmp_path / "ball.env.xml")
    saved = pyrave.load(tmp_path / "ball.env.xml")
    assert saved.bodies["b"].describe().links[0].geometries[0].material == material
