"""Statistics of links: how far joints move what is on them."""

from __future__ import annotations

from typing import Any

from pyrave_openravepy.api.databases._generator import DatabaseGenerator
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.objects import as_native

__all__ = ["LinkStatisticsModel", "run"]

_RULES = ("reach", "equal", "time")


class LinkStatisticsModel(DatabaseGenerator):
    """Reaches of joints, of which resolutions and weights are made.

    Parameters
    ----------
    robot
        A robot, or another body in its place.
    """

    kind = "linkstatistics"
    version = 6

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self.jointspheres: list[tuple[Any, float]] = []

    def _new_database(self, **parameters: Any) -> Any:
        from pyrave.databases import LinkStatistics

        return LinkStatistics(as_native(self.robot))

    def _take(self) -> None:
        spheres = self._native.spheres
        pairs = zip(spheres.centres, spheres.radii, strict=True)
        self.jointspheres = [(center, float(radius)) for center, radius in pairs]

    def SavePickle(self) -> None:
        self.save()

    def LoadPickle(self) -> bool:
        return self.load()

    def setRobotResolutions(self, xyzdelta: float | None = None) -> None:
        """Set resolutions so that nothing moves farther in a step, in metres."""
        found = self._results()
        metres = {} if xyzdelta is None else {"metres": float(xyzdelta)}
        as_native(self.robot).dof_resolutions = found.robot_resolutions(**metres)

    def setRobotWeights(self, type: int = 0, weightmult: float = 1.0) -> None:
        """Set weights: 0 by reach, 1 all the same, 2 by velocity limits."""
        rule = int(type)
        if not 0 <= rule < len(_RULES):
            raise openrave_exception(f"type is {type}, expected 0, 1 or 2")
        weights = self._results().robot_weights(_RULES[rule], float(weightmult))
        as_native(self.robot).dof_weights = weights

    @staticmethod
    def RunFromParser(
        Model: Any = None, parser: Any = None, args: Any = None, **kwargs: Any
    ) -> Any:
        return DatabaseGenerator.RunFromParser(
            Model or LinkStatisticsModel, parser, args=args, **kwargs
        )


def run(*args: Any, **kwargs: Any) -> Any:
    """Run the database as a program."""
    return LinkStatisticsModel.RunFromParser(*args, **kwargs)
