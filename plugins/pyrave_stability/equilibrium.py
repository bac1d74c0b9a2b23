"""Static equilibrium on any grounds: with friction, on slopes, with limited forces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pyrave.cards import counted
from pyrave.spatial import Array, as_direction, as_number
from pyrave_stability.ground import Ground, frame_along
from pyrave_stability.ground_contacts import Touch, carried, touching
from pyrave_stability.linear import maximize
from pyrave_stability.region import SupportRegion, hull_of
from pyrave_stability.support import center_of_mass, gravity_of, mass_of
from pyrave_stability.wrenches import WrenchSet, wrench_set

if TYPE_CHECKING:
    from pyrave.bodies import KinBody

_FINEST = 1e-6
_FARTHEST = 1e6  # more costs corners their accuracy
_MAX_DIRECTIONS = 1024
_SIDES = np.array(((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Balance:
    """Result of a test whether the ground can hold bodies at rest.

    Parameters
    ----------
    holds
        True if forces within the friction pyramids and the limits keep them at rest.
    margin
        `WrenchSet.margin` of what they need, newtons; negative if they fall or slip.
    touches
        What touches.
    forces
        One (n, 3) for each of `touches`: a push at each of its points, world, newtons,
        as `WrenchSet.forces` chooses among those that hold. None if they fall.
    wrenches
        All that the ground could do; torques about the centre of mass.
    """

    holds: bool
    margin: float
    touches: tuple[Touch, ...]
    forces: tuple[Array, ...] | None
    wrenches: WrenchSet

    def __repr__(self) -> str:
        verb = "holds" if self.holds else "falls or slips"
        touches = counted(len(self.touches), "touch")
        return f"<Balance: {verb} by {abs(self.margin):.4g} N, {touches}>"


def balance(
    bodies: KinBody | Iterable[KinBody],
    grounds: Ground | Iterable[Ground],
    *,
    gravity: ArrayLike | None = None,
    edges: int = 8,
    outer: bool = False,
) -> Balance:
    """Find the forces that keep bodies, with all that they hold, at rest.

    Parameters
    ----------
    gravity
        (3,) m/s2; that of the environment unless given.
    edges, outer
        Of friction pyramids; see `wrench_set`.
    """
    standing = carried(bodies)
    pull = gravity_of(standing, gravity)
    touches = touching(standing, grounds)
    center = center_of_mass(standing)
    wrenches = wrench_set(touches, origin=center, edges=edges, outer=outer)
    needed = np.concatenate((-mass_of(standing) * pull, np.zeros(3)))
    found = wrenches.forces(needed)
    ends = np.cumsum([len(touch.points) for touch in touches])[:-1]
    forces = None if found is None else tuple(np.split(found, ends)) if touches else ()
    return Balance(
        found is not None, wrenches.margin(needed), touches, forces, wrenches
    )


def equilibrium_region(
    bodies: KinBody | Iterable[KinBody],
    grounds: Ground | Iterable[Ground],
    *,
    gravity: ArrayLike | None = None,
    edges: int = 8,
    outer: bool = False,
    tolerance: float = 1e-4,
    reach: float = 10.0,
) -> SupportRegion:
    """Return the region of the centre of mass in which the ground can hold the bodies.

    The projection of all equilibria along gravity, by the iterative algorithm of
    T. Bretl, S. Lall, "Testing static equilibrium for legged robots", IEEE Transactions
    on Robotics 24(4), 2008, section IV: each linear program gives a corner of the
    region and a line that it does not cross; the next one looks where these leave most
    room. On level ground without limits it is the support polygon.

    Parameters
    ----------
    gravity, edges, outer
        As for `balance`.
    tolerance
        How far the region may reach beyond the corners that are found, metres.
    reach
        The region is cut off this far from the middle of the contacts along each
        axis, metres, at most a million; it may be endless.

    Returns
    -------
    SupportRegion
        Its corners hold the bodies at rest, and so does everything between; `gap` is
        how far the true region, for these pyramids, may reach beyond. Empty if there
        is no equilibrium wherever the centre of mass is.
    """
    tolerance = as_number(tolerance, "tolerance", _FINEST)
    reach = as_number(reach, "reach", _FINEST, _FARTHEST)
    standing = carried(bodies)
    pull = gravity_of(standing, gravity)
    touches = touching(standing, grounds)
    up = -as_direction(pull, "gravity")
    axes = frame_along(up)
    if not touches:
        return SupportRegion(np.zeros((0, 2)), axes, np.zeros((0, 3)))
    middle = np.concatenate([touch.points for touch in touches]).mean(axis=0)
    wrenches = wrench_set(touches, origin=middle, edges=edges, outer=outer)
    program = _Program(wrenches, mass_of(standing) * pull, axes, reach)
    corners, gap = _projected(program, tolerance)
    lowest = min(float((touch.points @ up).min()) for touch in touches)
    shown = middle + (lowest - middle @ up) * up + corners @ axes
    return SupportRegion(corners + axes @ middle, axes, shown, gap=gap)


class _Program:
    """Finds the equilibrium whose centre of mass is farthest in a direction."""

    def __init__(
        self, wrenches: WrenchSet, weight: Array, axes: Array, reach: float
    ) -> None:
        k, n = wrenches.groups.shape
        self._reach, self._first = reach, n + k
        # the torque of the weight grows with where the centre of mass is: it starts
        # at -reach on both axes, and moves by up to 2 reach
        moments = np.cross(axes, weight).T
        equations = np.zeros((8 + k, n + k + 4))
        equations[:6, :n] = wrenches.generators
        equations[3:6, n + k : n + k + 2] = moments
        equations[6 : 6 + k, :n] = wrenches.groups
        equations[6 : 6 + k, n : n + k] = np.eye(k)
        equations[6 + k :, n + k :] = np.hstack((np.eye(2), np.eye(2)))
        start = moments @ np.full(2, reach)
        ends = np.full(2, 2.0 * reach)
        self._equations = equations
        self._values = np.concatenate((-weight, start, wrenches.limits, ends))

    def farthest(self, direction: Array) -> Array | None:
        """Return the centre of mass (2,) at the extreme, None without equilibrium."""
        objective = np.zeros(self._equations.shape[1])
        objective[self._first : self._first + 2] = direction
        found = maximize(objective, self._equations, self._values)
        if found.status == "infeasible":
            return None
        return np.asarray(found.x[self._first : self._first + 2] - self._reach)


def _projected(program: _Program, tolerance: float) -> tuple[Array, float]:
    """Return the corners (n, 2) of a convex set, counter-clockwise, and their gap."""
    found = [(side, program.farthest(side)) for side in _SIDES]
    if any(corner is None for _, corner in found):
        return np.zeros((0, 2)), 0.0
    # pairs of outward direction and the corner that it touches, by their angle, and
    # how far the set may reach beyond the edge before each
    ring: list[tuple[Array, Array]] = [(d, c) for d, c in found if c is not None]
    gaps = [_room(ring[i - 1], ring[i]) for i in range(len(ring))]
    while len(ring) < _MAX_DIRECTIONS:
        i = int(np.argmax(gaps))
        if gaps[i] <= tolerance:
            break
        (_, a), (_, b) = ring[i - 1], ring[i]
        along = b - a
        outward = np.array((along[1], -along[0])) / np.linalg.norm(along)
        corner = program.farthest(outward)
        if corner is None or outward @ (corner - a) <= 0.1 * _FINEST:
            gaps[i] = 0.0  # the edge is one of the set
            continue
        ring.insert(i, (outward, corner))
        gaps[i] = _room(ring[i - 1], ring[i])
        gaps.insert(i + 1, _room(ring[i], ring[i + 1]))
    corners = np.array([corner for _, corner in ring])
    return corners[hull_of(corners)], max(gaps)


def _room(one: tuple[Array, Array], two: tuple[Array, Array]) -> float:
    """Return the set's possible extent beyond the edge between two of its corners."""
    (d, a), (e, b) = one, two
    along = b - a
    length = float(np.linalg.norm(along))
    turn = float(d[0] * e[1] - d[1] * e[0])
    if length <= 0.1 * _FINEST or turn <= 1e-12:
        return 0.0
    # where the lines through a across d and through b across e meet
    tip = np.linalg.solve(np.array((d, e)), np.array((d @ a, e @ b)))
    outward = np.array((along[1], -along[0])) / length
    return max(float(outward @ (tip - a)), 0.0)
