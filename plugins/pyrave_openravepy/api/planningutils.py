"""Functions on trajectories, configurations and poses: ``openravepy.planningutils``."""

from pyrave_openravepy.api.motion.denavit_hartenberg import (
    DHParameter,
    GetDHParameters,
)
from pyrave_openravepy.api.motion.dynamics_constraint import (
    DynamicsCollisionConstraint,
)
from pyrave_openravepy.api.motion.goal_sampler import (
    ManipulatorIKGoalSampler,
)
from pyrave_openravepy.api.motion.jitter import (
    JitterCurrentConfiguration,
    JitterTransform,
)
from pyrave_openravepy.api.motion.timed_trajectories import (
    ActiveDOFTrajectoryRetimer,
    ActiveDOFTrajectorySmoother,
    AffineTrajectoryRetimer,
    RetimeActiveDOFTrajectory,
    RetimeAffineTrajectory,
    RetimeTrajectory,
    SmoothActiveDOFTrajectory,
    SmoothAffineTrajectory,
    SmoothTrajectory,
)
from pyrave_openravepy.api.motion.trajectory_operations import (
    ComputeTrajectoryDerivatives,
    ConvertTrajectorySpecification,
    GetTrajectorySegment,
    MergeTrajectories,
    ReverseTrajectory,
    SegmentTrajectory,
    VerifyTrajectory,
)
from pyrave_openravepy.api.motion.waypoints import (
    ExtendActiveDOFWaypoint,
    ExtendWaypoint,
    InsertActiveDOFWaypointWithRetiming,
    InsertWaypointWithSmoothing,
)

__all__ = [
    "ActiveDOFTrajectoryRetimer",
    "ActiveDOFTrajectorySmoother",
    "AffineTrajectoryRetimer",
    "ComputeTrajectoryDerivatives",
    "ConvertTrajectorySpecification",
    "DHParameter",
    "DynamicsCollisionConstraint",
    "ExtendActiveDOFWaypoint",
    "ExtendWaypoint",
    "GetDHParameters",
    "GetTrajectorySegment",
    "InsertActiveDOFWaypointWithRetiming",
    "InsertWaypointWithSmoothing",
    "JitterCurrentConfiguration",
    "JitterTransform",
    "ManipulatorIKGoalSampler",
    "MergeTrajectories",
    "RetimeActiveDOFTrajectory",
    "RetimeAffineTrajectory",
    "RetimeTrajectory",
    "ReverseTrajectory",
    "SegmentTrajectory",
    "SmoothActiveDOFTrajectory",
    "SmoothAffineTrajectory",
    "SmoothTrajectory",
    "VerifyTrajectory",
]
