"""A range camera that lights the whole scene at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.sensing.geometry import CameraIntrinsics, FlashLidarGeometry
from pyrave_sensors.ranges.scanner import Beams, Scanner
from pyrave_sensors.ranges.scanner_settings import (
    ScannerSettings,
    near_limit,
    too_many_rays,
)
from pyrave_sensors.settings.fields import FAR, Conflict, setting

_MIN_FOCAL_LENGTH = 1e-6


@dataclass(frozen=True)
class FlashLidarSettings(ScannerSettings):
    """Settings of a flash lidar; as in OpenRAVE the angles restrict nothing."""

    title = "a flash lidar"
    geometry_type = FlashLidarGeometry

    # fmt: off
    kk: tuple[float, float, float, float] = setting(
        (500.0, 500.0, 250.0, 250.0), example="500 500 32 32", least=-FAR, most=FAR,
        unit="pixels", doc="fx fy cx cy")
    width: int = setting(64, example="64", least=1, unit="pixels", doc="columns")
    height: int = setting(64, example="64", least=1, unit="pixels", doc="rows")
    min_range: float = near_limit(0.0)
    # fmt: on

    def conflict(self) -> Conflict | None:
        """Return focal lengths of zero, too many pixels, or a scanner's conflict."""
        if min(map(abs, self.kk[:2])) < _MIN_FOCAL_LENGTH:
            return Conflict(
                ("kk",),
                f"fx and fy are {self.kk[:2]}, less than {_MIN_FOCAL_LENGTH}",
            )
        names = ("width", "height") if self.width > self.height else ("height", "width")
        subject = f"{self.width} x {self.height} pixels make"
        return too_many_rays(
            self.width * self.height, names, subject
        ) or ScannerSettings.conflict(self)

    def geometry(self) -> FlashLidarGeometry:
        """Return the geometry with these values."""
        made: FlashLidarGeometry = ScannerSettings.geometry(self)
        made.intrinsics = CameraIntrinsics(*self.kk)
        return made

    def with_geometry(self, geometry: Any) -> Self:
        """Return settings with the values of a geometry, whose lens is a pinhole."""
        k = geometry.intrinsics
        if k != CameraIntrinsics(k.fx, k.fy, k.cx, k.cy):
            raise ArgumentError(
                f"the lens is {k}, expected fx, fy, cx and cy alone: the rays of a "
                "flash lidar are those of a pinhole"
            )
        if any((geometry.min_angle[1], geometry.max_angle[1], *geometry.resolution)):
            raise ArgumentError(
                f"resolution is {geometry.resolution}, min_angle and max_angle have "
                f"the elevations {geometry.min_angle[1]} and {geometry.max_angle[1]}, "
                "expected 0: the rays of a flash lidar are those of a pinhole"
            )
        if geometry.time_increment != 0:
            raise ArgumentError(
                f"time_increment is {geometry.time_increment:g} s, expected 0: a flash "
                "lidar lights everything at once"
            )
        new = ScannerSettings.with_geometry(self, geometry)
        return replace(new, kk=(k.fx, k.fy, k.cx, k.cy))


def pinhole_grid(geometry: FlashLidarGeometry) -> Beams:
    """Return a ray for each pixel of a pinhole camera, column by column.

    The ray of the pixel in column w and row h is number ``w * height + h`` and has the
    direction ``((w - cx) / fx, (h - cy) / fy, 1)``: z looks ahead.
    """
    g, k = geometry, geometry.intrinsics
    grid = np.empty((g.width, g.height, 3))
    grid[..., 0] = ((np.arange(g.width) - k.cx) / k.fx)[:, None]
    grid[..., 1] = (np.arange(g.height) - k.cy) / k.fy
    grid[..., 2] = 1.0
    rays = grid.reshape(-1, 3)
    directions = rays / np.sqrt((rays**2).sum(axis=1))[:, None]
    return Beams(directions, grid=(g.width, g.height))


class BaseFlashLidar3D(Scanner[FlashLidarGeometry]):
    """Measure a grid of ranges with the rays of a pinhole camera, see `pinhole_grid`.

    XML tags: see `FlashLidarSettings`. OpenRAVE knows no minimum range here; without
    ``minrange`` it is 0, and with one it counts.
    """

    contract = 2
    settings_type = FlashLidarSettings

    def make_beams(self) -> Beams:
        """Return a ray for each pixel, column by column."""
        return pinhole_grid(self._geometry)
