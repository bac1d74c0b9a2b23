"""A directive that takes a camera's image, while the site is built.

``{camera-view} scenes/demo.env.xml`` loads a scene and takes an image from where the
scene's own camera stands. ``:output:`` names a field of the data (``image`` if left
out), ``:eye:`` and ``:target:`` place the camera elsewhere, and the content holds
further tags of the camera, which are shown, too.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_LENS = (
    "<width>640</width><height>480</height><kk>580 580 319.5 239.5</kk>"
    "<samples>2</samples><shadows>1</shadows>"
)
_OUTPUTS = {"image": "color", "body_ids": "segmentation", "link_ids": "segmentation"}


class CameraView(SphinxDirective):
    """Take an image of a scene."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "output": directives.unchanged_required,
        "eye": directives.unchanged_required,
        "target": directives.unchanged_required,
        "alt": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        content = "\n".join(self.content)
        said = f"{self.arguments[0]} {sorted(self.options.items())} {content}"
        name = hashlib.sha256(said.encode()).hexdigest()[:16] + ".png"
        folder = Path(self.env.app.doctreedir) / "camera_views"
        folder.mkdir(parents=True, exist_ok=True)
        self._take(content, folder / name)
        page = Path(self.env.doc2path(self.env.docname)).parent
        uri = Path(os.path.relpath(folder / name, page)).as_posix()
        image = nodes.image(uri=uri, alt=self.options.get("alt", ""))
        literal = nodes.literal_block(content, content, language="xml")
        return [*([literal] if content else []), image]

    def _take(self, tags: str, path: Path) -> None:
        import pyrave
        from pyrave.geometry import Camera, write_png
        from pyrave.interfaces import export_image

        env = pyrave.Environment()
        loaded = env.load(self.arguments[0])
        env.load_string(
            f'<environment><sensor type="BaseCamera" name="view">{_LENS}{tags}'
            "</sensor></environment>",
            strict=True,
        )
        camera: Any = env.sensors["view"]
        camera.transform = loaded.scene.camera.pose.matrix
        if "eye" in self.options:
            eye, target = (
                [float(word) for word in self.options[key].split()]
                for key in ("eye", "target")
            )
            camera.transform = Camera.look_at(eye, target).pose
        field = self.options.get("output", "image")
        wanted = (_OUTPUTS.get(field, field),)
        camera.options = replace(camera.options, outputs=wanted)
        data = camera.measure()
        if field in {"depth", "distance"}:
            write_png(path, _near_is_bright(getattr(data, field)))
        else:
            export_image(data, path, field)


def _near_is_bright(depth: Any) -> Any:
    """Return metres as grey: the nearest is white, the farthest dark, nothing black."""
    import numpy as np

    there = np.isfinite(depth)
    low, high = depth[there].min(), depth[there].max()
    part = (np.where(there, depth, high) - low) / max(high - low, 1e-9)
    return np.where(there, 255.0 - 215.0 * part, 0.0).astype(np.uint8)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("camera-view", CameraView)
    return {"version": "1", "parallel_read_safe": True}
