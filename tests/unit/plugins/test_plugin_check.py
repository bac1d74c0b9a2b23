"""Reports of `check_plugin` on good, broken and missing plugins."""

from __future__ import annotations

import builtins
import json
import sys

import pytest

import pyrave.testing.plugin_check as kit
from pyrave.errors import ArgumentError, NotFoundError, NotSupportedError
from pyrave.interfaces.types import INTERFACE_TYPES
from pyrave.testing import check_plugin, contract_of, plugin_contracts

SLIPPING = """
import pyrave


class Slip(pyrave.ModuleBase):
    "It fails where nobody looks."
    contract = 1

    def destroy(self):
        self.env.registry.report_failure(self, ValueError("banana"), "destroy")
"""

CRASHING = """
import os
import pyrave


class Crash(pyrave.ModuleBase):
    contract = 1

    def main(self, args):
        os._exit(17)
"""


def rules(kind):
    return {name for name in dir(contract_of(kind)) if name.startswith("test_")}


def test_every_type_has_a_contract_of_its_own():
    common = set.intersection(*(rules(kind) for kind in INTERFACE_TYPES))
    for kind in INTERFACE_TYPES:
        assert contract_of(kind).interface_type == kind
        assert len(rules(kind) - common) >= 2
        for name in rules(kind):
            assert (
                getattr(contract_of(kind), name).__doc__.partition("\n")[0][-1] == "."
            )
    assert contract_of("probleminstance") is contract_of("module")
    with pytest.raises(ArgumentError, match="did you mean 'sensor'"):
        contract_of("sensr")


def test_unknown_plugin():
    with pytest.raises(NotFoundError, match="no plugin 'acme_nobody'"):
        check_plugin("acme_nobody")


def test_pytest_is_needed(monkeypatch):
    real = builtins.__import__

    def importing(name, *rest):
        if name == "pytest":
            raise ModuleNotFoundError(name)
        return real(name, *rest)

    for name in [
        one for one in sys.modules if one.startswith(f"{kit.__package__}.con")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", importing)
    with pytest.raises(NotSupportedError, match=r"pip install 'pyrave\[testing\]'"):
        check_plugin("IdealController")


def test_ids_that_differ_in_punctuation_have_contracts_of_their_own(site, monkeypatch):
    module = "import pyrave\n\nclass {}(pyrave.ModuleBase):\n    contract = 1\n"
    site.distribution(
        "twins",
        {"pyrave.module": {"My-Task": "twins:One", "My_Task": "twins:Two"}},
        sources={"twins": module.format("One") + module.format("Two")},
    )
    registry = site.registry()
    monkeypatch.setattr(kit, "default_registry", lambda: registry)
    classes = plugin_contracts("twins")
    assert {name: getattr(one, "interface", "") for name, one in classes.items()} == {
        "TestModuleMy_Task": "twins:My-Task",
        "TestModuleMy_Task_2": "twins:My_Task",
        "TestPlugin": "",
    }


@pytest.mark.slow
def test_good_plugin():
    report = check_plugin("IdealController")
    assert report.ok, str(report)
    assert not report.of("skipped")
    assert {one.test for one in report.of("passed")} > {
        *("TestControllerIdealController::test_idle", "TestPlugin::test_usable"),
    }
    assert "conforms: " in str(report)
    assert json.loads(json.dumps(report.to_dict()))["ok"] is True


@pytest.mark.slow
def test_a_plugin_that_cannot_be_imported_fails_once(site, monkeypatch):
    site.distribution(
        "broken-one",
        {"pyrave.sensor": {"Lidar": "broken_one:Lidar"}},
        sources={"broken_one": "import no_such_library\n"},
    )
    monkeypatch.setattr(kit, "default_registry", site.registry)
    report = check_plugin("broken-one")
    assert not report.ok
    assert {one.test.partition("::")[2] for one in report.of("failed")} == {
        *("test_loads", "test_usable"),
    }
    assert all("no_such_library" in one.details for one in report.of("failed"))
    (reason,) = {one.message for one in report.of("skipped")}
    assert reason.startswith("no object to test: ")
    assert {one.test for one in report.of("passed")} == {
        f"TestPlugin::test_{rule}" for rule in ("data", "readers", "formats")
    }


@pytest.mark.slow
def test_a_plugin_that_ends_the_process_is_reported(site, monkeypatch):
    site.distribution(
        "crashing",
        {"pyrave.module": {"Crash": "crashing:Crash"}},
        sources={"crashing": CRASHING},
    )
    monkeypatch.setattr(kit, "default_registry", site.registry)
    report = check_plugin("crashing")
    assert not report.ok
    assert "ended with code 17" in str(report.to_dict())
    assert "does not conform" in str(report)


@pytest.mark.slow
def test_a_failure_that_somebody_caught_fails_the_test_in_which_it_happened(
    site, monkeypatch
):
    site.distribution(
        "slipping",
        {"pyrave.module": {"Slip": "slipping:Slip"}},
        sources={"slipping": SLIPPING},
    )
    monkeypatch.setattr(kit, "default_registry", site.registry)
    report = check_plugin("slipping")
    failed = {one.test: one.details for one in report.of("failed")}
    # taking a module out of its environment destroys it, too, and is said once
    title = "TestModuleSlip::test_{}".format
    assert set(failed) == {title("removable")}
    assert "destroy: ValueError: banana" in failed[title("removable")]
    skipped = {one.test: one.message for one in report.of("skipped")}
    assert skipped[title("destroy")] == "fails as test_removable does"
