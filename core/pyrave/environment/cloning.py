"""Copies of environments: in the process by state, across processes by pickle."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyrave.environment.failures import failure_problem
from pyrave.interfaces.robot import Robot

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.interfaces.kinbody import KinBody

__all__ = ["clone", "pickle_state", "unpickle_state"]


def clone(env: Environment) -> Environment:
    """Return a copy that shares models and descriptions."""
    # a child of the original's registry: local registrations come along
    twin = type(env)(env.registry)
    pairs: list[tuple[KinBody, KinBody]] = []
    for body in env.bodies:
        copy = _body_twin(twin, body)
        pairs.append((body, copy))
        twin.add(copy)
    for body, copy in pairs:
        copy.set_state(body.get_state())
    twin.gravity = env.gravity
    engines = (env.engines.physics, env.engines.checker)
    for engine in engines:
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
    twin.take_over(env)
    return twin


def _body_twin(env: Environment, body: KinBody) -> KinBody:
    copy: KinBody = _made(env, body)
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
        described = controller.described

        def drive(made: Any) -> None:
            copy.set_controller(made, indices, control_transform=base)
            made.described = described

        _copied(env, controller, drive)
    return copy


def _made(env: Environment, original: Any) -> Any:
    """Return a new object of the same class and identity for another environment."""
    copy = type(original)(env, *original.args)
    copy.take_identity(original)
    return copy


def _copied(
    env: Environment, original: InterfaceBase, place: Callable[[Any], object]
) -> None:
    """Copy an interface with readables and state; a failure is the copy's problem."""
    try:
        copy = _made(env, original)
        for key, readable in original.readables.items():
            copy.set_readable(key, readable)
        place(copy)
        copy.set_state(original.get_state())
    except Exception as error:  # noqa: BLE001 - plugin code may raise anything
        env.report_problem(failure_problem(original, "it could not be cloned", error))


def pickle_state(env: Environment) -> dict[str, Any]:
    """Return what makes an equal environment in another process."""
    return {
        "scene": env.describe(),
        "bodies": {body.name: body.get_state() for body in env.bodies},
        "sensors": {s.name: (s.power, s.get_state()) for s in env.sensors},
        "modules": {m.name: m.get_state() for m in env.modules},
        "time": env.simulation_time,
        "gravity": env.gravity,
    }


def unpickle_state(env: Environment, state: dict[str, Any]) -> None:
    """Become the environment that `pickle_state` described."""
    type(env).__init__(env)
    env.add_scene(state["scene"])
    env.gravity = state["gravity"]
    for name, body_state in state["bodies"].items():
        env.bodies[name].set_state(body_state)
    for name, (power, sensor_state) in state["sensors"].items():
        sensor = env.sensors.get(name)
        if sensor is not None:
            sensor.power = power
            sensor.set_state(sensor_state)
    for name, module_state in state["modules"].items():
        module = env.modules.get(name)
        if module is not None:
            module.set_state(module_state)
    env.set_simulation_time(state["time"])
