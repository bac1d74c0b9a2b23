"""State goes into the engine ``mujoco`` and comes out of it."""

import copy
import dataclasses
import pickle
import sys
import time

import numpy as np
import pytest
from physics_scenes import G, ball, box, box_inertia, chain, floor, run, world

import pyrave
from pyrave import JointDrive
from pyrave.errors import InterfaceCreationError
from pyrave.geometry.primitives import box_mesh
from pyrave.scene import (
    BodyDescription,
    Box,
    Capsule,
    Cylinder,
    GeometryDescription,
    LinkDescription,
    MeshData,
    Pose,
    TriMesh,
)
from pyrave.spatial import matrix_from_axis_angle

pytest.importorskip("mujoco")


def pose_at(*place, turn=(0.0, 0.0, 0.0)):
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle(turn)
    pose[:3, 3] = place
    return pose


def shape(name, solid, at, **link):
    inertial = box_inertia(1.0, (0.1, 0.1, 0.1))
    geometries = (GeometryDescription(solid),)
    base = LinkDescription("base", geometries=geometries, inertial=inertial, **link)
    return BodyDescription(name, links=(base,), pose=Pose(translation=at))


def cube_mesh(half):
    mesh = box_mesh((half,) * 3)
    return MeshData(mesh.vertices, mesh.faces)


def state_of(env):
    return {
        body.name: (body.transform, body.dof_values, body.base_velocity)
        for body in env.bodies
    }


def assert_same(one, other, atol=0.0):
    for name, parts in one.items():
        for a, b in zip(parts, other[name], strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=atol, err_msg=name)


def busy():
    """Return an environment in which a lot happens."""
    env = world(
        floor(),
        box("a", (0, 0, 0.3), rotation=(1, 0, 0, 0, 0.8, -0.6, 0, 0.6, 0.8)),
        ball("b", (0.05, 0.1, 0.6)),
        chain("arm", kinds=("hinge", "spherical"), axes=((0, 1, 0),) * 2, at=(2, 0, 3)),
        chain("floating", kinds=("slider",), axes=((1, 0, 0),), static=False,
              at=(-3, 0, 3)),
    )  # fmt: skip
    env.bodies["arm"].dof_values = (1.0, 0.4, 0.3, -0.2)
    return env


def test_a_missing_library_is_named(monkeypatch):
    from pyrave_mujoco import library

    library.mujoco.cache_clear()
    monkeypatch.setitem(sys.modules, "mujoco", None)
    try:
        with pytest.raises(InterfaceCreationError) as caught:
            pyrave.Environment().create("physicsengine", "mujoco")
    finally:
        library.mujoco.cache_clear()
    assert "pip install 'pyrave[physics]'" in str(caught.value)


def test_two_runs_are_equal_to_the_last_bit():
    first, second = busy(), busy()
    for env in (first, second):
        run(env, 1.0)
    assert_same(state_of(first), state_of(second))


def test_steps_of_any_length():
    for dt in (0.0007, 0.01, 0.1, 10.0):
        env = world(box("a", (0, 0, 1000)))
        env.step(dt)
        fallen = 1000 - env.bodies["a"].transform[2, 3]
        assert fallen == pytest.approx(0.5 * G * dt**2, abs=0.5 * G * dt * 0.0021)


def pickled(env):
    return pickle.loads(pickle.dumps(env))  # noqa: S301 - our own


@pytest.mark.parametrize("copied", [pyrave.Environment.clone, copy.deepcopy, pickled])
def test_copies_go_on_alike(copied):
    env = busy()
    run(env, 0.4)
    twin = copied(env)
    assert twin.physics_engine.interface_id == "mujoco"
    for one in (env, twin):
        run(one, 0.3)
    assert_same(state_of(env), state_of(twin))


@pytest.mark.parametrize("copied", [pyrave.Environment.clone, copy.deepcopy, pickled])
def test_copies_are_pushed_as_well(copied):
    """What is to act in the next step acts in that of a copy, too."""
    env = world(chain(kinds=("hinge",) * 3, axes=((0, 1, 0),) * 3), box("crate"))
    body, link = env.bodies["chain"], env.bodies["crate"].links[0]
    env.step(0.01)
    before = env.clone()
    link.set_force([10.0, 0, 0], link.global_com)
    link.set_torque([0, 0, 0.2])
    body.dynamics.set_dof_torques([3.0, 0, 0])
    zero = np.zeros(2)
    drive = JointDrive([1, 2], zero + 0.3, zero, zero + 50.0, zero + 2.0, zero)
    env.physics_engine.drive_joints(body, drive)
    twin = copied(env)
    for one in (env, twin, before):
        one.step(0.01)
    assert_same(state_of(env), state_of(twin))
    assert not np.allclose(body.dof_velocities, before.bodies["chain"].dof_velocities)
    found = env.physics_engine.get_joint_efforts(body)
    other = twin.physics_engine.get_joint_efforts(twin.bodies["chain"])
    np.testing.assert_array_equal(found, other)


