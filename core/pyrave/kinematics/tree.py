"""The tree of a body: its links in order, and the motions between them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.kinematics.joint_types import BALL, SLIDE, TURN, PathColumn, Step
from pyrave.kinematics.kernels import motion as k
from pyrave.records import Record
from pyrave.scene import IDENTITY
from pyrave.spatial import Array, invert_pose

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyrave.scene import JointDescription, Pose

_UNTURNED = np.eye(4)
_KINDS = {TURN: k.TURN, SLIDE: k.SLIDE, BALL: k.BALL}


@dataclass(frozen=True, slots=True)
class TreeJoints(Record):
    """Properties of joints that a tree needs.

    Parameters
    ----------
    items
        The joints, n.
    ends
        Index of the parent and of the child link of each.
    T_parent, T_child
        (n, 4, 4): T_link_joint at the joint's zero value.
    value_of
        Index of the value of (joint, axis).
    directions
        (n_values, 3) unit axes.
    path_columns
        Index of the first value and the motions of each joint that has a path.
    mimic_rank
        When the value of a follower is computed, by its index.
    """

    items: Sequence[JointDescription]
    ends: Sequence[tuple[int, int]]
    T_parent: Array
    T_child: Array
    value_of: Mapping[tuple[int, int], int]
    directions: Array
    path_columns: Mapping[int, tuple[int, list[PathColumn]]]
    mimic_rank: Mapping[int, int]


class Tree:
    """Collects the motions of one body, as `kernels.motion.MotionTree` has them.

    Parameters
    ----------
    poses
        T_body_link of each link at rest.
    """

    def __init__(self, poses: Sequence[Pose], joints: TreeJoints) -> None:
        self.poses = poses
        self.joints = joints
        self.n = len(poses)
        # per motion: parent, kind, first value; pose in the parent, and sign of a ball
        self.tree = [(-1, k.FIXED, -1)]
        self.places = [np.eye(4)]
        self.signs = [1.0]
        # per link: what it is part of, and where in it
        self.link_nodes = [0] * self.n
        self.inside = [np.eye(4)] * self.n

    def arrays(self) -> dict[str, Any]:
        """Walk breadth first from link 0, then from links that it does not reach."""
        neighbours: list[list[tuple[int, int]]] = [[] for _ in range(self.n)]
        for j, (a, b) in enumerate(self.joints.ends):
            if self.joints.items[j].closes_loop:
                continue
            neighbours[a].append((b, j))
            neighbours[b].append((a, j))
        parent_link = [-1] * self.n
        parent_joint = [-1] * self.n
        hierarchy = [(-1, -1)] * len(self.joints.items)
        order: list[int] = []
        seen = [False] * self.n
        tree_joints: list[int] = []
        base = self.poses[0].inverse()
        for root in range(self.n):
            if seen[root]:
                continue
            seen[root] = True
            if root:
                self.inside[root] = (base @ self.poses[root]).matrix
            queue = [root]
            for link in queue:
                for other, j in sorted(neighbours[link]):
                    if seen[other]:
                        continue
                    seen[other] = True
                    parent_link[other], parent_joint[other] = link, j
                    hierarchy[j] = (link, other)
                    tree_joints.append(j)
                    self._attach(j, link, other)
                    queue.append(other)
            order.extend(queue)
        depth = [0] * self.n
        for link in order:
            if parent_link[link] >= 0:
                depth[link] = depth[parent_link[link]] + 1

        def depth_of(j: int) -> tuple[int, int]:
            return depth[hierarchy[j][1]], j

        closing = [j for j in range(len(self.joints.items)) if hierarchy[j][0] < 0]
        return {
            "parent_link": np.array(parent_link, dtype=np.int64),
            "parent_joint": np.array(parent_joint, dtype=np.int64),
            "joint_hierarchy": np.array(hierarchy, dtype=np.int64).reshape(-1, 2),
            "joint_order": np.array(
                self._joint_order(sorted(tree_joints, key=depth_of) + closing), np.int64
            ),
            "link_order": np.array(order, dtype=np.int64),
            "tree": np.array(self.tree, dtype=np.int64),
            "places": np.column_stack((_flat(np.array(self.places)), self.signs)),
            "link_nodes": np.array(self.link_nodes, dtype=np.int64),
            "link_places": _flat(np.array(self.inside)),
        }

    def _joint_order(self, joints: list[int]) -> list[int]:
        """Move followers behind the joints that they follow."""
        if not self.joints.mimic_rank:
            return joints

        def rank(j: int) -> int:
            axes = range(len(self.joints.items[j].axes))
            ranks = [
                self.joints.mimic_rank.get(self.joints.value_of[j, i], -1) for i in axes
            ]
            return max(ranks, default=-1)

        free = [j for j in joints if rank(j) < 0]
        return free + sorted((j for j in joints if rank(j) >= 0), key=rank)

    def _attach(self, j: int, parent: int, child: int) -> None:
        """Write the motions of a joint that the tree enters from `parent`."""
        joint = self.joints.items[j]
        near, far = self.joints.T_parent[j], self.joints.T_child[j]
        if joint.type == "spherical":
            frame = np.eye(4)
            directions = [axis.direction for axis in joint.axes]
            frame[:3, :3] = np.array(directions, dtype=np.float64).T
            near, far = near @ frame, far @ frame
        sign, steps = 1.0, self._steps(j)
        if self.joints.ends[j] != (parent, child):
            # inv(motion) = inv(last step) ... inv(first step)
            near, far, sign = far, near, -1.0
            steps.reverse()
        node, place = self.link_nodes[parent], self.inside[parent] @ near
        for step in steps:
            node, place = self._step(node, place, step, sign)
        end = joint.T_child_joint
        is_moved = end is not IDENTITY and end != IDENTITY
        if joint.type == "spherical" or sign < 0 or is_moved:
            place = place @ invert_pose(far)
        self.link_nodes[child], self.inside[child] = node, place

    def _step(
        self, parent: int, place: Array, step: Step, sign: float
    ) -> tuple[int, Array]:
        """Append a motion of a frame that has a place in a node; return its new one."""
        ball = step.kind == BALL
        turn = _UNTURNED if ball else step_frame(*(sign * step.axis).tolist())
        self.tree.append((parent, _KINDS[step.kind], step.value))
        self.places.append(place @ turn)
        self.signs.append(sign if ball else 1.0)
        return len(self.tree) - 1, turn.T

    def _steps(self, j: int) -> list[Step]:
        """Return the elementary motions of a joint in order."""
        joint = self.joints.items[j]
        if joint.type == "spherical":
            return [Step(BALL, self.joints.value_of[j, 0], np.eye(3)[0])]
        if joint.path is None:
            values = [self.joints.value_of[j, i] for i in range(len(joint.axes))]
            return [
                Step(
                    SLIDE if axis.prismatic else TURN,
                    value,
                    self.joints.directions[value],
                )
                for value, axis in zip(values, joint.axes, strict=True)
            ]
        first, columns = self.joints.path_columns[j]
        steps: list[Step] = []
        kinds = [column.kind for column in columns]
        while kinds:
            value = first + len(columns) - len(kinds)
            steps.append(Step(kinds[0], value, self.joints.directions[value]))
            del kinds[: 3 if kinds[0] == BALL else 1]
        return steps


def _flat(poses: Array) -> Array:
    """Return poses (n, 4, 4) as rotation and origin, (n, 12)."""
    rotations = poses[:, :3, :3].reshape(-1, 9)
    return np.concatenate((rotations, poses[:, :3, 3]), axis=1)


@lru_cache(maxsize=1024)
def step_frame(x: float, y: float, z: float) -> Array:
    """Return a rotation (4, 4) whose z column is a unit axis; exact for x, y and z."""
    v = (x, y, z)
    largest = max(range(3), key=lambda i: abs(v[i]))
    other = (largest + 2) % 3
    length = math.hypot(v[largest], v[other])
    first = [0.0, 0.0, 0.0]
    first[other], first[largest] = 0.0 - v[largest] / length, v[other] / length
    a, b, c = first
    result = np.eye(4)
    result[:3, :3].T[:] = first, (y * c - z * b, z * a - x * c, x * b - y * a), v
    result.flags.writeable = False
    return result
