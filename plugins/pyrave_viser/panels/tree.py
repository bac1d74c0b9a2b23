"""Bodies, their links and geometries, each with a switch that shows or hides it.

A scene may have thousands: there are switches of a few bodies, those that somebody
looks for, and of the parts of one link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave_viser.weak_callbacks import weakly

if TYPE_CHECKING:
    from pyrave.bodies import KinBody
    from pyrave_viser.shared import Shared

_MAX_BODIES = 16
_MAX_PARTS = 24


class TreePanel:
    """Switches of bodies, those of robots first, and of what is selected."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._rows: dict[int, Any] = {}
        gui = shared.server.gui
        self._folder = gui.add_folder("Bodies", expand_by_default=False)
        with self._folder:
            self._find = gui.add_text("Find", "", visible=False)
            self._find.on_update(weakly(self._looked_for))
            self._list = gui.add_folder(None)
            self._more = gui.add_markdown("", visible=False)
            self._all = gui.add_button("Show all", icon="eye", color="gray")
            self._all.on_click(weakly(self._show_all))
        self._parts = _Parts(shared, self._folder)

    @property
    def parts(self) -> _Parts:
        """Switches of what is selected."""
        return self._parts

    def follow(self, other: bool, number: int, link: int) -> None:
        """Take over which bodies there are, and which link is selected."""
        if other:
            self._offer()
        self._parts.follow(other, number, link)

    def _offer(self) -> None:
        bodies = self._shared.bodies
        known = sorted(
            bodies.known.items(), key=lambda one: (not one[1].is_robot, one[0])
        )
        self._find.visible = len(known) > _MAX_BODIES
        part = self._find.value.strip().lower()
        found = [one for one in known if part in one[1].name.lower()]
        shown = found[:_MAX_BODIES]
        left = len(found) - len(shown)
        self._more.visible = left > 0
        self._more.content = f"and {left} more: type a part of the name"
        wanted = {number: _label(body) for number, body in shown}
        if {number: row.label for number, row in self._rows.items()} != wanted:
            for row in self._rows.values():
                row.remove()
            self._rows = {}
            with self._list:
                for number, label in wanted.items():
                    row = self._shared.server.gui.add_checkbox(label, True)
                    row.on_update(weakly(self._switched, number))
                    self._rows[number] = row
        for number, row in self._rows.items():
            if row.value == bodies.is_hidden(number):
                row.value = not row.value

    def _looked_for(self, event: Any) -> None:
        self._shared.actions.ask("find", lambda _: self._offer())

    def _switched(self, number: int, event: Any) -> None:
        if event.client is not None:
            hidden = not event.target.value
            self._shared.actions.ask(
                ("hide", number), lambda _: self._shared.bodies.hide(number, hidden)
            )

    def _show_all(self, event: Any) -> None:
        def show(_: Any) -> None:
            self._shared.bodies.show_all()
            self._offer()
            self._parts.refresh()

        self._shared.actions.ask("show all", show)


class _Parts:
    """Switches of a link and of its geometries; which link, is selected or chosen."""

    def __init__(self, shared: Shared, folder: Any) -> None:
        self._shared = shared
        self._number = -1
        self._link = 0
        self._at = (-1, -1)
        self._names: tuple[str, ...] = ()
        self._rows: dict[int, Any] = {}
        gui = shared.server.gui
        with folder:
            self._folder = gui.add_folder("Parts", visible=False)
        with self._folder:
            self._choice = gui.add_dropdown("Link", ("",))
            self._choice.on_update(weakly(self._chosen))
            self._whole = gui.add_checkbox("Whole link", True)
            self._whole.on_update(weakly(self._switched, None))

    def follow(self, other: bool, number: int, link: int) -> None:
        """Show the parts of a link, or of the first one of a body."""
        at = number, link
        if at != self._at:
            self._at, self._number, self._link = at, number, max(link, 0)
            self.refresh(remade=True)
        elif other:
            self.refresh(remade=True)

    def refresh(self, *, remade: bool = False) -> None:
        """Update the switches to the visibility of bodies.

        Parameters
        ----------
        remade
            Whether it is another link, or one with other geometries.
        """
        body = self._shared.body(self._number)
        self._folder.visible = body is not None and len(body.links) > 0
        if body is None or not len(body.links):
            return
        self._link = min(self._link, len(body.links) - 1)
        self._folder.label = f"Parts of {body.name}"
        names = tuple(f"{k}: {link.name}" for k, link in enumerate(body.links))
        if names != self._names:
            self._names = names
            self._choice.options = names
        if self._choice.value != names[self._link]:
            self._choice.value = names[self._link]
        if remade:
            self._make(body)
        hidden = self._shared.bodies.hidden_parts(self._number)
        for part, row in self._rows.items():
            if row.value == ((self._link, part) in hidden):
                row.value = not row.value
        every = self._all_of(body) <= hidden and bool(self._all_of(body))
        if self._whole.value == every:
            self._whole.value = not every

    def _make(self, body: KinBody) -> None:
        for row in self._rows.values():
            row.remove()
        self._rows = {}
        geometries = body.links[self._link].geometries
        self._whole.visible = len(geometries) > 0
        if len(geometries) < 2:
            return
        with self._folder:
            for part, geometry in enumerate(geometries[:_MAX_PARTS]):
                name = geometry.name or geometry.type
                row = self._shared.server.gui.add_checkbox(
                    f"Geometry {part}: {name}", True
                )
                row.on_update(weakly(self._switched, part))
                self._rows[part] = row

    def _all_of(self, body: KinBody) -> set[tuple[int, int]]:
        count = len(body.links[self._link].geometries)
        return {(self._link, part) for part in range(count)}

    def _chosen(self, event: Any) -> None:
        if event.client is None or event.target.value not in self._names:
            return
        link = self._names.index(event.target.value)

        def choose(_: Any) -> None:
            self._link = link
            self.refresh(remade=True)

        self._shared.actions.ask("choose link", choose)

    def _switched(self, part: int | None, event: Any) -> None:
        if event.client is None:
            return
        number, link, hidden = self._number, self._link, not event.target.value

        def switch(_: Any) -> None:
            body = self._shared.body(number)
            if body is None or link >= len(body.links):
                return
            count = len(body.links[link].geometries)
            parts = range(count) if part is None else (part,)
            self._shared.bodies.hide_parts(
                number, [(link, one) for one in parts], hidden
            )
            self.refresh()

        self._shared.actions.ask(("hide part", number, link, part), switch)


def _label(body: Any) -> str:
    return f"{body.name} ({len(body.links)} links)" if body.is_robot else body.name