def test_poses_and_velocities_that_are_set_act():
    env = world(box("a", (0, 0, 50)), gravity=(0, 0, 0))
    body = env.bodies["a"]
    env.step(0.01)
    body.transform = pose_at(1, 2, 3, turn=(0.3, 0.2, 0.1))
    body.base_velocity = (1, -2, 0.5, 0, 0, 3)
    env.step(0.01)
    assert np.allclose(body.transform[:3, 3], (1.01, 1.98, 3.005))
    turned = body.transform[:3, :3] @ matrix_from_axis_angle((0.3, 0.2, 0.1)).T
    assert np.allclose(turned, matrix_from_axis_angle((0, 0, 0.03)), atol=2e-4)
    body.transform = pose_at(9, 9, 9)
    env.step(0.01)
    assert np.allclose(body.transform[:3, 3], (9.01, 8.98, 9.005), atol=1e-6), (
        "the velocity stays"
    )


def test_joint_values_and_velocities_that_are_set_act():
    env = world(chain(kinds=("hinge", "slider"), axes=((0, 0, 1), (0, 0, 1))),
                gravity=(0, 0, 0))  # fmt: skip
    body = env.bodies["chain"]
    env.step(0.01)
    body.dof_values, body.dof_velocities = (0.5, -0.2), (1.0, 2.0)
    env.step(0.01)
    assert np.allclose(body.dof_values, (0.51, -0.18), atol=1e-6)
    assert np.allclose(body.dof_velocities, (1.0, 2.0), atol=1e-6)


def test_a_static_body_that_is_moved_carries_others():
    env = world(floor(), box("a", (0, 0, 0.1)))
    run(env, 0.5)
    env.bodies["floor"].transform = pose_at(0, 0, -2.5)
    env.step(0.01)
    assert env.bodies["a"].base_velocity[2] < -0.09
    run(env, 1.5)
    assert env.bodies["a"].transform[2, 3] == pytest.approx(-1.9, abs=1e-3)


def test_forces_act_for_one_step():
    env = world(box("a", mass=2.0), gravity=(0, 0, 0))
    body, link = env.bodies["a"], env.bodies["a"].links[0]
    link.set_force((4.0, 0, 0), (0, 0, 0))
    link.set_force((2.0, 0, 0), (0, 0, 0), add=True)
    link.set_torque((0, 0, 0.1))
    env.step(0.01)
    inertia = link.local_inertia[2, 2]
    expected = (0.03, 0, 0, 0, 0, 0.001 / inertia)
    assert np.allclose(body.base_velocity, expected, rtol=1e-5)
    env.step(0.01)
    assert np.allclose(body.base_velocity, expected, rtol=1e-5)
    body.base_velocity = np.zeros(6)
    link.set_force((0, 0, 1.0), link.global_com + np.array((0.1, 0, 0)))
    env.step(0.01)
    moment = link.local_inertia[1, 1]
    assert np.allclose(body.base_velocity[[2, 4]], (0.005, -0.001 / moment), rtol=1e-2)


def test_torques_of_a_spherical_joint():
    """As forward dynamics says."""
    env = world(chain(kinds=("spherical",), axes=((0, 0, 1),), inertia=(0.3, 0.4, 0.5)))
    body = env.bodies["chain"]
    body.dof_values, body.dof_velocities = (0.4, -0.7, 0.3), (0.2, 0.1, -0.3)
    torques = np.array((0.5, -2.0, 1.0))
    expected = body.forward_dynamics(torques)
    before = body.dof_velocities
    body.dynamics.set_dof_torques(torques)
    env.step(1e-4)
    assert np.allclose((body.dof_velocities - before) / 1e-4, expected, atol=2e-3)


def test_bodies_come_and_go_and_nothing_else_notices():
    env, other = busy(), busy()
    for one in (env, other):
        run(one, 0.2)
    env.create_body(box("late", (50, 0, 5)))
    env.step(0.01)
    env.remove("late")
    env.bodies["b"].links[0].geometries[0].visible = False
    env.step(0.01)
    run(other, 0.02)
    assert_same(state_of(env), state_of(other), atol=1e-6)


