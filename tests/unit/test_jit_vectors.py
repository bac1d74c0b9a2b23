"""Kernels with vectors where numba is another one than they know."""

from __future__ import annotations

import logging
import sys

import numpy as np
import pytest

from pyrave.geometry import RayInstance, RayScene, rayscene
from pyrave.jit import KernelModule, compiling
from pyrave.scene import Sphere

RAYS = "pyrave.geometry.rays"
DIRECTIONS = np.array([[1.0, 0, 0], [0, 1.0, 0], [1.0, 0.05, 0]])


@pytest.fixture
def other_numba(monkeypatch):
    """Nothing of the rays is compiled yet."""
    known = {
        key: module
        for key, module in compiling._modules.items()
        if not key[0].startswith(RAYS)
    }
    monkeypatch.setattr(compiling, "_modules", known)
    monkeypatch.setattr(
        rayscene, "_together", KernelModule(f"{RAYS}.together._kernels")
    )
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
