"""Link poses against matrices; what is refused; limits and ranges of values."""

import numpy as np
import pytest

from pyrave.errors import ArgumentError
from pyrave.kinematics import (
    compile_body,
    jacobian,
    joint_values,
    link_transforms,
    link_transforms_batch,
    normalise_angle,
    subtract_dof_values,
)
from pyrave.scene import (
    BodyDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    MimicFormula,
)

KINDS = ("hinge", "slider", "universal", "hinge2", "spherical", "fixed")


def slide(**fields):
    return JointAxis((1.0, 0.0, 0.0), prismatic=True, **fields)


def by_joint(model, values):
    return {
        name: values[first : first + count]
        for name, (first, count) in zip(
            model.joint_names, model.joint_values.tolist(), strict=True
        )
    }


@pytest.mark.parametrize("seed", range(8))
def test_poses_equal_products_of_matrices(bodies, seed):
    rng = np.random.default_rng(seed)
    kinds = rng.choice(KINDS, size=9)
    described = bodies.random(rng, kinds)
    model = compile_body(described)
    base = bodies.random_pose(rng).matrix
    q = rng.uniform(-3, 3, model.n_dof)
    expected = bodies.reference(
        described, base, by_joint(model, joint_values(model, q))
    )
    np.testing.assert_allclose(link_transforms(model, base, q), expected, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("axis", [(1, 0, 0), (0, -1, 0), (0, 0, 1), (0.6, 0.0, -0.8)])
def test_each_joint_type_both_ways(bodies, rng, kind, axis):
    count = {"universal": 2, "hinge2": 2, "spherical": 3, "fixed": 0}.get(kind, 1)
    directions = [axis] * count
    if kind == "spherical":
        directions = np.eye(3).tolist()
    axes = tuple(
        JointAxis(tuple(map(float, d)), prismatic=kind == "slider") for d in directions
    )
    links = (LinkDescription("a"), LinkDescription("b"))
    base = bodies.random_pose(rng).matrix
    q = rng.uniform(-1, 1, count)
    for ends in (("a", "b"), ("b", "a")):
        joint = JointDescription(
            "J",
            kind,
            *ends,
            T_parent_joint=bodies.random_pose(rng),
            T_child_joint=bodies.random_pose(rng),
            axes=axes,
        )
        described = BodyDescription("b", links, (joint,))
        expected = bodies.reference(described, base, {"J": q})
        poses = link_transforms(compile_body(described), base, q)
        np.testing.assert_allclose(poses, expected, atol=1e-13)


def test_planar_arm_in_closed_form(bodies):
    model = compile_body(bodies.planar_2r())
    a, b = 0.3, -1.1
    poses = link_transforms(model, np.eye(4), [a, b])
    elbow = [0.7 * np.cos(a), 0.7 * np.sin(a), 0.0]
    np.testing.assert_allclose(poses[2, :3, 3], elbow, atol=1e-15)
    np.testing.assert_allclose(poses[2, 0, 0], np.cos(a + b), atol=1e-15)


def test_chained_mimic_joints(bodies):
    model = compile_body(bodies.mimic_chain())
    values = by_joint(model, joint_values(model, [0.5, 0.3]))
    assert values["J0"] == 0.5
    assert values["J0a"] == 1.0
    assert values["J0b"] == 2.5
    np.testing.assert_allclose(values["J1"], np.sin(0.5) + 0.09, rtol=1e-15)


def test_a_mimic_joint_stops_at_its_limits(bodies):
    described = bodies.mimic_chain()
    joint = described.joints[2]
    import dataclasses

    axis = dataclasses.replace(joint.axes[0], lower=-1.0, upper=0.5)
    joints = list(described.joints)
    joints[2] = dataclasses.replace(joint, axes=(axis,))
    model = compile_body(dataclasses.replace(described, joints=tuple(joints)))
    index = model.joint_values[2, 0]
    for value, expected in ((0.1, 0.2), (0.4, 0.5), (-3.0, -1.0)):
        assert joint_values(model, [value, 0.0])[index] == expected


def test_a_mimic_joint_between_equal_limits_has_no_velocity():
    links = (LinkDescription("a"), LinkDescription("b"), LinkDescription("c"))
    lead = JointDescription("lead", "slider", "a", "b", axes=(slide(),))
    glued = slide(lower=0.0, upper=0.0, mimic=MimicFormula("2*lead"))
    follow = JointDescription("follow", "slider", "a", "c", axes=(glued,))
    model = compile_body(BodyDescription("body", links, (lead, follow)))
    for q in ([0.0], [0.3]):
        poses = link_transforms(model, np.eye(4), q)
        assert poses[2, 0, 3] == 0.0
        assert not jacobian(model, poses, q, "c").any()
        assert jacobian(model, poses, q, "b")[0, 0] == 1.0


def test_passive_joints_rest_where_the_file_shows_them_or_where_told():
    joint = JointDescription(
        "P",
        "slider",
        "a",
        "b",
        axes=(JointAxis((1.0, 0.0, 0.0), prismatic=True, initial=0.25),),
        active=False,
    )
    links = (LinkDescription("a"), LinkDescription("b"))
    model = compile_body(BodyDescription("b", links, (joint,)))
    assert link_transforms(model, np.eye(4), [])[1, 0, 3] == 0.25
    assert link_transforms(model, np.eye(4), [], passive=[0.5])[1, 0, 3] == 0.5
    with pytest.raises(
        ArgumentError, match=r"passive has shape \(2,\), expected length 1"
    ):
        link_transforms(model, np.eye(4), [], passive=[0.5, 1.0])


@pytest.mark.parametrize(
    ("q", "message"),
    [
        ([0.0], r"q has shape \(1,\), expected \(2,\)"),
        ([0.0, np.nan], "not finite"),
        (["x", "y"], "not an array of numbers"),
    ],
)
def test_bad_values_are_refused(bodies, q, message):
    model = compile_body(bodies.planar_2r())
    with pytest.raises(ArgumentError, match=message):
        link_transforms(model, np.eye(4), q)


def test_bad_batches_and_poses_are_refused(bodies):
    model = compile_body(bodies.planar_2r())
    with pytest.raises(ArgumentError, match=r"expected \(n, 2\)"):
        link_transforms_batch(model, np.eye(4), np.zeros((3, 3)))
    with pytest.raises(ArgumentError, match="base_pose"):
        link_transforms(model, np.zeros((3, 3)), [0.0, 0.0])
    with pytest.raises(ArgumentError, match="base_pose"):
        link_transforms(model, np.zeros((3, 3)), np.zeros(2), np.empty((3, 4, 4)))


def test_circular_differences():
    z = (0.0, 0.0, 1.0)
    links = tuple(LinkDescription(n) for n in "abc")
    joints = (
        JointDescription("C", "hinge", "a", "b", axes=(JointAxis(z, circular=True),)),
        JointDescription(
            "L", "hinge", "b", "c", axes=(JointAxis(z, lower=-1, upper=2),)
        ),
    )
    model = compile_body(BodyDescription("b", links, joints))
    difference = subtract_dof_values(model, [3.0, 3.0], [-3.0, -3.0])
    np.testing.assert_allclose(difference, [6.0 - 2 * np.pi, 6.0])
    assert normalise_angle(np.pi) == -np.pi
    np.testing.assert_allclose(normalise_angle([0.0, 7.0], 5.0), [2 * np.pi, 7.0])


@pytest.mark.parametrize("q", [[np.inf, -np.inf], [np.nan, 0.0], [0.0, np.inf]])
def test_infinite_values_are_refused_and_huge_ones_are_not(bodies, q):
    model = compile_body(bodies.planar_2r())
    with pytest.raises(ArgumentError, match="not finite"):
        joint_values(model, q)
    assert joint_values(model, [1.7e308, 1.7e308]).tolist() == [1.7e308, 1.7e308]
