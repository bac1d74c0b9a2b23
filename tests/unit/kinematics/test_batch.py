"""Many configurations at once give what one at a time gives."""

import dataclasses

import numpy as np
import pytest

import pyrave
from pyrave import kinematics
from pyrave.errors import ArgumentError, NotFoundError
from pyrave.kinematics import compile_body, link_transforms

KINDS = ("hinge", "trajectory", "universal", "slider", "spherical", "compound")
GRAVITY = np.array((0.3, -0.2, -9.81))
N = 7


@pytest.fixture(params=["mimic", "chain", "tree", "lone", "passive"])
def case(request, bodies):
    rng = np.random.default_rng(4)
    if request.param == "mimic":
        described = bodies.mimic_chain()
    elif request.param == "lone":
        described = bodies.random(rng, ())
    else:
        described = bodies.random(rng, KINDS, spread=request.param != "chain")
    if request.param == "passive":
        first = dataclasses.replace(described.joints[0], active=False)
        described = dataclasses.replace(
            described, joints=(first, *described.joints[1:])
        )
    model = compile_body(described)
    base = bodies.random_pose(rng).matrix
    arrays = rng.uniform(-1, 1, (3, N, model.n_dof))
    return model, base, *arrays, rng.normal(size=(N, model.n_links, 6))


def test_every_function_of_many_equals_that_of_one(case):
    model, base, q, qd, qdd, wrenches = case
    link, local = model.n_links - 1, (0.1, -0.2, 0.3)
    base_velocity = np.arange(6.0)

    def point(i):
        pose = link_transforms(model, base, q[i])[link]
        return pose[:3, :3] @ local + pose[:3, 3]

    def poses(i):
        return link_transforms(model, base, q[i])

    cases = {
        "link_transforms": ((base, q), poses),
        "jacobian": (
            (base, q, link, local),
            lambda i: kinematics.jacobian(model, poses(i), q[i], link, point(i)),
        ),
        "hessian": (
            (base, q, link, local),
            lambda i: kinematics.hessian(model, poses(i), q[i], link, point(i)),
        ),
        "link_velocities": (
            (base, q, qd, base_velocity),
            lambda i: kinematics.link_velocities(
                model, base, q[i], qd[i], base_velocity
            ),
        ),
        "link_accelerations": (
            (base, q, qd, qdd, base_velocity),
            lambda i: kinematics.link_accelerations(
                model, base, q[i], qd[i], qdd[i], base_velocity
            ),
        ),
        "inverse_dynamics": (
            (base, q, qd, qdd, GRAVITY, wrenches),
            lambda i: kinematics.inverse_dynamics(
                model, base, q[i], qd[i], qdd[i], GRAVITY, wrenches[i]
            ),
        ),
        "forward_dynamics": (
            (base, q, qd, qdd, GRAVITY, wrenches),
            lambda i: kinematics.forward_dynamics(
                model, base, q[i], qd[i], qdd[i], GRAVITY, wrenches[i]
            ),
        ),
        "joint_values": ((q,), lambda i: kinematics.joint_values(model, q[i])),
        "mass_matrix": ((q,), lambda i: kinematics.mass_matrix(model, q[i])),
        "center_of_mass": (
            (base, q),
            lambda i: kinematics.center_of_mass(model, base, q[i]),
        ),
        "center_of_mass_jacobian": (
            (base, q),
            lambda i: kinematics.center_of_mass_jacobian(model, base, q[i]),
        ),
    }
    batches = {n for n in kinematics.__all__ if n.endswith("_batch")}
    assert batches - {"tool_jacobian_batch"} == {f"{name}_batch" for name in cases}
    for name, (arguments, one) in cases.items():
        many = getattr(kinematics, f"{name}_batch")(model, *arguments)
        expected = np.array([one(i) for i in range(N)])
        np.testing.assert_allclose(many, expected, rtol=1e-9, atol=1e-11, err_msg=name)
        none = (a[:0] if np.shape(a)[:1] == (N,) else a for a in arguments)
        empty = getattr(kinematics, f"{name}_batch")(model, *none)
        assert empty.shape == (0, *expected.shape[1:])


def test_accelerations_are_the_change_of_velocities(case):
    model, base, q, qd, qdd, _ = case
    h = 1e-5
    found = kinematics.link_accelerations_batch(model, base, q, qd, qdd)
    low, high = (
        kinematics.link_velocities_batch(
            model, base, q + s * h * qd + 0.5 * h * h * qdd, qd + s * h * qdd
        )
        for s in (-1, 1)
    )
    np.testing.assert_allclose(found, (high - low) / (2 * h), atol=1e-7)


def test_one_row_counts_for_all(case):
    model, base, q, qd, qdd, wrenches = case
    args = (model, base, q)
    for function in (
        kinematics.inverse_dynamics_batch,
        kinematics.forward_dynamics_batch,
    ):
        one = function(*args, qd[0], qdd[:1], GRAVITY, wrenches[0])
        repeated = (np.repeat(a[:1], N, axis=0) for a in (qd, qdd))
        many = function(*args, *repeated, GRAVITY, wrenches[[0] * N])
        # one may be interpreted, and the other compiled
        np.testing.assert_allclose(one, many, rtol=1e-12, atol=1e-12)


