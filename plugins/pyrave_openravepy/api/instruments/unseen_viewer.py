"""A viewer without a window, for who runs scripts that want one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import pyrave

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["UnseenViewer"]


class UnseenViewer(pyrave.ViewerBase):
    """A viewer that renders images and shows nothing."""

    contract = 2

    def __init__(self, env: Any, *args: str) -> None:
        super().__init__(env, *args)
        self._shown: Any = env

    def main(self, show: bool = True) -> int:
        """Return at once: there is no window that somebody could close."""
        return 0

    def quit_main_loop(self) -> None:
        """Do nothing: nobody waits."""

    def set_camera(self, pose: ArrayLike, focal_distance: float = 0.0) -> None:
        """Do nothing: who asks for images says from where."""

    def set_size(self, width: int, height: int) -> None:
        """Do nothing: who asks for images says how large."""

    def set_background_color(self, rgb: ArrayLike) -> None:
        """Do nothing: nobody sees it."""

    def get_camera_image(
        self, width: int, height: int, pose: ArrayLike, intrinsics: ArrayLike
    ) -> NDArray[np.uint8]:
        """Return an image (height, width, 3); intrinsics are fx fy cx cy, pixels."""
        from pyrave.geometry import Camera, Lens
        from pyrave.pictures import draw

        fx, fy, cx, cy = np.asarray(intrinsics, float).tolist()
        camera = Camera(np.asarray(pose, float), width, height, Lens(fx, fy, cx, cy))
        with self._shown.lock():
            return draw(self._shown.visual_scene, camera)
