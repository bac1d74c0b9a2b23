"""Commands that close and open fingers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import StateError
from pyrave.interfaces import command
from pyrave.manipulation import FingerMotion, close
from pyrave.manipulation import open as open_fingers
from pyrave.spatial import as_number, as_numbers, as_vector
from pyrave_manipulation.answers import MotionAnswer
from pyrave_manipulation.arguments import Numbers, Target, body_of
from pyrave_manipulation.finger_motions import gone_on, motion_until_contact
from pyrave_manipulation.robot_module import RobotModule

if TYPE_CHECKING:
    from pyrave.interfaces import TrajectoryBase
    from pyrave.spatial import Array


class FingerCommands(RobotModule):
    """Commands that move fingers until they touch."""

    contract = 1

    @command(name="CloseFingers", also=("ChuckFingers",))
    def close_fingers(
        self,
        offset: Numbers = None,
        movingdir: Numbers = None,
        execute: bool = True,
        outputtraj: bool = False,
        outputfinal: bool = False,
        coarsestep: float | None = None,
        translationstepmult: float | None = None,
        finestep: float | None = None,
        outputtrajobj: bool = False,
        releasegil: bool = False,
    ) -> MotionAnswer:
        """Close the fingers of the active manipulator until they touch.

        Parameters
        ----------
        offset
            (n_gripper,) radians or metres by which joints go on behind the contact, the
            way that they close; below 0 they stop before it.
        movingdir
            (n_gripper,) rates of the joints; the manipulator's closing direction if
            left out.
        execute
            Move the fingers; else plan only.
        outputtraj, outputtrajobj
            Answer texts with the trajectory.
        outputfinal
            Answer texts with the values at the end.
        coarsestep, translationstepmult, finestep
            Have no effect: fingers stop within a micrometre of what they meet.
        releasegil
            Has no effect.
        """
        check_steps(coarsestep, translationstepmult, finestep)
        arm, robot = self.arm, self.robot
        closed = close(arm, direction=_rates(movingdir))
        timed = closed.timed
        if timed is not None and offset is not None:
            count = len(arm.gripper_indices)
            more = as_vector(offset, count, "offset")
            given = _rates(movingdir)
            signs = np.sign(arm.chucking_direction if given is None else given)
            timed = gone_on(robot, timed, arm.gripper_indices, more * signs)
        return self._answer_of(
            closed,
            timed,
            execute=execute,
            outputtraj=outputtraj or outputtrajobj,
            outputfinal=outputfinal,
        )

    @command(name="ReleaseFingers", also=("UnchuckFingers",))
    def release_fingers(
        self,
        target: Target = None,
        movingdir: Numbers = None,
        execute: bool = True,
        outputtraj: bool = False,
        outputfinal: bool = False,
        coarsestep: float | None = None,
        translationstepmult: float | None = None,
        finestep: float | None = None,
        outputtrajobj: bool = False,
        releasegil: bool = False,
    ) -> MotionAnswer:
        """Open the fingers of the active manipulator as far as they can go.

        The other parameters are those of CloseFingers.

        Parameters
        ----------
        target
            A body, or its name, that the robot lets go of before.
        movingdir
            (n_gripper,) rates of the joints; against the closing direction if left out.
        """
        check_steps(coarsestep, translationstepmult, finestep)
        arm, robot = self.arm, self.robot
        given = _rates(movingdir)
        held = None if target is None else body_of(self.env, target)
        if held is not None and held.holder is not robot:
            raise StateError(f"{robot!r} does not hold {held!r}")
        with robot.env.lock(), robot.preserve_state():
            if held is not None:
                robot.release(held)
            opened = open_fingers(arm, direction=None if given is None else -given)
        if held is not None and execute and opened:
            robot.release(held)
        return self._answer_of(
            opened,
            opened.timed,
            execute=execute,
            outputtraj=outputtraj or outputtrajobj,
            outputfinal=outputfinal,
        )

    def _answer_of(
        self,
        motion: FingerMotion,
        timed: TrajectoryBase | None,
        *,
        execute: bool,
        outputtraj: bool,
        outputfinal: bool,
    ) -> MotionAnswer:
        """Return the answer of a motion of fingers."""
        values = motion.values
        if timed is not None:
            indices = self.arm.gripper_indices
            order = np.sort(indices)
            ends = timed.spec.extract_joint_values(
                timed.get_waypoint(-1), self.robot, order
            )
            if ends is not None:
                values = np.asarray(ends)[np.argsort(np.argsort(indices))]
        return self.answer(
            timed,
            motion.cause,
            execute=execute,
            outputtraj=outputtraj,
            values=values,
            words=self.final_words(values, outputfinal=outputfinal),
        )

    @command(name="ReleaseActive")
    def release_active(
        self,
        movingdir: Numbers = None,
        execute: bool = True,
        outputtraj: bool = False,
        outputfinal: bool = False,
        translationstepmult: float | None = None,
        finestep: float | None = None,
        outputtrajobj: bool = False,
    ) -> MotionAnswer:
        """Move the active joints until they touch something, or are at a limit.

        The other parameters are those of CloseFingers.

        Parameters
        ----------
        movingdir
            Rates of the active joints. Left out: joints of the gripper open, the others
            stay.
        """
        check_steps(None, translationstepmult, finestep)
        robot = self.robot
        indices = robot.active_dof_indices
        if movingdir is None:
            rates = np.zeros(robot.dof)
            arm = self.arm
            rates[arm.gripper_indices] = -arm.chucking_direction
            rates = rates[indices]
        else:
            rates = as_vector(movingdir, len(indices), "movingdir")
        found = motion_until_contact(robot, indices, rates)
        values = robot.dof_values[indices]
        if found.timed is not None:
            moved = found.timed.spec.extract_used_indices(robot)[0]
            ends = found.timed.spec.extract_joint_values(
                found.timed.get_waypoint(-1), robot, np.sort(moved)
            )
            values[np.isin(indices, moved)] = ends
        return self.answer(
            found.timed,
            found.cause,
            execute=execute,
            outputtraj=outputtraj or outputtrajobj,
            values=values,
            words=self.final_words(values, outputfinal=outputfinal),
        )


def _rates(given: Numbers) -> Array | None:
    return None if given is None else as_numbers(given, "movingdir")


def check_steps(*given: float | None) -> None:
    """Refuse steps that are none, though they have no effect."""
    for step in given:
        if step is not None:
            as_number(step, "a step", 0.0)
