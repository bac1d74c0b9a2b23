"""Poses, derivatives and dynamics against Pinocchio, on robots of many kinds."""

import numpy as np
import pytest
from pinocchio_twin import TOLERANCE, Twin, check_dynamics, check_motion, pin

import pyrave
from pyrave.kinematics import (
    compile_body,
    hessian,
    hessian_batch,
    jacobian,
    jacobian_batch,
    link_transforms_batch,
)

N = 100
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


def test_dynamics(case):
    check_dynamics(*case)


def test_motion_of_links(case):
    check_motion(*case[:-1])


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
