"""Text commands about the environment, its files, modules, drawings and options."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pyrave.errors import CommandError, did_you_mean
from pyrave.interfaces import ModuleBase
from pyrave.scene import RobotDescription
from pyrave_serve.methods.objects import add_made_module
from pyrave_serve.methods.scene import is_server
from pyrave_serve.text.command import TextCommand, number_of
from pyrave_serve.text.words import Words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.bodies import KinBody
    from pyrave.pictures import Drawing
    from pyrave_serve.call_objects import Desk

_log = logging.getLogger("pyrave.serve")
_LEVELS = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG", "DEBUG")
_GREY = (1.0, 0.5, 0.5)


def _load(desk: Desk, words: Words) -> str:
    name = words.word("the file") if words else ""
    clear = words.truth("whether to clear") if words else False
    if clear or not name:
        for module in desk.kept.modules():
            desk.env.remove(module)
        desk.kept.numbers.clear()
        desk.env.reset()
    if name:
        desk.env.load(desk.file(name), **desk.loading)
    return ""


def _create(desk: Desk, words: Words, *, robot: bool) -> str:
    """Load a file with one body, give it a name, and return its number."""
    name, file = words.word("the name"), words.word("the file")
    scene = desk.env.read(desk.file(file), **desk.loading)
    found = scene.bodies
    if len(found) != 1 or (robot and not isinstance(found[0], RobotDescription)):
        kind = "robot" if robot else "body"
        names = ", ".join(one.name for one in found) or "nothing"
        raise CommandError(f"{file!r} holds {names}, expected one {kind}")
    return str(number_of(desk.env.create_body(replace(found[0], name=name))))


def _create_robot(desk: Desk, words: Words) -> str:
    return _create(desk, words, robot=True)


def _create_body(desk: Desk, words: Words) -> str:
    return _create(desk, words, robot=False)


def _list_bodies(desk: Desk, _words: Words) -> str:
    return _listed(desk.env.bodies)


def _list_robots(desk: Desk, _words: Words) -> str:
    return _listed(desk.env.robots)


def _listed(bodies: Iterable[KinBody]) -> str:
    lines = [
        f"{number_of(one)} {one.name} {one.interface_id} {one.uri or 'none'}\n"
        for one in bodies
    ]
    return f"{len(lines)} {' '.join(lines)}"


def _get_body(desk: Desk, words: Words) -> str:
    name = words.word("the name")
    known = desk.env.bodies
    return str(number_of(known[name])) if name in known.names else "0"


def _create_module(desk: Desk, words: Words) -> str:
    alone = words.truth("whether others are destroyed")
    name = words.word("the module")
    made = cast("ModuleBase", desk.env.create("module", name))
    if alone:
        for number, item in tuple(desk.kept.numbers.items()):
            if isinstance(item, ModuleBase) and item.interface_id == made.interface_id:
                _remove_module(desk, number)
    desk.kept.require_room()
    add_made_module(desk, made, words.rest)
    return str(desk.kept.number(made))


def _destroy_module(desk: Desk, words: Words) -> None:
    _remove_module(desk, words.whole("the number of the module"))


def _remove_module(desk: Desk, number: int) -> None:
    module = _module(desk, number)
    del desk.kept.numbers[number]
    desk.env.remove(module)


def _module(desk: Desk, number: int) -> ModuleBase:
    found = desk.kept.numbers.get(number)
    if not isinstance(found, ModuleBase):
        raise CommandError(f"no module has the number {number}")
    return found


def _send_to_module(desk: Desk, words: Words) -> str:
    number = words.whole("the number of the module")
    words.row(2, "0 or 1")
    command = words.rest
    if number:
        return _module(desk, number).send_command(command) or ""
    others = [one for one in desk.env.modules if not is_server(one)]
    return "".join(f"{one.send_command(command) or ''} " for one in others)


def _load_plugin(desk: Desk, words: Words) -> str:
    name = words.word("the plugin")
    search = desk.env.registry.find_plugin(name)
    if not search:
        raise CommandError(f"no installed plugin is called {name[:80]!r}")
    return ""


def _step(desk: Desk, words: Words) -> None:
    desk.env.step(words.number("the time step"))


def _plot(desk: Desk, words: Words) -> str:
    count = words.whole("the number of points", 1)
    points = words.row(3 * count, "numbers of points").reshape(-1, 3)
    tints = words.whole("the number of colours")
    colors = words.row(3 * tints, "numbers of colours").reshape(-1, 3)
    size = words.number("the size")
    style = words.whole("the style")
    clear = words.number("the transparency")
    drawn = _drawn(desk.env.draw, points, colors, size, style, 1.0 - clear)
    return str(desk.kept.number(drawn))


def _drawn(
    draw: Any, points: Any, colors: Any, size: float, style: int, alpha: float
) -> Drawing:
    """Draw as a style says; lines take the colour of the point that they end at."""
    one = colors[0] if len(colors) else np.array(_GREY)
    many = colors if len(colors) == len(points) else np.tile(one, (len(points), 1))
    many = np.column_stack((many, np.full(len(many), alpha)))
    width = min(max(size, 0.1), 100.0)
    match style:
        case 0:
            # its size is in pixels
            found = draw.points(points, color=many, size=0.001 * max(size, 1.0))
        case 1:
            found = draw.line_strip(points, color=many[1:], width=width)
        case 2:
            found = draw.lines(points, color=many[1::2], width=width)
        case 3:
            found = draw.points(points, color=many, size=2.0 * size)
        case 4:
            faces = np.arange(len(points) // 3 * 3).reshape(-1, 3)
            found = draw.mesh(points, faces, color=many[0])
        case _:
            raise CommandError(f"the style is {style}, expected 0 to 4")
    drawing: Drawing = found
    return drawing


def _close(desk: Desk, words: Words) -> None:
    numbers = desk.kept.numbers
    named = [int(number) for number in words.numbers("numbers of drawings")]
    for number in named or list(numbers):
        if not isinstance(numbers.get(number), ModuleBase):
            numbers.pop(number, None)


def _render(_desk: Desk, _words: Words) -> None:
    _log.info("render: viewers show the scene by themselves")


def _set_options(desk: Desk, words: Words) -> None:
    while words:
        name = words.word("the option").lower()
        option = _OPTIONS.get(name)
        if option is None:
            raise CommandError(
                f"no option {name[:80]!r}{did_you_mean(name, _OPTIONS)}; options: "
                f"{', '.join(_OPTIONS)}"
            )
        option(desk, words)


def _physics(desk: Desk, words: Words) -> None:
    name = words.word("the engine") if words else "GenericPhysicsEngine"
    desk.env.physics_engine = name


def _collision(desk: Desk, words: Words) -> None:
    name = words.word("the checker") if words else "Native"
    desk.env.collision_checker = name


def _simulation(desk: Desk, words: Words) -> None:
    if words.word("start or stop").lower() not in {"start", "on"}:
        desk.env.stop()
        return
    dt = words.number("the time step") if words else 0.01
    desk.env.stop()
    desk.env.start(dt)


def _debug(_desk: Desk, words: Words) -> None:
    level = min(words.whole("the level"), len(_LEVELS) - 1)
    logging.getLogger("pyrave").setLevel(_LEVELS[level])


def _gravity(desk: Desk, words: Words) -> None:
    desk.env.gravity = words.row(3, "numbers of gravity")


def _self_collision(_desk: Desk, words: Words) -> None:
    words.word("on or off")
    raise CommandError("links of a body collide as the physics engine's settings say")


def _quit(desk: Desk, _words: Words) -> None:
    desk.close()


def _nothing(_desk: Desk, _words: Words) -> None:
    """Do nothing, as clients ask to see whether anybody is there."""


_OPTIONS = {
    "physics": _physics,
    "collision": _collision,
    "simulation": _simulation,
    "debug": _debug,
    "gravity": _gravity,
    "selfcollision": _self_collision,
    "quit": _quit,
}

COMMANDS = (
    TextCommand("close", "drawings", "erases these, or all", _close, answers=False),
    TextCommand("createrobot", "name, file, type", "the number of a robot in a file",
                _create_robot),
    TextCommand("createbody", "name, file", "the number of a body in a file",
                _create_body),
    TextCommand("createmodule", "1 or 0, module, arguments",
                "the number of a module; 1 removes others of its id first",
                _create_module),
    TextCommand("env_dstrprob", "module", "removes it", _destroy_module, answers=False),
    TextCommand("env_getbodies", "", "how many, then number, name, id and file of each",
                _list_bodies),
    TextCommand("env_getrobots", "", "the same of robots", _list_robots),
    TextCommand("env_getbody", "name", "its number, 0 if there is none", _get_body),
    TextCommand("env_loadplugin", "name", "fails if it is not installed", _load_plugin),
    TextCommand("env_stepsimulation", "seconds, 1 or 0", "advances the environment",
                _step, answers=False),
    TextCommand("loadscene", "file, 1 or 0", "loads it; 1 removes all before, as does "
                "no file", _load),
    TextCommand("plot", "count, points, count, colours, size, style, transparency",
                "the number of what it draws", _plot),
    TextCommand("problem_sendcmd", "module or 0, 0, 0, command",
                "what the module answers, or all of them", _send_to_module),
    TextCommand("render", "start or stop", "does nothing: viewers show the scene",
                _render, answers=False),
    TextCommand("setoptions", "options and their values",
                "sets " + ", ".join(_OPTIONS), _set_options, answers=False),
    TextCommand("test", "", "does nothing", _nothing, answers=False),
)  # fmt: skip
