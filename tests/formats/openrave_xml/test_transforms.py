"""Accumulation of transform tags, against plain matrix products."""

import math

import numpy as np
import pytest

from pyrave.spatial import matrix_from_axis_angle

TURN_X = "<rotationaxis>1 0 0 90</rotationaxis>"
TURN_Z = "<rotationaxis>0 0 2 30</rotationaxis>"
SHIFT = "<translation>1 2 3</translation>"
BODY = "<body name='a'/><body name='b'>{}</body>"


def rotation(axis, degrees):
    return np.asarray(matrix_from_axis_angle(axis, math.radians(degrees)))[:3, :3]


def test_translations_add_and_are_not_turned_by_a_later_rotation(only_body):
    turned_late = only_body(BODY.format(SHIFT + SHIFT + TURN_X)).links[1].pose
    turned_first = only_body(BODY.format(TURN_X + SHIFT + SHIFT)).links[1].pose
    assert turned_late.translation == (2.0, 4.0, 6.0)
    assert turned_late == turned_first


def test_rotations_multiply_from_the_left(only_body):
    pose = only_body(BODY.format(TURN_X + TURN_Z)).links[1].pose
    expected = rotation((0, 0, 1), 30) @ rotation((1, 0, 0), 90)
    np.testing.assert_allclose(pose.matrix[:3, :3], expected, atol=1e-15)


def test_kinbody_transform_moves_the_body_and_not_its_links(only_body):
    body = only_body(SHIFT + "<body name='a'/><body name='b'>" + SHIFT + "</body>")
    assert body.pose.translation == (1.0, 2.0, 3.0)
    assert body.links[1].pose.translation == (1.0, 2.0, 3.0)


def test_links_are_relative_to_the_first_one(only_body):
    body = only_body(
        "<body name='a'>"
        + TURN_X
        + SHIFT
        + "</body><body name='b'>"
        + SHIFT
        + "</body>"
    )
    world = body.pose @ body.links[1].pose
    np.testing.assert_allclose(world.translation, (1, 2, 3), atol=1e-15)
    np.testing.assert_allclose(world.matrix[:3, :3], np.eye(3), atol=1e-15)


def test_nested_kinbody_moves_only_its_own_links(only_body):
    body = only_body(
        "<body name='a'/><kinbody><body name='b'/>"
        + SHIFT
        + "</kinbody><body name='c'/>"
    )
    places = [link.pose.translation for link in body.links]
    assert places == [(0, 0, 0), (1, 2, 3), (0, 0, 0)]


def test_offsetfrom_composes_with_the_other_link(only_body):
    body = only_body(
        "<body name='r'/><body name='a'>" + TURN_Z + SHIFT + "</body>"
        "<body name='b'><translation>1 0 0</translation>"
        "<offsetfrom>a</offsetfrom></body>"
    )
    expected = np.array([1, 2, 3]) + rotation((0, 0, 1), 30) @ [1, 0, 0]
    np.testing.assert_allclose(body.links[2].pose.translation, expected, atol=1e-15)


def test_nested_body_moves_all_geometries_so_far(only_body):
    body = only_body(
        "<body name='a'><geom type='sphere'><radius>1</radius></geom>"
        "<body><geom type='sphere'><radius>2</radius></geom>" + SHIFT + "</body></body>"
    )
    assert [g.pose.translation for g in body.links[0].geometries] == [(1, 2, 3)] * 2
    assert len(body.links) == 1


def test_a_rotation_matrix_that_is_one_is_kept_bit_for_bit(only_body):
    matrix = "0.6 -0.8 0 0.8 0.6 0 0 0 1"
    pose = only_body(BODY.format(f"<rotationmat>{matrix}</rotationmat>")).links[1].pose
    assert pose.rotation == tuple(map(float, matrix.split()))


def test_a_rounded_rotation_matrix_is_made_a_rotation(only_body):
    matrix = "<rotationmat>0.9511 0.3089 0 -0.3089 0.9511 0 0 0 1</rotationmat>"
    found = only_body(BODY.format(matrix)).links[1].pose.matrix[:3, :3]
    np.testing.assert_allclose(found @ found.T, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(found[0], (0.9511, 0.3089, 0), atol=1e-4)


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("<rotationmat>1 0 0 0 1 0 0 0 -1</rotationmat>", "not-a-rotation"),
        ("<rotationaxis>0 0 0 10</rotationaxis>", "zero-axis"),
        ("<quat>0 0 0 0</quat>", "zero-quaternion"),
        ("<quat>0</quat>", "zero-quaternion"),
    ],
)
def test_rotations_without_meaning_are_refused(refuse, tag, code):
    problems = refuse(f"<kinbody name='k'><body name='a'>{tag}</body></kinbody>")
    problem = problems[-1]
    assert problem.code == code
    assert (problem.line, problem.column) == (1, 34)


def test_quaternions_are_normalised(only_body):
    pose = only_body(BODY.format("<quat>2 2 0 0</quat>")).links[1].pose
    np.testing.assert_allclose(pose.matrix[:3, :3], rotation((1, 0, 0), 90), atol=1e-15)


def test_scale_multiplies_translations_shapes_and_anchors(only_body):
    body = only_body(
        "<body name='a'/><body name='b'><translation>1 1 1</translation>"
        "<geom type='box'><extents>1 1 1</extents>"
        "<translation>1 0 0</translation></geom>"
        "</body><joint name='j' type='hinge'><body>a</body><body>b</body>"
        "<anchor>1 0 0</anchor><axis>0 0 3</axis></joint>",
        "scalegeometry='2 3 4'",
    )
    link = body.links[1]
    assert link.pose.translation == (2, 3, 4)
    assert link.geometries[0].shape.half_extents == (2, 3, 4)
    assert link.geometries[0].pose.translation == (2, 0, 0)
    assert body.joints[0].T_parent_joint.translation == (2, 0, 0)


def test_a_sphere_cannot_become_oval(refuse):
    problems = refuse(
        "<kinbody name='k' scalegeometry='1 2 1'><body name='a'>"
        "<geom type='sphere'><radius>1</radius></geom></body></kinbody>"
    )
    assert problems[0].code == "skewing-scale"
