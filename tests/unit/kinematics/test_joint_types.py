"""Joint types: motion, derivatives, what contradicts itself, and writing back."""

import dataclasses

import numpy as np
import pytest

import pyrave
from pyrave.errors import SceneError
from pyrave.formats import WriteContext
from pyrave.formats.openrave_xml.write.writer import openrave_xml_text
from pyrave.kinematics import (
    compile_body,
    hessian,
    jacobian,
    joint_values,
    link_transforms,
)
from pyrave.scene import JointAxis, JointPath, Pose, SceneDescription
from pyrave.spatial import rotation_vector

KINDS = ("hinge", "slider", "universal", "hinge2", "spherical")
KINDS += ("rr", "rp", "pr", "pp", "compound", "trajectory", "fixed")
STEP = 1e-6


def described_values(described, model, values):
    """Values by joint name, without the parts of paths."""
    return {
        joint.name: values[first : first + count]
        for joint, (first, count) in zip(
            described.joints, model.joint_values.tolist(), strict=True
        )
    }


@pytest.mark.parametrize("kind", KINDS)
def test_poses_of_each_type(bodies, kind):
    """Also where the tree enters the joint through its child link."""
    rng = np.random.default_rng(KINDS.index(kind))
    described = bodies.random(rng, (kind,) * 5)
    model = compile_body(described)
    for _ in range(5):
        q = rng.uniform(-2, 2, model.n_dof)
        base = bodies.random_pose(rng).matrix
        values = described_values(described, model, joint_values(model, q))
        expected = bodies.reference(described, base, values)
        np.testing.assert_allclose(
            link_transforms(model, base, q), expected, atol=1e-12
        )


@pytest.mark.parametrize("kind", KINDS[:-1])
def test_derivatives_of_each_type(bodies, kind):
    rng = np.random.default_rng(KINDS.index(kind))
    model = compile_body(bodies.random(rng, (kind, "hinge", kind), spread=False))
    q = rng.uniform(-1, 1, model.n_dof)
    link = model.n_links - 1

    def columns(values):
        poses = link_transforms(model, np.eye(4), values)
        return poses[link], jacobian(model, poses, values, link)

    poses = link_transforms(model, np.eye(4), q)
    first = jacobian(model, poses, q, link)
    second = hessian(model, poses, q, link)
    for i, way in enumerate(STEP * np.eye(model.n_dof)):
        (high, after), (low, before) = columns(q + way), columns(q - way)
        turn = rotation_vector(high[:3, :3] @ low[:3, :3].T)
        moved = np.concatenate((high[:3, 3] - low[:3, 3], turn)) / (2 * STEP)
        np.testing.assert_allclose(first[:, i], moved, atol=5e-8)
        np.testing.assert_allclose(second[i], (after - before) / (2 * STEP), atol=1e-7)


def trajectory_body(bodies, rng, **axis):
    described = bodies.random(rng, ("trajectory",), reverse=False)
    joint = described.joints[0]
    changed = dataclasses.replace(joint.axes[0], **axis)
    joint = dataclasses.replace(joint, axes=(changed,))
    return dataclasses.replace(described, joints=(joint,))


def test_a_path_holds_outside_of_its_times(bodies, rng):
    model = compile_body(trajectory_body(bodies, rng))
    eye = np.eye(4)
    for inside, outside in ((-1.5, -2.5), (1.7, 2.9)):
        poses = link_transforms(model, eye, [outside])
        np.testing.assert_array_equal(poses, link_transforms(model, eye, [inside]))
        assert not jacobian(model, poses, [outside], 1).any()
        assert jacobian(model, link_transforms(model, eye, [inside]), [inside], 1).any()


def test_a_circular_path_starts_again(bodies, rng):
    described = trajectory_body(bodies, rng, circular=True, lower=-1.5, upper=1.7)
    model = compile_body(described)
    for time in (-1.1, 0.1, 1.2):
        poses = link_transforms(model, np.eye(4), [time])
        for rounds in (-2, 1, 5):
            later = link_transforms(model, np.eye(4), [time + 3.2 * rounds])
            np.testing.assert_allclose(later, poses, atol=1e-12)


