"""Registrations of the plugin: names of OpenRAVE's viewers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pyrave.interfaces import NoSettings
from pyrave.plugins import hookimpl

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave_viser.viewer import ViserViewer

_log = logging.getLogger("pyrave.viewer")
_OPENRAVE = ("qtosg", "qtcoin", "qtcameraviewer")


@hookimpl
def pyrave_interfaces() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    """Return the viewers that scripts for OpenRAVE ask for."""
    return [("viewer", name, _OldName(name)) for name in _OPENRAVE]


@dataclass(frozen=True)
class _OldName:
    """The viewer in the browser, under the name of a window of OpenRAVE."""

    name: str
    settings_type: ClassVar[type] = NoSettings

    def __call__(self, env: Environment, *args: str) -> ViserViewer:
        from pyrave_viser.viewer import ViserViewer

        _log.warning(
            "%s, OpenRAVE's window, is pyrave's viewer 'viser' here: the browser shows "
            "the scene",
            self.name,
        )
        return ViserViewer(env, *args)