def test_disabled_links_touch_nothing():
    env = world(floor(), box("a", (0, 0, 0.1)))
    body = env.bodies["a"]
    run(env, 0.2)
    body.enabled = False
    run(env, 0.5)
    assert body.transform[2, 3] < -0.5
    body.transform = pose_at(0, 0, 0.1)
    body.base_velocity = np.zeros(6)
    body.enabled = True
    run(env, 0.2)
    assert body.transform[2, 3] == pytest.approx(0.1, abs=1e-3)


def test_pairs_that_the_environment_ignores_pass_each_other():
    env = world(floor(), box("a", (0, 0, 0.1)), box("b", (1, 0, 0.1)))
    run(env, 0.1)
    env.ignore_collisions(env.bodies["floor"], env.bodies["a"].links[0])
    run(env, 0.5)
    assert env.bodies["a"].transform[2, 3] < -0.5
    assert env.bodies["b"].transform[2, 3] == pytest.approx(0.1, abs=1e-3)


def test_what_is_held_moves_with_the_hand_and_weighs():
    env = world(chain(axes=((0, 0, 1),), inertia=(1, 1, 1)), gravity=(0, 0, 0))
    holder = env.bodies["chain"]
    env.create_body(box("load", (0.5, 0, -1), mass=4.0))
    holder.grab("load", "link1")
    run(env, 0.05)
    holder.dynamics.set_dof_torques([2.0])
    env.step(0.01)
    load = env.bodies["load"]
    inertia = 1.0 + 4.0 * 0.25 + load.links[0].local_inertia[2, 2]
    rate = holder.dof_velocities[0]
    assert rate == pytest.approx(0.02 / inertia, rel=1e-3)
    assert np.allclose(load.base_velocity[[1, 5]], (0.5 * rate, rate), atol=1e-9)
    holder.release("load")
    env.step(0.01)
    assert np.allclose(load.base_velocity[[1, 5]], (0.5 * rate, rate), rtol=1e-2)
    assert holder.dof_velocities[0] == pytest.approx(rate, rel=1e-6)


def test_gravity_that_is_set_acts():
    env = world(box("a"))
    env.step(0.01)
    env.gravity = (3.0, 0, 0)
    env.bodies["a"].base_velocity = np.zeros(6)
    env.step(0.01)
    assert np.allclose(env.bodies["a"].base_velocity[:3], (0.03, 0, 0), atol=1e-9)


def test_saved_states_come_back():
    env = busy()
    run(env, 0.3)
    with env.preserve_state():
        before = state_of(env)
        run(env, 0.3)
        after = state_of(env)
    assert_same(state_of(env), before)
    run(env, 0.3)
    assert_same(state_of(env), after, atol=1e-3)


def test_contacts():
    env = world(floor(), box("a", (0, 0, 0.1), mass=3.0))
    run(env, 1.0)
    contacts = env.physics_engine.contacts()
    assert len(contacts) == 4
    assert {one.first.body.name for one in contacts} == {"floor"}
    assert {one.second.body.name for one in contacts} == {"a"}
    assert np.allclose(sum(one.force for one in contacts), (0, 0, 3 * G), atol=1e-3)
    for one in contacts:
        assert np.allclose(one.normal, (0, 0, 1))
        assert np.allclose(np.abs(one.position), (0.1, 0.1, 0), atol=1e-3)
        assert 0 < one.depth < 1e-3
    # looking changes nothing
    other = world(floor(), box("a", (0, 0, 0.1), mass=3.0))
    run(other, 1.0)
    for one in (env, other):
        run(one, 0.1)
    assert_same(state_of(env), state_of(other))


def test_force_in_a_joint():
    """What holds a resting pendulum up is its weight, about its joint no torque."""
    env = world(chain(mass=2.0))
    body = env.bodies["chain"]
    run(env, 0.1)
    found = env.physics_engine.get_joint_force_torque(body.joints[0])
    assert np.allclose(found, (0, 0, 2 * G, 0, 0, 0), atol=1e-6)
    body.dof_values = [np.pi / 2]
    found = env.physics_engine.get_joint_force_torque(body.joints[0])
    # it begins to fall: the support carries the share m g I / (I + m l^2)
    inertia = body.links[1].local_inertia[1, 1]
    share = inertia / (inertia + 2.0)
    assert np.allclose(found, (0, 0, 2 * G * share, 0, 0, 0), atol=1e-6)


