"""Digests of bodies."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["body_hash"]

_DIGITS = 6


def body_hash(body: Any) -> str:
    """Return 32 hexadecimal digits of joints and shapes of a body of pyrave.

    Names, masses and colours take no part, and numbers count to 1e-6.
    """
    digest = hashlib.md5(usedforsecurity=False)
    digest.update(str(body.structure.kinematics_hash).encode())
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


def _add(digest: Any, numbers: ArrayLike) -> None:
    # minus zero is zero
    rounded = np.round(np.asarray(numbers, dtype=np.float64), _DIGITS) + 0.0
    digest.update(rounded.astype("<f8").tobytes())
