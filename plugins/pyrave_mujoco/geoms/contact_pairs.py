"""Contacts of a model: geoms, excluded and explicit pairs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.collision import solid_of_row
from pyrave.world import COLLISION
from pyrave_mujoco.geoms.concave import MOST_MOVING, MOST_STATIC
from pyrave_mujoco.geoms.materials import Class
from pyrave_mujoco.geoms.overlaps import apart_at_zero
from pyrave_mujoco.geoms.solids import Shapes

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.spatial import Array
    from pyrave_mujoco.geoms.materials import ContactParameters, Surfaces
    from pyrave_mujoco.settings import Concave

_EYE = np.eye(4).ravel().tolist()
_TURNING = (0.005, 1e-4)
"""Friction against turning and rolling as MuJoCo has it, which `condim` leaves out."""
_OF_PAIR = [0, 0, 1, 2, 2]
_MOVING, _STILL = (1, 3), (2, 1)


def masks(moves: bool, enabled: bool) -> tuple[int, int]:
    """Return `contype` and `conaffinity` of the geoms of a link.

    What stays where it is put touches only what moves; a disabled link nothing.
    """
    if not enabled:
        return 0, 0
    return _MOVING if moves else _STILL


def full_name(body: KinBody, link: int | str) -> str:
    """Return the model's name of a link; names of links alone may repeat."""
    index = link if isinstance(link, int) else body.model.link_number(link)
    return f"{body.name}/{body.model.link_names[index]}#{body.id}.{index}"


def most_parts(body: KinBody, moves: bool) -> int:
    """Return the most parts that may replace a concave mesh of a body's link.

    Each part costs in every step: a bowl may have thousands, an arm of ten links some
    hundred in all.
    """
    return MOST_MOVING // body.model.n_links**2 if moves else MOST_STATIC


