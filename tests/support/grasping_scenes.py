"""Hands whose fingers have known ends, and what they close on."""

from __future__ import annotations

import numpy as np

import pyrave
from pyrave.scene import (
    Box,
    GeometryDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    Pose,
    RobotDescription,
    Sphere,
    body_from_boxes,
)


def finger(name, length, thickness=0.005):
    """Return a bar along x from its joint."""
    shape = Box((length / 2, 0.01, thickness))
    middle = Pose.from_translation(length / 2, 0, 0)
    return LinkDescription(name, geometries=(GeometryDescription(shape, pose=middle),))


def hinge(name, parent, child, place, sign):
    axis = JointAxis(
        (0, -sign, 0), lower=0, upper=1.5, velocity_limit=1, acceleration_limit=5
    )
    return JointDescription(name, "hinge", parent, child, place, axes=(axis,))


def bending_hand():
    """Return a hand of two fingers along x, of two hinges each, that close about y."""
    palm = GeometryDescription(Box((0.02, 0.02, 0.06)))
    links = [LinkDescription("palm", geometries=(palm,))]
    joints = []
    for side, sign in (("upper", -1.0), ("lower", 1.0)):
        base, tip = f"{side}_base", f"{side}_tip"
        links += [finger(base, 0.08), finger(tip, 0.06)]
        root = Pose.from_translation(0.03, 0, -0.05 * sign)
        joints.append(hinge(f"{side}1", "palm", base, root, sign))
        knuckle = Pose.from_translation(0.085, 0, 0)
        joints.append(hinge(f"{side}2", base, tip, knuckle, sign))
    names = tuple(joint.name for joint in joints)
    hand = ManipulatorDescription(
        "hand",
        "palm",
        "palm",
        tool=Pose.from_translation(0.1, 0, 0),
        gripper_joints=names,
        chucking_direction=(1.0, 1.0, 1.0, 1.0),
        direction=(1, 0, 0),
    )
    return RobotDescription("hand", tuple(links), tuple(joints), manipulators=(hand,))


def hand_and_ball(place=(0.1, 0, 0), radius=0.03):
    """Return a hand, open, and a ball before its palm."""
    env = pyrave.Environment()
    robot = env.create_body(bending_hand())
    ball = LinkDescription(
        "ball", geometries=(GeometryDescription(shape=Sphere(radius)),)
    )
    body = env.create_body(pyrave.scene.BodyDescription("ball", links=(ball,)))
    body.transform = [1, 0, 0, 0, *place]
    return robot.active_manipulator, body


def stepwise(arm, step=1e-5):
    """Close by small steps of all joints; each stops before its links touch."""
    robot, indices = arm.robot, arm.gripper_indices
    checker = robot.env.collision_checker
    moving = dict(zip(indices.tolist(), arm.chucking_direction, strict=True))
    upper, affects = robot.dof_limits[1], robot.model.dof_affects
    with robot.preserve_state():
        while moving:
            before = robot.dof_values
            values = before.copy()
            values[list(moving)] += step * np.array(list(moving.values()))
            robot.dof_values = np.minimum(values, upper)
            hit = {
                link.index
                for link in robot.links
                if checker.check_collision(link) or checker.check_self_collision(link)
            }
            stopped = {
                k
                for k in moving
                if affects[k, list(hit)].any() or values[k] >= upper[k]
            }
            if hit:
                values[list(stopped)] = before[list(stopped)]
                robot.dof_values = np.minimum(values, upper)
            moving = {k: rate for k, rate in moving.items() if k not in stopped}
        return robot.dof_values[indices]


def block(env, name, half, place):
    """Add a box."""
    body = env.create_body(body_from_boxes(name, [(0, 0, 0, *half)]))
    body.transform = [1, 0, 0, 0, *place]
    return body
