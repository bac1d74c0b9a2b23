"""From the objects of an environment back to a scene description."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pyrave.environment.engines import DEFAULT_GRAVITY
from pyrave.interfaces.kinbody import KinBody
from pyrave.interfaces.robot import Robot
from pyrave.scene import (
    AttachedSensorDescription,
    BodyDescription,
    InterfaceDescription,
    Pose,
    RobotDescription,
    SceneDescription,
)

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.interfaces.base import InterfaceBase

__all__ = ["describe", "describe_body"]


def describe(env: Environment) -> SceneDescription:
    """Return the present scene: poses and values as they are now."""
    contents = env._contents  # noqa: SLF001
    engines = (env.engines.physics, env.engines.checker)
    interfaces: list[InterfaceDescription] = [
        _interface(engine)
        for engine in engines
        if engine is not None and engine.described
    ]
    interfaces += [
        dataclasses.replace(
            _interface(sensor),
            name=sensor.name,
            pose=Pose.from_matrix(sensor.get_transform()),
        )
        for sensor in contents.sensor_list.values()
    ]
    for robot in env.robots:
        controller = robot.own_controller
        if controller is None or not controller.described:
            continue
        indices = controller.get_control_dof_indices()
        every = tuple(indices) == tuple(range(robot.dof))
        interfaces.append(
            dataclasses.replace(
                _interface(controller),
                robot=robot.name,
                joints=()
                if every
                else tuple(robot.joint_of_dof(i).name for i in indices),
                control_transform=controller.is_control_transformation(),
            )
        )
    interfaces += [
        dataclasses.replace(
            _interface(module),
            name="" if module.name == module.interface_id else module.name,
            args=module.main_args,
        )
        for module in contents.module_list.values()
    ]
    interfaces += [_interface(item) for item in contents.owned]
    interfaces += contents.placeholders
    base = env.record.extras or SceneDescription()
    gravity = env.gravity
    own = env.engines.given_gravity is None and tuple(gravity) == DEFAULT_GRAVITY
    x, y, z = gravity.tolist()
    return dataclasses.replace(
        base,
        gravity=None if own else (x, y, z),
        bodies=tuple(describe_body(body) for body in env.bodies),
        interfaces=tuple(interfaces),
        problems=(),
        root="environment",
    )


def describe_body(body: KinBody) -> BodyDescription:
    """Return a body's description with its present pose, values and readables."""
    description = body.describe()
    if type(body) not in {KinBody, Robot}:
        interface = _present(body, description.interface)
        description = dataclasses.replace(description, interface=interface)
    if not isinstance(body, Robot) or not isinstance(description, RobotDescription):
        return description
    sensors = []
    for mounted in body.attached_sensors:
        known: AttachedSensorDescription = mounted.description
        if mounted.sensor is not None:
            known = dataclasses.replace(
                known,
                interface=_present(mounted.sensor, known.interface),
                readables=mounted.sensor.readables.items(),
            )
        sensors.append(known)
    manipulators = tuple(
        manipulator.description
        if manipulator.ik_solver is None
        else dataclasses.replace(
            manipulator.description,
            ik_solver=_present(
                manipulator.ik_solver, manipulator.description.ik_solver
            ),
        )
        for manipulator in body.manipulators
    )
    return dataclasses.replace(
        description, attached_sensors=tuple(sensors), manipulators=manipulators
    )


def _present(item: InterfaceBase, described: str) -> str:
    """Return ``"Id args"`` of an object, as described if that means the same."""
    words = described.split()
    same_id = words[:1] and words[0].rpartition(":")[2].lower() == (
        item.interface_id.lower()
    )
    if same_id and tuple(words[1:]) == item.args:
        return described
    return " ".join((item.interface_id, *item.args))


def _interface(item: InterfaceBase) -> InterfaceDescription:
    return InterfaceDescription(
        type=item.interface_type,
        interface=" ".join((item.interface_id, *item.args)),
        commands=item.scene_commands,
        readables=item.readables.items(),
    )
