"""A hook that raises when it is asked."""

from __future__ import annotations

from typing import Any

from pyrave import hookimpl


@hookimpl
def pyrave_xml_readers() -> list[tuple[str, str, Any]]:
    """Raise."""
    raise OSError("the reader hook of acme_broken raises")