def test_a_path_along_a_line_needs_one_slide(bodies, rng):
    described = trajectory_body(bodies, rng)
    poses = tuple(Pose.from_translation(0, x, 0) for x in (0.0, 1.0, 3.0))
    joint = dataclasses.replace(
        described.joints[0], path=JointPath((0.0, 1.0, 2.0), poses)
    )
    model = compile_body(dataclasses.replace(described, joints=(joint,)))
    assert joint_values(model, [1.5]).tolist() == [1.5, 2.0]


def test_a_trajectory_joint_may_follow_another(bodies, rng):
    described = bodies.random(rng, ("hinge", "trajectory"), spread=False)
    hinge, path = described.joints
    axis = dataclasses.replace(
        path.axes[0], mimic=pyrave.scene.MimicFormula("0.5*J0 + 0.1")
    )
    joints = (hinge, dataclasses.replace(path, axes=(axis,)))
    model = compile_body(dataclasses.replace(described, joints=joints))
    free = compile_body(described)
    assert model.n_dof == 1
    poses = link_transforms(model, np.eye(4), [0.6])
    expected = link_transforms(free, np.eye(4), [0.6, 0.4])
    np.testing.assert_allclose(poses, expected, atol=1e-12)
    both = jacobian(free, expected, [0.6, 0.4], 2)
    np.testing.assert_allclose(
        jacobian(model, poses, [0.6], 2), both @ [[1.0], [0.5]], atol=1e-12
    )


def test_a_path_counts_in_the_hash(bodies, rng):
    described = trajectory_body(bodies, rng)
    joint = described.joints[0]
    path = dataclasses.replace(joint.path, times=(-1.5, -0.5, -0.2, 0.4, 1.8))
    other = dataclasses.replace(
        described, joints=(dataclasses.replace(joint, path=path),)
    )
    hashes = {compile_body(b).kinematics_hash for b in (described, described, other)}
    assert len(hashes) == 2


AXES = (JointAxis((1.0, 0.0, 0.0)), JointAxis((0.0, 1.0, 0.0), prismatic=True))
POSES = (Pose(), Pose())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"type": "pr", "axes": AXES}, "type 'pr' has the axes 'rp', expected 'pr'"),
        ({"type": "hinge", "axes": AXES}, "has the axes 'rp', expected 'r'"),
        ({"type": "compound", "axes": AXES * 4}, "has 8 axes, expected 1 to 6"),
        ({"type": "hinge2", "axes": AXES[:1]}, "has 1 axes, expected 2"),
        ({"type": "trajectory", "axes": AXES}, "has 2 axes, expected 1"),
        ({"path": None}, "needs a path of two or more poses"),
        ({"path": JointPath((0.0,), (Pose(),))}, "needs a path of two or more poses"),
        ({"path": JointPath((0.0, 1.0, 2.0), POSES)}, "has 3 times and 2 poses"),
        ({"path": JointPath((1.0, 1.0), POSES)}, "times of the path .* not increase"),
        ({"path": JointPath((0.0, np.inf), POSES)}, "times that are not finite"),
        ({"type": "slider"}, "has a path, but is of type 'slider'"),
    ],
)
def test_contradictions_are_refused(bodies, rng, changes, message):
    described = trajectory_body(bodies, rng)
    joint = dataclasses.replace(described.joints[0], **changes)
    with pytest.raises(SceneError, match=message) as caught:
        compile_body(dataclasses.replace(described, joints=(joint,)))
    assert {problem.code for problem in caught.value.problems} == {"bad-joint"}
    assert "joint 'J0'" in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_each_type_is_written_and_read_back(bodies, kind):
    described = bodies.random(np.random.default_rng(3), (kind, kind))
    text, lost = openrave_xml_text(
        SceneDescription(bodies=(described,)), WriteContext()
    )
    # only what OpenRAVE has no place for, which pyrave reads back
    assert {one.code for one in lost} <= {"pyrave-only", "written-otherwise"}
    env = pyrave.Environment()
    env.load_string(text)
    model = env.bodies[0].model
    assert env.bodies[0].describe() == described
    assert model.kinematics_hash == compile_body(described).kinematics_hash
    joint = env.bodies[0].all_joints[0]
    assert joint.type == kind
    assert joint.axes.shape == (*joint.values.shape, 3)
