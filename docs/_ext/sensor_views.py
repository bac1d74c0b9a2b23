"""A directive that draws what a scanner sees, while the site is built.

``{sensor-view} scenes/demo.env.xml`` loads a scene, adds the ``<sensor>`` elements in
the directive's content, and draws the scene with the points of the sensor that
``:sensor:`` names (the only one by default). ``:time:`` seconds pass before, of which
all scans are drawn; ``:eye:`` and ``:target:`` place the camera of the picture.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_SIZE = (960, 640)
_STEP = 0.01


class SensorView(SphinxDirective):
    """Draw a scene with the points that a scanner measured in it."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "sensor": directives.unchanged,
        "time": float,
        "eye": directives.unchanged_required,
        "target": directives.unchanged_required,
        "alt": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        content = "\n".join(self.content)
        said = f"{self.arguments[0]} {sorted(self.options.items())} {content}"
        name = hashlib.sha256(said.encode()).hexdigest()[:16] + ".png"
        folder = Path(self.env.app.doctreedir) / "sensor_views"
        folder.mkdir(parents=True, exist_ok=True)
        self._draw(content, folder / name)
        page = Path(self.env.doc2path(self.env.docname)).parent
        uri = Path(os.path.relpath(folder / name, page)).as_posix()
        image = nodes.image(uri=uri, alt=self.options.get("alt", ""))
        literal = nodes.literal_block(content, content, language="xml")
        return [*([literal] if content else []), image]

    def _draw(self, content: str, path: Path) -> None:
        import pyrave
        from pyrave.cli.picture import cloud_of, draw, scene_camera
        from pyrave.geometry import Camera, write_png

        env = pyrave.Environment()
        report = env.load(self.arguments[0])
        if content:
            env.load_string(f"<environment>{content}</environment>", strict=True)
        named = self.options.get("sensor")
        sensor = env.sensors[named] if named else env.sensors[0]
        sensor.power = True
        scans: list[Any] = []
        if "time" in self.options:
            sensor.register_data_callback(scans.append)
            for _ in range(round(self.options["time"] / _STEP)):
                env.step(_STEP)
        else:
            scans.append(sensor.measure())
        camera = scene_camera(env, report.scene, *_SIZE)
        if "eye" in self.options:
            eye, target = (
                [float(word) for word in self.options[key].split()]
                for key in ("eye", "target")
            )
            camera = Camera.look_at(eye, target, width=_SIZE[0], height=_SIZE[1])
        write_png(path, draw(env, camera, cloud_of(scans)))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("sensor-view", SensorView)
    return {"version": "1", "parallel_read_safe": True}
