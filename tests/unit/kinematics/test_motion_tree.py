"""The motion tree alone says where links are, and its masses are those of the links."""

import numpy as np
import pytest

from pyrave.kinematics import compile_body, joint_values, link_transforms
from pyrave.kinematics.kernels import motion as k
from pyrave.spatial import matrix_from_axis_angle

KINDS = ("hinge", "slider", "universal", "spherical", "compound", "trajectory", "fixed")


def pose(place):
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = place[:9].reshape(3, 3), place[9:12]
    return result


def moved(kind, values, sign):
    """Return the pose of a motion about or along z, or of a ball."""
    result = np.eye(4)
    if kind == k.TURN:
        result[:3, :3] = matrix_from_axis_angle((0, 0, 1), values[0])
    elif kind == k.SLIDE:
        result[2, 3] = values[0]
    elif kind == k.BALL:
        result[:3, :3] = matrix_from_axis_angle(sign * values)
    return result


@pytest.fixture(params=[False, True], ids=["chain", "tree"])
def model(request, bodies, rng):
    return compile_body(bodies.random(rng, KINDS * 2, spread=request.param))


def test_links_are_where_the_tree_places_them(model, bodies, rng):
    body = model.motion_tree
    base = bodies.random_pose(rng).matrix
    for q in rng.uniform(-2, 2, (5, model.n_dof)):
        values = joint_values(model, q)
        nodes = [base]
        for (parent, kind, first), place in zip(body.tree, body.places, strict=True):
            if parent < 0:
                continue
            its = values[first : first + k.n_values_of(kind)]
            motion = moved(kind, its, place[k.SIGN])
            nodes.append(nodes[parent] @ pose(place) @ motion)
        expected = [
            nodes[node] @ pose(place)
            for node, place in zip(body.link_nodes, body.link_places, strict=True)
        ]
        found = link_transforms(model, base, q)
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_parents_come_first_and_nodes_name_a_link_of_theirs(model):
    body = model.motion_tree
    assert body.tree[0].tolist() == [-1, k.FIXED, -1]
    assert (body.tree[1:, k.PARENT] < np.arange(1, len(body.tree))).all()
    assert (body.tree[1:, k.MOTION] != k.FIXED).all()
    for node, link in enumerate(body.node_links.tolist()):
        if link >= 0:
            assert body.link_nodes[link] == node
        else:
            assert node not in body.link_nodes


def test_the_masses_of_nodes_are_those_of_their_links(model):
    body = model.motion_tree
    assert body.inertias[:, 0].sum() == pytest.approx(model.masses.sum())
    moments = np.zeros((len(body.tree), 3))
    np.add.at(moments, body.link_nodes, model.masses[:, None] * body.link_coms)
    np.testing.assert_allclose(body.inertias[:, 1:4], moments, atol=1e-12)
