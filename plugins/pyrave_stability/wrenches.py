"""The forces and torques that the ground can give a stance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyrave.errors import ArgumentError
from pyrave.spatial import Array, as_direction, as_number, as_vector
from pyrave_stability.arguments import several
from pyrave_stability.ground import frame_along
from pyrave_stability.ground_contacts import Touch
from pyrave_stability.linear import maximize

_MAX_EDGES = 256
_ROUNDING = 1e-11


@dataclass(frozen=True, slots=True, eq=False)
class WrenchSet:
    """All wrenches that the ground can exert on a stance, by their generators.

    A wrench is force, then torque about `origin`, in world axes, newtons and newton
    metres. The set holds ``generators @ x`` for all ``x >= 0`` that keep the limits
    ``groups @ x <= limits``; without limits it is a cone.

    Parameters
    ----------
    generators
        (6, n) wrenches of pushes at single points, each with a normal force of 1 N:
        point by point, and counter-clockwise about the normal of each.
    points
        (n,) index of the point in `places` where each pushes.
    places
        (p, 3) world points.
    groups, limits
        (k, n) of 0 and 1, and (k,) newtons: largest normal forces of areas that have
        such limits.
    origin
        (3,) world point that torques are about.
    """

    generators: Array
    points: NDArray[np.int64]
    places: Array
    groups: Array
    limits: Array
    origin: Array

    def margin(self, wrench: ArrayLike) -> float:
        """Return the margin of a wrench (6,) in the set, newtons.

        The largest m such that the wrench comes about while every point pushes with m
        newtons more than friction needs (spread evenly over its generators), and every
        limit is m newtons away. Negative outside; inf if pushing harder never ends;
        ``-inf`` if not even pulls help, as without contacts.
        """
        given = self._checked(wrench)
        n = self.generators.shape[1]
        if n == 0:
            return math.inf if not np.any(given) else -math.inf
        share = 1.0 / np.bincount(self.points)[self.points]
        lift = self.generators @ share
        room = self.groups @ share + 1.0
        k = len(self.limits)
        slack = np.eye(k)
        equations = np.block([
            [self.generators, np.zeros((6, k)), lift[:, None], -lift[:, None]],
            [self.groups, slack, room[:, None], -room[:, None]],
        ])  # fmt: skip
        objective = np.zeros(n + k + 2)
        objective[-2:] = 1.0, -1.0
        values = np.concatenate((given, self.limits))
        return maximize(objective, self._centred(equations), self._moved(values)).value

    def contains(self, wrench: ArrayLike) -> bool:
        """Return True if the ground can exert a wrench (6,)."""
        return self._solved(self._checked(wrench)) is not None

    def forces(self, wrench: ArrayLike) -> Array | None:
        """Return forces (p, 3) at `places` that add up to a wrench (6,), None if none.

        They have the least sum of squares over the points that need not pull, if
        friction and limits allow that; if not, the largest normal force of any point
        is as small as can be.
        """
        given = self._checked(wrench)
        smooth = self._least_squares(given)
        if smooth is not None:
            return smooth
        x = self._solved(given)
        if x is None:
            return None
        pushes = (self.generators[:3] * x).T
        found = np.zeros_like(self.places)
        np.add.at(found, self.points, pushes)
        return found

    def _least_squares(self, wrench: Array) -> Array | None:
        """Return the least forces (p, 3) of a wrench, None if they leave the set.

        Points that would pull are taken out, until none does.
        """
        p = len(self.places)
        if p == 0:
            return None
        arms = self.places - self.places.mean(axis=0)
        at = np.zeros((6, p, 3))
        at[:3] = np.eye(3)[:, None]
        at[3:] = np.moveaxis(np.cross(arms[:, None], np.eye(3)), 2, 0)
        matrix = at.reshape(6, 3 * p)
        wanted = self._moved(wrench.copy())
        small = _ROUNDING * (1.0 + float(np.abs(wanted).max()))
        pushes = self.generators[:3].T.reshape(p, -1, 3)
        normals = pushes.mean(axis=1)
        pulls = np.zeros(p, np.bool_)
        for _ in range(p):
            used = np.where(np.repeat(pulls, 3), 0.0, matrix)
            flat, *_ = np.linalg.lstsq(used, wanted, rcond=None)
            found: Array = np.asarray(flat, np.float64).reshape(p, 3)
            along = np.einsum("pi,pi->p", found, normals)
            if along.min() >= -small:
                break
            pulls |= along < -small
        across = np.linalg.norm(found - along[:, None] * normals, axis=1)
        radius = np.linalg.norm(pushes - normals[:, None], axis=2).max(axis=1)
        sides = np.cross(pushes, np.roll(pushes, -1, axis=1))
        inside = (
            np.abs(matrix @ flat - wanted).max() <= small
            and np.einsum("pki,pi->pk", sides, found).min() >= -small
            and (across - radius * along).max() <= small
            and (self.groups[:, :: pushes.shape[1]] @ along <= self.limits).all()
        )
        return found if inside else None

    def reach(self, direction: ArrayLike, start: ArrayLike | None = None) -> float:
        """Return the largest s with ``start + s * direction`` in the set.

        ``-inf`` if no s >= 0 is, inf if all large ones are.

        Parameters
        ----------
        direction, start
            (6,) wrenches; `start` is zero unless given.
        """
        ray = self._checked(direction)
        given = np.zeros(6) if start is None else self._checked(start)
        k, n = self.groups.shape
        equations = np.block([
            [self.generators, np.zeros((6, k)), -ray[:, None]],
            [self.groups, np.eye(k), np.zeros((k, 1))],
        ])  # fmt: skip
        objective = np.zeros(n + k + 1)
        objective[-1] = 1.0
        values = np.concatenate((given, self.limits))
        return maximize(objective, self._centred(equations), self._moved(values)).value

    def _solved(self, wrench: Array) -> Array | None:
        """Return the shares of generators whose largest point's force is least."""
        k, n = self.groups.shape
        p = len(self.places)
        each = np.zeros((p, n))
        each[self.points, np.arange(n)] = 1.0
        equations = np.block([
            [self.generators, np.zeros((6, k + p + 1))],
            [self.groups, np.eye(k), np.zeros((k, p + 1))],
            [each, np.zeros((p, k)), np.eye(p), -np.ones((p, 1))],
        ])  # fmt: skip
        objective = np.zeros(n + k + p + 1)
        objective[-1] = -1.0
        values = np.concatenate((wrench, self.limits, np.zeros(p)))
        solved = maximize(objective, self._centred(equations), self._moved(values))
        return None if solved.status == "infeasible" else solved.x[:n]

    # torques about the middle of the contacts: far origins would cost accuracy

    def _centred(self, equations: Array) -> Array:
        equations[3:6] -= np.cross(self._middle(), equations[:3], axisb=0).T
        return equations

    def _moved(self, values: Array) -> Array:
        values[3:6] -= np.cross(self._middle(), values[:3])
        return values

    def _middle(self) -> Array:
        if not len(self.places):
            return np.zeros(3)
        return np.asarray(self.places.mean(axis=0) - self.origin)

    def _checked(self, wrench: ArrayLike) -> Array:
        return as_vector(wrench, 6, "wrench").copy()


