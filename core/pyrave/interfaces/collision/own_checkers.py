"""Self collisions of bodies that have a collision checker of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pyrave.errors import NotSupportedError
from pyrave.interfaces.collision.report import CollisionOptions

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.interfaces.collision.report import CollisionReport
    from pyrave.interfaces.collisionchecker import CollisionCheckerBase


_NEEDED = CollisionOptions.DISTANCE | CollisionOptions.USE_TOLERANCE
"""Options without which answers mean something else."""


def own_checker(
    checker: CollisionCheckerBase, subject: KinBody | Link
) -> CollisionCheckerBase | None:
    """Return the checker that answers for a body itself in place of another one.

    None if `checker` answers: the body has no other one, or it was told to by
    `answers_itself`, or it is not that of the environment, which is asked for all.
    """
    body = cast("KinBody", getattr(subject, "body", subject))
    own = body.self_collision_checker
    if own is None or own is checker or checker.answers_itself:
        return None
    return own if checker.env.collision_checker is checker else None


def ask_own(
    own: CollisionCheckerBase,
    checker: CollisionCheckerBase,
    subject: KinBody | Link,
    report: CollisionReport | None = None,
    query: str = "check_self_collision",
) -> bool:
    """Ask a body's own checker, under the options of another one.

    Parameters
    ----------
    own
        The body's.
    checker
        Whose options and allowed touches count besides the own options. Of those that
        the own one cannot do, distances and tolerances are an error.
    query
        Name of the method.
    """
    before = own.get_collision_options()
    _take_options(own, before, checker.get_collision_options())
    try:
        if not own.synchronises_itself:
            own.synchronise()
        with own.allowing(checker.touches):
            return bool(getattr(own, query)(subject, report))
    finally:
        own.set_collision_options(before)


def _take_options(
    own: CollisionCheckerBase, before: CollisionOptions, more: CollisionOptions
) -> None:
    """Set options and more of them, those that cannot be done left out."""
    try:
        own.set_collision_options(before | more)
    except NotSupportedError:
        kept = before
        for one in more:
            try:
                own.set_collision_options(kept | one)
            except NotSupportedError:
                if one & _NEEDED:
                    own.set_collision_options(before)
                    raise
            else:
                kept |= one
        own.set_collision_options(kept)


def refuse_compiled(
    checker: CollisionCheckerBase, body: KinBody, *, self_collision: bool
) -> None:
    """Raise NotSupportedError if another checker answers for the body itself."""
    own = own_checker(checker, body) if self_collision else None
    if own is not None:
        raise NotSupportedError(
            f"{own!r} answers for self collisions of {body!r}, by check_configurations "
            "and not by a compiled function of another checker; "
            "body.self_collision_checker = None has it answered here"
        )
