"""The tree of a body: its links in order, and the nodes that place them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.kinematics.joints import BALL, SLIDE, TURN, PathColumn, Step
from pyrave.kinematics.kernels import motion as k
from pyrave.scene import IDENTITY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyrave.scene import JointDescription, Pose
    from pyrave.spatial import Array

__all__ = ["Tree", "TreeJoints"]

_AXIS_TOLERANCE = 1e-12
# rotation, translation, axis, point, sign
_RESTING = (*(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), *(0.0,) * 9, 1.0)


@dataclass(frozen=True, slots=True)
class TreeJoints:
    """What a tree asks of a body's joints.

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
    """Collects the nodes of one body.

    Parameters
    ----------
    poses
        T_body_link of each link at rest.
    """

    def __init__(self, poses: Sequence[Pose], joints: TreeJoints) -> None:
        self.poses = poses
        self.joints = joints
        self.n = len(poses)
        self.nodes: list[list[int]] = [[0, -1, k.FIXED, -1, 0] for _ in poses]
        self.frames: list[Sequence[float]] = [_RESTING] * self.n
        self.visited: list[int] = []

    def arrays(self) -> dict[str, Any]:
        """Walk breadth first from link 0, then from links that it does not reach."""
        neighbours: list[list[tuple[int, int]]] = [[] for _ in range(self.n)]
        for j, (a, b) in enumerate(self.joints.ends):
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
                offset = (base @ self.poses[root]).matrix
                self._fix(root, 0, offset)
            self.visited.append(root)
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
        visited = np.array(self.visited, dtype=np.int64)
        nodes = np.array(self.nodes, dtype=np.int64)
        nodes[:, 0] = visited
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
            "nodes": nodes,
            "frames": np.array(self.frames),
        }

    def _joint_order(self, joints: list[int]) -> list[int]:
        """Move followers behind the joints that they follow."""

        def rank(j: int) -> int:
            axes = range(len(self.joints.items[j].axes))
            ranks = [
                self.joints.mimic_rank.get(self.joints.value_of[j, i], -1) for i in axes
            ]
            return max(ranks, default=-1)

        free = [j for j in joints if rank(j) < 0]
        return free + sorted((j for j in joints if rank(j) >= 0), key=rank)

    def _fix(self, node: int, parent: int, offset: np.ndarray) -> None:
        self._set(node, parent, k.FIXED, -1, offset[:3, :3], offset[:3, 3])

    def _set(
        self,
        node: int,
        parent: int,
        code: int,
        value: int,
        rotation: np.ndarray,
        translation: np.ndarray,
        axis: np.ndarray | None = None,
        point: np.ndarray | None = None,
        sign: float = 1.0,
    ) -> None:
        """Fill a node; an axis along x, y or z gets the cheaper motion code."""
        frame = np.zeros(19)
        frame[:9] = rotation.ravel()
        frame[9:12] = translation
        frame[18] = sign
        shifted = 0
        if axis is not None:
            frame[12:15] = axis
            if code == k.TURN:
                code, frame[18] = _turn_about(axis.tolist())
        if point is not None and point.any():
            frame[15:18] = point
            shifted = 1
        self.nodes[node][1:] = [parent, code, value, shifted]
        self.frames[node] = frame.tolist()

    def _virtual(self) -> int:
        """Append a massless node between two axes of one joint."""
        self.nodes.append([0, -1, k.FIXED, -1, 0])
        self.frames.append(_RESTING)
        self.visited.append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    def _attach(self, j: int, parent: int, child: int) -> None:
        """Write the nodes of a joint that the tree enters from `parent`."""
        joint = self.joints.items[j]
        forward = self.joints.ends[j] == (parent, child)
        if forward and self._attach_plain(j, parent, child):
            return
        near, far = self.joints.T_parent[j], self.joints.T_child[j]
        if joint.type == "spherical":
            frame = np.eye(4)
            directions = [axis.direction for axis in joint.axes]
            frame[:3, :3] = np.array(directions, dtype=np.float64).T
            near, far = near @ frame, far @ frame
        sign = 1.0
        steps = self._steps(j)
        if not forward:
            # inv(motion) = inv(last step) ... inv(first step)
            near, far, sign = far, near, -1.0
            steps.reverse()
        if not steps:
            self._fix(child, parent, near @ np.linalg.inv(far))
        for number, step in enumerate(steps):
            last = number == len(steps) - 1
            # the motion's far side: the child link, or the joint frame between steps
            end = far if last else np.eye(4)
            # a ball's values are in its own frame, which then cannot be the child's
            apart = step.kind == BALL and not np.array_equal(end[:3, :3], np.eye(3))
            node = child if last and not apart else self._virtual()
            self._step(node, parent, step, near, np.eye(4) if apart else end, sign)
            if apart:
                self._fix(child, node, np.linalg.inv(end))
            parent, near = node, np.eye(4)
        self.visited.append(child)

    def _attach_plain(self, j: int, parent: int, child: int) -> bool:
        """Write the node of a joint as most are, False if it is none of these.

        It has one axis or none, and its frame is that of the child.
        """
        joint = self.joints.items[j]
        if len(joint.axes) > 1 or joint.path is not None or joint.type == "spherical":
            return False
        if joint.T_child_joint is not IDENTITY and joint.T_child_joint != IDENTITY:
            return False
        pose = joint.T_parent_joint
        code, value, sign = k.FIXED, -1, 1.0
        axis = [0.0, 0.0, 0.0]
        if joint.axes:
            value = self.joints.value_of[j, 0]
            axis = self.joints.directions[value].tolist()
            code = k.SLIDE
            if not joint.axes[0].prismatic:
                code, sign = _turn_about(axis)
        self.nodes[child][1:] = [parent, code, value, 0]
        self.frames[child] = (
            *pose.rotation,
            *pose.translation,
            *axis,
            *(0.0, 0.0, 0.0, sign),
        )
        self.visited.append(child)
        return True

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

    def _step(
        self,
        node: int,
        parent: int,
        step: Step,
        near: np.ndarray,
        end: np.ndarray,
        sign: float,
    ) -> None:
        """Write the node of one elementary motion between two joint frames."""
        axis, value = sign * step.axis, step.value
        rot_near, t_near, rot_end, t_end = (
            near[:3, :3],
            near[:3, 3],
            end[:3, :3],
            end[:3, 3],
        )
        if step.kind == BALL:
            self._set(
                node, parent, k.BALL, value, rot_near, t_near, step.axis, t_end, sign
            )
            return
        rotation = rot_near @ rot_end.T
        if step.kind == SLIDE:
            moved = t_near - rotation @ t_end
            self._set(node, parent, k.SLIDE, value, rotation, moved, rot_end @ axis)
        else:
            self._set(
                node, parent, k.TURN, value, rotation, t_near, rot_end @ axis, t_end
            )


def _turn_about(axis: list[float]) -> tuple[int, float]:
    """Return the code of a turn about a unit axis, and its sign.

    An axis along x, y or z has a cheaper one; the sign says which way it points.
    """
    for i, (a, b, c) in enumerate((axis, axis[1:] + axis[:1], axis[2:] + axis[:2])):
        if abs(b) < _AXIS_TOLERANCE and abs(c) < _AXIS_TOLERANCE:
            return k.TURN_X + i, math.copysign(1.0, a)
    return k.TURN, 1.0
