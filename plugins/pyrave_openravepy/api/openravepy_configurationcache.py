"""`ConfigurationCache`: configurations of a robot that collide, or are free."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave.interfaces import CollisionPair, CollisionSide
from pyrave.spatial import as_number
from pyrave_openravepy.api.bodies.link import Link
from pyrave_openravepy.api.collision.report import CollisionReport
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import as_native, wrap, wrap_part

__all__ = ["ConfigurationCache"]


class ConfigurationCache(Guarded):
    """Remembers for the active degrees of freedom of a robot where it collides.

    Parameters
    ----------
    robot
        Its active degrees of freedom of this moment count.
    """

    def __init__(self, robot: Any) -> None:
        native = as_native(robot)
        if not isinstance(native, pyrave.Robot):
            raise TypeError(f"robot is {robot!r}, expected a Robot")
        maker: Any = native.env.create("collisionchecker", "CacheChecker")
        self._cache = maker.cache(native)

    def InsertConfiguration(self, values: Any, report: Any = None) -> bool:
        """Remember a configuration: what a report says collides there, None if free."""
        pair = None
        if report is not None:
            if not isinstance(report, CollisionReport):
                raise TypeError(f"report is {report!r}, expected a CollisionReport")
            found = report._native.pairs
            pair = found[0] if found else CollisionPair(CollisionSide())
        return bool(self._cache.insert(values, pair))

    def InsertConfigurationDist(self, values: Any, report: Any, dist: float) -> bool:
        """Do as `InsertConfiguration`; how far others are is looked up in any case."""
        return self.InsertConfiguration(values, report)

    def CheckCollision(self, values: Any) -> tuple[int, float, tuple[Any, Any]]:
        """Return 1 if it collides, 0 if it is free, -1 if nothing is known.

        With it come the distance to the configuration of which that is known, and the
        links that collide there, that of the robot first.
        """
        known = self._cache.find(values)
        if known is None:
            return -1, 0.0, (None, None)
        sides = () if known.pair is None else (known.pair.first, known.pair.second)
        links = [side.link for side in sides]
        if len(links) == 2 and getattr(links[1], "body", None) is self._cache.robot:
            links.reverse()
        wrapped = [
            None if one is None else wrap_part(Link, one, one.body) for one in links
        ]
        first, second = (*wrapped, None, None)[:2]
        return int(known.collides), float(known.distance), (first, second)

    def FindNearestNode(
        self, values: Any, dist: float = np.inf
    ) -> tuple[NDArray[np.float64], float] | None:
        """Return the nearest configuration and its distance, None if none is near."""
        reach = np.inf if dist == np.inf else as_number(dist, "dist")
        found: tuple[NDArray[np.float64], float] | None
        found = self._cache.nearest(values, reach if reach > 0.0 else np.inf)
        return found

    def RemoveConfigurations(self, values: Any, radius: float) -> int:
        """Forget what is known about configurations so near; return how many."""
        return int(self._cache.remove(values, radius))

    def RemoveCollisionConfigurations(self) -> int:
        """Forget all configurations that collide; return how many."""
        return int(self._cache.drop_collisions())

    def RemoveFreeConfigurations(self) -> int:
        """Forget all configurations that are free; return how many."""
        return int(self._cache.drop_free())

    def UpdateCollisionConfigurations(self, body: Any) -> int:
        """Forget configurations that collide with a body; return how many."""
        native = as_native(body)
        if not isinstance(native, pyrave.KinBody):
            raise TypeError(f"body is {body!r}, expected a KinBody")
        return int(self._cache.drop_collisions(native))

    def UpdateFreeConfigurations(self, body: Any = None) -> int:
        """Forget all configurations that are free; return how many."""
        return self.RemoveFreeConfigurations()

    def Reset(self) -> None:
        self._cache.clear()

    def Validate(self) -> bool:
        return bool(self._cache.is_sound())

    def GetNumNodes(self) -> int:
        return len(self._cache)

    def GetNodeValues(self) -> NDArray[np.float64]:
        """Return all configurations, one after the other."""
        return np.array(self._cache.values).ravel()

    def GetDOFValues(self) -> NDArray[np.float64]:
        return np.array(self._cache.present_values())

    def ComputeDistance(self, confi: Any, conff: Any) -> float:
        return float(self._cache.distance(confi, conff))

    def SetWeights(self, weights: Any) -> None:
        self._cache.weights = weights

    def GetRobot(self) -> Any:
        return wrap(self._cache.robot)

    def SetCollisionThresh(self, colthresh: float) -> None:
        self._cache.collision_threshold = as_number(colthresh, "colthresh", 0.0)

    def GetCollisionThresh(self) -> float:
        return float(self._cache.collision_threshold)

    def SetFreeSpaceThresh(self, freespacethresh: float) -> None:
        self._cache.free_threshold = as_number(freespacethresh, "freespacethresh", 0.0)

    def GetFreeSpaceThresh(self) -> float:
        return float(self._cache.free_threshold)

    def SetInsertionDistanceMult(self, indist: float) -> None:
        self._cache.insertion_multiplier = as_number(indist, "indist", 0.0)

    def GetInsertionDistanceMult(self) -> float:
        return float(self._cache.insertion_multiplier)
