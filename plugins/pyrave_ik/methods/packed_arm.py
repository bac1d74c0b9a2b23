"""An arm, its decomposition and its limits as one array, and the kernels for it."""

from __future__ import annotations

from functools import cache, cached_property
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit import KernelModule, TypedKernel
from pyrave.spatial import invert_pose
from pyrave_ik.kernels import packed_arm as at
from pyrave_ik.kernels.turns import SLACK
from pyrave_ik.methods.classify import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.spatial import Array
    from pyrave_ik.arm.chain import ArmChain
    from pyrave_ik.methods.classify import Decomposition

__all__ = ["TOLERANCE", "TURNS", "ArmKernels", "fits", "kernels_of", "pack"]

TOLERANCE = 1e-9
"""Greatest deviation of an entry of the pose that a solution reaches."""
TURNS = (0.83, 2.1, -1.3)

_NAME = "pyrave_ik.kernels.{}"
_DEFAULT = _NAME.format("general")
_DIRECT = {Kind.WRIST: "wrist", Kind.PARALLEL: "parallel"}
_SURE = (Kind.WRIST, Kind.PARALLEL, Kind.SLIDERS, Kind.PLANAR)
_OTHERS = {
    Kind.GENERAL: "general",
    Kind.PLANAR: "planar",
    Kind.OPPOSED_PRISMATIC: "opposed_prismatic_arm",
    Kind.PERTURBED_GEOMETRY: "perturbed_geometry_arm",
}
_NEIGHBOURS = _NAME.format("perturbed_pose")
_UNSURE = _NAME.format("no_singular_fallback")
_WRIST = _NAME.format("wrist")
_CALIBRATED = _NAME.format("calibrated")
_ELIMINATION = _NAME.format("calibrated_elimination")
_COMPILE_AFTER = 300.0
_BESIDE_SECONDS = 20.0
_NEWTON = 30.0
"""Milliseconds of Newton's method for the solutions of a loop in the interpreter."""
_PLAIN, _ELIMINATED, _NEIGHBOURED = range(3)
_SEARCH_COST = 2.5
_SEARCH_SECONDS = 15.0
_lock = Lock()
_WORDS = {
    "wrist": ("arms with a spherical wrist", 0.3, 8.0),
    "parallel": ("arms with three parallel axes", 0.4, 8.0),
    "planar": ("planar arms", 0.5, 6.0),
    "pieper_arm": ("arms with a closed form", 5.0, 15.0),
    "opposed_prismatic_arm": ("arms with two opposite sliders", 20.0, 15.0),
    "perturbed_geometry_arm": ("arms in special geometry", np.inf, 30.0),
    "general": ("any arm", np.inf, 20.0),
}
"""For each decomposition whom it is for, milliseconds of a loop in the interpreter, and
seconds to compile it."""


