"""The physics engine and the collision checker of an environment."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pyrave import interfaces
from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.views.link import Link
from pyrave.environment.failures import attempted, guarded
from pyrave.errors import ArgumentError
from pyrave.interfaces.base import author_code
from pyrave.interfaces.collision.report import CollisionReport
from pyrave.interfaces.named_bodies import named_subject, named_subjects
from pyrave.scene import DEFAULT_GRAVITY
from pyrave.spatial import Array, as_vector

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from pyrave.environment.environment import Environment
    from pyrave.interfaces.collisionchecker import CollisionCheckerBase
    from pyrave.interfaces.named_bodies import Bodies
    from pyrave.interfaces.physicsengine import PhysicsEngineBase


Vector = tuple[float, float, float]
_TELLS_NONE = "is described with the gravity that was last set"


class Engines:
    """At most one engine of each kind; the generic ones are made when first used."""

    def __init__(self) -> None:
        self.physics: PhysicsEngineBase | None = None
        self.checker: CollisionCheckerBase | None = None
        self.given_gravity: Array | None = None
        self.installed: tuple[PhysicsEngineBase | CollisionCheckerBase, ...] = ()
        """Those that there are, the physics engine first."""
        self.of_bodies: tuple[CollisionCheckerBase, ...] = ()
        """Checkers of single bodies."""

    def keep_self_checkers(self, env: Environment, body: KinBody) -> None:
        """Start the checkers that bodies have now, and end those that none has."""
        bodies = (body, *env.bodies)
        found = dict.fromkeys(
            own
            for one in bodies
            if (own := one.self_collision_checker) is not None
            and own is not self.checker
        )
        before, self.of_bodies = self.of_bodies, tuple(found)
        try:
            for one in self.of_bodies:
                if one not in before:
                    self._start(one)
        except BaseException:
            self.of_bodies = before
            raise
        for one in before:
            if one not in self.of_bodies and one is not self.checker:
                with guarded(env, one, "its destroy_environment() raised"):
                    one.destroy_environment()

    def require_physics(self, env: Environment) -> PhysicsEngineBase:
        """Return the physics engine, making the generic one if there is none."""
        if self.physics is None:
            made = env.create("physicsengine", "")
            self.install(env, "physics", made)
            return made
        return self.physics

    def require_checker(self, env: Environment) -> CollisionCheckerBase:
        """Return the collision checker, making the default one if there is none."""
        if self.checker is None:
            made = env.create("collisionchecker", "")
            self.install(env, "checker", made)
            return made
        return self.checker

    def install(
        self,
        env: Environment,
        kind: Literal["physics", "checker"],
        engine: PhysicsEngineBase | CollisionCheckerBase | None,
    ) -> None:
        """Let an engine take over, and end the one before.

        None goes back to having none. An engine that cannot start changes nothing.
        """
        before = getattr(self, kind)
        self._put(kind, engine)
        try:
            if engine is not None:
                self._start(engine)
        except BaseException:
            self._put(kind, before)
            raise
        if before is not None and before is not engine:
            with guarded(env, before, "its destroy_environment() raised"):
                before.destroy_environment()

    def _put(self, kind: str, engine: Any) -> None:
        setattr(self, kind, engine)
        both = (self.physics, self.checker)
        self.installed = tuple(one for one in both if one is not None)

    def _start(self, engine: PhysicsEngineBase | CollisionCheckerBase) -> None:
        gravity = self.given_gravity
        if gravity is not None and isinstance(engine, interfaces.PhysicsEngineBase):
            with author_code(engine, "set_gravity"):
                engine.set_gravity(gravity)
        with author_code(engine, "init_environment"):
            engine.init_environment()
        engine.forget_world()

    def take_body(self, env: Environment, body: KinBody) -> None:
        """Tell the engines of a body that was added."""
        for engine in (*self.installed, *self.of_bodies):
            with guarded(env, engine, "its init_kinbody() raised"):
                engine.init_kinbody(body)

    def drop_body(self, env: Environment, body: KinBody) -> None:
        """Tell the engines of a body that leaves."""
        for engine in (*self.installed, *self.of_bodies):
            with guarded(env, engine, "its remove_kinbody() raised"):
                engine.remove_kinbody(body)

    def refit_body(self, env: Environment, body: KinBody) -> None:
        """Tell the engines of a body whose geometries, masses or adjacency changed."""
        for engine in (*self.installed, *self.of_bodies):
            for act in (engine.remove_kinbody, engine.init_kinbody):
                with guarded(env, engine, f"its {act.__name__}() raised"):
                    act(body)

    @property
    def gravity(self) -> Array:
        """World gravity, (3,), m/s2."""
        if self.physics is not None:
            with author_code(self.physics, "get_gravity"):
                return as_vector(self.physics.get_gravity(), 3, "gravity")
        given = self.given_gravity
        return np.array(DEFAULT_GRAVITY) if given is None else given.copy()

    def known_gravity(self, env: Environment) -> Vector:
        """Return gravity, the last one that was set if the engine cannot tell it."""

        def remembered() -> Vector:
            if self.given_gravity is None:
                return DEFAULT_GRAVITY
            x, y, z = self.given_gravity.tolist()
            return x, y, z

        def known() -> Vector:
            x, y, z = self.gravity.tolist()
            return x, y, z

        if self.physics is None:
            return remembered()
        what = "its get_gravity() raised"
        return attempted(
            env, self.physics, known, remembered, what=what, outcome=_TELLS_NONE
        )

    def saved_gravity(self, env: Environment) -> Callable[[], None]:
        """Return a function that goes back to the present gravity."""
        present = np.array(self.known_gravity(env))
        return partial(self.put_back_gravity, self.given_gravity, present)

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
