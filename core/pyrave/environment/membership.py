"""Adding objects to an environment and taking them out again."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Any

from pyrave import interfaces
from pyrave.bodies.kinbody import KinBody
from pyrave.environment.events import BodyEvent
from pyrave.environment.failures import guarded, problem_at
from pyrave.environment.simulation.instruments import drop_sensors
from pyrave.errors import (
    ArgumentError,
    NameConflictError,
    NotFoundError,
    shown,
)
from pyrave.interfaces.base import InterfaceBase, author_code
from pyrave.interfaces.settings.parts import as_part
from pyrave.scene import BodyDescription, RobotDescription
from pyrave.texts import name_fault

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.interfaces.module import ModuleBase
    from pyrave.interfaces.sensor import SensorBase


def valid_name(name: str) -> bool:
    """Return True for a name of one character or more, and none that is refused."""
    return bool(name) and not name_fault(name)


def free_name(name: str, taken: Container[str]) -> str:
    """Return `name`, or `name` with the first number that makes it free."""
    if name not in taken:
        return name
    number = 1
    while f"{name}{number}" in taken:
        number += 1
    return f"{name}{number}"


def made_or_given(
    env: Environment,
    item: InterfaceBase | str,
    interface: str | None,
    settings: Mapping[str, Any],
) -> InterfaceBase:
    """Return the object that is to be added, made if its type and id are given."""
    if isinstance(item, str):
        if interface is None:
            raise ArgumentError(
                f"{item!r} cannot be added, expected an object, or type and id of one: "
                "env.add('sensor', 'Id'); env.load(...) adds files"
            )
        return env.create(item, interface, **settings)
    if interface is not None:
        raise ArgumentError(
            f"{shown(interface)} is beside {shown(item)}, expected an object alone, or "
            "type and id of one"
        )
    if settings and isinstance(item, InterfaceBase):
        return as_part(env, type(item), item, settings, what="the object to add")
    return item


def add(
    env: Environment, item: InterfaceBase, *, rename: bool = False, args: str = ""
) -> None:
    """Add or install an object by its kind; the caller holds the lock."""
    # the class of most bodies first: the other one is abstract, and slow to ask
    if not isinstance(item, (KinBody, InterfaceBase)):
        raise ArgumentError(
            f"{item!r} cannot be added, expected an object of one of the 13 interface "
            "types, for example what env.create(...) returned; env.load(...) adds files"
        )
    if item.env is not env:
        raise ArgumentError(f"{item!r} was made for another environment")
    # what was mended may be added again
    if item.disabled:
        item.disabled = False
    if isinstance(item, KinBody):
        _add_body(env, item, rename)
    elif isinstance(item, interfaces.SensorBase):
        _add_sensor(env, item, rename)
    elif isinstance(item, interfaces.ModuleBase):
        _add_module(env, item, args)
    elif isinstance(item, interfaces.PhysicsEngineBase):
        item.described = True
        env.internals.engines.install(env, "physics", item)
    elif isinstance(item, interfaces.CollisionCheckerBase):
        item.described = True
        env.internals.engines.install(env, "checker", item)
    elif isinstance(item, interfaces.ControllerBase):
        raise ArgumentError(
            f"{item!r} is a controller; bind it with robot.set_controller(...)"
        )
    elif all(item is not owned for owned in env.internals.contents.owned):
        env.internals.contents.owned.append(item)
        env.internals.contents.changed()
        if isinstance(item, interfaces.ViewerBase):
            item.forget_world()
            env.internals.contents.show(env)


def create_body(
    env: Environment, description: BodyDescription, *, rename: bool
) -> KinBody:
    """Create, initialise and add a body or robot."""
    if not isinstance(description, BodyDescription):
        raise ArgumentError(
            f"expected a BodyDescription, got {type(description).__name__}"
        )
    kind = "robot" if isinstance(description, RobotDescription) else "kinbody"
    body = env.create(kind, description.interface)
    assert isinstance(body, KinBody)  # noqa: S101 - the registry checks
    body.init(description)
    env.add(body, rename=rename)
    return body


def remove(env: Environment, item: InterfaceBase | str) -> None:
    """Take an object out of the environment."""
    contents = env.internals.contents
    if isinstance(item, str):
        item = _named(env, item)
    if not isinstance(item, InterfaceBase):
        raise ArgumentError(
            f"{item!r} cannot be removed, expected an object of the environment or the "
            "name of one"
        )
    if isinstance(item, KinBody):
        if contents.body_list.get(item.name) is not item:
            raise NotFoundError("body", item.name, env.bodies.names)
        _remove_body(env, item)
    elif isinstance(item, interfaces.SensorBase):
        del contents.sensor_list[_key(contents.sensor_list, item, "stand-alone sensor")]
        with guarded(env, item, "switching it off raised"):
            item.power = False
    elif isinstance(item, interfaces.ModuleBase):
        del contents.module_list[_key(contents.module_list, item, "module")]
        with guarded(env, item, "its destroy() raised"):
            item.destroy()
    elif any(item is owned for owned in contents.owned):
        contents.owned[:] = [owned for owned in contents.owned if owned is not item]
        contents.changed()
        if isinstance(item, interfaces.ViewerBase):
            with guarded(env, item, "its quit_main_loop() raised"):
                item.quit_main_loop()
    else:
        raise NotFoundError(item.interface_type, repr(item))
    contents.changed()


def reset(env: Environment) -> None:
    """Remove bodies and sensors, reset modules; viewers go on."""
    contents = env.internals.contents
    for sensor in tuple(contents.sensor_list.values()):
        remove(env, sensor)
    for body in reversed(tuple(contents.body_list.values())):
        remove(env, body)
    for module in tuple(contents.module_list.values()):
        with guarded(env, module, "its reset() raised"):
            module.reset()
    contents.owned[:] = contents.viewers
    contents.placeholders.clear()
    env.internals.simulated.clear()
    env.internals.ignored.clear()
    env.internals.record.extras = None
    contents.changed()


def _key(place: Mapping[str, Any], item: InterfaceBase, kind: str) -> str:
    """Return the key of an object, whatever its present name is."""
    for key, known in place.items():
        if known is item:
            return key
    raise NotFoundError(kind, getattr(item, "name", "") or repr(item), place)


def _named(env: Environment, name: str) -> InterfaceBase:
    contents = env.internals.contents
    places: tuple[dict[str, Any], ...] = (
        contents.body_list,
        contents.sensor_list,
        contents.module_list,
    )
    for place in places:
        if name in place:
            found: InterfaceBase = place[name]
            return found
    raise NotFoundError("object", name, [n for place in places for n in place])


def _checked_name(
    name: str, taken: dict[str, Any], item: InterfaceBase, rename: bool
) -> str:
    if not valid_name(name):
        raise NameConflictError(
            f"{item.interface_type} name {name!r} is not valid: it "
            f"{name_fault(name) or 'is empty'}"
        )
    if name not in taken:
        return name
    if taken[name] is item:
        raise NameConflictError(f"{item!r} is in the environment already")
    if not rename:
        raise NameConflictError(
            f"the environment has a {taken[name].interface_type} named {name!r} "
            "already; give another name or rename=True"
        )
    return free_name(name, taken)


def _add_body(env: Environment, body: KinBody, rename: bool) -> None:
    internals = env.internals
    contents, wanted = internals.contents, body.name
    if contents.body_list.get(wanted) is body:
        raise NameConflictError(f"{body!r} is in the environment already")
    name = _checked_name(wanted, contents.body_list, body, rename)
    if name != wanted:
        body.name = name
    contents.body_list[name] = body
    try:
        with author_code(body, "attach_to_environment"):
            body.attach_to_environment(True)
    except BaseException:
        del contents.body_list[body.name]
        raise
    contents.changed()
    internals.packing.add(body)
    internals.engines.take_body(env, body)
    if len(internals.events.bodies):
        internals.events.bodies(BodyEvent("added", body), env.report_problem)
    if env.registry.has_hook("pyrave_body_added"):
        env.registry.call_hook("pyrave_body_added", env=env, body=body)


def _remove_body(env: Environment, body: KinBody) -> None:
    contents = env.internals.contents
    holder = body.holder
    if holder is not None:
        with guarded(env, holder, f"letting go of {body.name!r} raised"):
            holder.release(body)
    with guarded(env, body, "its release_all() raised"):
        body.release_all()
    env.internals.engines.drop_body(env, body)
    for viewer in contents.viewers:
        with guarded(env, viewer, "its body_removed() raised"):
            viewer.body_removed(body)
    env.internals.simulated.body_removed(body)
    env.internals.ignored.body_removed(body)
    drop_sensors(env)
    del contents.body_list[body.name]
    env.internals.publisher.forget(body)
    env.internals.packing.remove(body)
    contents.changed()
    with guarded(env, body, "its attach_to_environment() raised"):
        body.attach_to_environment(False)
    env.internals.events.bodies(BodyEvent("removed", body), env.report_problem)
    if env.registry.has_hook("pyrave_body_removed"):
        env.registry.call_hook("pyrave_body_removed", env=env, body=body)


def _add_sensor(env: Environment, sensor: SensorBase, rename: bool) -> None:
    contents = env.internals.contents
    if not sensor.name:
        sensor.name = free_name(sensor.interface_id, contents.sensor_list)
    sensor.name = _checked_name(sensor.name, contents.sensor_list, sensor, rename)
    sensor.power = True
    contents.sensor_list[sensor.name] = sensor
    contents.changed()


def _add_module(env: Environment, module: ModuleBase, args: str) -> None:
    contents = env.internals.contents
    if any(module is known for known in contents.module_list.values()):
        raise NameConflictError(f"{module!r} is in the environment already")
    module.name = free_name(module.name, contents.module_list)
    contents.module_list[module.name] = module
    contents.changed()
    module.main_args = args
    try:
        with author_code(module, "main"):
            status = module.main(args)
    except BaseException:
        del contents.module_list[module.name]
        contents.changed()
        raise
    if not isinstance(status, int) or status != 0:
        env.report_problem(
            problem_at(
                None,
                f"main({args!r}) of module {module.name!r} returned {shown(status)}, "
                "not 0",
                code="module-failed",
            )
        )
