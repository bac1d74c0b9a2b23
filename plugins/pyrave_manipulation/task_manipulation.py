"""TaskManipulation: fingers that close and open, and ways to grasps."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError, StateError
from pyrave.interfaces import CommandResult, command, setting
from pyrave.planning.query.constraints import PathConstraints
from pyrave.planning.query.space import PlanningSpace
from pyrave.spatial import as_number, as_numbers
from pyrave.world.body_state import StateParts
from pyrave_manipulation.answers import MotionAnswer, number_text
from pyrave_manipulation.arguments import (
    Grasps,
    Numbers,
    Target,
    Words,
    body_of,
    pose_of,
    poses_of,
    rows_of,
    words_of,
)
from pyrave_manipulation.finger_commands import FingerCommands, check_steps
from pyrave_manipulation.grasp_search import GraspSearch
from pyrave_manipulation.grasp_tables import GraspColumns, grasps_of
from pyrave_manipulation.hand_goals import constraint_region
from pyrave_manipulation.robot_module import RobotModuleSettings, as_whole

if TYPE_CHECKING:
    from pyrave.bodies import KinBody
    from pyrave.ik import IkParameterization
    from pyrave.spatial import Array


@dataclass(frozen=True)
class TaskModuleSettings(RobotModuleSettings):
    """Settings of `TaskManipulation`."""

    graspername: str = setting(
        "Grasper",
        "what closes the hand on grasps to try them; none: they are not tried",
        choices=("Grasper", "none"),
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GraspAnswer(MotionAnswer):
    """The way to a grasp, and where the body can be put with it.

    `goal` is the index of the grasp.

    Parameters
    ----------
    goals
        Poses of the hand at places that the arm reaches with the body.
    searchtime
        Seconds.
    """

    goals: tuple[IkParameterization, ...] = ()
    searchtime: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class ConstrainedValues(CommandResult):
    """Configurations as a constraint allows them.

    Parameters
    ----------
    iterations
        (n,) 0 where a configuration met it, 1 where it was moved, -1 where none was
        found near it.
    values
        (n, k) configurations; those without one near them as they were given.
    """

    iterations: Array
    values: Array

    def __bool__(self) -> bool:
        return bool((self.iterations >= 0).all())

    def command_text(self) -> str:
        """Return the iterations, then the values."""
        steps = " ".join(str(int(one)) for one in self.iterations)
        return f"{steps} {number_text(self.values)}"


class TaskManipulation(FingerCommands):
    """Commands that close and open fingers, and bring the hand to a grasp.

    They return a `MotionAnswer`, as those of BaseManipulation do, and `execute 0` plans
    only.
    """

    contract = 1
    settings_type = TaskModuleSettings

    @command(name="GraspPlanning", words={"matdests": "destposes"})
    def grasp_planning(
        self,
        graspindices: Any = None,
        grasps: Grasps = None,
        target: Target = None,
        approachoffset: float = 0.0,
        destposes: Numbers = None,
        seedgrasps: int = 20,
        seeddests: int = 5,
        seedik: int | None = None,
        maxiter: int | None = None,
        randomgrasps: bool = True,
        randomdests: bool = True,
        execute: bool = True,
        outputtraj: bool = False,
        grasptranslationstepmult: float | None = None,
        graspfinestep: float | None = None,
        outputtrajobj: bool = False,
        gmodel: Any = None,
        paddedgeometryinfo: Words | tuple[str, float] = None,
        steplength: float | None = None,
        releasegil: bool = False,
        igraspdir: int | None = None,
        igrasppos: int | None = None,
        igrasproll: int | None = None,
        igraspstandoff: int | None = None,
        igrasppreshape: int | None = None,
        igrasptrans: int | None = None,
        imanipulatordirection: int | None = None,
        grasptrans_nocol: int | None = None,
    ) -> GraspAnswer:
        """Move the hand to the first of several grasps that the arm can take.

        The fingers close there without touching anything else, the body can be brought
        to one of the places, and a way leads there. The fingers are as the grasp comes,
        and do not close yet.

        Parameters
        ----------
        graspindices
            Columns of the grasps by OpenRAVE's names; in a text they are parameters.
        grasps
            A `GraspSet`, `Grasp` objects, or rows of numbers; in a text how many rows
            and columns, then the numbers.
        target
            The body, or its name.
        approachoffset
            Metres that the hand ends in front of the grasp, along its approach.
        destposes
            Poses of the body to which the arm should be able to bring it.
        seedgrasps, seeddests
            Grasps that are tried, and places that are told, at most.
        seedik
            IK solutions of a grasp that are tried at most, eight if left out.
        maxiter, steplength
            Of the search for a way, as of MoveManipulator.
        randomgrasps, randomdests
            Try grasps, and places, in a random order of the module's seed; 0: as given.
        execute, outputtraj, outputtrajobj
            As of CloseFingers.
        grasptranslationstepmult, graspfinestep
            Have no effect: hands and fingers stop within a micrometre.
        gmodel
            Something with `grasps` and a `target`, such as a
            `pyrave.databases.GraspDatabase`, in place of both.
        paddedgeometryinfo
            Name of a geometry group of the body that counts on the way; a padding
            behind it has no effect: the group has its own.
        releasegil
            Has no effect.
        igraspdir, igrasppos, igrasproll, igraspstandoff, igrasppreshape, igrasptrans, \
