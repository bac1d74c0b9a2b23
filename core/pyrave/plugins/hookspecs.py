"""Hook specifications: what a module named in group ``pyrave.plugins`` may offer.

A hook module is light: it imports what its hooks need inside them. Its functions have
the names below, are marked with `hookimpl`, and take any of the listed arguments by
name. Modules are imported when the first hook of a process is needed. An
implementation that raises takes its plugin out of use; all others go on.

The first seven hooks are asked once a process and their answers kept.
`pyrave_find_file` is asked whenever a file is not found. The others follow the life of
an environment::

    pyrave_environment_created
        pyrave_interface_created    for each object that env.create or a scene makes
        pyrave_body_added, pyrave_body_removed
        pyrave_viewer_opened
        pyrave_step_begin, pyrave_step_end
    pyrave_environment_closed

Hooks but the first seven may be wrapped: ``@hookimpl(wrapper=True)`` marks a function
with one ``yield``, which gives the results of the others as a list, or the one result
of a hook of which the first answer counts; what it returns is given on.

A package offers hooks of its own to others: functions marked with `hookspec` in a
module that an entry point of group ``pyrave.hookspecs`` names. They are called with
``registry.call_hook(name, ...)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from pyrave.bodies.kinbody import KinBody
    from pyrave.environment import Environment
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.interfaces.viewer import ViewerBase

hookspec = pluggy.HookspecMarker("pyrave")
hookimpl = pluggy.HookimplMarker("pyrave")


@hookspec
def pyrave_interfaces() -> Iterable[tuple[str, str, Callable[..., Any] | str]]:
    """Return ``(interface type, id, factory)`` for aliases and ids of run time.

    A factory that is a string makes the id an alias: it names an id that an entry point
    of the same distribution declares; a `NewName` of `pyrave.former_names` makes it a
    former id, which works with a warning. Other ids that are known beforehand belong
    into the entry-point group of their type, where they are listed without importing
    anything. An id with ``*`` is a pattern: it offers every id that matches and that
    nobody offers by its name. The object is known by the id that was asked for.
    """
    return ()


@hookspec
def pyrave_xml_readers() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    """Return ``(interface type, tag, reader)``.

    `tag` is a child tag of that interface's element, or an interface id: then the
    reader gets the whole element. In the place of a type, ``link``, ``joint`` and
    ``geometry`` mean the parts of a body, ``environment`` the scene: those tags in them
    that nothing else reads.
    A reader is called ``reader(element, context)`` with a read-only lxml element and
    returns a `pyrave.scene.Readable` or None.
    """
    return ()


@hookspec
def pyrave_scene_formats() -> Iterable[Any]:
    """Return scene file formats, see `pyrave.formats.SceneFormat`."""
    return ()


@hookspec
def pyrave_mesh_formats() -> Iterable[Any]:
    """Return mesh file formats, see `pyrave.formats.MeshFormat`."""
    return ()


@hookspec
def pyrave_cli() -> Iterable[tuple[str, Callable[..., Any]]]:
    """Return ``(name, function)`` for each command to add to ``pyrave``.

    The function's typed parameters become arguments and options, its docstring the
    help; an integer that it returns is the exit code.
    """
    return ()


@hookspec
def pyrave_kernels() -> Iterable[tuple[str, Callable[[], object]]]:
    """Return ``(name, function)`` for what ``pyrave warm`` compiles beforehand.

    Each function compiles kernels into the cache, in a process of its own. Those that
    take longest come first.
    """
    return ()


@hookspec
def pyrave_robots() -> Iterable[tuple[str, Callable[[], Mapping[str, Path | str]]]]:
    """Return ``(name, function)`` of catalogues of robots that are loaded by name.

    Each function returns the file of each robot by its name; in the place of a file
    that is not there, a text that says how to get it. It is called when a name is asked
    for that no file has, before arms that are kinematics only; it never goes to a
    network.
    """
    return ()


@hookspec(firstresult=True)
def pyrave_find_file(name: str) -> str | Path | None:
    """Return the file that a scene means by a name, None if it is not yours.

    Asked about names that no folder has, and about those with a scheme of their own,
    such as ``acme://arm.dae``. The first answer counts. What a caller's roots confine
    is confined all the same.
    """


@hookspec
def pyrave_environment_created(env: Environment) -> None:
    """React to a new, empty environment. Keep it weakly if at all."""


@hookspec
def pyrave_environment_closed(env_id: int) -> None:
    """React to the end of an environment.

    Parameters
    ----------
    env_id
        ``id(env)`` of the environment that `pyrave_environment_created` got. The
        object itself no longer exists, and its number may be used again later.
    """


@hookspec
def pyrave_interface_created(env: Environment, interface: InterfaceBase) -> None:
    """React to a new interface object, which is not yet added to anything."""


@hookspec
def pyrave_body_added(env: Environment, body: KinBody) -> None:
    """React to a body or robot that was added to the environment."""


@hookspec
def pyrave_body_removed(env: Environment, body: KinBody) -> None:
    """React to a body or robot that was removed from the environment."""


@hookspec
def pyrave_viewer_opened(viewer: ViewerBase) -> None:
    """React to a viewer that begins to show its environment.

    The place to add a panel: ``viewer.add_button("Go", act, panel="Acme")`` and so on.
    A viewer without such parts raises NotSupportedError. Keep the viewer weakly if at
    all.
    """


@hookspec
def pyrave_step_begin(env: Environment, dt: float) -> None:
    """Act before a simulation step of `dt` seconds; the environment is locked."""


@hookspec
def pyrave_step_end(env: Environment, dt: float) -> None:
    """Act after a simulation step of `dt` seconds; the clock has advanced."""
