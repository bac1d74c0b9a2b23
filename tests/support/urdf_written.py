"""Bodies to be written, and how far what is read back of them moves otherwise."""

import numpy as np

from pyrave.scene import LinkDescription, MeshData, RobotDescription

__all__ = ["TRIANGLES", "link_of", "worst_pose"]

_CORNERS = [[0, 0, 0], [1 / 3, 0, 0], [0, 1, 0], [0, 0, 1]]
TRIANGLES = MeshData(_CORNERS, [[0, 1, 2], [0, 2, 3]])


def link_of(*geometries, **fields):
    link = LinkDescription("l/1", geometries=geometries, **fields)
    return RobotDescription("r", (link,))


def worst_pose(body, robot, rng, count=10):
    """Return the largest difference of poses of links, seen from the base.

    `body` is moved to random values; all joints of the same name are put where its
    joints are. Axis k of a joint J of several axes is the joint ``J_k`` in `robot`.
    """
    worst = 0.0
    lower, upper = (np.clip(limit, -3.0, 3.0) for limit in body.dof_limits)
    for _ in range(count):
        with np.errstate(invalid="ignore"):  # endless joints have endless limits
            body.dof_values = rng.uniform(lower, upper)
        values = _values(body)
        q = np.array([x for j in robot.joints for x in _of(j, values)])
        poses = robot.compute_link_transforms(q[None])[0]
        # links that only the written robot has stand behind the others
        for index, link in enumerate(body.links):
            seen = np.linalg.inv(poses[0]) @ poses[index]
            here = np.linalg.inv(body.links[0].transform) @ link.transform
            worst = max(worst, np.abs(seen - here).max())
    return worst


def _values(body):
    found = {}
    for joint in (*body.joints, *body.passive_joints):
        for number, value in enumerate(joint.values):
            found[f"{joint.name}_{number}" if number else joint.name] = value
    return found


def _of(joint, values):
    if joint.dof == 1:
        return [values.get(joint.name, 0.0)]
    return [
        values.get(f"{joint.name}_{number}" if number else joint.name, 0.0)
        for number in range(joint.dof)
    ]
