"""The contracts of everything that a distribution or an entry point offers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from pyrave.errors import Error
from pyrave.plugins import default_registry
from pyrave.plugins.discovery import normalize_name, requirements
from pyrave.plugins.user_settings import DISABLE_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from pyrave.plugins import PluginRecord

_MODULE = """\
from pyrave.testing import plugin_contracts

globals().update(plugin_contracts({name!r}))
"""


@dataclass(frozen=True, slots=True)
class ContractResult:
    """Outcome of one test of a contract.

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
    """Outcomes of the tests of a plugin's contracts."""

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
    from pyrave.testing.contracts import PluginContract, contract_of, records_of

    default_registry().load_all()
    classes: dict[str, type] = {}
    tested: list[tuple[str, object]] = []
    for record in records_of(default_registry(), name):
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
    from pyrave.testing.contracts import records_of

    records = records_of(default_registry(), name)
    # the child process sees what this one sees
    environ = {k: v for k, v in os.environ.items() if k != "PYTEST_ADDOPTS"}
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    # another plugin may raise, print or end the process
    blocked = {environ.get(DISABLE_VARIABLE, ""), *_others(records)}
    environ[DISABLE_VARIABLE] = ",".join(sorted(filter(None, blocked)))
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


def _others(records: Iterable[PluginRecord]) -> set[str]:
    """Return patterns that block what plugins do not need of all that is installed."""
    needed = {"pyrave"}
    asked = [record.distribution for record in records]
    while asked:
        package = normalize_name(asked.pop())
        if package not in needed:
            needed.add(package)
            asked += requirements(package)
    known = {normalize_name(one.distribution) for one in default_registry().records()}
    return {f"{package}:*" for package in known - needed - {""}}


def _factory(kind: str, interface: str) -> object:
    """Return a factory of an id's objects, None if it cannot be loaded."""
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
