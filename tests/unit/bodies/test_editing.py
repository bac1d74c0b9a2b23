"""Editing bodies: masses, geometries, adjacency, joints, tools; who is told."""

import math
import pickle

import numpy as np
import pytest
from told_checker import installed

import pyrave
from pyrave import ArgumentError, NotFoundError, NotSupportedError
from pyrave.ik import IkParameterizationType
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    MimicFormula,
    Pose,
    RobotDescription,
    Sphere,
)
from pyrave.spatial import matrix_from_axis_angle, quat_from_matrix
from pyrave.world import BodyChange

Z, Y, X = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)
BALL = GeometryDescription(Sphere(0.1), "ball")
PADDED = GeometryDescription(Sphere(0.3), "pad", group="padded")


def described(mimic=True):
    """Two hinges, a hand with a slider, and a finger that follows it."""
    links = tuple(
        LinkDescription(name, geometries=(BALL, PADDED))
        for name in ("base", "upper", "lower", "hand", "left", "right")
    )
    follow = MimicFormula("-0.5*grip") if mimic else None
    joints = (
        JointDescription("a", "hinge", "base", "upper", axes=(JointAxis(Z),)),
        JointDescription(
            "b",
            "hinge",
            "upper",
            "lower",
            Pose.from_translation(1, 0, 0),
            axes=(JointAxis(Y),),
        ),
        JointDescription("glue", "fixed", "lower", "hand"),
        JointDescription(
            "grip",
            "slider",
            "hand",
            "left",
            Pose.from_translation(1, 0, 0),
            axes=(JointAxis(Y, prismatic=True, lower=-0.1, upper=0.1),),
        ),
        JointDescription(
            "follow",
            "slider",
            "hand",
            "right",
            Pose.from_translation(1, 0, 0),
            axes=(JointAxis(Y, prismatic=True, lower=-1, upper=1, mimic=follow),),
        ),
    )
    arms = (
        ManipulatorDescription(
            "arm",
            "base",
            "hand",
            Pose.from_translation(0.2, 0, 0),
            gripper_joints=("grip",),
        ),
        ManipulatorDescription("half", "base", "upper"),
    )
    return RobotDescription("robot", links, joints, manipulators=arms)


@pytest.fixture
def env():
    return pyrave.Environment()


@pytest.fixture
def robot(env):
    return env.create_body(described())


@pytest.fixture
def checker(env):
    return installed(env)


# -- links -------------------------------------------------------------------------


def test_masses_are_edited(robot):
    robot.dof_values = (0.3, 0.4, 0)
    model, link = robot.model, robot.links["lower"]
    twin = robot.clone()
    torque = robot.inverse_dynamics()
    link.mass = 5
    link.local_com = (0.1, 0.2, 0.3)
    link.local_inertia = np.diag((1, 2, 3))
    assert robot.model is not model
    assert robot.mass == pytest.approx(10)
    assert link.mass == 5
    assert not np.allclose(robot.inverse_dynamics(), torque)
    np.testing.assert_allclose(twin.inverse_dynamics(), torque)
    np.testing.assert_allclose(robot.dof_values, (0.3, 0.4, 0))
    qdd = np.array((1.0, -2.0, 0.5))
    np.testing.assert_allclose(robot.forward_dynamics(robot.inverse_dynamics(qdd)), qdd)
    for again in (robot.clone(), pickle.loads(pickle.dumps(robot.env)).robots[0]):  # noqa: S301
        np.testing.assert_allclose(again.links["lower"].local_com, (0.1, 0.2, 0.3))
        assert again.mass == pytest.approx(10)
    turn = matrix_from_axis_angle((1, 2, 3), 0.7)
    link.local_inertia = turn @ np.diag((1, 2, 4)) @ turn.T
    np.testing.assert_allclose(np.sort(link.principal_moments), (1, 2, 4))
    axes = link.principal_frame[:3, :3]
    assert np.linalg.det(axes) == pytest.approx(1)
    restored = axes @ np.diag(link.principal_moments) @ axes.T
    np.testing.assert_allclose(restored, link.local_inertia, atol=1e-12)
    np.testing.assert_allclose(link.principal_frame[:3, 3], link.local_com)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mass", -1),
        ("mass", math.inf),
        ("local_com", (1, 2)),
        ("local_inertia", np.eye(2)),
        ("local_inertia", [[1, 2, 0], [0, 1, 0], [0, 0, 1]]),
        ("local_inertia", np.diag((1, 1, -1))),
    ],
)
def test_masses_without_meaning_are_refused(robot, name, value):
    model = robot.model
    with pytest.raises(ArgumentError, match=name):
        setattr(robot.links[0], name, value)
    assert robot.model is model


