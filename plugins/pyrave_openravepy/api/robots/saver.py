"""`Robot.RobotStateSaver`: parts of a robot's state that are put back later."""

from __future__ import annotations

from typing import Any

from pyrave_openravepy.api.bodies.savers import ROBOT_PARTS, StateRestoreContext
from pyrave_openravepy.api.enums import SaveParameters
from pyrave_openravepy.api.foundation.objects import as_native, wrap

__all__ = ["RobotStateSaver"]

_CONNECTED = int(SaveParameters.ConnectedBodies)


class RobotStateSaver(StateRestoreContext):
    """A state of a robot, which `Restore` or the end of a block puts back.

    Parameters
    ----------
    robot
        Whose state.
    options
        `SaveParameters`; by default transforms, enabled links, active degrees of
        freedom and the active manipulator: grabs and limits stay as they are.
    """

    _default = ROBOT_PARTS

    def __init__(self, robot: Any, options: Any = None) -> None:
        super().__init__(robot, options)
        wanted = options is not None and int(options) & _CONNECTED
        self._connected = robot.GetConnectedBodyActiveStates() if wanted else None

    def Restore(self, body: Any = None) -> None:
        """Put the state back, or give it to another robot with such links and joints.

        After `Release` it does so only if a robot is named.
        """
        target: Any = self._saver.body if body is None else as_native(body)
        if self._connected is not None and target is not None:
            wrap(target).SetConnectedBodyActiveStates(self._connected)
        super().Restore(body)

    def __str__(self) -> str:
        body = self._saver.body
        return f"robot state for {body.name if body is not None else 'no robot'}"
