"""Kinematics of one body: descriptions compiled to arrays, and what runs on them.

`compile_body` makes a `Model`; the functions take it with plain numpy arrays.
The first calls run in the interpreter; when they add up the kernels are compiled.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.kinematics.affine import Affine
    from pyrave.kinematics.compilation import compile_body
    from pyrave.kinematics.consistency import (
        InconsistentPartial,
        UndefinedPartial,
        inconsistent_partials,
        undefined_partials,
    )
    from pyrave.kinematics.derivatives import (
        hessian,
        hessian_batch,
        jacobian,
        jacobian_batch,
        rates_of_link_velocities,
    )
    from pyrave.kinematics.dynamics import (
        center_of_mass,
        center_of_mass_batch,
        center_of_mass_jacobian,
        center_of_mass_jacobian_batch,
        forward_dynamics,
        forward_dynamics_batch,
        inverse_dynamics,
        inverse_dynamics_batch,
        joint_friction,
        link_accelerations,
        link_accelerations_batch,
        link_velocities,
        link_velocities_batch,
        mass_matrix,
        mass_matrix_batch,
    )
    from pyrave.kinematics.limits import (
        LimitCheck,
        angle_difference,
        normalise_angle,
        subtract_dof_values,
    )
    from pyrave.kinematics.loop_closure import (
        LOOP_TOLERANCE,
        LoopSystem,
        close_loops,
        loop_system,
        not_closed,
        settled,
        tangent_model,
    )
    from pyrave.kinematics.loop_joint_values import set_loop_values, set_values_of_poses
    from pyrave.kinematics.model import Chain, Model
    from pyrave.kinematics.model_changes import (
        ModelVersions,
        at_rest_values,
        model_versions,
        recompile,
    )
    from pyrave.kinematics.poses import (
        as_dof_vector,
        check_followers,
        joint_values,
        joint_values_batch,
        link_transforms,
        link_transforms_batch,
        multiply_poses,
    )
    from pyrave.kinematics.tool_jacobians import (
        Tool,
        compile_tool,
        tool_jacobian,
        tool_jacobian_batch,
    )

__all__ = [
    "LOOP_TOLERANCE",
    "Affine",
    "Chain",
    "InconsistentPartial",
    "LimitCheck",
    "LoopSystem",
    "Model",
    "ModelVersions",
    "Tool",
    "UndefinedPartial",
    "angle_difference",
    "as_dof_vector",
    "at_rest_values",
    "center_of_mass",
    "center_of_mass_batch",
    "center_of_mass_jacobian",
    "center_of_mass_jacobian_batch",
    "check_followers",
    "close_loops",
    "compile_body",
    "compile_tool",
    "forward_dynamics",
    "forward_dynamics_batch",
    "hessian",
    "hessian_batch",
    "inconsistent_partials",
    "inverse_dynamics",
    "inverse_dynamics_batch",
    "jacobian",
    "jacobian_batch",
    "joint_friction",
    "joint_values",
    "joint_values_batch",
    "link_accelerations",
    "link_accelerations_batch",
    "link_transforms",
    "link_transforms_batch",
    "link_velocities",
    "link_velocities_batch",
    "loop_system",
    "mass_matrix",
    "mass_matrix_batch",
    "model_versions",
    "multiply_poses",
    "normalise_angle",
    "not_closed",
    "rates_of_link_velocities",
    "recompile",
    "set_loop_values",
    "set_values_of_poses",
    "settled",
    "subtract_dof_values",
    "tangent_model",
    "tool_jacobian",
    "tool_jacobian_batch",
    "undefined_partials",
]


__getattr__, __dir__ = exports(
    __name__,
    {
        "affine": "Affine",
        "compilation": "compile_body",
        "consistency": "InconsistentPartial UndefinedPartial inconsistent_partials "
        "undefined_partials",
        "derivatives": "hessian hessian_batch jacobian jacobian_batch "
        "rates_of_link_velocities",
        "dynamics": "center_of_mass center_of_mass_batch center_of_mass_jacobian "
        "center_of_mass_jacobian_batch forward_dynamics forward_dynamics_batch "
        "inverse_dynamics inverse_dynamics_batch joint_friction link_accelerations "
        "link_accelerations_batch link_velocities link_velocities_batch mass_matrix "
        "mass_matrix_batch",
        "limits": "LimitCheck angle_difference normalise_angle subtract_dof_values",
        "loop_closure": "LOOP_TOLERANCE LoopSystem close_loops loop_system not_closed "
        "settled tangent_model",
        "loop_joint_values": "set_loop_values set_values_of_poses",
        "model": "Chain Model",
        "poses": "as_dof_vector check_followers joint_values joint_values_batch "
        "link_transforms link_transforms_batch multiply_poses",
        "model_changes": "ModelVersions at_rest_values model_versions recompile",
        "tool_jacobians": "Tool compile_tool tool_jacobian tool_jacobian_batch",
    },
    suggests=False,
)
