"""Dynamics against closed forms, energies, and each other."""

import dataclasses

import numpy as np
import pytest

from pyrave.errors import ArgumentError
from pyrave.jit import KernelModule
from pyrave.jit.request import Request
from pyrave.kinematics import (
    center_of_mass,
    center_of_mass_jacobian,
    compile_body,
    forward_dynamics,
    inverse_dynamics,
    jacobian,
    link_accelerations,
    link_transforms,
    link_velocities,
    mass_matrix,
)
from pyrave.kinematics.dynamics import masses, torques
from pyrave.scene import Inertial

KINDS = ("hinge", "slider", "universal", "hinge2", "spherical", "fixed", "compound")
GRAVITY = np.array((0.3, -0.2, -9.81))
NO_GRAVITY = np.zeros(3)
STEP = 1e-6


def cases(bodies):
    yield compile_body(bodies.mimic_chain())
    rng = np.random.default_rng(9)
    yield compile_body(bodies.random(rng, ("trajectory", "spherical", "trajectory")))
    for seed in range(3):
        rng = np.random.default_rng(seed)
        yield compile_body(bodies.random(rng, rng.permutation(KINDS), spread=seed % 2))


def kinetic_energy(model, poses, q, qd, base_velocity=None):
    """Sum over links of m v.v/2 + w.I w/2, from their velocities alone."""
    energy = 0.0
    velocities = link_velocities(model, poses[0], q, qd, base_velocity)
    for i, velocity in enumerate(velocities):
        rotation = poses[i, :3, :3]
        v = velocity[:3] + np.cross(velocity[3:], rotation @ model.coms[i])
        inertia = rotation @ model.inertias[i] @ rotation.T
        energy += 0.5 * model.masses[i] * v @ v
        energy += 0.5 * velocity[3:] @ inertia @ velocity[3:]
    return energy


def test_planar_arm_in_closed_form(bodies):
    """Lynch & Park, Modern Robotics, equation 8.9 and figure 8.1."""
    l1, l2, m1, m2, g = 0.7, 0.4, 1.3, 0.8, 9.81
    model = compile_body(bodies.planar_2r((l1, l2), (m1, m2)))
    q = np.array((0.4, 0.9))
    qd = np.array((1.1, -0.7))
    qdd = np.array((0.5, 2.0))
    poses = link_transforms(model, np.eye(4), q)
    c2, s2 = np.cos(q[1]), np.sin(q[1])
    cross = m2 * (l1 * l2 * c2 + l2**2)
    matrix = np.array(
        (
            (m1 * l1**2 + m2 * (l1**2 + 2 * l1 * l2 * c2 + l2**2), cross),
            (cross, m2 * l2**2),
        )
    )
    coriolis = (
        m2 * l1 * l2 * s2 * np.array((-2 * qd[0] * qd[1] - qd[1] ** 2, qd[0] ** 2))
    )
    tip = m2 * l2 * g * np.cos(q.sum())
    weight = np.array(((m1 + m2) * l1 * g * np.cos(q[0]) + tip, tip))
    np.testing.assert_allclose(mass_matrix(model, q), matrix, rtol=1e-12)
    parts = inverse_dynamics(model, poses[0], q, qd, qdd, (0, -g, 0), components=True)
    np.testing.assert_allclose(parts[0], matrix @ qdd, rtol=1e-12)
    np.testing.assert_allclose(parts[1], coriolis, rtol=1e-12)
    np.testing.assert_allclose(parts[2], weight, rtol=1e-12)


def test_mass_matrix_gives_the_kinetic_energy(bodies, rng):
    for model in cases(bodies):
        base = bodies.random_pose(rng).matrix
        q, qd = rng.uniform(-1, 1, (2, model.n_dof))
        poses = link_transforms(model, base, q)
        matrix = mass_matrix(model, q)
        np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
        assert np.linalg.eigvalsh(matrix).min() > 0
        energy = kinetic_energy(model, poses, q, qd)
        np.testing.assert_allclose(0.5 * qd @ matrix @ qd, energy, rtol=1e-10)


def test_inverse_dynamics_is_linear_in_the_acceleration(bodies, rng):
    for model in cases(bodies):
        q, qd, qdd = rng.uniform(-1, 1, (3, model.n_dof))
        poses = link_transforms(model, np.eye(4), q)
        bias = inverse_dynamics(model, poses[0], q, qd, 0 * qdd, GRAVITY)
        total = inverse_dynamics(model, poses[0], q, qd, qdd, GRAVITY)
        matrix = mass_matrix(model, q)
        np.testing.assert_allclose(matrix @ qdd + bias, total, atol=1e-10)
        parts = inverse_dynamics(model, poses[0], q, qd, qdd, GRAVITY, components=True)
        np.testing.assert_allclose(parts.sum(axis=0), total, atol=1e-10)
        np.testing.assert_allclose(parts[0], matrix @ qdd, atol=1e-10)


