"""Whether the partial derivatives that a file gives are those of its formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics.poses import tape_kernels, values_batch

if TYPE_CHECKING:
    from pyrave.kinematics.model import Floats, Model

__all__ = ["InconsistentPartial", "inconsistent_partials"]

_SAMPLES = 5
_STEP = 1e-6
_TOLERANCE = 1e-4
_WIDEST = 3.0  # samples of joints without limits lie this far on either side of zero


@dataclass(frozen=True, slots=True)
class InconsistentPartial:
    """A derivative that a formula's list gives and that the formula does not have.

    Parameters
    ----------
    joint, follows
        Names of the joint that follows, and of the free joint that it follows.
    given, actual
        Rate of the first by that of the second: as the list says and as the formula
        says, where they differ most.
    """

    joint: str
    follows: str
    given: float
    actual: float


def inconsistent_partials(model: Model) -> tuple[InconsistentPartial, ...]:
    """Compare the derivatives of mimic joints with differences of their values.

    At five configurations within the limits. Where a joint follows one that is named
    already, it is not named itself. OpenRAVE takes velocities from the lists whatever
    the formulas say, and so does pyrave.
    """
    n = model.n_dof
    followers = dict.fromkeys(model.partials[:, 0].tolist())
    for value in np.flatnonzero(model.mimic).tolist():
        followers.setdefault(value)
    if not followers or not n:
        return ()
    samples = _samples(model)
    given = np.array([_slopes(model, q) for q in samples])
    steps = _STEP * np.vstack((np.zeros(n), np.eye(n), -np.eye(n)))
    with np.errstate(all="ignore"):
        moved = np.array([values_batch(model, q + steps) for q in samples])
        middle = moved[:, :1]
        high, low = moved[:, 1 : n + 1] - middle, middle - moved[:, n + 1 :]
        actual = (0.5 * (high + low) / _STEP).transpose(0, 2, 1)
        # where both sides differ a limit or a kink lies in between
        kinked = np.abs(high - low).transpose(0, 2, 1) > 1e-3 * _STEP
        wrong = np.abs(given - actual) - _TOLERANCE * (1.0 + np.abs(actual))
    wrong[kinked | ~np.isfinite(wrong)] = -1.0
    sources: dict[int, set[int]] = {}
    for value, source, _ in model.partials.tolist():
        sources.setdefault(value, set()).add(source)
    bad: set[int] = set()
    found = []
    for value in followers:
        if sources.get(value, set()) & bad:
            bad.add(value)
            continue
        for dof in np.flatnonzero((wrong[:, value] > 0).any(axis=0)).tolist():
            bad.add(value)
            worst = int(np.argmax(wrong[:, value, dof]))
            found.append(
                InconsistentPartial(
                    model.joint_names[model.value_joint[value]],
                    model.joint_names[model.value_joint[dof]],
                    float(given[worst, value, dof]),
                    float(actual[worst, value, dof]),
                )
            )
    return tuple(found)


def _samples(model: Model) -> Floats:
    """Return configurations within the limits, never the same part of two ranges."""
    n = model.n_dof
    lower = np.maximum(model.dof_lower, -_WIDEST)
    upper = np.minimum(model.dof_upper, _WIDEST)
    golden = 0.5 * (np.sqrt(5.0) - 1.0)
    places = np.arange(1, _SAMPLES * n + 1) * golden % 1.0
    shares = 0.02 + 0.96 * places.reshape(_SAMPLES, n)
    return np.asarray(lower + shares * np.maximum(upper - lower, 0.0))


def _slopes(model: Model, q: Floats) -> Floats:
    """Return d value / d degree of freedom by the lists, (n_values, n_dof)."""
    values = model.rest_values.copy()
    values[: model.n_dof] = q
    registers = np.empty(len(model.tape))
    slopes = np.eye(model.n_values, model.n_dof)
    kernel = tape_kernels.auto(len(model.tape) * 0.001)
    with np.errstate(all="ignore"):
        kernel.run_tape(
            model.tape, model.tape_constants, 0, len(model.tape), registers, values
        )
        kernel.value_slopes(model.partials, registers, slopes)
    return slopes
