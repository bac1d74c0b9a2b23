"""Commands that move the hand along a line or to a goal."""

from __future__ import annotations

import math

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.ik import IkFilterOptions
from pyrave.interfaces import command
from pyrave.interfaces.collision.touching_links import TOUCHING
from pyrave.manipulation import Step, move_straight
from pyrave.manipulation.joined_steps import joined
from pyrave.spatial import as_number, as_vector
from pyrave.world.body_state import StateParts
from pyrave_manipulation.answers import MotionAnswer
from pyrave_manipulation.arguments import (
    Goal,
    Goals,
    Numbers,
    Vector,
    Words,
    ik_goal,
    pose_of,
    poses_of,
    rows_of,
)
from pyrave_manipulation.cone_filter import ConeFilter, IkSolutions
from pyrave_manipulation.hand_goals import HandGoals, HandQuery, constraint_region
from pyrave_manipulation.joint_commands import JointCommands
from pyrave_manipulation.robot_module import as_whole
from pyrave_manipulation.tracked_lines import tracked_line

_STEP = 0.01
"""Metres of a step of `move_hand_straight`."""
_MAX_STEPS = 10_000


class HandCommands(JointCommands):
    """Commands that move the hand of the active manipulator."""

    contract = 1

    @command(name="MoveHandStraight")
    def move_hand_straight(
        self,
        direction: Vector,
        minsteps: int = 0,
        maxsteps: int = _MAX_STEPS,
        stepsize: float | None = None,
        ignorefirstcollision: float = 0.1,
        starteematrix: Numbers = None,
        greedysearch: bool = True,
        execute: bool = True,
        outputtraj: bool = False,
        maxdeviationangle: float | None = None,
        steplength: float | None = None,
        planner: str = "",
        outputtrajobj: bool = False,
    ) -> MotionAnswer:
        """Move the hand along a line, as far as nothing is in the way.

        Parameters
        ----------
        direction
            (3,) in the world.
        minsteps, maxsteps
            Steps that the hand has to go, and may go.
        stepsize, steplength
            Metres of a step, 0.01 if left out; one of them.
        ignorefirstcollision
            Above 0: links that touch where the hand is may part or slide, a millimetre
            deep at most. 0: whatever touches collides. With a planner, seconds of the
            motion in which collisions do not count.
        starteematrix
            Pose of the hand from which it goes; a plan leads there first.
        greedysearch
            With a planner: begin with the nearest solution only.
        execute, outputtraj, outputtrajobj
            As of MoveManipulator.
        maxdeviationangle
            Radians, with a planner: by which joints may move away from where the
            Jacobian says. Without one the hand keeps its orientation exactly.
        planner
            Id of a planner that tracks a workspace trajectory, such as
            WorkspaceTrajectoryTracker; empty: `pyrave.manipulation.move_straight`.
        """
        if stepsize is not None and steplength is not None:
            raise ArgumentError(
                "stepsize and steplength are the same: give one of them"
            )
        given = steplength if stepsize is None else stepsize
        step = as_number(_STEP if given is None else given, "stepsize", 1e-6)
        most = as_whole(maxsteps, "maxsteps", 1)
        least = as_whole(minsteps, "minsteps", 0)
        if least > most:
            raise ArgumentError(f"minsteps is {least}, more than maxsteps, {most}")
        touching = as_number(ignorefirstcollision, "ignorefirstcollision", 0.0)
        way = as_vector(direction, 3, "direction")
        arm, robot = self.arm, self.robot
        steps: list[Step] = []
        with robot.env.lock(), robot.preserve_state(StateParts.TRANSFORMS):
            if starteematrix is not None:
                (pose,) = poses_of(starteematrix, "starteematrix")
                there = arm.plan(pose, **self.plan_options())
                if not there:
                    return MotionAnswer(cause=f"to the start: {there.cause}")
                steps.append(Step("start", there.trajectory))
                arm.arm_dof_values = there.path[-1]
            if planner:
                timed, cause, ends = tracked_line(
                    arm,
                    way,
                    step * least,
                    step * most,
                    planner,
                    greedy_search=greedysearch,
                    ignore_first_collision=touching,
                    max_deviation_angle=maxdeviationangle,
                )
            else:
                if maxdeviationangle is not None:
                    as_number(maxdeviationangle, "maxdeviationangle", 0.0, math.pi)
                line = move_straight(
                    arm,
                    way,
                    at_least=step * least,
                    at_most=step * most,
                    touching=TOUCHING if touching else None,
                )
                timed, cause, ends = line.timed, line.cause, line.values
        if timed is not None and steps:
            timed = joined(robot, [*steps, Step("line", timed)])
        return self.answer(
            timed,
            cause,
            execute=execute,
            outputtraj=outputtraj or outputtrajobj,
            values=ends[-1] if len(ends) else None,
        )

    @command(
        name="MoveToHandPosition",
        words={"matrix": "matrices", "pose": "poses", "jitterikparam": "jittergoal"},
    )
    def move_to_hand_position(
        self,
        matrices: Numbers = None,
        poses: Numbers = None,
        translation: Numbers = None,
        rotation: Numbers = None,
        ikparam: Goal = None,
        ikparams: Goals = None,
        affinedofs: int = 0,
        maxiter: int | None = None,
        maxtries: int = 3,
        seedik: int | None = None,
        goalsamples: int | None = None,
        goalmaxsamples: int | None = None,
        goalmaxtries: int = 10,
        goalsampleprob: float | None = None,
        jitter: float = 0.03,
        jittergoal: float = 0.0,
        freevalues: Numbers = None,
        minimumgoalpaths: int | None = None,
        constraintfreedoms: Numbers = None,
        constraintmatrix: Numbers = None,
        constraintpose: Numbers = None,
        constrainttaskmatrix: Numbers = None,
        constrainttaskpose: Numbers = None,
        constrainterrorthresh: float | None = None,
        steplength: float | None = None,
        initialconfigs: Numbers = None,
        postprocessing: Words | tuple[str, str] = None,
        postprocessingplanner: str = "",
        postprocessingparameters: Words = None,
        execute: bool = True,
        outputtraj: bool = False,
        outputtrajobj: bool = False,
        releasegil: bool = False,
    ) -> MotionAnswer:
        """Move the hand to one of several goals in the world.

        Parameters
        ----------
        matrices, poses
            Poses of the hand: (k, 4, 4) or (k, 7); in a text how many, then of each 12
            numbers by columns, or 7.
        translation
            (3,) a place of the hand, in any orientation.
        rotation
            (4,) w x y z, in any place.
        ikparam, ikparams
            Goals of other kinds: `IkParameterization` objects, or their texts.
        affinedofs
            Motions of the base that take part, bits of `Affine`; places of the base are
            drawn about the goals.
        maxiter, maxtries, steplength, execute, outputtraj, outputtrajobj, releasegil
            As of MoveManipulator.
        seedik
            IK solutions that are goals at most; all if left out. Those nearest to the
            present values come first.
        goalsamples, goalmaxsamples
            IK solutions of one goal at most; the same.
        goalmaxtries
            Tries of a goal, each moved by chance within `jittergoal`.
        goalsampleprob
            From 0 to 1: how often OpenRAVE's planners ask for more goals; here all are
            known before the search, and it has no effect.
        jitter
            As of MoveManipulator, of the start and of goals.
        jittergoal
            Metres and radians by which goals without a free solution are moved.
        freevalues
            Values of the free joints of the IK solver.
        minimumgoalpaths
            As SetMinimumGoalPaths, for this call.
        constraintfreedoms
            (6,) 1 for what is kept on the whole way, 0 for what is free: turns about x,
            y and z of the constraint's frame, then ways along them.
        constraintmatrix, constraintpose
            From the world to the frame of the constraint; the world's if left out.
        constrainttaskmatrix, constrainttaskpose
            Pose in the hand of the frame that keeps it; the hand's if left out.
        constrainterrorthresh
            Metres and radians by which it may be off; needed with constraintfreedoms.
        initialconfigs
            (k, n) arm values of which the motion may begin at any.
        postprocessing
            A planner and its parameters: as the next two.
        postprocessingplanner, postprocessingparameters
            As of MoveActiveJoints.
        """
        if goalsampleprob is not None:
            as_number(goalsampleprob, "goalsampleprob", 0.0, 1.0)
        options = self.plan_options(steplength, maxiter)
        if minimumgoalpaths is not None:
            count = as_whole(minimumgoalpaths, "minimumgoalpaths", 1)
            options.pop("minimum_goal_paths", None)
            if count > 1:
                options["minimum_goal_paths"] = count
                options["planner"] = options["planner"] or (
                    self.env.registry.default_id("planner")
                )
        arm = self.arm
        frames = (
            pose_of(constraintmatrix, constraintpose, "constraint"),
            pose_of(constrainttaskmatrix, constrainttaskpose, "constrainttask"),
        )
        region = constraint_region(constraintfreedoms, *frames, constrainterrorthresh)
        most = [one for one in (goalsamples, goalmaxsamples) if one is not None]
        goals = HandGoals.of(
            matrices=matrices,
            poses=poses,
            translation=translation,
            rotation=rotation,
            ikparam=ikparam,
            ikparams=ikparams,
        )
        query = HandQuery(
            arm,
            goals,
            options,
            region,
            tries=as_whole(maxtries, "maxtries", 1),
            most=None if seedik is None else as_whole(seedik, "seedik", 1),
            most_each=min(as_whole(one, "goalsamples", 1) for one in most)
            if most
            else None,
            goal_tries=as_whole(goalmaxtries, "goalmaxtries", 1),
            jitter=as_number(jitter, "jitter", 0.0),
            goal_jitter=as_number(jittergoal, "jittergoal", 0.0),
            free=freevalues,
            post_processing=self.processing_chain(
                postprocessingplanner, postprocessingparameters, postprocessing
            ),
        )
        starts = initialconfigs
        if affinedofs:
            if starts is not None:
                raise ArgumentError(
                    "initialconfigs are of arms, not of bases that move"
                )
            motion = query.with_base(as_whole(affinedofs, "affinedofs", 0))
        else:
            rows = (
                None
                if starts is None
                else rows_of(starts, len(arm.arm_indices), "initialconfigs")
            )
            motion = query.from_any(rows)
        return self.answer(
            motion.timed,
            motion.cause,
            execute=execute,
            outputtraj=outputtraj or outputtrajobj,
            goal=motion.goal,
        )

    @command(name="FindIKWithFilters")
    def find_ik_with_filters(
        self,
        ikparam: Goal,
        cone: Numbers = None,
        solveall: bool = False,
        filteroptions: int = 0,
    ) -> IkSolutions:
        """Return IK solutions of the active manipulator that pass filters.

        Parameters
        ----------
        ikparam
            The goal in the world, an `IkParameterization` or its text.
        cone
            (7,) a direction of the hand, one of the world, and the angle in radians
            that may be between them.
        solveall
            All solutions; else the nearest one.
        filteroptions
            Bits of `IkFilterOptions`.

        Returns
        -------
        IkSolutions
            In a text their number, then their values.
        """
        goal, arm = ik_goal(ikparam, "ikparam"), self.arm
        filters = () if cone is None else (ConeFilter.of(cone),)
        options = as_whole(filteroptions, "filteroptions", 0, 2**31)
        known = IkFilterOptions(0)
        for one in IkFilterOptions:
            known |= one
        if options & ~int(known):
            raise ArgumentError(
                f"filteroptions is {filteroptions!r}, expected bits of "
                "IkFilterOptions: "
                + ", ".join(f"{one.name} {one.value}" for one in IkFilterOptions)
            )
        found = arm.find_ik(goal, filters=filters, options=IkFilterOptions(options))
        rows = np.asarray(found.solutions)
        return IkSolutions(rows if solveall else rows[:1], found.cause)