def wrench_set(
    touches: Iterable[Touch],
    *,
    origin: ArrayLike = (0.0, 0.0, 0.0),
    edges: int = 8,
    outer: bool = False,
) -> WrenchSet:
    """Return all wrenches that the ground can exert where it touches.

    Every corner of a touching area pushes within its friction cone, and no area bears
    more than its limit: the contact wrench cone of S. Caron, Q.-C. Pham, Y. Nakamura,
    "Stability of surface contacts for humanoid robots: closed-form formulae of the
    contact wrench cone for rectangular support areas", ICRA 2015, section II, for
    areas of any shape. Pressure anywhere in an area is the same as at its corners.

    Parameters
    ----------
    touches
        See `touching`.
    origin
        (3,) world point that torques are about, metres.
    edges
        Edges, 3 or more, of the pyramid that stands for each friction cone.
    outer
        False: the pyramid lies inside the cone, and holds that of friction
        ``mu * cos(pi / edges)``: what it says is possible is so. True: it lies around
        the cone, and within that of ``mu / cos(pi / edges)``: what it says is
        impossible is so. With 8 edges the two differ by 8.2 %, with 32 by 0.5 %.
    """
    if not (isinstance(edges, Integral) and 3 <= edges <= _MAX_EDGES):
        raise ArgumentError(
            f"edges is {edges!r}, expected a whole number from 3 to {_MAX_EDGES}"
        )
    about = as_vector(origin, 3, "origin").copy()
    known = several(touches, Touch)
    places = np.concatenate([np.zeros((0, 3)), *(touch.points for touch in known)])
    counts = [len(touch.points) for touch in known]
    pushes = np.concatenate([
        np.zeros((0, 3)),
        *(
            np.tile(_pyramid(touch, edges, outer=outer), (len(touch.points), 1))
            for touch in known
        ),
    ])  # fmt: skip
    points = np.repeat(np.arange(len(places), dtype=np.int64), edges)
    torques = np.cross(places[points] - about, pushes)
    owners = np.repeat(np.repeat(np.arange(len(known)), counts), edges)
    limited = [i for i, t in enumerate(known) if t.max_normal_force < math.inf]
    groups = np.array([owners == i for i in limited], np.float64)
    return WrenchSet(
        np.concatenate((pushes, torques), axis=1).T.copy(),
        points,
        places,
        groups.reshape(len(limited), len(points)),
        np.array([known[i].max_normal_force for i in limited]),
        about,
    )


