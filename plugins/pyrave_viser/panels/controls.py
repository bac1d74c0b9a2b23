"""Buttons, sliders, keys and texts of scripts and of other plugins."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pyrave.errors import (
    ArgumentError,
    PluginGuard,
    Problem,
    Severity,
    did_you_mean,
    shown,
)
from pyrave.interfaces.handles import CallbackList, Control, Handle
from pyrave.spatial import as_number

if TYPE_CHECKING:
    from pyrave_viser.shared import Shared

_STEPS = 1000
_OFTEN = 0.1
_KEYS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


class Controls:
    """Controls of scripts and plugins: folders that come with the first of them.

    Callbacks run in the viewer's thread with the environment's lock held. One that
    raises is reported in the environment's problems.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._folders: dict[str, Any] = {}
        self._counts: dict[str, int] = {}
        self._mutex = threading.Lock()
        self.changes: CallbackList[Any] = CallbackList("change")
        self._stale = False
        self._called = 0.0

    def follow(self, changed: bool) -> None:
        """Call those who listen to changes back, ten times a second at most."""
        self._stale = self._stale or changed
        waiting = self._stale and len(self.changes)
        if waiting and time.monotonic() - self._called > _OFTEN:
            self._called, self._stale = time.monotonic(), False
            self._shared.actions.ask(
                "changes", lambda env: self.changes(env, env.report_problem)
            )

    def button(self, label: str, callback: Callable[[], object], panel: str) -> Handle:
        """Offer a button."""
        act = self._caller(callback)
        made, remove = self._add(panel, "add_button", _text(label, "label"))
        made.on_click(lambda _: act())
        return Handle(remove)

    def slider(
        self,
        label: str,
        callback: Callable[[float], object],
        lower: float,
        upper: float,
        value: float | None,
        panel: str,
    ) -> Control:
        """Offer a slider."""
        least, most = as_number(lower, "lower"), as_number(upper, "upper")
        if not least < most:
            raise ArgumentError(f"a slider from {least:g} to {most:g} has no room")
        first = least if value is None else as_number(value, "value", least, most)
        step = (most - least) / _STEPS
        act, name = self._caller(callback), _text(label, "label")
        parts = (name, least, most, step, first)
        return self._valued(
            *self._add(panel, "add_slider", *parts), act, float,
            lambda value: as_number(value, "value", least, most),
        )  # fmt: skip

    def checkbox(
        self, label: str, callback: Callable[[bool], object], value: bool, panel: str
    ) -> Control:
        """Offer a switch."""
        act, name = self._caller(callback), _text(label, "label")
        made = self._add(panel, "add_checkbox", name, bool(value))
        return self._valued(*made, act, bool, bool)

    def choice(
        self,
        label: str,
        callback: Callable[[str], object],
        choices: Sequence[str],
        value: str | None,
        panel: str,
    ) -> Control:
        """Offer a list."""
        known = () if isinstance(choices, str) else tuple(choices)
        if not known or not all(isinstance(one, str) for one in known):
            raise ArgumentError(f"choices are {shown(choices)}, expected some texts")

        def checked(value: Any) -> str:
            if value not in known:
                which = ", ".join(known)
                hint = did_you_mean(str(value), list(known))
                raise ArgumentError(
                    f"value is {value!r}, expected one of {which}{hint}"
                )
            return str(value)

        first = known[0] if value is None else checked(value)
        act, name = self._caller(callback), _text(label, "label")
        made, remove = self._add(panel, "add_dropdown", name, known)
        made.value = first
        return self._valued(made, remove, act, str, checked)

    def text(self, text: str, panel: str) -> Control:
        """Show a text in Markdown."""
        made, remove = self._add(panel, "add_markdown", _text(text, "text"))

        def put(value: Any) -> None:
            made.content = _text(value, "value")

        return Control(remove, lambda: made.content, put)

    def key(self, key: str, callback: Callable[[], object]) -> Handle:
        """Listen to a key."""
        wanted = key.upper() if isinstance(key, str) else ""
        if len(wanted) != 1 or wanted not in _KEYS:
            raise ArgumentError(f"key is {shown(key)}, expected a letter or a digit")
        name = getattr(callback, "__name__", "a script's")
        made = self._shared.server.gui.add_command(
            f"Key {wanted}: {name}",
            hotkey=wanted,
        )
        act = self._caller(callback)
        made.on_trigger(lambda _: act())
        return Handle(made.remove)

    def _valued(
        self,
        made: Any,
        remove: Callable[[], None],
        act: Callable[..., None],
        kind: Callable[[Any], Any],
        checked: Callable[[Any], Any],
    ) -> Control:
        """Return the control of a widget that has a value."""

        def changed(event: Any) -> None:
            if event.client is not None:
                act(kind(event.target.value))

        def put(value: Any) -> None:
            made.value = checked(value)

        made.on_update(changed)
        return Control(remove, lambda: kind(made.value), put)

    def _add(self, panel: str, kind: str, *args: Any) -> tuple[Any, Callable[[], None]]:
        """Return a widget in the folder of a panel, and what takes it away."""
        gui, title = self._shared.server.gui, _text(panel, "panel")
        with self._mutex:
            folder = self._folders.get(title)
            if folder is None:
                folder = self._folders[title] = gui.add_folder(title, order=-1.0)
                self._counts[title] = 0
            self._counts[title] += 1
            with folder:
                made = getattr(gui, kind)(*args)

        def remove() -> None:
            with self._mutex:
                made.remove()
                self._counts[title] -= 1
                if not self._counts[title]:
                    self._folders.pop(title).remove()

        return made, remove

    def _caller(self, callback: Callable[..., object]) -> Callable[..., None]:
        """Return a function that calls the callback in the viewer's thread."""
        if not callable(callback):
            raise ArgumentError(f"the callback {callback!r} cannot be called")
        actions, key = self._shared.actions, object()

        def act(*args: Any) -> None:
            def call(env: Any) -> None:
                with PluginGuard() as guard:
                    callback(*args)
                if guard.error is not None:
                    env.report_problem(_problem(callback, guard.error))
                    actions.tell("A script failed", f"{guard.error}")

            actions.ask(("control", key), call)

        return act


def _text(text: Any, name: str) -> str:
    if not isinstance(text, str) or not text.strip():
        raise ArgumentError(f"{name} is {shown(text)}, expected a text")
    return text


def _problem(callback: Callable[..., object], error: BaseException) -> Problem:
    import traceback

    name = getattr(callback, "__qualname__", "") or repr(callback)
    return Problem(
        Severity.WARNING,
        f"the viewer's callback {name} raised {type(error).__name__}: {error}",
        traceback="".join(traceback.format_exception(error)),
        code="callback-failed",
    )
