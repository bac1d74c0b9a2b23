"""A directive that takes a camera's image, while the site is built.

``{camera-view} scenes/demo.env.xml`` loads a scene and takes an image from where the
scene's own camera stands. ``:output:`` names a field of the data (``image`` if left
out), ``:eye:`` and ``:target:`` place the camera elsewhere, and the content holds
further tags of the camera, which are shown, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from docutils.parsers.rst import directives
from picture import Picture

if TYPE_CHECKING:
    from pathlib import Path


_LENS = (
    "<width>640</width><height>480</height><kk>580 580 319.5 239.5</kk>"
    "<samples>2</samples><shadows>1</shadows>"
)


class CameraView(Picture):
    """Take an image of a scene."""

    option_spec: ClassVar[dict[str, Any]] = {
        **Picture.option_spec,
        "output": directives.unchanged_required,
    }

    def draw(self, scene: str, content: str, path: Path) -> None:
        """Take the image."""
        import pyrave
        from pyrave.geometry import Camera, write_image
        from pyrave.sensing import export_image

        env = pyrave.Environment()
        loaded = env.load(scene)
        env.load_string(
            f'<environment><sensor type="BaseCamera" name="view">{_LENS}{content}'
            "</sensor></environment>",
            strict=True,
        )
        camera: Any = env.sensors["view"]
        place = self.place()
        own = loaded.scene.camera.pose.matrix
        camera.transform = Camera.look_at(**place).pose if place else own
        field = self.options.get("output", "image")
        camera.ask_for(field)
        data = camera.measure()
        if field in {"depth", "distance"}:
            write_image(path, _near_is_bright(getattr(data, field)))
        else:
            export_image(data, path, field)


def _near_is_bright(depth: Any) -> Any:
    """Return metres as grey: the nearest is white, the farthest dark, nothing black."""
    import numpy as np

    there = np.isfinite(depth)
    low, high = depth[there].min(), depth[there].max()
    part = (np.where(there, depth, high) - low) / max(high - low, 1e-9)
    return np.where(there, 255.0 - 215.0 * part, 0.0).astype(np.uint8)
