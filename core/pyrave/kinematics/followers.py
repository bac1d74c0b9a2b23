"""Followers whose formulas are linear: one product of a matrix replaces their tape."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyrave.kinematics.kernels import expressions as k
from pyrave.kinematics.kernels.forward_kinematics import SLOPES

if TYPE_CHECKING:
    from pyrave.kinematics.model import Model
    from pyrave.spatial import Array, Indices


LARGEST = 1e150
"""Product of two such numbers is one, too."""


@dataclass(frozen=True, eq=False, slots=True)
class LinearFollowers:
    """Values that are ``matrix @ q + offset`` within limits.

    Parameters
    ----------
    values
        (m,) indices of the values that follow.
    matrix
        (m, n_dof).
    offset, lower, upper
        (m,) radians or metres.
    """

    values: Indices
    matrix: Array
    offset: Array
    lower: Array
    upper: Array

    def values_at(self, q: Array) -> Array:
        """Return the values (..., m) of finite degrees of freedom (..., n_dof)."""
        with np.errstate(all="ignore"):
            found: Array = q @ self.matrix.T + self.offset
        return np.minimum(np.maximum(found, self.lower), self.upper)

    @property
    def are_finite(self) -> bool:
        """True if they are finite at all degrees of freedom up to `LARGEST`."""
        steepest = np.abs(self.matrix).sum(axis=1).max(initial=0.0)
        return bool(steepest < LARGEST and np.abs(self.offset).max() < LARGEST)


class _Form(NamedTuple):
    """Coefficients of the degrees of freedom, a constant, and limits of the sum."""

    slopes: Array
    constant: float
    lower: float = -math.inf
    upper: float = math.inf

    @property
    def is_constant(self) -> bool:
        return not self.slopes.any()

    @property
    def is_free(self) -> bool:
        return self.lower == -math.inf and self.upper == math.inf


def linear_followers(model: Model) -> LinearFollowers | None:
    """Return the followers of a model; None if there are none, or not all are linear.

    Their tape is executed on forms instead of numbers.
    """
    n = model.n_dof
    known = {i: _Form(row, 0.0) for i, row in enumerate(np.eye(n))}
    stored: dict[int, _Form] = {}
    registers: list[_Form] = []
    for number, row in enumerate(model.tape[: model.n_position_instructions].tolist()):
        op, a, b, c = row
        form: _Form | None
        if op == k.OP_CONST:
            form = _Form(np.zeros(n), float(model.tape_constants[number]))
        elif op == k.OP_LOAD:
            form = known.get(a)
        elif op in (k.OP_TABLE, k.OP_TABLE_SLOPE, k.OP_ROOT):
            return None
        elif op == k.OP_STORE:
            form = stored[c] = known[c] = registers[a]
        else:
            form = _result(op, *(registers[i] for i in (a, b, c)))
        if form is None:
            return None
        registers.append(form)
    if not stored:
        return None
    columns = zip(*stored.values(), strict=True)
    return LinearFollowers(np.array(list(stored)), *map(np.array, columns))


def follower_rows(model: Model) -> Array | None:
    """Return the followers as `kernels.forward_kinematics` has them.

    None if a formula is not linear, if there are more poses than links, or if there is
    one link only, which needs no kernel.
    """
    linear = model.linear_followers
    unknown = model.has_mimic and linear is None
    if unknown or model.n_poses > model.n_links or model.n_links == 1:
        return None
    if linear is None:
        return np.empty((0, SLOPES + model.n_dof))
    ends = (linear.values, linear.offset, linear.lower, linear.upper)
    return np.ascontiguousarray(np.column_stack((*ends, linear.matrix)), np.float64)


def _result(op: int, x: _Form, y: _Form, z: _Form) -> _Form | None:
    """Return the form of an operation, None if it is not linear."""
    if op == k.OP_COPY:
        return x
    if op == k.OP_IF and x.is_constant:
        return y if abs(x.constant) >= 0.5 else z
    if op == k.OP_SUB and x is y:  # how formulas look whether a value is finite
        return _Form(np.zeros_like(x.slopes), 0.0)
    if op == k.OP_EQ and x.is_constant and y.is_constant:
        return _Form(x.slopes, float(x.constant == y.constant))
    if op == k.OP_MAX and y.is_constant and x.is_free:
        return x._replace(lower=y.constant)
    if op == k.OP_MIN and y.is_constant and x.upper == math.inf:
        return x._replace(upper=y.constant)
    if not (x.is_free and y.is_free):
        return None
    if op == k.OP_NEG:
        return _Form(-x.slopes, -x.constant)
    if op == k.OP_ADD:
        return _Form(x.slopes + y.slopes, x.constant + y.constant)
    if op == k.OP_SUB:
        return _Form(x.slopes - y.slopes, x.constant - y.constant)
    if op == k.OP_MUL and x.is_constant:
        x, y = y, x
    if op == k.OP_MUL and y.is_constant:
        return _Form(x.slopes * y.constant, x.constant * y.constant)
    if op == k.OP_DIV and y.is_constant and y.constant:
        return _Form(x.slopes / y.constant, x.constant / y.constant)
    return None
