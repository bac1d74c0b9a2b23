"""A directive that draws a stance, while the site is built.

``{stance-view} scenes/stances.env.xml`` runs the Python code in its content with the
scene as ``env``; the code leaves regions in a list ``regions``, and in ``bodies`` what
stands. The picture has the regions (the first one blue, the others orange), the plumb
line of the centre of mass (red), and forces that a list ``balances`` holds (green).
``:eye:`` and ``:target:`` place the camera.
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
_BLUE, _ORANGE = (0.05, 0.35, 0.95), (0.98, 0.5, 0.05)
_RED, _GREEN = (0.9, 0.1, 0.1), (0.05, 0.6, 0.2)
_NEWTON = 0.003  # metres of an arrow


class StanceView(SphinxDirective):
    """Draw a scene with what the ground allows."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "eye": directives.unchanged_required,
        "target": directives.unchanged_required,
        "alt": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        content = "\n".join(self.content)
        said = f"{self.arguments[0]} {sorted(self.options.items())} {content}"
        name = hashlib.sha256(said.encode()).hexdigest()[:16] + ".png"
        folder = Path(self.env.app.doctreedir) / "stance_views"
        folder.mkdir(parents=True, exist_ok=True)
        places = {k: self.options[k] for k in ("eye", "target") if k in self.options}
        draw_stance(self.arguments[0], content, folder / name, **places)
        page = Path(self.env.doc2path(self.env.docname)).parent
        uri = Path(os.path.relpath(folder / name, page)).as_posix()
        return [nodes.image(uri=uri, alt=self.options.get("alt", ""))]


def draw_stance(
    scene: str, code: str, path: Path, *, eye: str = "", target: str = ""
) -> None:
    """Write the picture of a scene after some code."""
    import numpy as np

    import pyrave
    from pyrave import stance
    from pyrave.cli.picture import draw, scene_camera
    from pyrave.geometry import Camera, overlay_points, overlay_segments, write_png

    env = pyrave.Environment()
    report = env.load(scene)
    names: dict[str, Any] = {"env": env, "regions": [], "balances": [], "bodies": ()}
    exec(compile(code, scene, "exec"), names)  # noqa: S102 - our own pages
    camera = scene_camera(env, report.scene, *_SIZE)
    if eye:
        places = [[float(word) for word in text.split()] for text in (eye, target)]
        camera = Camera.look_at(*places, width=_SIZE[0], height=_SIZE[1])
    image = draw(env, camera)
    for number, region in enumerate(names["regions"]):
        ring = region.points
        edges = np.stack((ring, np.roll(ring, -1, axis=0)), axis=1)
        tint = _ORANGE if number else _BLUE
        image = overlay_segments(image, camera, edges, tint, width=4, opacity=0.95)
        image = overlay_points(image, camera, ring, tint, radius=5)
    for found in names["balances"]:
        for touch, forces in zip(found.touches, found.forces or (), strict=False):
            arrows = np.stack((touch.points, touch.points + _NEWTON * forces), axis=1)
            image = overlay_segments(image, camera, arrows, _GREEN, width=3)
    center = stance.center_of_mass(names["bodies"])
    below = center * (1, 1, 0)
    image = overlay_segments(image, camera, [(center, below)], _RED, width=2)
    image = overlay_points(image, camera, [center, below], _RED, radius=6)
    write_png(path, image)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("stance-view", StanceView)
    return {"version": "1", "parallel_read_safe": True}
