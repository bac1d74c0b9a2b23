"""The command-line parser: commands, exit codes, errors."""

from __future__ import annotations

import inspect
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Group, Parameter

from pyrave import __version__
from pyrave.cli.commands.check import check
from pyrave.cli.commands.collide import collide, file_first
from pyrave.cli.commands.convert import convert
from pyrave.cli.commands.db import db
from pyrave.cli.commands.demo import demo
from pyrave.cli.commands.dev import dev
from pyrave.cli.commands.doctor import doctor
from pyrave.cli.commands.info import info
from pyrave.cli.commands.new_plugin import new_plugin
from pyrave.cli.commands.part_settings import show
from pyrave.cli.commands.plan import plan
from pyrave.cli.commands.plugins import plugins
from pyrave.cli.commands.robots import robots
from pyrave.cli.commands.run import run as run_scene
from pyrave.cli.commands.scan import scan
from pyrave.cli.commands.serve import serve
from pyrave.cli.commands.view import view
from pyrave.cli.commands.warm import warm
from pyrave.cli.logs import configure_logging, release_logging
from pyrave.cli.names import COMMANDS
from pyrave.cli.options import session
from pyrave.cli.output import error_problems, is_usage, print_error, print_json_error
from pyrave.errors import Error, PluginGuard, error_text

_log = logging.getLogger("pyrave")

_HELP = """OpenRAVE's plugin architecture as a Python package.

Exit codes: 0 all is well, 1 a file, scene or plugin is missing or wrong, 2 an argument
is. Plugins may add commands, which are listed with the others.
"""
_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    demo, info, robots, check, run_scene, scan, collide, plan, db, plugins, new_plugin,
    convert, doctor, warm, view, serve, dev,
)  # fmt: skip


def make_app() -> App:
    """Return the parser with the built-in commands."""
    app = App(
        name="pyrave",
        help=_HELP,
        help_format="markdown",
        version=__version__,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
        default_parameter=Parameter(negative_iterable=()),
    )
    for name, function in zip(COMMANDS, _FUNCTIONS, strict=True):
        _add(app, function, name)
    app.register_install_completion_command(
        help="Install completion for the shell in use.", group=Group("Parameters")
    )
    app.meta.group_parameters = Group("Session", sort_key=10)
    app.meta.suppress_keyboard_interrupt = False

    @app.meta.default
    def launch(
        *words: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
        verbose: Annotated[int, Parameter(name=["--verbose", "-v"], count=True)] = 0,
        quiet: Annotated[int, Parameter(name=["--quiet", "-q"], count=True)] = 0,
    ) -> Any:
        """Set the session up and run a command.

        Parameters
        ----------
        verbose
            Say more; -vv shows everything, with tracebacks.
        quiet
            Say less: errors only; -qq nothing but what --json asks for.
        """
        session.verbosity = verbose - quiet
        configure_logging(session.verbosity)
        given = file_first(words) if words[:1] == ("collide",) else words
        silent = session.is_silent and "--json" not in words
        with _nothing_said() if silent else nullcontext():
            return app(given, exit_on_error=False, print_error=False)

    return app


def _add(app: App, function: Callable[..., Any], name: str) -> None:
    """Add a command whose help begins with the arguments that it takes by name."""
    if function is plugins:
        group = App(name=name, usage=f"{usage_of(function, name)} [show ID...]")
        group.default(function)
        group.command(show)
        app.command(group)
        return
    app.command(function, name=name, usage=usage_of(function, name))


def usage_of(function: Callable[..., Any], name: str) -> str:
    """Return the usage line of a command: which arguments it takes in order."""
    words = ["Usage: pyrave", name, "[OPTIONS]"]
    for one in inspect.signature(function).parameters.values():
        word = one.name.upper().replace("_", "-")
        if one.kind is one.VAR_POSITIONAL:
            words.append(f"[{word}...]")
        elif one.kind in {one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD}:
            words.append(word if one.default is one.empty else f"[{word}]")
    return " ".join(words)


