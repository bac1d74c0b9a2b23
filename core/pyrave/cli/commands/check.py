"""``pyrave check``: validation of scene files and plugins."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from pyrave.cli.options import LoadingOptions, session
from pyrave.errors import (
    Error,
    Problem,
    SceneError,
    Severity,
    count_problems,
    is_wrong,
)

if TYPE_CHECKING:
    from pyrave.interfaces.collision.report import CollisionPair

_NO_OPTIONS = LoadingOptions()


@dataclass(frozen=True)
class _Checked:
    """A file, what is wrong with it, and what collides at its start if asked for."""

    name: str
    problems: tuple[Problem, ...]
    collisions: list[CollisionPair] | None = None

    @property
    def ok(self) -> bool:
        """True if there are notes at most."""
        return not any(map(is_wrong, self.problems))


def check(
    *files: Path,
    plugin: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    collisions: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    strict: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    loading: LoadingOptions = _NO_OPTIONS,
) -> int:
    """Read and build scene files strictly, or test plugins; print every problem.

    Errors and warnings make a file wrong, notes do not: they are of what is there and
    changes nothing.

    Parameters
    ----------
    files
        Scene, robot and body files.
    plugin
        Name of a plugin or distribution to run the contracts of; may be repeated.
        This needs pytest: pip install 'pyrave[testing]'.
    collisions
        List what collides where the bodies are at the start, also what touches.
    json
        Print the problems as JSON (schema pyrave-check/1).
    strict
        With --collisions: a file in which something collides is wrong. Files are
        always read strictly.
    """
    from pyrave.cli.output import error_console, print_json, print_json_error

    if not files and not plugin:
        text = "nothing to check: name a FILE, or a plugin with --plugin"
        error_console().print(f"[bold red]error:[/bold red] {text}")
        if json:
            print_json_error((Problem(Severity.ERROR, text, code="wrong-usage"),))
        return 2
    found = [_checked(path, loading, collisions=collisions) for path in files]
    reports = [(name, _plugin_report(name)) for name in plugin]
    wrong = [bool(not one.ok or (strict and one.collisions)) for one in found]
    ok = not any(wrong) and all(report.ok for _, report in reports)
    if json:
        print_json(
            {
                "schema": "pyrave-check/1",
                "ok": ok,
                "files": [
                    _file_summary(one, ok=not bad)
                    for one, bad in zip(found, wrong, strict=True)
                ],
                "plugins": [report.to_dict() for _, report in reports],
            }
        )
    else:
        _print(found, [report for _, report in reports])
    return 0 if ok else 1


def _file_summary(checked: _Checked, *, ok: bool) -> dict[str, Any]:
    from pyrave.cli.collisions import pair_summary
    from pyrave.summary import problem_summary

    data = {
        "file": checked.name,
        "ok": ok,
        "problems": [problem_summary(problem) for problem in checked.problems],
    }
    if checked.collisions is not None:
        data["collisions"] = [pair_summary(pair) for pair in checked.collisions]
    return data


def _print(found: list[_Checked], reports: list[Any]) -> None:
    from rich.markup import escape

    from pyrave.cli.collisions import collisions_text
    from pyrave.cli.output import console, print_problems

    out = console()
    for one in found:
        print_problems(one.problems, trace=session.trace)
        lines: list[str] = []
        verdict = count_problems(one.problems) if one.problems else ""
        if one.ok:
            verdict = ", ".join(filter(None, ("[green]ok[/green]", verdict)))
        if one.collisions is not None:
            heading, lines = collisions_text(one.collisions)
            verdict += f", [magenta]{heading}[/magenta]" if lines else f", {heading}"
        out.print(f"{escape(one.name)}: {verdict}", soft_wrap=True)
        for line in lines:
            out.print(f"  {line}", soft_wrap=True, markup=False)
    for report in reports:
        out.print(str(report), soft_wrap=True, markup=False)


def _checked(path: Path, loading: LoadingOptions, *, collisions: bool) -> _Checked:
    """Return the faults that a strict load finds in a file, and its collisions."""
    from pyrave.cli.collisions import find_collisions, require_collisions
    from pyrave.cli.logs import silent

    code = "not-readable"
    try:
        with silent():
            env, report = loading.load(path, strict=True)
            if not collisions:
                return _Checked(str(path), report.problems)
            code = "not-done"
            require_collisions(env)
            pairs = find_collisions(env, env.bodies)
            return _Checked(str(path), report.problems, pairs)
    except SceneError as error:
        problems = error.problems
    except (Error, OSError) as error:
        hint = _plugin_hint(path)
        problems = (Problem(Severity.ERROR, str(error), code=code, hint=hint),)
    return _Checked(str(path), problems)


def _plugin_hint(path: Path) -> str | None:
    """Return a hint at the test of a plugin if a file name is that of one."""
    from pyrave.plugins import default_registry

    name = path.resolve().name
    known = default_registry().report(load=False).distributions
    if name not in {one.name for one in known}:
        return None
    return f"a plugin is tested by pyrave check --plugin {name}"


def _plugin_report(name: str) -> Any:
    from pyrave import testing
    from pyrave.cli.logs import silent

    with silent():
        return testing.check_plugin(name)
