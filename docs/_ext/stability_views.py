"""A directive that draws a stance, while the site is built.

``{stability-view} scenes/stances.env.xml`` runs the Python code in its content with the
scene as ``env``; the code leaves regions in a list ``regions``, and in ``bodies`` what
stands. The picture has the regions (the first one blue, the others orange), the plumb
line of the centre of mass (red), and forces that a list ``balances`` holds (green).
``:eye:`` and ``:target:`` place the camera.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from picture import SIZE, Picture

if TYPE_CHECKING:
    from pathlib import Path


_RED, _GREEN = (0.9, 0.1, 0.1), (0.05, 0.6, 0.2)
_NEWTON = 0.003  # metres of an arrow


class StabilityView(Picture):
    """Draw a scene with what the ground allows."""

    language: ClassVar[str] = ""

    def draw(self, scene: str, content: str, path: Path) -> None:
        """Draw the picture after the code has run."""
        import numpy as np

        import pyrave
        import pyrave_stability
        from pyrave.environment.display.pictures import camera_of
        from pyrave.geometry import overlay_points, overlay_segments, write_image
        from pyrave.pictures import Viewpoint

        env = pyrave.Environment()
        env.load(scene)
        names: dict[str, Any] = {"env": env, "bodies": ()}
        names |= {"regions": [], "balances": []}
        exec(compile(content, scene, "exec"), names)  # noqa: S102 - our own pages
        place = self.place() | {"size": SIZE}
        image = env.picture(regions=names["regions"], **place)
        camera = camera_of(env, Viewpoint(**place))
        for found in names["balances"]:
            for touch, forces in zip(found.touches, found.forces or (), strict=False):
                tips = touch.points + _NEWTON * forces
                arrows = np.stack((touch.points, tips), axis=1)
                image = overlay_segments(image, camera, arrows, _GREEN, width=3)
        center = pyrave_stability.center_of_mass(names["bodies"])
        below = center * (1, 1, 0)
        image = overlay_segments(image, camera, [(center, below)], _RED, width=2)
        image = overlay_points(image, camera, [center, below], _RED, radius=6)
        write_image(path, image)
