"""The list of bodies, each with a switch that shows or hides it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave_viser.weakly import weakly

if TYPE_CHECKING:
    from pyrave_viser.shared import Shared

_MOST = 300


class TreePanel:
    """Switches of bodies, those of robots first."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._folder = shared.server.gui.add_folder("Bodies", expand_by_default=False)
        self._rows: dict[int, Any] = {}

    def follow(self, other: bool) -> None:
        """Take over which bodies there are."""
        if not other:
            return
        bodies = self._shared.bodies
        known = sorted(
            bodies.known.items(), key=lambda one: (not one[1].is_robot, one[0])
        )[:_MOST]
        wanted = {number: _label(body) for number, body in known}
        if {number: row.label for number, row in self._rows.items()} == wanted:
            return
        for row in self._rows.values():
            row.remove()
        self._rows = {}
        with self._folder:
            for number, label in wanted.items():
                row = self._shared.server.gui.add_checkbox(
                    label, not bodies.is_hidden(number)
                )
                row.on_update(weakly(self._switched, number))
                self._rows[number] = row

    def _switched(self, number: int, event: Any) -> None:
        if event.client is not None:
            hidden = not event.target.value
            self._shared.actions.ask(
                ("hide", number), lambda _: self._shared.bodies.hide(number, hidden)
            )


def _label(body: Any) -> str:
    return f"{body.name} ({len(body.links)} links)" if body.is_robot else body.name
