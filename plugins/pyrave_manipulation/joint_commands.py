"""Commands that move joints of a robot to values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, StateError
from pyrave.interfaces import command
from pyrave.planning import free_values_near, retime
from pyrave.spatial import as_number, as_vector
from pyrave.world.body_state import StateParts
from pyrave_manipulation.answers import MotionAnswer
from pyrave_manipulation.arguments import Numbers, Words, rows_of
from pyrave_manipulation.free_ends import FreeMotion, JointQuery
from pyrave_manipulation.robot_module import RobotModule, as_whole
from pyrave_manipulation.unsynchronised import hand_way

if TYPE_CHECKING:
    from pyrave.spatial import Array, Indices

_MOST_DIVISIONS = 100_000


class JointCommands(RobotModule):
    """Commands that move joints to values, or a little, to become free."""

    contract = 1

    @command(name="MoveManipulator")
    def move_manipulator(
        self,
        goal: Numbers = None,
        goals: Numbers = None,
        steplength: float | None = None,
        maxiter: int | None = None,
        maxtries: int = 2,
        execute: bool = True,
        outputtraj: bool = False,
        outputtrajobj: bool = False,
        jitter: float = 0.04,
        releasegil: bool = False,
    ) -> MotionAnswer:
        """Move the joints of the active manipulator's arm to values.

        Parameters
        ----------
        goal
            (n,) values, clamped to limits.
        goals
            (k, n) more of which one is to be reached; in a text how many, then each.
        steplength
            Of a step of the search; the planner's own if left out.
        maxiter
            Samples that a search may take; as many as there is time for if left out.
        maxtries
            Searches, each with another seed.
        execute
            Move the robot; else plan only.
        outputtraj, outputtrajobj
            Answer texts with the trajectory.
        jitter
            Radians or metres: a start, or goals, that collide are replaced by free
            values as near for the plan, and joined to it by straight motions. 0: they
            must not collide.
        releasegil
            Has no effect.
        """
        return self._moved(
            self.arm.arm_indices,
            goal,
            goals,
            self.plan_options(steplength, maxiter),
            maxtries,
            jitter,
            execute=execute,
            outputtraj=outputtraj or outputtrajobj,
            chain=self._post_processing,
        )

    @command(name="MoveActiveJoints")
    def move_active_joints(
        self,
        goal: Numbers = None,
        goals: Numbers = None,
        steplength: float | None = None,
        maxiter: int | None = None,
        maxtries: int = 2,
        execute: bool = True,
        outputtraj: bool = False,
        outputtrajobj: bool = False,
        jitter: float = 0.04,
        releasegil: bool = False,
        postprocessingplanner: str = "",
        postprocessingparameters: Words = None,
        usedynamicsconstraints: int = 0,
        initialconfigs: Numbers = None,
    ) -> MotionAnswer:
        """Move the active degrees of freedom of the robot to values.

        The other parameters are those of MoveManipulator.

        Parameters
        ----------
        goal, goals
            Values of the active degrees of freedom.
        postprocessingplanner, postprocessingparameters
            A smoother or retimer that changes the path, and XML as inside of a
            ``<PlannerParameters>`` element.
        usedynamicsconstraints
            1: keep the torque limits of the joints, too; 0: do not.
        initialconfigs
            (k, n) values of which the motion may begin at any, tried in this order; the
            present ones if left out. Only those of the robot can be executed.
        """
        if usedynamicsconstraints not in {0, 1}:
            raise ArgumentError(
                f"usedynamicsconstraints is {usedynamicsconstraints!r}, expected 0 or "
                "1: there is one kind of torque limits"
            )
        chain = self.processing_chain(postprocessingplanner, postprocessingparameters)
        robot = self.robot
        indices = robot.active_dof_indices
        options = self.plan_options(steplength, maxiter)
        wanted = outputtraj or outputtrajobj
        if robot.active.affine:
            rows = self._goal_rows(goal, goals, robot.active.dof)
            if chain or usedynamicsconstraints or initialconfigs is not None:
                raise ArgumentError(
                    "motions of the base are planned from where the robot is, without "
                    "postprocessing and torque limits"
                )
            result = robot.plan(values=rows, **options)
            timed = result.trajectory if result else None
            return self.answer(timed, result.cause, execute=execute, outputtraj=wanted)
        if not len(indices):
            raise StateError(f"{robot!r} has no active joints; set_active_dofs chooses")
        return self._moved(
            indices,
            goal,
            goals,
            options,
            maxtries,
            jitter,
            execute=execute,
            outputtraj=wanted,
            chain=chain,
            use_torques=bool(usedynamicsconstraints),
            starts=initialconfigs,
        )

    def _moved(
        self,
        indices: Indices,
        goal: Numbers,
        goals: Numbers,
        options: dict[str, Any],
        maxtries: int,
        jitter: float,
        *,
        execute: bool,
        outputtraj: bool,
        chain: tuple[tuple[str, str], ...],
        use_torques: bool = False,
        starts: Numbers = None,
    ) -> MotionAnswer:
        """Plan for joints, and answer."""
        robot = self.robot
        rows = self._goal_rows(goal, goals, len(indices))
        query = JointQuery(
            robot,
            indices,
            as_number(jitter, "jitter", 0.0),
            as_whole(maxtries, "maxtries", 1),
            options,
            chain,
            use_torques,
        )
        begins = (
            [None]
            if starts is None
            else rows_of(starts, len(indices), "initialconfigs")
        )
        motion = FreeMotion(None)
        for begin in begins:
            with robot.env.lock(), robot.preserve_state(StateParts.TRANSFORMS):
                if begin is not None:
                    robot.set_dof_values(begin, indices)
                motion = query.to_values(rows)
            if motion:
                break
        end = rows[motion.goal] if motion.goal >= 0 else None
        return self.answer(
            motion.timed,
            motion.cause,
            execute=execute,
            outputtraj=outputtraj,
            values=end,
            goal=motion.goal,
        )

    def _goal_rows(self, goal: Numbers, goals: Numbers, n: int) -> Array:
        found = []
        if goal is not None:
            found.append(as_vector(goal, n, "goal")[None])
        if goals is not None:
            found.append(rows_of(goals, n, "goals"))
        if not found:
            raise ArgumentError(f"there is no goal: give goal, {n} numbers, or goals")
        return np.concatenate(found)

    @command(name="JitterActive")
    def jitter_active(
        self,
        maxiter: int = 5000,
        jitter: float = 0.03,
        execute: bool = True,
        outputtraj: bool = False,
        outputfinal: bool = False,
        outputtrajobj: bool = False,
    ) -> MotionAnswer:
        """Move the active joints a little, so that the robot does not collide.

        Parameters
        ----------
        maxiter
            Random values that are tried.
        jitter
            Radians or metres by which a value may change.
        execute
            Move the robot; else look only.
        outputtraj, outputtrajobj
            Answer texts with the trajectory.
        outputfinal
            Answer texts with the values at the end.
        """
        robot = self.robot
        indices = robot.active_dof_indices
        count = as_whole(maxiter, "maxiter", 1)
        near = free_values_near(
            robot,
            dof_indices=indices,
            jitter=jitter,
            tries=count,
            seed=self.settings.seed,
        )
        if near.found is None:
            return MotionAnswer(cause=near.cause)
        free = near.found
        speed = self.settings.maxvelmult
        timed = retime(
            robot,
            np.stack((robot.dof_values[indices], free)),
            indices,
            velocity_scale=speed,
            acceleration_scale=speed,
        )
        return self.answer(
            timed,
            "",
            execute=execute,
            outputtraj=outputtraj or outputtrajobj,
            values=free,
            words=self.final_words(free, outputfinal=outputfinal),
        )

    @command(name="MoveUnsyncJoints")
    def move_unsync_joints(
        self,
        jointvalues: Numbers = None,
        jointinds: list[int] | None = None,
        maxtries: int = 1,
        planner: str = "",
        maxdivision: int = 10,
        execute: bool = True,
        outputtraj: bool = False,
        outputtrajobj: bool = False,
        handjoints: Numbers = None,
    ) -> MotionAnswer:
        """Move joints of the hand to values, the active joints out of their way first.

        Arm and hand need not move in step: the active joints go to where nothing is in
        the way of the hand, then the hand moves alone.

        Parameters
        ----------
        jointvalues, jointinds
            (k,) values at the end, and which degrees of freedom these are of.
        handjoints
            Both as OpenRAVE's text: their number, the values, the indices.
        maxtries
            Searches, each with another seed.
        planner
            Id of the planner for the active joints; the module's if left out.
        maxdivision
            Steps into which the way of the hand is divided at least for its checks.
        execute, outputtraj, outputtrajobj
            As of MoveManipulator.
        """
        values, which = _hand_joints(handjoints, jointvalues, jointinds, self.robot.dof)
        robot = self.robot
        options = self.plan_options(planner=planner)
        motion = hand_way(
            robot,
            which,
            values,
            divisions=as_whole(maxdivision, "maxdivision", 1, _MOST_DIVISIONS),
            tries=as_whole(maxtries, "maxtries", 1),
            options=options,
        )
        return self.answer(
            motion.timed,
            motion.cause,
            execute=execute,
            outputtraj=outputtraj or outputtrajobj,
            values=values,
        )


def _hand_joints(
    handjoints: Numbers, values: Numbers, which: list[int] | None, dof: int
) -> tuple[Array, Indices]:
    """Return values of joints, and their indices."""
    if handjoints is not None:
        if values is not None or which is not None:
            raise ArgumentError("give handjoints, or jointvalues and jointinds")
        numbers = as_vector(handjoints, None, "handjoints")
        count = int(numbers[0]) if len(numbers) else 0
        if count < 1 or len(numbers) != 1 + 2 * count or count != numbers[0]:
            raise ArgumentError(
                f"handjoints has {len(numbers)} numbers, expected how many joints, "
                "then a value and then an index of each"
            )
        values, given = numbers[1 : 1 + count], numbers[1 + count :]
    elif values is None or which is None:
        raise ArgumentError("give jointvalues and jointinds, or handjoints")
    else:
        given = as_vector(which, None, "jointinds")
    ends = as_vector(values, len(given), "jointvalues")
    indices = given.astype(int)
    if (indices != given).any() or len(set(indices.tolist())) != len(indices):
        raise ArgumentError(
            f"jointinds are {given.tolist()}, expected different whole numbers"
        )
    if not len(indices) or indices.min() < 0 or indices.max() >= dof:
        raise ArgumentError(f"jointinds are {given.tolist()}, expected 0 to {dof - 1}")
    return ends, indices
