"""``pyrave collide``: collisions and distances in a scene."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from pyrave.cli.options import StartOptions, ViewOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.environment import Environment

_NO_OPTIONS = StartOptions()
_NO_VIEW = ViewOptions()
_MAX_DISTANCES = 20
"""Largest number of distances that are printed as text."""


def collide(
    file: Path,
    *,
    robot: str | None = None,
    body: str | None = None,
    dof: Annotated[
        tuple[float, ...] | None, Parameter(negative="", consume_multiple=True)
    ] = None,
    set: Annotated[  # noqa: A002 - the name of the option
        tuple[str, ...], Parameter(negative="", show_default=False)
    ] = (),
    checker: str | None = None,
    distance: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    picture: Path | None = None,
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    strict: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    view: ViewOptions = _NO_VIEW,
    loading: StartOptions = _NO_OPTIONS,
) -> int:
    """List what collides in a scene: pairs of bodies, and bodies with themselves.

    Collisions are a result: the exit code is 0 with them or without.

    Parameters
    ----------
    file
        Scene, robot or body file.
    robot
        Ask about this robot alone: against all other bodies, and itself.
    body
        Ask about this body alone; with --robot: about the two of them.
    dof
        Joint values of the robot, radians or metres, all of them; --robot may be left
        out if there is one robot.
    set
        A joint's value, radians or metres: joint=0.5, or robot/joint=0.5 where several
        have a joint of that name; may be repeated.
    checker
        Id of the collision checker, with settings; by default the scene's.
    distance
        Also print the smallest distance of each body that is asked about to others and
        between its own links. Overlaps are negative, those of meshes that are not
        convex 0.
    picture
        Write a picture (.png, .jpg) of the shapes that are compared: what overlaps is
        red; contacts, also of what touches, and the nearest points of --distance are
        yellow.
    json
        Print JSON (schema pyrave-collide/1).
    strict
        Refuse a file that has warnings.
    """
    from pyrave.cli.collisions import (
        find_collisions,
        find_distances,
        pair_summary,
        require_collisions,
    )
    from pyrave.cli.joints import set_joints
    from pyrave.cli.output import print_json, progress_console, require_folder
    from pyrave.geometry import check_image_file
    from pyrave.kinematics import LimitCheck
    from pyrave.summary import problem_summary

    viewpoint = view.of_picture("--picture", given=picture is not None)
    if picture is not None:
        check_image_file(picture, "--picture")
        require_folder(picture)
    env, report = loading.load(file, strict=strict)
    if checker is not None:
        env.collision_checker = checker
    require_collisions(env)
    asked, other = _asked(env, robot, body)
    if dof is not None:
        _robot(env, robot).set_dof_values(dof, limits=LimitCheck.RAISE)
    set_joints(env, set, LimitCheck.RAISE)
    with progress_console().status("looking for collisions"):
        pairs = find_collisions(env, asked, other)
        distances = find_distances(env, asked, other) if distance else None
    if picture is not None:
        from pyrave.cli.collision_picture import draw_collisions
        from pyrave.geometry import write_image

        write_image(picture, draw_collisions(env, pairs, distances or (), viewpoint))
    if not json:
        _print(file, pairs, distances, picture)
        return 0
    data: dict[str, Any] = {
        "schema": "pyrave-collide/1",
        "uri": report.scene.uri or str(file),
        "checker": env.collision_checker.interface_id,
        "collisions": [pair_summary(pair) for pair in pairs],
        "picture": None if picture is None else str(picture),
        "problems": [problem_summary(problem) for problem in env.problems],
    }
    if distances is not None:
        data["distances"] = distances
    print_json(data)
    return 0


def file_first(words: Sequence[str]) -> Sequence[str]:
    """Return a command line whose ``--dof`` takes no file's name for a joint value.

    Values and what stands behind them go to the end, where options end the list.
    """
    if "--dof" not in words or not words[1].startswith("-"):
        return words
    begin = end = words.index("--dof")
    while end + 1 < len(words) and _is_number(words[end + 1]):
        end += 1
    return [*words[:begin], *words[end + 1 :], *words[begin : end + 1]]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _asked(
    env: Environment, robot: str | None, body: str | None
) -> tuple[list[KinBody], KinBody | None]:
    """Return the bodies that are asked about, and the one that they may meet, or None.

    Raises
    ------
    NotFoundError
        There is no such robot or body.
    ArgumentError
        Both are the same.
    """
    from pyrave.errors import ArgumentError

    other = None if body is None else env.bodies[body]
    if robot is None:
        return (list(env.bodies) if other is None else [other]), None
    chosen = env.robots[robot]
    if other is chosen:
        raise ArgumentError(
            f"--robot and --body are both {robot!r}; one of them is enough"
        )
    return [chosen], other


def _robot(env: Environment, name: str | None) -> Robot:
    """Return the robot whose joints --dof gives."""
    from pyrave.errors import ArgumentError, NotSupportedError

    if name is not None:
        return env.robots[name]
    robots = list(env.robots)
    if not robots:
        raise NotSupportedError(
            "there is no robot in the scene; --set gives joints of any body"
        )
    if len(robots) > 1:
        raise ArgumentError(
            f"--dof is of one robot and the scene has {len(robots)}; choose one with "
            "--robot: " + ", ".join(one.name for one in robots)
        )
    return robots[0]


def _print(
    file: Path, pairs: list[Any], distances: list[Any] | None, picture: Path | None
) -> None:
    from rich.markup import escape

    from pyrave.cli.collisions import collisions_text
    from pyrave.cli.output import console

    out = console()
    heading, lines = collisions_text(pairs)
    tint = "magenta" if lines else "green"
    out.print(f"{escape(str(file))}: [{tint}]{heading}[/{tint}]", soft_wrap=True)
    said = [f"  {line}" for line in lines]
    if distances is not None:
        said += _distance_lines(distances)
    if picture is not None:
        said.append(f"{picture}: written")
    for line in said:
        out.print(line, soft_wrap=True, markup=False)


def _distance_lines(distances: list[dict[str, Any]]) -> list[str]:
    from pyrave.cli.collisions import side_text
    from pyrave.cli.tables import numbers

    if not distances:
        return ["no distance: there is nothing to be near"]
    lines = ["smallest distances:"]
    for one in distances[:_MAX_DISTANCES]:
        names = f"{side_text(one['first'])} x {side_text(one['second'])}"
        ends = " to ".join(f"({numbers(point)})" for point in one["points"])
        # rounding must not look like an overlap
        apart = round(one["distance"], 9) + 0.0
        lines.append(
            f"  {one['body']} to {one['to']}: {apart:.6g} m, {names}, from {ends}"
        )
    if len(distances) > _MAX_DISTANCES:
        lines.append(f"  {len(distances) - _MAX_DISTANCES} more: --json has all")
    return lines
