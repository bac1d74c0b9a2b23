"""Kernels with vectors where numba is another one than they know."""

from __future__ import annotations

import logging
import os
import subprocess
import sys

import numpy as np
import pytest
from fresh_kernels import fresh

from pyrave.geometry import RayInstance, RayScene
from pyrave.geometry import ray_caster as raycasting
from pyrave.jit import compiler as compiling
from pyrave.jit import eager
from pyrave.scene import Sphere

DIRECTIONS = np.array([[1.0, 0, 0], [0, 1.0, 0], [1.0, 0.05, 0]])


@pytest.fixture
def other_numba(monkeypatch):
    """No kernel of `pyrave.geometry` has been asked for yet."""
    known = {
        key: module
        for key, module in compiling._modules.items()
        if not key[0][0].startswith("pyrave.geometry")
    }
    monkeypatch.setattr(compiling, "_modules", known)
    for name in ("_coherent", "_incoherent", "_cross"):
        monkeypatch.setattr(raycasting, name, fresh(getattr(raycasting, name)))
    monkeypatch.setenv("PYRAVE_COMPILE", "foreground")
    with eager():
        yield monkeypatch


def check_casts(caplog, reason):
    scene = RayScene([RayInstance(Sphere(0.5), np.eye(4), 7)])
    origins = np.full((3, 3), (-2.0, 0.0, 0.0))
    origins[1, 2] = 9.0
    with caplog.at_level(logging.WARNING, "pyrave.jit"):
        for place in ((-2.0, 0.0, 0.0), origins) * 2:
            hits = scene.cast(place, DIRECTIONS, 10.0)
            assert hits.id.tolist() == [7, -1, 7]
            assert hits.distance[0] == pytest.approx(1.5, abs=1e-12)
        crossings = scene.cast_all(origins, DIRECTIONS, 10.0)
        assert crossings.ray.tolist() == [0, 0, 2, 2]
    said = [record.getMessage() for record in caplog.records]
    assert [line.partition(" are slower")[0] for line in said] == [
        "casts of rays from one point",
        "casts of single rays",
        "crossings of rays",
    ]
    assert all(reason in line for line in said)


def test_vectors_that_cannot_be_defined(other_numba, caplog):
    other_numba.setitem(sys.modules, "pyrave.simd.compiled", None)
    check_casts(caplog, "pyrave.simd.compiled")


def test_vectors_that_cannot_be_compiled(other_numba, caplog, tmp_path):
    from numba.extending import intrinsic

    from pyrave.simd import compiled

    @intrinsic
    def load16(typing, array, index):
        raise AttributeError("make_array has moved")

    other_numba.setattr(compiled, "load16", load16)
    other_numba.setenv("PYRAVE_CACHE_DIR", str(tmp_path))
    check_casts(caplog, "make_array has moved")


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
