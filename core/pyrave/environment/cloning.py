"""Copies of environments: in the process by state, across processes by pickle."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyrave.environment.describing import body_description
from pyrave.environment.failures import attempted
from pyrave.errors import PluginError
from pyrave.interfaces.base import read_state, write_state
from pyrave.interfaces.body_state import BodyState
from pyrave.interfaces.grabbing import holders_first
from pyrave.interfaces.kinbody import KinBody
from pyrave.interfaces.robot import Robot

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.interfaces.controller import ControllerBase

__all__ = ["StateSaver", "clone", "pickle_state", "unpickle_state"]


def clone(env: Environment) -> Environment:
    """Return a copy that shares models and descriptions."""
    # a child of the original's registry: local registrations are seen in the copy
    twin = type(env)(env.registry)
    twin.internals.engines.given_gravity = env.internals.engines.given_gravity
    for body in env.bodies:
        twin.add(_body_twin(twin, body))
    for body in holders_first(env.bodies):
        state = _body_state(twin, body)
        _put_body_state(twin, twin.bodies[body.name], state, body.basic_state)
    for engine in (env.internals.engines.physics, env.internals.engines.checker):
        if engine is not None:
            _copied(twin, engine, twin.add)
    for sensor in env.internals.contents.sensor_list.values():

        def add_sensor(made: Any, original: Any = sensor) -> None:
            made.name = original.name
            made.set_transform(original.get_transform())
            twin.add(made)
            made.power = original.power

        _copied(twin, sensor, add_sensor)
    for module in env.modules:

        def add_module(made: Any, original: Any = module) -> None:
            made.name = original.name
            twin.add(made, args=original.main_args)

        _copied(twin, module, add_module)
    for item in env.interfaces:
        _copied(twin, item, twin.add)
    twin.internals.take_over(env.internals)
    return twin


def _body_twin(env: Environment, body: KinBody) -> KinBody:
    described = body_description(env, body)

    def twin_of_class() -> KinBody:
        made = body.twin(env)
        made.init(described, body.model)
        return made

    def generic() -> KinBody:
        made = env.create(body.interface_type, "")
        assert isinstance(made, KinBody)  # noqa: S101 - registry checks
        made.init(described, body.model)
        return made

    copy = attempted(
        env,
        body,
        twin_of_class,
        generic,
        what="copying it raised",
        outcome="is copied as a generic one",
    )
    copy.uri = body.uri
    if not isinstance(body, Robot) or not isinstance(copy, Robot):
        return copy
    for mounted, other in zip(
        body.attached_sensors, copy.attached_sensors, strict=True
    ):
        if mounted.sensor is not None:

            def attach(made: Any, original: Any = mounted, target: Any = other) -> None:
                target.sensor = made
                made.power = original.sensor.power

            _copied(env, mounted.sensor, attach)
    for manipulator, twin in zip(body.manipulators, copy.manipulators, strict=True):
        if manipulator.ik_solver is not None:

            def give(made: Any, target: Any = twin) -> None:
                target.ik_solver = made

            _copied(env, manipulator.ik_solver, give)
    controller = body.own_controller
    if controller is not None:

        def drive(made: Any, original: ControllerBase = controller) -> None:
            indices = original.get_control_dof_indices()
            base = original.is_control_transformation()
            copy.set_controller(made, indices, control_transform=base)

        # its state comes with the robot's, when everything it may name is there
        _copied(env, controller, drive, state=False)
    return copy


def _copied(
    env: Environment,
    original: InterfaceBase,
    place: Callable[[Any], object],
    *,
    state: bool = True,
) -> None:
    """Copy an interface with readables and state; a failure is the copy's problem."""

    def copy() -> None:
        made = original.twin(env)
        place(made)
        # placing by hand marks what a scene file did not name
        made.described = original.described
        if state:
            made.set_state(original.get_state())

    _guarded(env, original, copy)


def _guarded(
    env: Environment, original: InterfaceBase, copy: Callable[..., object], *args: Any
) -> None:
    attempted(
        env,
        original,
        lambda: copy(*args),
        lambda: None,
        what="copying it raised",
        outcome="is not copied whole",
    )


