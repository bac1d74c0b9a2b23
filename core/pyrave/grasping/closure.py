"""The wrenches that contacts can give a body, and how well they hold it."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral, Real
from typing import TYPE_CHECKING, Literal

import numpy as np

from pyrave.errors import ArgumentError, StateError, shown
from pyrave.grasping.contacts import ContactSet
from pyrave.grasping.friction_cones import PushSet, pushes, pyramids, round_cones
from pyrave.grasping.kernels.polytope import DONE, FULL, LOW
from pyrave.jit import Kernel
from pyrave.spatial import Array, as_number, as_vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

_kernels = "pyrave.grasping.kernels."
_ball_radius = Kernel(_kernels + "polytope", "ball_radius", "quality of grasps", 10)
_hull_volume = Kernel(_kernels + "polytope", "hull_volume", "volume of wrenches", 10)
_least_forces = Kernel(_kernels + "least_forces", "least_forces", "loads of grasps", 4)
KERNELS = {
    "grasp-quality": _ball_radius,
    "wrench-volume": _hull_volume,
    "grasp-loads": _least_forces,
}
"""Kernels that `pyrave warm` compiles."""
_COST, _COST_OF_FORCES = 300.0, 20.0
"""Milliseconds of calls in the interpreter, roughly."""
_MAX_EDGES = 256
_RANK = 1e-9
_GAP, _ROUND_GAP = 1e-10, 1e-7
_ROUND_POINTS = 600
"""Points of round cones that are tried."""
_ROOM, _MOST_ROOM = 20_000, 2_000_000
_SHIFTS = (0.0, 1e-9, 1e-8)
"""By how much points are moved apart where they are too close to one plane."""
_INSIDE = 1e-7
"""Part of the load with which each contact pushes more than it has to."""
_ROUNDING = 1e-12
"""Part of a load that is left out of account."""
_LAST_DIGITS = 1e-14
_LARGEST = 1e250
"""Newtons: from here on sums of forces may have no number."""
_ENDLESS = 1e5
"""Times the load: what needs more force than that is not held at all."""


@dataclass(frozen=True, slots=True, eq=False)
class Hold:
    """Answer of `Closure.hold`; true only if it is proven that the contacts hold.

    Parameters
    ----------
    state
        ``"not proven"`` where the numbers are too close to say.
    forces
        (n, 3) newtons, by each contact on the body, within the friction cones; not
        numbers unless it holds.
    effort
        Sum of their normal forces, newtons; infinite unless it holds.
    least
        No forces with a smaller sum of normal forces hold, newtons.
    """

    state: Literal["holds", "slips", "not proven"]
    forces: Array
    effort: float
    least: float

    def __bool__(self) -> bool:
        return self.state == "holds"


@dataclass(frozen=True, eq=False, repr=False)
class Closure:
    """All wrenches that contacts can give a body: forces that push within friction.

    A wrench is force, then torque about a point, divided by a length. The quality is
    that of C. Ferrari, J. Canny, "Planning optimal grasps", ICRA 1992: the contacts
    push with normal forces whose sum is 1, and what this can resist in every direction
    is `epsilon`; `volume` is that of all such wrenches. Friction cones are round with
    `exact`, else pyramids inside of them: what pyramids hold, the cones hold.

    Parameters
    ----------
    contacts
        Where fingers push; all that follows is in their frame.
    center
        (3,) point about which torques are, metres: the centre of mass.
    length
        Metres by which torques are divided, above 0: a typical size of the body.
    edges
        Edges of each pyramid, 3 or more; the first is along an axis of the frame, as
        far as the normal lets it.
    exact
        Round cones for `epsilon` and `hold`. `volume` is that of the pyramids always.
    axes
        Components of wrenches that count, all six unless given: ``(0, 1, 5)`` for a
        plate that stays in its plane.

    Raises
    ------
    ArgumentError
        A number without a meaning.
    """

    contacts: ContactSet
    center: Array
    length: float
    edges: int = 8
    exact: bool = False
    axes: tuple[int, ...] = (0, 1, 2, 3, 4, 5)

    def __init__(
        self,
        contacts: ContactSet,
        *,
        center: ArrayLike = (0.0, 0.0, 0.0),
        length: float,
        edges: int = 8,
        exact: bool = False,
        axes: Sequence[int] = (0, 1, 2, 3, 4, 5),
    ) -> None:
        if not isinstance(contacts, ContactSet):
            raise ArgumentError(
                f"contacts are {shown(contacts)}, expected a pyrave.grasping.ContactSet"
            )
        if not (isinstance(edges, Integral) and 3 <= edges <= _MAX_EDGES):
            raise ArgumentError(
                f"edges is {shown(edges)}, expected a whole number from 3 to "
                f"{_MAX_EDGES}"
            )
        try:
            chosen = tuple(map(operator.index, axes))
        except TypeError:  # refused below
            chosen = ()
        if len(chosen) < 2 or sorted(set(chosen) & set(range(6))) != sorted(chosen):
            raise ArgumentError(
                f"axes is {shown(axes)}, expected two or more different numbers from 0 "
                "to 5"
            )
        middle = as_vector(center, 3, "center").copy()
        middle.flags.writeable = False
        values = {
            "contacts": contacts,
            "center": middle,
            "length": as_number(length, "length", 1e-9),
            "edges": int(edges),
            "exact": bool(exact),
            "axes": chosen,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    # -- quality -------------------------------------------------------------------

    @property
    def epsilon(self) -> float:
        """Radius of the largest ball of wrenches that are resisted, 0 if there is none.

        It is the lower of `epsilon_bounds`, which no rounding makes too large.
        """
        return max(self.epsilon_bounds[0], 0.0)

    @cached_property
    def epsilon_bounds(self) -> tuple[float, float]:
        """Bounds of `epsilon`; below 0 if the origin is outside of all wrenches.

        They are within 1e-10 for pyramids and 1e-7 for round cones, as parts of the
        largest wrench, unless the numbers are too close.
        """
        d, scale = len(self.axes), self._scale
        if not scale:
            return 0.0, 0.0
        low, high = -math.inf, math.inf
        # round cones' points are tried where they are
        for shift in _SHIFTS[: 1 if self.exact else None]:
            start = _shifted(self.wrenches / scale, shift)
            normals, tangents = start, np.zeros((len(start), 2, d))
            gap, more = _GAP, len(start)
            if self.exact:
                normals, tangents = self._cones.scaled_rounds(1.0 / scale)
                gap, more = _ROUND_GAP, _ROUND_POINTS
            buffer = np.concatenate((start, np.empty((more, d))))
            bounds, room, end = np.zeros(2), _ROOM, FULL
            while end == FULL and room <= _MOST_ROOM:
                end = _ball_radius.auto(_COST)(
                    normals, tangents, buffer, len(start), room, gap, bounds
                )
                room *= 4
            if end == LOW:
                return 0.0, 0.0
            slack = shift * math.sqrt(d)
            low = max(low, float(bounds[0]) - slack)
            high = min(high, float(bounds[1]) + slack)
            if end == DONE:
                break
        return low * scale, high * scale

    @property
    def force_closure(self) -> bool:
        """True if it is proven that the contacts resist every wrench."""
        return self.epsilon > _RANK * self._scale

    @cached_property
    def volume(self) -> float:
        """Volume of all wrenches of pyramids whose normal forces have the sum 1.

        0 if they have fewer dimensions than `axes`.

        Raises
        ------
        StateError
            The numbers are too close to degenerate.
        """
        scale = self._scale
        if not scale:
            return 0.0
        for shift in _SHIFTS:
            points = _shifted(self.wrenches / scale, shift)
            room, found, end = _ROOM, np.zeros(2), FULL
            while end == FULL and room <= _MOST_ROOM:
                end = _hull_volume.auto(_COST)(points, room, found)
                room *= 4
            if end in {DONE, LOW}:
                return float(found[0]) * scale ** len(self.axes)
        raise StateError(
            f"the volume of the wrenches of {len(self.contacts)} contacts was not "
            "found: their numbers are too close to degenerate; epsilon has bounds"
        )

    @cached_property
    def rank(self) -> int:
        """Number of dimensions of the wrenches."""
        return len(self._range[0])

    @cached_property
    def wrenches(self) -> Array:
        """(n * edges, len(axes)) primitive wrenches: edges of pyramids, by contact."""
        found = np.ascontiguousarray(self._pyramids.wrenches[:, 0])
        found.flags.writeable = False
        return found

    # -- loads ---------------------------------------------------------------------

    def holds(self, wrench: ArrayLike, *, max_force: float = math.inf) -> bool:
        """Return True if it is proven that the contacts hold a load, see `hold`."""
        return bool(self.hold(wrench, max_force=max_force))

    def hold(self, wrench: ArrayLike, *, max_force: float = math.inf) -> Hold:
        """Find the least forces that hold a load: they and the load add up to nothing.

        Forces are found by a linear program, and by one without end for round cones,
        whose columns come as they are needed. What is found is proven then: the forces
        are inside of the cones by more than rounding can change them.

        Parameters
        ----------
        wrench
            (6,) force and torque about `center` on the body, newtons and newton metres:
            ``(0, 0, -9.81 * mass, 0, 0, 0)`` for a weight along -z. What is not in
            `axes` does not count.
        max_force
            Newtons: limit of the sum of normal forces.

        Raises
        ------
        ArgumentError
            It is not finite or beyond all measure, or the limit is below 0.
        """
        given = as_vector(wrench, 6, "wrench").copy()
        if not (isinstance(max_force, Real) and max_force >= 0.0):
            raise ArgumentError(f"max_force is {shown(max_force)}, expected 0 or more")
        most = float(max_force)
        if not np.abs(given).max() * max(1.0, 1.0 / self.length) < _LARGEST:
            raise ArgumentError(
                f"wrench is {given.tolist()}, expected less than {_LARGEST:g} N"
            )
        given[3:] /= self.length
        load = -given[list(self.axes)]
        # squares of very large or small ones are beyond the range of numbers
        size = float(np.abs(load).max())
        load /= size or 1.0
        size *= float(np.linalg.norm(load))
        none = np.full((len(self.contacts), 3), np.nan)
        if size == 0.0:
            return Hold("holds", np.zeros_like(none), 0.0, 0.0)
        if not len(none):
            return Hold("slips", none, math.inf, math.inf)
        rows, smallest = self._range
        load /= np.linalg.norm(load)
        outside = float(np.linalg.norm(load - rows.T @ (rows @ load)))
        if outside > _RANK:
            return Hold("slips", none, math.inf, math.inf)
        forces, least, effort = self._least_forces(rows @ load, rows)
        found = size * effort
        if math.isinf(effort):
            slips = least > min(_ENDLESS, most / size)
            state: Literal["slips", "not proven"] = "slips" if slips else "not proven"
            return Hold(state, none, math.inf, math.inf if slips else size * least)
        proven = outside <= _ROUNDING and self._is_inside(forces, load, smallest)
        if not proven:
            return Hold("not proven", none, math.inf, size * least)
        if found > most:
            state = "slips" if size * least > most else "not proven"
            return Hold(state, none, math.inf, size * least)
        return Hold("holds", size * forces, found, size * least)

    def friction_share(self, wrench: ArrayLike) -> float:
        """Return the part of the friction that a load needs, from 0 to 1.

        With friction coefficients that many times as large the contacts just hold it.
        Infinite if they do not hold it as they are. To a thousandth.
        """
        if not self.holds(wrench):
            return math.inf
        low, high = 0.0, 1.0
        while high - low > 1e-3:
            middle = 0.5 * (low + high)
            contacts = self.contacts
            less = replace(contacts, friction=middle * contacts.friction)
            weaker = replace(self, contacts=less)
            if weaker.holds(wrench):
                high = middle
            else:
                low = middle
        return high

    # -- in numbers ----------------------------------------------------------------

    @cached_property
    def _cones(self) -> PushSet:
        arms = self.contacts.points - self.center
        return pushes(round_cones(self.contacts), arms, self.length, self.axes)

    @cached_property
    def _pyramids(self) -> PushSet:
        arms = np.repeat(self.contacts.points - self.center, self.edges, axis=0)
        forces = pyramids(self._cones.forces, self.edges)
        return pushes(forces, arms, self.length, self.axes)

    @cached_property
    def _scale(self) -> float:
        """Length of the longest primitive wrench."""
        return float(np.linalg.norm(self.wrenches, axis=1).max(initial=0.0))

    @cached_property
    def _range(self) -> tuple[Array, float]:
        """Orthonormal rows (rank, d) of all wrenches, and the least singular value."""
        columns = self._cones.wrenches.reshape(-1, len(self.axes))
        _, sizes, rows = np.linalg.svd(columns, full_matrices=False)
        rank = int((sizes > _RANK * sizes.max(initial=0.0)).sum())
        return rows[:rank], float(sizes[rank - 1]) if rank else 0.0

    def _least_forces(self, load: Array, rows: Array) -> tuple[Array, float, float]:
        """Return forces (n, 3), the bound from below, and the sum of normal forces.

        Each contact pushes a little along its normal, and the program does the rest.
        """
        n, given = len(self.contacts), self._cones if self.exact else self._pyramids
        reduced = given.wrenches @ rows.T
        middles = self._cones.wrenches[:, 0] @ rows.T
        spread = _INSIDE / n
        d = len(rows)
        choices, sizes, bounds = np.empty((d, 3)), np.empty(d), np.empty(2)
        _least_forces.auto(_COST_OF_FORCES)(
            np.ascontiguousarray(reduced[:, 0]),
            np.ascontiguousarray(reduced[:, 1:]),
            load - spread * middles.sum(axis=0),
            load,
            choices,
            sizes,
            bounds,
        )
        forces = spread * self.contacts.normals
        if math.isinf(bounds[1]):
            return forces, float(bounds[0]), math.inf
        owners = choices[:, 0].astype(np.int64) // (1 if self.exact else self.edges)
        np.add.at(forces, owners, sizes[:, None] * given.chosen(choices))
        effort = float((forces * self.contacts.normals).sum())
        return forces, float(bounds[0]), effort

    def _is_inside(self, forces: Array, load: Array, smallest: float) -> bool:
        """Return True if forces are in their cones by more than what they are off.

        Forces that make up for what is missing of the load are no larger than that
        divided by the least singular value.
        """
        contacts = self.contacts
        arms = contacts.points - self.center
        found = pushes(forces[:, None], arms, self.length, self.axes).wrenches.sum(
            axis=(0, 1)
        )
        rows, _ = self._range
        off = float(np.linalg.norm(rows @ (load - found))) + _LAST_DIGITS * float(
            np.abs(forces).sum()
        )
        along = (forces * contacts.normals).sum(axis=1)
        across = np.linalg.norm(forces - along[:, None] * contacts.normals, axis=1)
        rub = contacts.friction
        # in lengths of the columns; without friction nothing is added across the normal
        room = along.copy()
        rough = rub > 0.0
        room[rough] -= across[rough] / rub[rough]
        room[rough] /= math.sqrt(2.0)
        return bool(room.min() * smallest > off)

    def __repr__(self) -> str:
        return (
            f"<Closure: {len(self.contacts)} contacts, epsilon {self.epsilon:.4g}, "
            f"torques about {self.center.tolist()} by {self.length:g} m>"
        )


def _shifted(points: Array, size: float) -> Array:
    """Return points moved apart by up to a size, each time in the same way."""
    if not size:
        return points
    return np.asarray(
        points + np.random.default_rng(0).uniform(-size, size, points.shape)
    )
