"""`GraspingModel`: grasps of a body by the hand of an arm."""

# ruff: noqa: ARG004

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.databases._generator import DatabaseGenerator, arm_of
from pyrave_openravepy.api.databases.grasping.rays import ApproachRays
from pyrave_openravepy.api.databases.grasping.rows import columns_of, table_of
from pyrave_openravepy.api.databases.grasping.visibility import (
    GripperVisibility as _GripperVisibility,
)
from pyrave_openravepy.api.enums import IkFilterOptions
from pyrave_openravepy.api.foundation.errors import PlanningError, openrave_exception
from pyrave_openravepy.api.foundation.objects import as_native
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.interfaces.BaseManipulation import BaseManipulation
from pyrave_openravepy.api.interfaces.Grasper import Grasper

__all__ = ["GraspingModel"]

Array = NDArray[np.float64]


class GraspingModel(ApproachRays):
    """Grasps of a body by the hand of a robot's active manipulator.

    `grasps` has a row for each, the best first, `graspindices` the columns of parts.

    Parameters
    ----------
    robot
        The robot.
    target
        The body.
    maxvelmult
        Part of the velocity limits with which fingers move.
    """

    kind = "grasping"
    version = 7
    GripperVisibility = _GripperVisibility

    def __init__(
        self,
        robot: Any,
        target: Any,
        maxvelmult: Any = None,
        graspparametersdof: Any = None,
    ) -> None:
        super().__init__(robot)
        arm = arm_of(self)
        self.target, self.maxvelmult = target, maxvelmult
        self.graspindices = columns_of(len(arm.gripper_indices))
        self.grasps: Array = table_of((), len(arm.gripper_indices))
        self.basemanip = BaseManipulation(robot, maxvelmult=maxvelmult)
        self.grasper: Any = None
        self._made: Any = None
        self.init(friction=0.4, avoidlinks=[])

    def init(self, friction: Any, avoidlinks: Any, plannername: Any = None) -> None:
        self.friction, self.avoidlinks = float(friction), list(avoidlinks or [])
        self.grasper = Grasper(self.robot, self.friction, self.avoidlinks, plannername)

    def clone(self, envother: Any) -> Self:
        made: Self = type(self)(
            envother.GetRobot(self.robot.GetName()),
            envother.GetKinBody(self.target.GetName()),
            self.maxvelmult,
        )
        made.grasps = self.grasps.copy()
        return made

    def preprocess(self) -> None:
        self._take()

    # -- results -----------------------------------------------------------------------

    def _new_database(self, **parameters: Any) -> Any:
        from pyrave.databases import GraspDatabase

        given: dict[str, Any] = {"friction": self.friction, **_parameters(parameters)}
        return GraspDatabase(arm_of(self), as_native(self.target), **given)

    def _take(self) -> None:
        count = len(arm_of(self).gripper_indices)
        self.grasps = table_of(self._native.grasps, count)

    def has(self) -> bool:
        return len(self.grasps) > 0

    def load(self, filename: Any = None) -> bool:
        if filename is None:
            return super().load()
        from pyrave.grasping import GraspSet

        count = len(arm_of(self).gripper_indices)
        self.grasps = table_of(GraspSet.load(filename), count)
        return True

    def generate(self, *args: Any, **kwargs: Any) -> None:
        """Find grasps; arguments are those of `generatepcg`."""
        producer, consumer, gatherer, _ = self.generatepcg(*args, **kwargs)
        for job in producer():
            gatherer(consumer(*job))

    def autogenerateparams(self, options: Any = None) -> dict[str, Any]:
        names = ("friction", "boxdelta", "spheredelta", "normalanglerange")
        found = {name: getattr(options, name, None) for name in names}
        return {name: value for name, value in found.items() if value is not None}

    def _parameters_of(self, options: Any) -> dict[str, Any]:
        return self.autogenerateparams(options)

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self._made is not None:
            path = self._native.path
            path.parent.mkdir(parents=True, exist_ok=True)
            self._made.save(path.with_suffix(".grasps.npz"))

    def generatepcg(
        self,
        preshapes: Any = None,
        standoffs: Any = None,
        rolls: Any = None,
        approachrays: Any = None,
        graspingnoise: Any = None,
        forceclosure: Any = True,
        forceclosurethreshold: Any = 1e-9,
        checkgraspfn: Any = None,
        manipulatordirections: Any = None,
        translationstepmult: Any = None,
        finestep: Any = None,
        friction: Any = None,
        avoidlinks: Any = None,
        plannername: Any = None,
        boxdelta: Any = None,
        spheredelta: Any = None,
        normalanglerange: Any = None,
    ) -> Any:
        """Return functions that make jobs, do one, take its result; and a count."""
        if friction is not None or avoidlinks is not None:
            used = self.friction if friction is None else friction
            self.init(used, self.avoidlinks if avoidlinks is None else avoidlinks)
        given = {
            "preshapes": preshapes,
            "standoffs": standoffs,
            "rolls": rolls,
            "graspingnoise": graspingnoise,
            "forceclosure": forceclosure,
            "forceclosurethreshold": forceclosurethreshold,
            "manipulatordirections": manipulatordirections,
            "boxdelta": boxdelta,
            "spheredelta": spheredelta,
            "normalanglerange": normalanglerange,
        }

        def produce() -> Iterator[tuple[Any, ...]]:
            yield (approachrays,)

        def consume(rays: Any) -> Any:
            if rays is None:
                self._database = self._new_database(**given)
                return self._native.build().grasps
            return self._tried(rays, given)

        def gather(found: Any) -> None:
            kept = list(found)
            if checkgraspfn is not None:
                kept = [one for one in kept if self._passes(checkgraspfn, one)]
            count = len(arm_of(self).gripper_indices)
            self._made = None if approachrays is None else found
            self.grasps = table_of(kept, count)

        return produce, consume, gather, 1

    def _tried(self, rays: Any, given: dict[str, Any]) -> Any:
        from pyrave.grasping import Grasper as NativeGrasper
        from pyrave.grasping import roll_angles

        hand = NativeGrasper(
            arm_of(self), as_native(self.target), friction=self.friction
        )
        options: dict[str, Any] = {
            "rolls": roll_angles(4) if given["rolls"] is None else given["rolls"],
            "least": float(given["forceclosurethreshold"])
            if given["forceclosure"]
            else -1,
        }
        names = {"standoffs": "standoffs", "manipulatordirections": "directions"}
        names["preshapes"] = "preshapes"
        for name, native in names.items():
            if given[name] is not None:
                options[native] = np.asarray(given[name], np.float64)
        return hand.grasps(np.asarray(rays, np.float64), **options)

    def _passes(self, check: Any, grasp: Any) -> bool:
        (row,) = table_of([grasp], len(arm_of(self).gripper_indices))
        touched = grasp.contacts.moved(as_native(self.target).transform)
        contacts = np.hstack((touched.points, touched.normals))
        final = self.robot.GetDOFValues(), self.robot.GetTransform()
        info = {"mindist": grasp.scores.get("epsilon", 0.0)}
        return bool(check(contacts, final, row, info))

    # -- parts of a grasp --------------------------------------------------------------

    def GetLocalGraspTransform(self, grasp: Any, collisionfree: bool = False) -> Array:
        """Return the pose of the hand in the target."""
        name = "grasptrans_nocol" if collisionfree else "igrasptrans"
        pose = np.eye(4)
        numbers = np.asarray(grasp)[self.graspindices[name]]
        pose[:3] = numbers.reshape(4, 3).T
        return pose

    def getGlobalGraspTransform(self, grasp: Any, collisionfree: bool = False) -> Array:
        local = self.GetLocalGraspTransform(grasp, collisionfree)
        return np.asarray(matrix_of(self.target.GetTransform()) @ local)

    def getGlobalApproachDir(self, grasp: Any) -> Array:
        way = np.asarray(grasp)[self.graspindices["igraspdir"]]
        return np.asarray(matrix_of(self.target.GetTransform())[:3, :3] @ way)

    def getPreshape(self, grasp: Any) -> Array:
        return np.array(np.asarray(grasp)[self.graspindices["igrasppreshape"]])

    def setPreshape(self, grasp: Any) -> None:
        arm, values = arm_of(self), self.getPreshape(grasp)
        as_native(self.robot).set_dof_values(values, arm.gripper_indices)

    def setFinalFingerValues(self, grasp: Any) -> None:
        values = np.asarray(grasp)[self.graspindices["igraspfinalfingers"]]
        as_native(self.robot).set_dof_values(values, arm_of(self).gripper_indices)

    def moveToPreshape(
        self,
        grasp: Any,
        execute: Any = True,
        outputtraj: Any = None,
        outputtrajobj: Any = None,
    ) -> Any:
        """Move the fingers to where a grasp begins."""
        with self.robot:
            self.robot.SetActiveDOFs([int(i) for i in arm_of(self).gripper_indices])
            found = self.basemanip.MoveActiveJoints(
                goal=self.getPreshape(grasp),
                execute=False,
                outputtrajobj=True,
            )
        if execute:
            as_native(self.robot).execute(as_native(found))
        if outputtrajobj:
            return found
        return as_native(found).to_xml(17) if outputtraj else ""

    # -- grasps that are tried ---------------------------------------------------------

    def runGrasp(
        self,
        grasp: Any,
        graspingnoise: Any = None,
        translate: Any = True,
        forceclosure: Any = False,
        translationstepmult: Any = None,
        finestep: Any = None,
    ) -> Any:
        """Return contacts, final values and pose, epsilon and volume; nothing moves."""
        row, columns = np.asarray(grasp), self.graspindices
        with self.robot:
            self.setPreshape(row)
            return self.grasper.Grasp(
                direction=row[columns["igraspdir"]],
                roll=float(row[columns["igrasproll"]][0]),
                position=row[columns["igrasppos"]],
                standoff=float(row[columns["igraspstandoff"]][0]),
                manipulatordirection=row[columns["imanipulatordirection"]],
                target=self.target,
                graspingnoise=graspingnoise,
                forceclosure=bool(forceclosure),
                execute=False,
                outputfinal=True,
            )

    def runGraspFromTrans(self, grasp: Any, finestep: Any = None) -> Any:
        return self.runGrasp(grasp)

    def testGrasp(
        self,
        graspingnoise: Any = None,
        Ngraspingtries: int = 20,
        forceclosurethreshold: float = 1e-9,
        **kwargs: Any,
    ) -> Any:
        """Return the answer of `runGrasp`; `PlanningError` if it does not hold."""
        tries = int(Ngraspingtries) if graspingnoise else 1
        found: Any = None
        for _ in range(tries):
            found = self.runGrasp(graspingnoise=graspingnoise, **kwargs)
            if kwargs.get("forceclosure") and found[2] < forceclosurethreshold:
                raise PlanningError(f"force closure failed: epsilon is {found[2]:g}")
        return found

    def validGraspIterator(
        self,
        startindex: int = 0,
        checkcollision: bool = True,
        checkik: bool = True,
        checkgrasper: bool = True,
        backupdist: float = 0.0,
        randomgrasps: bool = False,
        returnfinal: bool = False,
    ) -> Iterator[tuple[Array, int]]:
        """Yield grasps that can be taken now, with their numbers."""
        order = list(range(int(startindex), len(self.grasps)))
        if randomgrasps:
            random.shuffle(order)
        for index in order:
            grasp = self.grasps[index]
            if self._is_valid(grasp, checkcollision, checkik, checkgrasper, backupdist):
                yield grasp, index

    def _is_valid(
        self, grasp: Any, collision: bool, ik: bool, closes: bool, backupdist: float
    ) -> bool:
        pose = self.getGlobalGraspTransform(grasp, collisionfree=True)
        options = int(IkFilterOptions.CheckEnvCollisions) if collision else 0
        with self.robot:
            self.setPreshape(grasp)
            if ik:
                for back in (0.0, float(backupdist)):
                    there = pose.copy()
                    there[:3, 3] -= back * self.getGlobalApproachDir(grasp)
                    if self.manip.FindIKSolution(there, options) is None:
                        return False
            elif collision and self.manip.CheckEndEffectorCollision(pose):
                return False
            if not closes:
                return True
            try:
                contacts = self.runGrasp(grasp)[0]
            except PlanningError:
                return False
        return len(contacts) > 0

    def computeValidGrasps(
        self,
        startindex: int = 0,
        checkcollision: bool = True,
        checkik: bool = True,
        checkgrasper: bool = True,
        backupdist: float = 0.0,
        returnnum: float = np.inf,
    ) -> tuple[list[Array], list[int]]:
        grasps: list[Array] = []
        indices: list[int] = []
        found = self.validGraspIterator(
            startindex, checkcollision, checkik, checkgrasper, backupdist
        )
        for grasp, index in found:
            grasps.append(grasp)
            indices.append(index)
            if len(grasps) >= returnnum:
                break
        return grasps, indices

    # -- pictures ----------------------------------------------------------------------

    def show(
        self,
        delay: float = 0.1,
        options: Any = None,
        forceclosure: bool = True,
        showcontacts: bool = True,
    ) -> None:
        for grasp in self.grasps:
            self.showgrasp(grasp, delay=delay)

    def showgrasp(
        self,
        grasp: Any,
        collisionfree: bool = False,
        useik: bool = False,
        delay: Any = None,
        showfinal: bool = False,
    ) -> None:
        """Show the robot at a grasp for some seconds."""
        pose = self.getGlobalGraspTransform(grasp, collisionfree)
        with self.robot:
            (self.setFinalFingerValues if showfinal else self.setPreshape)(grasp)
            if useik:
                found = self.manip.FindIKSolution(pose, 0)
                if found is None:
                    raise PlanningError("the arm does not reach the grasp")
                self.robot.SetDOFValues(found, self.manip.GetArmIndices())
            else:
                native = as_native(self.robot)
                hand = arm_of(self).transform
                native.transform = pose @ np.linalg.inv(hand) @ native.transform
            self.env.UpdatePublishedBodies()
            time.sleep(delay or 0.0)

    def drawContacts(
        self, contacts: Any, conelength: float = 0.03, transparency: float = 0.5
    ) -> Any:
        rows = np.asarray(contacts, np.float64).reshape(-1, 6)
        ends = rows[:, :3] + conelength * rows[:, 3:]
        points = np.stack((rows[:, :3], ends), axis=1).reshape(-1, 3)
        return self.env.drawlinelist(points, 2.0, (1.0, 0.3, 0.3, 1.0 - transparency))

    # -- programs ----------------------------------------------------------------------

    @staticmethod
    def CreateOptionParser(useManipulator: bool = True) -> Any:
        parser = DatabaseGenerator.CreateOptionParser(useManipulator)
        parser.add_option("--target", dest="target", help="File of the body.")
        for name in ("friction", "boxdelta", "spheredelta", "normalanglerange"):
            parser.add_option(f"--{name}", type="float", dest=name)
        return parser

    @staticmethod
    def InitializeFromParser(
        Model: Any = None,
        parser: Any = None,
        robotatts: Any = None,
        defaultviewer: Any = True,
        args: Any = None,
        allowkinbody: bool = False,
        env: Any = None,
        **kwargs: Any,
    ) -> Any:
        parser = parser or GraspingModel.CreateOptionParser()
        options, _ = parser.parse_args(args)
        if not options.target:
            raise openrave_exception("--target is missing, expected the file of a body")

        def make(robot: Any) -> Any:
            body = robot.GetEnv().ReadKinBodyURI(options.target)
            if body is None:
                raise openrave_exception(f"--target: {options.target} is not loaded")
            robot.GetEnv().Add(body)
            return (Model or GraspingModel)(robot, body)

        return DatabaseGenerator.InitializeFromParser(make, parser, args=args, env=env)

    @staticmethod
    def RunFromParser(
        Model: Any = None, parser: Any = None, args: Any = None, **kwargs: Any
    ) -> Any:
        _, model, options = GraspingModel.InitializeFromParser(
            Model, parser, args=args, **kwargs
        )
        if options.getfilename:
            print(model.getfilename())  # noqa: T201 - what the program is asked for
            raise SystemExit(0)
        if not model.load():
            model.autogenerate(options)
        if options.show:
            model.show()
        return model


def _parameters(given: dict[str, Any]) -> dict[str, Any]:
    """Return pyrave's parameters of a grasp database for OpenRAVE's, without None."""
    found: dict[str, Any] = {}
    for name, native in (
        ("boxdelta", "box_spacing"),
        ("normalanglerange", "tilt"),
        ("graspingnoise", "noise"),
        ("forceclosurethreshold", "threshold"),
    ):
        if given.get(name) is not None:
            found[native] = float(given[name])
    for name, native in (
        ("preshapes", "preshapes"),
        ("standoffs", "standoffs"),
        ("rolls", "rolls"),
        ("manipulatordirections", "directions"),
    ):
        if given.get(name) is not None:
            numbers = np.asarray(given[name], np.float64).ravel()
            found[native] = tuple(map(float, numbers))
    if given.get("forceclosure") is not None:
        found["force_closure"] = bool(given["forceclosure"])
    if given.get("spheredelta") is not None:
        found |= {"rays": "sphere", "sphere_spacing": float(given["spheredelta"])}
    return found
