"""Checking everything that a distribution or an entry point offers."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from pyrave.errors import NotFoundError, PluginGuard
from pyrave.plugins import Failure, PluginKind, PluginRecord, default_registry
from pyrave.testing.report import Finding, Outcome, PluginCheckReport, Report
from pyrave.testing.runner import check_interface, checks_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyrave.environment import Environment
    from pyrave.plugins import Registry

__all__ = ["check_plugin", "interfaces_of"]


def interfaces_of(
    name: str, registry: Registry | None = None
) -> tuple[tuple[str, str], ...]:
    """Return (type, id) of all interfaces of a distribution or entry point.

    Raises
    ------
    NotFoundError
        Nothing of that name is installed.
    """
    registry = registry or default_registry()
    registry.load_all()
    return tuple(
        (kind, one)
        for record in _records(name, registry)
        for kind, ids in record.interfaces.items()
        for one in ids
    )


def check_plugin(
    name: str,
    *,
    registry: Registry | None = None,
    env: Environment | None = None,
    arguments: Mapping[str, str] | None = None,
) -> PluginCheckReport:
    """Check all interfaces, hooks, readers and formats of a plugin.

    Parameters
    ----------
    name
        A distribution or an entry point, as in ``<plugin>name</plugin>``.
    registry
        Where it is looked up; None is what is installed.
    env
        A scene to test in, as for `check_interface`.
    arguments
        Interface id -> words to create it with.

    Raises
    ------
    NotFoundError
        Nothing of that name is installed.
    """
    registry = registry or default_registry()
    registry.load_all()
    reports = _interfaces(_records(name, registry), env, dict(arguments or {}))
    # asked for after the tests: a hook may have failed in them
    records = _records(name, registry)
    findings: list[Finding] = []
    for record in records:
        findings.append(_state(record))
        if record.kind is PluginKind.DATA and record.state.usable:
            findings.append(_data(record, registry))
        findings += [_failure(record, failure) for failure in record.failures]
    findings += _readers(records, registry)
    findings += _formats(records, registry)
    return PluginCheckReport(name, tuple(findings), reports)


def _records(name: str, registry: Registry) -> tuple[PluginRecord, ...]:
    found = registry.find_plugin(name).records
    if not found:
        known = {record.distribution for record in registry.records()} - {""}
        raise NotFoundError("plugin", name, sorted(known))
    return found


def _interfaces(
    records: tuple[PluginRecord, ...],
    env: Environment | None,
    arguments: dict[str, str],
) -> tuple[Report, ...]:
    reports = []
    for record in records:
        for kind, ids in record.interfaces.items():
            for one in ids:
                if not record.state.usable:
                    reports.append(_unusable(kind, one, record))
                    continue
                owner = f"{record.distribution}:" if record.distribution else ""
                words = f"{owner}{one} {arguments.get(one, '')}".strip()
                reports.append(check_interface(kind, words, env=env))
    return tuple(reports)


def _unusable(kind: str, interface_id: str, record: PluginRecord) -> Report:
    """Return a report that only says why nothing was checked."""
    reason = f"{record.label} is {record.state.value}"
    names = (check.name for check in checks_for(kind))
    findings = (Finding(name, Outcome.SKIPPED, "", reason) for name in names)
    return Report(kind, interface_id, tuple(findings))


def _state(record: PluginRecord) -> Finding:
    return Finding(
        f"{record.label} can be used",
        Outcome.PASSED if record.state.usable else Outcome.FAILED,
        "The plugin is found, fits this pyrave and can be imported.",
        f"it is {record.state.value}: {record.reason}".removesuffix(": "),
        "repair what the reason says and install the package again",
        record.value,
        record.traceback,
    )


def _failure(record: PluginRecord, failure: Failure) -> Finding:
    return Finding(
        f"{record.label} left no failures",
        Outcome.FAILED,
        "No code of the plugin raises.",
        f"{failure.what}: {failure.message}",
        where=record.value,
        traceback=failure.traceback,
    )


def _data(record: PluginRecord, registry: Registry) -> Finding:
    folders = [folder for folder in registry.data_folders() if folder.is_dir()]
    package = record.value.replace(".", "/")
    there = any(str(folder.as_posix()).endswith(package) for folder in folders)
    return Finding(
        f"{record.label} has its data",
        Outcome.PASSED if there else Outcome.FAILED,
        "A package of group pyrave.data is a folder with files.",
        f"there is no folder of package {record.value}",
        "list the data files in the package's build configuration",
        record.value,
    )


def _readers(
    records: tuple[PluginRecord, ...], registry: Registry
) -> Iterator[Finding]:
    for record in records:
        for kind, tag in record.xml_readers:
            reader: Any = registry.xml_reader(kind, tag)
            problem = "" if reader else "it is not registered"
            if reader:
                try:
                    inspect.signature(reader).bind(None, None)
                except (TypeError, ValueError) as error:
                    problem = str(error)
            yield Finding(
                f"{record.label} reader {kind} <{tag}>",
                Outcome.FAILED if problem else Outcome.PASSED,
                "An XML reader is called as reader(element, context).",
                problem,
                "write def read(element, context) and return a pyrave.Readable",
                record.value,
            )


def _formats(
    records: tuple[PluginRecord, ...], registry: Registry
) -> Iterator[Finding]:
    for record in records:
        for one in registry.scene_formats():
            if one.name in record.scene_formats:
                yield _format("scene", one, record)
        for one in registry.mesh_formats():
            if one.name in record.mesh_formats:
                yield _format("mesh", one, record)


def _format(what: str, one: Any, record: PluginRecord) -> Finding:
    problem = trace = ""
    for head in (b"", b"\x00\xff" * 64, b"<no-such-root/>"):
        answer: Any = None
        with PluginGuard() as guard:
            answer = one.sniff(head)
        if guard.error is not None:
            from pyrave.plugins.slots import format_failure

            problem, trace = format_failure(guard.error)
            break
        if not isinstance(answer, bool) or answer:
            problem = f"sniff({head!r}) returned {answer!r}"
            break
    return Finding(
        f"{record.label} {what} format {one.name}",
        Outcome.FAILED if problem else Outcome.PASSED,
        "sniff(head) is False for bytes that are not of the format, and never raises.",
        problem,
        "look at the first bytes only, and return a bool",
        record.value,
        trace,
    )
