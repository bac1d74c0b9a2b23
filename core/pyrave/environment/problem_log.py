"""Messages about the problems of a load: those of one cause together, and once."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePath

from pyrave.errors import Problem, Severity, is_wrong
from pyrave.messages import LOGGER, WARNED, warn

_log = logging.getLogger(LOGGER)
_FEW = 2
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_PACKAGE = re.compile(r"['\"](?:package|model)://([^/'\"]+)/")


def log_problems(problems: Iterable[Problem], kept_in: str) -> None:
    """Log problems of a load, and warn of all together.

    With the level INFO each is logged, and notes; else those of one cause in one line.

    Parameters
    ----------
    kept_in
        Where they are found as data, for people.
    """
    every = list(problems)
    for one in every:
        if not is_wrong(one):
            _log.info("%s", one)
    found = [one for one in every if is_wrong(one)]
    if not found:
        return
    groups = list(_by_cause(found))
    grouped = [_merged(group) for group in groups]
    if _log.isEnabledFor(logging.INFO):
        logged = found
    else:
        logged = [
            _with_way_to_see(one) if len(group) > 1 else one
            for one, group in zip(grouped, groups, strict=True)
        ]
    for problem in logged:
        log_problem(problem, warned=True)
    if len(found) == 1:
        warn(str(found[0]))
    else:
        count = f"{len(found)} problems, the first: " if len(groups) > 1 else ""
        warn(f"{count}{grouped[0]}; all in {kept_in}")


def log_problem(problem: Problem, *, warned: bool = False) -> None:
    """Log a problem with its traceback, as an error if it is one or a plugin failed."""
    serious = problem.traceback or problem.severity is Severity.ERROR
    text = f"{problem}\n{problem.traceback}" if problem.traceback else str(problem)
    level = logging.ERROR if serious else logging.WARNING
    _log.log(level, "%s", text, extra=WARNED if warned else None)


def _by_cause(problems: Iterable[Problem]) -> Iterable[list[Problem]]:
    """Return problems grouped by what is behind them, in the order of their firsts."""
    groups: dict[object, list[Problem]] = {}
    for problem in problems:
        groups.setdefault(_cause(problem), []).append(problem)
    for group in groups.values():
        if len(group) > _FEW:
            yield group
        else:
            yield from ([one] for one in group)


def _cause(problem: Problem) -> object:
    """Return the common part of problems of one cause.

    Names that are unknown are causes of their own, files that are missing are not:
    their package is, or the whole kind.
    """
    if problem.traceback:
        return problem
    kind = problem.severity, problem.code
    if problem.code == "missing-mesh":
        return *kind, _package(problem)
    if problem.code.startswith("unknown-"):
        return *kind, problem.message
    return *kind, _QUOTED.sub("''", problem.message)


def _package(problem: Problem) -> str:
    found = _PACKAGE.search(problem.message)
    return found[1] if found else ""


def _merged(group: list[Problem]) -> Problem:
    """Return one problem that stands for a group, at the place of the first."""
    first, count = group[0], len(group)
    if count == 1:
        return first
    message = _below(first.message, first.file)
    package = _package(first)
    if first.code != "missing-mesh":
        message += f", and {count - 1} more like this"
    elif package:
        message = (
            f"{count} meshes of package {package!r} are missing, the first: {message}"
        )
    else:
        message = f"{count} meshes are missing, the first: {message}"
    return replace(first, message=message)


def _with_way_to_see(problem: Problem) -> Problem:
    """Return a problem that stands for others with what to do to see these."""
    way = "-v or the level INFO lists all"
    return replace(problem, hint=f"{problem.hint}; {way}" if problem.hint else way)


def _below(message: str, scene: str | None) -> str:
    """Return a message that names what lies below the scene's folder from there."""
    folder = "" if scene is None else str(PurePath(scene).parent)
    return message.replace(f"{folder}/", "") if len(folder) > 1 else message