def _body_state(env: Environment, body: KinBody) -> BodyState:
    """Return a body's state; what plugin code cannot tell is left out and reported."""
    return attempted(
        env,
        body,
        lambda: _checked_state(read_state(body)),
        body.basic_state,
        what="reading its state raised",
        outcome="is copied without what its plugin adds to the state",
    )


def _checked_state(state: Any) -> BodyState:
    if not isinstance(state, BodyState):
        raise PluginError(f"get_state() returned {state!r}, expected a BodyState")
    return state


def _put_body_state(
    env: Environment,
    body: KinBody,
    state: BodyState,
    basic: Callable[[], BodyState],
) -> None:
    attempted(
        env,
        body,
        lambda: body.set_state(state),
        lambda: KinBody.set_state(body, basic()),
        what="taking over its state raised",
        outcome="is copied without what its plugin adds to the state",
    )


class StateSaver:
    """The state of all bodies and the clock, to be put back."""

    def __init__(self, env: Environment) -> None:
        self._saved = [(body, read_state(body)) for body in holders_first(env.bodies)]
        self._time = env.simulation_time

    def restore(self, env: Environment) -> None:
        """Put back everything that is still there; raise for the first that fails."""
        failures = []
        for body, state in self._saved:
            if body in env.bodies:
                try:
                    write_state(body, state)
                except PluginError as error:
                    failures.append(error)
        env.internals.set_time(self._time)
        if failures:
            raise failures[0]


def pickle_state(env: Environment) -> dict[str, Any]:
    """Return what makes an equal environment in another process.

    Each state is pickled by itself: one that does not pickle is left out, reported.
    """
    engines = (env.internals.engines.physics, env.internals.engines.checker)
    return {
        "scene": env.describe(),
        "bodies": {
            body.name: _packed_body(env, body) for body in holders_first(env.bodies)
        },
        "sensors": {
            s.name: _packed(env, s, lambda s=s: (s.power, s.get_state()))  # type: ignore[misc]
            for s in env.sensors
        },
        "modules": {m.name: _packed(env, m, m.get_state) for m in env.modules},
        "engines": [
            (e.interface_type, _packed(env, e, e.get_state))
            for e in engines
            if e is not None
        ],
        "time": env.simulation_time,
        "gravity": (env.internals.engines.given_gravity, env.gravity),
    }


def _packed_body(env: Environment, body: KinBody) -> bytes:
    state = _body_state(env, body)
    return attempted(
        env,
        body,
        lambda: pickle.dumps(state),
        lambda: pickle.dumps(body.basic_state()),
        what="pickling its state raised",
        outcome="is pickled without what its plugin adds to the state",
    )


def _packed(
    env: Environment, item: InterfaceBase, state: Callable[[], Any]
) -> bytes | None:
    return attempted(
        env,
        item,
        lambda: pickle.dumps(state()),
        lambda: None,
        what="pickling its state raised",
        outcome="is pickled without its state",
    )


def unpickle_state(env: Environment, state: dict[str, Any]) -> None:
    """Become the environment that `pickle_state` described."""
    type(env).__init__(env)
    env.add_scene(state["scene"])
    for name, packed in state["bodies"].items():
        body = env.bodies.get(name)
        if body is not None:
            _guarded(env, body, lambda b, p: b.set_state(_unpacked(p)), body, packed)

    def wake(sensor: Any, packed: bytes) -> None:
        sensor.power, its_state = _unpacked(packed)
        sensor.set_state(its_state)

    for name, packed in state["sensors"].items():
        sensor = env.sensors.get(name)
        if sensor is not None and packed is not None:
            _guarded(env, sensor, wake, sensor, packed)
    for name, packed in state["modules"].items():
        module = env.modules.get(name)
        if module is not None and packed is not None:
            _guarded(
                env, module, lambda m, p: m.set_state(_unpacked(p)), module, packed
            )
    for kind, packed in state["engines"]:
        engine: InterfaceBase = (
            env.physics_engine if kind == "physicsengine" else env.collision_checker
        )
        if packed is not None:
            _guarded(
                env, engine, lambda e, p: e.set_state(_unpacked(p)), engine, packed
            )
    # last: an engine that the scene does not name was made just now
    env.internals.engines.put_back_gravity(*state["gravity"])
    env.internals.set_time(state["time"])
    env.publish()


def _unpacked(packed: bytes) -> Any:
    # part of a pickle that the caller loads already
    return pickle.loads(packed)  # noqa: S301