def test_arrays_that_must_not_be_written_to_are_taken(case):
    model, base, *arrays, wrenches = case
    args = [base.copy(), *arrays, wrenches]
    for array in args:
        array.flags.writeable = False
    base, q, qd, qdd, wrenches = args
    state = (model, base, q[0], qd[0], qdd[0], GRAVITY, wrenches[0])
    many = (model, base, q, qd, qdd, GRAVITY, wrenches)
    for name in ("inverse_dynamics", "forward_dynamics"):
        one = getattr(kinematics, name)(*state)
        first = getattr(kinematics, f"{name}_batch")(*many)[0]
        np.testing.assert_allclose(first, one, rtol=1e-12, atol=1e-12)


def test_wrong_arguments_are_named(bodies, rng):
    model = compile_body(bodies.random(rng, ("hinge", "slider")))
    base, q = np.eye(4), np.zeros((3, 2))
    with pytest.raises(ArgumentError, match=r"configurations has shape \(3, 4\)"):
        kinematics.mass_matrix_batch(model, np.zeros((3, 4)))
    with pytest.raises(ArgumentError, match="rates has 2 rows, expected 3 or 1"):
        kinematics.link_velocities_batch(model, base, q, np.zeros((2, 2)))
    with pytest.raises(ArgumentError, match=r"accelerations has values .* not finite"):
        kinematics.inverse_dynamics_batch(model, base, q, q, q + np.nan, GRAVITY)
    with pytest.raises(ArgumentError, match=r"\(3, 6\) or \(3, 3, 6\)"):
        kinematics.inverse_dynamics_batch(
            model, base, q, q, q, GRAVITY, np.zeros((2, 6))
        )
    with pytest.raises(ArgumentError, match=r"external has values .* not finite"):
        kinematics.inverse_dynamics_batch(
            model, base, q, q, q, GRAVITY, np.full((3, 6), np.inf)
        )
    with pytest.raises(ArgumentError, match="base_pose"):
        kinematics.center_of_mass_batch(model, np.eye(3), q)
    with pytest.raises(NotFoundError, match="no link 'link7'"):
        kinematics.jacobian_batch(model, base, q, "link7")
    with pytest.raises(ArgumentError, match="local_point has shape"):
        kinematics.hessian_batch(model, base, q, 0, (1.0, 2.0))


def test_bodies_offer_them(bodies, rng):
    env = pyrave.Environment()
    env.gravity = GRAVITY
    described = bodies.random(rng, KINDS)
    body = pyrave.KinBody(env)
    body.init(described)
    env.add(body)
    body.transform = bodies.random_pose(rng).matrix
    Q, Qd, Qdd = rng.uniform(-1, 1, (3, N, body.dof))  # noqa: N806 - as documented
    local = (0.1, 0.2, 0.3)
    many = {
        "velocities": body.dynamics.compute_link_velocities(Q, Qd),
        "accelerations": body.dynamics.compute_link_accelerations(Q, Qd, Qdd),
        "inverse": body.dynamics.compute_inverse_dynamics(Q, Qd, Qdd),
        "parts": body.dynamics.compute_inverse_dynamics(Q, Qd, Qdd, components=True),
        "forward": body.dynamics.compute_forward_dynamics(Q, Qd, Qdd),
        "matrices": body.dynamics.compute_mass_matrices(Q),
        "centres": body.dynamics.compute_centers_of_mass(Q),
        "slopes": body.dynamics.compute_center_of_mass_jacobians(Q),
        "jacobians": body.compute_jacobians(Q, "link5", local),
        "hessians": body.compute_hessians(Q, "link5", local),
    }
    for i in range(N):
        body.dof_values, body.dof_velocities = Q[i], Qd[i]
        pose = body.links["link5"].transform
        point = pose[:3, :3] @ local + pose[:3, 3]
        one = {
            "velocities": body.dynamics.link_velocities,
            "accelerations": body.dynamics.link_accelerations(Qdd[i]),
            "inverse": body.inverse_dynamics(Qdd[i]),
            "parts": body.inverse_dynamics(Qdd[i], components=True),
            "forward": body.forward_dynamics(Qdd[i]),
            "matrices": body.mass_matrix(),
            "centres": body.center_of_mass,
            "slopes": body.dynamics.center_of_mass_jacobian(),
            "jacobians": body.jacobian("link5", point),
            "hessians": body.hessian("link5", point),
        }
        for name, expected in one.items():
            found = many[name][i]
            np.testing.assert_allclose(
                found, expected, rtol=1e-9, atol=1e-10, err_msg=name
            )


def test_a_loop_closing_joint_bears_no_force(bodies, rng):
    described = bodies.random(rng, ("hinge", "hinge"), reverse=False, spread=False)
    closing = dataclasses.replace(
        described.joints[0], name="closing", parent="link1", child="base"
    )
    joints = (*described.joints, closing)
    model = compile_body(dataclasses.replace(described, joints=joints))
    (loop,) = model.closing_joints
    tree = tuple(joint for j, joint in enumerate(joints) if j != loop)
    still = compile_body(dataclasses.replace(described, joints=tree))
    q, qd, qdd = rng.uniform(-1, 1, (3, 3))
    moving = model.value_joint != loop
    force = kinematics.inverse_dynamics(model, np.eye(4), q, qd, qdd, GRAVITY)
    expected = kinematics.inverse_dynamics(
        still, np.eye(4), q[moving], qd[moving], qdd[moving], GRAVITY
    )
    np.testing.assert_allclose(force[moving], expected)
    assert not force[~moving].any()
    with pytest.raises(ArgumentError, match=rf"freedom \[{loop}\] move no"):
        kinematics.forward_dynamics(model, np.eye(4), q, qd, qdd, GRAVITY)