class Touching:
    """Writes geoms and pairs of bodies into the specification of a model.

    Parameters
    ----------
    env
        Whose solids.
    spec
        What is written to.
    surfaces
        Friction and restitution.
    step
        Longest step of the engine, seconds.
    reduction
        Share of a penetration that a step undoes.
    concave
        How concave meshes collide.

    Attributes
    ----------
    inexact
        Names of geoms that fill hollows of meshes, or stand out of them.
    """

    def __init__(
        self,
        env: Environment,
        spec: Any,
        surfaces: Surfaces,
        step: float,
        reduction: float,
        concave: Concave,
    ) -> None:
        self._world = env.world
        # read once: each access to a row of an array makes another one
        table, bodies = env.world.tables.geometries, env.world.tables.bodies
        columns = (bodies.first_geometry, bodies.n_geometries, bodies.first_link)
        self._rows: list[list[int]] = np.column_stack(columns).tolist()
        self._links: list[int] = table.link.tolist()
        self._masks: list[int] = (table.mask & COLLISION).tolist()
        self._poses: list[list[float]] = table.T_link_geometry.reshape(-1, 16).tolist()
        self._spec = spec
        self._surfaces = surfaces
        self._response = step, reduction
        self._shapes = Shapes(spec, concave)
        self._concave: Concave = concave
        self.inexact: list[str] = []
        self._moving: dict[KinBody, list[bool]] = {}
        self._geoms: dict[Class, list[tuple[str, Link]]] = {}
        self._references: dict[ContactParameters, tuple[Array, Array, Array]] = {}
        self._belts: dict[str, str] = {}
        self._apart: set[frozenset[str]] = set()

    def add(self, body: KinBody, made: list[Any], moving: list[bool]) -> None:
        """Write the solids of a body.

        Parameters
        ----------
        made
            What has the geoms of its links in the specification.
        moving
            Which of them move.
        """
        world = self._world
        self._moving[body] = moving
        start, count, first = self._rows[world.row_of(body.id)]
        enabled, views = body.links_enabled.tolist(), body.links
        for row in range(start, start + count):
            solid = solid_of_row(world, row) if self._masks[row] else None
            if solid is None:
                continue
            link = self._links[row] - first
            view, is_here = views[link], self._poses[row] == _EYE
            kind = self._surfaces.class_of(view.description)
            surface = self._surfaces.between(kind, kind)
            touch = masks(moving[link], enabled[link])
            pose = None if is_here else np.reshape(self._poses[row], (4, 4))
            most = most_parts(body, moving[link])
            shape = self._shapes.add(made[link], solid, pose, most)
            for k, geom in enumerate(shape.geoms):
                geom.name = f"solid{row}.{k}"
                if not shape.is_exact:
                    self.inexact.append(geom.name)
                geom.contype, geom.conaffinity = touch
                geom.friction = self._write(geom, surface)
                self._geoms.setdefault(kind, []).append((geom.name, view))

    def rename(self, link: str, belt: str) -> None:
        """Take another body of the model for what touches in place of a link."""
        self._belts[link] = belt

    def keep_apart(self, body: KinBody, self_collision: bool) -> None:
        """Leave out contacts no query of self collision has, or that a grab allows.

        Nor do links touch whose hulls or pieces overlap when all joints are at zero.

        Parameters
        ----------
        self_collision
            Whether links of the body touch at all.
        """
        solid, moving = body.model.has_geometry, self._moving[body]
        if len(moving) == 1 and not body.grabbed:
            return
        touch = self._touching(body) if self_collision else set()
        for i, j in combinations(range(len(moving)), 2):
            if (i, j) in touch:
                continue
            if solid[i] and solid[j] and (moving[i] or moving[j]):
                self._exclude(full_name(body, i), full_name(body, j))
        for held, info in zip(body.grabbed, body.grabs.info, strict=True):
            if held not in self._moving:
                continue
            spared = [full_name(body, link) for link in info.ignored_links]
            spared += [full_name(body, link) for link in info.touching_links]
            spared.append(full_name(body, info.link))
            for other in body.grabbed:
                if other.name in info.touching_bodies and other in self._moving:
                    count = other.model.n_links
                    spared += [full_name(other, k) for k in range(count)]
            for k in range(held.model.n_links):
                for one in spared:
                    self._exclude(one, full_name(held, k))

    def ignore(self, env: Environment) -> None:
        """Leave out the contacts that the environment ignores."""
        for pair in env.ignored_pairs:
            ends = ((pair.first, pair.first_link), (pair.second, pair.second_link))
            first, second = (
                [full_name(body, link)]
                if link
                else [full_name(body, k) for k in range(body.model.n_links)]
                for name, link in ends
                for body in (env.bodies[name],)
            )
            for one in first:
                for other in second:
                    self._exclude(one, other)

    def part(self, one: KinBody, link: int, other: KinBody, target: int) -> None:
        """Leave out the contacts of two links."""
        self._exclude(full_name(one, link), full_name(other, target))

    def write_pairs(self) -> bool:
        """Write pairs whose parameters are not those that MuJoCo would mix.

        Returns
        -------
        bool
            Whether there are any. They touch whatever the masks of their geoms are.
        """
        found = False
        for first, second in combinations_with_replacement(self._geoms, 2):
            if self._surfaces.mixed_right(first, second):
                continue
            surface = self._surfaces.between(first, second)
            for one, other in self._pairs_of(first, second):
                pair = self._spec.add_pair()
                pair.geomname1, pair.geomname2 = one, other
                pair.friction = self._write(pair, surface)[_OF_PAIR]
                found = True
        return found

    def _touching(self, body: KinBody) -> set[tuple[int, int]]:
        """Return the pairs of links of a body that touch each other."""
        pairs = body.non_adjacent_links
        if not len(pairs):
            return set()
        most = most_parts(body, moves=True)
        apart = apart_at_zero(self._world, body, pairs, self._concave, most)
        return set(map(tuple, apart.tolist()))

    def _write(self, item: Any, surface: ContactParameters) -> Array:
        """Write a surface to a geom or pair; return its friction (3,)."""
        reference = self._references.get(surface)
        if reference is None:
            one, other = map(np.array, surface.reference(*self._response))
            friction = np.array((surface.friction, *_TURNING))
            reference = self._references[surface] = one, other, friction
        item.condim = 1 if surface.slippery else 3
        item.solref, item.solimp, friction = reference
        return friction

    def _exclude(self, first: str, second: str) -> None:
        pair = frozenset((first, second))
        if pair not in self._apart and len(pair) == 2:
            self._apart.add(pair)
            made = self._spec.add_exclude()
            made.bodyname1 = self._belts.get(first, first)
            made.bodyname2 = self._belts.get(second, second)

    def _pairs_of(self, first: Class, second: Class) -> Iterator[tuple[str, str]]:
        for one, link in self._geoms[first]:
            for other, target in self._geoms[second]:
                ends = {full_name(end.body, end.index) for end in (link, target)}
                if (
                    len(ends) == 2
                    and frozenset(ends) not in self._apart
                    and any(self._moving[end.body][end.index] for end in (link, target))
                    and link.enabled
                    and target.enabled
                ):
                    yield one, other
