"""Commands of interfaces, modules and engines."""

from __future__ import annotations

from typing import Any

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.interfaces import ModuleBase
from pyrave_serve.call_objects import Desk
from pyrave_serve.methods.kinds import Address
from pyrave_serve.methods.scene import is_server

_ENGINES = ("physicsengine", "collisionchecker")


def commands(desk: Desk, to: Address) -> Any:
    """List the commands of an object.

    Parameters
    ----------
    to
        Which object.

    Returns
    -------
    list
        Objects with ``name``, ``signature`` and ``help``.
    """
    table = desk.interface(to).commands
    return [
        {"name": one.name, "signature": one.signature, "help": one.help}
        for one in table.values()
    ]


def send_command(desk: Desk, to: Address, command: str) -> Any:
    """Send a command as text, as OpenRAVE has it.

    Parameters
    ----------
    to
        Which object.
    command
        The command and its words.

    Returns
    -------
    text
        Its answer; null if the command says that it failed.
    """
    return desk.interface(to).send_command(command)


def call_command(
    desk: Desk, to: Address, command: str, arguments: dict[str, Any] | None = None
) -> Any:
    """Call a command with values by name.

    Parameters
    ----------
    to
        Which object.
    command
        Its name.
    arguments
        Values by the names of its parameters.

    Returns
    -------
    object
        What it returns; a value that is no object is in ``result``.
    """
    return desk.interface(to).send_json_command(command, arguments)


def add_module(desk: Desk, module: str, args: str = "") -> Any:
    """Create a module of an installed plugin and add it.

    Parameters
    ----------
    module
        Its id, and words for its constructor.
    args
        What its ``main`` gets.

    Returns
    -------
    text
        Its name in the environment.
    """
    made = desk.env.create("module", module)
    return add_made_module(desk, made, args)


def use_engine(desk: Desk, kind: str, engine: str) -> None:
    """Replace the physics engine or the collision checker.

    Parameters
    ----------
    kind
        ``physicsengine`` or ``collisionchecker``.
    engine
        Its id, and words for its constructor.
    """
    if kind not in _ENGINES:
        raise ArgumentError(f"kind is {kind!r}, expected one of {', '.join(_ENGINES)}")
    desk.env.add(desk.env.create(kind, engine))


def add_made_module(desk: Desk, made: ModuleBase, args: str) -> str:
    """Add a module that a client asked for, and return its name.

    Raises
    ------
    NotSupportedError
        It is a server: clients open no ports.
    """
    if is_server(made):
        raise NotSupportedError(
            f"{made.interface_id} is a server, which clients cannot start"
        )
    desk.env.add(made, args=args)
    return made.name


METHODS = (commands, send_command, call_command, add_module, use_engine)
