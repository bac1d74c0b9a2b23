"""The contracts of everything that a distribution or an entry point offers."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from xml.etree import ElementTree as ET

from pyrave.errors import Error, NotFoundError
from pyrave.plugins import PluginKind, default_registry

if TYPE_CHECKING:
    from collections.abc import Container

    from pyrave.plugins import PluginRecord

_MODULE = """\
from pyrave.testing import plugin_contracts

globals().update(plugin_contracts({name!r}))
"""


class PluginContract:
    """What a plugin promises besides its interfaces: hooks, readers, formats, data."""

    plugin: ClassVar[str]
    """A distribution or an entry point."""

    @property
    def records(self) -> tuple[PluginRecord, ...]:
        """What is known about the plugin's entry points."""
        return _records(self.plugin)

    def test_usable(self) -> None:
        """The plugin is found, fits this pyrave and can be imported."""
        for one in self.records:
            text = f"{one.label} is {one.state.value}: {one.reason}\n{one.traceback}"
            assert one.state.usable, text

    def test_data(self) -> None:
        """A package of group pyrave.data is a folder with files."""
        folders = [
            f.as_posix() for f in default_registry().data_folders() if f.is_dir()
        ]
        for one in self.records:
            if one.kind is PluginKind.DATA and one.state.usable:
                package = one.value.replace(".", "/")
                fix = f"list the data of {package} in the package's build configuration"
                assert any(folder.endswith(package) for folder in folders), fix

    def test_readers(self) -> None:
        """An XML reader is called as reader(element, context)."""
        for kind, tag in (pair for one in self.records for pair in one.xml_readers):
            reader: Any = default_registry().xml_reader(kind, tag)
            assert reader is not None, f"the reader of {kind} <{tag}> is not registered"
            inspect.signature(reader).bind(None, None)

    def test_formats(self) -> None:
        """sniff(head) is False for bytes that are not of the format."""
        registry = default_registry()
        formats = [*registry.scene_formats(), *registry.mesh_formats()]
        own = {
            name for r in self.records for name in (*r.scene_formats, *r.mesh_formats)
        }
        for one in (one for one in formats if one.name in own):
            for head in (b"", b"\x00\xff" * 64, b"<no-such-root/>"):
                answer: Any = one.sniff(head)
                assert answer is False, f"{one.name}.sniff({head!r}) is {answer!r}"

    def test_no_failures(self) -> None:
        """No code of the plugin raised, in these tests or before."""
        failures = [failure for one in self.records for failure in one.failures]
        text = "\n".join(f"{f.what}: {f.message}\n{f.traceback}" for f in failures)
        assert not text, text


@dataclass(frozen=True, slots=True)
class ContractResult:
    """How one test of a contract ended.

    Parameters
    ----------
    test
        Class and function: ``"TestSensorMyLaser::test_pose"``.
    outcome
        ``"passed"``, ``"failed"`` or ``"skipped"``.
    message
        What was seen, or why the test does not apply.
    details
        The report of pytest: the contract, the assertion, where to look.
    """

    test: str
    outcome: str
    message: str = ""
    details: str = ""


@dataclass(frozen=True, slots=True)
class PluginCheckReport:
    """How the tests of a plugin's contracts ended."""

    name: str
    results: tuple[ContractResult, ...]

    @property
    def ok(self) -> bool:
        """True if nothing failed."""
        return not self.of("failed")

    def of(self, outcome: str) -> tuple[ContractResult, ...]:
        """Return the results with an outcome."""
        return tuple(one for one in self.results if one.outcome == outcome)

    def __str__(self) -> str:
        counts = Counter(one.outcome for one in self.results)
        lines = [
            f"plugin {self.name!r} {'conforms' if self.ok else 'does not conform'}: "
            + ", ".join(f"{counts[k]} {k}" for k in ("passed", "failed", "skipped"))
        ]
        lines += (f"FAILED {f.test}\n{f.details}" for f in self.of("failed"))
        reasons: dict[str, list[str]] = {}
        for one in self.of("skipped"):
            reasons.setdefault(one.message, []).append(one.test)
        lines += (f"SKIPPED {', '.join(t)}: {why}" for why, t in reasons.items())
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        results = [asdict(one) for one in self.results]
        return {"name": self.name, "ok": self.ok, "results": results}


