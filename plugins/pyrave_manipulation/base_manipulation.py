"""BaseManipulation: motions of joints and of the hand, as OpenRAVE's commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.interfaces import TrajectoryBase, command
from pyrave.interfaces.commands.files import present_access
from pyrave.planning import retime_trajectory, verification
from pyrave.world.body_state import StateParts
from pyrave_manipulation.answers import MotionAnswer
from pyrave_manipulation.arguments import Words
from pyrave_manipulation.hand_commands import HandCommands

if TYPE_CHECKING:
    from pyrave.bodies import Robot


class BaseManipulation(HandCommands):
    """Commands that move joints, the hand, and what it holds.

    Those that plan return a `MotionAnswer`, false with a cause where there is no
    motion. Callers by text get what OpenRAVE's get: None then, and else the trajectory
    as XML if ``outputtraj`` is among the words. ``execute 0`` plans only; without it
    the robot is where the motion ends when the command returns.
    """

    contract = 1

    @command(name="GrabBody")
    def grab_body(self, name: str) -> bool:
        """Hold a body with the active manipulator.

        Parameters
        ----------
        name
            Of the body.
        """
        self.robot.grab(self.env.bodies[name])
        return True

    @command(name="ReleaseAll")
    def release_all(self) -> bool:
        """Let go of all that the robot holds."""
        self.robot.release_all()
        return True

    # -- trajectories --------------------------------------------------------------

    @command(name="Traj", reads=("filename",))
    def traj(
        self,
        stream: Words | TrajectoryBase = None,
        resettrans: bool = False,
        resettiming: bool = False,
        filename: str = "",
        execute: bool = True,
    ) -> MotionAnswer:
        """Move the robot along a trajectory of a text or a file.

        Parameters
        ----------
        stream
            The XML of the trajectory, or the name of a file. In a text, ``Traj stream
            XML 0 1`` has the next two behind it, as OpenRAVE's have.
        resettrans
            Put the robot where the trajectory begins.
        resettiming
            Time it again, within the robot's limits.
        filename
            A file, in place of `stream`.
        execute
            Move the robot; else read it only.
        """
        source, flags = _stream(stream)
        resettrans, resettiming = (
            given or bool(flag)
            for given, flag in zip((resettrans, resettiming), flags, strict=True)
        )
        timed = self._restored(source, filename, resettiming)
        robot = self.robot
        if resettrans:
            _put_at(robot, timed)
        return self.answer(timed, "", execute=execute, outputtraj=False)

    @command(name="VerifyTrajectory", reads=("filename",))
    def verify_trajectory(
        self,
        stream: Words | TrajectoryBase = None,
        resettrans: bool = False,
        resettiming: bool = False,
        samplingstep: float = 1e-3,
        filename: str = "",
    ) -> MotionAnswer:
        """Check the limits and collisions of a trajectory; false if one is violated.

        Parameters
        ----------
        stream, resettiming, filename
            As of Traj.
        resettrans
            Look at it from where it begins, not from where the robot is.
        samplingstep
            Seconds between samples.
        """
        source, _ = _stream(stream)
        timed = self._restored(source, filename, resettiming)
        robot = self.robot
        with robot.env.lock(), robot.preserve_state(StateParts.TRANSFORMS):
            if resettrans:
                _put_at(robot, timed)
            found = verification(robot, timed, step=samplingstep)
        return MotionAnswer(timed, found.cause)

    def _restored(
        self, source: TrajectoryBase | str, filename: str, resettiming: bool
    ) -> TrajectoryBase:
        """Return a trajectory of XML, an object or a file, timed if need be."""
        if isinstance(source, TrajectoryBase):
            timed = source
        else:
            if not source and not filename:
                raise ArgumentError("there is no trajectory: give stream or filename")
            data: str | bytes = source
            if not filename and not source.lstrip().startswith("<"):
                access = present_access()  # `reads` names only the other parameter
                filename = source if access is None else access.to_read(source)
            if filename:
                data = _read(filename)
            timed = self.env.create("trajectory", "")
            timed.deserialize(data)
        if resettiming or not timed.duration:
            scale = self.settings.maxvelmult
            retime_trajectory(
                timed, self.robot, velocity_scale=scale, acceleration_scale=scale
            )
        return timed


def _stream(stream: Any) -> tuple[Any, tuple[int, int]]:
    """Return a trajectory and the two flags that stand behind it in a text."""
    if isinstance(stream, TrajectoryBase) or stream is None:
        return ("" if stream is None else stream), (0, 0)
    words = [stream] if isinstance(stream, str) else stream
    if not isinstance(words, (list, tuple)) or any(
        not isinstance(one, str) for one in words
    ):
        raise ArgumentError(
            f"stream is {shown(stream)}, expected a trajectory, its XML or a file"
        )
    if words and words[0].lower() == "stream":
        words = words[1:]
    flags = words[1:]
    if len(flags) > 2 or any(one not in {"0", "1"} for one in flags):
        raise ArgumentError(
            f"behind the trajectory stand {' '.join(flags)[:60]!r}, expected "
            "resettrans and resettiming, each 0 or 1"
        )
    first, second, *_ = [*map(int, flags), 0, 0]
    return (words[0] if words else ""), (first, second)


def _read(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except (OSError, TypeError, ValueError) as error:
        raise ArgumentError(
            f"the trajectory {name!r} cannot be read: {error}"
        ) from error


def _put_at(robot: Robot, timed: TrajectoryBase) -> None:
    """Put a robot where a trajectory begins: its base, too, if it has one."""
    row = timed.get_waypoint(0)
    pose = timed.spec.extract_transform(row, robot, robot.transform)
    if pose is not None:
        robot.transform = pose
    indices = np.sort(timed.spec.extract_used_indices(robot)[0])
    values = timed.spec.extract_joint_values(row, robot, indices)
    if values is not None:
        robot.set_dof_values(values, indices)