@contextmanager
def _nothing_said() -> Iterator[None]:
    """Drop the text of commands, not their JSON, for a block."""
    null = Path(os.devnull)
    with null.open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        yield


@contextmanager
def _only_json() -> Iterator[None]:
    """Let what plugins print go to standard error, and JSON to standard output."""
    session.json_output = sys.stdout
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        session.json_output = None


def _add_plugin_commands(
    app: App, wanted: str | None, behind: list[str]
) -> frozenset[str]:
    """Add what plugins offer, declared or by a hook; built-in names win.

    Parameters
    ----------
    wanted
        The command that will run: declared ones are imported only then.
    behind
        The words behind it; a command that takes all words as they are gets these, and
        none are left.

    Returns
    -------
    frozenset of str
        Names of the commands that were added.
    """
    from pyrave.plugins import default_registry
    from pyrave.plugins.declared_contributions import DeclaredCommand

    added = set()
    for name, function in default_registry().cli_commands():
        if name in app:
            continue
        with PluginGuard() as guard:
            declared = isinstance(function, DeclaredCommand)
            whole = not declared or name == wanted
            made = _loaded(function) if whole else _listed(function)
            if name == wanted and _takes_words(made):
                made, behind[:] = _of_words(made, tuple(behind)), []
            _add(app, made, name)
            added.add(name)
        if guard.error is not None:
            text = "command %r of a plugin cannot be used: %s"
            _log.warning(text, name, error_text(guard.error))
    return frozenset(added)


def _takes_words(function: Callable[..., Any]) -> bool:
    """Return True for a function of nothing but ``*words``, which reads them itself."""
    parameters = list(inspect.signature(function).parameters.values())
    return [one.kind for one in parameters] == [inspect.Parameter.VAR_POSITIONAL]


def _of_words(
    function: Callable[..., Any], words: tuple[str, ...]
) -> Callable[[], Any]:
    """Return the command of a function with the words that it takes."""

    def command() -> Any:
        return function(*words)

    command.__doc__ = function.__doc__
    return command


def _tell_others(command: str | None) -> None:
    """Report the other plugins that offer a command."""
    from pyrave.plugins import default_registry

    for one in default_registry().report().conflicts:
        if one.kind == "command" and one.name == command:
            _log.warning("%s", one)


def _loaded(function: Any) -> Callable[..., Any]:
    """Return the function of a command, imported if it is declared."""
    found: Callable[..., Any] = getattr(function, "load", lambda: function)()
    return found


def _listed(command: Any) -> Callable[[], None]:
    """Return a stand-in for a list of commands, which imports nothing."""

    def listed() -> None: ...

    listed.__doc__ = command.summary
    return listed


def _tell(error: BaseException, words: list[str]) -> None:
    """Report an error to people, and to programs if they asked for JSON."""
    print_error(error, trace=session.trace and not isinstance(error, CycloptsError))
    if "--json" in words:
        print_json_error(error_problems(error))


def run(words: list[str]) -> int:
    """Run a command line and return its exit code."""
    app = make_app()
    command = next((word for word in words if not word.startswith("-")), None)
    of_plugins: frozenset[str] = frozenset()
    if command is None or command not in app:
        at = len(words) if command is None else words.index(command) + 1
        behind = words[at:]
        of_plugins = _add_plugin_commands(app, command, behind)
        words = words[:at] + behind
        _tell_others(command)
    # a plugin's command prints its own JSON
    is_ours = command is not None and command not in of_plugins
    try:
        with _only_json() if is_ours and "--json" in words else nullcontext():
            result = app.meta(words, exit_on_error=False, print_error=False)
    except BrokenPipeError:
        # whoever reads our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (CycloptsError, Error, OSError) as error:
        _tell(error, words)
        return 2 if is_usage(error) else 1
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if command not in of_plugins:
            raise
        _tell(error, words)
        return 1
    finally:
        release_logging()
    return result if isinstance(result, int) else 0
