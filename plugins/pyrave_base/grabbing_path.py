"""Following a trajectory that also grabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.authoring import PathFollower
from pyrave.trajectories import grab_rules

if TYPE_CHECKING:
    from pyrave.bodies.robot import Robot
    from pyrave.interfaces import TrajectoryBase
    from pyrave.spatial import Array, Indices


class GrabbingPath(PathFollower):
    """A path whose trajectory may say what is held, and keep the base in its place.

    Raises
    ------
    ArgumentError
        The trajectory has waypoints but no times, or a grab group makes no sense.
    """

    def __init__(
        self,
        trajectory: TrajectoryBase,
        robot: Robot,
        dof_indices: Indices,
        control_transform: bool,
        kept: Array,
        kept_pose: Array | None = None,
    ) -> None:
        super().__init__(trajectory, robot, dof_indices, control_transform, kept)
        self.kept_pose = kept_pose
        """(4, 4) of a base that the trajectory leaves out; None: wherever it is."""
        self.rules = grab_rules(trajectory.spec, robot)

    @property
    def concerns_robot(self) -> bool:
        """True if it moves what is controlled, or makes the robot hold something."""
        return super().concerns_robot or bool(self.rules)
