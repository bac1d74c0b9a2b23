"""Records of grasps: checked, frozen, compared by content."""

import pickle

import numpy as np
import pytest

from pyrave.errors import ArgumentError
from pyrave.grasping import ContactSet, Grasp
from pyrave.spatial import pose_from_rpy


def two_fingers():
    return ContactSet([(0.1, 0, 0), (-0.1, 0, 0)], [(-2, 0, 0), (1, 0, 0)], 0.4)


def test_a_grasp_keeps_what_it_was_given():
    pose = pose_from_rpy((0.1, 0.2, 0.3), (1, 2, 3))
    grasp = Grasp(
        pose, [0, 0.1], [0.5, 0.6], (0, 0, 2), two_fingers(), {"epsilon": 0.2}
    )
    assert grasp == pickle.loads(pickle.dumps(grasp))  # noqa: S301 - its own
    assert grasp.approach.tolist() == [0, 0, 1]
    assert grasp.scores == {"epsilon": 0.2}
    np.testing.assert_allclose(grasp.hand_pose(pose), np.eye(4), atol=1e-15)
    with pytest.raises(ValueError, match="read-only"):
        grasp.final[0] = 1.0
    assert repr(grasp) == "<Grasp: 2 contacts, epsilon 0.2>"
    assert Grasp(pose, [1, 2]).final.tolist() == [1, 2]


def test_contacts_have_unit_normals_and_move():
    contacts = two_fingers()
    assert contacts.normals.tolist() == [[-1, 0, 0], [1, 0, 0]]
    assert contacts.friction.tolist() == [0.4, 0.4]
    moved = contacts.moved(pose_from_rpy((0, 0, np.pi / 2), (0, 0, 1)))
    np.testing.assert_allclose(moved.points, [(0, 0.1, 1), (0, -0.1, 1)], atol=1e-15)
    np.testing.assert_allclose(moved.normals, [(0, -1, 0), (0, 1, 0)], atol=1e-15)
    assert len(ContactSet()) == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ContactSet([(0, 0)], [(1, 0)]), r"points has shape \(1, 2\)"),
        (lambda: ContactSet([(0, 0, 0)], [(0, 0, 0)]), r"normals\[0\] is .*direction"),
        (lambda: ContactSet([(0, 0, 0)], [(0, 0, 1)], -1), "friction is -1"),
        (lambda: ContactSet([(0, 0, np.nan)], [(0, 0, 1)]), "not finite"),
        (lambda: ContactSet([(0, 0, 0)], [(0, 0, 1)], 0, ("a", "b")), "links has 2"),
        (lambda: Grasp(2 * np.eye(4)), "T_hand_target is not a rigid transform"),
        (lambda: Grasp(np.eye(4), [1], [1, 2]), r"final has shape \(2,\)"),
        (lambda: Grasp(np.eye(4), approach=(0, 0, 0)), "approach is"),
        (lambda: Grasp(np.eye(4), contacts=[1]), "expected a pyrave.grasping.Cont"),
        (lambda: Grasp(np.eye(4), scores={"epsilon": np.nan}), "score 'epsilon'"),
    ],
)
def test_wrong_values_are_told(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()
