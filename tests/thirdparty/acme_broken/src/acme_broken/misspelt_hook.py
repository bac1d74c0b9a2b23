"""A hook of a name that does not exist."""

from __future__ import annotations

from pyrave import hookimpl


@hookimpl
def pyrave_body_add(body: object) -> None:
    """Never called: the hook is pyrave_body_added."""