class ArmKernels:
    """The kernels of one decomposition. Threads may share it.

    Their first calls run in the interpreter where that is faster than to load numba.
    Until a pose may be singular they are those that compile without what singular poses
    need. Those of calibrated arms first take elimination for help.

    Parameters
    ----------
    name
        Of the kernel module with `solutions`.
    calibrated
        Whether they are for loops that the decomposition fits but for tilts.
    """

    def __init__(self, name: str, *, calibrated: bool) -> None:
        self.name = name
        self.calibrated = calibrated
        tilted = " and tilted axes" if calibrated else ""
        self._whom = f"inverse kinematics of {_WORDS[name][0]}{tilted}"
        self._take(_PLAIN)
        self.solve_current = self._solve_current_kernel()
        """``(record, links, values, pose, out) -> rows``, None where loops take so long
        that it is not worth the compiling. It has no answer at singular poses."""

    def _solve_current_kernel(self) -> TypedKernel | None:
        _, cost, seconds = _WORDS[self.name]
        if self.calibrated or cost == np.inf:
            return None
        return TypedKernel(
            self.module,
            "solve_current",
            (1, 3, 1, 2, 2),
            lambda *_: cost,
            merged=False,
            whole=True,
            said=self._whom,
            seconds=seconds,
        )

    def _substitutes(self, help_: int) -> dict[str, str]:
        """Return the kernel modules that take the places of others."""
        pairs = {_DEFAULT: _NAME.format(self.name)}
        if self.calibrated:
            pairs[_WRIST] = pairs[_DEFAULT]
            pairs[_DEFAULT] = _CALIBRATED if help_ == _PLAIN else _ELIMINATION
        if help_ != _NEIGHBOURED:
            pairs[_NEIGHBOURS] = _UNSURE
        return {old: new for old, new in pairs.items() if old != new}

    def _take(self, help_: int) -> None:
        self._help = help_
        self.solves_singular = help_ == _NEIGHBOURED
        """Whether the kernels have an answer at singular poses."""
        _, cost, seconds = _WORDS[self.name]
        cost += _NEWTON * self.calibrated
        said = self._whom
        if help_ == _ELIMINATED:
            said, cost = f"{said}, by elimination", np.inf
        elif help_ == _NEIGHBOURED:
            said = f"{said} at singular poses"
            cost = np.inf if self.calibrated else cost
        seconds += _BESIDE_SECONDS * (help_ if self.calibrated else help_ > _PLAIN)
        self.module = KernelModule(
            _NAME.format("solve"), _COMPILE_AFTER, self._substitutes(help_)
        )
        self.solve = TypedKernel(
            self.module,
            "solve",
            (1, 2, 2, 2, 2, 1, 2),
            lambda _packed, _base, _pose, _virtual, samples, _near, _out: (
                cost * len(samples)
            ),
            merged=False,
            whole=True,
            said=said,
            seconds=seconds,
        )
        """``(packed, base, pose, virtual, samples, near, out) -> rows``"""
        self.solve_pose = TypedKernel(
            self.module,
            "solve_pose",
            (1, 2, 2),
            lambda _packed, _pose, _out: cost,
            merged=False,
            whole=True,
            said=f"{said}, with fewer arguments",
            seconds=seconds,
        )
        """``(packed, pose, out) -> rows``"""
        self.solve_batch = TypedKernel(
            self.module,
            "solve_batch",
            (1, 2, 3, 2, 1, 2, 1),
            lambda _packed, _base, poses, samples, _near, _out, _counts: (
                cost * len(samples) * len(poses)
            ),
            merged=False,
            whole=True,
            said=f"{said}, many poses",
            seconds=seconds,
        )
        """``(packed, base, poses, samples, near, out, counts) -> poses done``"""

    @cached_property
    def search(self) -> TypedKernel:
        """The kernel `search` of `kernels.self_motion`."""
        cost = _WORDS[self.name][1] + _NEWTON * self.calibrated
        substitutes = self._substitutes(_PLAIN)
        return TypedKernel(
            KernelModule(_NAME.format("self_motion"), _COMPILE_AFTER, substitutes),
            "search",
            (1, 2, 2, 2, 1, 1, 1, 1, 1, 2, 1),
            lambda _packed, _base, _pose, _virtual, _held, values, *_: (
                (cost + _SEARCH_COST) * len(values)
            ),
            merged=False,
            whole=True,
            said=f"{self._whom} with a joint to spare",
            seconds=_SEARCH_SECONDS,
        )

    def add_singular(self) -> None:
        """Be kernels that have an answer at more poses, from now on."""
        with _lock:
            if self.calibrated and self._help == _PLAIN:
                self._take(_ELIMINATED)
            elif not self.solves_singular:
                self._take(_NEIGHBOURED)

    def ready(self, *, singular: bool = True) -> None:
        """Compile now, or read what was compiled before; also for singular poses."""
        while singular and not self.solves_singular:
            self.add_singular()
        self.solve.call = self.solve.compiled()
        if self.solve_current is not None:
            self.solve_current.call = self.solve_current.compiled()


@cache
def _kernels(name: str, calibrated: bool) -> ArmKernels:
    return ArmKernels(name, calibrated=calibrated)


def kernels_of(packed: Array) -> ArmKernels:
    """Return the kernels that solve an arm."""
    kind = Kind(int(packed[at.KIND]))
    calibrated = bool(packed[at.TILT] > 0.0)
    if packed[at.DH_FRAMES] != 0.0:
        return _kernels(_DIRECT[kind], calibrated)
    return _kernels(_OTHERS.get(kind, "pieper_arm"), calibrated)


