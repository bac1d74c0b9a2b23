"""From the objects of an environment back to a scene description."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pyrave import bodies
from pyrave import interfaces as bases
from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.kinds import is_robot
from pyrave.environment.failures import attempted
from pyrave.environment.files.grabs import described_grabs
from pyrave.environment.files.waypoints import content_of
from pyrave.errors import PluginError
from pyrave.interfaces.settings.words import join_words, split_words
from pyrave.plugins.discovery import normalize_name
from pyrave.scene import (
    DEFAULT_GRAVITY,
    AttachedSensorDescription,
    BodyDescription,
    InterfaceDescription,
    Pose,
    RobotDescription,
    SceneDescription,
)
from pyrave.spatial import as_pose

if TYPE_CHECKING:
    from pyrave.bodies.robot import Robot
    from pyrave.environment.environment import Environment
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.interfaces.controller import ControllerBase
    from pyrave.interfaces.sensor import SensorBase


def describe(env: Environment) -> SceneDescription:
    """Return the present scene: poses and values as they are now."""
    contents, engines = env.internals.contents, env.internals.engines
    interfaces: list[InterfaceDescription] = [
        _interface(env, engine) for engine in engines.installed if engine.described
    ]
    measuring = env.internals.simulated.instruments.values()
    interfaces += [
        dataclasses.replace(
            _interface(env, sensor), name=sensor.name, pose=_sensor_pose(env, sensor)
        )
        for sensor in contents.sensor_list.values()
        if all(sensor is not one for one in measuring)
    ]
    for robot in env.robots:
        controller = robot.own_controller
        if controller is None or not controller.described:
            continue
        joints, moves_base = _driven(env, robot, controller)
        interfaces.append(
            dataclasses.replace(
                _interface(env, controller),
                robot=robot.name,
                joints=joints,
                control_transform=moves_base,
            )
        )
    interfaces += [
        dataclasses.replace(
            _interface(env, module),
            name="" if module.name == module.interface_id else module.name,
            args=module.main_args,
        )
        for module in contents.module_list.values()
    ]
    interfaces += [
        dataclasses.replace(_interface(env, item), readables=content_of(env, item))
        if isinstance(item, bases.TrajectoryBase)
        else _interface(env, item)
        for item in contents.owned
    ]
    interfaces += contents.placeholders
    base = env.internals.record.scene
    gravity = engines.known_gravity(env)
    engine, given = engines.physics, engines.given_gravity
    # an engine that is saved with its settings says its gravity itself
    says = engine is not None and engine.described and any(engine.readables)
    own = given is None and (says or gravity == DEFAULT_GRAVITY)
    return dataclasses.replace(
        base,
        gravity=None if own else gravity,
        bodies=tuple(describe_body(env, body) for body in env.bodies),
        interfaces=tuple(interfaces),
        problems=(),
        root="environment",
        grabs=described_grabs(env),
        constraints=env.constraints,
        simulation=env.internals.simulated.describe(),
        ignored_pairs=env.internals.ignored.describe(),
    )


def _sensor_pose(env: Environment, sensor: SensorBase) -> Pose | None:
    return attempted(
        env,
        sensor,
        lambda: Pose.from_matrix(as_pose(sensor.get_transform(), "its pose")),
        lambda: None,
        what="its get_transform() raised",
        outcome="is described without its pose",
    )


def _driven(
    env: Environment, robot: Robot, controller: ControllerBase
) -> tuple[tuple[str, ...], bool]:
    """Return the joints of a controller, none for all, and whether it has the base."""

    def known() -> tuple[tuple[str, ...], bool]:
        indices = [int(i) for i in controller.get_control_dof_indices()]
        base = bool(controller.is_control_transformation())
        if indices == [*range(robot.dof)]:
            return (), base
        return tuple(robot.structure.joint_of_dof(i).name for i in indices), base

    return attempted(
        env,
        controller,
        known,
        lambda: ((), False),
        what="asking what it drives raised",
        outcome="is described as driving all joints",
    )


def body_description(env: Environment, body: KinBody) -> BodyDescription:
    """Return a body's description, without its plugin's part if that fails."""

    def known() -> BodyDescription:
        description = body.describe()
        if not isinstance(description, BodyDescription):
            raise PluginError(
                f"describe() returned {description!r}, expected a BodyDescription"
            )
        return description

    return attempted(
        env,
        body,
        known,
        lambda: KinBody.describe(body),
        what="its describe() raised",
        outcome="is described as a generic one",
    )


def describe_body(env: Environment, body: KinBody) -> BodyDescription:
    """Return a body's description with its present pose, values and readables."""
    description = body_description(env, body)
    if type(body) is not KinBody and type(body) is not bodies.Robot:
        interface = _present(env, body, description.interface)
        description = dataclasses.replace(description, interface=interface)
    if not is_robot(body) or not isinstance(description, RobotDescription):
        return description
    sensors = []
    for mounted in body.attached_sensors:
        known: AttachedSensorDescription = mounted.description
        if mounted.has_sensor:
            known = dataclasses.replace(
                known,
                interface=_present(env, mounted.sensor, known.interface),
                readables=mounted.sensor.readables.items(),
            )
        sensors.append(known)
    manipulators = tuple(
        manipulator.description
        if manipulator.own_ik_solver is None
        else dataclasses.replace(
            manipulator.description,
            ik_solver=_present(
                env, manipulator.own_ik_solver, manipulator.description.ik_solver
            ),
        )
        for manipulator in body.manipulators
    )
    return dataclasses.replace(
        description, attached_sensors=tuple(sensors), manipulators=manipulators
    )


def _present(env: Environment, item: InterfaceBase, described: str) -> str:
    """Return ``"Id args"`` of an object, as described if that means the same."""
    reference = env.registry.reference(item)
    known, *args = split_words(described) or [""]
    owner, _, _ = known.rpartition(":")
    if owner and normalize_name(owner) == normalize_name(item.plugin):
        reference = f"{owner}:{item.interface_id}"
    if known.lower() == reference.lower() and tuple(args) == item.id_words:
        return described
    return join_words((reference, *item.id_words))


def _interface(env: Environment, item: InterfaceBase) -> InterfaceDescription:
    return InterfaceDescription(
        type=item.interface_type,
        interface=join_words((env.registry.reference(item), *item.id_words)),
        name=item.scene_name,
        commands=item.scene_commands,
        readables=item.readables.items(),
        settings=item.scene_settings,
    )
