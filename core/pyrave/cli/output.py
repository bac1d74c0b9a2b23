"""Output of commands: text for people, JSON for programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pyrave.cli.options import session
from pyrave.errors import (
    ArgumentError,
    CommandError,
    Error,
    InterfaceNotFoundError,
    NotFoundError,
    Problem,
    ResourceError,
    SceneError,
    Severity,
    count_problems,
    error_trace,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Item = TypeVar("Item")
_COLOURS = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold magenta",
    Severity.NOTE: "bold cyan",
}
# what is not a terminal gets whole lines: they are for other programs to cut
_WIDE = 160


def console() -> Console:
    """Return the console on the present standard output."""
    return _console(sys.stdout)


def error_console() -> Console:
    """Return the console on the present standard error output."""
    return _console(sys.stderr)


def _console(stream: Any) -> Console:
    from pyrave.cli.terminal import SafeConsole

    wide = not stream.isatty() and "COLUMNS" not in os.environ
    return SafeConsole(
        file=stream,
        highlight=False,
        width=_WIDE if wide else None,
        quiet=session.is_silent,
    )


def progress_console() -> Console:
    """Return the console for what is going on meanwhile, which -q leaves out."""
    out = error_console()
    out.quiet = session.verbosity < 0
    return out


def notice(text: str) -> None:
    """Write something worth knowing to standard error, unless -q is given."""
    if session.verbosity >= 0:
        error_console().print(text, soft_wrap=True, markup=False)


def print_json(data: Any) -> None:
    """Write data as JSON to standard output, and nothing else."""
    from pyrave.summary import to_json

    stream = session.json_output or sys.stdout
    stream.write(to_json(data) + "\n")
    stream.flush()


def error_problems(error: BaseException) -> tuple[Problem, ...]:
    """Return an error as the problems that it is about."""
    if isinstance(error, SceneError):
        return error.problems
    error_of = partial(Problem, Severity.ERROR)
    message = _said(error)
    if isinstance(error, ResourceError):
        hint = error.hint or None
        problem = error_of(error.message, hint=hint, code="not-readable")
    elif is_usage(error):
        problem = error_of(message, code="wrong-usage")
    elif isinstance(error, Error):
        problem = error_of(message, code="not-done")
    elif isinstance(error, OSError):
        problem = error_of(message, code="not-readable")
    else:
        problem = error_of(message, code="plugin-failure")
    return (problem,)


def _said(error: BaseException) -> str:
    """Return the text of an error; a missing word has the name that help shows."""
    from cyclopts import MissingArgumentError

    if isinstance(error, MissingArgumentError) and error.argument is not None:
        missing = error.argument
        if missing.index is not None and error.keyword is None:
            word = missing.name.lstrip("-").upper()
            command = " ".join(("pyrave", *(error.command_chain or ())))
            return f"{word} is missing; `{command} --help` says what it is"
    return str(error) or type(error).__name__


def is_usage(error: BaseException) -> bool:
    """Return True if an argument is wrong, or names what is not there.

    Commands get all their values and names from their arguments: what a scene says
    wrongly is a SceneError, and a file that is missing a ResourceError.
    """
    from cyclopts import CycloptsError

    wrong = ArgumentError, CommandError, NotFoundError, InterfaceNotFoundError
    return isinstance(error, (CycloptsError, *wrong))


def require_folder(out: Path) -> None:
    """Raise ResourceError if there is no folder that a file can be written in."""
    if not out.absolute().parent.is_dir():
        hint = f"make this folder before {out.name} is written in it"
        raise ResourceError(str(out.parent), hint=hint)


def print_json_error(problems: Iterable[Problem]) -> None:
    """Write an error to standard output, for programs that asked for JSON."""
    from pyrave.summary import problem_summary

    found = [problem_summary(problem) for problem in problems]
    print_json({"schema": "pyrave-error/1", "problems": found})


def problem_text(problem: Problem, *, trace: bool = False) -> Text:
    """Return a problem as compilers print theirs, coloured.

    Parameters
    ----------
    trace
        Whether to show the traceback of a plugin's failure, and long messages whole.
    """
    from rich.text import Text

    text = Text()
    if problem.place:
        text.append(f"{problem.place}: ", style="bold")
    text.append(f"{problem.severity.value}: ", style=_COLOURS[problem.severity])
    message = problem.message if trace else problem.message.partition("\n")[0]
    text.append(message.removesuffix(":"))
    if problem.element:
        text.append(f" [{problem.element}]", style="dim")
    if problem.named_at:
        text.append(f" (named at {', '.join(problem.named_at)})", style="dim")
    if problem.hint:
        text.append(f" ({problem.hint})", style="cyan")
    if trace and problem.traceback:
        text.append("\n" + problem.traceback.rstrip(), style="dim")
    return text


def print_problems(problems: Iterable[Problem], *, trace: bool = False) -> None:
    """Write problems to standard error, one a line; with -q errors only."""
    out = error_console()
    for problem in problems:
        if session.verbosity >= 0 or problem.severity is Severity.ERROR:
            out.print(problem_text(problem, trace=trace), soft_wrap=True)


def print_error(error: BaseException, *, trace: bool = False) -> None:
    """Write an error to standard error, with the traceback only if asked for."""
    from rich.text import Text

    out = error_console()
    if trace:
        out.print(Text(error_trace(error).rstrip(), style="dim"), soft_wrap=True)
    if isinstance(error, SceneError):
        errors = [one for one in error.problems if one.severity is Severity.ERROR]
        # strict loads fail for warnings alone
        said = errors if errors and session.verbosity < 0 else error.problems
        for problem in said:
            out.print(problem_text(problem, trace=trace), soft_wrap=True)
        if len(error.problems) > 1:
            out.print(f"{count_problems(error.problems)}; nothing was loaded")
        return
    message = _said(error)
    if not trace:
        message = _without_tracebacks(message)
    text = Text("error: ", style="bold red")
    out.print(text.append(message, style="default"), soft_wrap=True)


def _without_tracebacks(message: str) -> str:
    """Return a message without the tracebacks of plugins that are quoted in it."""
    kept: list[str] = []
    depth: int | None = None
    for line in message.splitlines():
        indent = len(line) - len(line.lstrip())
        if line.lstrip().startswith("Traceback (most recent call last)"):
            depth = indent
            continue
        if depth is not None:
            if indent > depth:
                continue
            depth = None
        kept.append(line)
    if len(kept) < len(message.splitlines()):
        kept.append("(-vv shows the tracebacks)")
    return "\n".join(kept)
