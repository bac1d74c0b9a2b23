"""The trajectory KeptTrajectory."""

from __future__ import annotations

import numpy as np

from pyrave.authoring import GenericTrajectory
from pyrave.interfaces import command


class KeptTrajectory(GenericTrajectory):
    """A trajectory that can be reversed.

    Waypoints, interpolation and files come from GenericTrajectory. To store waypoints
    in another way, derive from `pyrave.TrajectoryBase` and write its abstract methods.
    """

    contract = 2

    @command
    def reverse(self) -> None:
        """Reverse the order of the waypoints; the time between them stays.

        Velocities and higher derivatives are not reversed: plan again if there are any.
        """
        spec = self.get_configuration_specification()
        rows = self.get_waypoints()[::-1].copy()
        for group in spec.groups:
            if group.kind == "deltatime":
                column = group.offset
                rows[:, column] = np.concatenate(([0.0], rows[:-1, column]))
        self.clear_waypoints()
        self.insert(0, rows)
