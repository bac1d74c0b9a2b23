"""Pairs of links that may touch because they do at a motion's begin or end."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyrave.errors import NotSupportedError
from pyrave.interfaces.collision.report import CollisionOptions, CollisionReport
from pyrave.spatial import as_number

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link

TOUCHING = 1e-3
"""Metres: pairs that are no deeper where a motion begins may part."""
SLACK = 1e-5
"""Metres that a pair may be deeper than it was: rounding of depths."""


@dataclass(frozen=True, slots=True, eq=False)
class Touches:
    """Pairs of links that do not collide while they are no deeper than so far.

    Things that stand on others touch them, and are free to leave. Pairs that are not
    listed collide as soon as they touch. `CollisionCheckerBase.allowing` takes it.

    Parameters
    ----------
    depths
        Metres, by pairs of links; 0 for such that just touch.
    """

    depths: Mapping[frozenset[Link], float] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.depths)

    def __iter__(self) -> Iterator[tuple[Link, Link, float]]:
        for pair, depth in self.depths.items():
            first, second = sorted(pair, key=lambda link: link.id)
            yield first, second, depth

    def limit(self, first: Link, second: Link) -> float:
        """Return the permitted depth of two links, metres; -inf: they may not touch."""
        depth = self.depths.get(frozenset((first, second)))
        return -math.inf if depth is None else depth + SLACK

    def joined(self, other: Touches) -> Touches:
        """Return the pairs of both, each as deep as either lets it be."""
        if not self or not other:
            return self or other
        depths = dict(self.depths)
        for pair, depth in other.depths.items():
            depths[pair] = max(depth, depths.get(pair, depth))
        return Touches(depths)

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[Link, Link, float]]) -> Touches:
        """Return pairs with their depths, the deepest where one comes twice."""
        depths: dict[frozenset[Link], float] = {}
        for first, second, depth in pairs:
            pair = frozenset((first, second))
            depths[pair] = max(depth, depths.get(pair, 0.0))
        return cls(depths)


NO_TOUCHES = Touches()
"""Whatever touches collides."""


def as_touching(touching: float | None) -> float | None:
    """Return permitted depths of pairs that part, metres; None: nothing may touch."""
    return None if touching is None else as_number(touching, "touching", 0.0)


def touches_of(
    body: KinBody, most: float, *, held: bool = False, itself: bool = True
) -> Touches:
    """Return the pairs of links that touch where a body is, no deeper than given.

    Pairs that the checker lets touch already are left out, and so are those that are
    deeper, or of which nothing says how deep they are: they still collide.

    Parameters
    ----------
    most
        Metres.
    held
        Only what the body holds against what it does not: it may be put there.
    itself
        Whether links of the body and what it holds count against each other.
    """
    checker = body.env.collision_checker
    own = {one.id for one in body.attached}
    found = _lying(body) if len(own) > 1 else Touches()
    seen: set[frozenset[Link]] = set()
    options = checker.get_collision_options() | CollisionOptions.ALL_LINK_COLLISIONS
    with ExitStack() as stack:
        with suppress(NotSupportedError):  # then pairs are told one after the other
            stack.enter_context(checker.options(options))
        while True:
            with checker.allowing(found):
                pairs = _pairs(body, itself=itself)
            new = []
            for pair in pairs - seen:
                first, second = pair
                seen.add(pair)
                if held and not _is_placed(first, second, body, own):
                    continue
                depth = checker.depth(first, second)
                if 0.0 <= depth <= most:
                    new.append((first, second, depth))
            if not new:
                return found
            found = found.joined(Touches.from_pairs(new))


def touches_of_ends(
    body: KinBody,
    most: float,
    place: Callable[[Any], object],
    first: Any,
    last: Iterable[Any],
    *,
    itself: bool = True,
) -> Touches:
    """Return pairs that touch at the start of motions, or as a body is put down.

    Parameters
    ----------
    place
        Takes the body to a place of the motion; it stays at one of them.
    first, last
        Where it starts, and where it may end.
    itself
        As for `touches_of`.
    """
    checker = body.env.collision_checker
    place(first)
    checker.synchronise()
    found = touches_of(body, most, itself=itself)
    if len(body.attached) > 1:
        for row in last:
            place(row)
            checker.synchronise()
            with checker.allowing(found):
                found = found.joined(touches_of(body, most, held=True, itself=False))
    return found


def touches_of_held(body: KinBody, most: float) -> Touches:
    """Return all pairs of what a body holds and what it does not, each as deep."""
    own = {one.id for one in body.attached}
    held = [link for one in body.attached if one is not body for link in one.links]
    others = [
        link for one in body.env.bodies if one.id not in own for link in one.links
    ]
    return Touches.from_pairs((one, other, most) for one in held for other in others)


def _lying(body: KinBody) -> Touches:
    """Return pairs of what a body holds and what that lies on, apart by rounding.

    Whether these touch differs from one computation of poses to the next.
    """
    checker = body.env.collision_checker
    own = [link for one in body.attached for link in one.links]
    held = [link for link in own if link.body is not body]
    options = checker.get_collision_options() | CollisionOptions.DISTANCE
    pairs = []
    with suppress(NotSupportedError), checker.options(options):
        for link in held:
            excluded = [one for one in own if one != link]
            while True:
                report = CollisionReport()
                checker.check_collision(link, excluded_links=excluded, report=report)
                if report.nearest is None or not abs(report.distance) <= SLACK:
                    break
                sides = [one.link for one in report.nearest]
                others = [one for one in sides if one is not None and one not in own]
                if not others:
                    break
                pairs.append((link, others[0], 0.0))
                excluded += others
    return Touches.from_pairs(pairs)


def _is_placed(first: Link, second: Link, body: KinBody, own: set[int]) -> bool:
    """Return True if a pair is of something held and something that is not."""
    return any(
        one.body.id in own and one.body is not body and other.body.id not in own
        for one, other in ((first, second), (second, first))
    )


def _pairs(body: KinBody, *, itself: bool) -> set[frozenset[Link]]:
    checker, report = body.env.collision_checker, CollisionReport()
    checker.check_collision(body, report=report)
    if itself:
        report.keep_previous = True
        checker.check_self_collision(body, report)
    found = set()
    for pair in report.pairs:
        first, second = pair.first.link, pair.second.link
        if first is not None and second is not None:
            found.add(frozenset((first, second)))
    return found
