"""The physics engine and the collision checker of an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave import interfaces
from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.views.link import Link
from pyrave.errors import ArgumentError
from pyrave.interfaces.base import author_code
from pyrave.interfaces.collision.report import CollisionReport
from pyrave.interfaces.named_bodies import named_subject, named_subjects
from pyrave.scene import DEFAULT_GRAVITY
from pyrave.spatial import Array, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.environment.environment import Environment
    from pyrave.interfaces.collisionchecker import CollisionCheckerBase
    from pyrave.interfaces.named_bodies import Bodies
    from pyrave.interfaces.physicsengine import PhysicsEngineBase


class Engines:
    """At most one engine of each kind; the generic ones are made when first used."""

    def __init__(self) -> None:
        self.physics: PhysicsEngineBase | None = None
        self.checker: CollisionCheckerBase | None = None
        self.given_gravity: Array | None = None

    def require_physics(self, env: Environment) -> PhysicsEngineBase:
        """Return the physics engine, making the generic one if there is none."""
        if self.physics is None:
            engine = env.create("physicsengine", "")
            assert isinstance(engine, interfaces.PhysicsEngineBase)  # noqa: S101 - registry checks
            self.install_physics(engine)
            return engine
        return self.physics

    def require_checker(self, env: Environment) -> CollisionCheckerBase:
        """Return the collision checker, making the default one if there is none."""
        if self.checker is None:
            checker = env.create("collisionchecker", "")
            assert isinstance(checker, interfaces.CollisionCheckerBase)  # noqa: S101
            self.install_checker(checker)
            return checker
        return self.checker

    def install_physics(
        self, engine: PhysicsEngineBase | None
    ) -> PhysicsEngineBase | None:
        """Let an engine take over and return the one before, for the caller to end.

        None goes back to having none. An engine that cannot start changes nothing.
        """
        previous, self.physics = self.physics, engine
        if engine is not None:
            try:
                if self.given_gravity is not None:
                    with author_code(engine, "set_gravity"):
                        engine.set_gravity(self.given_gravity)
                with author_code(engine, "init_environment"):
                    engine.init_environment()
                engine.forget_world()
            except BaseException:
                self.physics = previous
                raise
        return previous

    def install_checker(
        self, checker: CollisionCheckerBase | None
    ) -> CollisionCheckerBase | None:
        """Let a collision checker take over; as `install_physics`."""
        previous, self.checker = self.checker, checker
        if checker is not None:
            try:
                with author_code(checker, "init_environment"):
                    checker.init_environment()
                checker.forget_world()
            except BaseException:
                self.checker = previous
                raise
        return previous

    @property
    def gravity(self) -> Array:
        """World gravity, (3,), m/s2."""
        if self.physics is not None:
            with author_code(self.physics, "get_gravity"):
                return as_vector(self.physics.get_gravity(), 3, "gravity")
        given = self.given_gravity
        return np.array(DEFAULT_GRAVITY) if given is None else given.copy()

    def put_back_gravity(self, given: Array | None, present: Array) -> None:
        """Go back to an earlier gravity.

        Parameters
        ----------
        given
            What was given to the environment, None when nothing was.
        present
            (3,) what the world had then; an engine may have set it by itself.
        """
        self.given_gravity = given
        if self.physics is not None and not np.array_equal(self.gravity, present):
            self.physics.set_gravity(present)

    def set_gravity(self, gravity: ArrayLike) -> None:
        """Set the world's gravity."""
        self.given_gravity = as_vector(gravity, 3, "gravity").copy()
        if self.physics is not None:
            with author_code(self.physics, "set_gravity"):
                self.physics.set_gravity(self.given_gravity)


def check_collision(
    env: Environment,
    first: KinBody | Link | str,
    second: KinBody | Link | str | None,
    excluded_bodies: Bodies,
    excluded_links: Bodies,
    report: CollisionReport | None = None,
) -> bool:
    """Ask the collision checker, which asks the callbacks."""
    one, other = checked_pair(env, first, second)
    bodies: tuple[KinBody, ...] = ()
    links: tuple[Link, ...] = ()
    if excluded_bodies or excluded_links:
        bodies = named_subjects(env, excluded_bodies)
        links = named_subjects(env, excluded_links)
        for body in bodies:
            _require("a member of excluded_bodies", body, KinBody)
            _require_home(env, "a member of excluded_bodies", body, body)
        for link in links:
            _require("a member of excluded_links", link, Link)
            _require_home(env, "a member of excluded_links", link, link.body)
    checker = env.collision_checker
    if not checker.synchronises_itself:
        checker.synchronise()
    return checker.check_collision(
        one,
        other,
        excluded_bodies=bodies,
        excluded_links=links,
        report=report,
    )


def checked_pair(
    env: Environment, first: KinBody | Link | str, second: KinBody | Link | str | None
) -> tuple[KinBody | Link, KinBody | Link | None]:
    """Return the body or link pair of a query; ArgumentError for none."""
    return (
        _subject(env, "first", first),
        None if second is None else _subject(env, "second", second),
    )


def _subject(
    env: Environment, argument: str, given: KinBody | Link | str
) -> KinBody | Link:
    if isinstance(given, (KinBody, Link)):
        return given
    found: KinBody | Link = named_subject(env, given)
    _require(argument, found, KinBody, Link)
    return found


def _require_home(
    env: Environment, argument: str, given: KinBody | Link, body: KinBody
) -> None:
    if body.env is not env:
        raise ArgumentError(f"{argument} is {given!r}, which is in another environment")


def _require(argument: str, given: object, *types: type) -> None:
    if not isinstance(given, types):
        kinds = " or ".join("body" if t is KinBody else "link" for t in types)
        raise ArgumentError(f"{argument} is {given!r}, expected a {kinds}, or its name")
