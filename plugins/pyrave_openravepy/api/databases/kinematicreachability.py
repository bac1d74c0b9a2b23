"""Poses that an arm reaches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.databases._generator import DatabaseGenerator, arm_of
from pyrave_openravepy.api.functions.nearest import KDTree
from pyrave_openravepy.api.functions.transforms import poseFromMatrices

__all__ = ["ReachabilityModel", "run"]

Array = NDArray[np.float64]


class ReachabilityModel(DatabaseGenerator):
    """Poses around the base of an arm that its tool reaches.

    Parameters
    ----------
    robot
        Its active manipulator is the arm.
    """

    kind = "kinematicreachability"
    version = 5

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        arm_of(self)
        self.reachabilitystats: Array | None = None
        self.kdtree6d: KDTree | None = None
        self.kdtree3d: KDTree | None = None
        self.xyzdelta: float | None = None
        self.quatdelta: float | None = None

    def _new_database(self, **parameters: Any) -> Any:
        from pyrave.databases import Reachability

        names = {
            "maxradius": "radius",
            "xyzdelta": "spacing",
            "quatdelta": "rotation_spacing",
        }
        given: dict[str, Any] = {
            native: float(parameters[name])
            for name, native in names.items()
            if parameters.get(name) is not None
        }
        given["translation_only"] = bool(parameters.get("translationonly", False))
        given["free_space"] = bool(parameters.get("usefreespace", False))
        return Reachability(arm_of(self), **given)

    def _take(self) -> None:
        found = self._native.map
        poses = poseFromMatrices(found.poses(found.numbers_reached))
        self.reachabilitystats = np.column_stack((poses, np.ones(len(poses))))
        settings = self._native.parameters
        self.xyzdelta = float(settings["spacing"])
        self.quatdelta = float(settings["rotation_spacing"])
        self.kdtree6d = self.kdtree3d = None

    def autogenerateparams(self, options: Any = None) -> dict[str, Any]:
        names = ("maxradius", "xyzdelta", "quatdelta", "usefreespace")
        found = {name: getattr(options, name, None) for name in names}
        return {name: value for name, value in found.items() if value is not None}

    def _parameters_of(self, options: Any) -> dict[str, Any]:
        return self.autogenerateparams(options)

    def generatepcg(
        self,
        maxradius: Any = None,
        translationonly: Any = False,
        xyzdelta: Any = None,
        quatdelta: Any = None,
        usefreespace: Any = False,
    ) -> Any:
        """Return functions that make jobs, do one, take its result; and a count."""
        given = {name: value for name, value in locals().items() if name != "self"}

        def produce() -> Iterator[tuple[Any, ...]]:
            yield ()

        def consume() -> Any:
            self._database = self._new_database(**given)
            return self._native.build()

        def gather(_: Any) -> None:
            self._take()

        return produce, consume, gather, 1

    def SavePickle(self) -> None:
        self.save()

    def SaveHDF5(self) -> None:
        self.save()

    def LoadPickle(self) -> bool:
        return self.load()

    def LoadHDF5(self) -> bool:
        return self.load()

    # -- what it is made of ------------------------------------------------------------

    def getOrderedArmJoints(self) -> list[Any]:
        """Return the joints between the base and the hand, the base's first."""
        manip = self.manip
        base, end = manip.GetBase().GetIndex(), manip.GetEndEffector().GetIndex()
        return list(self.robot.GetChain(base, end, returnjoints=True))

    @staticmethod
    def getManipulatorLinks(manip: Any) -> list[Any]:
        """Return the links of the arm and the hand."""
        robot = manip.GetRobot()
        base, end = manip.GetBase().GetIndex(), manip.GetEndEffector().GetIndex()
        found = list(robot.GetChain(base, end, returnjoints=False))
        return found + [one for one in manip.GetChildLinks() if one not in found]

    @staticmethod
    def UniformlySampleSpace(
        maxradius: float, delta: float
    ) -> tuple[Array, NDArray[np.int64], tuple[int, int, int], Array]:
        """Return places of a cube, which are in its ball, its shape and the scale."""
        count = int(np.floor(float(maxradius) / float(delta)))
        steps = np.arange(-count, count + 1)
        grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1)
        points: Array = np.asarray(grid.reshape(-1, 3) * float(delta), np.float64)
        inside = np.flatnonzero((points**2).sum(axis=1) < float(maxradius) ** 2)
        side = len(steps)
        scale = np.array((1.0 / float(delta), float(count)), np.float64)
        return points, inside.astype(np.int64), (side, side, side), scale

    def ComputeNN(self, translationonly: bool = False) -> KDTree:
        """Return the tree of reached places, or of poses."""
        self._results()
        if self.reachabilitystats is None:
            self._take()
        poses = np.asarray(self.reachabilitystats)[:, :7]
        if translationonly:
            if self.kdtree3d is None:
                self.kdtree3d = KDTree(np.unique(poses[:, 4:], axis=0))
            return self.kdtree3d
        if self.kdtree6d is None:
            self.kdtree6d = KDTree(poses)
        return self.kdtree6d

    def show(self, *args: Any, **kwargs: Any) -> Any:
        contours = kwargs.get("contours")
        found = self._results()
        return found.show() if contours is None else found.show(tuple(contours))

    @staticmethod
    def CreateOptionParser(useManipulator: bool = True) -> Any:
        parser = DatabaseGenerator.CreateOptionParser(useManipulator)
        for name in ("maxradius", "xyzdelta", "quatdelta"):
            parser.add_option(f"--{name}", type="float", dest=name)
        return parser


def run(args: Any = None, **kwargs: Any) -> Any:
    """Run the database as a program."""
    return DatabaseGenerator.RunFromParser(
        ReachabilityModel, ReachabilityModel.CreateOptionParser(), args=args, **kwargs
    )
