"""Copies of environments: in the process by state, across processes by pickle."""

from __future__ import annotations

import dataclasses
import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.grabber import holders_first
from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.robot import Robot
from pyrave.environment.failures import attempted, problem_at
from pyrave.environment.files.description import body_description
from pyrave.errors import PluginError
from pyrave.interfaces.base import read_state
from pyrave.interfaces.controller import ControllerBase
from pyrave.interfaces.sensor import SensorBase
from pyrave.interfaces.viewer import ViewerBase
from pyrave.scene.kept_readables import without_failing
from pyrave.world.body_state import BodyState

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.scene import SceneDescription

_Key = tuple[str, ...]


def clone(env: Environment) -> Environment:
    """Return a copy that shares models and descriptions."""
    # next to the original's registry, not on it: clones of clones stay as fast
    copy = type(env)(env.registry.parent)
    copy.registry.take_registrations(env.registry)
    # constructors may ask for settings of their plugins
    copy.internals.record.pending = env.internals.record.plugins
    copy.internals.engines.given_gravity = env.internals.engines.given_gravity
    for body in env.bodies:
        made = _body_copy(copy, body)
        made.ids = body.ids
        copy.add(made)
    for body in holders_first(env.bodies):
        state = _body_state(copy, body)
        _put_body_state(copy, copy.bodies[body.name], state, body.basic_state)
    for constraint in env.constraints:
        copy.add_constraint(constraint)
    copy.internals.simulated.replace_all(
        env.simulation, copy.internals.contents.body_list
    )
    copy.ignored_pairs = env.ignored_pairs
    for engine in env.internals.engines.installed:
        _copied(copy, engine, copy.add)
    for sensor in env.internals.contents.sensor_list.values():

        def add_sensor(made: Any, original: Any = sensor) -> None:
            made.name = original.name
            made.set_transform(original.get_transform())
            copy.add(made)
            made.power = original.power

        _copied(copy, sensor, add_sensor)
    instruments = env.internals.simulated.instruments
    copy.internals.simulated.instruments = {
        name: copy.internals.contents.sensor_list[sensor.name]
        for name, sensor in instruments.items()
        if sensor.name in copy.internals.contents.sensor_list
    }
    for module in env.modules:

        def add_module(made: Any, original: Any = module) -> None:
            made.name = original.name
            copy.add(made, args=original.main_args)

        _copied(copy, module, add_module)
    for item in env.interfaces:
        if not isinstance(item, ViewerBase):  # it shows this environment
            _copied(copy, item, copy.add)
    for name, body in env.internals.contents.body_list.items():
        # adding makes usable again, which a copy of what failed is not
        copy.bodies[name].disabled = body.disabled
    copy.internals.take_over(env.internals)
    copy.internals.record.pending = ()
    return copy


def _body_copy(env: Environment, body: KinBody) -> KinBody:
    described = body_description(env, body)

    def copy_of_class() -> KinBody:
        made = body.copy_to(env)
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
        copy_of_class,
        generic,
        what="copying it raised",
        outcome="is copied as a generic one",
    )
    copy.uri = body.uri
    own = body.self_collision_checker
    if own is not None and own is not body.env.internals.engines.checker:

        def check(made: Any) -> None:
            copy.self_collision_checker = made

        _copied(env, own, check)
    if not isinstance(body, Robot) or not isinstance(copy, Robot):
        return copy
    for mounted, other in zip(
        body.attached_sensors, copy.attached_sensors, strict=True
    ):
        if mounted.has_sensor:

            def attach(made: Any, original: Any = mounted, target: Any = other) -> None:
                target.sensor = made
                made.power = original.sensor.power

            _copied(env, mounted.sensor, attach)
    for manipulator, arm in zip(body.manipulators, copy.manipulators, strict=True):
        solver = manipulator.own_ik_solver
        if solver is not None:

            def give(made: Any, target: Any = arm) -> None:
                target.ik_solver = made

            _copied(env, solver, give)
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
        made = original.copy_to(env)
        place(made)
        # placing by hand marks what a scene file did not name
        made.described = original.described
        made.disabled = original.disabled
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
        lambda: (Robot if isinstance(body, Robot) else KinBody).set_state(
            body, basic()
        ),
        what="taking over its state raised",
        outcome="is copied without what its plugin adds to the state",
    )


