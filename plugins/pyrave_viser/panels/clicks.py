"""Clicks: what was clicked is selected, its data shown, and scripts hear of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import Error
from pyrave.interfaces.handles import CallbackList
from pyrave.spatial import rpy_from_matrix
from pyrave_viser.panels.texts import plain
from pyrave_viser.shown.quaternions import quaternions_of

if TYPE_CHECKING:
    from pyrave.bodies import Geometry, KinBody, Link
    from pyrave.spatial import Array
    from pyrave_viser.shared import Shared

_COLOR = (255, 150, 20)
_ROOM = 0.005
_EDGES = (
    (0, 1), (0, 2), (0, 4), (1, 3), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 6),
    (5, 7), (6, 7),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Click:
    """Somebody clicked at something.

    Parameters
    ----------
    body, link, geometry
        What was clicked.
    point
        (3,) where, world, metres; None where that is not known.
    modifier
        Keys that were held, such as ``"shift"``; empty for none.
    """

    body: KinBody
    link: Link
    geometry: Geometry | None
    point: Array | None
    modifier: str


class Selection:
    """The selection: its frame of lines, and its data in the panel."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._box: Any = None
        self._at: tuple[int, int] | None = None
        self.count = 0
        """Number of selections, counting those of the same thing."""
        self.callbacks: CallbackList[Click] = CallbackList("click")
        gui = shared.server.gui
        self._folder = gui.add_folder("Selection")
        with self._folder:
            self._text = gui.add_markdown("Click at something.")

    @property
    def number(self) -> int:
        """Id of the body that is selected, -1 for none."""
        return -1 if self._at is None else self._at[0]

    @property
    def link(self) -> int:
        """Index of the link that is selected, -1 for none."""
        return -1 if self._at is None else self._at[1]

    def select(self, number: int, link: int) -> None:
        """Select a link, given the id of its body and its index."""
        self._at = number, link
        self.count += 1
        if self._box is not None:
            self._box.remove()
            self._box = None
        body = self._shared.body(number)
        if body is None or link >= len(body.links):
            self._at = None
            self._text.content = "Click at something."
            return
        corners = _corners(body.links[link])
        if corners is not None:
            ends = corners[np.array(_EDGES)]
            self._box = self._shared.server.scene.add_line_segments(
                "/selection", ends, _COLOR, thickness=2.0, thickness_units="screen"
            )
        self._place()
        self._text.content = _data(body, body.links[link])

    def follow(self, moved: set[int]) -> None:
        """Let the frame go with what is selected."""
        if self._at is None:
            return
        number, link = self._at
        body = self._shared.body(number)
        if body is None:
            self.select(-1, 0)
        elif number in moved:
            self._place()
            if link < len(body.links):
                self._text.content = _data(body, body.links[link])

    def clicked(self, number: int, link: int, geometry: int, event: Any) -> None:
        """Take a click of a browser, in a thread of the server."""
        origin, direction = event.ray_origin, event.ray_direction
        modifier = event.modifier or ""

        def act(env: Any) -> None:
            body = self._shared.body(number)
            if body is None or link >= len(body.links):
                return
            self.select(number, link)
            if not len(self.callbacks):
                return
            found = body.links[link].geometries
            what = found[geometry] if geometry < len(found) else None
            point = _met(env, body, origin, direction)
            click = Click(body, body.links[link], what, point, modifier)
            self.callbacks(click, env.report_problem)

        self._shared.actions.ask("click", act)

    def _place(self) -> None:
        if self._box is None or self._at is None:
            return
        poses = self._shared.bodies.poses[self._at[0]]
        pose = poses[min(self._at[1], len(poses) - 1)]
        self._box.position = pose[:3, 3]
        self._box.wxyz = quaternions_of(pose[None, :3, :3])[0]


def _corners(link: Link) -> Array | None:
    """Return the corners (8, 3) of the box about a link, in its frame."""
    lower, upper = np.full(3, np.inf), np.full(3, -np.inf)
    for geometry in link.geometries:
        box = geometry.aabb_in(geometry.transform)
        if box is not None:
            lower = np.minimum(lower, box[0] - box[1])
            upper = np.maximum(upper, box[0] + box[1])
    if not np.isfinite(lower).all():
        return None
    ends = np.stack((lower - _ROOM, upper + _ROOM))
    which = np.array([(k & 1, k >> 1 & 1, k >> 2 & 1) for k in range(8)])
    return np.asarray(ends[which, np.arange(3)])


def _data(body: KinBody, link: Link) -> str:
    """Return the panel's text about a link, in Markdown."""
    pose = link.transform
    # adding nothing makes minus zero zero
    x, y, z = (f"{value:.4f}" for value in pose[:3, 3].round(4) + 0.0)
    angles = np.round(rpy_from_matrix(pose[:3, :3]), 4) + 0.0
    roll, pitch, yaw = (f"{value:.4f}" for value in angles)
    kinds = ", ".join(geometry.type for geometry in link.geometries) or "none"
    rows = (
        ("body", body.name),
        ("link", f"{link.name} ({link.index})"),
        ("position", f"{x} {y} {z} m"),
        ("roll pitch yaw", f"{roll} {pitch} {yaw}"),
        ("mass", f"{link.mass:.4g} kg"),
        ("geometries", kinds),
        ("enabled", "yes" if link.enabled else "no"),
    )
    lines = [f"| {name} | {plain(value)} |" for name, value in rows]
    return "\n".join(("| | |", "|---|---|", *lines))


def _met(env: Any, body: KinBody, origin: Any, direction: Any) -> Array | None:
    try:
        hits = env.raycast(origin, direction, bodies=body, surfaces="visual")
    except Error:
        return None
    return np.asarray(hits.position[0]) if hits.hit[0] else None
