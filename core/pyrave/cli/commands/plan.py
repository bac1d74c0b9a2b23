"""``pyrave plan``: a verified motion to a goal, or the obstacles."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from pyrave.cli.options import StartOptions, ViewOptions
from pyrave.files import write_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.bodies.manipulator import Manipulator
    from pyrave.bodies.robot import Robot
    from pyrave.environment import Environment
    from pyrave.interfaces import TrajectoryBase
    from pyrave.planning import PlanFailure, PlanResult

_NO_OPTIONS = StartOptions()
_NO_VIEW = ViewOptions()
_ENDINGS = {
    "out": (".xml", ".bin"),
    "picture": (),
    "plot": (),
    "record": (".html", ".mp4", ".mkv", ".webm", ".gif"),
}


def plan(
    file: Path,
    *,
    robot: str | None = None,
    manipulator: str | None = None,
    goal: Annotated[
        tuple[str, ...],
        Parameter(negative="", show_default=False, allow_leading_hyphen=True),
    ] = (),
    pose: Annotated[
        tuple[str, ...],
        Parameter(negative="", show_default=False, allow_leading_hyphen=True),
    ] = (),
    set: Annotated[  # noqa: A002 - the name of the option
        tuple[str, ...], Parameter(negative="", show_default=False)
    ] = (),
    planner: str | None = None,
    checker: str | None = None,
    seed: int = 0,
    timeout: float = 5.0,
    speed: float = 1.0,
    out: Path | None = None,
    picture: Path | None = None,
    plot: Path | None = None,
    record: Path | None = None,
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    strict: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    view: ViewOptions = _NO_VIEW,
    loading: StartOptions = _NO_OPTIONS,
) -> int:
    """Plan a motion of a robot to a goal, or say what is in the way.

    The exit code is 0 if there is a motion, and 1 if there is none.

    Parameters
    ----------
    file
        Scene or robot file.
    robot
        Who moves; may be left out if there is one robot.
    manipulator
        Whose joints move; by default those of the active manipulator, and without any
        all joints of the robot.
    goal
        Joint values in quotation marks, radians or metres: all of the arm, "0 0.5 1.2",
        or some by name, "joint1=0.5 joint4=1". Or the name of a configuration of the
        robot. Repeated: any of them will do.
    pose
        A pose of the tool in the world, "qw qx qy qz x y z", metres; may be repeated.
    set
        A joint's value at the start, radians or metres: joint=0.5, or body/joint=0.5
        where several have a joint of that name; may be repeated.
    planner
        Id of the planner, with settings in quotation marks: "RRTstar range=0.5".
    checker
        Id of the collision checker, with settings; by default the scene's.
    seed
        Of everything random.
    timeout
        Seconds that planning may take.
    speed
        Part of the velocity and acceleration limits that is used, above 0 to 1.
    out
        Write the trajectory: OpenRAVE's XML (.xml) or binary form (.bin).
    picture
        Write a picture (.png, .jpg) of the robot at the end, with the way of the tool.
    plot
        Picture (.png, .jpg, .svg, .pdf) of values, velocities and accelerations over
        time with their limits; needs the extra `plot`.
    record
        Page (.html) that replays the motion, needs the extra `viewer`; or a video
        (.mp4, .mkv, .webm, .gif), needs ffmpeg, which the extra `video` brings.
    json
        Print JSON (schema pyrave-plan/2).
    strict
        Refuse a file that has warnings.
    """
    from pyrave.cli.joints import set_joints
    from pyrave.cli.output import print_json
    from pyrave.kinematics import LimitCheck

    _check_files({"out": out, "picture": picture, "plot": plot, "record": record})
    drawn = picture is not None or record is not None
    viewpoint = view.of_picture("--picture or --record", given=drawn)
    env, _ = loading.load(file, strict=strict)
    if checker is not None:
        env.collision_checker = checker
    planner = planner or env.registry.default_id("planner")
    mover = _mover(env, robot, manipulator)
    set_joints(env, set, LimitCheck.RAISE)
    goals = _goals(goal, pose, mover)
    result = env.plan(
        mover, goals, planner=planner, seed=seed, timeout=timeout, speed=speed
    )
    written = []
    if result:
        trajectory = result.trajectory
        if out is not None:
            _write(out, trajectory)
        if picture is not None:
            with env.preserve_state():
                _move_to_end(_robot_of(mover), trajectory)
                env.picture(picture, trajectory=trajectory, **vars(viewpoint))
        if plot is not None:
            trajectory.plot(plot, body=_robot_of(mover), relative=True)
        if record is not None:
            env.record(record, trajectory, **vars(viewpoint))
        written = [one for one in (out, picture, plot, record) if one is not None]
    if json:
        print_json(_data(mover, planner, seed, result, written))
    else:
        _print(mover, result, written)
    return 0 if result else 1


def _check_files(files: dict[str, Path | None]) -> None:
    from pyrave.cli.output import require_folder
    from pyrave.errors import ArgumentError
    from pyrave.geometry import check_image_file

    for name, path in files.items():
        if path is None:
            continue
        if name == "picture":
            check_image_file(path, "--picture")
        endings = _ENDINGS[name]
        if endings and path.suffix.lower() not in endings:
            raise ArgumentError(
                f"--{name} is {path.name!r}, expected a name in {' or '.join(endings)}"
            )
        require_folder(path)
    if files["plot"] is not None:
        from pyrave.cli.motion import require_endings

        require_endings(None, files["plot"])


def _mover(
    env: Environment, name: str | None, manipulator: str | None
) -> Robot | Manipulator:
    from pyrave.errors import ArgumentError, NotSupportedError

    robots = list(env.robots)
    if name is not None:
        robots = [env.robots[name]]
    if not robots:
        raise NotSupportedError("there is no robot in the scene to plan for")
    if len(robots) > 1:
        raise ArgumentError(
            f"the scene has {len(robots)} robots; choose one with --robot: "
            + ", ".join(one.name for one in robots)
        )
    (robot,) = robots
    if manipulator is not None:
        return robot.manipulators[manipulator]
    return robot.active_manipulator if robot.manipulators else robot


def _robot_of(mover: Robot | Manipulator) -> Robot:
    from pyrave.bodies import Robot

    return mover if isinstance(mover, Robot) else mover.robot


_NO_NAMES = (
    "the robot has no named ones; give joint values, JOINT=VALUE, or --pose qw qx qy "
    "qz x y z"
)


def _goals(
    values: tuple[str, ...], poses: tuple[str, ...], mover: Robot | Manipulator
) -> list[Any]:
    from pyrave.errors import ArgumentError, NotFoundError
    from pyrave.spatial import pose_from_wxyz_xyz

    goals: list[Any] = []
    named = _robot_of(mover).configurations
    for text in values:
        words = text.replace(",", " ").split()
        if text.strip() in named:
            goals.append(text.strip())
        elif any("=" in word for word in words):
            pairs = [word.partition("=") for word in words]
            goals.append({one: _numbers(value, text)[0] for one, _, value in pairs})
        else:
            try:
                goals.append(_by_name(_numbers(text, text), mover))
            except ArgumentError:
                if len(words) != 1:
                    raise
                if not named:
                    message = f"no configuration {text!r}: {_NO_NAMES}"
                    raise ArgumentError(message) from None
                raise NotFoundError("configuration", text, named) from None
    for text in poses:
        numbers = _numbers(text, text)
        if len(numbers) != 7:
            raise ArgumentError(f"--pose is {text!r}, expected qw qx qy qz x y z")
        goals.append(pose_from_wxyz_xyz(numbers))
    if not goals:
        raise ArgumentError("there is no goal; give one with --goal or --pose")
    return goals


def _by_name(values: list[float], mover: Robot | Manipulator) -> dict[str, float]:
    """Return joint values by name: seven bare numbers might be a pose."""
    from pyrave.bodies import Robot
    from pyrave.errors import ArgumentError

    robot = _robot_of(mover)
    names: Sequence[str] = robot.active.names
    if not isinstance(mover, Robot):
        names = [robot.dof_names[i] for i in mover.arm_indices.tolist()]
    if len(values) != len(names):
        raise ArgumentError(
            f"--goal has {len(values)} numbers, expected {len(names)} values "
            f"({', '.join(names)}); a pose is given by --pose"
        )
    return dict(zip(names, values, strict=True))


def _numbers(text: str, whole: str) -> list[float]:
    from pyrave.errors import ArgumentError

    try:
        numbers = [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        numbers = []
    if not numbers:
        raise ArgumentError(f"the goal {whole!r} has {text!r}, expected numbers")
    return numbers


def _move_to_end(robot: Robot, trajectory: TrajectoryBase) -> None:
    """Put a robot where a trajectory ends."""
    from pyrave.kinematics import LimitCheck

    spec, row = trajectory.spec, trajectory.sample(trajectory.duration)
    pose = spec.extract_transform(row, robot, robot.transform)
    if pose is not None:
        robot.transform = pose
    values = spec.extract_joint_values(
        row, robot, range(robot.dof), default=robot.dof_values
    )
    if values is not None:
        robot.set_dof_values(values, limits=LimitCheck.NONE)


def _write(path: Path, trajectory: TrajectoryBase) -> None:
    is_xml = path.suffix.lower() == ".xml"
    write_file(path, trajectory.to_xml(17) if is_xml else trajectory.to_bytes())


def _data(
    mover: Robot | Manipulator,
    planner: str,
    seed: int,
    result: PlanResult,
    written: list[Path],
) -> dict[str, Any]:
    robot, cost = _robot_of(mover), result.statistics
    return {
        "schema": "pyrave-plan/2",
        "robot": robot.name,
        "manipulator": None if mover is robot else mover.name,
        "planner": planner,
        "seed": seed,
        "found": bool(result),
        "status": {
            "code": int(result.status.code),
            "description": result.status.description,
        },
        "cause": result.cause,
        "failure": None if result.failure is None else _failure(result.failure),
        "path": result.path,
        "duration": result.trajectory.duration if result else None,
        "statistics": {
            "iterations": cost.iterations,
            "checks": cost.checks,
            "goals": cost.goals,
            "seconds": cost.seconds,
            "length": cost.length,
            "straight_length": cost.straight_length,
            "gap": cost.gap if math.isfinite(cost.gap) else None,
        },
        "written": [str(path) for path in written],
    }


def _failure(cause: PlanFailure) -> dict[str, Any]:
    from pyrave.cli.collisions import pair_summary

    return {
        "code": cause.code.value,
        "text": cause.text,
        "hint": cause.hint,
        "collisions": [pair_summary(pair) for pair in cause.pairs],
        "limits": [
            {
                "name": one.name,
                "value": one.value,
                "lower": one.lower,
                "upper": one.upper,
            }
            for one in cause.limits
        ],
        "reasons": cause.reasons,
        "obstacles": [
            {"name": one.name, "share": one.share} for one in cause.obstacles
        ],
    }


def _print(mover: Robot | Manipulator, result: PlanResult, written: list[Path]) -> None:
    from pyrave.cli.output import console

    robot = _robot_of(mover)
    name = robot.name if mover is robot else f"{robot.name}/{mover.name}"
    out = console()
    if result:
        out.print(f"{name}: {result}", soft_wrap=True, markup=False)
    else:
        cause = result.failure
        assert cause is not None  # noqa: S101 - what is no plan has one
        line = f"{name}: [magenta]{cause.code.value}[/magenta]"
        out.print(line, soft_wrap=True)
        for text in str(cause).splitlines():
            out.print(f"  {text}", soft_wrap=True, markup=False)
    for path in written:
        out.print(f"  {path}: written", soft_wrap=True, markup=False)