def pickle_state(env: Environment) -> dict[str, Any]:
    """Return data from which another process makes an equal environment.

    Each state is pickled by itself: one that does not pickle is left out, reported.
    """
    parts = list(_parts(env))
    packing = env.internals.packing
    engines = env.internals.engines
    given, present = engines.given_gravity, engines.known_gravity(env)
    return {
        "scene": _picklable(env),
        "ids": (packing.ids, {body.name: body.ids for body in env.bodies}),
        "bodies": {
            body.name: _packed_body(env, body) for body in holders_first(env.bodies)
        },
        "states": {
            key: _packed(env, item)
            for key, item in parts
            if not isinstance(item, (KinBody, ControllerBase))
        },
        "own_checkers": {
            body.name: " ".join((own.interface_id, *own.id_words))
            for body in env.bodies
            if (own := body.self_collision_checker) is not None
            and own is not engines.checker
        },
        "disabled": [key for key, item in parts if item.disabled],
        "time": env.internals.stepper.time,
        "gravity": (given, np.array(present)),
    }


def _picklable(env: Environment) -> SceneDescription:
    """Return the present scene without viewers, which show this environment.

    Readables that do not pickle are left out, reported.
    """
    scene = env.describe()
    others = tuple(one for one in scene.interfaces if one.type != "viewer")
    scene = dataclasses.replace(scene, interfaces=others)
    scene, lost = without_failing(scene, pickle.dumps)
    for one in lost:
        text = f"a pickle is without {one}"
        env.report_problem(problem_at(None, text, code="not-pickled"))
    return scene


def _parts(env: Environment) -> Iterator[tuple[_Key, InterfaceBase]]:
    """Yield all that the environment holds, each under a key that copies share."""
    for engine in env.internals.engines.installed:
        yield ("engine", engine.interface_type), engine
    for body in env.bodies:
        yield ("body", body.name), body
        own = body.self_collision_checker
        if own is not None and own is not env.internals.engines.checker:
            yield ("own checker", body.name), own
        if not isinstance(body, Robot):
            continue
        if body.own_controller is not None:
            yield ("controller", body.name), body.own_controller
        for arm in body.manipulators:
            if arm.own_ik_solver is not None:
                yield ("iksolver", body.name, arm.name), arm.own_ik_solver
    for sensor in env.sensors:
        yield ("sensor", sensor.name), sensor
    for module in env.modules:
        yield ("module", module.name), module
    seen: Counter[str] = Counter()
    for item in env.interfaces:
        # they have no names: the first, second, ... of their kind
        kind = f"{item.interface_type} {item.interface_id}"
        seen[kind] += 1
        yield ("interface", kind, str(seen[kind])), item


def _check_itself(body: KinBody, words: str) -> None:
    body.self_collision_checker = words


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


def _packed(env: Environment, item: InterfaceBase) -> bytes | None:
    def state() -> bytes:
        power = item.power if isinstance(item, SensorBase) else None
        return pickle.dumps((power, item.get_state()))

    return attempted(
        env,
        item,
        state,
        lambda: None,
        what="pickling its state raised",
        outcome="is pickled without its state",
    )


def unpickle_state(env: Environment, state: dict[str, Any]) -> None:
    """Become the environment that `pickle_state` described."""
    from pyrave.environment.files.loader import add_checked
    from pyrave.environment.files.options import LoadOptions

    type(env).__init__(env)
    with env.internals.packing.numbered(*state["ids"]):
        add_checked(env, state["scene"], LoadOptions(), {}, logged=False)
    for name, packed in state["bodies"].items():
        body = env.bodies.get(name)
        if body is not None:
            _guarded(env, body, lambda b, p: b.set_state(_unpacked(p)), body, packed)
    states = state["states"]
    # engines that the scene does not name are made when they are asked for
    if ("engine", "physicsengine") in states:
        env.internals.engines.require_physics(env)
    if ("engine", "collisionchecker") in states:
        env.internals.engines.require_checker(env)
    for name, words in state["own_checkers"].items():
        body = env.bodies.get(name)
        if body is not None and body.self_collision_checker is None:
            _guarded(env, body, _check_itself, body, words)
    parts = dict(_parts(env))
    for key, packed in states.items():
        if packed is not None and key in parts:
            _guarded(env, parts[key], _wake, parts[key], packed)
    for key in state["disabled"]:
        if key in parts:
            parts[key].disabled = True
    # last: an engine that the scene does not name was made just now
    engines = env.internals.engines
    if engines.physics is None:
        engines.put_back_gravity(*state["gravity"])
    else:
        put_back = engines.put_back_gravity
        _guarded(env, engines.physics, put_back, *state["gravity"])
    env.internals.stepper.set_time(state["time"])
    env.publish()


def _wake(item: InterfaceBase, packed: bytes) -> None:
    power, its_state = _unpacked(packed)
    if isinstance(item, SensorBase):
        item.power = power
    item.set_state(its_state)


def _unpacked(packed: bytes) -> Any:
    # part of a pickle that the caller loads already
    return pickle.loads(packed)  # noqa: S301