def test_static_links_are_one_rigid_group(robot):
    assert robot.links["upper"].rigidly_attached == (robot.links["upper"],)
    robot.links["upper"].static = robot.links["left"].static = True
    names = [link.name for link in robot.links["upper"].rigidly_attached]
    assert names == ["upper", "left"]


def test_forces_go_to_the_physics_engine(env, robot):
    for push in (
        lambda: robot.links[0].set_force((0, 0, 1), (0, 0, 0)),
        lambda: robot.links[0].set_torque((0, 0, 1)),
        lambda: robot.dynamics.set_dof_torques((1, 2, 3)),
        lambda: robot.joints[0].add_torques((1,)),
    ):
        with pytest.raises(NotSupportedError):
            push()
    calls = []
    engine = env.physics_engine
    engine.add_joint_torque = lambda joint, torques: calls.append(
        (joint.name, torques.tolist())
    )
    robot.dynamics.set_dof_torques((1, 2, 3))
    assert calls == [("a", [1]), ("b", [2]), ("grip", [3])]
    with pytest.raises(ArgumentError, match="torques"):
        robot.dynamics.set_dof_torques((1, 2))


# -- geometries --------------------------------------------------------------------


def ray(env):
    return env.raycast((0, 0, 5), [(0, 0, -1)]).distance[0]


def test_geometries_are_replaced(env, robot, checker):
    changes = []
    robot.register_change_callback(changes.append)
    base = robot.links["base"]
    for link in robot.links:
        if link is not base:
            link.enabled = False
    changes.clear()
    ball = base.geometries[0]
    assert ray(env) == pytest.approx(4.9)
    made = base.add_geometry(GeometryDescription(Box((0.1, 0.1, 0.5)), "tall"))
    assert made is base.geometries[-1]
    assert base.geometries[0] is ball
    assert ray(env) == pytest.approx(4.5)
    made.edit(shape=Box((0.1, 0.1, 0.7)))
    assert made.half_extents[2] == 0.7
    assert base.geometries[-1] is made
    assert ray(env) == pytest.approx(4.3)
    made.edit(pose=Pose.from_translation(0, 0, 1))
    assert ray(env) == pytest.approx(3.3)
    base.remove_geometry("tall")
    assert ray(env) == pytest.approx(4.9)
    assert changes == [BodyChange.GEOMETRY] * 4
    assert checker.told == [("remove", "robot"), ("init", "robot")] * 4
    with pytest.raises(NotFoundError, match="'tall'"):
        base.remove_geometry(made)
    base.set_geometries([])
    assert base.geometries == ()
    assert base.aabb is None
    assert np.isinf(ray(env)) or ray(env) > 10
    with pytest.raises(ArgumentError, match="no field 'shap', did you mean 'shape'"):
        robot.links["upper"].geometries[0].edit(shap=1)


def test_links_without_geometry_are_adjacent(robot):
    assert not robot.structure.are_adjacent_links(0, 2)
    for group in ("self", "padded"):
        robot.links["lower"].set_geometries([], group)
    assert [0, 2] not in robot.non_adjacent_links.tolist()
    assert robot.structure.are_adjacent_links(0, 2)


