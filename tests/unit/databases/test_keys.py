"""Keys of databases: what changes them, and what does not."""

from dataclasses import replace

import numpy as np
import pytest
from grasping_scenes import bending_hand, block, hand_and_ball

import pyrave
from pyrave.databases import (
    GraspDatabase,
    IkStatistics,
    arm_digest,
    body_digest,
    geometry_digest,
    hand_digest,
    kinematics_digest,
)
from pyrave.errors import ArgumentError
from pyrave.scene import (
    BodyDescription,
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    GeometryDescription,
    LinkDescription,
    Material,
    MeshData,
    NoShape,
    Pose,
    Prism,
    Sphere,
    TriMesh,
)

TETRAHEDRON = MeshData(
    np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1.0)]),
    np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]),
)


def made(*geometries, env=None, name="thing", link="link"):
    env = env or pyrave.Environment()
    links = (LinkDescription(link, geometries=geometries),)
    return env.create_body(BodyDescription(name, links=links))


def digest(*shapes, **more):
    return geometry_digest(
        made(*(GeometryDescription(shape, **more) for shape in shapes))
    )


# -- geometry ----------------------------------------------------------------------


def test_each_shape_and_each_of_its_numbers_counts():
    wall = (Pose.from_translation(1, 0, 0), (0.1, 1.0, 1.0))
    shapes = [
        Box((1, 2, 3)), Box((1, 2, 3.1)), Box((2, 1, 3)), Sphere(1), Sphere(1.1),
        Cylinder(1, 2), Cylinder(2, 1), Capsule(1, 2), Capsule(2, 1),
        Container((1, 1, 1), (0.8, 0.8, 0.8)),
        Container((1, 1, 1), (0.8, 0.8, 0.8), (0.1, 0.1, 0.1)),
        Container((1, 1, 1), (0.8, 0.8, 0.8), bottom=(0.1, 0.1, 0.1)),
        Cage((1, 1, 0.1)), Cage((1, 1, 0.1), (wall,)),
        Cage((1, 1, 0.1), ((Pose.from_translation(1, 0, 0.1), wall[1]),)),
        Prism(((0, 0), (1, 0), (0, 1)), 1), Prism(((0, 0), (1, 0), (0, 2)), 1),
        Prism(((0, 0), (1, 0), (0, 1)), 2),
        TriMesh(TETRAHEDRON),
        TriMesh(MeshData(TETRAHEDRON.vertices * 2, TETRAHEDRON.faces)),
        TriMesh(MeshData(TETRAHEDRON.vertices, TETRAHEDRON.faces[:3])),
    ]  # fmt: skip
    found = {digest(one) for one in shapes}
    assert len(found) == len(shapes)


def test_order_number_and_places_of_geometries_count():
    box, ball = Box((1, 2, 3)), Sphere(1)
    known = {
        digest(box),
        digest(box, box),
        digest(box, ball),
        digest(ball, box),
        digest(box, pose=Pose.from_translation(0, 0, 1e-3)),
    }
    assert len(known) == 5


def test_names_colours_and_what_is_shown_alone_do_not_count():
    key = digest(Box((1, 2, 3)))
    assert digest(Box((1, 2, 3)), name="other") == key
    assert digest(Box((1, 2, 3)), visible=False) == key
    assert digest(Box((1, 2, 3)), material=Material((1, 0, 0), transparency=1)) == key
    assert digest(Box((1, 2, 3)), group="self") == key
    assert digest(Box((1, 2, 3)), NoShape()) == key
    assert digest(Box((1, 2, 3 + 1e-12))) == key
    assert geometry_digest(
        made(GeometryDescription(Box((1, 2, 3))), name="b", link="c")
    ) == key  # fmt: skip


def test_meshes_of_files_count_by_their_triangles(tmp_path):
    env = pyrave.Environment()
    rows = [f"v {' '.join(map(str, one))}" for one in TETRAHEDRON.vertices.tolist()]
    rows += [f"f {' '.join(str(k + 1) for k in one)}" for one in TETRAHEDRON.faces]
    keys = set()
    for name in ("a.obj", "b.obj"):
        (tmp_path / name).write_text("\n".join(rows) + "\n")
        shape = TriMesh(pyrave.scene.MeshReference(str(tmp_path / name)))
        body = made(GeometryDescription(shape), env=pyrave.Environment())
        keys.add(geometry_digest(body))
    assert keys == {digest(TriMesh(TETRAHEDRON))}
    assert env is not None


def test_links_that_do_not_collide_count_otherwise():
    body = made(GeometryDescription(Box((1, 2, 3))))
    key = geometry_digest(body)
    body.links[0].enabled = False
    assert geometry_digest(body) != key


def test_wrong_things_are_refused():
    with pytest.raises(ArgumentError, match="links have 3, expected links of a body"):
        geometry_digest([3])
    with pytest.raises(ArgumentError, match="links is 3, expected a body or its"):
        geometry_digest(3)
    for digest in (arm_digest, hand_digest):
        with pytest.raises(ArgumentError, match="arm is 3, expected a manipulator"):
            digest(3)
    with pytest.raises(ArgumentError, match="body is 3, expected a body"):
        kinematics_digest(3)


