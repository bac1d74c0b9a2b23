"""Inverse kinematics: pyrave solves any arm, so that nothing is generated."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave_openravepy.api.databases._generator import DatabaseGenerator, arm_of
from pyrave_openravepy.api.enums import IkFilterOptions, IkParameterizationType
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.objects import as_native

__all__ = ["InverseKinematicsError", "InverseKinematicsModel", "run"]


_WRONG = 1e-8
"""Squared distance from a goal beyond which an answer is none."""


class InverseKinematicsError(Exception):
    """A failure of inverse kinematics."""

    def __init__(self, parameter: str = "") -> None:
        super().__init__(parameter)
        self.parameter = parameter

    def __str__(self) -> str:
        return repr(self.parameter)


class InverseKinematicsModel(DatabaseGenerator):
    """The solver of an arm: `load` sets it and returns True at once.

    Parameters
    ----------
    robot
        Its active manipulator is the arm.
    iktype
        A type of goals; poses, or what an arm of few joints can meet, if left out.
    freeindices, freejoints
        Joints that stay as they are; chosen if left out.
    manip
        The arm, in place of `robot`.
    """

    kind = "inversekinematics"
    version = 1

    def __init__(
        self,
        robot: Any = None,
        iktype: Any = None,
        forceikfast: bool = False,
        freeindices: Any = None,
        freejoints: Any = None,
        manip: Any = None,
        checkpreemptfn: Any = None,
    ) -> None:
        if robot is None and manip is None:
            raise openrave_exception("robot and manip are None, expected one of them")
        super().__init__(manip.GetRobot() if robot is None else robot)
        if manip is not None:
            self.manip = manip
        arm_of(self)
        self.iktype = None if iktype is None else IkParameterizationType(int(iktype))
        self.forceikfast, self.checkpreemptfn = forceikfast, checkpreemptfn
        self.freeinc: Any = None
        self.ikfeasibility: Any = None
        self.iksolver: Any = None
        self.statistics: dict[str, Any] = {}
        if freejoints is not None:
            freeindices = self.getIndicesFromJointNames(freejoints)
        self.freeindices: list[int] | None = None
        self.solveindices: list[int] | None = None
        if freeindices is not None:
            self._set_free(freeindices)

    def _set_free(self, freeindices: Any) -> None:
        chosen = [int(index) for index in freeindices]
        arm = [int(index) for index in arm_of(self).arm_indices]
        strange = [index for index in chosen if index not in arm]
        if strange:
            raise openrave_exception(
                f"freeindices has {strange}, which are no joints of the arm, {arm}"
            )
        self.freeindices = chosen
        self.solveindices = [index for index in arm if index not in chosen]

    @property
    def freejoints(self) -> list[str] | None:
        if self.freeindices is None:
            return None
        body = as_native(self.robot)
        return [str(body.dof_names[index]) for index in self.freeindices]

    # -- the solver --------------------------------------------------------------------

    def has(self) -> bool:
        return self.iksolver is not None

    def load(
        self,
        freeinc: Any = None,
        checkforloaded: bool = True,
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        if self.iktype is None:
            self.iktype = IkParameterizationType.Transform6D
        return self.setrobot(freeinc)

    def setrobot(self, freeinc: Any = None) -> bool:
        arm = arm_of(self)
        self.freeinc = freeinc
        # asking makes the default one; one that is set stays, with its filters
        _ = arm.ik_solver
        self.iksolver = self.manip.GetIkSolver()
        if self.freeindices is None:
            # places among the joints of the arm
            given = self.iksolver.GetFreeIndices()
            joints = self.manip.GetArmIndices()
            self._set_free([joints[int(place)] for place in given])
        return True

    def save(self, filepermissions: Any = None) -> None:
        """Do nothing: there is no file."""

    def generate(
        self,
        iktype: Any = None,
        freejoints: Any = None,
        freeinc: Any = None,
        freeindices: Any = None,
        precision: Any = None,
        forceikbuild: bool = True,
        outputlang: Any = None,
        avoidPrismaticAsFree: bool = False,
        ipython: bool = False,
        ikfastoptions: int = 0,
        ikfastmaxcasedepth: int = 3,
    ) -> None:
        if iktype is not None:
            self.iktype = IkParameterizationType(int(iktype))
        if freejoints is not None:
            freeindices = self.getIndicesFromJointNames(freejoints)
        if freeindices is not None:
            self._set_free(freeindices)
        self.load(freeinc)

    def autogenerate(self, options: Any = None) -> None:
        names = getattr(options, "freejoints", None)
        self.generate(iktype=_type_of(options), freejoints=names)

    def getikname(self) -> str:
        return str(arm_of(self).ik_solver.interface_id)

    def getfilename(self, read: bool = False) -> str:
        """Return an empty text: solvers are no files."""
        return ""

    def getsourcefilename(self, read: bool = False, outputlang: str = "cpp") -> str:
        """Return an empty text: nothing is generated."""
        return ""

    def getstatsfilename(self, read: bool = False) -> str:
        from pyrave.databases import IkStatistics

        path = IkStatistics(arm_of(self)).path
        return "" if read and not path.exists() else str(path)

    @staticmethod
    def getcompiler() -> None:
        """Return None: nothing is compiled for an arm."""
        return

    # -- joints ------------------------------------------------------------------------

    def getDefaultFreeIncrements(
        self, freeincrot: float, freeinctrans: float
    ) -> list[float]:
        slides = as_native(self.robot).model.prismatic
        return [
            float(freeinctrans if slides[index] else freeincrot)
            for index in self.freeindices or ()
        ]

    def GetDefaultIndices(self, avoidPrismaticAsFree: bool = False) -> list[int]:
        """Return the joints in the middle of the arm that a goal has to spare."""
        arm = [int(index) for index in arm_of(self).arm_indices]
        kind = (
            IkParameterizationType.Transform6D if self.iktype is None else self.iktype
        )
        spare = max(0, len(arm) - (int(kind) >> 28 & 0xF))
        slides = as_native(self.robot).model.prismatic
        choice = [
            index for index in arm if not (avoidPrismaticAsFree and slides[index])
        ]
        middle = max(0, (len(choice) - spare) // 2)
        return choice[middle : middle + spare]

    def getIndicesFromJointNames(self, freejoints: Any) -> list[int]:
        names = list(as_native(self.robot).dof_names)
        found = []
        for name in freejoints:
            if name not in names:
                raise openrave_exception(
                    f"freejoints has {name!r}{pyrave.errors.did_you_mean(name, names)}"
                )
            found.append(names.index(name))
        return found

    # -- measurements ------------------------------------------------------------------

    def perftiming(self, num: int) -> NDArray[np.float64]:
        """Return the seconds of `num` calls that find all solutions of a pose."""
        arm = arm_of(self)
        with self.env:
            goals = self._goals(arm.sample_configurations(int(num)))
            self.manip.FindIKSolutions(goals[0], 0)
            seconds = np.empty(len(goals))
            for index, goal in enumerate(goals):
                begun = time.perf_counter()
                self.manip.FindIKSolutions(goal, 0)
                seconds[index] = time.perf_counter() - begun
        return seconds

    def testik(
        self, iktests: Any, jacobianthreshold: Any = None
    ) -> tuple[float, float]:
        """Return the rates of reached poses that are solved, and of wrong answers."""
        arm = arm_of(self)
        count = int(iktests)
        with self.env:
            solved = wrong = 0
            for goal in self._goals(arm.sample_configurations(count)):
                # where goals come from the arm may collide with itself
                found = self.manip.FindIKSolution(
                    goal, IkFilterOptions.IgnoreSelfCollisions
                )
                if found is not None:
                    solved += 1
                    (reached,) = self._goals([found])
                    wrong += goal.ComputeDistanceSqr(reached) > _WRONG
        return solved / count, wrong / count

    def _goals(self, configurations: Any) -> list[Any]:
        """Return the goals that configurations reach, of the type of the model."""
        kind = self.iktype or IkParameterizationType.Transform6D
        made = []
        with self.robot:
            for values in configurations:
                self.robot.SetDOFValues(values, self.manip.GetArmIndices())
                made.append(self.manip.GetIkParameterization(kind))
        return made

    def show(
        self, delay: float = 0.1, options: Any = None, forceclosure: bool = True
    ) -> None:
        """Move the arm through the solutions of poses that it can reach."""
        arm = arm_of(self)
        for pose in arm.compute_transforms(arm.sample_configurations(10)):
            found = self.manip.FindIKSolutions(pose, IkFilterOptions.CheckEnvCollisions)
            with self.robot:
                for row in found:
                    self.robot.SetDOFValues(row, self.manip.GetArmIndices())
                    self.env.UpdatePublishedBodies()
                    time.sleep(delay)

    # -- programs ----------------------------------------------------------------------

    @staticmethod
    def CreateOptionParser(useManipulator: bool = True) -> Any:
        parser = DatabaseGenerator.CreateOptionParser(useManipulator)
        parser.add_option(
            "--iktype", dest="iktype", help="Type of goals, Transform6D for example."
        )
        parser.add_option(
            "--freejoint",
            action="append",
            dest="freejoints",
            help="A joint that stays as it is; may be given again.",
        )
        parser.add_option(
            "--iktests", type="int", dest="iktests", help="Goals that are tried."
        )
        parser.add_option(
            "--perftiming", type="int", dest="perftiming", help="Calls that are timed."
        )
        return parser

    @staticmethod
    def RunFromParser(
        Model: Any = None, parser: Any = None, args: Any = None, **kwargs: Any
    ) -> Any:
        parser = parser or InverseKinematicsModel.CreateOptionParser()
        options, _ = parser.parse_args(args)
        model = DatabaseGenerator.RunFromParser(
            Model or InverseKinematicsModel, parser, args=args, **kwargs
        )
        if options.iktests:
            solved, wrong = model.testik(options.iktests)
            print(f"success rate: {solved}, wrong solutions: {wrong}")  # noqa: T201
        if options.perftiming:
            seconds = model.perftiming(options.perftiming)
            print(f"mean: {seconds.mean():.3e}s, max: {seconds.max():.3e}s")  # noqa: T201
        return model


def _type_of(options: Any) -> Any:
    name = getattr(options, "iktype", None)
    if name is None:
        return None
    if str(name).isdigit():
        return IkParameterizationType(int(name))
    members = IkParameterizationType.__members__
    lower = {key.lower(): value for key, value in members.items()}
    if str(name).lower() not in lower:
        raise openrave_exception(
            f"--iktype is {name!r}{pyrave.errors.did_you_mean(str(name), members)}"
        )
    return lower[str(name).lower()]


def run(*args: Any, **kwargs: Any) -> Any:
    """Run the database as a program."""
    return InverseKinematicsModel.RunFromParser(*args, **kwargs)
