"""A viewer without a window, for who runs scripts that want one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import pyrave
from pyrave.interfaces import command

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

__all__ = ["UnseenClick", "UnseenViewer"]


@dataclass(frozen=True)
class UnseenClick:
    """A click that a script has made.

    Parameters
    ----------
    link
        What was clicked.
    point
        (3,) where, world, metres.
    """

    link: Any
    point: NDArray[np.float64]


class UnseenViewer(pyrave.ViewerBase):
    """A viewer that renders images and shows nothing."""

    contract = 2

    def __init__(self, env: Any, *args: str) -> None:
        super().__init__(env, *args)
        self._shown: Any = env
        self._callbacks: list[Callable[[Any], object]] = []
        self._camera = np.array(env.viewpoint().pose)

    def main(self, show: bool = True) -> int:
        """Return at once: there is no window that somebody could close."""
        return 0

    def quit_main_loop(self) -> None:
        """Do nothing: nobody waits."""

    def set_camera(self, pose: ArrayLike, focal_distance: float = 0.0) -> None:
        """Keep the place for clicks; who asks for images says from where."""
        self._camera = np.asarray(pose, float)

    def set_size(self, width: int, height: int) -> None:
        """Do nothing: who asks for images says how large."""

    def set_background_color(self, rgb: ArrayLike) -> None:
        """Do nothing: nobody sees it."""

    def on_click(self, callback: Callable[[Any], object]) -> pyrave.Handle:
        """Call back at each `click`, until closed."""
        self._callbacks.append(callback)
        return pyrave.Handle(lambda: self._callbacks.remove(callback))

    @command(name="Click")
    def click(self, column: float = 0.5, row: float = 0.5) -> bool:
        """Click at what is in the picture, as somebody would if there was a window.

        Parameters
        ----------
        column, row
            Parts of the picture from its left and upper border, 0 to 1.
        """
        # half of what 60 degrees see, and a picture of 4 to 3
        half = np.tan(np.pi / 6)
        way = (8 / 3 * half * (column - 0.5), 2 * half * (row - 0.5), 1.0)
        origin, turn = self._camera[:3, 3], self._camera[:3, :3]
        with self._shown.lock():
            hits = self._shown.raycast(origin, [turn @ way], surfaces="visual")
            link = hits.link_of(0)
            if link is None:
                return False
            point = np.array(hits.position[0])
        for callback in list(self._callbacks):
            callback(UnseenClick(link, point))
        return True

    def get_camera_image(
        self, width: int, height: int, pose: ArrayLike, intrinsics: ArrayLike
    ) -> NDArray[np.uint8]:
        """Return an image (height, width, 3); intrinsics are fx fy cx cy, pixels."""
        from pyrave.geometry import Camera, Lens
        from pyrave.pictures import DrawnLayer, draw

        fx, fy, cx, cy = np.asarray(intrinsics, float).tolist()
        camera = Camera(np.asarray(pose, float), width, height, Lens(fx, fy, cx, cy))
        with self._shown.lock():
            drawn = self._shown.draw.entries().values()
            layers = [DrawnLayer(one.item) for one in drawn if one.visible]
            return draw(self._shown.visual_scene, camera, layers)
