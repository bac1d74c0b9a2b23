"""Registrations of the plugin: names of OpenRAVE's viewers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pyrave.plugins import hookimpl

if TYPE_CHECKING:
    from pyrave_viser.viewer import ViserViewer

_log = logging.getLogger("pyrave.viewer")
_OPENRAVE = ("qtosg", "qtcoin", "qtcameraviewer")


@hookimpl
def pyrave_interfaces() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    """Return the viewers that scripts for OpenRAVE ask for."""
    return [("viewer", name, _instead_of(name)) for name in _OPENRAVE]


def _instead_of(name: str) -> Callable[..., ViserViewer]:
    def make(env: Any, *args: str) -> ViserViewer:
        from pyrave_viser.viewer import ViserViewer

        _log.warning(
            "%s, OpenRAVE's window, is pyrave's viewer 'viser' here: the browser shows "
            "the scene",
            name,
        )
        return ViserViewer(env, *args)

    return make
