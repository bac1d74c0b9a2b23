"""Joints that follow others by linear formulas: one product of a matrix."""

import dataclasses

import numpy as np
import pytest

from pyrave import kinematics
from pyrave.errors import Error
from pyrave.scene import MimicFormula


@pytest.fixture
def following(bodies):
    """Return the model of J0 and J0a, which J0b follows by a formula."""

    def model(formula):
        formulas = {"J0b": formula, "J0": None, "J0a": None}
        known = bodies.mimic_chain()
        joints = [joint for joint in known.joints if joint.name in formulas]
        joints = [
            dataclasses.replace(
                joint,
                axes=(
                    dataclasses.replace(
                        joint.axes[0],
                        mimic=formulas[joint.name] and MimicFormula(formula),
                    ),
                ),
            )
            for joint in joints
        ]
        return kinematics.compile_body(
            dataclasses.replace(known, links=known.links[:4], joints=tuple(joints))
        )

    return model


@pytest.mark.parametrize(
    ("formula", "linear"),
    [
        ("2 * J0 - J0a / 4 + 0.1", True),
        ("-(J0 - 3) * (1 + 1)", True),
        ("J0 * J0a", False),
        ("sin(J0)", False),
        ("J0 / (J0a + 1)", False),
        ("abs(J0)", False),
        ("max(J0, 1)", False),
        ("max(J0, 1) + J0a", False),
    ],
)
def test_linear_followers_are_a_matrix(following, formula, linear):
    """The product of a matrix gives what the tape of the formulas gives."""
    model = following(formula)
    known = model.linear_followers
    assert (known is not None) == linear
    rng = np.random.default_rng(5)
    rows = rng.uniform(0.5, 1.5, (20, model.n_dof))
    values = kinematics.joint_values_batch(model, rows)
    names = {"sin": np.sin, "abs": np.abs, "max": np.maximum}
    names |= {"J0": rows[:, 0], "J0a": rows[:, 1]}
    expected = eval(formula, names)  # noqa: S307 - written above
    np.testing.assert_allclose(values[:, -1], expected, rtol=0, atol=1e-14)
    for q, each in zip(rows, values, strict=True):
        np.testing.assert_allclose(kinematics.joint_values(model, q), each, atol=1e-15)
        single = kinematics.link_transforms(model, np.eye(4), q)
        batch = kinematics.link_transforms_batch(model, np.eye(4), q[None])
        np.testing.assert_allclose(single, batch[0], atol=1e-15)


def test_followers_stay_within_their_limits(following):
    """As with the tape: 90 J0 + 20 would be 155."""
    model = following("90 * J0 + 20")
    assert model.linear_followers is not None
    for q, expected in (((1.5, 0.0), 100.0), ((-1.5, 0.0), -100.0), ((0.5, 0.0), 65.0)):
        assert kinematics.joint_values(model, q)[-1] == expected
        assert kinematics.joint_values_batch(model, [q])[0, -1] == expected


def test_wrong_inputs_are_refused(following):
    model = following("2 * J0")
    for q in (np.full(2, np.nan), np.zeros(3), np.zeros(()), ["0", "1"], None):
        with pytest.raises(Error):
            kinematics.link_transforms(model, np.eye(4), q)
    with pytest.raises(Error):
        kinematics.link_transforms(model, np.eye(3), np.zeros(2))
    with pytest.raises(Error):
        kinematics.link_transforms(model, np.eye(4), np.zeros(2), passive=np.zeros(9))
