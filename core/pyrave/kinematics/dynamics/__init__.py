"""Velocities, accelerations, forces and inertia of a body.

A body without its links: nodes that move as one, see `Model.motion_tree`. The
functions of one configuration run the same kernels as those of many.
"""

from pyrave.kinematics.dynamics.masses import (
    center_of_mass,
    center_of_mass_batch,
    center_of_mass_jacobian,
    center_of_mass_jacobian_batch,
    mass_matrix,
    mass_matrix_batch,
)
from pyrave.kinematics.dynamics.motion import (
    link_accelerations,
    link_accelerations_batch,
    link_velocities,
    link_velocities_batch,
)
from pyrave.kinematics.dynamics.torques import (
    forward_dynamics,
    forward_dynamics_batch,
    inverse_dynamics,
    inverse_dynamics_batch,
    joint_friction,
)

__all__ = [
    "center_of_mass",
    "center_of_mass_batch",
    "center_of_mass_jacobian",
    "center_of_mass_jacobian_batch",
    "forward_dynamics",
    "forward_dynamics_batch",
    "inverse_dynamics",
    "inverse_dynamics_batch",
    "joint_friction",
    "link_accelerations",
    "link_accelerations_batch",
    "link_velocities",
    "link_velocities_batch",
    "mass_matrix",
    "mass_matrix_batch",
]
