"""How joint values move with the degrees of freedom, mimic joints included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.kinematics.poses import (
    as_dof_vector,
    node_transforms,
    tape_kernels,
    values_of,
)
from pyrave.spatial import Array, as_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics.model import Model

__all__ = ["Configuration", "as_transforms"]


def as_transforms(model: Model, transforms: ArrayLike) -> Array:
    """Return link poses as a C-contiguous (n_links, 4, 4) float64 array or raise."""
    array = np.ascontiguousarray(as_numbers(transforms, "transforms"))
    if array.shape != (model.n_links, 4, 4):
        raise ArgumentError(
            f"transforms has shape {array.shape}, expected ({model.n_links}, 4, 4)"
        )
    return array


@dataclass(frozen=True, slots=True)
class Configuration:
    """Checked inputs of one configuration, ready for kernels; short-lived.

    Parameters
    ----------
    poses
        (n_nodes, 4, 4).
    values
        (n_values,).
    slopes
        (n_values, n_dof): derivative of the values, None where it is the identity.
    registers
        Results of all formula instructions.
    """

    model: Model
    poses: Array
    values: Array
    slopes: Array | None
    registers: Array

    @classmethod
    def of(cls, model: Model, transforms: ArrayLike, q: ArrayLike) -> Configuration:
        """Check the arguments; axes inside of joints are placed by `q`."""
        poses = as_transforms(model, transforms)
        values = values_of(model, as_dof_vector(model, q))
        if len(model.nodes) > model.n_links:
            links = poses
            poses = np.empty((len(model.nodes), 4, 4))
            node_transforms(model, links[0], values, poses)
            poses[: model.n_links] = links
        slopes = None
        registers = np.zeros(len(model.tape))
        if model.n_values > model.n_dof:
            slopes = np.eye(model.n_values, model.n_dof)
            if model.has_mimic:
                n = len(model.tape)
                kernel = tape_kernels.auto(n * 0.001)
                with np.errstate(all="ignore"):
                    kernel.run_tape(
                        model.tape, model.tape_constants, 0, n, registers, values
                    )
                kernel.value_slopes(model.partials, registers, slopes)
        return cls(model, poses, values, slopes, registers)

    def curves(self) -> Array:
        """Return second derivatives of the values, (n_values, n_dof, n_dof)."""
        model = self.model
        n = model.n_dof
        result = np.zeros((model.n_values, n, n))
        if self.slopes is None or not len(model.second_partials):
            return result
        for value, a, b, register in model.second_partials.tolist():
            outer = np.outer(self.slopes[a], self.slopes[b])
            result[value] += self.registers[register] * outer
        # followed values come first, so theirs are complete when they are needed
        for value, source, register in model.partials.tolist():
            result[value] += self.registers[register] * result[source]
        return result