def plugin_contracts(name: str) -> dict[str, type]:
    """Return test classes for every interface of a plugin, and for the plugin itself.

    In a test module: ``globals().update(plugin_contracts("my-laser"))``.

    Parameters
    ----------
    name
        A distribution or an entry point, as in ``<plugin>name</plugin>``.

    Raises
    ------
    NotFoundError
        Nothing of that name is installed.
    NotSupportedError
        pytest is not installed.
    """
    from pyrave.testing.contracts import contract_of

    default_registry().load_all()
    classes: dict[str, type] = {}
    tested: list[tuple[str, object]] = []
    for record in _records(name):
        owner = f"{record.distribution}:" if record.distribution else ""
        for kind, one in ((k, i) for k, ids in record.interfaces.items() for i in ids):
            # ids of one class need one test; a pattern is no id
            made_by = kind, _factory(kind, owner + one)
            if "*" in one or (made_by[1] is not None and made_by in tested):
                continue
            tested.append(made_by)
            title = _free("Test" + re.sub(r"\W", "_", f"{kind.title()}{one}"), classes)
            body = {"interface": owner + one, "__doc__": f"{kind} {one}."}
            classes[title] = type(title, (contract_of(kind),), body)
    # last: a hook may fail in the other tests
    classes["TestPlugin"] = type("TestPlugin", (PluginContract,), {"plugin": name})
    return classes


def check_plugin(name: str) -> PluginCheckReport:
    """Run the contracts of all that a plugin offers, with pytest in a process.

    Parameters
    ----------
    name
        A distribution or an entry point, as in ``<plugin>name</plugin>``.

    Raises
    ------
    NotFoundError
        Nothing of that name is installed.
    NotSupportedError
        pytest is not installed.
    """
    import pyrave.testing.contracts as _  # noqa: F401 - it demands pytest

    _records(name)
    # the child process sees what this one sees
    environ = {k: v for k, v in os.environ.items() if k != "PYTEST_ADDOPTS"}
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        module = place / "test_plugin.py"
        module.write_text(_MODULE.format(name=name), encoding="utf-8")
        done = subprocess.run(  # noqa: S603 - this interpreter and our own arguments
            [
                *(sys.executable, "-P", "-m", "pytest", "-q", "--tb=short"),
                *("-p", "pyrave.testing.pytest_plugin", "-p", "no:cacheprovider"),
                *("--import-mode=importlib", "--junit-xml=report.xml", str(module)),
            ],
            cwd=place,
            env=environ,
            check=False,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
        )
        report = place / "report.xml"
        if done.returncode > 1 or done.returncode < 0 or not report.is_file():
            text = f"the tests ended with code {done.returncode}"
            broken = ContractResult("pytest", "failed", text, done.stdout + done.stderr)
            return PluginCheckReport(name, (broken,))
        cases = ET.parse(report).iter("testcase")  # noqa: S314 - pytest wrote it
        return PluginCheckReport(name, tuple(map(_result, cases)))


def _records(name: str) -> tuple[PluginRecord, ...]:
    registry = default_registry()
    found = registry.find_plugin(name).records
    if not found:
        known = {record.distribution for record in registry.records()} - {""}
        raise NotFoundError("plugin", name, sorted(known))
    return found


def _factory(kind: str, interface: str) -> object:
    """Return what makes objects of an id, None if it cannot be loaded."""
    try:
        return default_registry().provider(kind, interface).load()
    except Error:  # a test says why
        return None


def _free(title: str, taken: Container[str]) -> str:
    """Return a name of a class, with a number if ids differ only in punctuation."""
    numbered = (f"{title}_{number}" for number in count(2))
    return next(name for name in chain((title,), numbered) if name not in taken)


def _result(case: ET.Element) -> ContractResult:
    owner = case.get("classname", "").rpartition(".")[2]
    test = f"{owner}::{case.get('name', '')}"
    for tag in ("failure", "error", "skipped"):
        found = case.find(tag)
        if found is not None:
            outcome = "skipped" if tag == "skipped" else "failed"
            return ContractResult(
                test, outcome, found.get("message", ""), found.text or ""
            )
    return ContractResult(test, "passed")
