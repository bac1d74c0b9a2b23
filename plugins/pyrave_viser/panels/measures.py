"""Distances: between two points that were clicked, or two bodies."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import Error
from pyrave.interfaces import CollisionOptions
from pyrave_viser.panels.texts import plain
from pyrave_viser.weak_callbacks import weakly

if TYPE_CHECKING:
    from pyrave.interfaces.handles import Handle
    from pyrave.spatial import Array
    from pyrave_viser.panels.clicks import Click
    from pyrave_viser.shared import Shared

_COLOR = (200, 30, 160)
_OFF, _POINTS, _LINKS = "nothing", "between two points", "between two links"
_HINTS = {
    _POINTS: "Click at two points.",
    _LINKS: "Click at two links: the shortest distance between them.",
}
_OFTEN = 0.1
_DOT = 0.012


@dataclass(frozen=True, eq=False)
class _End:
    """A point of a link.

    Parameters
    ----------
    body, link
        Id of the body, and index of the link in it.
    name
        What people call it.
    point
        (3,) in the link's frame, metres.
    """

    body: int
    link: int
    name: str
    point: Array


@dataclass(eq=False)
class _Measure:
    """A distance that goes with what it is of.

    Parameters
    ----------
    number
        Of its nodes.
    ends
        Two points; of links only which ones counts.
    shortest
        Whether it is the shortest distance of the links.
    """

    number: int
    ends: tuple[_End, _End]
    shortest: bool
    points: Array | None = None
    distance: float = math.nan


class MeasurePanel:
    """Panel of distances between clicks, which follow what moves until erased."""

    def __init__(self, shared: Shared, clicks: Any) -> None:
        self._shared = shared
        self._clicks = clicks
        self._heard: Handle | None = None
        self._first: _End | None = None
        self._dot: Any = None
        self._measures: list[_Measure] = []
        self._nodes: dict[int, Any] = {}
        self._count = 0
        self._stale = False
        self._measured = 0.0
        gui = shared.server.gui
        with gui.add_folder("Measure", expand_by_default=False):
            self._what = gui.add_dropdown("Clicks measure", (_OFF, _POINTS, _LINKS))
            self._what.on_update(weakly(self._chosen))
            self._text = gui.add_markdown("", visible=False)
            self._erase = gui.add_button("Erase", icon="eraser", color="gray")
            self._erase.on_click(weakly(self._erased))

    @property
    def distances(self) -> tuple[float, ...]:
        """The measured lengths, metres, in the order of the clicks."""
        return tuple(one.distance for one in self._measures)

    def follow(self, other: bool, moved: set[int]) -> None:
        """Measure again what has moved; forget what has left."""
        if other:
            here = self._shared.bodies.known
            for one in list(self._measures):
                if any(end.body not in here for end in one.ends):
                    self._drop(one)
            self._say()
        if any(end.body in moved for one in self._measures for end in one.ends):
            self._stale = True
        if self._stale and time.monotonic() - self._measured > _OFTEN:
            self._shared.actions.ask("measure again", self._again)

    def erase(self) -> None:
        """Forget all that was measured."""
        self._forget_first()
        for one in list(self._measures):
            self._drop(one)
        self._say()

    def clicked(self, click: Click) -> None:
        """Take a click: the first or the second end."""
        end = self._end(click)
        if end is None:
            return
        if self._first is None:
            self._first = end
            if self._what.value == _POINTS:
                self._dot = self._sphere("/measures/first", click.point)
            self._say()
            return
        first, shortest = self._first, self._what.value == _LINKS
        self._forget_first()
        self._count += 1
        made = _Measure(self._count, (first, end), shortest)
        self._measures.append(made)
        self._measure(made)
        self._say()

    def _end(self, click: Click) -> _End | None:
        pose, link = click.link.transform, click.link.index
        if click.point is None and self._what.value == _POINTS:
            return None
        point = pose[:3, 3] if click.point is None else click.point
        local = pose[:3, :3].T @ (point - pose[:3, 3])
        name = click.body.name
        if len(click.body.links) > 1:
            name = f"{name}/{click.link.name}"
        return _End(click.body.id, link, name, local)

    def _again(self, env: Any) -> None:
        self._measured, self._stale = time.monotonic(), False
        for one in self._measures:
            self._measure(one)
        self._say()

    def _measure(self, one: _Measure) -> None:
        links = [self._link(end) for end in one.ends]
        if any(link is None for link in links):
            return
        if one.shortest:
            one.points, one.distance = _shortest(self._shared.env, *links)
        else:
            one.points = np.array(
                [
                    link.transform[:3, :3] @ end.point + link.transform[:3, 3]
                    for link, end in zip(links, one.ends, strict=True)
                ]
            )
            one.distance = float(np.linalg.norm(one.points[1] - one.points[0]))
        self._draw(one)

    def _link(self, end: _End) -> Any:
        body = self._shared.body(end.body)
        if body is None or end.link >= len(body.links):
            return None
        return body.links[end.link]

    def _draw(self, one: _Measure) -> None:
        scene, name = self._shared.server.scene, f"/measures/{one.number}"
        if one.points is None:
            self._clear(one)
            return
        if one.number not in self._nodes:
            self._nodes[one.number] = scene.add_frame(name, show_axes=False)
        scene.add_line_segments(
            f"{name}/line", one.points[None], _COLOR,
            thickness=3.0, thickness_units="screen",
        )  # fmt: skip
        for k in range(2):
            self._sphere(f"{name}/{k}", one.points[k])
        scene.add_label(
            f"{name}/text", _metres(one.distance),
            position=one.points.mean(axis=0), depth_test=False,
        )  # fmt: skip

    def _sphere(self, name: str, point: Any) -> Any:
        return self._shared.server.scene.add_icosphere(
            name, _DOT, _COLOR, position=point, cast_shadow=False
        )

    def _drop(self, one: _Measure) -> None:
        self._measures.remove(one)
        self._clear(one)

    def _clear(self, one: _Measure) -> None:
        node = self._nodes.pop(one.number, None)
        if node is not None:
            node.remove()

    def _forget_first(self) -> None:
        self._first = None
        if self._dot is not None:
            self._dot.remove()
            self._dot = None

    def _say(self) -> None:
        lines = [_said(one) for one in self._measures]
        if self._first is not None:
            lines.append(f"From {plain(self._first.name)} to ...: click again.")
        elif self._what.value != _OFF:
            lines.append(_HINTS[self._what.value])
        self._text.content = "\n\n".join(lines)
        self._text.visible = bool(lines)

    def _chosen(self, event: Any) -> None:
        def choose(_: Any) -> None:
            self._forget_first()
            if self._heard is not None:
                self._heard.close()
                self._heard = None
            if self._what.value != _OFF:
                self._heard = self._clicks.add(weakly(self.clicked))
            self._say()

        self._shared.actions.ask("measure what", choose)

    def _erased(self, event: Any) -> None:
        self._shared.actions.ask("erase", lambda _: self.erase())


def _shortest(env: Any, first: Any, second: Any) -> tuple[Array | None, float]:
    """Return the nearest points (2, 3) of two links, and how far they are apart."""
    checker = env.collision_checker
    try:
        with checker.options(CollisionOptions.DISTANCE):
            report = env.check_collision(first, second, report=True)
    except Error:
        return None, math.nan
    return report.nearest_points, report.distance


def _said(one: _Measure) -> str:
    """Return the panel's text about a measure, in Markdown."""
    first, second = (plain(end.name) for end in one.ends)
    said = f"**{_metres(one.distance)}** {first} to {second}"
    if one.points is None or one.shortest:
        return said
    along = ", ".join(f"{value:.4f}" for value in one.points[1] - one.points[0])
    return f"{said} (x, y, z: {along})"


def _metres(distance: float) -> str:
    if not math.isfinite(distance):
        return "not known"
    return f"{1000 * distance:.1f} mm" if abs(distance) < 1.0 else f"{distance:.4f} m"
