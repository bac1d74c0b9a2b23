"""Groups of a robot's parts: named configurations, connected bodies, grippers."""

from __future__ import annotations

from typing import Any

from pyrave.bodies.views.configurations import Configurations
from pyrave.bodies.views.connected_bodies import ConnectedBodies
from pyrave.bodies.views.grippers import Grippers


class RobotParts:
    """Parts of a robot that are groups."""

    @property
    def configurations(self) -> Configurations:
        """Named configurations, such as the group states of an SRDF.

        ``robot.set_state("home")`` moves the joints there, and ``robot.plan("home")``
        plans a motion; ``robot.configurations.add("home")`` names the present values.
        """
        robot: Any = self
        return Configurations(robot)

    @property
    def connected_bodies(self) -> ConnectedBodies:
        """Bodies that are parts of the robot while they are active, such as tools."""
        robot: Any = self
        return ConnectedBodies(robot)

    @property
    def grippers(self) -> Grippers:
        """Descriptions of grippers by name, which are saved with the robot."""
        robot: Any = self
        return Grippers(robot)
