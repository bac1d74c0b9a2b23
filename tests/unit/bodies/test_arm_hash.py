"""The digest of an arm: what it moves like counts, and what it is called does not."""

from __future__ import annotations

import numpy as np
import pytest

from pyrave.bodies.arm_hash import arm_hash
from pyrave.kinematics import compile_body
from pyrave.scene import (
    BodyDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    MimicFormula,
    Pose,
)

X, Y, Z = np.eye(3).tolist()
EYE = np.eye(4)


def joint(number, axis=Z, at=(0.0, 0.0, 0.3), kind="hinge", ends=None, **more):
    """Return a joint from link to link, whose frame is in the parent."""
    parent, child = ends or (number, number + 1)
    slides = kind == "slider"
    axes = (JointAxis(tuple(axis), prismatic=slides, lower=-2, upper=2),)
    given = {"axes": axes, "T_parent_joint": Pose(translation=at), **more}
    return JointDescription(f"j{number}", kind, f"l{parent}", f"l{child}", **given)


def hash_of(*joints, tool=EYE, base="l0", end=None, names="l"):
    links = tuple(LinkDescription(f"l{k}") for k in range(len(joints) + 1))
    model = compile_body(BodyDescription("arm", links=links, joints=joints))
    return arm_hash(model, base, end or f"l{len(joints)}", tool)


ARM = (joint(0), joint(1, Y), joint(2, X, kind="slider"))


def moved(x):
    pose = np.eye(4)
    pose[0, 3] = x
    return pose


def lifted(z):
    pose = np.eye(4)
    pose[2, 3] = z
    return pose


def test_equal_arms_are_equal():
    assert hash_of(*ARM) == hash_of(*ARM)
    assert len(hash_of(*ARM)) == 64


def test_numbers_count_to_nine_digits_and_zeros_have_no_sign():
    assert hash_of(*ARM, tool=moved(1e-10)) == hash_of(*ARM)
    assert hash_of(*ARM, tool=moved(-1e-10)) == hash_of(*ARM)
    assert hash_of(*ARM, tool=moved(-0.0)) == hash_of(*ARM)
    assert hash_of(*ARM, tool=moved(2e-9)) != hash_of(*ARM)


@pytest.mark.parametrize(
    "other",
    [
        (joint(0), joint(1, Y), joint(2, X)),
        (joint(0), joint(1, X), joint(2, X, kind="slider")),
        (joint(0, at=(0, 0, 0.31)), *ARM[1:]),
        (*ARM[:2], joint(2, (-1.0, 0.0, 0.0), kind="slider")),
        (ARM[0], joint(1, Y, T_child_joint=Pose(translation=(0, 0.1, 0))), ARM[2]),
        ARM[:2],
    ],
)
def test_what_moves_otherwise_is_another_arm(other):
    assert hash_of(*other) != hash_of(*ARM)


def test_the_way_round_counts():
    """Joints that are described from the tip, and the arm from its tip."""
    forward = hash_of(*ARM)
    assert hash_of(*ARM, base="l3", end="l0") != forward
    turned = joint(1, Y, ends=(2, 1))
    assert hash_of(ARM[0], turned, ARM[2]) != forward
    # both sides of a joint that is entered through its child count
    ends = ((0.3, 0.05), (0.3, 0.06), (0.4, 0.05))
    back = [
        joint(0, ends=(1, 0), at=(0, 0, far), T_child_joint=Pose(translation=(0, 0, z)))
        for far, z in ends
    ]
    assert len(set(map(hash_of, back))) == 3
    # the frame at the base is what it begins with, that at the tip what it ends with
    plain = [joint(0, ends=(1, 0), at=(0, 0, 0.3)), joint(0, ends=(1, 0), at=(0, 0, 0))]
    assert hash_of(plain[0], tool=lifted(0.3)) == hash_of(plain[1])


def test_fixed_values_and_followers_count():
    def passive(value):
        axis = JointAxis(tuple(Y), lower=-2, upper=2, initial=value)
        return joint(1, axes=(axis,), active=False)

    still = [hash_of(ARM[0], passive(value), ARM[2]) for value in (0.0, 0.4)]
    assert still[0] != still[1]
    follower = joint(
        2, X, axes=(JointAxis(tuple(X), mimic=MimicFormula("j0*2")),), kind="hinge"
    )
    assert hash_of(*ARM[:2], follower) != hash_of(*ARM[:2], joint(2, X))
