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
