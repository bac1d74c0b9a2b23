"""Pairs of links of different bodies whose collisions an environment ignores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.views.link import Link
from pyrave.environment.failures import problem_at
from pyrave.errors import ArgumentError, NotFoundError, shown
from pyrave.scene import IgnoredPair
from pyrave.scene.checks import validated

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.errors import Problem
    from pyrave.scene import SceneDescription

_ALL = -1
_Side = tuple[KinBody, int]
_Pair = frozenset[_Side]


class IgnoredPairs:
    """The pairs of one environment; a side is a body and a link, -1 for all links."""

    def __init__(self) -> None:
        self._pairs: dict[_Pair, None] = {}

    def describe(self) -> tuple[IgnoredPair, ...]:
        """Return all, sorted, by the present names of the bodies."""
        return tuple(sorted(_described(pair) for pair in self._pairs))

    def set(self, first: KinBody | Link, second: KinBody | Link, ignored: bool) -> None:
        """Ignore collisions of two bodies or links of the environment, or no more.

        What is said of a body goes for all of its links, whatever was said of them.
        """
        one, other = _side(first), _side(second)
        _check_different(one, other)
        if not ignored:
            found = self._pairs.pop(frozenset((one, other)), self)
            inside = [pair for pair in self._pairs if _within(pair, one, other)]
            if found is self and not inside and self._covers(one, other):
                raise ArgumentError(
                    f"collisions of {one[0].name!r} and {other[0].name!r} are ignored "
                    "as a whole; name the bodies, or the links that stay ignored"
                )
            for pair in inside:
                del self._pairs[pair]
        elif not self._covers(one, other):
            for pair in [pair for pair in self._pairs if _within(pair, one, other)]:
                del self._pairs[pair]
            self._pairs[frozenset((one, other))] = None
        _tell((one[0], other[0]))

    def replace_all(
        self, pairs: Iterable[IgnoredPair], bodies: Mapping[str, KinBody]
    ) -> None:
        """Ignore these pairs, and no others.

        Raises
        ------
        ArgumentError, NotFoundError
            A pair is of one body, or there is no such body or link; nothing changes.
        """
        try:
            given = tuple(pairs)
        except TypeError as error:
            raise ArgumentError(
                f"ignored_pairs are {shown(pairs)}, expected IgnoredPair objects"
            ) from error
        checked = (validated(IgnoredPair, one) for one in given)
        made = dict.fromkeys(_resolved(one, bodies) for one in checked)
        before, self._pairs = self._pairs, made
        _tell(body for pair in (*before, *made) for body, _ in pair)

    def add(self, pair: IgnoredPair, bodies: Mapping[str, KinBody]) -> None:
        """Ignore one more pair; raises as `replace_all`."""
        found = _resolved(pair, bodies)
        self._pairs[found] = None
        _tell(body for body, _ in found)

    def body_removed(self, body: KinBody) -> None:
        """Forget the pairs of a body that left."""
        self._pairs = {
            pair: None
            for pair in self._pairs
            if not any(one is body for one, _ in pair)
        }

    def clear(self) -> None:
        """Forget all."""
        self._pairs.clear()

    def _covers(self, one: _Side, other: _Side) -> bool:
        """Return True if a pair is among those that are ignored."""
        return any(
            frozenset((a, b)) in self._pairs
            for a in (one, (one[0], _ALL))
            for b in (other, (other[0], _ALL))
        )


def restore_ignored_pairs(
    env: Environment, scene: SceneDescription, bodies: Mapping[str, KinBody]
) -> list[Problem]:
    """Ignore the pairs of a scene; return a warning for each that cannot be.

    Parameters
    ----------
    bodies
        The bodies of the scene by its names for them.
    """
    problems: list[Problem] = []
    for pair in scene.ignored_pairs:
        try:
            env.internals.ignored.add(pair, bodies)
        except (ArgumentError, NotFoundError) as error:
            message = f"collisions of {_shown(pair)} are not ignored: {error}"
            problems.append(problem_at(scene.location, message, code="ignored-pair"))
    return problems


def _side(subject: KinBody | Link) -> _Side:
    if isinstance(subject, Link):
        return subject.body, subject.index
    if isinstance(subject, KinBody):
        return subject, _ALL
    raise ArgumentError(f"expected a body or a link, found {shown(subject)}")


def _check_different(one: _Side, other: _Side) -> None:
    if one[0] is other[0]:
        raise ArgumentError(
            f"both are of {one[0].name!r}, whose links are compared with each other "
            "unless body.structure.declare_adjacent says otherwise"
        )


def _within(pair: _Pair, one: _Side, other: _Side) -> bool:
    """Return True if a pair is one of those that two sides mean."""
    links = dict(pair)
    return all(
        body in links and (link in {_ALL, links[body]}) for body, link in (one, other)
    )


def _resolved(pair: IgnoredPair, bodies: Mapping[str, KinBody]) -> _Pair:
    sides = []
    for name, link in (
        (pair.first, pair.first_link),
        (pair.second, pair.second_link),
    ):
        if name not in bodies:
            raise NotFoundError("body", name, bodies)
        body = bodies[name]
        sides.append((body, body.model.link_number(link) if link else _ALL))
    _check_different(*sides)
    return frozenset(sides)


def _described(pair: _Pair) -> IgnoredPair:
    sides = sorted(
        (body.name, "" if link == _ALL else body.model.link_names[link])
        for body, link in pair
    )
    (first, first_link), (second, second_link) = sides
    return IgnoredPair(first, second, first_link, second_link)


def _shown(pair: IgnoredPair) -> str:
    sides = ((pair.first, pair.first_link), (pair.second, pair.second_link))
    return " and ".join(
        repr(f"{body}/{link}" if link else body) for body, link in sides
    )


def _tell(bodies: Iterable[KinBody]) -> None:
    """Let checkers look again what queries mean."""
    for body in dict.fromkeys(bodies):
        if body.pending is not None:
            body.pending.relations += 1
