"""Search of the plugins that a name means, for example that of a ``<plugin>`` tag."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyrave.errors import Problem, Severity, did_you_mean
from pyrave.plugins.discovery import normalize_name
from pyrave.plugins.records import PluginKind, PluginRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

_LIBRARY = re.compile(r"\.(so|dll|dylib)(\.\d+)*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PluginSearch:
    """The plugins that a name refers to.

    Parameters
    ----------
    name
        The name that was asked for.
    records
        Plugins of that name: an entry point, or all of a distribution.
    problem
        What is wrong, None if the plugins can be used.
    """

    name: str
    records: tuple[PluginRecord, ...]
    problem: Problem | None = None

    def __bool__(self) -> bool:
        return bool(self.records)


def search_plugin(name: str, records: Sequence[PluginRecord]) -> PluginSearch:
    """Find plugins by the name of a distribution or entry point.

    Case, ``-`` against ``_``, and the folder, ``lib`` prefix and ``.so``, ``.dll`` or
    ``.dylib`` suffix of old files do not matter. Nothing is imported, and a path to
    Python code is never run from here: it is found if the caller ran it before.
    """
    text = name.strip()
    if text.lower().endswith(".py"):
        stem = re.split(r"[/\\]", text)[-1][:-3]
        run = tuple(r for r in records if r.kind is PluginKind.PATH and r.name == stem)
        return PluginSearch(name, run, None if run else _path_refused(text))
    library = _LIBRARY.search(text)
    if library or "/" in text or "\\" in text:
        text = re.split(r"[/\\]", _LIBRARY.sub("", text))[-1]
    plain = normalize_name(text)
    wanted = [plain]
    if plain.startswith("lib"):
        wanted.append(plain[3:].lstrip("-"))
    for candidate in wanted:
        found = _matching(candidate, records)
        if found:
            return PluginSearch(name, found, _unusable(name, found))
    known = {r.distribution for r in records} | {
        r.name for r in records if r.kind in {PluginKind.HOOKS, PluginKind.PATH}
    }
    near = did_you_mean(wanted[-1], known - {""})
    problem = Problem(
        Severity.WARNING,
        f"plugin {name!r} is not installed{near}",
        hint="install the package that has it; `pyrave plugins` lists what is there",
        code="unknown-plugin",
    )
    return PluginSearch(name, (), problem)


def _matching(wanted: str, records: Sequence[PluginRecord]) -> tuple[PluginRecord, ...]:
    by_package = [r for r in records if normalize_name(r.distribution) == wanted]
    by_name = [r for r in records if normalize_name(r.name) == wanted]
    hooks = [r for r in by_name if r.kind in {PluginKind.HOOKS, PluginKind.PATH}]
    return tuple(by_package or hooks or by_name)


def _unusable(name: str, records: Sequence[PluginRecord]) -> Problem | None:
    bad = [record for record in records if not record.state.usable]
    if not bad:
        return None
    reasons = "; ".join(f"{r.label} is {r.state.value}: {r.reason}" for r in bad)
    traces = [record.traceback for record in bad if record.traceback]
    return Problem(
        Severity.WARNING,
        f"plugin {name!r} cannot be used in full: {reasons}",
        hint="`pyrave plugins` shows the details",
        traceback="\n".join(traces) or None,
        code="plugin-unusable",
    )


def _path_refused(path: str) -> Problem:
    return Problem(
        Severity.WARNING,
        f"plugin {path!r} is a path to Python code, which a scene may not run",
        hint="install it as a package, or allow this path when you load the scene",
        code="plugin-path-refused",
    )
