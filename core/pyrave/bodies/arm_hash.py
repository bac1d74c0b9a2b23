"""A digest of the way from one link to another: equal for arms that move alike."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import Array, invert_pose

if TYPE_CHECKING:
    from pyrave.kinematics import Model

_DIGITS = 9


def arm_hash(model: Model, base: str, end: str, tool: Array) -> str:
    """Return a digest of the joints between two links and of the tool frame.

    Each joint counts with the pose of its frame in the frame before, its axes and
    whether they slide, which degree of freedom of the arm they are, and the way round.
    Names, limits and masses take no part; numbers count to 1e-9.

    Parameters
    ----------
    tool
        (4, 4) T_end_tool.
    """
    chain = model.chain(base, end)
    arm = chain.dof_indices.tolist()
    digest = hashlib.sha256()
    T_link_frame = np.eye(4)  # noqa: N806 - where the joint before ended
    for link, joint in zip(chain.links, chain.joints, strict=False):
        forward = int(model.joint_links[joint, 0]) == link
        near, far = model.T_parent_joint[joint], model.T_child_joint[joint]
        if not forward:
            near, far = far, near
        first, count = model.joint_values[joint].tolist()
        values = range(first, first + count)
        digest.update(f"{model.joint_types[joint]} {forward} ".encode())
        for value in values:
            driven = np.flatnonzero(model.follows[value]).tolist()
            order = [arm.index(i) for i in driven]
            digest.update(f"{order} {bool(model.prismatic[value])} ".encode())
            fixed = 0.0 if driven else float(model.rest_values[value])
            _add(digest, np.array((*model.axis_directions[value], fixed)))
        _add(digest, invert_pose(T_link_frame) @ near)
        T_link_frame = far  # noqa: N806
    _add(digest, invert_pose(T_link_frame) @ tool)
    return digest.hexdigest()


def _add(digest: hashlib._Hash, numbers: Array) -> None:
    # minus zero is zero
    digest.update((np.round(numbers, _DIGITS) + 0.0).astype("<f8").tobytes())
