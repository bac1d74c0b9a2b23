"""A pinhole camera for pictures of a scene."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.spatial import Array, as_pose, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Camera"]

_LARGEST_IMAGE = 1 << 26


@dataclass(frozen=True, eq=False)
class Camera:
    """A pinhole camera: looks along its +z, +x to the right, +y down in the image.

    Parameters
    ----------
    pose
        (4, 4) T_world_camera.
    width, height
        Pixels.
    focal
        Focal length, pixels; None for a vertical field of view of 45 degrees. The
        optical axis meets the middle of the image.
    """

    pose: Array
    width: int = 640
    height: int = 480
    focal: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "pose", as_pose(self.pose, "camera pose"))
        if self.width <= 0 or self.height <= 0:
            raise ArgumentError(
                f"an image of {self.width} x {self.height} pixels is empty"
            )
        if self.width * self.height > _LARGEST_IMAGE:
            raise ArgumentError(
                f"an image of {self.width} x {self.height} pixels is too large; at "
                f"most {_LARGEST_IMAGE} pixels"
            )
        focal = self.focal
        if focal is None:
            focal = focal_length(self.height, math.radians(45.0))
        if not (math.isfinite(focal) and focal > 0):
            raise ArgumentError(f"focal length is {focal}, expected a positive number")
        object.__setattr__(self, "focal", float(focal))

    @classmethod
    def look_at(
        cls,
        eye: ArrayLike,
        target: ArrayLike,
        up: ArrayLike = (0.0, 0.0, 1.0),
        width: int = 640,
        height: int = 480,
        field_of_view: float = math.radians(45.0),
    ) -> Camera:
        """Return a camera at `eye` that sees `target` in the middle of its image.

        Parameters
        ----------
        eye, target, up
            (3,), world; `up` is a direction that is upwards in the image.
        field_of_view
            Vertical, radians.
        """
        eye = as_vector(eye, 3, "eye")
        forward = as_vector(target, 3, "target") - eye
        length = math.sqrt(forward @ forward)
        if not length > 0:
            raise ArgumentError("eye and target are at the same place")
        forward = forward / length
        right = np.cross(forward, as_vector(up, 3, "up"))
        length = math.sqrt(right @ right)
        if not length > 1e-9:
            # straight up or down: any direction of the image will do
            right = np.cross(forward, np.eye(3)[int(np.argmin(np.abs(forward)))])
            length = math.sqrt(right @ right)
        right = right / length
        pose = np.eye(4)
        pose[:3, 0], pose[:3, 1], pose[:3, 2] = right, np.cross(forward, right), forward
        pose[:3, 3] = eye
        return cls(pose, width, height, focal_length(height, field_of_view))

    @property
    def _focal(self) -> float:
        return cast("float", self.focal)  # __post_init__ sets it

    def rays(self, rows: range | None = None, samples: int = 1) -> tuple[Array, Array]:
        """Return origin (3,) and unit directions (rows, width, samples^2, 3), world.

        Parameters
        ----------
        rows
            Image rows, all if None.
        samples
            Rays per pixel in each direction, on a regular grid.
        """
        rows = range(self.height) if rows is None else rows
        inside = (np.arange(samples) + 0.5) / samples
        x = np.arange(self.width)[:, None] + inside - 0.5 * self.width
        y = np.asarray(rows)[:, None] + inside - 0.5 * self.height
        local = np.empty((len(rows), self.width, samples, samples, 3))
        local[..., 0] = x[None, :, None, :] / self._focal
        local[..., 1] = y[:, None, :, None] / self._focal
        local[..., 2] = 1.0
        local /= np.sqrt(np.einsum("...i,...i", local, local))[..., None]
        directions = (
            local.reshape(len(rows), self.width, samples**2, 3) @ self.pose[:3, :3].T
        )
        return self.pose[:3, 3].copy(), directions

    def project(self, points: ArrayLike) -> tuple[Array, Array]:
        """Return pixel coordinates (n, 2) as x right, y down, and depths (n,) along z.

        Pixel (0, 0) covers 0..1. What is not in front of the camera has depth <= 0
        and pixel coordinates nan.
        """
        p = np.asarray(points, dtype=np.float64).reshape(-1, 3) - self.pose[:3, 3]
        local = p @ self.pose[:3, :3]
        depth = local[:, 2]
        safe = np.where(depth > 1e-9, depth, np.nan)
        centre = np.array((0.5 * self.width, 0.5 * self.height))
        return centre + self._focal * local[:, :2] / safe[:, None], depth


def focal_length(pixels: int, field_of_view: float) -> float:
    """Return the focal length, pixels, at which `pixels` span an angle, radians."""
    if not 0.0 < field_of_view < math.pi:
        raise ArgumentError(
            f"field of view is {field_of_view}, expected between 0 and pi radians"
        )
    return 0.5 * pixels / math.tan(0.5 * field_of_view)
