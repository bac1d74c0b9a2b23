"""Velocities, inverse and forward dynamics of a body."""

from pyrave.kinematics.dynamics.forces import (
    forward_dynamics,
    inverse_dynamics,
    link_velocities,
    mass_matrix,
)

__all__ = ["forward_dynamics", "inverse_dynamics", "link_velocities", "mass_matrix"]
