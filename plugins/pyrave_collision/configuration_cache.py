"""Configurations of a robot that are known to collide, or to be free."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyrave.errors import ArgumentError, StateError
from pyrave.interfaces import CollisionPair, CollisionSide
from pyrave.kinematics import Affine
from pyrave.spatial import as_array, as_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.spatial import Array

_NO_RESOLUTION = 0.01
_ROOM = 64
_STILL = 1e-9


class Known(NamedTuple):
    """Answer of a cache.

    Parameters
    ----------
    collides
        Whether the configuration counts as one that collides.
    distance
        How far the configuration is away from which that is known.
    pair
        What collides there.
    """

    collides: bool
    distance: float
    pair: CollisionPair | None


class ConfigurationCache:
    """Remembers for the active degrees of freedom of a robot where it collides.

    A distance of configurations is the Euclidean one of values divided by the
    resolutions of the degrees of freedom, so that 1 is one step of a planner. A
    configuration counts as one that collides if one nearer than `collision_threshold`
    does, else as free if one nearer than `free_threshold` is: a guess, and the better
    the smaller they are.

    What the world says of it is looked at in each call. All is forgotten when a body
    moves, when solids, what is enabled, what is held or ignored change, when other
    joints of the robot move, its links are placed as no joint values place them, and
    when its base moves unless that is an active degree of freedom.
    A body that is added leaves what collides, one that is removed leaves what is free
    and what collides with others.

    Parameters
    ----------
    robot
        Its active degrees of freedom of this moment count.
    environment
        Whether other bodies matter; not for self collisions.
    """

    def __init__(self, robot: Robot, *, environment: bool = True) -> None:
        self._robot = weakref.ref(robot)
        self._environment = environment
        active = robot.active
        self._indices, self._affine = active.indices.copy(), active.affine
        self._axis = active.affine_rotation_axis
        steps = active.resolutions
        self._weights = 1.0 / np.where(steps > 0.0, steps, _NO_RESOLUTION)
        self._others = np.setdiff1d(np.arange(robot.dof), self._indices)
        self.collision_threshold = 1.0
        self.free_threshold = 0.2
        self.insertion_multiplier = 0.5
        """Part of its threshold that a configuration is apart from all others."""
        self.clear()
        world = robot.env.world
        self._version, self._relations = world.version, world.relations
        self._rest = self._find_rest(robot)

    # -- what it is about ----------------------------------------------------------

    @property
    def robot(self) -> Robot:
        """The robot; a `StateError` once it is gone."""
        robot = self._robot()
        if robot is None:
            raise StateError("the robot of the cache is gone; make another cache")
        return robot

    @property
    def dof(self) -> int:
        """Number of values of a configuration."""
        return len(self._weights)

    @property
    def rest(self) -> Array:
        """Values of other joints, and where the base and what is held are."""
        self._follow()
        return self._rest.copy()

    @property
    def weights(self) -> Array:
        """(dof,) by which differences are multiplied."""
        return self._weights.copy()

    @weights.setter
    def weights(self, weights: ArrayLike) -> None:
        given = as_array(weights, (self.dof,), "weights")
        if not (given > 0.0).all():
            raise ArgumentError(
                f"weights are {given.tolist()}, expected numbers above 0"
            )
        self._weights = given.copy()
        count = self._count
        self._scaled[:count] = self._values[:count] * self._weights
        self._squares[:count] = (self._scaled[:count] ** 2).sum(axis=1)

    def distance(self, one: ArrayLike, other: ArrayLike) -> float:
        """Return the distance of two configurations, in steps."""
        way = self._row(one) - self._row(other)
        return float(np.linalg.norm(way * self._weights))

    def is_about_present_dofs(self) -> bool:
        """Return True if these are the robot's active degrees of freedom."""
        active = self.robot.active
        turns = Affine.ROTATION_AXIS in self._affine
        return (
            active.affine == self._affine
            and np.array_equal(active.indices, self._indices)
            and not (turns and (active.affine_rotation_axis != self._axis).any())
        )

    def present_values(self) -> Array:
        """Return the robot's present values (dof,) of these degrees of freedom."""
        robot = self.robot
        if self.is_about_present_dofs():
            return robot.active.values
        values = robot.dof_values[self._indices]
        if len(values) < self.dof:
            raise ArgumentError(
                "the cache is about motions of the base that are not active any more; "
                "activate them again, or make another cache"
            )
        return values

    # -- what is known -------------------------------------------------------------

    def __len__(self) -> int:
        self._follow()
        return self._count

    @property
    def values(self) -> Array:
        """(n, dof) of all configurations."""
        self._follow()
        return self._values[: self._count].copy()

    def find(self, values: ArrayLike) -> Known | None:
        """Return the knowledge about a configuration, None if there is none."""
        self._follow()
        row = self._row(values)
        squares = self._squares_to(row)
        hits = self._collides[: self._count]
        for collides, threshold in (
            (True, self.collision_threshold),
            (False, self.free_threshold),
        ):
            near = np.where(hits == collides, squares, np.inf)
            k = int(np.argmin(near)) if len(near) else -1
            if k < 0 or not np.isfinite(near[k]):
                continue
            distance = self._distance_to(k, row)
            if distance <= threshold:
                return Known(collides, distance, self._pairs[k])
        return None

    def nearest(
        self, values: ArrayLike, within: float = np.inf
    ) -> tuple[Array, float] | None:
        """Return the nearest configuration and its distance, None if none is near."""
        self._follow()
        row = self._row(values)
        if not self._count:
            return None
        k = int(np.argmin(self._squares_to(row)))
        distance = self._distance_to(k, row)
        return (self._values[k].copy(), distance) if distance <= within else None

    def insert(self, values: ArrayLike, pair: CollisionPair | None = None) -> bool:
        """Remember a configuration that collides with a pair, or is free (None).

        Returns
        -------
        bool
            False if another one is so near that it says nothing new.
        """
        found = self.nearest(values)
        threshold = self.free_threshold if pair is None else self.collision_threshold
        if found is not None and found[1] < threshold * self.insertion_multiplier:
            return False
        self._append(self._row(values), pair)
        return True

    def remove(
        self, values: ArrayLike, radius: float, collides: bool | None = None
    ) -> int:
        """Forget configurations within a distance; return how many.

        Parameters
        ----------
        collides
            Those that do, those that do not, or all.
        """
        self._follow()
        reach = as_number(radius, "radius", 0.0)
        way = self._scaled[: self._count] - self._row(values) * self._weights
        gone = (way**2).sum(axis=1) <= reach * reach
        if collides is not None:
            gone &= self._collides[: self._count] == collides
        return self._drop(gone)

    def drop_free(self) -> int:
        """Forget all that are free; return how many."""
        self._follow()
        return self._drop(~self._collides[: self._count])

    def drop_collisions(self, body: KinBody | None = None) -> int:
        """Forget those that collide, with a body or at all; return how many."""
        self._follow()
        gone = self._collides[: self._count].copy()
        if body is not None:
            gone &= np.array([body.id in bodies_of(one) for one in self._pairs], bool)
        return self._drop(gone)

    def clear(self) -> None:
        """Forget all configurations."""
        self._count = 0
        self._values = np.empty((_ROOM, self.dof))
        self._scaled = np.empty((_ROOM, self.dof))
        self._squares = np.empty(_ROOM)
        self._collides: NDArray[np.bool_] = np.zeros(_ROOM, np.bool_)
        self._pairs: list[CollisionPair | None] = []

    def is_sound(self) -> bool:
        """Return True if each configuration is found, at the distance 0 to itself."""
        self._follow()
        rows = self._values[: self._count]
        found = (self.nearest(row) for row in rows)
        return len(self._pairs) == self._count and all(
            one is not None and one[1] <= 1e-6 for one in found
        )

    # -- files ---------------------------------------------------------------------

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return all that is known of self collisions, for a file.

        Links are their indices, two of each configuration; -1 where it is free, and
        where what is held collides.
        """
        self._follow()
        return {
            "values": self._values[: self._count],
            "collides": self._collides[: self._count],
            "links": np.array(
                [self._links_of(one) for one in self._pairs], np.int64
            ).reshape(-1, 2),
        }

    def add_arrays(self, arrays: dict[str, NDArray[np.generic]]) -> None:
        """Remember what `to_arrays` returned, of a robot with the same links."""
        robot = self.robot
        values = as_array(arrays["values"], (None, self.dof), "values")
        links = np.asarray(arrays["links"], np.int64)
        sides = [CollisionSide.of_link(link) for link in robot.links]
        if not (len(links) == len(values) and (links < len(sides)).all()):
            raise ArgumentError(
                f"{len(values)} configurations come with {len(links)} pairs of links, "
                f"of which each is expected to be -1 to {len(sides) - 1}"
            )
        self._follow()
        hits = np.asarray(arrays["collides"], np.bool_)
        for row, (a, b), hit in zip(values, links.tolist(), hits.tolist(), strict=True):
            one, other = (sides[k] if k >= 0 else CollisionSide() for k in (a, b))
            self._append(row, CollisionPair(one, other) if hit else None)

    def _links_of(self, pair: CollisionPair | None) -> tuple[int, int]:
        found = [-1, -1]
        for k, side in enumerate((pair.first, pair.second) if pair else ()):
            if side.link is not None and side.body is self.robot:
                found[k] = side.link.index
        return found[0], found[1]

    # -- parts ---------------------------------------------------------------------

    def _row(self, values: ArrayLike) -> Array:
        return as_array(values, (self.dof,), "values")

    def _squares_to(self, row: Array) -> Array:
        """Return squared distances to all, but for what is the same for all."""
        count = self._count
        # half as fast as a product, differences would make arrays of all values
        products = self._scaled[:count] @ (row * (2.0 * self._weights))
        found: Array = self._squares[:count] - products
        return found

    def _distance_to(self, k: int, row: Array) -> float:
        way = (self._values[k] - row) * self._weights
        return float(np.sqrt(way @ way))

    def _append(self, row: Array, pair: CollisionPair | None) -> None:
        if self._count == len(self._squares):
            for name in ("_values", "_scaled", "_squares", "_collides"):
                array = vars(self)[name]
                vars(self)[name] = np.concatenate((array, np.empty_like(array)))
        k = self._count
        self._values[k], self._scaled[k] = row, row * self._weights
        self._squares[k] = self._scaled[k] @ self._scaled[k]
        self._collides[k] = pair is not None
        self._pairs.append(pair)
        self._count += 1

    def _drop(self, gone: NDArray[np.bool_]) -> int:
        kept = np.flatnonzero(~gone)
        for array in (self._values, self._scaled, self._squares, self._collides):
            array[: len(kept)] = array[kept]
        self._pairs = [self._pairs[k] for k in kept]
        dropped, self._count = self._count - len(kept), len(kept)
        return dropped

    # -- changes of the world ------------------------------------------------------

    def _find_rest(self, robot: Robot) -> Array:
        """Return all that the robot's solids depend on besides a configuration."""
        values: Array = robot.dof_values[self._others]
        parts = [values]
        base = robot.transform
        if self._environment:
            still = self._affine.values_of(np.eye(4), self._axis)
            parts.append(self._affine.applied(base, still, self._axis).ravel())
        parts += _beyond_values(robot)
        for body in held_by(robot):
            link = body.holder.grabs.link_of(body) if body.holder else None
            hand = base if link is None else link.transform
            held: Array = np.linalg.inv(hand) @ body.transform
            parts += [held.ravel(), body.dof_values, *_beyond_values(body)]
        return np.concatenate(parts)

    def _follow(self) -> None:
        """Forget what may no longer be so."""
        robot = self.robot
        world = robot.env.world
        if world.version == self._version and world.relations == self._relations:
            return
        changes = world.changes_since(self._version)
        rest = self._find_rest(robot)
        own = {robot.id, *(body.id for body in held_by(robot))}
        others = {*changes.reshaped, *changes.masked, *changes.moved} - own
        reshaped = own & {
            *changes.reshaped, *changes.masked, *changes.added, *changes.removed
        }  # fmt: skip
        forgets = (
            changes.reset
            or world.relations != self._relations
            or reshaped
            or (self._environment and others)
            or rest.shape != self._rest.shape
            or not np.allclose(rest, self._rest, rtol=0.0, atol=_STILL)
        )
        self._version, self._relations = changes.version, world.relations
        if forgets:
            self._rest = rest
            self.clear()
        elif self._environment and self._count:
            if changes.added:
                self.drop_free()
            removed = set(changes.removed)
            gone = [bool(removed & bodies_of(pair)) for pair in self._pairs]
            self._drop(np.array(gone, np.bool_))


def _beyond_values(body: KinBody) -> list[Array]:
    """Return further numbers on which the poses of a body's links depend."""
    parts, passive = [], body.model.passive_values
    # in loops that are kept closed they follow the others
    if passive.any() and body.model.kept_loops is None:
        parts.append(body.joint_values[passive])
    placed = body.placed_links
    if placed is not None:
        (meant,) = body.compute_link_transforms(body.dof_values[None])
        if not np.abs(placed - meant).max(initial=0.0) <= _STILL:
            parts.append((np.linalg.inv(body.transform) @ placed).ravel())
    return parts


def held_by(robot: KinBody) -> list[KinBody]:
    """Return all that a body holds, directly or not."""
    found: list[KinBody] = []
    waiting = [robot]
    while waiting:
        held = waiting.pop().grabbed
        found += held
        waiting += held
    return found


def bodies_of(pair: CollisionPair | None) -> set[int]:
    """Return the ids of the bodies that collide."""
    return set() if pair is None else {pair.first.body_id, pair.second.body_id}
