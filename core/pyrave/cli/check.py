"""``pyrave check``: whether scene files and plugins are as they should be."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from pyrave.cli.options import LoadingOptions, session
from pyrave.errors import Error, Problem, SceneError, Severity

_NO_OPTIONS = LoadingOptions()


def check(
    *files: Path,
    plugin: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    loading: LoadingOptions = _NO_OPTIONS,
) -> int:
    """Read and build scene files strictly, or test plugins; print every problem.

    Parameters
    ----------
    files
        Scene, robot and body files.
    plugin
        Name of a plugin or distribution to run the contracts of; may be repeated.
        This needs pytest: pip install 'pyrave[testing]'.
    json
        Print the problems as JSON (schema pyrave-check/1).
    """
    from pyrave.cli.output import (
        console,
        counted,
        error_console,
        print_json,
        print_json_error,
        print_problems,
    )
    from pyrave.cli.summary import problem_summary

    if not files and not plugin:
        text = "nothing to check: name a FILE, or a plugin with --plugin"
        error_console().print(f"[bold red]error:[/bold red] {text}")
        if json:
            print_json_error((Problem(Severity.ERROR, text, code="wrong-usage"),))
        return 2
    found = [(str(path), _problems(path, loading)) for path in files]
    reports = [(name, _plugin_report(name)) for name in plugin]
    ok = not any(p for _, p in found) and all(report.ok for _, report in reports)
    if json:
        print_json(
            {
                "schema": "pyrave-check/1",
                "ok": ok,
                "files": [
                    {
                        "file": name,
                        "ok": not problems,
                        "problems": [problem_summary(problem) for problem in problems],
                    }
                    for name, problems in found
                ],
                "plugins": [report.to_dict() for _, report in reports],
            }
        )
        return 0 if ok else 1
    out = console()
    for name, problems in found:
        print_problems(problems, trace=session.trace)
        verdict = counted(len(problems), "problem") if problems else "[green]ok[/green]"
        out.print(f"{name}: {verdict}", soft_wrap=True)
    for _, report in reports:
        out.print(str(report), soft_wrap=True, markup=False)
    return 0 if ok else 1


def _problems(path: Path, loading: LoadingOptions) -> tuple[Problem, ...]:
    """Return what a strict load of a file refuses it for."""
    from pyrave.cli.logs import silent

    try:
        with silent():
            loading.load(path, strict=True)
    except SceneError as error:
        return error.problems
    except (Error, OSError) as error:
        return (Problem(Severity.ERROR, str(error), code="not-readable"),)
    return ()


def _plugin_report(name: str) -> Any:
    from pyrave import testing
    from pyrave.cli.logs import silent

    with silent():
        return testing.check_plugin(name)
