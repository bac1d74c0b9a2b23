"""Kinematics of one body: descriptions compiled to arrays, and what runs on them.

`compile_body` makes a `Model`; the functions take it with plain numpy arrays.
The first calls run in the interpreter; when they add up the kernels are compiled.
"""

from pyrave.kinematics.compile import compile_body
from pyrave.kinematics.model import Chain, Model
from pyrave.kinematics.poses import (
    as_dof_vector,
    joint_values,
    link_transforms,
    link_transforms_batch,
)

__all__ = [
    "Chain",
    "Model",
    "as_dof_vector",
    "compile_body",
    "joint_values",
    "link_transforms",
    "link_transforms_batch",
]
