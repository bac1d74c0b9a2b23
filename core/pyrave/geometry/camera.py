"""Cameras: a lens, an image size and a pose."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.geometry.lens import Lens, focal_length
from pyrave.spatial import Array, as_pose, as_rows, look_at

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

MAX_PIXELS = 1 << 24
"""Larger images are refused: a camera that makes all it can needs 210 bytes a pixel."""
# a camera keeps the rays of an image that has at most as many
_KEPT_RAYS = 1 << 22
_RAYS_AT_ONCE = 8_192
_FIELD_OF_VIEW = math.radians(45.0)


@dataclass(frozen=True, eq=False, repr=False)
class Camera:
    """A camera: looks along its +z, +x to the right, +y down in the image.

    Pixel (0, 0) is the middle of the top left pixel. Immutable, but for the rays that
    it keeps; `moved` gives the same camera elsewhere.

    Parameters
    ----------
    pose
        (4, 4) T_world_camera.
    width, height
        Pixels.
    lens
        Maps directions to pixels.
    """

    pose: Array
    width: int
    height: int
    lens: Lens
    _rays: dict[int, Array | None] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pose", as_pose(self.pose, "camera pose"))
        check_image_size(self.width, self.height)
        if not isinstance(self.lens, Lens):
            raise ArgumentError(f"lens is {shown(self.lens)}, expected a Lens")

    def __repr__(self) -> str:
        x, y, z = self.pose[:3, 3].tolist()
        at = f"({x:.3g}, {y:.3g}, {z:.3g})"
        return f"<Camera {self.width}x{self.height} pixels at {at}, {self.lens!r}>"

    @classmethod
    def at(
        cls,
        pose: ArrayLike,
        width: int = 640,
        height: int = 480,
        field_of_view: float = _FIELD_OF_VIEW,
    ) -> Camera:
        """Return a camera without distortion, its axis in the middle of the image.

        Parameters
        ----------
        pose
            (4, 4) T_world_camera.
        field_of_view
            Vertical, radians.
        """
        check_image_size(width, height)
        focal = focal_length(height, field_of_view)
        lens = Lens.centred(width, height, focal)
        return cls(as_pose(pose, "camera pose"), width, height, lens)

    @classmethod
    def look_at(
        cls,
        eye: ArrayLike,
        target: ArrayLike,
        up: ArrayLike = (0.0, 0.0, 1.0),
        width: int = 640,
        height: int = 480,
        field_of_view: float = _FIELD_OF_VIEW,
    ) -> Camera:
        """Return a camera at `eye` that sees `target` in the middle of its image.

        Parameters
        ----------
        eye, target, up
            (3,), world; `up` is a direction that is upwards in the image.
        field_of_view
            Vertical, radians.
        """
        return cls.at(look_at(eye, target, up), width, height, field_of_view)

    def moved(self, pose: ArrayLike) -> Camera:
        """Return the camera at another pose, (4, 4) T_world_camera."""
        return Camera(
            as_pose(pose, "camera pose"), self.width, self.height, self.lens, self._rays
        )

    def local_rays(self, rows: range | None = None, samples: int = 1) -> Array:
        """Return the viewing rays of pixels, in the camera's frame.

        Parameters
        ----------
        rows
            Image rows, all if None.
        samples
            Rays per pixel in each direction, on a regular grid.

        Returns
        -------
        ndarray
            (rows * samples, width * samples, 3) unit vectors; nan where the lens sees
            nothing. Not to be changed.
        """
        if rows is None:
            self.keep_rays(samples)
            rows = range(self.height)
        whole = self._rays.get(samples)
        if whole is None:
            return self._directions(rows, samples)
        return whole[rows.start * samples : rows.stop * samples]

    def keep_rays(self, samples: int) -> None:
        """Keep `local_rays` of all rows for more pictures.

        Those of a lens without distortion are kept once they are wanted for the second
        time: to fill new memory takes longer than to make them.

        Parameters
        ----------
        samples
            Of a pixel, along each axis.
        """
        if self.width * self.height * samples**2 > _KEPT_RAYS:
            return
        if samples not in self._rays and self.lens.is_ideal:
            self._rays[samples] = None
        elif self._rays.get(samples) is None:
            self._rays[samples] = self._directions(range(self.height), samples)

    def _directions(self, rows: range, samples: int) -> Array:
        columns = (np.arange(self.width * samples) + 0.5) / samples - 0.5
        first = rows.start * samples
        lines = np.arange(first, first + len(rows) * samples) + 0.5
        lines = lines / samples - 0.5
        found = np.empty((len(lines), len(columns), 3))
        # what is between fits into the processor's cache then, and needs no new memory
        step = max(_RAYS_AT_ONCE // len(columns), 1)
        pixels = np.empty((step, len(columns), 2))
        pixels[..., 0] = columns
        for begin in range(0, len(lines), step):
            part = found[begin : begin + step]
            pixels[: len(part), :, 1] = lines[begin : begin + step, None]
            part[:] = self.lens.unproject(pixels[: len(part)])
        found.setflags(write=False)
        return found

    def rays(self, rows: range | None = None, samples: int = 1) -> tuple[Array, Array]:
        """Return origin (3,) and the directions of `local_rays`, both in the world.

        Parameters
        ----------
        rows
            Rows of the image; None: all.
        samples
            Rays per pixel in each direction, on a regular grid.
        """
        local = self.local_rays(rows, samples)
        return self.pose[:3, 3].copy(), local @ self.pose[:3, :3].T

    def project(self, points: ArrayLike) -> tuple[Array, Array]:
        """Return pixels (n, 2) of points (n, 3) of the world, and depths (n,) along z.

        Pixel coordinates are x right, y down; whole numbers are the middles of pixels.
        What the lens does not see, and what is behind a camera, has nan.
        """
        p = as_rows(points, (3,), "points")
        local = (p - self.pose[:3, 3]) @ self.pose[:3, :3]
        return self.lens.project(local), local[:, 2]

    def unproject(self, pixels: ArrayLike) -> tuple[Array, Array]:
        """Return origin (3,) and unit directions (..., 3) of pixels (..., 2), world."""
        local = self.lens.unproject(pixels)
        return self.pose[:3, 3].copy(), local @ self.pose[:3, :3].T


def check_image_size(width: int, height: int) -> None:
    """Raise ArgumentError for an image that is empty or too large."""
    if not (isinstance(width, Integral) and isinstance(height, Integral)):
        raise ArgumentError(
            f"an image has {shown(width)} x {shown(height)} pixels, expected whole "
            "numbers"
        )
    if width <= 0 or height <= 0:
        raise ArgumentError(f"an image of {width} x {height} pixels is empty")
    if width * height > MAX_PIXELS:
        raise ArgumentError(
            f"an image of {width} x {height} pixels is too large; at most "
            f"{MAX_PIXELS} pixels"
        )
