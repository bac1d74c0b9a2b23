"""Random bodies and an independent reference for their poses."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    Inertial,
    JointAxis,
    JointDescription,
    JointPath,
    LinkDescription,
    MimicFormula,
    Pose,
)
from pyrave.spatial import matrix_from_axis_angle, rotation_vector

BOX = (GeometryDescription(Box((0.1, 0.1, 0.1))),)


def random_pose(rng):
    return Pose.from_quaternion(rng.normal(size=4), tuple(rng.normal(size=3)))


def unit(rng):
    vector = rng.normal(size=3)
    return tuple((vector / np.linalg.norm(vector)).tolist())


def random_inertial(rng):
    root = rng.normal(size=(3, 3))
    inertia = root @ root.T + 0.1 * np.eye(3)
    return Inertial(
        float(rng.uniform(0.5, 2.0)),
        tuple(rng.normal(size=3).tolist()),
        tuple(inertia.ravel().tolist()),
    )


def axes_of(kind, rng):
    if kind == "spherical":
        frame = matrix_from_axis_angle(rng.normal(size=3))
        return tuple(JointAxis(tuple(frame[:, i].tolist())) for i in range(3))
    slides = {"hinge": "r", "slider": "p", "universal": "rr", "hinge2": "rp"}
    slides |= {"compound": "rpr", "trajectory": "p", "fixed": ""}
    return tuple(
        JointAxis(unit(rng), prismatic=s == "p", lower=-3.0, upper=3.0)
        for s in slides.get(kind, kind)
    )


def random_path(rng, times=(-1.5, -0.5, -0.2, 0.4, 1.7)):
    return JointPath(times, tuple(random_pose(rng) for _ in times))


def random_body(rng, kinds, reverse=True, spread=True):
    """A tree with one joint per entry of `kinds`, some of them against the tree."""
    links = [LinkDescription("base", inertial=random_inertial(rng), geometries=BOX)]
    joints = []
    for i, kind in enumerate(kinds):
        name = f"link{i}"
        links.append(
            LinkDescription(
                name,
                random_pose(rng),
                inertial=random_inertial(rng),
                geometries=BOX,
            )
        )
        other = links[int(rng.integers(len(links) - 1)) if spread else -2].name
        ends = (name, other) if reverse and rng.random() < 0.4 else (other, name)
        joints.append(
            JointDescription(
                f"J{i}",
                kind,
                *ends,
                T_parent_joint=random_pose(rng),
                T_child_joint=random_pose(rng),
                axes=axes_of(kind, rng),
                path=random_path(rng) if kind == "trajectory" else None,
            )
        )
    return BodyDescription("body", tuple(links), tuple(joints))


def motion(joint, values):
    """(4, 4) motion of a joint, by matrices alone."""
    result = np.eye(4)
    if joint.type == "spherical":
        directions = np.array([axis.direction for axis in joint.axes])
        result[:3, :3] = matrix_from_axis_angle(np.asarray(values) @ directions)
        return result
    if joint.type == "trajectory":
        return along_path(joint, values[0])
    for axis, value in zip(joint.axes, values, strict=True):
        step = np.eye(4)
        if axis.prismatic:
            step[:3, 3] = np.asarray(axis.direction) * value
        else:
            step[:3, :3] = matrix_from_axis_angle(axis.direction, value)
        result = result @ step
    return result


def along_path(joint, time):
    """(4, 4) pose along the path of a trajectory joint."""
    times = np.array(joint.path.times)
    poses = [pose.matrix for pose in joint.path.poses]
    if joint.axes[0].circular:
        time = times[0] + (time - times[0]) % (times[-1] - times[0])
    time = np.clip(time, times[0], times[-1])
    i = min(int(np.searchsorted(times, time, side="right")) - 1, len(times) - 2)
    share = (time - times[i]) / (times[i + 1] - times[i])
    result = np.eye(4)
    result[:3, 3] = (1 - share) * poses[i][:3, 3] + share * poses[i + 1][:3, 3]
    turn = rotation_vector(poses[i][:3, :3].T @ poses[i + 1][:3, :3])
    result[:3, :3] = poses[i][:3, :3] @ matrix_from_axis_angle(share * turn)
    return result


def reference_poses(body, base, values):
    """World poses by name; `values` maps joint names to lists."""
    poses = {body.links[0].name: base}
    while len(poses) < len(body.links):
        for joint in body.joints:
            across = (
                joint.T_parent_joint.matrix
                @ motion(joint, values[joint.name])
                @ np.linalg.inv(joint.T_child_joint.matrix)
            )
            if joint.parent in poses and joint.child not in poses:
                poses[joint.child] = poses[joint.parent] @ across
            elif joint.child in poses and joint.parent not in poses:
                poses[joint.parent] = poses[joint.child] @ np.linalg.inv(across)
    return np.array([poses[link.name] for link in body.links])


def mimic_chain():
    """J0 drives J0a = 2 J0, which drives J0b = 2 J0a + J0; J1 = sin(J0) + J2^2."""
    z, y = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
    wide = {"lower": -100.0, "upper": 100.0}

    def joint(i, name, axis, formula=None):
        mimic = None if formula is None else MimicFormula(formula)
        return JointDescription(
            name,
            "hinge",
            f"L{i}",
            f"L{i + 1}",
            T_parent_joint=Pose.from_translation(0.3, 0.1 * i, 0.2),
            axes=(JointAxis(axis, mimic=mimic, **wide),),
        )

    joints = (
        joint(0, "J0b", z, "2*J0a + J0"),
        joint(1, "J0", y),
        joint(2, "J0a", z, "2*J0"),
        joint(3, "J2", y),
        joint(4, "J1", z, "sin(J0) + J2^2"),
    )
    rng = np.random.default_rng(5)
    links = tuple(
        LinkDescription(f"L{i}", inertial=random_inertial(rng), geometries=BOX)
        for i in range(6)
    )
    return BodyDescription("mimic", links, joints)


def planar_2r(lengths=(0.7, 0.4), masses=(1.3, 0.8)):
    """Two links in the x-y plane with point masses at their tips."""
    z = (0.0, 0.0, 1.0)
    links = [LinkDescription("base", inertial=Inertial(0.0, inertia=(0.0,) * 9))]
    joints = []
    offset = 0.0
    for i, (length, mass) in enumerate(zip(lengths, masses, strict=True)):
        links.append(
            LinkDescription(
                f"link{i}", inertial=Inertial(mass, (length, 0.0, 0.0), (0.0,) * 9)
            )
        )
        joints.append(
            JointDescription(
                f"J{i}",
                "hinge",
                links[-2].name,
                links[-1].name,
                T_parent_joint=Pose.from_translation(offset, 0.0, 0.0),
                axes=(JointAxis(z, lower=-math.pi, upper=math.pi),),
            )
        )
        offset = length
    return BodyDescription("planar", tuple(links), tuple(joints))


@pytest.fixture
def bodies():
    return SimpleNamespace(
        random=random_body,
        random_pose=random_pose,
        random_path=random_path,
        reference=reference_poses,
        mimic_chain=mimic_chain,
        planar_2r=planar_2r,
        box=BOX,
    )


@pytest.fixture
def rng():
    return np.random.default_rng(20261121)
