"""Light, ground and the first camera."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.look import SUN

if TYPE_CHECKING:
    import viser

    from pyrave.geometry import Camera

_DARK, _LIGHT = (24, 26, 30), (245, 246, 248)
_CELLS = {
    True: ((62, 66, 74), (92, 98, 110)),
    False: ((205, 208, 214), (165, 170, 180)),
}
_GRID = 40.0
# browsers bend what lights add up to; with these, shades are those of pictures
_SUN, _SKY, _GROUND = 0.67, 0.275, (162, 162, 162)
# just below what stands on the ground, so that floors of scenes win
_BELOW = -2e-3


def _light(scene: viser.SceneApi) -> None:
    """Light things as in pictures: from the sky, and from where their sun is."""
    scene.configure_default_lights(enabled=False)
    scene.configure_environment_map(None)
    scene.add_light_directional(
        "/lights/sun", intensity=_SUN * np.pi, cast_shadow=True, position=SUN.place
    )
    scene.add_light_hemisphere(
        "/lights/sky", intensity=_SKY * np.pi, ground_color=_GROUND,
        position=(0.0, 0.0, 1.0),
    )  # fmt: skip


class Stage:
    """Surroundings of a server's scene: ground, light, camera."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._server = server
        self._mutex = threading.Lock()
        self._dark = False
        self._grid = True
        self._axes = False
        server.scene.set_up_direction("+z")
        _light(server.scene)
        server.scene.world_axes.visible = False
        server.gui.main_panel.dock_right()
        self._dress()

    @property
    def dark(self) -> bool:
        """True if the background is dark; assignable."""
        return self._dark

    @dark.setter
    def dark(self, dark: bool) -> None:
        self._dark = dark
        self._dress()

    @property
    def grid(self) -> bool:
        """True if the ground has a grid; assignable."""
        return self._grid

    @grid.setter
    def grid(self, grid: bool) -> None:
        self._grid = grid
        self._dress()

    def paint_background(self, rgb: tuple[int, int, int]) -> None:
        """Set the colour behind everything, 0..255 each."""
        self._server.scene.set_background_image(
            np.full((1, 1, 3), rgb, np.uint8), format="png"
        )

    def look_from(self, camera: Camera) -> None:
        """Set where browsers look from when they open the page."""
        pose, first = camera.pose, self._server.initial_camera
        # what it turns about is as far off as the middle of the world
        reach = max(1.0, float(np.linalg.norm(pose[:3, 3])))
        first.position = pose[:3, 3]
        first.look_at = pose[:3, 3] + reach * pose[:3, 2]
        first.fov = 2.0 * float(np.arctan2(0.5 * camera.height, camera.lens.fy))

    def _dress(self) -> None:
        # several people may do that at once
        with self._mutex:
            self._dress_up()

    def _dress_up(self) -> None:
        server = self._server
        server.gui.configure_theme(
            dark_mode=self._dark, show_logo=False, show_share_button=False
        )
        self.paint_background(_DARK if self._dark else _LIGHT)
        cell, section = _CELLS[self._dark]
        server.scene.add_grid(
            "/ground", width=_GRID, height=_GRID, cell_size=0.25, section_size=1.0,
            cell_color=cell, section_color=section, infinite_grid=True,
            fade_distance=25.0, position=(0.0, 0.0, _BELOW), visible=self._grid,
            shadow_opacity=0.3 if self._dark else 0.2,
        )  # fmt: skip