def test_gravity_forces_are_the_gradient_of_the_potential(bodies, rng):
    for model in cases(bodies):
        base = bodies.random_pose(rng).matrix
        q = rng.uniform(-1, 1, model.n_dof)
        still = np.zeros(model.n_dof)
        poses = link_transforms(model, base, q)
        weight = inverse_dynamics(model, poses[0], q, still, still, GRAVITY)

        def potential(values, model=model, base=base):
            centre = center_of_mass(model, base, values)
            return -model.masses.sum() * GRAVITY @ centre

        for i, direction in enumerate(np.eye(model.n_dof) * STEP):
            slope = (potential(q + direction) - potential(q - direction)) / (2 * STEP)
            np.testing.assert_allclose(weight[i], slope, atol=1e-6)


def test_velocity_forces_follow_from_the_mass_matrix(bodies, rng):
    """Christoffel: h = dM/dt qd - grad(qd M qd)/2, so that dM/dt - 2C is skew."""
    for model in cases(bodies):
        q, qd = rng.uniform(-1, 1, (2, model.n_dof))
        still = np.zeros(model.n_dof)
        poses = link_transforms(model, np.eye(4), q)
        force = inverse_dynamics(model, poses[0], q, qd, still, NO_GRAVITY)

        def matrix(values, model=model):
            return mass_matrix(model, values)

        slopes = np.array(
            [
                (matrix(q + d) - matrix(q - d)) / (2 * STEP)
                for d in np.eye(model.n_dof) * STEP
            ]
        )
        rate = np.einsum("kij,k->ij", slopes, qd)
        expected = rate @ qd - 0.5 * np.einsum("kij,i,j->k", slopes, qd, qd)
        np.testing.assert_allclose(force, expected, atol=1e-6)
        np.testing.assert_allclose(qd @ force, 0.5 * qd @ rate @ qd, atol=1e-6)


def test_external_wrenches_act_at_the_centres_of_mass(bodies, rng):
    for model in cases(bodies):
        q = rng.uniform(-1, 1, model.n_dof)
        still = np.zeros(model.n_dof)
        poses = link_transforms(model, np.eye(4), q)
        wrenches = rng.normal(size=(model.n_links, 6))
        force = inverse_dynamics(model, poses[0], q, still, still, NO_GRAVITY, wrenches)
        expected = np.zeros(model.n_dof)
        for i in range(model.n_links):
            point = poses[i, :3, :3] @ model.coms[i] + poses[i, :3, 3]
            expected -= jacobian(model, poses, q, i, point).T @ wrenches[i]
        np.testing.assert_allclose(force, expected, atol=1e-10)


def test_a_moving_base_gives_velocity_forces(bodies, rng):
    """A base that turns about a fixed axis is one more joint at constant rate."""
    described = bodies.random(rng, ("fixed", "hinge", "slider"), False, False)
    model = compile_body(described)
    turning = dataclasses.replace(
        described.joints[0],
        type="hinge",
        axes=(dataclasses.replace(described.joints[1].axes[0], direction=(0, 0, 1.0)),),
    )
    joints = (turning, *described.joints[1:])
    larger = compile_body(dataclasses.replace(described, joints=joints))
    q, qd = rng.uniform(-1, 1, (2, larger.n_dof))
    poses = link_transforms(larger, np.eye(4), q)
    still = np.zeros(3)
    force = inverse_dynamics(larger, poses[0], q, qd, still, NO_GRAVITY)
    velocities = link_velocities(larger, poses[0], q, qd)
    # link 0 moved along with link 1 has the same velocity field, and needs the
    # acceleration that turning about the joint's anchor gives
    anchor = (poses[0] @ described.joints[0].T_parent_joint.matrix)[:3, 3]
    turn = velocities[1, 3:]
    base_velocity = np.concatenate((np.cross(turn, poses[0, :3, 3] - anchor), turn))
    inward = np.cross(turn, base_velocity[:3])
    small = inverse_dynamics(
        model, poses[0], q[1:], qd[1:], still[1:], -inward, base_velocity=base_velocity
    )
    np.testing.assert_allclose(small, force[1:], atol=1e-10)


def test_forward_dynamics_inverts_inverse_dynamics(bodies, rng):
    for model in cases(bodies):
        q, qd, qdd = rng.uniform(-1, 1, (3, model.n_dof))
        poses = link_transforms(model, np.eye(4), q)
        wrenches = rng.normal(size=(model.n_links, 6))
        force = inverse_dynamics(model, poses[0], q, qd, qdd, GRAVITY, wrenches)
        result = forward_dynamics(model, poses[0], q, qd, force, GRAVITY, wrenches)
        np.testing.assert_allclose(result, qdd, atol=1e-8)


