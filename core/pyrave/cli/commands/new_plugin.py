"""``pyrave new-plugin``: a package to start a plugin from."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from pyrave.cli.names import COMMANDS

_HERE = Path()
_Names = Annotated[tuple[str, ...], Parameter(negative="", show_default=False)]


@Parameter(name="*")
@dataclass(frozen=True)
class InterfaceNames:
    """Class names by interface type; each may be repeated.

    Parameters
    ----------
    planner
        Name of a planner class.
    robot
        Name of a robot class.
    sensorsystem
        Name of a sensor system class.
    controller
        Name of a controller class.
    module
        Name of a module class.
    iksolver
        Name of an inverse kinematics solver class.
    kinbody
        Name of a body class.
    physicsengine
        Name of a physics engine class.
    sensor
        Name of a sensor class.
    collisionchecker
        Name of a collision checker class.
    trajectory
        Name of a trajectory class.
    viewer
        Name of a viewer class.
    spacesampler
        Name of a sampler class.
    """

    planner: _Names = ()
    robot: _Names = ()
    sensorsystem: _Names = ()
    controller: _Names = ()
    module: _Names = ()
    iksolver: _Names = ()
    kinbody: _Names = ()
    physicsengine: _Names = ()
    sensor: _Names = ()
    collisionchecker: _Names = ()
    trajectory: _Names = ()
    viewer: _Names = ()
    spacesampler: _Names = ()

    def by_type(self) -> dict[str, list[str]]:
        """Return the names of each type that has any."""
        named = {field.name: list(getattr(self, field.name)) for field in fields(self)}
        return {kind: names for kind, names in named.items() if names}


_NOTHING = InterfaceNames()


def _refuse_own_commands(names: tuple[str, ...]) -> None:
    """Raise an error for names of commands that pyrave itself has."""
    from pyrave.errors import ArgumentError

    for one in names:
        if one in COMMANDS:
            raise ArgumentError(
                f"the command {one!r} is one of pyrave itself; choose another name"
            )


def new_plugin(
    name: str,
    *,
    dir: Path = _HERE,  # noqa: A002 - the option's name
    interfaces: InterfaceNames = _NOTHING,
    scene_format: _Names = (),
    mesh_format: _Names = (),
    command: _Names = (),
    hooks: bool = False,
    data: bool = False,
) -> int:
    """Write a package with a plugin: classes, entry points, a scene and tests.

    Parameters
    ----------
    name
        Name of the new package, for example my-laser.
    dir
        Folder in which the package's folder is made.
    scene_format
        Name of a scene format, which is its suffix, too; may be repeated.
    mesh_format
        Name of a mesh format, which is its suffix, too; may be repeated.
    command
        Name of a command of pyrave; may be repeated.
    hooks
        Write a module with hooks.
    data
        Ship a robot.
    """
    from pyrave.cli.output import console, error_console
    from pyrave.plugins import generator

    wanted = interfaces.by_type()
    parts = generator.PackageParts(scene_format, mesh_format, command, hooks, data)
    if not wanted and parts == generator.PackageParts():
        error_console().print(
            "[bold red]error:[/bold red] nothing to write: name a class, for example "
            "with --sensor MyLaser"
        )
        return 2
    folder = dir / name
    _refuse_own_commands(command)
    generator.new_plugin(name, wanted, folder, parts)
    out = console()
    out.print(f"[bold]{folder}[/bold] is written; now:", soft_wrap=True)
    # the extra is no markup
    out.print(f"  pip install -e '{folder}\\[test]'", soft_wrap=True)
    out.print(f"  pytest {folder}", soft_wrap=True)
    return 0
