"""Reports of collision queries, in OpenRAVE's new and old forms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave_openravepy.api.bodies.link import Link
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import wrap_part

__all__ = ["CollisionPairInfo", "CollisionReport", "Contact"]


class Contact(Guarded):
    """A point where two things touch.

    Parameters
    ----------
    pos
        (3,) in the world, metres.
    norm
        (3,) out of the first of them.
    depth
        Metres.
    """

    def __init__(
        self, pos: Any = (0, 0, 0), norm: Any = (0, 0, 0), depth: float = 0.0
    ) -> None:
        self.pos: NDArray[np.float64] = np.array(pos, dtype=np.float64)
        self.norm: NDArray[np.float64] = np.array(norm, dtype=np.float64)
        self.depth = float(depth)

    def __str__(self) -> str:
        return f"pos={self.pos.tolist()}, norm={self.norm.tolist()}"

    def __unicode__(self) -> str:
        return str(self)


class CollisionPairInfo(Guarded):
    """Two geometries that collide, and their contacts.

    Parameters
    ----------
    native
        The pair as pyrave's report has it.
    """

    def __init__(self, native: Any = None) -> None:
        first, second = ("", "") if native is None else _names(native)
        self.bodyLinkGeom1Name = first
        self.bodyLinkGeom2Name = second
        self.contacts = [] if native is None else _contacts(native)

    def ExtractFirstBodyLinkGeomNames(self) -> tuple[str, str, str]:
        return _split(self.bodyLinkGeom1Name)

    def ExtractSecondBodyLinkGeomNames(self) -> tuple[str, str, str]:
        return _split(self.bodyLinkGeom2Name)

    def __str__(self) -> str:
        first, second = self.bodyLinkGeom1Name, self.bodyLinkGeom2Name
        return f"<({first})x({second}) c={len(self.contacts)}>"

    def __unicode__(self) -> str:
        return str(self)


class CollisionReport(Guarded):
    """Findings of a query; each query that gets it fills it anew.

    ``collisionInfos`` is the list of newer versions. ``contacts``, ``plink1``,
    ``plink2``, ``vLinkColliding`` and ``numCols`` are the attributes of earlier ones.
    """

    def __init__(self) -> None:
        self._native = pyrave.CollisionReport()
        self._keeps = 0

    def Reset(self, coloptions: int = 0) -> None:
        if self._keeps:
            self._keeps -= 1
        self._native.keep_previous = False
        self._native.reset()
        self._native.options = pyrave.CollisionOptions(int(coloptions))

    @property
    def options(self) -> int:
        return int(self._native.options)

    @options.setter
    def options(self, options: int) -> None:
        self._native.options = pyrave.CollisionOptions(int(options))

    @property
    def minDistance(self) -> float:
        return float(self._native.min_distance)

    @minDistance.setter
    def minDistance(self, distance: float) -> None:
        self._native.min_distance = float(distance)

    @property
    def numWithinTol(self) -> int:
        return int(self._native.n_within_tolerance)

    @property
    def nKeepPrevious(self) -> int:
        return self._keeps

    @nKeepPrevious.setter
    def nKeepPrevious(self, count: int) -> None:
        self._keeps = int(count)
        self._native.keep_previous = self._keeps > 0

    @property
    def collisionInfos(self) -> list[CollisionPairInfo]:
        return [CollisionPairInfo(pair) for pair in self._native.pairs]

    # -- the form of earlier versions ------------------------------------------------

    @property
    def contacts(self) -> list[Contact]:
        return [one for pair in self._native.pairs for one in _contacts(pair)]

    @property
    def plink1(self) -> Any:
        pairs = self._native.pairs
        return _link(pairs[0].first) if pairs else self._nearest(0)

    @property
    def plink2(self) -> Any:
        pairs = self._native.pairs
        return _link(pairs[0].second) if pairs else self._nearest(1)

    def _nearest(self, side: int) -> Any:
        found = self._native.nearest
        return None if found is None else _link(found[side])

    @property
    def vLinkColliding(self) -> list[tuple[Any, Any]]:
        pairs = [(_link(one.first), _link(one.second)) for one in self._native.pairs]
        return list(dict.fromkeys(pairs))

    @property
    def numCols(self) -> int:
        return len(self._native.pairs)

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        pairs = "".join(f"{one}, " for one in self.collisionInfos)
        known = self.minDistance < 1e20
        return f"[{pairs}]" + (f", mindist={self.minDistance:.6g}" if known else "")

    def __unicode__(self) -> str:
        return str(self)


def _contacts(pair: Any) -> list[Contact]:
    return [Contact(one.position, one.normal, one.depth) for one in pair.contacts]


def _names(pair: Any) -> tuple[str, str]:
    # three names, of which the last ones are often empty; none of a ray
    first, second = (
        f"{one.body_name} {one.link_name} {one.geometry_name}" if one.link else ""
        for one in (pair.first, pair.second)
    )
    return first, second


def _split(name: str) -> tuple[str, str, str]:
    body, link, geometry = (*name.split(" ", 2), "", "", "")[:3]
    return body, link, geometry


def _link(side: Any) -> Any:
    link = side.link
    return None if link is None else wrap_part(Link, link, link.body)
