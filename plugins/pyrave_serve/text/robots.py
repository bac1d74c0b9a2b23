"""Text commands about robots, their controllers and sensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pyrave.errors import CommandError, NotSupportedError
from pyrave.interfaces import ConfigureCommand
from pyrave.kinematics import Affine
from pyrave.planning import retime
from pyrave.sensing import CameraData, LaserData
from pyrave_serve.methods.arms import timed
from pyrave_serve.text.bodies import picked, set_values
from pyrave_serve.text.command import TextCommand, robot_at, sensor_at
from pyrave_serve.text.words import Words, columns, number_words

if TYPE_CHECKING:
    from pyrave.interfaces import SensorBase
    from pyrave_serve.call_objects import Desk

_SWITCHES = {one.name.replace("_", "").lower(): one for one in ConfigureCommand}
_NEAR = 1e-9


def _get_values(desk: Desk, words: Words) -> str:
    robot = robot_at(desk, words)
    return number_words(
        [picked(robot.dof_values, words) if words else robot.active.values]
    )


def _set_values(desk: Desk, words: Words) -> None:
    robot = robot_at(desk, words)
    set_values(robot, words, robot.active_dof_indices.tolist())


def _get_limits(desk: Desk, words: Words) -> str:
    lower, upper = robot_at(desk, words).active.limits
    return number_words([len(lower), lower, upper])


def _get_manipulators(desk: Desk, words: Words) -> str:
    robot = robot_at(desk, words)
    found = [str(len(robot.manipulators))]
    for arm in robot.manipulators:
        grip, joints = arm.gripper_indices, arm.arm_indices
        found += [
            number_words([arm.base.index, arm.end_effector.index]),
            columns(arm.local_tool_transform),
            number_words([len(grip), grip, len(joints), joints]),
            number_words([len(grip), arm.chucking_direction, arm.direction]),
            _lettered(arm.name),
            _lettered(solver.interface_id if (solver := arm.own_ik_solver) else ""),
        ]
    return " ".join(found) + " "


def _get_sensors(desk: Desk, words: Words) -> str:
    robot = robot_at(desk, words)
    found = [str(len(robot.attached_sensors))]
    for mounted in robot.attached_sensors:
        sensor = mounted.sensor if mounted.has_sensor else None
        found += [
            _lettered(mounted.name),
            str(mounted.link.index),
            columns(mounted.local_transform),
            _lettered(sensor.interface_id if sensor else ""),
            columns(sensor.transform if sensor else np.eye(4)),
        ]
    return " ".join(found) + " "


def _lettered(name: str) -> str:
    """Return a name behind the number of its letters."""
    return f"{len(name)} {name}" if name else "0"


def _set_active(desk: Desk, words: Words) -> None:
    robot = robot_at(desk, words)
    count = words.whole("the number of indices")
    indices = [words.whole("an index") for _ in range(count)]
    affine = Affine(words.whole("the motions of the base"))
    axis = (
        words.row(3, "numbers of the axis") if affine & Affine.ROTATION_AXIS else None
    )
    robot.set_active_dofs(indices, affine, axis)


def _set_manipulator(desk: Desk, words: Words) -> None:
    robot, name = robot_at(desk, words), words.word("the manipulator")
    known = robot.manipulators
    is_index = name.isdecimal() and name not in known.names and int(name) < len(known)
    robot.active_manipulator = known[int(name) if is_index else name]


def _send_to_controller(desk: Desk, words: Words) -> str:
    return _sent(robot_at(desk, words).controller, words)


def _send_to_sensor(desk: Desk, words: Words) -> str:
    return _sent(sensor_at(desk, words), words)


def _sent(item: Any, words: Words) -> str:
    found = item.send_command(words.rest)
    if found is None:
        raise CommandError(f"{item!r} says that {words.rest[:60]!r} failed")
    return cast("str", found)


def _set_controller(desk: Desk, words: Words) -> str:
    robot = robot_at(desk, words)
    words_of_it = f"{words.word('the controller')} {words.rest}"
    robot.set_controller(words_of_it.strip(), control_transform=True)
    return ""


def _configure(desk: Desk, words: Words) -> str:
    sensor, switch = sensor_at(desk, words), words.word("what to switch").lower()
    if switch not in _SWITCHES:
        raise CommandError(f"{switch!r} is none of {', '.join(_SWITCHES)}")
    return str(int(sensor.configure(_SWITCHES[switch])))


def _get_data(desk: Desk, words: Words) -> str:
    sensor = sensor_at(desk, words)
    options = words.whole("options") if words else 0
    data = sensor.last_data() if sensor.power else sensor.read()
    if data is None:
        raise CommandError(f"{sensor!r} has measured nothing yet")
    kind = int(data.sensor_type)
    if isinstance(data, LaserData):
        return f"{kind} {_laser(data, with_intensity=bool(options & 1))}"
    if isinstance(data, CameraData):
        return f"{kind} {_camera(data, sensor)}"
    raise NotSupportedError(
        f"measurements of {sensor!r} have no form in this protocol; JSON-RPC has them"
    )


def _laser(data: LaserData, *, with_intensity: bool) -> str:
    rays = data.ranges
    starts = data.positions
    if len(starts) != len(rays):
        starts = starts[:1] if len(starts) else np.zeros((1, 3))
    light = data.intensity if with_intensity else np.empty(0)
    return number_words([len(rays), len(starts), len(light), rays, starts, light])


def _camera(data: CameraData, sensor: SensorBase) -> str:
    lens = cast("Any", sensor.get_sensor_geometry()).lens
    image = np.asarray(data.image)
    if image.dtype != np.uint8 or image.ndim != 3 or not image.size:
        raise NotSupportedError(
            f"{sensor!r} has no image of bytes; JSON-RPC has what it measured"
        )
    height, width = image.shape[:2]
    colors = np.broadcast_to(image, (height, width, 3)).astype(int).reshape(-1, 3)
    packed = colors @ (1, 256, 65536)
    starts = np.flatnonzero(np.append(True, np.diff(packed)))
    runs = np.diff(np.append(starts, len(packed)))
    return (
        f"{number_words([width, height, lens.fx, lens.fy, lens.cx, lens.cy])} "
        f"{columns(data.pose)} "
        f"{number_words([len(starts), packed[starts], len(runs), runs])}"
    )


def _pose(row: Any) -> Any:
    """Return the pose that a row has, by columns or as quaternion and place."""
    if len(row) != 12:
        return row
    pose = np.eye(4)
    pose[:3] = row.reshape(4, 3).T
    return pose


def _start_trajectory(desk: Desk, words: Words) -> None:
    robot = robot_at(desk, words)
    count = words.whole("the number of points", 1)
    has_times = words.truth("whether times are given")
    placed = words.whole("whether poses are given")
    joints = robot.active_dof_indices
    values = words.row(count * len(joints), "joint values").reshape(count, -1)
    times = words.row(count, "times") if has_times else None
    size = {0: 0, 1: 12, 2: 7}.get(placed, 0)
    poses = words.row(count * size, "numbers of poses").reshape(count, size)
    poses = poses if size else ()
    if times is None and placed:
        raise NotSupportedError("poses of the base are given without times")
    if times is None:
        now = robot.dof_values[joints]
        if np.abs(values[0] - now).max(initial=0.0) > _NEAR:
            values = np.vstack((now, values))
        motion = retime(robot, values, joints)
    else:
        motion = timed(robot, joints, values, times, [_pose(row) for row in poses])
    if not robot.controller.set_path(motion):
        raise CommandError(f"{robot.controller!r} refuses the trajectory")


COMMANDS = (
    TextCommand("robot_controllersend", "robot, command", "what its controller answers",
                _send_to_controller),
    TextCommand("robot_controllerset", "robot, controller and arguments",
                "lets it drive the robot", _set_controller),
    TextCommand("robot_getactivedof", "robot", "how many active values it has",
                lambda desk, words: str(robot_at(desk, words).active.dof)),
    TextCommand("robot_getdofvalues", "robot, indices",
                "the active values, or those of joints", _get_values),
    TextCommand("robot_getlimits", "robot", "how many active values, lower, upper",
                _get_limits),
    TextCommand("robot_getmanipulators", "robot",
                "base, tool, joints, directions and names of each", _get_manipulators),
    TextCommand("robot_getsensors", "robot", "name, link, pose, id and place of each",
                _get_sensors),
    TextCommand("robot_sensorsend", "robot, sensor, command", "what it answers",
                _send_to_sensor),
    TextCommand("robot_sensorconfigure", "robot, sensor, switch", "its state",
                _configure),
    TextCommand("robot_sensordata", "robot, sensor, options",
                "rays of a laser, or the image of a camera", _get_data),
    TextCommand("robot_setactivedofs", "robot, count, indices, base, axis",
                "chooses what is active", _set_active, answers=False),
    TextCommand("robot_setactivemanipulator", "robot, name", "chooses it",
                _set_manipulator, answers=False),
    TextCommand("robot_setdof", "robot, count, values, indices",
                "sets active joints, or those of the indices", _set_values,
                answers=False),
    TextCommand("robot_traj",
                "robot, count, times, poses (1 or 0 each), then the values of these",
                "follows a trajectory of the active joints", _start_trajectory,
                answers=False),
)  # fmt: skip
