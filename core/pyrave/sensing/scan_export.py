"""Scans as arrays and as pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.files import replaced_file
from pyrave.geometry import Camera, overlay_points, write_image

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyrave.sensing.data import LaserData
    from pyrave.spatial import Array

_SIZE = (960, 720)
_FIELD_OF_VIEW = np.radians(45.0)
_DIRECTION = np.array((-1.0, -1.2, 0.8)) / np.sqrt(3.08)
# dark blue, green, yellow: low to high, evenly spaced in lightness
_SCALE = np.array(((0.16, 0.18, 0.45), (0.11, 0.55, 0.55), (0.85, 0.72, 0.05)))


def write_scans(target: Path, scans: Sequence[LaserData]) -> None:
    """Write everything of scans to an ``.npz`` file, one row a ray, in their order.

    ``stamp`` (k,) seconds, ``pose`` (k, 4, 4) and ``rays`` (k,), how many rays
    each scan has; ``positions``, ``ranges``, ``intensity``, ``body_ids`` and, if all
    scans have them, ``rings`` and ``time_offsets`` of each ray, see `LaserData`.
    """
    arrays: dict[str, Any] = {
        "stamp": np.array([scan.stamp for scan in scans], np.float64),
        "pose": np.array([scan.pose for scan in scans]),
        "rays": np.array([len(scan.ranges) for scan in scans], np.int64),
        "positions": np.concatenate(
            [np.broadcast_to(scan.positions, scan.ranges.shape) for scan in scans]
        ),
    }
    for name in ("ranges", "intensity", "body_ids", "rings", "time_offsets"):
        rows = [getattr(scan, name) for scan in scans]
        if all(
            len(row) == len(scan.ranges) for row, scan in zip(rows, scans, strict=True)
        ):
            arrays[name] = np.concatenate(rows)
    with replaced_file(target) as partial:
        np.savez_compressed(partial, **arrays)


def draw_points(target: Path, points: Array) -> None:
    """Write a picture of points (n, 3), coloured by their height, on white."""
    width, height = _SIZE
    image = np.full((height, width, 3), 255, np.uint8)
    if len(points):
        lower, upper = points.min(axis=0), points.max(axis=0)
        middle = 0.5 * (lower + upper)
        radius = max(0.5 * float(np.linalg.norm(upper - lower)), 0.01)
        eye = middle + radius / np.sin(0.5 * _FIELD_OF_VIEW) * _DIRECTION
        camera = Camera.look_at(
            eye, middle, width=width, height=height, field_of_view=_FIELD_OF_VIEW
        )
        share = (points[:, 2] - lower[2]) / max(upper[2] - lower[2], 1e-9)
        at = np.linspace(0.0, 1.0, len(_SCALE))
        colours = np.stack([np.interp(share, at, one) for one in _SCALE.T], axis=1)
        # the nearest are painted last, over the others
        order = np.argsort(-((points - eye) ** 2).sum(axis=1))
        image = overlay_points(image, camera, points[order], colours[order], radius=1.6)
    write_image(target, image)