def test_energy_is_kept_along_a_motion(bodies):
    model = compile_body(bodies.planar_2r())
    q, qd = np.array((0.1, 0.4)), np.array((0.5, -1.0))
    fall = (0.0, -9.81, 0.0)

    def slope(state):
        poses = link_transforms(model, np.eye(4), state[:2])
        qdd = forward_dynamics(model, poses[0], state[:2], state[2:], [0, 0], fall)
        return np.concatenate((state[2:], qdd))

    def energy(state):
        poses = link_transforms(model, np.eye(4), state[:2])
        height = model.masses.sum() * center_of_mass(model, poses[0], state[:2])[1]
        return kinetic_energy(model, poses, state[:2], state[2:]) + 9.81 * height

    state = np.concatenate((q, qd))
    start = energy(state)
    step = 1e-3
    for _ in range(200):
        a = slope(state)
        b = slope(state + 0.5 * step * a)
        c = slope(state + 0.5 * step * b)
        d = slope(state + step * c)
        state = state + step / 6 * (a + 2 * b + 2 * c + d)
    np.testing.assert_allclose(energy(state), start, rtol=1e-9)


@pytest.mark.parametrize("mimic", [False, True])
def test_compiled_kernels_equal_plain(bodies, rng, monkeypatch, mimic):
    described = bodies.mimic_chain() if mimic else bodies.random(rng, KINDS)
    model = compile_body(described)
    q, qd, qdd = rng.uniform(-1, 1, (3, model.n_dof))
    wrenches = rng.normal(size=(model.n_links, 6))
    state = (model, bodies.random_pose(rng).matrix, q, qd, qdd)
    results = []
    for form in ("python", "jit"):
        monkeypatch.setattr(KernelModule, "auto", lambda m, _, f=form: getattr(m, f))
        results.append(
            (
                inverse_dynamics(*state, GRAVITY, wrenches, components=True),
                forward_dynamics(*state, GRAVITY, wrenches),
                mass_matrix(model, q),
                center_of_mass_jacobian(*state[:3]),
                link_velocities(*state[:4]),
                link_accelerations(*state),
            )
        )
    for plain, compiled in zip(*results, strict=True):
        np.testing.assert_allclose(plain, compiled, rtol=1e-9, atol=1e-10)


def test_bodies_without_joints_have_empty_results(bodies):
    planar = bodies.planar_2r()
    alone = dataclasses.replace(planar, links=planar.links[:1], joints=())
    model = compile_body(alone)
    poses = np.eye(4)[None]
    assert inverse_dynamics(model, poses[0], [], [], [], GRAVITY).shape == (0,)
    assert mass_matrix(model, []).shape == (0, 0)
    assert forward_dynamics(model, poses[0], [], [], [], GRAVITY).shape == (0,)
    with pytest.raises(ArgumentError, match="no centre of mass"):
        center_of_mass(model, poses[0], [])


def test_what_moves_no_inertia_has_no_acceleration(bodies):
    planar = bodies.planar_2r()
    nothing = Inertial(0.0, inertia=(0.0,) * 9)
    links = tuple(dataclasses.replace(link, inertial=nothing) for link in planar.links)
    model = compile_body(dataclasses.replace(planar, links=links))
    poses = link_transforms(model, np.eye(4), [0.0, 0.0])
    with pytest.raises(ArgumentError, match=r"\[0, 1\] move no inertia"):
        forward_dynamics(model, poses[0], [0, 0], [0, 0], [1, 1], GRAVITY)


def test_bad_wrenches_are_refused(bodies):
    model = compile_body(bodies.planar_2r())
    poses = link_transforms(model, np.eye(4), [0.0, 0.0])
    zero = [0.0, 0.0]
    with pytest.raises(ArgumentError, match=r"external has shape \(2, 6\)"):
        inverse_dynamics(model, poses[0], zero, zero, zero, GRAVITY, np.zeros((2, 6)))


def test_compiling_for_seconds_is_told(monkeypatch, caplog):
    monkeypatch.setattr(Request, "is_ready", False)
    monkeypatch.setattr(Request, "compile", lambda self: abs)
    with caplog.at_level("INFO", logger="pyrave.jit"):
        for kernel in (torques._inverse, torques._forward, masses._matrices):
            kernel._compiled()
    assert caplog.messages == [
        "compiling inverse dynamics, once per machine, about 4 s",
        "compiling forward dynamics, once per machine, about 4 s",
        "compiling mass matrices, once per machine, about 2 s",
    ]
