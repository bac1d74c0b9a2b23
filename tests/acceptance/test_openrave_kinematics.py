"""Compiled bodies against what OpenRAVE computed for its own robots.

The bodies are rebuilt from the dumped joint frames, so that no file reader and no
mesh takes part.
"""

from __future__ import annotations

import json
from functools import cache

import corpus
import numpy as np
import pytest

from pyrave.kinematics import (
    center_of_mass,
    compile_body,
    hessian,
    inverse_dynamics,
    jacobian,
    joint_values,
    link_transforms,
    link_velocities,
)
from pyrave.scene import (
    BodyDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    MimicFormula,
    Pose,
)

TOLERANCE = 1e-9
TYPES = {
    "JointType.Hinge": "hinge",
    "JointType.Slider": "slider",
    "JointType.Spherical": "spherical",
}


FOLDER = corpus.openrave_expected()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="the shared files are not there")


@cache
def dump(path):
    return json.loads(path.read_text())


def cases():
    for path in sorted(FOLDER.rglob("*.json")) if FOLDER else ():
        content = dump(path)
        for i, body in enumerate(content.get("bodies", [])):
            if isinstance(body, dict) and len(body.get("links", ())) > 1:
                yield pytest.param((path, i), id=f"{path.stem}-{body['name']}")


CASES = list(cases())


def described(body):
    base = np.linalg.inv(body["links"][0]["transform"])
    links = tuple(
        LinkDescription(
            link["name"],
            Pose.from_matrix(base @ link["transform"]),
            inertial=Inertial(
                link["mass"],
                tuple(link["local_com"]),
                tuple(np.ravel(link["local_inertia"]).tolist()),
            ),
            static=link["static"],
        )
        for link in body["links"]
    )
    joints = tuple(
        JointDescription(
            joint["name"],
            TYPES[joint["type"]],
            joint["first_attached"],
            joint["second_attached"],
            Pose.from_matrix(joint["internal_left"]),
            Pose.from_matrix(np.linalg.inv(joint["internal_right"])),
            tuple(
                JointAxis(
                    tuple(axis["internal_axis"]),
                    axis["prismatic"],
                    *(limits[i] for limits in joint["limits"]),
                    circular=axis["circular"],
                    initial=joint["values"][i],
                    mimic=MimicFormula(*axis["mimic_equations"])
                    if axis["mimic"]
                    else None,
                )
                for i, axis in enumerate(joint["axes"])
            ),
            active=joint["active"],
        )
        for joint in body["joints"] + body["passive_joints"]
    )
    return BodyDescription(body["name"], links, joints)


@pytest.fixture
def case(request):
    path, index = request.param
    content = dump(path)
    body = content["bodies"][index]
    return compile_body(described(body)), body, content["environment"]["gravity"]


def configurations(body):
    for item in body.get("random_configurations", ()):
        if "link_transforms" in item:
            yield item, item["q_after"], np.array(item["link_transforms"])


@pytest.mark.parametrize("case", CASES, indirect=True)
def test_structure(case):
    model, body, _ = case
    names = model.link_names
    assert model.n_dof == body["dof"]
    active = [j for j in model.joint_order if model.joint_active[j]]
    assert [model.joint_names[j] for j in active] == body["dependency_ordered_joints"]
    for i, link in enumerate(body["links"]):
        assert [names[p] for p in model.parent_links(i)] == link["parent_links"]
        attached = [names[p] for p in model.rigidly_attached(i)]
        assert attached == link["rigidly_attached"]
    for j, joint in enumerate(body["joints"] + body["passive_joints"]):
        parent, child = (names[i] for i in model.joint_hierarchy[j])
        assert (parent, child) == (joint["hierarchy_parent"], joint["hierarchy_child"])
        assert model.joint_static[j] == joint["static"]
        first = model.joint_values[j, 0]
        for k, axis in enumerate(joint["axes"]):
            assert model.wrap_offsets[first + k] == pytest.approx(axis["wrap_offset"])


@pytest.mark.parametrize("case", CASES, indirect=True)
def test_poses_and_motion(case):
    model, body, _ = case
    for item, q, poses in configurations(body):
        result = link_transforms(model, poses[0], q)
        np.testing.assert_allclose(result, poses, atol=TOLERANCE)
        centre = center_of_mass(model, poses[0], q)
        np.testing.assert_allclose(centre, item["center_of_mass"], atol=TOLERANCE)
        # ours are zero where a mimic joint stands at a limit, OpenRAVE's are not
        if isinstance(item.get("link_velocities"), list) and not stopped(model, q):
            velocities = link_velocities(model, poses[0], q, item["qd"])
            expected = item["link_velocities"]
            np.testing.assert_allclose(velocities, expected, atol=TOLERANCE)


def stopped(model, q):
    """Whether a mimic joint is at one of its limits."""
    values = joint_values(model, q)
    ends = (values <= model.value_lower) | (values >= model.value_upper)
    return bool((ends & model.mimic).any())


@pytest.mark.parametrize("case", CASES, indirect=True)
def test_jacobians_and_hessians(case):
    model, body, _ = case
    for item, q, poses in configurations(body):
        if "jacobian_last_link_origin" in item and not stopped(model, q):
            columns = jacobian(model, poses, q, model.n_links - 1)
            expected = item["jacobian_last_link_origin"]
            np.testing.assert_allclose(columns[:3], expected, atol=TOLERANCE)
        for name, found in item.get("manipulators", {}).items():
            tools = {m["name"]: m for m in body["robot"]["manipulators"]}
            link = tools[name]["end_effector"]
            point = np.array(found["transform"])[:3, 3]
            columns = jacobian(model, poses, q, link, point)
            linear = found["link_jacobian_translation_alldof"]
            angular = found["link_jacobian_axisangle_alldof"]
            np.testing.assert_allclose(columns[:3], linear, atol=TOLERANCE)
            np.testing.assert_allclose(columns[3:], angular, atol=TOLERANCE)
            if "hessian_translation" in found:
                curve = hessian(model, poses, q, link, point)
                expected = found["hessian_translation"]
                np.testing.assert_allclose(curve[:, :3], expected, atol=TOLERANCE)
                # OpenRAVE writes each pair to both of its places
                both = curve[:, 3:] + curve[:, 3:].transpose(2, 1, 0)
                expected = found["hessian_axisangle"]
                np.testing.assert_allclose(both, expected, atol=TOLERANCE)


@pytest.mark.parametrize("case", CASES, indirect=True)
def test_inverse_dynamics(case):
    model, body, gravity = case
    for item, q, poses in configurations(body):
        if not isinstance(item.get("inverse_dynamics"), list) or stopped(model, q):
            continue
        parts = inverse_dynamics(
            model, poses[0], q, item["qd"], item["qdd"], gravity, components=True
        )
        # OpenRAVE gives the force of a slider divided by 2 pi
        parts *= np.where(model.prismatic[: model.n_dof], 0.5 / np.pi, 1.0)
        expected = np.array(item["inverse_dynamics_components"])
        # and takes accelerations of mimic joints from lists that files get wrong
        checked = [2] if model.has_mimic else [0, 1, 2]
        for i in checked:
            scale = max(1.0, np.abs(expected[i]).max())
            np.testing.assert_allclose(parts[i], expected[i], atol=TOLERANCE * scale)
