"""``pyrave db``: databases of a robot in a file: built, told, shown, found, removed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from pyrave.cli.options import LoadingOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyrave.databases import Database, DatabaseStatus
    from pyrave.environment import Environment

Action = Literal["build", "status", "show", "path", "clean", "parameters"]
_NO_OPTIONS = LoadingOptions()


def db(
    action: Action,
    kind: str,
    file: Path | None = None,
    *,
    robot: str | None = None,
    manipulator: str | None = None,
    target: str | None = None,
    sensor: str | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    picture: Path | None = None,
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    loading: LoadingOptions = _NO_OPTIONS,
    **parameters: Annotated[
        str, Parameter(allow_leading_hyphen=True, show_default=False)
    ],
) -> int:
    """Build, find or remove what is computed once and kept: grasps, statistics, ...

    build computes it unless it is there; Ctrl-C keeps what is done, and the next build
    goes on. status says what is there, and the exit code is 1 if that is not whole.
    show prints figures of it and draws it into a picture. path prints where it is, and
    clean removes it. parameters lists those of a kind, without a file.

    Parameters
    ----------
    action
        What to do.
    kind
        For example grasping.
    file
        Scene or robot file.
    robot
        Robot; may be left out if there is one.
    manipulator
        Of the robot; by default the active one.
    target
        The body that is handled.
    sensor
        Of the robot; may be left out if there is one, or the kind needs none.
    workers
        Of build: processes that compute.
    scheduler
        Of build: address of a Dask scheduler whose workers compute, as in
        tcp://10.0.0.1:8786; needs the extra `distributed`.
    picture
        Of show: write a picture (.png, .jpg) of the scene with what was found.
    json
        Print JSON (schema pyrave-db/1).
    parameters
        Those of the kind, as in --friction 0.4; several numbers in quotation marks.
    """
    from pyrave.cli.output import print_json, require_folder
    from pyrave.errors import ArgumentError
    from pyrave.geometry import check_image_file
    from pyrave.plugins import default_registry

    made = default_registry().database_class(kind)
    if action == "parameters":
        return _list_parameters(made, json=json)
    if file is None:
        raise ArgumentError(f"pyrave db {action} {kind} has no FILE")
    if action != "build" and (workers != 1 or scheduler is not None):
        raise ArgumentError(f"--workers and --scheduler are of build, not of {action}")
    if action != "show" and picture is not None:
        raise ArgumentError(f"--picture is of show, not of {action}")
    if picture is not None:
        check_image_file(picture, "--picture")
        require_folder(picture)
    given = _values(made, parameters)
    env, _ = loading.load(file)
    names = {
        "robot": robot, "manipulator": manipulator, "target": target, "sensor": sensor,
    }  # fmt: skip
    database = made(*_subjects(made, env, names), **given)
    data: dict[str, Any] = {"schema": "pyrave-db/1", "action": action}
    if action == "path":
        data["path"] = str(database.path)
    elif action == "clean":
        data |= {"path": str(database.path), "bytes": database.clean()}
    else:
        if action == "build":
            _build(database, workers, scheduler)
        status = database.status()
        if action == "show" or status.is_current:
            database.load()
            data["summary"] = database.summary()
        data |= _status(status, database)
        if picture is not None:
            drawn = database.show()
            env.picture(picture)
            del drawn
            data["picture"] = str(picture)
    if json:
        print_json(data)
    else:
        _print(data)
    return 0 if data.get("is_current", True) else 1


def _build(database: Database, workers: int, scheduler: str | None) -> None:
    """Build, and say what is kept if Ctrl-C is pressed meanwhile."""
    from pyrave.cli.output import notice

    done = (0, 0)

    def note(*now: int) -> None:
        nonlocal done
        done = now[0], now[1]

    try:
        database.build(workers=workers, scheduler=scheduler, progress=note)
    except KeyboardInterrupt:
        notice(
            f"{done[0]} of {done[1]} tasks are kept; the same command goes on with "
            "the others"
        )
        raise


def _values(made: type[Database], texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the parameters that texts say.

    Raises
    ------
    SettingError
        There is no such parameter, or a text says no value of it.
    """
    from pyrave.interfaces import settings_of
    from pyrave.interfaces.settings.declarations import check_names
    from pyrave.interfaces.settings.texts import values_of_texts

    known = settings_of(made.settings_type)
    named = {name.replace("-", "_"): text for name, text in texts.items()}
    check_names(made.kind, known, named)
    return values_of_texts(known, made.kind, named)


