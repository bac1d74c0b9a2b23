"""Panel of contacts: collisions, lit up while bodies move."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import Error, NotSupportedError
from pyrave.interfaces import CollisionOptions
from pyrave_viser.panels.texts import plain
from pyrave_viser.weak_callbacks import weakly

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.spatial import Array
    from pyrave_viser.shared import Shared

_HIT = (235, 30, 30)
_TOUCH = (20, 190, 110)
_OFTEN = 0.1
_MAX_PAIRS = 40
_MAX_CONTACTS = 500
_LENGTH = 0.08


class ContactMarks:
    """Two switches, in the folder that is open: of collisions and of contacts.

    Collisions are those of robots, with anything and with themselves. Contacts are
    those that the physics engine counts with, if it knows them, else those of the
    collisions.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._checked = 0.0
        self._stale = False
        self._nodes: list[Any] = []
        gui = shared.server.gui
        self._pairs = gui.add_checkbox("Collisions", False)
        self._contacts = gui.add_checkbox("Contacts", False)
        for box in (self._pairs, self._contacts):
            box.on_update(weakly(self._switched))
        self._found = gui.add_markdown("", visible=False)

    def follow(self, changed: bool) -> None:
        """Check again if something has moved, ten times a second at most."""
        self._stale = self._stale or changed
        wanted = self._stale and (self._pairs.value or self._contacts.value)
        if wanted and time.monotonic() - self._checked > _OFTEN:
            self._shared.actions.ask("contacts", self.check)

    def check(self, env: Any) -> None:
        """Light up what collides; called with the environment's lock."""
        self._checked, self._stale = time.monotonic(), False
        texts: list[str] = []
        boxes: list[Array] = []
        points: list[tuple[Array, Array]] = []
        if self._pairs.value or self._contacts.value:
            for text, links, touches in _collisions(env):
                texts.append(text)
                boxes += [_edges(link) for link in links]
                points += touches
        acting = _acting(env) if self._contacts.value else None
        if acting is not None:
            points = acting
        self._show(boxes if self._pairs.value else [], points)
        said = [f"- {plain(text)}" for text in texts[:_MAX_PAIRS]] or ["No collision."]
        if self._contacts.value:
            whose = "of the simulation" if acting is not None else "of collisions"
            said.append(f"\n{len(points)} contacts {whose}.")
        self._found.content = "\n".join(said)
        self._found.visible = self._pairs.value or self._contacts.value

    def _show(self, boxes: list[Array], touches: list[tuple[Array, Array]]) -> None:
        scene, before = self._shared.server.scene, self._nodes
        self._nodes = []
        if boxes:
            self._nodes.append(
                scene.add_line_segments(
                    "/marks/pairs",
                    np.concatenate(boxes),
                    _HIT,
                    thickness=3.0,
                    thickness_units="screen",
                )
            )
        if touches and self._contacts.value:
            ends = np.array([(at, at + _LENGTH * n) for at, n in touches])
            self._nodes.append(
                scene.add_arrows(
                    "/marks/contacts",
                    ends[:_MAX_CONTACTS],
                    _TOUCH,
                    shaft_radius=0.003,
                    head_radius=0.009,
                    head_length=0.024,
                )
            )
        present = {one.name for one in self._nodes}
        for node in before:
            if node.name not in present:
                node.remove()

    def _switched(self, event: Any) -> None:
        self._shared.actions.ask("contacts", self.check)


def _acting(env: Any) -> list[tuple[Array, Array]] | None:
    """Return points and normals of contacts in the simulation; None without one."""
    try:
        found = env.physics_engine.contacts()
    except NotSupportedError:
        return None
    return [(one.position, one.normal) for one in found]


def _collisions(
    env: Any,
) -> Iterable[tuple[str, list[Any], list[tuple[Array, Array]]]]:
    """Yield the text of each pair, its links, and points and normals."""
    wanted = (
        CollisionOptions.ALL_LINK_COLLISIONS
        | CollisionOptions.CONTACTS
        | CollisionOptions.ALL_GEOMETRY_CONTACTS
    )
    for robot in env.robots:
        try:
            with env.collision_checker.options(wanted):
                reports = (
                    env.check_collision(robot, report=True),
                    robot.check_self_collision(report=True),
                )
        except Error as error:
            yield str(error).splitlines()[0], [], []
            continue
        for report in reports:
            for pair in report.pairs:
                sides = (pair.first.link, pair.second.link)
                links = [link for link in sides if link is not None]
                yield str(pair), links, [(c.position, c.normal) for c in pair.contacts]


def _edges(link: Any) -> Array:
    """Return the edges (12, 2, 3) of the box about a link in the world."""
    centre, half = link.aabb or (link.transform[:3, 3], np.zeros(3))
    signs = np.array([(k & 1, k >> 1 & 1, k >> 2 & 1) for k in range(8)]) * 2 - 1
    corners = centre + signs * (half + 0.004)
    pairs = [(a, b) for a in range(8) for b in range(a) if (a ^ b) in {1, 2, 4}]
    return np.asarray(corners[np.array(pairs)])
