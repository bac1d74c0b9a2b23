"""Directives that make pictures while the site is built: what is shown is so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from camera_views import CameraView
from made_pictures import MadePicture
from sensor_views import SensorView
from stability_views import StabilityView

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("camera-view", CameraView)
    app.add_directive("made-picture", MadePicture)
    app.add_directive("sensor-view", SensorView)
    app.add_directive("stability-view", StabilityView)
    return {"version": "3", "parallel_read_safe": True}
