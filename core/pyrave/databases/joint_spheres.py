"""Spheres around what each joint moves, in all configurations of the joints behind it.

Each is made of the boxes of links and the spheres of the joints behind them, as
OpenRAVE's database ``linkstatistics`` makes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave import kinematics
from pyrave.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyrave.kinematics import Model
    from pyrave.spatial import Array

_LONGEST = 1e3
"""Metres of travel from which on a sliding joint counts as one without limits."""
Ball = tuple["Array", float]
"""Centre (3,) and radius."""


@dataclass(frozen=True, slots=True)
class JointSpheres(Record):
    """Spheres of joints, with the base at the origin and all joints at 0, metres.

    Parameters
    ----------
    centres, radii
        (n_joints, 3) and (n_joints,): around what a joint moves while those behind it
        are at 0, as OpenRAVE makes them. A radius is 0 where a joint moves no geometry.
    reaches
        (n_joints,) distance from the joint's axis that nothing which it moves exceeds,
        whatever the joints behind it do.
    base_reaches
        (2,) the same of the whole body, from the z axis and the origin of its base.
    """

    centres: Array
    radii: Array
    reaches: Array
    base_reaches: Array


def joint_spheres(
    model: Model, boxes: Array, held: Mapping[int, Iterable[Array]] | None = None
) -> JointSpheres:
    """Return the spheres of all joints of a body, passive and coupled ones included.

    Parameters
    ----------
    boxes
        (n_links, 2, 3) centre and half extents in the link's frame; nan: no geometry.
    held
        Further boxes (2, 3) in the frame of a link, by its index: what is held there.
    """
    parts = _Parts(model, boxes, held or {})
    n = model.n_joints
    centres, radii = parts.frames[:, :3, 3].copy(), np.zeros(n)
    swept, reaches = np.zeros(n), np.zeros(n)
    for joint in reversed(model.joint_order.tolist()):
        child = int(model.joint_hierarchy[joint, 1])
        if child < 0:
            continue
        own, behind = parts.moved_by(child)
        anchor = parts.frames[joint, :3, 3]
        found = [
            (place, float(radii[one]))
            for one in behind
            if radii[one] > 0.0
            for place in parts.ends(one, centres[one])
        ]
        centres[joint], radii[joint] = _sphere(anchor, own, found)
        far = [*own, *(parts.swept(one, swept[one]) for one in behind if swept[one])]
        swept[joint] = max((_reach(anchor, *ball) for ball in far), default=0.0)
        axis = parts.axis(joint)
        reaches[joint] = max((_reach(anchor, *ball, axis) for ball in far), default=0.0)
    own, behind = parts.moved_by(0)
    far = [*own, *(parts.swept(one, swept[one]) for one in behind if swept[one])]
    origin, up = parts.poses[0, :3, 3], parts.poses[0, :3, 2]
    base = [
        max((_reach(origin, *ball, way) for ball in far), default=0.0)
        for way in (up, None)
    ]
    return JointSpheres(centres, radii, reaches, np.array(base))


class _Parts:
    """A body at 0: frames of its joints, spheres around its links."""

    def __init__(
        self, model: Model, boxes: Array, held: Mapping[int, Iterable[Array]]
    ) -> None:
        self.model = model
        self.poses = kinematics.link_transforms(
            model, np.eye(4), np.zeros(model.n_dof), passive=None
        )
        self.frames = self.poses[model.joint_links[:, 0]] @ model.T_parent_joint
        self._balls: list[list[Ball]] = [
            [
                (pose[:3, :3] @ middle + pose[:3, 3], float(np.linalg.norm(half)))
                for middle, half in (boxes[link], *held.get(link, ()))
                if np.isfinite(half).all()
            ]
            for link, pose in enumerate(self.poses)
        ]

    def moved_by(self, link: int) -> tuple[list[Ball], list[int]]:
        """Return spheres of a link and what is rigid with it, and joints behind."""
        model = self.model
        rigid = model.rigidly_attached(link).tolist()
        # joints that cannot move join what is rigid
        behind = np.isin(model.joint_hierarchy[:, 0], rigid) & ~np.isin(
            model.joint_hierarchy[:, 1], rigid
        )
        own = [ball for one in rigid for ball in self._balls[one]]
        return own, np.flatnonzero(behind & (model.joint_hierarchy[:, 1] >= 0)).tolist()

    def axis(self, joint: int) -> Array | None:
        """Return the axis (3,) of a joint that turns about one, else None."""
        first, count = self.model.joint_values[joint].tolist()
        if count != 1 or self.model.prismatic[first]:
            return None
        return np.asarray(
            self.frames[joint, :3, :3] @ self.model.axis_directions[first]
        )

    def _travels(self, joint: int) -> list[tuple[Array, float, float]]:
        """Return directions, and lower and upper limits, along which a joint slides."""
        model = self.model
        first, count = model.joint_values[joint].tolist()
        found = []
        for value in range(first, first + count):
            low, high = float(model.value_lower[value]), float(model.value_upper[value])
            if model.prismatic[value] and high - low < _LONGEST:
                way = self.frames[joint, :3, :3] @ model.axis_directions[value]
                found.append((way, low, high))
        return found

    def ends(self, joint: int, centre: Array) -> list[Array]:
        """Return the places of a centre at the ends of the travel of a joint."""
        places = [centre]
        for way, low, high in self._travels(joint):
            places = [place + far * way for place in places for far in (low, high)]
        return places

    def swept(self, joint: int, radius: float) -> Ball:
        """Return a sphere about a joint's origin that all is in which it moves."""
        travel = sum(max(abs(low), abs(high)) for _, low, high in self._travels(joint))
        return self.frames[joint, :3, 3], radius + travel


def _sphere(anchor: Array, own: list[Ball], behind: list[Ball]) -> Ball:
    """Return the sphere of a joint of those of its links and of joints behind.

    Its centre is that of a box around all, in which its links count as a sphere about
    the anchor.
    """
    radius = max((_reach(anchor, *ball) for ball in own), default=0.0)
    low, high = anchor - radius, anchor + radius
    for middle, far in behind:
        low, high = np.minimum(low, middle - far), np.maximum(high, middle + far)
    centre = 0.5 * (low + high)
    mine = _reach(centre, anchor, radius) if own else 0.0
    return centre, max([mine, *(_reach(centre, *ball) for ball in behind)])


def _reach(
    point: Array, centre: Array, radius: float, axis: Array | None = None
) -> float:
    """Return the largest distance of a sphere from a point, or an axis through it."""
    apart = centre - point
    if axis is not None:
        apart = apart - (apart @ axis) * axis
    return float(np.linalg.norm(apart)) + radius
