"""Warnings about robots without geometry, which collide with nothing."""

from __future__ import annotations

import logging
import weakref
from typing import TYPE_CHECKING

from pyrave.messages import LOGGER, WARNED, warn
from pyrave.scene.body import Inertial

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody

_log = logging.getLogger(LOGGER)
_told: weakref.WeakKeyDictionary[KinBody, set[str]] = weakref.WeakKeyDictionary()
_PLANNING = "planning for"
_INVENTED = Inertial()
"""Mass and inertia of links that no file gives a mass."""
_WAY = "`pyrave robots` lists robots with geometry"


def warn_of_bare(body: KinBody, doing: str) -> None:
    """Warn if a robot has no geometry, once for everything that is done with it.

    Parameters
    ----------
    doing
        What is done, before the robot's name: ``"loading"``, ``"checking"`` or
        ``"planning for"``, which checks, too.
    """
    # `body.links` would make objects, which nobody may ever ask for
    links = body.description.links
    if not body.is_robot or not body.dof or any(one.geometries for one in links):
        return
    told = _told.setdefault(body, set())
    if doing in told:
        return
    told.add(doing)
    if doing == _PLANNING:
        told.add("checking")
    what, then = "geometry", ""
    if all(one.static or one.inertial == _INVENTED for one in links):
        what = "geometry and no masses"
        then = ", and its dynamics are those of links of 1 kg each"
    text = (
        f"{doing} {body.name!r}, which has no {what}: it collides with nothing{then} "
        f"({_WAY})"
    )
    _log.warning("%s", text, extra=WARNED)
    warn(text)
