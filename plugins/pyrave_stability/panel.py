"""Support polygons in viewers, for the present configuration."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import Error
from pyrave.spatial import as_direction
from pyrave_stability.ground import Ground
from pyrave_stability.support import center_of_mass, gravity_of, support_polygon

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.bodies import KinBody
    from pyrave.interfaces import Control, ViewerBase
    from pyrave.spatial import Array
    from pyrave_stability.region import SupportRegion

_TITLE = "Stability"
_FALLS, _STANDS = (0.85, 0.12, 0.12), (0.1, 0.65, 0.25)
# more forgiving than queries: people drag bodies
_DISTANCE, _ANGLE = 5e-3, np.radians(2.0)
_DOT = 0.04
_LIFT = 2e-3


class StabilityPanel:
    """A switch that comes with the first body that has contact areas.

    The ground of a body is the plane across gravity through its lowest contact area.
    """

    def __init__(self, viewer: ViewerBase) -> None:
        self._viewer = weakref.ref(viewer)
        self._switch: Control | None = None
        self._text: Control | None = None
        self._marks: list[Any] = []

    def follow(self, env: Any) -> None:
        """Draw it where bodies are now; called with the environment's lock."""
        standing = [body for body in env.bodies if _has_areas(body)]
        viewer = self._viewer()
        if self._switch is None and standing and viewer is not None:
            again = weakref.WeakMethod(self._switched)
            self._switch = viewer.add_checkbox(
                "Support polygons", lambda on: _call(again, on), panel=_TITLE
            )
        if self._switch is None or not self._switch.value:
            standing = []
        self._marks = []
        said = [f"{body.name}: {self._draw(env, body)}" for body in standing]
        self._say("\n\n".join(said))

    def _switched(self, _: bool) -> None:
        viewer = self._viewer()
        if viewer is not None:
            self.follow(viewer.env)

    def _draw(self, env: Any, body: KinBody) -> str:
        """Draw the polygon of a body, and return what is said of it."""
        try:
            up = -as_direction(gravity_of(body), "gravity")
            ground = Ground(_lowest(body, up) * up, up, 0.5, _DISTANCE, _ANGLE)
            region = support_polygon(body, ground)
            centre = center_of_mass(body)
        except Error as error:
            return str(error).splitlines()[0]
        margin = region.margin(centre)
        color = _STANDS if margin >= 0.0 else _FALLS
        below = centre + (ground.point @ up - centre @ up + _LIFT) * up
        draw = env.draw
        self._marks += [
            draw.lines(_edges(region, up), color=color, width=4.0),
            draw.lines([[centre, below]], color=color, width=2.0),
            draw.points([centre, below], size=_DOT, color=color),
        ]
        if not len(region.corners):
            return "nothing touches"
        if margin < 0.0:
            return f"**falls**, {-1000 * margin:.0f} mm outside"
        return f"stands, {1000 * margin:.0f} mm inside"

    def _say(self, text: str) -> None:
        viewer = self._viewer()
        if not text:
            if self._text is not None:
                self._text.close()
                self._text = None
        elif self._text is not None:
            self._text.value = text
        elif viewer is not None:
            self._text = viewer.add_text(text, panel=_TITLE)


def _call(known: Callable[[], Callable[[bool], None] | None], on: bool) -> None:
    """Call a method, if its object is still there; widgets keep nothing alive."""
    found = known()
    if found is not None:
        found(on)


def _has_areas(body: KinBody) -> bool:
    return any(link.contacts for link in body.links)


def _lowest(body: KinBody, up: Array) -> float:
    """Return the height of the lowest point of all contact areas, metres."""
    heights = []
    for link in body.links:
        for area in link.contacts:
            pose = area.world_transform
            points = area.mesh.vertices @ pose[:3, :3].T + pose[:3, 3]
            heights.append(float((points @ up).min()))
    return min(heights)


def _edges(region: SupportRegion, up: Array) -> Array:
    """Return the edges (n, 2, 3) of a region, just above the ground."""
    points = region.points + _LIFT * up
    return np.stack((points, np.roll(points, -1, axis=0)), axis=1)
