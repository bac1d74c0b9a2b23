"""OpenRAVE's extensions in a document: extras and techniques by profile."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pyrave_collada.document.parsed import child, children

if TYPE_CHECKING:
    from collections.abc import Iterator

PROFILE = "OpenRAVE"
OWN_PROFILE = "pyrave"

Extras = Iterable[tuple[Any, Any, Any]]
"""(holder, extra, OpenRAVE technique) of several extras."""


def extras(element: Any, kind: str) -> Iterator[tuple[Any, Any]]:
    """Yield each ``<extra>`` of a type with its OpenRAVE technique."""
    for extra in children(element, "extra"):
        if (extra.get("type") or "").lower() == kind:
            part = openrave_part(extra)
            if part is not None:
                yield extra, part


def extras_of(holders: Iterable[Any], kind: str) -> Iterator[tuple[Any, Any, Any]]:
    """Yield each ``<extra>`` of a type below any of several elements."""
    for holder in holders:
        for extra, part in extras(holder, kind):
            yield holder, extra, part


def openrave_technique(element: Any, kind: str) -> Any:
    """Return the OpenRAVE technique of the first extra of a type, or None."""
    return next((part for _, part in extras(element, kind)), None)


def openrave_part(element: Any) -> Any:
    """Return the first technique of profile OpenRAVE in an element, or None."""
    for technique in children(element, "technique"):
        if technique.get("profile") == PROFILE:
            return technique
    return None


def exact_part(element: Any) -> Any:
    """Return the ``<exact>`` in an element's extras of profile pyrave, or None."""
    for extra in () if element is None else children(element, "extra"):
        for technique in children(extra, "technique"):
            if technique.get("profile") == OWN_PROFILE:
                return child(technique, "exact")
    return None