def test_geometry_groups(env, robot):
    base = robot.links["base"]
    assert base.geometry_groups == ("self", "padded")
    assert [g.radius for g in base.geometries] == [0.1]
    assert [g.radius for g in base.group_geometries("padded")] == [0.3]
    assert base.group_geometries("no") == ()
    small = robot.aabb_in(None)[1]
    padded = robot.aabb_in(None, group="padded")[1]
    np.testing.assert_allclose(padded, small + 0.2)
    base.set_geometries([BALL, BALL], group="twice")
    base.use_geometry_group("twice")
    assert len(base.geometries) == 2
    with pytest.raises(NotFoundError, match="'twice'"):
        robot.use_geometry_group("twice")
    robot.use_geometry_group("padded")
    assert all(link.geometries[0].radius == 0.3 for link in robot.links)
    np.testing.assert_allclose(robot.aabb[1], padded)
    # the group itself is kept
    assert [g.radius for g in base.group_geometries("padded")] == [0.3]
    twin = env.clone().robots[0]
    assert twin.links["base"].geometry_groups == ("padded", "twice", "self")


def test_boxes_around_bodies(robot):
    robot.dof_values = (0.4, -0.3, 0)
    robot.transform = (0.9234, 0.1026, -0.2052, 0.3078, 1, 2, 3)
    centres = robot.link_transforms[:, :3, 3]
    lower, upper = centres.min(axis=0) - 0.1, centres.max(axis=0) + 0.1
    centre, half = robot.aabb
    np.testing.assert_allclose(centre - half, lower)
    np.testing.assert_allclose(centre + half, upper)
    here = robot.transform
    inside = (centres - here[:3, 3]) @ here[:3, :3]
    centre, half = robot.local_aabb
    np.testing.assert_allclose(centre + half, inside.max(axis=0) + 0.1)
    frame = np.eye(4)
    frame[:3, :3] = matrix_from_axis_angle((1, 2, 3), 0.7)
    seen = centres @ frame[:3, :3]
    np.testing.assert_allclose(sum(robot.aabb_in(frame)), seen.max(axis=0) + 0.1)
    robot.links["left"].enabled = robot.links["right"].enabled = False
    rest = centres[:4].max(axis=0) + 0.1
    np.testing.assert_allclose(sum(robot.aabb_in(None, enabled_only=True)), rest)
    np.testing.assert_allclose(sum(robot.aabb), upper)


def test_boxes_pass_over_what_has_no_size():
    env = pyrave.Environment()
    box = GeometryDescription(Box((1, 2, 0)))
    point = GeometryDescription(Sphere(0), pose=Pose.from_translation(9, 9, 9))
    links = (
        LinkDescription("a", geometries=(box, point)),
        LinkDescription("b", geometries=(point,)),
        LinkDescription("c"),
    )
    body = env.create_body(BodyDescription("k", links))
    assert [body.aabb[1].tolist(), body.local_aabb[1].tolist()] == [[1, 2, 0]] * 2
    assert body.links["a"].aabb[1].tolist() == [1, 2, 0]
    assert [half.tolist() for half in body.links["b"].aabb] == [[9, 9, 9], [0, 0, 0]]
    assert body.links["c"].aabb is None


def test_looks_are_edited(env, robot):
    changes = []
    robot.register_change_callback(changes.append)
    model = robot.model
    geometry = robot.links["base"].geometries[0]
    geometry.diffuse_color = (0.1, 0.2, 0.3)
    geometry.ambient_color = (0, 0, 1)
    geometry.transparency = 0.5
    geometry.visible = False
    assert changes == [BodyChange.VISIBLE] * 4
    assert robot.model is model
    material = env.describe().bodies[0].links[0].geometries[0].material
    assert material.diffuse == (0.1, 0.2, 0.3)
    assert material.transparency == 0.5
    assert robot.visible
    robot.visible = False
    assert not any(link.visible for link in robot.links)
    robot.links["left"].visible = True
    assert robot.visible
    for wrong in (
        lambda: setattr(geometry, "diffuse_color", (1, 2, 3)),
        lambda: setattr(geometry, "ambient_color", (1, 1)),
        lambda: setattr(geometry, "transparency", 2),
    ):
        with pytest.raises(ArgumentError):
            wrong()


# -- adjacency and zero ------------------------------------------------------------


