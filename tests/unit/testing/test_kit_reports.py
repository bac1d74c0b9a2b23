"""Reports of the conformance kit: what they say, and that they are plain data."""

from __future__ import annotations

import json
import pickle

import pytest

from pyrave import ModuleBase, command
from pyrave.errors import ArgumentError, NotFoundError
from pyrave.interfaces.base import INTERFACE_TYPES
from pyrave.testing import (
    Outcome,
    assert_conforms,
    check_interface,
    check_plugin,
    checks_for,
    kit_environment,
)


class Good(ModuleBase):
    """A module without a mistake."""

    contract = 1

    @command
    def greet(self, name: str) -> str:
        """Greet somebody."""
        return f"hello {name}"


class Bad(ModuleBase):
    contract = 2 - 1

    def main(self, args):
        return None

    def simulation_step(self, dt):
        return 1 / 0


@pytest.fixture(scope="module")
def bad():
    return check_interface("module", Bad)


def test_good_module_conforms():
    report = check_interface("module", Good)
    assert report.ok, str(report)
    assert bool(report)
    assert [finding.check for finding in report.skipped] == ["pickles"]
    assert_conforms("module", Good)


def test_report_names_each_mistake(bad):
    failed = {finding.check for finding in bad.failed}
    assert {"documented", "main", "step", "runs"} <= failed
    assert bad["constructor"].outcome is Outcome.PASSED


def test_finding_teaches(bad):
    finding = bad["main"]
    assert finding.contract == "main(args) returns an int, 0 when all is well."
    assert "None" in finding.seen
    assert "return 0" in finding.fix
    assert "Bad.main" in finding.where
    assert "test_kit_reports.py:" in finding.where
    text = str(finding)
    assert text.index("FAILED") < text.index("seen:") < text.index("fix:")


def test_unforeseen_exception_shows_its_line_and_no_frame_of_the_kit(bad):
    finding = bad["step"]
    assert "ZeroDivisionError" in finding.seen
    assert "return 1 / 0" in finding.fix
    assert "test_kit_reports.py" in finding.traceback
    assert "suites" not in finding.traceback


def test_assertion_has_the_whole_report(bad):
    with pytest.raises(AssertionError) as caught:
        assert_conforms("module", Bad)
    for finding in bad.failed:
        assert finding.check in str(caught.value)


def test_report_is_plain_data(bad):
    assert pickle.loads(pickle.dumps(bad)) == bad  # noqa: S301
    data = json.loads(json.dumps(bad.to_dict()))
    assert data["ok"] is False
    assert len(data["findings"]) == len(checks_for("module"))
    with pytest.raises(AttributeError):
        bad.interface = "other"
    with pytest.raises(NotFoundError, match="did you mean 'main'"):
        bad["mainn"]


def test_only_some_checks():
    report = check_interface("module", Bad, only=["main", "documented"])
    assert [finding.check for finding in report.findings] == ["documented", "main"]


@pytest.mark.parametrize("kind", INTERFACE_TYPES)
def test_every_type_has_checks_of_unique_names(kind):
    checks = checks_for(kind)
    names = [check.name for check in checks]
    assert len(set(names)) == len(names)
    assert len(checks) > len(checks_for("module")[:11])
    assert all(check.contract.endswith((".", ")")) for check in checks)


def test_aliases_of_types():
    assert checks_for("probleminstance") == checks_for("module")
    with pytest.raises(ArgumentError, match="did you mean 'sensor'"):
        checks_for("sensr")


def test_what_cannot_be_created_fails_once():
    report = check_interface("module", "NobodyOffersThis")
    assert not report.ok
    assert {finding.check for finding in report.failed} >= {"loads"}
    assert "NobodyOffersThis" in report["loads"].seen
    assert str(report).count("the interface cannot be created") <= 1


class Picky(ModuleBase):
    """Needs the name of a body."""

    contract = 1

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.body = args[0]


def test_words_for_the_constructor():
    assert "IndexError" in check_interface("module", Picky)["creates"].seen

    class WithWords(Picky):
        """Says itself which body."""

        contract = 1
        testing_arguments = "kit_box"

    assert check_interface("module", WithWords).ok
    env = kit_environment()
    env.register("module", "Picky", Picky)
    assert check_interface("module", "Picky kit_ball", env=env).ok


def test_setup_sees_each_object():
    made = []
    check_interface("module", Good, setup=made.append, only=["independent"])
    assert len(made) == 2
    assert made[0] is not made[1]


def test_given_environment_stays_as_it_is():
    env = kit_environment()
    before = (env.bodies.names, env.simulation_time, len(env.modules))
    assert check_interface("module", Good, env=env).ok
    assert (env.bodies.names, env.simulation_time, len(env.modules)) == before


def test_unknown_plugin():
    with pytest.raises(NotFoundError, match="no plugin 'acme_nobody'"):
        check_plugin("acme_nobody")


def test_plugin_report():
    report = check_plugin("IdealController")
    assert report.ok, str(report)
    assert [one.interface_type for one in report.interfaces] == ["controller"]
    assert json.loads(json.dumps(report.to_dict()))["ok"] is True
    assert "conforms" in str(report)


def test_code_that_ends_the_program_is_a_finding():
    class Exit(Good):
        """Leave in a step."""

        contract = 1

        def simulation_step(self, dt):
            raise SystemExit(3)

    report = check_interface("module", Exit)
    assert "SystemExit: 3" in report["step"].seen
