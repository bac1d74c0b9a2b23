"""Checks of collision checkers."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave.bodies import KinBody
from pyrave.errors import Error, NotSupportedError
from pyrave.interfaces import CollisionCheckerBase, CollisionOptions, CollisionReport
from pyrave.testing.checks import NotApplicable, Violation, check, require
from pyrave.testing.scene import BALL, BOX, failures, kit_arm, kit_body
from pyrave.testing.subject import Subject

_APART = [1.0, 0, 0, 0, 0, 3, 0.5]
_OVERLAP = [1.0, 0, 0, 0, 2.3, 0.2, 0.5]


def _scene(
    subject: Subject, *, overlap: bool
) -> tuple[CollisionCheckerBase, KinBody, KinBody]:
    """Return an installed checker, the box and the ball."""
    checker: CollisionCheckerBase = subject.make()
    subject.env.collision_checker = checker
    box, ball = kit_body(subject.env, BOX), kit_body(subject.env, BALL)
    ball.transform = _OVERLAP if overlap else _APART
    return checker, box, ball


def _real(subject: Subject) -> tuple[CollisionCheckerBase, KinBody, KinBody]:
    """Return the scene with an overlap that the checker finds."""
    checker, box, ball = _scene(subject, overlap=True)
    if not checker.check_collision(box, ball):
        if any(p.code == "no-collision-checker" for p in subject.env.problems):
            raise NotApplicable("it checks no bodies, and says so in env.problems")
        raise Violation(
            "a ball and a box that overlap by half are found free",
            "use link.transform @ geometry.transform of every enabled geometry",
        )
    return checker, box, ball


@check("options", "Options that are set are returned; others: NotSupportedError.")
def options(subject: Subject) -> None:
    checker: CollisionCheckerBase = subject.make()
    start = checker.get_collision_options()
    require(isinstance(start, CollisionOptions), f"the options are {start!r}")
    for wanted in (CollisionOptions.NONE, *CollisionOptions):
        try:
            checker.set_collision_options(wanted)
        except NotSupportedError:
            continue
        seen = checker.get_collision_options()
        require(seen == wanted, f"set {wanted!r}, got {seen!r}")
    checker.set_collision_options(start)


@check("tolerance", "A tolerance is 0 m or more; others raise a pyrave error.")
def tolerance(subject: Subject) -> None:
    checker: CollisionCheckerBase = subject.make()
    checker.set_tolerance(0.0)
    checker.set_tolerance(0.01)
    for bad in (-1.0, float("nan")):
        try:
            checker.set_tolerance(bad)
        except Error:
            continue
        raise Violation(f"set_tolerance({bad}) was accepted", "raise ArgumentError")


@check("apart", "Bodies that are apart do not collide.", "check_collision")
def apart(subject: Subject) -> None:
    checker, box, ball = _scene(subject, overlap=False)
    for pair in ((box, ball), (ball, box), (box, None)):
        answer = checker.check_collision(*pair)
        require(
            answer is False,
            f"check_collision{pair} returned {answer!r} although all are apart",
        )


@check(
    "overlap",
    "Bodies that overlap collide, in both orders, against each other and against all.",
    "check_collision",
)
def overlap(subject: Subject) -> None:
    checker, box, ball = _real(subject)
    for pair in ((box, ball), (ball, box), (box, None), (ball.links[0], box.links[0])):
        answer = checker.check_collision(*pair)
        require(answer is True, f"check_collision{pair} returned {answer!r}")


@check(
    "moves-along", "A body that moved is checked where it is now.", "check_collision"
)
def moves_along(subject: Subject) -> None:
    checker, box, ball = _real(subject)
    ball.transform = _APART
    require(
        checker.check_collision(box, ball) is False,
        "after the ball moved away it is still found in the box",
        "compare body.pose_stamp with the one you built from",
    )
    ball.transform = _OVERLAP
    require(checker.check_collision(box, ball) is True, "it is not found back in")


@check("disabled", "Disabled links never collide.", "check_collision")
def disabled(subject: Subject) -> None:
    checker, box, ball = _real(subject)
    ball.enabled = False
    require(
        checker.check_collision(box, ball) is False
        and checker.check_collision(box) is False,
        "a disabled body collides",
        "compare body.versions.enabled, and leave out links whose enabled is False",
    )
    ball.enabled = True
    require(checker.check_collision(box, ball) is True, "enabling again has no effect")


@check("excluded", "Excluded bodies and links are left out.", "check_collision")
def excluded(subject: Subject) -> None:
    checker, box, ball = _real(subject)
    require(
        checker.check_collision(box, excluded_bodies=[ball]) is False,
        "a body in excluded_bodies collides",
    )
    require(
        checker.check_collision(box, excluded_links=[ball.links[0]]) is False,
        "a link in excluded_links collides",
    )


@check(
    "report",
    "The report names both bodies and links; contacts are unit normals and finite.",
    "check_collision",
)
def report(subject: Subject) -> None:
    checker, box, ball = _real(subject)
    found = CollisionReport()
    checker.check_collision(box, ball, report=found)
    require(found.pairs, "the report has no pair although there is a collision")
    pair = found.pairs[0]
    require(
        {pair.first_body, pair.second_body} == {box.name, ball.name},
        f"the report names {pair.first_body!r} and {pair.second_body!r}",
    )
    require(
        pair.first_link in {link.name for link in box.links}
        or pair.first_link in {link.name for link in ball.links},
        f"the report names the link {pair.first_link!r}",
    )
    for contact in pair.contacts:
        normal = np.asarray(contact.normal)
        require(
            abs(float(normal @ normal) - 1.0) < 1e-6
            and np.isfinite(contact.position).all(),
            f"a contact is {contact}",
        )
    ball.transform = _APART
    checker.check_collision(box, ball, report=found)
    require(
        not found.pairs,
        "the pairs of the last query are still in the report",
        "call report.reset() first; it knows keep_previous",
    )


@check("grabbed", "A held body moves with its holder and does not collide with it.")
def grabbed(subject: Subject) -> None:
    checker, box, ball = _real(subject)
    box.grab(ball)
    require(
        checker.check_collision(box) is False,
        "a body collides with what it holds",
        "leave out pairs with body.is_grabbing(other)",
    )
    box.transform = [1.0, 0, 0, 0, -2, 0, 0.5]
    arm = kit_arm(subject.env)
    arm.transform = ball.transform
    require(
        checker.check_collision(box) is True,
        "a held body that hits a third one is not found by a query on its holder",
        "check the bodies in body.grabbed with the body",
    )


@check("ray", "Rays hit what is within their length, and report it.", "check_ray")
def ray(subject: Subject) -> None:
    checker, box, ball = _scene(subject, overlap=False)
    origin = np.array((2.0, 0.0, 5.0))
    cases: list[tuple[Any, Any, bool]] = [
        ((0, 0, -10.0), None, True),
        ((0, 0, -10.0), box, True),
        ((0, 0, -10.0), ball, False),
        ((0, 0, -3.9), None, False),
        ((0, 0, -4.1), None, True),
        ((0, 0, 10.0), None, False),
    ]
    for direction, target, wanted in cases:
        answer = checker.check_ray(origin, direction, target)
        require(
            answer is wanted,
            f"a ray from {origin.tolist()} along {direction} against "
            f"{target or 'everything'} returned {answer!r}, expected {wanted} "
            "(the box's top is at z = 1)",
            "the length of the direction is the range",
        )
    found = CollisionReport()
    checker.check_ray(origin, (0, 0, -10.0), None, found)
    require(found.pairs, "the report of a hit has no pair")
    pair = found.pairs[0]
    require(
        box.name in {pair.first_body, pair.second_body},
        f"the report names {pair.first_body!r} and {pair.second_body!r}",
    )
    for contact in pair.contacts:
        require(
            np.allclose(contact.position, (2.0, 0.0, 1.0), atol=1e-4),
            f"the hit is reported at {np.asarray(contact.position).tolist()}",
        )
    box.enabled = False
    require(
        checker.check_ray(origin, (0, 0, -10.0)) is False, "a ray hits a disabled body"
    )


@check(
    "self-collision",
    "Adjacent links never collide; a robot at rest does not collide with itself.",
    "check_self_collision",
)
def self_collision(subject: Subject) -> None:
    checker, _, _ = _scene(subject, overlap=False)
    robot = kit_arm(subject.env)
    answer = checker.check_self_collision(robot)
    require(
        answer is False,
        f"check_self_collision of a stretched arm returned {answer!r}",
        "check only body.non_adjacent_links",
    )


@check(
    "bodies-come-and-go",
    "Bodies may be added and removed while the checker is installed.",
    "init_kinbody",
)
def bodies_come_and_go(subject: Subject) -> None:
    checker, box, ball = _scene(subject, overlap=False)
    env = subject.env
    env.remove(ball)
    checker.check_collision(box)
    env.add(ball)
    checker.check_collision(box)
    failed = failures(env)
    require(not failed, "; ".join(map(str, failed)))
    checker.destroy_environment()
    checker.destroy_environment()
    checker.init_environment()
    checker.check_collision(box, ball)