def pack(
    how: Decomposition,
    chain: ArmChain,
    free: Sequence[int],
    bounds: Array,
    *,
    turns: Sequence[float] = TURNS,
    threshold: float = 0.0,
    dh_frames: bool = True,
    given: bool = False,
    every: bool = False,
    reference: Array | None = None,
) -> Array:
    """Return what the kernels need to know of an arm, see `kernels.packed_arm`.

    Parameters
    ----------
    how
        The decomposition of the loop.
    free
        Axes that are held, in the decomposition's order.
    bounds
        (d, 5) for each joint: lower and upper limit; 0 for turns inside of them, 1 for
        the turn nearest to a reference; the reference; the period of one turn, 0 for a
        sliding joint.
    turns
        (3,) see `kernels.raghavan_roth`.
    threshold
        How far goals may be missed that are not reached.
    dh_frames
        Whether the kernels may be tried that do without roots of polynomials.
    given
        Whether held joints have the values that are given, and not those a turn apart.
    every
        Whether solutions are listed in all turns inside of the limits, and not in one.
    reference
        (d,) joint values to which that turn is the nearest where a call gives none;
        None: the middle of the limits.
    """
    n, d = chain.n, len(bounds)
    packed = np.zeros(at.ARM + at.AXIS * n + at.LIMITS * d + 1 + d)
    packed[at.KIND] = how.kind
    packed[at.FIRST] = how.first
    packed[at.BACKWARD] = how.backward
    packed[at.TOLERANCE] = TOLERANCE
    packed[at.THRESHOLD] = threshold
    packed[at.TURNS : at.TURNS + 3] = turns
    packed[at.N_AXES], packed[at.N_JOINTS], packed[at.N_FREE] = n, d, len(free)
    packed[at.HOME : at.HOME + 12] = chain.home[:3].ravel()
    packed[at.BACK : at.BACK + 12] = invert_pose(chain.home)[:3].ravel()
    held = np.isin(np.arange(n), list(free))
    axes = np.column_stack(
        [chain.screws, chain.scale, chain.offset, chain.arm, held, 1.0 / chain.scale]
    )
    order = list(how.order or range(n))
    packed[at.ARM : at.ARM + axes.size] = axes[order].ravel()
    rows = bounds.copy()
    if given:
        rows[np.array(chain.arm)[held], 2] = at.AS_IT_IS
    bounds_end = at.ARM + axes.size + at.LIMITS * d
    packed[at.ARM + axes.size : bounds_end] = np.column_stack(
        [rows, *_calm(rows)]
    ).ravel()
    packed[bounds_end] = every
    if reference is None:
        limited = np.where(rows[:, [2]] == at.WITHIN, rows[:, :2], rows[:, [3]])
        reference = 0.5 * (limited[:, 0] + limited[:, -1])
    packed[bounds_end + 1 :] = reference
    packed[at.SURE] = how.kind in _SURE
    packed[at.TILT] = how.tilt
    packed[at.DH_FRAMES] = dh_frames and how.kind in _DIRECT and how.first == 0
    if n == 6 and not len(free):
        packed[at.SCREWS : at.SCREWS + 42] = chain.screws[order].ravel()
        if packed[at.DH_FRAMES] and not fits(packed):
            packed[at.DH_FRAMES] = 0.0
    return packed


def _calm(rows: Array) -> tuple[Array, Array]:
    """Return the ranges (d,), (d,) of values that need no look at whole turns."""
    lower, upper, mode, reference, period = rows.T
    turn = np.where(period > 0.0, period, np.inf)
    low = np.where(mode == at.ONE_TURN, reference - 0.5 * turn, -np.inf)
    high = np.where(mode == at.ONE_TURN, reference + 0.5 * turn, np.inf)
    within = mode == at.WITHIN
    # a turn less is below the limits, a turn more above
    less = upper + 2.0 * SLACK - turn
    more = lower - 2.0 * SLACK + turn
    low = np.where(within, np.maximum(lower, less), low)
    return low, np.where(within, np.minimum(upper, more), high)


def fits(packed: Array) -> bool:
    """Prepare a packed arm for its kernels; return whether they fit its loop."""
    return bool(kernels_of(packed).module.python.prepare(packed))
