"""Kinematics of one body: descriptions compiled to arrays, and what runs on them.

`compile_body` makes a `Model`; the functions take it with plain numpy arrays.
The first calls run in the interpreter; when they add up the kernels are compiled.
"""

from pyrave.kinematics.compile import compile_body
from pyrave.kinematics.derivatives import (
    center_of_mass,
    center_of_mass_jacobian,
    hessian,
    jacobian,
)
from pyrave.kinematics.dynamics import (
    forward_dynamics,
    inverse_dynamics,
    link_velocities,
    mass_matrix,
)
from pyrave.kinematics.limits import (
    clamp,
    normalise_angle,
    subtract_dof_values,
    wrap,
)
from pyrave.kinematics.model import Chain, Model
from pyrave.kinematics.poses import (
    as_dof_vector,
    check_followers,
    joint_values,
    link_transforms,
    link_transforms_batch,
)

__all__ = [
    "Chain",
    "Model",
    "as_dof_vector",
    "center_of_mass",
    "center_of_mass_jacobian",
    "check_followers",
    "clamp",
    "compile_body",
    "forward_dynamics",
    "hessian",
    "inverse_dynamics",
    "jacobian",
    "joint_values",
    "link_transforms",
    "link_transforms_batch",
    "link_velocities",
    "mass_matrix",
    "normalise_angle",
    "subtract_dof_values",
    "wrap",
]
