"""The conformance kit: it checks that an interface keeps the contract of its type.

>>> from pyrave.testing import assert_conforms
>>> assert_conforms("sensor", "BaseLaser2D")

`check_interface` returns a report, `assert_conforms` raises an `AssertionError` with
it, `check_plugin` looks at everything that a distribution or entry point offers. In
pytest, ``--pyrave-conformance DIST`` adds one test per interface and check, and the
fixtures ``pyrave_env`` and ``pyrave_scene`` are there.

A class whose constructor needs words after the id says so for the kit by a class
attribute: ``testing_arguments = "kit_arm"`` (`KIT_SCENE` says what is in the scene).

Names are imported when they are first used: pytest loads this package at start-up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.testing.checks import Check, NotApplicable, Violation, check, require
    from pyrave.testing.plugin_check import check_plugin
    from pyrave.testing.report import (
        Finding,
        Outcome,
        PluginCheckReport,
        Report,
    )
    from pyrave.testing.runner import (
        assert_conforms,
        check_interface,
        checks_for,
        run_check,
    )
    from pyrave.testing.scene import KIT_SCENE, kit_environment
    from pyrave.testing.subject import Subject

__all__ = [
    "KIT_SCENE",
    "Check",
    "Finding",
    "NotApplicable",
    "Outcome",
    "PluginCheckReport",
    "Report",
    "Subject",
    "Violation",
    "assert_conforms",
    "check",
    "check_interface",
    "check_plugin",
    "checks_for",
    "kit_environment",
    "require",
    "run_check",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "checks": "Check NotApplicable Violation check require",
        "plugin_check": "check_plugin",
        "report": "Finding Outcome PluginCheckReport Report",
        "runner": "assert_conforms check_interface checks_for run_check",
        "scene": "KIT_SCENE kit_environment",
        "subject": "Subject",
    },
)