def test_adjacency_is_declared(robot, checker):
    assert [0, 2] in robot.non_adjacent_links.tolist()
    assert not robot.structure.are_adjacent_links("base", "lower")
    robot.structure.declare_adjacent([("base", robot.links["lower"])])
    assert [0, 2] in robot.adjacent_links.tolist()
    assert robot.structure.are_adjacent_links("lower", "base")
    assert checker.told[-2:] == [("remove", "robot"), ("init", "robot")]
    assert ("base", "lower") in robot.describe().adjacent
    checker.touch(("base", "hand"), ("base", "upper"))
    assert robot.structure.declare_touching_adjacent() == (("base", "hand"),)
    assert robot.structure.are_adjacent_links(0, 3)
    robot.links["left"].enabled = False
    left = robot.links["left"].index
    every = robot.non_adjacent_links
    assert (every == left).any()
    pairs = robot.structure.select_non_adjacent_links(enabled=True)
    assert pairs.tolist() == every[~(every == left).any(axis=1)].tolist()
    # only the gripper moves: no pair of base, upper, lower and hand changes
    pairs = robot.structure.select_non_adjacent_links(dof_indices=[2])
    assert len(pairs)
    assert (pairs.max(axis=1) >= left).all()
    # what the arm moves as a whole is no pair of its own
    pairs = robot.structure.select_non_adjacent_links(dof_indices=[0, 1]).tolist()
    assert [0, 4] in pairs
    assert not any(min(pair) >= robot.links["lower"].index for pair in pairs)
    assert robot.structure.select_non_adjacent_links(dof_indices=[]).shape == (0, 2)
    with pytest.raises(pyrave.ArgumentError, match="dof index 99"):
        robot.structure.select_non_adjacent_links(dof_indices=[99])


@pytest.mark.parametrize("kind", ["universal", "hinge", "rp", "pr"])
def test_another_zero(env, kind):
    axes = {
        "universal": (JointAxis(X, lower=-1, upper=2), JointAxis(Y)),
        "hinge": (JointAxis(Y, lower=-1, upper=2),),
        "rp": (JointAxis(X), JointAxis(Y, prismatic=True)),
        "pr": (JointAxis(X, prismatic=True), JointAxis(Y)),
    }[kind]
    links = tuple(LinkDescription(n, geometries=(BALL,)) for n in "ABC")
    near = Pose.from_axis_angle((1, 2, 3), 0.5, (0.1, 0.2, 0.3))
    far = Pose.from_axis_angle((3, 1, 2), 0.8, (0.3, 0.1, 0.2))
    joints = (
        JointDescription("J", kind, "A", "B", near, far, axes),
        JointDescription("K", "hinge", "B", "C", far, near, (JointAxis(Z),)),
    )
    body = env.create_body(RobotDescription("body", links, joints))
    n = body.dof
    rng = np.random.default_rng(5)
    body.dof_limits = ([-2] * n, [2] * n)
    q, more = rng.uniform(-0.4, 0.4, (2, n))
    body.dof_values = q + more
    expected = body.link_transforms
    body.dof_values = q
    present = body.link_transforms
    body.set_zero_configuration()
    assert body.dof_values.tolist() == [0] * n
    np.testing.assert_allclose(body.link_transforms, present, atol=1e-14)
    np.testing.assert_allclose(body.dof_limits[0], -2 - q)
    body.dof_values = more
    np.testing.assert_allclose(body.link_transforms, expected, atol=1e-14)
    twin = env.clone().bodies[0]
    np.testing.assert_allclose(twin.link_transforms, expected, atol=1e-14)


