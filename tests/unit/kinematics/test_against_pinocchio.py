"""Poses, derivatives and dynamics against Pinocchio, on robots of many kinds."""

import numpy as np
import pytest

import pyrave
from pyrave.kinematics import (
    center_of_mass_batch,
    center_of_mass_jacobian_batch,
    compile_body,
    forward_dynamics_batch,
    hessian,
    hessian_batch,
    inverse_dynamics_batch,
    jacobian,
    jacobian_batch,
    link_accelerations_batch,
    link_transforms_batch,
    link_velocities_batch,
    mass_matrix_batch,
)

pin = pytest.importorskip("pinocchio")
from pinocchio_twin import Twin  # noqa: E402 - it needs Pinocchio

TOLERANCE = 1e-8
N = 100
GRAVITY = np.array((0.4, -0.3, -9.7))
GENERATED = {
    "arm": (("hinge",) * 6, False),
    "tree": (("hinge",) * 12, True),
    "gantry": (("slider", "slider", "slider", "hinge", "hinge"), False),
    "balls": (("spherical", "hinge", "spherical"), False),
    "floating": (("slider", "slider", "slider", "spherical", "hinge", "hinge"), False),
    "universal": (("universal", "hinge2", "rr", "rp", "pr", "pp"), True),
    "compound": (("compound", "fixed", "compound", "spherical"), True),
}
SHIPPED = {
    "heron7": "scenes/demo.env.xml",
    "rover": "robots/rover.robot.xml",
    "planar3r": "scenes/minimal.env.xml",
}
ROBOTS = (*SHIPPED, *GENERATED, "mimic")


@pytest.fixture(params=ROBOTS)
def case(request, bodies):
    """A model, and configurations, rates, accelerations, wrenches; all (N, ...)."""
    rng = np.random.default_rng(ROBOTS.index(request.param))
    if request.param in SHIPPED:
        env = pyrave.load(SHIPPED[request.param])
        model = next(b for b in env.bodies if b.name == request.param).model
    elif request.param == "mimic":
        model = compile_body(bodies.mimic_chain())
    else:
        kinds, spread = GENERATED[request.param]
        model = compile_body(bodies.random(rng, kinds, spread=spread))
    q, qd, qdd = rng.uniform(-1.2, 1.2, (3, N, model.n_dof))
    wrenches = rng.normal(size=(N, model.n_links, 6))
    return model, q, qd, qdd, wrenches


def close(ours, theirs):
    """Compare to 1e-8 of the largest number of each configuration."""
    theirs = np.asarray(theirs)
    scale = np.abs(theirs).reshape(len(theirs), -1).max(axis=1, initial=1.0)
    scale = scale.reshape(-1, *(1,) * (theirs.ndim - 1))
    np.testing.assert_allclose(ours / scale, theirs / scale, rtol=0, atol=TOLERANCE)


def test_dynamics(case):
    model, q, qd, qdd, wrenches = case
    twin = Twin(model)
    twin.model.gravity.linear = GRAVITY
    eye = np.eye(4)
    poses = link_transforms_batch(model, eye, q)
    plain, forced, matrices, fallen, centers, slopes = [], [], [], [], [], []
    for i in range(N):
        p, v, a, rates = twin.state(q[i], qd[i], qdd[i])
        force = twin.wrenches(poses[i], wrenches[i])
        plain.append(rates.T @ pin.rnea(twin.model, twin.data, p, v, a))
        forced.append(rates.T @ pin.rnea(twin.model, twin.data, p, v, a, force))
        inertia = np.array(pin.crba(twin.model, twin.data, p))
        inertia = np.triu(inertia) + np.triu(inertia, 1).T
        matrices.append(rates.T @ inertia @ rates)
        if rates.shape[0] == rates.shape[1]:
            torque = np.linalg.solve(rates.T, qdd[i])
            _, _, shift, _ = twin.state(q[i], qd[i], 0 * qdd[i])
            a = pin.aba(twin.model, twin.data, p, v, torque, force)
            fallen.append(np.linalg.solve(rates, a - shift))
        centers.append(np.array(pin.centerOfMass(twin.model, twin.data, p)))
        columns = np.array(pin.jacobianCenterOfMass(twin.model, twin.data, p))
        slopes.append(columns @ rates)
    # Pinocchio's centre of mass leaves out what is fixed to the world
    moving = model.masses[[twin.places[i][0] > 0 for i in range(model.n_links)]].sum()
    still = np.zeros(3)
    for link, (joint, place) in twin.places.items():
        if joint == 0:
            still += model.masses[link] * place.act(model.coms[link])
    total = model.masses.sum()
    close(inverse_dynamics_batch(model, eye, q, qd, qdd, GRAVITY), plain)
    close(inverse_dynamics_batch(model, eye, q, qd, qdd, GRAVITY, wrenches), forced)
    parts = inverse_dynamics_batch(
        model, eye, q, qd, qdd, GRAVITY, wrenches, components=True
    )
    close(parts.sum(axis=1), forced)
    close(mass_matrix_batch(model, q), matrices)
    if fallen:
        close(forward_dynamics_batch(model, eye, q, qd, qdd, GRAVITY, wrenches), fallen)
    else:
        back = forward_dynamics_batch(model, eye, q, qd, forced, GRAVITY, wrenches)
        close(back, qdd)
    expected = (moving * np.array(centers) + still) / total
    close(center_of_mass_batch(model, eye, q), expected)
    slopes = np.array(slopes) * moving / total
    close(center_of_mass_jacobian_batch(model, eye, q), slopes)


