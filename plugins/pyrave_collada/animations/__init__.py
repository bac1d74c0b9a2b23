"""Animations of joints, as trajectories of bodies, and back."""

from pyrave_collada.animations.files import read_trajectories, write_trajectories
from pyrave_collada.animations.trajectory import JointTrajectory

__all__ = ["JointTrajectory", "read_trajectories", "write_trajectories"]
