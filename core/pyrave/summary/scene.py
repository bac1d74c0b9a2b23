"""An environment as plain data: what ``pyrave info --json`` prints.

The keys are the attribute names of the Python API. Lengths are metres, angles
radians, poses 4x4 row-major matrices, ``aabb`` is centre and half extents. What comes
from a mesh that cannot be read is None, and a problem says why.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyrave.sensing.data import CameraData
from pyrave.summary.body import body_summary
from pyrave.summary.parts import MeshProblems, readables_summary

if TYPE_CHECKING:
    from pyrave.bodies.robot import Robot
    from pyrave.environment import Environment
    from pyrave.errors import Problem
    from pyrave.interfaces.sensor import SensorBase
    from pyrave.sensing.data import SensorData

INFO_SCHEMA = "pyrave-info/2"
"""Name and version of the layout; the number grows when a key changes or goes."""


def scene_summary(env: Environment, uri: str = "") -> dict[str, Any]:
    """Return everything in an environment as data for JSON."""
    from pyrave import __version__

    meshes = MeshProblems()
    bodies = []
    for body in env.bodies:
        data = body_summary(body, meshes)
        if body.is_robot:
            data["robot"] = _robot_summary(body)  # type: ignore[arg-type]
        bodies.append(data)
    problems = [*env.problems, *meshes.problems]
    return {
        "schema": INFO_SCHEMA,
        "pyrave_version": __version__,
        "uri": uri,
        "environment": environment_summary(env),
        "bodies": bodies,
        "problems": [problem_summary(problem) for problem in problems],
    }


def environment_summary(env: Environment) -> dict[str, Any]:
    """Return the properties of the environment itself."""
    physics = env.internals.engines.physics
    checker = env.internals.engines.checker
    return {
        "body_names": list(env.bodies.names),
        "robot_names": list(env.robots.names),
        "n_bodies": len(env.bodies),
        "n_robots": len(env.robots),
        "sensors": [sensor_summary(sensor) for sensor in env.sensors],
        "modules": [module.interface_id for module in env.modules],
        "interfaces": [
            {
                "type": item.interface_type,
                "id": item.interface_id,
                "distribution": item.plugin,
            }
            for item in env.interfaces
        ],
        "placeholders": [
            {"type": item.type, "id": item.interface, "name": item.name}
            for item in env.placeholders
        ],
        # the defaults are created when they are first used, not by looking
        "physics_engine": (
            physics.interface_id
            if physics
            else env.registry.default_id("physicsengine")
        ),
        "collision_checker": (
            checker.interface_id
            if checker
            else env.registry.default_id("collisionchecker")
        ),
        "gravity": env.gravity.tolist(),
        "frames": [
            {"name": frame.name, "transform": frame.pose.matrix} for frame in env.frames
        ],
        "constraints": [dataclasses.asdict(one) for one in env.constraints],
        "contact_properties": dataclasses.asdict(env.contact_properties),
        "simulation": dataclasses.asdict(env.simulation),
        "ignored_pairs": [dataclasses.asdict(one) for one in env.ignored_pairs],
        "simulation_time": env.simulation_time,
        "simulation_running": env.running,
    }


def sensor_summary(sensor: SensorBase) -> dict[str, Any]:
    """Return the properties of a sensor, without its measurements."""
    described = _dataclass(sensor.get_sensor_geometry())
    described["type"] = sensor.create_sensor_data().sensor_type.name.lower()
    return {
        "name": sensor.name,
        "id": sensor.interface_id,
        "distribution": sensor.plugin,
        "power": sensor.power,
        "transform": sensor.transform.tolist(),
        "geometry": described,
        "readables": readables_summary(sensor.readables),
    }


def names_by_id(env: Environment) -> dict[int, str]:
    """Return the names of all bodies by their ids."""
    return {body.id: body.name for body in env.bodies}


def sensor_data_summary(
    data: SensorData | None, body_names: Mapping[int, str] | None = None
) -> dict[str, Any] | None:
    """Return a measurement as data, None if there is none; images by their size.

    Parameters
    ----------
    body_names
        Names by the id that lasers report; adds ``body_names``, a name or None for
        each ray.
    """
    if data is None:
        return None
    result: dict[str, Any] = {"type": data.sensor_type.name.lower()}
    for key, value in _dataclass(data).items():
        # an image has a number for each pixel: only the pose is worth telling
        whole = isinstance(data, CameraData) and key != "pose"
        if getattr(value, "ndim", 0) == 3 or (whole and hasattr(value, "ndim")):
            result[f"{key}_shape"] = list(value.shape)
        else:
            result[key] = value
    distances = getattr(data, "distances", None)
    if distances is not None:
        result["distances"] = distances
    ids = getattr(data, "body_ids", None)
    if ids is not None and body_names and ids.ndim == 1:
        result["body_names"] = [body_names.get(i) for i in ids.tolist()]
    return result


def problem_summary(problem: Problem) -> dict[str, Any]:
    """Return a problem as data."""
    data = _dataclass(problem)
    data["severity"] = problem.severity.value
    return data


def _robot_summary(robot: Robot) -> dict[str, Any]:
    controller = robot.own_controller
    return {
        "manipulators": [
            {
                "name": arm.name,
                "base": arm.base.name,
                "end_effector": arm.end_effector.name,
                "transform": arm.transform,
                "local_tool_transform": arm.local_tool_transform,
                "direction": arm.direction,
                "arm_indices": arm.arm_indices.tolist(),
                "gripper_indices": arm.gripper_indices.tolist(),
                "gripper_joints": list(arm.description.gripper_joints),
                "chucking_direction": [int(sign) for sign in arm.chucking_direction],
                "ik_solver": solver.interface_id
                if (solver := arm.own_ik_solver)
                else None,
            }
            for arm in robot.manipulators
        ],
        "active_manipulator": robot.active_manipulator.name
        if robot.manipulators
        else None,
        "attached_sensors": [
            {
                "name": mounted.name,
                "link": mounted.link.name,
                "relative_transform": mounted.local_transform,
                "transform": mounted.transform,
                "sensor": sensor_summary(mounted.sensor)
                if mounted.has_sensor
                else None,
            }
            for mounted in robot.attached_sensors
        ],
        "configurations": dict(robot.configurations),
        "active_dof": robot.active.dof,
        "active_dof_indices": robot.active_dof_indices.tolist(),
        "controller": (
            controller.interface_id
            if controller
            else robot.env.registry.default_id("controller")
        ),
    }


def _dataclass(item: Any) -> dict[str, Any]:
    """Return the fields of a dataclass, nested ones too, arrays as they are."""
    result: dict[str, Any] = {}
    for field in dataclasses.fields(item):
        value = getattr(item, field.name)
        result[field.name] = (
            _dataclass(value) if dataclasses.is_dataclass(value) else value
        )
    return result