def _pyramid(touch: Touch, edges: int, *, outer: bool) -> Array:
    """Return the (edges, 3) forces along the edges of a friction pyramid."""
    normal, friction = touch.ground.normal, touch.ground.friction
    if outer:
        friction /= math.cos(math.pi / edges)
    turns = np.arange(edges) * (2.0 * math.pi / edges)
    ring = np.column_stack((np.cos(turns), np.sin(turns)))
    return np.asarray(normal + friction * ring @ frame_along(normal))


def friction_margin(force: ArrayLike, normal: ArrayLike, friction: float) -> float:
    """Return the margin of a force (3,) in the friction cone of a normal, newtons.

    ``mu * normal force - tangential force``, exactly and without edges: negative
    where a foot slips. A force that pulls is outside.

    Raises
    ------
    ArgumentError
        The normal has no direction, or the friction is no number >= 0.
    """
    mu = as_number(friction, "friction", 0.0)
    push = as_vector(force, 3, "force")
    up = as_direction(normal, "normal")
    along = float(push @ up)
    across = float(np.linalg.norm(push - along * up))
    return mu * along - across


def rectangle_wrench_faces(half_extents: Sequence[float], friction: float) -> Array:
    """Return the half-spaces of the contact wrench cone of a rectangle, (17, 6).

    A wrench w (force, then torque about the middle of the rectangle, in its axes, z
    the normal) is possible exactly where ``faces @ w <= 0``, for friction pyramids
    ``|f_x|, |f_y| <= mu f_z`` at the corners. Theorem 1 of S. Caron, Q.-C. Pham,
    Y. Nakamura, ICRA 2015 (see `wrench_set`): no linear program is needed. Pyramids
    with ``mu = friction / sqrt(2)`` lie inside cones of that friction.

    Only rectangles have such a form. For other areas ask the `WrenchSet` of
    `wrench_set`, whose tests are linear programs.

    Parameters
    ----------
    half_extents
        Half lengths along x and y, metres.
    friction
        mu of the pyramids.
    """
    x, y = as_vector(half_extents, 2, "half_extents").tolist()
    if x < 0.0 or y < 0.0:
        raise ArgumentError(f"half_extents are {(x, y)}, expected numbers >= 0")
    mu = as_number(friction, "friction", 0.0)
    rows = [(0.0, 0.0, -1.0, 0.0, 0.0, 0.0)]
    for s in (-1.0, 1.0):
        rows += [
            (s, 0.0, -mu, 0.0, 0.0, 0.0),
            (0.0, s, -mu, 0.0, 0.0, 0.0),
            (0.0, 0.0, -y, s, 0.0, 0.0),
            (0.0, 0.0, -x, 0.0, s, 0.0),
        ]
        for t in (-1.0, 1.0):
            # yaw torque: |y fx -+ mu tx| + |x fy -+ mu ty| -+ tz <= mu (x + y) fz
            rows += [
                (s * y, t * x, -mu * (x + y), -s * mu, -t * mu, -1.0),
                (s * y, t * x, -mu * (x + y), s * mu, t * mu, 1.0),
            ]
    return np.array(rows)