@pytest.mark.parametrize(
    "formula",
    [
        "2*J + 0.1",
        "a := sin(J_1); a*J - a < 3",
        "if(J > 0.2, J, J^2);",
        "J_0*0.5 + odd-name - 0.25*J_1",
        "0.5*2 + 2.5*2_1 - sin(2) - 2e-1*sin",
    ],
)
def test_formulas_count_from_the_new_zero(env, formula):
    first, second = ("2", "sin") if formula.endswith("sin") else ("J", "odd-name")
    links = tuple(LinkDescription(n, geometries=(BALL,)) for n in "ABCD")
    near = Pose.from_axis_angle((1, 2, 3), 0.5, (0.1, 0.2, 0.3))
    follows = MimicFormula(
        formula, velocity="|J 3*J |J_1 0" if formula[0] == "2" else ""
    )
    joints = (
        JointDescription(
            first, "universal", "A", "B", near, axes=(JointAxis(X), JointAxis(Y))
        ),
        JointDescription(second, "hinge", "B", "C", near, axes=(JointAxis(Z),)),
        JointDescription(
            "K",
            "hinge",
            "C",
            "D",
            near,
            axes=(JointAxis(Z, mimic=follows, lower=-9, upper=9),),
        ),
    )
    body = env.create_body(RobotDescription("body", links, joints))
    rng = np.random.default_rng(5)
    body.dof_limits = ([-2] * 3, [2] * 3)
    q, more = rng.uniform(0.1, 0.5, (2, 3))
    body.dof_values = q + more
    expected = body.link_transforms
    jacobian = body.active.jacobian("D")
    body.dof_values = q
    present = body.link_transforms
    for _ in range(2):
        body.set_zero_configuration()
        assert body.dof_values.tolist() == [0] * 3
        np.testing.assert_allclose(body.joint_values, 0.0, atol=1e-14)
        np.testing.assert_allclose(body.link_transforms, present, atol=1e-14)
    body.dof_values = more
    np.testing.assert_allclose(body.link_transforms, expected, atol=1e-13)
    np.testing.assert_allclose(body.active.jacobian("D"), jacobian, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("odd;name", "a := 2*odd;name; a + 0.2*odd;name"),
        ("odd;", "0.3 - odd;"),
        # of the two roots the limits choose the negative one
        ("a", "polyroots2(1, 0, -1 - a)"),
    ],
)
def test_followers_stay_when_zero_moves_twice(env, name, formula):
    links = tuple(LinkDescription(n, geometries=(BALL,)) for n in "ABC")
    slide = JointAxis(Z, prismatic=True, lower=-2, upper=2)
    follows = JointAxis(
        Y, prismatic=True, lower=-3, upper=0, mimic=MimicFormula(formula)
    )
    joints = (
        JointDescription(name, "slider", "A", "B", axes=(slide,)),
        JointDescription("follower", "slider", "B", "C", axes=(follows,)),
    )
    body = env.create_body(RobotDescription("body", links, joints))
    body.dof_values = [0.7]
    expected = body.link_transforms
    for values in ([0.1], [0.4], [0.2]):
        body.dof_values = values
        body.set_zero_configuration()
    body.dof_values = [0.0]
    np.testing.assert_allclose(body.link_transforms, expected, atol=1e-12)


# -- structure ---------------------------------------------------------------------


def test_ways_through_the_robot(robot):
    assert [x.name for x in robot.structure.chain_links("base", "hand")] == [
        "base", "upper", "lower", "hand",
    ]  # fmt: skip
    joints = robot.structure.chain_joints("left", "base")
    assert [joint.name for joint in joints] == ["grip", "glue", "b", "a"]
    assert robot.structure.is_dof_in_chain("base", "right", 2)  # through the follower
    assert not robot.structure.is_dof_in_chain("base", "hand", 2)
    assert robot.structure.affects("b", "left")
    assert not robot.structure.affects(robot.joints["grip"], "right")
    assert robot.structure.dof_affects(2, "right")
    assert not robot.joints["a"].affects(robot.links["base"])
    assert robot.dof_names == ("a", "b", "grip")
    assert robot.structure.closed_loops == ()
    assert robot.passive_joints["follow"].mimic_dof_indices.tolist() == [2]
    assert robot.joints["a"].mimic_dof_indices.tolist() == []
    order = [joint.name for joint in robot.structure.dependency_ordered_joints]
    assert set(order) == {"a", "b", "glue", "grip", "follow"}
    assert order.index("a") < order.index("b") < order.index("grip")
    assert order.index("grip") < order.index("follow")


