"""Copies of environments: in the process by state, across processes by pickle."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyrave.environment.failures import failure_problem
from pyrave.interfaces.grabbing import holders_first
from pyrave.interfaces.robot import Robot

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.interfaces.kinbody import KinBody

__all__ = ["clone", "pickle_state", "unpickle_state"]


def clone(env: Environment) -> Environment:
    """Return a copy that shares models and descriptions."""
    # a child of the original's registry: local registrations are seen in the copy
    twin = type(env)(env.registry)
    twin.engines.given_gravity = env.engines.given_gravity
    for body in env.bodies:
        copy = _body_twin(twin, body)
        twin.add(copy)
    for body in holders_first(env.bodies):
        _guarded(twin, body, twin.bodies[body.name].set_state, body.get_state())
    for engine in (env.engines.physics, env.engines.checker):
        if engine is not None:
            _copied(twin, engine, twin.add)
    for sensor in env.stand_alone_sensors:

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
    twin.take_over(env)
    return twin


def _body_twin(env: Environment, body: KinBody) -> KinBody:
    copy = body.twin(env)
    copy.init(body.describe(), body.model)
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
        indices = controller.get_control_dof_indices()
        base = controller.is_control_transformation()

        def drive(made: Any) -> None:
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
    try:
        copy(*args)
    except Exception as error:  # noqa: BLE001 - plugin code may raise anything
        problem = failure_problem(
            original,
            "copying it raised",
            error,
            outcome="is not copied whole",
            hint="the copy of the environment goes on without",
        )
        env.report_problem(problem)


def pickle_state(env: Environment) -> dict[str, Any]:
    """Return what makes an equal environment in another process."""
    engines = (env.engines.physics, env.engines.checker)
    return {
        "scene": env.describe(),
        "bodies": {body.name: body.get_state() for body in holders_first(env.bodies)},
        "sensors": {s.name: (s.power, s.get_state()) for s in env.sensors},
        "modules": {m.name: m.get_state() for m in env.modules},
        "engines": [e and (e.interface_type, e.get_state()) for e in engines],
        "time": env.simulation_time,
        "gravity": env.engines.given_gravity,
    }


def unpickle_state(env: Environment, state: dict[str, Any]) -> None:
    """Become the environment that `pickle_state` described."""
    type(env).__init__(env)
    env.add_scene(state["scene"])
    env.engines.put_back_gravity(state["gravity"])
    for name, body_state in state["bodies"].items():
        body = env.bodies[name]
        _guarded(env, body, body.set_state, body_state)
    for name, (power, sensor_state) in state["sensors"].items():
        sensor = env.sensors.get(name)
        if sensor is not None:
            sensor.power = power
            _guarded(env, sensor, sensor.set_state, sensor_state)
    for name, module_state in state["modules"].items():
        module = env.modules.get(name)
        if module is not None:
            _guarded(env, module, module.set_state, module_state)
    for known in filter(None, state["engines"]):
        kind, engine_state = known
        engine: InterfaceBase = (
            env.physics_engine if kind == "physicsengine" else env.collision_checker
        )
        _guarded(env, engine, engine.set_state, engine_state)
    env.set_simulation_time(state["time"])
    env.publish()
