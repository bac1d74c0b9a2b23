"""The part of the world that a camera, or a region of its image, sees: a pyramid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.cards import counted
from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.geometry import Camera, Lens
from pyrave.spatial import as_array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.attached_sensor import AttachedSensor
    from pyrave.spatial import Array

_EDGE_POINTS = 16
"""Points on a side of the image of a lens that bends straight lines."""
_FLAT = 1e-12


def camera_of(mounted: AttachedSensor) -> Camera:
    """Return lens and image of an attached camera."""
    sensor = mounted.sensor
    known = getattr(sensor, "camera", None)
    if isinstance(known, Camera):
        return known
    geometry = sensor.get_sensor_geometry()
    width, height, lens = (
        getattr(geometry, name, None) for name in ("width", "height", "lens")
    )
    if not (width and height and isinstance(lens, Lens)):
        raise NotSupportedError(
            f"{mounted!r} is no camera: its geometry is {type(geometry).__name__}, "
            "expected one with width, height and a lens"
        )
    return Camera(np.eye(4), width, height, lens)


def view_pyramid(camera: Camera, region: ArrayLike | None) -> tuple[Array, Array]:
    """Return planes (k, 3) through the camera around a region, and its middle (3,).

    Their normals, unit vectors, lead inside.
    """
    wide, high = camera.width - 0.5, camera.height - 0.5
    corners = np.array(((-0.5, -0.5), (wide, -0.5), (wide, high), (-0.5, high)))
    if region is not None:
        corners = as_array(region, (None, 2), "region")
        if len(corners) < 3:
            raise ArgumentError(
                f"region has {counted(len(corners), 'corner')}, expected 3 at least"
            )
        ways = np.roll(corners, -1, axis=0) - corners
        after = np.roll(ways, -1, axis=0)
        turns = ways[:, 0] * after[:, 1] - ways[:, 1] * after[:, 0]
        if (turns < 0.0).any() and (turns > 0.0).any():
            raise ArgumentError(
                "region is not convex, or its corners are in no order around it"
            )
    each = 1 if camera.lens.is_ideal else _EDGE_POINTS
    parts = np.arange(each)[:, None] / each
    following = np.roll(corners, -1, axis=0)
    border = np.concatenate(
        [a + parts * (b - a) for a, b in zip(corners, following, strict=True)]
    )
    rays = camera.lens.unproject(border)
    if not np.isfinite(rays).all() or (rays[:, 2] <= 0.0).any():
        raise ArgumentError(
            f"{'region' if region is not None else 'the image'} reaches where the lens "
            "sees nothing, or what is beside and behind the camera; give a smaller "
            "region"
        )
    planar = rays[:, :2] / rays[:, 2:]
    area, middle = _centroid(planar)
    if abs(area) < _FLAT:
        raise ArgumentError("the corners of region are on a line")
    normals = np.cross(rays, np.roll(rays, -1, axis=0)) * np.sign(area)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals[lengths[:, 0] > 0.0] / lengths[lengths[:, 0] > 0.0]
    return normals, np.append(middle, 1.0)


def _centroid(points: Array) -> tuple[float, Array]:
    """Return the signed area and the centroid (2,) of a polygon (n, 2)."""
    after = np.roll(points, -1, axis=0)
    crossed = points[:, 0] * after[:, 1] - points[:, 1] * after[:, 0]
    area = 0.5 * float(crossed.sum())
    if abs(area) < _FLAT:
        return 0.0, points.mean(axis=0)
    middle = ((points + after) * crossed[:, None]).sum(axis=0) / (6.0 * area)
    return area, np.asarray(middle)