def test_loops(env):
    links = tuple(LinkDescription(n) for n in "ABC")
    axes = (JointAxis(Z),)
    joints = (
        JointDescription("ab", "hinge", "A", "B", axes=axes),
        JointDescription("bc", "hinge", "B", "C", axes=axes),
        JointDescription("ca", "hinge", "C", "A", axes=axes, active=False),
    )
    body = env.create_body(RobotDescription("loop", links, joints))
    (loop,) = body.structure.closed_loops
    assert {link.name for link, _ in loop} == {"A", "B", "C"}
    assert {joint.name for _, joint in loop} == {"ab", "bc", "ca"}
    for k, (link, joint) in enumerate(loop):
        after = loop[(k + 1) % 3][0]
        assert {joint.description.parent, joint.description.child} == {
            link.name,
            after.name,
        }


# -- joints ------------------------------------------------------------------------


def test_joints_are_edited(robot):
    joint = robot.joints["b"]
    joint.limits = (-0.5, 0.5)
    joint.velocity_limits = 3
    joint.weights = (7,)
    assert robot.dof_limits[1].tolist() == [math.pi, 0.5, 0.1]
    assert robot.dof_velocity_limits.tolist() == [10, 3, 10]
    assert joint.weights.tolist() == [7]
    joint.values = (0.4,)
    joint.velocities = (0.6,)
    assert robot.dof_values.tolist() == [0, 0.4, 0]
    assert robot.dof_velocities.tolist() == [0, 0.6, 0]
    assert joint.dof_indices.tolist() == [1]
    follower = robot.passive_joints["follow"]
    assert follower.dof_indices.tolist() == []
    for name, value in (
        ("values", 1),
        ("velocities", 1),
        ("limits", (0, 1)),
        ("weights", 1),
    ):
        with pytest.raises(ArgumentError, match=f"{name} .*cannot be set"):
            setattr(follower, name, value)
    assert joint.subtract_values((3,), (-3,)).tolist() == [6]


def test_velocities_of_followers(robot):
    robot.dof_values = (0.3, 0.4, 0.05)
    robot.dof_velocities = (1, 2, 0.3)
    robot.base_velocity = (1, 2, 3, 4, 5, 6)
    follower = robot.passive_joints["follow"]
    np.testing.assert_allclose(follower.velocities, [-0.15], atol=1e-12)
    assert robot.passive_joints["glue"].velocities.shape == (0,)


def test_joint_velocities_from_link_velocities(robot):
    robot.dof_values = (0.3, 0.4, 0.05)
    robot.dof_velocities = qd = np.array((1, 2, 0.3))
    robot.base_velocity = base = np.array((1, 2, 3, 4, 5, 6))
    velocities = robot.dynamics.link_velocities
    np.testing.assert_allclose(
        robot.dynamics.dof_velocities_of(velocities), qd, atol=1e-12
    )
    robot.dof_velocities = (0, 0, 0)
    robot.dynamics.link_velocities = velocities
    np.testing.assert_allclose(robot.dof_velocities, qd, atol=1e-12)
    np.testing.assert_array_equal(robot.base_velocity, base)
    with pytest.raises(ArgumentError, match=r"expected \(6, 6\)"):
        robot.dynamics.link_velocities = velocities[:2]


# -- manipulators ------------------------------------------------------------------


def test_what_a_manipulator_moves(robot):
    arm = robot.manipulators["arm"]
    names = lambda links: [link.name for link in links]  # noqa: E731
    assert names(arm.child_links) == ["hand", "lower", "left", "right"]
    assert names(arm.child_joints) == ["grip"]
    assert arm.child_dof_indices.tolist() == [2]
    assert names(arm.independent_links) == ["base"]
    half = robot.manipulators["half"]
    assert names(half.child_links) == ["upper", "lower", "hand", "left", "right"]
    assert names(half.arm_joints) == ["a"]
    arm.arm_dof_values = (0.1, 0.2)
    arm.gripper_dof_values = (0.05,)
    assert robot.dof_values.tolist() == [0.1, 0.2, 0.05]
    assert arm.arm_dof_values.tolist() == [0.1, 0.2]
    assert [g.name for g in arm.arm_configuration_specification()] == [
        "joint_values robot 0 1"
    ]
    held = robot.env.create_body(described().__class__("held", (LinkDescription("x"),)))
    robot.grab(held, "left")
    assert arm.is_grabbing(held)
    robot.release(held)
    robot.grab(held, "base")
    assert not arm.is_grabbing(held)


