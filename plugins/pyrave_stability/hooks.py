"""Registrations of the plugin: a panel in viewers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.errors import NotSupportedError
from pyrave.plugins import hookimpl

if TYPE_CHECKING:
    from pyrave.interfaces import ViewerBase


@hookimpl
def pyrave_viewer_opened(viewer: ViewerBase) -> None:
    """Offer to draw support polygons, in viewers that have panels."""
    from pyrave_stability.panel import StabilityPanel

    panel = StabilityPanel(viewer)
    try:
        viewer.on_change(panel.follow)
    except NotSupportedError:
        return
    with viewer.env.lock():
        panel.follow(viewer.env)
