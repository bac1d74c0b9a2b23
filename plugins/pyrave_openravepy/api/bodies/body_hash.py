"""Digests of bodies."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["body_hash"]

_DIGITS = 6
_OFF_TIES = 3.7e-8
"""Added to computed numbers: those of files end in a 5, and would go both ways."""


def body_hash(body: Any) -> str:
    """Return 32 hexadecimal digits of joints and shapes of a body of pyrave.

    Names, masses and colours take no part, nor do the frames in which joints are
    written, and numbers count to 1e-6.
    """
    digest = hashlib.md5(usedforsecurity=False)
    _add_joints(digest, body)
    for link in body.links:
        digest.update(f"link {len(link.geometries)} ".encode())
        for shape in link.geometries:
            digest.update(f"{shape.type} ".encode())
            _add(digest, shape.transform)
            if shape.type != "none" and not shape.unusable:
                mesh = shape.mesh
                _add(digest, mesh.vertices)
                digest.update(np.asarray(mesh.faces, dtype="<i4").tobytes())
    return digest.hexdigest()


def _add_joints(digest: Any, body: Any) -> None:
    """Add which links joints connect, where they are at zero, and their axes."""
    model = body.model
    digest.update(f"{model.n_links} {model.n_dof} ".encode())
    digest.update(np.asarray(model.tree, dtype="<i8").tobytes())
    digest.update(np.asarray(model.joint_links, dtype="<i8").tobytes())
    for k, joint in enumerate(body.description.joints):
        near, far = model.T_parent_joint[k], model.T_child_joint[k]
        digest.update(f"joint {joint.type} ".encode())
        _add(digest, near @ np.linalg.inv(far) + _OFF_TIES)
        if joint.type in {"spherical", "trajectory"}:
            _add(digest, near + _OFF_TIES)
        for axis in joint.axes:
            way = near[:3, :3] @ axis.direction
            # any point of a line is as good, and a motion along a line has none
            foot = near[:3, 3] - way * (way @ near[:3, 3])
            line = (way, way if axis.prismatic else foot)
            _add(digest, np.concatenate(line) + _OFF_TIES)
    count = model.n_position_instructions
    digest.update(np.asarray(model.tape[:count], dtype="<i8").tobytes())
    tables = model.tape_constants[len(model.tape) :]
    _add(digest, np.concatenate((model.tape_constants[:count], tables)))
    _add(digest, model.rest_values[model.n_dof :])


def _add(digest: Any, numbers: ArrayLike) -> None:
    # minus zero is zero
    rounded = np.round(np.asarray(numbers, dtype=np.float64), _DIGITS) + 0.0
    digest.update(rounded.astype("<f8").tobytes())
