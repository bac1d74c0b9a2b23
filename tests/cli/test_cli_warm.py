"""`pyrave warm`: kernels compiled beforehand."""

from __future__ import annotations

import pytest

from pyrave.cli import warm
from pyrave.jit import KernelModule, eager
from pyrave_ik.methods.table import METHODS


def test_all_methods_of_inverse_kinematics_are_listed(pyrave):
    names = pyrave("warm", "--list", "--json").data["kernels"]
    assert len(set(names)) == len(names)
    for method in METHODS.values():
        assert f"ik.{method.module}.regular" in names
        assert f"ik.{method.module}.singular" in names
    assert {"rays", "kinematics", "ik.numerical"} <= set(names)
    assert pyrave("warm", "--list", "--only", "ik.wrist.*").out.split() == [
        name for name in names if name.startswith("ik.wrist.")
    ]


def test_unknown_names_are_refused(pyrave):
    outcome = pyrave("warm", "--only", "ik.writs.*")
    assert outcome.code == 1
    assert "no kernel is named 'ik.writs.*'; the names are" in outcome.err


@pytest.mark.slow
def test_kernels_are_compiled_in_processes_of_their_own(pyrave_process):
    outcome = pyrave_process("warm", "--only", "ik.branches", "--jobs", "1", "--json")
    assert outcome.code == 0
    (one,) = outcome.data["kernels"]
    assert (one["name"], one["error"]) == ("ik.branches", "")
    assert "1/1 ik.branches" in outcome.err


def test_what_cannot_be_compiled_is_reported(pyrave, monkeypatch):
    def breaks():
        raise OSError("no compiler")

    functions = {"good": lambda: None, "bad": breaks}
    monkeypatch.setenv("PYRAVE_COMPILE", "")
    monkeypatch.setattr(warm, "_functions", lambda: functions)

    def in_this_process(names, _jobs, report):
        for name in names:
            report(name, *warm._compile(name))

    monkeypatch.setattr(warm, "compile_kernels", in_this_process)
    outcome = pyrave("warm", "--json")
    assert outcome.code == 1
    errors = {one["name"]: one["error"] for one in outcome.data["kernels"]}
    assert errors == {"good": "", "bad": "OSError: no compiler"}
    assert "2/2 bad: failed: OSError: no compiler" in outcome.err


def test_eager_modules_are_compiled_at_once():
    module = KernelModule("pyrave_ik.kernels.wrist", 1e9)
    assert not module.is_due(1.0)
    with eager():
        assert module.is_due(1.0)
