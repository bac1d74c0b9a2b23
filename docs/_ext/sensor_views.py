"""A directive that draws what a scanner sees, while the site is built.

``{sensor-view} scenes/demo.env.xml`` loads a scene, adds the ``<sensor>`` elements in
the directive's content, and draws the scene with the points of the sensor that
``:sensor:`` names (the only one by default). ``:time:`` seconds pass before, of which
all scans are drawn; ``:eye:`` and ``:target:`` place the camera of the picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from docutils.parsers.rst import directives
from picture import SIZE, Picture

if TYPE_CHECKING:
    from pathlib import Path


_STEP = 0.01


class SensorView(Picture):
    """Draw a scene with the points that a scanner measured in it."""

    option_spec: ClassVar[dict[str, Any]] = {
        **Picture.option_spec,
        "sensor": directives.unchanged,
        "time": float,
    }

    def draw(self, scene: str, content: str, path: Path) -> None:
        """Draw the picture."""
        import pyrave

        env = pyrave.Environment()
        env.load(scene)
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
        env.picture(path, scans=scans, size=SIZE, **self.place())