imanipulatordirection, grasptrans_nocol
            First columns of a grasp's approach direction, position, roll, standoff,
            preshape, pose that closes, direction of the hand, and pose that comes.

        Returns
        -------
        GraspAnswer
            In a text: how many places are reached, each as a goal of the hand, the
            index of the grasp, the seconds of the search, and the trajectory.
        """
        check_steps(None, grasptranslationstepmult, graspfinestep)
        began = time.perf_counter()
        body = self._target(target, gmodel)
        columns = GraspColumns.of(
            graspindices if gmodel is None else getattr(gmodel, "graspindices", None),
            igraspdir=igraspdir,
            igrasppos=igrasppos,
            igrasproll=igrasproll,
            igraspstandoff=igraspstandoff,
            igrasppreshape=igrasppreshape,
            igrasptrans=igrasptrans,
            imanipulatordirection=imanipulatordirection,
            grasptrans_nocol=grasptrans_nocol,
        )
        if grasps is None:
            grasps = getattr(gmodel, "grasps", None)
        if grasps is None:
            raise ArgumentError("there are no grasps: give grasps, or a gmodel")
        every = grasps_of(grasps, columns, self.arm, body)
        rng = np.random.default_rng(self.settings.seed)
        order = np.arange(len(every))
        if randomgrasps:
            rng.shuffle(order)
        order = order[: as_whole(seedgrasps, "seedgrasps", 1)]
        places = None if destposes is None else poses_of(destposes, "destposes")
        if places is not None and randomdests:
            rng.shuffle(places)
        search = GraspSearch(
            self.arm,
            body,
            as_number(approachoffset, "approachoffset", 0.0),
            places,
            as_whole(seeddests, "seeddests", 1),
            None if seedik is None else as_whole(seedik, "seedik", 1),
            self.plan_options(steplength, maxiter),
            _padding(paddedgeometryinfo),
            closes=self.settings.graspername != "none",
        )
        found = search.first({int(k): every[k] for k in order})
        seconds = time.perf_counter() - began
        words = [str(len(found.goals)), *(str(goal).strip() for goal in found.goals)]
        answer = self.answer(
            found.timed,
            found.cause,
            execute=execute,
            outputtraj=outputtraj or outputtrajobj,
            goal=found.index,
            words=" ".join([*words, str(found.index), repr(seconds)]),
        )
        return GraspAnswer(
            answer.timed,
            answer.cause,
            goal=answer.goal,
            execution=answer.execution,
            text=answer.text,
            goals=found.goals,
            searchtime=seconds,
        )

    def _target(self, target: Any, gmodel: Any) -> KinBody:
        """Return the body of a command, or of what it was given in its place."""
        if target is None:
            target = getattr(gmodel, "target", None)
        if target is None:
            raise ArgumentError("there is no target: name the body, or give a gmodel")
        body = body_of(self.env, target)
        if body.holder is not None:
            raise StateError(f"{body.holder!r} holds {body!r} already")
        if body.local_aabb is None:
            raise ArgumentError(f"{body!r} has no geometry to take hold of")
        return body

    # -- constraints, and others ---------------------------------------------------

    @command(
        name="EvaluateConstraints",
        words={
            "constraintfreedoms": "freedoms",
            "constraintmatrix": "targetframematrix",
            "pose": "targetframepose",
            "constraintpose": "targetframepose",
            "constrainterrorthresh": "errorthresh",
            "config": "configs",
        },
    )
    def evaluate_constraints(
        self,
        freedoms: Numbers = None,
        configs: Numbers = None,
        targetframematrix: Numbers = None,
        targetframepose: Numbers = None,
        errorthresh: float = 1e-3,
    ) -> ConstrainedValues:
        """Move configurations of the active joints to where a constraint is met.

        Parameters
        ----------
        freedoms
            (6,) 1 for what is kept, as constraintfreedoms of MoveToHandPosition; all if
            left out.
        configs
            (n, k) values of the active joints; a text names each, or all after another.
        targetframematrix, targetframepose
            From the world to the frame of the constraint; the world's if left out.
        errorthresh
            Metres and radians by which it may be off.

        Returns
        -------
        ConstrainedValues
            In a text, for each 0 if it met the constraint, 1 if it was moved, -1 if
            none was found near it; then all values.
        """
        robot = self.robot
        if configs is None:
            raise ArgumentError(
                "there are no configs, expected values of the active dofs"
            )
        numbers = as_numbers(configs, "configs")
        if not np.isfinite(numbers).all():
            raise ArgumentError("configs has numbers that are not finite")
        k = robot.active.dof
        if not k:
            raise StateError(f"{robot!r} has no active joints; set_active_dofs chooses")
        rows = numbers.reshape(-1, k) if k and numbers.size % k == 0 else None
        if rows is None or not rows.size:
            rows = rows_of(configs, k, "configs")
        region = constraint_region(
            np.ones(6) if freedoms is None else freedoms,
            pose_of(targetframematrix, targetframepose, "targetframe"),
            None,
            as_number(errorthresh, "errorthresh", 1e-9),
        )
        values, steps = rows.copy(), np.zeros(len(rows))
        parts = StateParts.TRANSFORMS | StateParts.ACTIVE_DOFS
        with robot.env.lock(), robot.preserve_state(parts):
            space = PlanningSpace(robot)
            space.prepare()
            constraints = PathConstraints(space, self.arm, region)
            for number, row in enumerate(rows):
                inside = space.clipped(row)
                moved = constraints.projected(inside)
                if moved is None:
                    steps[number] = -1
                else:
                    steps[number] = float((moved != row).any())
                    values[number] = moved
        return ConstrainedValues(steps, values)

    @command(name="CreateSystem")
    def create_system(self, system: Words = None) -> bool:
        """Create a sensor system, and add it to the environment.

        Parameters
        ----------
        system
            Its id, and the words behind it.
        """
        words = words_of(system, "system")
        if not words:
            raise ArgumentError("system is empty, expected the id of a sensor system")
        self.env.add(self.env.create("sensorsystem", " ".join(words)))
        return True

    @command(name="SwitchModels")
    def switch_models(
        self,
        switchpatterns: Words = None,
        unregister: Words = None,
        switchtofat: Words = None,
        clearpatterns: Words = None,
        clearmodels: Words = None,
        update: Words = None,
    ) -> bool:
        """Refuse, and name the replacement; OpenRAVE lacks this command, too.

        Parameters
        ----------
        switchpatterns, unregister, switchtofat, clearpatterns, clearmodels, update
            Of old versions.
        """
        raise NotSupportedError(
            "SwitchModels is not there, as in OpenRAVE: fatter models are a geometry "
            "group of their links, body.use_geometry_group('padded') makes one count, "
            "and paddedgeometryinfo of GraspPlanning does so for a plan"
        )


def _padding(given: Words | tuple[str, float]) -> str:
    """Return the name of a geometry group; the padding is that of its geometries."""
    if given is None:
        return ""
    words = words_of(given, "paddedgeometryinfo")
    if len(words) not in {1, 2}:
        raise ArgumentError(
            f"paddedgeometryinfo is {given!r}, expected a geometry group and a padding"
        )
    if len(words) == 2:
        try:
            as_number(float(words[1]), "padding", 0.0)
        except ValueError as error:
            raise ArgumentError(
                f"the padding is {words[1]!r}, expected metres"
            ) from error
    return words[0]
