"""Bodies read from OpenRAVE's files, moved: poses, Jacobians and dynamics are its own.

Each file that OpenRAVE's values are known for is loaded, and each of its bodies is put
into the configurations that OpenRAVE was put into. What a configuration has besides is
compared by tests of the kinematics, on the frames that OpenRAVE printed.
"""

from __future__ import annotations

import json

import corpus
import numpy as np
import pytest

import pyrave

ROOT = corpus.openrave_root()
EXPECTED = corpus.openrave_expected()
pytestmark = pytest.mark.skipif(ROOT is None, reason="the corpus is not here")

EXACT = 1e-9


def close(found, expected):
    np.testing.assert_allclose(found, np.array(expected, dtype=float), EXACT, EXACT)


def moved(body):
    """Yield (configuration, body) for what OpenRAVE moved."""
    for item in body.get("random_configurations", ()):
        if "link_transforms" in item:
            yield item


@pytest.fixture(params=corpus.openrave_dumped())
def bodies(request):
    """Pairs of a body and what OpenRAVE says of it."""
    env = pyrave.load(ROOT / request.param, resource_roots=[ROOT])
    expected = json.loads((EXPECTED / f"{request.param}.json").read_text("utf-8"))
    return list(zip(env.bodies, expected["bodies"], strict=True))


def test_poses(bodies):
    for body, expected in bodies:
        for item in moved(expected):
            body.dof_values = item["q"]
            # OpenRAVE gives the shortest of the rotation vectors of a ball joint
            if not any(joint.type == "spherical" for joint in body.joints):
                close(body.dof_values, item["q_after"])
            close(body.link_transforms, item["link_transforms"])


def test_manipulators(bodies):
    for body, expected in bodies:
        for item in moved(expected):
            body.dof_values = item["q_after"]
            for name, found in item.get("manipulators", {}).items():
                arm = body.manipulators[name]
                close(arm.transform, found["transform"])
                if not len(arm.arm_indices):
                    assert "error" in found["jacobian"]
                    continue
                linear = np.array(found["jacobian"], dtype=float).reshape(3, -1)
                close(arm.jacobian()[:3], linear)
                angular = np.array(found["angular_velocity_jacobian"], dtype=float)
                close(arm.jacobian()[3:], angular.reshape(3, -1))


def test_chains_and_dependencies(bodies):
    for body, expected in bodies:
        order = [body.model.joint_names[j] for j in body.model.joint_order]
        active = [name for name in order if name in body.joints.names]
        assert active == expected["dependency_ordered_joints"]
        for joint, want in zip(body.joints, expected["joints"], strict=True):
            assert joint.parent_link.name == want["hierarchy_parent"]
            assert joint.child_link.name == want["hierarchy_child"]
