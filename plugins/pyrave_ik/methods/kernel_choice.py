"""The method of each kind of loop, and the kernels of each method.

Loops are solved in up to three stages. The first compiles fastest, and reports
the loops that the next has to solve.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from pyrave_ik.methods.decomposition import Kind


class Stage(IntEnum):
    """Stages of kernels, from regular poses to all poses."""

    REGULAR = 0
    """Poses that are not singular."""
    ELIMINATION = 1
    """Of calibrated arms also those that elimination settles."""
    SINGULAR = 2
    """All poses."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method that solves loops of six joints.

    Parameters
    ----------
    module
        Module of `pyrave_ik.kernels` with `prepare` and `solutions`.
    serves
        Whom it is for, for messages.
    loop_ms, singular_ms
        Milliseconds that a regular and a singular loop take in the interpreter.
    compile_s
        Seconds to compile it.
    """

    module: str
    serves: str
    loop_ms: float
    singular_ms: float
    compile_s: float


_PIEPER = Method("closed_forms.pieper", "arms with a closed form", 5.0, 2000.0, 15.0)
METHODS: dict[tuple[Kind, bool], Method] = {
    (Kind.WRIST, True): Method(
        "closed_forms.wrist", "arms with a spherical wrist", 0.3, 800.0, 8.0
    ),
    (Kind.PARALLEL, True): Method(
        "closed_forms.parallel", "arms with three parallel axes", 0.4, 1500.0, 8.0
    ),
    (Kind.WRIST, False): _PIEPER,
    (Kind.PARALLEL, False): _PIEPER,
    (Kind.SLIDERS, False): _PIEPER,
    (Kind.PLANAR, False): Method(
        "closed_forms.planar", "planar arms", 0.5, 1000.0, 6.0
    ),
    (Kind.OPPOSED_PRISMATIC, False): Method(
        "closed_forms.opposed_prismatic",
        "arms with two opposed sliders",
        20.0,
        4000.0,
        15.0,
    ),
    (Kind.GENERAL, False): Method(
        "elimination.general", "any arm", 150.0, 6000.0, 20.0
    ),
    (Kind.PERTURBED_GEOMETRY, False): Method(
        "elimination.perturbed_geometry",
        "arms in special geometry",
        2000.0,
        np.inf,
        30.0,
    ),
}
"""By kind of the loop, and whether it is solved in the frames of its axes
(`kernels.closed_forms.dh_frames`), which takes no roots of polynomials."""

NEARLY_SPECIAL = (Kind.WRIST, Kind.PARALLEL)
"""Kinds of loops that calibrated arms nearly have."""
NEWTON_MS = 30.0
"""Milliseconds of Newton's method for the solutions of a calibrated loop."""
STAGE_S = 20.0
"""Seconds that a stage adds to compiling."""

_KERNELS = "pyrave_ik.kernels."
_DEFAULT = f"{_KERNELS}elimination.general"
_NOMINAL = f"{_KERNELS}closed_forms.wrist"
_CALIBRATED = {
    Stage.REGULAR: f"{_KERNELS}elimination.calibrated",
    Stage.ELIMINATION: f"{_KERNELS}elimination.calibrated_elimination",
    Stage.SINGULAR: f"{_KERNELS}elimination.calibrated_elimination",
}
_ANY = f"{_KERNELS}any_loop"
_SINGULAR = f"{_KERNELS}singular.perturbed_pose"
_NOT_SINGULAR = f"{_KERNELS}singular.no_singular_fallback"

ANY_METHOD = {_DEFAULT: _ANY}
"""Substitutes of kernels that call loops by their addresses."""


def stages_of(*, calibrated: bool) -> tuple[Stage, ...]:
    """Return the stages in which loops are solved, in order."""
    return tuple(Stage) if calibrated else (Stage.REGULAR, Stage.SINGULAR)


def substitutes(method: Method, stage: Stage, *, calibrated: bool) -> dict[str, str]:
    """Return the kernel modules that replace others, see `KernelModule`.

    Kernels import `general` for the loop, `wrist` for the geometry that a calibrated
    arm nearly has, and `perturbed_pose` for singular poses. Those of later stages are
    the same for all methods, and call loops by their addresses.
    """
    if stage is Stage.REGULAR:
        pairs = loop_substitutes(method, stage, calibrated=calibrated)
    else:
        pairs = dict(ANY_METHOD)
    if stage is not Stage.SINGULAR:
        pairs[_SINGULAR] = _NOT_SINGULAR
    return pairs


def loop_substitutes(
    method: Method, stage: Stage, *, calibrated: bool
) -> dict[str, str]:
    """Return the kernel modules that replace others in a loop alone."""
    module = _KERNELS + method.module
    pairs = {_DEFAULT: module}
    if calibrated:
        pairs = {_NOMINAL: module, _DEFAULT: _CALIBRATED[stage]}
    return {old: new for old, new in pairs.items() if old != new}
