"""The pairs of links that the arguments of a collision query mean."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.robot import Robot
from pyrave.bodies.views.link import Link
from pyrave.collision.engine_queries import FIRST, SECOND, PairSelection
from pyrave.errors import ArgumentError, shown
from pyrave.interfaces.named_bodies import named_subject, named_subjects

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.collision.ignored_links import IgnoredLinks
    from pyrave.environment import Environment
    from pyrave.spatial import Indices
    from pyrave.world import PackedWorld

    Subject = KinBody | Link
    Sides = NDArray[np.uint8]


class Selector:
    """Makes selections of the links of one environment.

    Parameters
    ----------
    ignored
        Pairs of links that do not count.
    active_only
        Whether only links count that the active degrees of freedom of the first body
        move, if it is a robot, and only its own pairs that they move to each other.
    """

    def __init__(
        self,
        env: Environment,
        world: PackedWorld,
        ignored: IgnoredLinks,
        *,
        active_only: bool,
    ) -> None:
        self._env = env
        self._world = world
        self._ignored = ignored
        self._active_only = active_only

    def between(
        self,
        first: Subject,
        second: Subject | None,
        excluded_bodies: Iterable[KinBody],
        excluded_links: Iterable[Link],
    ) -> PairSelection:
        """Return the selection for a query about one or two bodies and links."""
        first = named_subject(self._env, first)
        second = named_subject(self._env, second)
        body = self._known(first, "first")
        sides = np.zeros(len(self._world.tables.links.id), np.uint8)
        if second is None:
            sides[:] = SECOND
            for other in body.attached:
                self._mark(sides, other, 0)
        else:
            target = self._known(second, "second")
            both = isinstance(first, KinBody) and isinstance(second, KinBody)
            if both and body.is_attached(target):
                return PairSelection(sides)  # one moves with the other
            self._add(sides, second, SECOND)
        self._add(sides, first, FIRST)
        if self._active_only:
            self._keep_moving(sides, body)
        return self._finished(sides, excluded_bodies, excluded_links)

    def against(
        self,
        targets: Iterable[Subject] | None,
        spared: Iterable[KinBody] = (),
        excluded_bodies: Iterable[KinBody] = (),
        excluded_links: Iterable[Link] = (),
    ) -> PairSelection:
        """Return the targets of a probe, or everything but spared bodies."""
        start = SECOND if targets is None else 0
        sides = np.full(len(self._world.tables.links.id), start, np.uint8)
        for named in () if targets is None else targets:
            target = named_subject(self._env, named)
            self._known(target, "target")
            self._add(sides, target, SECOND)
        for body in spared:
            self._mark(sides, body, 0)
        return self._finished(sides, excluded_bodies, excluded_links)

    def within(self, subject: Subject, *, held: bool) -> PairSelection:
        """Return the selection for a query about self collision.

        Parameters
        ----------
        held
            Whether what the body holds takes part.
        """
        subject = named_subject(self._env, subject)
        body = self._known(subject, "subject")
        dofs = None
        if self._active_only and isinstance(body, Robot) and not body.active.affine:
            dofs = body.active_dof_indices
        chosen = body.structure.select_non_adjacent_links(dof_indices=dofs)
        pairs = chosen + self._world.links_of(body.id).start
        if held:
            known = [
                (one, other)
                for one, other in body.grabs.link_pairs
                if self._is_known(one.body) and self._is_known(other.body)
            ]
            if dofs is not None:
                known = _moving_apart(body, known, dofs)
            grabbed = [(self.row(one), self.row(other)) for one, other in known]
            pairs = np.concatenate((pairs, np.reshape(grabbed, (-1, 2)).astype(int)))
        if isinstance(subject, Link):
            pairs = pairs[(pairs == self.row(subject)).any(axis=1)]
        enabled = self._world.tables.links.enabled
        pairs = self._ignored.without(pairs[enabled[pairs].all(axis=1)])
        return PairSelection(pairs=np.ascontiguousarray(pairs, np.int32))

    def body_of(self, link: Link) -> KinBody:
        """Return the body of a link; ArgumentError for anything else."""
        link = named_subject(self._env, link)
        if not isinstance(link, Link):
            raise ArgumentError(f"link is {shown(link)}, expected a link of a body")
        return self._known(link, "link")

    def row(self, link: Link) -> int:
        """Return the row of a link."""
        first: int = self._world.links_of(link.body.id).start
        return first + link.index

    def _is_known(self, body: KinBody) -> bool:
        return body.env is self._env and body.id in self._world

    def _known(self, subject: Subject, name: str) -> KinBody:
        """Return the body of a subject."""
        if isinstance(subject, Link):
            body = subject.body
        elif isinstance(subject, KinBody):
            body = subject
        else:
            raise ArgumentError(
                f"{name} is {shown(subject)}, expected a body or link, or its name"
            )
        if body.env is not self._env:
            raise ArgumentError(
                f"{subject!r} is in another environment than the collision checker"
            )
        if not self._is_known(body):
            raise ArgumentError(
                f"{body!r} is not in the environment; env.add(body) adds it"
            )
        return body

    def _mark(self, sides: Sides, body: KinBody, bits: int) -> None:
        if self._is_known(body):
            sides[self._world.links_of(body.id)] = bits

    def _add(self, sides: Sides, subject: Subject, bit: int) -> None:
        if isinstance(subject, Link):
            sides[self.row(subject)] |= bit
            return
        for body in with_held(subject):
            if self._is_known(body):
                sides[self._world.links_of(body.id)] |= bit

    def _keep_moving(self, sides: Sides, body: KinBody) -> None:
        """Take the first bit from links that stay where they are."""
        if not isinstance(body, Robot) or body.active.affine:
            return
        affects = body.model.dof_affects[body.active_dof_indices]
        moving = np.any(affects, axis=0)
        rows = self._world.links_of(body.id)
        sides[rows][~moving] &= ~np.uint8(FIRST)
        for held in body.grabbed:
            link = body.grabs.link_of(held)
            if link is not None and not moving[link.index]:
                for one in with_held(held):
                    if self._is_known(one):
                        sides[self._world.links_of(one.id)] &= ~np.uint8(FIRST)

    def _finished(
        self,
        sides: Sides,
        excluded_bodies: Iterable[KinBody],
        excluded_links: Iterable[Link],
    ) -> PairSelection:
        for body in named_subjects(self._env, excluded_bodies):
            if not isinstance(body, KinBody):
                raise ArgumentError(
                    f"excluded_bodies holds {shown(body)}, expected bodies"
                )
            self._mark(sides, body, 0)
        for link in named_subjects(self._env, excluded_links):
            if not isinstance(link, Link):
                raise ArgumentError(
                    f"excluded_links holds {shown(link)}, expected links"
                )
            if self._is_known(link.body):
                sides[self.row(link)] = 0
        sides[self._world.tables.links.enabled == 0] = 0
        return self._ignored.selection(sides)


def _moving_apart(
    body: KinBody, pairs: list[tuple[Link, Link]], dofs: Indices
) -> list[tuple[Link, Link]]:
    """Return pairs of links, its own or of what it holds, that move to each other."""
    carriers = [
        [
            link.index if link.body is body else carrier_of(body, link.body)
            for link in pair
        ]
        for pair in pairs
    ]
    moving = body.model.moves_apart(np.reshape(carriers, (-1, 2)).astype(int), dofs)
    return [pair for pair, moves in zip(pairs, moving, strict=True) if moves]


def carrier_of(body: KinBody, held: KinBody) -> int:
    """Return the link of a body that carries what it holds, directly or not; or -1."""
    while held.holder is not None and held.holder is not body:
        held = held.holder
    link = body.grabs.link_of(held)
    return -1 if link is None else link.index


def with_held(body: KinBody) -> list[KinBody]:
    """Return a body and all that it holds, directly or not."""
    found = [body]
    for one in found:
        found += one.grabbed  # bodies have one holder, and can't hold each other
    return found
