"""`pyrave warm`: kernels compiled beforehand."""

from __future__ import annotations

import inspect
import json

import pytest
from ending_process import compile_or_end

from pyrave.cli import first_calls
from pyrave.cli.commands import warm
from pyrave.errors import StateError
from pyrave.jit import Kernel, KernelModule, eager, kernel, measurements
from pyrave.jit.compiler import compiled
from pyrave_ik.methods.kernel_choice import METHODS
from pyrave_ik.tools.kernels import kernels as ik_kernels
from pyrave_sensors.kernels import returns
from pyrave_sensors.warm_kernels import measure_everything


def test_all_methods_of_inverse_kinematics_are_listed(pyrave):
    names = pyrave("warm", "--list", "--json").data["kernels"]
    assert len(set(names)) == len(names)
    for method in METHODS.values():
        module = method.module.rpartition(".")[2]
        assert f"ik.{module}.regular" in names
        assert f"ik.{module}.singular" in names
    assert {"rays.cast_coherent", "rays.shade", "rays.refit", "sensors"} <= set(names)
    assert {"kinematics", "ik.numerical"} <= set(names)
    assert pyrave("warm", "--list", "--only", "ik.wrist.*").out.split() == [
        name for name in names if name.startswith("ik.wrist.")
    ]


def test_what_solvers_of_inverse_kinematics_call_is_compiled(monkeypatch):
    """`compiled_ik` takes `solve_pose`; elimination has no plain call."""
    found = {}
    current = []
    monkeypatch.setattr(Kernel, "now", lambda self: current.append(self.request.name))
    for name, compile_it in ik_kernels():
        current.clear()
        compile_it()
        found[name] = set(current)
    common = {"loop", "solve", "solve_pose", "solve_batch", "search"}
    for method in METHODS.values():
        module = method.module.rpartition(".")[2]
        names = found[f"ik.{module}.regular"]
        slow = module in {"general", "perturbed_geometry"}
        assert names == (common if slow else common | {"solve_current"})
        assert found[f"ik.{module}.singular"] == {"loop", "solve"}
    assert found["ik.wrist.calibrated.regular"] == common


def test_unknown_names_are_refused(pyrave):
    outcome = pyrave("warm", "--only", "ik.writs.*")
    assert outcome.code == 2
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
            report(name, warm._compile(name))

    monkeypatch.setattr(warm, "compile_kernels", in_this_process)
    outcome = pyrave("warm", "--json")
    assert outcome.code == 1
    errors = {one["name"]: one["error"] for one in outcome.data["kernels"]}
    assert errors == {"good": "", "bad": "OSError: no compiler"}
    assert "2/2 bad: failed: OSError: no compiler" in outcome.err
    assert pyrave("warm").out.startswith("compiled: 1 of 2, in ")


@pytest.mark.slow
def test_a_process_that_ends_is_the_error_of_its_kernel(monkeypatch):
    monkeypatch.setattr(warm, "_compile", compile_or_end)
    found = {}

    def report(name, made):
        found[name] = made.error

    warm.compile_kernels(["bad", "one", "two"], 2, report)
    assert found == {
        "bad": "its process ended; there may be too little memory",
        "one": "",
        "two": "",
    }


def test_a_negative_number_of_processes_is_refused(pyrave):
    outcome = pyrave("warm", "--only", "kinematics", "--jobs", "-1")
    assert outcome.code == 2
    assert "the number of processes is -1, expected 1 or more, or 0" in outcome.err


def test_levels_are_those_of_wheels(pyrave):
    outcome = pyrave("warm", "--level", "x86-64-v3")
    assert outcome.code == 2
    assert "--level x86-64-v3 is of the machine code in a wheel" in outcome.err


def test_kernels_of_rays_come_first(pyrave):
    names = pyrave("warm", "--list", "--json").data["kernels"]
    assert names[:2] == ["rays.cast_coherent", "rays.cast_incoherent"]
    assert "sensors" in names


def test_each_kernel_of_sensors_is_compiled(monkeypatch):
    asked = set()

    def noted(key):
        found = compiled(key)
        if key[0] != returns.__name__:
            return found

        def named(name):
            asked.add(name)
            return getattr(found, name)

        return Proxy(named)

    monkeypatch.setattr(kernel, "compiled", noted)
    with eager():
        measure_everything()
    assert asked == {
        name
        for name, one in vars(returns).items()
        if inspect.isfunction(one) and one.__module__ == returns.__name__
    }


class Proxy:
    def __init__(self, named):
        self._named = named

    def __getattr__(self, name):
        return self._named(name)


def test_eager_modules_are_compiled_at_once():
    module = KernelModule("pyrave_ik.kernels.closed_forms.wrist", 1e9)
    assert module.auto(1.0) is module.python
    with eager():
        assert module.auto(1.0) is module.jit


def test_kernels_that_first_calls_wait_for_are_told(pyrave, monkeypatch):
    def measured(name):
        kernels = [{"name": "a.b", "seconds": 1.5, "bytes": 2600}]
        if name == "demo":
            kernels += [{"name": "a.c", "seconds": 2.0, "bytes": 900}] * 2
        return first_calls.FirstCall(name, 5.0, tuple(kernels))

    monkeypatch.setattr(first_calls, "measure", measured)
    everywhere = list(first_calls.CALLS)
    data = pyrave("warm", "--explain", "--json").data
    assert data == {
        "schema": "pyrave-warm-explain/1",
        "calls": dict.fromkeys(everywhere, 5.0),
        "kernels": [
            {"name": "a.c", "seconds": 4.0, "bytes": 1800, "waiting": ["demo"]},
            {"name": "a.b", "seconds": 1.5, "bytes": 2600, "waiting": everywhere},
        ],
    }
    told = pyrave("warm", "--explain").out
    assert "demo: 5.0 s of a processor, 5.5 s of them compile 3 kernels" in told
    assert "a.b" in told


def test_a_first_call_writes_what_it_compiled(tmp_path, monkeypatch):
    def first_call(folder):
        for made in measurements._lists:
            made.append(measurements.Compilation("a.b", 0.5, folder.stat().st_nlink))

    monkeypatch.setitem(first_calls.CALLS, "mine", first_call)
    first_calls.main("mine", str(tmp_path))
    found = json.loads((tmp_path / "measured.json").read_text())
    size = tmp_path.stat().st_nlink
    assert found["kernels"] == [{"name": "a.b", "seconds": 0.5, "bytes": size}]
    assert found["seconds"] > 0.0
    assert not measurements._lists


def test_a_first_call_that_fails_is_an_error():
    with pytest.raises(StateError, match="was not measured: its process ended with"):
        first_calls.measure("no such call")