# -- kinematics --------------------------------------------------------------------


def hand(change=lambda described: described):
    env = pyrave.Environment()
    return env.create_body(change(bending_hand()))


def changed_joint(index, **changes):
    def change(described):
        joints = list(described.joints)
        joints[index] = replace(joints[index], **changes)
        return replace(described, joints=tuple(joints))

    return change


def changed_axis(index, **changes):
    def change(described):
        (axis,) = described.joints[index].axes
        return changed_joint(index, axes=(replace(axis, **changes),))(described)

    return change


@pytest.mark.parametrize(
    "change",
    [
        changed_axis(1, upper=1.4),
        changed_axis(1, lower=-0.1),
        changed_axis(1, direction=(0, 0, 1)),
        changed_joint(1, T_parent_joint=Pose.from_translation(0.086, 0, 0)),
    ],
)
def test_frames_axes_and_limits_count(change):
    one, other = hand(), hand(change)
    assert kinematics_digest(one) != kinematics_digest(other)
    assert hand_digest(one.manipulators[0]) != hand_digest(other.manipulators[0])


@pytest.mark.parametrize(
    "change",
    [
        changed_axis(1, velocity_limit=3.0),
        changed_axis(1, acceleration_limit=3.0),
        lambda described: replace(described, name="other"),
    ],
)
def test_names_and_speeds_do_not_count(change):
    one, other = hand(), hand(change)
    assert kinematics_digest(one) == kinematics_digest(other)
    assert hand_digest(one.manipulators[0]) == hand_digest(other.manipulators[0])


def test_joint_values_and_poses_do_not_count():
    robot = hand()
    (arm,) = robot.manipulators
    keys = kinematics_digest(robot), hand_digest(arm), geometry_digest(robot)
    robot.dof_values = [0.5, 0.1, 0.2, 0.3]
    robot.transform = [0, 1, 0, 0, 1, 2, 3]
    assert keys == (kinematics_digest(robot), hand_digest(arm), geometry_digest(robot))


@pytest.mark.parametrize(
    "changes",
    [
        {"tool": Pose.from_translation(0.11, 0, 0)},
        {"direction": (0, 1, 0)},
        {"chucking_direction": (1.0, 1.0, 1.0, -1.0)},
        {"gripper_joints": ("upper2", "upper1", "lower1", "lower2")},
    ],
)
def test_what_a_hand_is_counts(changes):
    def change(described):
        (known,) = described.manipulators
        return replace(described, manipulators=(replace(known, **changes),))

    one, other = (body.manipulators[0] for body in (hand(), hand(change)))
    assert hand_digest(one) != hand_digest(other)


def test_masses_of_what_is_handled_count():
    body = made(GeometryDescription(Box((1, 2, 3))))
    keys = body_digest(body), geometry_digest(body)
    body.links[0].mass = 2.0
    assert body_digest(body) != keys[0]
    assert geometry_digest(body) == keys[1]


def test_arms_count_from_base_to_tool():
    robot = pyrave.load("scenes/demo.env.xml").robots["heron7"]
    arm = robot.manipulators["arm"]
    key = arm_digest(arm)
    lower, upper = robot.dof_limits
    k = int(arm.arm_indices[0])
    robot.dof_limits = np.where(np.arange(robot.dof) == k, 0.9 * lower, lower), upper
    assert arm_digest(arm) != key
    robot.dof_limits = lower, upper
    assert arm_digest(arm) == key
    finger = int(arm.gripper_indices[0])
    robot.dof_limits = lower, np.where(np.arange(robot.dof) == finger, 0.01, upper)
    assert arm_digest(arm) == key
    arm.local_tool_transform = np.eye(4)
    assert arm_digest(arm) != key


# -- whole keys --------------------------------------------------------------------


def test_keys_do_not_depend_on_where_things_are_or_on_what_is_around():
    arm, ball = hand_and_ball()
    key = GraspDatabase(arm, ball).key
    arm.robot.dof_values = [0.5, 0.1, 0.2, 0.3]
    arm.robot.transform = [0, 1, 0, 0, 1, 2, 3]
    ball.transform = [0, 1, 0, 0, 0.4, 0, 0]
    block(arm.robot.env, "block", (0.1, 0.1, 0.1), (1, 0, 0))
    assert GraspDatabase(arm, ball).key == key


def test_keys_of_grasps_are_of_hand_and_target():
    arm, ball = hand_and_ball()
    key = GraspDatabase(arm, ball).key
    _, larger = hand_and_ball(radius=0.031)
    assert GraspDatabase(*hand_and_ball(radius=0.031)).key != key
    assert GraspDatabase(arm, ball, friction=0.4).key != key
    assert GraspDatabase(*hand_and_ball()).key == key
    assert larger is not None


def test_keys_of_statistics_know_the_solver():
    robot = pyrave.load("robots/arms/panda.robot.xml").robots[0]
    (arm, *_) = robot.manipulators
    key = IkStatistics(arm).key
    arm.set_ik_solver("Numerical")
    assert IkStatistics(arm).key != key
