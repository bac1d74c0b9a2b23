"""Registrations of the plugin: a planner for each of OMPL's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pyrave.plugins import hookimpl


@hookimpl
def pyrave_interfaces() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    """Return the planners; the library is imported when one is created."""
    from pyrave_ompl.planners import planner_classes

    return [("planner", name, kind) for name, kind in planner_classes().items()]
