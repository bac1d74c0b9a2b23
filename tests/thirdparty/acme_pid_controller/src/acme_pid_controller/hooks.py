"""The tag ``<piddata>`` of controllers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable


@hookimpl
def pyrave_xml_readers() -> list[tuple[str, str, Callable[..., Any]]]:
    """Read ``<piddata>`` wherever a controller has it."""
    from acme_pid_controller.piddata import read_piddata

    return [("controller", "piddata", read_piddata)]