def test_links_without_names():
    first, second = (
        f'<body name="" type="dynamic"><translation>{x} 0 1</translation>'
        '<geom type="box"><extents>0.1 0.1 0.1</extents></geom>'
        '<mass type="box"><total>1</total></mass></body>'
        for x in (0, 1)
    )
    env = pyrave.Environment()
    env.load_string(f'<environment><kinbody name="b">{first}{second}</kinbody>'
                    '<physicsengine type="mujoco"/></environment>')  # fmt: skip
    run(env, 0.1)
    heights = env.bodies["b"].link_transforms[:, 2, 3]
    assert np.allclose(heights, 1.0 - 0.05 * 1.02 * 9.797930195020351 * 0.1, atol=1e-3)


def test_links_that_no_joint_connects_fall_by_themselves():
    two = box("two", (0, 0, 1)).links[0]
    description = BodyDescription("two", links=(
        two, dataclasses.replace(two, name="other", pose=Pose(translation=(1, 0, 1))),
    ))  # fmt: skip
    env = world(floor(), description)
    run(env, 0.3)
    env.bodies["two"].links[0].mass = 2.0  # another model
    run(env, 0.7)
    assert np.allclose(env.bodies["two"].link_transforms[:, 2, 3], 0.1, atol=1e-3)


def test_a_flat_mesh_carries():
    corners = np.array([[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0.0]])
    ground = TriMesh(MeshData(corners, np.array([[0, 1, 2], [0, 2, 3]])))
    env = world(
        shape("ground", ground, (0, 0, 0), static=True),
        shape("mesh", TriMesh(cube_mesh(0.1)), (1, 0, 0.3)),
        shape("cylinder", Cylinder(0.1, 0.2), (2, 0, 0.3)),
        shape("capsule", Capsule(0.1, 0.2), (3, 0, 0.3)),
    )
    run(env, 1.0)
    heights = [body.transform[2, 3] for body in env.bodies][1:]
    assert np.allclose(heights, (0.1, 0.1, 0.2), atol=2e-4)


def test_a_controller_that_sets_values_wins():
    env = pyrave.load("scenes/demo.env.xml")
    env.physics_engine = "mujoco"
    robot = env.robots["heron7"]
    wanted = np.array((0.2, 0.1, 0, 1.2, 0, 0.9, 0, 0.03))
    robot.controller.set_desired(wanted)
    run(env, 3.0)
    assert np.abs(robot.dof_values - wanted).max() < 1e-6
    assert np.abs(robot.dof_velocities).max() < 1e-6, "gravity does not add up"
    assert not env.problems


def test_what_is_driven_pushes_with_its_speed():
    """A slider that is put further by 1 mm each ms takes a box along at 1 m/s."""
    pusher = chain(kinds=("slider",), axes=((1, 0, 0),), at=(0, 0, 0.1), length=0.0)
    links = list(pusher.links)
    geometries = (GeometryDescription(Box((0.1, 0.1, 0.1))),)
    links[1] = dataclasses.replace(links[1], geometries=geometries)
    env = world(
        dataclasses.replace(pusher, links=tuple(links)), box("a", (0.3, 0, 0.1)),
        gravity=(0, 0, 0),
    )  # fmt: skip
    body = env.bodies["chain"]
    for k in range(300):
        body.dof_values = [0.001 * k]
        env.step(0.001)
    assert body.dof_velocities[0] == pytest.approx(1.0, abs=0.2)
    assert env.bodies["a"].base_velocity[0] == pytest.approx(1.0, abs=0.3)


def test_it_runs_in_a_thread():
    env = world(floor(), box("a", (0, 0, 0.3)))
    env.start(0.01, realtime=False)
    while env.published.simulation_time < 1.0:
        time.sleep(0.01)
    env.stop()
    assert env.bodies["a"].transform[2, 3] == pytest.approx(0.1, abs=1e-3)
    assert not env.problems


def test_a_mass_that_was_changed_counts_in_the_next_step():
    env = world(box("b"), gravity=(0.0, 0.0, 0.0))
    link = env.bodies["b"].links[0]
    env.step(0.01)
    for mass, rate in ((1.0, 0.08), (4.0, 0.02)):
        link.mass = mass
        env.bodies["b"].base_velocity = np.zeros(6)
        env.physics_engine.set_body_force(link, (8, 0, 0), (0, 0, 0), True)
        env.step(0.01)
        assert env.bodies["b"].base_velocity[0] == pytest.approx(rate, rel=1e-6)
