"""Filtering of a checker's collisions by callbacks and filters of bodies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from pyrave.errors import NotSupportedError, PluginError, shown
from pyrave.interfaces.base import author_code
from pyrave.interfaces.collision.batches import ConfigurationChecks
from pyrave.interfaces.collision.own_checkers import (
    ask_own,
    own_checker,
    refuse_compiled,
)
from pyrave.interfaces.collision.report import (
    CollisionAction,
    CollisionOptions,
    CollisionPair,
    CollisionReport,
    CollisionSide,
)
from pyrave.interfaces.named_bodies import named_body, named_subject, named_subjects

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.environment import Environment
    from pyrave.interfaces.collisionchecker import CollisionCheckerBase
    from pyrave.spatial import Array

Query = Callable[..., bool]
_BOOLEAN = frozenset({"check_collision", "check_self_collision"})


def is_filtered(one: CollisionSide, other: CollisionSide) -> bool:
    """Return True if the filter of either body says that a pair does not count."""
    for own, its in ((one, other), (other, one)):
        counts = None if own.body is None else own.body.collision_filter
        if counts is not None and not counts(own, its):
            return True
    return False


def is_ignored(
    env: Environment, pair: CollisionPair, options: CollisionOptions
) -> bool:
    """Return True if a filter of a body or a callback of the environment wants that.

    Each callback gets a report of the pair alone, unless options leave them unasked.
    """
    if is_filtered(pair.first, pair.second):
        return True
    if CollisionOptions.IGNORE_CALLBACKS in options or not len(env.collision_callbacks):
        return False
    report = CollisionReport([pair], options)
    answers = env.collision_callbacks(report, env.report_problem)
    return CollisionAction.IGNORE in answers


def let_ask(kind: type[CollisionCheckerBase]) -> None:
    """Have the queries that a class of checkers defines leave out ignored pairs.

    What stops at the first pair, and that one is ignored, is asked again without it.
    """
    # one more call costs pyrave's own checkers a third of an answer
    own = re.match(r"pyrave(_\w+)?\.", f"{kind.__module__}.")
    if kind.asks_callbacks:
        query = kind.__dict__.get("check_self_collision")
        if callable(query) and not own:
            kind.check_self_collision = _handing_over(query)  # type: ignore[method-assign]
        return
    for name, wrap in _WRAPPERS.items():
        query = kind.__dict__.get(name)
        if callable(query) and not getattr(query, "__isabstractmethod__", False):
            setattr(kind, name, wrap(query if own else _named(query, name)))


def _named(query: Query, name: str) -> Query:
    """Return a query of an author's class of which all that fails names the class."""

    @wraps(query)
    def ask(self: CollisionCheckerBase, *args: Any, **options: Any) -> Any:
        with author_code(self, name):
            answer = query(self, *args, **options)
        if name in _BOOLEAN and not isinstance(answer, (bool, np.bool_)):
            origin = f" of plugin {self.plugin!r}" if self.plugin else ""
            raise PluginError(
                f"{name}() of {self!r}{origin} returned {shown(answer)}, expected True "
                "or False"
            )
        return answer

    return ask


def _must_ask(checker: CollisionCheckerBase) -> bool:
    if checker.asks_callbacks or checker.is_asking:
        return False
    if checker.touches:
        return True
    env = checker.env
    options = checker.get_collision_options()
    if not isinstance(options, CollisionOptions):
        raise PluginError(
            f"get_collision_options() of {checker!r} returned {shown(options)}, "
            "expected CollisionOptions"
        )
    unasked = CollisionOptions.IGNORE_CALLBACKS in options
    if len(env.collision_callbacks) and not unasked:
        return True
    return any(body.collision_filter is not None for body in env.bodies)


class _Answers:
    """Findings of a checker's query that asks no callbacks, and what of them counts."""

    def __init__(self, checker: CollisionCheckerBase) -> None:
        self._checker = checker
        self._options = checker.get_collision_options()
        self._report = CollisionReport(options=self._options)
        self._touching: set[Link] = set()
        self.hit = False

    def __enter__(self) -> Self:
        self._checker.is_asking = True
        return self

    def __exit__(self, *_: object) -> None:
        self._checker.is_asking = False

    def ask(self, query: Query, *links: Link) -> bool:
        """Return True if a query finds a pair that counts.

        Parameters
        ----------
        links
            What it compares, for checkers that report no pairs.
        """
        self._report = report = CollisionReport(options=self._options)
        self.hit = bool(query(report=report))
        if not self.hit:
            return False
        pairs = report.pairs
        if not pairs:
            pairs = [
                CollisionPair(
                    *(map(CollisionSide.of_link, links) if links else [CollisionSide()])
                )
            ]
        env, options, is_touch = (
            self._checker.env, self._options, self._checker.is_touch,
        )  # fmt: skip
        report.pairs = [
            one for one in pairs if not (is_touch(one) or is_ignored(env, one, options))
        ]
        sides = (side for one in pairs for side in (one.first, one.second))
        self._touching = {side.link for side in sides if side.link is not None}
        return bool(report.pairs)

    def ask_about(self, link: Link, query: Query, excluded: Iterable[Link]) -> bool:
        """Return True if a link has a pair that counts behind those that are ignored.

        Parameters
        ----------
        query
            Takes `excluded_links`.
        """
        left_out = list(excluded)
        while not self.ask(partial(query, excluded_links=tuple(left_out)), link):
            new = self._touching - {link, *left_out} if self.hit else set()
            if not new:
                return False
            left_out += new
        return True

    def give(self, report: CollisionReport | None) -> bool:
        """Add what counts in the last answer to the caller's report; return if any."""
        found = self._report
        if report is not None:
            report.reset()
            report.options = found.options
            report.pairs += found.pairs
            report.n_tested += found.n_tested
            report.n_within_tolerance += min(found.n_within_tolerance, len(found.pairs))
            if found.min_distance < report.min_distance:
                report.min_distance, report.nearest = found.min_distance, found.nearest
                report.nearest_points = found.nearest_points
        return bool(found.pairs)


