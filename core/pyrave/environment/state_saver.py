"""Saving and restoring of the state of a whole environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, TypeVar

from pyrave import interfaces
from pyrave.bodies.grabber import holders_first
from pyrave.bodies.state.saver import StateSaver
from pyrave.errors import PluginError, StateError
from pyrave.interfaces.base import InterfaceBase, author_code
from pyrave.interfaces.kept_state import KeptState
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyrave.bodies.kinbody import KinBody
    from pyrave.environment.environment import Environment

Engine = TypeVar("Engine", bound=InterfaceBase)


class _Rest:
    """State of an environment besides its bodies."""

    def __init__(self, env: Environment) -> None:
        engines = env.internals.engines
        self._env = env
        self._physics = _kept(engines.physics)
        self._checker = _kept(engines.checker)
        self._put_back_gravity = engines.saved_gravity(env)
        self._others = [KeptState(item) for item in _others(env)]

    def steps(self) -> list[Callable[[], None]]:
        """Return functions that restore everything, each a part."""
        there = _others(self._env)
        kept = [one for one in self._others if any(one.item is it for it in there)]
        return [
            self._put_back_physics,
            self._put_back_checker,
            *(one.restore for one in kept),
        ]

    def _put_back_physics(self) -> None:
        engines, kept = self._env.internals.engines, self._physics
        engine = None if kept is None else kept.item
        if engines.physics is not engine:
            engines.install(self._env, "physics", engine)
        if kept is None:
            self._put_back_gravity()
            return
        kept.restore()
        with author_code(kept.item, "set_gravity"):
            self._put_back_gravity()

    def _put_back_checker(self) -> None:
        kept = self._checker
        if kept is None:
            return
        engines = self._env.internals.engines
        if engines.checker is not kept.item:
            engines.install(self._env, "checker", kept.item)
        kept.restore()


def _kept(item: Engine | None) -> KeptState[Engine] | None:
    return None if item is None else KeptState(item)


def _others(env: Environment) -> list[InterfaceBase]:
    """Return the sensors, modules and other interfaces, without viewers."""
    sensors = env.internals.contents.sensor_list.values()
    found: list[InterfaceBase] = [*sensors, *env.modules, *env.interfaces]
    return [one for one in found if not isinstance(one, interfaces.ViewerBase)]


class EnvironmentSaver:
    """An environment as it was, put back at the end of a ``with`` block.

    That is all that its clone has: the states of the bodies and of what they have, of
    the physics engine and the collision checker, of sensors, modules and what else was
    added, gravity, and the clock. What goes on from there goes on as it did, to the
    last bit. Which bodies, sensors and modules there are stays as it is then.

    Belongs to the environment's thread. It saves when it is made.

    Parameters
    ----------
    env
        Whose state.
    parts
        What is put back of the bodies; the rest stays as it is then. What is no body
        is a part of `StateParts.REST`; the clock is always put back.

    Raises
    ------
    PluginError
        A state cannot be read.
    """

    def __init__(self, env: Environment, parts: StateParts = StateParts.ALL) -> None:
        self._env: Environment | None = env
        self._saved = {
            body: StateSaver(body, parts) for body in holders_first(env.bodies)
        }
        self._parts = StateParts(parts)
        self._time = env.internals.stepper.time
        self._rest = _Rest(env) if parts & StateParts.REST else None

    def restore(self) -> None:
        """Put back everything that is still there.

        Raises
        ------
        StateError
            It was released.
        PluginError
            Code of a plugin raised, the first one; the others are put back.
        """
        if self._env is None:
            raise StateError("the saved state was released")
        there = set(self._env.bodies)
        saved = {body: one for body, one in self._saved.items() if body in there}
        for body, one in saved.items():
            if body.grabber is not None:
                one.drop_others()
        steps: list[Callable[[], None]] = [
            saved[body].restore for body in self._in_order(saved)
        ]
        if self._rest is not None:
            # engines compare what they know with the bodies: these come first
            steps += self._rest.steps()
        failures = []
        for step in steps:
            try:
                step()
            except PluginError as error:
                failures.append(error)
        self._env.internals.stepper.set_time(self._time)
        if failures:
            raise failures[0]

    def _in_order(self, bodies: Iterable[KinBody]) -> Iterable[KinBody]:
        """Return bodies with holders first: those that hold when all is put back."""
        # grabs that are put back too are those of when it was saved
        return bodies if self._parts & StateParts.GRABBED else holders_first(bodies)

    def release(self) -> None:
        """Let go of the environment: the end of the block restores nothing."""
        self._env = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._env is not None:
            self.restore()
