"""Jacobians, Hessians and velocities against finite differences."""

from types import SimpleNamespace

import numpy as np
import pytest

from pyrave.errors import ArgumentError, NotFoundError
from pyrave.kinematics import (
    center_of_mass,
    center_of_mass_jacobian,
    compile_body,
    derivatives,
    hessian,
    jacobian,
    link_transforms,
    link_velocities,
)
from pyrave.kinematics.kernels import motion as shared

KINDS = ("hinge", "slider", "universal", "hinge2", "spherical", "fixed", "hinge")
STEP = 1e-6
TOLERANCE = 2e-8  # central differences of values near 1


def vee(matrix):
    return (
        np.array(
            (
                matrix[2, 1] - matrix[1, 2],
                matrix[0, 2] - matrix[2, 0],
                matrix[1, 0] - matrix[0, 1],
            )
        )
        / 2
    )


def numeric_velocity(model, base, q, qd, link, local):
    """Velocity of a link's point and its angular velocity, by differences."""
    low = link_transforms(model, base, q - STEP * qd)[link]
    high = link_transforms(model, base, q + STEP * qd)[link]
    linear = (high[:3, :3] @ local + high[:3, 3] - low[:3, :3] @ local - low[:3, 3]) / (
        2 * STEP
    )
    return np.concatenate((linear, vee(high[:3, :3] @ low[:3, :3].T) / (2 * STEP)))


def cases(bodies):
    yield compile_body(bodies.mimic_chain())
    for seed in range(4):
        rng = np.random.default_rng(seed)
        yield compile_body(bodies.random(rng, rng.permutation(KINDS), spread=seed % 2))


def test_planar_arm_in_closed_form(bodies):
    model = compile_body(bodies.planar_2r())
    q = np.array((0.4, 0.9))
    poses = link_transforms(model, np.eye(4), q)
    tip = poses[2, :3, 3] + poses[2, :3, 0] * 0.4
    s1, c1, s12, c12 = np.sin(0.4), np.cos(0.4), np.sin(1.3), np.cos(1.3)
    expected = np.zeros((6, 2))
    expected[0] = -0.7 * s1 - 0.4 * s12, -0.4 * s12
    expected[1] = 0.7 * c1 + 0.4 * c12, 0.4 * c12
    expected[5] = 1.0
    np.testing.assert_allclose(jacobian(model, poses, q, 2, tip), expected, atol=1e-14)


def test_jacobian_against_differences(bodies, rng):
    for model in cases(bodies):
        base = bodies.random_pose(rng).matrix
        q = rng.uniform(-1, 1, model.n_dof)
        poses = link_transforms(model, base, q)
        local = rng.normal(size=3)
        for link in range(model.n_links):
            point = poses[link, :3, :3] @ local + poses[link, :3, 3]
            columns = jacobian(model, poses, q, link, point)
            for i, direction in enumerate(np.eye(model.n_dof)):
                expected = numeric_velocity(model, base, q, direction, link, local)
                np.testing.assert_allclose(columns[:, i], expected, atol=TOLERANCE)


def test_hessian_against_differences(bodies, rng):
    for model in cases(bodies):
        base = bodies.random_pose(rng).matrix
        q = rng.uniform(-1, 1, model.n_dof)
        poses = link_transforms(model, base, q)
        local = rng.normal(size=3)
        link = model.n_links - 1

        def at(values, model=model, base=base, link=link, local=local):
            poses = link_transforms(model, base, values)
            point = poses[link, :3, :3] @ local + poses[link, :3, 3]
            return jacobian(model, poses, values, link, point)

        point = poses[link, :3, :3] @ local + poses[link, :3, 3]
        result = hessian(model, poses, q, link, point)
        assert result.shape == (model.n_dof, 6, model.n_dof)
        for i, direction in enumerate(np.eye(model.n_dof) * STEP):
            expected = (at(q + direction) - at(q - direction)) / (2 * STEP)
            np.testing.assert_allclose(result[i], expected, atol=TOLERANCE * 5)
        swapped = result.transpose(2, 1, 0)
        np.testing.assert_allclose(result[:, :3], swapped[:, :3], atol=1e-12)


def test_link_velocities_against_differences(bodies, rng):
    for model in cases(bodies):
        base = bodies.random_pose(rng).matrix
        q, qd = rng.uniform(-1, 1, (2, model.n_dof))
        velocities = link_velocities(model, base, q, qd)
        for link in range(model.n_links):
            expected = numeric_velocity(model, base, q, qd, link, np.zeros(3))
            np.testing.assert_allclose(velocities[link], expected, atol=TOLERANCE * 5)


