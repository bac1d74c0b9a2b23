"""Finding installed plugins by their metadata, and importing what it names."""

from __future__ import annotations

import functools
import logging
import operator
import re
from typing import TYPE_CHECKING, Any

import importlib_metadata

from pyrave.errors import PluginGuard, error_text
from pyrave.messages import LOGGER
from pyrave.plugins.records import PluginRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_ON_PYRAVE = re.compile(r"\s*pyrave(?![\w.-]*\w)", re.IGNORECASE)
_REQUIRED = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
# most requirements are of this form, and `packaging` takes long to import
_NUMBERS = re.compile(r"\d+(\.\d+)*")
_CLAUSE = re.compile(r"(>=|<=|>|<)\s*(\d+(?:\.\d+)*)")
_PLAIN = re.compile(
    rf"\s*pyrave\s*\(?\s*((?:{_CLAUSE.pattern}[\s,]*)+)\)?\s*", re.IGNORECASE
)
_COMPARE = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_log = logging.getLogger(f"{LOGGER}.plugins")


def normalize_name(name: str) -> str:
    """Return a distribution's name in lower case with ``-`` as the only separator."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()


def discover(path: Sequence[str] | None = None) -> list[PluginRecord]:
    """Return the entry points of all pyrave groups in `installation_order`.

    Parameters
    ----------
    path
        Folders to look in; None is ``sys.path``. A distribution that is found
        twice (installed, and editable) counts once, as the import system sees it.
    """
    where = {} if path is None else {"path": list(path)}
    found: list[PluginRecord] = []
    seen: set[str] = set()
    for distribution in importlib_metadata.distributions(**where):
        # a damaged package stops no other
        with PluginGuard(_log_damaged):
            # one that hides another of the same name on the path counts even if it
            # offers nothing
            name = _name_of(distribution)
            if name not in seen:
                seen.add(name)
                found += tuple(_entries(distribution))
    return installation_order(found)


def _name_of(distribution: Any) -> str:
    """Return a normalized name, without reading metadata where its folder says it."""
    folder = getattr(getattr(distribution, "_path", None), "name", "")
    stem, dot, _ = folder.rpartition(".")
    return normalize_name(stem.partition("-")[0] if dot else distribution.name)


def _log_damaged(error: BaseException) -> None:
    text = "metadata of an installed package cannot be read: %s"
    _log.warning(text, error_text(error))


def _entries(distribution: Any) -> Iterator[PluginRecord]:
    # the parsers of `importlib_metadata` take three times as long for all packages
    text = distribution.read_text("entry_points.txt") or ""
    if "[pyrave." not in text:
        return  # metadata of most packages is not read
    metadata = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO")
    head = (metadata or "").partition("\n\n")[0]
    lines = [line.partition(":") for line in head.splitlines()]
    said = {key: value.strip() for key, _, value in reversed(lines)}
    requires = tuple(v.strip() for key, _, v in lines if key == "Requires-Dist")
    name, version = said["Name"], said.get("Version", "")
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            group = line.strip("[] ")
        elif group.startswith("pyrave.") and line and line[0] not in "#;":
            key, equals, value = map(str.strip, line.partition("="))
            if not equals:
                raise ValueError(f"{line!r} of {name} is no entry point")
            yield PluginRecord(group, key, value, name, version, requires)


def installation_order(entries: Iterable[PluginRecord]) -> list[PluginRecord]:
    """Return entry points in the order in which they are asked.

    pyrave's own come first, so that nothing overrides them silently; then by name of
    the distribution and of the entry.
    """
    return sorted(
        entries,
        key=lambda entry: (
            normalize_name(entry.distribution) != "pyrave",
            normalize_name(entry.distribution),
            entry.name.lower(),
            entry.name,
            entry.group,
        ),
    )


def unmet_requirement(requires: Iterable[str], version: str) -> str | None:
    """Return the first requirement on pyrave that `version` does not meet, or None.

    Parameters
    ----------
    requires
        Values of ``Requires-Dist`` such as ``"pyrave>=0.1,<2"``. One that is malformed
        or gives an address is left to the installer.
    version
        The version of pyrave.
    """
    return next((one.strip() for one in requires if _is_unmet(one, version)), None)


def _release(version: str) -> list[int]:
    """Return the numbers of a version without zeros at the end."""
    numbers = [int(part) for part in version.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return numbers


@functools.lru_cache(maxsize=1024)
def _is_unmet(line: str, version: str) -> bool:
    if not _ON_PYRAVE.match(line):
        return False
    plain = _PLAIN.fullmatch(line)
    if plain is not None and _NUMBERS.fullmatch(version):
        return not all(
            _COMPARE[sign](_release(version), _release(bound))
            for sign, bound in _CLAUSE.findall(plain[1])
        )
    # late: most processes meet no plugin that is not pyrave's own
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(line)
    except InvalidRequirement:
        return False
    marker = requirement.marker
    if marker is not None and not marker.evaluate({"extra": ""}):
        return False
    return not requirement.specifier.contains(version, prereleases=True)


def requirements(package: str) -> list[str]:
    """Return the names of what an installed package requires, with all its extras."""
    lines: list[str] = []
    with PluginGuard(_log_damaged):
        lines = importlib_metadata.requires(package) or []
    names = (_REQUIRED.match(line) for line in lines)
    return [found[1] for found in names if found is not None]


def load_target(record: PluginRecord) -> Any:
    """Import what an entry point names and return it; raises what the import raises."""
    entry = importlib_metadata.EntryPoint(record.name, record.value, record.group)
    try:
        entry.module  # noqa: B018 - parses the value
    except (ValueError, AssertionError) as error:
        raise ValueError(
            f"{record.value!r} is not of the form 'package.module:Name'"
        ) from error
    return entry.load()