def _collision(query: Query) -> Query:
    @wraps(query)
    def check_collision(
        self: CollisionCheckerBase,
        first: KinBody | Link,
        second: KinBody | Link | None = None,
        *,
        excluded_bodies: Iterable[KinBody] = (),
        excluded_links: Iterable[Link] = (),
        report: CollisionReport | None = None,
    ) -> bool:
        first, second = named_subject(self.env, first), named_subject(self.env, second)
        bodies = named_subjects(self.env, excluded_bodies)
        links = named_subjects(self.env, excluded_links)
        if not _must_ask(self):
            return query(
                self, first, second, excluded_bodies=bodies, excluded_links=links,
                report=report,
            )  # fmt: skip
        with _Answers(self) as answers:
            ends = (one for one in (first, second) if one is not None)
            known = [cast("Link", one) for one in ends if one is not _body_of(one)]
            whole = partial(
                query, self, first, second, excluded_bodies=bodies, excluded_links=links
            )
            if not answers.ask(whole, *known) and answers.hit:
                for link, others in _subjects(first):
                    one = partial(
                        query, self, link, second, excluded_bodies=(*bodies, *others)
                    )
                    if answers.ask_about(link, one, links):
                        break
            return answers.give(report)

    return check_collision


def _self_collision(query: Query) -> Query:
    @wraps(query)
    def check_self_collision(
        self: CollisionCheckerBase,
        subject: KinBody | Link,
        report: CollisionReport | None = None,
    ) -> bool:
        subject = named_subject(self.env, subject)
        other = own_checker(self, subject)
        if other is not None:
            return ask_own(other, self, subject, report)
        if not _must_ask(self):
            return query(self, subject, report)
        with _Answers(self) as answers:
            if not answers.ask(partial(query, self, subject)) and answers.hit:
                pairs = (
                    answers.ask(partial(self.check_collision, *pair), *pair)
                    for pair in _own_pairs(subject)
                )
                # some checkers do not compare two links of one body
                links = (
                    answers.ask(partial(query, self, link), link)
                    for link in _body_of(subject).links
                )
                any(pairs) or any(links)
            return answers.give(report)

    return check_self_collision


def _handing_over(query: Query) -> Query:
    @wraps(query)
    def check_self_collision(
        self: CollisionCheckerBase,
        subject: KinBody | Link,
        report: CollisionReport | None = None,
    ) -> bool:
        other = own_checker(self, named_subject(self.env, subject))
        if other is not None:
            return ask_own(other, self, subject, report)
        return query(self, subject, report)

    return check_self_collision


def _rows(query: Query) -> Query:
    @wraps(query)
    def configuration_hits(
        self: CollisionCheckerBase, body: KinBody, rows: Array, **choice: bool
    ) -> Any:
        other = own_checker(self, body) if choice["self_collision"] else None
        if other is None and not _must_ask(self):
            return query(self, body, rows, **choice)
        return ConfigurationChecks(self, body, **choice).hits(rows)

    return configuration_hits


def _compiled(query: Query) -> Query:
    @wraps(query)
    def compiled(self: CollisionCheckerBase, body: KinBody, **choice: bool) -> Any:
        body = named_body(self.env, body)
        asks_itself = choice.get("self_collision", True)
        refuse_compiled(self, body, self_collision=asks_itself)
        if _must_ask(self):
            raise NotSupportedError(
                f"{self!r} has no compiled function that asks callbacks and filters"
            )
        return query(self, body, **choice)

    return compiled


_WRAPPERS: Mapping[str, Callable[[Query], Query]] = {
    "check_collision": _collision,
    "check_self_collision": _self_collision,
    "configuration_hits": _rows,
    "compiled": _compiled,
}


def _body_of(subject: KinBody | Link) -> KinBody:
    return cast("KinBody", getattr(subject, "body", subject))


def _subjects(first: KinBody | Link) -> Iterator[tuple[Link, list[KinBody]]]:
    """Yield the links that a query is about, each with bodies that it may touch."""
    body = _body_of(first)
    if first is not body:
        yield cast("Link", first), []
        return
    held = list(body.grabbed)
    for link in body.links:
        yield link, held
    for one in held:
        others = [body, *(other for other in held if other is not one)]
        for link in one.links:
            yield link, others


def _own_pairs(subject: KinBody | Link) -> Iterator[tuple[Link, Link]]:
    """Yield the links that self collision queries of a body or link compare."""
    body = _body_of(subject)
    own = [(body.links[a], body.links[b]) for a, b in body.non_adjacent_links]
    for pair in (*own, *body.grabs.link_pairs):
        if subject is body or subject in pair:
            yield pair