def test_a_moving_base_carries_all_links(bodies, rng):
    model = compile_body(bodies.random(rng, KINDS))
    q = rng.uniform(-1, 1, model.n_dof)
    poses = link_transforms(model, np.eye(4), q)
    base_velocity = rng.normal(size=6)
    still = np.zeros(model.n_dof)
    velocities = link_velocities(model, poses[0], q, still, base_velocity)
    arms = poses[:, :3, 3] - poses[0, :3, 3]
    linear = base_velocity[:3] + np.cross(base_velocity[3:], arms)
    np.testing.assert_allclose(velocities[:, :3], linear, atol=1e-12)
    np.testing.assert_allclose(velocities[:, 3:], base_velocity[None, 3:].repeat(8, 0))


def test_a_ball_near_its_zero_is_as_exact_as_elsewhere(bodies, rng):
    """The series of small rotation vectors must meet the closed forms."""
    model = compile_body(bodies.random(rng, ("spherical",), reverse=False))
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    for angle in (0.0, 1e-9, 1e-4, 0.2235, 0.2237, 3.0):
        q = axis * angle
        poses = link_transforms(model, np.eye(4), q)
        columns = jacobian(model, poses, q, 1)
        for i, direction in enumerate(np.eye(3)):
            expected = numeric_velocity(model, np.eye(4), q, direction, 1, np.zeros(3))
            np.testing.assert_allclose(columns[:, i], expected, atol=TOLERANCE)


def test_series_and_closed_form_of_the_ball_meet():
    below, above = (
        np.array(shared.ball_terms(square)) for square in (0.05 - 1e-15, 0.05)
    )
    np.testing.assert_allclose(below, above, rtol=1e-11)


def test_centre_of_mass_and_its_jacobian(bodies, rng):
    for model in cases(bodies):
        base = bodies.random_pose(rng).matrix
        q = rng.uniform(-1, 1, model.n_dof)
        poses = link_transforms(model, base, q)
        total = np.zeros(3)
        for pose, mass, com in zip(poses, model.masses, model.coms, strict=True):
            total += mass * (pose @ [*com, 1.0])[:3]
        centre = center_of_mass(model, base, q)
        np.testing.assert_allclose(centre, total / model.masses.sum(), atol=1e-13)
        columns = center_of_mass_jacobian(model, base, q)
        for i, direction in enumerate(np.eye(model.n_dof) * STEP):
            high, low = (
                center_of_mass(model, base, q + s * direction) for s in (1, -1)
            )
            expected = (high - low) / (2 * STEP)
            np.testing.assert_allclose(columns[:, i], expected, atol=TOLERANCE)


@pytest.mark.parametrize("mimic", [False, True])
def test_compiled_kernels_equal_plain(bodies, rng, monkeypatch, mimic):
    description = bodies.mimic_chain() if mimic else bodies.random(rng, KINDS)
    model = compile_body(description)
    q = rng.uniform(-1, 1, model.n_dof)
    poses = link_transforms(model, bodies.random_pose(rng).matrix, q)
    given = model, poses, q, model.n_links - 1, rng.normal(size=3)
    results, kernel = [], derivatives._one
    for call in (kernel.python, kernel.now()):
        monkeypatch.setattr(derivatives, "_one", SimpleNamespace(call=call))
        results.append((jacobian(*given), hessian(*given)))
    for plain, compiled in zip(*results, strict=True):
        np.testing.assert_allclose(plain, compiled, atol=1e-13)


def test_bad_arguments_are_refused(bodies):
    model = compile_body(bodies.planar_2r())
    poses = link_transforms(model, np.eye(4), [0.0, 0.0])
    with pytest.raises(ArgumentError, match=r"transforms has shape \(2, 4, 4\)"):
        jacobian(model, poses[:2], [0.0, 0.0], 0)
    with pytest.raises(NotFoundError, match="no link 'link3', did you mean"):
        jacobian(model, poses, [0.0, 0.0], "link3")
    with pytest.raises(ArgumentError, match="link index is 3, expected 0 to 2"):
        hessian(model, poses, [0.0, 0.0], 3)
    with pytest.raises(ArgumentError, match="point has shape"):
        jacobian(model, poses, [0.0, 0.0], 1, [0.0, 0.0])
