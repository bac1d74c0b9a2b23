"""A class that cannot be imported is one failure, and nothing depends on it."""

import pyrave.testing
from pyrave.testing import Outcome, check_interface, check_plugin


def test_a_plugin_that_cannot_be_imported_fails_once(site):
    site.distribution(
        "broken-one",
        {"pyrave.sensor": {"Lidar": "broken_one:Lidar"}},
        sources={"broken_one": "import no_such_library\n"},
    )
    report = check_plugin("broken-one", registry=site.registry())
    assert not report.ok
    assert len(report.failed) == 1
    assert "no_such_library" in report.failed[0].seen
    (sensor,) = report.interfaces
    assert not sensor.failed
    assert {f.outcome for f in sensor.findings} == {Outcome.SKIPPED}
    assert str(report).count("no_such_library") <= 2 + str(report).count("|")


def test_an_interface_that_cannot_be_loaded_fails_once():
    def not_here(env, *args):
        raise AssertionError

    report = check_interface("sensor", "NobodyHasThis")
    assert [finding.check for finding in report.failed] == ["loads"]
    assert len(report.skipped) == len(report.findings) - 1 > 5
    assert pyrave.testing.check_interface("sensor", not_here).failed
