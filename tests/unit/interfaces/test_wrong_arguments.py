"""What bodies are given and cannot use ends in an error that names it."""

import numpy as np
import pytest

import pyrave
from pyrave import kinematics
from pyrave.geometry import Mesh
from pyrave.scene import body_from_boxes

TRIANGLE = Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])

CALLS = {
    "external is not": lambda body: body.inverse_dynamics(external="abc"),
    "external has shape": lambda body: body.inverse_dynamics(external=[1, 2]),
    "link_velocities is": lambda body: body.dynamics.dof_velocities_of([[1], [1, 2]]),
    "link_velocities has": lambda body: setattr(
        body.dynamics, "link_velocities", np.zeros((2, 6))
    ),
    "lower limits is not": lambda body: setattr(body, "dof_limits", ("ab", [])),
    "velocity_limits is": lambda body: setattr(body, "dof_velocity_limits", "ab"),
    "configurations is": lambda body: body.compute_link_transforms("ab"),
    "passive is not": lambda body: kinematics.joint_values(body.model, [], "ab"),
    "transforms is not": lambda body: kinematics.jacobian(body.model, "ab", [], 0),
    "local_inertia of": lambda body: setattr(body.links[0], "local_inertia", "ab"),
    "link index is 99": lambda body: body.enable_link(99, True),
    "link index is 98": lambda body: body.is_link_enabled(98),
    "link is 1.5, expected": lambda body: body.jacobian(1.5),
    "link is None, expected": lambda body: body.jacobian(None),
    "expected a BodyDescription, got int": lambda body: pyrave.KinBody(body.env).init(
        3
    ),
    "a BodyDescription, got int": lambda body: body.env.create_body(4),
    "unknown bits": lambda body: body.preserve_state(1 << 31),
    "matrix is not": lambda _: TRIANGLE.transformed("ab"),
    "matrix has shape": lambda _: TRIANGLE.transformed(np.eye(3)),
    "factors is not": lambda _: TRIANGLE.scaled("ab"),
}


@pytest.mark.parametrize("text", CALLS)
def test_arguments_without_meaning(text):
    env = pyrave.Environment()
    body = env.create_body(body_from_boxes("box", [(0, 0, 0, 1, 1, 1)]))
    with pytest.raises(pyrave.ArgumentError, match=text):
        CALLS[text](body)


def test_links_are_enabled_by_name_and_index():
    env = pyrave.Environment()
    body = env.create_body(body_from_boxes("box", [(0, 0, 0, 1, 1, 1)]))
    body.enable_link("base", False)
    assert not body.is_link_enabled(0)
    body.enable_link(body.links[0], True)
    assert body.is_link_enabled("base")
