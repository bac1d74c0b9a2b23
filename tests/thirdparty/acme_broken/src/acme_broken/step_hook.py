"""A hook that raises in every step."""

from __future__ import annotations

from pyrave import hookimpl


@hookimpl
def pyrave_step_begin(dt: float) -> None:
    """Raise."""
    raise KeyError(f"the step hook of acme_broken raises at {dt}")
