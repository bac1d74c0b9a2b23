"""Checks of the partial derivatives that files give for formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.kinematics.kernels.expressions import OP_LOAD
from pyrave.kinematics.poses import tape_kernels, values_batch

if TYPE_CHECKING:
    from pyrave.kinematics.model import Floats, Model

_SAMPLES = 5
_STEP = 1e-6
_TOLERANCE = 1e-4
_MAX_NUMBERS = 2_000_000
"""Values of one sample and its steps; larger bodies are not checked."""
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


@dataclass(frozen=True, slots=True)
class UndefinedPartial:
    """A derivative of a formula that has no finite value.

    Parameters
    ----------
    joint, follows
        Names of the joint that follows, and of the joint that it follows.
    value
        Infinite, or not a number.
    """

    joint: str
    follows: str
    value: float


def undefined_partials(model: Model, q: Floats) -> tuple[UndefinedPartial, ...]:
    """Return the derivatives of mimic joints without a finite value, one per joint.

    Parameters
    ----------
    q : (n_dof,) float64
        Degrees of freedom, rad or m.
    """
    registers, _ = _run(model, q)
    found: dict[str, UndefinedPartial] = {}
    for value, source, register in model.partials.tolist():
        slope = float(registers[register])
        if not np.isfinite(slope):
            name, follows = (
                model.joint_names[model.value_joint[one]] for one in (value, source)
            )
            found.setdefault(name, UndefinedPartial(name, follows, slope))
    return tuple(found.values())


def inconsistent_partials(model: Model) -> tuple[InconsistentPartial, ...]:
    """Compare the derivatives of mimic joints with differences of their values.

    At five configurations within the limits. Where a joint follows one that is named
    already, it is not named itself. OpenRAVE takes velocities from the lists whatever
    the formulas say, and so does pyrave.
    """
    followers = np.flatnonzero(model.mimic)
    tape = model.tape[: model.n_position_instructions]
    # not `np.unique`, which imports all of masked arrays
    loaded = np.array(sorted(set(tape[tape[:, 0] == OP_LOAD, 1].tolist())), np.int64)
    dofs = loaded[loaded < model.n_dof]
    n = len(dofs)
    if not n or max(2 * n + 1, model.n_dof) * model.n_values > _MAX_NUMBERS:
        return ()
    steps = np.zeros((2 * n + 1, model.n_dof))
    steps[np.arange(1, n + 1), dofs] = _STEP
    steps[np.arange(n + 1, 2 * n + 1), dofs] = -_STEP
    given, actual, wrong = (np.zeros((_SAMPLES, len(followers), n)) for _ in range(3))
    for i, q in enumerate(_samples(model)):
        given[i] = _slopes(model, q)[followers][:, dofs]
        with np.errstate(all="ignore"):
            values = values_batch(model, q + steps)[:, followers].T
            high = values[:, 1 : n + 1] - values[:, :1]
            low = values[:, :1] - values[:, n + 1 :]
            actual[i] = 0.5 * (high + low) / _STEP
            wrong[i] = np.abs(given[i] - actual[i])
            wrong[i] -= _TOLERANCE * (1.0 + np.abs(actual[i]))
            # where both sides differ a limit or a kink lies in between
            wrong[i][np.abs(high - low) > 1e-3 * _STEP] = -1.0
    wrong[~np.isfinite(wrong)] = -1.0
    sources: dict[int, set[int]] = {}
    for value, source, _ in model.partials.tolist():
        sources.setdefault(value, set()).add(source)
    bad: set[int] = set()
    found = []
    for value in dict.fromkeys((*model.partials[:, 0].tolist(), *followers.tolist())):
        row = int(np.searchsorted(followers, value))
        if sources.get(value, set()) & bad:
            bad.add(value)
            continue
        for column in np.flatnonzero((wrong[:, row] > 0).any(axis=0)).tolist():
            bad.add(value)
            worst = int(np.argmax(wrong[:, row, column]))
            found.append(
                InconsistentPartial(
                    model.joint_names[model.value_joint[value]],
                    model.joint_names[model.value_joint[dofs[column]]],
                    float(given[worst, row, column]),
                    float(actual[worst, row, column]),
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
    registers, kernel = _run(model, q)
    slopes = np.eye(model.n_values, model.n_dof)
    with np.errstate(all="ignore"):
        kernel.value_slopes(model.partials, registers, slopes)
    return slopes


def _run(model: Model, q: Floats) -> tuple[Floats, Any]:
    """Return the registers of all formulas at a configuration, and their kernels."""
    values = model.rest_values.copy()
    values[: model.n_dof] = q
    registers = np.empty(len(model.tape))
    kernel = tape_kernels.auto(len(model.tape) * 0.001)
    with np.errstate(all="ignore"):
        kernel.run_tape(
            model.tape, model.tape_constants, 0, len(model.tape), registers, values
        )
    return registers, kernel