def test_motion_of_links(case):
    model, q, qd, qdd, _ = case
    twin = Twin(model)
    velocities, accelerations = [], []
    for i in range(N):
        p, v, a, _ = twin.state(q[i], qd[i], qdd[i])
        pin.forwardKinematics(twin.model, twin.data, p, v, a)
        rows, bends = [], []
        for link in range(model.n_links):
            joint, place = twin.places[link]
            turn = (twin.data.oMi[joint] * place).rotation
            speed = place.actInv(twin.data.v[joint])
            bend = place.actInv(twin.data.a[joint])
            classical = bend.linear + np.cross(speed.angular, speed.linear)
            rows.append((*(turn @ speed.linear), *(turn @ speed.angular)))
            bends.append((*(turn @ classical), *(turn @ bend.angular)))
        velocities.append(rows)
        accelerations.append(bends)
    close(link_velocities_batch(model, np.eye(4), q, qd), velocities)
    close(link_accelerations_batch(model, np.eye(4), q, qd, qdd), accelerations)


def test_jacobians_and_hessians(case):
    """Hessians where Pinocchio's coordinates are ours."""
    model, q, qd, qdd, _ = case
    twin = Twin(model)
    link = model.n_links - 1
    joint, place = twin.places[link]
    straight = not model.has_mimic and "spherical" not in model.joint_types
    poses = link_transforms_batch(model, np.eye(4), q)
    local = (place.inverse() * np.zeros(3)) if joint else np.zeros(3)
    many = jacobian_batch(model, np.eye(4), q, link, local)
    curves = hessian_batch(model, np.eye(4), q, link, local)
    for i in range(0, N, 4):
        p, _, _, rates = twin.state(q[i], qd[i], qdd[i])
        pin.computeJointJacobians(twin.model, twin.data, p)
        at = twin.data.oMi[joint]
        tip = at * place
        np.testing.assert_allclose(poses[i, link], tip.homogeneous, atol=TOLERANCE)
        frame = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        columns = pin.getJointJacobian(twin.model, twin.data, joint, frame) @ rates
        ours = jacobian(model, poses[i], q[i], link, at.translation)
        np.testing.assert_allclose(ours, columns, atol=TOLERANCE)
        np.testing.assert_allclose(many[i], columns, atol=TOLERANCE)
        ours = hessian(model, poses[i], q[i], link, at.translation)
        np.testing.assert_allclose(curves[i], ours, atol=TOLERANCE)
        if straight:
            pin.computeJointKinematicHessians(twin.model, twin.data, p)
            second = pin.getJointKinematicHessian(twin.model, twin.data, joint, frame)
            order = np.argmax(rates, axis=0)  # Pinocchio's place of each of ours
            # the array has the tensor's numbers in the order of their memory
            n = model.n_dof
            by_rate = np.array(second).ravel().reshape(n, n, 6)
            expected = by_rate[order][:, order].transpose(0, 2, 1)
            np.testing.assert_allclose(ours, expected, atol=TOLERANCE)