def test_tools_are_edited(env, robot):
    arm = robot.manipulators["arm"]
    robot.active_manipulator = "arm"
    arm.local_tool_transform = (1, 0, 0, 0, 0, 0, 0.5)
    arm.direction = (0, 3, 4)
    arm.name = "claw"
    assert robot.manipulators.names == ("claw", "half")
    assert robot.active_manipulator is arm
    np.testing.assert_allclose(arm.transform[:3, 3], (1, 0, 0.5))
    described = env.describe().bodies[0].manipulators[0]
    assert described.name == "claw"
    assert described.tool == Pose.from_translation(0, 0, 0.5)
    assert described.direction == (0, 0.6, 0.8)
    found = arm.ik_parameterization(IkParameterizationType.TranslationDirection5D)
    np.testing.assert_allclose(found.array, (0, 0.6, 0.8, 1, 0, 0.5))
    with pytest.raises(pyrave.NameConflictError, match="'half' already"):
        arm.name = "half"
    with pytest.raises(ArgumentError, match="expected a direction"):
        arm.direction = (0, 0, 0)


def test_velocity_and_quaternion_rates_of_a_tool(robot):
    arm = robot.manipulators["arm"]
    robot.dof_values = q = np.array((0.3, 0.4, 0))
    robot.dof_velocities = qd = np.array((0.7, -0.2, 0))
    np.testing.assert_allclose(arm.velocity, arm.jacobian() @ qd[:2], atol=1e-12)
    rates = arm.quaternion_jacobian()
    step = 1e-6
    for k in range(2):
        values = []
        for sign in (1, -1):
            moved = q.copy()
            moved[k] += sign * step
            robot.dof_values = moved
            pose = arm.end_effector.transform
            values.append(quat_from_matrix(pose[:3, :3]))
        numeric = (values[0] - values[1]) / (2 * step)
        np.testing.assert_allclose(rates[:, k], numeric, atol=1e-8)


def test_equal_arms_have_equal_hashes(env, robot):
    import dataclasses

    arm = robot.manipulators["arm"]
    joints = tuple(
        dataclasses.replace(
            joint,
            name=f"other {joint.name}",
            axes=tuple(dataclasses.replace(axis, weight=3.0) for axis in joint.axes),
        )
        for joint in described(mimic=False).joints
    )
    arms = (dataclasses.replace(described().manipulators[0], gripper_joints=()),)
    other = dataclasses.replace(
        described(), name="other", joints=joints, manipulators=arms
    )
    twin = env.create_body(other)
    assert twin.manipulators["arm"].kinematics_hash == arm.kinematics_hash
    assert robot.manipulators["half"].kinematics_hash != arm.kinematics_hash
    before = arm.kinematics_hash
    arm.local_tool_transform = np.eye(4)
    assert arm.kinematics_hash != before
    assert robot.structure.kinematics_hash == robot.model.kinematics_hash


def test_mountings_come_and_go(env, robot):
    from pyrave.scene import AttachedSensorDescription

    changes = []
    robot.register_change_callback(changes.append)
    mounted = robot.add_attached_sensor(AttachedSensorDescription("eye", "hand"))
    mounted.local_transform = Pose.from_translation(0, 0, 1)
    expected = robot.links["hand"].transform @ mounted.local_transform
    np.testing.assert_allclose(mounted.transform, expected)
    assert robot.describe().attached_sensors[0].pose.translation == (0, 0, 1)
    robot.remove_attached_sensor("eye")
    assert robot.attached_sensors.names == ()
    assert changes == [BodyChange.SENSORS] * 3
    with pytest.raises(NotFoundError):
        robot.add_attached_sensor(AttachedSensorDescription("eye", "hnd"))
    with pytest.raises(NotFoundError):
        robot.remove_attached_sensor("eye")
