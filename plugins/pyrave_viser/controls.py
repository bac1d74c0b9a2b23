"""Buttons, sliders, keys and texts of scripts and of other plugins."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyrave.errors import ArgumentError, PluginGuard, Problem, Severity, shown
from pyrave.interfaces.handles import Handle
from pyrave.spatial import as_number

if TYPE_CHECKING:
    from pyrave_viser.shared import Shared

_STEPS = 1000
_KEYS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


class Controls:
    """What scripts offer; the folder comes with the first of it.

    Callbacks run in the viewer's thread with the environment's lock held. One that
    raises is reported in the environment's problems.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._folder: Any = None
        self._count = 0
        self._mutex = threading.Lock()

    def button(self, label: str, callback: Callable[[], object]) -> Handle:
        """Offer a button."""
        made = self._add("add_button", _label(label))
        act = self._caller(callback, made)
        made.on_click(lambda _: act())
        return Handle(made.remove)

    def slider(
        self,
        label: str,
        callback: Callable[[float], object],
        lower: float,
        upper: float,
        value: float | None,
    ) -> Handle:
        """Offer a slider."""
        least, most = as_number(lower, "lower"), as_number(upper, "upper")
        if not least < most:
            raise ArgumentError(f"a slider from {least:g} to {most:g} has no room")
        first = least if value is None else as_number(value, "value", least, most)
        step = (most - least) / _STEPS
        made = self._add("add_slider", _label(label), least, most, step, first)
        act = self._caller(callback, made)

        def slid(event: Any) -> None:
            if event.client is not None:
                act(float(event.target.value))

        made.on_update(slid)
        return Handle(made.remove)

    def text(self, text: str) -> Handle:
        """Show a text in Markdown."""
        return Handle(self._add("add_markdown", text).remove)

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
        act = self._caller(callback, made)
        made.on_trigger(lambda _: act())
        return Handle(made.remove)

    def _add(self, kind: str, *args: Any) -> Any:
        gui = self._shared.server.gui
        with self._mutex:
            if self._folder is None:
                self._folder = gui.add_folder("Application", order=-1.0)
        with self._folder:
            return getattr(gui, kind)(*args)

    def _caller(self, callback: Callable[..., object], key: Any) -> Callable[..., None]:
        """Return what has the callback called in the viewer's thread."""
        if not callable(callback):
            raise ArgumentError(f"the callback {callback!r} cannot be called")
        actions = self._shared.actions

        def act(*args: Any) -> None:
            def call(env: Any) -> None:
                with PluginGuard() as guard:
                    callback(*args)
                if guard.error is not None:
                    env.report_problem(_problem(callback, guard.error))
                    actions.tell("A script failed", f"{guard.error}")

            actions.ask(("control", id(key)), call)

        return act


def _label(label: Any) -> str:
    if not isinstance(label, str) or not label.strip():
        raise ArgumentError(f"label is {shown(label)}, expected a text")
    return label


def _problem(callback: Callable[..., object], error: BaseException) -> Problem:
    import traceback

    name = getattr(callback, "__qualname__", "") or repr(callback)
    return Problem(
        Severity.WARNING,
        f"the viewer's callback {name} raised {type(error).__name__}: {error}",
        traceback="".join(traceback.format_exception(error)),
        code="callback-failed",
    )
