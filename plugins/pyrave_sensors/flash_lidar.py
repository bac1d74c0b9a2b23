"""A range camera that lights the whole scene at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.sensor_geometry import CameraIntrinsics, FlashLidarGeometry
from pyrave_sensors.measuring import require_finite
from pyrave_sensors.scanning import Beams, Scanner
from pyrave_sensors.tables_laser import FAR, FLASH_LIDAR, LEAST_FOCAL_LENGTH, MAX_RAYS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave_sensors.settings import SettingTable

__all__ = ["BaseFlashLidar3D"]


class BaseFlashLidar3D(Scanner[FlashLidarGeometry]):
    """Measure a grid of ranges with the rays of a pinhole camera.

    The ray of the pixel in column w and row h is number ``w * height + h`` and has the
    direction ``((w - cx) / fx, (h - cy) / fy, 1)``: z looks ahead.

    XML tags: ``KK`` (fx fy cx cy, 500 500 250 250 pixels), ``width`` (64), ``height``
    (64), ``maxrange`` (100), ``scantime`` (0), ``color``, ``power``; ``minangle`` and
    ``maxangle`` are kept, as in OpenRAVE they cut nothing. OpenRAVE knows no minimum
    range here; without ``minrange`` it is 0, and with one it counts.
    """

    contract = 1
    geometry_type = FlashLidarGeometry
    settings: ClassVar[SettingTable] = FLASH_LIDAR
    plain_fields = ("width", "height")

    def default_geometry(self) -> FlashLidarGeometry:
        """Return 64 x 64 pixels, up to 100 m."""
        return FlashLidarGeometry(
            min_angle=(-math.pi / 2, 0.0),
            max_angle=(math.pi / 2, 0.0),
            max_range=100.0,
            intrinsics=CameraIntrinsics(fx=500.0, fy=500.0, cx=250.0, cy=250.0),
            width=64,
            height=64,
        )

    def fill(self, geometry: FlashLidarGeometry, values: Mapping[str, Any]) -> None:
        """Set the fields of a geometry about which a file says something."""
        super().fill(geometry, values)
        if "kk" in values:
            k = geometry.intrinsics
            k.fx, k.fy, k.cx, k.cy = values["kk"]

    def values_of(self, geometry: FlashLidarGeometry) -> dict[str, Any]:
        """Return a geometry as values of a file."""
        k, plain = geometry.intrinsics, self.default_geometry().intrinsics
        kk = (k.fx, k.fy, k.cx, k.cy)
        same = kk == (plain.fx, plain.fy, plain.cx, plain.cy)
        return super().values_of(geometry) | {"kk": None if same else kk}

    def check_geometry(self, geometry: FlashLidarGeometry) -> None:
        """Raise ArgumentError if a geometry makes no sense."""
        self.check_ranges(geometry)
        k = geometry.intrinsics
        angles = geometry.min_angle[0], geometry.max_angle[0]
        require_finite(geometry, k.fx, k.fy, k.cx, k.cy, *angles)
        sizes = list(map(abs, (k.fx, k.fy, k.cx, k.cy)))
        if min(sizes[:2]) < LEAST_FOCAL_LENGTH or max(sizes) > FAR:
            raise ArgumentError(
                f"fx, fy, cx, cy are {k.fx:g}, {k.fy:g}, {k.cx:g}, {k.cy:g} pixels, "
                f"expected up to {FAR:g}, and fx and fy {LEAST_FOCAL_LENGTH:g} or more"
            )
        if k.skew != 0 or k.distortion_model or any(k.distortion_coeffs):
            raise ArgumentError(
                f"the lens has the skew {k.skew:g} and the distortion "
                f"{k.distortion_model!r} {k.distortion_coeffs}, expected none: the "
                "rays of a flash lidar are those of a pinhole"
            )
        if geometry.time_increment != 0:
            raise ArgumentError(
                f"time_increment is {geometry.time_increment:g} s, expected 0: a flash "
                "lidar lights everything at once"
            )
        sides = geometry.width, geometry.height
        if min(sides) < 1 or math.prod(sides) > MAX_RAYS:
            raise ArgumentError(
                f"the lidar has {sides[0]} x {sides[1]} pixels, expected at least one "
                f"and at most {MAX_RAYS} in all"
            )

    def make_beams(self) -> Beams:
        """Return a ray for each pixel, column by column."""
        g, k = self._geometry, self._geometry.intrinsics
        grid = np.empty((g.width, g.height, 3))
        grid[..., 0] = ((np.arange(g.width) - k.cx) / k.fx)[:, None]
        grid[..., 1] = (np.arange(g.height) - k.cy) / k.fy
        grid[..., 2] = 1.0
        rays = grid.reshape(-1, 3)
        directions = rays / np.sqrt((rays**2).sum(axis=1))[:, None]
        return Beams(directions, grid=(g.width, g.height))