def _subjects(
    made: type[Database], env: Environment, names: Mapping[str, str | None]
) -> list[Any]:
    """Return the subjects of a database, of the scene and the names that were given.

    Raises
    ------
    ArgumentError
        A name is given that the kind does not take, or has to be given.
    """
    from pyrave.errors import ArgumentError

    takes = {*made.takes, *(("target", "robot") if "body" in made.takes else ())}
    if {"manipulator", "sensor"} & takes:
        takes.add("robot")
    for role, name in names.items():
        if name is not None and role not in takes:
            raise ArgumentError(
                f"--{role} is given, and {made.kind} is about {', '.join(made.takes)}"
            )
    finders: dict[str, Callable[[], Any]] = {
        "robot": lambda: _robot(env, names["robot"]),
        "manipulator": lambda: _manipulator(env, names),
        "sensor": lambda: _sensor(env, names, optional="sensor" in made.optional),
        "target": lambda: _target(env, names["target"]),
        "body": lambda: _body(env, names),
    }
    return [finders[role]() for role in made.takes]


def _robot(env: Environment, name: str | None) -> Any:
    from pyrave.errors import ArgumentError, NotSupportedError

    if name is not None:
        return env.robots[name]
    robots = list(env.robots)
    if not robots:
        raise NotSupportedError("there is no robot in the scene")
    if len(robots) > 1:
        raise ArgumentError(
            f"the scene has {len(robots)} robots; choose one with --robot: "
            + ", ".join(one.name for one in robots)
        )
    return robots[0]


def _manipulator(env: Environment, names: Mapping[str, str | None]) -> Any:
    robot, name = _robot(env, names["robot"]), names["manipulator"]
    return robot.active_manipulator if name is None else robot.manipulators[name]


def _sensor(
    env: Environment, names: Mapping[str, str | None], *, optional: bool
) -> Any:
    from pyrave.errors import ArgumentError

    robot, name = _robot(env, names["robot"]), names["sensor"]
    if name is not None:
        return robot.attached_sensors[name]
    sensors = list(robot.attached_sensors)
    if len(sensors) == 1:
        return sensors[0]
    if optional:
        return None
    known = ", ".join(one.name for one in sensors) or "none"
    raise ArgumentError(f"choose a sensor of {robot.name} with --sensor: {known}")


def _target(env: Environment, name: str | None) -> Any:
    from pyrave.errors import ArgumentError

    if name is None:
        known = ", ".join(one.name for one in env.bodies if not one.is_robot)
        raise ArgumentError(f"choose a body with --target: {known or 'there is none'}")
    return env.bodies[name]


def _body(env: Environment, names: Mapping[str, str | None]) -> Any:
    """Return a body that may be a robot, too."""
    if names["target"] is None and (names["robot"] is not None or len(env.bodies) > 1):
        return _robot(env, names["robot"])
    bodies = list(env.bodies)
    if names["target"] is None and bodies:
        return bodies[0]
    return _target(env, names["target"])


def _status(status: DatabaseStatus, database: Database) -> dict[str, Any]:
    return {
        "kind": status.kind,
        "key": status.key,
        "path": str(status.path),
        "is_current": status.is_current,
        "problem": status.problem,
        "finished": status.finished,
        "tasks": status.tasks,
        "bytes": status.bytes,
        "seconds": status.seconds,
        "pyrave": status.pyrave,
        "parameters": database.parameters,
    }


def _print(data: Mapping[str, Any]) -> None:
    from pyrave.cli.output import console

    out = console()

    def say(text: str) -> None:
        out.print(text, soft_wrap=True, markup=False)

    if data["action"] == "path":
        say(data["path"])
        return
    if data["action"] == "clean":
        say(f"{data['bytes']:,} bytes removed".replace(",", " "))
        return
    if data["is_current"]:
        say(f"{data['path']}: {data['bytes']:,} bytes".replace(",", " "))
        say(f"  {data['seconds']:.1f} s of processor time, pyrave {data['pyrave']}")
    else:
        say(data["problem"])
    if data["tasks"]:
        say(f"  an unfinished build has {data['finished']} of {data['tasks']} tasks")
    for name, value in data.get("summary", {}).items():
        say(f"  {name}: {f'{value:.6g}' if isinstance(value, float) else value}")
    if "picture" in data:
        say(f"  {data['picture']}: written")


def _list_parameters(made: type[Database], *, json: bool) -> int:
    from rich.markup import escape
    from rich.table import Table

    from pyrave.cli.output import console, print_json
    from pyrave.interfaces import settings_of

    found = [one.to_dict() for one in settings_of(made.settings_type).values()]
    if json:
        about = {"kind": made.kind, "about": list(made.takes), "parameters": found}
        print_json({"schema": "pyrave-db/1", "action": "parameters", **about})
        return 0
    out = console()
    out.print(f"[bold]{escape(made.kind)}[/bold] is about: {', '.join(made.takes)}")
    table = Table(box=None, pad_edge=True)
    columns = ("name", "type", "default_text", "unit", "range", "help")
    for column in ("name", "type", "default", "unit", "range", "meaning"):
        table.add_column(column, overflow="fold")
    for one in found:
        table.add_row(*(escape(str(one[key])) for key in columns))
    out.print(table)
    return 0
