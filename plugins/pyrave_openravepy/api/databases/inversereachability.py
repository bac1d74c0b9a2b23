"""Places of the base from which an arm reaches a pose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave import spatial
from pyrave_openravepy.api.databases._generator import DatabaseGenerator, arm_of
from pyrave_openravepy.api.databases.kinematicreachability import ReachabilityModel
from pyrave_openravepy.api.enums import IkFilterOptions
from pyrave_openravepy.api.foundation.errors import PlanningError
from pyrave_openravepy.api.foundation.logs import RaveLogWarn
from pyrave_openravepy.api.foundation.objects import as_native
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.functions.transforms import poseFromMatrices

__all__ = ["InverseReachabilityModel", "run"]

Array = NDArray[np.float64]
Distribution = tuple[Callable[[Any], Array], Callable[..., Any], Array]

_LOG_LIKELIHOOD = 2.0


class InverseReachabilityModel(DatabaseGenerator):
    """Places of the base from which an arm reaches a pose.

    Parameters
    ----------
    robot
        Its active manipulator is the arm.
    id
        Has no effect: results are found by what they depend on.
    """

    kind = "inversereachability"
    version = 3

    def __init__(self, robot: Any, id: Any = None) -> None:
        super().__init__(robot)
        arm_of(self)
        self.equivalenceclasses: Any = None

    def _new_database(self, **parameters: Any) -> Any:
        from pyrave.databases import InverseReachability

        names = {"heightthresh": "height_threshold", "quatthresh": "tilt_threshold"}
        given = {
            native: float(parameters[name])
            for name, native in names.items()
            if parameters.get(name) is not None
        }
        return InverseReachability(arm_of(self), **given)

    def _take(self) -> None:
        self.equivalenceclasses = self._native.arrays["tools"]

    def preprocess(self) -> None:
        self._take()

    def generate(
        self, heightthresh: Any = None, quatthresh: Any = None, Nminimum: Any = None
    ) -> None:
        _tell_ignored(Nminimum=Nminimum)
        super().generate(heightthresh=heightthresh, quatthresh=quatthresh)

    @staticmethod
    def classnormalizationconst(classstd: Any) -> float:
        """Return the factor of a normal distribution of some standard deviations."""
        wide = np.asarray(classstd, np.float64)
        if not (wide > 0.0).all():
            raise ValueError(f"standard deviations are {classstd!r:.80}, expected > 0")
        return float((2.0 * np.pi) ** (-0.5 * wide.size) / np.prod(wide))

    @staticmethod
    def getdofindices(manip: Any) -> list[int]:
        return [int(index) for index in as_native(manip).arm_indices]

    getManipulatorLinks = staticmethod(ReachabilityModel.getManipulatorLinks)

    def necessaryjointstate(self) -> tuple[Array, NDArray[np.int64]]:
        """Return values and indices of the joints between the base and the arm."""
        body, arm = as_native(self.robot), arm_of(self)
        chain = body.structure.chain_joints(body.links[0], arm.base)
        indices = [joint.dof_index for joint in chain if joint.dof_index >= 0]
        rows = np.array(indices, np.int64)
        return np.array(body.dof_values)[rows], rows

    # -- places of the base ------------------------------------------------------------

    def getEquivalenceClass(self, Tgrasp: Any) -> NDArray[np.int64]:
        """Return the numbers of the kept configurations at the height of a pose."""
        return np.array(self._results().equivalence_class(matrix_of(Tgrasp)))

    def computeBaseDistribution(
        self, Tgrasp: Any, logllthresh: float = _LOG_LIKELIHOOD, zaxis: Any = None
    ) -> Distribution:
        """Return the density of poses, a function that draws them, and their bounds."""
        return self.computeAggregateBaseDistribution([Tgrasp], logllthresh, zaxis)

    def computeAggregateBaseDistribution(
        self, Tgrasps: Any, logllthresh: float = _LOG_LIKELIHOOD, zaxis: Any = None
    ) -> Distribution:
        _tell_ignored(
            logllthresh=None if logllthresh == _LOG_LIKELIHOOD else logllthresh,
            zaxis=zaxis,
        )
        poses = np.array([matrix_of(pose) for pose in Tgrasps])
        found = self._results().base_distribution(poses)
        if not found:
            raise PlanningError("no place of the base is known for the poses")
        seeds = iter(range(1 << 30))

        def density(given: Any) -> Array:
            rows = np.array([matrix_of(pose) for pose in np.atleast_2d(given)])
            local = spatial.invert_pose(found.transform) @ rows
            turns = np.arctan2(local[:, 1, 0], local[:, 0, 0])
            places = np.column_stack((local[:, 0, 3], local[:, 1, 3], turns))
            return np.array(found.density(places))

        def draw(N: int = 1, _weight: float = 1.0) -> tuple[Array, NDArray[np.int64]]:
            drawn = found.sample(int(N), seed=next(seeds))
            near = [
                int(np.argmin(((found.placements - place) ** 2).sum(axis=1)))
                for place in drawn
            ]
            targets = np.array(found.targets)[near]
            return poseFromMatrices(found.transforms(drawn)), targets

        ends = (found.placements.min(axis=0), found.placements.max(axis=0))
        return density, draw, np.array([[row[2], row[0], row[1]] for row in ends])

    def sampleBaseDistributionIterator(
        self,
        Tgrasps: Any,
        logllthresh: float = _LOG_LIKELIHOOD,
        weight: float = 1.0,
        Nprematuresamples: int = 1,
        zaxis: Any = None,
    ) -> Iterator[tuple[Array, int, tuple[Array, Any]]]:
        """Yield poses of the base, the number of the pose reached, and joint values."""
        _tell_ignored(weight=None if weight == 1.0 else weight)
        _, draw, _ = self.computeAggregateBaseDistribution(Tgrasps, logllthresh, zaxis)
        while True:
            poses, targets = draw(max(1, int(Nprematuresamples)), weight)
            for pose, target in zip(poses, targets, strict=True):
                yield pose, int(target), self.necessaryjointstate()

    def randomBaseDistributionIterator(
        self,
        Tgrasps: Any,
        Nprematuresamples: int = 1,
        bounds: Any = None,
        **kwargs: Any,
    ) -> Iterator[tuple[Array, int, tuple[Array, Any]]]:
        """Yield poses of the base that are drawn evenly from bounds."""
        if bounds is None:
            bounds = self.computeAggregateBaseDistribution(Tgrasps)[2]
        low, high = np.asarray(bounds, np.float64)
        generator = np.random.default_rng(0)
        base = as_native(self.robot).transform
        while True:
            turn, x, y = generator.uniform(low, high)
            moved = spatial.pose_from_rpy((0.0, 0.0, turn), (x, y, 0.0))
            (pose,) = poseFromMatrices([base @ moved])
            index = int(generator.integers(len(Tgrasps)))
            yield pose, index, self.necessaryjointstate()

    def getCloseIK(self, Tgrasp: Any) -> Array | None:
        """Return arm values for a pose, None if it is not reached from here."""
        found: Array | None = self.manip.FindIKSolution(
            Tgrasp, IkFilterOptions.CheckEnvCollisions
        )
        return found

    def testSampling(
        self, heights: Any = None, N: int = 100, weight: float = 1.0, **kwargs: Any
    ) -> float:
        """Return the rate of drawn places from which the pose is not reached."""
        arm = arm_of(self)
        pose = arm.transform
        _, draw, _ = self.computeBaseDistribution(pose)
        poses, _ = draw(int(N), weight)
        failed = 0
        with self.robot:
            for place in poses:
                self.robot.SetTransform(place)
                failed += self.manip.FindIKSolution(pose, 0) is None
        return failed / int(N)

    def testEquivalenceClass(self, equivalenceclass: Any) -> float:
        return self.testSampling()

    # -- pictures ----------------------------------------------------------------------

    def showBaseDistribution(
        self,
        env: Any,
        densityfn: Callable[[Any], Array],
        bounds: Any,
        zoffset: float = 0,
        thresh: float = 1.0,
        maxprob: Any = None,
        marginalizeangle: bool = True,
    ) -> Any:
        """Draw places by their density, and return the handle."""
        low, high = np.asarray(bounds, np.float64)
        axes = [np.linspace(low[k], high[k], 30) for k in (1, 2)]
        turns = np.linspace(low[0], high[0], 8)
        base = as_native(self.robot).transform
        places = np.array([(x, y) for x in axes[0] for y in axes[1]])
        found = np.zeros(len(places))
        for turn in turns:
            moved = [
                base @ spatial.pose_from_rpy((0.0, 0.0, turn), (x, y, zoffset))
                for x, y in places
            ]
            values = densityfn(poseFromMatrices(moved))
            found = found + values if marginalizeangle else np.maximum(found, values)
        most = float(maxprob or found.max() or 1.0)
        shade = np.clip(found / most, 0.0, 1.0)
        shown = shade > 0.05
        points = np.column_stack((places, np.full(len(places), zoffset)))[shown]
        points = points @ base[:3, :3].T + base[:3, 3]
        colors = np.column_stack((shade, 1.0 - shade, np.zeros(len(shade))))[shown]
        return env.plot3(points, 5.0, colors)

    def showEquivalenceClass(
        self,
        equivalenceclass: Any,
        transparency: float = 0.8,
        neighthresh: float = 0.1,
        onlymaniplinks: bool = True,
    ) -> Any:
        return self._results().show()


def _tell_ignored(**given: Any) -> None:
    """Log a line about options that were given and have no effect."""
    names = [name for name, value in given.items() if value is not None]
    if names:
        RaveLogWarn(
            f"{', '.join(names)} of inverse reachability: no effect, the density has "
            "no options here"
        )


def run(args: Any = None, **kwargs: Any) -> Any:
    """Run the database as a program."""
    return DatabaseGenerator.RunFromParser(
        InverseReachabilityModel, None, args=args, **kwargs
    )
