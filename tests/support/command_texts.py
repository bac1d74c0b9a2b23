"""Words of commands, and what came of them, for tests of the modules."""

from __future__ import annotations

import numpy as np

from pyrave.scene import body_from_boxes

START = np.array([0.2, 0.9, 0.1, 1.2, -0.2, 1.0, 0.3])


def words(numbers):
    return " ".join(repr(one) for one in np.ravel(numbers).tolist())


def by_columns(pose):
    return words(pose[:3].T)


def end_of(module, trajectory):
    robot = module.robot
    indices = np.sort(trajectory.spec.extract_used_indices(robot)[0])
    row = trajectory.get_waypoint(-1)
    return trajectory.spec.extract_joint_values(row, robot, indices)


def values_at(module, trajectory, time, indices):
    row = trajectory.sample(time)
    return trajectory.spec.extract_joint_values(row, module.robot, np.array(indices))


def put_on(module, depth, name="thing"):
    """Lower a box onto the hand, until it is so deep in it."""
    env, arm = module.env, module.arm
    box = env.create_body(body_from_boxes(name, [(0, 0, 0, 0.02, 0.02, 0.02)]))
    place = np.eye(4)
    place[:3, 3] = arm.transform[:3, 3]
    low, high = 0.0, 0.5
    for _ in range(30):
        middle = 0.5 * (low + high)
        place[2, 3] = arm.transform[2, 3] + middle
        box.transform = place
        low, high = (
            (middle, high) if env.check_collision(box, module.robot) else (low, middle)
        )
    place[2, 3] = arm.transform[2, 3] + high - depth
    box.transform = place
    return box
