"""The XML tags: one reader gets whole elements, the other a single child tag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable


@hookimpl
def pyrave_xml_readers() -> list[tuple[str, str, Callable[..., Any]]]:
    """Read ``<sensor type="AcmeRangefinder">`` whole, ``<acme_cone>`` alone."""
    from acme_rangefinder.readers import read_cone, read_rangefinder

    return [
        ("sensor", "AcmeRangefinder", read_rangefinder),
        ("sensor", "acme_cone", read_cone),
    ]
