"""Every interface that pyrave itself supplies keeps the contract of its type."""

from __future__ import annotations

import functools

import pytest

import pyrave
from pyrave.plugins import PluginKind, default_registry
from pyrave.testing import Outcome, check_plugin, checks_for, run_check


@functools.cache
def own_interfaces():
    return [
        (kind, one)
        for record in default_registry().records()
        if record.distribution == "pyrave" and record.kind is PluginKind.INTERFACE
        for kind, ids in record.interfaces.items()
        for one in ids
    ]


CASES = [
    pytest.param(kind, one, check, id=f"{kind}-{one}-{check.name}")
    for kind, one in own_interfaces()
    for check in checks_for(kind)
]

# what is allowed not to apply, by interface id
SKIPS = {
    "GenericCollisionChecker": {
        "overlap",
        "moves-along",
        "disabled",
        "excluded",
        "report",
        "grabbed",
    },
    "GenericMultiController": {"follows-a-path"},
    "IdealVelocityController": {"follows-a-path"},
    "Halton": {"seed"},
}
# what does not fit the robots of the kit's own scene
SCENES = {"ArmAngle": "robots/arms/iiwa14.robot.xml"}


@pytest.mark.parametrize(("kind", "one", "check"), CASES)
def test_own_interface(kind, one, check):
    scene = SCENES.get(one)
    env = pyrave.load(scene) if scene else None
    finding = run_check(check, kind, one, env=env)
    if finding.outcome is Outcome.SKIPPED:
        assert check.name in SKIPS.get(one, set()), finding
        pytest.skip(finding.seen)
    assert finding.outcome is Outcome.PASSED, f"\n{finding}"


def test_all_of_pyrave_is_checked():
    kinds = {kind for kind, _ in own_interfaces()}
    assert {"kinbody", "robot", "trajectory", "controller", "sensor"} <= kinds


def test_hooks_formats_and_data_of_pyrave():
    report = check_plugin("pyrave_openrave_xml")
    assert report.ok, str(report)
    assert any("openrave" in finding.check for finding in report.findings)
    assert check_plugin("pyrave_environments").ok
