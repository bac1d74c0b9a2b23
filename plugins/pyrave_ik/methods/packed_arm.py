"""An arm, its decomposition and its limits as one array, for the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import invert_pose
from pyrave_ik.arm.chain import joint_periods
from pyrave_ik.arm.turns import ENDLESS, MANY_TURNS
from pyrave_ik.kernels import packed_arm as at
from pyrave_ik.kernels.turns import SLACK
from pyrave_ik.methods.arm_kernels import fits
from pyrave_ik.methods.decomposition import Kind
from pyrave_ik.methods.kernel_choice import METHODS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyrave.spatial import Array
    from pyrave_ik.arm.chain import ArmChain
    from pyrave_ik.methods.decomposition import Decomposition

TOLERANCE = 1e-9
"""Greatest deviation of an entry of the pose that a solution reaches."""
TURNS = (0.83, 2.1, -1.3)
_SURE = (Kind.WRIST, Kind.PARALLEL, Kind.SLIDERS, Kind.PLANAR)


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
    """Return the data of an arm for the kernels, see `kernels.packed_arm`.

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
        (3,) see `kernels.elimination.raghavan_roth`.
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
    if every:
        # limits many turns apart do not multiply solutions
        rows[are_wide(rows) & (rows[:, 2] == at.WITHIN), 2] = at.ONE_TURN
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
    packed[at.DH_FRAMES] = dh_frames and (how.kind, True) in METHODS and how.first == 0
    if n == 6 and not len(free):
        packed[at.SCREWS : at.SCREWS + 42] = chain.screws[order].ravel()
        if packed[at.DH_FRAMES] and not fits(packed):
            packed[at.DH_FRAMES] = 0.0
    return packed


def bounds_of(
    chain: ArmChain,
    lower: Array,
    upper: Array,
    circular: NDArray[np.bool_],
    *,
    ignored: bool,
) -> Array:
    """Return (d, 5) limits as `pack` takes them.

    The reference of limits many turns apart is the value nearest to 0 about which there
    is a whole turn within them.

    Parameters
    ----------
    lower, upper, circular
        (d,) of the arm's joints.
    ignored
        Whether limits do not count.
    """
    rows = np.zeros((len(lower), 5))
    rows[:, 0], rows[:, 1] = lower, upper
    periods = joint_periods([chain], lower, upper)
    rows[:, 4] = np.where(np.isfinite(periods), periods, 0.0)
    beyond = np.maximum(abs(lower), abs(upper)) >= ENDLESS
    wide = are_wide(rows)
    endless = circular | (wide & beyond) | ignored
    rows[endless, 2] = at.ONE_TURN
    inside = wide & ~endless
    rows[inside, 3] = np.clip(
        0.0, (lower + rows[:, 4] / 2)[inside], (upper - rows[:, 4] / 2)[inside]
    )
    return rows


def are_wide(bounds: Array) -> NDArray[np.bool_]:
    """Return (d,) whether limits (d, 5), see `pack`, are many turns apart."""
    period = bounds[:, 4]
    wide = bounds[:, 1] - bounds[:, 0] > MANY_TURNS * period
    return np.asarray((period > 0.0) & wide)


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
