"""Kernels with vectors where numba is another one than they know."""

from __future__ import annotations

import logging
import os
import subprocess
import sys

import numpy as np
import pytest

from pyrave.geometry import RayInstance, RayScene, rayscene
from pyrave.jit import KernelModule, compiling
from pyrave.scene import Sphere

RAYS = "pyrave.geometry.kernels"
DIRECTIONS = np.array([[1.0, 0, 0], [0, 1.0, 0], [1.0, 0.05, 0]])


@pytest.fixture
def other_numba(monkeypatch):
    """Nothing of the rays is compiled yet."""
    known = {
        key: module
        for key, module in compiling._modules.items()
        if not key[0][0].startswith(RAYS)
    }
    monkeypatch.setattr(compiling, "_modules", known)
    monkeypatch.setattr(rayscene, "_coherent", KernelModule(f"{RAYS}.coherent"))
    return monkeypatch


def check_cast(caplog, reason):
    scene = RayScene([RayInstance(Sphere(0.5), np.eye(4), 7)])
    with caplog.at_level(logging.WARNING, "pyrave.jit"):
        hits = scene.cast((-2.0, 0.0, 0.0), DIRECTIONS, 10.0)
        again = scene.cast((-2.0, 0.0, 0.0), DIRECTIONS, 10.0)
    assert hits.id.tolist() == again.id.tolist() == [7, -1, 7]
    assert hits.distance[0] == pytest.approx(1.5, abs=1e-12)
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == len(set(said)) > 0
    assert all("stays interpreted" in line and reason in line for line in said)


def test_vectors_that_cannot_be_defined(other_numba, caplog):
    other_numba.setitem(sys.modules, "pyrave.simd.compiled", None)
    check_cast(caplog, "pyrave.simd.compiled")


def test_vectors_that_cannot_be_compiled(other_numba, caplog, tmp_path):
    from numba.extending import intrinsic

    from pyrave.simd import compiled

    @intrinsic
    def load16(typing, array, index):
        raise AttributeError("make_array has moved")

    other_numba.setattr(compiled, "load16", load16)
    other_numba.setenv("PYRAVE_CACHE_DIR", str(tmp_path))
    check_cast(caplog, "make_array has moved")


LOW = """
from pyrave.simd import load8, single


def low(array, i):
    return single(load8(array, i))
"""
LOWEST = """
from vectors.kernels.low import low


def lowest(array, out):
    out[:8] = low(array, 2)
"""
REFUSING = """
from pyrave.simd import load8


def refuse(array):
    load8(array, 0)
    raise ValueError("this is said by the kernel")
"""


@pytest.fixture
def kernels(other_numba, tmp_path):
    """Return a function that makes a kernel module of a text."""
    other_numba.syspath_prepend(tmp_path)
    other_numba.setenv("PYRAVE_CACHE_DIR", str(tmp_path / "cache"))

    def make(name, text):
        folder = tmp_path / "vectors" / "kernels"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.py").write_text(text)
        return KernelModule(f"vectors.kernels.{name}")

    return make


def test_parts_that_stay_interpreted(kernels, other_numba, caplog):
    """A module whose part was asked for before, and refused."""
    part, whole = kernels("low", LOW), kernels("lowest", LOWEST)
    other_numba.setitem(sys.modules, "pyrave.simd.compiled", None)
    table, out = np.arange(10.0), np.zeros(8, np.float32)
    with caplog.at_level(logging.WARNING, "pyrave.jit"):
        assert part.jit.low(table, 2).tolist() == list(range(2, 10))
        whole.jit.lowest(table, out)
    assert out.tolist() == list(range(2, 10))
    assert len(caplog.records) == 2


def test_a_kernel_that_fails_says_so_itself(kernels, caplog):
    module = kernels("refusing", REFUSING)
    with (
        caplog.at_level(logging.WARNING, "pyrave.jit"),
        pytest.raises(ValueError, match="said by the kernel"),
    ):
        module.jit.refuse(np.arange(8.0))
    assert caplog.records == []


@pytest.mark.slow
def test_without_compiling_vectors_are_as_written(tmp_path):
    program = (
        "import numpy as np\n"
        "from pyrave.geometry import RayInstance, RayScene\n"
        "from pyrave.scene import Sphere\n"
        "scene = RayScene([RayInstance(Sphere(0.5), np.eye(4), 7)])\n"
        f"directions = np.array({DIRECTIONS.tolist()})\n"
        "print(scene.cast((-2.0, 0.0, 0.0), directions, 10.0).id.tolist())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "PYRAVE_CACHE_DIR": str(tmp_path),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("[7, -1, 7]\n", "")
